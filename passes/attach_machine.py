"""The pass `attach-machine`: attach the description of the target machine to a module."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ..dialects.core.machine.attribute import attach_machine
from ..dialects.core.machine.file import find_machine
from .core.base import Pass


@dataclass(frozen=True)
class AttachMachinePass(Pass):
    """
    Set the machine that the module is compiled for.

    `target` is the name of a target, or the path of a machine file. The machine becomes the module's attribute
    `hier.machine`, which later passes read and users may edit. An existing attribute is replaced.
    """

    name = "attach-machine"

    target: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        attach_machine(op, find_machine(self.target))
