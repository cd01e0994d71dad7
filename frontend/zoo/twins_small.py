"""
Image classification in float32: Twins-SVT-S, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Chu et al., "Twins", arXiv:2104.13840, section 3.2: layers attend in
windows and, by turns, to keys and values that a convolution has made fewer; positions come from a convolution after the
first layer of each stage.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx

from ._float_builder import Value
from ._sequence_builder import SequenceBuilder


def build(
    seed: int = 0,
    *,
    image: int = 224,
    window: int = 7,
    dims: Sequence[int] = (64, 128, 256, 512),
    layers: Sequence[int] = (2, 2, 10, 4),
    heads: Sequence[int] = (2, 4, 8, 16),
    reductions: Sequence[int] = (8, 4, 2, 1),
    classes: int = 1000,
) -> onnx.ModelProto:
    """Return the network with weights from `seed`; `image`, `window` are sides. A stage has `dims` to `reductions`."""
    b = SequenceBuilder(__name__, __doc__, seed)
    x = b.input([3, image, image])
    for stage, (dim, depth, count, reduction) in enumerate(zip(dims, layers, heads, reductions, strict=True)):
        side = 2 if stage else 4
        height = x.shape[2] // side
        tokens = b.layer_norm(b.tokens(b.conv(x, dim, side, side)))
        for layer in range(depth):
            normed = b.layer_norm(tokens)
            attended = _global(b, normed, count, reduction, height) if layer % 2 else _local(b, normed, count, window)
            tokens = b.sum(tokens, attended)
            tokens = b.sum(tokens, b.mlp(b.layer_norm(tokens), 4 * dim))
            tokens = tokens if layer else _positioned(b, tokens, height)
        x = b.image(tokens, height)
    pooled = b.global_average(b.image(b.layer_norm(b.tokens(x)), x.shape[2]))
    return b.finish(b.dense(b.flatten(pooled), classes))


def _positioned(b: SequenceBuilder, tokens: Value, height: int) -> Value:
    image = b.image(tokens, height)
    channels = image.shape[1]
    return b.tokens(b.add(b.conv(image, channels, 3, pad=1, group=channels), image))


def _local(b: SequenceBuilder, x: Value, heads: int, window: int) -> Value:
    """Return the attention of tokens of a square image in windows."""
    _, count, channels = x.shape
    rows, area = round(count**0.5) // window, window**2
    split = b.transposed(b.reshaped(x, rows, window, rows, window, channels), 0, 2, 1, 3, 4)
    query, key, value = b.packed_heads(b.reshaped(split, rows * rows, area, channels), heads, 3)
    mixed = b.linear(_attended(b, query, key, value), channels)
    joined = b.transposed(b.reshaped(mixed, rows, rows, window, window, channels), 0, 2, 1, 3, 4)
    return b.reshaped(joined, *x.shape)


def _global(b: SequenceBuilder, x: Value, heads: int, reduction: int, height: int) -> Value:
    """Return the attention of tokens to those of a smaller image."""
    channels = x.shape[-1]
    query, seen = b.heads(b.linear(x, channels), heads), x
    if reduction > 1:
        seen = b.layer_norm(b.tokens(b.conv(b.image(x, height), channels, reduction, reduction)))
    key, value = b.packed_heads(seen, heads, 2)
    return b.linear(_attended(b, query, key, value), channels)


def _attended(b: SequenceBuilder, query: Value, key: Value, value: Value) -> Value:
    scores = b.scaled(b.matmul(query, b.transposed(key, 0, 1, 3, 2)), query.shape[-1] ** -0.5)
    return b.without_heads(b.matmul(b.softmax(scores), value))
