"""Schedule without statistics: the makespan of a program."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialects.core.machine.engine import Queue
from ...dialects.core.machine.link import Link
from ...passes.timing.kernels import Allocation, KernelCost
from ...passes.timing.transfers import TransferCost
from .in_flight import CompletionToken
from .result import KernelTotals, LayerCost
from .schedule import Schedule


class BareSchedule(Schedule):
    """Schedule that records nothing per layer, engine or link: `end` is its only result."""

    KEEPS_ACCOUNTS = False

    def _spend(self, part: LayerCost | KernelTotals, what: str, cycles: int) -> None:
        pass

    def _pass(self, layer: LayerCost, what: str, end: int, kind: KernelTotals | None = None) -> list[tuple[int, int]]:
        self.now = end
        return []

    def _ran(self, token: CompletionToken, layer: LayerCost, kernel: KernelCost, places: Sequence[Allocation]) -> None:
        self._engine(kernel.engine).free = token.end

    def executed(self, token: CompletionToken, layer: LayerCost, queue: Queue, operator: str) -> None:
        pass

    def _beside(self, token: CompletionToken, layer: LayerCost, kind: KernelTotals) -> None:
        pass

    def _start(
        self,
        token: CompletionToken,
        layer: LayerCost,
        link: Link,
        cost: TransferCost,
        far: Allocation,
        near: Allocation,
        sizes: tuple[int, int],
        route: Sequence[tuple[int, int]],
    ) -> None:
        self._occupy(token, layer, link, cost, (far.level, near.level), route)

    def _wait(self, layer: LayerCost, token: CompletionToken) -> None:
        self.now = max(self.now, token.end)
