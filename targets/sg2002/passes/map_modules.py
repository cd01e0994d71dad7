"""The pass `map-modules`: each kernel runs on the engine of its function."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ....dialects.core.kernel import is_kernel
from ....dialects.core.nesting import nested_ops
from ....ir import functions
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE


def map_modules(module: ModuleOp, core: str) -> None:
    """Give each kernel the engine of its function, and `core` where that has none; keep an engine that it has."""
    for function in functions(module):
        engine = function.attributes.get(ENGINE, StringAttr(core))
        for op in nested_ops(function):
            if is_kernel(op):
                op.attributes.setdefault(ENGINE, engine)


@dataclass(frozen=True)
class MapModulesPass(Pass):
    """
    Map kernels to the engine of their function, which outline-modules gives it, all others to the core.

    Without it map-engines would choose the engine of the least modelled cycles, which reaches modules alone.
    """

    name = "map-modules"

    core: str = "core"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        map_modules(op, self.core)
