"""Models that an import refuses, and how it does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model, import_onnx

F32 = TensorProto.FLOAT


def refusal(given: ModelProto | Path, **options: Any) -> str:
    """Return the text of the Diagnostic with which an import is refused."""
    load: Any = import_onnx if isinstance(given, Path) else import_model
    with pytest.raises(Diagnostic) as caught:
        load(given, **options)
    return str(caught.value)


def model(
    nodes: Sequence[NodeProto],
    weights: dict[str, Any] | None = None,
    *,
    shape: Sequence[int | str | None] = (2, 3),
    outputs: Sequence[str] = ("y",),
    opset: int = 20,
) -> ModelProto:
    """A model with the input x."""
    tensors = [
        value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), name)
        for name, value in (weights or {}).items()
    ]
    ports = [helper.make_tensor_value_info(name, F32, None) for name in outputs]
    graph = helper.make_graph(list(nodes), "net", [helper.make_tensor_value_info("x", F32, shape)], ports, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def node(op_type: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    name = attributes.pop("name", "n")
    return helper.make_node(op_type, inputs.split(), outputs.split(), name=name, **attributes)


RELU = node("Relu", "x", "y")
