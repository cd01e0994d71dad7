"""
Corrections of xDSL's rewrite patterns, in place, and of what all of them do with locations.

xDSL 0.74 raises OverflowError where a folded float overflows its type, folds indices beyond 64 bits, follows cycles of
branches without end, merges blocks that nothing reaches, and gives ops that it makes no location. docs/xdsl.md lists
the faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects import arith, cf, memref
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, LocationAttr, UnknownLoc
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.transforms.canonicalization_patterns import arith as arith_patterns
from xdsl.transforms.canonicalization_patterns import cf as cf_patterns
from xdsl.transforms.canonicalization_patterns import memref as memref_patterns

from ...dialects.core.analysis.arithmetic import wrapped
from ...dialects.core.body import scalar_attr
from ...dialects.core.nesting import nested_ops
from ...dialects.core.verification.dominance import reachable_blocks
from ...errors import Diagnostic
from ...ir import numpy_type

_Branch: TypeAlias = tuple[Block, Sequence[SSAValue]]


# Floats


_FLOAT_OPS: dict[type[Operation], Callable[[Any, Any], Any]] = {
    arith.AddfOp: np.add,
    arith.DivfOp: np.divide,
    arith.MulfOp: np.multiply,
    arith.SubfOp: np.subtract,
}


def fold_floats(kind: type[Operation], lhs: FloatAttr[AnyFloat], rhs: FloatAttr[AnyFloat]) -> arith.ConstantOp | None:
    """Fold an op of two floats, rounded to their type as IEEE 754 says; None where the type has no arithmetic here."""
    try:
        dtype = numpy_type(lhs.type)
    except Diagnostic:
        return None
    if kind not in _FLOAT_OPS:
        return None
    with np.errstate(all="ignore"):
        result = _FLOAT_OPS[kind](dtype.type(lhs.value.data), dtype.type(rhs.value.data))
    return arith.ConstantOp(scalar_attr(float(result), lhs.type))


# Indices


def _folding_indices(fold: Callable[[Any], Sequence[Any] | None]) -> Callable[[Any], Sequence[Any] | None]:
    """Return the folder of an op so that indices wrap around at 64 bits."""

    @wraps(fold)
    def fold_wrapped(op: Operation) -> Sequence[Any] | None:
        results = fold(op)
        return results and tuple(_wrapped_index(each) for each in results)

    return fold_wrapped


def _wrapped_index(result: Any) -> Any:
    if not isinstance(result, IntegerAttr) or not isinstance(cast(Any, result).type, IndexType):
        return cast(Any, result)
    number = cast("IntegerAttr[IndexType]", result)
    return IntegerAttr(wrapped(number.value.data, number.type), number.type)


def _constant(value: Any, value_type: Any, *, truncate_bits: bool = False) -> arith.ConstantOp:
    """Return a constant as `arith.ConstantOp.from_int_and_width` does; an index that is truncated has 64 bits."""
    number = IntegerAttr(value, value_type, truncate_bits=truncate_bits)
    return arith.ConstantOp(_wrapped_index(number) if truncate_bits else number)


# Branches


def collapse_branch(successor: Block, operands: Sequence[SSAValue]) -> _Branch | None:
    """
    Return the block and operands that a branch to a block that only branches leads to; None for other blocks.

    A cycle of such blocks is an infinite loop of the program: branches into it stay as they are.
    """
    return _step(successor, operands) if not _leads_into_cycle(successor) else None


def _step(block: Block, operands: Sequence[SSAValue]) -> _Branch | None:
    """Return the successor of a block that only branches, and the operands of that branch; None for other blocks."""
    branch = block.first_op
    if not isinstance(branch, cf.BranchOp):
        return None
    if any(use.operation is not branch for argument in block.args for use in argument.uses):
        return None
    values = dict(zip(block.args, operands, strict=True))
    return branch.successor, tuple(values.get(cast(Any, operand), operand) for operand in branch.operands)


def _leads_into_cycle(block: Block) -> bool:
    """Return whether blocks that only branch lead from a block to one of themselves."""
    visited: set[Block] = set()
    while isinstance(branch := block.first_op, cf.BranchOp):
        if block in visited:
            return True
        visited.add(block)
        block = branch.successor
    return False


def _is_reachable(op: Operation) -> bool:
    """Return whether control flow reaches an op's block: in others, values may depend on themselves."""
    block = op.parent_block()
    return block is not None and block.parent is not None and block in reachable_blocks(block.parent)


