"""Canonicalisation: local simplifications at any level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from ..dialects.core.kernel import is_kernel, kernel_of
from ..dialects.core.kernel_op import KernelOp
from ..dialects.core.nesting import nested_ops
from ..errors import Diagnostic
from ..ir import numbers_of, shape_of
from ..runtime.interpreter import load_rules
from .core.actions import PATTERN, reported
from .core.base import Pass
from .core.dead_code import erase_dead
from .core.greedy import NO_LIMIT, GreedyRewriter, PatternFilter, apply_greedily
from .core.mended import correct_rewrites
from .core.reshapes import collapse, expand, reassociate
from .core.statistics import Statistic, statistic
from .fuse_epilogues import is_elementwise, is_identity
from .lowering.simplify import simplify_body

_RESHAPES = (tensor.CollapseShapeOp, tensor.ExpandShapeOp)


def canonicalize_tensors(module: ModuleOp, rewriter: GreedyRewriter) -> None:
    """
    Simplify kernels and views of tensors: bodies, copies, reshapes, transposes that move nothing, dead kernels.

    `rewriter` counts the rewrites and erased ops, and says which rules are applied.
    """
    rules = {label: rule for label, rule in _RULES.items() if rewriter.patterns.admits(label)}
    for op in nested_ops(module):
        if op.parent is None and op is not module:
            continue
        rewriter.rewritten += any(reported(PATTERN, label, op, partial(rule, op)) for label, rule in rules.items())
    rewriter.erased += erase_dead(nested_ops(module))


def _drop_empty_kernel(op: Operation) -> bool:
    """Fold a kernel whose results have no elements to its outputs."""
    if not is_kernel(op) or not op.results or any(0 not in shape_of(result) for result in op.results):
        return False
    Rewriter.replace_op(op, [], [access.value for access in kernel_of(op).outputs])
    return True


def _simplify_kernel(op: Operation) -> bool:
    """Simplify a kernel's body and epilogue; fold an elementwise identity to its operand."""
    if not is_kernel(op):
        return False
    for region in op.regions:
        if region.blocks:
            while simplify_body(region.block):
                pass
    if isinstance(op, KernelOp) and op.epilogue is not None:
        return _drop_idle_epilogue(op)
    return _forward_copy(op)


def _drop_idle_epilogue(op: KernelOp) -> bool:
    block = op.epilogue.block if op.epilogue else None
    terminator = block.last_op if block else None
    if block is None or terminator is None or terminator.operands[0] is not block.args[0]:
        return False
    bare = op.create_from(
        op.inputs, [], op.outputs, {k: v for k, v in op.properties.items() if k not in _EPILOGUE}, [[]], op.attributes
    )
    bare.location = op.location
    Rewriter.replace_op(op, bare)
    return True


_EPILOGUE = ("operandSegmentSizes", "epilogue_maps")


def _forward_copy(op: Operation) -> bool:
    if not is_elementwise(op):
        return False
    generic = cast(linalg.GenericOp, op)
    terminator = generic.body.block.last_op
    assert terminator is not None
    arguments = list(generic.body.block.args)
    if len(generic.results) != 1 or terminator.operands[0] not in arguments[:-1]:
        return False
    index = next(i for i, argument in enumerate(arguments) if argument is terminator.operands[0])
    source = generic.inputs[index]
    if source.type != generic.results[0].type or not is_identity(generic.indexing_maps.data[index].data):
        return False
    if _returns_argument(source, generic.results[0]):
        return False
    Rewriter.replace_op(op, [], [source])
    return True


def _returns_argument(source: SSAValue, copy: SSAValue) -> bool:
    """Return whether a copy, with reshapes around it, is that of an argument to a result: a kernel, which has tiles."""
    while isinstance(source, OpResult) and isinstance(source.op, _RESHAPES):
        source = source.op.operands[0]
    users = [use.operation for use in copy.uses]
    while len(users) == 1 and isinstance(users[0], _RESHAPES):
        users = [use.operation for use in users[0].results[0].uses]
    return isinstance(source, BlockArgument) and any(isinstance(user, func.ReturnOp) for user in users)


def _merge_reshapes(op: Operation) -> bool:
    """Merge two reshapes into one; fold a reshape to the original shape."""
    if not isinstance(op, _RESHAPES):
        return False
    source, result = op.operands[0], op.results[0]
    if not isinstance(source, OpResult) or not isinstance(source.op, _RESHAPES):
        return False
    origin = source.op.operands[0]
    if origin.type == result.type:
        Rewriter.replace_op(op, [], [origin])
        return True
    return _view_as(op, origin)


def _view_as(op: Operation, origin: SSAValue) -> bool:
    """Replace an op by one reshape of `origin` to its result's shape; return False if there is none."""
    old, new = list(shape_of(origin)), list(shape_of(op.results[0]))
    groups = reassociate(old, new)
    if not groups:
        return False
    view = (collapse if len(old) > len(new) else expand)(origin, groups, op.results[0].type)
    view.location = op.location
    Rewriter.replace_op(op, view)
    return True


