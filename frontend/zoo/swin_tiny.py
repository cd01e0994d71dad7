"""
Image classification in float32: Swin-T, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Liu et al., "Swin Transformer", arXiv:2103.14030, section 3. Images
are kept as [N, H, W, C]; each other layer attends in windows shifted by half of one, cyclically, which is written as
torch.roll is exported: slices joined the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from ._float_builder import Value
from ._sequence_builder import SequenceBuilder

_MASKED = -100.0


def build(
    seed: int = 0,
    *,
    image: int = 224,
    patch: int = 4,
    window: int = 7,
    dim: int = 96,
    layers: Sequence[int] = (2, 2, 6, 2),
    heads: Sequence[int] = (3, 6, 12, 24),
    classes: int = 1000,
) -> onnx.ModelProto:
    """
    Return the network with weights from `seed`.

    `image`, `patch` and `window` are sides, `dim` the channels of the first stage; a stage has `layers` and `heads`.
    """
    b = SequenceBuilder(__name__, __doc__, seed, epsilon=1e-5)
    patches = b.conv(b.input([3, image, image]), dim, patch, patch)
    x = b.layer_norm(b.transposed(patches, 0, 2, 3, 1))
    for stage, (depth, count) in enumerate(zip(layers, heads, strict=True)):
        x = _merged(b, x) if stage else x
        for layer in range(depth):
            shift = window // 2 if layer % 2 and x.shape[1] > window else 0
            x = b.sum(x, _attention(b, b.layer_norm(x), count, window, shift))
            x = b.sum(x, b.mlp(b.layer_norm(x), 4 * x.shape[-1]))
    pooled = b.global_average(b.transposed(b.layer_norm(x), 0, 3, 1, 2))
    return b.finish(b.dense(b.flatten(pooled), classes))


def _merged(b: SequenceBuilder, x: Value) -> Value:
    """Return neighbours of `x` [N, H, W, C], two by two, as one: [N, H / 2, W / 2, 2 * C]."""
    _, height, width, channels = x.shape
    parts = [b.sliced(b.sliced(x, row, height, 1, 2), column, width, 2, 2) for column in (0, 1) for row in (0, 1)]
    return b.linear(b.layer_norm(b.joined(parts, 3)), 2 * channels, bias=False)


def _attention(b: SequenceBuilder, x: Value, heads: int, window: int, shift: int) -> Value:
    """Return the attention of `x` [N, H, W, C] in windows."""
    _, height, width, channels = x.shape
    rolled = _rolled(b, x, shift)
    rows, columns, area = height // window, width // window, window**2
    split = b.transposed(b.reshaped(rolled, 1, rows, window, columns, window, channels), 0, 1, 3, 2, 4, 5)
    tokens = b.reshaped(split, rows * columns, area, channels)
    query, key, value = b.packed_heads(tokens, heads, 3)
    scaled = b.scaled(query, query.shape[-1] ** -0.5)
    scores = b.sum(b.matmul(scaled, b.transposed(key, 0, 1, 3, 2)), _position_bias(b, heads, window))
    if shift:
        grouped = b.reshaped(scores, 1, rows * columns, heads, area, area)
        scores = b.reshaped(b.sum(grouped, _mask(height, width, window, shift)), *scores.shape)
    mixed = b.linear(b.without_heads(b.matmul(b.softmax(scores), value)), channels)
    joined = b.transposed(b.reshaped(mixed, 1, rows, columns, window, window, channels), 0, 1, 3, 2, 4, 5)
    return _rolled(b, b.reshaped(joined, *x.shape), -shift)


def _rolled(b: SequenceBuilder, x: Value, shift: int) -> Value:
    """Return `x` [N, H, W, C] moved up and to the left by `shift` places, cyclically."""
    for axis in (1, 2) if shift else ():
        size = x.shape[axis]
        x = b.joined([b.sliced(x, shift % size, size, axis), b.sliced(x, 0, shift % size, axis)], axis)
    return x


def _position_bias(b: SequenceBuilder, heads: int, window: int) -> Value:
    """Return the learned position bias between places of a window, by their difference: [1, heads, area, area]."""
    places = np.stack(np.meshgrid(np.arange(window), np.arange(window), indexing="ij"), -1).reshape(-1, 2)
    row, column = np.moveaxis(places[:, None] - places[None] + window - 1, -1, 0)
    side, area = 2 * window - 1, window**2
    chosen = b.chosen(b.learned(side**2, heads), (row * side + column).reshape(-1))
    bias = b.transposed(b.reshaped(chosen, area, area, heads), 2, 0, 1)
    return b.reshaped(bias, 1, heads, area, area)


def _mask(height: int, width: int, window: int, shift: int) -> np.ndarray:
    """Return the attention mask between places of a window that only the cyclic shift makes neighbours."""
    regions = [np.digitize(np.arange(size), [size - window, size - shift]) for size in (height, width)]
    region = 3 * regions[0][:, None] + regions[1]
    split = region.reshape(height // window, window, width // window, window).swapaxes(1, 2).reshape(-1, window**2)
    return np.where(split[:, :, None] == split[:, None], 0, _MASKED).astype(np.float32)[None, :, None]
