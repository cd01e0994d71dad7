"""Builds transformers and recurrent networks of floats, operator by operator, in the forms that exporters write."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from ._float_builder import FloatBuilder, Value


class SequenceBuilder(FloatBuilder):
    """
    A FloatBuilder with the operators of transformers and recurrent networks.

    Weights of dense layers have the variance 1 / fan-in; what is learned and added, such as positions, is uniform and
    small. Constants that are not learned, such as numbers and masks, are Constant nodes, as exporters write them.
    """

    def __init__(self, module: str, doc: str | None, seed: int, epsilon: float = 1e-6) -> None:
        super().__init__(module, doc, seed)
        self._epsilon = epsilon

    def integers(self, name: str, shape: Sequence[int], high: int) -> Value:
        """Add an int64 input of `shape`, the batch axis included, that holds 0 to `high`."""
        return self._input(Value(name, tuple(shape), TensorProto.INT64), f"0..{high}")

    # What is learned

    def linear(self, x: Value, features: int, *, bias: bool = True) -> Value:
        """Return a dense layer along the last axis of `x`: [..., features]."""
        fan_in = x.shape[-1]
        shape = (*x.shape[:-1], features)
        product = self._add(
            "MatMul", [x], shape, constants={"weight": self._uniform((fan_in, features), sqrt(3 / fan_in))}
        )
        if not bias:
            return product
        return self._add("Add", [self.constant("bias", self._uniform((features,), 0.1)), product], shape)

    def shared_linear(self, values: Sequence[Value], features: int) -> list[Value]:
        """Return one dense layer along the last axis of several tensors: [..., features] each."""
        fan_in = values[0].shape[-1]
        weight = self.constant("weight", self._uniform((fan_in, features), sqrt(3 / fan_in)))
        bias = self.constant("bias", self._uniform((features,), 0.1))
        return [self.sum(self.matmul(x, weight), bias) for x in values]

    def mlp(self, x: Value, hidden: int) -> Value:
        """Return `x` [..., D] through a hidden layer with GELU."""
        return self.linear(self.gelu(self.linear(x, hidden)), x.shape[-1])

    def layer_norm(self, x: Value) -> Value:
        """Return `x` normalised along its last axis, with random scales around 1 and random shifts."""
        row = (x.shape[-1],)
        constants = {"scale": 1 + self._uniform(row, 0.2), "shift": self._uniform(row, 0.2)}
        return self._add("LayerNormalization", [x], x.shape, {"axis": -1, "epsilon": self._epsilon}, constants)

    def learned(self, *shape: int) -> Value:
        """Return small random numbers, such as an embedding of positions."""
        return self.constant("learned", self._uniform(shape, 0.2))

    def chosen(self, table: Value, places: Value | np.ndarray) -> Value:
        """Return the rows of `table` [N, D] at `places`: [..., D]."""
        at = places if isinstance(places, Value) else self._literal(places)
        return self._add("Gather", [table, at], (*at.shape, *table.shape[1:]), {"axis": 0})

    def lstm(self, x: Value, hidden: int) -> Value:
        """Return `x` [T, N, D] through an LSTM, and through one from its end: [T, N, 2 * hidden]."""
        steps, samples, width = x.shape
        weights = [
            self.constant("weight", self._uniform((2, 4 * hidden, width), sqrt(3 / width))),
            self.constant("recurrence", self._uniform((2, 4 * hidden, hidden), sqrt(3 / hidden))),
            self.constant("bias", self._uniform((2, 8 * hidden), 0.5)),
        ]
        start = self._literal(np.zeros((2, samples, hidden), np.float32))
        operands = [x, *weights, Value("", ()), start, start]
        attributes = {"hidden_size": hidden, "direction": "bidirectional"}
        both = self._add("LSTM", operands, (steps, 2, samples, hidden), attributes)
        return self.reshaped(self.transposed(both, 0, 2, 1, 3), steps, samples, 2 * hidden)

    # Arithmetic

    def gelu(self, x: Value) -> Value:
        """Return x * (1 + erf(x / sqrt 2)) / 2, written out."""
        erf = self._add("Erf", [self.divided(x, sqrt(2))], x.shape)
        raised = self._add("Add", [erf, self._number(1)], x.shape)
        return self.scaled(self._add("Mul", [x, raised], x.shape), 0.5)

    def scaled(self, x: Value, factor: float) -> Value:
        """Return `x` times a number."""
        return self._add("Mul", [x, self._number(factor)], x.shape)

    def divided(self, x: Value, divisor: float) -> Value:
        """Return `x` over a number."""
        return self._add("Div", [x, self._number(divisor)], x.shape)

    def tanh(self, x: Value) -> Value:
        """Return the hyperbolic tangent."""
        return self._add("Tanh", [x], x.shape)

    def softmax(self, x: Value) -> Value:
        """Return the softmax along the last axis."""
        return self._add("Softmax", [x], x.shape, {"axis": -1})

    def sum(self, left: Value, right: Value | np.ndarray) -> Value:
        """Return a sum, where the second term may be broadcast."""
        term = right if isinstance(right, Value) else self._literal(right)
        return self._add("Add", [left, term], left.shape)

    def matmul(self, left: Value, right: Value) -> Value:
        """Return the products of matrices [..., M, K] and [..., K, N]."""
        return self._add("MatMul", [left, right], (*left.shape[:-1], right.shape[-1]))

    def mean(self, x: Value, axis: int) -> Value:
        """Return the mean along an axis, which goes."""
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        return self._add("ReduceMean", [x], shape, {"axes": [axis], "keepdims": 0})

    def hidden_scores(self, mask: Value) -> Value:
        """Return the summand of scores for a mask [1, T] of 0 and 1: 0 or the least float, [1, 1, 1, T]."""
        shape = (1, 1, 1, mask.shape[1])
        rows = self._add("Unsqueeze", [mask, self._literal(np.array([1, 2]))], shape, element=mask.element)
        shown = self._add("Cast", [rows], shape, {"to": TensorProto.FLOAT})
        return self.scaled(self._add("Sub", [self._number(1), shown], shape), float(np.finfo(np.float32).min))

    # Movement

    def reshaped(self, x: Value, *shape: int, inferred: int | None = None) -> Value:
        """Return `x` in another shape of as many elements; the extent of the axis `inferred` is not stated."""
        assert prod(shape) == prod(x.shape)
        stated = [-1 if axis == inferred else size for axis, size in enumerate(shape)]
        return self._add("Reshape", [x, self._literal(np.array(stated))], shape)

    def transposed(self, x: Value, *order: int) -> Value:
        """Return `x` with its axes in another order."""
        return self._add("Transpose", [x], tuple(x.shape[axis] for axis in order), {"perm": order})

    def selected(self, x: Value, index: int, axis: int) -> Value:
        """Return `x` at an index along an axis, which goes."""
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        return self._add("Gather", [x, self._literal(np.array(index))], shape, {"axis": axis})

    def sliced(self, x: Value, start: int, end: int, axis: int, step: int = 1) -> Value:
        """Return `x` from `start` to before `end` along an axis, every `step` places."""
        shape = list(x.shape)
        shape[axis] = len(range(*slice(start, end, step).indices(shape[axis])))
        bounds = [self._literal(np.array([bound])) for bound in (start, end, axis, step)]
        return self._add("Slice", [x, *bounds], tuple(shape))

    def joined(self, values: Sequence[Value], axis: int) -> Value:
        """Return tensors one behind the other along an axis."""
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        return self._add("Concat", values, tuple(shape), {"axis": axis})

    def padded(self, x: Value, by: int, axis: int) -> Value:
        """Return `x` with so many zeros before and after an axis."""
        amounts = np.where(np.arange(len(x.shape)) == axis, by, 0)
        shape = tuple(size + 2 * int(amount) for size, amount in zip(x.shape, amounts, strict=True))
        return self._add("Pad", [x, self._literal(np.concatenate([amounts, amounts]))], shape)

    def heads(self, x: Value, count: int) -> Value:
        """Return `x` [N, T, D] as [N, heads, T, D / heads]."""
        samples, tokens, dim = x.shape
        return self.transposed(self.reshaped(x, samples, tokens, count, dim // count), 0, 2, 1, 3)

    def without_heads(self, x: Value) -> Value:
        """Return `x` [N, heads, T, D] as [N, T, heads * D]."""
        samples, heads, tokens, dim = x.shape
        return self.reshaped(self.transposed(x, 0, 2, 1, 3), samples, tokens, heads * dim)

    def packed_heads(self, x: Value, count: int, parts: int) -> list[Value]:
        """Return the `parts`, such as keys and values, of a dense layer of `x` [N, T, D]: [N, heads, T, D / heads]."""
        samples, tokens, dim = x.shape
        packed = self.reshaped(self.linear(x, parts * dim), samples, tokens, parts, count, dim // count)
        first = self.transposed(packed, 2, 0, 3, 1, 4)
        return [self.selected(first, part, 0) for part in range(parts)]

    def tokens(self, x: Value) -> Value:
        """Return an image [N, C, H, W] as tokens [N, H * W, C]."""
        samples, channels, height, width = x.shape
        return self.transposed(self.reshaped(x, samples, channels, height * width), 0, 2, 1)

    def image(self, x: Value, height: int) -> Value:
        """Return tokens [N, H * W, C] as an image [N, C, H, W]."""
        samples, count, channels = x.shape
        return self.reshaped(self.transposed(x, 0, 2, 1), samples, channels, height, count // height)

    def _number(self, number: float) -> Value:
        return self._literal(np.array(number, np.float32))

    def _literal(self, array: np.ndarray) -> Value:
        """Return a Constant node."""
        element = helper.np_dtype_to_tensor_dtype(array.dtype)
        return self._add("Constant", [], array.shape, {"value": numpy_helper.from_array(array)}, element=element)
