"""Sequences of the paged store, and the step that is open."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .arithmetic import Stored


@dataclass
class Sequence:
    """
    Tokens of a sequence, the rows of its full blocks, and its tail.

    tail: keys and values of the last, partial block as stored [pages][2][page_length][D].
    """

    tail: Stored
    tokens: list[int] = field(default_factory=list[int])
    rows: list[int] = field(default_factory=list[int])

    @property
    def length(self) -> int:
        """Number of tokens."""
        return len(self.tokens)


@dataclass
class OpenStep:
    """
    Open step: tokens that come to a sequence, the rows of the blocks that they fill, and the new tail.

    `tail` is the sequence's own where no block is filled: what is appended lies beyond its length. `layers` counts the
    layers that are appended.
    """

    sequence: Sequence
    tokens: NDArray[np.uint32]
    rows: list[int]
    tail: Stored
    layers: int = 0

    @property
    def first(self) -> int:
        """Position of the step's first token."""
        return self.sequence.length

    @property
    def all_rows(self) -> list[int]:
        """Rows of all full blocks, those of the step included."""
        return self.sequence.rows + self.rows
