"""Address space of the NPU: regions of bytes, each at a 32-bit address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from numpy.lib.stride_tricks import as_strided

from ....errors import Diagnostic
from ....ir import Array


@dataclass
class RegionMemory:
    """Disjoint regions: address -> bytes, a one-dimensional array of uint8."""

    regions: dict[int, Array] = field(default_factory=dict[int, Array])

    def view(self, address: int, shape: Sequence[int], strides: Sequence[int], *, writes: bool = False) -> Array:
        """
        Return the bytes at an address, of this shape with these strides, as a view.

        Raises Diagnostic for an access out of bounds of a region, and for a write to constant memory.
        """
        start = address & 0xFFFF_FFFF
        reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
        low = start + sum(min(0, r) for r in reach)
        high = start + sum(max(0, r) for r in reach)
        for base, region in self.regions.items():
            if base <= low and high < base + len(region):
                if writes and not region.flags.writeable:
                    raise Diagnostic("the NPU writes to constant memory", found=_range(low, high))
                return as_strided(region[start - base :], shape, strides)
        raise Diagnostic(
            f"the NPU {'writes' if writes else 'reads'} outside of its memories",
            expected=", ".join(_range(base, base + len(region) - 1) for base, region in sorted(self.regions.items())),
            found=_range(low, high),
        )


def _range(low: int, high: int) -> str:
    return f"0x{low:08x} to 0x{high:08x}"
