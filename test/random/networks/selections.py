"""Random networks over tensors whose size depends on data: chains of selections, moves, arithmetic and reductions."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from onnx import ModelProto, helper

from tilewright.ir import Array

from .builder import Builder

WIDTH = 4


class Chain(Builder):
    """
    Network of tensors [n, WIDTH], of which `alive` are names, each with that of the selection that decides n.

    `outputs` are those to compare.
    """

    def __init__(self, seed: int):
        super().__init__(Random(seed), opset=20)
        self.rows = self.number(1, 6)
        self.alive: list[tuple[str, str]] = [(self.input((np.float32,), (self.rows, WIDTH)).name, "all")]
        self.outputs: list[str] = []

    def whole_number(self, value: Any) -> str:
        """Add a constant of i64."""
        return self.constant(np.array(value, np.int64))

    def real(self, value: Any) -> str:
        """Add a constant of f32."""
        return self.constant(np.array(value, np.float32))

    def late(self) -> tuple[str, str]:
        """Return one of the tensors so far, of the later ones more often."""
        last = len(self.alive) - 1
        return self.alive[max(self.number(0, last), self.number(0, last))]

    def keep(self, name: str, size: str) -> None:
        """Add a tensor [n, WIDTH]."""
        self.alive.append((name, size))

    def network(self) -> ModelProto:
        """Return the network, whose outputs are the last tensor and all results of reductions."""
        names = [name for name in dict.fromkeys([*self.outputs, self.alive[-1][0]]) if name != self.inputs[0].name]
        names = names or [self.op("Identity", [self.inputs[0].name])]
        return self.model([helper.make_empty_tensor_value_info(name) for name in names])

    def samples(self) -> list[dict[str, Array]]:
        """Return inputs: of any numbers, of positive ones, of negative ones."""
        drawn = [self.generator().integers(-4, 5, (self.rows, WIDTH)).astype(np.float32) for _ in range(3)]
        values = [drawn[0], np.abs(drawn[1]) + 1, -np.abs(drawn[2]) - 1]
        return [{self.inputs[0].name: array} for array in values]


def _flags(chain: Chain, x: str) -> str:
    total = chain.op("ReduceSum", [x, chain.whole_number([1])], keepdims=0)
    return chain.op("Greater", [total, chain.real(chain.number(-3, 2))])


def _select(chain: Chain, x: str, size: str) -> None:
    places = chain.op("NonZero", [_flags(chain, x)])
    flat = chain.op("Squeeze", [places, chain.whole_number([0])])
    chain.keep(chain.op("Gather", [x, flat], axis=0), f"{size}/{flat}")


def _compress(chain: Chain, x: str, size: str) -> None:
    flags = _flags(chain, x)
    chain.keep(chain.op("Compress", [x, flags], axis=0), f"{size}/{flags}")


def _unique(chain: Chain, x: str, size: str) -> None:
    rows, _, places, counts = chain.emit("Unique", [x], 4, axis=0, sorted=chain.number(0, 1))
    chain.outputs += [rows, places, counts]
    chain.keep(rows, f"{size}/{rows}")


def _map(chain: Chain, x: str, size: str) -> None:
    factor = chain.real(chain.generator().integers(-2, 3, WIDTH))
    chain.keep(chain.op("Add", [chain.op("Mul", [x, factor]), chain.real(1)]), size)


def _together(chain: Chain, x: str, size: str) -> None:
    others = [name for name, own in chain.alive if own == size]
    chain.keep(chain.op("Max", [x, chain.choice(others)]), size)


def _cut(chain: Chain, x: str, size: str) -> None:
    ends = [chain.whole_number([chain.number(-3, 3)]) for _ in range(2)]
    step = chain.whole_number([chain.choice([-2, -1, 1, 1, 2])])
    rows = chain.op("Slice", [x, *ends, chain.whole_number([0]), step])
    chain.keep(rows, f"{size}/{rows}")


def _join(chain: Chain, x: str, size: str) -> None:
    other, more = chain.late()
    chain.keep(chain.op("Concat", [x, other], axis=0), f"{size}+{more}")


def _reshape(chain: Chain, x: str, size: str) -> None:
    flat = chain.op("Reshape", [x, chain.whole_number([-1, 2])])
    chain.outputs.append(flat)
    chain.keep(chain.op("Reshape", [flat, chain.whole_number([-1, WIDTH])]), size)


def _turn(chain: Chain, x: str, size: str) -> None:
    turned = chain.op("Transpose", [x], perm=[1, 0])
    chain.outputs += [turned, chain.op("MatMul", [turned, x])]
    chain.keep(chain.op("Transpose", [turned], perm=[1, 0]), size)


def _by_shape(chain: Chain, x: str, size: str) -> None:
    shape = chain.op("Shape", [x])
    ones = chain.op("Expand", [chain.real(1), shape])
    chain.keep(chain.op("Sub", [x, ones]), size)


def _reduce(chain: Chain, x: str, size: str) -> None:
    op = chain.choice(["ReduceSum", "ReduceL2", "ReduceSumSquare", "ReduceL1", "ReduceProd"])
    small = chain.op("Clip", [x, chain.real(-2), chain.real(2)])
    axes = [chain.whole_number(list(axes)) for axes in ([0], [1], [0, 1])]
    chain.outputs.append(chain.op(op, [small, chain.choice(axes)], keepdims=chain.number(0, 1)))


def _running(chain: Chain, x: str, size: str) -> None:
    axis = chain.whole_number(0)
    sums = chain.op("CumSum", [x, axis], reverse=chain.number(0, 1), exclusive=chain.number(0, 1))
    chain.keep(chain.op("Clip", [sums, chain.real(-8), chain.real(8)]), size)


def _best(chain: Chain, x: str, size: str) -> None:
    scores = chain.op("ReduceSum", [x, chain.whole_number([1])], keepdims=0)
    count = chain.op("Min", [chain.op("Shape", [scores]), chain.whole_number([2])])
    best, places = chain.emit("TopK", [scores, count], 2)
    chain.outputs.append(best)
    rows = chain.op("Gather", [x, places], axis=0)
    chain.keep(rows, f"{size}/{rows}")


STEPS: tuple[Callable[[Chain, str, str], None], ...] = (
    *(_select, _compress, _unique, _map, _together, _cut, _join, _reshape, _turn, _by_shape, _reduce, _running, _best),
)


def chain(seed: int, steps: int = 8) -> Chain:
    """Return a random network, which begins with a selection."""
    network = Chain(seed)
    _select(network, *network.alive[0])
    for _ in range(steps):
        network.choice(STEPS)(network, *network.late())
    return network
