"""Transformer blocks with random weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Block:
    """
    A transformer block over `count` windows of `tokens` tokens, of `heads` heads of `width` channels.

    Its MLP has `expansion` times as many channels.
    """

    def __init__(self, seed: int, *, tokens: int, heads: int, width: int, count: int = 1, expansion: int = 2):
        self._draw = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self.shape = [count, tokens, heads * width]
        self._heads, self._width, self._expansion = heads, width, expansion

    def _constant(self, values: Any) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        name = f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def _linear(self, x: str, depth: int, features: int) -> str:
        weights = self._draw.standard_normal((depth, features)) / np.sqrt(depth)
        product = self._node("MatMul", [x, self._constant(weights.astype(np.float32))])
        return self._node("Add", [product, self._constant(self._draw.standard_normal(features).astype(np.float32))])

    def _norm(self, x: str) -> str:
        scale = self._draw.uniform(0.5, 1.5, self.shape[-1]).astype(np.float32)
        return self._node("LayerNormalization", [x, self._constant(scale)], axis=-1)

    def _split(self, x: str, order: list[int]) -> str:
        shape = self._constant(np.array([*self.shape[:2], self._heads, self._width], np.int64))
        return self._node("Transpose", [self._node("Reshape", [x, shape])], perm=order)

    def model(self, blocks: int = 1) -> onnx.ModelProto:
        """Return so many blocks, each with its own weights, one after the other."""
        x = "x"
        for _ in range(blocks):
            x = self._block(x)
        self._nodes.append(helper.make_node("Identity", [x], ["y"]))
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.shape) for name in ("x", "y")]
        graph = helper.make_graph(self._nodes, "block", ends[:1], ends[1:], self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def _block(self, start: str) -> str:
        channels = self.shape[-1]
        x = self._norm(start)
        q, k, v = (self._linear(x, channels, channels) for _ in range(3))
        turned = self._split(k, [0, 2, 3, 1])
        scores = self._node("MatMul", [self._split(q, [0, 2, 1, 3]), turned])
        scaled = self._node("Mul", [scores, self._constant(np.float32(self._width**-0.5))])
        mixed = self._node("MatMul", [self._node("Softmax", [scaled], axis=-1), self._split(v, [0, 2, 1, 3])])
        joined = self._node("Transpose", [mixed], perm=[0, 2, 1, 3])
        merged = self._node("Reshape", [joined, self._constant(np.array(self.shape, np.int64))])
        x = self._node("Add", [start, self._linear(merged, channels, channels)])
        hidden = self._expansion * channels
        inner = self._node("Relu", [self._linear(self._norm(x), channels, hidden)])
        return self._node("Add", [x, self._linear(inner, hidden, channels)])
