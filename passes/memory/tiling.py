"""
Kernels as grids of tiles, from the kernel view alone.

A tile of a kernel is the same kernel on smaller operands: the body of the grid is an op of the same class. Padding
disappears into the tiles' maps: what hangs over the operand is filled on the way in, and not written on the way out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, NoneAttr, StringAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import scalar_attr
from ...dialects.core.kernel import Access, Kernel, is_shaped, kernel_of
from ...dialects.core.kernel_op import KernelOp
from ...dialects.hier import GridOp, TileAttr, YieldOp
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from ..loops.affine import Linear, linear
from ..proof.kernel import ATTRIBUTE, describe


@dataclass(frozen=True)
class OperandTile:
    """The tile of one operand: its extents, its offsets as linear forms in the loop dimensions, and its fill."""

    value: SSAValue
    extents: tuple[int, ...]
    offsets: tuple[Linear, ...]
    hangs_over: bool
    fill: Attribute | None
    is_output: bool

    @property
    def bytes(self) -> int:
        """The bytes of one tile."""
        return prod(self.extents) * numpy_type(element_of(self.value)).itemsize

    @cached_property
    def dims(self) -> frozenset[int]:
        """The loop dimensions that the tile moves along."""
        return frozenset(dim for offset in self.offsets for dim in offset.dims())


@dataclass(frozen=True)
class Tiling:
    """A kernel cut into tiles: the size of a tile in every loop dimension, and how often it goes into the loop."""

    op: Operation
    kernel: Kernel
    sizes: tuple[int, ...]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The tiles along each loop dimension; the last may be partial."""
        return tuple(-(-bound // size) for bound, size in zip(self.kernel.bounds, self.sizes, strict=True))

    @cached_property
    def reads(self) -> dict[int, OperandTile]:
        """The tile of each operand that is read, by its position: a buffer read in two ways has two tiles."""
        found: dict[int, OperandTile] = {}
        for position, access in enumerate((*self.kernel.inputs[: self._first_extra], *self.kernel.extras)):
            if is_shaped(access.value) and (position >= self._first_extra or self._is_used(position)):
                found[position] = self._tile(access, is_output=False)
        for number, access in enumerate(self.kernel.outputs if self.accumulates else ()):
            found[self._first_output + number] = self._tile(access, is_output=False)
        return found

    @cached_property
    def writes(self) -> tuple[OperandTile, ...]:
        """The tile of each output."""
        return tuple(self._tile(access, is_output=True) for access in self.kernel.outputs)

    @cached_property
    def tiles(self) -> tuple[OperandTile, ...]:
        """The tiles that are read, each once, then those that are written. A buffer worked on in place has both."""
        return (*dict.fromkeys(self.reads.values()), *self.writes)

    @property
    def _first_output(self) -> int:
        return len(self.op.operands) - len(self.kernel.outputs)

    @property
    def _first_extra(self) -> int:
        return self._first_output - len(self.kernel.extras)

    def _is_used(self, position: int) -> bool:
        """Return whether the scalar code uses the elements of an input."""
        blocks = [reduction.body for reduction in self.kernel.reductions]
        blocks += [self.kernel.result] if self.kernel.result is not None else []
        return any(block.args[position].uses for block in blocks)

    @property
    def accumulates(self) -> bool:
        """Whether the kernel adds to what its output holds."""
        return any(initial is None for reduction in self.kernel.reductions for initial in reduction.initial)

    def _tile(self, access: Access, *, is_output: bool) -> OperandTile:
        forms = [linear(expr) for expr in access.map.results]
        if any(not isinstance(atom, int) for form in forms for atom, _ in form.terms):
            raise Diagnostic("an access with a division or remainder cannot be tiled", where=where(self.op))
        sizes, counts = self.sizes, self.counts
        extents = tuple(1 + sum(abs(f) * (sizes[cast(int, d)] - 1) for d, f in form.terms) for form in forms)
        moves = tuple(
            Linear(
                tuple((d, f * sizes[cast(int, d)]) for d, f in form.terms if counts[cast(int, d)] > 1), form.constant
            )
            for form in forms
        )
        shape = shape_of(access.value)
        ends = [move.interval(counts) for move in moves]
        hangs = any(low < 0 or high + t > n for (low, high), t, n in zip(ends, extents, shape, strict=True))
        fill = scalar_attr(0, element_of(access.value)) if access.fill is None else access.fill
        return OperandTile(access.value, extents, moves, hangs, fill if hangs and not is_output else None, is_output)

    def blocked_dims(self) -> str:
        """Return why the kernel may not be cut like this, empty where it may."""
        accesses = (*self.kernel.inputs, *self.kernel.extras, *self.kernel.outputs)
        if any(not isinstance(atom, int) for a in accesses for e in a.map.results for atom, _ in linear(e).terms):
            return "an access divides an index"
        for dim, count in enumerate(self.counts):
            if count > 1 and dim in self.kernel.reduced:
                return f"dimension d{dim} is reduced"
            if count > 1 and dim in _index_dims(self.op):
                return f"the scalar code uses the index d{dim}"
        return self._mixed_axes()

    def _mixed_axes(self) -> str:
        """Tiles of an axis that several dimensions index must be solid blocks of it, in outputs without a rest."""
        for access in (*self.kernel.inputs, *self.kernel.outputs):
            for form in (linear(expr) for expr in access.map.results):
                terms = sorted((abs(f), cast(int, d)) for d, f in form.terms if self.kernel.bounds[cast(int, d)] > 1)
                parallel = [(f, d) for f, d in terms if d not in self.kernel.reduced or access in self.kernel.outputs]
                if len(parallel) < 2:
                    continue
                (_, inner), *outer = parallel
                whole = self.sizes[inner] == self.kernel.bounds[inner]
                if not whole and any(self.sizes[d] > 1 for _, d in outer):
                    return f"d{inner} must be whole where tiles span several steps of an outer dimension of its axis"
                if not whole and self.kernel.bounds[inner] % self.sizes[inner]:
                    return f"d{inner} must be cut evenly"
        return ""


def _index_dims(op: Operation) -> set[int]:
    return {
        inner.dim.value.data for region in op.regions for inner in region.walk() if isinstance(inner, linalg.IndexOp)
    }


def tiling_of(op: Operation, sizes: Sequence[int] | None = None) -> Tiling:
    """Return the tiling of a kernel with tiles of these sizes, of one tile where none are given."""
    kernel = kernel_of(op)
    return Tiling(op, kernel, tuple(sizes) if sizes is not None else kernel.bounds)


def grid_of(
    tiling: Tiling, level: str, addresses: Sequence[int | None], stages: Sequence[int], order: Sequence[int]
) -> GridOp:
    """
    Return the grid that does a kernel in tiles brought to a level.

    `addresses` and `stages` are per operand of `tiling.tiles`; `order` lists the loop dimensions that are cut,
    outermost first. Raises Diagnostic where the kernel may not be cut like this.
    """
    if reason := tiling.blocked_dims():
        raise Diagnostic(f"'{tiling.op.name}' cannot be tiled so: {reason}", where=where(tiling.op))
    rank = len(order)
    numbers = {dim: place for place, dim in enumerate(order)}
    attributes: list[TileAttr] = []
    for tile, address, count in zip(tiling.tiles, addresses, stages, strict=True):
        lead = AffineMap(rank, 0, tuple(offset.expr(numbers) for offset in tile.offsets))
        attributes.append(
            TileAttr.get(tile.extents, AffineMapAttr(lead), level, address=address, stages=count, fill=tile.fill)
        )
    inputs = [(t, a) for t, a in zip(tiling.tiles, attributes, strict=True) if not t.is_output]
    outputs = [(t, a) for t, a in zip(tiling.tiles, attributes, strict=True) if t.is_output]
    ordered = [*inputs, *outputs]
    block = Block(arg_types=[IndexType()] * rank + [a.type_of(t.value) for t, a in ordered])
    buffers = dict(zip((t for t, _ in ordered), block.args[rank:], strict=True))
    operands = _tile_operands(tiling, buffers)
    for number, tile in enumerate(tiling.writes if tiling.accumulates else ()):
        block.add_op(memref.CopyOp(buffers[tiling.reads[len(operands) - len(tiling.writes) + number]], buffers[tile]))
    block.add_ops([_tile_kernel(tiling, operands), YieldOp.create()])
    extents = [tiling.counts[dim] for dim in order]
    values = [t.value for t, _ in inputs], [t.value for t, _ in outputs]
    grid = GridOp(extents, *values, [a for _, a in ordered], Region(block))
    grid.location = tiling.op.location
    return grid


def _tile_operands(tiling: Tiling, buffers: Mapping[OperandTile, SSAValue]) -> list[SSAValue]:
    """Return the operands of the kernel on one tile; one that is not used may be any buffer of its type."""
    values = list(tiling.op.operands)
    first = len(values) - len(tiling.writes)
    for position, tile in tiling.reads.items():
        values[position] = buffers[tile]
    values[first:] = [buffers[tile] for tile in tiling.writes]
    return values


def _tile_kernel(tiling: Tiling, operands: Sequence[SSAValue]) -> Operation:
    """Return the kernel on one tile."""
    op = tiling.op
    properties = op.tile_properties(tiling.sizes) if isinstance(op, KernelOp) else dict(op.properties)
    regions = [region.clone() for region in op.regions]
    attributes = dict(op.attributes) | {ATTRIBUTE: describe(tiling.kernel)}
    tile = op.__class__.create(operands=operands, properties=properties, attributes=attributes, regions=regions)
    tile.location = op.location
    return tile


def tile_type(shape: Sequence[int], element: Attribute, level: str) -> Attribute:
    """Return the type of a dense buffer in a level."""
    return MemRefType(cast(Any, element), shape, NoneAttr(), StringAttr(level))
