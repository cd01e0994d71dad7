"""
Text in float32: BERT-tiny, 128 tokens under a mask to vectors.

Inputs i64 [1, 128]: `input_ids`, `attention_mask` of 0 and 1, `token_type_ids`. Outputs `last_hidden_state` f32
[1, 128, 128] and `pooler_output` f32 [1, 128]. Turc et al., "Well-Read Students Learn Better", arXiv:1908.08962: 2
layers of 128 channels, 2 heads.
"""

from __future__ import annotations

import onnx

from ._bert import network


def build(seed: int = 0, **sizes: int) -> onnx.ModelProto:
    """Return the network with weights from `seed`; `sizes` are those of `_bert.network`."""
    return network(__name__, __doc__, seed, **sizes)
