"""
Image classification in floats: AlexNet, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Krizhevsky, "One weird trick for parallelizing convolutional neural
networks", 2014 (arXiv:1404.5997), as in torchvision: one tower, no response normalisation.
"""

from __future__ import annotations

import onnx

from ._float_builder import FloatBuilder

_HIDDEN = 4096


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    b = FloatBuilder(__name__, __doc__, seed)
    x = b.max_pool(b.relu(b.conv(b.input([3, 224, 224]), 64, 11, 4, 2)), 3, 2)
    x = b.max_pool(b.relu(b.conv(x, 192, 5, 1, 2)), 3, 2)
    for channels in (384, 256, 256):
        x = b.relu(b.conv(x, channels, 3, 1, 1))
    x = b.flatten(b.max_pool(x, 3, 2))
    for _ in range(2):
        x = b.relu(b.dense(x, _HIDDEN))
    return b.finish(b.dense(x, 1000))
