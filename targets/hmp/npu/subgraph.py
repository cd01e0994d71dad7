"""The sub-graph of an NPU stage: its function as a network of its own, and its ports as a plug-in sees them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    SymbolRefAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.nesting import nested_ops
from ....errors import Diagnostic
from ....ir import functions, numpy_type, where
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ..mapping import processors
from ..passes.outline_stages import LAYERS, OUTPUT

LETTER = "N"
"""Letter of the processor whose stages are artefacts, in an order of letters."""

_RANK, _NAME = 8, 64
_TYPES = {
    "float32": 0,
    "float16": 1,
    "bfloat16": 2,
    "int8": 3,
    "int16": 5,
    "int32": 7,
    "int64": 9,
    "bool": 10,
    "float64": 11,
}
"""NumPy's name of an element type -> its number in tilewright_npu.h."""
_TENSOR = struct.Struct("<64s4I8q8qQfi")
"""Layout of tw_npu_tensor."""
_ALIGNMENT = 64


@dataclass(frozen=True)
class SubgraphPort:
    """An input or output of a sub-graph: row-major, as the stage's function takes it."""

    name: str
    shape: tuple[int, ...]
    element: Attribute

    @property
    def type_number(self) -> int:
        """Number of the element type in tilewright_npu.h."""
        return _TYPES[str(numpy_type(self.element))]

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return int(np.prod(self.shape, dtype=np.int64)) * numpy_type(self.element).itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in bytes."""
        steps = [numpy_type(self.element).itemsize]
        for extent in reversed(self.shape[1:]):
            steps.append(steps[-1] * extent)
        return tuple(reversed(steps[: len(self.shape)]))

    def packed(self) -> bytes:
        """Return it as the bytes of a tw_npu_tensor."""
        name = self.name.encode()[: _NAME - 1]
        dims, strides = ((*sizes, *[0] * (_RANK - len(sizes))) for sizes in (self.shape, self.strides))
        head = (name, self.type_number, 0, len(self.shape), _ALIGNMENT)
        return _TENSOR.pack(*head, *dims, *strides, self.bytes, 0.0, 0)


@dataclass(frozen=True)
class Subgraph:
    """A stage on the NPU: its function, on tensors or on buffers, and its ports."""

    function: FuncOp
    inputs: tuple[SubgraphPort, ...]
    outputs: tuple[SubgraphPort, ...]

    @property
    def name(self) -> str:
        """Name of the stage."""
        return self.function.sym_name.data

    def module(self) -> ModuleOp:
        """Return the stage as a network: its function, public, and the globals that it reads."""
        function = self.function.clone()
        del function.properties["sym_visibility"]
        for op in (function, *nested_ops(function)):
            op.attributes.pop(ENGINE, None)
        names = {
            cast(SymbolRefAttr, op.properties["name"]).root_reference.data
            for op in nested_ops(function)
            if isinstance(op, memref.GetGlobalOp)
        }
        outer = cast(ModuleOp, self.function.parent_op())
        variables = (op for op in outer.body.block.ops if isinstance(op, memref.GlobalOp))
        read = [op.clone() for op in variables if op.sym_name.data in names]
        return ModuleOp([*read, function], dict(outer.attributes))


def subgraphs(module: ModuleOp) -> list[Subgraph]:
    """
    Return the stages of a module that are on the NPU of its machine, in order.

    Raises Diagnostic for tensors that plug-ins do not take.
    """
    if not any(LAYERS in function.attributes for function in functions(module)):
        return []
    engine = processors(machine_of(module)).get(LETTER)
    return [
        subgraph_of(function)
        for function in functions(module)
        if LAYERS in function.attributes and str(getattr(function.attributes.get(ENGINE), "data", "")) == engine
    ]


def subgraph_of(function: FuncOp) -> Subgraph:
    """Return the sub-graph of a stage's function. Raises Diagnostic as `subgraphs` does."""
    said: Sequence[DictionaryAttr] = function.arg_attrs.data if isinstance(function.arg_attrs, ArrayAttr) else ()
    is_output = [OUTPUT in attributes.data for attributes in said] or [False] * len(function.body.block.args)
    pairs = list(zip(function.body.block.args, is_output, strict=True))
    names = [value.name_hint or f"input{index}" for index, (value, written) in enumerate(pairs) if not written]
    types = [value.type for value, written in pairs if not written]
    output_types = [value.type for value, written in pairs if written] or list(function.function_type.outputs)
    hints = [f"output{index}" for index in range(len(output_types))]
    return Subgraph(function, _ports(function, names, types), _ports(function, hints, output_types))


def _ports(function: FuncOp, names: Sequence[str], types: Sequence[Attribute]) -> tuple[SubgraphPort, ...]:
    return tuple(_port(function, name, kind) for name, kind in zip(names, types, strict=True))


def _port(function: FuncOp, name: str, kind: Attribute) -> SubgraphPort:
    shaped = cast("TensorType[Any] | MemRefType[Any]", kind)
    port = SubgraphPort(name, shaped.get_shape(), shaped.get_element_type())
    if len(port.shape) > _RANK or str(numpy_type(port.element)) not in _TYPES:
        raise Diagnostic(
            f"a plug-in of an NPU does not take {kind}",
            where=where(function),
            expected=f"at most {_RANK} axes of {', '.join(_TYPES)}",
            found=str(kind),
            remedy="map the layers to another processor",
        )
    return port
