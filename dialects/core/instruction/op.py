"""Op classes of instructions: operands, properties, syntax, effects and verification, derived from the signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import I64, DenseArrayBase, IndexType, IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from ....errors import Diagnostic
from ....ir import element_of, numbers_of, numpy_type, shape_of
from ..analysis.constants import constant_number
from ..effect_traits import Box
from ..kernel_parts import ints
from ..layouts import layout_map
from ..machine.model import Machine
from .record import MACHINE, Record
from .signature import Buffer, ElementSize, Extent, Kind, Parameter, Stride, names_of


class InstructionOp(IRDLOperation):
    """
    Instruction of a target, derived from its record. The op of `add_rows(a: In[i8], out: Out[i32], n: Size)`:

        toy.add_rows %a[%i, %j], %out, %n : memref<4x8xi8>, memref<8xi32>

    Operands stand in the order of the signature. A buffer has an index for each axis, or none: then the instruction
    begins at its first element.
    """

    INSTRUCTION: ClassVar[Record]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def operands_of(self) -> dict[str, tuple[SSAValue, Sequence[SSAValue]]]:
        """Return the operand of each parameter that has one, with the indices of a buffer."""
        return {
            parameter.name: (getattr(self, parameter.name), getattr(self, place_name(parameter.name), ()))
            for parameter in self.INSTRUCTION.parameters
            if isinstance(parameter.kind, Buffer) or parameter.kind in (Kind.SCALAR, Kind.SIZE)
        }

    def properties_of(self) -> dict[str, int]:
        """Return the numbers of the parameters that are constant and flag properties."""
        numbers: dict[str, int] = {}
        for parameter in self.INSTRUCTION.parameters:
            attribute = self.properties.get(parameter.name)
            if parameter.kind is Kind.CONST:
                numbers[parameter.name] = cast("IntegerAttr[Any]", attribute).value.data
            elif parameter.kind is Kind.FLAG:
                numbers[parameter.name] = int(attribute is not None)
        return numbers

    def known_numbers(self) -> dict[str, Any]:
        """Return numbers by the names of their parameters: an operand of index type as the value that it is."""
        numbers: dict[str, Any] = {**self.properties_of()}
        for parameter in self.INSTRUCTION.parameters:
            if parameter.kind is Kind.SIZE:
                numbers[parameter.name] = getattr(self, parameter.name)
            elif isinstance(parameter.kind, Extent):
                numbers[parameter.name] = shape_of(getattr(self, parameter.kind.buffer))[parameter.kind.axis]
            elif isinstance(parameter.kind, ElementSize):
                numbers[parameter.name] = numpy_type(element_of(getattr(self, parameter.kind.buffer))).itemsize
            elif isinstance(parameter.kind, Buffer):
                numbers[shape_name(parameter.name)] = shape_of(getattr(self, parameter.name))
        return numbers

    def cycles_of(self, operands: Sequence[Any], machine: Machine) -> int:
        """Return the cycles on a machine, by the run-time operands, None for buffers."""
        record = self.INSTRUCTION
        assert record.price is not None
        values = dict(zip(self.operands, operands, strict=True))
        numbers = {name: values.get(value, value) for name, value in self.known_numbers().items()}
        numbers[MACHINE] = machine
        return ceil(record.price(**{name: numbers[name] for name in names_of(record.price)}))

    def region_of(self, buffer: str) -> Box | None:
        """
        Return the box of a buffer that the instruction accesses; None for all of it, and where the registers of its
        queue or steps in memory say which part.

        Raises Diagnostic where the record's function returns no region that the buffer can have.
        """
        record, rank = self.INSTRUCTION, len(shape_of(getattr(self, buffer)))
        if buffer not in record.regions or record.depends_on_configuration(buffer):
            return None
        axes = record.axes_of(buffer, rank, self.known_numbers())
        indices = tuple(getattr(self, place_name(buffer))) or (0,) * rank
        return Box(indices, axes.counts) if axes.steps is None else None

    @property
    def sizes(self) -> list[SSAValue]:
        """The operands of index type that are numbers of their own."""
        return [
            getattr(self, parameter.name) for parameter in self.INSTRUCTION.parameters if parameter.kind is Kind.SIZE
        ]

    def numbers_at(self, operands: Sequence[Any]) -> dict[str, Any]:
        """
        Return numbers by the names of their parameters at a step, given the run-time operands, with strides in
        elements; an operand that depends on data as the value that it is. Raises Diagnostic for a dynamic stride.
        """
        at = {value: number for value, number in zip(self.operands, operands, strict=True) if number is not None}
        numbers = {name: at.get(value, value) for name, value in self.known_numbers().items()}
        for parameter in self.INSTRUCTION.parameters:
            if isinstance(parameter.kind, Stride):
                axis, times = self.step_of(parameter.name)
                numbers[parameter.name] = self.steps_of(parameter.kind.buffer)[axis] * times if times else 0
            elif parameter.kind is Kind.SCALAR:
                value = getattr(self, parameter.name)
                scalar = constant_number(value) if value not in at else at[value]
                numbers[parameter.name] = value if scalar is None else parameter.element(scalar)
        return numbers

    def steps_of(self, buffer: str) -> Sequence[int]:
        """Return the elements between neighbours along each axis. Raises Diagnostic where a stride is dynamic."""
        strides: Sequence[int | None] | None = getattr(self, buffer).type.get_strides()
        if strides is None or None in strides:
            raise Diagnostic(f"the strides of '{buffer}' are not static", found=str(getattr(self, buffer).type))
        return cast("Sequence[int]", strides)

    def step_of(self, parameter: str) -> tuple[int, int]:
        """Return the axis and the factor of a stride parameter; (0, 0) where it has none."""
        stated = self.properties.get(parameter)
        return (0, 0) if stated is None else cast("tuple[int, int]", numbers_of(stated))

    def _known_stride(self, parameter: Parameter, kind: Stride) -> dict[str, int]:
        """Return a stride in elements by its name, nothing where it is dynamic."""
        axis, times = self.step_of(parameter.name)
        strides: Sequence[int | None] | None = getattr(self, kind.buffer).type.get_strides()
        step = strides[axis] if times and strides is not None else 0
        return {} if step is None else {parameter.name: step * times}

    def verify_(self) -> None:
        self._verify_names()
        numbers: dict[str, Any] = {**self.properties_of()}
        for parameter in self.INSTRUCTION.parameters:
            if isinstance(parameter.kind, Buffer):
                self._verify_buffer(parameter)
                value = getattr(self, parameter.name)
                numbers[shape_name(parameter.name)] = shape_of(value)
                numbers[type_name(parameter.name)] = str(element_of(value))
                numbers[place_name(parameter.name)] = tuple(
                    map(constant_number, getattr(self, place_name(parameter.name)))
                )
            elif isinstance(parameter.kind, Stride):
                self._verify_stride(parameter, parameter.kind)
                numbers |= self._known_stride(parameter, parameter.kind)
            elif isinstance(parameter.kind, Extent):
                shape = shape_of(getattr(self, parameter.kind.buffer))
                if not -len(shape) <= parameter.kind.axis < len(shape):
                    raise VerifyException(f"'{parameter.kind.buffer}' has no axis {parameter.kind.axis}")
                numbers[parameter.name] = shape[parameter.kind.axis]
            elif isinstance(parameter.kind, ElementSize):
                numbers[parameter.name] = numpy_type(element_of(getattr(self, parameter.kind.buffer))).itemsize
            elif parameter.kind in (Kind.SIZE, Kind.SCALAR):
                numbers |= _known(parameter.name, constant_number(getattr(self, parameter.name)))
        try:
            self.INSTRUCTION.check(numbers)
            for name in self.INSTRUCTION.regions:
                self.region_of(name)
        except Diagnostic as error:
            expected = f"; expected {error.expected}" if error.expected else ""
            raise VerifyException(f"{error.message}{expected}") from error

    def _verify_names(self) -> None:
        """Raise VerifyException for an attribute that is no parameter, unless a dialect's prefix says whose it is."""
        names = [*self.get_irdl_definition().properties]
        for name in self.attributes:
            if "." not in name:
                expected = f"one of {', '.join(names)}" if names else "none"
                raise VerifyException(f"it has no parameter '{name}'; expected {expected}")

    def _verify_buffer(self, parameter: Parameter) -> None:
        value, indices = self.operands_of()[parameter.name]
        if parameter.types and element_of(value) not in parameter.types:
            expected = " or ".join(map(str, parameter.types))
            raise VerifyException(f"'{parameter.name}' must hold {expected}, not {element_of(value)}")
        self._verify_same(parameter, element_of(value))
        if layout_map(value.type) is not None:
            raise VerifyException(f"'{parameter.name}' must be a buffer in its physical shape, not {value.type}")
        if indices and len(indices) != len(shape_of(value)):
            raise VerifyException(
                f"expected an index for each axis of '{parameter.name}', {len(shape_of(value))}, got {len(indices)}"
            )

    def _verify_same(self, parameter: Parameter, element: Attribute) -> None:
        """Raise VerifyException where an earlier buffer of one TypeVar holds another type."""
        for earlier in self.INSTRUCTION.parameters:
            if earlier is parameter:
                return
            if isinstance(earlier.element, TypeVar) and earlier.element is parameter.element:
                stored = element_of(getattr(self, earlier.name))
                if stored != element:
                    raise VerifyException(
                        f"'{earlier.name}' and '{parameter.name}' must hold one type: {stored}, {element}"
                    )

    def _verify_stride(self, parameter: Parameter, kind: Stride) -> None:
        stated = self.properties.get(parameter.name)
        if stated is None:
            return
        rank = len(shape_of(getattr(self, kind.buffer)))
        if len(numbers_of(stated)) != 2 or not 0 <= numbers_of(stated)[0] < rank:
            raise VerifyException(
                f"'{parameter.name}' must be an axis and a factor, with one of the {rank} axes of '{kind.buffer}', "
                f"got {list(numbers_of(stated))}"
            )


