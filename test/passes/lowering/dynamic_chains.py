"""Random networks over tensors whose size depends on data: chains of selections, moves, arithmetic and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.ir import Array

WIDTH = 4


class Chain:
    """
    A network that grows node by node.

    `alive` are tensors [n, WIDTH], each with the name of the selection that decides n; `outputs` are those to compare.
    """

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.rows = int(self.rng.integers(1, 7))
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, Array] = {}
        self.alive: list[tuple[str, str]] = [("x", "all")]
        self.outputs: list[str] = []

    def add(self, op: str, inputs: list[str], count: int = 1, **attributes: Any) -> str:
        """Append a node and return its first output."""
        names = [f"t{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names[0]

    def constant(self, value: object, dtype: type = np.int64) -> str:
        """Return a constant tensor."""
        name = f"k{len(self.constants)}"
        self.constants[name] = np.array(value, dtype)
        return name

    def pick(self) -> tuple[str, str]:
        """Return one of the tensors so far, of the later ones more often."""
        count = len(self.alive)
        return self.alive[max(int(self.rng.integers(count)), int(self.rng.integers(count)))]

    def step(self) -> None:
        """Append one of `STEPS`."""
        x, size = self.pick()
        STEPS[int(self.rng.integers(len(STEPS)))](self, x, size)

    def keep(self, name: str, size: str) -> None:
        """Add a tensor [n, WIDTH]."""
        self.alive.append((name, size))

    def model(self) -> ModelProto:
        """Return the network, whose outputs are the last tensor and all results of reductions."""
        outputs = list(dict.fromkeys([*self.outputs, self.alive[-1][0]]))
        outputs = [name for name in outputs if name != "x"] or [self.add("Identity", ["x"])]
        graph = helper.make_graph(
            self.nodes,
            "chain",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [self.rows, WIDTH])],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

    def inputs(self, kind: int) -> dict[str, Array]:
        """Return an input: of any numbers, of positive ones, of negative ones."""
        x = self.rng.integers(-4, 5, (self.rows, WIDTH)).astype(np.float32)
        return {"x": [x, np.abs(x) + 1, -np.abs(x) - 1][kind]}


def _flags(chain: Chain, x: str) -> str:
    total = chain.add("ReduceSum", [x, chain.constant([1])], keepdims=0)
    return chain.add("Greater", [total, chain.constant(int(chain.rng.integers(-3, 3)), np.float32)])


def _select(chain: Chain, x: str, size: str) -> None:
    places = chain.add("NonZero", [_flags(chain, x)])
    flat = chain.add("Squeeze", [places, chain.constant([0])])
    chain.keep(chain.add("Gather", [x, flat], axis=0), f"{size}/{flat}")


def _compress(chain: Chain, x: str, size: str) -> None:
    flags = _flags(chain, x)
    chain.keep(chain.add("Compress", [x, flags], axis=0), f"{size}/{flags}")


def _unique(chain: Chain, x: str, size: str) -> None:
    name = chain.add("Unique", [x], 4, axis=0, sorted=int(chain.rng.integers(2)))
    chain.outputs += [name, name.replace("_0", "_2"), name.replace("_0", "_3")]
    chain.keep(name, f"{size}/{name}")


def _map(chain: Chain, x: str, size: str) -> None:
    factor = chain.constant(chain.rng.integers(-2, 3, WIDTH), np.float32)
    chain.keep(chain.add("Add", [chain.add("Mul", [x, factor]), chain.constant(1, np.float32)]), size)


def _together(chain: Chain, x: str, size: str) -> None:
    others = [name for name, own in chain.alive if own == size]
    chain.keep(chain.add("Max", [x, others[int(chain.rng.integers(len(others)))]]), size)


def _cut(chain: Chain, x: str, size: str) -> None:
    ends = [chain.constant([int(chain.rng.integers(-3, 4))]) for _ in range(2)]
    step = chain.constant([int(chain.rng.choice([-2, -1, 1, 1, 2]))])
    made = chain.add("Slice", [x, *ends, chain.constant([0]), step])
    chain.keep(made, f"{size}/{made}")


def _join(chain: Chain, x: str, size: str) -> None:
    other, more = chain.pick()
    chain.keep(chain.add("Concat", [x, other], axis=0), f"{size}+{more}")


def _reshape(chain: Chain, x: str, size: str) -> None:
    flat = chain.add("Reshape", [x, chain.constant([-1, 2])])
    chain.outputs.append(flat)
    chain.keep(chain.add("Reshape", [flat, chain.constant([-1, WIDTH])]), size)


def _turn(chain: Chain, x: str, size: str) -> None:
    turned = chain.add("Transpose", [x], perm=[1, 0])
    chain.outputs += [turned, chain.add("MatMul", [turned, x])]
    chain.keep(chain.add("Transpose", [turned], perm=[1, 0]), size)


def _by_shape(chain: Chain, x: str, size: str) -> None:
    shape = chain.add("Shape", [x])
    ones = chain.add("Expand", [chain.constant(1, np.float32), shape])
    chain.keep(chain.add("Sub", [x, ones]), size)


def _reduce(chain: Chain, x: str, size: str) -> None:
    op = str(chain.rng.choice(["ReduceSum", "ReduceL2", "ReduceSumSquare", "ReduceL1", "ReduceProd"]))
    small = chain.add("Clip", [x, chain.constant(-2, np.float32), chain.constant(2, np.float32)])
    axes = [chain.constant(list(axes)) for axes in ([0], [1], [0, 1])]
    made = chain.add(op, [small, axes[int(chain.rng.integers(3))]], keepdims=int(chain.rng.integers(2)))
    chain.outputs.append(made)


def _running(chain: Chain, x: str, size: str) -> None:
    axis = chain.constant(0)
    made = chain.add("CumSum", [x, axis], reverse=int(chain.rng.integers(2)), exclusive=int(chain.rng.integers(2)))
    chain.keep(chain.add("Clip", [made, chain.constant(-8, np.float32), chain.constant(8, np.float32)]), size)


def _best(chain: Chain, x: str, size: str) -> None:
    scores = chain.add("ReduceSum", [x, chain.constant([1])], keepdims=0)
    count = chain.add("Min", [chain.add("Shape", [scores]), chain.constant([2])])
    chosen = chain.add("TopK", [scores, count], 2)
    chain.outputs.append(chosen)
    made = chain.add("Gather", [x, chosen.replace("_0", "_1")], axis=0)
    chain.keep(made, f"{size}/{made}")


STEPS: tuple[Callable[[Chain, str, str], None], ...] = (
    *(_select, _compress, _unique, _map, _together, _cut, _join, _reshape, _turn, _by_shape, _reduce, _running, _best),
)


def chain(seed: int, steps: int = 8) -> Chain:
    """Return a random network, which begins with a selection."""
    made = Chain(seed)
    _select(made, "x", "all")
    for _ in range(steps):
        made.step()
    return made
