"""Definition of an instruction: its record with the op class that is derived from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .op import InstructionOp, built
from .record import Record
from .signature import Kind, Stride


@dataclass(eq=False)
class Instruction(Record):
    """
    Record of an instruction; called with its operands, in the order of the signature, it returns a new op.

    Buffers are given as values or as pairs of a value and its indices, strides as pairs of an axis and a factor; what
    is derived or state is not given.
    """

    op: type[InstructionOp] = field(init=False, default=InstructionOp)

    def __call__(self, *arguments: Any, **named: Any) -> InstructionOp:
        """
        Return an op with these operands; flags and strides may be left out.

        Raises TypeError where they do not fit the signature.
        """
        taken, needed = self._taken
        values = dict(zip(taken, arguments, strict=False)) | named
        if len(arguments) + len(named) > len(values) or not needed <= values.keys() <= set(taken):
            raise TypeError(f"'{self.name}' takes {', '.join(taken)}; got {', '.join(values)}")
        return built(self.op, values)

    @cached_property
    def _taken(self) -> tuple[list[str], set[str]]:
        """The names of the parameters that a new op is given, and of those that it must be given."""
        taken: list[str] = []
        needed: set[str] = set()
        for parameter in self.parameters:
            if not parameter.is_given:
                continue
            taken.append(parameter.name)
            if parameter.kind is not Kind.FLAG and not isinstance(parameter.kind, Stride):
                needed.add(parameter.name)
        return taken, needed
