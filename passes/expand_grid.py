"""Grids become loops with explicit transfers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr, UnitAttr, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.kernel import is_kernel
from ..dialects.hier import DmaNoneOp, DmaStartOp, DmaWaitOp, GridOp, TileAttr, TokenType, YieldOp
from ..errors import Diagnostic
from ..ir import functions, shape_of, where
from .core.base import Pass
from .loops.affine import linear
from .memory.tiling import tile_type


@dataclass(frozen=True)
class _Stream:
    """The tiles of one operand in the order of use: a new one every `run` steps, `count` in all."""

    operand: SSAValue
    tile: TileAttr
    memory: SSAValue
    is_output: bool
    run: int
    count: int

    @property
    def stages(self) -> int:
        """The buffers that tiles take turns in; no more than there are tiles."""
        return min(self.tile.stages.data, self.count)


class _Writer:
    """Appends ops to a block, or before an op."""

    def __init__(self, point: InsertPoint, source: Operation):
        self._point = point
        self._source = source

    def op(self, op: Operation) -> SSAValue:
        """Add an op; returns its first result."""
        op.location = self._source.location
        Rewriter.insert_op(op, self._point)
        return op.results[0]

    def at_end_of(self, block: Block) -> _Writer:
        """Return a writer to the end of a block."""
        return _Writer(InsertPoint.at_end(block), self._source)

    def effect(self, op: Operation) -> None:
        """Add an op without results."""
        op.location = self._source.location
        Rewriter.insert_op(op, self._point)

    def number(self, value: int) -> SSAValue:
        """Add an index constant."""
        return self.op(arith.ConstantOp(IntegerAttr(value, IndexType())))

    def divide(self, value: SSAValue, by: int) -> SSAValue:
        """Add value / by."""
        return value if by == 1 else self.op(arith.DivUIOp(value, self.number(by)))

    def remainder(self, value: SSAValue, by: int) -> SSAValue:
        """Add value mod by."""
        return self.number(0) if by == 1 else self.op(arith.RemUIOp(value, self.number(by)))

    def add(self, a: SSAValue, b: int | SSAValue) -> SSAValue:
        """Add a + b."""
        return a if b == 0 else self.op(arith.AddiOp(a, self.number(b) if isinstance(b, int) else b))

    def multiply(self, a: SSAValue, by: int) -> SSAValue:
        """Add a * by."""
        return a if by == 1 else self.op(arith.MuliOp(a, self.number(by)))

    def equals(self, a: SSAValue, b: int) -> SSAValue:
        """Add a == b."""
        return self.op(arith.CmpiOp(a, self.number(b), "eq"))

    def wait(self, token: SSAValue) -> None:
        """Add the wait for a transfer."""
        self.effect(DmaWaitOp(token))


_Side: TypeAlias = Callable[[_Writer], list[SSAValue]]
"""Writes one side of a conditional and returns the token that it yields."""


def expand_grid(grid: GridOp, memories: dict[str, SSAValue]) -> None:
    """
    Replace a grid by one loop over its points, with the transfers of tiles and the waits for them.

    An input with two stages is fetched while the tile before it is worked on; an output with two stages is written
    while the next is. `memories` holds the memory of each level, a memref of bytes. Raises Diagnostic where a tile has
    no address.
    """
    writer = _Writer(InsertPoint.before(grid), grid)
    streams = _streams(grid, memories)
    steps = prod(grid.bounds)
    fetched = [_fetch_first(writer, grid, stream) for stream in streams if not stream.is_output]
    written = [_idle(writer, stream) for stream in streams if stream.is_output]
    tokens = [*(token for token in fetched if token is not None), *(token for group in written for token in group)]
    body = Block(arg_types=[IndexType(), *[TokenType()] * len(tokens)])
    body.args[0].name_hint = "step"
    inner = writer.at_end_of(body)
    inner.effect(scf.YieldOp(*_step(inner, grid, streams, body.args[0], list(body.args[1:]))))
    loop = scf.ForOp(writer.number(0), writer.number(steps), writer.number(1), tokens, body)
    writer.effect(loop)
    outgoing = list(loop.results[len([token for token in fetched if token is not None]) :])
    for token in outgoing:
        writer.wait(token)
    Rewriter.erase_op(grid)


def _streams(grid: GridOp, memories: dict[str, SSAValue]) -> list[_Stream]:
    streams: list[_Stream] = []
    for index, (tile, operand) in enumerate(zip(grid.tiles, grid.operands, strict=True)):
        if tile.level_name is None or tile.place is None:
            raise Diagnostic(
                f"the tile of operand {index} has no {'level' if tile.level_name is None else 'address'}",
                where=where(grid),
                remedy="run plan-memory before",
            )
        moving = [dim for dim in tile.dims() if grid.bounds[dim] > 1]
        run = prod(grid.bounds[moving[-1] + 1 :]) if moving else prod(grid.bounds)
        count = prod(grid.bounds) // run
        streams.append(_Stream(operand, tile, memories[tile.level_name], index >= len(grid.inputs), run, count))
    return streams


def _is_prefetched(stream: _Stream) -> bool:
    return not stream.is_output and stream.count > 1 and stream.stages > 1


def _fetch_first(writer: _Writer, grid: GridOp, stream: _Stream) -> SSAValue | None:
    """
    Begin to fetch the first tile of an input: what stays is waited for, what is prefetched has a token to carry on.
    """
    if stream.count > 1 and not _is_prefetched(stream):
        return None
    zero = writer.number(0)
    token = _fetch(writer, grid, stream, zero)
    if stream.count > 1:
        return token
    writer.wait(token)
    return None


def _idle(writer: _Writer, stream: _Stream) -> list[SSAValue]:
    return [writer.op(DmaNoneOp()) for _ in range(stream.stages)]


def _point(writer: _Writer, grid: GridOp, step: SSAValue) -> list[SSAValue]:
    """Return the grid point of a step, in row-major order."""
    bounds = grid.bounds
    strides = [prod(bounds[axis + 1 :]) for axis in range(len(bounds))]
    quotients = [writer.divide(step, stride) for stride in strides]
    return [
        writer.remainder(quotient, bound) if axis and bound > 1 else quotient if bound > 1 else writer.number(0)
        for axis, (bound, quotient) in enumerate(zip(bounds, quotients, strict=True))
    ]


def _offsets(writer: _Writer, grid: GridOp, stream: _Stream, step: SSAValue) -> list[SSAValue]:
    """Return the first element of the operand's tile at a step."""
    point = _point(writer, grid, step)
    offsets: list[SSAValue] = []
    for expr in stream.tile.map.data.results:
        form = linear(expr)
        total = writer.number(form.constant)
        for dim, factor in form.terms:
            term = writer.multiply(point[cast(int, dim)], factor)
            total = writer.op(arith.AddiOp(total, term))
        offsets.append(total)
    return offsets


