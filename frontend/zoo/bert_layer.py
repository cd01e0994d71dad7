"""
A layer of a BERT encoder in float32: attention under a mask, GELU, residuals and layer norms.

Inputs `hidden` float32 [1, tokens, dim] and `mask` int64 [1, tokens] of 0 and 1, output `output` float32 [1, tokens,
dim]. The order of operations is that of Devlin et al. (arXiv:1810.04805), the size by default that of BERT-tiny (Turc
et al., arXiv:1908.08962). Attention and GELU are written in primitive operators, as exporters write them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

_OPSET, _IR_VERSION = 17, 8
_EPSILON = 1e-12
_DEVIATION = 0.02
"""Of the weights, as BERT initialises them; all that follows a layer norm is of the order of 1 whatever it is."""


@dataclass(frozen=True)
class Config:
    """The sizes of the layer: tokens, the dimension of a token, heads, the dimension of the hidden layer."""

    tokens: int = 32
    dim: int = 128
    heads: int = 2
    hidden: int = 512


def build(seed: int = 0, config: Config | None = None) -> onnx.ModelProto:
    """Return the layer with weights from `seed`, the same bytes for the same seed."""
    return _Writer(config or Config(), np.random.RandomState(seed)).model()


class _Writer:
    """Writes the layer as nodes; a value is the name of its tensor."""

    def __init__(self, config: Config, random: np.random.RandomState):
        self._config = config
        self._random = random
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def model(self) -> onnx.ModelProto:
        config = self._config
        attended = self.norm(self.node("Add", self.attention("hidden"), "hidden"), "attention.norm")
        self.norm(self.node("Add", self.feed_forward(attended), attended), "norm")
        self._nodes[-1].output[0] = "output"
        shape = [1, config.tokens, config.dim]
        summary = (__doc__ or "").strip().partition("\n")[0]
        graph = helper.make_graph(
            self._nodes,
            __name__.rpartition(".")[2].replace("_", "-"),
            [
                helper.make_tensor_value_info("hidden", TensorProto.FLOAT, shape),
                helper.make_tensor_value_info("mask", TensorProto.INT64, shape[:2]),
            ],
            [helper.make_tensor_value_info("output", TensorProto.FLOAT, shape)],
            list(self._constants.values()),
            doc_string=summary,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        model.producer_name, model.doc_string = "tilewright", summary
        return model

    def attention(self, x: str) -> str:
        """Return what each token takes from those that the mask shows, of the shape of `x`."""
        config = self._config
        query, key, value = (self.heads(self.linear(x, f"attention.{part}")) for part in ("query", "key", "value"))
        scores = self.node("MatMul", query, self.node("Transpose", key, perm=[0, 1, 3, 2]))
        scaled = self.node("Div", scores, self.number("scale", sqrt(config.dim // config.heads)))
        shares = self.node("Softmax", self.node("Add", scaled, self.hidden_scores()), axis=-1)
        joined = self.node("Transpose", self.node("MatMul", shares, value), perm=[0, 2, 1, 3])
        return self.linear(self.reshape(joined, [1, config.tokens, config.dim]), "attention.output", config.dim)

    def hidden_scores(self) -> str:
        """Return what is added to scores: 0, or the least float for a token that the mask hides."""
        mask = self.node("Unsqueeze", "mask", self.integers("mask.axes", [1, 2]))
        hidden = self.node("Sub", self.number("one", 1), self.node("Cast", mask, to=TensorProto.FLOAT))
        return self.node("Mul", hidden, self.number("least", float(np.finfo(np.float32).min)))

    def heads(self, x: str) -> str:
        """Return [1, tokens, dim] as [1, heads, tokens, dim / heads]."""
        config = self._config
        split = self.reshape(x, [1, config.tokens, config.heads, config.dim // config.heads])
        return self.node("Transpose", split, perm=[0, 2, 1, 3])

    def feed_forward(self, x: str) -> str:
        wide = self.linear(x, "intermediate", self._config.hidden)
        return self.linear(self.gelu(wide), "output", self._config.dim, fan_in=self._config.hidden)

    def gelu(self, x: str) -> str:
        """Return x * (1 + erf(x / sqrt 2)) / 2."""
        erf = self.node("Erf", self.node("Div", x, self.number("sqrt_2", sqrt(2))))
        product = self.node("Mul", x, self.node("Add", erf, self.number("one", 1)))
        return self.node("Mul", product, self.number("half", 0.5))

    def linear(self, x: str, key: str, width: int = 0, fan_in: int = 0) -> str:
        dim = self._config.dim
        weight = self.random(f"{key}.weight", (fan_in or dim, width or dim))
        return self.node("Add", self.node("MatMul", x, weight), self.random(f"{key}.bias", (width or dim,)))

    def norm(self, x: str, key: str) -> str:
        gain = self.floats(f"{key}.weight", 1 + self.normal((self._config.dim,)))
        bias = self.random(f"{key}.bias", (self._config.dim,))
        return self.node("LayerNormalization", x, gain, bias, axis=-1, epsilon=_EPSILON)

    # Nodes and constants

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op_type}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(op_type, inputs, [name.lower()], name=name, **attributes))
        return name.lower()

    def reshape(self, x: str, shape: list[int]) -> str:
        return self.node("Reshape", x, self.integers(f"shape_{'x'.join(map(str, shape))}", shape))

    def normal(self, shape: tuple[int, ...]) -> np.ndarray:
        return self._random.normal(0, _DEVIATION, prod(shape)).reshape(shape)

    def random(self, name: str, shape: tuple[int, ...]) -> str:
        return self.floats(name, self.normal(shape))

    def number(self, name: str, value: float) -> str:
        return self.floats(name, np.array(value))

    def floats(self, name: str, values: np.ndarray) -> str:
        return self._constant(name, values.astype(np.float32))

    def integers(self, name: str, values: list[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, values: np.ndarray) -> str:
        self._constants.setdefault(name, numpy_helper.from_array(values, name))
        return name
