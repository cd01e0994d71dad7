"""Operators that choose: comparisons, Where, Gather by an input, TensorScatter; as ONNX has them, at every level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions, numbers_of
from tilewright.passes.core.manager import PassManager
from tilewright.passes.formats.c import render
from tilewright.passes.lowering.index_ranges import RANGE
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.phases import each_phase

PHASES = ("types", "tensor", "buffers", "kernels", "loops", "emitc")
COMPARISONS = ("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal")
TYPES = {
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "float32": TensorProto.FLOAT,
}


def network(
    node: Any, inputs: Mapping[str, Any], output: tuple[int, Sequence[int]], constants: Mapping[str, Any] = {}
) -> ModelProto:
    """Return a network of one node: inputs by arrays of their type and shape, the output y by type and shape."""
    declared = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node],
        "net",
        [declared(name, TYPES[str(array.dtype)], array.shape) for name, array in inputs.items()],
        [declared("y", *output)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)])


def check_levels(model: ModelProto, inputs: Mapping[str, Any]) -> None:
    expected = np.asarray(cast(Any, ReferenceEvaluator(model)).run(None, dict(inputs))[0])
    for phase, module in each_phase(import_model(model), PHASES):
        np.testing.assert_array_equal(run_module(module, inputs)["y"], expected, err_msg=phase)


def lowered(model: ModelProto, phase: str) -> Any:
    module = import_model(model)
    PassManager([]).run(module, pipeline_of(machine_named("host")).select(stop_after=phase), new_context())
    return module


def drawn(shape: Sequence[int], dtype: str, seed: int) -> Any:
    random = np.random.RandomState(seed)
    return random.randint(0 if dtype == "uint8" else -4, 5, shape).astype(dtype)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.sampled_from(COMPARISONS), st.sampled_from(list(TYPES)), st.integers(0, 99))
def test_comparisons_and_choices(name: str, dtype: str, seed: int) -> None:
    a, b = drawn((3, 4), dtype, seed), drawn((4,), dtype, seed + 1)
    check_levels(
        network(helper.make_node(name, ["a", "b"], ["y"]), {"a": a, "b": b}, (TensorProto.BOOL, (3, 4))),
        {"a": a, "b": b},
    )
    inputs = {"x": drawn((2, 3, 4), dtype, seed), "z": drawn((3, 1), dtype, seed + 2)}
    chosen = network(
        helper.make_node("Where", ["c", "x", "z"], ["y"]),
        inputs,
        (TYPES[dtype], (2, 3, 4)),
        {"c": np.random.RandomState(seed).rand(3, 4) < 0.5},
    )
    check_levels(chosen, inputs)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_gather_by_an_input(shape: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    count = data.draw(st.sampled_from([(1,), (3,), (2, 2)]))
    index = np.random.RandomState(0).randint(0, shape[axis], count).astype("int64")
    x = drawn(shape, data.draw(st.sampled_from(["int8", "float32"])), 1)
    place = axis % len(shape)
    result = (*shape[:place], *count, *shape[place + 1 :])
    node = helper.make_node("Gather", ["x", "i"], ["y"], axis=axis)
    kind = TYPES[str(x.dtype)]
    check_levels(network(node, {"x": x, "i": index}, (kind, result)), {"x": x, "i": index})
    check_levels(network(node, {"i": index}, (kind, result), {"x": x}), {"i": index})


@pytest.mark.parametrize("index", [None, 0, 3])
def test_tensor_scatter(index: int | None) -> None:
    inputs = {"x": drawn((1, 5, 3), "int8", 0), "rows": drawn((1, 2, 3), "int8", 1)}
    names = ["x", "rows"] + ([] if index is None else ["i"])
    node = helper.make_node("TensorScatter", names, ["y"], axis=1)
    constants = {} if index is None else {"i": np.array([index])}
    check_levels(network(node, inputs, (TensorProto.INT8, (1, 5, 3)), constants), inputs)


def gathered(table: Array, index: tuple[int, ...], *casts: int) -> ModelProto:
    """Return the network that takes rows of a table of bytes by an input, its type and shape `index`, through Casts."""
    names = ["i", *(f"i{place}" for place in range(len(casts)))]
    nodes = [helper.make_node("Cast", [names[i]], [names[i + 1]], to=kind) for i, kind in enumerate(casts)]
    graph = helper.make_graph(
        [*nodes, helper.make_node("Gather", ["t", names[-1]], ["y"])],
        "net",
        [helper.make_tensor_value_info("i", index[0], index[1:])],
        [helper.make_tensor_value_info("y", TensorProto.INT8, (*index[1:], table.shape[1]))],
        [numpy_helper.from_array(table, "t")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def test_an_index_that_a_conversion_changes() -> None:
    """Of the rows 0 to 299 that an input can name, one of 8 bits keeps 128 only; others count from the end."""
    model = gathered(drawn((300, 4), "int8", 0), (TensorProto.INT64, 1), TensorProto.INT8, TensorProto.INT64)
    for index, row in ((7, 7), (127, 127), (128, 300 - 128), (255, 299), (299, 43)):
        found = run_module(lowered(model, "tensor"), {"i": np.array([index])})["y"]
        np.testing.assert_array_equal(found[0], drawn((300, 4), "int8", 0)[row])


def test_c_checks_indices() -> None:
    """An input that indexes is checked in networks without state too."""
    table, index = drawn((6, 4), "int8", 0), np.array([[1, 5]], "uint8")
    # uint8 indices are more than Gather allows, so that they come through a Cast.
    program = render(lowered(gathered(table, (TensorProto.UINT8, 1, 2), TensorProto.INT64), ""))
    for sanitize in (False, True):
        run = host_run(HostNetwork(program, sanitize=sanitize, flags=("-Wall", "-Wextra", "-Werror")))
        np.testing.assert_array_equal(run({"i": index})["y"], table[index])
        for wrong in (6, 200, 255):
            with pytest.raises(Diagnostic, match="out of its range"):
                run({"i": np.array([[1, wrong]], "uint8")})
        np.testing.assert_array_equal(run({"i": index})["y"], table[index])


@pytest.mark.parametrize(
    ("count", "places", "bounds"),
    [
        (1, np.arange(4), (-6, 2)),
        (1, np.array([2]), (-8, 3)),
        (4, np.array([-1]), (-5, 6)),
        (4, np.arange(4), ()),
        (1, np.arange(4).astype(np.int8), ()),
    ],
)
def test_what_is_added_to_an_index_counts(count: int, places: Any, bounds: tuple[int, ...]) -> None:
    """The places of several tokens are the position of the first and constants: the sum selects one of 6 rows."""
    table, kind = drawn((6, 4), "int8", 0), TYPES[str(places.dtype)]
    nodes = [
        helper.make_node("Add", ["places", "p"], ["at"]),
        helper.make_node("Cast", ["at"], ["i"], to=TensorProto.INT64),
        helper.make_node("Gather", ["t", "i"], ["y"]),
    ]
    declared = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "net",
        [declared("p", kind, (count,))],
        [declared("y", TensorProto.INT8, (max(count, len(places)), 4))],
        [numpy_helper.from_array(table, "t"), numpy_helper.from_array(places, "places")],
    )
    module = lowered(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), "tensor")
    ports = functions(module)[0].arg_attrs
    said: Mapping[str, Any] = {} if ports is None else ports.data[0].data
    assert (numbers_of(said[RANGE]) if RANGE in said else ()) == bounds
    for start in range(bounds[0], bounds[1] + 1) if bounds else (0,):
        given = np.full(count, start, places.dtype)
        np.testing.assert_array_equal(run_module(module, {"p": given})["y"], table[given + places])
    for wrong in (bounds[0] - 1, bounds[1] + 1) if bounds else ():
        with pytest.raises(Diagnostic, match="out of its range"):
            run_module(module, {"p": np.full(count, wrong, places.dtype)})


def test_what_may_leave_a_tensor_is_refused() -> None:
    inputs = {"x": drawn((1, 5, 3), "int8", 0), "rows": drawn((1, 2, 3), "int8", 1), "i": np.array([1])}
    # The sum of two inputs is in no range that is declared.
    total = helper.make_node("Add", ["i", "i"], ["at"])
    node = helper.make_node("TensorScatter", ["x", "rows", "at"], ["y"], axis=1)
    model = network(total, inputs, (TensorProto.INT8, (1, 5, 3)))
    model.graph.node.append(node)
    with pytest.raises(Diagnostic, match="TensorScatter at an index that may leave the tensor"):
        lowered(model, "tensor")
