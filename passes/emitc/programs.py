"""
Conversion of concurrent programs and streams to C: a thread for each program, a ring of slots for each stream.

    static tw_stream network_s0[1];
    static float network_s0_slots[128];
    static void network_big(float *x) { ... tw_stream_reserve(network_s0, 0) ... }
    static void network_big_thread(const tw_program *program) { network_big(program->buffers[0]); }

`tilewright_threads.h` is the interface to threads: POSIX's, or those of a chip, in a header of that name or of the name
that the module's attribute `hier.threads` gives. It is told the title and the engine of each program, by which a chip
chooses its core, and the bytes of slots and of shared buffers, which `tilewright_mpi.h` sends from rank to rank.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
)
from xdsl.dialects.emitc import EmitC_OpaqueType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects import emitc
from ...dialects.core.analysis.intervals import Range
from ...dialects.core.effects import root_of
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import ConcurrentOp, LocalOp, ProgramOp, ResidentOp, StreamOp
from ...dialects.hier.programs import instances_of
from ...dialects.hier.sharded import is_sharded, sharding_of
from ...dialects.hier.streams import StreamEndOp
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, shape_of, where
from ..memory.views import bytes_of, layout_of
from .buffers import flags, global_op, local_array, shape_attribute
from .builder import INDEX, EmitcBuilder, constant_value, pointer, scalar_type
from .calls import effect
from .text.functions import c_string

if TYPE_CHECKING:
    from .converter import FunctionConverter

HEADER = "tilewright_threads.h"
THREADS = "hier.threads"
"""Attribute of a module: the C header with the functions of programs and streams, in place of HEADER."""
_RANK = 1
_LIMITS = {"buffers": 256, "coordinates": 4}
"""Sizes of the arrays of `tw_program` in the header."""

_STREAM, _PROGRAM, _VOID, _BODY, _TEXT = (
    EmitC_OpaqueType(StringAttr(name)) for name in ("tw_stream", "tw_program", "void", "tw_program_body", "const char")
)


# Streams


def convert_stream(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hier.stream`: static slots, and their counters, which are reset at each call of the function."""
    assert isinstance(op, StreamOp)
    b, state = converter.b, converter.state
    count, tile = prod(op.type.extents), op.type.tile
    name = state.fresh_name(op.stream.name_hint or "stream")
    state.definitions.append(_verbatim(f"static tw_stream {name}[{count}];\n"))
    memory, size = _literal(b, "NULL", pointer(_VOID)), 0
    if tile is not None:
        shape = (count * op.depth.data, *tile.get_shape())
        space = tile.memory_space
        slots = MemRefType(tile.get_element_type(), shape, memory_space=space)
        source = memref.GlobalOp.get(StringAttr(name), slots, UnitAttr())
        source.location = op.location
        array_of_slots = global_op(source, state.scope.add(f"{name}_slots"), state.alignments.get(space, 1), raw=False)
        state.definitions.append(array_of_slots)
        state.slots[op.stream] = array_of_slots
        array = b.emit(
            emitc.GetGlobalOp, [], array_of_slots.type, {"name": SymbolRefAttr(array_of_slots.sym_name.data)}
        )
        memory, size = b.cast(array, pointer(_VOID)), bytes_of(tile)
    state.streams[op.stream] = name
    b.headers[state.threads] = _RANK
    numbers = b.integer(count), b.integer(op.depth.data)
    effect(b, "tw_stream_open", [_stream(converter, op.stream), *numbers, memory, b.integer(size)], None)


def convert_allocation(converter: FunctionConverter, op: Operation) -> None:
    """Convert `memref.alloca`: a local array; of a sharded value, a static one with the shard of each instance."""
    if not is_sharded(op.results[0].type):
        local_array(converter.b, op)
        return
    b, state, value = converter.b, converter.state, op.results[0]
    type_, sharding = cast("MemRefType[Any]", value.type), sharding_of(value.type)
    space = StringAttr(sharding.level)
    shape = (prod(sharding.extents), *sharding.shape)
    shards = MemRefType(type_.get_element_type(), shape, memory_space=space)
    name = state.fresh_name(value.name_hint or "shards")
    source = memref.GlobalOp.get(StringAttr(name), shards, UnitAttr())
    source.location = op.location
    array_of_shards = global_op(source, name, state.alignments.get(space, 1), raw=False)
    state.definitions.append(array_of_shards)
    array = b.emit(emitc.GetGlobalOp, [], array_of_shards.type, {"name": SymbolRefAttr(name)})
    b.values[value] = b.cast(array, pointer(scalar_type(type_.get_element_type(), op)))
    b.values[value].name_hint = value.name_hint


