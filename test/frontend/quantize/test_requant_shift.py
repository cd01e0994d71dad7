"""RequantShift form: what ONNX Runtime gives for the file, one step from the QDQ form at most, within 32 bits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.quantize.integer_sums import Bytes, Sums
from tilewright.frontend.quantize.requant_shift import multipliers, shift_of
from tilewright.frontend.quantize.shift_form import shift_form
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.small_models import save

TYPES = {np.dtype(np.int8): TensorProto.INT8, np.dtype(np.uint8): TensorProto.UINT8}


class Layer:
    """A layer in QDQ form whose operands and result are bytes, drawn from a seed."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, Array] = {}
        self.inputs: dict[str, Array] = {}

    def bytes_type(self) -> np.dtype[Any]:
        return np.dtype(self.random.choice(["int8", "uint8"]))

    def operand(self, shape: Sequence[int], scale: float) -> str:
        """Add an input of bytes; returns the tensor that it is dequantised to."""
        name, dtype = f"x{len(self.inputs)}", self.bytes_type()
        limits = np.iinfo(dtype)
        self.inputs[name] = self.random.integers(limits.min, limits.max + 1, shape).astype(dtype)
        zero = np.array(self.random.integers(limits.min, limits.max + 1), dtype)
        return self.dequantised(name, np.array(scale, np.float32), zero)

    def dequantised(self, name: str, scale: Array, zero: Array, **attributes: Any) -> str:
        self.constants |= {f"{name}.scale": scale, f"{name}.zero": zero}
        names = [name, f"{name}.scale", f"{name}.zero"]
        self.nodes.append(helper.make_node("DequantizeLinear", names, [f"{name}.real"], **attributes))
        return f"{name}.real"

    def weights(self, shape: Sequence[int], axis: int, x_scale: float) -> tuple[str, str]:
        """Add weights and a bias, with a scale per channel or one; returns what they are dequantised to."""
        dtype, count = self.bytes_type(), shape[axis]
        channels = () if self.random.random() < 0.3 else (count,)
        scale = self.random.uniform(0.001, 0.02, channels).astype(np.float32)
        is_signed = dtype == np.int8
        self.constants["w"] = self.random.integers(-128 if is_signed else 0, 128 if is_signed else 256, shape).astype(
            dtype
        )
        zero = np.zeros(channels, dtype) if is_signed else np.full(channels, 131, dtype)
        weights = self.dequantised("w", scale, zero, axis=axis)
        self.constants["b"] = self.random.integers(-(1 << 14), 1 << 14, count).astype(np.int32)
        steps = np.broadcast_to(scale * np.float32(x_scale), (count,)).copy()
        return weights, self.dequantised("b", steps, np.zeros(count, np.int32), axis=0)

    def finish(self, operator: str, operands: Sequence[str], **attributes: Any) -> ModelProto:
        """Return the model, whose result has the range of what it computes."""
        self.nodes.append(helper.make_node(operator, operands, ["sum"], name="layer", **attributes))
        real = "sum"
        limit = self.random.random() if operator not in ("MaxPool", "Transpose") else 1.0
        if limit < 0.3:
            self.nodes.append(helper.make_node("Relu", [real], ["positive"]))
            real = "positive"
        elif limit < 0.5:
            self.constants |= {"least": np.array(-0.5, np.float32), "most": np.array(0.75, np.float32)}
            self.nodes.append(helper.make_node("Clip", [real, "least", "most"], ["clipped"]))
            real = "clipped"
        values = onnx_runtime.session(self.model([real], 1), fused=False).run(None, self.inputs)[0]
        dtype = self.bytes_type()
        scale = np.array(max(float(np.ptp(values)), 1e-3) / self.random.uniform(180, 300), np.float32)
        zero = np.array(np.clip(round(np.iinfo(dtype).min - float(values.min()) / float(scale)), 0, 100), dtype)
        if operator in ("MaxPool", "Transpose"):
            scale, zero = self.constants["x0.scale"], self.constants["x0.zero"]
            dtype = zero.dtype
        self.constants |= {"y.scale": scale, "y.zero": zero}
        self.nodes.append(helper.make_node("QuantizeLinear", [real, "y.scale", "y.zero"], ["y"]))
        return self.model(["y"], TYPES[dtype])

    def model(self, outputs: Sequence[str], element: int) -> ModelProto:
        ports = [helper.make_tensor_value_info(name, TYPES[x.dtype], x.shape) for name, x in self.inputs.items()]
        results = [helper.make_tensor_value_info(name, element, None) for name in outputs]
        constants = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(self.nodes, "layer", ports, results, constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def convolution(layer: Layer) -> ModelProto:
    random = layer.random
    groups, of_group, features = (int(random.integers(1, 4)) for _ in range(3))
    kernel = [int(size) for size in random.integers(1, 4, 2)]
    x = layer.operand((1, groups * of_group, 7, 6), 0.05)
    weights, bias = layer.weights((groups * features, of_group, *kernel), 0, 0.05)
    pads = [int(pad) for pad in random.integers(0, 2, 4)]
    strides = [int(stride) for stride in random.integers(1, 3, 2)]
    operands = [x, weights, bias][: int(random.integers(2, 4))]
    return layer.finish("Conv", operands, group=groups, pads=pads, strides=strides)


def matrix(layer: Layer) -> ModelProto:
    random = layer.random
    rows, depth, columns = (int(random.integers(1, 9)) for _ in range(3))
    batch = () if random.random() < 0.5 else (2,)
    weights, _ = layer.weights((depth, columns), 1, 0.05)
    return layer.finish("MatMul", [layer.operand((*batch, rows, depth), 0.05), weights])


def gemm(layer: Layer) -> ModelProto:
    random = layer.random
    rows, depth, columns = (int(random.integers(1, 9)) for _ in range(3))
    is_turned = bool(random.integers(2))
    weights, bias = layer.weights((columns, depth) if is_turned else (depth, columns), 0 if is_turned else 1, 0.05)
    return layer.finish("Gemm", [layer.operand((rows, depth), 0.05), weights, bias], transB=int(is_turned))


def attention(layer: Layer) -> ModelProto:
    operands = [layer.operand((1, 2, 5, 6), 0.04), layer.operand((1, 2, 6, 4), 0.07)]
    return layer.finish("MatMul", operands)


def elementwise(layer: Layer) -> ModelProto:
    scales = layer.random.uniform(0.01, 0.1, 2)
    operands = [
        layer.operand((2, 3, 4), scales[0]),
        layer.operand((3, 1) if layer.random.random() < 0.3 else (2, 3, 4), scales[1]),
    ]
    return layer.finish(str(layer.random.choice(["Add", "Sub", "Mul"])), operands)


def mean(layer: Layer) -> ModelProto:
    x = layer.operand((2, 3, 5, 4), 0.03)
    if layer.random.random() < 0.5:
        return layer.finish("GlobalAveragePool", [x])
    axes = [[1], [2, 3], [-1]][int(layer.random.integers(3))]
    layer.constants["axes"] = np.array(axes, np.int64)
    return layer.finish("ReduceMean", [x, "axes"], keepdims=int(layer.random.integers(2)))


def moved(layer: Layer) -> ModelProto:
    x = layer.operand((1, 2, 6, 6), 0.03)
    if layer.random.random() < 0.5:
        return layer.finish("Identity", [x])
    if layer.random.random() < 0.5:
        return layer.finish("Transpose", [x], perm=[0, 2, 3, 1])
    return layer.finish("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])


KINDS = (convolution, matrix, gemm, attention, elementwise, mean, moved)


@settings(max_examples=60)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 1 << 20))
def test_a_layer_is_a_step_from_its_qdq_form(kind: Any, seed: int) -> None:
    layer = Layer(seed)
    model = kind(layer)
    form = shift_form(model, None)
    assert (len(form.replaced), len(form.left)) == (1, 0)
    assert not {"Conv", "MatMul", "Gemm", "QuantizeLinear"} & {node.op_type for node in form.model.graph.node}
    (expected,) = onnx_runtime.session(model, fused=False).run(None, layer.inputs)
    (found,) = run_module(import_model(form.model), layer.inputs).values()
    assert np.array_equal(onnx_runtime.session(form.model, fused=False).run(None, layer.inputs)[0], found)
    apart = np.abs(found.astype(int) - expected.astype(int))
    assert apart.max(initial=0) <= 1
    assert (apart > 0).mean() < 0.2


