"""Construction of grids over tiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from ...dialects.core.analysis.affine_form import Linear, linear
from ...dialects.core.kernel import Kernel, kernel_of
from ...dialects.core.kernel_op import KernelOp
from ...dialects.hier import (
    BufferAttr,
    FirstOp,
    GridOp,
    LastOp,
    ScratchAttr,
    SourceAttr,
    StartsAttr,
    TileAttr,
    YieldOp,
)
from ...dialects.hier.tiles import buffer_types, view_type
from ...errors import Diagnostic
from ...ir import element_of, numbers_of, shape_of, where
from ..grids.writer import Writer
from ..proof.kernel import ATTRIBUTE, describe
from ..tiles.group import Tilings
from ..tiles.kernels import KernelTiles
from ..tiles.legality import refusal
from ..tiles.operands import OperandTiles
from .hints import ALL as HINTS
from .spreading import NOWHERE, SpatialMapping

EngineOf: TypeAlias = Callable[[Operation, Operation], str]
"""Maps an op of a grid's body and its source kernel to an engine name; empty for the grid's engine."""


@dataclass(frozen=True)
class SplitReduction:
    """
    Split reduction: initialisation, step and optional epilogue of a kernel with one reduction.

    The ops have whole buffers of their own; they are templates for tiles and for cost estimates. A kernel that
    accumulates into its output has no initialisation.
    """

    start: Operation | None
    step: Operation
    epilogue: Operation | None
    whole: Operation
    """Kernel without its epilogue, for a reduction in one go."""


def split_reduction(op: Operation) -> SplitReduction:
    """Split a kernel with one reduction into initialisation, step and epilogue."""
    kernel = kernel_of(op)
    types = [value.type for value in op.operands]
    (reduction,) = kernel.reductions
    element = reduction.body.args[-1].type
    shape = shape_of(kernel.outputs[0].value)
    sums = MemRefType(cast(Any, element), shape)
    block = Block(arg_types=[*types, sums])
    first_output = len(op.operands) - 1
    first_extra = first_output - len(kernel.extras)
    total = block.args[-1] if kernel.epilogue is not None else block.args[first_output]
    if not isinstance(op, KernelOp):
        step = op.clone(value_mapper=dict(zip(op.operands, block.args, strict=False)))
        return SplitReduction(None, step, None, step)
    initial = reduction.initial[0]
    start = None
    if initial is not None:
        zero = arith.ConstantOp(cast(Any, initial))
        start = linalg.FillOp([zero.result], [total], res=[])
    step = _step(op, block.args[:first_extra], total, dict(op.properties))
    whole = _step(op, block.args[:first_extra], total, dict(op.properties), accumulates=False)
    epilogue = _epilogue(kernel, op, total, block.args[first_extra:first_output], block.args[first_output])
    return SplitReduction(start, step, epilogue, whole)


def _step(
    op: KernelOp,
    inputs: Sequence[SSAValue],
    total: SSAValue,
    properties: dict[str, Attribute],
    *,
    accumulates: bool = True,
) -> Operation:
    kept = {k: v for k, v in properties.items() if k not in ("operandSegmentSizes", "epilogue_maps", "accumulate")}
    added = {"accumulate": UnitAttr()} if accumulates else {}
    return op.create_from(inputs, [], [total], kept | added, [[]], {})


def _epilogue(
    kernel: Kernel, op: KernelOp, total: SSAValue, extras: Sequence[SSAValue], out: SSAValue
) -> Operation | None:
    """Build the elementwise epilogue from accumulator to output."""
    if kernel.epilogue is None:
        return None
    rank = len(shape_of(out))
    identity = AffineMapAttr(AffineMap.identity(rank))
    maps = list(op.epilogue_maps.data) if op.epilogue_maps else []
    body = Region(Block(arg_types=[*(arg.type for arg in kernel.epilogue.args), element_of(out)]))
    mapping: dict[SSAValue, SSAValue] = dict(zip(kernel.epilogue.args, body.block.args, strict=False))
    for inner in kernel.epilogue.ops:
        body.block.add_op(inner.clone(value_mapper=mapping))
    iterators = [IteratorTypeAttr.parallel()] * rank
    return linalg.GenericOp([total, *extras], [out], body, [identity, *maps, identity], iterators)


def grid_of(
    tiling: Tilings,
    level: str,
    addresses: Sequence[int | None],
    stages: Sequence[int],
    order: Sequence[int],
    scratch: Sequence[int | None] | None = None,
    engine: EngineOf | None = None,
    spread: SpatialMapping = NOWHERE,
    strides: Mapping[str, int] | None = None,
) -> GridOp:
    """
    Build the grid of a fused group of kernels whose tiles move to a level.

    `addresses` and `stages` are per operand of `tiling.tiles`; `scratch` has the addresses of `tiling.scratch`. `order`
    lists the tiled loop dimensions, outermost first, reductions last. `engine` names the engine of an op of the body.
    `level` is that of a tiling without role levels. `spread` maps tiles to engine instances, and `strides` gives the
    bytes between their buffers in each shared level. Raises Diagnostic for an illegal tiling.
    """
    _check(tiling, order)
    order, counts = spread.order(order, tiling.grid), spread.counts(tiling.grid)
    divided = tuple(range(len(spread.loops)))
    copies = [count for _, count in spread.loops]
    bounds = [*copies, *(counts[dim] for dim in order)]
    rank = len(bounds)
    lead_to = _tile_numbers(tiling, spread, order)
    attributes: list[TileAttr] = []
    for tile, address, count in zip(tiling.tiles, addresses, stages, strict=True):
        lead = AffineMapAttr(AffineMap(rank, 0, tuple(lead_to(offset) for offset in tile.forms)))
        if tile.in_place:
            attributes.append(TileAttr.get(tile.shape, lead))
            continue
        stored = BufferAttr.get(
            tile.level or level,
            element=None if tile.epilogue is None else tile.element,
            layout=tile.layout,
            address=address,
            stages=count if tile.has_buffer else 1,
        )
        source = SourceAttr.get(broadcast=tile.repeated, neighbours=spread.chain(tile), fill=tile.fill)
        attributes.append(TileAttr.get(tile.shape, lead, StartsAttr.get(0) if tile.starts else stored, source))
    described = sorted(zip(tiling.tiles, attributes, strict=True), key=lambda operand: operand[0].is_output)
    ordered = [tile for tile, _ in described]
    tile_attributes = [attribute for _, attribute in described]
    inputs = sum(not tile.is_output for tile in ordered)
    role_levels = scratch if scratch is not None else [None] * len(tiling.scratch)
    own = [
        ScratchAttr.get(s.shape, s.element, s.level or level, a, s.layout)
        for s, a in zip(tiling.scratch, role_levels, strict=True)
    ]
    operands = [tile.value for tile in ordered]
    types = [*buffer_types(tile_attributes, operands, inputs), *(buffer.type for buffer in own)]
    block = Block(arg_types=[*[IndexType()] * rank, *types])
    bodies = {number: tile.body.clone() for number, tile in enumerate(ordered) if tile.body is not None}
    grid = GridOp(
        bounds,
        operands[:inputs],
        operands[inputs:],
        tile_attributes,
        Region(block),
        scratch=own,
        spatial=divided,
        strides=strides,
        bodies=bodies,
    )
    buffers = dict(zip(ordered, grid.buffers, strict=True))
    _GridBody(tiling, grid, buffers, order, engine).build()
    grid.location = tiling.op.location
    return grid


def _tile_numbers(tiling: Tilings, spread: SpatialMapping, order: Sequence[int]) -> Callable[[Linear], AffineExpr]:
    """Return the substitution of tile numbers along loops by dimensions of the grid."""
    if not spread.loops:
        numbers = {dim: place for place, dim in enumerate(order)}
        return lambda form: form.expr(numbers)
    counts = spread.counts(tiling.grid)
    tile_numbers = [Linear() for _ in counts]
    for place, (dim, _) in enumerate(spread.loops):
        tile_numbers[dim] += Linear(((place, counts[dim]),))
    for place, dim in enumerate(order, start=len(spread.loops)):
        tile_numbers[dim] += Linear(((place, 1),))

    def lead(form: Linear) -> AffineExpr:
        total = Linear((), form.constant)
        for atom, factor in form.terms:
            total += tile_numbers[cast(int, atom)] * factor
        return total.expr({dim: dim for dim in total.dims()})

    return lead


def _check(tiling: Tilings, order: Sequence[int]) -> None:
    reason = refusal(tiling)
    reduced = [dim in tiling.cut_reductions for dim in order]
    if not reason and reduced != sorted(reduced):
        reason = "reduced dimensions must be the innermost ones"
    if reason:
        raise Diagnostic(f"'{tiling.op.name}' cannot be tiled so: {reason}", where=where(tiling.op))


class _GridBody:
    """Builder of the body of a grid."""

    def __init__(
        self,
        tiling: Tilings,
        grid: GridOp,
        buffers: Mapping[OperandTiles, SSAValue],
        order: Sequence[int],
        engine: EngineOf | None,
    ):
        self._tiling, self._buffers, self._engine = tiling, buffers, engine
        self._block = grid.body.block
        self._point = dict(zip(order, grid.point[len(grid.spatial_dims) :], strict=True))
        self._order = order
        own = dict(zip(tiling.operands.intermediates, grid.scratch_buffers, strict=False))
        self._intermediates: dict[SSAValue, SSAValue] = cast(Any, own)
        self._sums = dict(zip(tiling.operands.sums, grid.scratch_buffers[len(own) :], strict=True))

    def build(self) -> None:
        """Build the ops of the body."""
        *producers, _ = self._tiling.parts
        for number, part in enumerate(producers):
            self._guarded(FirstOp, trailing_dims(self._order, part), self._producer(number, part))
        self._leader()
        self._block.add_op(YieldOp.create())

    def _producer(self, number: int, part: KernelTiles) -> list[Operation]:
        """Return a producer on one tile; its epilogue is a kernel of its own where its partial sums are separate."""
        if number not in self._sums:
            return [self._kernel(number, part)]
        split, total, operands = split_reduction(part.op), self._sums[number], self._operands(number, part)
        extras, out = operands[part.first_extra : part.first_output], operands[part.first_output]
        return [self._partial(part, split, operands, total, False), self._last(part, split, total, extras, out)]

    def _guarded(self, guard: type[FirstOp] | type[LastOp], dims: Sequence[int], ops: Sequence[Operation]) -> None:
        if not dims:
            self._block.add_ops(ops)
            return
        self._block.add_op(guard([self._point[dim] for dim in dims], Region(Block(ops))))

    def _leader(self) -> None:
        tiling, number = self._tiling, len(self._tiling.parts) - 1
        part, cut = tiling.parts[-1], tiling.cut_reductions
        copies = self._copies(number, part)
        if not tiling.is_split[0]:
            self._block.add_ops([*copies, self._kernel(number, part)])
            return
        split = split_reduction(part.op)
        (write,) = tiling.operands.writes
        total = self._sums.get(number) or self._buffers[write]
        operands = self._operands(number, part)
        epilogue = part.role_levels.epilogue
        is_started = epilogue is not None and epilogue.bias is not None
        if split.start is not None and cut and not is_started:
            zero = arith.ConstantOp(cast(Any, part.kernel.reductions[0].initial[0]))
            self._block.add_op(zero)
            copies = [self._finished(linalg.FillOp([zero.result], [total], res=[]), part.op, None)]
        self._guarded(FirstOp, cut, copies)
        self._block.add_op(self._partial(part, split, operands, total, bool(cut) or is_started))
        if split.epilogue is not None and epilogue is None:
            extras = operands[part.first_extra : part.first_output]
            self._guarded(LastOp, cut, [self._last(part, split, total, extras, self._buffers[write])])

    def _copies(self, number: int, part: KernelTiles) -> list[Operation]:
        """Return copies from the tile read to the tile written, for outputs that the leader accumulates into."""
        copies: list[Operation] = []
        for index, tile in enumerate(self._tiling.operands.writes):
            read = self._tiling.tile_of.get((number, part.first_output + index))
            if read is not None:
                copies.append(memref.CopyOp(self._buffers[read], self._buffers[tile]))
        return copies

    def _operands(self, number: int, part: KernelTiles) -> list[SSAValue]:
        """Return the operands of a kernel on one tile; an unused operand may be any buffer of its type."""
        values = [self._intermediates.get(value, value) for value in part.op.operands]
        for (owner, position), tile in self._tiling.tile_of.items():
            if owner == number and position < part.first_output:
                values[position] = self._buffers[tile]
        for position in self._tiling.panels if number == len(self._tiling.parts) - 1 else ():
            values[position] = self._within(values[position], self._tiling.within_panel(position))
        if number == len(self._tiling.parts) - 1:
            values[part.first_output :] = [self._buffers[tile] for tile in self._tiling.operands.writes]
        return values

    def _within(self, panel: SSAValue, tile: OperandTiles) -> SSAValue:
        """Return the view of a panel that a step of the leader uses."""
        writer = Writer(InsertPoint.at_end(self._block), self._tiling.op.location)
        numbers = {dim: dim for dim in self._point}
        offsets = [writer.affine(offset.expr(numbers), self._point.__getitem__) for offset in tile.forms]
        moving = [offset for offset in offsets if isinstance(offset, SSAValue)]
        static = [offset if isinstance(offset, int) else DYNAMIC_INDEX for offset in offsets]
        kind = view_type(cast(Any, panel.type), tile.shape)
        return writer.op(memref.SubviewOp(panel, moving, [], [], static, tile.shape, [1] * len(static), kind))

    def _kernel(self, number: int, part: KernelTiles) -> Operation:
        """Return a kernel on one tile."""
        op = part.op
        properties = _tile_properties(op, part) if isinstance(op, KernelOp) else _own_properties(op, part.shape)
        regions = [region.clone() for region in op.regions]
        operands = self._operands(number, part)
        attributes = _without_hints(op)
        tile = op.__class__.create(operands=operands, properties=properties, attributes=attributes, regions=regions)
        return self._finished(tile, op, part.kernel)

    def _partial(
        self, part: KernelTiles, split: SplitReduction, operands: Sequence[SSAValue], total: SSAValue, accumulates: bool
    ) -> Operation:
        """Return the kernel that adds one tile of a reduction to its partial sum, or computes the sum in one go."""
        op = part.op
        if isinstance(op, KernelOp):
            properties = _tile_properties(op, part)
            tile = _step(op, operands[: part.first_extra], total, properties, accumulates=accumulates)
            tile.attributes |= _without_hints(op)
        else:
            tile = op.clone(value_mapper=dict(zip(op.operands, [*operands[:-1], total], strict=True)))
            tile.properties |= _own_properties(op, part.shape)
        tile_op = self._finished(tile, op, kernel_of(split.step if accumulates else split.whole))
        epilogue = part.role_levels.epilogue
        if epilogue is not None and epilogue.bias is not None:
            whole = cast(DictionaryAttr, tile_op.attributes[ATTRIBUTE])
            tile_op.attributes[ATTRIBUTE] = DictionaryAttr({**whole.data, **epilogue.bias.description()})
        return tile_op

    def _last(
        self, part: KernelTiles, split: SplitReduction, total: SSAValue, extras: Sequence[SSAValue], out: SSAValue
    ) -> Operation:
        epilogue = split.epilogue
        assert epilogue is not None
        tile = epilogue.clone(value_mapper=dict(zip(epilogue.operands, [total, *extras, out], strict=True)))
        return self._finished(tile, part.op, kernel_of(epilogue))

    def _finished(self, tile: Operation, source: Operation, whole: Kernel | None) -> Operation:
        tile.location = source.location
        if whole is not None:
            tile.attributes[ATTRIBUTE] = describe(whole, kernel_of(tile))
        if self._engine is not None and (name := self._engine(tile, source)):
            tile.attributes["engine"] = StringAttr(name)
        return tile


def _tile_properties(op: KernelOp, part: KernelTiles) -> dict[str, Attribute]:
    """Return the properties of a kernel on a tile, without the padding that transfers fill."""
    properties = op.tile_properties(part.shape)
    if not any(access.fill is not None for access in part.filled):
        return properties
    return properties | {"pads": DenseArrayBase.from_list(i64, [0] * len(numbers_of(properties["pads"])))}


def _own_properties(op: Operation, sizes: Sequence[int]) -> dict[str, Attribute]:
    """Return the properties of a linalg op on tiles of these sizes, with indexing maps relative to the tile."""
    if not isinstance(op, linalg.GenericOp):
        return dict(op.properties)
    maps = ArrayAttr([AffineMapAttr(_within_tile(attr.data, sizes)) for attr in op.indexing_maps])
    return dict(op.properties) | {"indexing_maps": maps}


def _within_tile(map: AffineMap, sizes: Sequence[int]) -> AffineMap:
    return AffineMap(map.num_dims, map.num_symbols, tuple(_in_tile(expr, sizes) for expr in map.results))


def _in_tile(expr: AffineExpr, sizes: Sequence[int]) -> AffineExpr:
    """Rebase an index of an operand to its tile, whose offset is the least value of the index."""
    form = linear(expr)
    if form.divides or form.constant == steps_back(form, sizes):
        return expr
    return Linear(form.terms, steps_back(form, sizes)).expr({dim: dim for dim in form.dims()})


def steps_back(form: Linear, sizes: Sequence[int]) -> int:
    """Return the largest decrease of a form without divisions from its value at 0 over a box of these sizes."""
    return -sum(factor * (sizes[cast(int, dim)] - 1) for dim, factor in form.terms if factor < 0)


def _without_hints(op: Operation) -> dict[str, Attribute]:
    return {name: value for name, value in op.attributes.items() if name not in HINTS}


def trailing_dims(order: Sequence[int], part: KernelTiles) -> list[int]:
    """Return the innermost dimensions of `order` along which a kernel's tile is invariant."""
    trailing: list[int] = []
    for dim in reversed(order):
        if dim in part.dims:
            break
        trailing.insert(0, dim)
    return trailing
