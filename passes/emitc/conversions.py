"""Conversions of control flow, memory, calls and concurrent programs to `emitc`, by op name."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from .blocks import (
    convert_branch,
    convert_conditional_branch,
    convert_executed_region,
    convert_switch,
    convert_yield,
)
from .buffers import copy, load, lookup, store
from .converter import FunctionConverter
from .forks import convert_fork
from .paged import PAGED_OPS, convert_step
from .programs import (
    convert_allocation,
    convert_concurrent,
    convert_local,
    convert_resident,
    convert_stream,
    convert_stream_end,
)

CONVERSIONS: dict[str, Callable[[FunctionConverter, Operation], None]] = {
    "arith.addui_extended": FunctionConverter.several,
    "arith.constant": lambda converter, op: None,
    "arith.mulsi_extended": FunctionConverter.several,
    "arith.mului_extended": FunctionConverter.several,
    "cf.br": convert_branch,
    "cf.cond_br": convert_conditional_branch,
    "cf.switch": convert_switch,
    "func.call": FunctionConverter.call,
    "func.return": FunctionConverter.end,
    "hier.concurrent": convert_concurrent,
    "hier.fork": convert_fork,
    "hier.local": convert_local,
    "hier.lookup": lambda converter, op: lookup(converter.b, op),
    "hier.front": convert_stream_end,
    "hier.pop": convert_stream_end,
    "hier.push": convert_stream_end,
    "hier.release": convert_stream_end,
    "hier.reserve": convert_stream_end,
    "hier.resident": convert_resident,
    "hier.stream": convert_stream,
    "memref.alloca": convert_allocation,
    "memref.alloca_scope": FunctionConverter.inlined,
    "memref.alloca_scope.return": lambda converter, op: None,
    "memref.copy": lambda converter, op: copy(converter.b, op),
    "memref.dim": FunctionConverter.dim,
    "memref.get_global": FunctionConverter.get_global,
    "memref.load": lambda converter, op: load(converter.b, op),
    "memref.store": lambda converter, op: store(converter.b, op),
    **{f"paged.{name}": convert_step for name in PAGED_OPS},
    "scf.condition": lambda converter, op: None,
    "scf.execute_region": convert_executed_region,
    "scf.for": FunctionConverter.loop,
    "scf.if": FunctionConverter.condition,
    "scf.index_switch": FunctionConverter.switch,
    "scf.while": FunctionConverter.repeat,
    "scf.yield": convert_yield,
}
