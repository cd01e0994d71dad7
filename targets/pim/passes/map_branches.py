"""The pass `map-branches`: the spatial mapping of kernels that a schedule of branches asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from ....dialects.core.kernel import is_kernel, kernel_of
from ....dialects.core.kernel_parts import ints
from ....dialects.core.machine.attribute import machine_of
from ....errors import Diagnostic
from ....ir import functions, numbers_of, shape_of
from ....locations import where
from ....passes.core.base import Pass
from ....passes.sharding.placement import InstanceMesh, mesh_of, reshaped, sub_arrays
from ....passes.sharding.spatial import SPATIAL, SUB_ARRAYS
from ..schedule.packing import regular
from .find_branches import BLOCK, BLOCKS, BRANCH_DIMS, HEAD_DIMS, QUERY_DIMS, REFUSED, STAGES
from .schedule_branches import SCHEDULE


class SubArrays(NamedTuple):
    """Sub-arrays of a stage: `grid` of them at a time, each of `scheme` nodes; `transposed` has heads along columns."""

    grid: tuple[int, int]
    scheme: tuple[int, int]
    transposed: bool

    @property
    def groups(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The extents of the coordinates of the mesh: sub-arrays, then the nodes of each."""
        heads, patches = self.scheme
        rows, columns = (patches, heads) if self.transposed else (heads, patches)
        return (self.grid[0], rows), (self.grid[1], columns)


def map_branches(module: ModuleOp, mesh: InstanceMesh) -> None:
    """
    Give kernels the sub-arrays of their stage, and products of queries and keys their loops.

    Raises Diagnostic for a schedule that programs cannot follow.
    """
    schedule, blocks = module.attributes.get(SCHEDULE), module.attributes.get(BLOCKS)
    if not isinstance(schedule, ArrayAttr) or not isinstance(blocks, ArrayAttr):
        return
    records = cast("ArrayAttr[DictionaryAttr]", module.attributes.get(STAGES, ArrayAttr([]))).data
    parts = [cast("IntegerAttr", record.data["parts"]).value.data for record in records]
    planned = cast("ArrayAttr[DictionaryAttr]", schedule).data
    partitions = [partition(*pair, mesh) for pair in zip(planned, parts or [1] * len(planned), strict=True)]
    of_blocks = [
        partitions[cast("IntegerAttr", block.data["stage"]).value.data]
        for block in cast("ArrayAttr[DictionaryAttr]", blocks).data
    ]
    for function in functions(module):
        for op, block in _blocks_of(list(function.body.blocks[0].ops) if function.body.blocks else []):
            op.attributes[SUB_ARRAYS] = ArrayAttr([ints(group) for group in of_blocks[block].groups])
            if HEAD_DIMS in op.attributes:
                op.attributes[SPATIAL] = ints(_loops(op, of_blocks[block], sub_arrays(mesh, of_blocks[block].groups)))


