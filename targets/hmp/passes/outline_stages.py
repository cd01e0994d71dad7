"""The pass `outline-stages`: consecutive layers of one processor become a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.nesting import nested_ops
from ....errors import Diagnostic
from ....ir import FreshNames, functions, symbol_names, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE
from .find_layers import enclosing, layer_of

LAYERS = "hmp.layers"
"""Attribute of the function of a stage: the numbers of its first and last layer."""
OUTPUT = "tilewright.output"
"""Attribute of an argument that a function writes, after bufferize."""


def outline_stages(module: ModuleOp, function: FuncOp) -> None:
    """
    Make a function of each run of layers on one processor, and call them in order.

    A stage takes the values that it uses of earlier ones and of the network's arguments, and returns those that later
    ones or the network's results use. Constants are copied into the stages that use them.
    Raises Diagnostic for layers out of order, and for a layer on several processors.
    """
    ops = [op for op in function.body.block.ops if layer_of(op) is not None]
    _check(ops)
    names = FreshNames(symbol_names(module.body.block))
    for number, (processor, run) in enumerate(groupby(ops, _processor_of)):
        _outline(function, list(run), names.take(f"stage{number}_{processor}"), processor)


def _check(ops: Sequence[Operation]) -> None:
    engines: dict[int, str] = {}
    last = 0
    for op in ops:
        number, processor = cast(int, layer_of(op)), _processor_of(op)
        if not processor:
            raise Diagnostic(
                f"layer {number} has no processor",
                where=where(op),
                expected=f"an attribute `{ENGINE}`",
                remedy="run map-layers with an order",
            )
        if number < last:
            raise Diagnostic(
                f"layer {number} begins before layer {last} ends",
                where=where(op),
                expected="ops in the order of their layers",
                remedy="run find-layers, which numbers the ops of a network anew",
            )
        if engines.setdefault(number, processor) != processor:
            raise Diagnostic(
                f"layer {number} is on two processors",
                where=where(op),
                expected=engines[number],
                found=processor,
                remedy="cut networks between layers, or number the ops anew",
            )
        last = number


def _processor_of(op: Operation) -> str:
    name = op.attributes.get(ENGINE)
    return name.data if isinstance(name, StringAttr) else ""


def _outline(function: FuncOp, ops: Sequence[Operation], name: str, processor: str) -> None:
    """Move ops to a private function before the network's, and call it in their place."""

    def is_constant(op: Operation) -> bool:
        return layer_of(op) is None and not isinstance(op, func.CallOp)

    numbers = cast("int", layer_of(ops[0])), cast("int", layer_of(ops[-1]))
    stage = outline_ops(function, ops, name, InsertPoint.after(ops[-1]), is_constant)
    stage.attributes[ENGINE] = StringAttr(processor)
    stage.attributes[LAYERS] = DenseArrayBase.from_list(i64, list(numbers))


def outline_ops(
    function: FuncOp,
    ops: Sequence[Operation],
    name: str,
    at: InsertPoint,
    is_constant: Callable[[Operation], bool],
) -> FuncOp:
    """
    Move ops of a function, in program order, to a private function before it, and call that `at` a place.

    The new function takes the values that its ops use of others, and returns those that others use. Ops that depend on
    no argument, of those for which `is_constant` holds, are copied into it.
    """
    inside = set(ops)
    own = {value for op in ops for value in op.results}
    used = dict.fromkeys(value for op in ops for inner in _with_nested(op) for value in inner.operands)
    local = {value for op in ops for inner in _with_nested(op) for value in _defined_in(inner)}
    outer = [value for value in used if value not in own and value not in local]
    constants = _constant_ops(outer, is_constant)
    arguments = [value for value in outer if value.owner not in constants]
    results: list[SSAValue] = []
    for value in _results(ops):
        if any(enclosing(use.operation, inside) is None for use in value.uses):
            results.append(value)

    block = Block(arg_types=[value.type for value in arguments])
    mapping: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
    for value, argument in zip(arguments, block.args, strict=True):
        argument.name_hint = value.name_hint
    for op in (*constants, *ops):
        block.add_op(op.clone(value_mapper=mapping))
    end = func.ReturnOp(*(mapping[value] for value in results))
    block.add_op(end)
    outlined = FuncOp(name, FunctionType.from_lists(block.arg_types, end.operand_types), Region(block), "private")
    outlined.location = ops[0].location
    Rewriter.insert_op(outlined, InsertPoint.before(function))

    call = func.CallOp(name, arguments, [value.type for value in results])
    call.location = ops[0].location
    Rewriter.insert_op(call, at)
    for value, result in zip(results, call.results, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(result, lambda use: enclosing(use.operation, inside) is None)
    for op in reversed(ops):
        op.detach()
        op.erase()
    return outlined


def _results(ops: Sequence[Operation]) -> Iterable[SSAValue]:
    """Return the results of ops, in order."""
    return (value for op in ops for value in op.results)


def _with_nested(op: Operation) -> list[Operation]:
    return [op, *(inner for region in op.regions for inner in nested_ops(region))]


def _defined_in(op: Operation) -> list[SSAValue]:
    """Return the values that an op and its blocks define."""
    return [*op.results, *(value for region in op.regions for block in region.blocks for value in block.args)]


def _constant_ops(values: Sequence[SSAValue], is_constant: Callable[[Operation], bool]) -> list[Operation]:
    """Return the ops that compute those values that depend on no argument, in program order."""
    needed: dict[Operation, None] = {}
    pending = [value.owner for value in values]
    while pending:
        op = pending.pop()
        if isinstance(op, Operation) and is_constant(op) and op not in needed:
            needed[op] = None
            pending += [value.owner for inner in _with_nested(op) for value in inner.operands]
    block = next(iter(needed)).parent if needed else None
    return [op for op in block.ops if op in needed] if block is not None else []


@dataclass(frozen=True)
class OutlineStagesPass(Pass):
    """
    Outline consecutive layers of one processor as a function, a stage, and call the stages in order.

    A stage is `stage0_big`, with the attributes `engine` and `hmp.layers`, the first and the last one. It takes what it
    uses of the network's arguments and of earlier stages, not only of the one before, and returns what later ones use.
    Networks without layers are unchanged. Run it on tensors, after map-layers; bufferize then hands results to stages.
    """

    name = "outline-stages"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if any(_processor_of(inner) and layer_of(inner) is not None for inner in function.body.block.ops):
                outline_stages(op, function)