def shape_name(buffer: str) -> str:
    """Return the name by which `requires` takes the shape of a buffer."""
    return f"{buffer}_shape"


def type_name(buffer: str) -> str:
    """Return the name by which `requires` takes the element type of a buffer."""
    return f"{buffer}_type"


def place_name(buffer: str) -> str:
    """Return the name of a buffer's indices; `requires` takes them by it, None for those that are no constants."""
    return f"{buffer}_at"


def _known(name: str, number: float | None) -> dict[str, float]:
    """Return a number by its name; nothing where it is not known."""
    return {} if number is None else {name: number}


def op_class(
    name: str, parameters: Sequence[Parameter], result: Parameter | None, doc: str, traits: Sequence[OpTrait]
) -> type[InstructionOp]:
    """Return the op class of an instruction."""
    members: dict[str, Any] = {"name": name, "__doc__": doc, "traits": traits_def(*traits)}
    for parameter in parameters:
        members |= _fields(parameter)
    if result is not None:
        members["result"] = result_def(cast(Any, result.type))
    options: list[Any] = [ParsePropInAttrDict()]
    if sum(isinstance(parameter.kind, Buffer) for parameter in parameters) > 1:
        options.append(AttrSizedOperandSegments(as_property=True))
    members["irdl_options"] = tuple(options)
    members["assembly_format"] = _syntax(parameters)
    words = name.partition(".")[2].split("_")
    return irdl_op_definition(type("".join(word.capitalize() for word in words) + "Op", (InstructionOp,), members))


