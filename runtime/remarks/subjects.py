"""Remarks by what they are about: an ONNX node, or a place in a file, with all passes that remarked on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...passes.core.remarks import PASSED, Remark

CYCLES = "cycles"
"""Argument of a remark that states modelled cycles."""


@dataclass(frozen=True)
class RemarkSubject:
    """Subject of remarks, an op or ONNX node; `remarks` are in the order of the passes."""

    title: str
    remarks: tuple[Remark, ...]

    @property
    def function(self) -> str:
        """Return the function around its ops."""
        return self.remarks[0].function

    @property
    def ops(self) -> list[str]:
        """Return the names of its ops, in the order of the passes."""
        return list(dict.fromkeys(remark.op for remark in self.remarks))

    @property
    def cycles(self) -> int:
        """Return its modelled cycles, as the last pass that states some has it; 0 if none does."""
        stated: dict[tuple[int, str], int] = defaultdict(int)
        for remark in self.remarks:
            cycles = remark.arguments.get(CYCLES)
            if remark.kind == PASSED and isinstance(cycles, int | float):
                stated[remark.pass_number, remark.name] += int(cycles)
        return max(stated.items(), key=lambda entry: entry[0][0])[1] if stated else 0

    def count(self, kind: str) -> int:
        """Return the number of its remarks of a kind."""
        return sum(remark.kind == kind for remark in self.remarks)


def subjects_of(remarks: Iterable[Remark]) -> list[RemarkSubject]:
    """
    Return the subjects of remarks, in the order of their first ones.

    Ops of one function belong together where they come from the same first node, else from the same place in a file.
    """
    groups: dict[tuple[str, str], list[Remark]] = {}
    for remark in remarks:
        places = (*remark.nodes[:1], *remark.positions[:1], remark.where)
        groups.setdefault((remark.function, places[0]), []).append(remark)
    return [RemarkSubject(_title(group), tuple(group)) for group in groups.values()]


def _title(remarks: Sequence[Remark]) -> str:
    """Return the most nodes that a remark names, else the first place."""
    nodes = max((remark.nodes for remark in remarks), key=len)
    return " + ".join(nodes) or remarks[0].where
