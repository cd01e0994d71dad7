"""Networks whose way depends on data: If, Loop and Scan as operators of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import print_ir
from tilewright.frontend import control_flow
from tilewright.frontend.importer import import_model
from tilewright.ir import Array

from .one_node import check, check_c, runtime

RNG = np.random.default_rng(11)
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
Port = tuple[str, int, Sequence[int] | None]


def graph(
    nodes: Sequence[NodeProto], inputs: Sequence[Port], outputs: Sequence[Port], **constants: Array
) -> GraphProto:
    """Return a graph; a port is a name, an element type and a shape."""
    values = [[helper.make_tensor_value_info(*port) for port in ports] for ports in (inputs, outputs)]
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    return helper.make_graph(nodes, "graph", values[0], values[1], initializers)


def model(main: GraphProto) -> ModelProto:
    return helper.make_model(main, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def verified(network: ModelProto, inputs: Mapping[str, Array], rtol: float = 1e-5) -> None:
    """Compare the interpreter at three levels, and the C, with ONNX Runtime."""
    expected = runtime(network, inputs)
    check(network, inputs, expected, phases=("types", "tensor", "loops", "emitc"), rtol=rtol, atol=1e-6)
    check_c(network, inputs, expected, rtol=rtol, atol=1e-6)


def floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def branches() -> ModelProto:
    """Return If over a product and its bias on one side, a value from outside and a constant on the other."""
    then = graph(
        [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Relu", ["p"], ["a"])],
        [],
        [("a", FLOAT, [3, 4]), ("z", FLOAT, [3, 4])],
        w=floats(4, 4),
    )
    then.node.append(helper.make_node("Add", ["a", "x"], ["z"]))
    other = graph(
        [helper.make_node("Identity", ["x"], ["b"])], [], [("b", FLOAT, [3, 4]), ("k", FLOAT, [3, 4])], k=floats(3, 4)
    )
    nodes = [
        helper.make_node("If", ["c"], ["y0", "y1"], then_branch=then, else_branch=other),
    ]
    return model(
        graph(
            nodes,
            [("c", BOOL, []), ("x", FLOAT, [3, 4])],
            [("y0", FLOAT, [3, 4]), ("y1", FLOAT, [3, 4])],
        )
    )


@pytest.mark.parametrize("condition", [True, False])
def test_if_takes_the_branch_that_the_run_says(condition: bool) -> None:
    verified(branches(), {"c": np.array(condition), "x": floats(3, 4)})


def nested(*, turns: bool, goes_on: Sequence[str] = ("Identity", "c")) -> ModelProto:
    """Return Loop whose turns double what is small, and halve what is large; `goes_on` is its condition."""
    first = goes_on[0] != "Identity"
    small = graph([helper.make_node("Add", ["v", "v"], ["d"])], [], [("d", FLOAT, [5])])
    large = graph([helper.make_node("Mul", ["v", "h"], ["e"])], [], [("e", FLOAT, [5])], h=np.array(0.5, np.float32))
    body = graph(
        [
            helper.make_node("ReduceMax", ["v"], ["m"], keepdims=0),
            helper.make_node("Less", ["m", "limit"], ["s"]),
            helper.make_node("If", ["s"], ["u"], then_branch=small, else_branch=large),
            helper.make_node("Cast", ["i"], ["f"], to=FLOAT),
            helper.make_node("Add", ["u", "f"], ["w"]),
            helper.make_node("Add", ["n", "one"], ["n1"]),
            helper.make_node(goes_on[0], list(goes_on[1:]), ["again"]),
        ],
        [("i", INT64, []), ("c", BOOL, []), ("v", FLOAT, [5]), ("n", INT64, [])],
        [("again", BOOL, []), ("w", FLOAT, [5]), ("n1", INT64, [])],
        limit=np.array(20, np.float32),
        one=np.array(1, np.int64),
        most=np.array(60, np.float32),
    )
    ports: list[Port] = [("x", FLOAT, [5]), ("n0", INT64, [])]
    ports += [("turns", INT64, [])] if turns else []
    ports += [("first", BOOL, [])] if first else []
    names = ["turns" if turns else "", "first" if first else "", "x", "n0"]
    nodes = [helper.make_node("Loop", names, ["y0", "y1"], body=body)]
    return model(graph(nodes, ports, [("y0", FLOAT, [5]), ("y1", INT64, [])]))


@pytest.mark.sample(1)
@pytest.mark.parametrize("turns", [0, 1, 7])
def test_loop_of_as_many_turns_as_an_input_says(turns: int) -> None:
    inputs = {"x": floats(5), "n0": np.array(3, np.int64), "turns": np.array(turns, np.int64)}
    verified(nested(turns=True), inputs)


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("turns", [True, False])
def test_loop_that_ends_where_data_say_so(first: bool, turns: bool) -> None:
    network = nested(turns=turns, goes_on=("LessOrEqual", "m", "most") if turns else ("Less", "f", "limit"))
    inputs = {"x": np.abs(floats(5)), "n0": np.array(3, np.int64), "first": np.array(first)}
    verified(network, inputs | ({"turns": np.array(9, np.int64)} if turns else {}))


def test_the_report_counts_one_turn_where_their_number_depends_on_data(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(nested(turns=True).SerializeToString())
    layers = compile_model(Model(tmp_path / "net.onnx"), "host").report["layers"]
    assert [layer["nodes"] for layer in layers].count(["Add_4"]) == 1


def collected(turns: int) -> ModelProto:
    """Return Loop that exchanges two tensors in each turn and collects one of them, and what it adds up to."""
    body = graph(
        [
            helper.make_node("Identity", ["c"], ["again"]),
            helper.make_node("Identity", ["b"], ["a1"]),
            helper.make_node("Add", ["a", "k"], ["b1"]),
            helper.make_node("Identity", ["a"], ["shown"]),
            helper.make_node("ReduceSum", ["b1"], ["sum"], keepdims=0),
        ],
        [("i", INT64, []), ("c", BOOL, []), ("a", FLOAT, [2, 3]), ("b", FLOAT, [2, 3])],
        [(name, FLOAT, [2, 3]) for name in ("a1", "b1", "shown")],
    )
    body.output.insert(0, helper.make_tensor_value_info("again", BOOL, []))
    body.output.append(helper.make_tensor_value_info("sum", FLOAT, []))
    nodes = [helper.make_node("Loop", ["turns", "", "x", "x"], ["y0", "y1", "y2", "y3"], body=body)]
    outputs: list[Port] = [("y0", FLOAT, [2, 3]), ("y1", FLOAT, [2, 3]), ("y2", FLOAT, None), ("y3", FLOAT, None)]
    constants = {"turns": np.array(turns, np.int64), "k": floats(2, 3)}
    return model(graph(nodes, [("x", FLOAT, [2, 3])], outputs, **constants))


@pytest.mark.sample(1)
@pytest.mark.parametrize("turns", [1, 9])
def test_loop_that_collects(turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_flow, "UNROLLED_NODES", 4)
    network = collected(turns)
    assert "onnx.Loop" in print_ir(import_model(network)), "written out"
    verified(network, {"x": floats(2, 3)}, rtol=1e-3)


@pytest.mark.sample(1)
@pytest.mark.parametrize("backwards", [0, 1])
def test_scan_along_any_axis_and_either_way(backwards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_flow, "UNROLLED_NODES", 4)
    body = graph(
        [
            helper.make_node("Mul", ["s", "decay"], ["f"]),
            helper.make_node("Add", ["f", "x"], ["s1"]),
            helper.make_node("Mul", ["s1", "z"], ["o"]),
        ],
        [("s", FLOAT, [4]), ("x", FLOAT, [4]), ("z", FLOAT, [])],
        [("s1", FLOAT, [4]), ("o", FLOAT, [4])],
        decay=np.array(0.5, np.float32),
    )
    node = helper.make_node(
        "Scan",
        ["s0", "xs", "zs"],
        ["y0", "y1"],
        body=body,
        num_scan_inputs=2,
        scan_input_axes=[1, -1],
        scan_input_directions=[backwards, 0],
        scan_output_axes=[-1],
        scan_output_directions=[backwards],
    )
    inputs = {"s0": floats(4), "xs": floats(4, 7), "zs": floats(7)}
    ports: list[Port] = [(name, FLOAT, array.shape) for name, array in inputs.items()]
    network = model(graph([node], ports, [("y0", FLOAT, [4]), ("y1", FLOAT, [4, 7])]))
    assert "onnx.Scan" in print_ir(import_model(network)), "written out"
    verified(network, inputs, rtol=1e-4)


def test_loop_that_ends_where_data_say_so_and_collects() -> None:
    network = nested(turns=True, goes_on=("LessOrEqual", "m", "most"))
    loop = network.graph.node[0]
    loop.output.append("y2")
    loop.attribute[0].g.output.append(helper.make_tensor_value_info("u", FLOAT, [5]))
    network.graph.output.append(helper.make_tensor_value_info("y2", FLOAT, [None, 5]))
    network.graph.input.pop(2)
    network.graph.initializer.append(numpy_helper.from_array(np.array(9, np.int64), "turns"))
    verified(network, {"x": np.abs(floats(5)), "n0": np.array(3, np.int64), "first": np.array(True)})


def random_graph(
    rng: np.random.Generator, depth: int, names: list[str], prefix: str
) -> tuple[list[NodeProto], list[str]]:
    """Return nodes over tensors [3, 4], some of which are conditionals, and the names of what they make."""
    nodes: list[NodeProto] = []
    made: list[str] = []
    for number in range(int(rng.integers(2, 5))):
        known = [*names, *made]
        a, b = (known[int(rng.integers(len(known)))] for _ in range(2))
        name = f"{prefix}{number}"
        kind = rng.choice(["Add", "Mul", "Relu", "Transpose", "Concat", "If" if depth else "Sub"])
        if kind == "If":
            nodes += random_if(rng, depth - 1, known, name)
            made += [f"{name}p", f"{name}q"]
            continue
        if kind == "Transpose":
            nodes.append(helper.make_node("Transpose", [a], [f"{name}t"]))
            nodes.append(helper.make_node("Reshape", [f"{name}t", "shape"], [name]))
        elif kind == "Concat":
            nodes.append(helper.make_node("Concat", [a, b], [f"{name}t"], axis=1))
            nodes.append(helper.make_node("Slice", [f"{name}t", "low", "high", "axes"], [name]))
        else:
            nodes.append(helper.make_node(kind, [a] if kind == "Relu" else [a, b], [name]))
        made.append(name)
    return nodes, made


def random_if(rng: np.random.Generator, depth: int, names: list[str], prefix: str) -> list[NodeProto]:
    """Return a conditional with two results, each anything that its branches see."""
    bodies: list[GraphProto] = []
    for side in ("then", "else"):
        nodes, made = random_graph(rng, depth, names, f"{prefix}{side}")
        known = [*names, *made, *made]
        chosen = [known[int(rng.integers(len(known)))] for _ in range(2)]
        outputs = [f"{prefix}{side}{port}" for port in "pq"]
        nodes += [helper.make_node("Identity", [a], [b]) for a, b in zip(chosen, outputs, strict=True)]
        bodies.append(graph(nodes, [], [(name, FLOAT, [3, 4]) for name in outputs]))
    test = [
        helper.make_node("ReduceMax", [names[-1]], [f"{prefix}m"], keepdims=0),
        helper.make_node("Less", [f"{prefix}m", "one"], [f"{prefix}c"]),
    ]
    branches = dict(zip(("then_branch", "else_branch"), bodies, strict=True))
    return [*test, helper.make_node("If", [f"{prefix}c"], [f"{prefix}p", f"{prefix}q"], **branches)]


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(24))
def test_random_conditionals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, made = random_graph(rng, 0, ["x"], "a")
    middle = random_if(rng, 1, ["x", *made], "b")
    last, ends = random_graph(rng, 0, ["x", *made, "bp", "bq"], "c")
    outputs = [ends[-1], "bp", "bq", made[-1]]
    ports = [helper.make_node("Identity", [name], [f"y{i}"]) for i, name in enumerate(outputs)]
    constants = {
        "shape": np.array([3, 4]),
        "low": np.array([2]),
        "high": np.array([6]),
        "axes": np.array([1]),
        "one": np.array(1, np.float32),
    }
    network = model(
        graph(
            [*first, *middle, *last, *ports],
            [("x", FLOAT, [3, 4])],
            [(f"y{i}", FLOAT, [3, 4]) for i in range(4)],
            **constants,
        )
    )
    inputs = {"x": floats(3, 4)}
    expected = runtime(network, inputs)
    check(network, inputs, expected, phases=("tensor", "fused", "buffers", "planned"), rtol=1e-4, atol=1e-5)
    if seed < 3:
        check_c(network, inputs, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [TensorProto.FLOAT16, TensorProto.DOUBLE, INT64, TensorProto.INT8, TensorProto.UINT8])
def test_branches_of_any_type(kind: int) -> None:
    then = graph([helper.make_node("Add", ["x", "x"], ["a"])], [], [("a", kind, [4])])
    other = graph([helper.make_node("Identity", ["x"], ["b"])], [], [("b", kind, [4])])
    node = helper.make_node("If", ["c"], ["y0"], then_branch=then, else_branch=other)
    network = model(graph([node], [("c", BOOL, []), ("x", kind, [4])], [("y0", kind, [4])]))
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    inputs = {"c": np.array(True), "x": np.array([1, 2, 100, 0]).astype(dtype)}
    check(network, inputs, runtime(network, inputs), phases=("types", "tensor", "loops", "emitc"))


@pytest.mark.parametrize("condition", [True, False])
def test_integers_that_floats_carry_into_branches(condition: bool) -> None:
    """What is an integer outside is a float in the branches, which give what the model says they do."""
    then = graph(
        [helper.make_node("Add", ["x", "k"], ["a"])], [], [("a", FLOAT, [4])], k=np.array([1, 2, 3, 4], np.float32)
    )
    other = graph([helper.make_node("Mul", ["x", "h"], ["b"])], [], [("b", FLOAT, [4])], h=np.array(0.5, np.float32))
    nodes = [
        helper.make_node("Relu", ["x0"], ["x"]),
        helper.make_node("If", ["c"], ["z"], then_branch=then, else_branch=other),
        helper.make_node("Add", ["z", "x"], ["y0"]),
    ]
    network = model(graph(nodes, [("c", BOOL, [1]), ("x0", FLOAT, [4])], [("y0", FLOAT, [4])]))
    helper.set_model_props(network, {"tilewright.input_type.x0": "ui8"})
    verified(network, {"c": np.array([condition]), "x0": np.array([3, 200, 255, 0], np.float32)})


@pytest.mark.sample(1)
@pytest.mark.parametrize("condition", [True, False])
def test_loops_in_branches(condition: bool) -> None:
    nodes = [
        helper.make_node("LSTM", ["s", "w", "r"], ["o"], hidden_size=3),
        helper.make_node("Squeeze", ["o", "axis"], ["q"]),
    ]
    weights = {"w": floats(1, 12, 3), "r": floats(1, 12, 3), "axis": np.array([1])}
    then = graph(nodes, [], [("q", FLOAT, [5, 2, 3])], **weights)
    other = graph([helper.make_node("Tanh", ["s"], ["b"])], [], [("b", FLOAT, [5, 2, 3])])
    node = helper.make_node("If", ["c"], ["y0"], then_branch=then, else_branch=other)
    network = model(graph([node], [("c", BOOL, []), ("s", FLOAT, [5, 2, 3])], [("y0", FLOAT, [5, 2, 3])]))
    verified(network, {"c": np.array(condition), "s": floats(5, 2, 3)}, rtol=1e-4)
