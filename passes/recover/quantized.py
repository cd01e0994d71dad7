"""
Networks in QDQ form, seen as integers: which tensors of floats follow, element by element, from one byte each.

A tensor that DequantizeLinear makes does, and so does what functions of single numbers make of it; operators that only
move or choose numbers do on the integers what they do on the floats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, TensorType, f32, i32
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.analysis.intervals import Range, range_of_element
from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import Registry, mentions
from ...dialects.onnx.schema import OnnxOp, make
from ...errors import Diagnostic
from ...ir import Array, element_of, integer_width, is_unsigned_type, numpy_type, shape_of
from ...runtime.interpreter import Interpreter, run_op
from ..lowering.lowerer import constant_of
from ..state.nodes import literal, node

BYTES = 256


@dataclass(frozen=True)
class Quantization:
    """Quantisation of integers of 8 or 4 bits: `(integer - zero) * scale`."""

    scale: float
    """A number of f32."""
    zero: int
    element: IntegerType

    @property
    def range(self) -> Range:
        """The integers that there are."""
        limits = range_of_element(self.element)
        assert limits is not None
        return limits

    @property
    def byte(self) -> IntegerType:
        """The type of 8 bits that holds them."""
        return byte_of(self.element)

    @property
    def widest(self) -> int:
        """Largest distance of an integer from the zero point."""
        return max(self.range.high - self.zero, self.zero - self.range.low)

    def integers_of(self, real: Array) -> Array:
        """Return numbers quantised, halves to even, as QuantizeLinear does it; int64."""
        low, high = np.float32(self.range.low - self.zero), np.float32(self.range.high - self.zero)
        with np.errstate(all="ignore"):
            scaled = real.astype(np.float32) / np.float32(self.scale)
        clipped = np.minimum(np.where(scaled > low, scaled, low), high)
        return np.rint(clipped).astype(np.int64) + self.zero

    def levels(self) -> Array:
        """Return the dequantised value of each byte, f32 [256], by the byte's bits."""
        integers = bytes_of(self.byte).astype(np.int64)
        return (integers - self.zero).astype(np.float32) * np.float32(self.scale)


def byte_of(element: Attribute) -> IntegerType:
    """Return the type of 8 bits with the sign of an integer type."""
    return IntegerType(8, Signedness.UNSIGNED if is_unsigned_type(element) else Signedness.SIGNLESS)


def bytes_of(byte: IntegerType) -> Array:
    """Return all numbers of a type of 8 bits, by their bits."""
    return np.arange(BYTES).astype(np.uint8).view(numpy_type(byte))


@mentions("DequantizeLinear")
def quantization_of(op: OnnxOp) -> Quantization | None:
    """Return the quantisation of QuantizeLinear or DequantizeLinear per tensor in 8 or 4 bits; None for others."""
    real, integer = op.operands[0], op.results[0]
    if op.name == "onnx.DequantizeLinear":
        real, integer = integer, real
    if element_of(real) != f32 or op.attribute("block_size"):
        return None
    return quantization(op.operands[1], op.node_input(2), element_of(integer))


def quantization(scale: SSAValue, zero: SSAValue | None, element: Attribute) -> Quantization | None:
    """Return the quantisation by a constant scale and zero point to 8 or 4 bits; None for others."""
    number, offset = constant_of(scale), np.zeros(1, np.int64) if zero is None else constant_of(zero)
    if number is None or offset is None or element_of(scale) != f32 or integer_width(element) not in (4, 8):
        return None
    step = float(number.flat[0]) if number.size == 1 and offset.size == 1 else 0.0
    if not isfinite(step) or step < np.finfo(np.float32).tiny:
        return None
    return Quantization(step, int(offset.flat[0]), cast(IntegerType, element))


@dataclass(frozen=True)
class Form:
    """
    A tensor of floats each of which follows from one byte of an integer tensor of the same shape.

    `origin` stands for that tensor: a value of integers, or one of floats that a move makes. `levels` are the floats,
    f32 [256], by the bits of the byte, those of `reached` alone where these are fewer.
    """

    origin: SSAValue
    byte: IntegerType
    levels: Array
    reached: Array
    quantization: Quantization | None
    """Where the floats are what DequantizeLinear makes."""


TABULATED, MOVES = having(Trait.TABULATED, "onnx."), having(Trait.MOVES, "onnx.")