def _buffer(writer: _Writer, stream: _Stream, turn: SSAValue) -> SSAValue:
    """Return the buffer of the tile that is the `turn`th of its operand."""
    size = stream.tile.bytes_of(stream.operand)
    address = writer.multiply(writer.remainder(turn, stream.stages), stage_bytes(size))
    start = writer.add(address, stream.tile.place or 0)
    kind = cast(Any, stream.tile.type_of(stream.operand))
    return writer.op(memref.ViewOp(stream.memory, start, [], kind))


def stage_bytes(size: int) -> int:
    """Return the bytes from one stage's buffer to the next: a tile's, rounded up so that every type is aligned."""
    return -(-size // 8) * 8


def _hangs(grid: GridOp, stream: _Stream) -> bool:
    forms = [linear(expr) for expr in stream.tile.map.data.results]
    sides = zip(forms, stream.tile.extents, shape_of(stream.operand), strict=True)
    return any(f.interval(grid.bounds)[0] < 0 or f.interval(grid.bounds)[1] + t > n for f, t, n in sides)


def _fetch(writer: _Writer, grid: GridOp, stream: _Stream, turn: SSAValue) -> SSAValue:
    """Begin to fetch an input's `turn`th tile."""
    offsets = _offsets(writer, grid, stream, writer.multiply(turn, stream.run))
    near = _buffer(writer, stream, turn)
    clipped = _hangs(grid, stream)
    fill = stream.tile.fill if clipped else None
    return writer.op(DmaStartOp(stream.operand, offsets, near, clipped=clipped, fill=fill))


def _step(
    writer: _Writer, grid: GridOp, streams: Sequence[_Stream], step: SSAValue, tokens: list[SSAValue]
) -> list[SSAValue]:
    """Write one step of the loop; returns the tokens to carry on."""
    reads, writes = [s for s in streams if not s.is_output], [s for s in streams if s.is_output]
    onward: list[SSAValue] = []
    for stream in reads:
        if _is_prefetched(stream):
            onward.append(_prefetch(writer, grid, stream, step, tokens.pop(0)))
        elif stream.count > 1:
            _fetch_now(writer, grid, stream, step)
    groups = [[tokens.pop(0) for _ in range(stream.stages)] for stream in writes]
    for stream, group in zip(writes, groups, strict=True):
        _await_buffer(writer, stream, step, group[0])
    _run_body(writer, grid, streams, step)
    for stream, group in zip(writes, groups, strict=True):
        onward += _write_back(writer, grid, stream, step, group)
    return onward


def _prefetch(writer: _Writer, grid: GridOp, stream: _Stream, step: SSAValue, token: SSAValue) -> SSAValue:
    """At the first step of a tile: begin to fetch the next, then wait for this one; returns the token to carry on."""

    def begin(inner: _Writer) -> list[SSAValue]:
        turn = inner.add(inner.divide(step, stream.run), 1)
        more = inner.op(arith.CmpiOp(turn, inner.number(stream.count), "slt"))
        following = _choose(inner, more, lambda w: [_fetch(w, grid, stream, turn)], lambda w: [w.op(DmaNoneOp())])
        inner.wait(token)
        return following

    if stream.run == 1:
        return begin(writer)[0]
    first = writer.equals(writer.remainder(step, stream.run), 0)
    return _choose(writer, first, begin, lambda w: [token])[0]


def _choose(writer: _Writer, condition: SSAValue, then: _Side, otherwise: _Side) -> list[SSAValue]:
    """Write a conditional that yields one token."""
    blocks: list[Block] = []
    for side in (then, otherwise):
        block = Block()
        inner = writer.at_end_of(block)
        inner.effect(scf.YieldOp(*side(inner)))
        blocks.append(block)
    return [writer.op(scf.IfOp(condition, [TokenType()], Region(blocks[0]), Region(blocks[1])))]


def _when(writer: _Writer, condition: SSAValue, then: Callable[[_Writer], None]) -> None:
    """Write a conditional without results."""
    block = Block()
    inner = writer.at_end_of(block)
    then(inner)
    inner.effect(scf.YieldOp())
    writer.effect(scf.IfOp(condition, [], Region(block)))


def _fetch_now(writer: _Writer, grid: GridOp, stream: _Stream, step: SSAValue) -> None:
    """At the first step of a tile: fetch it and wait for it."""

    def fetch(inner: _Writer) -> None:
        inner.wait(_fetch(inner, grid, stream, inner.divide(step, stream.run)))

    if stream.run == 1:
        fetch(writer)
    else:
        _when(writer, writer.equals(writer.remainder(step, stream.run), 0), fetch)


def _await_buffer(writer: _Writer, stream: _Stream, step: SSAValue, token: SSAValue) -> None:
    """At the first step of an output's tile: wait until what its buffer held has been written."""
    if stream.run == 1:
        writer.wait(token)
    else:
        _when(writer, writer.equals(writer.remainder(step, stream.run), 0), lambda w: w.wait(token))


def _run_body(writer: _Writer, grid: GridOp, streams: Sequence[_Stream], step: SSAValue) -> None:
    buffers = [_buffer(writer, stream, writer.divide(step, stream.run)) for stream in streams]
    arguments = [*_point(writer, grid, step), *buffers]
    mapping: dict[SSAValue, SSAValue] = dict(zip(grid.body.block.args, arguments, strict=True))
    for op in grid.body.block.ops:
        if not isinstance(op, YieldOp):
            clone = op.clone(value_mapper=mapping)
            clone.location = op.location
            if is_kernel(clone) and "engine" in grid.attributes:
                clone.attributes.setdefault("engine", grid.attributes["engine"])
            writer.effect(clone)


def _write_back(
    writer: _Writer, grid: GridOp, stream: _Stream, step: SSAValue, tokens: list[SSAValue]
) -> list[SSAValue]:
    """At the last step of an output's tile: begin to write it; returns the tokens of writes under way, oldest first."""

    def write(inner: _Writer) -> list[SSAValue]:
        turn = inner.divide(step, stream.run)
        offsets = _offsets(inner, grid, stream, inner.multiply(turn, stream.run))
        near = _buffer(inner, stream, turn)
        return [inner.op(DmaStartOp(stream.operand, offsets, near, writes_far=True, clipped=_hangs(grid, stream)))]

    if stream.run == 1:
        return [*tokens[1:], *write(writer)]
    last = writer.equals(writer.remainder(step, stream.run), stream.run - 1)
    newest = _choose(writer, last, write, lambda w: [w.op(DmaNoneOp())])
    shifted = [
        _choose(writer, last, lambda w, a=a: [a], lambda w, b=b: [b])[0]
        for a, b in zip(tokens[1:], tokens, strict=False)
    ]
    return [*shifted, *_choose(writer, last, lambda w: newest, lambda w: [tokens[-1]])]


def _define_memories(module: ModuleOp, function: FuncOp, grids: Sequence[GridOp]) -> dict[str, SSAValue]:
    """
    Define the memory of each level that tiles lie in, as large as they reach, and return it as seen in the function.
    """
    reach: dict[str, int] = {}
    for grid in grids:
        for tile, operand in zip(grid.tiles, grid.operands, strict=True):
            if tile.level_name is not None and tile.place is not None:
                end = tile.place + tile.stages.data * stage_bytes(tile.bytes_of(operand))
                reach[tile.level_name] = max(reach.get(tile.level_name, 0), end)
    memories: dict[str, SSAValue] = {}
    first = function.body.block.first_op
    assert first is not None
    for level, size in sorted(reach.items()):
        kind = cast(Any, tile_type([size], i8, level))
        definition = memref.GlobalOp.get(StringAttr(f"{level}_memory"), kind, UnitAttr(), alignment=16)
        Rewriter.insert_op(definition, InsertPoint.before(function))
        get = memref.GetGlobalOp(f"{level}_memory", kind)
        Rewriter.insert_op(get, InsertPoint.before(first))
        memories[level] = get.results[0]
    return memories


def _grids(function: FuncOp) -> list[GridOp]:
    return [inner for inner in function.walk() if isinstance(inner, GridOp)]


@dataclass(frozen=True)
class ExpandGridPass(Pass):
    """
    Turn grids into loops with transfers of tiles and waits for them.

    The tiles must have levels and addresses (plan-memory). Afterwards all movement of data is explicit.
    """

    name = "expand-grid"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            memories = _define_memories(op, function, _grids(function))
            # An outer grid first: what it holds is cloned into its loop.
            while grids := _grids(function):
                expand_grid(grids[0], memories)
