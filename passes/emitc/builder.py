"""
C types, and a builder of `emitc` ops with constants and value ranges.

`index` becomes `int32_t`: it has the same width on the PC that tests the C and on the 32-bit chip that runs it, and no
cast is needed between indices and `i32`. An index is wide, `int64_t`, where interval analysis does not exclude that it
leaves 32 bits; it is narrowed where it indexes memory, is stored, or is passed to a function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    StringAttr,
    i1,
    i64,
)
from xdsl.dialects.emitc import EmitC_LValueType, EmitC_PointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import emitc
from ...dialects.core.analysis.intervals import Range
from ...dialects.core.analysis.value_ranges import ValueRanges, whole_range
from ...dialects.emitc.expressions import CMP_PREDICATES
from ...dialects.hier.sharded import is_sharded
from ...errors import Diagnostic
from ...ir import where

WIDTHS = (1, 8, 16, 32, 64)
UNSIGNED = {width: IntegerType(width, Signedness.UNSIGNED) for width in WIDTHS}
SIGNED = {width: IntegerType(width) for width in WIDTHS}
INDEX, WIDE_INDEX = SIGNED[32], SIGNED[64]
NARROW = Range.of_bits(32, signed=True)
"""The indices that `int32_t` holds."""


def as_integer(type_: Attribute) -> IntegerType | None:
    """Return a type if it is an integer type, else None."""
    return cast(IntegerType, type_) if isinstance(type_, IntegerType) else None


def is_unsigned(type_: IntegerType) -> bool:
    """Return whether a type is unsigned in C."""
    return type_.signedness.data is Signedness.UNSIGNED


Scalar = IntegerType | Float16Type | BFloat16Type | Float32Type | Float64Type


def scalar_type(type_: Attribute, op: Operation) -> Scalar:
    """Return the C type of a scalar. Raises Diagnostic for a type without a C counterpart."""
    match type_:
        case IndexType():
            return INDEX
        case IntegerType() if type_.width.data in WIDTHS and type_.signedness.data is Signedness.SIGNLESS:
            return SIGNED[type_.width.data]
        case Float16Type() | BFloat16Type() | Float32Type() | Float64Type():
            return type_
        case _:
            remedy = "use i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64"
    raise Diagnostic(f"C11 has no type for {type_}", where(op), found=f"'{op.name}' on {type_}", remedy=remedy)


def width_of(value: SSAValue) -> int:
    """Return the width in bits in C of an integer or index."""
    return (as_integer(value.type) or INDEX).width.data


def suffix(type_: Attribute) -> str:
    """Return the type suffix of the runtime header's functions: i8, u32, f64."""
    if (integer := as_integer(type_)) is None:
        return str(type_)
    return f"{'u' if is_unsigned(integer) else 'i'}{integer.width.data}"


def bounds(type_: IntegerType) -> tuple[int, int]:
    """Return the least and the greatest value of a C integer type."""
    width = type_.width.data
    if width == 1 or is_unsigned(type_):
        return 0, (1 << width) - 1
    return -(1 << width - 1), (1 << width - 1) - 1


