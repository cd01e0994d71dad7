"""Builder of programs with transfers."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects.core.builder import Builder
from ...dialects.hier import DmaNoneOp, DmaWaitOp


class Writer(Builder):
    """Builder of programs with transfers: their tokens, and conditions on steps and on coordinates of instances."""

    def equals(self, a: SSAValue, b: int) -> SSAValue:
        """Return a == b."""
        return self.compare(a, "eq", b)

    def within(self, a: SSAValue, low: int, high: int) -> SSAValue:
        """Return low <= a <= high."""
        if low == high:
            return self.equals(a, low)
        return self.both(self.compare(a, "uge", low), self.compare(a, "ule", high))

    def is_turn(self, step: SSAValue, run: int, number: int, steps: int) -> SSAValue:
        """Return step mod run == number; `steps` is the trip count of the loop."""
        within = step if run == steps else self.value(self.rem_unsigned(step, run))
        return self.equals(within, number)

    def wait(self, token: SSAValue) -> None:
        """Insert the wait for a transfer."""
        self.insert(DmaWaitOp(token))

    def no_transfer(self) -> SSAValue:
        """Insert the token of no transfer."""
        return self.op(DmaNoneOp())
