"""
Image classification in float32: ViT-tiny, 224x224 colour images to 1000 classes.

Input f32 [1, 3, 224, 224], output f32 [1, 1000]. Dosovitskiy et al., arXiv:2010.11929, section 3.1, in the size that
Touvron et al. (DeiT, arXiv:2012.12877), Table 1, call Ti. Queries and keys are each scaled by the fourth root, as
PyTorch exports scaled_dot_product_attention.
"""

from __future__ import annotations

import onnx

from ._float_builder import Value
from ._sequence_builder import SequenceBuilder


def build(
    seed: int = 0,
    *,
    image: int = 224,
    patch: int = 16,
    dim: int = 192,
    heads: int = 3,
    layers: int = 12,
    classes: int = 1000,
) -> onnx.ModelProto:
    """Return the network with weights from `seed`; `image` and `patch` are sides, `dim` is that of a token."""
    b = SequenceBuilder(__name__, __doc__, seed)
    patches = b.tokens(b.conv(b.input([3, image, image]), dim, patch, patch))
    x = b.joined([b.learned(1, 1, dim), patches], 1)
    x = b.sum(x, b.learned(*x.shape))
    for _ in range(layers):
        x = b.sum(x, _attention(b, b.layer_norm(x), heads))
        x = b.sum(x, b.mlp(b.layer_norm(x), 4 * dim))
    return b.finish(b.dense(b.selected(b.layer_norm(x), 0, 1), classes))


def _attention(b: SequenceBuilder, x: Value, heads: int) -> Value:
    query, key, value = b.packed_heads(x, heads, 3)
    scale = query.shape[-1] ** -0.25
    scores = b.matmul(b.scaled(query, scale), b.scaled(b.transposed(key, 0, 1, 3, 2), scale))
    return b.linear(b.without_heads(b.matmul(b.softmax(scores), value)), x.shape[-1])
