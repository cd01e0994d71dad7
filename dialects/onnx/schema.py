"""
Op classes made from ONNX operator schemas.

One schema becomes one class: inputs and outputs become operands and results, attributes become properties of the same
name, graph attributes become regions. An attribute that has its default value is not stored.

    %y = onnx.Conv(%x, %w, none) {pads = array<i64: 1, 1, 1, 1>} : (tensor<..>, tensor<..>) -> tensor<..>

`none` stands for an optional input, or output type, that is left out in the middle. Regions come before the braces.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeVar, cast

from onnx import AttributeProto, helper
from onnx.defs import OpSchema
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryEffect, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ...ir import DenseAttr, array_of
from .attributes import missing, violation

_Kind = OpSchema.FormalParameterOption
_Type = OpSchema.AttrType
Parameters = Sequence[OpSchema.FormalParameter]
_T = TypeVar("_T")

RANGE = "range"
"""Attribute of an op whose integers stand for floats, in types that are inferred from its range of values."""

_DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview.training")
"""Domains whose schemas say by type variables which types are the same."""

si64 = IntegerType(64, Signedness.SIGNED)


class OnnxOp(IRDLOperation):
    """Base of all ops that come from a schema."""

    SCHEMA: ClassVar[OpSchema]

    @property
    def node_inputs(self) -> tuple[SSAValue | None, ...]:
        """The inputs by position, as an ONNX node lists them; None where an optional one is left out."""
        return _by_position(self.SCHEMA.inputs, self.operands, self._sizes("operandSegmentSizes"))

    @property
    def node_outputs(self) -> tuple[SSAValue | None, ...]:
        """The outputs by position; None where an optional one is left out."""
        return _by_position(self.SCHEMA.outputs, self.results, self._sizes("resultSegmentSizes"))

    def node_input(self, index: int) -> SSAValue | None:
        """Return the input at that position, None where it is left out."""
        inputs = self.node_inputs
        return inputs[index] if index < len(inputs) else None

    def attribute(self, name: str) -> Any:
        """
        Return an attribute as a Python value, the schema's default where it is not given, None if there is none.

        Integers, floats and texts are themselves, lists are tuples, tensors are arrays.
        """
        if (stored := self.properties.get(name)) is not None:
            return python_value(stored)
        return default_value(self.SCHEMA.attributes[name])

    def _sizes(self, segments: str) -> Sequence[int] | None:
        stored = self.properties.get(segments)
        return stored.get_values() if isinstance(stored, DenseArrayBase) else None  # pyright: ignore[reportUnknownMemberType, reportReturnType, reportUnknownVariableType]

    def verify_(self) -> None:
        """Check the constraints on attributes beyond the schema."""
        operator = self.SCHEMA.name
        if fault := missing(operator, self.properties) or violation(operator, self.attribute):
            raise VerifyException(str(fault))
        self._verify_types()

    def _verify_types(self) -> None:
        """Raise VerifyException where values of one type variable of the schema differ, but for inferred integers."""
        if RANGE in self.attributes or self.SCHEMA.domain not in _DOMAINS:
            return
        types: dict[str, tuple[str, Attribute]] = {}
        for name, variable, value in self._named_values():
            element = cast("TensorType[Any]", value.type).element_type
            first, other = types.setdefault(variable, (name, element))
            if other != element:
                raise VerifyException(f"'{first}' and '{name}' must hold one type, {variable}: {other}, {element}")

    def _named_values(self) -> Iterator[tuple[str, str, SSAValue]]:
        """Yield name, type variable and value of each input and output whose element type is a variable."""
        for parameters, values in ((self.SCHEMA.inputs, self.node_inputs), (self.SCHEMA.outputs, self.node_outputs)):
            for index, value in enumerate(values):
                parameter = parameters[min(index, len(parameters) - 1)]
                if value is not None and parameter.is_homogeneous and len(parameter.types) > 1:
                    yield parameter.name, parameter.type_str, value

    def print(self, printer: Printer) -> None:
        inputs, outputs = self.node_inputs, self.node_outputs
        printer.print_string("(")
        printer.print_list(inputs, lambda v: printer.print_string("none") if v is None else printer.print_ssa_value(v))
        printer.print_string(")")
        for region in self.regions:
            printer.print_string(" ")
            printer.print_region(region)
        shown = {k: v for k, v in self.properties.items() if not k.endswith("SegmentSizes")} | self.attributes
        if shown:
            printer.print_string(" ")
            printer.print_attr_dict(shown)
        printer.print_string(" : (")
        printer.print_list([v.type for v in inputs if v is not None], printer.print_attribute)
        printer.print_string(") -> ")
        if len(outputs) == 1 and outputs[0] is not None:
            printer.print_attribute(outputs[0].type)
            return
        printer.print_string("(")
        printer.print_list(
            outputs, lambda v: printer.print_string("none") if v is None else printer.print_attribute(v.type)
        )
        printer.print_string(")")

    @classmethod
    def parse(cls, parser: Parser) -> OnnxOp:
        start = parser.pos
        delimiter = parser.Delimiter.PAREN
        names = parser.parse_comma_separated_list(delimiter, lambda: _parse_operand(parser))
        regions = [parser.parse_region() for _ in cls.get_irdl_definition().regions]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(delimiter, parser.parse_type)
        parser.parse_punctuation("->")
        results = parser.parse_optional_comma_separated_list(delimiter, lambda: _parse_type(parser))
        resolved = parser.resolve_operands([n for n in names if n is not None], types, start)
        values = iter(resolved)
        operands = [None if name is None else next(values) for name in names]
        properties = {k: v for k, v in attributes.items() if k in cls.SCHEMA.attributes}
        try:
            return make(
                cls,
                operands,
                results if results is not None else [parser.parse_type()],
                properties,
                regions=regions,
                attributes={k: v for k, v in attributes.items() if k not in properties},
            )
        except ValueError as error:
            parser.raise_error(str(error), start)


def is_constant(op: Operation | Block) -> bool:
    """Return whether the owner of a value is a constant of the graph level."""
    return isinstance(op, OnnxOp) and op.SCHEMA.name == "Constant"


def _parse_operand(parser: Parser) -> UnresolvedOperand | None:
    return None if parser.parse_optional_keyword("none") else parser.parse_unresolved_operand()


def _parse_type(parser: Parser) -> Attribute | None:
    return None if parser.parse_optional_keyword("none") else parser.parse_type()


# Positions and segments


def _by_position(
    parameters: Parameters, values: Sequence[SSAValue], sizes: Sequence[int] | None
) -> tuple[SSAValue | None, ...]:
    if sizes is None:
        fixed = sum(p.option == _Kind.Single for p in parameters)
        sizes = [1 if p.option == _Kind.Single else len(values) - fixed for p in parameters]
    items: list[SSAValue | None] = []
    rest = iter(values)
    for size in sizes:
        items += [next(rest) for _ in range(size)] or [None]
    while items and items[-1] is None:
        items.pop()
    return tuple(items)


def segments(what: str, parameters: Parameters, items: Sequence[_T | None]) -> Iterator[_T | Sequence[_T] | None]:
    """
    Yield for each parameter the items given for it by position, as xDSL's builder takes them.

    Raises ValueError where one is missing or there are too many.
    """
    for index, parameter in enumerate(parameters):
        if parameter.option == _Kind.Variadic:
            yield [item for item in items[index:] if item is not None]
            return
        item = items[index] if index < len(items) else None
        if item is None and parameter.option == _Kind.Single:
            raise ValueError(f"{what} {index} ({parameter.name}) is missing")
        yield item
    if len(items) > len(parameters):
        raise ValueError(f"{len(items)} {what}s are given, {len(parameters)} at most are allowed")


def make(
    cls: type[OnnxOp],
    inputs: Sequence[SSAValue | None],
    result_types: Sequence[Attribute | None],
    properties: dict[str, Attribute],
    *,
    regions: Sequence[Region] = (),
    attributes: dict[str, Attribute] | None = None,
) -> OnnxOp:
    """
    Return an op with inputs and outputs by position, None for an optional one left out.

    Raises ValueError where the schema has no place for one, or misses one.
    """
    if len(regions) != len(cls.get_irdl_definition().regions):
        raise ValueError(f"{len(regions)} regions are given, not {len(cls.get_irdl_definition().regions)}")
    return cls.build(
        operands=list(segments("input", cls.SCHEMA.inputs, inputs)),
        result_types=list(segments("output", cls.SCHEMA.outputs, result_types)),
        properties=properties,
        attributes=attributes,
        regions=list(regions),
    )


# Attribute values


def default_value(attribute: OpSchema.Attribute) -> Any:
    """Return the default of a schema's attribute as a Python value, None where it has none."""
    proto = attribute.default_value
    if proto.type == AttributeProto.UNDEFINED:
        return None
    value = helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        items = cast("list[int | float | bytes]", value)
        return tuple(item.decode() if isinstance(item, bytes) else item for item in items)
    return value


