"""
Lowerings of LSTM, GRU and RNN: a loop over time, with kernels as its body.

The inputs of all steps meet their weights in one product before the loop; in it the state meets its own. A sequence
that is shorter than others keeps its state after its end, where its outputs are 0. One of length 0 has no last
output, which ONNX leaves open: its last state is 0, as in ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    TensorType,
    UnitAttr,
    bf16,
    f16,
    f32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.nn import MatmulOp
from ...dialects.onnx.recurrent import RECURRENCES, activations_of
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .cells import Activation, Cell, CellStep, Valid, activation, gru, lstm, rnn
from .code import Code, computed, converted, filled, same
from .lowerer import Lowerer, constant_of, lowers
from .moves import joined, part_of, transposed

Turn = Callable[["SSAValue | int", Sequence[SSAValue]], Sequence[SSAValue]]
"""`(step, carried) -> carried`: appends what a turn does."""


_CELLS = Registry("cell", {"LSTM": lstm, "GRU": gru, "RNN": rnn})


@lowers("LSTM", "GRU", "RNN")
def _recurrent(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return _RecurrentOp(lower, op).build()


class _RecurrentOp:
    """A recurrent operator on its way to loops; tensors are [time, batch, ...] and of one type of computation."""

    def __init__(self, lower: Lowerer, op: OnnxOp):
        self.lower, self.op, self.kind = lower, op, RECURRENCES[op.SCHEMA.name]
        self.cell: Cell = _CELLS[op.SCHEMA.name]
        self.batch_first = bool("layout" in op.SCHEMA.attributes and op.attribute("layout"))
        element = element_of(lower[op.operands[0]])
        self.element: Attribute = f32 if element in (f16, bf16) else element
        self.weights = self._input(1)
        assert self.weights is not None
        self.directions, rows, _ = shape_of(self.weights)
        self.hidden = rows // self.kind.gates
        x = self._input(0)
        assert x is not None
        self.x = transposed(lower, x, [1, 0, 2]) if self.batch_first else x
        self.time, self.batch, _ = shape_of(self.x)
        self.clip = op.attribute("clip")
        self.lengths = self._lengths()
        self.activations: list[list[Activation]] = []
        for functions in activations_of(op, self.directions):
            self.activations.append([activation(op, function) for function in functions])

    def build(self) -> Sequence[SSAValue]:
        """Build it all and return the results that are asked for."""
        lower, shape = self.lower, [self.time, self.directions, self.batch, self.hidden]
        outputs = lower.empty(shape, self.element)
        ends: list[Sequence[SSAValue]] = []
        for direction in range(self.directions):
            outputs, *last = self._direction(direction, outputs)
            ends.append(last)
        states = [self._stacked(by_direction) for by_direction in zip(*ends, strict=True)]
        if self.batch_first:
            outputs = transposed(lower, outputs, [2, 0, 1, 3])
            states = [transposed(lower, state, [1, 0, 2]) for state in states]
        element = element_of(lower[self.op.operands[0]])
        results = [converted(lower, value, element) for value in (outputs, *states)]
        return [value for value, result in zip(results, self.op.node_outputs, strict=False) if result is not None]

    # Inputs

    def _input(self, index: int) -> SSAValue | None:
        """Return an input in the type of computation, None where it is left out."""
        value = self.op.node_input(index)
        return None if value is None else converted(self.lower, self.lower[value], self.element)

    def _lengths(self) -> SSAValue | None:
        """Return the lengths of the sequences, [batch], None where all are as long as the time axis."""
        value = self.op.node_input(4)
        constant = constant_of(value)
        if value is None or (constant is not None and bool(np.all(constant == self.time))):
            return None
        return self.lower[value]

    def _of_direction(self, index: int, direction: int) -> SSAValue | None:
        """Return the part of an input [directions, ...] that a direction has, without that axis."""
        value = self._input(index)
        if value is None:
            return None
        own = part_of(self.lower, value, 0, direction, 1)
        return self.lower.reshape(own, shape_of(own)[1:])

    def _by_gate(self, value: SSAValue | None) -> SSAValue | None:
        """Append weights with an axis for the gates."""
        return value and self.lower.reshape(value, [shape_of(value)[0] // self.hidden, self.hidden])

    def _start(self, index: int, direction: int) -> SSAValue:
        """Return the state [batch, hidden] that a direction begins with."""
        value = self._input(index)
        if value is None:
            return filled(self.lower, [self.batch, self.hidden], 0, self.element)
        if self.batch_first:
            value = transposed(self.lower, value, [1, 0, 2])
        return self.lower.reshape(part_of(self.lower, value, 0, direction, 1), [self.batch, self.hidden])

    def _stacked(self, parts: Sequence[SSAValue]) -> SSAValue:
        return joined(self.lower, [self.lower.reshape(part, [1, *shape_of(part)]) for part in parts], 0)

    # One direction

    def _direction(self, direction: int, outputs: SSAValue) -> Sequence[SSAValue]:
        """Append the steps of a direction; returns the outputs [time, directions, batch, hidden] and the last state."""
        is_backward = direction == 1 or self.op.attribute("direction") == "reverse"
        recurrent, bias = self._of_direction(2, direction), self._of_direction(3, direction)
        assert recurrent is not None
        step = CellStep(
            self.lower,
            self.hidden,
            recurrent,
            self.activations[direction],
            self.clip,
            peepholes=self._by_gate(self._of_direction(7, direction)) if self.cell is lstm else None,
            lengths=self.lengths,
            options={
                name: bool(self.op.attribute(name))
                for name in ("input_forget", "linear_before_reset")
                if name in self.op.SCHEMA.attributes
            },
        )
        rows = self.kind.gates * self.hidden
        if bias is not None and self.cell is gru:
            step.recurrent_bias = self._by_gate(part_of(self.lower, bias, 0, rows, rows))
        projected = self._projected(direction, step, bias)
        starts = [outputs, *(self._start(5 + k, direction) for k in range(self.kind.states))]

        def turn(index: SSAValue | int, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            code = Code.after(self.lower)
            time = _from_end(code, self.time, index) if is_backward else index
            valid = _validity(time) if self.lengths is not None else None
            now = self.lower.reshape(self._at(projected, time), [self.batch, self.kind.gates, self.hidden])
            states = self.cell(step, now, carried[1:], valid)
            shown = step.kernel(_zeros(self, states[0]), [(states[0], AffineMap.identity(2))], valid, same)
            return [self._put(shown if valid is not None else states[0], carried[0], time, direction), *states]

        outputs, *states = _over_time(self.lower, self.time, starts, turn)
        return [outputs, *(self._ended(5 + k, step, state) for k, state in enumerate(states))]

    def _ended(self, index: int, step: CellStep, state: SSAValue) -> SSAValue:
        """Append the last state [batch, hidden], 0 of a sequence of length 0 whatever state input `index` starts it."""
        if self.lengths is None or self.op.node_input(index) is None:
            return state
        return step.kernel(_zeros(self, state), [(state, AffineMap.identity(2))], _validity(0), same)

    def _projected(self, direction: int, step: CellStep, bias: SSAValue | None) -> SSAValue:
        """Append the inputs of all steps times their weights, with the biases: [time, batch, gates * hidden]."""
        lower, rows = self.lower, self.kind.gates * self.hidden
        weights = self._of_direction(1, direction)
        assert weights is not None
        flat = lower.reshape(self.x, [self.time * self.batch, shape_of(self.x)[2]])
        out = lower.empty([self.time * self.batch, rows], self.element)
        properties: dict[str, Attribute | None] = {"accumulator": self.element, "transpose_b": UnitAttr()}
        total = lower.op(MatmulOp([flat, weights], out, properties))
        if bias is not None:
            total = self._with_bias(total, step, bias)
        return lower.reshape(total, [self.time, self.batch, rows])

    def _with_bias(self, total: SSAValue, step: CellStep, bias: SSAValue) -> SSAValue:
        """Append the sum of the input and state biases, without that of a separately accumulated state."""
        rows, identity = self.kind.gates * self.hidden, AffineMap.identity(2)
        column = AffineMap(2, 0, identity.results[1:])
        halves = [part_of(self.lower, bias, 0, start, rows) for start in (0, rows)]
        summed = 2 * self.hidden if step.options.get("linear_before_reset") else rows

        def build(code: Code, x: SSAValue, own: SSAValue, recurrent: SSAValue) -> SSAValue:
            if summed < rows:
                within = code.compare(code.index(1), "slt", summed)
                recurrent = code.select(within, recurrent, code.constant(0, recurrent.type))
            return code.add(x, code.add(own, recurrent))

        return computed(self.lower, [total, *halves], [identity, column, column], shape_of(total), self.element, build)

    # Slices in time

    def _at(self, value: SSAValue, time: SSAValue | int) -> SSAValue:
        """Append the part of a tensor at one time, that axis kept."""
        shape = shape_of(value)
        if isinstance(time, int):
            return part_of(self.lower, value, 0, time, 1)
        return self.lower.op(
            tensor.ExtractSliceOp.build(
                operands=[value, [time], [], []],
                result_types=[TensorType(cast(Any, self.element), [1, *shape[1:]])],
                properties=_window([DYNAMIC_INDEX] + [0] * (len(shape) - 1), [1, *shape[1:]]),
            )
        )

    def _put(self, part: SSAValue, outputs: SSAValue, time: SSAValue | int, direction: int) -> SSAValue:
        """Append the outputs with those of one time and direction in their place."""
        sizes = [1, 1, self.batch, self.hidden]
        dynamic, offset = ([], time) if isinstance(time, int) else ([time], DYNAMIC_INDEX)
        return self.lower.op(
            tensor.InsertSliceOp.build(
                operands=[self.lower.reshape(part, sizes), outputs, dynamic, [], []],
                result_types=[outputs.type],
                properties=_window([offset, direction, 0, 0], sizes),
            )
        )


def _window(offsets: Sequence[int], sizes: Sequence[int]) -> dict[str, Attribute]:
    return {
        "static_offsets": DenseArrayBase.from_list(i64, offsets),
        "static_sizes": DenseArrayBase.from_list(i64, sizes),
        "static_strides": DenseArrayBase.from_list(i64, [1] * len(sizes)),
    }


def _zeros(network: _RecurrentOp, like: SSAValue) -> SSAValue:
    """Append the output of a sequence that has ended: zeros."""
    return filled(network.lower, shape_of(like), 0, network.element) if network.lengths is not None else like


def _from_end(code: Code, count: int, index: SSAValue | int) -> SSAValue | int:
    """Return the index of a time step, counted from the end."""
    return count - 1 - index if isinstance(index, int) else code.sub(code.value(count - 1), index)


def _validity(time: SSAValue | int) -> Valid:
    """Return the test whether a sequence of some length has a step at this time."""

    def valid(code: Code, length: SSAValue) -> SSAValue:
        return code.compare(length, "sgt", code.value(time) if isinstance(time, int) else time)

    return valid


def _over_time(lower: Lowerer, count: int, starts: Sequence[SSAValue], turn: Turn) -> Sequence[SSAValue]:
    """Append a loop over time, or its only step; returns the final carried tensors."""
    with lower.carried_loop(None, 0, count, starts) as loop:
        loop.values = turn(loop.index, loop.values)
    return loop.values
