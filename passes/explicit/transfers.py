"""Transfers of the explicit level, as their effects say them."""

from __future__ import annotations

from typing import NamedTuple, cast

from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from ...dialects.core.effect_traits import Box
from ...dialects.core.effects import Effects
from ...ir import shape_of
from .events import lasting


class TileTransfer(NamedTuple):
    """Asynchronous transfer between a region of the far buffer and the near buffer; `outward` to the far one."""

    far: SSAValue
    near: SSAValue
    box: Box
    outward: bool

    @property
    def source(self) -> SSAValue:
        """The buffer that is read."""
        return self.near if self.outward else self.far

    @property
    def target(self) -> SSAValue:
        """The buffer that is written."""
        return self.far if self.outward else self.near

    @property
    def repeated(self) -> tuple[int, ...]:
        """The axes along which one far element is all of the near buffer."""
        pairs = enumerate(zip(self.box.sizes, shape_of(self.near), strict=True))
        return tuple(axis for axis, (size, extent) in pairs if size == 1 != extent)

    @property
    def sizes(self) -> list[int]:
        """The extents of the region."""
        return [size for size in self.box.sizes if isinstance(size, int)]


def transfer_of(op: Operation, effects: Effects) -> TileTransfer | None:
    """Return the transfer that an op issues, None for other ops."""
    sides = sorted(lasting(op, effects), key=lambda effect: effect.region is None)
    if len(sides) != 2 or sides[0].region is None or sides[1].region is not None:
        return None
    outer, inner = sides
    far, near = cast(SSAValue, outer.value), cast(SSAValue, inner.value)
    return TileTransfer(far, near, cast(Box, outer.region), outer.kind is MemoryEffectKind.WRITE)
