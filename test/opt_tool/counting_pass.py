"""A pass with a counter, for statistics.mlir."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilewright.passes.core.statistics import Statistic, statistic


@dataclass(frozen=True)
class CountConstantsPass(ModulePass):
    """Count constants."""

    name = "count-constants"

    constants: Statistic = statistic("constants that were there")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.constants.add(sum(isinstance(inner, arith.ConstantOp) for inner in op.walk()))
