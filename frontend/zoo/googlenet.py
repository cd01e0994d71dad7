"""
Image classification in floats: GoogLeNet, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Szegedy et al., "Going Deeper with Convolutions", 2015, Table 1,
with its response normalisation and without its auxiliary classifiers.
"""

from __future__ import annotations

import onnx

from ._float_builder import FloatBuilder, Value

_STAGES = (
    ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)),
    (
        (192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64),
        (112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128),
    ),
    ((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)),
)  # fmt: skip
"""Of each module: 1x1, 3x3 reduced, 3x3, 5x5 reduced, 5x5, pooled and projected channels."""


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    b = FloatBuilder(__name__, __doc__, seed)
    x = b.response_norm(_halved(b, b.relu(b.conv(b.input([3, 224, 224]), 64, 7, 2, 3))))
    x = b.relu(b.conv(b.relu(b.conv(x, 64, 1)), 192, 3, 1, 1))
    x = _halved(b, b.response_norm(x))
    for number, modules in enumerate(_STAGES):
        x = _halved(b, x) if number else x
        for channels in modules:
            x = _inception(b, x, *channels)
    return b.finish(b.dense(b.flatten(b.global_average(x)), 1000))


def _halved(b: FloatBuilder, x: Value) -> Value:
    """Return the maxima of windows of 3x3, as many as half the rows rounded up."""
    return b.max_pool(x, 3, 2, (0, 1) if x.shape[2] % 2 == 0 else (1, 1))


def _inception(
    b: FloatBuilder, x: Value, plain: int, before3: int, wide3: int, before5: int, wide5: int, pooled: int
) -> Value:
    branches = [
        b.relu(b.conv(x, plain, 1)),
        b.relu(b.conv(b.relu(b.conv(x, before3, 1)), wide3, 3, 1, 1)),
        b.relu(b.conv(b.relu(b.conv(x, before5, 1)), wide5, 5, 1, 2)),
        b.relu(b.conv(b.max_pool(x, 3, 1, (1, 1)), pooled, 1)),
    ]
    return b.concat(branches)
