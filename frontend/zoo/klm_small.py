"""
A small language model of bytes in float32, trained on English: one byte after 8 cached ones.

A Llama decoder of 5 layers, 192 features, 6 heads of 32 that share 2 caches, and tied embeddings, in the form of `klm`.
Tokens 0 to 255 are bytes of UTF-8, 256 begins a document, 257 to 287 are not used. The weights are those of
`klm_small.npz`, int8 with a scale for each row; docs/zoo.md says how they were made.
"""

from __future__ import annotations

from importlib.resources import files
from io import BytesIO

import numpy as np
import onnx

from ._klm import DOCUMENT, SMALL, dequantised
from ._klm_onnx import network, opened


def build(seed: int = 0, *, tokens: int = 1, past: int = 8) -> onnx.ModelProto:
    """Return the network for `tokens` after `past` cached ones; it is trained, so that `seed` changes nothing."""
    return network(__name__, __doc__, SMALL, trained(), tokens, past)


def build_open(seed: int = 0) -> onnx.ModelProto:
    """Return the network with its numbers of tokens and of cached rows open, `new` and `past`."""
    return opened(build(seed, tokens=1, past=1))


def trained() -> dict[str, np.ndarray]:
    """Return the weights that the package holds, float32."""
    data = files(__name__.rpartition(".")[0]).joinpath("klm_small.npz").read_bytes()
    with np.load(BytesIO(data)) as stored:
        return dequantised(dict(stored), SMALL)


__all__ = ["DOCUMENT", "build", "build_open", "trained"]