@dataclass
class Strided:
    """
    Strided layout of a memref: element (i0, i1, ..) is at offset + i0 * strides[0] + ..

    A dynamic offset is None.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int | None

    @property
    def contiguous(self) -> bool:
        """Return whether the elements are contiguous, in row-major order."""
        expected = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True


def layout_of(value: SSAValue, op: Operation) -> Strided:
    """Return the static layout of a memref. Raises Diagnostic for a dynamic layout or one that exceeds `int32_t`."""
    type_ = cast("MemRefType[Any]", value.type)
    if is_sharded(type_):
        message = f"'{op.name}' accesses a sharded value, whose elements have no single memory"
        raise Diagnostic(message, where(op), remedy="run lower-sharded before")
    shape, strides, offset = type_.get_shape(), type_.get_strides(), type_.get_offset()
    if strides is None or None in strides or any(size < 0 for size in shape):
        raise Diagnostic(
            "the layout of a memref is not static",
            where(op),
            expected="static sizes and strides",
            found=str(type_),
            remedy="give every dimension of the network's inputs a size",
        )
    steps = tuple(stride or 0 for stride in strides)
    extent = (offset or 0) + sum((size - 1) * stride for size, stride in zip(shape, steps, strict=True))
    if extent >= 1 << 31:
        raise Diagnostic("a buffer has more elements than int32_t can index", where(op), found=str(type_))
    return Strided(shape, steps, offset)


@dataclass
class EmitcBuilder:
    """Builder of the ops of one C function; `values` maps source values to C values."""

    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    ops: list[Operation] = field(default_factory=list[Operation])
    constants: dict[tuple[Attribute, Attribute], emitc.ConstantOp] = field(
        default_factory=dict[tuple[Attribute, Attribute], emitc.ConstantOp]
    )
    called: dict[str, None] = field(default_factory=dict[str, None])
    headers: dict[str, int] = field(default_factory=dict[str, int])
    """Header -> rank; headers are included by rank, because one may use those of lower ranks."""
    runtime: str = ""
    """Header of the target's C runtime."""
    external: str = ""
    """Header of the target's calls for external memory."""
    _numbers: dict[tuple[int, IntegerType], SSAValue] = field(default_factory=dict[tuple[int, IntegerType], SSAValue])
    _ranges: ValueRanges = field(default_factory=lambda: ValueRanges(source=stored_range))

    def emit(
        self,
        kind: type[Operation],
        operands: list[SSAValue],
        result: Attribute | None,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Append an op and return its result, if any."""
        op = kind.create(
            operands=operands, result_types=[] if result is None else [result], properties=properties or {}
        )
        self.ops.append(op)
        return op.results[0] if result is not None else cast(SSAValue, None)

    def include_runtime(self, op: Operation, *, external: bool = False) -> None:
        """
        Record that an op needs the target's C runtime, or its calls for external memory.

        Raises Diagnostic if no header is configured.
        """
        option, header = ("external", self.external) if external else ("runtime", self.runtime)
        if not header:
            raise Diagnostic(
                f"'{op.name}' calls the C runtime of a target, whose header is not configured",
                where(op),
                remedy=f"name it, as a target's pipeline.txt does: convert-to-emitc{{{option}=HEADER}}",
            )
        self.headers[header] = 0 if external else 1

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """Emit a cast to a type, if needed."""
        return value if value.type == type_ else self.emit(emitc.CastOp, [value], type_)

    def call(self, function: str, operands: list[SSAValue], result: Attribute) -> SSAValue:
        """Emit a call of a function of the runtime header."""
        self.called[function] = None
        return self.emit(emitc.CallOpaqueOp, operands, result, {"callee": StringAttr(function)})

    def compare(self, predicate: str, left: SSAValue, right: SSAValue) -> SSAValue:
        """
        Emit a comparison; the predicates are those of `emitc.cmp`.

        Compilers warn of one of a value with itself, or with an end of its type, that is always true or always false:
        that is a constant.
        """
        if (always := _always(predicate, left, right)) is not None:
            return self.integer(always, i1)
        number = IntegerAttr(CMP_PREDICATES.index(predicate), i64)
        return self.emit(emitc.CmpOp, [left, right], i1, {"predicate": number})

    def constant(self, attribute: Attribute, type_: Attribute) -> SSAValue:
        """Return a constant, defined once at the top of the function."""
        key = (attribute, type_)
        if key not in self.constants:
            self.constants[key] = emitc.ConstantOp.create(properties={"value": attribute}, result_types=[type_])
        return self.constants[key].result

    def integer(self, value: int, type_: IntegerType = INDEX) -> SSAValue:
        """Return an integer constant, wrapped to the range of its type."""
        if (value, type_) not in self._numbers:
            reduced = value & (1 << type_.width.data) - 1
            low, high = bounds(type_)
            number = IntegerAttr(reduced if reduced <= high else reduced + 2 * low, type_)
            self._numbers[value, type_] = self.constant(number, type_)
        return self._numbers[value, type_]

    def known(self, value: SSAValue) -> int | None:
        """Return the constant value of an integer of the source program, None if unknown."""
        attribute = constant_value(value)
        return attribute.value.data if isinstance(attribute, IntegerAttr) else None

    def value(self, source: SSAValue) -> SSAValue:
        """
        Return the C value of a value of the source program, of an index in 32 bits.

        Raises Diagnostic for an index of which interval analysis shows that it is beyond these.
        """
        c_value = self.full_value(source)
        if not isinstance(source.type, IndexType) or c_value.type == INDEX:
            return c_value
        within = self.range_of(source)
        if within.high < NARROW.low or within.low > NARROW.high:
            at = where(source.owner) if isinstance(source.owner, Operation) else ""
            interval = str(within.low) if within.low == within.high else f"{within.low} to {within.high}"
            raise Diagnostic(
                "an index is beyond the range of int32_t", at, found=interval, remedy="store or pass it as i64"
            )
        return self.cast(c_value, INDEX)

    def full_value(self, source: SSAValue) -> SSAValue:
        """Return the C value of a value of the source program, of a wide index in 64 bits."""
        if (c_value := self.values.get(source)) is None:
            c_value = self.values[source] = self._constant_of(source)
        return c_value

    def is_wide(self, source: SSAValue) -> bool:
        """Return whether a value of the source program is an index in 64 bits."""
        return isinstance(source.type, IndexType) and self.full_value(source).type == WIDE_INDEX

    def _constant_of(self, source: SSAValue) -> SSAValue:
        attribute, owner = constant_value(source), source.owner
        if attribute is None or not isinstance(owner, Operation):
            raise Diagnostic("a value is used before it is defined", found=str(source))
        type_ = scalar_type(source.type, owner)
        if isinstance(attribute, FloatAttr):
            return self.constant(cast(Attribute, attribute), type_)
        number = cast("IntegerAttr[Any]", attribute).value.data
        assert isinstance(type_, IntegerType)
        if isinstance(source.type, IndexType) and Range(number, number) not in NARROW:
            return self.integer(number, WIDE_INDEX)
        return self.integer(number, type_)

    def as_type(self, source: SSAValue, type_: IntegerType) -> SSAValue:
        """Return an integer of the source program in another type; a constant needs no cast."""
        if (constant := self.known(source)) is not None:
            return self.integer(constant, type_)
        return self.cast(self.full_value(source), type_)

    def fits(self, op: Operation) -> bool:
        """Return whether interval analysis excludes signed overflow of an addition, subtraction or multiplication."""
        exact, whole = self._ranges.exact(op), whole_range(op.results[0].type)
        return exact is not None and whole is not None and exact in whole

    def fits_narrow(self, op: Operation) -> bool:
        """Return whether interval analysis shows that the index that an op computes has 32 bits."""
        exact = self._ranges.exact(op)
        return exact is not None and exact in NARROW

    def define(self, result: SSAValue, value: SSAValue) -> None:
        """Map a result of the source program to its C value; an index that is narrow there has 32 bits."""
        self.values[result] = value
        if isinstance(result.type, IndexType) and value.type == INDEX:
            self._ranges.refine(result, NARROW)

    def assume(self, ranges: Mapping[SSAValue, Range]) -> None:
        """Take values of the source program to be in intervals."""
        for value, within in ranges.items():
            self._ranges.refine(value, within)

    def outcome(self, op: Operation) -> int | None:
        """Return the result of an op that interval analysis decides, None if it does not."""
        exact = self._ranges.exact(op)
        return exact.low if exact is not None and exact.low == exact.high else None

    def range_of(self, source: SSAValue) -> Range:
        """Return the interval of an integer of the source program."""
        interval = self._ranges.of(source)
        assert interval is not None, source.type
        return interval

    def is_within(self, source: SSAValue, low: int, high: int) -> bool:
        """Return whether interval analysis shows that an integer is between two numbers."""
        return self.range_of(source) in Range(low, high)


def _always(predicate: str, left: SSAValue, right: SSAValue) -> bool | None:
    """Return the value of a comparison of integers that their C type decides, else None."""
    if (type_ := as_integer(left.type)) is None:
        return None
    if left is right:
        return predicate in ("eq", "le", "ge")
    low, high = bounds(type_)
    least, greatest = (_number(left), _number(right)) if predicate in ("le", "gt") else (_number(right), _number(left))
    if least != low and greatest != high:
        return None
    return {"le": True, "gt": False, "ge": True, "lt": False}.get(predicate)


def _number(value: SSAValue) -> int | None:
    """Return the number of an integer constant of C, None for other values."""
    owner = value.owner
    attribute = owner.value if isinstance(owner, emitc.ConstantOp) else None
    if not isinstance(attribute, IntegerAttr):
        return None
    number = cast("IntegerAttr[Any]", attribute).value.data
    return number & 1 if value.type == i1 else number


def stored_range(value: SSAValue) -> Range | None:
    """Return the interval of an index that C holds in 32 bits: an argument of a function, or one from memory."""
    owner = value.owner
    op = owner.parent_op() if isinstance(owner, Block) else owner
    carries = op is not None and op.name.startswith("scf.")
    branched_to = isinstance(owner, Block) and owner.prev_block is not None
    return NARROW if isinstance(value.type, IndexType) and not carries and not branched_to else None


def constant_value(value: SSAValue) -> Attribute | None:
    """Return the attribute of the `arith.constant` that defines a value, None for other values."""
    owner = value.owner
    return owner.properties["value"] if isinstance(owner, Operation) and owner.name == "arith.constant" else None


@cache
def pointer(element: Attribute) -> EmitC_PointerType:
    """Return the pointer type to elements of a type."""
    return EmitC_PointerType(cast(Any, element))


@cache
def lvalue(type_: Attribute) -> EmitC_LValueType:
    """Return the lvalue type of a type."""
    return EmitC_LValueType(cast(Any, type_))