def partition(stage: DictionaryAttr, parts: int, mesh: InstanceMesh) -> SubArrays:
    """
    Return the sub-arrays of a stage whose blocks have so many parts, one after another.

    Raises Diagnostic where its layers are not equal boxes of sub-arrays, in order.
    """
    name = cast("StringAttr", stage.data["stage"]).data
    layers = cast("ArrayAttr[DictionaryAttr]", stage.data["layers"]).data
    schemes = {tuple(numbers_of(cast("DenseArrayBase", layer.data["scheme"]))) for layer in layers}
    if len(schemes) != 1:
        raise Diagnostic(
            f"the layers of stage {name} have several partitions, which programs do not follow",
            expected="one partition [head split, patch split] for all layers of a stage",
            found=", ".join(f"[{heads},{patches}]" for heads, patches in sorted(schemes)),
            remedy="schedule with schedule-branches{regular=true}",
        )
    heads, patches = schemes.pop()
    counts = [cast("IntegerAttr", layer.data["branches"]).value.data for layer in layers]
    boxes = sorted(regular(mesh.instances[0], mesh.instances[1], heads, patches, sum(counts) // parts))
    if len(boxes) * len(counts) != sum(counts) or len(counts) % parts:
        raise Diagnostic(
            f"the branches of stage {name} do not fill its layers equally",
            expected=f"{len(counts)} layers that each fill a box of sub-arrays of [{heads},{patches}] nodes",
            found=f"{sum(counts)} branches, {len(boxes)} at a time",
            remedy="schedule with schedule-branches{regular=true}",
        )
    places = list(numbers_of(cast("DenseArrayBase", stage.data["places"])))
    layers = len(counts) // parts
    steps = [range(part * layers, (part + 1) * layers) for part in range(parts)]
    if places != [n for own in steps for box in boxes for layer in own for n in (layer, box.row, box.column)]:
        raise Diagnostic(
            f"the branches of stage {name} are placed in another order than programs have them",
            expected=f"{layers} consecutive branches of a part in each of {len(boxes)} sub-arrays",
            found=f"layer, row, column: {', '.join(map(str, places[:9]))}, ..",
            remedy="schedule with schedule-branches{regular=true}",
        )
    rows = {box.row for box in boxes}
    columns = {box.column for box in boxes}
    return SubArrays((len(rows), len(columns)), (heads, patches), boxes[0].rows != heads)


def _blocks_of(ops: Sequence[Operation]) -> list[tuple[Operation, int]]:
    """
    Return the kernels of a function, each with the block that the next kernel with one has, or the last.

    Kernels of a block without a stage, and those before them, have none.
    """
    marked = [op for op in ops if BLOCK in op.attributes or REFUSED in op.attributes]
    kernels: list[tuple[Operation, int]] = []
    block = _block_of(marked[-1]) if marked else None
    of_blocks = set(marked)
    for op in reversed(ops):
        block = _block_of(op) if op in of_blocks else block
        if is_kernel(op) and block is not None:
            kernels.append((op, block))
    return kernels


def _block_of(op: Operation) -> int | None:
    """Return the block of a kernel, None where it has no stage."""
    number = op.attributes.get(BLOCK)
    return cast("IntegerAttr", number).value.data if number is not None else None


def _loops(op: Operation, own: SubArrays, mesh: InstanceMesh) -> list[int]:
    """
    Return the loop of the scores along each coordinate, -1 for none.

    Attention of one branch, in a stage of several, has its rows of queries over all of their sub-arrays.
    """
    kernel = kernel_of(op)
    exprs, shape = kernel.outputs[0].map.results, shape_of(kernel.outputs[0].value)
    heads, patches = (3, 1) if own.transposed else (1, 3)
    branches = prod(shape[axis] for axis in numbers_of(cast("DenseArrayBase", op.attributes[BRANCH_DIMS])))
    names: Mapping[str, Sequence[int]] = {
        "branches": (0, 2) if branches > 1 else (),
        "heads": (heads,),
        "patches": (patches,) if branches > 1 else tuple(sorted((0, 2, patches))),
    }
    loops = [-1] * len(mesh.extents)
    for (name, coordinates), key in zip(names.items(), (BRANCH_DIMS, HEAD_DIMS, QUERY_DIMS), strict=True):
        axes = list(numbers_of(cast("DenseArrayBase", op.attributes[key])))
        extents = [mesh.extents[number] for number in coordinates]
        if prod(extents) == 1:
            continue
        sizes = [shape[axis] for axis in axes] or [1]
        flat = tuple(0 if number in coordinates else None for number in range(len(loops)))
        split = reshaped(flat, [prod(sizes)], sizes, mesh) if prod(sizes) % prod(extents) == 0 else None
        if split is None:
            raise Diagnostic(
                f"{name} do not divide into equal parts",
                where=where(op),
                expected=f"a multiple of {prod(extents)}",
                found=f"{' x '.join(map(str, sizes))} {name}",
                remedy="schedule with schedule-branches{regular=true}",
            )
        for number in coordinates:
            place = split[number]
            expr = exprs[axes[place]] if place is not None else None
            loops[number] = expr.position if isinstance(expr, AffineDimExpr) else -1
    return loops


@dataclass(frozen=True)
class MapBranchesPass(Pass):
    """
    Map the branches of a schedule to sub-arrays of the mesh, for shard-kernels.

    Kernels get `hier.sub_arrays`, the sub-arrays of the stage of their block in `pim.schedule`; products of queries and
    keys get `hier.spatial`: branches over the sub-arrays, heads and rows of queries over the nodes of each. A sub-array
    has so many consecutive branches as there are temporal layers. Kernels of blocks that find-branches refused, and a
    module without a schedule, are unchanged. Run it on buffers, before shard-kernels.
    """

    name = "map-branches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if SCHEDULE in op.attributes:
            map_branches(op, mesh_of(machine_of(op)))
