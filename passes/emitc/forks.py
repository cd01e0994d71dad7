"""Conversion of forks to `emitc`."""

from __future__ import annotations

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block, Operation, Region

from ...dialects import emitc
from ...dialects.hier.fork import ForkOp
from ...errors import Diagnostic
from ...ir import where
from .builder import INDEX
from .converter import FunctionConverter
from .text.closures import CLAIMED, FORK


def convert_fork(converter: FunctionConverter, op: Operation) -> None:
    """
    Convert `hier.fork`, the sole op of its function: a loop over the cores, executed in parallel.

    The function gets the attribute FORK, the trip count, and CLAIMED where threads claim the iterations.
    """
    assert isinstance(op, ForkOp)
    others = [other for other in converter.function.regions[0].block.ops if other.name not in (op.name, "func.return")]
    if others or op.parent_op() is not converter.function:
        raise Diagnostic(
            "a fork must be the only op of its function",
            where(op),
            expected="a function with no other op",
            remedy="let a pass fork the whole function: fork-threads, or the target's own",
        )
    converter.attributes[FORK] = op.cores
    if op.claimed is not None:
        converter.attributes[CLAIMED] = op.claimed
    converter.b.include_runtime(op)
    body = Block(arg_types=[INDEX])
    body.args[0].name_hint = "core"
    operands = [*(converter.b.value(operand) for operand in op.arguments), body.args[0]]
    target = SymbolRefAttr(converter.state.names[op.callee.string_value()])
    body.add_ops([emitc.CallOp.create(operands=operands, properties={"callee": target}), emitc.YieldOp.create()])
    limits = [converter.b.integer(number) for number in (0, op.cores.value.data, 1)]
    converter.b.ops.append(emitc.ForOp.create(operands=limits, regions=[Region(body)]))