@pytest.fixture
def quantised(tmp_path: Path) -> Path:
    """Return the file of a convolution in QDQ form."""
    path = tmp_path / "qdq.onnx"
    save(convolution(Layer(3)), path)
    return path


def test_the_command_converts_a_quantised_model(
    quantised: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "shift.onnx"
    assert cli.main(["quantize", str(quantised), "--form", "requant-shift", "-o", str(target)]) == 0
    assert "1 in integers and shifts, 0 left" in capsys.readouterr().out
    layer = Layer(3)
    convolution(layer)
    network = HostNetwork(compile_model(Model(target), "host").program())
    (expected,) = run_module(Model(target).load(), layer.inputs).values()
    assert np.array_equal(network.run(list(layer.inputs.values()))[0], expected)


def test_a_network_of_floats_needs_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "float.onnx"
    save(relu_network(), path)
    assert cli.main(["quantize", str(path), "--form", "requant-shift", "-o", str(tmp_path / "y.onnx")]) == 1
    assert "--calibration FILE.npz" in capsys.readouterr().err
    assert not (tmp_path / "y.onnx").exists()


def relu_network() -> ModelProto:
    port = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4]), helper.make_tensor_value_info("y", 1, [1, 4])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "floats", [port[0]], [port[1]])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def test_other_options_are_for_networks_of_floats(quantised: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["quantize", str(quantised), "--form", "requant-shift", "--search", "-o", "y.onnx"]
    assert cli.main(words) == 2
    assert "--search is for a network of floats" in capsys.readouterr().err


def test_a_multiplier_without_bits_enough_is_left() -> None:
    """Of sums of 2^24 a multiplier has 7 bits: results would be off by more than a step."""
    layer = Layer(0)
    layer.inputs["x"] = np.zeros((1, 8192), np.uint8)
    x = layer.dequantised("x", np.array(0.01, np.float32), np.array(0, np.uint8))
    layer.constants["w"] = np.full((8192, 4), 100, np.int8)
    w = layer.dequantised("w", np.array(0.01, np.float32), np.array(0, np.int8))
    layer.constants |= {"y.scale": np.array(0.1, np.float32), "y.zero": np.array(0, np.uint8)}
    layer.nodes.append(helper.make_node("MatMul", [x, w], ["sum"]))
    layer.nodes.append(helper.make_node("QuantizeLinear", ["sum", "y.scale", "y.zero"], ["y"]))
    with pytest.raises(Diagnostic, match="no layer of the model can be converted") as refused:
        shift_form(layer.model(["y"], TensorProto.UINT8), None)
    assert "needs more than 32 bits: sums up to 208,896,000 times 0.001" in str(refused.value)


@settings(max_examples=60)
@given(
    slopes=st.lists(st.floats(1e-6, 4.0), min_size=1, max_size=5),
    reach=st.integers(1, 1 << 24),
    zero=st.integers(-128, 127),
)
def test_nothing_leaves_32_bits(slopes: list[float], reach: int, zero: int) -> None:
    ends, offset = np.array([reach] * len(slopes), object), np.array([reach // 3] * len(slopes), object)
    sums = Sums("sums", np.array(slopes), -ends, ends, offset)
    result = Bytes("y", 1.0, zero, "zero", np.dtype(np.int8))
    shift = shift_of(sums, result)
    if shift is None:
        return
    mul, add = multipliers(sums, result, shift)
    for end in (-reach, 0, reach):
        values = (end * mul + add + (1 << (shift - 1))) >> shift
        assert all(abs(end * m + a + (1 << (shift - 1))) < 1 << 31 for m, a in zip(mul, add, strict=True))
        exact = np.clip((end + reach // 3) * np.array(slopes) + zero, -128, 127)
        assert np.abs(np.clip(values.astype(float), -128, 127) - exact).max() <= 1


@pytest.fixture
def floats(tmp_path: Path) -> list[str]:
    """The command that quantises a network of one convolution, in floats, but for form and output."""
    random = np.random.default_rng(0)
    weights = numpy_helper.from_array(random.standard_normal((16, 8, 3, 3)).astype(np.float32), "w")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in _PORTS.items())
    node = helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])
    graph = helper.make_graph([node], "floats", [x], [y], [weights])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), tmp_path / "net.onnx")
    np.savez(tmp_path / "data.npz", x=random.standard_normal((4, *_PORTS["x"][1:])).astype(np.float32))
    return ["quantize", str(tmp_path / "net.onnx"), "--calibration", str(tmp_path / "data.npz")]


_PORTS = {"x": [1, 8, 12, 12], "y": [1, 16, 12, 12]}


def test_the_fastest_form_on_a_target(floats: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "y.onnx"
    assert cli.main([*floats, "--form", "auto", "--target", "siracusa", "-o", str(output)]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("cycles")]
    cycles = {form: int(count.replace(",", "")) for form, count in re.findall(r"([a-z-]+) ([\d,]+\d)", line)}
    assert set(cycles) == {"qdq", "qlinear", "requant-shift"}
    assert line.endswith(f"this is {min(cycles, key=lambda form: cycles[form])}")
    (last,) = re.findall(r"this is ([a-z-]+)$", line)
    operators = {node.op_type for node in onnx.load(output).graph.node}  # pyright: ignore[reportUnknownMemberType]
    assert ("RequantShift" in operators) == (last == "requant-shift")


@pytest.mark.parametrize(("words", "message"), [
    (["--form", "auto"], "give --target"),
    (["--form", "auto", "--target", "nowhere"], "nowhere"),
])  # fmt: skip
def test_a_form_needs_a_target(
    floats: list[str], words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "y.onnx"
    assert cli.main([*floats, *words, "-o", str(output)]) != 0
    assert message in capsys.readouterr().err
    assert not output.exists()
