"""
The language model of `llama`, for 16 tokens of a prompt at once.

Inputs token [1, 16], position [1] and for each layer the cached keys and values, of which there are none; outputs the
int32 scores for each of the 16 and the caches with as many rows more. The weights are those of `llama` of that seed.
"""

from __future__ import annotations

import onnx

from .llama import prefill


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network for 16 tokens at once."""
    return prefill(16, seed=seed)
