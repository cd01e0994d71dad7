"""
A Llama of integers, written once for two readers: one that calibrates it on numbers, one that writes it as ONNX.

The encoding is that of Deeploy's microLlama (arXiv:2408.04413): FLOAT tensors of integers, RequantShift between 8-bit
tensors, iRMSNorm, iSoftmax, iHardswish, TrueIntegerDiv, rotary embedding as a product with a matrix for each position.
The matrices are a constant, from which the input `position` selects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import cos, isqrt, log, sin
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ...errors import Diagnostic
from ...runtime.interpreter.onnx_custom import CUSTOM
from ._builder import deviation

T = TypeVar("T")
MASK = 4096
"""What is taken from the score of a row that is not to be seen: enough for iSoftmax to give 0."""

_SHIFT = 16
_SIGMA = 127 / 3.5
_SCORE_UNIT = 1 / 32
"""The real number that one step of an 8-bit score stands for."""

REQUANT = {"div": 1 << _SHIFT, "n_levels": 256, "signed": 1}
SOFTMAX = {
    # Kim et al., I-BERT (arXiv:2101.01321), eq. 13: exp(p) = 0.3585 (p + 1.353)^2 + 0.344 for -ln 2 < p <= 0.
    "coeffA": 1,
    "coeffB": round(1.353 / _SCORE_UNIT),
    "coeffC": round(0.344 / 0.3585 / _SCORE_UNIT**2),
    "log2": round(log(2) / _SCORE_UNIT),
    "n_levels": 256,
}
HARDSWISH = {"one_over_six": 42, "six": 362, "three": 181}
NORM = {"D": 1 << _SHIFT, "n_levels": 256}


@dataclass(frozen=True)
class Config:
    """
    The size of a network: `dim` features in `heads` heads, `hidden` ones in the MLP; `context` positions at most.

    The default is that of the smallest TinyStories model of https://github.com/karpathy/llama2.c (260K), with as many
    heads for keys as for queries.
    """

    layers: int = 5
    dim: int = 64
    heads: int = 8
    hidden: int = 172
    vocabulary: int = 512
    context: int = 512

    def __post_init__(self) -> None:
        for name in ("layers", "dim", "heads", "hidden", "vocabulary", "context"):
            if getattr(self, name) < 1:
                raise Diagnostic(f"a Llama of {getattr(self, name)} {name}", expected="one at least")
        if self.dim % self.heads or self.dim // self.heads % 2:
            raise Diagnostic(
                f"{self.dim} features do not make {self.heads} heads",
                expected="an even number of features for each head",
            )

    @property
    def head(self) -> int:
        """The features of one head."""
        return self.dim // self.heads

    @property
    def division(self) -> dict[str, int]:
        """The attributes of TrueIntegerDiv by the root of the features of a head; its result is 2^14 times as large."""
        return {"Delta": 1 << 14, "eps": 1, "eta": 200_000, "y": max(1, isqrt(self.head))}


class Ops(Protocol[T]):
    """Builder for the network's nodes. Constants and factors are memoised by key."""

    def embed(self, key: str) -> T: ...
    def norm(self, x: T, key: str) -> T: ...
    def linear(self, x: T, key: str) -> T: ...
    def requant(self, x: T, key: str) -> T: ...
    def split_heads(self, x: T) -> T: ...
    def rotate(self, x: T) -> T: ...
    def heads_first(self, x: T) -> T: ...
    def append(self, x: T, key: str) -> T: ...
    def scores(self, queries: T, keys: T) -> T: ...
    def divide(self, x: T) -> T: ...
    def mask(self, x: T) -> T: ...
    def softmax(self, x: T) -> T: ...
    def weigh(self, shares: T, values: T) -> T: ...
    def join_heads(self, x: T) -> T: ...
    def hardswish(self, x: T) -> T: ...
    def multiply(self, x: T, y: T) -> T: ...
    def add(self, x: T, y: T) -> T: ...


class Llama(Generic[T]):
    """The network, over whatever `ops` work on."""

    def __init__(self, config: Config, ops: Ops[T]):
        self._config = config
        self._ops = ops

    def logits(self) -> T:
        """Return an int32 score for each token of the vocabulary, for each new position."""
        x = self._ops.embed("embedding")
        for layer in range(self._config.layers):
            x = self._residual(x, self._attention(x, f"{layer}.attention"), f"{layer}.attention")
            x = self._residual(x, self._mlp(x, f"{layer}.mlp"), f"{layer}.mlp")
        return self._ops.linear(self._ops.norm(x, "norm"), "head")

    def _residual(self, x: T, branch: T, key: str) -> T:
        ops = self._ops
        return ops.requant(ops.add(ops.requant(x, f"{key}.skip"), branch), f"{key}.sum")

    def _linear(self, x: T, key: str) -> T:
        return self._ops.requant(self._ops.linear(x, key), key)

    def _attention(self, x: T, key: str) -> T:
        ops = self._ops
        x = ops.norm(x, f"{key}.norm")
        queries, keys = (
            ops.heads_first(
                ops.requant(ops.rotate(ops.split_heads(self._linear(x, f"{key}.{name}"))), f"{key}.r{name}")
            )
            for name in "qk"
        )
        keys = ops.append(keys, f"{key}.k")
        values = ops.append(ops.heads_first(ops.split_heads(self._linear(x, f"{key}.v"))), f"{key}.v")
        scores = ops.divide(ops.requant(ops.scores(queries, keys), f"{key}.scores"))
        shares = ops.softmax(ops.mask(ops.requant(scores, f"{key}.divided")))
        seen = ops.requant(ops.weigh(ops.requant(shares, f"{key}.shares"), values), f"{key}.seen")
        return self._linear(ops.join_heads(seen), f"{key}.o")

    def _mlp(self, x: T, key: str) -> T:
        ops = self._ops
        x = ops.norm(x, f"{key}.norm")
        gate = ops.requant(ops.hardswish(self._linear(x, f"{key}.gate")), f"{key}.swish")
        both = ops.requant(ops.multiply(gate, self._linear(x, f"{key}.up")), f"{key}.product")
        return self._linear(both, f"{key}.down")


