"""A slow machine for the explicit level: one Python number per scalar, every access and every nsw checked."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, SSAValue

from tilewright.ir import Array, numpy_type


def _div(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rem(a: int, b: int) -> int:
    return a - b * _div(a, b)


def _same(a: int) -> int:
    return a


def _select(condition: int, yes: Any, no: Any) -> Any:
    return yes if condition else no


SCALARS: dict[str, Callable[..., Any]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.divsi": _div,
    "arith.remsi": _rem,
    "arith.floordivsi": int.__floordiv__,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.shrsi": int.__rshift__,
    "arith.andi": int.__and__,
    "arith.xori": int.__xor__,
    "arith.extsi": _same,
    "arith.trunci": _same,
    "arith.index_cast": _same,
    "arith.addf": operator.add,
    "arith.mulf": operator.mul,
    "arith.sitofp": float,
    "arith.fptosi": int,
    "arith.select": _select,
    "math.sqrt": math.sqrt,
    "math.absi": abs,
    "nn.isqrt": math.isqrt,
}
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def _wrapped(value: Any, type: Any, op: Operation) -> Any:
    if not isinstance(type, IntegerType):
        return value
    width = cast(int, cast(Any, type).width.data)
    wrapped = (int(value) + (1 << (width - 1))) % (1 << width) - (1 << (width - 1)) if width > 1 else int(value) & 1
    flags = op.properties.get("overflowFlags")
    assert wrapped == value or flags is None or "nsw" not in str(flags), f"{op} overflows: {value}"
    return wrapped


def _scalar(op: Operation, operands: Sequence[Any]) -> Any:
    match op:
        case arith.ConstantOp():
            return cast(Any, op).value.value.data
        case arith.CmpiOp():
            return int(COMPARISONS[op.predicate.value.data](*operands))
        case arith.ExtUIOp():
            return operands[0] % (1 << cast(Any, op.input.type).width.data)
        case _:
            return _wrapped(SCALARS[op.name](*operands), op.results[0].type, op)


def _subview(op: memref.SubviewOp, source: Array) -> Array:
    ends = zip(op.static_offsets.get_values(), op.static_sizes.get_values(), strict=True)
    return source[tuple(slice(int(offset), int(offset) + int(size)) for offset, size in ends)]


def run_block(block: Block, values: dict[SSAValue, Any]) -> list[Any]:
    """Run a block's ops, with `values` for what they take from outside, and return what its terminator takes."""
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        match op:
            case scf.YieldOp() | func.ReturnOp():
                return operands
            case scf.ForOp():
                results = operands[3:]
                for index in range(operands[0], operands[1], operands[2]):
                    results = run_block(
                        op.body.block, values | dict(zip(op.body.block.args, [index, *results], strict=True))
                    )
            case scf.IfOp():
                region = op.true_region if operands[0] else op.false_region
                results = run_block(region.block, dict(values))
            case memref.LoadOp():
                results = [operands[0][_checked(operands[0], operands[1:])].item()]
            case memref.StoreOp():
                operands[1][_checked(operands[1], operands[2:])] = operands[0]
                results = []
            case memref.CopyOp():
                operands[1][...] = operands[0]
                results = []
            case memref.AllocOp() | memref.ExpandShapeOp() | memref.SubviewOp():
                results = [_buffer(op, operands)]
            case _:
                results = [_scalar(op, operands)]
        values |= zip(op.results, results, strict=True)
    raise AssertionError("no terminator")


def _buffer(op: Operation, operands: Sequence[Any]) -> Array:
    type = cast(Any, op.results[0].type)
    if isinstance(op, memref.AllocOp):
        return np.full(cast(Sequence[int], type.get_shape()), 77, numpy_type(type.get_element_type()))
    return _subview(op, operands[0]) if isinstance(op, memref.SubviewOp) else operands[0].reshape(type.get_shape())


def _checked(array: Array, indices: Sequence[int]) -> tuple[int, ...]:
    assert all(0 <= index < extent for index, extent in zip(indices, array.shape, strict=True)), (indices, array.shape)
    return tuple(indices)


ELEMENTS = {"int8": "i8", "int32": "i32", "int64": "i64", "float32": "f32"}


def typed(array: Array) -> str:
    """Return the memref type of an array."""
    return f"memref<{''.join(f'{n}x' for n in array.shape)}{ELEMENTS[array.dtype.name]}>"
