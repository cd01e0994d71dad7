"""
Image classification in floats: SqueezeNet 1.1, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer
parameters and <0.5MB model size", 2016, in the version 1.1 of its authors' repository.
"""

from __future__ import annotations

import onnx

from ._float_builder import FloatBuilder, Value

_STAGES = (((16, 64), (16, 64)), ((32, 128), (32, 128)), ((48, 192), (48, 192), (64, 256), (64, 256)))
"""For each stage its fire modules: squeezed channels, channels of each expansion."""


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    b = FloatBuilder(__name__, __doc__, seed)
    x = b.relu(b.conv(b.input([3, 224, 224]), 64, 3, 2))
    for modules in _STAGES:
        x = b.max_pool(x, 3, 2)
        for squeezed, expanded in modules:
            x = _fire(b, x, squeezed, expanded)
    x = b.relu(b.conv(x, 1000, 1))
    return b.finish(b.flatten(b.global_average(x)))


def _fire(b: FloatBuilder, x: Value, squeezed: int, expanded: int) -> Value:
    x = b.relu(b.conv(x, squeezed, 1))
    return b.concat([b.relu(b.conv(x, expanded, 1)), b.relu(b.conv(x, expanded, 3, pad=1))])
