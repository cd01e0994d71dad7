"""
Image classification in float32: CSWin-T, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Dong et al., "CSWin Transformer", arXiv:2107.00652, section 3: half of
the heads attend in horizontal stripes and half in vertical ones, those of the last stage everywhere; a convolution of
each head's values adds positions.
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
    dim: int = 64,
    layers: Sequence[int] = (1, 2, 21, 1),
    heads: Sequence[int] = (2, 4, 8, 16),
    stripes: Sequence[int] = (1, 2, 7, 7),
    classes: int = 1000,
) -> onnx.ModelProto:
    """
    Return the network with weights from `seed`.

    `image` is a side, `dim` the channels of the first stage; a stage has `layers`, `heads` and the width of `stripes`.
    """
    b = SequenceBuilder(__name__, __doc__, seed, epsilon=1e-5)
    x = b.conv(b.input([3, image, image]), dim, 7, 4, 2)
    for stage, (depth, count, stripe) in enumerate(zip(layers, heads, stripes, strict=True)):
        x = b.conv(x, 2 * x.shape[1], 3, 2, 1) if stage else x
        side = x.shape[2]
        tokens = b.layer_norm(b.tokens(x))
        for _ in range(depth):
            tokens = b.sum(tokens, _attention(b, b.layer_norm(tokens), count, side, stripe))
            tokens = b.sum(tokens, b.mlp(b.layer_norm(tokens), 4 * tokens.shape[-1]))
        x = b.image(tokens, side)
    pooled = b.global_average(b.image(b.layer_norm(b.tokens(x)), x.shape[2]))
    return b.finish(b.dense(b.flatten(pooled), classes))


def _attention(b: SequenceBuilder, x: Value, heads: int, side: int, stripe: int) -> Value:
    """Return the attention of tokens in stripes along rows and along columns, or of all where a stripe is the image."""
    channels = x.shape[-1]
    packed = b.linear(x, 3 * channels, bias=False)
    parts = [b.sliced(packed, at * channels, (at + 1) * channels, 2) for at in range(3)]
    if stripe >= side:
        return b.linear(_stripes(b, parts, heads, side, (side, side)), channels)
    half = channels // 2
    first = [b.sliced(part, 0, half, 2) for part in parts]
    second = [b.sliced(part, half, 2 * half, 2) for part in parts]
    along_rows = _stripes(b, first, heads // 2, side, (stripe, side))
    along_columns = _stripes(b, second, heads // 2, side, (side, stripe))
    return b.linear(b.joined([along_rows, along_columns], 2), channels)


def _stripes(b: SequenceBuilder, parts: Sequence[Value], heads: int, side: int, shape: tuple[int, int]) -> Value:
    """Return the attention of queries, keys and values [1, side^2, C] in windows of a shape."""
    height, width = shape
    channels = parts[0].shape[-1]
    rows, columns = side // height, side // width
    windows = [b.transposed(b.reshaped(part, rows, height, columns, width, channels), 0, 2, 1, 3, 4) for part in parts]
    flat = [b.reshaped(window, rows * columns, height * width, channels) for window in windows]
    query, key, value = (b.heads(part, heads) for part in flat)
    scores = b.matmul(b.scaled(query, query.shape[-1] ** -0.5), b.transposed(key, 0, 1, 3, 2))
    image = b.image(flat[2], height)
    positions = b.tokens(b.conv(image, channels, 3, pad=1, group=channels))
    mixed = b.sum(b.without_heads(b.matmul(b.softmax(scores), value)), positions)
    joined = b.transposed(b.reshaped(mixed, rows, columns, height, width, channels), 0, 2, 1, 3, 4)
    return b.reshaped(joined, 1, side * side, channels)
