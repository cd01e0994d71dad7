"""
Replay of a counterexample: executions of a program that `verify-memory` refuses, which show what the refusal says.

Both sides of a race occur: the programs that it names run as early and as late as streams let them, the accesses that
it names complete as they are issued or as they are waited for, and memory that nothing has written holds other bytes.
Lookups give the ends of their ranges. Calls follow each other, with the slots that the one before has left in streams.
Kernels whose operands overlap run as loops, an element at a time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import TYPE_CHECKING, cast

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Operation

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.interleaving import Order
from ...dialects.core.nesting import nested_ops
from ...dialects.core.syntax.text import new_context
from ...dialects.hier import GridOp, StreamOp
from ...dialects.hier.lookups import LookupOp
from ...errors import Diagnostic
from ...files import path_of
from ...ir import Array, where
from ...passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from ...passes.expand_grid import ExpandGridPass
from ...passes.pipeline_dma import PipelineDmaPass
from ..interpreter import Session, random_inputs, run_module

if TYPE_CHECKING:
    from ...passes.proof.rules import Refusal

_POISONS = {0x5A: "bytes 0x5a", 0xFF: "bytes 0xff", 0x100: "random bytes"}
"""Content of memory that nothing has written; floats of the second are no number."""
_INPUTS = 3
"""Random inputs that are tried, where none are given."""
_SMALLER = 16
"""Divisor of the floats in the last of them: where large ones decide a softmax alone, others count besides."""
_ROUNDING = 1e-3
"""Relative difference of floats up to which kernels and their loops, which add up in another order, are equal."""
STRUCTURAL = {
    "aligned": "the address is aligned or not, whatever an execution computes",
    "constant": "the memory is constant or not, whatever an execution computes",
    "level": "the place is in the level or not, whatever an execution computes",
    "static": "the transfers depend on data or not, whatever an execution computes",
}
"""Rule about the place or the form of an access -> why no execution shows it."""


def structural(refusal: Refusal) -> str:
    """Return why no execution shows a refusal; empty where one may."""
    if refusal.rule == "disjoint" and isinstance(refusal.ops[0], GridOp):
        return "the buffers of a grid are its own at all of its points, whatever its loops do with them"
    return STRUCTURAL.get(refusal.rule, "")


@dataclass(frozen=True)
class FaultExecution:
    """Execution that shows a refusal: the order of its steps, and what it does."""

    order: str
    shows: str


def replay(
    module: ModuleOp,
    refusal: Refusal,
    inputs: Mapping[str, Array] | None = None,
    against: ModuleOp | None = None,
    *,
    seeds: int = 20,
) -> FaultExecution | None:
    """
    Return an execution of a refused program that shows the fault, None where none of those tried does.

    Those of `refusal` are tried first, then random ones by `seeds`. The inputs are random where none are given. Grids
    run as loops and as pipelined loops, beside their own semantics. The program `against` computes the right results.
    """
    forms = [("", module)]
    if any(isinstance(op, GridOp) for op in nested_ops(module)):
        try:
            forms += _forms(module)
        except Diagnostic as error:
            return FaultExecution("as loops", f"it cannot be expanded: {error.message}")
    samples = [inputs] if inputs is not None else list(_inputs(module))
    for arrays in samples:
        base = _run(module, arrays, Order())
        if isinstance(base, str):
            return FaultExecution(_DEFAULT, base)
        for (form, program), (name, order) in product(forms, _orders(refusal, seeds)):
            outcome = _run(program, arrays, order)
            difference = outcome if isinstance(outcome, str) else _difference(base, outcome)
            if difference:
                return FaultExecution(f"{form}{name}", difference)
        directed = _BY_RULE.get(refusal.rule)
        shown = (directed(module, arrays) if directed else None) or _looked_up(forms, arrays)
        if shown is None and against is not None:
            shown = _compared(module, against, arrays)
        if shown is not None:
            return shown
    return None


def _compared(module: ModuleOp, against: ModuleOp, inputs: Mapping[str, Array]) -> FaultExecution | None:
    """Return the first of a few calls in a row that computes something else than the right program."""
    sessions = Session(module), Session(against)
    for call, arrays in enumerate([inputs, *_inputs(module)]):
        try:
            actual, right = (session.run(arrays) for session in sessions)
        except Diagnostic as error:
            return FaultExecution(_DEFAULT, _stopped(error))
        if difference := _difference(right, actual):
            return FaultExecution(f"{_DEFAULT}{f', call {call + 1} in a row' if call else ''}", difference)
    return None


def _in_flight(module: ModuleOp, inputs: Mapping[str, Array]) -> FaultExecution | None:
    """Return the execution if it ends before its transfers have been waited for."""
    session = Session(module)
    session.run(inputs)
    if not session.in_flight:
        return None
    op = session.in_flight[0]
    return FaultExecution(_DEFAULT, f"it ends while '{op.name}' ({where(op)}) is in flight")


def _repeated(module: ModuleOp, inputs: Mapping[str, Array]) -> FaultExecution | None:
    """Return an execution of calls in a row, as many as use up the slots of streams, where one differs."""
    depths = [op.depth.data for op in nested_ops(module) if isinstance(op, StreamOp)]
    session = Session(module, interleave=Order(keeps=True))
    first: dict[str, Array] | None = None
    for call in range(2 + max(depths) if depths else 0):
        name = f"call {call + 1} in a row, with the slots that the calls before have left in streams"
        try:
            outputs = session.run(inputs)
        except Diagnostic as error:
            return FaultExecution(name, _stopped(error))
        if first is not None and (difference := _difference(first, outputs)):
            return FaultExecution(name, difference)
        first = first or outputs
    return None


def _as_loops(module: ModuleOp, inputs: Mapping[str, Array]) -> FaultExecution | None:
    """Return the execution of kernels as loops, which write before they have read all, where it differs."""
    loops = module.clone()
    try:
        expected = run_module(module, inputs)
        ExpandGridPass().apply(new_context(), loops)
        kept = [op for op in nested_ops(loops) if isinstance(op, scf.ForOp)]
        ConvertKernelsToLoopsPass().apply(new_context(), loops)
    except Diagnostic:
        return None
    for first in ("first", "last"):
        outcome = _run(loops, inputs, Order())
        difference = outcome if isinstance(outcome, str) else _difference(expected, outcome, _ROUNDING)
        if difference:
            return FaultExecution(f"kernels run as loops, the {first} element first", difference)
        _turn_round([op for op in nested_ops(loops) if isinstance(op, scf.ForOp) and op not in kept])
    return None


def _turn_round(loops: Sequence[scf.ForOp]) -> None:
    """Let loops run from their last step to their first, those of known bounds that carry nothing."""
    for loop in loops:
        bounds = [constant_integer(value) for value in (loop.lb, loop.ub, loop.step)]
        if loop.iter_args or None in bounds:
            continue
        low, high, step = cast("list[int]", bounds)
        index = loop.body.block.args[0]
        ends = arith.ConstantOp.from_int_and_width(low + range(low, max(high, low + 1), step)[-1], IndexType())
        turned = arith.SubiOp(ends, index)
        index.replace_all_uses_with(turned.result)
        turned.operands[1] = index
        loop.body.block.insert_ops_before([ends, turned], cast(Operation, loop.body.block.first_op))


_BY_RULE = {"token": _in_flight, "balance": _repeated, "disjoint": _as_loops}
"""Rule -> the execution that is directed at it."""


def _looked_up(forms: Sequence[tuple[str, ModuleOp]], inputs: Mapping[str, Array]) -> FaultExecution | None:
    """Return an execution that stops where lookups give an end of their declared range."""
    for (form, program), entries in product(forms, ("low", "high")):
        if any(isinstance(op, LookupOp) for op in nested_ops(program)):
            outcome = _run(program, inputs, Order(entries=entries))
            if isinstance(outcome, str):
                which = "least" if entries == "low" else "greatest"
                return FaultExecution(f"{form}lookups give the {which} entry of their declared range", outcome)
    return None


def _inputs(module: ModuleOp) -> Iterator[dict[str, Array]]:
    """
    Yield random inputs, then those with small floats, and those whose tables hold the least, and the greatest entry of
    their range.
    """
    yield from (random_inputs(module, seed) for seed in range(_INPUTS))
    arrays = random_inputs(module, _INPUTS)
    yield {
        name: array / array.dtype.type(_SMALLER) if array.dtype.kind == "f" else array for name, array in arrays.items()
    }
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


def _orders(refusal: Refusal, seeds: int) -> Iterator[tuple[str, Order]]:
    """Yield orders of execution with their descriptions: the default one, those that change one thing, random ones."""
    plain = Order()
    yield _DEFAULT, plain
    for byte, name in _POISONS.items():
        yield f"memory that nothing has written holds {name}", replace(plain, undefined=byte)
    moments: list[tuple[str, bool | frozenset[Operation]]] = [("at their waits", False), ("as they are issued", True)]
    moments += [
        (f"at their waits, those of '{op.name}' ({where(op)}) as issued", frozenset({op})) for op in refusal.ops
    ]
    yield from ((f"transfers move their data {when}", replace(plain, early=early)) for when, early in moments[1:])
    for first, last in permutations(dict.fromkeys(refusal.programs[:4]), 2):
        for when, early in moments:
            text = f"program '{first}' runs as early as it can, '{last}' as late, transfers move their data {when}"
            yield text, Order(ranks={first: 1, last: -1}, early=early)
    for name, (rank, when) in product(dict.fromkeys(refusal.programs), {-1: "late", 1: "early"}.items()):
        yield f"program '{name}' runs as {when} as it can", Order(ranks={name: rank})
    for seed in range(seeds):
        yield f"random, of seed {seed}", Order(seed)


def _run(module: ModuleOp, inputs: Mapping[str, Array], order: Order) -> dict[str, Array] | str:
    """Return the outputs of an execution, or why it stops."""
    try:
        return run_module(module, inputs, interleave=order)
    except Diagnostic as error:
        return _stopped(error)


def _stopped(error: Diagnostic) -> str:
    at = f" ({error.where})" if error.where else ""
    return f"it stops: {error.message}{at}{': ' + error.found if error.found else ''}"


def _difference(expected: Mapping[str, Array], actual: Mapping[str, Array], rounding: float = 0.0) -> str:
    """Return the first element of the outputs that differs, floats by more than `rounding`; empty where none does."""
    for name, wanted in expected.items():
        other = actual[name]
        same = np.isclose(other, wanted, rounding, rounding) if wanted.dtype.kind == "f" else other == wanted
        differs = np.argwhere(~same & ~((other != other) & (wanted != wanted)))
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
    what = "a program that computes the right results"
    parser.add_argument("--against", type=path_of, metavar="PROGRAM", help=what)
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="random orders that are tried at last (20)")


def run(module: ModuleOp, inputs: Mapping[str, Array] | None, against: ModuleOp | None, seeds: int) -> int:
    """
    Prove a program; where it is refused, print the refusal and an execution that shows it. Returns the exit code.

    The program `against` computes the right results.
    """
    from ...passes.proof.rules import Refusal
    from ...passes.verify_memory import verify_memory

    try:
        verify_memory(module)
    except Refusal as refusal:
        print(_told(refusal, replay(module, refusal, inputs, against, seeds=seeds), seeds))
        raise
    print("proved: all executions compute the same")
    return 0


def _told(refusal: Refusal, shown: FaultExecution | None, seeds: int) -> str:
    if shown is not None:
        return f"replayed: {shown.order}\n          {shown.shows}"
    if why := structural(refusal):
        return f"not replayed: {why} (rule '{refusal.rule}')"
    return (
        f"not replayed: no order shows it on these inputs, of those tried, {seeds} random ones among them; "
        "--against a right program compares the results"
    )
