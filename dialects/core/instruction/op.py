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
            each.name: (getattr(self, each.name), getattr(self, place_name(each.name), ()))
            for each in self.INSTRUCTION.parameters
            if isinstance(each.kind, Buffer) or each.kind in (Kind.SCALAR, Kind.SIZE)
        }

    def properties_of(self) -> dict[str, int]:
        """Return the numbers of the parameters that are constant and flag properties."""
        found: dict[str, int] = {}
        for each in self.INSTRUCTION.parameters:
            held = self.properties.get(each.name)
            if each.kind is Kind.CONST:
                found[each.name] = cast("IntegerAttr[Any]", held).value.data
            elif each.kind is Kind.FLAG:
                found[each.name] = int(held is not None)
        return found

    def known_numbers(self) -> dict[str, Any]:
        """Return numbers by the names of their parameters: an operand of index type as the value that it is."""
        found: dict[str, Any] = {**self.properties_of()}
        for each in self.INSTRUCTION.parameters:
            if each.kind is Kind.SIZE:
                found[each.name] = getattr(self, each.name)
            elif isinstance(each.kind, Extent):
                found[each.name] = shape_of(getattr(self, each.kind.buffer))[each.kind.axis]
            elif isinstance(each.kind, ElementSize):
                found[each.name] = numpy_type(element_of(getattr(self, each.kind.buffer))).itemsize
            elif isinstance(each.kind, Buffer):
                found[shape_name(each.name)] = shape_of(getattr(self, each.name))
        return found

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
        return [getattr(self, each.name) for each in self.INSTRUCTION.parameters if each.kind is Kind.SIZE]

    def numbers_at(self, operands: Sequence[Any]) -> dict[str, Any]:
        """
        Return numbers by the names of their parameters at a step, given the run-time operands, with strides in
        elements; an operand that depends on data as the value that it is. Raises Diagnostic for a dynamic stride.
        """
        at = {value: number for value, number in zip(self.operands, operands, strict=True) if number is not None}
        found = {name: at.get(value, value) for name, value in self.known_numbers().items()}
        for each in self.INSTRUCTION.parameters:
            if isinstance(each.kind, Stride):
                axis, times = self.step_of(each.name)
                found[each.name] = self.steps_of(each.kind.buffer)[axis] * times if times else 0
            elif each.kind is Kind.SCALAR:
                value = getattr(self, each.name)
                known = constant_number(value) if value not in at else at[value]
                found[each.name] = value if known is None else each.element(known)
        return found

    def steps_of(self, buffer: str) -> Sequence[int]:
        """Return the elements between neighbours along each axis. Raises Diagnostic where a stride is dynamic."""
        strides: Sequence[int | None] | None = getattr(self, buffer).type.get_strides()
        if strides is None or None in strides:
            raise Diagnostic(f"the strides of '{buffer}' are not static", found=str(getattr(self, buffer).type))
        return cast("Sequence[int]", strides)

    def step_of(self, parameter: str) -> tuple[int, int]:
        """Return the axis and the factor of a stride parameter; (0, 0) where it has none."""
        held = self.properties.get(parameter)
        return (0, 0) if held is None else cast("tuple[int, int]", numbers_of(held))

    def _known_stride(self, parameter: Parameter, kind: Stride) -> dict[str, int]:
        """Return a stride in elements by its name, nothing where it is dynamic."""
        axis, times = self.step_of(parameter.name)
        strides: Sequence[int | None] | None = getattr(self, kind.buffer).type.get_strides()
        step = strides[axis] if times and strides is not None else 0
        return {} if step is None else {parameter.name: step * times}

    def verify_(self) -> None:
        self._verify_names()
        numbers: dict[str, Any] = {**self.properties_of()}
        for each in self.INSTRUCTION.parameters:
            if isinstance(each.kind, Buffer):
                self._verify_buffer(each)
                value = getattr(self, each.name)
                numbers[shape_name(each.name)] = shape_of(value)
                numbers[type_name(each.name)] = str(element_of(value))
                numbers[place_name(each.name)] = tuple(map(constant_number, getattr(self, place_name(each.name))))
            elif isinstance(each.kind, Stride):
                self._verify_stride(each, each.kind)
                numbers |= self._known_stride(each, each.kind)
            elif isinstance(each.kind, Extent):
                shape = shape_of(getattr(self, each.kind.buffer))
                if not -len(shape) <= each.kind.axis < len(shape):
                    raise VerifyException(f"'{each.kind.buffer}' has no axis {each.kind.axis}")
                numbers[each.name] = shape[each.kind.axis]
            elif isinstance(each.kind, ElementSize):
                numbers[each.name] = numpy_type(element_of(getattr(self, each.kind.buffer))).itemsize
            elif each.kind in (Kind.SIZE, Kind.SCALAR):
                numbers |= _known(each.name, constant_number(getattr(self, each.name)))
        try:
            self.INSTRUCTION.check(numbers)
            for name in self.INSTRUCTION.regions:
                self.region_of(name)
        except Diagnostic as error:
            expected = f"; expected {error.expected}" if error.expected else ""
            raise VerifyException(f"{error.message}{expected}") from error

    def _verify_names(self) -> None:
        """Raise VerifyException for an attribute that is no parameter, unless a dialect's prefix says whose it is."""
        known = [*self.get_irdl_definition().properties]
        for name in self.attributes:
            if "." not in name:
                expected = f"one of {', '.join(known)}" if known else "none"
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
        for each in self.INSTRUCTION.parameters:
            if each is parameter:
                return
            if isinstance(each.element, TypeVar) and each.element is parameter.element:
                held = element_of(getattr(self, each.name))
                if held != element:
                    raise VerifyException(f"'{each.name}' and '{parameter.name}' must hold one type: {held}, {element}")

    def _verify_stride(self, parameter: Parameter, kind: Stride) -> None:
        held = self.properties.get(parameter.name)
        if held is None:
            return
        rank = len(shape_of(getattr(self, kind.buffer)))
        if len(numbers_of(held)) != 2 or not 0 <= numbers_of(held)[0] < rank:
            raise VerifyException(
                f"'{parameter.name}' must be an axis and a factor, with one of the {rank} axes of '{kind.buffer}', "
                f"got {list(numbers_of(held))}"
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
    for each in parameters:
        members |= _fields(each)
    if result is not None:
        members["result"] = result_def(cast(Any, result.type))
    options: list[Any] = [ParsePropInAttrDict()]
    if sum(isinstance(each.kind, Buffer) for each in parameters) > 1:
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
    given, types = list[str](), list[str]()
    for each in parameters:
        if isinstance(each.kind, Buffer):
            given.append(f"${each.name} (`[` ${place_name(each.name)}^ `]`)?")
            types.append(f"type(${each.name})")
        elif each.kind in (Kind.SCALAR, Kind.SIZE):
            given.append(f"${each.name}")
    return " ".join([" `,` ".join(given), "attr-dict", *([f"`:` {' `,` '.join(types)}"] if types else [])])


def built(op: type[InstructionOp], given: Mapping[str, Any]) -> InstructionOp:
    """Return an op with these operands and properties; a buffer is given as such, or with its indices as a pair."""
    operands: list[Any] = []
    properties: dict[str, Attribute | None] = {}
    for each in op.INSTRUCTION.parameters:
        value = given.get(each.name)
        match each.kind:
            case Buffer():
                buffer, indices = cast(Any, value if isinstance(value, tuple) else (value, ()))
                operands += [buffer, list(indices)]
            case Kind.SCALAR | Kind.SIZE:
                operands.append(value)
            case Kind.CONST:
                properties[each.name] = IntegerAttr(int(cast(Any, value)), i64)
            case Kind.FLAG:
                properties[each.name] = UnitAttr() if value else None
            case Stride():
                properties[each.name] = ints(cast("tuple[int, int]", value)) if value else None
            case _:
                pass
    result = op.INSTRUCTION.result
    types = [result.type] if result is not None and result.type is not None else []
    return op(operands=operands, properties=properties, result_types=types)
