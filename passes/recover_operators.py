"""The pass `recover-operators`: recognise operators that exporters decompose into primitives (idiom recognition)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.onnx.schema import is_constant
from ..ir import functions, fused_location
from .core.base import Pass
from .lowering import load_rules as load_lowerings
from .lowering.lowerer import LOWERINGS
from .recover import load_rules
from .recover.pattern import Chains, Match, matches, roots
from .recover.rules import RULES, RecoveryRule


def recover_operators(function: func.FuncOp, rules: Sequence[RecoveryRule]) -> None:
    """Replace matches of patterns by operators, in reverse program order, so that the largest match wins."""
    by_root: dict[str, list[RecoveryRule]] = {}
    for rule in rules:
        for name in roots(rule.pattern):
            by_root.setdefault(name, []).append(rule)
    ops = nested_ops(function)
    order = {op: position for position, op in enumerate(ops)}
    for op in reversed(ops):
        if op.parent is not None:
            _recover(op, by_root.get(op.name, []), order)


def _recover(root: Operation, rules: Sequence[RecoveryRule], order: dict[Operation, int]) -> None:
    chains = Chains()
    for rule in rules:
        for match in matches(rule.pattern, root, chains):
            value = rule.build(match, root)
            if value is not None:
                _replace(root, value, match, order)
                return


def _replace(root: Operation, value: SSAValue, match: Match, order: dict[Operation, int]) -> None:
    """Replace a root by a value, and erase the matched ops in reverse order."""
    ops = sorted(match.ops, key=lambda op: order[op])
    replacement = value.owner
    assert isinstance(replacement, Operation)
    replacement.location = fused_location(op.location for op in ops)
    value.name_hint = root.results[0].name_hint
    constants = {operand.owner for op in ops for operand in op.operands}
    Rewriter.replace_op(root, [], [value])
    for op in reversed(ops):
        if op is not root:
            Rewriter.erase_op(op)
    for op in constants:
        if isinstance(op, Operation) and is_constant(op) and not op.results[0].uses:
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class RecoverOperatorsPass(Pass):
    """
    Recognise normalisations, activations, rotary embedding and attention decomposed into primitives.

    `lowered` selects only operators with a lowering of their own; decompose-functions would decompose others again.
    """

    name = "recover-operators"

    lowered: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules()
        load_lowerings()
        rules = [rule for rule in RULES if not self.lowered or f"onnx.{rule.operator}" in LOWERINGS]
        for function in functions(op):
            recover_operators(function, rules)
