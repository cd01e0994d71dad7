"""Upstream's syntax where xDSL reads another one: custom forms, and properties of MLIR 19."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AnyAttr, IRDLOperation, OptPropertyDef, PropertyDef
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator, ensure_terminator

from ....ir import DenseAttr
from .affine_ops import (
    ATOMIC_KINDS,
    has_no_upstream_form,
    parse_load,
    parse_mapped,
    parse_parallel,
    parse_store,
    print_load,
    print_mapped,
    print_parallel,
    print_store,
)
from .comparisons import parse_comparison, print_comparison
from .constants import print_dense
from .structured import (
    parse_affine_if,
    parse_generic,
    parse_index_switch,
    parse_reduce,
    print_affine_if,
    print_reduce,
    terminated_region,
)


def _global(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.global "private" constant @name : memref<2xf32> = dense<[0.0, 1.0]> {alignment = 64 : i64}`."""
    visibility = parser.parse_optional_str_literal() or "public"
    constant = parser.parse_optional_keyword("constant") is not None
    name = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error("expected the type of a memref", start, parser.pos)
    properties: dict[str, Attribute] = {"sym_name": name, "sym_visibility": StringAttr(visibility), "type": type}
    if constant:
        properties["constant"] = UnitAttr()
    if parser.parse_optional_punctuation("=") is not None:
        properties["initial_value"] = _initial_value(parser, cast("MemRefType[Any]", type))
    attributes = parser.parse_optional_attr_dict()
    if "alignment" in attributes:
        properties["alignment"] = attributes.pop("alignment")
    return op.create(properties=properties, attributes=attributes)


def _initial_value(parser: Parser, type: MemRefType[Any]) -> Attribute:
    if parser.parse_optional_keyword("uninitialized") is not None:
        return UnitAttr()
    if parser.parse_optional_keyword("dense") is None:
        return parser.parse_attribute()
    return parser.parse_dense_int_or_fp_elements_attr(TensorType(type.element_type, type.shape))