def python_value(attribute: Attribute) -> Any:
    """Return a stored attribute as a Python value."""
    match attribute:
        case IntegerAttr() | FloatAttr():
            return cast(Any, attribute).value.data
        case StringAttr():
            return attribute.data
        case DenseArrayBase():
            return tuple(cast("DenseArrayBase[Any]", attribute).get_values())
        case ArrayAttr():
            return tuple(python_value(item) for item in attribute.data)
        case _:
            return array_of(cast(DenseAttr, attribute))


def stored_value(kind: OpSchema.AttrType, value: Any) -> Attribute:
    """Return the stored attribute of a number, a text or a list of them. Tensors: see `ir.dense`."""
    match kind:
        case _Type.INT:
            return cast(Attribute, IntegerAttr(int(value), si64))
        case _Type.FLOAT:
            return FloatAttr(float(value), f32)
        case _Type.STRING:
            return StringAttr(value)
        case _Type.INTS:
            return DenseArrayBase.from_list(i64, [int(v) for v in value])
        case _Type.FLOATS:
            return DenseArrayBase.from_list(f32, [float(v) for v in value])
        case _Type.STRINGS:
            return ArrayAttr([StringAttr(v) for v in value])
        case _:
            raise ValueError(f"attributes of the kind {kind} are not stored")