class Integers:
    """Tensors of a function that are computed from bytes; `follow` records each op in order."""

    def __init__(self, module: ModuleOp):
        self._forms: dict[SSAValue, Form] = {}
        self._bytes: dict[SSAValue, SSAValue] = {}
        self._anchors: dict[SSAValue, Operation] = {}
        self._runner = Interpreter(module)

    def form(self, value: SSAValue | None) -> Form | None:
        """Return the source bytes of a tensor of floats, None where it has none."""
        return None if value is None else self._forms.get(value)

    def dequantised(self, value: SSAValue | None) -> Quantization | None:
        """
        Return the dequantised values of a tensor's bytes, None where it is no tensor that DequantizeLinear could make.
        """
        form = self.form(value)
        return None if form is None else form.quantization

    @mentions("DequantizeLinear")
    def follow(self, op: OnnxOp) -> None:
        """Record the results of an op that are computed from bytes."""
        if op.name == "onnx.DequantizeLinear":
            self._dequantise(op)
        elif op.name in MOVES:
            self._move(op)
        elif op.name in TABULATED and len(op.results) == 1:
            self._compute(op)

    def note_bytes(self, value: SSAValue, byte: SSAValue) -> None:
        """Record that a tensor of 4 bits has the values of one of 8 bits."""
        self._bytes[value] = byte

    def bytes(self, value: SSAValue) -> SSAValue:
        """Return the integer source of a tensor of floats, inserted where it is missing."""
        origin = self._forms[value].origin
        waiting = [origin]
        while waiting:
            needed = [origin for origin in self._sources(waiting[-1]) if origin not in self._bytes]
            if needed:
                waiting += needed
                continue
            self._insert(waiting.pop())
        return self._bytes[origin]

    @mentions("Cast")
    def narrow(self, byte: SSAValue) -> SSAValue:
        """Return the tensor of 4 bits that a tensor of bytes extends, else that of bytes itself."""
        owner = byte.owner
        narrow = (
            isinstance(owner, Operation)
            and owner.name == "onnx.Cast"
            and integer_width(element_of(owner.operands[0])) == 4
        )
        return cast(Operation, owner).operands[0] if narrow else byte

    # What is made of bytes

    def _dequantise(self, op: OnnxOp) -> None:
        quantization = quantization_of(op)
        if quantization is None:
            return
        limits, numbers = quantization.range, bytes_of(quantization.byte).astype(np.int64)
        reached = (numbers >= limits.low) & (numbers <= limits.high)
        source = op.operands[0]
        if integer_width(quantization.element) == 8:
            self._bytes[source] = source
        self._anchors.setdefault(source, op)
        form = Form(source, quantization.byte, quantization.levels(), reached, quantization)
        self._forms[op.results[0]] = form

    def _compute(self, op: OnnxOp) -> None:
        """Note a function of one number, computed for each byte."""
        result = op.results[0]
        forms = [form for value in op.operands if (form := self.form(value)) is not None]
        if not forms or element_of(result) != f32 or any(form.origin is not forms[0].origin for form in forms):
            return
        arrays: list[Array] = []
        for value in op.operands:
            form, constant = self.form(value), constant_of(value)
            if form is not None and shape_of(value) == shape_of(result):
                arrays.append(form.levels)
            elif constant is not None and constant.size == 1:
                arrays.append(constant.reshape(()))
            else:
                return
        levels = self._computed(op, arrays)
        if levels is not None:
            self._forms[result] = Form(forms[0].origin, forms[0].byte, levels, forms[0].reached, None)

    def _computed(self, op: OnnxOp, arrays: Sequence[Array]) -> Array | None:
        properties = {key: value for key, value in op.properties.items() if not key.endswith("SegmentSizes")}
        copy = make(op.__class__, op.node_inputs, [TensorType(f32, [BYTES])], properties)
        try:
            return np.asarray(run_op(self._runner, copy, list(arrays))[0])
        except Diagnostic:
            return None
        finally:
            copy.drop_all_references()

    def _move(self, op: OnnxOp) -> None:
        forms = [self.form(value) for value in _moved(op)]
        first = forms[0] if forms else None
        if first is None or not _is_move(op, first):
            return
        if any(form is None or not _alike(form, first) for form in forms):
            return
        for result in op.results:
            self._forms[result] = Form(result, first.byte, first.levels, first.reached, first.quantization)

    # Bytes on which the moves are done

    def _sources(self, origin: SSAValue) -> list[SSAValue]:
        if origin in self._bytes or origin in self._anchors:
            return []
        return [self._forms[value].origin for value in _moved(cast(OnnxOp, origin.owner))]

    @mentions("Pad")
    def _insert(self, origin: SSAValue) -> None:
        """Insert the bytes of an origin; those of a moved tensor precede the move."""
        if origin in self._bytes:
            return
        if origin in self._anchors:
            element = byte_of(element_of(origin))
            self._bytes[origin] = converted(origin, element, self._anchors[origin])
            return
        op = cast(OnnxOp, origin.owner)
        data = _moved(op)
        first = self._forms[data[0]]
        sources = {value: self._bytes[self._forms[value].origin] for value in data}
        inputs = [sources.get(value, value) if value is not None else None for value in op.node_inputs]
        if op.name == "onnx.Pad":
            inputs[2:3] = [literal(np.array(_fill_of(op, first)).astype(numpy_type(first.byte)), first.byte, op)]
        results = moved(op, inputs, first.byte, op)
        for result, value in zip(op.results, results, strict=True):
            self._bytes[result] = value


