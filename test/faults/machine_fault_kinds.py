"""Kinds of faults: each changes one place of a module, chosen at random, or returns that there is none."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.effect_traits import Awaits, Signals
from tilewright.dialects.core.effects import declared
from tilewright.dialects.core.instruction import InstructionOp
from tilewright.dialects.core.instruction.signature import Kind, Stride
from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.kernel_parts import ints
from tilewright.dialects.core.machine.attribute import ATTRIBUTE
from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.hier import DmaStartOp, GridOp, StreamOp
from tilewright.dialects.hier.lookups import LookupOp
from tilewright.dialects.hier.tiles import TileAttr
from tilewright.ir import numbers_of

Plant = Callable[[ModuleOp, random.Random], bool]

KINDS: dict[str, Plant] = {}
"""Name -> the function that plants a fault; it returns whether the module has a place for one."""

COMPUTATION = {
    "a kernel or copy is dropped",
    "a kernel, copy or transfer is moved",
    "an operand is another value of its type",
}
"""Kinds that may change what is computed, or on which operands, and not only what moves."""


def _kind(name: str) -> Callable[[Plant], Plant]:
    def add(plant: Plant) -> Plant:
        KINDS[name] = plant
        return plant

    return add


def _chosen(ops: Sequence[Operation], draw: random.Random) -> Operation | None:
    return draw.choice(ops) if ops else None


def _is_step(op: Operation) -> bool:
    """Return whether an op synchronises: a wait, a join, or one end of a stream."""
    return declared(type(op), Awaits) is not None or (op.has_trait(Signals) and not isinstance(op, StreamOp))


def _steps(module: ModuleOp) -> list[Operation]:
    return [op for op in nested_ops(module) if _is_step(op)]


def _moved(op: Operation, by: int) -> bool:
    """Move an op over its neighbours; False where it would leave the block, or its operands or uses are in the way."""
    for _ in range(abs(by)):
        other = op.prev_op if by < 0 else op.next_op
        if other is None or (by > 0 and other.next_op is None and other.successors):
            return False
        first, second = (other, op) if by < 0 else (op, other)
        if any(result in _used(second) for result in first.results) or other.next_op is None:
            return False
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(other) if by < 0 else InsertPoint.after(other))
    return True


def _used(op: Operation) -> set[SSAValue]:
    return {operand for inner in (op, *nested_ops(op)) for operand in inner.operands}


@_kind("a wait, push, pop, reserve or release is dropped")
def _drop(module: ModuleOp, draw: random.Random) -> bool:
    op = _chosen([each for each in _steps(module) if not any(result.uses for result in each.results)], draw)
    if op is not None:
        Rewriter.erase_op(op)
    return op is not None


@_kind("a step is done twice")
def _double(module: ModuleOp, draw: random.Random) -> bool:
    op = _chosen(_steps(module), draw)
    if op is not None:
        Rewriter.insert_op(op.clone(), InsertPoint.after(op))
    return op is not None


@_kind("a wait, push, pop, reserve or release is moved")
def _move(module: ModuleOp, draw: random.Random) -> bool:
    op = _chosen(_steps(module), draw)
    return op is not None and _moved(op, draw.choice((-3, -2, -1, 1, 2, 3)))


@_kind("a kernel, copy or transfer is moved")
def _move_access(module: ModuleOp, draw: random.Random) -> bool:
    ops = [op for op in nested_ops(module) if is_kernel(op) or isinstance(op, DmaStartOp) or op.name == "memref.copy"]
    op = _chosen(ops, draw)
    return op is not None and _moved(op, draw.choice((-3, -2, -1, 1, 2, 3)))


@_kind("a kernel or copy is dropped")
def _drop_access(module: ModuleOp, draw: random.Random) -> bool:
    ops = [op for op in nested_ops(module) if (is_kernel(op) and not op.results) or op.name == "memref.copy"]
    op = _chosen([each for each in ops if not _is_alone(each)], draw)
    if op is not None:
        Rewriter.erase_op(op)
    return op is not None


def _is_alone(op: Operation) -> bool:
    return op.prev_op is None and op.next_op is None


@_kind("a stream has another depth")
def _depth(module: ModuleOp, draw: random.Random) -> bool:
    op = _chosen([op for op in nested_ops(module) if isinstance(op, StreamOp)], draw)
    if op is None:
        return False
    before = cast(StreamOp, op).depth.data
    op.properties["depth"] = IntAttr(draw.choice([depth for depth in range(1, before + 3) if depth != before]))
    return True


@_kind("a constant index is another one")
def _index(module: ModuleOp, draw: random.Random) -> bool:
    ops = [op for op in nested_ops(module) if isinstance(op, arith.ConstantOp) and _is_index(op)]
    op = cast("arith.ConstantOp | None", _chosen([each for each in ops if each.result.uses], draw))
    if op is None:
        return False
    use = draw.choice(list(op.result.uses))
    number = cast("IntegerAttr[Any]", op.value).value.data + draw.choice((-2, -1, 1, 2))
    changed = arith.ConstantOp(IntegerAttr.from_index_int_value(number))
    Rewriter.insert_op(changed, InsertPoint.before(op))
    use.operation.operands[use.index] = changed.result
    return True


def _is_index(op: arith.ConstantOp) -> bool:
    return str(op.result.type) == "index"


@_kind("an operand is another value of its type")
def _operand(module: ModuleOp, draw: random.Random) -> bool:
    ops = [op for op in nested_ops(module) if op.operands and not isinstance(op, arith.ConstantOp)]
    for op in draw.sample(ops, min(len(ops), 12)):
        index = draw.randrange(len(op.operands))
        if isinstance(op.operands[index].type, IntegerType | AnyFloat):
            continue
        others = [value for value in _before(op) if value.type == op.operands[index].type]
        others = [value for value in others if value is not op.operands[index]]
        if others:
            op.operands[index] = draw.choice(others)
            return True
    return False


def _before(op: Operation) -> list[SSAValue]:
    """Return the values that are defined before an op, in the blocks around it."""
    found: list[SSAValue] = []
    at: Operation | None = op
    while at is not None and (block := at.parent) is not None:
        found += block.args
        for each in block.ops:
            if each is at:
                break
            found += each.results
        at = block.parent_op()
        if at is not None and at.name in ("func.func", "builtin.module"):
            break
    return found


@_kind("an address is another one")
def _address(module: ModuleOp, draw: random.Random) -> bool:
    places: list[tuple[Operation, int]] = []
    for op in nested_ops(module):
        if isinstance(op, GridOp):
            places += [(op, index) for index, tile in enumerate(op.tiles) if tile.byte_address is not None]
        elif "hier.address" in op.attributes or op.name == "memref.view":
            places.append((op, -1))
    if not places:
        return False
    op, index = draw.choice(places)
    by = draw.choice((-64, -16, -4, 4, 16, 64, 256))
    if index >= 0:
        grid = cast(GridOp, op)
        tile = grid.tiles.data[index]
        assert tile.byte_address is not None
        _replace_tile(grid, index, tile.with_address(max(0, tile.byte_address + by)))
        return True
    if op.name == "memref.view":
        shift = arith.ConstantOp(IntegerAttr.from_index_int_value(by))
        sum_ = arith.AddiOp(op.operands[1], shift.result)
        Rewriter.insert_op([shift, sum_], InsertPoint.before(op))
        op.operands[1] = sum_.result
        return True
    held = cast("IntegerAttr[Any]", op.attributes["hier.address"])
    op.attributes["hier.address"] = IntegerAttr(max(0, held.value.data + by), held.type)
    return True


def _replace_tile(op: GridOp, index: int, tile: TileAttr) -> None:
    tiles = list(op.tiles)
    tiles[index] = tile
    op.properties["tiles"] = ArrayAttr(tiles)


@_kind("a tile has another number of stages")
def _stages(module: ModuleOp, draw: random.Random) -> bool:
    grids = [op for op in nested_ops(module) if isinstance(op, GridOp)]
    places = [(op, i) for op in grids for i, tile in enumerate(op.tiles) if tile.own_buffer is not None]
    if not places:
        return False
    op, index = draw.choice(places)
    buffer = op.tiles.data[index].own_buffer
    assert buffer is not None
    stages = buffer.stages.data + draw.choice((-1, 1))
    if stages == 0:
        return False
    _replace_tile(op, index, op.tiles.data[index].with_buffer(buffer.with_stages(stages)))
    return True


@_kind("a tile begins elsewhere")
def _offset(module: ModuleOp, draw: random.Random) -> bool:
    places = [(op, index) for op in nested_ops(module) if isinstance(op, GridOp) for index in range(len(op.tiles))]
    places = [(op, index) for op, index in places if list(op.tiles)[index].map.data.results]
    if not places:
        return False
    op, index = draw.choice(places)
    held = list(op.tiles)[index].map
    lead, by = held.data, draw.choice((-8, -1, 1, 8))
    results, axis = list(lead.results), draw.randrange(len(lead.results))
    if draw.random() < 0.5 or not lead.num_dims:
        results[axis] = results[axis] + by
    else:
        results[axis] = results[axis] + AffineExpr.dimension(draw.randrange(lead.num_dims)) * by
    moved = AffineMapAttr(AffineMap(lead.num_dims, lead.num_symbols, tuple(results)))
    tile = op.tiles.data[index]
    _replace_tile(op, index, tile.with_map(moved, tile.lookups.data))
    return True


@_kind("a table has another range")
def _range(module: ModuleOp, draw: random.Random) -> bool:
    op = _chosen([op for op in nested_ops(module) if isinstance(op, LookupOp)], draw)
    if op is None:
        return False
    end = draw.choice(("low", "high"))
    op.properties[end] = IntAttr(cast(IntAttr, op.properties[end]).data + draw.choice((-3, -1, 1, 5)))
    return True


@_kind("a transfer lacks its fill, or fills with another number")
def _fill(module: ModuleOp, draw: random.Random) -> bool:
    ops = [op for op in nested_ops(module) if isinstance(op, DmaStartOp) and op.fill is not None]
    op = _chosen(ops, draw)
    if op is None:
        return False
    held = op.properties["fill"]
    if draw.random() < 0.5 or not isinstance(held, IntegerAttr):
        del op.properties["fill"]
        return True
    number = cast("IntegerAttr[Any]", held)
    op.properties["fill"] = IntegerAttr(number.value.data + 1, number.type)
    return True


@_kind("two programs are swapped")
def _swap(module: ModuleOp, draw: random.Random) -> bool:
    concurrent = _chosen([op for op in nested_ops(module) if op.name == "hier.concurrent"], draw)
    programs = list(concurrent.regions[0].block.ops) if concurrent is not None else []
    if len(programs) < 2:
        return False
    one, other = draw.sample(programs, 2)
    if len(one.regions[0].block.args) != len(other.regions[0].block.args):
        return False
    names = one.properties.get("engine"), other.properties.get("engine")
    for op, name in zip((other, one), names, strict=True):
        if name is not None:
            op.properties["engine"] = name
    return True


# Instructions


def _instructions(module: ModuleOp) -> list[Operation]:
    return [op for op in nested_ops(module) if isinstance(op, InstructionOp)]


def _without_buffers(module: ModuleOp) -> list[Operation]:
    """Return the fences, and the instructions that configure: few among the others."""
    accessed = [(op, cast(InstructionOp, op).INSTRUCTION.buffers.values()) for op in _instructions(module)]
    return [op for op, kinds in accessed if not any(kind.reads or kind.writes for kind in kinds)]


def _some(module: ModuleOp, draw: random.Random) -> Operation | None:
    return _chosen((_without_buffers if draw.random() < 0.5 else _instructions)(module), draw)


@_kind("an instruction or a fence is dropped")
def _drop_instruction(module: ModuleOp, draw: random.Random) -> bool:
    op = _some(module, draw)
    if op is not None:
        Rewriter.erase_op(op)
    return op is not None


@_kind("an instruction or a fence is done twice")
def _double_instruction(module: ModuleOp, draw: random.Random) -> bool:
    op = _some(module, draw)
    if op is not None:
        Rewriter.insert_op(op.clone(), InsertPoint.after(op))
    return op is not None


@_kind("an instruction or a fence is moved")
def _move_instruction(module: ModuleOp, draw: random.Random) -> bool:
    op = _some(module, draw)
    return op is not None and _moved(op, draw.choice((-3, -2, -1, 1, 2, 3)))


@_kind("a number of an instruction is another one")
def _number(module: ModuleOp, draw: random.Random) -> bool:
    op = cast("InstructionOp | None", _some(module, draw))
    kinds = {Kind.CONST, Kind.FLAG}
    fields = (
        [] if op is None else [e for e in op.INSTRUCTION.parameters if e.kind in kinds or isinstance(e.kind, Stride)]
    )
    if op is None or not fields:
        return False
    field = draw.choice(fields)
    held = op.properties.get(field.name)
    if field.kind is Kind.FLAG:
        if held is None:
            op.properties[field.name] = UnitAttr()
        else:
            del op.properties[field.name]
    elif isinstance(held, IntegerAttr):
        number = cast("IntegerAttr[Any]", held)
        op.properties[field.name] = IntegerAttr(number.value.data + draw.choice((-16, -8, -1, 1, 8, 16)), number.type)
    elif isinstance(held, DenseArrayBase):
        axis, times = numbers_of(cast("DenseArrayBase[Any]", held))
        op.properties[field.name] = ints(draw.choice([(axis, times + 1), (axis, 0), (1 - axis, times)]))
    else:
        op.properties[field.name] = ints((0, 1))
    return True


def _change_engine(module: ModuleOp, draw: random.Random, key: str, change: Callable[[Attribute], Attribute]) -> bool:
    """Change what a machine says of an engine by a key; False where no engine has it."""
    if ATTRIBUTE not in module.attributes:
        return False
    machine = cast("dict[str, Attribute]", cast(DictionaryAttr, module.attributes[ATTRIBUTE]).data)
    engines = {name: dict[str, Attribute](each.data) for name, each in cast(Any, machine["engines"]).data.items()}
    names = [name for name, engine in engines.items() if key in engine]
    if not names:
        return False
    name = draw.choice(names)
    engines[name] = {**engines[name], key: change(engines[name][key])}
    every = DictionaryAttr({each: DictionaryAttr(engine) for each, engine in engines.items()})
    module.attributes[ATTRIBUTE] = DictionaryAttr({**machine, "engines": every})
    return True


@_kind("a queue has another depth")
def _queue_depth(module: ModuleOp, draw: random.Random) -> bool:
    def change(held: Attribute) -> Attribute:
        queues = cast(DictionaryAttr, held).data
        name = draw.choice(list(queues))
        depth = cast("IntegerAttr[Any]", queues[name])
        return DictionaryAttr({**queues, name: IntegerAttr(draw.choice((1, 2, depth.value.data + 1)), depth.type)})

    return _change_engine(module, draw, "queues", change)


@_kind("a level is not interlocked")
def _interlocks(module: ModuleOp, draw: random.Random) -> bool:
    def change(held: Attribute) -> Attribute:
        levels = list(cast("ArrayAttr[Attribute]", held))
        levels.pop(draw.randrange(len(levels)))
        return ArrayAttr(levels)

    return _change_engine(module, draw, "interlocks", change)
