"""
Image classification in float32: PVT-Tiny, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Wang et al., "Pyramid Vision Transformer", arXiv:2102.12122, Table 1:
keys and values come from an image that a convolution has made smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import onnx

from ._float_builder import Value
from ._sequence_builder import SequenceBuilder


class Stage(NamedTuple):
    """The sizes of a stage: a patch's side, channels, heads, layers, how wide the MLP is, how much smaller the keys."""

    patch: int
    dim: int
    heads: int
    layers: int
    expansion: int
    reduction: int


STAGES = (
    Stage(4, 64, 1, 2, 8, 8),
    Stage(2, 128, 2, 2, 8, 4),
    Stage(2, 320, 5, 2, 4, 2),
    Stage(2, 512, 8, 2, 4, 1),
)


def build(seed: int = 0, *, image: int = 224, stages: Sequence[Stage] = STAGES, classes: int = 1000) -> onnx.ModelProto:
    """Return the network with weights from `seed`; `image` is a side."""
    b = SequenceBuilder(__name__, __doc__, seed)
    x = b.input([3, image, image])
    for stage in stages[:-1]:
        height = x.shape[2] // stage.patch
        x = b.image(_stage(b, _patches(b, x, stage), stage, height), height)
    last = stages[-1]
    tokens = b.joined([b.learned(1, 1, last.dim), _patches(b, x, last)], 1)
    x = b.layer_norm(_stage(b, tokens, last, x.shape[2] // last.patch))
    return b.finish(b.dense(b.selected(x, 0, 1), classes))


def _patches(b: SequenceBuilder, image: Value, stage: Stage) -> Value:
    return b.layer_norm(b.tokens(b.conv(image, stage.dim, stage.patch, stage.patch)))


def _stage(b: SequenceBuilder, tokens: Value, stage: Stage, height: int) -> Value:
    """Return tokens of an image of this height, with positions, through the layers of a stage."""
    x = b.sum(tokens, b.learned(*tokens.shape))
    for _ in range(stage.layers):
        x = b.sum(x, _attention(b, b.layer_norm(x), stage, height))
        x = b.sum(x, b.mlp(b.layer_norm(x), stage.expansion * stage.dim))
    return x


def _attention(b: SequenceBuilder, x: Value, stage: Stage, height: int) -> Value:
    query = b.heads(b.linear(x, stage.dim), stage.heads)
    seen = x
    if stage.reduction > 1:
        seen = b.layer_norm(b.tokens(b.conv(b.image(x, height), stage.dim, stage.reduction, stage.reduction)))
    key, value = b.packed_heads(seen, stage.heads, 2)
    scores = b.scaled(b.matmul(query, b.transposed(key, 0, 1, 3, 2)), query.shape[-1] ** -0.5)
    return b.linear(b.without_heads(b.matmul(b.softmax(scores), value)), stage.dim)
