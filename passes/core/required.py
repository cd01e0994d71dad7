"""
Preconditions of xDSL's passes: programs that they would convert to invalid IR are refused, at the op that is the cause.

docs/xdsl.md lists the passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, func, math, memref, pdl, scf
from xdsl.dialects.builtin import AnyFloat, ModuleOp, TensorType, UnrealizedConversionCastOp, f64
from xdsl.ir import Operation
from xdsl.traits import SymbolTable
from xdsl.utils.type import get_element_type_or_self

from ...dialects.core.nesting import nested_ops
from ...errors import Diagnostic
from ...ir import where


@dataclass(frozen=True)
class Requirement:
    """Condition of a pass on each op of a module, and its text."""

    holds: Callable[[Operation], bool]
    expected: str


def _is_closed(op: Operation) -> bool:
    """Return whether an op of a function uses no value of the function in its regions."""
    if not isinstance(op.parent_op(), func.FuncOp) or not op.regions:
        return True
    inner = [nested for nested in nested_ops(op) if nested is not op]
    return all(op.is_ancestor(operand.owner) for nested in inner for operand in nested.operands)


def _yields_to_loop(op: Operation) -> bool:
    return not isinstance(op, scf.YieldOp) or isinstance(op.parent_op(), scf.ForOp)


def _is_pattern(op: Operation) -> bool:
    if not isinstance(op, func.FuncOp):
        return True
    has_operation = any(isinstance(inner, pdl.OperationOp) for inner in nested_ops(op))
    return has_operation and all(isinstance(type, pdl.OperationType) for type in op.function_type.inputs)


def _is_double(op: Operation) -> bool:
    return not isinstance(op, math.CopySignOp | arith.MaximumfOp | math.AbsFOp) or op.results[0].type == f64


_ON_DESCRIPTORS = (memref.SubviewOp, memref.CopyOp, UnrealizedConversionCastOp)


def _may_use_descriptors(op: Operation) -> bool:
    """Return whether an op is not one of a buffer that becomes a descriptor, or may be one of the descriptor."""
    owners = [operand.owner for operand in op.operands]
    if not any(isinstance(owner, memref.AllocOp | memref.SubviewOp) for owner in owners):
        return True
    if isinstance(op, memref.LoadOp):
        return isinstance(owners[0], memref.AllocOp)
    return isinstance(op, _ON_DESCRIPTORS) or op.dialect_name() in ("csl", "csl_wrapper", "csl_stencil", "test")


def _is_float_product(op: Operation) -> bool:
    if op.name != "linalg.matmul":
        return True
    elements = {get_element_type_or_self(operand.type) for operand in op.operands}
    return len(elements) == 1 and isinstance(elements.pop(), AnyFloat)


def _keeps_arguments(op: Operation) -> bool:
    """Return whether an op does not call a function that gets one more argument: a declaration gets none."""
    callee = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, func.CallOp) else None
    return not isinstance(callee, func.FuncOp) or callee.is_declaration


def _is_in_stencil(op: Operation) -> bool:
    """Return whether an op is not one of tensors, or is one in a stencil."""
    if not any(isinstance(type, TensorType) for type in (*op.operand_types, *op.result_types)):
        return True
    parent: Operation | None = op
    while parent is not None and "stencil" not in parent.dialect_name():
        parent = parent.parent_op()
    return parent is not None


REQUIREMENTS: dict[str, Requirement] = {
    "convert-scf-to-riscv-scf": Requirement(_yields_to_loop, "scf.for alone"),
    "convert-scf-to-x86-scf": Requirement(_yields_to_loop, "scf.for alone"),
    "eqsat-create-egraphs": Requirement(_is_closed, "regions that use no value of the function"),
    "func-to-pdl-rewrite": Requirement(_is_pattern, "functions of !pdl.operation that hold a pdl.operation"),
    "memref-to-dsd": Requirement(
        _may_use_descriptors, "csl, memref.subview, memref.copy, and loads of what is allocated"
    ),
    "replace-incompatible-fpga": Requirement(_is_double, "f64"),
    "stencil-tensorize-z-dimension": Requirement(_is_in_stencil, "tensors in stencil.apply alone"),
    "test-add-timers-to-top-level-funcs": Requirement(_keeps_arguments, "functions that the module does not call"),
    "test-vectorize-matmul": Requirement(_is_float_product, "matrices of one float type"),
}
"""Name of a pass of xDSL -> what it requires of a program."""


def check_requirement(name: str, module: ModuleOp) -> None:
    """Raise Diagnostic at the first op for which a pass of xDSL makes IR that does not verify."""
    requirement = REQUIREMENTS.get(name)
    if requirement is None:
        return
    for op in nested_ops(module):
        if not requirement.holds(op):
            message = f"pass '{name}' of xDSL has no valid result for '{op.name}' here"
            raise Diagnostic(message, where(op), expected=requirement.expected)
