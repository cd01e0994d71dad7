"""
Weight-only quantisation: weights of products and lookups stored as bfloat16 or int8, all arithmetic in float32.

A weight becomes Cast of a bfloat16 tensor, or DequantizeLinear of an int8 tensor with a scale for each output feature:
plain ONNX of opset 13.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...errors import Diagnostic
from ..tensors import embed_data, read_tensor

if TYPE_CHECKING:
    from ...ir import Array

TYPES = ("bf16", "int8")
"""Element types of stored weights."""
_OPSET = 13
"""The first opset whose Cast takes bfloat16, and whose DequantizeLinear has an axis."""


@dataclass(frozen=True)
class StoredWeight:
    """
    A weight that is stored narrow.

    `before` and `after` are bytes, scales included; `error` is the root of the mean square of the rounding errors over
    that of the weight.
    """

    name: str
    shape: tuple[int, ...]
    before: int
    after: int
    error: float


def store_weights(model: ModelProto, folder: Path | None, type: str) -> tuple[ModelProto, list[StoredWeight]]:
    """
    Return a copy of a model whose float32 weights are stored as `type`, one of TYPES, and a row for each weight.

    Weights are initialisers of two axes or more that only MatMul, Gemm, Conv of one group, and Gather read, also
    through one Transpose; others stay as they are. External data are read from `folder` and become part of the model.
    Raises Diagnostic for a model without such weights, of integers or before opset 13, and for weights not finite.
    """
    result = ModelProto()
    result.CopyFrom(model)
    _check_opset(result)
    _check_floats(result.graph)
    embed_data(result, folder)
    graph, rows, nodes = result.graph, list[StoredWeight](), list[NodeProto]()
    names = _names(graph)
    axes = _feature_axes(graph)
    for tensor in [tensor for tensor in graph.initializer if tensor.name in axes]:
        weight = read_tensor(tensor, folder, tensor.name).array
        stored, node, error = _narrowed(tensor.name, weight, axes[tensor.name], type, names)
        after = sum(len(part.raw_data) for part in stored)
        rows.append(StoredWeight(tensor.name, weight.shape, weight.nbytes, after, error))
        graph.initializer.remove(tensor)
        graph.initializer.extend(stored)
        nodes.append(node)
    if not rows:
        raise Diagnostic(
            "the model has no weights to store",
            expected="initialisers of float32 that MatMul, Gemm, Conv or Gather read",
            found="none of two axes or more",
            remedy="deploy it as it is",
        )
    others = list(graph.node)
    graph.ClearField("node")
    graph.node.extend([*nodes, *others])
    return result, rows


def _check_opset(model: ModelProto) -> None:
    version = next((opset.version for opset in model.opset_import if not opset.domain), 0)
    if version < _OPSET:
        raise Diagnostic(
            "the model's opset has no conversion of stored weights",
            expected=f"opset {_OPSET} or later",
            found=f"opset {version}",
            remedy="convert it: onnx.version_converter.convert_version(model, 17)",
        )


def _check_floats(graph: GraphProto) -> None:
    """Raise Diagnostic for a network whose floats carry integers, which operators of quantisers show."""
    integers = sorted({node.op_type for node in graph.node} & having(Trait.CARRIES_INTEGERS))
    if integers:
        raise Diagnostic(
            "the model is quantised already",
            expected="a network of floats",
            found=f"operators {', '.join(integers)}",
            remedy="give the network that it was made from",
        )


@mentions("Gather")
def _feature_axes(graph: GraphProto) -> dict[str, int]:
    """Return the axis of output features of each weight that may be stored narrow."""
    shapes = {tensor.name: len(tensor.dims) for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT}
    kept = {value.name for value in (*graph.input, *graph.output)} | set(_read_in_branches(graph))
    readers: dict[str, list[tuple[NodeProto, int]]] = {}
    for node in graph.node:
        for index, name in enumerate(node.input):
            readers.setdefault(name, []).append((node, index))
    axes: dict[str, int] = {}
    for name, rank in shapes.items():
        if rank < 2 or name in kept or name not in readers:
            continue
        of_readers = [_axis_of(node, index, rank, readers) for node, index in readers[name]]
        products = [axis for axis, (node, _) in zip(of_readers, readers[name], strict=True) if node.op_type != "Gather"]
        stored = [axis for axis in of_readers if axis is not None]
        # One scale serves all: products need theirs along the features, a lookup takes any axis.
        if len(stored) == len(of_readers) and len(set(products)) <= 1:
            axes[name] = (products or stored)[0] or 0
    return axes


@mentions("Conv", "Gather", "Gemm", "MatMul", "Transpose")
def _axis_of(node: NodeProto, index: int, rank: int, readers: dict[str, list[tuple[NodeProto, int]]]) -> int | None:
    """Return the axis of a weight that a reader's output features are along, None for a reader of another kind."""
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    match node.domain, node.op_type, index:
        case "", "MatMul", 1 if rank == 2:
            return 1
        case "", "Gemm", 1:
            return 0 if attributes.get("transB", 0) else 1
        case "", "Conv", 1 if attributes.get("group", 1) == 1:
            return 0
        case "", "Gather", 0 if attributes.get("axis", 0) == 0:
            return 0
        case "", "Transpose", 0 if rank == 2:
            following = readers.get(node.output[0], [])
            products = [user.op_type == "MatMul" and place == 1 and not user.domain for user, place in following]
            return 0 if products and all(products) else None
        case _:
            return None


