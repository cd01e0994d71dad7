"""Loops whose condition follows from constants have a constant number of iterations, beside ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, parser

from tilewright.errors import Diagnostic
from tilewright.frontend import control_flow, loop_counts
from tilewright.frontend.importer import import_model
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.passes.lowering.one_node import lowered

CONDITIONS = {
    "counter below a bound": ("0", "Less(k, bound)", "Add(k, one)"),
    "floats below a bound of floats": ("0", "Less(kf, boundf)", "Add(k, one)"),
    "counts down": ("9", "Greater(k, zero)", "Sub(k, two)"),
    "counts down to a multiple": ("64", "Not(even)", "Div(k, two)"),
    "the iteration": ("0", "Less(i32, bound)", "Identity(k)"),
    "both": ("1", "And(below, going)", "Mul(k, two)"),
}
"""Name -> the counter's first value, the condition and the counter's next value."""

BODY = """
    kf = Cast<to = 1>(next)
    boundf = Cast<to = 1>(bound)
    i32 = Cast<to = 6>(i)
    even = Equal(next, one)
    below = Less(next, bound)
"""


def loop(name: str, *, trips: str = '""', first: str = "Less(zero, bound0)") -> ModelProto:
    """Return a Loop over the rows of x [4, 3] that counts as `name` says: h = tanh(h + x[k mod 4]), collected."""
    start, condition, following = CONDITIONS[name]
    condition = condition.replace("(k,", "(next,")
    given = f"trips = Constant<value = int64 {{{trips}}}>()" if trips != '""' else ""
    return parser.parse_model(
        f"""
        <ir_version: 8, opset_import: ["" : 17]>
        loops (float[4, 3] x) => (float[3] h, int32 k, float[rows, 3] ys)
        <int32 zero = {{0}}, int32 one = {{1}}, int32 two = {{2}}, int32 start = {{{start}}}, int64[1] from = {{0}},
         int64[1] to = {{1}}, float[3] h0 = {{0.1, 0.2, 0.3}}, int32 rows_of_x = {{4}}>
        {{
            {given}
            shape = Shape(x)
            rows = Slice(shape, from, to)
            row = Squeeze(rows)
            half = Cast<to = 6>(row)
            bound0 = Add(half, one)
            first = {first}
            h, k, final, ys = Loop({"trips" if given else ""}, first, h0, start, bound0) <body = turn (
                int64 i, bool going, float[3] h_in, int32 k, int32 bound
            ) => (bool goes_on, float[3] h_out, int32 next, int32 bound_out, float[3] y) {{
                next = {following}
                {BODY}
                goes_on = {condition}
                index = Mod(k, rows_of_x)
                taken = Gather<axis = 0>(x, index)
                added = Add(h_in, taken)
                h_out = Tanh(added)
                y = Identity(h_out)
                bound_out = Identity(bound)
            }}>
        }}
        """
    )


def check(model: ModelProto) -> int:
    """Compare a network with ONNX Runtime, and return the number of rows that its Loop collects."""
    x = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    names = [value.name for value in model.graph.output]
    expected = dict(zip(names, onnx_runtime.session(model, fused=False).run(None, {"x": x}), strict=True))
    found = run_module(lowered(model, "tensor"), {"x": x})
    for name in names:
        np.testing.assert_allclose(found[name], expected[name], 1e-5, 1e-5, err_msg=name)
    return len(found["ys"])


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_of_constants_is_a_number_of_iterations(name: str):
    rows = check(loop(name))
    assert rows > 1
    assert check(loop(name, trips="2")) == 2
    assert check(loop(name, trips="9223372036854775807")) == rows


def test_a_condition_that_is_false_from_the_start():
    model = loop("counter below a bound", first="Less(bound0, zero)")
    assert check(model) == 0


def test_more_iterations_than_are_written_out_stay_a_loop(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(control_flow, "UNROLLED_NODES", 8)
    model = loop("counter below a bound")
    assert check(model) == 5
    assert "onnx.Loop" in str(import_model(model))


def test_a_condition_that_never_fails_is_evaluated_up_to_a_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loop_counts, "MOST_TURNS", 50)
    monkeypatch.setattr(control_flow, "UNROLLED_NODES", 100)
    model = loop("counter below a bound")
    next(node for node in model.graph.node if node.output[0] == "bound0").input[1] = "endless"
    model.graph.initializer.add(name="endless", data_type=6, int32_data=[1 << 30])
    with pytest.raises(Diagnostic, match="its largest number of iterations is not known"):
        import_model(model)


def test_a_bound_that_data_decide_is_refused():
    model = loop("counter below a bound")
    reads = next(node for node in model.graph.node if node.output[0] == "half")
    reads.input[0] = "sum"
    node = model.graph.node.add(op_type="ReduceSum", input=["x"], output=["sum"])
    node.attribute.add(name="keepdims", type=2, i=0)
    with pytest.raises(Diagnostic, match="its largest number of iterations is not known"):
        import_model(model)
