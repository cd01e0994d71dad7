"""
Upper bound of the stack usage of a module's C at -O1 or -O2, from locals and the call graph.

    frame(f) = sizes of its variables + WORD for each value and argument + CALL
    depth(f) = frame(f) + max(depth of its callees, RUNTIME if it calls functions of the runtime)

All values count as spilled, and those of sibling blocks as alive at once. Inlining merges frames that the bound adds
up. A compiler that vectorises unrolled loops (-O3), or keeps all temporaries of inlined vector operations (-O0), may
need more.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueType
from xdsl.ir import Attribute

from ....dialects import emitc
from ....dialects.core.nesting import nested_ops
from ....ir import numpy_type
from .closures import FORK

WORD = 8
"""Bytes of a value: a pointer or a 64-bit number."""
VECTOR = 64
"""Bytes of a value of an opaque type, such as a vector register."""
CALL = 256
"""Bytes of a frame besides its locals: saved registers and return address."""
RUNTIME = 512
"""Bytes of a function of the runtime and its callees."""

_NO_LOCALS = {emitc.ConstantOp, emitc.GetGlobalOp, emitc.LiteralOp, emitc.SubscriptOp}
_CALLS = {emitc.CallOpaqueOp, emitc.VerbatimOp}


def stack_bound(module: ModuleOp) -> int:
    """Compute an upper bound in bytes of the stack of any public function of a module of `emitc`."""
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, emitc.FuncOp)}
    depths: dict[str, int] = {}
    for name in functions:
        _depth(name, functions, depths)
    return max(depths.values(), default=0)


def _depth(name: str, functions: Mapping[str, emitc.FuncOp], depths: dict[str, int]) -> int:
    function = functions.get(name)
    if function is None:
        return RUNTIME
    if name not in depths:
        frame, called = _frame(function)
        depths[name] = frame + max((_depth(callee, functions, depths) for callee in called), default=0)
    return depths[name]


def _frame(function: emitc.FuncOp) -> tuple[int, set[str]]:
    """
    Return the bytes of a function's frame, and its callees, an empty name for functions of the runtime.

    A forked kernel passes its arguments to each core in a struct.
    """
    arguments = WORD * len(function.body.blocks[0].args)
    size, called = CALL + arguments, set[str]()
    if FORK in function.attributes:
        size += arguments + CALL + RUNTIME
    for op in nested_ops(function.body):
        kind = type(op)
        if kind is emitc.CallOp:
            called.add(cast(emitc.CallOp, op).callee.root_reference.data)
        elif kind in _CALLS:
            called.add("")
        if kind not in _NO_LOCALS and op.results:
            size += sum(_size(result.type) for result in op.results)
    return size, called


def _size(type: Attribute) -> int:
    """Return the bytes of a local."""
    if isinstance(type, EmitC_ArrayType):
        array = cast("EmitC_ArrayType[Any]", type)
        return -(-prod(array.get_shape()) * _element_size(array.get_element_type()) // WORD) * WORD
    if isinstance(type, EmitC_LValueType):
        return _size(type.value_type)
    return VECTOR if isinstance(type, EmitC_OpaqueType) else WORD


def _element_size(type: Attribute) -> int:
    return VECTOR if isinstance(type, EmitC_OpaqueType) else numpy_type(type).itemsize
