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
from collections.abc import Callable, Collection, Sequence
from typing import Any, cast

from xdsl.traits import MemoryEffect, OpTrait, Pure

from ....discovery import on_forget
from ....errors import Diagnostic
from ..semantics import C_RULES, C_SCALAR_RULES
from .flat import Flat
from .op import InstructionOp, effects_of_signature, op_class, shape_name
from .record import Instruction, names_of
from .rules import located, register_rules, state_of
from .signature import (
    Buffer,
    Const,
    Extent,
    Flag,
    In,
    InOut,
    Out,
    Ref,
    Scalar,
    Size,
    State,
    Stride,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    parameters_of,
)

__all__ = [
    "Const",
    "Extent",
    "Flag",
    "Flat",
    "In",
    "InOut",
    "Instruction",
    "InstructionOp",
    "Out",
    "Ref",
    "Scalar",
    "Size",
    "State",
    "Stride",
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
    cycles: Callable[..., float] | None = None,
    requires: Sequence[Callable[..., str | None]] = (),
    traits: Sequence[OpTrait] = (),
    c_body: str = "",
) -> Callable[[Callable[..., Any]], Instruction]:
    """
    Make an instruction of the function that is its semantics.

    Each function of `requires` takes numbers of parameters by their names, and the shape of a buffer x as `x_shape`;
    it returns a message where they do not go together. `traits` are effects beside those that follow from the
    signature, or `Pure()` instead of them. `c_body` is the body of the C function.

    Raises Diagnostic for a parameter without a kind, an instruction without effects, and a second instruction of a name
    or of a C function.
    """

    def make(function: Callable[..., Any]) -> Instruction:
        code = function.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        parameters, result = parameters_of(function, place)
        headers = (header,) if isinstance(header, str) else tuple(header)
        made = Instruction(name, c, function, parameters, result, headers, cycles, tuple(requires), c_body, place)
        is_pure = any(isinstance(trait, Pure) for trait in traits)
        effects = [*([] if is_pure else effects_of_signature(parameters, result)), *traits]
        _check(made, effects)
        op = op_class(name, parameters, result, inspect.getdoc(function) or "", effects)
        op.INSTRUCTION = made
        made.op = op
        _known.update({name: made, c: made})
        register_rules(made)
        return made

    return make


def _check(made: Instruction, traits: Sequence[OpTrait]) -> None:
    if not any(isinstance(trait, MemoryEffect) for trait in traits):
        raise Diagnostic(
            f"the instruction '{made.name}' has no effects",
            where=made.place,
            expected="a buffer that it reads or writes (In, Out, InOut), a State, or a result",
            remedy="annotate what it accesses, or give it traits=(...) such as StateEffects(...)",
        )
    _forget(())
    for word in (made.name, made.c):
        if (other := _known.get(word)) is not None:
            raise Diagnostic(
                f"two instructions have the name '{word}'",
                where=made.place,
                expected="a name that no other instruction has",
                found=f"the one of {other.place}",
                remedy="rename one of them",
            )
    known = {each.name for each in made.parameters}
    known |= {shape_name(each.name) for each in made.parameters if isinstance(each.kind, Buffer)}
    for given in (*([made.cycles] if made.cycles else []), *made.requires):
        if unknown := names_of(given) - known:
            raise Diagnostic(
                f"cycles or requires of '{made.name}' name what is no parameter: {', '.join(sorted(unknown))}",
                where=made.place,
                expected=", ".join(each.name for each in made.parameters),
            )


def instructions() -> list[Instruction]:
    """Return the instructions of all dialects that are loaded, by name."""
    return sorted({made.name: made for made in _known.values()}.values(), key=lambda made: made.name)


def _forget(_: Collection[str]) -> None:
    """Drop the instructions of modules that are imported no longer."""
    for word, made in list(_known.items()):
        module = sys.modules.get(made.function.__module__)
        if module is None or vars(module) is not made.function.__globals__:
            for table in (_known, C_RULES, C_SCALAR_RULES):
                cast("dict[str, Any]", table).pop(word, None)


on_forget(_forget)
