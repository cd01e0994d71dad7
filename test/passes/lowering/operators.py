"""Networks of single operators, run at the graph level, at the tensor level and as C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from onnx import ModelProto, defs, helper, numpy_helper

from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.phases import each_phase

STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")


@dataclass(frozen=True)
class Case:
    """An operator with its attributes, its inputs, and the constants that are inputs after those."""

    op: str
    inputs: Sequence[Array]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    constants: Sequence[Array | None] = ()
    outputs: int = 1
    domain: str = ""
    expected: Sequence[Array] | None = None
    """What it computes, where ONNX's reference cannot tell."""


def network_of(cases: Sequence[Case]) -> tuple[ModelProto, dict[str, Array]]:
    """Return a network of all these operators, side by side, and its inputs."""
    nodes: list[Any] = []
    arrays: dict[str, Array] = {}
    constants: dict[str, Array] = {}
    results: list[str] = []
    for index, case in enumerate(cases):
        given = {f"x{index}_{i}": array for i, array in enumerate(case.inputs)}
        fixed = {f"k{index}_{i}": array for i, array in enumerate(case.constants)}
        names = [name if array is not None else "" for name, array in (given | fixed).items()]
        outputs = [f"y{index}_{i}" for i in range(case.outputs)]
        nodes.append(helper.make_node(case.op, names, outputs, domain=case.domain, **case.attributes))
        arrays |= given
        constants |= {name: array for name, array in fixed.items() if array is not None}
        results += outputs
    graph = helper.make_graph(
        nodes,
        "operators",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in arrays.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in results],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    imports = [helper.make_opsetid("", defs.onnx_opset_version())]
    imports += [helper.make_opsetid(domain, 1) for domain in {case.domain for case in cases if case.domain}]
    return helper.make_model(graph, opset_imports=imports), arrays


def check(cases: Sequence[Case], *, in_c: bool = False, relative: float = 1e-5, absolute: float = 1e-6) -> None:
    """
    Assert that what operators become gives what they mean: at the tensor level, and as C under the sanitisers.

    What they mean is computed by ONNX's reference, or stated in `core/onnx_custom.py`. Integers are exact.
    """
    model, arrays = network_of(cases)
    expected = _expected(cases)
    for phase, module in each_phase(import_model(model), ("tensor", "") if in_c else ("tensor",)):
        if phase:
            results = run_module(module, arrays)
        else:
            results = host_run(HostNetwork(render(module), sanitize=True, flags=STRICT))(arrays)
        for name, value in expected.items():
            case = cases[int(name[1:].partition("_")[0])]
            message = f"{case.op} {dict(case.attributes)} {phase or 'in C'}"
            if value.dtype.kind in "iub":
                np.testing.assert_array_equal(results[name], value, err_msg=message)
                continue
            assert results[name].dtype == value.dtype, message
            got, wanted = (array.astype(np.float64) for array in (results[name], value))
            np.testing.assert_allclose(got, wanted, rtol=relative, atol=absolute, err_msg=message)


def _expected(cases: Sequence[Case]) -> dict[str, Array]:
    """Return what the operators mean, by the names of the results of `network_of`."""
    told = [index for index, case in enumerate(cases) if case.expected is None]
    model, arrays = network_of([cases[index] for index in told])
    with np.errstate(all="ignore"):
        computed = run_module(import_model(model), arrays) if told else {}
    expected = {
        f"y{told[int(place)]}_{output}": value
        for name, value in computed.items()
        for place, output in [name[1:].split("_")]
    }
    for index, case in enumerate(cases):
        expected |= {f"y{index}_{i}": value for i, value in enumerate(case.expected or ())}
    return expected


def by_onnxruntime(case: Case) -> Case:
    """Return a case whose expected results are those of ONNX Runtime, where ONNX's reference is wrong."""
    model, arrays = network_of([case])
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("", 18))
    model.ir_version = 9
    session: Any = onnx_runtime.session(model)
    return replace(case, expected=session.run(None, arrays))


def numbers(*shape: int, dtype: Any = np.float32, low: float = -3, high: float = 3, seed: int = 7) -> Array:
    """Return random numbers between two bounds."""
    return np.random.default_rng(seed + len(shape)).uniform(low, high, shape).astype(dtype)
