"""
Conversion of `vendor` to C: a record of each stage, and calls of tilewright_npu.h.

    static const tw_npu_tensor stage1_npu_tensors[] = {...};
    static tw_npu_stage stage1_npu_stage = {.stage = "stage1_npu", ...};
    static void stage1_npu(const float *x, float *y) {
        tw_npu_input(&stage1_npu_stage, 0, x);
        tw_npu_output(&stage1_npu_stage, 0, y);
        tw_npu_stage_run(&stage1_npu_stage);
    }

A stage whose frames a function submits has tw_npu_stage_submit there, and tw_npu_stage_collect here.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, SymbolRefAttr, i64
from xdsl.dialects.emitc import EmitC_OpaqueType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ....dialects import emitc
from ....passes.emitc.builder import EmitcBuilder, pointer
from ....passes.emitc.calls import effect
from ....passes.emitc.converter import FunctionConverter
from ....passes.emitc.emitters import emits
from ....passes.emitc.programs import THREADS
from ....passes.emitc.text.functions import c_string
from ..dialects.vendor import CollectOp, OpenArtifactsOp, RunOp, SubmitOp
from ..passes.stream_frames import HEADER as FRAMES
from .subgraph import Subgraph, SubgraphPort, subgraph_of

HEADER = "tilewright_npu.h"
_RANK = 2
_STAGE = EmitC_OpaqueType(StringAttr("tw_npu_stage"))


@emits("vendor.run")
def _run(converter: FunctionConverter, op: Operation) -> None:
    """Convert `vendor.run`."""
    assert isinstance(op, RunOp)
    b, function = converter.b, cast(FuncOp, converter.function)
    name = converter.state.names[function.sym_name.data]
    converter.state.definitions += [_verbatim(text) for text in _records(name, subgraph_of(function), op.artifact)]
    for callee, values in (("tw_npu_input", op.inputs), ("tw_npu_output", op.outputs)):
        for index, value in enumerate(values):
            effect(b, callee, [_stage(b, name), b.integer(index), b.value(value)], None)
    if _takes_frames(converter):
        effect(b, "tw_npu_frame", [_stage(b, name), effect(b, "tw_frame_number", [], i64)], None)
    effect(b, "tw_npu_stage_run", [_stage(b, name)], None)


@emits("vendor.submit")
def _submit(converter: FunctionConverter, op: Operation) -> None:
    """Convert `vendor.submit`."""
    assert isinstance(op, SubmitOp)
    b, name = converter.b, converter.state.names[op.stage.root_reference.data]
    # A tentative definition: that with values is where the stage is, before this one or after it.
    converter.state.definitions.append(_verbatim(f"static tw_npu_stage {name}_stage;\n"))
    for index, value in enumerate(op.inputs):
        effect(b, "tw_npu_input", [_stage(b, name), b.integer(index), b.value(value)], None)
    effect(b, "tw_npu_stage_submit", [_stage(b, name), _frame(converter)], None)


@emits("vendor.collect")
def _collect(converter: FunctionConverter, op: Operation) -> None:
    """Convert `vendor.collect`."""
    assert isinstance(op, CollectOp)
    b, function = converter.b, cast(FuncOp, converter.function)
    name = converter.state.names[function.sym_name.data]
    records = _records(name, subgraph_of(function), op.artifact, op.outstanding.value.data)
    converter.state.definitions += [_verbatim(text) for text in records]
    for index, value in enumerate(op.outputs):
        effect(b, "tw_npu_output", [_stage(b, name), b.integer(index), b.value(value)], None)
    effect(b, "tw_npu_stage_collect", [_stage(b, name), _frame(converter)], None)


@emits("vendor.open")
def _open(converter: FunctionConverter, op: Operation) -> None:
    """Convert `vendor.open`."""
    assert isinstance(op, OpenArtifactsOp)
    for stage in op.stages:
        name = converter.state.names[cast(SymbolRefAttr, stage).root_reference.data]
        effect(converter.b, "tw_npu_stage_prepare", [_stage(converter.b, name)], None)


def _frame(converter: FunctionConverter) -> SSAValue:
    """Return the number of the program's frame, -1 where the network takes no frames from a source."""
    b = converter.b
    return effect(b, "tw_frame_number", [], i64) if _takes_frames(converter) else b.integer(-1)


def _takes_frames(converter: FunctionConverter) -> bool:
    """Return whether the network is a pipeline that takes frames from a source."""
    module = cast(ModuleOp, converter.function.parent_op())
    return module.attributes.get(THREADS) == StringAttr(FRAMES)


def _stage(b: EmitcBuilder, name: str) -> SSAValue:
    b.headers[HEADER] = _RANK
    return b.emit(emitc.LiteralOp, [], pointer(_STAGE), {"value": StringAttr(f"&{name}_stage")})


def _records(name: str, subgraph: Subgraph, described: DictionaryAttr, outstanding: int = 1) -> tuple[str, str]:
    """Return the definitions of the tensors and of the stage."""
    ports = (*subgraph.inputs, *subgraph.outputs)
    artifact = described.data
    texts = {key: c_string(value.data) for key, value in artifact.items() if isinstance(value, StringAttr)}
    rows = "".join(f"    {_tensor(port)},\n" for port in ports)
    fields = {
        "stage": c_string(subgraph.name),
        "plugin": texts["plugin"],
        "artifact": texts["file"],
        "sha256": texts["sha256"],
        "target": texts["target"],
        "program": f"{_number(artifact['program'])}u" if "program" in artifact else "0u",
        "remedy": c_string("compile the network again, and keep the files that this writes together"),
        "determinism": f"{_number(artifact['determinism'])}u",
        "isolated": f"{_number(artifact['isolated'])}u",
        "milliseconds": f"{_number(artifact['milliseconds'])}u",
        "outstanding": f"{outstanding}u",
        "inputs": f"{len(subgraph.inputs)}u",
        "outputs": f"{len(subgraph.outputs)}u",
        "tensors": f"{name}_tensors",
    }
    lines = "".join(f"    .{key} = {value},\n" for key, value in fields.items())
    return (
        f"static const tw_npu_tensor {name}_tensors[] = {{\n{rows}}};\n",
        f"static tw_npu_stage {name}_stage = {{\n{lines}}};\n",
    )


def _tensor(port: SubgraphPort) -> str:
    dims, strides = (", ".join(map(str, sizes)) or "0" for sizes in (port.shape, port.strides))
    return (
        f"{{.type = {port.type_number}u, .rank = {len(port.shape)}u, .dims = {{{dims}}}, .strides = {{{strides}}}, "
        f".bytes = {port.bytes}u}}"
    )


def _number(attribute: object) -> int:
    assert isinstance(attribute, IntegerAttr)
    return abs(cast("IntegerAttr[Any]", attribute).value.data)


def _verbatim(text: str) -> Operation:
    return emitc.VerbatimOp.create(properties={"value": StringAttr(text)})
