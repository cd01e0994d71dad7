"""The pass `split-lookups`: load the bytes that a table looks up to the accumulators, whose stores compute it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Region

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.model import Machine
from ....dialects.core.nesting import nested_ops
from ....dialects.nn import AddOp
from ....dialects.quant import LookupOp
from ....ir import array_of, functions
from ....passes.core.base import Pass
from ....passes.fuse_epilogues import is_identity
from ....passes.loops.scalar import live_ops
from ....passes.mapping.refusals import refuse
from ....passes.specialize_additions import addition_fault, replace_kernel
from ..gelu import gelu_of_table

_LOADER = "loader"


def split_lookup(op: linalg.GenericOp, machine: Machine) -> bool:
    """Replace a kernel that looks bytes up in a table by a sum of one tensor; return whether stores compute it."""
    lookup = _lookup(op)
    if lookup is None:
        return False
    if gelu_of_table(array_of(cast(Any, lookup.table))) is None:
        refuse(op, _LOADER, "its table is not one that I-BERT's GELU computes")
        return False
    block = Block(arg_types=[i32])
    byte = arith.TruncIOp(block.args[0], i8)
    block.add_ops([byte, entry := LookupOp(byte.result, lookup.table), linalg.YieldOp(entry.result)])
    properties: dict[str, Attribute | None] = {"accumulator": i32}
    addition = AddOp(list(op.inputs), op.outputs[0], properties, epilogue_maps=[], epilogue=Region(block))
    if fault := addition_fault(op, addition, machine):
        refuse(op, _LOADER, machine.fault(machine.engine(_LOADER), addition) or fault)
        addition.erase()
        return False
    replace_kernel(op, addition, machine)
    return True


def _lookup(op: linalg.GenericOp) -> LookupOp | None:
    """Return the lookup that is all of an elementwise kernel of one tensor of bytes, None for other kernels."""
    if len(op.inputs) != 1 or len(op.outputs) != 1 or not all(is_identity(map.data) for map in op.indexing_maps):
        return None
    ops, last = live_ops(op.body.block)[0], op.body.block.last_op
    only = ops[0] if len(ops) == 1 else None
    if not isinstance(only, LookupOp) or only.result.type != i8 or last is None:
        return None
    return only if only.x is op.body.block.args[0] and last.operands[0] is only.result else None


@dataclass(frozen=True)
class SplitLookupsPass(Pass):
    """
    Split lookups of bytes in tables into loads to the accumulators, and stores that compute the table's function.

    Run it on buffers, after map-engines and before plan-memory, on instances whose stores compute GELU. A lookup whose
    table is that of no parameters, entry for entry, is unchanged, and so are all on other instances.
    """

    name = "split-lookups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        if not any("gemmini.gelu" in link.transforms for link in machine.links):
            return
        for function in functions(op):
            for generic in [inner for inner in nested_ops(function) if isinstance(inner, linalg.GenericOp)]:
                split_lookup(generic, machine)
