"""Small networks with caches, exported for any number of cached rows, in the layouts that exporters choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper

from tilewright.frontend.importer import import_model
from tilewright.frontend.requant_shift import DOMAIN
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

from .builder import Builder, Tensor

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


class _Network(Builder):
    """Network of one layer of attention; without scales of integers where its `spec` is of floats."""

    def __init__(self, spec: Attention, seed: int):
        super().__init__(Random(seed), opset=13)
        self.spec = spec
        self.numbers_of_weights = self.generator()

    def indices(self, *values: int) -> str:
        return self.constant(values, TensorProto.INT64)

    def bytes(self, x: str, mul: int, div: int, add: int = 0) -> str:
        """Add the requantisation of integers to bytes."""
        return x if self.spec.floats else self.requant(x, mul, add, div=div)

    def projected(self) -> str:
        """Add a projection of x, as heads [batch, heads, new, head]."""
        spec, largest = self.spec, 1 if self.spec.floats else 60
        weight = self.numbers_of_weights.integers(-largest, largest + 1, (spec.features, spec.features))
        product = self.op("MatMul", ["x", self.constant(weight, TensorProto.FLOAT)])
        shape = self.indices(spec.batch, spec.new, spec.heads, spec.head)
        split = self.op("Reshape", [self.bytes(product, 120, 1 << 14), shape])
        return self.op("Transpose", [split], perm=[0, 2, 1, 3])

    def cached(self, name: str) -> str:
        """Add rows to a cache, which is an output, and return all as heads."""
        order, axis = LAYOUTS[self.spec.layout]
        rows = self.op("Transpose", [self.projected()], perm=list(order))
        self.op("Concat", [f"past_{name}", rows], axis=axis)
        return self.op("Transpose", [self.called(name)], perm=[order.index(i) for i in range(4)])

    def reduced(self, scores: str, values: str) -> str:
        """Add what is seen [batch, heads, new, head or 1] of the values."""
        spec = self.spec
        if spec.reduction == "ReduceSum":
            return self.op("ReduceSum", [scores, self.indices(3)], keepdims=1)
        if spec.reduction.startswith("Reduce"):
            return self.op(spec.reduction, [scores], axes=[3], keepdims=1)
        if spec.floats:
            return self.op("MatMul", [scores, values])
        attributes: dict[str, Any] = {"n_levels": 256}
        if spec.reduction == "iSoftmax":
            attributes |= {"coeffA": 1, "coeffB": 43, "coeffC": 983, "log2": 22}
        shares = self.op(spec.reduction, [scores], domain=DOMAIN, **attributes)
        return self.op("MatMul", [self.bytes(shares, 1 << 15, 1 << 16, spec.offset << 16), values])


def exported(spec: Attention, past: int, seed: int = 0) -> ModelProto:
    """Return the network for `past` cached rows: inputs x, perhaps mask, past_k, past_v; outputs y, k, v."""
    net, new = _Network(spec, seed), spec.new
    shapes = {"x": [spec.batch, new, spec.features], **({"mask": [past + new]} if spec.masked else {})}
    shapes |= {f"past_{name}": spec.shape(past) for name in "kv"}
    for name, shape in shapes.items():
        net.port(Tensor(name, TensorProto.FLOAT, tuple(shape)))
    queries, keys, values = net.projected(), net.cached("k"), net.cached("v")
    raw = net.op("MatMul", [queries, net.op("Transpose", [keys], perm=[0, 1, 3, 2])])
    scores = net.bytes(raw, 200, 1 << 14)
    scores = net.op("Add", [scores, "mask"]) if spec.masked else scores
    joined = net.op("Transpose", [net.reduced(scores, values)], perm=[0, 2, 1, 3])
    net.op("Reshape", [joined, net.indices(spec.batch, new, -1)])
    y = helper.make_tensor_value_info(net.called("y"), TensorProto.FLOAT, None)
    model = net.model([y, *(Tensor(name, TensorProto.FLOAT, tuple(spec.shape(past + new))) for name in "kv")])
    if not spec.floats:
        helper.set_model_props(model, {f"tilewright.input_type.{name}": "i8" for name in shapes})
    return model


def inputs_of(spec: Attention, steps: int, seed: int = 1) -> list[dict[str, Array]]:
    """Return the rows to give in each step."""
    random = np.random.RandomState(seed)
    shape, largest = (spec.batch, spec.new, spec.features), 4 if spec.floats else 128
    return [{"x": random.randint(-largest, largest, shape).astype(np.float32)} for _ in range(steps)]


def mask_of(spec: Attention, rows: int, seed: int = 2) -> dict[str, Array]:
    """Return the mask of so many rows, of which shorter ones are the beginning; nothing where there is none."""
    values = np.random.RandomState(seed).randint(-128, 128, 1 << 12)[:rows].astype(np.float32)
    return {"mask": values} if spec.masked else {}


def one_after_another(spec: Attention, steps: Sequence[Mapping[str, Any]]) -> list[Array]:
    """
    Return y of each step, each by the network exported for its past, whose caches are handed on.

    ONNX Runtime computes them, unless the softmax is one of integers, which it does not have.
    """
    caches = {name: np.zeros(spec.shape(0), np.float32) for name in "kv"}
    results: list[Array] = []
    for step, given in enumerate(steps):
        past = step * spec.new
        inputs = {**given, **mask_of(spec, past + spec.new), **{f"past_{name}": caches[name] for name in "kv"}}
        y, *rows = _computed(spec, exported(spec, past), inputs)
        caches = dict(zip("kv", rows, strict=True))
        results.append(y)
    return results


def _computed(spec: Attention, model: ModelProto, inputs: Mapping[str, Array]) -> list[Array]:
    if spec.reduction in ("iSoftmax", "ITAMax") and not spec.floats:
        outputs = run_module(import_model(model), inputs)
        return [outputs[name] for name in ("y", "k", "v")]
    return onnx_runtime.session(model, fused=False, threads=1).run(["y", "k", "v"], dict(inputs))
