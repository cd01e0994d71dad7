"""
Undefined behaviour of scalar ops, by op class: operands on which MLIR defines no result.

The interpreter's rules give such operands a value, since vectorised evaluation computes lanes that are masked
afterwards. A `TRAP` ends a program: no pass may introduce it. A `POISON` is a result that a program may ignore: a pass
may introduce it, but not use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import affine, arith, bufferization, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from ...dialects.core.effects_upstream import DIVISIONS
from ...dialects.core.semantics import Value
from .bits import signed, unsigned, width_of

LARGEST = 1 << 22
"""Elements of a buffer of dynamic size: 16 MB of f32, beyond what an input that decides a size should reach."""

Reason = Callable[[Any, Sequence[Value]], str]
"""`(op, operands) -> reason` why the result is undefined, empty if it is not."""


def _division(op: Any, operands: Sequence[Value]) -> str:
    if not int(operands[1]):
        return "a division by zero"
    least = -(1 << (width_of(op.result.type) - 1))
    overflows = DIVISIONS[op.name] and int(signed(operands[0])) == least and int(signed(operands[1])) == -1
    return "a division that overflows" if overflows else ""


def _allocation(op: Any, operands: Sequence[Value]) -> str:
    type_: Any = op.results[0].type
    extents = [int(extent) for extent in operands[: list(type_.get_shape()).count(DYNAMIC_INDEX)]]
    if min(extents, default=0) < 0:
        return "a buffer of negative size"
    return f"a buffer of more than {LARGEST:,} elements" if prod(extents) > LARGEST else ""


def _padding(op: Any, operands: Sequence[Value]) -> str:
    largest = max((abs(int(amount)) for amount in operands[1:]), default=0)
    return f"a padding of more than {LARGEST:,} elements" if largest > LARGEST else ""


def _shift(op: Any, operands: Sequence[Value]) -> str:
    width = width_of(op.result.type)
    if not 0 <= int(operands[1]) < width:
        return "a shift by the width or more"
    return _overflow(op, operands) if isinstance(op, arith.ShLIOp) else ""


_EXACT: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: int.__add__,
    arith.SubiOp: int.__sub__,
    arith.MuliOp: int.__mul__,
    arith.ShLIOp: int.__lshift__,
}


def _overflow(op: Any, operands: Sequence[Value]) -> str:
    flags = {flag.value for flag in op.overflow_flags.data}
    if not flags:
        return ""
    width, compute = width_of(op.result.type), _EXACT[type(op)]
    a, b = (int(signed(operand)) for operand in operands)
    bits = 1 << (width - 1)
    if "nsw" in flags and not -bits <= compute(a, b) < bits:
        return "an overflow of nsw"
    a, b = a % (2 * bits), b % (2 * bits)
    return "an overflow of nuw" if "nuw" in flags and not 0 <= compute(a, b) < 2 * bits else ""


def _conversion(op: Any, operands: Sequence[Value]) -> str:
    number, width = float(operands[0]), width_of(op.result.type)
    least, end = (0, 2.0**width) if isinstance(op, arith.FPToUIOp) else (-(2.0 ** (width - 1)), 2.0 ** (width - 1))
    is_inside = np.isfinite(number) and least <= np.trunc(number) < end
    return "" if is_inside else "a float beyond the range of the integer"


def _extension(op: Any, operands: Sequence[Value]) -> str:
    """Return that the operand of an `extui nneg` is negative."""
    is_negative = int(signed(operands[0])) != int(unsigned(operands[0], op.input.type))
    return "a negative operand of nneg" if is_negative and op.attributes.get("nneg") is not None else ""


def _affine(op: Any, operands: Sequence[Value]) -> str:
    """Return that affine expressions may overflow, which MLIR's lowering of them excludes."""
    indices = [int(operand) for operand in operands if np.ndim(operand) == 0 and np.asarray(operand).dtype == np.int64]
    is_large = any(abs(index) > _LARGEST_INDEX for index in indices)
    return "an affine expression of an index beyond 2^31" if is_large else ""


_LARGEST_INDEX = 1 << 31
"""Its products with coefficients of 32 bits do not overflow."""

_SHIFTS = frozenset({"arith.shli", "arith.shrsi", "arith.shrui", "index.shl", "index.shrs", "index.shru"})
_SCALARS = ("arith.", "index.")
_ALLOCATIONS = (memref.AllocOp, memref.AllocaOp, tensor.EmptyOp, bufferization.AllocTensorOp)

TRAPS: dict[type[Operation], Reason] = {
    **dict.fromkeys(_ALLOCATIONS, _allocation),
    tensor.PadOp: _padding,
}

POISONS: dict[type[Operation], Reason] = {
    **dict.fromkeys((arith.AddiOp, arith.SubiOp, arith.MuliOp), _overflow),
    **dict.fromkeys((arith.FPToSIOp, arith.FPToUIOp), _conversion),
    arith.ExtUIOp: _extension,
    **dict.fromkeys((affine.ApplyOp, affine.MinOp, affine.ForOp, affine.IfOp, affine.ParallelOp), _affine),
    **dict.fromkeys((affine.LoadOp, affine.StoreOp), _affine),
}


def undefined(op: Operation, operands: Sequence[Value], *, poison: bool) -> str:
    """Return why an op on single values has no defined result, empty if it has; `poison` counts unused results too."""
    reason = _trap(op) or (_poison(op) if poison else None)
    if reason is None or (op.name.startswith(_SCALARS) and any(np.ndim(operand) for operand in operands)):
        return ""
    return reason(op, operands)


def _trap(op: Operation) -> Reason | None:
    return _division if op.name in DIVISIONS else TRAPS.get(type(op))


def _poison(op: Operation) -> Reason | None:
    return _shift if op.name in _SHIFTS else POISONS.get(type(op))
