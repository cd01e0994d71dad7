"""
Building blocks of the zoo's BERT networks.

The order of operations is that of Devlin et al. (arXiv:1810.04805). Attention and GELU are written in primitive
operators, as exporters write them: scores are divided by sqrt(D), the mask is added to them.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import onnx

from ._float_builder import Value
from ._sequence_builder import SequenceBuilder

EPSILON = 1e-12


def network(
    module: str,
    doc: str | None,
    seed: int,
    *,
    tokens: int = 128,
    dim: int = 128,
    heads: int = 2,
    hidden: int = 512,
    layers: int = 2,
    vocabulary: int = 30522,
    positions: int = 512,
    kinds: int = 2,
) -> onnx.ModelProto:
    """
    Return the encoder from its embeddings to its pooler, with weights from `seed`.

    `dim` is the dimension of a token, `hidden` that of the hidden layer; `vocabulary`, `positions` and `kinds` are the
    rows of the tables.
    """
    b = SequenceBuilder(module, doc, seed, EPSILON)
    shape = (1, tokens)
    ids = b.integers("input_ids", shape, vocabulary - 1)
    mask = b.integers("attention_mask", shape, 1)
    segments = b.integers("token_type_ids", shape, kinds - 1)
    places = np.arange(tokens)[None]
    words = b.chosen(b.learned(vocabulary, dim), ids)
    x = b.sum(words, b.chosen(b.learned(kinds, dim), segments))
    x = b.layer_norm(b.sum(x, b.chosen(b.learned(positions, dim), places)))
    scores = b.hidden_scores(mask)
    for _ in range(layers):
        x = layer(b, x, scores, heads, hidden)
    pooled = b.tanh(b.dense(b.selected(x, 0, 1), dim))
    return b.model({"last_hidden_state": x, "pooler_output": pooled})


def layer(b: SequenceBuilder, x: Value, hidden_scores: Value, heads: int, hidden: int) -> Value:
    """Return a layer of `x` [N, T, D]: attention and a hidden layer, each added to its input and normalised."""
    attended = b.layer_norm(b.sum(_attention(b, x, hidden_scores, heads), x))
    return b.layer_norm(b.sum(b.mlp(attended, hidden), attended))


def _attention(b: SequenceBuilder, x: Value, hidden_scores: Value, heads: int) -> Value:
    dim = x.shape[-1]
    query, key, value = (b.heads(b.linear(x, dim), heads) for _ in range(3))
    scores = b.divided(b.matmul(query, b.transposed(key, 0, 1, 3, 2)), sqrt(dim // heads))
    shares = b.softmax(b.sum(scores, hidden_scores))
    return b.linear(b.without_heads(b.matmul(shares, value)), dim)
