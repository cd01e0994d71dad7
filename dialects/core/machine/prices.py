"""Memoised costs of structurally equal kernels on an engine, by the extents of a tile."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Protocol

from .cost_table import cost_named
from .operations import OpSupport

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ..kernel import Kernel
    from .model import Engine


class Price(Protocol):
    """Takes the extents of a kernel's loops, by default its own; returns cycles, None where an engine cannot run it."""

    def __call__(self, bounds: tuple[int, ...] | None = None, /) -> int | None: ...


class Prices:
    """Cycles of structurally equal kernels on an engine that runs them, of which the machine's clock has `ratio`."""

    def __init__(self, support: OpSupport, engine: Engine, ratio: float):
        self._support, self._engine, self._ratio = support, engine, ratio
        self._known: dict[tuple[int, ...] | None, int | None] = {}
        self._blocks: tuple[int, ...] = ()

    def of(self, op: Operation) -> Price:
        """Return the cost of one of the kernels, or of a tile of it."""
        kernel: list[Kernel] = []

        def price(bounds: tuple[int, ...] | None = None, /) -> int | None:
            if bounds not in self._known:
                kernel[:] = kernel or [_kernel_of(op)]
                self._known[bounds] = self._cycles(kernel[0], kernel[0].bounds if bounds is None else bounds)
            return self._known[bounds]

        return price

    def _cycles(self, kernel: Kernel, bounds: tuple[int, ...]) -> int | None:
        self._blocks = self._blocks or self._support.blocks(kernel)
        whole = tuple(-(-extent // block) * block for extent, block in zip(bounds, self._blocks, strict=True))
        cycles = cost_named(self._support.cost)(kernel, whole, self._engine, **dict(self._support.parameters))
        return None if cycles is None else ceil((cycles + self._engine.setup) * self._ratio)


def _kernel_of(op: Operation) -> Kernel:
    from ..kernel import kernel_of

    return kernel_of(op)
