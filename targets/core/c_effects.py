"""What of a function in C may be read later than it stands in the IR: what nothing in between changes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from xdsl.dialects.emitc import EmitC_ArrayType
from xdsl.ir import Operation, SSAValue

from ...dialects import emitc


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
    if isinstance(op, emitc.CallOpaqueOp):
        return not op.callee.data.startswith("tw_") or not op.results or "tilewright.effect" in op.attributes
    return isinstance(op, emitc.CallOp | emitc.VerbatimOp)


def effects_of(ops: list[Operation]) -> Effects:
    """Return what a block's ops write, those in nested regions included."""
    found = Effects()
    for position, op in enumerate(ops):
        for written in op.walk() if op.regions else (op,):
            if isinstance(written, emitc.AssignOp) and (variable := _variable(written.var)) is not None:
                found.variables.setdefault(variable, []).append(position)
            elif isinstance(written, emitc.AssignOp) or is_opaque_effect(written):
                found.memory.append(position)
    return found