def _merge_transposes(op: Operation) -> bool:
    """Merge two transposes; convert one that moves only unit axes to a reshape."""
    if not isinstance(op, linalg.TransposeOp) or not op.results:
        return False
    order = list(numbers_of(op.properties["permutation"]))
    source = op.operands[0]
    if isinstance(source, OpResult) and isinstance(source.op, linalg.TransposeOp):
        inner = numbers_of(source.op.properties["permutation"])
        order = [inner[axis] for axis in order]
        op.operands[0] = source = source.op.operands[0]
        op.properties["permutation"] = DenseArrayBase.from_list(i64, order)
    if order == list(range(len(order))):
        Rewriter.replace_op(op, [], [source])
        return True
    moved = [axis for axis in order if shape_of(source)[axis] != 1]
    return moved == sorted(moved) and _reshape_in_steps(op, source)


def _reshape_in_steps(op: Operation, source: SSAValue) -> bool:
    """Replace an op by two reshapes of `source`: one drops the unit axes, one inserts the new ones."""
    element = cast("TensorType[Any]", source.type).get_element_type()
    core = [extent for extent in shape_of(source) if extent != 1] or [1]
    for shape in (core, list(shape_of(op.results[0]))):
        old = list(shape_of(source))
        groups = reassociate(old, shape)
        if old == shape:
            continue
        if not groups:
            return False
        view = (collapse if len(old) > len(shape) else expand)(source, groups, TensorType(element, shape))
        view.location = op.location
        Rewriter.insert_op(view, InsertPoint.before(op))
        source = view.results[0]
    Rewriter.replace_op(op, [], [source])
    return True


def _whole_slice(op: Operation) -> bool:
    """Fold a slice of the whole tensor to the tensor."""
    if not isinstance(op, tensor.ExtractSliceOp) or op.operands[0].type != op.results[0].type or len(op.operands) > 1:
        return False
    if any(step != 1 for step in numbers_of(op.static_strides)):
        return False
    Rewriter.replace_op(op, [], [op.operands[0]])
    return True


def _whole_pad(op: Operation) -> bool:
    """Fold padding that adds no elements to its operand."""
    if not isinstance(op, tensor.PadOp) or op.low or op.high or op.source.type != op.result.type:
        return False
    if any([*numbers_of(op.static_low), *numbers_of(op.static_high)]):
        return False
    Rewriter.replace_op(op, [], [op.source])
    return True


_RULES: dict[str, Callable[[Operation], bool]] = {
    "DropEmptyKernel": _drop_empty_kernel,
    "SimplifyKernel": _simplify_kernel,
    "MergeTransposes": _merge_transposes,
    "MergeReshapes": _merge_reshapes,
    "WholeSlice": _whole_slice,
    "WholePad": _whole_pad,
}
"""Label -> rule, in the order in which they are tried."""


@dataclass(frozen=True)
class CanonicalizePass(Pass):
    """
    Simplify ops locally: Tilewright's rules for kernels and views of tensors, then folders and patterns of arith, scf,
    memref and cf.

    Every rule is exact, for floats too. The options are upstream's. Rewriting goes on until nothing changes, or for
    `max_iterations`, each of at most `max_num_rewrites` patterns; -1 is no limit. Ops are visited in order, or from the
    last without `top_down`. `region_simplify` erases blocks that nothing reaches, unless disabled. With
    `test_convergence` it is an error if rewriting ends before nothing changes. `disable_patterns` and `enable_patterns`
    are labels of patterns: names of their classes, and DropEmptyKernel, SimplifyKernel, MergeTransposes, MergeReshapes,
    WholeSlice and WholePad for Tilewright's rules.
    """

    name = "canonicalize"

    top_down: bool = True
    region_simplify: Literal["disabled", "normal"] = "normal"
    max_iterations: int = NO_LIMIT
    max_num_rewrites: int = NO_LIMIT
    test_convergence: bool = False
    disable_patterns: tuple[str, ...] = ()
    enable_patterns: tuple[str, ...] = ()
    folded: Statistic = statistic("Number of operations folded", "num-folded")
    rewritten: Statistic = statistic("Number of patterns applied", "num-rewritten")
    erased: Statistic = statistic("Number of dead operations erased", "num-dce'd")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        correct_rewrites()
        patterns = PatternFilter(frozenset(self.disable_patterns), frozenset(self.enable_patterns))
        rewriter = GreedyRewriter(ctx, patterns, self.max_num_rewrites)
        canonicalize_tensors(op, rewriter)
        region_dce(op.body)  # patterns must not rewrite blocks that nothing reaches
        converged = apply_greedily(
            rewriter,
            op.body,
            simplify=region_dce if self.region_simplify == "normal" else None,
            top_down=self.top_down,
            most_iterations=self.max_iterations,
        )
        self.folded.add(rewriter.folded)
        self.rewritten.add(rewriter.rewritten)
        self.erased.add(rewriter.erased)
        if self.test_convergence and not converged:
            raise Diagnostic(
                "canonicalization does not converge",
                expected="no change in the last iteration",
                found=f"changes in iteration {self.max_iterations}",
                remedy="allow more iterations with max-iterations",
            )
