"""
A layer of a BERT encoder in float32: attention under a mask, GELU, residuals and layer norms.

Inputs `hidden` float32 [1, tokens, dim] and `mask` int64 [1, tokens] of 0 and 1, output `output` float32 [1, tokens,
dim]. The size is by default that of BERT-tiny (Turc et al., arXiv:1908.08962).
"""

from __future__ import annotations

import onnx

from ._bert import EPSILON, layer
from ._sequence_builder import SequenceBuilder


def build(seed: int = 0, *, tokens: int = 32, dim: int = 128, heads: int = 2, hidden: int = 512) -> onnx.ModelProto:
    """
    Return the layer with weights from `seed`, the same bytes for the same seed.

    `dim` is the dimension of a token, `hidden` that of the hidden layer.
    """
    b = SequenceBuilder(__name__, __doc__, seed, EPSILON)
    x = b.input([tokens, dim], "hidden")
    scores = b.hidden_scores(b.integers("mask", (1, tokens), 1))
    return b.model({"output": layer(b, x, scores, heads, hidden)})
