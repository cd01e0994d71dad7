"""Values of a network's tensors as ONNX Runtime computes them, each operator by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, ValueInfoProto, helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, OpResult, SSAValue

from ...errors import Diagnostic
from ...frontend.importer import model_proto
from ...ir import Array, functions, node_names, where
from ..inputs import network_tensors


@dataclass(frozen=True)
class OnnxRuntimeExecution:
    """Execution of a network, and of prefixes of it, by ONNX Runtime, which runs once and returns each tensor."""

    path: Path
    inputs: Mapping[str, Array]

    def run(self, module: ModuleOp) -> dict[str, Array]:
        """
        Return the outputs of the network of a module, or of a prefix of it, at the graph level.

        Raises Diagnostic where ONNX Runtime is not installed or refuses the model, and for a value that is no tensor of
        the model.
        """
        network = functions(module)[0]
        last = network.body.block.last_op
        assert isinstance(last, ReturnOp), "a network ends with a return"
        names = [name for name, _, _ in network_tensors(module)[1]]
        return {
            name: self._values[name if name in self._outputs else self._tensor(value)]
            for name, value in zip(names, last.operands, strict=True)
        }

    def _tensor(self, value: SSAValue) -> str:
        """Return the name of the tensor that a value is."""
        op = value.owner
        if isinstance(op, Operation) and isinstance(value, OpResult):
            # An operator that the importer takes apart has ops of other names at its place.
            named = {node.name or f"{node.op_type}_{i}": node for i, node in enumerate(self._model.graph.node)}
            nodes = [named[name] for name in node_names(op) if name in named]
            if len(nodes) == 1 and op.name == f"onnx.{nodes[0].op_type}" and value.index < len(nodes[0].output):
                return nodes[0].output[value.index]
        place = where(op) if isinstance(op, Operation) else "an input"
        raise Diagnostic(f"the value of {place} is no tensor of the ONNX file")

    @cached_property
    def _model(self) -> ModelProto:
        return model_proto(self.path)

    @property
    def _outputs(self) -> set[str]:
        return {output.name for output in self._model.graph.output}

    @cached_property
    def _values(self) -> dict[str, Array]:
        """Run the model with each tensor as an output."""
        model = ModelProto()
        model.CopyFrom(self._model)
        outputs = [name for node in model.graph.node for name in node.output if name]
        model.graph.output.extend(ValueInfoProto(name=name) for name in outputs if name not in self._outputs)
        names = [output.name for output in model.graph.output]
        session = _session(model, self.path)
        arrays: list[Any] = session.run(names, self._given())
        return {name: np.asarray(array) for name, array in zip(names, arrays, strict=True)}

    def _given(self) -> dict[str, Array]:
        """Return the inputs in the types that the model declares."""
        declared = {value.name: value.type.tensor_type.elem_type for value in self._model.graph.input}
        return {
            name: array.astype(helper.tensor_dtype_to_np_dtype(declared[name]), copy=False)
            for name, array in self.inputs.items()
            if name in declared
        }


def _session(model: ModelProto, path: Path) -> Any:
    """Return a session that fuses no operators. Raises Diagnostic where there can be none."""
    try:
        import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        remedy = "pip install onnxruntime, or compare with --against interpreter"
        raise Diagnostic("ONNX Runtime is not installed", expected="the package onnxruntime", remedy=remedy) from error
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common class but this
        raise Diagnostic(
            "ONNX Runtime refuses the model",
            source=str(path),
            found=str(error).strip().splitlines()[0],
            remedy="compare with --against interpreter, which runs every operator that can be imported",
        ) from error
