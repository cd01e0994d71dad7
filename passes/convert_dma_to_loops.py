"""Transfers done by the processor itself: loops that copy, for machines without a DMA engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.hier import DmaNoneOp, DmaStartOp, DmaWaitOp, TokenType
from ..ir import functions, shape_of
from .core.base import Pass
from .grids.cone import is_pure


def convert_dma_to_loops(function: func.FuncOp, known: dict[tuple[Any, ...], str]) -> None:
    """
    Replace each transfer by the call of a function that copies, and drop the tokens: a call is done on return.

    `known` holds the names of such functions of the module, and gets those that are made.
    """
    for op in list(function.walk()):
        if isinstance(op, DmaStartOp):
            _call_copier(function, op, known)
        elif isinstance(op, DmaWaitOp):
            Rewriter.erase_op(op)
    for op in reversed(list(function.walk())):
        if isinstance(op, scf.ForOp | scf.IfOp):
            _drop_tokens(op)
    for op in reversed(list(function.walk())):
        if isinstance(op, DmaNoneOp) or _is_idle(op):
            Rewriter.erase_op(op)


def _is_idle(op: Operation) -> bool:
    """Return whether nothing is left of a conditional, such as one around a wait, or of what it was computed by."""
    if isinstance(op, scf.IfOp):
        blocks = [region.block for region in op.regions if region.blocks]
        return not op.results and all(block.first_op is block.last_op for block in blocks)
    return bool(op.results) and is_pure(op) and not any(result.uses for result in op.results)


def _call_copier(function: func.FuncOp, op: DmaStartOp, known: dict[tuple[Any, ...], str]) -> None:
    arguments = [op.far, op.near, *op.offsets]
    key = (op.far.type, op.near.type, op.writes_far, op.clipped, op.fill)
    if key not in known:
        known[key] = _free_name(function, f"{'write' if op.writes_far else 'read'}_tile", len(known))
        copier = _copier(known[key], op, [value.type for value in arguments])
        copier.location = op.location
        Rewriter.insert_op(copier, InsertPoint.before(function))
    call, done = func.CallOp(known[key], arguments, []), DmaNoneOp()
    call.location = done.location = op.location
    Rewriter.replace_op(op, [call, done], [done.token])


def _free_name(function: func.FuncOp, base: str, number: int) -> str:
    """Return a name with a number, from this one on, that nothing beside the function has."""
    assert function.parent is not None
    taken = {str(name) for op in function.parent.ops if (name := op.properties.get("sym_name")) is not None}
    return next(name for name in (f"{base}_{n}" for n in count(number)) if str(StringAttr(name)) not in taken)


def _copier(name: str, op: DmaStartOp, types: Sequence[Any]) -> func.FuncOp:
    """Return the function (far, near, offsets...) that copies one tile."""
    block = Block(arg_types=types)
    far, near, *offsets = block.args
    far.name_hint, near.name_hint = "far", "near"
    bounds = _bounds(block, far, near, offsets, clipped=op.clipped is not None)
    if op.fill is not None:
        _fill(block, near, bounds, op.fill)

    def move(inner: Block, indices: list[SSAValue]) -> None:
        there = [_add(inner, arith.AddiOp(o, i)) for o, i in zip(offsets, indices, strict=True)]
        source, target = ((near, indices), (far, there)) if op.writes_far else ((far, there), (near, indices))
        value = _add(inner, memref.LoadOp.get(source[0], source[1]))
        inner.add_op(memref.StoreOp.get(value, target[0], target[1]))

    _nest(block, bounds, move)
    block.add_op(func.ReturnOp())
    return func.FuncOp(name, FunctionType.from_lists(types, []), Region(block), visibility="private")


def _add(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def _number(block: Block, value: int) -> SSAValue:
    return _add(block, arith.ConstantOp(IntegerAttr(value, IndexType())))


def _bounds(
    block: Block, far: SSAValue, near: SSAValue, offsets: Sequence[SSAValue], *, clipped: bool
) -> list[tuple[SSAValue, SSAValue]]:
    """Return from where to where each axis of the tile lies inside of the far buffer."""
    bounds: list[tuple[SSAValue, SSAValue]] = []
    for offset, tile, extent in zip(offsets, shape_of(near), shape_of(far), strict=True):
        low, high = _number(block, 0), _number(block, tile)
        if clipped and (tile, extent) != (1, 1):
            low = _add(block, arith.MaxSIOp(low, _add(block, arith.SubiOp(low, offset))))
            high = _add(block, arith.MinSIOp(high, _add(block, arith.SubiOp(_number(block, extent), offset))))
        bounds.append((low, high))
    return bounds


def _nest(
    block: Block, bounds: Sequence[tuple[SSAValue, SSAValue]], body: Callable[[Block, list[SSAValue]], None]
) -> None:
    """Append loops over a box, the last axis innermost."""
    indices: list[SSAValue] = []
    nest: list[tuple[Block, Block]] = []
    for low, high in bounds:
        inner = Block(arg_types=[IndexType()])
        block.add_op(scf.ForOp(low, high, _number(block, 1), [], inner))
        nest.append((block, inner))
        indices.append(inner.args[0])
        block = inner
    body(block, indices)
    for _, inner in nest:
        inner.add_op(scf.YieldOp())


def _fill(block: Block, near: SSAValue, bounds: Sequence[tuple[SSAValue, SSAValue]], fill: Any) -> None:
    """Append the filling of the whole tile, if part of it lies outside."""
    outside: SSAValue | None = None
    for (low, high), tile in zip(bounds, shape_of(near), strict=True):
        inside = _add(block, arith.SubiOp(high, low))
        short = _add(block, arith.CmpiOp(inside, _number(block, tile), "slt"))
        outside = short if outside is None else _add(block, arith.OrIOp(outside, short))
    assert outside is not None
    value = _add(block, arith.ConstantOp(fill))
    then = Block()
    whole = [(_number(then, 0), _number(then, tile)) for tile in shape_of(near)]
    _nest(then, whole, lambda inner, indices: inner.add_op(memref.StoreOp.get(value, near, indices)))
    then.add_op(scf.YieldOp())
    block.add_op(scf.IfOp(outside, [], Region(then)))


def _drop_tokens(op: scf.ForOp | scf.IfOp) -> None:
    """Rebuild a loop or conditional without the tokens that it carries."""
    kept = [i for i, result in enumerate(op.results) if result.type != TokenType()]
    if len(kept) == len(op.results):
        return
    for region in op.regions:
        if region.blocks:
            _drop_from_block(region.block, kept, carried=len(op.results) if isinstance(op, scf.ForOp) else 0)
    regions = [op.detach_region(region) for region in list(op.regions)]
    operands = list(op.operands)
    if isinstance(op, scf.ForOp):
        operands = [*operands[:3], *(operands[3 + i] for i in kept)]
    types = [op.results[i].type for i in kept]
    new = op.__class__.create(
        operands=operands, result_types=types, properties=op.properties, attributes=op.attributes, regions=regions
    )
    new.location = op.location
    none = DmaNoneOp()
    results: list[SSAValue] = [none.token] * len(op.results)
    for place, index in enumerate(kept):
        results[index] = new.results[place]
    Rewriter.replace_op(op, [new, none], results)


def _drop_from_block(block: Block, kept: Sequence[int], *, carried: int) -> None:
    """Take the tokens out of what a block carries (its last arguments) and yields."""
    terminator = block.last_op
    assert terminator is not None
    values = [terminator.operands[i] for i in kept]
    Rewriter.replace_op(terminator, scf.YieldOp(*values), [])
    first = len(block.args) - carried
    dropped = [block.args[first + i] for i in range(carried) if i not in kept]
    if not dropped:
        return
    none = DmaNoneOp()
    Rewriter.insert_op(none, InsertPoint.at_start(block))
    for argument in dropped:
        argument.replace_all_uses_with(none.token)
        block.erase_arg(argument)


@dataclass(frozen=True)
class ConvertDmaToLoopsPass(Pass):
    """
    Turn transfers of tiles into calls of functions that copy element by element.

    For machines whose processor moves the data itself. The waits disappear: a call is done when it returns.
    """

    name = "convert-dma-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known: dict[tuple[Any, ...], str] = {}
        for function in functions(op):
            convert_dma_to_loops(function, known)
