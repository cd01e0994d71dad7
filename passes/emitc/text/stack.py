"""
Bound of the stack that the C of a module needs at -O1 or -O2, from its locals and the depth of its calls.

    frame(f) = sizes of its variables + WORD for each value and argument + CALL
    depth(f) = frame(f) + max(depth of what it calls, RUNTIME if it calls functions of the runtime)

All values count as if none were in a register, and those of blocks apart as if they were alive at once. A compiler that
inlines calls merges frames that this adds up. One that unrolls loops into vectors (-O3), or that keeps all temporaries
of inlined vector operations (-O0), may need more.
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
"""Bytes of a value: those of a pointer or of a 64-bit number."""
VECTOR = 64
"""Bytes of a value of an opaque type, such as a vector register."""
CALL = 256
"""Bytes of a frame besides its locals: the registers that a call saves, and its return address."""
RUNTIME = 512
"""Bytes that a function of the runtime needs with what it calls."""

_NO_LOCALS = {emitc.ConstantOp, emitc.GetGlobalOp, emitc.LiteralOp, emitc.SubscriptOp}
_CALLS = {emitc.CallOpaqueOp, emitc.VerbatimOp}


def stack_bound(module: ModuleOp) -> int:
    """Return the bytes of stack that a call of any public function of a module of `emitc` needs at most."""
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, emitc.FuncOp)}
    known: dict[str, int] = {}
    for name in functions:
        _depth(name, functions, known)
    return max(known.values(), default=0)


def _depth(name: str, functions: Mapping[str, emitc.FuncOp], known: dict[str, int]) -> int:
    function = functions.get(name)
    if function is None:
        return RUNTIME
    if name not in known:
        frame, called = _frame(function)
        known[name] = frame + max((_depth(each, functions, known) for each in called), default=0)
    return known[name]


def _frame(function: emitc.FuncOp) -> tuple[int, set[str]]:
    """
    Return the bytes of a function's frame, and the names of what it calls, empty for functions of the runtime.

    A kernel that is forked hands its arguments to each core in a record.
    """
    arguments = WORD * len(function.body.block.args)
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
