"""What of a function in C may be read later than it stands in the IR: what nothing in between changes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.emitc import EmitC_ArrayType
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import emitc

_CALLS = (emitc.CallOp, emitc.VerbatimOp)


@dataclass
class Effects:
    """What is written at which positions of a block: variables, and memory."""

    variables: dict[SSAValue, list[int]] = field(default_factory=dict[SSAValue, list[int]])
    memory: list[int] = field(default_factory=list[int])

    def between(self, lvalue: SSAValue, start: int, end: int) -> bool:
        """Whether what an lvalue holds may change after position `start` and before `end`."""
        variable = _variable(lvalue)
        positions = self.memory if variable is None else self.variables.get(variable, [])
        index = bisect_right(positions, start)
        return index < len(positions) and positions[index] < end


def _variable(lvalue: SSAValue) -> SSAValue | None:
    """Return the local scalar variable that an lvalue is, if it is one."""
    is_scalar = isinstance(lvalue.owner, emitc.VariableOp) and not isinstance(lvalue.type, EmitC_ArrayType)
    return lvalue if is_scalar else None


def is_opaque_effect(op: Operation) -> bool:
    """
    Whether a call may write to memory.

    Functions of the runtime headers, named tw_.., only do where they have no result, or an attribute says so.
    """
    if type(op) is emitc.CallOpaqueOp:
        return not op.callee.data.startswith("tw_") or not op.results or "tilewright.effect" in op.attributes
    return type(op) in _CALLS


def effects_of(ops: list[Operation], known: Mapping[Block, Effects]) -> Effects:
    """Return what a block's ops write; what is written in the blocks in them is `known`."""
    found = Effects()
    for position, op in enumerate(ops):
        for inner in (known[block] for region in op.regions for block in region.blocks):
            for variable in inner.variables:
                found.variables.setdefault(variable, []).append(position)
            found.memory += [position] if inner.memory else []
        if type(op) is emitc.AssignOp and (variable := _variable(op.var)) is not None:
            found.variables.setdefault(variable, []).append(position)
        elif type(op) is emitc.AssignOp or is_opaque_effect(op):
            found.memory.append(position)
    return found
