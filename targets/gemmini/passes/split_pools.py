"""The pass `split-pools`: load the input of max pooling to the accumulators, whose stores compute the maxima."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FloatAttr, MemRefType, ModuleOp, StringAttr, f32, i8, i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Region
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.kernel import kernel_of
from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....dialects.nn import AddOp, PoolOp
from ....dialects.quant import RescaleOp
from ....ir import element_of, functions, shape_of
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE
from ....passes.mapping.refusals import refuse
from ..costs import pool_fault
from ..instance import dim_of


def split_pool(op: PoolOp, dim: int) -> bool:
    """Replace max pooling of bytes by a load of sums and stores of maxima; return whether these compute it."""
    if fault := _fault(op, dim):
        refuse(op, "storer", fault)
        return False
    buffer = memref.AllocOp([], [], MemRefType(i32, shape_of(op.inputs[0])))
    properties: dict[str, Attribute | None] = {"accumulator": i32}
    load = AddOp(list(op.inputs), buffer.memref, properties)
    kept: dict[str, Attribute | None] = {name: op.properties[name] for name in _KEPT if name in op.properties}
    store = PoolOp([buffer.memref], op.output, properties | kept, epilogue=_bytes())
    for inserted, engine in ((load, "loader"), (store, "storer")):
        inserted.attributes[ATTRIBUTE] = StringAttr(engine)
    for inserted in (buffer, load, store):
        inserted.location = op.location
        Rewriter.insert_op(inserted, InsertPoint.before(op))
    Rewriter.erase_op(op)
    return True


def _fault(op: PoolOp, dim: int) -> str:
    """Return why stores cannot compute a pooling, empty if they can."""
    if op.kind.data != "max":
        return f"stores compute maxima of windows, no pooling of the kind '{op.kind.data}'"
    elements = dict.fromkeys(str(element_of(value)) for value in (*op.inputs, op.output))
    if list(elements) != ["i8"] or op.is_unsigned(0):
        return f"stores compute maxima of signed bytes, not of {', '.join(elements)}{' unsigned' * op.is_unsigned(0)}"
    return "an epilogue follows the maxima" if op.epilogue is not None else pool_fault(kernel_of(op), dim)


_KEPT = ("kind", "window", "strides", "dilations", "pads", "channels_last")


def _bytes() -> Region:
    """Return the epilogue that makes bytes of their extensions."""
    block = Block(arg_types=[i32])
    one = arith.ConstantOp(FloatAttr(1.0, f32))
    byte = RescaleOp(block.args[0], one.result, zero=0, low=-128, high=127, type=i8)
    block.add_ops([one, byte, linalg.YieldOp(byte.result)])
    return Region(block)


@dataclass(frozen=True)
class SplitPoolsPass(Pass):
    """
    Split max pooling of bytes into a load to the accumulators, and stores of the maxima of windows.

    Run it on buffers, after map-engines and before plan-memory. Square windows of up to 3 pixels, without padding
    (`materialize-padding`), channels last and in whole blocks are split; other pooling is unchanged, and all of it on
    instances without the engines for it.
    """

    name = "split-pools"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        if not {"loader", "storer"} <= {engine.name for engine in machine.engines}:
            return
        dim = dim_of(machine)
        for function in functions(op):
            for pool in [inner for inner in nested_ops(function) if isinstance(inner, PoolOp)]:
                split_pool(pool, dim)
