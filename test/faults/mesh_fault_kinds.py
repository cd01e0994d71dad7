"""Kinds of faults in programs of the nodes of a mesh: rings, regions, instances, shards and their addresses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntAttr, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.kernel import is_kernel, is_shaped
from tilewright.dialects.core.kernel_parts import ints
from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.hier import AllGatherOp, DmaStartOp, DmaWaitOp, LocalOp, ProgramOp
from tilewright.dialects.hier.streams import StreamEndOp
from tilewright.ir import shape_of
from tilewright.test.faults.machine_fault_kinds import KINDS as MACHINE_KINDS

Plant = Callable[[ModuleOp, random.Random], bool]

_SHARED = (
    "a wait, push, pop, reserve or release is dropped",
    "a step is done twice",
    "a wait, push, pop, reserve or release is moved",
    "a kernel, copy or transfer is moved",
    "a kernel or copy is dropped",
    "a stream has another depth",
    "a constant index is another one",
    "an operand is another value of its type",
    "an address is another one",
)
KINDS: dict[str, Plant] = {name: MACHINE_KINDS[name] for name in _SHARED}
"""Name -> the function that plants a fault; it returns whether the module has a place for one."""


def _kind(name: str) -> Callable[[Plant], Plant]:
    def add(plant: Plant) -> Plant:
        KINDS[name] = plant
        return plant

    return add


def _drawn(module: ModuleOp, draw: random.Random, *kinds: type[Operation]) -> Any:
    found = [op for op in nested_ops(module) if isinstance(op, kinds)]
    return draw.choice(found) if found else None


def _constant(before: Operation, number: int) -> SSAValue:
    made = arith.ConstantOp(IntegerAttr.from_index_int_value(number))
    Rewriter.insert_op(made, InsertPoint.before(before))
    return made.result


def _added(before: Operation, value: SSAValue, by: int) -> SSAValue:
    made = arith.AddiOp(value, _constant(before, by))
    Rewriter.insert_op(made, InsertPoint.before(before))
    return made.result


@_kind("a ring is along the other coordinate")
def _other_ring(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("AllGatherOp | None", _drawn(module, draw, AllGatherOp))
    if op is not None:
        op.properties["along"] = IntAttr(1 - op.along.data)
    return op is not None


@_kind("a ring is dropped, or done twice")
def _drop_ring(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("AllGatherOp | None", _drawn(module, draw, AllGatherOp))
    if op is None:
        return False
    if draw.random() < 0.5:
        Rewriter.erase_op(op)
    else:
        Rewriter.insert_op(op.clone(), InsertPoint.after(op))
    return True


@_kind("a loop makes another number of rounds")
def _rounds(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("scf.ForOp | None", _drawn(module, draw, scf.ForOp))
    if op is None:
        return False
    end, by = draw.choice(((0, 1), (0, -1), (1, 1), (1, -1), (1, -1)))
    op.operands[end] = _added(op, op.operands[end], by)
    return True


@_kind("a transfer is dropped with its wait")
def _drop_transfer(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("DmaStartOp | None", _drawn(module, draw, DmaStartOp))
    if op is None or any(not isinstance(use.operation, DmaWaitOp) for use in op.results[0].uses):
        return False
    for use in list(op.results[0].uses):
        Rewriter.erase_op(use.operation)
    Rewriter.erase_op(op)
    return True


@_kind("a region is moved")
def _move_region(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("DmaStartOp | None", _drawn(module, draw, DmaStartOp))
    places = [index for index, value in enumerate(op.operands) if str(value.type) == "index"] if op is not None else []
    if op is None or not places:
        return False
    index = draw.choice(places)
    op.operands[index] = _added(op, op.operands[index], draw.choice((-4, -2, -1, 1, 2, 4)))
    return True


@_kind("a region is shorter")
def _shorten(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("DmaStartOp | None", _drawn(module, draw, DmaStartOp))
    if op is None:
        return False
    sizes = list(shape_of(op.near))
    axes = [axis for axis, size in enumerate(sizes) if size > 1]
    if not axes:
        return False
    axis, offsets = draw.choice(axes), [0] * len(sizes)
    sizes[axis] -= 1
    offsets[axis] = draw.choice((0, 1))
    part = memref.SubviewOp.from_static_parameters(op.near, cast(Any, op.near.type), offsets, sizes, [1] * len(sizes))
    Rewriter.insert_op(part, InsertPoint.before(op))
    op.operands[list(op.operands).index(op.near)] = part.result
    return True


@_kind("an instance is another one")
def _instance(module: ModuleOp, draw: random.Random) -> bool:
    ends = [op for op in nested_ops(module) if isinstance(op, StreamEndOp | LocalOp) and len(op.coordinates) > 0]
    if not ends:
        return False
    op = draw.choice(ends)
    first = list(op.operands).index(op.coordinates[0])
    index = first + draw.randrange(len(op.coordinates))
    other = first + (index - first + 1) % len(op.coordinates)
    if draw.random() < 0.5 and other != index:
        op.operands[index], op.operands[other] = op.operands[other], op.operands[index]
    else:
        op.operands[index] = _added(op, op.operands[index], draw.choice((-1, 1)))
    return True


@_kind("two operands of a kernel are swapped")
def _swap_operands(module: ModuleOp, draw: random.Random) -> bool:
    places: list[tuple[Operation, int, int]] = []
    for op in nested_ops(module):
        values = list(enumerate(op.operands)) if is_kernel(op) and not op.results else []
        places += [(op, i, j) for i, a in values for j, b in values[i + 1 :] if a.type == b.type and is_shaped(a)]
    places = [(op, i, j) for op, i, j in places if op.operands[i] is not op.operands[j]]
    if not places:
        return False
    op, i, j = draw.choice(places)
    op.operands[i], op.operands[j] = op.operands[j], op.operands[i]
    return True


@_kind("a shard has the address of another one")
def _overlap(module: ModuleOp, draw: random.Random) -> bool:
    views = [op for op in nested_ops(module) if isinstance(op, memref.ViewOp)]
    pairs = [(a, b) for a in views for b in views if a is not b and a.byte_shift is not b.byte_shift]
    pairs = [(a, b) for a, b in pairs if _number(a.byte_shift) not in (None, _number(b.byte_shift))]
    pairs = [(a, b) for a, b in pairs if _number(b.byte_shift) is not None]
    if not pairs:
        return False
    one, other = draw.choice(pairs)
    number = _number(other.byte_shift)
    assert number is not None
    moved = [each for each in views if _number(each.byte_shift) == _number(one.byte_shift)]
    for view in moved if draw.random() < 0.5 else [one]:
        view.operands[1] = _constant(view, number)
    return True


def _number(value: SSAValue) -> int | None:
    if isinstance(value.owner, arith.ConstantOp) and isinstance(held := value.owner.value, IntegerAttr):
        return cast("IntegerAttr[Any]", held).value.data
    return None


@_kind("a program is over fewer instances")
def _fewer(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("ProgramOp | None", _drawn(module, draw, ProgramOp))
    wide = [axis for axis, extent in enumerate(op.extents) if extent > 1] if op is not None else []
    if op is None or not wide:
        return False
    extents = list(op.extents)
    extents[draw.choice(wide)] -= 1
    op.properties["over"] = ints(extents)
    return True


def kinds_of(level: str) -> Sequence[str]:
    """Return the kinds for which programs of a level may have a place."""
    return [name for name in KINDS if level == "sharded" or not name.startswith("a ring")]
