"""
Tiling of fused kernels: the tile of each operand at each grid point, from the access maps alone.

A tile of a kernel is the same kernel on smaller operands. Along tiled axes, padding moves into the tile maps: transfers
fill the padding on the way in, and drop it on the way out.

In a fused group each kernel except the last, the leader, produces an intermediate for later kernels only. Tiles of
intermediates follow from those of the leader, and never leave the near level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.core.analysis.affine_form import Linear
from ...dialects.core.kernel import Access, Kernel, is_shaped, kernel_of
from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import scalar_attr
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from .operand_tiles import OperandTile
from .places import ANYWHERE, Blocks, Places


@dataclass(frozen=True)
class Part:
    """
    Kernel of a group: tile extents in its own loops, and tile offsets as linear forms in the leader's tile numbers.
    """

    op: Operation
    kernel: Kernel
    sizes: tuple[int, ...]
    starts: tuple[Linear, ...]
    places: Places = ANYWHERE

    @property
    def first_output(self) -> int:
        """Position of the first output among the operands."""
        return len(self.op.operands) - len(self.kernel.outputs)

    @property
    def first_extra(self) -> int:
        """Position of the first operand of the epilogue."""
        return self.first_output - len(self.kernel.extras)

    @property
    def accumulates(self) -> bool:
        """Return whether the kernel accumulates into its output."""
        return any(initial is None for reduction in self.kernel.reductions for initial in reduction.initial)

    @cached_property
    def moving(self) -> frozenset[int]:
        """Leader's loops along which the tile moves."""
        return frozenset(dim for start in self.starts for dim in start.dims())

    def is_cut(self, dim: int) -> bool:
        """Return whether a tile is smaller than the kernel along a loop."""
        return bool(self.starts[dim].terms) or self.sizes[dim] != self.kernel.bounds[dim]

    @cached_property
    def unreduced(self) -> Part:
        """The same kernel with whole reduced loops, from whose tiles panels are."""
        pairs = enumerate(zip(self.sizes, self.starts, self.kernel.bounds, strict=True))
        kept = [(n, Linear()) if dim in self.kernel.reduced else (size, start) for dim, (size, start, n) in pairs]
        return replace(self, sizes=tuple(size for size, _ in kept), starts=tuple(start for _, start in kept))

    @property
    def is_whole(self) -> bool:
        """Return whether the tile covers the whole kernel."""
        return not any(self.is_cut(dim) for dim in range(len(self.sizes)))

    def is_used(self, position: int) -> bool:
        """Return whether the scalar code uses an input, or the op requires a tile of it for its shape."""
        if position >= self.first_extra or not isinstance(self.op, KernelOp):
            return True
        blocks = [reduction.body for reduction in self.kernel.reductions]
        blocks += [self.kernel.result] if self.kernel.result is not None else []
        return any(block.args[position].uses for block in blocks)

    def role(self, position: int) -> str:
        """Return the role of an operand; `weights` are the second operand of a reduction."""
        if position >= self.first_extra:
            return "outs" if position >= self.first_output else "extras"
        return "weights" if position == 1 and self.kernel.reductions else "ins"

    @cached_property
    def uses(self) -> list[tuple[int, Access]]:
        """Accesses of all operands by position."""
        return [
            *enumerate(self.kernel.inputs),
            *enumerate(self.kernel.extras, self.first_extra),
            *enumerate(self.kernel.outputs, self.first_output),
        ]

    @cached_property
    def filled(self) -> tuple[Access, ...]:
        """Accesses to operands whose padding transfers fill, that of whole axes too."""
        return tuple(access for position, access in self.uses if self.role(position) in self.places.filled)

    def accesses(self) -> dict[int, Access]:
        """Return the read accesses by operand position."""
        extras = self.kernel.extras if self.places.epilogue is None else ()
        inputs = (*self.kernel.inputs[: self.first_extra], *extras)
        return {k: access for k, access in enumerate(inputs) if is_shaped(access.value) and self.is_used(k)}

    def blocks(self) -> Iterator[tuple[Blocks, Access]]:
        """Yield the layout of each operand in blocks, with its access."""
        outputs = enumerate(self.kernel.outputs, self.first_output)
        for position, access in (*self.accesses().items(), *outputs) if self.places.blocks else ():
            if (blocks := self.places.blocks.get(self.role(position))) is not None:
                yield blocks, access

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Yield, for each operand in blocks, its axis in blocks, the extent of its tile there and that of a block."""
        for blocks, access in self.blocks():
            if (axis := blocks.axis(access.map)) is not None:
                form, extent = access.forms[axis], shape_of(access.value)[axis]
                yield axis, self._span(form, extent, access, False)[0], blocks.extent

    def operand_tile(
        self, position: int, access: Access, counts: Sequence[int], homes: Mapping[SSAValue, str], *, is_output: bool
    ) -> OperandTile:
        """Compute the tile of an operand at its place; `homes` has the level of operands outside of the far one."""
        home, role = homes.get(access.value, self.places.far), self.role(position)
        in_place = self.places.reaches(role, home)
        level = home if in_place else self.places.level(role)
        tile = self.tile(access, counts, is_output=is_output, in_place=in_place, home=home, level=level)
        if not in_place:
            tile = replace(tile, layout=self.places.layout(role, access.map))
        return replace(tile, epilogue=self.places.epilogue) if is_output else tile

    def tile(
        self,
        access: Access,
        counts: Sequence[int],
        *,
        is_output: bool,
        in_place: bool,
        home: str = "",
        level: str = "",
    ) -> OperandTile:
        """Compute the tile of an operand; `counts` are the leader's tiles along each loop."""
        shape = shape_of(access.value)
        spans = [self._span(form, extent, access, in_place) for form, extent in zip(access.forms, shape, strict=True)]
        extents, offsets = tuple(extent for extent, _ in spans), tuple(offset for _, offset in spans)
        ends = [offset.interval(counts) for offset in offsets]
        hangs = any(low < 0 or high + t > n for (low, high), t, n in zip(ends, extents, shape, strict=True))
        fill = None
        if hangs and not is_output:
            fill = scalar_attr(0, element_of(access.value)) if access.fill is None else access.fill
        return OperandTile(access.value, extents, offsets, hangs, fill, is_output, in_place, home, level)

    def _span(self, form: Linear, extent: int, access: Access, in_place: bool) -> tuple[int, Linear]:
        """Compute extent and offset of a tile along one axis; an untiled axis keeps padding that is not filled."""
        if form.divides:
            if any(self.is_cut(dim) for dim in form.dims()):
                raise Diagnostic("a loop whose index is divided cannot be cut", where=where(self.op))
            return extent, Linear()
        terms = [(cast(int, dim), factor) for dim, factor in form.terms]
        length = 1 + sum(abs(factor) * (self.sizes[dim] - 1) for dim, factor in terms)
        if not any(self.is_cut(dim) for dim, _ in terms):
            low, high = form.interval(self.kernel.bounds)
            is_padded = access.fill is not None and (low < 0 or high >= extent) and access not in self.filled
            if is_padded or (in_place and form.constant == 0):
                return extent, Linear()
        offset = Linear((), form.constant - steps_back(form, self.sizes))
        for dim, factor in terms:
            offset += self.starts[dim] * factor
        return length, offset


