"""Stages of attention in the forms that exporters write, found by `find-branches`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tilewright.frontend.zoo._float_builder import Value
from tilewright.frontend.zoo._sequence_builder import SequenceBuilder
from tilewright.targets.pim.passes.find_branches import REFUSED
from tilewright.targets.pim.schedule.records import BlockStage
from tilewright.test.targets.pim.annotations import annotated, found

CHANNELS, HEADS = 8, 2
PLAIN = BlockStage("1", CHANNELS, HEADS, 1, 1, 6, 6, 6, expansion=0)


def attended(b: SequenceBuilder, query: Value, key: Value, value: Value) -> Value:
    """Return attention over the last two axes."""
    axes = [*range(len(key.shape) - 2), len(key.shape) - 1, len(key.shape) - 2]
    return b.matmul(b.softmax(b.matmul(query, b.transposed(key, *axes))), value)


def one_product_a_projection(b: SequenceBuilder, x: Value) -> Value:
    query, key, value = (b.heads(b.linear(x, CHANNELS), HEADS) for _ in range(3))
    return b.without_heads(attended(b, query, key, value))


def heads_and_samples_in_one_axis(b: SequenceBuilder, x: Value) -> Value:
    shape = HEADS * x.shape[0], x.shape[1], CHANNELS // HEADS
    query, key, value = (b.reshaped(b.heads(b.linear(x, CHANNELS), HEADS), *shape) for _ in range(3))
    return b.without_heads(b.reshaped(attended(b, query, key, value), x.shape[0], HEADS, *shape[1:]))


def each_head_by_itself(b: SequenceBuilder, x: Value) -> Value:
    width = CHANNELS // HEADS
    return b.joined([attended(b, *(b.linear(x, width) for _ in range(3))) for _ in range(HEADS)], 2)


def keys_before_queries(b: SequenceBuilder, x: Value) -> Value:
    query, key, value = (b.heads(b.linear(x, CHANNELS), HEADS) for _ in range(3))
    scores = b.matmul(key, b.transposed(query, 0, 1, 3, 2))
    return b.without_heads(b.matmul(b.softmax(b.transposed(scores, 0, 1, 3, 2)), value))


def one_head_of_keys(b: SequenceBuilder, x: Value) -> Value:
    query = b.heads(b.linear(x, CHANNELS), HEADS)
    key, value = (b.joined([b.heads(b.linear(x, CHANNELS // HEADS), 1)] * HEADS, 1) for _ in range(2))
    return b.without_heads(attended(b, query, key, value))


FORMS = (
    one_product_a_projection,
    heads_and_samples_in_one_axis,
    each_head_by_itself,
    keys_before_queries,
    one_head_of_keys,
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("branches", [1, 3])
def test_forms(form: Callable[[SequenceBuilder, Value], Value], branches: int):
    b = SequenceBuilder("a.form", "", 0)
    x = b.reshaped(b.input([branches * 6, CHANNELS]), branches, 6, CHANNELS)
    y = b.sum(x, b.linear(form(b, b.layer_norm(x)), CHANNELS))
    assert found(b.model({"output": y})) == [replace(PLAIN, branches=branches)]


def padded(b: SequenceBuilder, x: Value) -> Value:
    """Return an image of 10 x 10 in four windows of 7 x 7; its padding is a sum that `with_padding` replaces."""
    channels = x.shape[-1]
    image = replace(b.sum(x, x), shape=(1, 14, 14, channels))
    split = b.transposed(b.reshaped(image, 2, 7, 2, 7, channels), 0, 2, 1, 3, 4)
    return b.reshaped(split, 4, 49, channels)


def with_padding(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model whose sums of equal operands are padding by 4 rows and columns."""
    amounts = np.array([0, 0, 0, 0, 0, 4, 4, 0], np.int64)
    model.graph.initializer.append(numpy_helper.from_array(amounts, "amounts"))
    for node in model.graph.node:
        if node.op_type == "Add" and node.input[0] == node.input[1]:
            node.CopyFrom(helper.make_node("Pad", [node.input[0], "amounts"], list(node.output)))
    del model.graph.value_info[:]
    return model


def test_padding_before_the_projections():
    b = SequenceBuilder("a.padded", "", 0)
    windows = padded(b, b.layer_norm(b.input([10, 10, CHANNELS])))
    model = with_padding(b.model({"output": b.linear(one_product_a_projection(b, windows), CHANNELS)}))
    assert found(model) == [replace(PLAIN, branches=4, queries=49, keys=49, own_keys=49)]


def test_padding_after_the_projections():
    """Rows of padding are queries and keys, and are not projected: 100 rows of four branches are."""
    b = SequenceBuilder("a.padded", "", 0)
    x = b.layer_norm(b.input([10, 10, CHANNELS]))
    query, key, value = (b.heads(padded(b, b.linear(x, CHANNELS)), HEADS) for _ in range(3))
    mixed = b.without_heads(attended(b, query, key, value))
    model = with_padding(b.model({"output": b.linear(mixed, CHANNELS)}))
    assert found(model) == [replace(PLAIN, branches=4, queries=49, keys=49, own_keys=25)]


def overlapping_windows(b: SequenceBuilder, x: Value) -> Value:
    """Return attention in windows of two rows, each with a row of the next."""
    windows = b.joined([b.sliced(x, row, row + 2, 1) for row in range(5)], 0)
    mixed = one_product_a_projection(b, windows)
    firsts = b.reshaped(b.sliced(mixed, 0, 1, 1), 1, 5, CHANNELS)
    return b.joined([firsts, b.sliced(b.sliced(mixed, 4, 5, 0), 1, 2, 1)], 1)


def keys_in_an_order_of_data(b: SequenceBuilder, x: Value) -> Value:
    """Return attention whose shares a gather by an input puts in another order."""
    query, key, value = (b.heads(b.linear(x, CHANNELS), HEADS) for _ in range(3))
    shares = b.softmax(b.matmul(query, b.transposed(key, 0, 1, 3, 2)))
    turned = b.chosen(b.transposed(shares, 3, 0, 1, 2), b.integers("order", [6], 5))
    return b.without_heads(b.matmul(b.transposed(turned, 1, 2, 3, 0), value))


def heads_of_more_channels(b: SequenceBuilder, x: Value) -> Value:
    query, key, value = (b.heads(b.linear(x, 2 * CHANNELS), HEADS) for _ in range(3))
    return b.without_heads(attended(b, query, key, value))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("form", "message"),
    [
        (overlapping_windows, "queries of two branches overlap"),
        (keys_in_an_order_of_data, "a kernel between two products of activations has no affine dependences"),
        (heads_of_more_channels, "the heads of a block do not have as many channels as its input"),
    ],
)
def test_a_refused_block_leaves_the_stages_of_others(form: Callable[[SequenceBuilder, Value], Value], message: str):
    b = SequenceBuilder("a.form", "", 0)
    x = b.input([6, CHANNELS])
    for each in (one_product_a_projection, form, one_product_a_projection):
        x = b.sum(x, b.linear(each(b, b.layer_norm(x)), CHANNELS))
        x = b.sum(x, b.mlp(b.layer_norm(x), 2 * CHANNELS))
    model = b.model({"output": x})
    (reason,) = annotated(model)[REFUSED]
    assert reason.data["reason"].data == message
    assert "MatMul" in reason.data["at"].data
    assert found(model) == [replace(PLAIN, blocks=2, expansion=2)]
