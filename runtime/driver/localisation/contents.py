"""Addresses of an element of a function's arguments, or of a global, in a run that a probe has observed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from ....dialects.core.ports import symbol_in
from ....dialects.core.semantics import Value
from ...interpreter import Interpreter
from ...interpreter.boundary import ports
from ..answers import WrongAnswer
from .accesses import AddressRange, element_range
from .probing import Probe


def element_of(error: WrongAnswer, module: ModuleOp, function: str, probe: Probe) -> list[AddressRange]:
    """Return the addresses of the element that differs; none for an output that is no memory, and for later calls."""
    arrays = _globals(error.name, probe) if error.name.startswith("@") else _arguments(error, module, function, probe)
    return [element_range(array, error.index) for array in arrays if np.ndim(array) == len(error.index)]


def _arguments(error: WrongAnswer, module: ModuleOp, function: str, probe: Probe) -> Iterator[Value]:
    entry = Interpreter(module).symbol(symbol_in(module, function))
    block = entry.regions[0].blocks[0]
    scope = probe.scopes.get(block, {})
    for port, argument in zip(ports(entry)[0], block.args, strict=True):
        if port.name == error.name and argument in scope:
            yield scope[argument]


def _globals(name: str, probe: Probe) -> Iterator[Value]:
    for block, scope in probe.scopes.items():
        for op in block.ops:
            if not isinstance(op, memref.GetGlobalOp) or op.memref not in scope:
                continue
            if f"@{op.name_.root_reference.data}" == name:
                yield scope[op.memref]