def _fields(parameter: Parameter) -> Mapping[str, Any]:
    """Return the definitions of the operands and properties of a parameter."""
    name = parameter.name
    match parameter.kind:
        case Buffer():
            return {name: operand_def(MemRefType), place_name(name): var_operand_def(IndexType)}
        case Stride():
            return {name: opt_prop_def(base(DenseArrayBase))}
        case Kind.SCALAR:
            return {name: operand_def(cast(Any, parameter.type))}
        case Kind.SIZE:
            return {name: operand_def(IndexType)}
        case Kind.CONST:
            return {name: prop_def(IntegerAttr[I64])}
        case Kind.FLAG:
            return {name: opt_prop_def(UnitAttr)}
        case _:
            return {}


def _syntax(parameters: Sequence[Parameter]) -> str:
    """Return the assembly format: operands in the order of the signature, and the types of buffers."""
    operands, types = list[str](), list[str]()
    for parameter in parameters:
        if isinstance(parameter.kind, Buffer):
            operands.append(f"${parameter.name} (`[` ${place_name(parameter.name)}^ `]`)?")
            types.append(f"type(${parameter.name})")
        elif parameter.kind in (Kind.SCALAR, Kind.SIZE):
            operands.append(f"${parameter.name}")
    return " ".join([" `,` ".join(operands), "attr-dict", *([f"`:` {' `,` '.join(types)}"] if types else [])])


def built(op: type[InstructionOp], values: Mapping[str, Any]) -> InstructionOp:
    """Return an op with these operands and properties; a buffer is given as such, or with its indices as a pair."""
    operands: list[Any] = []
    properties: dict[str, Attribute | None] = {}
    for parameter in op.INSTRUCTION.parameters:
        value = values.get(parameter.name)
        match parameter.kind:
            case Buffer():
                buffer, indices = cast(Any, value if isinstance(value, tuple) else (value, ()))
                operands += [buffer, list(indices)]
            case Kind.SCALAR | Kind.SIZE:
                operands.append(value)
            case Kind.CONST:
                properties[parameter.name] = IntegerAttr(int(cast(Any, value)), i64)
            case Kind.FLAG:
                properties[parameter.name] = UnitAttr() if value else None
            case Stride():
                properties[parameter.name] = ints(cast("tuple[int, int]", value)) if value else None
            case _:
                pass
    result = op.INSTRUCTION.result
    types = [result.type] if result is not None and result.type is not None else []
    return op(operands=operands, properties=properties, result_types=types)
