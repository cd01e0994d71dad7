"""
MLPerf Tiny keyword spotting in QLinear form: DS-CNN, 49x10 MFCC frames to 12 words.

Input and output ui8; the topology of `ds-cnn`, quantised as ONNX Runtime's quantiser does.
"""

from __future__ import annotations

import onnx

from ._qlinear import QLinearBuilder
from .ds_cnn import network


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(QLinearBuilder(__name__, __doc__, seed))