def convert_resident(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hier.resident`: a static array, and a flag that the first call sets once it has filled it."""
    assert isinstance(op, ResidentOp)
    convert_allocation(converter, op)
    b, state, body = converter.b, converter.state, op.body.block
    b.values[body.args[0]] = b.values[op.result]
    flag = state.fresh_name("filled")
    state.definitions.append(_verbatim(f"static int {flag};\n"))
    filling = converter.region(body, [], lambda: converter.b.ops.append(_verbatim(f"{flag} = 1;\n")))
    test = _literal(b, f"!{flag}", i1)
    b.ops.append(emitc.IfOp.create(operands=[test], regions=[Region(filling), Region()]))


def convert_local(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hier.local`: a pointer to the shard of the instance."""
    assert isinstance(op, LocalOp)
    b, sharding, base = converter.b, op.sharding, converter.b.value(op.source)
    size, place = prod(sharding.shape), b.integer(0)
    for dim, (coordinate, low) in enumerate(zip(op.coordinates, sharding.lower, strict=True)):
        step = size * prod(sharding.extents[dim + 1 :])
        here = b.value(coordinate) if not low else b.emit(emitc.AddOp, [b.value(coordinate), b.integer(-low)], INDEX)
        moved = b.emit(emitc.MulOp, [here, b.integer(step)], INDEX)
        place = moved if not dim else b.emit(emitc.AddOp, [place, moved], INDEX)
    b.values[op.result] = b.emit(emitc.AddOp, [base, place], base.type)
    b.values[op.result].name_hint = op.result.name_hint


def _stream(converter: FunctionConverter, stream: SSAValue) -> SSAValue:
    return _literal(converter.b, converter.state.streams[stream], pointer(_STREAM))


def convert_stream_end(converter: FunctionConverter, op: Operation) -> None:
    """Convert an op on one end of a stream; a slot is a pointer into the slots of its stream."""
    assert isinstance(op, StreamEndOp)
    b, owner = converter.b, cast(StreamOp, op.stream.owner)
    index = _flat_index(b, op, owner.type.extents)
    gives_slot = op.name in ("hier.reserve", "hier.pop", "hier.front")
    callee = f"tw_stream_{op.name.removeprefix('hier.')}"
    taken = effect(b, callee, [_stream(converter, op.stream), index], INDEX if gives_slot else None)
    b.headers[converter.state.threads] = _RANK
    if not op.results:
        return
    slots, tile = converter.state.slots[op.stream], cast("MemRefType[Any]", op.results[0].type)
    element = scalar_type(tile.get_element_type(), op)
    before = b.emit(emitc.MulOp, [index, b.integer(owner.depth.data)], INDEX) if owner.type.extents else None
    slot = taken if before is None else b.emit(emitc.AddOp, [before, taken], INDEX)
    first = b.emit(emitc.MulOp, [slot, b.integer(max(prod(tile.get_shape()), 1))], INDEX)
    array = b.emit(emitc.GetGlobalOp, [], slots.type, {"name": SymbolRefAttr(slots.sym_name.data)})
    b.values[op.results[0]] = b.emit(emitc.AddOp, [b.cast(array, pointer(element)), first], pointer(element))
    b.values[op.results[0]].name_hint = op.results[0].name_hint


def _flat_index(b: EmitcBuilder, op: StreamEndOp, extents: tuple[int, ...]) -> SSAValue:
    """Emit the row-major index of an element of an array of streams."""
    index: SSAValue | None = None
    for extent, coordinate in zip(extents, op.coordinates, strict=True):
        own = b.value(coordinate)
        outer = None if index is None else b.emit(emitc.MulOp, [index, b.integer(extent)], INDEX)
        index = own if outer is None else b.emit(emitc.AddOp, [outer, own], INDEX)
    return b.integer(0) if index is None else index


# Programs


def convert_concurrent(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hier.concurrent`: a function for each program, and the call that runs them as threads."""
    assert isinstance(op, ConcurrentOp)
    b, state, instances = converter.b, converter.state, instances_of(op)
    functions = {program: _function(converter, program) for program in op.programs}
    table = state.fresh_name("programs")
    state.definitions.append(_verbatim(f"static tw_program {table}[{len(instances)}];\n"))
    for number, (program, _, point) in enumerate(instances):
        thread, captured, numbers = functions[program]
        entry = _literal(b, f"&{table}[{number}]", pointer(_PROGRAM))
        effect(b, "tw_program_set", [entry, _literal(b, thread, _BODY)], None)
        names = c_string(program.title.data), c_string(program.engine.data if program.engine is not None else "")
        effect(b, "tw_program_name", [entry, *(_literal(b, name, pointer(_TEXT)) for name in names)], None)
        for index, value in enumerate(captured):
            buffer, size = b.cast(b.value(value), pointer(_VOID)), b.integer(_shared_bytes(converter, value))
            effect(b, "tw_program_buffer", [entry, b.integer(index), buffer, size], None)
        for index, coordinate in enumerate([*map(b.integer, point), *map(b.value, numbers)]):
            effect(b, "tw_program_coordinate", [entry, b.integer(index), coordinate], None)
    b.headers[state.threads] = _RANK
    effect(b, "tw_programs_run", [_literal(b, table, pointer(_PROGRAM)), b.integer(len(instances))], None)


def _function(converter: FunctionConverter, program: ProgramOp) -> tuple[str, list[SSAValue], list[SSAValue]]:
    """
    Define the C function of a program, and that of its thread.

    Return the latter's name, and the buffers and indices captured.
    """
    state, (captured, numbers) = converter.state, _captured(program)
    indices = [*program.coordinates, *numbers]
    for what, count in (("buffers", len(captured)), ("coordinates", len(indices))):
        if count > _LIMITS[what]:
            message = f"program '{program.title.data}' has {count} {what}"
            raise Diagnostic(message, where(program), f"at most {_LIMITS[what]} in {state.threads}")
    name = state.fresh_name(program.title.data)
    inner = converter.nested()
    types = [pointer(_element(value)) for value in captured] + [INDEX] * len(indices)
    block = Block(arg_types=types)
    for value, argument in zip([*captured, *indices], block.args, strict=True):
        inner.b.values[value] = argument
        argument.name_hint = value.name_hint
    coordinates = zip(program.coordinates, program.first, program.extents, strict=True)
    inner.b.assume({value: Range(first, first + extent - 1) for value, first, extent in coordinates})
    inner.block(program.body.block)
    block.add_ops([*inner.b.constants.values(), *inner.b.ops, emitc.ReturnOp.create()])
    converter.merge(inner)
    shapes = [_said(value) for value in captured] + [DictionaryAttr({})] * len(indices)
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": FunctionType.from_lists(types, []),
        "arg_attrs": ArrayAttr(shapes),
        "specifiers": flags(["static"]),
    }
    c_function = emitc.FuncOp.create(properties=properties, regions=[Region(block)])
    c_function.location = program.location
    arguments = [f"program->buffers[{index}]" for index in range(len(captured))]
    arguments += [f"program->coordinates[{index}]" for index in range(len(indices))]
    thread = state.scope.add(f"{name}_thread")
    unused = "" if arguments else "    (void)program;\n"
    text = f"static void {thread}(const tw_program *program)\n{{\n{unused}    {name}({', '.join(arguments)});\n}}\n"
    state.definitions += [c_function, _verbatim(text)]
    return thread, captured, numbers