# Conditions of patterns


def _keeps_type(op: Operation) -> bool:
    """Return whether the folded subview has the type of the op, which may say less of its layout."""
    source = op.operands[0].owner
    if not isinstance(op, memref.SubviewOp) or not isinstance(source, memref.SubviewOp):
        return True
    if [*op.operands[1:], *source.operands[1:]]:
        return True  # xDSL's pattern leaves these alone
    offsets = zip(op.static_offsets.iter_values(), source.static_offsets.iter_values(), strict=False)
    whole = memref.SubviewOp.from_static_parameters(
        source.source,
        cast(Any, source.source.type),
        [sum(pair) for pair in offsets],
        op.static_sizes.get_values(),
        op.static_strides.get_values(),
        reduce_rank=len(cast(Any, source.source.type).shape) != len(cast(Any, op.result.type).shape),
    )
    return whole.result.type == op.result.type


def _only_if(pattern: type[RewritePattern], condition: Callable[[Operation], bool]) -> None:
    """Apply a pattern only to ops for which a condition holds."""
    rewrite = pattern.match_and_rewrite

    @wraps(rewrite)
    def match_and_rewrite(self: RewritePattern, op: Operation, rewriter: PatternRewriter) -> None:
        if condition(op):
            rewrite(self, op, rewriter)

    setattr(pattern, "match_and_rewrite", match_and_rewrite)


# Locations


def _locate(ops: Operation | Iterable[Operation], location: LocationAttr) -> None:
    """Give ops, and those inside of them, a location where they have none."""
    for root in (ops,) if isinstance(ops, Operation) else ops:
        for op in nested_ops(root):
            if isinstance(op.location, UnknownLoc):
                op.location = location


def _insert(self: PatternRewriter, op: Any, insertion_point: Any = None) -> Any:
    """Insert ops; those without a location get that of the op that is rewritten."""
    matched = self._current_operation  # pyright: ignore[reportPrivateUsage]
    if matched is not None:
        _locate(op, matched.location)
    self.has_done_action = True
    return Builder.insert(self, op, insertion_point)


def _locating(replace: Callable[..., None]) -> Callable[..., None]:
    """Return `PatternRewriter.replace` so that new ops without a location get that of the op that they replace."""

    @wraps(replace)
    def replace_located(self: PatternRewriter, op: Operation, new_ops: Any, *rest: Any, **options: Any) -> None:
        _locate(new_ops, op.location)
        replace(self, op, new_ops, *rest, **options)

    return replace_located


_BRANCHES = (
    cf_patterns.SimplifyBrToBlockWithSinglePred,
    cf_patterns.SimplifyPassThroughBr,
    cf_patterns.SimplifyPassThroughCondBranch,
    cf_patterns.SimplifyPassThroughSwitch,
)


@cache
def correct_rewrites() -> None:
    """Correct the rewrite patterns of xDSL."""
    setattr(arith_patterns, "_fold_const_operation", fold_floats)
    setattr(arith.ConstantOp, "from_int_and_width", staticmethod(_constant))
    fold = arith.SignlessIntegerBinaryOperation.fold
    setattr(arith.SignlessIntegerBinaryOperation, "fold", _folding_indices(fold))
    setattr(cf_patterns, "collapse_branch", collapse_branch)
    for pattern in _BRANCHES:
        _only_if(pattern, _is_reachable)
    _only_if(memref_patterns.MemRefSubviewOfSubviewFolding, _keeps_type)
    setattr(PatternRewriter, "insert", _insert)
    setattr(PatternRewriter, "replace", _locating(PatternRewriter.replace))
