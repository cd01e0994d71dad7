"""Running a network after every pass: exact reference values, and runs on buffers that show what is overwritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
from onnx import ModelProto, helper, numpy_helper
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, TensorType, f32, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tilewright.dialects.core.analysis.intervals import Range
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.onnx.schema import OnnxOp
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, array_of, dense, element_of, functions, numbers_of
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import PipelineStep, parse_pipeline
from tilewright.passes.lowering.integer_values import range_of_type
from tilewright.runtime.interpreter import Interpreter, load_rules, run_module
from tilewright.runtime.interpreter.boundary import FunctionPort, ports
from tilewright.runtime.interpreter.memory import new_buffer
from tilewright.test.random.networks.integers import Network

CONTEXT = new_context()
AFTER_PLAN = "expand-grid,pipeline-dma,allocate-static,outline-kernels,convert-dma-to-loops,canonicalize,cse"
"""The passes from kernels in grids to outlined kernels on one static memory."""
EXACT = 1 << 53
"""Integers up to here are exact in the doubles of the reference."""


@cache
def steps(stop_after: str = "kernels") -> Sequence[PipelineStep]:
    """Return the passes of the host's pipeline, up to and with a phase."""
    pipeline = parse_pipeline("builtin.module(host-pipeline)", all_passes())
    return pipeline.select(stop_after=stop_after).steps


def run_step(step: PipelineStep, module: ModuleOp) -> None:
    """Run one pass and verify what it made."""
    step.run.apply(CONTEXT, module)
    verify(module)


def in_doubles(module: ModuleOp) -> ModuleOp:
    """Return a module of the graph level with doubles in place of floats."""
    module = module.clone()
    for function in functions(module):
        block = function.body.block
        for value in [*block.args, *(result for op in block.ops for result in op.results)]:
            _widen(value)
        for op in block.ops:
            stored = op.properties.get("value")
            if isinstance(op, OnnxOp) and isinstance(stored, DenseIntOrFPElementsAttr) and op.name == "onnx.Constant":
                array = array_of(cast(Any, stored))
                op.properties["value"] = dense(array.astype(np.float64), f64) if array.dtype == np.float32 else stored
        _restate(function)
    return module


def _widen(value: SSAValue) -> None:
    type = cast("TensorType[Any]", value.type)
    if type.get_element_type() == f32:
        Rewriter.replace_value_with_new_type(value, TensorType(f64, type.get_shape()))


def _restate(function: FuncOp) -> None:
    block = function.body.block
    assert block.last_op is not None
    results = [value.type for value in block.last_op.operands]
    function.properties["function_type"] = FunctionType.from_lists([arg.type for arg in block.args], results)
    for key in ("arg_attrs", "res_attrs"):
        attributes = cast(Any, function.properties.get(key))
        if attributes is not None:
            kept = [{k: v for k, v in a.data.items() if k != "onnx.type"} for a in attributes.data]
            function.properties[key] = attributes.__class__([type(a)(d) for a, d in zip(attributes.data, kept)])


def references(network: Network, sets: Sequence[Mapping[str, Array]]) -> list[dict[str, Array]]:
    """Return the values of all tensors of a network: in doubles, of which each operator rounds none below 2^53."""
    module = in_doubles(import_model(_means_rounded(network.exposed)))
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in network.model.graph.initializer}
    return [constants | dict(inputs) | run_module(module, inputs) for inputs in sets]


def extremes(network: Network, seed: int) -> list[dict[str, Array]]:
    """Return inputs of random values, of the smallest values, of the largest, and of both at random."""
    generator = np.random.default_rng(seed)
    sets: list[dict[str, Array]] = [{}, {}, {}, {}]
    for value in network.model.graph.input:
        low, high = limits(network.input_types[value.name])
        shape = [axis.dim_value for axis in value.type.tensor_type.shape.dim]
        sets[0][value.name] = generator.integers(low, high, shape, endpoint=True)
        sets[1][value.name] = np.full(shape, low)
        sets[2][value.name] = np.full(shape, high)
        sets[3][value.name] = generator.choice([low, high], shape)
    return sets


def limits(kind: str) -> tuple[int, int]:
    """Return the smallest and the largest integer of a type of an input."""
    if kind == "int":
        return -(1 << 24), 1 << 24
    width = int(kind.strip("ui"))
    return (0, (1 << width) - 1) if kind.startswith("u") else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def _means_rounded(model: ModelProto) -> ModelProto:
    """Return a model with its means of integers as IntegerMean, which is how they are rounded below the graph level."""
    model = ModelProto.FromString(model.SerializeToString())
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    ports = (*model.graph.input, *model.graph.output)
    shapes = {port.name: port.type.tensor_type.shape.dim for port in ports}
    for node in model.graph.node:
        if node.op_type == "ReduceMean":
            node.op_type = "IntegerMean"
            shape = shapes[node.input[0]]
            axes = numpy_helper.to_array(constants[node.input[1]]) if len(node.input) > 1 else range(len(shape))
            node.attribute.append(helper.make_attribute("axes", [int(axis) for axis in axes]))
            del node.input[1:]
    return model


