"""Memoised costs of structurally equal kernels on an engine, by the extents of a tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from .operations import OpSupport

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ..kernel import Kernel


class Price(Protocol):
    """Takes the extents of a kernel's loops, by default its own; returns cycles, None where an engine cannot run it."""

    def __call__(self, bounds: tuple[int, ...] | None = None, /) -> int | None: ...


class Prices:
    """Cycles of structurally equal kernels on an engine that supports them, as `cost` gives them for loop extents."""

    def __init__(self, support: OpSupport, cost: Callable[[Kernel, tuple[int, ...]], int | str]):
        self._support, self._cost = support, cost
        self._known: dict[tuple[int, ...] | None, int | None] = {}
        self._fault = ""
        self._blocks: tuple[int, ...] = ()

    def of(self, op: Operation) -> Price:
        """Return the cost of one of the kernels, or of a tile of it."""
        kernel: list[Kernel] = []

        def price(bounds: tuple[int, ...] | None = None, /) -> int | None:
            if bounds not in self._known:
                kernel[:] = kernel or [self._support.without_fills(_kernel_of(op))]
                self._known[bounds] = self._cycles(kernel[0], kernel[0].bounds if bounds is None else bounds)
            return self._known[bounds]

        return price

    def fault(self, op: Operation) -> str:
        """Return why the engine cannot run one of the kernels as a whole, empty if it can."""
        return "" if self.of(op)() is not None else self._fault

    def _cycles(self, kernel: Kernel, bounds: tuple[int, ...]) -> int | None:
        self._blocks = self._blocks or self._support.blocks(kernel)
        whole = tuple([-(-extent // block) * block for extent, block in zip(bounds, self._blocks, strict=True)])
        found = self._cost(kernel, whole)
        if not isinstance(found, str):
            return found
        self._fault = found if bounds == kernel.bounds else self._fault
        return None


def _kernel_of(op: Operation) -> Kernel:
    from ..kernel import kernel_of

    return kernel_of(op)
