"""
MLPerf Tiny anomaly detection in QLinear form: a dense autoencoder of 640 values through 8.

Input and output ui8; the topology of `autoencoder`, quantised as ONNX Runtime's quantiser does.
"""

from __future__ import annotations

import onnx

from ._qlinear import QLinearBuilder
from .autoencoder import network


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(QLinearBuilder(__name__, __doc__, seed))
