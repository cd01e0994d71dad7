"""
Replay of a counterexample: executions of a program that `verify-memory` refuses, which show what the refusal says.

Both sides of a race occur: the programs that it names run as early and as late as streams let them, transfers move
their data as they are issued or as they are waited for, and memory that nothing has written holds other bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...dialects.core.interleaving import Order
from ...dialects.core.nesting import nested_ops
from ...dialects.core.syntax.text import new_context
from ...dialects.hier import GridOp
from ...errors import Diagnostic
from ...files import path_of
from ...ir import Array
from ...passes.expand_grid import ExpandGridPass
from ...passes.pipeline_dma import PipelineDmaPass
from ..interpreter import random_inputs, run_module

if TYPE_CHECKING:
    from ...passes.proof.rules import Refusal

_POISONS = (0x5A, 0xFF)
"""Bytes of memory that nothing has written; floats of the second are no number."""
_INPUTS = 3
"""Random inputs that are tried, where none are given."""
STRUCTURAL = ("aligned", "constant", "level", "static")
"""Rules about the place or the form of an access, which hold or not whatever an execution computes."""


@dataclass(frozen=True)
class Execution:
    """Execution that shows a refusal: the order of its steps, and what it does."""

    order: str
    shows: str


def replay(
    module: ModuleOp, refusal: Refusal, inputs: Mapping[str, Array] | None = None, *, seeds: int = 20
) -> Execution | None:
    """
    Return an execution of a refused program that shows the fault, None where none of those tried does.

    Those of `refusal` are tried first, then random ones by `seeds`. The inputs are random where none are given. Grids
    run as loops and as pipelined loops, beside their own semantics.
    """
    forms = [("", module)]
    if any(isinstance(op, GridOp) for op in nested_ops(module)):
        try:
            forms = _forms(module)
        except Diagnostic as error:
            return Execution("as loops", f"it cannot be expanded: {error.message}")
    given = [inputs] if inputs is not None else list(_inputs(module))
    for arrays in given:
        base = _run(module, arrays, Order())
        if isinstance(base, str):
            return Execution(_DEFAULT, base)
        for (form, program), (name, order) in product(forms, _orders(refusal.programs, seeds)):
            found = _run(program, arrays, order)
            difference = found if isinstance(found, str) else _difference(base, found)
            if difference:
                return Execution(f"{form}{name}", difference)
    return None


def _inputs(module: ModuleOp) -> Iterator[dict[str, Array]]:
    """Yield random inputs, at last those whose tables hold the least, and the greatest entry of their range."""
    yield from (random_inputs(module, seed) for seed in range(_INPUTS))
    for end in ("low", "high"):
        yield random_inputs(module, _INPUTS, entries=end)


def _forms(module: ModuleOp) -> list[tuple[str, ModuleOp]]:
    """Return a program with grids as loops, and as pipelined ones, with descriptions."""
    loops = module.clone()
    ExpandGridPass().apply(new_context(), loops)
    pipelined = loops.clone()
    PipelineDmaPass().apply(new_context(), pipelined)
    return [("as loops, ", loops), ("as pipelined loops, ", pipelined)]


_DEFAULT = "each program runs until it blocks, transfers move their data at their waits"


def _orders(programs: Sequence[str], seeds: int) -> Iterator[tuple[str, Order]]:
    """Yield orders of execution with their descriptions: the default one, those that change one thing, random ones."""
    plain = Order()
    yield _DEFAULT, plain
    for byte in _POISONS:
        yield f"memory that nothing has written holds bytes {byte:#04x}", replace(plain, undefined=byte)
    yield "transfers move their data as they are issued", replace(plain, early=True)
    for first, last in permutations(programs[:4], 2):
        for early in (False, True):
            when = "as they are issued" if early else "at their waits"
            text = f"program '{first}' runs as early as it can, '{last}' as late, transfers move their data {when}"
            yield text, Order(ranks={first: 1, last: -1}, early=early)
    for seed in range(seeds):
        yield f"random, of seed {seed}", Order(seed)


def _run(module: ModuleOp, inputs: Mapping[str, Array], order: Order) -> dict[str, Array] | str:
    """Return the outputs of an execution, or why it stops."""
    try:
        return run_module(module, inputs, interleave=order)
    except Diagnostic as error:
        at = f" ({error.where})" if error.where else ""
        return f"it stops: {error.message}{at}{': ' + error.found if error.found else ''}"


def _difference(expected: Mapping[str, Array], found: Mapping[str, Array]) -> str:
    """Return the first element of the outputs that differs, empty where none does."""
    for name, wanted in expected.items():
        other = found[name]
        differs = np.argwhere((other != wanted) & ~((other != other) & (wanted != wanted)))
        if len(differs):
            at = tuple(map(int, differs[0]))
            more = f", and {len(differs) - 1:,} elements more" if len(differs) > 1 else ""
            return f"output '{name}' is {other[at]} at {list(at)}, and {wanted[at]} otherwise{more}"
    return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=path_of, metavar="PROGRAM", help="a .mlir file on buffers, in hier")
    parser.add_argument("--target", help="the machine: a name, a folder, a machine file (that of the program)")
    what = "arrays, by name or in order (random ones)"
    parser.add_argument("--inputs", type=path_of, metavar="FILE.npz", help=what)
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="random orders that are tried at last (20)")


def run(module: ModuleOp, inputs: Mapping[str, Array] | None, seeds: int) -> int:
    """Prove a program; where it is refused, print the refusal and an execution that shows it. Returns the exit code."""
    from ...passes.proof.rules import Refusal
    from ...passes.verify_memory import verify_memory

    try:
        verify_memory(module)
    except Refusal as refusal:
        shown = replay(module, refusal, inputs, seeds=seeds)
        print(_told(refusal, shown, seeds))
        raise
    print("proved: all executions compute the same")
    return 0


def _told(refusal: Refusal, shown: Execution | None, seeds: int) -> str:
    if shown is not None:
        return f"replayed: {shown.order}\n          {shown.shows}"
    if refusal.rule in STRUCTURAL:
        return f"not replayed: the rule '{refusal.rule}' holds or not whatever an execution computes"
    return f"not replayed: no order shows it on these inputs, of those tried, {seeds} random ones among them"
