"""Sizes and weights of the keyboard language models: what the ONNX writer and the training share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import Diagnostic

DOCUMENT = 256
"""The token at the start of each document; tokens 0 to 255 are bytes of UTF-8."""

_STEPS = 1 << 15


@dataclass(frozen=True)
class KlmConfig:
    """
    Sizes of a Llama decoder: `layers` of `dim` features, `heads` of `head` features each that share `kv_heads` caches.

    `hidden` are the features of the feed-forward network, `theta` the base of the rotary frequencies (Su et al.,
    RoFormer, arXiv:2104.09864), `epsilon` the summand below the root of the RMS norm. The token embedding is the
    weight of the logits too. Raises a Diagnostic where sizes do not divide.
    """

    layers: int
    dim: int
    heads: int
    kv_heads: int
    head: int
    hidden: int
    vocabulary: int
    theta: float = 10_000.0
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        if self.heads % self.kv_heads:
            raise Diagnostic(
                "heads do not share the caches evenly",
                expected=f"a multiple of {self.kv_heads} heads",
                found=str(self.heads),
            )
        if self.head % 2:
            raise Diagnostic(
                "a head has no halves to rotate", expected="an even number of features", found=f"{self.head}"
            )

    def shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each weight's name and shape: matrices [outputs, inputs], norms [features], the embedding first."""
        queries, caches = self.heads * self.head, self.kv_heads * self.head
        yield "embedding", (self.vocabulary, self.dim)
        for layer in range(self.layers):
            at = f"layers.{layer}"
            yield f"{at}.attention.norm", (self.dim,)
            yield f"{at}.attention.q", (queries, self.dim)
            yield f"{at}.attention.k", (caches, self.dim)
            yield f"{at}.attention.v", (caches, self.dim)
            yield f"{at}.attention.o", (self.dim, queries)
            yield f"{at}.mlp.norm", (self.dim,)
            yield f"{at}.mlp.gate", (self.hidden, self.dim)
            yield f"{at}.mlp.up", (self.hidden, self.dim)
            yield f"{at}.mlp.down", (self.dim, self.hidden)
        yield "norm", (self.dim,)

    def frequencies(self) -> np.ndarray:
        """Return the rotary frequencies [head / 2] in radians a position, float32."""
        exponents = np.arange(0, self.head, 2, dtype=np.float64) / self.head
        return (self.theta**-exponents).astype(np.float32)


SMALL = KlmConfig(layers=5, dim=192, heads=6, kv_heads=2, head=32, hidden=448, vocabulary=288, theta=100_000.0)
"""The sizes of `klm-small`: 1.84 million parameters."""


def drawn(config: KlmConfig, seed: int) -> dict[str, np.ndarray]:
    """
    Return random float32 weights of `config`: matrices of the variance 1 / inputs, norms around 1.

    They are multiples of a step, so that the same seed gives the same bytes on every machine.
    """
    random = np.random.RandomState(seed)
    weights: dict[str, np.ndarray] = {}
    for name, shape in config.shapes():
        limit = 0.2 if len(shape) == 1 else (3 / shape[1]) ** 0.5
        steps = random.randint(-_STEPS, _STEPS, size=shape, dtype=np.int16).astype(np.float32)
        weights[name] = steps * np.float32(limit / _STEPS) + np.float32(len(shape) == 1)
    return weights


def quantised(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """
    Return `weights` with each matrix as int8 and a float32 scale for each row, `NAME.scale`; norms stay float32.

    A row is its integers times its scale, which is the row's largest magnitude over 127.
    """
    stored: dict[str, np.ndarray] = {}
    for name, values in weights.items():
        if values.ndim == 1:
            stored[name] = values.astype(np.float32)
            continue
        scale = (np.maximum(np.abs(values).max(axis=1), 1e-12) / 127).astype(np.float32)
        stored[name] = np.rint(values / scale[:, None]).clip(-127, 127).astype(np.int8)
        stored[f"{name}.scale"] = scale
    return stored


def dequantised(stored: Mapping[str, np.ndarray], config: KlmConfig) -> dict[str, np.ndarray]:
    """Return the float32 weights of `config` from `quantised` ones; raises a Diagnostic for one that does not fit."""
    weights: dict[str, np.ndarray] = {}
    for name, shape in config.shapes():
        values = stored.get(name)
        if values is None or values.shape != shape:
            raise Diagnostic(
                f"the weight {name} does not fit the network",
                expected=f"an array {list(shape)}",
                found="none" if values is None else f"an array {list(values.shape)}",
            )
        scale = stored.get(f"{name}.scale")
        weights[name] = values.astype(np.float32) if scale is None else values * scale[:, None]
    return weights
