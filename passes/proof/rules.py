"""Rules of `verify-memory`, and the form of its refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Operation

from ...errors import Diagnostic
from ...ir import where

Steps: TypeAlias = "tuple[tuple[str, int], ...]"
"""The loops around a step, outermost first: the name of the index and its value."""

RULES = {
    "written-once": "each element of an output lies in exactly one tile, and no tile is left and taken up again",
    "fill": "what lies outside of an operand is filled when it is read",
    "whole-kernel": "each tile is the one that the kernel needs at this place",
    "initialised": "bytes are written before they are read",
    "complete": "each element of an output is written",
    "disjoint": "buffers that are needed at the same time do not overlap",
    "level": "buffers lie inside of their level",
    "aligned": "addresses are multiples of the size of an element, and of the level's alignment",
    "in-place": "no grid point reads an element that another one has written",
    "inside": "accesses stay inside of their buffer",
    "race": "what a transfer writes is not touched, and what it reads is not written, before it has been waited for; "
    "what one copy, one program or one queue writes, no other one touches without an order between them",
    "deadlock": "concurrent programs end: none waits for a slot that no other one hands on",
    "balance": "each slot of a stream is reserved, pushed, popped and released equally often",
    "token": "each transfer is waited for exactly once",
    "fence": "each instruction on a queue is awaited by a fence before the program ends",
    "configured": "instructions before have set the registers of its queue that an instruction uses, and with these it "
    "accesses the regions that its record declares",
    "constant": "constant memory is not written",
    "static": "which transfers there are, and where to, does not depend on data",
}
"""Rule -> requirement; docs/verify-memory.md explains each."""


@dataclass(eq=False)
class Refusal(Diagnostic):
    """
    Error for a program that breaks a rule: `ops` are those that do together, and `programs` the names of the concurrent
    ones.
    """

    rule: str = ""
    programs: tuple[str, ...] = ()
    ops: tuple[Operation, ...] = ()


def refuse(
    rule: str,
    message: str,
    op: Operation,
    counterexample: Sequence[str],
    *,
    found: str = "",
    remedy: str = "",
    programs: Sequence[str] = (),
    others: Sequence[Operation] = (),
) -> Refusal:
    """Return the error for a program in which an op breaks a rule, with `others`, and the point at which it does."""
    at = ", ".join(filter(None, counterexample))
    return Refusal(
        f"{message} (rule '{rule}')",
        where=where(op),
        expected=RULES[rule],
        found=found,
        remedy=remedy,
        notes=[f"counterexample: {at}"] if at else [],
        rule=rule,
        programs=tuple(programs),
        ops=(op, *others),
    )


def listed(numbers: Sequence[int]) -> str:
    """Format numbers as `[1, 2]`."""
    return f"[{', '.join(map(str, numbers))}]"


def grid_point(point: Sequence[int], spatial: Sequence[int] = ()) -> str:
    """Format a grid point, with its spatial coordinates if there are any."""
    text = f"grid point ({', '.join(map(str, point))})"
    return f"{text} at spatial point ({', '.join(str(point[dim]) for dim in spatial)})" if spatial else text


def name_of(op: Operation, index: int) -> str:
    """Format an operand for messages."""
    hint = op.operands[index].name_hint if index < len(op.operands) else None
    return f"operand {index}" + (f" (%{hint})" if hint else "")


def shown(steps: Sequence[tuple[str, int]]) -> str:
    """Return loops and their indices, for messages."""
    return ", ".join(f"{name} = {value}" for name, value in steps)
