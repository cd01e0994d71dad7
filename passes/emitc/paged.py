"""
Conversion of `paged` to C: calls of tilewright_paged_steps.h on functions that the caller binds.

    static tw_paged_steps *network_kv;
    void network_bind(struct tw_paged_steps *steps) { network_kv = steps; }
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.emitc import EmitC_OpaqueType
from xdsl.ir import Operation, SSAValue

from ...dialects import emitc
from ...dialects.paged.ops import AppendOp, AttendOp, BeginOp, CommitOp, PoolOp
from ...ir import shape_of
from .builder import Builder, pointer
from .calls import effect
from .converter import FunctionConverter, ModuleState

HEADER = "tilewright_paged_steps.h"
PAGED = "tilewright.paged"
"""Attribute of a network's function in C: the properties of its pool."""
_RANK = 2
_STEPS = EmitC_OpaqueType(StringAttr("tw_paged_steps"))


def binding(state: ModuleState, pool: PoolOp) -> list[Operation]:
    """Return the variable of a pool's functions and the function that sets it."""
    name = f"{state.prefix}_{pool.sym_name.data}"
    texts = (
        f"static tw_paged_steps *{name};",
        f"void {state.prefix}_bind(struct tw_paged_steps *steps) {{ {name} = steps; }}\n",
    )
    return [emitc.VerbatimOp.create(properties={"value": StringAttr(text)}) for text in texts]


def convert_step(converter: FunctionConverter, op: Operation) -> None:
    """Convert an op of a step."""
    b = converter.b
    match op:
        case BeginOp():
            count = b.integer(prod(shape_of(op.tokens)))
            effect(
                b, "tw_paged_step_begin", [_steps(converter, op), b.value(op.position), count, b.value(op.tokens)], None
            )
        case AppendOp():
            rows = [b.value(op.keys), b.value(op.rows)]
            effect(b, "tw_paged_step_append", [_steps(converter, op), b.integer(op.number), *rows], None)
        case AttendOp():
            assert op.out is not None
            arguments = [b.integer(op.number), b.value(op.queries), b.value(op.out), b.integer(prod(shape_of(op.out)))]
            effect(b, "tw_paged_step_attend", [_steps(converter, op), *arguments], None)
        case _:
            assert isinstance(op, CommitOp)
            effect(b, "tw_paged_step_commit", [_steps(converter, op)], None)


def _steps(converter: FunctionConverter, op: BeginOp | AppendOp | AttendOp | CommitOp) -> SSAValue:
    b: Builder = converter.b
    b.headers[HEADER] = _RANK
    name = f"{converter.state.prefix}_{op.symbol}"
    return b.emit(emitc.LiteralOp, [], pointer(_STEPS), {"value": StringAttr(name)})
