"""
The keyboard language models as ONNX, in the form in which a Llama decoder of `transformers` with caches is exported.

The operations and their order are those of `LlamaForCausalLM` with eager attention; numbers of tokens and of cached
rows are computed from the shapes of the inputs, so that one graph is right for any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto

from ...errors import Diagnostic
from ._float_builder import Value
from ._klm import KlmConfig
from ._sequence_builder import SequenceBuilder

_POSITIONS = 1 << 14
"""Positions that the inputs are declared to hold; there is no table of them."""


class _DecoderBuilder(SequenceBuilder):
    """SequenceBuilder with the operators of a decoder, on given weights; shapes are for one number of rows."""

    def __init__(self, module: str, doc: str | None, weights: Mapping[str, np.ndarray], epsilon: float) -> None:
        super().__init__(module, doc, 0, epsilon)
        self._weights_by_name = weights

    def weight(self, name: str) -> Value:
        """Return a weight as it is stored."""
        return self.constant(name, self._weights_by_name[name])

    def projected(self, x: Value, name: str) -> Value:
        """Return a dense layer along the last axis of `x`, whose weights are stored as [outputs, inputs]."""
        return self.matmul(x, self.constant(name, np.ascontiguousarray(self._weights_by_name[name].T)))

    def rms_norm(self, x: Value, name: str) -> Value:
        """Return `x` over the root of the mean of its squares along the last axis, times the weight `name`."""
        one = (*x.shape[:-1], 1)
        squares = self._add("Pow", [x, self._number(2)], x.shape)
        mean = self._add("ReduceMean", [squares], one, {"axes": [-1], "keepdims": 1})
        root = self._add("Sqrt", [self.sum(mean, np.array(self._epsilon, np.float32))], one)
        normal = self.product(x, self._add("Div", [self._number(1), root], one))
        return self.product(normal, self.weight(name))

    def silu(self, x: Value) -> Value:
        """Return `x` times its sigmoid."""
        return self.product(x, self._add("Sigmoid", [x], x.shape))

    def product(self, left: Value, right: Value) -> Value:
        """Return a product, where the second factor may be broadcast."""
        return self._add("Mul", [left, right], left.shape)

    def extent(self, x: Value, axis: int) -> Value:
        """Return the extent of an axis, an integer without an axis."""
        shape = self._add("Shape", [x], (len(x.shape),), element=TensorProto.INT64)
        return self._integer("Gather", [shape, self._literal(np.array(axis))], (), {"axis": 0})

    def counted(self, end: Value, count: int) -> Value:
        """Return the integers from 0 to before `end`, which is `count`."""
        return self._integer("Range", [self._literal(np.array(0)), end, self._literal(np.array(1))], (count,))

    def causal_bias(self, new: Value, past: Value, extents: tuple[int, int]) -> Value:
        """Return the summand of scores [1, 1, new, past + new]: 0 up to a row's own position, else the least float."""
        rows, columns = extents[0], sum(extents)
        queries = self._integer("Add", [self.counted(new, rows), past], (rows,))
        keys = self.counted(self._integer("Add", [past, new], ()), columns)
        shapes = (1, 1, rows, 1), (1, 1, 1, columns)
        queries = self._integer("Unsqueeze", [queries, self._literal(np.array([0, 1, 3]))], shapes[0])
        keys = self._integer("Unsqueeze", [keys, self._literal(np.array([0, 1, 2]))], shapes[1])
        whole = (1, 1, rows, columns)
        seen = self._add("LessOrEqual", [keys, queries], whole, element=TensorProto.BOOL)
        return self._add("Where", [seen, self._number(0), self._number(float(np.finfo(np.float32).min))], whole)

    def rotations(self, positions: Value, frequencies: np.ndarray) -> tuple[Value, Value]:
        """Return the cosines and sines [1, 1, T, head] of the angles of positions [1, T]."""
        count, half = positions.shape[1], len(frequencies)
        row = self._integer("Unsqueeze", [positions, self._literal(np.array([1]))], (1, 1, count))
        row = self._add("Cast", [row], row.shape, {"to": TensorProto.FLOAT})
        column = self._literal(frequencies[None, :, None])
        angles = self.transposed(self._add("MatMul", [column, row], (1, half, count)), 0, 2, 1)
        angles = self.joined([angles, angles], 2)
        tables = (self._add(operator, [angles], angles.shape) for operator in ("Cos", "Sin"))
        axis, shape = self._literal(np.array([1])), (1, *angles.shape)
        cosines, sines = (self._add("Unsqueeze", [table, axis], shape) for table in tables)
        return cosines, sines

    def rotated(self, x: Value, cosines: Value, sines: Value) -> Value:
        """Return `x` [1, heads, T, head] with the halves of its features as pairs that are rotated."""
        half, last = x.shape[-1] // 2, len(x.shape) - 1
        low, high = self.sliced(x, 0, half, last), self.sliced(x, half, 2 * half, last)
        turned = self.joined([self._add("Neg", [high], high.shape), low], last)
        return self.sum(self.product(x, cosines), self.product(turned, sines))

    def repeated(self, cache: Value, groups: int, rows: Value) -> Value:
        """Return a cache [1, heads, T, head] with each head `groups` times; `rows` [1] is T."""
        if groups == 1:
            return cache
        _, heads, count, head = cache.shape
        pieces = [self._literal(np.array([1, heads, groups])), rows, self._literal(np.array([head]))]
        shape = self._integer("Concat", pieces, (5,), {"axis": 0})
        spread = self._add("Unsqueeze", [cache, self._literal(np.array([2]))], (1, heads, 1, count, head))
        wide = self._add("Expand", [spread, shape], (1, heads, groups, count, head))
        return self.reshaped(wide, 1, heads * groups, count, head, inferred=2)

    def split_heads(self, x: Value, head: int) -> Value:
        """Return `x` [1, T, heads * head] as [1, heads, T, head]."""
        _, count, width = x.shape
        return self.transposed(self.reshaped(x, 1, count, width // head, head, inferred=1), 0, 2, 1, 3)

    def merged_heads(self, x: Value) -> Value:
        """Return `x` [1, heads, T, head] as [1, T, heads * head]."""
        _, heads, count, head = x.shape
        return self.reshaped(self.transposed(x, 0, 2, 1, 3), 1, count, heads * head, inferred=1)

    def as_shape(self, extent: Value) -> Value:
        """Return an integer with one axis."""
        return self._integer("Unsqueeze", [extent, self._literal(np.array([0]))], (1,))

    def _integer(
        self, op_type: str, operands: Sequence[Value], shape: tuple[int, ...], attributes: dict[str, int] | None = None
    ) -> Value:
        return self._add(op_type, operands, shape, attributes, element=TensorProto.INT64)


def network(
    module: str, doc: str | None, config: KlmConfig, weights: Mapping[str, np.ndarray], tokens: int, past: int
) -> onnx.ModelProto:
    """
    Return the decoder for `tokens` [1, tokens] after `past` cached rows, none where it is 0.

    `weights` are by the names of `Config.shapes`, float32. Inputs are `input_ids` and `position_ids` i64 [1, tokens],
    and for each layer N `past_key_values.N.key` and `.value` f32 [1, kv_heads, past, head]. Outputs are `logits` f32
    [1, tokens, vocabulary], and `present.N.key` and `.value` with the rows of the tokens behind those of the past.
    Raises a Diagnostic for no tokens.
    """
    if tokens < 1 or past < 0:
        raise Diagnostic("a call has no tokens", expected="one at least, after no less than 0 rows", found=str(tokens))
    b = _DecoderBuilder(module, doc, weights, config.epsilon)
    ids = b.integers("input_ids", (1, tokens), config.vocabulary - 1)
    positions = b.integers("position_ids", (1, tokens), _POSITIONS - 1)
    names = [f"{layer}.{part}" for layer in range(config.layers) for part in ("key", "value")]
    caches = [b.input([config.kv_heads, past, config.head], f"past_key_values.{name}") for name in names]
    new, old = b.extent(ids, 1), b.extent(caches[0], 2)
    bias = b.causal_bias(new, old, (tokens, past))
    tables = b.rotations(positions, config.frequencies())
    embedding = b.weight("embedding")
    x = b.chosen(embedding, ids)
    presents: list[Value] = []
    for layer in range(config.layers):
        at = f"layers.{layer}.attention"
        normal = b.rms_norm(x, f"{at}.norm")
        queries, keys, values = (b.split_heads(b.projected(normal, f"{at}.{part}"), config.head) for part in "qkv")
        queries, keys = b.rotated(queries, *tables), b.rotated(keys, *tables)
        grown = [b.joined(pair, 2) for pair in zip(caches[2 * layer : 2 * layer + 2], (keys, values), strict=True)]
        presents += grown
        x = b.sum(x, _attended(b, config, queries, grown, bias, f"{at}.o"))
        at = f"layers.{layer}.mlp"
        normal = b.rms_norm(x, f"{at}.norm")
        gated = b.product(b.silu(b.projected(normal, f"{at}.gate")), b.projected(normal, f"{at}.up"))
        x = b.sum(x, b.projected(gated, f"{at}.down"))
    logits = b.matmul(b.rms_norm(x, "norm"), b.transposed(embedding, 1, 0))
    return b.model({"logits": logits, **{f"present.{name}": row for name, row in zip(names, presents, strict=True)}})


def opened(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a decoder of `network` for one token after one row with these numbers open: `new` and `past`."""
    for value in (*model.graph.input, *model.graph.output):
        axes = {"logits": (1, "new"), "input_ids": (1, "new"), "position_ids": (1, "new")}
        rows = "past" if value.name.startswith("past") else "past + new"
        axis, symbol = axes.get(value.name, (2, rows))
        value.type.tensor_type.shape.dim[axis].dim_param = symbol
    model.graph.ClearField("value_info")
    return model


def _attended(
    b: _DecoderBuilder, config: KlmConfig, queries: Value, caches: Sequence[Value], bias: Value, name: str
) -> Value:
    rows = b.as_shape(b.extent(caches[0], 2))
    keys, values = (b.repeated(cache, config.heads // config.kv_heads, rows) for cache in caches)
    scores = b.scaled(b.matmul(queries, b.transposed(keys, 0, 1, 3, 2)), config.head**-0.5)
    shares = b.softmax(b.sum(scores, bias))
    return b.projected(b.merged_heads(b.matmul(shares, values)), name)
