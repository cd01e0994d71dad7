"""The pass `specialize-additions`: convert elementwise additions to `nn.add`, where an engine runs that faster."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.machine.model import Machine
from ..dialects.core.nesting import nested_ops
from ..dialects.nn import AddOp
from ..ir import functions, shape_of
from .core.base import Pass
from .loops.scalar import live_ops
from .map_engines import engine_of, map_kernel, mapped_engine
from .mapping.refusals import refuse
from .memory.sums import sums_fault


def specialize_addition(op: linalg.GenericOp, machine: Machine) -> bool:
    """Replace the addition of two tensors of integers by `nn.add`; return whether an engine runs that faster."""
    total = _addition(op)
    if total is None:
        return False
    addition = _add(op, total)
    if fault := addition_fault(op, addition, machine):
        for engine in machine.engines:
            if any(run.op == addition.name for run in engine.runs):
                refuse(op, engine.name, machine.fault(engine, addition) or fault)
        addition.erase()
        return False
    replace_kernel(op, addition, machine)
    return True


def replace_kernel(op: linalg.GenericOp, addition: AddOp, machine: Machine) -> None:
    """Replace a kernel by a sum, mapped to its engine. Raises Diagnostic where no engine runs the sum."""
    map_kernel(addition, machine)
    addition.location = op.location
    Rewriter.insert_op(addition, InsertPoint.before(op))
    Rewriter.erase_op(op)


def addition_fault(op: linalg.GenericOp, addition: AddOp, machine: Machine) -> str:
    """Return why no engine runs an addition faster as `nn.add`, empty if one does."""
    engine = engine_of(addition, machine)
    own, other = machine.cost(engine, addition), machine.cost(mapped_engine(op, machine), op)
    if own is not None and (other is None or own < other):
        return sums_fault(addition, engine, machine)
    return f"{own:,} cycles as {addition.name} on '{engine.name}', {other:,} as {op.name}"


def _addition(op: linalg.GenericOp) -> arith.AddiOp | None:
    """Return the addition of the two inputs of an elementwise kernel, if nothing else uses them."""
    maps = [attr.data for attr in op.get_indexing_maps()]
    if len(op.inputs) != 2 or len(op.outputs) != 1 or op.res or set(maps) != {AffineMap.identity(maps[0].num_dims)}:
        return None
    if len({shape_of(value) for value in op.operands}) > 1 or op.body.block.args[2].uses:
        return None
    sources = [_extended(arg) for arg in op.body.block.args[:2]]
    users = {use.operation for value in sources for use in value.uses}
    total = users.pop() if len(users) == 1 else None
    if not isinstance(total, arith.AddiOp) or set(total.operands) != set(sources) or sources[0] is sources[1]:
        return None
    return total if isinstance(total.result.type, IntegerType) else None


def _extended(value: SSAValue) -> SSAValue:
    """Return the sign extension of a value, or the value itself if it has none."""
    users = {use.operation for use in value.uses}
    only = users.pop() if len(users) == 1 else None
    return only.result if isinstance(only, arith.ExtSIOp) else value


def _add(op: linalg.GenericOp, total: arith.AddiOp) -> AddOp:
    """Build the detached `nn.add` of an addition, with the ops after it as its epilogue."""
    body = op.body.block
    last = body.last_op
    assert last is not None
    block = Block(arg_types=[total.result.type])
    mapping: dict[SSAValue, SSAValue] = {total.result: block.args[0]}
    before = {total, *(value.owner for value in total.operands)}
    for inner in live_ops(body)[0]:
        if inner not in before:
            block.add_op(inner.clone(value_mapper=mapping))
    block.add_op(linalg.YieldOp(mapping[last.operands[0]]))
    properties: dict[str, Attribute | None] = {"accumulator": total.result.type}
    return AddOp(list(op.inputs), op.outputs[0], properties, epilogue_maps=[], epilogue=Region(block))


@dataclass(frozen=True)
class SpecializeAdditionsPass(Pass):
    """
    Convert elementwise additions of integers to `nn.add`, where an engine runs that faster.

    Run it on buffers, after map-engines and unfuse-epilogues, before plan-memory. What follows the sum becomes the
    epilogue:

        linalg.generic {...} ins(%a, %b : memref<8x32xi8>, memref<8x32xi8>) outs(%y : memref<8x32xi8>) {
        ^bb0(%0: i8, %1: i8, %2: i8):
          %3 = arith.extsi %0 : i8 to i32
          %4 = arith.extsi %1 : i8 to i32
          %5 = arith.addi %3, %4 overflow<nsw> : i32
          %6 = quant.rescale %5, %f zero 0 clip 0 to 127 : i32, f32 -> i8
          linalg.yield %6 : i8
        }

    becomes `nn.add ins(%a, %b) outs(%y) {accumulator = i32} epilogue() {...}`. Other kernels are unchanged.
    """

    name = "specialize-additions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op)
        for function in functions(op):
            for generic in [inner for inner in nested_ops(function) if isinstance(inner, linalg.GenericOp)]:
                specialize_addition(generic, machine)
