"""
A keyboard's language model in float32: 23.08 million parameters, one byte after 8 cached ones.

A Llama decoder of 6 layers, 512 features, 8 heads of 64 that share 2 caches, a SwiGLU network of 2048, and tied
embeddings of 512 tokens, in the form in which `transformers` exports one with its caches. Weights are random: it
measures latency, memory and correctness. `klm-small` is trained.
"""

from __future__ import annotations

import onnx

from ._klm import KlmConfig, drawn
from ._klm_onnx import network, opened

KLM = KlmConfig(layers=6, dim=512, heads=8, kv_heads=2, head=64, hidden=2048, vocabulary=512)


def build(seed: int = 0, *, tokens: int = 1, past: int = 8, config: KlmConfig = KLM) -> onnx.ModelProto:
    """Return the network for `tokens` after `past` cached ones; see `_klm_onnx.network` for its inputs and outputs."""
    return network(__name__, __doc__, config, drawn(config, seed), tokens, past)


def build_open(seed: int = 0, *, config: KlmConfig = KLM) -> onnx.ModelProto:
    """Return the network with its numbers of tokens and of cached rows open, `new` and `past`."""
    return opened(build(seed, tokens=1, past=1, config=config))


__all__ = ["KLM", "KlmConfig", "build", "build_open"]
