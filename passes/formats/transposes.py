"""The output format `transposes`: the transposes of a network, and the demands that need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ..layout.report import report


@dataclass(frozen=True)
class TransposesTarget(Target):
    """
    The transposes of a network at the levels of tensors, as a list.

    Each has its tensor, its permutation and bytes, and the two demands that it separates: the nearest ops on both sides
    that have their layout. The first line says how many there are, and the least number for these demands.
    """

    name = "transposes"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.writelines(f"{line}\n" for line in report(module))
