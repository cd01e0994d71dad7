"""
Placement of a paged pool in memory: pages become state, attention over a table grids whose tiles the table chooses.

    paged.pool @kv                              -> memref.global @kv_keys_0, @kv_values_0, @kv_digests_0, ...
    paged.append @kv layer 0 keys %k values %v  -> copies to the block and row of the position
    paged.attend @kv layer 0 ... over %table    -> hier.grid, %kv_keys_0[%h, %table[%t, %h, %i] in [0, 64), 0, 0, 0]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.buckets import STATE
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.nesting import nested_ops
from ..dialects.core.ports import POSITION
from ..dialects.paged.ops import AppendOp, AttendOp, BeginOp, CommitOp, LayerOp, PagedPoolOp, PoolShape, PoolUser
from ..dialects.paged.selection import DigestOp, ScoreOp, SelectOp
from ..errors import Diagnostic
from ..ir import element_of, functions, numbers_of, set_argument_attributes, shape_of, where
from .convert_paged_selection_to_kernels import convert_paged_selection_to_kernels
from .core.base import Pass
from .lowering.index_ranges import RANGE
from .paging.fragments import LANES, insert_fragment
from .paging.placing import PlacedStep, append_text, attend_text
from .state.caches import port_attributes, port_name

_PLACED = ("keys", "values", "digests")
"""Buffers of a layer."""


@dataclass(frozen=True)
class TileLevel:
    """Level of the tiles, and their first byte in it."""

    level: str
    address: int = 0


def place_paged_pool(ctx: Context, module: ModuleOp, near: TileLevel) -> None:
    """
    Place the pools of a module in memory, in float32, for one sequence; tiles of pages lie in a near level.

    A pool's policies do not count. Raises Diagnostic for attention without a table, a table whose range is not known,
    operations on sequences, and tensors.
    """
    pools = [op for op in module.body.block.ops if isinstance(op, PagedPoolOp)]
    for pool in pools:
        for op in [op for op in nested_ops(module) if isinstance(op, PoolUser) and op.symbol == pool.sym_name.data]:
            _refuse(op)
    for pool in pools:
        _add_globals(pool)
        for function in functions(module):
            _place(ctx, function, pool.shape, near)
            convert_paged_selection_to_kernels(ctx, function)
        Rewriter.erase_op(pool)


def _refuse(op: PoolUser) -> None:
    if op.results or any(isinstance(value.type, TensorType) for value in op.operands):
        raise _refusal(op, f"{op.name} is on tensors", "buffers", "run bufferize before")
    if isinstance(op, AttendOp) and op.table is None:
        raise _refusal(op, "attention without a table", "the blocks that a token attends to", "run expand-paged-attend")
    if isinstance(op, AttendOp):
        _entries(op)
    elif not isinstance(op, BeginOp | AppendOp | DigestOp | SelectOp | CommitOp):
        remedy = "keep the pool, whose C calls a store"
        raise _refusal(op, f"{op.name} on a pool in memory", "one sequence, whose position is an input", remedy)


def _refusal(op: Operation, message: str, expected: str, remedy: str) -> Diagnostic:
    return Diagnostic(message, where=where(op), expected=expected, remedy=remedy)


def _entries(op: AttendOp) -> tuple[int, int]:
    """Return the least entry of an attention's table, and one more than the greatest. Raises Diagnostic for unknown."""
    table = cast(SSAValue, op.table)
    declared = _declared(table)
    if declared is not None:
        return declared[0], declared[1] + 1
    users = [use.operation for use in table.uses]
    is_selected = any(isinstance(user, SelectOp) for user in users)
    if is_selected and all(isinstance(user, SelectOp | AttendOp | memref.DeallocOp) for user in users):
        return 0, op.definition().shape.blocks
    raise Diagnostic(
        "the range of a table is not known",
        where=where(op),
        expected="a table that paged.select alone writes, or one with a declared range",
        found=str(table.type),
        remedy=f"declare it on the argument or allocation: {RANGE} = array<i64: 0, {op.definition().shape.blocks - 1}>",
    )


def _declared(table: SSAValue) -> tuple[int, int] | None:
    """Return the declared range of a buffer, ends included."""
    attribute = None
    if isinstance(table, OpResult):
        attribute = table.op.attributes.get(RANGE)
    elif isinstance(owner := cast(BlockArgument, table).owner.parent_op(), FuncOp):
        attribute = port_attributes(owner, "arg_attrs")[cast(BlockArgument, table).index].get(RANGE)
    return None if attribute is None else cast("tuple[int, int]", tuple(numbers_of(attribute)))


# Globals


