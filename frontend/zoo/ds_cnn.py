"""
MLPerf Tiny keyword spotting: DS-CNN, 49x10 MFCC frames to 12 words.

Input ui8 [1, 1, 49, 10], output i8 [1, 12]. Zhang et al., "Hello Edge: Keyword Spotting on Microcontrollers", 2017, in
the size of MLPerf Tiny; the pool takes the maximum where the original averages.
"""

from __future__ import annotations

import onnx

from ._builder import Builder


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(Builder(__name__, __doc__, seed))


def network(b: Builder) -> onnx.ModelProto:
    """Return the network that `b` builds."""
    x = b.input([1, 49, 10])
    x = b.requant(b.conv(x, 64, (10, 4), stride=2, pads=(4, 1, 5, 1)))
    for _ in range(4):
        x = b.requant(b.depthwise(x, (3, 3), pads=(1, 1, 1, 1)))
        x = b.requant(b.conv(x, 64, (1, 1)))
    x = b.flatten(b.max_pool(x, (25, 5)))
    return b.finish(b.requant(b.dense(x, 12), signed=True))
