"""Operators without a function body in ONNX: Fourier transforms, optimisers, random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.lowering.one_node import lowered, network, reference

RANDOM = np.random.default_rng(3)


def run(op: str, inputs: dict[str, Array], constants: dict[str, Array] = {}, **more: Any) -> dict[str, Array]:
    """Return what a network of one node gives at the tensor level."""
    return run_module(lowered(network(op, inputs, constants, **more), "tensor"), inputs)


@pytest.mark.parametrize("length", [5, 6, 8, 12])
@pytest.mark.parametrize("axis", [0, 1])
def test_transforms_are_those_of_numpy(length: int, axis: int):
    x = RANDOM.standard_normal((8, 6, 2)).astype(np.float32)
    sizes = {"n": np.array(length), "axis": np.array(axis)}
    complex_ = x[..., 0] + 1j * x[..., 1]
    for inverse, function in ((0, np.fft.fft), (1, np.fft.ifft)):
        y = run("DFT", {"x": x}, sizes, inverse=inverse)["y0"]
        np.testing.assert_allclose(y[..., 0] + 1j * y[..., 1], function(complex_, length, axis), 1e-5, 1e-5)
    half = run("DFT", {"x": x[..., :1]}, sizes, onesided=1)["y0"]
    np.testing.assert_allclose(half[..., 0] + 1j * half[..., 1], np.fft.rfft(x[..., 0], length, axis), 1e-5, 1e-5)
    real = run("DFT", {"x": x}, sizes, inverse=1, onesided=1)["y0"]
    np.testing.assert_allclose(real[..., 0], np.fft.irfft(complex_, length, axis), 1e-5, 1e-5)


@pytest.mark.parametrize("shape", [(2, 24), (2, 24, 1)])
def test_a_signal_is_transformed_in_frames_with_or_without_an_axis_of_its_parts(shape: tuple[int, ...]):
    x, window = RANDOM.standard_normal(shape).astype(np.float32), np.hanning(8).astype(np.float32)
    y = run("STFT", {"x": x}, {"step": np.array(4), "window": window})["y0"]
    frames = np.stack([x.reshape(2, 24)[:, start : start + 8] * window for start in range(0, 17, 4)], 1)
    np.testing.assert_allclose(y[..., 0] + 1j * y[..., 1], np.fft.rfft(frames), 1e-5, 1e-5)


def test_a_transform_whose_length_is_not_known_is_refused():
    with pytest.raises(Diagnostic, match="DFT by lengths or axes that are no constant numbers"):
        import_model(network("DFT", {"x": np.zeros((1, 4, 1), np.float32), "n": np.array(4)}))


def _draw(op: str, inputs: dict[str, Array] = {}, **attributes: Any) -> Array:
    return run(op, inputs, **attributes)["y0"]


def test_random_numbers_are_distributed_as_they_should_be():
    uniform = _draw("RandomUniform", shape=[100, 100], low=-1.0, high=3.0, seed=7.0)
    assert uniform.dtype == np.float32
    assert uniform.min() >= -1
    assert uniform.max() < 3
    assert abs(uniform.mean() - 1) < 0.03
    normal = _draw("RandomNormal", shape=[100, 100], mean=2.0, scale=3.0, dtype=TensorProto.DOUBLE, seed=7.0)
    assert normal.dtype == np.float64
    assert abs(normal.mean() - 2) < 0.1
    assert abs(normal.std() - 3) < 0.1


def test_random_numbers_are_those_of_their_seed():
    first, same, other = (_draw("RandomUniform", shape=[8], seed=seed) for seed in (1.0, 1.0, 2.0))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_nodes_without_a_seed_draw_different_numbers():
    nodes = [helper.make_node("RandomNormal", [], [name], shape=[8]) for name in "ab"]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8]) for name in "ab"]
    model = helper.make_model(helper.make_graph(nodes, "net", [], outputs), opset_imports=[helper.make_opsetid("", 22)])
    found = run_module(lowered(model, "tensor"), {})
    assert not np.array_equal(found["a"], found["b"])


def test_draws_of_classes_have_their_probabilities():
    scores = np.log(np.array([[0.1, 0.6, 0.3], [0.5, 0.25, 0.25]], np.float32))
    drawn = _draw("Multinomial", {"x": scores}, sample_size=4000, seed=3.0)
    assert drawn.dtype == np.int32
    for row, probabilities in zip(drawn, np.exp(scores), strict=True):
        np.testing.assert_allclose(np.bincount(row, minlength=3) / 4000, probabilities, atol=0.03)
    hits = _draw("Bernoulli", {"x": np.full((4000,), 0.3, np.float32)}, seed=1.0)
    assert set(hits) == {0, 1}
    assert abs(hits.mean() - 0.3) < 0.03


@pytest.mark.parametrize("training", [True, False])
def test_dropout_in_training_keeps_the_mean(training: bool):
    x = np.ones(4000, np.float32)
    operands = {"x": x, "ratio": np.array(0.25, np.float32), "training": np.array(training)}
    found = run("Dropout", operands, outputs=2, seed=5)
    np.testing.assert_array_equal(found["y0"], np.where(found["y1"], np.float32(4 / 3 if training else 1), 0))
    assert abs(found["y1"].mean() - (0.75 if training else 1)) < 0.03


def test_a_deformable_convolution_without_offsets_is_a_convolution():
    x, w = (
        RANDOM.standard_normal((2, 4, 6, 7)).astype(np.float32),
        RANDOM.standard_normal((6, 2, 3, 2)).astype(np.float32),
    )
    shape: dict[str, Any] = {"strides": [2, 1], "dilations": [1, 2], "pads": [1, 0, 1, 1], "group": 2}
    plain = run("Conv", {"x": x, "w": w}, **shape)["y0"]
    for fill in (0.0, 0.5):
        offsets = np.full((2, 2 * 3 * 2 * 2, *plain.shape[2:]), fill, np.float32)
        names = {"x": x, "w": w, "offset": offsets}
        found = run("DeformConv", names, opset=22, offset_group=2, **shape)["y0"]
        (wanted,) = reference(network("DeformConv", names, opset=22, offset_group=2, **shape), names)
        np.testing.assert_allclose(found, wanted if fill else plain, 1e-4, 1e-5)


@pytest.mark.parametrize(
    ("shapes", "groups", "said"),
    [
        (((2, 4, 6), (6, 2, 3), (2, 6, 4)), (2, 1), "the rank of input 0"),
        (((2, 4, 6, 7), (6, 2, 3, 2), (2, 24, 4, 6)), (0, 1), "of 0 and 1 groups"),
        (((2, 4, 6, 7), (6, 2, 3, 2), (2, 24, 4, 6)), (2, 3), "of 2 and 3 groups"),
    ],
)
def test_wrong_shapes_of_a_deformable_convolution(
    shapes: Sequence[tuple[int, ...]], groups: tuple[int, int], said: str
):
    operands = {name: np.zeros(shape, np.float32) for name, shape in zip("xwo", shapes, strict=True)}
    with pytest.raises(Diagnostic, match=said):
        run("DeformConv", operands, opset=22, group=groups[0], offset_group=groups[1])


@pytest.mark.parametrize("circular", [False, True])
def test_rows_are_written_at_an_index_of_each_batch(circular: bool):
    whole, rows = np.zeros((3, 5, 2), np.float32), RANDOM.standard_normal((3, 2, 2)).astype(np.float32)
    index = np.array([0, 3, 4 if circular else 2])
    found = run(
        "TensorScatter",
        {"whole": whole, "rows": rows, "index": index},
        opset=24,
        axis=1,
        mode="circular" if circular else "linear",
    )["y0"]
    for batch, start in enumerate(index):
        whole[batch, (start + np.arange(2)) % 5] = rows[batch]
    np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize("op", ["Div", "Mod", "Max", "Min", "Less", "GreaterOrEqual", "Add", "Mul"])
def test_unsigned_integers_of_64_bits(op: str):
    a, b = (np.array(row, np.uint64) for row in ([1 << 63, (1 << 64) - 1, 7, 5], [3, 1 << 62, (1 << 64) - 2, 5]))
    (wanted,) = reference(network(op, {"a": a, "b": b}), {"a": a, "b": b})
    np.testing.assert_array_equal(run(op, {"a": a, "b": b})["y0"].view(wanted.dtype), wanted)
