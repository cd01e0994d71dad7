"""The pass `map-engines`: assign each kernel to an engine of the machine."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from ..dialects.core.kernel import is_kernel, is_shaped
from ..dialects.core.layouts import layout_map
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.engine import Engine
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import GridOp
from ..errors import Diagnostic, did_you_mean
from ..ir import element_of, functions, where
from .core.base import Pass
from .core.remarks import missed, passed, wanted
from .mapping.refusals import note_refusals, refusals_of, refuse

ATTRIBUTE = "engine"


def map_engines(module: ModuleOp, machine: Machine) -> None:
    """
    Assign every kernel of the module's functions to an engine, by its attribute `engine`; note why no other took it.

    Kernels of a grid with an engine are unchanged. Raises Diagnostic as `engine_of` does.
    """
    for function in functions(module):
        for op in nested_ops(function):
            if is_kernel(op) and not _is_in_mapped_grid(op):
                map_kernel(op, machine)


def map_kernel(op: Operation, machine: Machine) -> None:
    """Assign a kernel to an engine, and note why no other took it. Raises Diagnostic as `engine_of` does."""
    engine, is_named = engine_of(op, machine), ATTRIBUTE in op.attributes
    op.attributes[ATTRIBUTE] = StringAttr(engine.name)
    for other in machine.engines:
        if needs_tiles(other, op):
            refuse(op, other.name, "it takes blocks of rows, as which no plan tiles the operands of loops and branches")
    note_refusals(op, engine, machine, is_named=is_named)
    if wanted():
        _remark(op, engine, machine, is_named=is_named)


def _remark(op: Operation, engine: Engine, machine: Machine, *, is_named: bool) -> None:
    """Remark on the engine of a kernel, and on those that did not take it."""
    by = "named by its attribute" if is_named else "the least of those that run it"
    cycles = machine.cost(engine, op)
    passed(op, "engine", "'{engine}', {cycles:,} cycles modelled, {by}", engine=engine.name, cycles=cycles, by=by)
    for other, reason in refusals_of(op).items():
        missed(op, "engine", "not '{engine}': {reason}", engine=other, reason=reason)


def engine_of(op: Operation, machine: Machine) -> Engine:
    """
    Return the engine that a kernel's attribute `engine` names, else the one with the least modelled cycles.

    Raises Diagnostic if no engine runs the kernel, or the named one does not.
    """
    hint = op.attributes.get(ATTRIBUTE)
    name = hint.data if isinstance(hint, StringAttr) else None
    named = next((engine for engine in machine.engines if engine.name == name), None)
    if named is not None and machine.cost(named, op) is not None and not needs_tiles(named, op):
        return named
    able = [engine for engine, _ in machine.engines_for(op) if not needs_tiles(engine, op)]
    if not able:
        raise Diagnostic(
            f"no engine of '{machine.name}' runs '{op.name}' on these types",
            where=where(op),
            found=_types(op),
            remedy="give an engine that runs '*', or lower the op to one that an engine runs",
        )
    return able[0] if hint is None else _named(op, hint, able, machine)


def needs_tiles(engine: Engine, op: Operation) -> bool:
    """
    Return whether an engine takes operands in blocks of rows, and those of a kernel stay in none.

    plan-memory tiles the kernels of a function's outermost block; those of loops and branches work on whole buffers.
    """
    support = engine.support(op)
    if support is None or not support.blocked or any(layout_map(value.type) for value in op.operands):
        return False
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp | GridOp):
        if isinstance(parent, scf.ForOp | scf.IfOp | scf.WhileOp):
            return True
        parent = parent.parent_op()
    return False


def mapped_engine(op: Operation, machine: Machine) -> Engine:
    """Return the engine that a kernel is mapped to; without a mapping, the one that `map-engines` would select."""
    name = op.attributes.get(ATTRIBUTE)
    return machine.engine(name.data) if isinstance(name, StringAttr) else engine_of(op, machine)


def _named(op: Operation, hint: Attribute, able: list[Engine], machine: Machine) -> Engine:
    name = hint.data if isinstance(hint, StringAttr) else str(hint)
    for engine in able:
        if engine.name == name:
            return engine
    exists = any(engine.name == name for engine in machine.engines)
    message = f"engine '{name}' does not run" if exists else f"'{machine.name}' has no engine '{name}' for"
    names = [engine.name for engine in able]
    raise Diagnostic(
        f"{message} '{op.name}' on {_types(op)}",
        where=where(op),
        expected=f"one that does: {', '.join(names)}",
        remedy=did_you_mean(name, names) or "change the attribute 'engine', or remove it to have the fastest",
    )


def _types(op: Operation) -> str:
    """Return the element types of the operands of an op, the outputs last."""
    return ", ".join(str(element_of(value) if is_shaped(value) else value.type) for value in op.operands)


def _is_in_mapped_grid(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, GridOp) and ATTRIBUTE in parent.attributes:
            return True
        parent = parent.parent_op()
    return False


@dataclass(frozen=True)
class MapEnginesPass(Pass):
    """
    Assign each kernel to an engine of the machine.

    The machine is the module's (attach-machine). A kernel, on tensors or on buffers, gets the attribute `engine`: the
    name of the engine with the least modelled cycles, ties broken by name. An existing attribute is kept, and checked.
    The cost excludes transfers and concurrency: a small kernel between two of another engine may be faster on theirs,
    which an attribute can select. The attribute `refusals` says of each other engine why it did not take the kernel;
    reasons that passes have noted before are kept.
    """

    name = "map-engines"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Assign the kernels of the module."""
        map_engines(op, machine_of(op))
