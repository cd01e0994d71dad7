"""
MLPerf Tiny visual wake words in QLinear form: MobileNetV1 x0.25, 96x96 images to person or not.

Input and output ui8; the topology of `mobilenet-v1-025`, quantised as ONNX Runtime's quantiser does.
"""

from __future__ import annotations

import onnx

from ._qlinear import QLinearBuilder
from .mobilenet_v1_025 import network


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(QLinearBuilder(__name__, __doc__, seed))
