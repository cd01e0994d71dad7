"""Residency of constants in the instances of a mesh: filled by the first call, read by all."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.effects import EffectAnalysis, root_of
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import ResidentOp
from ...errors import Diagnostic
from ...ir import element_of, functions, shape_of, where
from .placement import InstanceMesh, Placement
from .placement import root_of as far_root
from .programs import Located

Load: TypeAlias = Callable[[SSAValue, Operation], Located]


class Residents:
    """Resident constants of a function."""

    def __init__(self, function: FuncOp, *, is_on: bool):
        self._function, self._is_on = function, is_on
        self._located: dict[Hashable, Located] = {}
        self._last: ResidentOp | None = None
        around = function.parent_op()
        ops = around.regions[0].block.ops if around is not None else ()
        self._constants = {
            op.sym_name.data: op for op in ops if isinstance(op, memref.GlobalOp) and op.constant is not None
        }

    def get(self, value: SSAValue, wanted: Placement, mesh: InstanceMesh, load: Load) -> Located | None:
        """Return a constant as a resident value placed as wanted; None for another value."""
        root, is_whole = far_root(value)
        if not self._is_on or not is_whole or not isinstance(root.owner, memref.GetGlobalOp):
            return None
        definition = self._constants.get(root.owner.name_.string_value())
        if definition is None:
            return None
        key = definition, tuple(shape_of(value)), wanted, mesh
        if key not in self._located:
            self._located[key] = self._insert(value, wanted, mesh, load)
        return self._located[key]

    def _insert(self, value: SSAValue, wanted: Placement, mesh: InstanceMesh, load: Load) -> Located:
        """Insert a resident value, whose region loads it, before all programs of the function."""
        shape = tuple(shape_of(value))
        resident = ResidentOp(mesh.type_of(element_of(value), shape, wanted))
        resident.location, resident.result.name_hint = self._function.location, "resident"
        block = self._function.body.block
        Rewriter.insert_op(resident, InsertPoint.after(self._last) if self._last else InsertPoint.at_start(block))
        before = self._last
        far = _cloned(value, resident)
        located = load(far, resident)
        body = resident.body.block
        first = before.next_op if before is not None else block.first_op
        while first is not None and first is not resident:
            following = first.next_op
            if not isinstance(first, memref.AllocOp):
                first.detach()
                body.add_op(first)
            first = following
        located.buffer.replace_all_uses_with(body.args[0])
        assert isinstance(located.buffer.owner, Operation)
        Rewriter.erase_op(located.buffer.owner)
        self._last = resident
        return Located(resident.result, shape, wanted)


def _cloned(value: SSAValue, before: Operation) -> SSAValue:
    """Insert a copy of a view of a constant, with the views that it is made of."""
    chain: list[Operation] = []
    at = value
    while isinstance(at.owner, Operation):
        chain.append(at.owner)
        if isinstance(at.owner, memref.GetGlobalOp):
            break
        at = at.owner.operands[0]
    mapping: dict[SSAValue, SSAValue] = {}
    for op in reversed(chain):
        clone = op.clone(mapping)
        Rewriter.insert_op(clone, InsertPoint.before(before))
        clone.location = op.location
        mapping |= dict(zip(op.results, clone.results, strict=True))
    return mapping[value]


def prove_read_only(module: ModuleOp) -> None:
    """Prove that no op writes a resident value but those that fill it. Raises Diagnostic for one that does."""
    analysis = EffectAnalysis()
    for function in functions(module):
        kept = {op.result for op in nested_ops(function) if isinstance(op, ResidentOp)}
        for op in nested_ops(function) if kept else ():
            if any(root_of(value) in kept for value in analysis.of(op).writes):
                raise Diagnostic(
                    f"'{op.name}' writes a resident value, which later calls read",
                    where=where(op),
                    expected="writes in the region of hier.resident alone",
                    remedy="copy the value to a buffer of the instance before",
                )


def one_call(module: ModuleOp, *, is_first: bool = True) -> ModuleOp:
    """
    Return the program of the first call, or of a later one: the module itself without resident values, else a copy.

    Resident values become allocations, which the first call fills.
    """
    if not any(isinstance(op, ResidentOp) for op in nested_ops(module)):
        return module
    module = module.clone()
    for op in [op for op in nested_ops(module) if isinstance(op, ResidentOp)]:
        type = op.result.type
        shard = memref.AllocaOp.get(type.get_element_type(), shape=type.get_shape(), memory_space=type.memory_space)
        shard.location, shard.memref.name_hint = op.location, op.result.name_hint
        Rewriter.insert_op(shard, InsertPoint.before(op))
        op.body.block.args[0].replace_all_uses_with(shard.memref)
        for inner in list(op.body.block.ops) if is_first else ():
            inner.detach()
            Rewriter.insert_op(inner, InsertPoint.before(op))
        Rewriter.replace_op(op, [], [shard.memref])
    return module
