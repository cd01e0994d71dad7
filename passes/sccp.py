"""
Sparse conditional constant propagation.

A dataflow analysis over executable blocks and edges, on the lattice unknown, constant, varying. Wegman and Zadeck,
"Constant Propagation with Conditional Branches", TOPLAS 13(2), 1991.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.nesting import nested_ops
from ..dialects.core.semantics import SCALAR_RULES, folded
from ..ir import functions
from ..runtime.interpreter import load_rules
from .core.base import Pass
from .core.dead_code import erase_dead
from .symbol_dce import symbols_of

_VARIES = None
"""Lattice element of a varying value."""


class _Propagation:
    """Dataflow state: the constant of a value, or _VARIES; absent values are not known to be executed."""

    def __init__(self, module: ModuleOp):
        self.facts: dict[SSAValue, Attribute | None] = {}
        self._functions = {function.sym_name.data: function for function in functions(module)}
        self._returned: dict[str, list[Sequence[SSAValue]]] = {name: [] for name in self._functions}
        self._live: set[Block] = set()
        self._changed = True
        escaping = {symbol for op in nested_ops(module) for symbol in _symbols_besides_calls(op)}
        for name, function in self._functions.items():
            if function.sym_visibility != StringAttr("private") or name in escaping:
                self._enter(function.body.blocks[0])
                self._vary(function.body.blocks[0].args)

    def run(self) -> None:
        """Visit executable blocks until a fixpoint."""
        while self._changed:
            self._changed = False
            for function in self._functions.values():
                self._region(function.body)

    def _region(self, region: Region) -> None:
        for block in region.blocks:
            for op in block.ops if block in self._live else ():
                self._visit(op)

    def _enter(self, block: Block) -> None:
        self._changed |= block not in self._live
        self._live.add(block)

    def _meet(self, value: SSAValue, fact: Attribute | None) -> None:
        if value in self.facts and self.facts[value] in (fact, _VARIES):
            return
        self.facts[value] = fact if value not in self.facts else _VARIES
        self._changed = True

    def _flow(self, sources: Iterable[SSAValue], targets: Iterable[SSAValue]) -> None:
        """Propagate the facts of sources to targets."""
        for source, target in zip(sources, targets, strict=True):
            if source in self.facts:
                self._meet(target, self.facts[source])

    def _vary(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self._meet(value, _VARIES)

    def _choices(self, condition: SSAValue) -> tuple[bool, ...]:
        """Return the possible values of a condition, none if unknown."""
        if condition not in self.facts:
            return ()
        fact = self.facts[condition]
        return (bool(fact.value.data),) if isinstance(fact, IntegerAttr) else (True, False)

    def _visit(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp():
                self._meet(op.result, op.value if isinstance(op.value, IntegerAttr | FloatAttr) else _VARIES)
            case cf.BranchOp():
                self._jump(op.successor, op.arguments)
            case cf.ConditionalBranchOp():
                for choice in self._choices(op.cond):
                    self._jump(*((op.then_block, op.then_arguments) if choice else (op.else_block, op.else_arguments)))
            case scf.IfOp():
                for choice in self._choices(op.cond):
                    self._run(op.true_region if choice else op.false_region, op.results)
            case scf.ForOp():
                self._vary(op.body.block.args[:1])
                self._flow(op.iter_args, op.body.block.args[1:])
                self._flow(op.iter_args, op.results)
                self._run(op.body, op.results)
                self._run(op.body, op.body.block.args[1:])
            case func.CallOp():
                self._call(op)
            case func.ReturnOp():
                pass
            case _:
                self._other(op)

    def _jump(self, block: Block, arguments: Sequence[SSAValue]) -> None:
        self._enter(block)
        self._flow(arguments, block.args)

    def _run(self, region: Region, targets: Sequence[SSAValue]) -> None:
        """Execute a region of one block, and propagate its terminator's operands to the targets."""
        if not region.blocks:
            return
        self._enter(region.block)
        self._region(region)
        last = region.block.last_op
        self._flow(last.operands if last is not None and targets else (), targets)

    def _call(self, op: func.CallOp) -> None:
        callee = self._functions.get(op.callee.string_value())
        if callee is None:
            self._vary(op.results)
            return
        self._jump(callee.body.blocks[0], op.arguments)
        for block in callee.body.blocks:
            if block in self._live and isinstance(block.last_op, func.ReturnOp):
                self._flow(block.last_op.operands, op.results)

    def _other(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                self._enter(block)
                self._vary(block.args)
            self._region(region)
        for block in op.successors:
            self._enter(block)
            self._vary(block.args)
        if op.regions or len(op.results) != 1 or type(op) not in SCALAR_RULES or not op.operands:
            self._vary(op.results)
        elif any(operand in self.facts and self.facts[operand] is _VARIES for operand in op.operands):
            self._vary(op.results)
        elif all(operand in self.facts for operand in op.operands):
            numbers = [cast(Any, self.facts[operand]).value.data for operand in op.operands]
            self._meet(op.results[0], folded(op, numbers))


def _symbols_besides_calls(op: Operation) -> Iterator[str]:
    """Yield the symbols that an op references, but the callee of a call, whose arguments are known."""
    for name, attribute in (*op.properties.items(), *op.attributes.items()):
        if not isinstance(op, func.CallOp) or name != "callee":
            yield from symbols_of(attribute)


def propagate_constants(module: ModuleOp) -> None:
    """Replace the uses of constant values, and erase ops that become dead."""
    load_rules(module)
    propagation = _Propagation(module)
    propagation.run()
    for value, fact in propagation.facts.items():
        owner = value.owner
        if fact is _VARIES or value.first_use is None or isinstance(owner, arith.ConstantOp):
            continue
        constant = arith.ConstantOp(cast(Any, fact))
        constant.result.name_hint = value.name_hint
        if isinstance(owner, Operation):
            constant.location = owner.location
        place = InsertPoint.before(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
        Rewriter.insert_op(constant, place)
        value.replace_all_uses_with(constant.result)
    erase_dead(nested_ops(module))


@dataclass(frozen=True)
class SccpPass(Pass):
    """
    Propagate scalar constants through taken branches, loops, and calls of private functions.

    Code that is never executed is unchanged. Upstream's pass of that name.
    """

    name = "sccp"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        propagate_constants(op)
