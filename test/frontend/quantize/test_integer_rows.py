"""Softmax, layer normalisation and functions of one number in integers of plain ONNX, beside exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, Result, quantize
from tilewright.ir import Array
from tilewright.runtime.tools.session import level_for, runner
from tilewright.test import onnx_runtime

RNG = np.random.default_rng
INTEGER = QuantizeOptions(nonlinear="integer", adaptive=False, correct=False, ranges="minmax")


def model_of(
    nodes: Sequence[NodeProto], inputs: Mapping[str, Sequence[int]], constants: Mapping[str, Array]
) -> ModelProto:
    """Return a network with the output y."""
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def quantised(model: ModelProto, arrays: Mapping[str, Array], options: QuantizeOptions = INTEGER) -> Result:
    network = read_network(model)
    return quantize(network, samples_of(network, arrays), options)


def session(model: ModelProto, *names: str) -> Callable[[Mapping[str, Array]], list[Array]]:
    """Return a network in ONNX Runtime; `names` are inner tensors to return instead of its outputs."""
    shown = ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    made = onnx_runtime.session(shown)
    return lambda inputs: made.run(list(names) or None, dict(inputs))


def real(result: Result, name: str, integers: Array) -> Array:
    """Return the numbers of a quantised tensor."""
    scale = result.scales[name]
    return (integers.astype(np.float64) - scale.zero) * scale.scale


def softmax_of(x: Array, axis: int) -> Array:
    powers = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def float_operators(model: ModelProto) -> set[str]:
    return {node.op_type for node in model.graph.node} & {"Softmax", "LayerNormalization", "Exp", "Sqrt", "Erf"}


def weights(rows: int, columns: int, seed: int = 0) -> Array:
    return RNG(seed).standard_normal((rows, columns)).astype(np.float32) / np.sqrt(rows)


def attention(*, length: int, mask: str = "", scale: float = 4) -> ModelProto:
    """Scores, with a mask of the input or of constants, the softmax over them, and a product with it."""
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "w"], ["s"], "scores"),
        node("Mul", ["s", "scale"], ["t"], "scaled"),
        *([node("Add", [mask, "t"], ["u"], "masked")] if mask else []),
        node("Softmax", ["u" if mask else "t"], ["p"], "softmax"),
        node("MatMul", ["p", "v"], ["y"], "mix"),
    ]
    constants = {"w": weights(16, length), "scale": np.array(scale), "v": weights(length, 4, 1)}
    if mask == "bias":
        constants["bias"] = RNG(3).uniform(-2, 2, (length,))
    inputs = {"x": (1, 8, 16)} | ({"mask": (1, 1, length)} if mask == "mask" else {})
    return model_of(nodes, inputs, constants)


@pytest.mark.parametrize("mask", ["", "mask", "bias"])
@pytest.mark.parametrize(("length", "scale"), [(5, 4), (64, 4), (64, 0.01), (300, 30)])
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_softmax_is_exact_up_to_a_step(mask: str, length: int, scale: float, symmetric: bool) -> None:
    arrays = {"x": RNG(0).standard_normal((6, 8, 16)).astype(np.float32)}
    if mask == "mask":
        hidden = RNG(1).random((6, 1, length)) < 0.3
        hidden[..., 0] = False
        arrays["mask"] = np.where(hidden, np.finfo(np.float32).min, 0).astype(np.float32)
    options = replace(INTEGER, symmetric=symmetric)
    result = quantised(attention(length=length, mask=mask, scale=scale), arrays, options)
    assert not float_operators(result.model)
    run = session(result.model, "t.integer", "p")
    step, bound = result.scales["p"].scale, result.scales["t"].scale
    for sample in samples_of(result.float_network, arrays):
        integers, found = run(sample)
        scores = real(result, "t", integers)
        summand = sample.get("mask", 0.0)
        summand = result.float_network.constants["bias"] if mask == "bias" else summand
        wanted = softmax_of(scores + summand, -1)
        # A summand is rounded to steps of the operand.
        rounding = wanted * bound if mask == "bias" else 0
        assert (np.abs(found - wanted) <= 1.01 * step + rounding).all()
        assert mask != "mask" or not found[:, np.broadcast_to(sample["mask"] < 0, found.shape)[0]].any()


@pytest.mark.parametrize("axis", [1, 2])
def test_a_softmax_at_the_end_keeps_more_than_a_byte(axis: int) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["s"], "scores"),
        helper.make_node("Softmax", ["s"], ["y"], "softmax", axis=axis),
    ]
    model = model_of(nodes, {"x": (1, 8, 16)}, {"w": 3 * weights(16, 200)})
    arrays = {"x": RNG(0).standard_normal((6, 8, 16)).astype(np.float32)}
    result = quantised(model, arrays)
    assert not float_operators(result.model)
    run = session(result.model, "s.integer", "y")
    for sample in samples_of(result.float_network, arrays):
        integers, found = run(sample)
        scores = real(result, "s", integers)
        wanted = softmax_of(scores, axis)
        length = wanted.shape[axis]
        assert (np.abs(found - wanted) <= 2.0**-16 + 2.0**-15 * (1 + length * wanted)).all()


def normed(columns: int, *, axis: int = -1, primitive: bool = False, epsilon: float = 1e-5) -> ModelProto:
    """A product, the normalisation of its rows, and another product."""
    node = helper.make_node
    nodes = [node("MatMul", ["x", "w"], ["h"], "first")]
    if primitive:
        nodes += [
            node("ReduceMean", ["h"], ["m"], "mean", axes=[-1]),
            node("Sub", ["h", "m"], ["d"], "apart"),
            node("Pow", ["d", "two"], ["q"], "square"),
            node("ReduceMean", ["q"], ["v"], "variance", axes=[-1]),
            node("Add", ["v", "epsilon"], ["e"], "added"),
            node("Sqrt", ["e"], ["r"], "root"),
            node("Div", ["d", "r"], ["z"], "divided"),
            node("Mul", ["z", "g"], ["f"], "factor"),
            node("Add", ["b", "f"], ["n"], "summand"),
        ]
    else:
        nodes.append(node("LayerNormalization", ["h", "g", "b"], ["n"], "norm", axis=axis, epsilon=epsilon))
    nodes.append(node("MatMul", ["n", "v2"], ["y"], "last"))
    row = (4, columns) if axis == 1 else (columns,)
    constants = {
        "w": weights(16, columns), "g": 1 + 0.3 * RNG(1).standard_normal(row), "b": RNG(2).standard_normal(row),
        "v2": weights(columns, 4), "two": np.array(2), "epsilon": np.array(epsilon),
    }  # fmt: skip
    return model_of(nodes, {"x": (1, 4, 16)}, constants)


def norm_of(h: Array, factors: Array, summands: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    h = h.astype(np.float64)
    apart = h - h.mean(axis=axes, keepdims=True)
    return apart / np.sqrt((apart**2).mean(axis=axes, keepdims=True) + epsilon) * factors + summands


@pytest.mark.parametrize(
    ("columns", "axis", "epsilon", "spread"),
    [(16, -1, 1e-5, 1), (128, -1, 1e-5, 100), (768, -1, 1e-12, 1), (64, 1, 1e-5, 1e-3), (12, -1, 1.0, 0.1)],
)
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_layer_norm_is_exact_up_to_a_step(
    columns: int, axis: int, epsilon: float, spread: float, symmetric: bool
) -> None:
    rows = spread * np.array([[1], [0.3], [0.1], [0.03]])
    arrays = {"x": (rows * RNG(0).standard_normal((6, 4, 16))).astype(np.float32)}
    options = replace(INTEGER, symmetric=symmetric)
    result = quantised(normed(columns, axis=axis, epsilon=epsilon), arrays, options)
    assert not float_operators(result.model)
    run, constants = session(result.model, "h.integer", "n"), result.float_network.constants
    for sample in samples_of(result.float_network, arrays):
        integers, found = run(sample)
        h = real(result, "h", integers)
        wanted = norm_of(h, constants["g"], constants["b"], (1, 2) if axis == 1 else (2,), epsilon)
        least, most = (real(result, "n", np.array(end)) for end in (-128, 127))
        assert np.abs(found - np.clip(wanted, least, most)).max() <= 1.01 * result.scales["n"].scale


def test_a_layer_norm_made_of_primitives_becomes_one() -> None:
    arrays = {"x": RNG(0).standard_normal((6, 4, 16)).astype(np.float32)}
    whole, parts = (quantised(normed(24, primitive=each), arrays).model for each in (False, True))
    assert not float_operators(parts)
    sample = {"x": arrays["x"][:1]}
    assert np.array_equal(session(whole)(sample)[0], session(parts)(sample)[0])


def test_other_sums_of_squares_stay() -> None:
    model = normed(24, primitive=True)
    model.graph.node[1].attribute[0].ints[0] = 1
    result = quantised(model, {"x": RNG(0).standard_normal((6, 4, 16)).astype(np.float32)})
    assert "LayerNormalization" not in {node.op_type for node in result.float_network.nodes}


def block() -> ModelProto:
    """Attention, a layer normalisation and a GELU made of primitives."""
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "w"], ["q"], "proj"),
        node("Transpose", ["q"], ["k"], "turn", perm=[0, 2, 1]),
        node("MatMul", ["q", "k"], ["s"], "scores"),
        node("Add", ["s", "mask"], ["t"], "masked"),
        node("Softmax", ["t"], ["p"], "softmax"),
        node("MatMul", ["p", "q"], ["z"], "mix"),
        node("LayerNormalization", ["z", "g", "b"], ["n"], "norm"),
        node("Mul", ["n", "half"], ["h"], "halved"),
        node("Div", ["n", "root"], ["d"], "scaled"),
        node("Erf", ["d"], ["e"], "erf"),
        node("Add", ["e", "one"], ["f"], "raised"),
        node("Mul", ["h", "f"], ["u"], "gelu"),
        node("MatMul", ["u", "v"], ["y"], "last"),
    ]
    constants = {
        "w": weights(16, 16), "g": 1 + weights(1, 16)[0], "b": weights(1, 16, 2)[0], "v": weights(16, 4, 3),
        "half": np.array(0.5), "root": np.array([np.sqrt(2)]), "one": np.array([[[1.0]]]),
    }  # fmt: skip
    return model_of(nodes, {"x": (1, 6, 16), "mask": (1, 1, 6)}, constants)


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["qdq", "qlinear"])
def test_all_executions_have_the_numbers_of_onnx_runtime(form: str, tmp_path: Path) -> None:
    mask = np.where(RNG(1).random((9, 1, 6)) < 0.3, -np.inf, 0).astype(np.float32)
    mask[..., 0] = 0
    arrays = {"x": RNG(0).standard_normal((9, 6, 16)).astype(np.float32), "mask": np.maximum(mask, -1e30)}
    result = quantised(block(), arrays, QuantizeOptions(nonlinear="integer", form=form))
    assert not float_operators(result.model)
    path = tmp_path / "net.onnx"
    path.write_bytes(result.model.SerializeToString())
    model, run, exact = Model(path, integers=True), session(result.model), session(block())
    place = "host" if form == "qdq" else "interpreter"
    compiled = runner(compile_model(model, "host", **level_for(place)._asdict()), place)
    for sample in samples_of(result.float_network, arrays):
        (wanted,) = run(sample)
        assert np.array_equal(compiled(sample)["y"], wanted)
        assert ((wanted - exact(sample)[0]) ** 2).sum() < (exact(sample)[0] ** 2).sum() / 100


def test_a_named_operator_stays_in_floats() -> None:
    arrays = {"x": RNG(0).standard_normal((4, 6, 16)).astype(np.float32), "mask": np.zeros((4, 1, 6), np.float32)}
    result = quantised(block(), arrays, replace(INTEGER, floats=("Softmax", "Erf")))
    assert float_operators(result.model) == {"Softmax", "Erf"}


def tables_of(model: ModelProto) -> list[Array]:
    """Return the tables of bytes of a network."""
    return [numpy_helper.to_array(each) for each in model.graph.initializer if list(each.dims) == [256]]


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_gelu_is_a_polynomial_where_zero_points_are_0(symmetric: bool) -> None:
    """Its table is within two steps of the exact one, and is that where there are zero points."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "first"), helper.make_node("Gelu", ["h"], ["g"], "gelu")]
    nodes.append(helper.make_node("MatMul", ["g", "v"], ["y"], "last"))
    model = model_of(nodes, {"x": (4, 16)}, {"w": weights(16, 16), "v": weights(16, 4, 1)})
    model.opset_import[0].version = 20
    arrays = {"x": RNG(0).standard_normal((36, 16)).astype(np.float32)}
    options = replace(INTEGER, symmetric=symmetric)
    kinds = (options, replace(options, nonlinear="ibert"))
    (exact,), (found,) = (tables_of(quantised(model, arrays, each).model) for each in kinds)
    steps = np.abs(exact.astype(int) - found.astype(int)).max()
    assert steps in (1, 2) if symmetric else steps == 0


@pytest.mark.filterwarnings("error")
def test_a_function_that_is_no_number_is_the_least_integer() -> None:
    """As QuantizeLinear has it in ONNX Runtime, where bytes are outside of the function's domain."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "first"), helper.make_node("Sqrt", ["h"], ["g"], "root")]
    nodes.append(helper.make_node("MatMul", ["g", "v"], ["y"], "last"))
    constants = {"w": np.abs(weights(16, 16)), "v": weights(16, 4, 1)}
    arrays = {"x": np.abs(RNG(0).standard_normal((36, 16))).astype(np.float32)}
    options = replace(INTEGER, symmetric=True)
    model = model_of(nodes, {"x": (4, 16)}, constants)
    found = quantised(model, arrays, options).model
    (table,) = tables_of(found)
    assert (table[128:] == -128).all()
    assert len(np.unique(table[:128])) > 90
    plain = quantised(model, arrays, replace(options, nonlinear="float")).model
    for sample in (arrays["x"][:4], RNG(1).standard_normal((4, 16)).astype(np.float32)):
        outputs = [onnx_runtime.session(each).run(None, {"x": sample})[0] for each in (found, plain)]
        np.testing.assert_array_equal(*outputs)
