"""Networks whose tensors have sizes that data decide: at several levels and as C, beside ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.dialects.core.ports import cut_outputs
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.phases import each_phase
from tilewright.test.random.networks.selections import chain

from .one_node import FLAGS, lowered, runtime

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
RNG = np.random.default_rng(5)
Port = tuple[str, int, Sequence[int]]
Cases = Sequence[Mapping[str, Array]]
node: Any = helper.make_node


def model(
    nodes: Sequence[NodeProto], inputs: Mapping[str, Array], outputs: Sequence[str], **constants: Any
) -> ModelProto:
    """Return a network with inputs like these arrays."""
    ports = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in inputs.items()
    ]
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    held = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "dynamic", ports, results, held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def verify(network: ModelProto, cases: Cases, phases: Sequence[str] = ("tensor",), *, c: bool = True) -> None:
    """Compare all outputs, their shapes included, at the end of phases and as C under sanitizers."""
    expected = [runtime(network, inputs) for inputs in cases]
    for phase, module in each_phase(import_model(network), (*phases, "") if c else phases):
        run, place = partial(run_module, module), phase or "C"
        if not phase:
            run = host_run(HostNetwork(render(module), sanitize=True, flags=FLAGS))
        for inputs, wanted in zip(cases, expected, strict=True):
            found = run(inputs)
            assert list(found) == [value.name for value in network.graph.output]
            for got, want in zip(found.values(), wanted, strict=True):
                assert got.shape == want.shape, place
                np.testing.assert_allclose(got, want, 1e-4, 1e-5, err_msg=place)


def floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def some_all_none(*shape: int) -> list[dict[str, Array]]:
    return [{"x": floats(*shape)}, {"x": np.abs(floats(*shape)) + 1}, {"x": -np.abs(floats(*shape)) - 1}]


def test_non_zero_at_every_level() -> None:
    cases = [{"x": (RNG.random((3, 4)) < share).astype(np.float32)} for share in (0.5, 0, 1)]
    network = model([node("NonZero", ["x"], ["y"])], cases[0], ["y"])
    verify(network, cases, ("types", "tensor", "fused", "buffers", "kernels", "loops", "emitc"))
    header = render(lowered(network, "")).header
    assert "#define NETWORK_OUTPUT_1_SHAPE_OF 0 " in header
    assert "void network_run(const float x[12], int64_t y[24], int64_t y_shape[2]);" in header


def selected() -> list[NodeProto]:
    """Return the nodes that select the rows `r` of `x` whose sum is positive."""
    return [
        node("ReduceSum", ["x", "one"], ["s"], keepdims=0),
        node("Greater", ["s", "zero"], ["m"]),
        node("NonZero", ["m"], ["nz"]),
        node("Transpose", ["nz"], ["t"], perm=[1, 0]),
        node("GatherND", ["x", "t"], ["r"]),
    ]


def test_what_follows_is_computed_on_what_is_there() -> None:
    cases = some_all_none(6, 4)
    nodes = [
        node("MatMul", ["r", "w"], ["product"]),
        node("Softmax", ["product"], ["soft"], axis=0),
        node("Transpose", ["r"], ["rt"], perm=[1, 0]),
        node("MatMul", ["rt", "r"], ["gram"]),
        node("MatMul", ["r", "rt"], ["outer"]),
        node("ReduceMean", ["r", "first"], ["mean"], keepdims=0),
        node("ReduceSum", ["r"], ["sum"], keepdims=0),
        node("Concat", ["r", "x", "r"], ["joined"], axis=0),
        node("Cast", ["t"], ["whole"], to=INT64),
        node("Add", ["whole", "one"], ["more"]),
        node("Div", ["whole", "more"], ["quotient"]),
        node("Slice", ["r", "low", "high", "first", "back"], ["reversed"]),
        node("Size", ["r"], ["size"]),
        node("Gather", ["joined", "ends"], ["last"], axis=0),
        node("Unsqueeze", ["ends", "one"], ["column"]),
        node("GatherND", ["joined", "column"], ["also_last"]),
        node("Div", ["r", "two"], ["halved"]),
        node("ScatterND", ["x", "t", "halved"], ["scattered"]),
    ]
    outputs = [
        "last",
        "also_last",
        "scattered",
        "product",
        "soft",
        "gram",
        "outer",
        "mean",
        "sum",
        "joined",
        "quotient",
        "reversed",
        "size",
    ]
    constants = {"one": [1], "zero": np.float32(0), "first": [0], "low": [-1], "high": [-9], "back": [-2]}
    constants |= {"ends": [-1, 0, -6], "two": np.float32(2)}
    verify(model([*selected(), *nodes], cases[0], outputs, w=floats(4, 3), **constants), cases)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(5))
def test_random_chains(seed: int) -> None:
    network = chain(seed)
    verify(network.network(), network.samples(), c=seed == 0)


def test_sizes_make_shapes() -> None:
    cases = some_all_none(6, 4)
    nodes = [
        node("Shape", ["r"], ["shape"]),
        node("Gather", ["shape", "zeroth"], ["n"]),
        node("Range", ["zeroth", "n", "step"], ["range"]),
        node("Unsqueeze", ["n", "first"], ["list"]),
        node("Concat", ["list", "rest"], ["goal"], axis=0),
        node("Reshape", ["r", "goal"], ["square"]),
        node("Expand", ["half", "shape"], ["halves"]),
        node("Mul", ["r", "halves"], ["scaled"]),
        node("Slice", ["x", "first", "list", "first"], ["front"]),
        node("ReduceSum", ["r", "one"], ["q"], keepdims=0),
        node("Min", ["list", "three"], ["k"]),
        node("TopK", ["q", "k"], ["best", "places"]),
    ]
    constants = {"one": [1], "zero": np.float32(0), "zeroth": 0, "step": 1, "first": [0], "rest": [2, 2], "three": [3]}
    outputs = ["range", "square", "scaled", "front", "best", "places"]
    verify(model([*selected(), *nodes], cases[0], outputs, half=np.float32(0.5), **constants), cases)


def boxes(count: int) -> Array:
    corner, size = RNG.uniform(0, 10, (1, count, 2)), RNG.uniform(1, 4, (1, count, 2))
    return np.concatenate([corner, corner + size], -1).astype(np.float32)


def test_non_max_suppression() -> None:
    """Both formats, equal scores among them; the boxes that are selected."""
    scores = [RNG.integers(0, 5, (1, 2, 12)) / np.float32(4) for _ in range(2)] + [np.zeros((1, 2, 12))]
    cases = [{"b": boxes(12), "s": each.astype(np.float32)} for each in scores]
    nodes = [
        node("NonMaxSuppression", ["b", "s", "most", "iou", "least"], ["corners"]),
        node("NonMaxSuppression", ["b", "s", "most", "iou"], ["centres"], center_point_box=1),
        node("Gather", ["corners", "two"], ["places"], axis=1),
        node("Squeeze", ["b", "first"], ["flat"]),
        node("Gather", ["flat", "places"], ["kept"], axis=0),
    ]
    constants = {"most": 4, "iou": np.float32(0.3), "least": np.float32(0.2), "two": 2, "first": [0]}
    verify(model(nodes, cases[0], ["corners", "centres", "kept"], **constants), cases, ("types", "tensor"))


def test_unique() -> None:
    cases = [{"x": RNG.integers(0, bound, (5, 3)).astype(np.float32)} for bound in (1, 3)]
    ways = [{"sorted": 0}, {"sorted": 1, "axis": 0}, {"sorted": 1, "axis": -1}]
    outputs = [[f"{name}{number}" for name in "yivc"] for number in range(len(ways))]
    nodes = [node("Unique", ["x"], names, **way) for names, way in zip(outputs, ways, strict=True)]
    verify(model(nodes, cases[0], [name for names in outputs for name in names]), cases, ("types", "tensor"))


def test_compress() -> None:
    flags = [np.array(each, np.bool_) for each in ([1, 0, 1, 1], [0] * 4, [1] * 4)]
    cases = [{"x": floats(3, 5), "c": each} for each in flags]
    nodes = [node("Compress", ["x", "c"], ["y"], axis=-1), node("Compress", ["x", "c"], ["z"])]
    verify(model(nodes, cases[0], ["y", "z"]), cases)


@pytest.mark.parametrize("flags", [[1, 0, 1, 1], [0, 1], [0] * 4, [1, 1, 0, 0, 0]])
def test_a_constant_condition_gives_a_fixed_size(flags: list[int]) -> None:
    x, condition = floats(3, 4), np.array(flags, np.bool_)
    nodes = [node("Compress", ["x", "c"], ["y"], axis=1), node("Compress", ["x", "c"], ["z"])]
    built = model(nodes, {"x": x}, [], c=condition)
    shapes = {"y": [3, "some"], "z": ["some"]}
    built.graph.output.extend(helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in shapes.items())
    verify(built, [{"x": x}], c=flags[0] == 1)


def turns(condition: Sequence[str]) -> GraphProto:
    """Return the body of a Loop that adds and collects squares; its condition is an operator and its inputs."""
    nodes = [
        node("Add", ["v", "k"], ["w"]),
        node("ReduceMax", ["w"], ["top"], keepdims=0),
        node(condition[0], list(condition[1:]), ["again"]),
        node("Mul", ["w", "w"], ["square"]),
    ]
    ports: list[Port] = [("i", INT64, ()), ("c", BOOL, ()), ("v", FLOAT, (3,))]
    results: list[Port] = [("again", BOOL, ()), ("w", FLOAT, (3,)), ("square", FLOAT, (3,))]
    infos = [[helper.make_tensor_value_info(*port) for port in group] for group in (ports, results)]
    held = [numpy_helper.from_array(np.array(value, np.float32), name) for name, value in (("k", 0.5), ("limit", 2))]
    return helper.make_graph(nodes, "body", infos[0], infos[1], held)


def test_loops_collect_as_many_as_they_turn() -> None:
    """The number of turns is what data say, what a condition says, and the smaller of the two."""
    nodes = [
        node("NonZero", ["x"], ["nz"]),
        node("Shape", ["nz"], ["shape"]),
        node("Gather", ["shape", "one"], ["n"]),
        node("Loop", ["n", "", "x"], ["a", "b"], body=turns(("Identity", "c"))),
        node("Loop", ["nine", "", "x"], ["d", "e"], body=turns(("Less", "top", "limit"))),
        node("Loop", ["n", "yes", "x"], ["f", "g"], body=turns(("Less", "top", "limit"))),
        node("ReduceSum", ["e", "zero"], ["sum"], keepdims=0),
    ]
    cases = [{"x": np.array(each, np.float32)} for each in ([0, 0, 0], [5, 0, 1], [-9, -9, -9])]
    network = model(nodes, cases[0], ["a", "b", "d", "e", "f", "g", "sum"], one=1, nine=9, yes=True, zero=[0])
    verify(network, cases, ("types", "tensor"))


@pytest.mark.nightly
def test_the_detector_of_the_zoo() -> None:
    network = zoo.build("detector")
    verify(network, [zoo.sample_inputs(network, seed) for seed in range(2)], ())


BRANCHES = {
    f"{side}_branch": helper.make_graph([node(op, ["nz"], [op])], side, [], [helper.make_empty_tensor_value_info(op)])
    for side, op in (("then", "Identity"), ("else", "Neg"))
}
REFUSED = {
    "no rule": ([node("Einsum", ["nz"], ["y"], equation="ij->j")], "Einsum of a tensor whose size depends on data"),
    "two extents": (
        [node("Not", ["m"], ["o"]), node("Compress", ["x", "o"], ["a"], axis=0), node("Add", ["a", "r"], ["y"])],
        "sizes depend on other data",
    ),
    "a constant for an extent": ([node("Reshape", ["r", "six"], ["y"])], "another one than the tensor's decides"),
    "an inner axis": (
        [node("Reshape", ["nz", "flat"], ["y"]), node("Flatten", ["rt"], ["y2"], axis=0)],
        "outside of it",
    ),
    "a branch": ([node("If", ["c"], ["y"], **BRANCHES)], "If gives a tensor whose size depends on data"),
    "no bound": (
        [node("Loop", ["k", "", "v"], ["z", "y"], body=turns(("Identity", "c")))],
        "largest number of iterations",
    ),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    nodes, words = REFUSED[name]
    inputs = {"x": floats(6, 4), "c": np.array(True), "k": np.array(3), "v": floats(3)}
    before = [*selected(), node("Transpose", ["r"], ["rt"], perm=[1, 0])]
    constants = {"one": [1], "zero": np.float32(0), "six": [6, 2, 2], "flat": [-1]}
    with pytest.raises(Diagnostic, match=words):
        import_model(model([*before, *nodes], inputs, ["y"], **constants))


@pytest.mark.quick
def test_an_output_is_cut_to_what_is_there() -> None:
    found = {"y": np.arange(6).reshape(2, 3), "y.shape": np.array([2, 1])}
    assert {name: array.tolist() for name, array in cut_outputs(found, {"y.shape": "y"}).items()} == {"y": [[0], [3]]}
    with pytest.raises(Diagnostic, match="another size than it can have"):
        cut_outputs(found | {"y.shape": np.array([2, 4])}, {"y.shape": "y"})