def _copy(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.copy %a, %b : memref<2xf32> to memref<2xf32>`."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    target = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    types = _type_to_type(parser)
    operands = [parser.resolve_operand(operand, type) for operand, type in zip((source, target), types, strict=True)]
    return op.create(operands=operands, attributes=attributes)


def _cast(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.cast %a : memref<2xf32> to memref<?xf32>`."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    type, result = _type_to_type(parser)
    return op.create(operands=[parser.resolve_operand(source, type)], result_types=[result], attributes=attributes)


def _type_to_type(parser: Parser) -> tuple[Attribute, Attribute]:
    parser.parse_punctuation(":")
    source = parser.parse_type()
    parser.parse_keyword("to")
    return source, parser.parse_type()


def _rank(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.rank %a : memref<2xf32>`."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(source, parser.parse_type())
    return op.create(operands=[operand], result_types=[IndexType()], attributes=attributes)


def _pointer(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.extract_aligned_pointer_as_index %a : memref<2xf32> -> index`."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(source, parser.parse_type())
    parser.parse_punctuation("->")
    return op.create(operands=[operand], result_types=[parser.parse_type()], attributes=attributes)


def _atomic(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.atomic_rmw addf %value, %buffer[%i] : (f32, memref<4xf32>) -> f32`."""
    start = parser.pos
    kind = parser.parse_identifier()
    if kind not in ATOMIC_KINDS:
        parser.raise_error(f"expected a kind of atomic operation: {', '.join(ATOMIC_KINDS)}", start, parser.pos)
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    buffer = parser.parse_unresolved_operand()
    indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_function_type()
    inputs = [*type.inputs, *[IndexType()] * len(indices)]
    operands = parser.resolve_operands([value, buffer, *indices], inputs, start)
    number = IntegerAttr(ATOMIC_KINDS.index(kind), i64)
    return op.create(
        operands=operands, result_types=type.outputs.data, properties={"kind": number}, attributes=attributes
    )


def _scope(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.alloca_scope -> (f32) {...}`."""
    from xdsl.dialects.memref import AllocaScopeReturnOp

    results = _result_types(parser)
    region = terminated_region(parser, AllocaScopeReturnOp)
    return op.create(result_types=results, regions=[region], attributes=parser.parse_optional_attr_dict())


def _end(op: type[Operation], parser: Parser) -> Operation:
    """Parse `memref.alloca_scope.return %a, %b : f32, i32`."""
    attributes = parser.parse_optional_attr_dict()
    values = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    if values is None:
        return op.create(attributes=attributes)
    parser.parse_punctuation(":")
    start = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return op.create(operands=parser.resolve_operands(values, types, start), attributes=attributes)


def _select(op: type[Operation], parser: Parser) -> Operation:
    """Parse `arith.select %c, %a, %b : f32`, or `: vector<4xi1>, vector<4xf32>` where each element has a condition."""
    start = parser.pos
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    condition, value = types if len(types) == 2 else (i1, types[0])
    operands = parser.resolve_operands(names, [condition, value, value], start)
    return op.create(operands=operands, result_types=[value], attributes=attributes)


def _execute_region(op: type[Operation], parser: Parser) -> Operation:
    """Parse `scf.execute_region -> (f32) {...}`."""
    results = _result_types(parser)
    region = parser.parse_region()
    return op.create(result_types=results, regions=[region], attributes=parser.parse_optional_attr_dict())


def _parallel(op: type[Operation], parser: Parser) -> Operation:
    """Parse `scf.parallel (%i) = (%low) to (%high) step (%step) init (%zero) -> f32 {...}`."""
    variables = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False).resolve(IndexType())
    )
    parser.parse_punctuation("=")
    low = _indices(parser, len(variables))
    parser.parse_keyword("to")
    high = _indices(parser, len(variables))
    parser.parse_keyword("step")
    step = _indices(parser, len(variables))
    initial = _operands(parser) if parser.parse_optional_keyword("init") is not None else []
    start = parser.pos
    types = _result_types(parser)
    values = parser.resolve_operands(initial, types, start)
    region = parser.parse_region(variables)
    loop = cast(Any, op).build(
        operands=[low, high, step, values],
        result_types=[types],
        regions=[region],
        attributes=parser.parse_optional_attr_dict(),
    )
    for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
        ensure_terminator(loop, trait)
    return loop


def _while(op: type[Operation], parser: Parser) -> Operation:
    """Parse `scf.while (%a = %x) : (i32) -> i32 {...} do {...}`, or `scf.while : () -> () {...} do {...}`."""
    pairs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, lambda: _assignment(parser)) or []
    parser.parse_punctuation(":")
    start = parser.pos
    type = parser.parse_function_type()
    operands = parser.resolve_operands([operand for _, operand in pairs], type.inputs.data, start)
    arguments = [
        argument.resolve(argument_type) for (argument, _), argument_type in zip(pairs, type.inputs.data, strict=True)
    ]
    before = parser.parse_region(arguments)
    parser.parse_keyword("do")
    after = parser.parse_region()
    loop = cast(Any, op)(operands, type.outputs.data, before, after)
    attributes = parser.parse_optional_attr_dict_with_keyword()
    loop.attributes |= attributes.data if attributes is not None else {}
    return loop


def _assignment(parser: Parser) -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def _operands(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)


def _indices(parser: Parser, number: int) -> Sequence[Any]:
    start = parser.pos
    return parser.resolve_operands(_operands(parser), [IndexType()] * number, start)


def _result_types(parser: Parser) -> list[Attribute]:
    """Parse `-> type` or `-> (type, ...)`, if it is there."""
    if parser.parse_optional_punctuation("->") is None:
        return []
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list(types)


# Printing


def _print_global(op: Operation, printer: Printer) -> None:
    properties = op.properties
    if (visibility := cast(StringAttr, properties["sym_visibility"])).data != "public":
        printer.print_string(" ")
        printer.print_attribute(visibility)
    printer.print_string(" constant " if "constant" in properties else " ")
    printer.print_symbol_name(cast(StringAttr, properties["sym_name"]).data)
    printer.print_string(" : ")
    printer.print_attribute(properties["type"])
    value = properties.get("initial_value")
    if isinstance(value, UnitAttr):
        printer.print_string(" = uninitialized")
    elif value is not None:
        printer.print_string(" = ")
        print_dense(printer, cast(DenseAttr, value))
    alignment = {"alignment": properties["alignment"]} if "alignment" in properties else {}
    printer.print_op_attributes(op.attributes | alignment)


def _has_no_upstream_form(op: Operation) -> bool:
    """Return whether upstream's syntax cannot express a global, such as one whose value has another shape."""
    properties = op.properties
    value, type = properties.get("initial_value"), properties.get("type")
    if not isinstance(type, MemRefType) or "sym_visibility" not in properties or "alignment" in op.attributes:
        return True
    type = cast("MemRefType[Any]", type)
    whole = TensorType(type.element_type, type.shape)
    is_dense = isinstance(value, DenseIntOrFPElementsAttr) and cast(DenseAttr, value).type == whole
    return not is_dense and not isinstance(value, UnitAttr | None)


def _conversion(between: str) -> Callable[[Operation, Printer], None]:
    """Return the printer of `%a : memref<2xf32> to memref<?xf32>`, `between` being the words between types."""

    def print_conversion(op: Operation, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(op.operands, printer.print_ssa_value)
        printer.print_op_attributes(op.attributes)
        printer.print_string(" : ")
        printer.print_list([*op.operand_types, *op.result_types], printer.print_attribute, between)

    return print_conversion


def _print_rank(op: Operation, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(op.operands[0])
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.operands[0].type)


def _print_atomic(op: Operation, printer: Printer) -> None:
    value, buffer, *indices = op.operands
    printer.print_string(f" {ATOMIC_KINDS[cast('IntegerAttr[Any]', op.properties['kind']).value.data]} ")
    printer.print_ssa_value(value)
    printer.print_string(", ")
    printer.print_ssa_value(buffer)
    with printer.in_square_brackets():
        printer.print_list(indices, printer.print_ssa_value)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_function_type((value.type, buffer.type), op.result_types)


def _print_end(op: Operation, printer: Printer) -> None:
    printer.print_op_attributes(op.attributes)
    if op.operands:
        printer.print_string(" ")
        printer.print_list(op.operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(op.operand_types, printer.print_attribute)


def _print_select(op: Operation, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_ssa_value)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    condition = [op.operands[0].type] if op.operands[0].type != i1 else []
    printer.print_list([*condition, *op.result_types], printer.print_attribute)


def _print_scope(op: Operation, printer: Printer) -> None:
    _print_result_types(op, printer)
    printer.print_string(" ")
    printer.print_region(op.regions[0])
    printer.print_op_attributes(op.attributes)


def _print_parallel(op: Operation, printer: Printer) -> None:
    loop, body = cast(Any, op), op.regions[0]
    groups = (("=", loop.lowerBound), ("to", loop.upperBound), ("step", loop.step), ("init", loop.initVals))
    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(body.block.args, printer.print_ssa_value)
    for word, values in groups:
        if values or word != "init":
            printer.print_string(f" {word} ")
            with printer.in_parens():
                printer.print_list(values, printer.print_ssa_value)
    _print_result_types(op, printer)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)
    printer.print_op_attributes(op.attributes)


def _print_result_types(op: Operation, printer: Printer) -> None:
    if op.results:
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(op.result_types, printer.print_attribute)


def _transpose(op: type[Operation], parser: Parser) -> Operation:
    """Parse `linalg.transpose ins(%a : T) outs(%b : U) permutation = [1, 0] {test.mark}`."""
    operands: list[SSAValue] = []
    for keyword in ("ins", "outs"):
        parser.parse_keyword(keyword)
        with parser.in_parens():
            operand = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            operands.append(parser.resolve_operand(operand, parser.parse_type()))
    parser.parse_keyword("permutation")
    parser.parse_punctuation("=")
    order = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    transpose = cast(Any, op)(*operands, DenseArrayBase.from_list(i64, order))
    transpose.attributes |= parser.parse_optional_attr_dict()
    return transpose


def _print_transpose(op: Operation, printer: Printer) -> None:
    for keyword, value in zip(("ins", "outs"), op.operands, strict=True):
        printer.print_string(f" {keyword}")
        with printer.in_parens():
            printer.print_ssa_value(value)
            printer.print_string(" : ")
            printer.print_attribute(value.type)
    order = cast("DenseArrayBase[Any]", op.properties["permutation"]).get_values()
    printer.print_string(f" permutation = {list(order)}")
    printer.print_op_attributes(op.attributes)


def _named(op: type[Operation], parser: Parser) -> Operation:
    """Parse `linalg.add {a = 1 : i64} ins(...) outs(...)`, and xDSL's form with `attrs = {...}` behind the operands."""
    from xdsl.dialects.linalg.abstract_ops import NamedOperation

    attributes = parser.parse_optional_attr_dict()
    parsed = cast(Any, NamedOperation.parse).__func__(op, parser)
    properties = cast("type[IRDLOperation]", op).get_irdl_definition().properties
    for name, value in attributes.items():
        (parsed.properties if name in properties else parsed.attributes)[name] = value
    return parsed


def _print_named(op: Operation, printer: Printer) -> None:
    """Print the attributes of a named op before its operands."""
    from xdsl.dialects.linalg.abstract_ops import NamedOperation

    vars(op)["PRINT_ATTRS_IN_FRONT"] = True
    NamedOperation.print(cast(NamedOperation, op), printer)


class Syntax(NamedTuple):
    """
    Parser and printer of an op's custom form; ops for which `is_generic` holds are printed in generic form.

    `replaces` says that xDSL has a syntax, which omits attributes, or reads less where there is no printer here.
    """

    parse: Callable[[type[Operation], Parser], Operation]
    print: Callable[[Operation, Printer], None] | None = None
    is_generic: Callable[[Operation], bool] | None = None
    replaces: bool = False


_TO = _conversion(" to ")
_MAPPED = Syntax(parse_mapped, print_mapped, replaces=True)
_LOAD = Syntax(parse_load, print_load, replaces=True)
_STORE = Syntax(parse_store, print_store, replaces=True)
SYNTAX: dict[str, Syntax] = {
    "affine.apply": _MAPPED,
    "affine.if": Syntax(parse_affine_if, print_affine_if),
    "affine.load": _LOAD,
    "affine.max": _MAPPED,
    "affine.min": _MAPPED,
    "affine.parallel": Syntax(parse_parallel, print_parallel, has_no_upstream_form),
    "affine.store": _STORE,
    "affine.vector_load": _LOAD,
    "affine.vector_store": _STORE,
    "arith.cmpf": Syntax(parse_comparison, print_comparison, replaces=True),
    "arith.cmpi": Syntax(parse_comparison, print_comparison, replaces=True),
    "arith.select": Syntax(_select, _print_select, replaces=True),
    "linalg.generic": Syntax(parse_generic, replaces=True),
    "linalg.transpose": Syntax(_transpose, _print_transpose, replaces=True),
    "memref.alloca_scope": Syntax(_scope, _print_scope),
    "memref.alloca_scope.return": Syntax(_end, _print_end),
    "memref.atomic_rmw": Syntax(_atomic, _print_atomic),
    "memref.cast": Syntax(_cast, _TO),
    "memref.copy": Syntax(_copy, _TO),
    "memref.extract_aligned_pointer_as_index": Syntax(_pointer, _conversion(" -> ")),
    "memref.global": Syntax(_global, _print_global, _has_no_upstream_form),
    "memref.memory_space_cast": Syntax(_cast, _TO),
    "memref.rank": Syntax(_rank, _print_rank),
    "scf.execute_region": Syntax(_execute_region, _print_scope, replaces=True),
    "scf.index_switch": Syntax(parse_index_switch, replaces=True),
    "scf.parallel": Syntax(_parallel, _print_parallel),
    "scf.reduce": Syntax(parse_reduce, print_reduce, replaces=True),
    "scf.while": Syntax(_while, replaces=True),
}
"""The syntax of ops that have none in xDSL, or one that omits attributes."""
_NAMED = Syntax(_named, _print_named, replaces=True)
"""The syntax of named ops of linalg whose attributes xDSL has behind their operands, where upstream reads none."""


OPTIONAL_PROPERTIES = {"memref.global": ("initial_value", "sym_visibility")}
"""Properties that are optional upstream and required by xDSL: a global without a value is a declaration."""

ANY_PROPERTIES = {"affine.parallel": ("reductions",)}
"""Properties that xDSL has as words and upstream as numbers."""


def add_syntax(op: type[Operation]) -> None:
    """Give the class of an op of the tables upstream's syntax, unless xDSL has it, and its optional properties."""
    if op.name in OPTIONAL_PROPERTIES:
        _make_optional(cast("type[IRDLOperation]", op), OPTIONAL_PROPERTIES[op.name])
    if op.name in ANY_PROPERTIES:
        _loosen(cast("type[IRDLOperation]", op), ANY_PROPERTIES[op.name])
    is_named = getattr(op, "PRINT_ATTRS_IN_FRONT", None) is False
    syntax = SYNTAX.get(op.name, _NAMED if is_named else None)
    if syntax is None or op.print is syntax.print or getattr(op.parse, "__func__", None) is syntax.parse:
        return
    if op.print is not Operation.print and not syntax.replaces:
        return
    setattr(op, "parse", classmethod(syntax.parse))
    if syntax.print is not None:
        setattr(op, "print", syntax.print)
    if syntax.is_generic is not None:
        setattr(op, "needs_generic_form", syntax.is_generic)


def _loosen(op: type[IRDLOperation], names: Sequence[str]) -> None:
    """Let properties be any attribute."""
    properties = op.get_irdl_definition().properties
    for name in names:
        properties[name] = PropertyDef(AnyAttr())


def _make_optional(op: type[IRDLOperation], names: Sequence[str]) -> None:
    properties = op.get_irdl_definition().properties
    for name in names:
        if not isinstance(properties[name], OptPropertyDef):
            properties[name] = OptPropertyDef(properties[name].constr)
            setattr(op, name, property(partial(_property, name)))


def _property(name: str, op: Operation) -> Attribute | None:
    return op.properties.get(name)


def _flags(op: Operation) -> None:
    """Convert `overflowFlags = #llvm.overflow<nsw>` to the number that xDSL has for it."""
    from xdsl.dialects.llvm import OverflowAttr

    flags = op.properties.get("overflowFlags")
    if isinstance(flags, OverflowAttr):
        op.properties["overflowFlags"] = IntegerAttr(flags.to_int(), i32)


def _options(op: Operation) -> None:
    """Convert `options = ""` to the dictionary that xDSL has for it."""
    if op.properties.get("options") == StringAttr(""):
        op.properties["options"] = DictionaryAttr({})


def _numbers(op: Operation) -> None:
    """Convert `mask = [0, 2]` to the array of numbers that newer releases have for it."""
    if isinstance(mask := op.properties.get("mask"), ArrayAttr):
        numbers = [cast("IntegerAttr[Any]", number).value.data for number in cast("ArrayAttr[Attribute]", mask)]
        op.properties["mask"] = DenseArrayBase.from_list(i64, numbers)


PROPERTIES: dict[str, Callable[[Operation], None]] = {
    "llvm.add": _flags,
    "llvm.mul": _flags,
    "llvm.shl": _flags,
    "llvm.sub": _flags,
    "transform.apply_registered_pass": _options,
    "vector.shuffle": _numbers,
}
"""The conversion of each such op's properties from those of MLIR 19."""
