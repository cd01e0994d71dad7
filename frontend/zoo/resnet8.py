"""
MLPerf Tiny image classification: ResNet-8, 32x32 colour images to 10 classes.

Input ui8 [1, 3, 32, 32], output i8 [1, 10]. Three residual stacks of 16, 32 and 64 channels after He et al., "Deep
Residual Learning for Image Recognition", 2016; the pool takes the maximum where the original averages.
"""

from __future__ import annotations

import onnx

from ._builder import Builder, Value

_PADS = (1, 1, 1, 1)


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(Builder(__name__, __doc__, seed))


def network(b: Builder) -> onnx.ModelProto:
    """Return the network that `b` builds."""
    x = b.requant(b.conv(b.input([3, 32, 32]), 16, (3, 3), pads=_PADS))
    x = _stack(b, x, 16, stride=1)
    x = _stack(b, x, 32, stride=2)
    x = _stack(b, x, 64, stride=2)
    x = b.flatten(b.max_pool(x, (8, 8)))
    return b.finish(b.requant(b.dense(x, 10), signed=True))


def _stack(b: Builder, x: Value, channels: int, stride: int) -> Value:
    """Return two convolutions of `x` plus a shortcut: `x` itself, or its 1x1 convolution where the shape changes."""
    branch = b.requant(b.conv(x, channels, (3, 3), stride, _PADS))
    branch = b.requant(b.conv(branch, channels, (3, 3), pads=_PADS), signed=True)
    shortcut = x if stride == 1 else b.conv(x, channels, (1, 1), stride)
    return b.add_residual(b.requant(shortcut, signed=True), branch)
