"""Refusals: why engines did not take a kernel, as an attribute of it."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine

REFUSALS = "refusals"
"""Attribute of a kernel: a dictionary from the names of engines to texts."""


def refuse(op: Operation, engine: str, reason: str) -> None:
    """Note why an engine did not take a kernel; a later reason replaces an earlier one."""
    _set(op, {**refusals_of(op), engine: reason})


def refusals_of(op: Operation) -> dict[str, str]:
    """Return the reasons noted on a kernel, by engine."""
    noted = op.attributes.get(REFUSALS)
    if not isinstance(noted, DictionaryAttr):
        return {}
    return {name: text.data for name, text in noted.data.items() if isinstance(text, StringAttr)}


def forget_refusals(module: ModuleOp) -> None:
    """Remove the reasons from all kernels of a module."""
    for op in module.walk():
        op.attributes.pop(REFUSALS, None)


def reasons(op: Operation, chosen: Engine, machine: Machine, *, is_named: bool = False) -> dict[str, str]:
    """
    Return why each engine but the chosen one did not take a kernel: reasons noted by passes, else the machine's.

    `is_named` says that the attribute `engine` chose, not the modelled cycles.
    """
    noted = refusals_of(op)
    others = [engine for engine in machine.engines if engine.name != chosen.name]
    return {
        engine.name: noted.get(engine.name)
        or machine.fault(engine, op)
        or _slower(op, engine, chosen, machine, is_named)
        for engine in others
    }


def note_refusals(op: Operation, chosen: Engine, machine: Machine, *, is_named: bool = False) -> None:
    """Note the `reasons` on a kernel; without another engine it has no such attribute."""
    _set(op, reasons(op, chosen, machine, is_named=is_named))


def _set(op: Operation, texts: Mapping[str, str]) -> None:
    op.attributes.pop(REFUSALS, None)
    if texts:
        op.attributes[REFUSALS] = DictionaryAttr({name: StringAttr(text) for name, text in texts.items()})


def _slower(op: Operation, engine: Engine, chosen: Engine, machine: Machine, is_named: bool) -> str:
    here, there = machine.cost(engine, op), machine.cost(chosen, op)
    named = f"the attribute 'engine' names '{chosen.name}'; " if is_named else ""
    return f"{named}{here:,} cycles here, {there:,} on '{chosen.name}'"
