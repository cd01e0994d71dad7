"""Small quantised networks in ONNX, whole or with a fault, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

F32 = TensorProto.FLOAT


def number(value: float) -> TensorProto:
    """Return a scalar as the quantising exporters write attributes."""
    return numpy_helper.from_array(np.array(value, np.float32))


def node(op_type: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> NodeProto:
    return helper.make_node(op_type, list(inputs), list(outputs), **attributes)


def requant(x: str, y: str, *, name: str = "requant", **changes: Any) -> NodeProto:
    """Return a RequantShift of `x` with the constants `mul` and `add`."""
    attributes: dict[str, Any] = {"div": number(256), "n_levels_out": number(256), "signed": number(1)} | changes
    return node("RequantShift", [x, "mul", "add"], [y], name=name, domain="PACTOps", **attributes)


def model(
    nodes: Sequence[NodeProto],
    *,
    inputs: Mapping[str, Sequence[int | str]] | None = None,
    outputs: Mapping[str, Sequence[int | str]] | None = None,
    weights: Mapping[str, Any] | None = None,
    element: int = F32,
) -> ModelProto:
    """Return a model of these nodes, unchecked; shapes by name of input and output."""
    named = {"x": (1, 2, 6, 6)} if inputs is None else inputs
    results = {"y": (1, 3, 4, 4)} if outputs is None else outputs
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(
        list(nodes),
        "net",
        [helper.make_tensor_value_info(name, element, shape) for name, shape in named.items()],
        [helper.make_tensor_value_info(name, F32, shape) for name, shape in results.items()],
        tensors,
    )
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("PACTOps", 1)]
    built = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    helper.set_model_props(built, {f"tilewright.input_type.{name}": "ui8" for name in named if element == F32})
    return built


def weights(**changes: Any) -> dict[str, Any]:
    """Return the constants of `small`: a 3x2x3x3 kernel and the factors of a requantisation."""
    random = np.random.RandomState(7)
    constants: dict[str, Any] = {
        "w": random.randint(-9, 10, (3, 2, 3, 3)).astype(np.float32),
        "mul": random.randint(1, 20, (3, 1, 1)).astype(np.float32),
        "add": random.randint(-99, 99, (3, 1, 1)).astype(np.float32),
    }
    return constants | changes


def small(**changes: Any) -> ModelProto:
    """Return a convolution and a requantisation with these attributes, x ui8 1x2x6x6 to y i8 1x3x4x4."""
    return model([node("Conv", ["x", "w"], ["c"], name="conv"), requant("c", "y", **changes)], weights=weights())


def small_reference(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what `small` computes from integers [1, 2, 6, 6], in int64."""
    constants = {name: value.astype(np.int64) for name, value in weights().items()}
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int64), (3, 3), axis=(2, 3))
    sums = np.einsum("nchwij,ocij->nohw", windows, constants["w"])
    return np.clip((sums * constants["mul"] + constants["add"] + 128) // 256, -128, 127)


def chain(layers: int = 3) -> ModelProto:
    """Return convolutions of one shape in a row, each requantised, x ui8 1x2x6x6 to y i8 1x2x6x6."""
    random = np.random.RandomState(3)
    constants: dict[str, Any] = {}
    nodes: list[NodeProto] = []
    for index in range(layers):
        source, result = f"r{index - 1}" if index else "x", f"r{index}" if index < layers - 1 else "y"
        constants[f"w{index}"] = random.randint(-9, 10, (2, 2, 3, 3)).astype(np.float32)
        constants[f"mul{index}"] = random.randint(5, 20, (2, 1, 1)).astype(np.float32)
        constants[f"add{index}"] = random.randint(-99, 99, (2, 1, 1)).astype(np.float32)
        nodes.append(node("Conv", [source, f"w{index}"], [f"c{index}"], name=f"conv{index}", pads=[1, 1, 1, 1]))
        shift = requant(f"c{index}", result, name=f"rq{index}")
        shift.input[1:] = [f"mul{index}", f"add{index}"]
        nodes.append(shift)
    return model(nodes, outputs={"y": (1, 2, 6, 6)}, weights=constants)


def save(built: ModelProto, path: Path) -> None:
    path.write_bytes(built.SerializeToString())


@dataclass(frozen=True)
class Saved:
    """A case that `tilewright check` finds: its folder, and the arrays in it."""

    folder: Path
    inputs: dict[str, np.ndarray[Any, Any]]
    outputs: dict[str, np.ndarray[Any, Any]]


def save_case(folder: Path, seed: int = 0) -> Saved:
    """Write `small` with inputs and golden outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    x = np.random.RandomState(seed).randint(0, 256, (1, 2, 6, 6)).astype(np.uint8)
    saved = Saved(folder, {"x": x}, {"y": small_reference(x)})
    save(small(), folder / "network.onnx")
    np.savez(folder / "inputs.npz", allow_pickle=False, **saved.inputs)
    np.savez(folder / "outputs.npz", allow_pickle=False, **saved.outputs)
    return saved
