"""GELU of stores: tables that they compute, and networks whose GELU is theirs."""

from __future__ import annotations

from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.polynomials import gelu
from tilewright.dialects.nn import AddOp
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.ir import Array
from tilewright.runtime.tools.session import level_for, runner
from tilewright.targets.gemmini.gelu import gelu_of_table, stored
from tilewright.test.targets.gemmini.networks import Phase, has_spike

BYTES = np.arange(-128, 128, dtype=np.int32)


def table(step: float, result: float) -> Array:
    """Return the bytes of I-BERT's GELU, for the scales of the operand and of the result."""
    qb, qc = int(-1.769 * sqrt(2) / step), int(-2 / (0.2888 * step**2))
    return stored(gelu(BYTES, qb, qc), -0.0722 * step**3 / result)


@pytest.mark.parametrize(("step", "result"), [(0.011, 0.009), (0.02, 0.03), (0.05, 0.04), (0.11, 0.2), (0.3, 0.3)])
def test_tables_of_the_polynomial_have_parameters(step: float, result: float) -> None:
    found = gelu_of_table(table(step, result))
    assert found is not None
    np.testing.assert_array_equal(stored(gelu(BYTES, found.qb, found.qc), found.scale), table(step, result))


def test_other_tables_have_none() -> None:
    changed = table(0.05, 0.04)
    changed[200] -= 1
    exact = np.array([np.rint(x * (1 + erf(x / sqrt(2))) / 0.08) for x in (0.05 * BYTES).tolist()])
    others = [np.tanh(0.02 * BYTES) * 100, exact.clip(-128, 127), np.abs(BYTES) - 1, 0 * BYTES, changed]
    assert [gelu_of_table(each.astype(np.int8)) for each in others] == [None] * len(others)


def test_sums_wrap_around_in_32_bits() -> None:
    x, qb, qc = 123456789, -2000, -77777
    exact = x * ((min(x, -qb) + qb) ** 2 + qc + qc)
    assert int(gelu(np.array(x), qb, qc)) == (exact + (1 << 31)) % (1 << 32) - (1 << 31)


def test_a_quantised_network_has_its_gelu_in_stores(tmp_path: Path) -> None:
    draw, node = np.random.default_rng(0), helper.make_node
    nodes = [node("MatMul", ["x", "v"], ["h"], "first"), node("Gelu", ["h"], ["g"], "gelu")]
    nodes.append(node("MatMul", ["g", "w"], ["y"], "second"))
    constants = [
        numpy_helper.from_array(draw.standard_normal(shape).astype(np.float32), name)
        for name, shape in (("v", (20, 32)), ("w", (32, 8)))
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [12, 20])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [12, 8])
    graph = helper.make_graph(nodes, "net", [x], [y], constants)
    network = read_network(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9))
    samples = {"x": draw.standard_normal((10 * 12, 20)).astype(np.float32).reshape(10, 12, 20)}
    flat = {"x": samples["x"].reshape(-1, 20)}
    options = QuantizeOptions(nonlinear="ibert", common_sums=True, per_channel=False)
    file = tmp_path / "network.onnx"
    file.write_bytes(quantize(network, samples_of(network, flat), options).model.SerializeToString())
    model, planned = Model(file, integers=True), Phase("planned")
    expected = runner(compile_model(model, "host", **level_for("host")._asdict()), "host")({"x": samples["x"][0]})["y"]
    for place in ("interpreter", "sanitizers", *(["spike"] if has_spike() else [])):
        compilation = compile_model(model, "gemmini/ibert", observers=[planned], **level_for(place)._asdict())
        np.testing.assert_array_equal(runner(compilation, place)({"x": samples["x"][0]})["y"], expected, err_msg=place)
    assert any(isinstance(op, AddOp) and len(op.inputs) == 1 for op in planned.module.walk())
