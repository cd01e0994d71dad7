"""
Text in float32: BERT-base, 128 tokens under a mask to vectors.

Inputs i64 [1, 128]: `input_ids`, `attention_mask` of 0 and 1, `token_type_ids`. Outputs `last_hidden_state` f32
[1, 128, 768] and `pooler_output` f32 [1, 768]. Devlin et al., arXiv:1810.04805, section 3: 12 layers of 768 channels,
12 heads.
"""

from __future__ import annotations

import onnx

from ._bert import network


def build(seed: int = 0, **sizes: int) -> onnx.ModelProto:
    """Return the network with weights from `seed`; `sizes` are those of `_bert.network`."""
    return network(__name__, __doc__, seed, **{"dim": 768, "heads": 12, "hidden": 3072, "layers": 12} | sizes)
