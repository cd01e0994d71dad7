"""Networks of floats for tests of the quantiser, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.error import TensorError, measure
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, Result, quantize
from tilewright.ir import Array
from tilewright.test import onnx_runtime

RNG = np.random.default_rng


def model_of(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, Sequence[int]],
    outputs: Sequence[str],
    constants: Mapping[str, Array],
    opset: int = 17,
) -> ModelProto:
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def floats(*shape: int, seed: int = 0) -> Array:
    return RNG(seed).standard_normal(shape).astype(np.float32)


def residual() -> ModelProto:
    """A convolution with batch normalisation, a depthwise one, a residual sum, a pool, a concatenation and a Gemm."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w0"], ["c0"], "conv0", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c0", "g", "b", "m", "v"], ["n0"], "norm"),
        node("Relu", ["n0"], ["r0"], "relu0"),
        node("Conv", ["r0", "w1", "b1"], ["c1"], "conv1", pads=[1, 1, 1, 1], group=8),
        node("Clip", ["c1", "zero", "six"], ["r1"], "clip"),
        node("Add", ["r0", "r1"], ["s"], "sum"),
        node("MaxPool", ["s"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Concat", ["p", "p"], ["k"], "concat", axis=1),
        node("GlobalAveragePool", ["k"], ["a"], "mean"),
        node("Flatten", ["a"], ["f"], "flat"),
        node("Gemm", ["f", "w2", "b2"], ["y"], "gemm", transB=1),
    ]
    constants = {
        "w0": floats(8, 3, 3, 3), "g": 1 + np.abs(floats(8)), "b": floats(8), "m": floats(8),
        "v": 1 + np.abs(floats(8)),
        "w1": floats(8, 1, 3, 3), "b1": floats(8), "zero": np.float32(0), "six": np.float32(6),
        "w2": floats(5, 16), "b2": floats(5),
    }  # fmt: skip
    return model_of(nodes, {"x": (1, 3, 8, 8)}, ["y"], {name: np.asarray(array) for name, array in constants.items()})


def attention() -> ModelProto:
    """A product with a bias, products of two tensors, softmax, a layer norm and a GELU made of primitives."""
    node = helper.make_node
    nodes = [
        node("MatMul", ["x", "w0"], ["h"], "proj"),
        node("Add", ["h", "b0"], ["q"], "bias"),
        node("Transpose", ["q"], ["t"], "turn", perm=[0, 2, 1]),
        node("MatMul", ["q", "t"], ["a"], "scores"),
        node("Mul", ["a", "eighth"], ["d"], "scaled"),
        node("Softmax", ["d"], ["e"], "softmax"),
        node("MatMul", ["e", "q"], ["z"], "mix"),
        node("Add", ["z", "x"], ["s"], "sum"),
        node("LayerNormalization", ["s", "g", "b0"], ["n"], "norm"),
        node("Sigmoid", ["n"], ["o"], "gate"),
        node("Mul", ["n", "o"], ["u"], "swish"),
        node("MatMul", ["u", "w1"], ["y"], "last"),
    ]
    constants = {
        "w0": floats(16, 16),
        "b0": floats(16),
        "eighth": np.float32(0.125),
        "g": floats(16),
        "w1": floats(16, 4),
    }
    arrays = {name: np.asarray(array) for name, array in constants.items()}
    return model_of(nodes, {"x": (1, 6, 16)}, ["y"], arrays)


def chain() -> ModelProto:
    """Two convolutions with a Relu between them; channels of the first have very different ranges."""
    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["c"], "first"),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("Conv", ["r", "w1"], ["y"], "second"),
    ]
    ranges = np.float32(10.0) ** np.linspace(-2, 1, 8, dtype=np.float32)
    constants = {
        "w0": floats(8, 3, 3, 3) * ranges[:, None, None, None],
        "b0": floats(8) * ranges,
        "w1": floats(4, 8, 3, 3) / ranges[:, None, None],
    }
    return model_of(nodes, {"x": (1, 3, 9, 9)}, ["y"], constants)


def quantized(
    model: ModelProto, options: QuantizeOptions = QuantizeOptions(), count: int = 8
) -> tuple[Result, list[TensorError]]:
    network = read_network(model)
    shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in network.inputs}
    arrays = {name: floats(count, *shape, seed=index) for index, (name, shape) in enumerate(shapes.items())}
    samples = samples_of(network, arrays)
    result = quantize(network, samples, options)
    return result, measure(result, samples)


def reference(model: ModelProto) -> Callable[[Mapping[str, Array]], list[Array]]:
    session = onnx_runtime.session(model)
    return lambda inputs: session.run(None, dict(inputs))


def imported(model: ModelProto, folder: Path, *, integers: bool) -> ModuleOp:
    (folder / "q.onnx").write_bytes(model.SerializeToString())
    return Model(folder / "q.onnx", integers=integers).load()


def float_ops(module: ModuleOp) -> set[str]:
    """The operators of a module that compute floats."""
    kept = {"onnx.DequantizeLinear", "onnx.Constant"}
    ops = [op for op in module.walk() if op.name.startswith("onnx.") and op.name not in kept]
    return {op.name for op in ops if any("f32" in str(result.type) for result in op.results)}
