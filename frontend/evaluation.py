"""The values of nodes that compute with shapes and constants, at import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from onnx import NodeProto, TensorProto, defs, helper

from ..dialects.onnx.registry import mentions
from ..ir import Array
from .onnx_graph import has_body
from .operators import operator_of
from .tensor_info import TensorInfo, untyped
from .tensors import Constant

FOLDED_LIMIT = 4096
"""The elements of the largest constant that is made at import; none that shapes depend on is as big."""


@mentions("Shape", "Size")
def shape_value(node: NodeProto, info: Callable[[str], TensorInfo | None]) -> tuple[Array, int] | None:
    """Return the value and element type of a Shape or Size of a tensor of known shape, None for anything else."""
    if node.domain or node.op_type not in ("Shape", "Size"):
        return None
    operand = info(node.input[0])
    if operand is None or operand.shape is None or None in operand.shape:
        return None
    dims = np.array(operand.shape, np.int64)
    if node.op_type == "Size":
        return np.array(dims.prod(dtype=np.int64)), TensorProto.INT64
    bounds = {attribute.name: attribute.i for attribute in node.attribute}
    return dims[slice(bounds.get("start", 0), bounds.get("end"))].copy(), TensorProto.INT64


def is_foldable(node: NodeProto) -> bool:
    """Return whether equal inputs always give an equal result, by the rules of ONNX itself."""
    return not node.domain and operator_of(node.op_type).folds and not has_body(node)


def evaluate(node: NodeProto, constants: Mapping[str, Constant]) -> dict[str, Constant]:
    """Return the outputs of a node of the newest form on constants, by ONNX's reference; empty where it has none."""
    from onnx.reference import ReferenceEvaluator

    arrays: dict[str, Any] = {}
    for name, constant in constants.items():
        if np.dtype(helper.tensor_dtype_to_np_dtype(constant.data_type)) != constant.array.dtype:
            return {}
        arrays[name] = constant.array
    outputs = [name for name in node.output if name]
    graph = helper.make_graph([node], "constant", untyped(arrays), untyped(outputs))
    opset = helper.make_opsetid("", defs.onnx_opset_version())
    try:
        with np.errstate(all="ignore"):
            evaluator: Any = ReferenceEvaluator(helper.make_model(graph, opset_imports=[opset]))
            results = evaluator.run(None, arrays)
    except Exception:  # what the reference refuses is left to the checks that follow
        return {}
    values = [np.asarray(value) for value in cast("list[Any]", results)]
    if any(value.dtype.kind not in "iufb" for value in values):
        return {}
    return {
        name: Constant(value, helper.np_dtype_to_tensor_dtype(value.dtype), node.name)
        for name, value in zip(outputs, values, strict=True)
    }
