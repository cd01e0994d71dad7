"""
Counters of passes, which `--mlir-pass-statistics` prints.

    @dataclass(frozen=True)
    class FoldPass(Pass):
        name = "fold"

        folded: Statistic = statistic("ops replaced by constants")

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            self.folded.add(fold(op))
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from xdsl.passes import ModulePass


@dataclass
class Statistic:
    """Counter of a pass: what it has counted since the pass was made; `name` is empty for that of its field."""

    description: str
    name: str = ""
    value: int = 0

    def add(self, count: int = 1) -> None:
        """Count `count` more."""
        self.value += count


def statistic(description: str, name: str = "") -> Any:
    """Return the declaration of a counter as a field of a pass, which is no option of it."""
    return dataclasses.field(
        init=False, repr=False, compare=False, default_factory=lambda: Statistic(description, name)
    )


def statistics_of(instance: ModulePass) -> list[Statistic]:
    """Return the counters of a pass with their names, in the order of these."""
    values = {field.name: getattr(instance, field.name) for field in dataclasses.fields(instance)}
    counters = {name: value for name, value in values.items() if isinstance(value, Statistic)}
    named = [dataclasses.replace(value, name=value.name or name.replace("_", "-")) for name, value in counters.items()]
    return sorted(named, key=lambda counter: counter.name)
