"""The output format `mlir`: the IR as text, which opt-tool reads again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ...dialects.core.syntax.text import print_ir


@dataclass(frozen=True)
class MlirTarget(Target):
    """
    The IR as MLIR text.

    `generic` prints each op in the form that needs no knowledge of it, `debuginfo` every location, or none where it is
    false; by default those that the text or the model gave are printed.
    `elide` replaces constants of more elements than that, `highlight` colours names for a terminal: such text cannot be
    read again.
    """

    name = "mlir"

    generic: bool = False
    debuginfo: bool | None = None
    elide: int | None = None
    highlight: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        text = print_ir(
            module,
            elide=self.elide,
            generic=self.generic,
            locations=self.debuginfo,
            highlight=self.highlight,
            context=ctx,
        )
        output.write(text + "\n")
