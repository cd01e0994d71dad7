"""Collection of the remarks of passes, with the pass that each comes from."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from .manager import Observer, PassPosition
from .remarks import Remark, heard_by


@dataclass
class RemarkLog(Observer):
    """Observer of a pass manager that appends the remarks of its passes to `remarks`."""

    remarks: list[Remark]
    _pass: str = field(default="", init=False)
    _number: int = field(default=0, init=False)

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._pass, self._number = place.step.name, place.number

    def hear(self, remark: Remark) -> None:
        """Append a remark of the pass that runs."""
        self.remarks.append(dataclasses.replace(remark, pass_name=self._pass, pass_number=self._number))


@contextmanager
def collected(remarks: list[Remark] | None) -> Generator[list[Observer]]:
    """Yield the observers with which passes that run in the body append their remarks; None for no remarks."""
    if remarks is None:
        yield []
        return
    log = RemarkLog(remarks)
    with heard_by(log.hear):
        yield [log]
