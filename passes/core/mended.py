"""
Corrections of xDSL's rewrite patterns, in place, and of the locations of rewritten ops.

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
from xdsl.context import Context
from xdsl.dialects import arith, cf, complex, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    UnknownLoc,
    i64,
)
from xdsl.dialects.complex import ComplexBinaryOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import OptSingleBlockRegionDef, SingleBlockRegionDef, VarSingleBlockRegionDef
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import ConstantLike
from xdsl.traits import is_speculatable as xdsl_is_speculatable
from xdsl.transforms import (
    control_flow_hoist,
    convert_linalg_to_memref_stream,
    convert_scf_to_cf,
    linalg_transformations,
    loop_invariant_code_motion,
    scf_for_loop_range_folding,
    scf_for_loop_unroll,
    varith_transformations,
)
from xdsl.transforms.canonicalization_patterns import arith as arith_patterns
from xdsl.transforms.canonicalization_patterns import cf as cf_patterns
from xdsl.transforms.canonicalization_patterns import memref as memref_patterns
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.dead_code_elimination import region_dce
from xdsl.transforms.mlir_opt import MLIROptPass
from xdsl.utils.hints import isa

from ...dialects.core.analysis.arithmetic import wrapped
from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import scalar_attr
from ...dialects.core.speculation import is_defined
from ...dialects.core.verification.dominance import reachable_blocks
from ...errors import Diagnostic
from ...ir import numpy_type, where
from .mended_kernels import adds_integers, is_fusable, is_streamable, keeps_order
from .mended_optimizer import run_optimizer

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
        return results and tuple(_wrapped_index(result) for result in results)

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


def fold_complex(op: ComplexBinaryOp) -> tuple[Attribute] | None:
    """
    Fold an op of two complex constants; None where there is no such constant.

    Sums, differences and products are rounded after each step to the type, as the ops that they lower to.
    """
    constants = [ConstantLike.get_constant_value(operand) for operand in op.operands]
    if not all(isa(constant, ArrayAttr[FloatAttr]) for constant in constants):
        return None
    parts = [part for constant in cast("list[ArrayAttr[FloatAttr[AnyFloat]]]", constants) for part in constant.data]
    try:
        dtype = numpy_type(parts[0].type)
    except Diagnostic:
        return None
    number = float if isinstance(op, complex.DivOp) else dtype.type
    values = [number(part.value.data) for part in parts]
    with np.errstate(all="ignore"):
        result = op.py_operation(cast(Any, values[:2]), cast(Any, values[2:]))
        rounded = [float(dtype.type(value)) for value in result or ()]
    return (ArrayAttr([scalar_attr(value, parts[0].type) for value in rounded]),) if rounded else None


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


def _canonicalize(apply: Callable[..., None]) -> Callable[..., None]:
    """Return xDSL's canonicalisation so that blocks that nothing reaches are gone before patterns rewrite them."""

    @wraps(apply)
    def apply_to_reachable(self: CanonicalizePass, ctx: Context, op: ModuleOp) -> None:
        region_dce(op.body)
        apply(self, ctx, op)

    return apply_to_reachable


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


# Speculation


def is_speculatable(op: Operation) -> bool:
    """Return whether an op, with those inside of it, may run where the program does not run it."""
    return xdsl_is_speculatable(op) and all(is_defined(inner) for inner in nested_ops(op))


# Loops

_MOST_UNROLLED = 100_000
"""Ops that unrolling a loop may make: 14 s at 0.14 ms to make and print each."""


def _may_be_unrolled(op: Operation) -> bool:
    """Return whether a loop counts up. Raises Diagnostic for one with too many iterations to unroll."""
    if not isinstance(op, scf.ForOp):
        return True
    low, high, step = map(constant_integer, (op.lb, op.ub, op.step))
    if low is None or high is None or step is None:
        return True
    size = len(range(low, high, step)) * len(nested_ops(op.body)) if step > 0 else 0
    if size > _MOST_UNROLLED:
        expected = f"at most {_MOST_UNROLLED:,} ops"
        raise Diagnostic("the loop is too long to unroll", where=where(op), expected=expected, found=f"{size:,} ops")
    return step > 0


_ONE_BLOCK = (SingleBlockRegionDef, OptSingleBlockRegionDef, VarSingleBlockRegionDef)


def _may_become_branches(op: Operation) -> bool:
    """Return True. Raises Diagnostic for structured control flow in an op whose regions are one block each."""
    parent = op.parent_op()
    if isinstance(op, scf.IfOp | scf.ForOp | scf.IndexSwitchOp) and isinstance(parent, IRDLOperation):
        if any(isinstance(region, _ONE_BLOCK) for _, region in parent.get_irdl_definition().regions):
            message = f"'{op.name}' in '{parent.name}' cannot become branches"
            remedy = f"lower '{parent.name}' before, or move its body to a function"
            raise Diagnostic(message, where=where(op), expected="a region of several blocks", remedy=remedy)
    return True


def _counts_indices(op: Operation) -> bool:
    """Return whether a loop is one of indices: sums of bounds of narrower integers may wrap."""
    return not isinstance(op, scf.ForOp) or isinstance(op.lb.type, IndexType)


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
    setattr(ComplexBinaryOp, "fold", fold_complex)
    setattr(cf_patterns, "collapse_branch", collapse_branch)
    setattr(CanonicalizePass, "apply", _canonicalize(CanonicalizePass.apply))
    setattr(MLIROptPass, "apply", run_optimizer)
    for pattern in (convert_scf_to_cf.IfLowering, convert_scf_to_cf.ForLowering, convert_scf_to_cf.SwitchLowering):
        _only_if(pattern, _may_become_branches)
    _only_if(scf_for_loop_unroll.UnrollLoopPattern, _may_be_unrolled)
    _only_if(scf_for_loop_range_folding.ScfForLoopRangeFolding, _counts_indices)
    _only_if(linalg_transformations.FuseMultiplyAddPass, is_fusable)
    _only_if(convert_linalg_to_memref_stream.ConvertGenericOpPattern, is_streamable)
    _only_if(varith_transformations.ArithToVarithPattern, keeps_order)
    _only_if(varith_transformations.MergeVarithOpsPattern, keeps_order)
    _only_if(varith_transformations.FuseRepeatedAddArgsPattern, adds_integers)
    setattr(convert_scf_to_cf, "i32", i64)  # the type of the flag of cf.switch: an index may have more bits
    for module in (control_flow_hoist, loop_invariant_code_motion):
        setattr(module, "is_speculatable", is_speculatable)
    for pattern in _BRANCHES:
        _only_if(pattern, _is_reachable)
    _only_if(memref_patterns.MemRefSubviewOfSubviewFolding, _keeps_type)
    setattr(PatternRewriter, "insert", _insert)
    setattr(PatternRewriter, "replace", _locating(PatternRewriter.replace))
