"""Tile of one operand of a fused group of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, Region, SSAValue

from ...dialects.core.analysis.affine_form import Linear
from ...ir import element_of, numpy_type
from .epilogues import TransferEpilogue
from .views import buffer_type


@dataclass(frozen=True)
class OperandTile:
    """
    Tile of one operand: extents, offsets as linear forms in the leader's loops, and padding value.

    An `in_place` tile is a view of the operand, and never partial. Others move between the operand's level, `home`,
    and `level`. The buffer of one with an `epilogue` holds partial sums, which the transfer maps. One that `starts` the
    sums of the output's tile, along whose loops it is brought, has no buffer of its own.
    """

    value: SSAValue
    extents: tuple[int, ...]
    offsets: tuple[Linear, ...]
    hangs_over: bool
    fill: Attribute | None
    is_output: bool
    in_place: bool = False
    home: str = ""
    level: str = ""
    epilogue: TransferEpilogue | None = None
    starts: OperandTile | None = None
    """Tile of the output whose sums start from this one."""
    layout: AffineMapAttr | None = None
    """Order of the elements in the tile's buffer, row-major if none."""

    @property
    def element(self) -> Attribute:
        """Type of the elements that the tile's buffer stores."""
        if self.starts is not None:
            return self.starts.element
        return element_of(self.value) if self.epilogue is None else self.epilogue.element

    @property
    def near(self) -> Attribute | None:
        """Type of the tile's buffer, None if it is dense and of the operand's elements."""
        is_own = self.epilogue is None and self.starts is None and self.layout is None
        return None if is_own else buffer_type(self.extents, self.element, self.layout)

    @property
    def body(self) -> Region | None:
        """Scalar code that each element passes on the way, None for a tile that is only moved."""
        if self.epilogue is None:
            return None
        bias = self.epilogue.bias
        return self.epilogue.body if self.starts is None or bias is None else bias.body

    @property
    def repeated(self) -> tuple[int, ...]:
        """Axes along which the tile repeats one element of the operand."""
        if self.starts is None or self.epilogue is None or self.epilogue.bias is None:
            return ()
        return tuple(axis for axis in self.epilogue.bias.constant_axes if self.extents[axis] > 1)

    @property
    def bytes(self) -> int:
        """Bytes of one tile."""
        return prod(self.extents) * numpy_type(self.element).itemsize

    @property
    def has_buffer(self) -> bool:
        """Return whether the tile is brought to a buffer of its own."""
        return not self.in_place and self.starts is None

    @property
    def near_bytes(self) -> int:
        """Bytes of one tile in the near level, 0 without a buffer of its own."""
        return self.bytes if self.has_buffer else 0

    @cached_property
    def dims(self) -> frozenset[int]:
        """Leader's loops along which the tile moves."""
        if self.starts is not None:
            return self.starts.dims
        return frozenset(dim for offset in self.offsets for dim in offset.dims())
