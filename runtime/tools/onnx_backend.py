"""
Tilewright as a backend in the sense of `onnx.backend.base`, which ONNX's own tests run.

    backend_test = onnx.backend.test.BackendTest(TilewrightBackend, __name__)

The devices are places to run: "interpreter" ("CPU" is the same), which runs the network at the tensor level or below,
and "c", which compiles the emitted C for this machine and calls it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from typing import Any, cast

import numpy as np
from onnx import ModelProto, TypeProto, ValueInfoProto, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict
from xdsl.dialects.builtin import ModuleOp

from ...compiler import Model, compile_model
from ...errors import Diagnostic
from ...frontend.importer import import_model
from ...frontend.static_inputs import static_inputs
from ...frontend.tensors import CARRIED, ELEMENTS
from ...ir import Array, numpy_type
from .session import Interpreted, Native, Run

DEVICES = ("interpreter", "c")
_SAME_DEVICE = {"CPU": "interpreter"}
_FLAGS = ("-O0",)
"""A test case runs once: to compile fast is worth more than fast code."""


@dataclass(frozen=True)
class LoadedModel(Model):
    """A model that is in memory already."""

    proto: ModelProto = field(default_factory=ModelProto)

    def _read(self, path: Path, added: int) -> ModuleOp:
        return import_model(
            self.proto,
            input_shapes=self.input_shapes,
            input_types=self.input_types,
            input_values=self.input_values,
            rows=self.context,
            added=added,
        )


class TilewrightRep(BackendRep):
    """
    A model, ready to run.

    A network has static shapes, so it is compiled at the first run, for the shapes of the inputs and for the values of
    those that decide shapes (`frontend/static_inputs.py`), and again when these change.
    """

    def __init__(self, model: ModelProto, device: str, machine: str, level: str):
        self._model = model
        self._device = device
        self._machine = machine
        self._level = level
        constants = {tensor.name for tensor in model.graph.initializer}
        self._inputs = [value for value in model.graph.input if value.name not in constants]
        self._static = set(static_inputs(model))
        self._compiled: dict[Any, Run] = {}

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """
        Run the model on arrays, by position or by name, and return its outputs in the types that it declares.

        Raises Diagnostic for whatever is not handled, and where the inputs are not those of the model.
        """
        arrays = self._by_name(inputs)
        static = {name: array for name, array in arrays.items() if name in self._static}
        data = {name: array for name, array in arrays.items() if name not in self._static}
        shapes = tuple((name, array.shape) for name, array in data.items())
        contents = tuple((name, array.shape, array.tobytes()) for name, array in static.items())
        key = shapes, contents
        if key not in self._compiled:
            self._compiled[key] = self._compile(data, static)
        results = self._compiled[key](data)
        outputs = self._model.graph.output
        record = namedtupledict("Outputs", [value.name for value in outputs])
        return record(*(_output(results, value) for value in outputs))

    def _by_name(self, inputs: Any) -> dict[str, Array]:
        """Return the arrays that the network takes: of a sequence `x` these are `x[0]`, `x[1]`, ..."""
        names = [value.name for value in self._inputs]
        values = _named(inputs, names)
        if set(values) != set(names):
            raise Diagnostic(
                "these are not the inputs of the model", expected=", ".join(names), found=", ".join(values)
            )
        arrays: dict[str, Array] = {}
        for value in self._inputs:
            items, kind = values[value.name], value.type
            kind = kind.optional_type.elem_type if kind.HasField("optional_type") else kind
            if kind.HasField("sequence_type") and items is not None:
                element = kind.sequence_type.elem_type
                named = {f"{value.name}[{index}]": item for index, item in enumerate(items)}
                arrays |= {name: _as_array(name, item, element) for name, item in named.items()}
            elif items is not None or not value.type.HasField("optional_type"):
                arrays[value.name] = _as_array(value.name, items, kind)
        return arrays

    def _compile(self, data: Mapping[str, Array], static: Mapping[str, Array]) -> Run:
        shapes = {name: array.shape for name, array in data.items()}
        model = LoadedModel(Path(self._model.graph.name or "model"), shapes, proto=self._model, input_values=static)
        if self._device == "interpreter":
            compilation = compile_model(model, self._machine, stop_after=self._level)
            _check_lowered(compilation.module)
            return Interpreted(compilation)
        from ..host import HostNetwork

        return Native(HostNetwork(compile_model(model, self._machine).program(), flags=_FLAGS))


def _check_lowered(module: ModuleOp) -> None:
    """Raise Diagnostic where ops of the graph level are left, which ONNX's own reference would compute."""
    if left := sorted({op.name for op in module.walk() if op.name.startswith("onnx.")}):
        raise Diagnostic("operators are not lowered to the tensor level", found=", ".join(left))


class TilewrightBackend(Backend):
    """Compiles ONNX models for this machine and runs them."""

    @classmethod
    def prepare(
        cls,
        model: ModelProto,
        device: str = "CPU",
        *,
        machine: str = "host",
        level: str = "tensor",
        **_: Any,
    ) -> TilewrightRep:
        """Return the model for a device; `level` is the phase of the machine's pipeline that "interpreter" runs."""
        device = _SAME_DEVICE.get(device, device)
        if device not in DEVICES:
            raise Diagnostic(f"there is no device '{device}'", expected=", ".join((*DEVICES, *_SAME_DEVICE)))
        return TilewrightRep(model, device, machine, level)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether networks run there."""
        return device in DEVICES or device in _SAME_DEVICE


def _named(inputs: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return inputs by name; those beyond the names are called after their position."""
    if isinstance(inputs, Mapping):
        return dict(cast("Mapping[str, Any]", inputs))
    listed = cast("Sequence[Any]", inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return {(names[index] if index < len(names) else f"input {index}"): item for index, item in enumerate(listed)}


def _as_array(name: str, value: Any, kind: TypeProto) -> Array:
    """Return a tensor as an array of numbers. Raises Diagnostic for texts, sequences and absent values."""
    if not kind.HasField("tensor_type") or value is None or isinstance(value, (list, tuple)):
        shown = "nothing" if value is None else str(kind.WhichOneof("value")).replace("_", " ")
        raise Diagnostic("an input is no tensor", where=f'input "{name}"', expected="a tensor", found=shown)
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        raise Diagnostic("an input holds no numbers", where=f'input "{name}"', found="texts")
    if kind.tensor_type.elem_type in CARRIED:
        return array.view(np.uint8)
    element = ELEMENTS.get(kind.tensor_type.elem_type)
    return array if element is None else array.astype(numpy_type(element), copy=False)


def _output(results: Mapping[str, Array], value: ValueInfoProto) -> Any:
    """Return an output in the NumPy type that the model declares; a sequence is a list."""
    kind = value.type.optional_type.elem_type if value.type.HasField("optional_type") else value.type
    if kind.HasField("sequence_type"):
        names = takewhile(results.__contains__, (f"{value.name}[{index}]" for index in count()))
        return [_declared(results[name], kind.sequence_type.elem_type) for name in names]
    return _declared(results[value.name], kind)


def _declared(array: Array, kind: TypeProto) -> Array:
    element = kind.tensor_type.elem_type
    if element in CARRIED:
        return array.astype(np.uint8).view(helper.tensor_dtype_to_np_dtype(element))
    return array.astype(helper.tensor_dtype_to_np_dtype(element), copy=False) if element else array
