"""Statistics of ops: how many of each name a program has."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation

from ..dialects.core.nesting import nested_ops
from .core.base import Pass


def count_ops(module: Operation) -> dict[str, int]:
    """Return the number of ops of each name, by name; the module is one of them."""
    names = (op.op_name.data if isinstance(op, UnregisteredOp) else op.name for op in nested_ops(module))
    return dict(sorted(Counter(names).items()))


def table(counts: Mapping[str, int]) -> str:
    """Return counts as a table, aligned at the dots of the names."""
    parts = [name.partition(".") if "." in name else ("", "", name) for name in counts]
    dialects, ops = (max((len(part[index]) for part in parts), default=0) for index in (0, 2))
    rows = [
        f"{dialect:>{dialects + 2}}{dot or ' '}{op:<{ops}} , {count}"
        for (dialect, dot, op), count in zip(parts, counts.values(), strict=True)
    ]
    return "\n".join(["Operations encountered:", "-----------------------", *rows])


def as_json(counts: Mapping[str, int]) -> str:
    """Return counts as a JSON object."""
    rows = ",\n".join(f'  "{name}" : {count}' for name, count in counts.items())
    return f"{{\n{rows}\n}}"


@dataclass(frozen=True)
class PrintOpStatsPass(Pass):
    """
    Print how many ops of each name the program has, to standard error; with `json` as a JSON object.

    The program stays as it is. Upstream's pass of that name.
    """

    name = "print-op-stats"

    json: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        counts = count_ops(op)
        print(as_json(counts) if self.json else table(counts), file=sys.stderr)
