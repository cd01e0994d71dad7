"""Values of a simulated program, numbered, with constant folding ahead of the run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

Code: TypeAlias = Callable[[list[Any]], None]
"""Executes one op on the list of values."""


class Values:
    """Values of a program in slots; constants are folded before the run."""

    def __init__(self) -> None:
        self.numbered: list[Any] = []
        self._slots: dict[SSAValue, int] = {}
        self._known: set[int] = set()

    def slot(self, value: SSAValue) -> int:
        """Return the slot of a value."""
        if value not in self._slots:
            self._slots[value] = len(self.numbered)
            self.numbered.append(None)
        return self._slots[value]

    def slots(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        """Return the slots of values."""
        return tuple(self.slot(value) for value in values)

    def fix(self, value: SSAValue, known: Any) -> None:
        """Set a value to a constant."""
        slot = self.slot(value)
        self.numbered[slot] = known
        self._known.add(slot)

    @contextmanager
    def another_call(self) -> Generator[None]:
        """Give the values of a function fresh slots for one of its calls."""
        slots, self._slots = self._slots, {}
        yield
        self._slots = slots

    def computed(self, result: SSAValue, sources: Sequence[SSAValue], compute: Callable[..., Any]) -> Code | None:
        """Return the code that computes a value from others; None if it folds to a constant."""
        slots, target = self.slots(sources), self.slot(result)
        if all(slot in self._known for slot in slots):
            self.fix(result, compute(*(self.numbered[slot] for slot in slots)))
            return None
        if len(slots) == 2:
            a, b = slots

            def run_two(values: list[Any]) -> None:
                values[target] = compute(values[a], values[b])

            return run_two

        def run(values: list[Any]) -> None:
            values[target] = compute(*[values[slot] for slot in slots])

        return run

    def same(self, result: SSAValue, source: SSAValue) -> Code | None:
        """Return the code that copies a value; None for a constant."""
        there, target = self.slot(source), self.slot(result)
        if there in self._known:
            self.fix(result, self.numbered[there])
            return None

        def run(values: list[Any]) -> None:
            values[target] = values[there]

        return run
