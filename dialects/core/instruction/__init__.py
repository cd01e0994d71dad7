"""
Instructions of a target's C runtime: a record each, from the function that is its semantics.

    @instruction("mysoc.add_rows", c="mysoc_add_rows", header="mysoc.h", cycles=lambda n: 4 + n // 8)
    def add_rows(a: In[i8], b: In[i8], out: Out[i32], n: Size) -> None:
        \"\"\"Sum of two rows: out[i] = a[i] + b[i] for i < n.\"\"\"
        out[:n] = a[:n].astype(np.int32) + b[:n]

The signature is the list of operands, in Python, in the IR and in C. From the record come the op class (`add_rows.op`)
with its syntax, verification and effects, the interpreter's rules for it and for the call in C, the emission, the
prototype, and a differential test (`runtime/tools/instructions.py`).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

from xdsl.traits import MemoryEffect, OpTrait, Pure

from ....discovery import on_forget
from ....errors import Diagnostic
from ..semantics import C_RULES, C_SCALAR_RULES
from .configuration import Configuration, Registers
from .definition import Instruction
from .effects import effects_of_signature
from .flat import Flat
from .op import InstructionOp, op_class, place_name, shape_name, type_name
from .record import MACHINE, TileCost
from .rules import located, register_rules, state_of
from .signature import (
    Const,
    ElementSize,
    Extent,
    Flag,
    In,
    InAt,
    InOut,
    InOutAt,
    Kind,
    Out,
    OutAt,
    Ref,
    Scalar,
    Size,
    State,
    Stride,
    bf16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    names_of,
    parameters_of,
)

__all__ = [
    "Configuration",
    "Const",
    "ElementSize",
    "Extent",
    "Flag",
    "Flat",
    "In",
    "InAt",
    "InOut",
    "InOutAt",
    "Instruction",
    "InstructionOp",
    "Out",
    "OutAt",
    "Ref",
    "Registers",
    "Scalar",
    "Size",
    "State",
    "Stride",
    "bf16",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "instruction",
    "instructions",
    "located",
    "state_of",
]

_known: dict[str, Instruction] = {}
"""C function, and name, -> instruction."""


def instruction(
    name: str,
    *,
    c: str,
    header: str | Sequence[str] = (),
    cycles: TileCost | None = None,
    requires: Sequence[Callable[..., str | None]] = (),
    traits: Sequence[OpTrait] = (),
    c_body: str = "",
    queue: str = "",
    regions: Mapping[str, Callable[..., Sequence[Any]]] | None = None,
    fence: bool | Sequence[str] = False,
    fills: str = "",
    takes: str = "",
    beside: Collection[str] = (),
) -> Callable[[Callable[..., Any]], Instruction]:
    """
    Make an instruction of the function that is its semantics.

    Each function of `requires` takes numbers of parameters by their names, the shape of a buffer x as `x_shape`,
    its element type as `x_type` and its indices as `x_at`, None for those that are no constants; it returns a
    message where they do not go together. `traits` are effects beside those that follow from the signature, or
    `Pure()` instead of them. `c_body` is the body of the C function.

    An instruction with a `queue` is issued by the core and executed by that in-order queue of an engine: its
    accesses last until a `fence`, an instruction that awaits these queues, or all queues. `regions` gives, by
    buffer, the region from the indices on: extents along the last axes, or pairs (count, step in elements). Its
    functions take parameters by name, and the `Configuration` of the queue; `cycles` may take the `machine`. An
    instruction that `takes` a register of its queue needs one before that `fills` it, each time anew. It reads the
    buffers of `beside` row by row with its other buffers, or with those of the instruction before it in its queue where
    it has none: in one bank with a single port, these rows take turns.

        @instruction("mysoc.mvin", c="mysoc_mvin", queue="load", cycles=lambda rows: 4 + rows,
                     regions=dict.fromkeys(("far", "near"), lambda rows, cols: (rows, cols)))

    Raises Diagnostic for a parameter without a kind, an instruction without effects, a second instruction of a name
    or of a C function, and a queue, a region or a fence that does not fit the signature.
    """

    def make(function: Callable[..., Any]) -> Instruction:
        code = function.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        parameters, result = parameters_of(function, place)
        headers = (header,) if isinstance(header, str) else tuple(header)
        awaits = None if fence is False else () if fence is True else tuple(fence)
        region_functions = dict(regions or {})
        on_queue = cycles, queue, awaits, region_functions, fills, takes, frozenset(beside)
        record = Instruction(name, c, function, parameters, result, headers, *on_queue, tuple(requires), c_body, place)
        is_pure = any(isinstance(trait, Pure) for trait in traits)
        own = effects_of_signature(parameters, result, queue, awaits, has_regions=bool(region_functions))
        effects = [*([] if is_pure else own), *traits]
        _check(record, effects)
        op = op_class(name, parameters, result, inspect.getdoc(function) or "", effects)
        op.INSTRUCTION = record
        record.op = op
        _known.update({name: record, c: record})
        register_rules(record)
        return record

    return make


def _check(record: Instruction, traits: Sequence[OpTrait]) -> None:
    if not any(isinstance(trait, MemoryEffect) for trait in traits):
        raise Diagnostic(
            f"the instruction '{record.name}' has no effects",
            where=record.place,
            expected="a buffer that it reads or writes (In, Out, InOut), a State, or a result",
            remedy="annotate what it accesses, or give it traits=(...) such as StateEffects(...)",
        )
    _forget(())
    for word in (record.name, record.c):
        if (other := _known.get(word)) is not None:
            raise Diagnostic(
                f"two instructions have the name '{word}'",
                where=record.place,
                expected="a name that no other instruction has",
                found=f"the one of {other.place}",
                remedy="rename one of them",
            )
    _check_queue(record)
    names = {parameter.name for parameter in record.parameters}
    names |= {derived(name) for name in record.buffers for derived in (shape_name, type_name, place_name)}
    for function in (*([record.price] if record.price else []), *record.requires):
        if unknown := names_of(function) - names - ({MACHINE} if function is record.price else set()):
            raise Diagnostic(
                f"cycles or requires of '{record.name}' name what is no parameter: {', '.join(sorted(unknown))}",
                where=record.place,
                expected=", ".join(parameter.name for parameter in record.parameters),
            )


_STATIC = (Kind.CONST, Kind.FLAG, Kind.SIZE)


def _check_queue(record: Instruction) -> None:
    """Raise Diagnostic for a queue, regions or a fence that do not fit the signature."""
    if record.queue and (record.price is None or record.result is not None or record.awaits is not None):
        raise Diagnostic(
            f"the instruction '{record.name}' cannot be on a queue",
            where=record.place,
            expected="cycles, and neither a result nor a fence",
            remedy="give it cycles=..., or leave out queue=...",
        )
    accessed = [name for name, kind in record.buffers.items() if kind.reads or kind.writes]
    if record.queue and (missing := [name for name in accessed if name not in record.regions]):
        raise Diagnostic(
            f"'{record.name}' is on a queue and declares no region of {', '.join(missing)}",
            where=record.place,
            expected="a region of each buffer that it accesses",
            remedy="add regions={" + f'"{missing[0]}": lambda rows, cols: (rows, cols)' + "}",
        )
    if (record.fills or record.takes) and not record.queue:
        raise Diagnostic(f"'{record.name}' has a register and no queue", where=record.place, remedy="give it queue=...")
    if unread := sorted(record.beside - {name for name, kind in record.buffers.items() if kind.reads and record.queue}):
        raise Diagnostic(
            f"'{record.name}' reads no '{unread[0]}' beside others",
            where=record.place,
            expected="the name of a buffer that it reads, of an instruction with a queue",
        )
    if record.configurations and not record.queue:
        raise Diagnostic(
            f"'{record.name}' takes the configuration of a queue and is on none",
            where=record.place,
            remedy="give it queue=...",
        )
    if record.awaits is not None and record.buffers:
        raise Diagnostic(
            f"the fence '{record.name}' accesses buffers", where=record.place, expected="no buffer operands"
        )
    numbers = {
        parameter.name
        for parameter in record.parameters
        if parameter.kind in _STATIC or isinstance(parameter.kind, Extent | ElementSize)
    }
    numbers |= {shape_name(name) for name in record.buffers}
    configurations = {parameter.name for parameter in record.configurations}
    functions = dict(record.regions) | ({"cycles": record.price} if record.queue and record.price else {})
    for name, function in functions.items():
        if unknown := names_of(function) - (numbers | (configurations if name in record.regions else {MACHINE})):
            raise Diagnostic(
                f"{'the region of ' if name in record.regions else ''}'{name}' in '{record.name}' depends on "
                f"{', '.join(sorted(unknown))}",
                where=record.place,
                expected=" or ".join(sorted(numbers)) or "no parameter",
            )
    for name in record.regions:
        if name not in accessed:
            raise Diagnostic(
                f"'{record.name}' declares a region of '{name}', which is no buffer that it accesses",
                where=record.place,
                expected=" or ".join(accessed) or "a buffer (In, Out or InOut)",
            )


def instructions() -> list[Instruction]:
    """Return the instructions of all dialects that are loaded, by name."""
    return sorted({record.name: record for record in _known.values()}.values(), key=lambda record: record.name)


def _forget(_: Collection[str]) -> None:
    """Drop the instructions of modules that are imported no longer."""
    for word, record in list(_known.items()):
        module = sys.modules.get(record.function.__module__)
        if module is None or vars(module) is not record.function.__globals__:
            for table in (_known, C_RULES, C_SCALAR_RULES):
                cast("dict[str, Any]", table).pop(word, None)


on_forget(_forget)
