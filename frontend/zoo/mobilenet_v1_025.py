"""
MLPerf Tiny visual wake words: MobileNetV1 x0.25, 96x96 colour images to person or not.

Input ui8 [1, 3, 96, 96], output i8 [1, 2]. Howard et al., "MobileNets: Efficient Convolutional Neural Networks for
Mobile Vision Applications", 2017; the pool takes the maximum where the original averages.
"""

from __future__ import annotations

import onnx

from ._builder import Builder

_PADS = (1, 1, 1, 1)
_BLOCKS = (
    (16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2),
    (128, 1), (128, 1), (128, 1), (128, 1), (128, 1), (256, 2), (256, 1),
)  # fmt: skip
"""Output channels and stride of each depthwise separable block."""


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(Builder(__name__, __doc__, seed))


def network(b: Builder) -> onnx.ModelProto:
    """Return the network that `b` builds."""
    x = b.requant(b.conv(b.input([3, 96, 96]), 8, (3, 3), stride=2, pads=_PADS))
    for channels, stride in _BLOCKS:
        x = b.requant(b.depthwise(x, (3, 3), stride, _PADS))
        x = b.requant(b.conv(x, channels, (1, 1)))
    x = b.flatten(b.max_pool(x, (3, 3)))
    return b.finish(b.requant(b.dense(x, 2), signed=True))