def check_levels(network: Network, *, stop_after: str = "kernels", seed: int = 1) -> list[str]:
    """
    Assert that every pass up to a phase keeps the outputs of a network, on random and on extreme inputs.

    Also that every tensor is in the range that type inference gives it. What a pass leaves unchanged is not run again.
    Returns the names of the passes that ran: none for a network whose numbers are too large for the reference or,
    rightly, for 64 bits.
    """
    sets = extremes(network, seed)
    expected = references(network, sets)
    carried = [array for values in expected for array in values.values() if array.dtype.kind == "f"]
    if max((float(np.abs(array).max(initial=0)) for array in carried), default=0) > EXACT:
        return []
    module = import_model(network.model, input_types=network.input_types)
    outputs = [value.name for value in network.model.graph.output]
    ran: list[str] = []
    checked: ModuleOp | None = None
    for step in steps(stop_after):
        try:
            run_step(step, module)
        except Diagnostic as error:
            if step.phase == "types" and "do not fit 64 bits" in error.message:
                return []
            raise
        ran.append(step.name)
        if step.name in _BEFORE_TYPES:
            # Whether its integers fit 64 bits is known after inference.
            continue
        if checked is not None and _is_same(module, checked):
            continue
        checked = module.clone()
        if step.phase == "types":
            check_ranges(module, expected)
        run = run_buffers if step.phase in _ON_BUFFERS else run_module
        for inputs, values in zip(sets, expected, strict=True):
            results = run(module, inputs)
            assert sorted(results) == sorted(outputs)
            for name in outputs:
                np.testing.assert_array_equal(results[name], values[name], err_msg=f"{name} after {step.name}")
    return ran


def _is_same(module: ModuleOp, other: ModuleOp) -> bool:
    return module.is_structurally_equivalent(other) and _types(module) == _types(other)


def _types(module: ModuleOp) -> list[Attribute]:
    blocks = (block for op in module.walk() for region in op.regions for block in region.blocks)
    return [value.type for block in blocks for op in (block, *block.ops) for value in _values(op)]


def _values(of: Block | Operation) -> Sequence[SSAValue]:
    return of.args if isinstance(of, Block) else of.results


_BEFORE_TYPES = ("recover-operators", "decompose-functions")
_ON_BUFFERS = ("buffers", "planned", "kernels")


def check_ranges(module: ModuleOp, expected: Sequence[Mapping[str, Array]]) -> None:
    """Assert that tensors lie in the ranges and types that inference has given their ops."""
    for op in module.walk():
        if "range" not in op.attributes or any(result.name_hint not in expected[0] for result in op.results):
            continue
        low, high = numbers_of(cast(Any, op.attributes["range"]))
        for result in op.results:
            limits = range_of_type(element_of(result))
            assert limits is not None
            assert Range(low, high) in limits
            for values in expected:
                found = Range.of_array(values[result.name_hint or ""])
                assert found in Range(low, high), f"{result.name_hint} of {op.name}: {found} outside {low} to {high}"


def run_buffers(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """
    Run a network at the buffer level on dirty memory, twice, and return its outputs.

    Asserts that the second run gives what the first gave, and that the inputs are what they were.
    """
    load_rules(module)
    runner = Interpreter(module)
    arguments, _ = ports(runner.symbol("network"))
    assert all(port.is_output for port in arguments if port.name not in inputs)
    first, second = (_run_dirty(runner, module, arguments, inputs, dirt) for dirt in (0x55, 0xAA))
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=f"{name}, second run")
    return first


def _run_dirty(
    runner: Interpreter, module: ModuleOp, arguments: Sequence[FunctionPort], inputs: Mapping[str, Array], dirt: int
) -> dict[str, Array]:
    for op in module.ops:
        if "tilewright.arena" in op.attributes:
            runner.storage(cast(Any, op.properties["sym_name"]).data).view(np.uint8)[...] = dirt
    buffers = [new_buffer(port.inner or (), port.storage) for port in arguments]
    for port, buffer in zip(arguments, buffers, strict=True):
        buffer.reshape(-1).view(np.uint8)[...] = dirt
        if not port.is_output:
            buffer[...] = inputs[port.name].astype(port.declared).view(port.storage)
    before = [buffer.copy() for buffer in buffers]
    runner.call("network", buffers)
    for port, old, new in zip(arguments, before, buffers, strict=True):
        if not port.is_output:
            np.testing.assert_array_equal(new, old, err_msg=f"input {port.name} was written")
    pairs = zip(arguments, buffers, strict=True)
    return {port.name: buffer.view(port.declared) for port, buffer in pairs if port.is_output}
