"""Names of xDSL's classes for the operands of structured ops with one input and one output."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import OpResult, Region, SSAValue


class NamedOperands(LinalgStructuredOperation):
    """
    A structured op whose operands, result and region also have the names of xDSL's `linalg.broadcast` and `reduce`.

    Patterns written against those classes read `op.input`, `op.init`, `op.result` and `op.region`.
    """

    @property
    def input(self) -> SSAValue:
        """The first input."""
        return self.inputs[0]

    @property
    def init(self) -> SSAValue:
        """The first output."""
        return self.outputs[0]

    @property
    def result(self) -> Sequence[OpResult]:
        """The results, one per output tensor."""
        return self.res

    @property
    def region(self) -> Region:
        """The body."""
        return self.body

    @property
    def hidden_region(self) -> Region:
        """The body."""
        return self.body
