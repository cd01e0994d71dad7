"""The output format `engines`: the engine of each kernel, and why no other engine took it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ..mapping.report import report


@dataclass(frozen=True)
class EnginesTarget(Target):
    """
    The kernels of a module with a machine, before plan-memory, as a list.

    Each has its engine, its multiply-accumulates, and for every other engine the reason why that did not take it. The
    first lines are the kernels and the share of the multiply-accumulates of each engine.
    """

    name = "engines"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.writelines(f"{line}\n" for line in report(module))
