"""The output format `c`: a network of `emitc` as one C11 translation unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ...errors import Diagnostic
from ..emitc.text.program import CProgram, render, write_program

__all__ = ["CProgram", "CTarget", "render", "write_program"]


@dataclass(frozen=True)
class CTarget(Target):
    """
    C11 that needs no library, in one file: interface, runtime, weights and code.

    With `weights=extern` weights are declared only, to be linked from elsewhere.
    """

    name = "c"

    weights: str = "inline"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.weights not in ("inline", "extern"):
            raise Diagnostic("no such way to print weights", "c{weights}", "inline or extern", self.weights)
        output.write(render(module).text(self.weights))
