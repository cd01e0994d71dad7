"""
Image classification in float32: Focal-T, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Yang et al., "Focal Self-attention for Local-Global Interactions in
Vision Transformers", arXiv:2107.00641, section 3.2, with two levels of focus. Windows attend to a fine region, their
own and the rows and columns around it, which cyclic rolls bring into the window; and to a coarse one, the windows
around it, each pooled to one token by learned weights. Images are kept as [N, H, W, C].
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
    halo: int = 3,
    dim: int = 96,
    layers: Sequence[int] = (2, 2, 6, 2),
    heads: Sequence[int] = (3, 6, 12, 24),
    focus: Sequence[int] = (7, 5, 3, 1),
    classes: int = 1000,
) -> onnx.ModelProto:
    """
    Return the network with weights from `seed`.

    `image`, `patch` and `window` are sides, `halo` the rows of the fine region on each side of a window, `dim` the
    channels of the first stage. A stage has `layers`, `heads`, and a coarse region of `focus` x `focus` windows.
    """
    b = SequenceBuilder(__name__, __doc__, seed, epsilon=1e-5)
    x = b.input([3, image, image])
    for stage, (depth, count, pooled) in enumerate(zip(layers, heads, focus, strict=True)):
        side = 2 if stage else patch
        pixels = b.transposed(x, 0, 3, 1, 2) if stage else x
        x = b.layer_norm(b.transposed(b.conv(pixels, dim << stage, side, side), 0, 2, 3, 1))
        for _ in range(depth):
            around = halo if x.shape[1] > window else 0
            x = b.sum(x, _attention(b, b.layer_norm(x), count, window, around, pooled))
            x = b.sum(x, b.mlp(b.layer_norm(x), 4 * x.shape[-1]))
    pooled_image = b.global_average(b.transposed(b.layer_norm(x), 0, 3, 1, 2))
    return b.finish(b.dense(b.flatten(pooled_image), classes))


def _attention(b: SequenceBuilder, x: Value, heads: int, window: int, halo: int, focus: int) -> Value:
    """Return the attention of `x` [1, H, W, C] in windows, to their fine and their coarse region."""
    _, height, width, channels = x.shape
    rows, columns, area = height // window, width // window, window**2
    count, fine = rows * columns, (window + 2 * halo) ** 2
    pooled = _pooled(b, x, window)
    fine_seen, coarse_seen = b.shared_linear([x, pooled], 2 * channels)
    split = b.transposed(b.reshaped(b.linear(x, channels), rows, window, columns, window, channels), 0, 2, 1, 3, 4)
    query = b.heads(b.reshaped(split, count, area, channels), heads)
    region = _around(b, _around(b, fine_seen, window, halo, 1), window, halo, 3)
    near = b.reshaped(b.transposed(region, 0, 1, 3, 2, 4, 5), count, fine, 2 * channels)
    seen = b.joined([near, _coarse(b, coarse_seen, focus)], 1)
    key, value = (b.heads(b.sliced(seen, at * channels, (at + 1) * channels, 2), heads) for at in (0, 1))
    scores = b.matmul(b.scaled(query, query.shape[-1] ** -0.5), b.transposed(key, 0, 1, 3, 2))
    bias = b.joined([_bias(b, heads, window, window + 2 * halo), _bias(b, heads, window, focus)], 3)
    shown = np.concatenate([np.zeros((count, fine), np.float32), _mask(rows, columns, focus)], 1)
    scores = b.sum(b.sum(scores, bias), shown[:, None, None])
    mixed = b.linear(b.without_heads(b.matmul(b.softmax(scores), value)), channels)
    joined = b.transposed(b.reshaped(mixed, rows, columns, window, window, channels), 0, 2, 1, 3, 4)
    return b.reshaped(joined, *x.shape)


def _around(b: SequenceBuilder, x: Value, window: int, halo: int, axis: int) -> Value:
    """
    Return `x` with an axis split in windows, each with `halo` places before and after it, cyclically.

    [.., count * window, ..] becomes [.., count, window + 2 * halo, ..].
    """
    size = x.shape[axis]
    shape = *x.shape[:axis], size // window, window, *x.shape[axis + 1 :]
    own = b.reshaped(x, *shape)
    if not halo:
        return own
    before, after = (b.reshaped(_rolled(b, x, by, axis), *shape) for by in (size - halo, halo))
    parts = [b.sliced(before, 0, halo, axis + 1), own, b.sliced(after, window - halo, window, axis + 1)]
    return b.joined(parts, axis + 1)


def _rolled(b: SequenceBuilder, x: Value, by: int, axis: int) -> Value:
    """Return `x` moved towards its start by so many places along an axis, cyclically."""
    return b.joined([b.sliced(x, by, x.shape[axis], axis), b.sliced(x, 0, by, axis)], axis)


def _pooled(b: SequenceBuilder, x: Value, window: int) -> Value:
    """Return the windows of `x` [1, H, W, C], each as a learned sum of its places: [rows, columns, C]."""
    _, height, width, channels = x.shape
    rows, columns = height // window, width // window
    split = b.transposed(b.reshaped(x, rows, window, columns, window, channels), 0, 2, 4, 1, 3)
    summed = b.linear(b.reshaped(split, rows, columns, channels, window**2), 1)
    return b.reshaped(summed, rows, columns, channels)


def _coarse(b: SequenceBuilder, x: Value, focus: int) -> Value:
    """Return the `focus` x `focus` windows around each of `x` [rows, columns, C]: [rows * columns, focus^2, C]."""
    rows, columns, channels = x.shape
    for axis in (0, 1) if focus > 1 else ():
        x = b.padded(x, focus // 2, axis)
    shifted = [
        b.sliced(b.sliced(x, row, row + rows, 0), column, column + columns, 1)
        for row in range(focus)
        for column in range(focus)
    ]
    around = [b.reshaped(region, rows * columns, 1, channels) for region in shifted]
    return b.joined(around, 1) if focus > 1 else around[0]


def _mask(rows: int, columns: int, focus: int) -> np.ndarray:
    """Return the attention mask of coarse regions, for windows outside of the image: [windows, focus^2]."""
    places = [np.arange(size)[:, None] + np.arange(focus) - focus // 2 for size in (rows, columns)]
    inside = [(at >= 0) & (at < size) for at, size in zip(places, (rows, columns), strict=True)]
    both = inside[0][:, None, :, None] & inside[1][None, :, None, :]
    return np.where(both.reshape(rows * columns, focus**2), 0, _MASKED).astype(np.float32)


def _bias(b: SequenceBuilder, heads: int, window: int, region: int) -> Value:
    """Return the learned bias between places of a window and of a square region: [1, heads, window^2, region^2]."""
    sides = window + region - 1
    difference = np.arange(window)[:, None] - np.arange(region) + region - 1
    index = difference[:, None, :, None] * sides + difference[None, :, None, :]
    chosen = b.chosen(b.learned(sides**2, heads), index.reshape(-1))
    bias = b.transposed(b.reshaped(chosen, window**2, region**2, heads), 2, 0, 1)
    return b.reshaped(bias, 1, heads, window**2, region**2)
