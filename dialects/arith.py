"""
Upstream's `arith`: xDSL's with the ops that it lacks.

    %r = arith.remf %a, %b : f32
    %i = arith.index_castui %n : i32 to index

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/ArithOps/.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, get_args

from xdsl.dialects import arith
from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.dialects.builtin import AnyFloat, AnyFloatConstr, IndexType, IntegerType, TensorType, VectorType, i1
from xdsl.irdl import IRDLOperation, OperandDef, ResultDef, base, eq, irdl_op_definition, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ..ir import Array
from .core.extended import extended, verify_by
from .core.index_cast import IndexCastUIOp
from .core.semantics import scalar
from .core.syntax.comparisons import truth_type


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """
    The remainder of a division of floats that is rounded toward zero, exact, with the sign of the dividend: C's fmod.

        %r = arith.remf %a, %b : f32
    """

    name = "arith.remf"
    traits = traits_def(Pure())


@scalar(RemFOp)
def _remf(op: RemFOp, a: Array, b: Array) -> Array:
    import numpy as np

    return np.fmod(a, b)


def _elementwise(constraint: Any) -> Any:
    """Return the constraint of scalars that meet another one, and of vectors and tensors of them."""
    return constraint | VectorType.constr(constraint) | TensorType.constr(constraint)


def _element_and_shape(type: Any) -> tuple[Any, tuple[int, ...] | None]:
    if type.name not in (VectorType.name, TensorType.name):
        return type, None
    return type.get_element_type(), type.get_shape()


def _take_containers(cast: type[IRDLOperation]) -> None:
    """Let a conversion take vectors and tensors, which it converts element by element."""
    definition, kind = cast.get_irdl_definition(), _KINDS[cast]
    definition.operands[:] = [(name, OperandDef(_elementwise(_SCALARS))) for name, _ in definition.operands]
    definition.results[:] = [(name, ResultDef(_elementwise(_SCALARS))) for name, _ in definition.results]

    def verify(op: Any) -> None:
        types = [op.operands[0].type, op.results[0].type]
        (source, before), (target, after) = map(_element_and_shape, types)
        if before != after:
            raise VerifyException(f"expected operand and result of one shape, got {types[0]} and {types[1]}")
        if not isinstance(source, kind.operands) or not isinstance(target, kind.results):
            raise VerifyException(f"'{op.name}' does not convert {source} to {target}")
        if message := kind.refusal(source, target):
            raise VerifyException(message)

    verify_by(cast, verify)


def _not_wider(source: Any, target: Any) -> str:
    is_wider = target.width.data > source.width.data
    return "" if is_wider else "Destination bit-width must be larger than the input bit-width"


def _not_narrower(source: Any, target: Any) -> str:
    is_narrower = target.width.data < source.width.data
    return "" if is_narrower else "Destination bit-width must be smaller than the input bit-width"


def _not_one_index(source: Any, target: Any) -> str:
    is_one = isinstance(source, IndexType) != isinstance(target, IndexType)
    return "" if is_one else f"expected one index, got {source} and {target}"


def _nothing(source: Any, target: Any) -> str:
    return ""


class _Conversion(NamedTuple):
    """The classes of a conversion's elements, before and after, and why it refuses such types, if it does."""

    operands: Any
    results: Any
    refusal: Callable[[Any, Any], str] = _nothing


_SCALARS = base(IntegerType) | base(IndexType) | AnyFloatConstr
_FLOATS = get_args(AnyFloat)
_INTEGERS = (IntegerType,)
_ADDRESSES = (IntegerType, IndexType)
_KINDS: dict[type[IRDLOperation], _Conversion] = {
    arith.ExtSIOp: _Conversion(_INTEGERS, _INTEGERS, _not_wider),
    arith.ExtUIOp: _Conversion(_INTEGERS, _INTEGERS, _not_wider),
    arith.TruncIOp: _Conversion(_INTEGERS, _INTEGERS, _not_narrower),
    arith.SIToFPOp: _Conversion(_INTEGERS, _FLOATS),
    arith.UIToFPOp: _Conversion(_INTEGERS, _FLOATS),
    arith.FPToSIOp: _Conversion(_FLOATS, _INTEGERS),
    arith.FPToUIOp: _Conversion(_FLOATS, _INTEGERS),
    arith.IndexCastOp: _Conversion(_ADDRESSES, _ADDRESSES, _not_one_index),
    IndexCastUIOp: _Conversion(_ADDRESSES, _ADDRESSES, _not_one_index),
}
"""Conversion of `arith` -> what it converts."""

for _cast in _KINDS:
    _take_containers(_cast)


def _verify_comparison(op: arith.CmpiOp | arith.CmpfOp) -> None:
    if op.result.type != (expected := truth_type(op.lhs.type)):
        raise VerifyException(f"expected a result of {expected}, got {op.result.type}")


for _comparison in (arith.CmpiOp, arith.CmpfOp):
    _results = _comparison.get_irdl_definition().results
    _results[:] = [(name, ResultDef(_elementwise(eq(i1)))) for name, _ in _results]
    verify_by(_comparison, _verify_comparison)


def _verify_select(op: arith.SelectOp) -> None:
    _, shape = _element_and_shape(op.cond.type)
    if shape is not None and shape != _element_and_shape(op.result.type)[1]:
        raise VerifyException(f"expected a condition of the shape of {op.result.type}, got {op.cond.type}")


_select = arith.SelectOp.get_irdl_definition().operands
_select[0] = ("cond", OperandDef(_elementwise(eq(i1))))
verify_by(arith.SelectOp, _verify_select)


ARITH = extended(Arith, [RemFOp, IndexCastUIOp])
