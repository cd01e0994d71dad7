"""Networks of one operator, run at several levels and compared with ONNX's reference or ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from onnx import ModelProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.core.manager import PassManager
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.phases import each_phase

FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")


def network(
    op: str,
    inputs: Mapping[str, Array],
    constants: Mapping[str, Array] = {},
    *,
    names: Sequence[str] | None = None,
    outputs: int = 1,
    opset: int = 20,
    **attributes: Any,
) -> ModelProto:
    """Return the network of one node; `names` are its operands in order, '' for one that is left out."""
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names or [*inputs, *constants], results, **attributes)
    graph = helper.make_graph(
        [node],
        "one",
        [_info(name, array) for name, array in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in results],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def _info(name: str, array: Array) -> Any:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def lowered(model: ModelProto, phase: str) -> Any:
    """Return a network at the end of a phase of the host's pipeline."""
    module = import_model(model)
    PassManager([]).run(module, pipeline_of(machine_named("host")).select(stop_after=phase), new_context())
    return module


def reference(model: ModelProto, inputs: Mapping[str, Array]) -> list[Array]:
    """Return what ONNX's reference computes."""
    return [np.asarray(each) for each in cast(Any, ReferenceEvaluator(model)).run(None, dict(inputs))]


def runtime(model: ModelProto, inputs: Mapping[str, Array]) -> list[Array]:
    """Return what ONNX Runtime computes."""
    session: Any = onnx_runtime.session(model)
    return list(session.run(None, dict(inputs)))


def check(
    model: ModelProto,
    inputs: Mapping[str, Array],
    expected: Sequence[Array] | None = None,
    *,
    phases: Sequence[str] = ("tensor", "loops"),
    rtol: float = 0,
    atol: float = 0,
) -> None:
    """Compare a network at the end of each phase with ONNX's reference, or with other results."""
    wanted = reference(model, inputs) if expected is None else expected
    for phase, module in each_phase(import_model(model), phases):
        found = run_module(module, inputs)
        for number, array in enumerate(wanted):
            np.testing.assert_allclose(found[f"y{number}"], array, rtol, atol, err_msg=phase)


def check_c(
    model: ModelProto,
    inputs: Mapping[str, Array],
    expected: Sequence[Array] | None = None,
    *,
    rtol: float = 0,
    atol: float = 0,
) -> None:
    """Compare the emitted C, under sanitizers and on two calls, with ONNX's reference, or with other results."""
    wanted = reference(model, inputs) if expected is None else expected
    run = host_run(HostNetwork(render(lowered(model, "")), sanitize=True, flags=FLAGS))
    for _ in range(2):
        found = run(inputs)
        for number, array in enumerate(wanted):
            np.testing.assert_allclose(found[f"y{number}"], array, rtol, atol)