# Classes

_CONSTRAINTS: dict[OpSchema.AttrType, AttrConstraint] = {
    _Type.INT: base(cast(Any, IntegerAttr)),
    _Type.FLOAT: base(cast(Any, FloatAttr)),
    _Type.STRING: base(StringAttr),
    _Type.INTS: base(cast(Any, DenseArrayBase)),
    _Type.FLOATS: base(cast(Any, DenseArrayBase)),
    _Type.STRINGS: base(cast(Any, ArrayAttr)),
}
_TENSOR: AttrConstraint = base(cast(Any, TensorType))
_OPERANDS: dict[Any, Any] = {
    _Kind.Single: operand_def,
    _Kind.Optional: opt_operand_def,
    _Kind.Variadic: var_operand_def,
}
_RESULTS: dict[Any, Any] = {_Kind.Single: result_def, _Kind.Optional: opt_result_def, _Kind.Variadic: var_result_def}
_GRAPHS = {_Type.GRAPH, _Type.GRAPHS}
_RESERVED = {*dir(OnnxOp), *keyword.kwlist, "irdl_options", "traits"}


def op_class_of(schema: OpSchema, name: str, effects: MemoryEffect | None = None) -> type[OnnxOp]:
    """
    Return the op class named `name` that a schema describes.

    Without `effects` of its own, it has those of the graphs that are its attributes, or none.
    """
    fields: dict[str, Any] = {"name": name, "__doc__": schema.doc, "__module__": __name__}
    for parameter in schema.inputs:
        fields[_free_name(parameter.name, fields)] = _OPERANDS[parameter.option](_TENSOR)
    for parameter in schema.outputs:
        fields[_free_name(parameter.name, fields)] = _RESULTS[parameter.option](_TENSOR)
    effects = effects or Pure()
    for key, attribute in schema.attributes.items():
        if attribute.type in _GRAPHS:
            effects = RecursiveMemoryEffect()
            fields[_free_name(key, fields)] = region_def()
            continue
        define = prop_def if attribute.required else opt_prop_def
        constraint = _CONSTRAINTS.get(attribute.type, AnyAttr())
        fields[_free_name(key, fields)] = define(constraint, prop_name=key)
    if options := _segment_options(schema):
        fields["irdl_options"] = options
    fields["traits"] = traits_def(effects)
    cls = irdl_op_definition(type(schema.name + "Op", (OnnxOp,), fields))
    cls.SCHEMA = schema
    return cls


def _free_name(name: str, taken: dict[str, Any]) -> str:
    name = "".join(c if c.isalnum() else "_" for c in name)
    while name in taken or name in _RESERVED:
        name += "_"
    return name


def _segment_options(schema: OpSchema) -> tuple[Any, ...]:
    options: list[Any] = []
    if sum(p.option != _Kind.Single for p in schema.inputs) > 1:
        options.append(AttrSizedOperandSegments(as_property=True))
    if sum(p.option != _Kind.Single for p in schema.outputs) > 1:
        options.append(AttrSizedResultSegments(as_property=True))
    return tuple(options)
