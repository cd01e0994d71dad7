"""
Image classification in floats: ResNet-50, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. He et al., "Deep Residual Learning for Image Recognition", 2016,
Table 1; the stride of a stage is that of its first 3x3 convolution, as in torchvision.
"""

from __future__ import annotations

import onnx

from ._float_builder import FloatBuilder, Value

_STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Channels inside a block, blocks, stride of the first block."""
_EXPANSION = 4
_BRANCH_GAIN = 0.3
"""Scale of a branch's last normalisation, so that sums along the residuals stay of one size."""


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    b = FloatBuilder(__name__, __doc__, seed)
    x = _unit(b, b.input([3, 224, 224]), 64, 7, stride=2)
    x = b.max_pool(x, 3, 2, (1, 1))
    for channels, blocks, stride in _STAGES:
        for block in range(blocks):
            x = _block(b, x, channels, stride if block == 0 else 1)
    return b.finish(b.dense(b.flatten(b.global_average(x)), 1000))


def _unit(b: FloatBuilder, x: Value, channels: int, kernel: int, stride: int = 1) -> Value:
    return b.relu(b.norm(b.conv(x, channels, kernel, stride, kernel // 2, bias=False)))


def _block(b: FloatBuilder, x: Value, channels: int, stride: int) -> Value:
    """Return a bottleneck block of `x` plus its shortcut: `x`, or its 1x1 convolution where the shape changes."""
    wide = channels * _EXPANSION
    branch = _unit(b, _unit(b, x, channels, 1), channels, 3, stride)
    branch = b.norm(b.conv(branch, wide, 1, bias=False), _BRANCH_GAIN)
    shortcut = x if x.shape[1] == wide else b.norm(b.conv(x, wide, 1, stride, bias=False))
    return b.relu(b.add(branch, shortcut))
