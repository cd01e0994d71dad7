"""
MLPerf Tiny image classification in QLinear form: ResNet-8, 32x32 colour images to 10 classes.

Input and output ui8; the topology of `resnet8`, quantised as ONNX Runtime's quantiser does.
"""

from __future__ import annotations

import onnx

from ._qlinear import QLinearBuilder
from .resnet8 import network


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(QLinearBuilder(__name__, __doc__, seed))
