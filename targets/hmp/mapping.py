"""A mapping of layers to processors: what an order of letters says, and the stages that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic, did_you_mean


class MappedStage(NamedTuple):
    """Consecutive layers on one processor, from `first` to `last`."""

    processor: str
    first: int
    last: int


def processors(machine: Machine) -> Mapping[str, str]:
    """
    Return the processors of a machine by their letters, the first one of a name: B for `big`.

    Raises Diagnostic where two have the same letter.
    """
    letters: dict[str, str] = {}
    for engine in machine.engines:
        letter = engine.name[0].upper()
        if letter in letters:
            raise Diagnostic(
                f"two processors of '{machine.name}' begin with {letter}",
                found=f"{letters[letter]}, {engine.name}",
                remedy="rename one of the engines in the machine file",
            )
        letters[letter] = engine.name
    return letters


def order_of(order: str, points: str, layers: int, machine: Machine) -> Sequence[str]:
    """
    Return the processor of each layer, from a letter for each layer, or for each part between partition points.

    A single letter is for all layers; hyphens between letters are ignored. Raises Diagnostic for an unknown letter, an
    order of another length than the network, and points that are not increasing numbers of layers.
    """
    letters, text = processors(machine), order.replace("-", "").upper()
    unknown = next((letter for letter in text if letter not in letters), "")
    if unknown:
        choices = ", ".join(f"{letter} ({name})" for letter, name in sorted(letters.items()))
        raise Diagnostic(
            f"'{machine.name}' has no processor {unknown}",
            expected=f"letters of {choices}",
            found=order,
            remedy=did_you_mean(unknown, list(letters)) or "choose another letter, or another machine",
        )
    if points:
        text = _expanded(text, points, layers)
    if len(text) == 1:
        text *= layers
    if len(text) != layers:
        raise Diagnostic(
            f"the order {order} is for {len(text)} layers, the network has {layers}",
            expected=f"{layers} letters, one for each layer, or a single one for all",
            found=f"{len(text)} letters",
            remedy="`tilewright coop plan MODEL` shows the layers",
        )
    return [letters[letter] for letter in text]


def _expanded(text: str, points: str, layers: int) -> str:
    """Return a letter for each layer, from one for each part between partition points."""
    cuts = [int(part) if part.isdecimal() else -1 for part in points.replace(",", "+").split("+")]
    bounds = [0, *cuts, layers]
    if len(text) != len(cuts) + 1 or any(low >= high for low, high in pairwise(bounds)):
        raise Diagnostic(
            f"the partition points {points} do not cut {layers} layers into {len(text)} parts",
            expected=f"numbers from 1 to {layers - 1}, increasing, one less than the {len(text)} letters of the order",
            found=points,
            remedy="give a letter for each part, and the number of the first layer of each part but the first",
        )
    return "".join(letter * (high - low) for letter, (low, high) in zip(text, pairwise(bounds), strict=True))


def stages_of(order: Sequence[str]) -> list[MappedStage]:
    """Return the stages of a mapping: the maximal runs of layers on one processor."""
    stages: list[MappedStage] = []
    for processor, run in groupby(order):
        first = stages[-1].last + 1 if stages else 0
        stages.append(MappedStage(processor, first, first + len(list(run)) - 1))
    return stages
