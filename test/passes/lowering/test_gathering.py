"""Elements looked up and put at indices of the run, searches and cumulative sums: as ONNX's reference has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.test.passes.lowering.one_node import check, check_c, network

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3)
quick = settings(max_examples=12, deadline=None, derandomize=True)
seeds = st.integers(0, 1000)


def drawn(shape: Any, dtype: str = "int8", seed: int = 3) -> Any:
    random: Any = np.random.default_rng(seed)
    return random.integers(0 if dtype.startswith("u") else -9, 10, shape).astype(dtype)


def indices(shape: Any, extent: int, seed: int = 0) -> Any:
    random: Any = np.random.default_rng(seed)
    return random.integers(-extent, extent, shape)


@pytest.mark.long
@quick
@given(shapes, seeds, st.data())
def test_gather(shape: list[int], seed: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    count = data.draw(st.sampled_from([(), (1,), (5,), (2, 3)]))
    inputs = {"x": drawn(shape, "float32"), "i": indices(count, shape[axis], seed)}
    check(network("Gather", inputs, axis=axis), inputs)


@pytest.mark.long
@quick
@given(shapes, seeds, st.data())
def test_gather_elements(shape: list[int], seed: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    inputs = {"x": drawn(shape), "i": indices(shape, shape[axis], seed)}
    check(network("GatherElements", inputs, axis=axis), inputs)


@pytest.mark.parametrize(("batch", "depth"), [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1)])
def test_gather_nd(batch: int, depth: int) -> None:
    shape = (2, 3, 4)
    reach = min(shape[batch : batch + depth])
    inputs = {"x": drawn(shape), "i": indices((*shape[:batch], 5, depth), reach)}
    check(network("GatherND", inputs, batch_dims=batch), inputs)


def test_an_index_outside_means_the_nearest_element() -> None:
    """What is an error in ONNX reads nothing but the tensor, in C too."""
    inputs = {"x": drawn((4,), "float32"), "i": np.array([-(1 << 62), -5, 4, (1 << 62)])}
    model = network("GatherElements", inputs)
    expected = [inputs["x"][[0, 0, 3, 3]]]
    check(model, inputs, expected)
    check_c(model, inputs, expected)


@pytest.mark.long
@quick
@given(shapes, seeds, st.sampled_from(["none", "add", "mul", "max", "min"]), st.data())
def test_scatter_elements(shape: list[int], seed: int, reduction: str, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    dtype = data.draw(st.sampled_from(["float32", "int32", "uint8"]))
    places = indices(shape, shape[axis], seed)
    if reduction == "none":
        places = np.argsort(np.random.default_rng(seed).random(shape), axis=axis)
    inputs = {"x": drawn(shape, dtype), "i": places, "u": drawn(shape, dtype, seed)}
    check(network("ScatterElements", inputs, axis=axis, reduction=reduction), inputs)


def test_of_updates_of_one_element_the_last_counts() -> None:
    inputs = {"x": drawn((3,)), "i": np.array([1, 1, -2]), "u": np.array([5, 6, 7], np.int8)}
    model = network("ScatterElements", inputs)
    expected = np.array(inputs["x"])
    expected[1] = 7
    check(model, inputs, [expected])
    check_c(model, inputs, [expected])


@pytest.mark.parametrize("reduction", ["none", "add", "max"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_scatter_nd(reduction: str, depth: int) -> None:
    shape = (3, 2, 4)
    places = np.array([[2, 1, 3][:depth], [0, 1, 2][:depth]])
    inputs = {"x": drawn(shape, "float32"), "i": places, "u": drawn((2, *shape[depth:]), "float32", 9)}
    model = network("ScatterND", inputs, reduction=reduction)
    check(model, inputs)


def test_scatter_in_c() -> None:
    """The operand is needed after the update, so that it must not be changed."""
    from onnx import helper

    inputs = {"x": drawn((3, 4), "float32"), "i": np.array([[0], [2]]), "u": drawn((2, 4), "float32", 5)}
    model = network("ScatterND", inputs)
    model.graph.node.append(helper.make_node("Add", ["x", "y0"], ["y1"]))
    model.graph.output.append(helper.make_empty_tensor_value_info("y1"))
    check(model, inputs, phases=("tensor", "buffers", "loops"))
    check_c(model, inputs)


@pytest.mark.long
@quick
@given(shapes, st.data())
def test_top_k(shape: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    k = data.draw(st.integers(1, shape[axis]))
    x = drawn(shape, data.draw(st.sampled_from(["float32", "int64", "uint8"])))
    constants = {"k": np.array([k])}
    largest = data.draw(st.integers(0, 1))
    check(network("TopK", {"x": x}, constants, outputs=2, axis=axis, largest=largest), {"x": x})


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_top_k_of_unordered_numbers_takes_elements_that_there_are(value: float) -> None:
    x = np.array([1, value, 3, value], np.float32)
    model = network("TopK", {"x": x}, {"k": np.array([4])}, outputs=2)
    if np.isnan(value):
        check_c(model, {"x": x}, [])
    else:
        check_c(model, {"x": x})


@pytest.mark.long
@quick
@given(shapes, st.integers(0, 1), st.integers(0, 1), st.data())
def test_best_places(shape: list[int], keepdims: int, last: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = drawn(shape, data.draw(st.sampled_from(["float32", "int8", "uint8"])))
    name = data.draw(st.sampled_from(["ArgMax", "ArgMin"]))
    check(network(name, {"x": x}, axis=axis, keepdims=keepdims, select_last_index=last), {"x": x})


@quick
@given(shapes, st.integers(0, 1), st.integers(0, 1), st.data())
def test_cumulative_sums(shape: list[int], exclusive: int, reverse: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = drawn(shape, data.draw(st.sampled_from(["float32", "int32"])))
    model = network("CumSum", {"x": x}, {"axis": np.array(axis)}, exclusive=exclusive, reverse=reverse)
    check(model, {"x": x})


def test_cumulative_sums_in_c() -> None:
    x = drawn((3, 5, 2), "int32")
    check_c(network("CumSum", {"x": x}, {"axis": np.array(1)}), {"x": x})


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_one_hot(axis: int, dtype: str) -> None:
    inputs = {"i": np.array([[0, 2], [-1, 1]], dtype), "values": np.array([2.0, 5.0], np.float32)}
    check(network("OneHot", inputs, {"depth": np.array(3)}, names=["i", "depth", "values"], axis=axis), inputs)


def test_sequences_are_reversed_as_far_as_they_go() -> None:
    inputs = {"x": drawn((4, 3, 2), "float32"), "lengths": np.array([1, 4, 2])}
    check(network("ReverseSequence", inputs, time_axis=0, batch_axis=1), inputs)


def test_gather_nd_of_one_element_is_a_scalar() -> None:
    model = network("GatherND", {"x": np.arange(3, dtype=np.float32), "i": np.array([2], np.int64)})
    check(model, {"x": np.arange(3, dtype=np.float32), "i": np.array([2], np.int64)})
