"""Proofs about replicated programs: the instances that they run on, and the memory of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from operator import gt
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from ...dialects.core.machine.model import Machine
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import ConcurrentOp, ResidentOp, StreamOp
from ...dialects.hier.programs import instances_of
from ...dialects.hier.sharded import is_sharded, level_name, shard_type, sharding_of
from ...errors import Diagnostic, did_you_mean
from ...ir import where
from ..memory.views import bytes_of
from .rules import listed, refuse

Use: TypeAlias = dict[tuple[str, tuple[int, ...]], int]
"""Level and coordinates of an instance -> bytes in its memory."""


def prove_instances(function: FuncOp, machine: Machine, kept: Use) -> None:
    """
    Prove that a machine has the instances of a function's programs, streams and sharded values, with enough memory.

    The memory of an instance holds its shards and slots, what the programs that run on it allocate, and what is `kept`
    for other functions: their resident values.
    """
    for op in nested_ops(function):
        if isinstance(op, ConcurrentOp):
            prove_engines(op, machine)
        elif isinstance(op, StreamOp) and (tile := op.type.tile) is not None:
            _prove_level(op, "the stream", tile, op.type.extents, machine)
        elif isinstance(op, memref.AllocaOp) and is_sharded(op.memref.type):
            sharding, tile = sharding_of(op.memref.type), shard_type(cast("MemRefType[Any]", op.memref.type))
            ends = [low + extent for low, extent in zip(sharding.lower, sharding.extents, strict=True)]
            _prove_level(op, "a sharded value", tile, ends, machine)
    for key, size in sorted(memory_of(function, machine).items()):
        _prove_room(function, key, size + kept.get(key, 0), machine)


def memory_of(function: FuncOp, machine: Machine, *, fused: bool = False) -> Use:
    """
    Measure the memory of each instance that a function needs: shards, slots, and what programs allocate.

    With `fused`, all programs are as one, which holds the buffers of all: what fuse-programs may make of them.
    """
    used: Use = defaultdict(int)
    programs: Use = {}
    symbols = _symbols(function)
    for op in nested_ops(function):
        if isinstance(op, ConcurrentOp):
            for key, size in _allocated(op, symbols, machine).items():
                before = programs.get(key, 0)
                programs[key] = before + size if fused else max(before, size)
        elif isinstance(op, StreamOp) and (tile := op.type.tile) is not None:
            for point in product(*map(range, op.type.extents)):
                _add(used, machine, tile, point, op.depth.data)
        elif isinstance(op, memref.AllocaOp | ResidentOp) and is_sharded(op.results[0].type):
            add_shards(used, machine, op.results[0].type)
    for key, size in programs.items():
        used[key] += size
    return used


def residents_of(function: FuncOp, machine: Machine) -> Use:
    """Measure the memory of each instance that the resident values of a function take, in all calls."""
    used: Use = defaultdict(int)
    for op in nested_ops(function):
        if isinstance(op, ResidentOp):
            add_shards(used, machine, op.result.type)
    return used


def add_shards(used: Use, machine: Machine, type: Attribute, count: int = 1) -> None:
    """Add the shards of so many values of a type to the memory of the instances that hold them."""
    tile = shard_type(cast("MemRefType[Any]", type))
    for point in sharding_of(type).holders:
        _add(used, machine, tile, point, count)


def _symbols(function: FuncOp) -> dict[str, FuncOp]:
    module = function.parent_op()
    around = module.regions[0].block.ops if module is not None else ()
    return {op.sym_name.data: op for op in around if isinstance(op, FuncOp)}


def _add(used: Use, machine: Machine, tile: Attribute, point: tuple[int, ...], count: int = 1) -> None:
    """Add buffers of a type to the memory of an instance."""
    level = machine.level(level_name(tile) or machine.far.name)
    used[level.name, point] = used.get((level.name, point), 0) + count * level.aligned(bytes_of(tile))


def _allocated(op: ConcurrentOp, symbols: dict[str, FuncOp], machine: Machine) -> Use:
    """Return the bytes that concurrent programs allocate in the memory of each instance."""
    use: Use = {}
    allocations = {program: list(_allocations(program, symbols)) for program in op.programs}
    for program, _, point in instances_of(op):
        for allocation in allocations[program]:
            type = allocation.memref.type
            if level_name(type) is not None:
                _add(use, machine, type, point)
    return use


def _allocations(program: Operation, symbols: dict[str, FuncOp]) -> Iterator[memref.AllocaOp]:
    """Yield the allocations of a program, and of the functions that it calls."""
    pending, seen = [program], {program}
    while pending:
        for op in nested_ops(pending.pop()):
            if isinstance(op, memref.AllocaOp):
                yield op
            callee = symbols.get(op.callee.string_value()) if isinstance(op, CallOp) else None
            if callee is not None and callee not in seen:
                seen.add(callee)
                pending.append(callee)


def prove_engines(op: ConcurrentOp, machine: Machine) -> None:
    """Prove that a machine has the engines of concurrent programs, and their instances."""
    for program in op.programs:
        if program.engine is None:
            continue
        name, title = program.engine.data, f"program '{program.title.data}'"
        names = [engine.name for engine in machine.engines]
        if name not in names:
            raise Diagnostic(
                f"{title} is on engine '{name}', which the machine does not have",
                where=where(program),
                expected=", ".join(names),
                found=name,
                remedy=did_you_mean(name, names) or f"run it on one of {', '.join(names)}, or add [engines.{name}]",
            )
        engine = machine.engine(name)
        ends = [first + extent for first, extent in zip(program.first, program.extents, strict=True)]
        _prove_exist(program, title, f"'{engine.name}'", (program.copies, ends), engine.count)


def _prove_level(op: Operation, what: str, tile: Attribute, ends: Sequence[int], machine: Machine) -> None:
    level = machine.level(level_name(tile) or machine.far.name)
    _prove_exist(op, what, level.name, (prod(ends), ends), level.count)


def _prove_exist(op: Operation, what: str, of: str, wanted: tuple[int, Sequence[int]], count: Sequence[int]) -> None:
    """Prove that there are so many instances, up to these coordinates."""
    number, ends = wanted
    there = prod(count)
    exist = not any(map(gt, ends, count)) if len(ends) == len(count) else prod(ends) == number
    if number <= there and exist:
        return
    missing = listed([end - 1 for end in ends]) if number <= there else str(there)
    raise refuse(
        "level",
        f"{what} is over {number} instances of {of}",
        op,
        [f"instance {missing}"],
        found=f"{there} {'instance' if there == 1 else 'instances'} in the machine"
        + (f", {listed(count)}" if len(count) > 1 else ""),
        remedy="replicate over fewer, or give the machine more",
    )


def _prove_room(function: FuncOp, key: tuple[str, tuple[int, ...]], needed: int, machine: Machine) -> None:
    """Prove that what an instance holds fits its level."""
    name, point = key
    size = machine.level(name).size
    if needed > size:
        place = f"instance {listed(point)} of {name}" if point else name
        raise refuse(
            "level",
            f"the shards, slots and buffers of programs are larger than {place}",
            function,
            [f"address {size} of {place}"],
            found=f"{needed} bytes in a level of {size}",
            remedy="make the shards smaller, or the streams less deep",
        )
