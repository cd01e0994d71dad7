"""Conditions under which xDSL's rewrites of kernels, and of sums of many operands, are right."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, varith
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.dialects.linalg import attrs
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.utils.type import get_element_type_or_self

from ...dialects.core.nesting import nested_ops
from ...errors import Diagnostic
from ...ir import where


def is_fusable(op: Operation) -> bool:
    """Return whether a product and its sums are of float vectors of one type: xDSL writes a kernel of those alone."""
    if not isinstance(op, linalg.MulOp) or not op.res:
        return True
    users = [use.operation for use in op.res[0].uses if isinstance(use.operation, linalg.AddOp)]
    types = {value.type for user in (op, *users) for value in (*user.operands, *user.results)}
    type = next(iter(types))
    return len(types) == 1 and isinstance(type, TensorType) and _is_float_vector(cast("TensorType[Any]", type))


def _is_float_vector(type: TensorType[Any]) -> bool:
    return len(type.get_shape()) == 1 and isinstance(type.element_type, AnyFloat)


def is_streamable(op: Operation) -> bool:
    """Return True. Raises Diagnostic for a kernel that `memref_stream` cannot express."""
    if not isinstance(op, linalg.GenericOp) or op.res:
        return True
    kinds = [iterator.data for iterator in op.iterator_types]
    reductions = [kind is not attrs.IteratorType.PARALLEL for kind in kinds]
    if reductions != sorted(reductions):
        raise Diagnostic(
            "memref_stream has no kernel whose parallel axes follow its reductions",
            where=where(op),
            expected="parallel axes first",
            found=", ".join(kinds),
            remedy="interchange the axes in the indexing maps",
        )
    if any(isinstance(inner, linalg.IndexOp) for inner in nested_ops(op)):
        raise Diagnostic("memref_stream has no kernel that reads its indices", where=where(op), found="linalg.index")
    return True


def keeps_order(op: Operation) -> bool:
    """
    Return whether a sum or product may be merged into one of many operands without another order of float operations.

    `varith.add a, b, c` is (a + b) + c: of floats the first operand alone may be taken apart.
    """
    if not op.results or not isinstance(get_element_type_or_self(op.results[0].type), AnyFloat):
        return True
    if isinstance(op, varith.VarithAddOp | varith.VarithMulOp):
        return not any(_is_of_kind(operand, op) for operand in op.operands[1:])
    user = op.results[0].get_user_of_unique_use()
    return not isinstance(user, varith.VarithAddOp | varith.VarithMulOp) or user.operands[0] is op.results[0]


def _is_of_kind(value: SSAValue, op: Operation) -> bool:
    kind = arith.AddfOp if isinstance(op, varith.VarithAddOp) else arith.MulfOp
    return isinstance(value.owner, kind | type(op))


def adds_integers(op: Operation) -> bool:
    """Return whether a sum is of integers: of floats, 4 * x differs from ((x + x) + x) + x."""
    return not isinstance(op, varith.VarithAddOp) or not isinstance(get_element_type_or_self(op.res.type), AnyFloat)
