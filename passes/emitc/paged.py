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
from ...dialects.paged.ops import AppendOp, AttendOp, BeginOp, PagedPoolOp, PoolUser
from ...dialects.paged.selection import DigestOp
from ...dialects.paged.sequences import PinOp
from ...ir import shape_of
from .builder import EmitcBuilder, pointer
from .calls import effect
from .converter import FunctionConverter, ModuleState

HEADER = "tilewright_paged_steps.h"
PAGED = "tilewright.paged"
"""Attribute of a network's function in C: the properties of its pool."""
PAGED_OPS = ("append", "attend", "begin", "commit", "digest", "fork", "pin", "switch", "truncate")
"""Ops that become calls; `score` and `select` are kernels before (convert-paged-selection-to-kernels)."""
_RANK = 2
_STEPS = EmitC_OpaqueType(StringAttr("tw_paged_steps"))


def binding(state: ModuleState, pool: PagedPoolOp) -> list[Operation]:
    """Return the variable of a pool's functions and the function that sets it."""
    name = f"{state.prefix}_{pool.sym_name.data}"
    texts = (
        f"static tw_paged_steps *{name};",
        f"void {state.prefix}_bind(struct tw_paged_steps *steps) {{ {name} = steps; }}\n",
    )
    return [emitc.VerbatimOp.create(properties={"value": StringAttr(text)}) for text in texts]


def convert_step(converter: FunctionConverter, op: Operation) -> None:
    """Convert an op on a pool: a call of the function of its name."""
    assert isinstance(op, PoolUser)
    b = converter.b
    match op:
        case BeginOp():
            arguments = [b.value(op.position), b.integer(prod(shape_of(op.tokens))), b.value(op.tokens)]
        case AppendOp():
            arguments = [b.integer(op.number), b.value(op.keys), b.value(op.rows)]
        case AttendOp():
            assert op.out is not None
            lists = [] if op.table is None or op.counts is None else [b.value(op.table), b.value(op.counts)]
            lists += [b.integer(shape_of(op.table)[-1])] if op.table is not None else []
            count = b.integer(prod(shape_of(op.out)))
            arguments = [b.integer(op.number), b.value(op.queries), *lists, b.value(op.out), count]
        case DigestOp():
            assert op.out is not None
            shape = shape_of(op.out)
            arguments = [b.integer(op.number), b.integer(shape[1]), b.value(op.out), b.integer(prod(shape))]
        case PinOp():
            is_pinned = b.integer(int(op.unpin is None))
            arguments = [b.value(op.first), b.value(op.last), is_pinned]
        case _:
            arguments = [b.value(value) for value in op.operands]
    function = op.name.removeprefix("paged.")
    if isinstance(op, AttendOp) and op.table is not None:
        function = "attend_over"
    effect(b, f"tw_paged_step_{function}", [_steps(converter, op), *arguments], None)


def _steps(converter: FunctionConverter, op: PoolUser) -> SSAValue:
    b: EmitcBuilder = converter.b
    b.headers[HEADER] = _RANK
    name = f"{converter.state.prefix}_{op.symbol}"
    return b.emit(emitc.LiteralOp, [], pointer(_STEPS), {"value": StringAttr(name)})