def rotary(config: Config) -> np.ndarray:
    """
    Return the rotation [context, head, head] of the features of a head for each position, in units of 1 / 127.

    Su et al., RoFormer (arXiv:2104.09864): neighbouring pairs turn by position * 10000^(-2 i / head).
    """
    table = np.zeros((config.context, config.head, config.head), np.int64)
    for position in range(config.context):
        for pair in range(0, config.head, 2):
            angle = position * 10000.0 ** (-pair / config.head)
            c, s = round(127 * cos(angle)), round(127 * sin(angle))
            table[position, pair : pair + 2, pair : pair + 2] = [[c, s], [-s, c]]
    return table


@dataclass
class Calibrator:
    """
    Runs the network on `tokens` at positions from 0 on, all at once, and draws weights and chooses factors on the way.

    `constants` then has the weights by key, `factors` the `mul` of each RequantShift, which maps what it saw to a
    deviation of 36 in 8 bits.
    """

    config: Config
    random: np.random.RandomState
    tokens: np.ndarray
    constants: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    factors: dict[str, int] = field(default_factory=dict[str, int])

    def _weights(self, key: str, shape: tuple[int, ...]) -> np.ndarray:
        drawn = self.random.randint(-31, 32, size=(4, *shape), dtype=np.int64).sum(axis=0)
        return self.constants.setdefault(key, drawn)

    def embed(self, key: str) -> np.ndarray:
        return self._weights(key, (self.config.vocabulary, self.config.dim))[self.tokens][None]

    def norm(self, x: np.ndarray, key: str) -> np.ndarray:
        low, high = int(0.8 * _SIGMA * NORM["D"]), int(1.2 * _SIGMA * NORM["D"])
        gain = self.constants.setdefault(key, self.random.randint(low, high, size=self.config.dim, dtype=np.int64))
        return np.asarray(CUSTOM["iRMSNorm"](NORM.__getitem__, x, gain))

    def linear(self, x: np.ndarray, key: str) -> np.ndarray:
        return x @ self._weights(key, (x.shape[-1], linear_features(self.config, key)))

    def requant(self, x: np.ndarray, key: str) -> np.ndarray:
        sigma = float(deviation(x[np.isfinite(x)].reshape(1, -1))[0])
        self.factors[key] = max(1, round(_SIGMA / sigma * (1 << _SHIFT)))
        mul, add = np.array(self.factors[key]), np.array(0)
        return np.asarray(CUSTOM["RequantShift"](REQUANT.__getitem__, x, mul, add))

    def split_heads(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(1, -1, self.config.heads, self.config.head)

    def rotate(self, x: np.ndarray) -> np.ndarray:
        return x @ rotary(self.config)[None, : len(self.tokens)]

    def heads_first(self, x: np.ndarray) -> np.ndarray:
        return x.transpose(0, 2, 1, 3)

    def append(self, x: np.ndarray, key: str) -> np.ndarray:
        return x

    def scores(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return queries @ keys.transpose(0, 1, 3, 2)

    def divide(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(CUSTOM["TrueIntegerDiv"](self.config.division.__getitem__, x))

    def mask(self, x: np.ndarray) -> np.ndarray:
        return x - MASK * np.triu(np.ones(x.shape[-2:], np.int64), 1)

    def softmax(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(CUSTOM["iSoftmax"](SOFTMAX.__getitem__, x))

    def weigh(self, shares: np.ndarray, values: np.ndarray) -> np.ndarray:
        return shares @ values

    def join_heads(self, x: np.ndarray) -> np.ndarray:
        return x.transpose(0, 2, 1, 3).reshape(1, -1, self.config.dim)

    def hardswish(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(CUSTOM["iHardswish"](HARDSWISH.__getitem__, x))

    def multiply(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x * y

    def add(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x + y


def linear_features(config: Config, key: str) -> int:
    """Return the number of output features of a linear layer."""
    sizes: dict[str, int] = {"gate": config.hidden, "up": config.hidden, "head": config.vocabulary}
    return sizes.get(key.rpartition(".")[2], config.dim)


@cache
def calibrated(config: Config, seed: int, samples: int = 32) -> Calibrator:
    """Return the weights and factors of a network, drawn from `seed` and calibrated on as many random tokens."""
    random = np.random.RandomState(seed)
    count = min(samples, config.context)
    calibrator = Calibrator(config, random, random.randint(config.vocabulary, size=count))
    Llama[Any](config, calibrator).logits()
    return calibrator