def _read_in_branches(graph: GraphProto) -> Iterator[str]:
    """Yield the names that graphs inside of the graph read."""
    inner = [attribute for node in graph.node for attribute in node.attribute]
    for attribute in inner:
        for branch in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            yield from (name for node in branch.node for name in node.input)
            yield from (value.name for value in branch.output)
            yield from _read_in_branches(branch)


def _names(graph: GraphProto) -> set[str]:
    names = {tensor.name for tensor in chain(graph.initializer, graph.input)}
    return names.union(*((*node.input, *node.output) for node in graph.node))


def _fresh(name: str, names: set[str]) -> str:
    while name in names:
        name += "_"
    names.add(name)
    return name


def _narrowed(
    name: str, weight: Array, axis: int, type: str, names: set[str]
) -> tuple[list[TensorProto], NodeProto, float]:
    """Return the stored tensors of a weight, the node that widens them, and the relative error. Raises Diagnostic."""
    if not np.isfinite(weight).all():
        raise Diagnostic(
            "a weight is not finite",
            where=f'tensor "{name}"',
            expected="finite numbers",
            found=f"{np.count_nonzero(~np.isfinite(weight))} of {weight.size} that are not",
            remedy="export the model from a checkpoint that has none",
        )
    stored_name, node_name = _fresh(f"{name}_{type}", names), _fresh(f"{name}_widened", names)
    if type == "bf16":
        tensor, wide = _as_bf16(stored_name, name, weight)
        node = helper.make_node("Cast", [stored_name], [name], node_name, to=TensorProto.FLOAT)
        return [tensor], node, _relative_error(weight, wide)
    steps, scale = _as_int8(weight, axis)
    scale_name = _fresh(f"{name}_scale", names)
    tensors = [numpy_helper.from_array(steps, stored_name), numpy_helper.from_array(scale, scale_name)]
    node = helper.make_node("DequantizeLinear", [stored_name, scale_name], [name], node_name, axis=axis)
    return tensors, node, _relative_error(weight, steps * _along(scale, axis, weight.ndim))


def _as_bf16(name: str, origin: str, weight: Array) -> tuple[TensorProto, Array]:
    """Return a weight as bfloat16, rounded to nearest even, and its numbers in float32."""
    import ml_dtypes

    with np.errstate(over="ignore"):
        narrow = weight.astype(ml_dtypes.bfloat16)
    wide = narrow.astype(np.float32)
    if not np.isfinite(wide).all():
        raise Diagnostic(
            "a weight rounds to an infinity of bfloat16",
            where=f'tensor "{origin}"',
            expected="magnitudes up to 3.39e38",
            found=f"{np.abs(weight).max():.3g}",
            remedy="store the weights as int8",
        )
    return helper.make_tensor(name, TensorProto.BFLOAT16, weight.shape, narrow.tobytes(), raw=True), wide


def _as_int8(weight: Array, axis: int) -> tuple[Array, Array]:
    """Return integers from -127 to 127, and for each index of an axis a scale: its largest magnitude over 127."""
    others = tuple(other for other in range(weight.ndim) if other != axis)
    largest = np.abs(weight).max(axis=others).astype(np.float64)
    # A channel of zeros, and one whose scale would be subnormal, count in steps of 1.
    scale = np.where(largest / 127 >= np.finfo(np.float32).tiny, largest / 127, 1).astype(np.float32)
    steps = np.rint(weight / _along(scale, axis, weight.ndim)).clip(-127, 127)
    return steps.astype(np.int8), scale


def _along(scale: Array, axis: int, rank: int) -> Array:
    return scale.reshape([-1 if other == axis else 1 for other in range(rank)])


def _relative_error(weight: Array, stored: Array) -> float:
    power = float(np.square(weight, dtype=np.float64).sum())
    noise = float(np.square(weight.astype(np.float64) - stored).sum())
    return (noise / power) ** 0.5 if power else 0.0
