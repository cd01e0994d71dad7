"""
Speech commands in float32: two bidirectional LSTMs, 98 frames of 40 numbers to 12 words.

Input f32 [1, 98, 40]: log-mel energies of a second in frames of 25 ms, every 10 ms, as in Zhang et al., "Hello Edge",
arXiv:1711.07128, section 4. Output f32 [1, 12]. Each frame's 256 numbers, 128 from either side (Graves and Schmidhuber,
"Framewise phoneme classification with bidirectional LSTM", 2005), are averaged over time.
"""

from __future__ import annotations

import onnx

from ._sequence_builder import SequenceBuilder


def build(
    seed: int = 0, *, frames: int = 98, features: int = 40, hidden: int = 128, layers: int = 2, words: int = 12
) -> onnx.ModelProto:
    """Return the network with weights from `seed`, for these sizes: units of each direction in `hidden`."""
    b = SequenceBuilder(__name__, __doc__, seed)
    x = b.transposed(b.input([frames, features]), 1, 0, 2)
    for _ in range(layers):
        x = b.lstm(x, hidden)
    return b.finish(b.dense(b.mean(x, 0), words))
