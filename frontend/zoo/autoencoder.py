"""
MLPerf Tiny anomaly detection: a dense autoencoder of 640 spectrogram values through 8.

Input ui8 [1, 640], output i8 [1, 640]. Koizumi et al., "ToyADMOS: A Dataset of Miniature-Machine Operating Sounds for
Anomalous Sound Detection", 2019.
"""

from __future__ import annotations

import onnx

from ._builder import Builder

_HIDDEN = (128, 128, 128, 128, 8, 128, 128, 128, 128)


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network with weights from `seed`."""
    return network(Builder(__name__, __doc__, seed))


def network(b: Builder) -> onnx.ModelProto:
    """Return the network that `b` builds."""
    x = b.input([640])
    for features in _HIDDEN:
        x = b.requant(b.dense(x, features))
    return b.finish(b.requant(b.dense(x, 640), signed=True))
