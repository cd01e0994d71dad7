"""
Image classification in floats: MobileNetV2, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Sandler et al., "MobileNetV2: Inverted Residuals and Linear
Bottlenecks", 2018, Table 2, width 1.
"""

from __future__ import annotations

import onnx

from ._float_builder import FloatBuilder, Value

_STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
"""Expansion, channels, blocks, stride of the first block."""


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    b = FloatBuilder(__name__, __doc__, seed)
    x = _unit(b, b.input([3, 224, 224]), 32, 3, stride=2)
    for expansion, channels, blocks, stride in _STAGES:
        for block in range(blocks):
            x = _block(b, x, expansion, channels, stride if block == 0 else 1)
    x = _unit(b, x, 1280, 1)
    return b.finish(b.dense(b.flatten(b.global_average(x)), 1000))


def _unit(b: FloatBuilder, x: Value, channels: int, kernel: int, stride: int = 1, group: int = 1) -> Value:
    return b.relu6(b.norm(b.conv(x, channels, kernel, stride, kernel // 2, group=group, bias=False)))


def _block(b: FloatBuilder, x: Value, expansion: int, channels: int, stride: int) -> Value:
    """Return an inverted residual block of `x`: expanded, depthwise, projected without an activation."""
    inner = x.shape[1] * expansion
    wide = x if expansion == 1 else _unit(b, x, inner, 1)
    branch = _unit(b, wide, inner, 3, stride, group=inner)
    branch = b.norm(b.conv(branch, channels, 1, bias=False))
    return b.add(x, branch) if branch.shape == x.shape else branch
