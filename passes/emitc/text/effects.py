"""Side effects in a block of C: whether a value read later is unchanged in between."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.emitc import EmitC_ArrayType
from xdsl.ir import Block, Operation, SSAValue

from ....dialects import emitc
from ....dialects.core.effects import callee_of
from ....dialects.core.effects import effects_of as memory_effects


@dataclass
class WritePositions:
    """Positions of writes in a block, to variables and to memory."""

    variables: dict[SSAValue, list[int]] = field(default_factory=dict[SSAValue, list[int]])
    memory: list[int] = field(default_factory=list[int])

    def between(self, lvalue: SSAValue, start: int, end: int) -> bool:
        """Return whether an lvalue may be clobbered after position `start` and before `end`."""
        variable = local_variable(lvalue)
        positions = self.memory if variable is None else self.variables.get(variable, [])
        index = bisect_right(positions, start)
        return index < len(positions) and positions[index] < end


def local_variable(lvalue: SSAValue) -> SSAValue | None:
    """Return the local scalar variable of an lvalue, None for other lvalues."""
    is_scalar = isinstance(lvalue.owner, emitc.VariableOp) and not isinstance(lvalue.type, EmitC_ArrayType)
    return lvalue if is_scalar else None


def may_write(op: Operation) -> bool:
    """Return whether an op without regions may write to a variable or to memory; a call may."""
    return not op.regions and (callee_of(op) is not None or memory_effects(op).may_write)


def effects_of(ops: list[Operation], nested: Mapping[Block, WritePositions]) -> WritePositions:
    """Collect the writes of a block's ops; `nested` has those of nested blocks."""
    effects = WritePositions()
    for position, op in enumerate(ops):
        for inner in (nested[block] for region in op.regions for block in region.blocks):
            for variable in inner.variables:
                effects.variables.setdefault(variable, []).append(position)
            effects.memory += [position] if inner.memory else []
        if type(op) is emitc.AssignOp and (variable := local_variable(op.var)) is not None:
            effects.variables.setdefault(variable, []).append(position)
        elif may_write(op):
            effects.memory.append(position)
    return effects
