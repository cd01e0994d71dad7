"""Mutation of a small concurrent program: one op is dropped, doubled or moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tilewright.test.oracles.interleavings_ir import (
    Add,
    Alloc,
    Call,
    Case,
    Concurrent,
    Copy,
    End,
    Loop,
    Op,
    Ops,
    Read,
    View,
    Wait,
    Write,
)


def mutated(random: Random, case: Case) -> Case:
    """Return a case of which one op of a program is dropped, doubled or moved."""
    spots: list[tuple[int, ...]] = []
    _find(case.body, (), spots, inside=False)
    if not spots:
        return case
    return replace(case, body=_changed(random, case.body, random.choice(spots)))


def _find(ops: Ops, path: tuple[int, ...], spots: list[tuple[int, ...]], *, inside: bool) -> None:
    for n, op in enumerate(ops):
        match op:
            case Concurrent(programs):
                for k, program in enumerate(programs):
                    _find(program.body, (*path, n, k), spots, inside=True)
            case Loop(body=body):
                _find(body, (*path, n), spots, inside=inside)
            case _:
                if inside and not isinstance(op, Alloc | View):
                    spots.append((*path, n))


def _changed(random: Random, ops: Ops, path: Sequence[int]) -> Ops:
    at, *rest = path
    op = ops[at]
    if rest:
        match op:
            case Concurrent(programs):
                k, *inner = rest
                body = _changed(random, programs[k].body, inner)
                changed: Op = Concurrent((*programs[:k], replace(programs[k], body=body), *programs[k + 1 :]))
            case Loop(body=body):
                changed = replace(op, body=_changed(random, body, rest))
            case _:
                raise AssertionError(op)
        return (*ops[:at], changed, *ops[at + 1 :])
    left = (*ops[:at], *ops[at + 1 :])
    way = random.choice(("drop", "double", "move", "move"))
    if (way == "double" and isinstance(op, Write | Read | Wait | Copy | Add | Call)) or (
        way == "double" and isinstance(op, End) and op.kind in ("push", "release")
    ):
        return (*ops[: at + 1], *ops[at:])
    if way == "drop":
        return left
    to = max(0, min(len(left), at + random.choice((-3, -2, -1, 1, 2, 3))))
    return (*left[:to], op, *left[to:])
