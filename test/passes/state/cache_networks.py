"""Small networks with caches, exported for any number of cached rows, in the layouts that exporters choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.frontend.importer import import_model
from tilewright.runtime.interpreter import run_module

LAYOUTS: dict[str, tuple[tuple[int, ...], int]] = {
    "bhsd": ((0, 1, 2, 3), 2),
    "bshd": ((0, 2, 1, 3), 1),
    "sbhd": ((2, 0, 1, 3), 0),
    "bhds": ((0, 1, 3, 2), 3),
}
"""Layout of a cache -> the permutation of [batch, head, row, feature] that makes it, and its axis of rows."""

REDUCTIONS = ("iSoftmax", "ITAMax", "ReduceSum", "ReduceMax", "ReduceMin")


@dataclass(frozen=True)
class Attention:
    """One layer of attention, with keys and values in caches of one layout."""

    layout: str = "bhsd"
    batch: int = 1
    heads: int = 2
    head: int = 4
    new: int = 1
    reduction: str = "iSoftmax"
    masked: bool = False
    offset: int = 0
    """What is added to the shares before they are requantised, so that 0 does not stay 0."""
    floats: bool = False
    """Whether nothing is requantised: the scores themselves, of small integers, are the shares."""

    @property
    def features(self) -> int:
        return self.heads * self.head

    def shape(self, rows: int) -> list[int]:
        """Return the shape of a cache of so many rows."""
        whole = [self.batch, self.heads, rows, self.head]
        return [whole[axis] for axis in LAYOUTS[self.layout][0]]


class _Graph:
    def __init__(self, seed: int, floats: bool):
        self.floats = floats
        self.random = np.random.RandomState(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def add(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op_type}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [name.lower()], name=name, **attributes))
        return name.lower()

    def requant(self, x: str, mul: int, div: int, add: int = 0) -> str:
        if self.floats:
            return x
        return self.add(
            "RequantShift", x, self.constant(mul), self.constant(add), div=div, n_levels=256, signed=1, domain="PACTOps"
        )


def exported(spec: Attention, past: int, seed: int = 0) -> ModelProto:
    """Return the network for `past` cached rows: inputs x, perhaps mask, past_k, past_v; outputs y, k, v."""
    graph = _Graph(seed, spec.floats)
    order, axis = LAYOUTS[spec.layout]
    batch, heads, head, new = spec.batch, spec.heads, spec.head, spec.new
    inverse = [order.index(i) for i in range(4)]

    def projected() -> str:
        largest = 1 if spec.floats else 60
        weight = graph.constant(graph.random.randint(-largest, largest + 1, (spec.features, spec.features)))
        x = graph.requant(graph.add("MatMul", "x", weight), 120, 1 << 14)
        split = graph.add("Reshape", x, graph.constant([batch, new, heads, head], np.int64))
        return graph.add("Transpose", split, perm=[0, 2, 1, 3])

    def cached(name: str) -> str:
        rows = graph.add("Transpose", projected(), perm=list(order))
        joined = graph.add("Concat", f"past_{name}", rows, axis=axis)
        graph.nodes[-1].output[0] = name
        assert joined
        return graph.add("Transpose", name, perm=inverse)

    queries, keys, values = projected(), cached("k"), cached("v")
    scores = graph.requant(graph.add("MatMul", queries, graph.add("Transpose", keys, perm=[0, 1, 3, 2])), 200, 1 << 14)
    if spec.masked:
        scores = graph.add("Add", scores, "mask")
    seen = _reduced(graph, spec, scores, values)
    joined = graph.add("Transpose", seen, perm=[0, 2, 1, 3])
    y = graph.add("Reshape", joined, graph.constant([batch, new, -1], np.int64))
    graph.nodes[-1].output[0] = "y"
    assert y
    declared = helper.make_tensor_value_info
    inputs = [declared("x", TensorProto.FLOAT, [batch, new, spec.features])]
    inputs += [declared("mask", TensorProto.FLOAT, [past + new])] if spec.masked else []
    inputs += [declared(f"past_{name}", TensorProto.FLOAT, spec.shape(past)) for name in "kv"]
    outputs = [declared("y", TensorProto.FLOAT, None)]
    outputs += [declared(name, TensorProto.FLOAT, spec.shape(past + new)) for name in "kv"]
    made = helper.make_graph(graph.nodes, "attention", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("PACTOps", 1)])
    names = ["x", "past_k", "past_v", *(["mask"] if spec.masked else [])]
    if not spec.floats:
        helper.set_model_props(model, {f"tilewright.input_type.{name}": "i8" for name in names})
    return model


def _reduced(graph: _Graph, spec: Attention, scores: str, values: str) -> str:
    """Return what is seen [batch, heads, new, features or 1] of the values."""
    if spec.reduction == "ReduceSum":
        return graph.add("ReduceSum", scores, graph.constant([3], np.int64), keepdims=1)
    if spec.reduction.startswith("Reduce"):
        return graph.add(spec.reduction, scores, axes=[3], keepdims=1)
    if spec.floats:
        return graph.add("MatMul", scores, values)
    attributes: dict[str, Any] = {"n_levels": 256}
    if spec.reduction == "iSoftmax":
        attributes |= {"coeffA": 1, "coeffB": 43, "coeffC": 983, "log2": 22}
    shares = graph.add(spec.reduction, scores, domain="PACTOps", **attributes)
    return graph.add("MatMul", graph.requant(shares, 1 << 15, 1 << 16, spec.offset << 16), values)


def inputs_of(spec: Attention, steps: int, seed: int = 1) -> list[dict[str, np.ndarray[Any, Any]]]:
    """Return the rows to give in each step."""
    random = np.random.RandomState(seed)
    shape, largest = (spec.batch, spec.new, spec.features), 4 if spec.floats else 128
    return [{"x": random.randint(-largest, largest, shape).astype(np.float32)} for _ in range(steps)]


def mask_of(spec: Attention, rows: int, seed: int = 2) -> dict[str, np.ndarray[Any, Any]]:
    """Return the mask of so many rows, of which shorter ones are the beginning; nothing where there is none."""
    values = np.random.RandomState(seed).randint(-128, 128, 1 << 12)[:rows].astype(np.float32)
    return {"mask": values} if spec.masked else {}


def one_after_another(spec: Attention, steps: Sequence[Mapping[str, Any]]) -> list[np.ndarray[Any, Any]]:
    """Return y of each step, each by the network exported for its past, whose caches are handed on."""
    caches = {name: np.zeros(spec.shape(0), np.float32) for name in "kv"}
    found: list[np.ndarray[Any, Any]] = []
    for step, given in enumerate(steps):
        past = step * spec.new
        inputs = {**given, **mask_of(spec, past + spec.new), **{f"past_{name}": caches[name] for name in "kv"}}
        results = run_module(import_model(exported(spec, past)), inputs)
        caches = {name: results[name] for name in "kv"}
        found.append(results["y"])
    return found