def _captured(program: ProgramOp) -> tuple[list[SSAValue], list[SSAValue]]:
    """Return the buffers and the indices from outside that a program uses. Raises Diagnostic for other variables."""
    inside: set[SSAValue] = set(program.coordinates)
    used: dict[SSAValue, Operation] = {}
    for op in nested_ops(program.body):
        inside.update(op.results)
        inside.update(value for region in op.regions for block in region.blocks for value in block.args)
        for value in op.operands:
            used.setdefault(value, op)
    buffers, numbers = list[SSAValue](), list[SSAValue]()
    for value, user in used.items():
        if value in inside or constant_value(value) is not None or isinstance(value.owner, StreamOp):
            continue
        kind: Attribute = value.type
        if not isinstance(kind, MemRefType | IndexType):
            message = f"program '{program.title.data}' uses a number that is computed outside of it"
            raise Diagnostic(
                message, where(user), "buffers, streams, indices and constants", remedy="compute it in the program"
            )
        (numbers if kind == IndexType() else buffers).append(value)
    return buffers, numbers


def _shared_bytes(converter: FunctionConverter, value: SSAValue) -> int:
    """
    Return the bytes of a buffer that programs may write and all instances reach; 0 for shards and constants.

    They are counted from the begin of the buffer that it is a view of; -1 where they depend on data.
    """
    owner = root_of(value).owner
    is_global = isinstance(owner, memref.GetGlobalOp)
    definition = converter.state.globals.get(owner.name_.string_value()) if is_global else None
    if is_sharded(value.type) or (isinstance(definition, memref.GlobalOp) and definition.constant is not None):
        return 0
    strides, offset = layout_of(value)
    if None in cast("list[int | None]", [*strides, offset]):
        return -1
    last = offset + sum((extent - 1) * stride for extent, stride in zip(shape_of(value), strides, strict=True))
    return numpy_type(element_of(value)).itemsize * (last + 1)


def _element(value: SSAValue) -> Attribute:
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    assert op is not None
    return scalar_type(cast("MemRefType[Any]", value.type).get_element_type(), op)


def _said(value: SSAValue) -> DictionaryAttr:
    return DictionaryAttr({"tilewright.shape": shape_attribute(cast("MemRefType[Any]", value.type).get_shape())})


def _literal(b: EmitcBuilder, text: str, type_: Attribute) -> SSAValue:
    return b.emit(emitc.LiteralOp, [], type_, {"value": StringAttr(text)})


def _verbatim(text: str) -> Operation:
    return emitc.VerbatimOp.create(properties={"value": StringAttr(text)})
