"""
C of a stage on an OpenCL device: tables of its buffers, launches and program, and the calls that run it.

    static const char *const network_stage2_gpu_source[] = {"__kernel void conv_0(...", ...};
    static tw_opencl_buffer network_stage2_gpu_buffers[] = {TW_OPENCL_INPUT("x", 8192), TW_OPENCL_MEMORY(4096)};
    static const tw_opencl_argument network_stage2_gpu_arguments[] = {{.buffer = 0}, {.buffer = 1, .from = 64}};
    static tw_opencl_launch network_stage2_gpu_launches[] = {{"conv_0", "Conv_3", {8, 8, 64}, ...}};
    static tw_opencl_stage network_stage2_gpu = {...};

`tilewright_opencl.h` is the interface to the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, StringAttr, i32
from xdsl.dialects.emitc import EmitC_OpaqueType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ....dialects import emitc
from ....errors import Diagnostic
from ....ir import element_of, node_names, numpy_type, where
from ....passes.emitc.builder import INDEX, EmitcBuilder, constant_value, layout_of, pointer, scalar_type
from ....passes.emitc.calls import effect
from ....passes.emitc.converter import FunctionConverter, ModuleState, global_name, memref_type
from ....passes.emitc.emitters import emits
from ....passes.emitc.names import identifier
from ....passes.emitc.text.expressions import c_type, literal
from ....passes.emitc.text.functions import c_string, comment
from ....passes.memory.views import bytes_of
from ..dialects.hmp import MarkOp
from ..dialects.opencl import GRID, BufferOp, GlobalIdOp, LaunchKernelOp, OpenStageOp, StageOp
from .kernels import kernel_text
from .prelude import needs_doubles, with_prelude

HEADER = "tilewright_opencl.h"
_RANK = 2
"""After that of a pipeline of frames, to which it leaves failures."""
SOURCE = "opencl.source"
"""Attribute of the definition of a program in C: its text in OpenCL C."""

_STAGE = EmitC_OpaqueType(StringAttr("tw_opencl_stage"))
_OUTPUT = "tilewright.output"
_TABLES = "opencl.tables"
"""Attribute of the function of a stage: the name of its tables in C."""


@emits("opencl.global_id")
def _global_id(converter: FunctionConverter, op: Operation) -> None:
    """Convert `opencl.global_id`."""
    assert isinstance(op, GlobalIdOp)
    b = converter.b
    number = b.integer(op.axis.value.data)
    value = b.emit(emitc.CallOpaqueOp, [number], i32, {"callee": StringAttr("(int32_t)get_global_id")})
    b.define(op.result, value)
    value.name_hint = op.result.name_hint


@dataclass
class _Tables:
    """Tables of a stage in C."""

    state: ModuleState
    outputs: frozenset[SSAValue]
    buffers: dict[object, str] = field(default_factory=dict[object, str])
    """Argument, memory of the device or name of a constant -> its initialiser."""
    arguments: list[str] = field(default_factory=list[str])
    launches: list[str] = field(default_factory=list[str])
    kernels: dict[str, str] = field(default_factory=dict[str, str])
    """Name of a kernel -> its OpenCL C."""

    def buffer(self, root: SSAValue) -> int:
        """Return the number of a buffer, which is entered where it is new."""
        owner = root.owner
        key: object = global_name(owner) if isinstance(owner, memref.GetGlobalOp) else root
        if key not in self.buffers:
            self.buffers[key] = self._initialiser(root)
        return list(self.buffers).index(key)

    def _initialiser(self, root: SSAValue) -> str:
        size = _bytes_in_c(root)
        if isinstance(root.owner, memref.GetGlobalOp):
            return f"TW_OPENCL_CONSTANT({self.state.names[global_name(root.owner)]}, {size})"
        if isinstance(root.owner, BufferOp):
            return f"TW_OPENCL_MEMORY({size})"
        kind = "OUTPUT" if root in self.outputs else "INPUT"
        return f"TW_OPENCL_{kind}({c_string(root.name_hint or 'result')}, {size})"

    def launch(self, op: LaunchKernelOp) -> None:
        """Enter a launch, its arguments, and its kernel where it is new."""
        name = op.callee.string_value()
        kernel = cast(FuncOp, self.state.functions[name])
        if name not in self.kernels:
            self.kernels[name] = kernel_text(self.state, kernel, identifier(name), op.written_positions)
        first = len(self.arguments)
        self.arguments += [self._argument(value, op) for value in op.arguments]
        grid = cast("DenseArrayBase[Any]", kernel.attributes[GRID]).get_values()
        title = comment(" + ".join(node_names(op)))
        sizes = ", ".join(map(str, grid))
        self.launches.append(
            f"{{{c_string(identifier(name))}, {c_string(title)}, {{{sizes}}}, {first}, {len(op.arguments)}, NULL}}"
        )

    def _argument(self, value: SSAValue, op: LaunchKernelOp) -> str:
        if memref_type(value) is None:
            number = constant_value(value)
            assert number is not None, "a launch takes buffers and constants"
            type_ = scalar_type(value.type, op)
            text = "uint8_t" if c_type(type_) == "bool" else c_type(type_)
            return f"{{-1, 0, &(const {text}){{{literal(number, type_)[0]}}}, sizeof({text})}}"
        root, start = address_of(value)
        if root in self.outputs or not isinstance(root, BlockArgument):
            return f"{{{self.buffer(root)}, {start}, NULL, 0}}"
        if value in [op.arguments[position] for position in op.written_positions]:
            raise Diagnostic("a kernel writes to an input of its stage", where(op), remedy="map its layer to a core")
        return f"{{{self.buffer(root)}, {start}, NULL, 0}}"


def _bytes_in_c(buffer: SSAValue) -> int:
    """Return the size of a buffer in C, in bytes."""
    element = element_of(buffer)
    return bytes_of(buffer.type) // numpy_type(element).itemsize * _size_in_c(element)


def _size_in_c(element: Attribute) -> int:
    """Return the size of an element in C, in bytes: that of an index is 4."""
    return INDEX.width.data // 8 if isinstance(element, IndexType) else numpy_type(element).itemsize


def address_of(value: SSAValue) -> tuple[SSAValue, int]:
    """
    Return the buffer that a value is a view of, and the byte of it at which the value's pointer in C points.

    A static offset is part of the type: kernels add it to each index. Raises Diagnostic for a place that is known only
    at run time.
    """
    start = 0
    while isinstance(op := value.owner, Operation) and not isinstance(op, memref.GetGlobalOp | BufferOp):
        start += _shift(op)
        value = op.operands[0]
    return value, start


def _shift(op: Operation) -> int:
    """Return the bytes by which a view moves the pointer to its operand."""
    source, result = op.operands[0], op.results[0]
    if isinstance(op, memref.ViewOp):
        return _known(op.byte_shift, op)
    old, new = layout_of(source, op).offset, layout_of(result, op).offset
    if new is not None:
        return 0
    size = _size_in_c(element_of(source))
    if isinstance(op, memref.SubviewOp):
        dynamic = iter(op.offsets)
        strides = layout_of(source, op).strides
        offsets = [
            _known(next(dynamic), op) if offset == DYNAMIC_INDEX else offset
            for offset in op.static_offsets.get_values()
        ]
        return size * ((old or 0) + sum(offset * stride for offset, stride in zip(offsets, strides, strict=True)))
    if isinstance(op, memref.CastOp):
        return size * (old or 0)
    raise Diagnostic(f"'{op.name}' of a stage of an OpenCL device has no place that is known when compiling", where(op))


def _known(value: SSAValue, op: Operation) -> int:
    number = constant_value(value)
    if not isinstance(number, IntegerAttr):
        raise Diagnostic(
            f"'{op.name}' of a stage of an OpenCL device begins at a place that is known only at run time",
            where=where(op),
            expected="a constant offset",
            remedy="map its layer to a core",
        )
    return cast("IntegerAttr[Any]", number).value.data


@emits("opencl.stage")
def _stage(converter: FunctionConverter, op: Operation) -> None:
    """Convert `opencl.stage`: its tables before the function, and the calls that bring inputs, run, fetch outputs."""
    assert isinstance(op, StageOp)
    state, b = converter.state, converter.b
    function = cast(FuncOp, converter.function)
    said = function.arg_attrs.data if function.arg_attrs is not None else ()
    outputs = [
        argument
        for argument, attributes in zip(function.body.block.args, said, strict=False)
        if _OUTPUT in attributes.data
    ]
    tables = _Tables(state, frozenset(outputs))
    launches = [inner for inner in op.body.block.ops if isinstance(inner, LaunchKernelOp)]
    for launch in launches:
        tables.launch(launch)
    name = state.fresh_name(function.sym_name.data)
    function.attributes[_TABLES] = StringAttr(name)
    source = with_prelude("\n".join(tables.kernels.values()))
    state.definitions += _definitions(name, function.sym_name.data, tables, source)
    b.headers[HEADER] = _RANK
    stage = _pointer(b, name)
    numbers = {key: number for number, key in enumerate(tables.buffers)}
    used = [argument for argument in function.body.block.args if argument in numbers]
    for argument in used:
        if argument not in tables.outputs:
            effect(b, "tw_opencl_input", [stage, b.integer(numbers[argument]), b.value(argument)], None)
    _run(converter, op, stage)
    for argument in used:
        if argument in tables.outputs:
            effect(b, "tw_opencl_output", [stage, b.integer(numbers[argument]), b.value(argument)], None)


def _pointer(b: EmitcBuilder, name: str) -> SSAValue:
    return b.emit(emitc.LiteralOp, [], pointer(_STAGE), {"value": StringAttr(f"&{name}")})


@emits("opencl.open")
def _open(converter: FunctionConverter, op: Operation) -> None:
    """Convert `opencl.open`, whose stage is converted before: functions come after those that they call."""
    assert isinstance(op, OpenStageOp)
    name = converter.state.functions[op.stage.string_value()].attributes[_TABLES]
    effect(converter.b, "tw_opencl_open", [_pointer(converter.b, cast(StringAttr, name).data)], None)


def _run(converter: FunctionConverter, op: StageOp, stage: SSAValue) -> None:
    """Emit the launches, and the marks of layers between them."""
    b, first, end = converter.b, 0, 0
    for inner in op.body.block.ops:
        end += isinstance(inner, LaunchKernelOp)
        if isinstance(inner, MarkOp):
            if end > first:
                effect(b, "tw_opencl_run", [stage, b.integer(first), b.integer(end)], None)
            converter.op(inner)
            first = end
    if end > first:
        effect(b, "tw_opencl_run", [stage, b.integer(first), b.integer(end)], None)


def _definitions(name: str, title: str, tables: _Tables, source: str) -> list[Operation]:
    lines = [f'{c_string(line)[:-1]}\\n"' for line in source.splitlines()]
    program = _array(f"static const char *const {name}_source", lines)
    program.attributes[SOURCE] = StringAttr(source)
    doubles = "true" if needs_doubles(source) else "false"
    counts = len(lines), len(tables.buffers), len(tables.launches)
    stage = (
        f"static tw_opencl_stage {name} = {{\n"
        f"    .name = {c_string(title)}, .source = {name}_source, .lines = {counts[0]}, .doubles = {doubles},\n"
        f"    .buffers = {name}_buffers, .buffer_count = {counts[1]}, .arguments = {name}_arguments,\n"
        f"    .launches = {name}_launches, .launch_count = {counts[2]}}};\n"
    )
    return [
        program,
        _array(f"static tw_opencl_buffer {name}_buffers", list(tables.buffers.values())),
        _array(f"static const tw_opencl_argument {name}_arguments", tables.arguments),
        _array(f"static tw_opencl_launch {name}_launches", tables.launches),
        emitc.VerbatimOp.create(properties={"value": StringAttr(stage)}),
    ]


def _array(head: str, elements: Sequence[str]) -> Operation:
    lines = "".join(f"    {element},\n" for element in elements)
    return emitc.VerbatimOp.create(properties={"value": StringAttr(f"{head}[] = {{\n{lines}}};\n")})