def _add_globals(pool: PagedPoolOp) -> None:
    """Add the pages and digests of each layer as state, zeros at first."""
    sizes = pool.shape
    pages = [sizes.kv_heads, sizes.blocks, sizes.page_length, sizes.head_dim // LANES, LANES]
    shapes = dict.fromkeys(_PLACED, pages) | {"digests": [sizes.kv_heads, sizes.blocks, 2, sizes.head_dim]}
    for layer in range(sizes.layers):
        for name, shape in shapes.items():
            zeros = DenseIntOrFPElementsAttr.from_list(TensorType(f32, shape), [0.0])
            symbol = StringAttr(f"{pool.sym_name.data}_{name}_{layer}")
            state = memref.GlobalOp.get(symbol, MemRefType(f32, shape), zeros, sym_visibility=StringAttr("private"))
            state.attributes[STATE] = UnitAttr()
            Rewriter.insert_op(state, InsertPoint.before(pool))


def _buffers(op: LayerOp, names: Sequence[str]) -> list[SSAValue]:
    """Insert the named buffers of an op's layer before it."""
    block = op.parent_block()
    module = op.get_toplevel_object()
    assert block is not None
    assert isinstance(module, ModuleOp)
    buffers: list[SSAValue] = []
    for name in names:
        symbol = f"{op.symbol}_{name}_{op.number}"
        globals_ = (op for op in module.body.block.ops if isinstance(op, memref.GlobalOp))
        type = next(global_.type for global_ in globals_ if global_.sym_name.data == symbol)
        get = memref.GetGlobalOp(symbol, cast("MemRefType[Any]", type))
        get.memref.name_hint = symbol
        Rewriter.insert_op(get, InsertPoint.before(op))
        buffers.append(get.memref)
    return buffers


# Steps


def _place(ctx: Context, function: FuncOp, pool: PoolShape, near: TileLevel) -> None:
    begin: BeginOp | None = None
    for op in list(nested_ops(function)):
        if isinstance(op, BeginOp):
            begin = op
            _mark_position(function, shape_of(op.tokens)[-1], pool)
        if isinstance(op, AppendOp | AttendOp) and begin is None:
            raise _refusal(op, f"{op.name} without a step", "a paged.begin before it", "begin the step in its function")
        if isinstance(op, AppendOp) and begin is not None:
            text = append_text(PlacedStep(pool, shape_of(op.keys)[0]), str(element_of(begin.position)))
            insert_fragment(ctx, op, text, [begin.position, op.keys, op.rows, *_buffers(op, _PLACED)])
            Rewriter.erase_op(op)
        if isinstance(op, DigestOp):
            _place_digests(op)
        if isinstance(op, AttendOp) and begin is not None:
            _place_attention(ctx, op, begin.position, near)
        if isinstance(op, CommitOp):
            Rewriter.erase_op(op)
    if begin is not None:
        Rewriter.erase_op(begin)


def _mark_position(function: FuncOp, added: int, pool: PoolShape) -> None:
    """Declare the input `position` of a function as that of state, so that each run checks it."""
    rows = port_attributes(function, "arg_attrs")
    for index, row in enumerate(rows):
        if port_name(rows, index, "") == POSITION and RANGE in row:
            row[STATE] = DenseArrayBase.from_list(i64, [added, pool.context])
    set_argument_attributes(function, [DictionaryAttr(row) for row in rows])


def _place_digests(op: DigestOp) -> None:
    """Let scores read the digests of the state; other readers get a copy."""
    (digests,) = _buffers(op, ["digests"])
    out = cast(SSAValue, op.out)
    users = [use.operation for use in out.uses if use.operation is not op]
    if isinstance(out, OpResult) and isinstance(out.op, memref.AllocOp) and all(isinstance(u, ScoreOp) for u in users):
        out.replace_all_uses_with(digests)
        Rewriter.erase_op(op)
        Rewriter.erase_op(out.op)
        return
    Rewriter.replace_op(op, [memref.CopyOp(digests, out)], [])


def _place_attention(ctx: Context, op: AttendOp, position: SSAValue, near: TileLevel) -> None:
    table, counts, out = (cast(SSAValue, value) for value in (op.table, op.counts, op.out))
    tokens, _, places = shape_of(table)
    placed = PlacedStep(op.definition().shape, tokens)
    text = attend_text(placed, places, _entries(op), str(element_of(position)), near.level, near.address)
    values = [op.queries, table, counts, position, *_buffers(op, ["keys", "values"]), out]
    insert_fragment(ctx, op, text, values)
    Rewriter.erase_op(op)


@dataclass(frozen=True)
class PlacePagedPoolPass(Pass):
    """
    Place a paged pool in memory: pages become state, attention over tables grids whose tiles the tables choose.

    Scores and selections become kernels, as by convert-paged-selection-to-kernels. Tiles lie in the level `near`, by
    default that of the machine's first engine, from the byte `address` on. The pool holds one sequence, in float32,
    without a store. Run it behind plan-memory{level-bytes=N} with address=N, or without a plan.
    """

    name = "place-paged-pool"

    near: str = ""
    address: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        place_paged_pool(ctx, op, TileLevel(self.near or self._nearest(op), self.address))

    def _nearest(self, module: ModuleOp) -> str:
        machine = machine_of(module)
        level = machine.near_level_of(machine.engines[0])
        if level.name != machine.home.name:
            return level.name
        raise Diagnostic(
            f"machine '{machine.name}' has no near memory for the tiles of pages",
            expected="an engine in a level behind a link",
            found=f"engine '{machine.engines[0].name}' in {level.name}",
            remedy="keep the pool, whose C calls a store, or choose a level: place-paged-pool{near=L1}",
        )