@mentions("Concat")
def _moved(op: OnnxOp) -> Sequence[SSAValue]:
    """Return the operands whose numbers a move moves."""
    return op.operands if op.name == "onnx.Concat" else op.operands[:1]


def _alike(form: Form, other: Form) -> bool:
    same = form.byte == other.byte and form.quantization == other.quantization
    return same and (form.quantization is not None or bool(np.array_equal(form.levels, other.levels, equal_nan=True)))


@mentions("Pad", "Resize")
def _is_move(op: OnnxOp, form: Form) -> bool:
    """Return whether an op on bytes equals the op on the dequantised floats."""
    if any(element_of(result) != f32 for result in op.results):
        return False
    if op.name in having(Trait.SELECTS, "onnx."):
        return form.quantization is not None
    if op.name == "onnx.Resize":
        return (
            op.attribute("mode") == "nearest" and op.attribute("coordinate_transformation_mode") != "tf_crop_and_resize"
        )
    return op.name != "onnx.Pad" or _fill_of(op, form) is not None


def _fill_of(op: OnnxOp, form: Form) -> int | None:
    """Return the quantised value of the padding of a Pad, None where it has none."""
    fill = op.node_input(2)
    number = np.zeros(1, np.float32) if fill is None else constant_of(fill)
    if number is None or number.size != 1:
        return None
    codes = np.flatnonzero((form.levels == number.flat[0]) & form.reached)
    return int(bytes_of(form.byte)[codes[0]]) if codes.size else None


def moved(op: OnnxOp, inputs: Sequence[SSAValue | None], element: Attribute, before: Operation) -> Sequence[OpResult]:
    """Insert an op like another, on inputs of another element type; returns its results."""
    properties = {key: value for key, value in op.properties.items() if not key.endswith("SegmentSizes")}
    types = [TensorType(cast(Any, element), shape_of(result)) for result in op.results]
    copy = make(op.__class__, inputs, types, properties)
    copy.location = before.location
    Rewriter.insert_op(copy, InsertPoint.before(before))
    return copy.results


def converted(value: SSAValue, element: IntegerType, before: Operation) -> SSAValue:
    """Insert a cast to another integer type; returns its result, the value itself where it has that type."""
    if element_of(value) == element:
        return value
    return node("Cast", [value], TensorType(element, shape_of(value)), before, to=_NUMBERS[str(element)])


def wide(value: SSAValue, before: Operation) -> SSAValue:
    """Insert a cast of bytes to 32 bits."""
    return converted(value, i32, before)


_NUMBERS = {"i32": 6, "i8": 3, "ui8": 2, "ui4": 21, "i4": 22}
"""The numbers that ONNX gives element types."""


def clipped(value: SSAValue, low: int, high: int, before: Operation) -> SSAValue:
    """Insert bytes brought between two numbers."""
    element = element_of(value)
    ends = [literal(np.array(end).astype(numpy_type(element)), element, before) for end in (low, high)]
    return node("Clip", [value, *ends], value.type, before)


def looked_up(integers: Integers, value: SSAValue, y: Quantization, before: Operation) -> SSAValue:
    """Insert the quantised bytes of a tensor: its source bytes, clipped, or looked up in a table."""
    form = cast(Form, integers.form(value))
    source, table = integers.bytes(value), y.integers_of(form.levels)
    numbers, reached = bytes_of(form.byte).astype(np.int64)[form.reached], table[form.reached]
    low, high = int(reached.min()), int(reached.max())
    if form.byte == y.byte and bool((reached == numbers).all()):
        return source
    if form.byte == y.byte and bool((reached == np.clip(numbers, low, high)).all()):
        return clipped(source, low, high, before)
    entries = literal(table.astype(numpy_type(y.byte)), y.byte, before)
    return node("Gather", [entries, wide(source, before)], TensorType(y.byte, shape_of(source)), before)


# Rules

Rule = Callable[[Integers, OnnxOp, Quantization, Operation], SSAValue | None]
"""
`(integers, op, quantization, before) -> value`: inserts what computes the quantised result of an op, a tensor of bytes,
before an op. None, and nothing inserted, where nothing does.
"""

QUANTISED: Registry[str, Rule] = Registry("recovery of integers")
"""Name of an op of floats -> what computes it in integers."""


def quantises(*names: str) -> Callable[[Rule], Rule]:
    """Register a function as the integer computation of the operators of these names."""
    return QUANTISED.rule(*(f"onnx.{name}" for name in names))


PairRule = Callable[[OnnxOp], "SSAValue | None"]
"""
`op -> value`: inserts before an op of quantised tensors what computes it in integers, a tensor of bytes. None, and
nothing inserted, where nothing does.
"""

COMPUTED: Registry[str, PairRule] = Registry("recovery of integers")
"""Name of an op of quantised tensors -> what computes it in integers."""


def computes(*names: str) -> Callable[[PairRule], PairRule]:
    """Register a function as the integer computation of the operators of these names."""
    return COMPUTED.rule(*(f"onnx.{name}" for name in names))