@dataclass(frozen=True)
class Scratch:
    """Near-level scratch buffer of a group: an intermediate, or the accumulator of a split reduction."""

    shape: tuple[int, ...]
    element: Attribute
    level: str
    value: SSAValue | None = None
    layout: AffineMapAttr | None = None

    @property
    def bytes(self) -> int:
        """Bytes of the buffer."""
        return prod(self.shape) * numpy_type(self.element).itemsize


@dataclass(frozen=True)
class Tiling:
    """
    Tiling of a fused group: tile sizes in the leader's loops.

    `homes` has the level of each operand outside of the far level, `places` the places of each kernel's operands.
    """

    ops: tuple[Operation, ...]
    kernels: tuple[Kernel, ...]
    sizes: tuple[int, ...]
    homes: Mapping[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    places: tuple[Places, ...] = ()
    panels: tuple[int, ...] = ()
    """Positions of the leader's inputs whose tiles are panels: whole along reduced loops that are cut for others."""

    @property
    def op(self) -> Operation:
        """Leader: the last kernel of the group."""
        return self.ops[-1]

    @property
    def kernel(self) -> Kernel:
        """Kernel view of the leader."""
        return self.kernels[-1]

    def cut(self, sizes: tuple[int, ...], panels: tuple[int, ...] = ()) -> Tiling:
        """Return the tiling of the same kernels with other sizes and panels."""
        return Tiling(self.ops, self.kernels, sizes, self.homes, self.places, panels)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Tiles along each of the leader's loops; the last may be partial."""
        return tuple(-(-bound // size) for bound, size in zip(self.kernel.bounds, self.sizes, strict=True))

    @cached_property
    def cut_reductions(self) -> tuple[int, ...]:
        """Leader's tiled reduction loops."""
        return tuple(dim for dim, count in enumerate(self.counts) if count > 1 and dim in self.kernel.reduced)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Kernels with their tiles, producers first."""
        pairs = enumerate(zip(self.sizes, self.counts, strict=True))
        starts = tuple(Linear(((dim, size),)) if count > 1 else Linear() for dim, (size, count) in pairs)
        places = self.places or (ANYWHERE,) * len(self.ops)
        found = [Part(self.op, self.kernel, self.sizes, starts, places[-1])]
        for op, kernel, own in reversed(list(zip(self.ops[:-1], self.kernels[:-1], places[:-1], strict=True))):
            found.insert(0, self._producer(op, kernel, own, found))
        return tuple(found)

    def _producer(self, op: Operation, kernel: Kernel, places: Places, users: Sequence[Part]) -> Part:
        output = kernel.outputs[0]
        need = next(tile for user in users for tile in self._tiles_of(user, output.value))
        sizes, starts = list(kernel.bounds), [Linear() for _ in kernel.bounds]
        for axis, form in enumerate(output.forms):
            if form.terms:
                dim = cast(int, form.terms[0][0])
                sizes[dim], starts[dim] = need.extents[axis], need.offsets[axis]
        return Part(op, kernel, tuple(sizes), tuple(starts), places)

    def _tiles_of(self, part: Part, value: SSAValue) -> list[OperandTile]:
        found = part.accesses().values()
        return [part.tile(a, self.counts, is_output=False, in_place=False) for a in found if a.value is value]

    @cached_property
    def intermediates(self) -> dict[SSAValue, Scratch]:
        """Intermediates of the group, which are never in the far level."""
        found: dict[SSAValue, Scratch] = {}
        for part in self.parts[:-1]:
            output = part.kernel.outputs[0]
            tile = part.tile(output, self.counts, is_output=True, in_place=False)
            level = part.places.level("outs")
            layout = part.places.layout("outs", output.map)
            found[output.value] = Scratch(tile.extents, element_of(output.value), level, output.value, layout)
        return found

    @property
    def is_split(self) -> bool:
        """Return whether the leader's kernel computes partial sums only."""
        places = self.parts[-1].places
        return bool(self.cut_reductions) or places.sums_apart or places.epilogue is not None

    @cached_property
    def sums(self) -> dict[int, Scratch]:
        """Accumulators of split reductions by kernel number; none where the output's tile serves as one."""
        found: dict[int, Scratch] = {}
        for number, part in enumerate(self.parts):
            is_split = self.is_split if part is self.parts[-1] else part.places.sums_apart
            if is_split and part.kernel.epilogue is not None and part.places.epilogue is None:
                (output,), (reduction,) = part.kernel.outputs, part.kernel.reductions
                tile = part.tile(output, self.counts, is_output=True, in_place=False)
                level = part.places.level("accumulators")
                found[number] = Scratch(tile.extents, reduction.body.args[-1].type, level)
        return found

    @cached_property
    def scratch(self) -> tuple[Scratch, ...]:
        """Scratch buffers of the group."""
        return (*self.intermediates.values(), *self.sums.values())

    @cached_property
    def reads(self) -> dict[tuple[int, int], OperandTile]:
        """Tile of each read operand, by kernel number and operand position; one buffer may have two."""
        found: dict[tuple[int, int], OperandTile] = {}
        last = len(self.parts) - 1
        for number, part in enumerate(self.parts):
            for position, access in part.accesses().items():
                if access.value not in self.intermediates:
                    held = part.unreduced if number == last and position in self.panels else part
                    found[number, position] = self._operand_tile(held, position, access, is_output=False)
        first_output = self.parts[last].first_output
        for position, access in enumerate(self.kernel.outputs if self.accumulates else (), first_output):
            tile = self._operand_tile(self.parts[last], position, access, is_output=False)
            if not tile.in_place:
                found[last, position] = tile
        return found

    def within_panel(self, position: int) -> OperandTile:
        """Return the tile that a step of the leader uses of a panel, its offsets relative to the panel."""
        part = self.parts[-1]
        panel = self.reads[len(self.parts) - 1, position]
        tile = self._operand_tile(part, position, part.accesses()[position], is_output=False)
        offsets = (offset + begin * -1 for offset, begin in zip(tile.offsets, panel.offsets, strict=True))
        return replace(tile, offsets=tuple(offsets))

    @cached_property
    def writes(self) -> tuple[OperandTile, ...]:
        """Tile of each output of the leader."""
        leader = self.parts[-1]
        outputs = enumerate(self.kernel.outputs, leader.first_output)
        return tuple(self._operand_tile(leader, position, access, is_output=True) for position, access in outputs)

    def _operand_tile(self, part: Part, position: int, access: Access, *, is_output: bool) -> OperandTile:
        return part.operand_tile(position, access, self.counts, self.homes, is_output=is_output)

    @cached_property
    def tiles(self) -> tuple[OperandTile, ...]:
        """Distinct tiles read, then the tiles written. A buffer updated in place has both."""
        return (*dict.fromkeys(self.reads.values()), *self.starts, *self.writes)

    @cached_property
    def starts(self) -> tuple[OperandTile, ...]:
        """Tile that the leader's sums start from; none where they start from a constant."""
        epilogue = self.parts[-1].places.epilogue
        if epilogue is None or epilogue.bias is None:
            return ()
        (write,), value = self.writes, epilogue.bias.value
        shape, constant = shape_of(value), epilogue.bias.constant_axes
        offsets = tuple(Linear() if axis in constant else offset for axis, offset in enumerate(write.offsets))
        ends = [offset.interval(self.counts)[1] for offset in offsets]
        along = [axis for axis in range(len(shape)) if axis not in constant]
        hangs = any(ends[axis] + write.extents[axis] > shape[axis] for axis in along)
        fill = scalar_attr(0, write.element) if hangs else None
        tile = OperandTile(
            value, write.extents, offsets, hangs, fill, False, False, self.parts[-1].places.far, write.level
        )
        return (replace(tile, epilogue=epilogue, starts=write),)

    @property
    def accumulates(self) -> bool:
        """Return whether the leader accumulates into its output."""
        return self.parts[-1].accumulates

    def blocked_dims(self) -> str:
        """Return the reason why the tiling is illegal, empty if it is legal."""
        for dim, count in enumerate(self.counts):
            if (count > 1 or self.sizes[dim] > self.kernel.bounds[dim]) and (reason := self._blocked(dim)):
                return reason
        for part in self.parts:
            if not part.is_whole and (reason := index_blocked(part) or division_blocked(part) or mixed_axes(part)):
                return reason
        if reason := self._loose_intermediates():
            return reason
        for part in self.parts:
            for axis, extent, block in part.rows():
                if extent % block:
                    return f"axis {axis} of an operand in blocks has {extent} elements, no whole rows of {block}"
        if any(tile.in_place and tile.hangs_over for tile in self.tiles):
            return "a tile worked on in place hangs over its operand"
        return ""

    def _loose_intermediates(self) -> str:
        """Return the reason why an intermediate cannot be tiled, such as padding without a fill; empty if it can."""
        for part in self.parts[:-1]:
            if any(part.is_cut(dim) for dim in part.kernel.reduced):
                return "an intermediate must be reduced in one go"
        for user, access in ((user, access) for user in self.parts[1:] for access in user.accesses().values()):
            if access.value not in self.intermediates or access.fill is None:
                continue
            if user.tile(access, self.counts, is_output=False, in_place=False).hangs_over:
                return "an intermediate is padded where it is cut"
        uneven = any(self.kernel.bounds[dim] % self.sizes[dim] for dim in self.cut_reductions)
        return "a reduction over an intermediate must be cut evenly" if uneven and len(self.ops) > 1 else ""

    def _blocked(self, dim: int) -> str:
        if dim not in self.kernel.reduced:
            return ""
        if self.sizes[dim] > self.kernel.bounds[dim] and not self.kernel.fill_is_neutral:
            return f"dimension d{dim} is reduced, and padding it to blocks of {self.sizes[dim]} changes the result"
        if self.counts[dim] > 1 and not can_cut_reductions(self.op, self.kernel):
            return f"dimension d{dim} is reduced"
        if self.kernel.bounds[dim] % self.sizes[dim] and not self.kernel.fill_is_neutral:
            return f"dimension d{dim} is reduced, and must be cut evenly"
        return ""


def steps_back(form: Linear, sizes: Sequence[int]) -> int:
    """Return the largest decrease of a form without divisions from its value at 0 over a box of these sizes."""
    return -sum(factor * (sizes[cast(int, dim)] - 1) for dim, factor in form.terms if factor < 0)


def can_cut_reductions(op: Operation, kernel: Kernel) -> bool:
    """Return whether a kernel is one reduction that can be split into partial sums."""
    if len(kernel.reductions) != 1 or kernel.result is not None or len(kernel.outputs) != 1:
        return False
    (reduction,) = kernel.reductions
    return len(reduction.initial) == 1 and (isinstance(op, KernelOp) or reduction.initial[0] is None)


def index_blocked(part: Part) -> str:
    """Return the reason why the scalar code forbids the tiling (`linalg.index` of a tiled loop), empty if none."""
    for dim in sorted(index_dims(part.kernel)):
        if part.is_cut(dim):
            return f"the scalar code uses the index d{dim}"
    return ""


def division_blocked(part: Part) -> str:
    """Return the reason why divisions in accesses forbid the tiling, empty if none."""
    for dim in sorted(part.kernel.divided_dims):
        if part.is_cut(dim):
            return f"an access divides the index d{dim}"
    return ""


def index_dims(kernel: Kernel) -> set[int]:
    """Return the loops whose index the scalar code uses."""
    blocks = [*(reduction.body for reduction in kernel.reductions), kernel.result, kernel.epilogue]
    inner = (found for block in blocks if block is not None for found in nested_ops(block))
    return {found.dim.value.data for found in inner if isinstance(found, linalg.IndexOp)}


def mixed_axes(part: Part) -> str:
    """Return the reason why tiles of an axis indexed by several loops are not contiguous, empty if they are."""
    kernel = part.kernel
    for dim in sorted(kernel.shared_dims):
        if part.sizes[dim] > kernel.bounds[dim]:
            return f"d{dim} cannot be padded to blocks of {part.sizes[dim]}: it shares an axis with another loop"
    for inner, outer in kernel.axis_pairs:
        whole = part.sizes[inner] == kernel.bounds[inner]
        if not whole and any(part.sizes[d] > 1 for d in outer):
            return f"d{inner} must be whole where tiles span several steps of an outer dimension of its axis"
        if not whole and kernel.bounds[inner] % part.sizes[inner]:
            return f"d{inner} must be cut evenly"
    return ""


def roles_of(op: Operation) -> list[tuple[SSAValue, str]]:
    """Return the operands of a kernel, each with its role."""
    kernel = kernel_of(op)
    part = Part(op, kernel, kernel.bounds, ())
    return [(access.value, part.role(position)) for position, access in part.uses]


def tiling_of(
    op: Operation | Sequence[Operation],
    sizes: Sequence[int] | None = None,
    homes: Mapping[SSAValue, str] | None = None,
    places: Sequence[Places] = (),
    panels: tuple[int, ...] = (),
) -> Tiling:
    """
    Build the tiling of a kernel or fused group; without sizes, one tile.

    `homes` has the level of each operand outside of the far level, `panels` the leader's inputs of which tiles are
    panels. Without `places`, tiles have no level, and operands
    of the home "" are used in place.
    """
    ops = (op,) if isinstance(op, Operation) else tuple(op)
    kernels = tuple(kernel_of(each) for each in ops)
    bounds = tuple(sizes) if sizes is not None else kernels[-1].bounds
    return Tiling(ops, kernels, bounds, homes or {}, tuple(places), panels)
