"""Choice of the next token from a model's scores: the arithmetic of tw_keyboard_choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..paged.arithmetic import exp

Scores: TypeAlias = "NDArray[np.float32]"

_WORD = (1 << 64) - 1


@dataclass
class Random:
    """SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014)."""

    state: int

    def drawn(self) -> int:
        """Return the next 64 bits."""
        self.state = self.state + 0x9E3779B97F4A7C15 & _WORD
        z = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        return z ^ z >> 31


def choose(scores: Scores, begin: int | None, temperature: float, random: Random) -> int | None:
    """
    Choose a token among the 256 bytes and `begin`: the one of the greatest score, the lowest of equal ones.

    With a temperature above 0 it is drawn with the probabilities of softmax(scores / temperature). scores: [tokens];
    returns None where one is NaN or the greatest is infinite.
    """
    candidates = [*range(256), *([] if begin is None else [begin])]
    values = np.asarray(scores, np.float32)[candidates]
    best = int(values.argmax())
    if np.isnan(values).any() or np.isinf(values[best]):
        return None
    if not temperature > 0:
        return candidates[best]
    weights = exp((values - values[best]) / np.float32(temperature)).astype(np.float64)
    sums = np.add.accumulate(weights)
    threshold = float(random.drawn() >> 11) * 2.0**-53 * float(sums[-1])
    return candidates[min(int(np.searchsorted(sums, threshold, side="right")), len(candidates) - 1)]
