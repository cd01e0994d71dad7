"""Links between memory levels. Sizes are bytes, times cycles of the link's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, prod
from typing import Annotated, Literal

from .clock import NO_CLOCK, Clock
from .keys import MAY_BE_EMPTY, PartName
from .values import Count, Cycles, IntegerForm, LevelName, NameForm, Number, NumberForm

TRANSFORMS = ("convert", "scale", "clip", "relu", "broadcast", "splat", "layout", "fill")
"""Ways in which a transfer may transform what it moves."""

_Transform = Annotated[str, NameForm(kind="a transform", words=TRANSFORMS)]


@dataclass(frozen=True)
class Link:
    """Link that moves data between a far level and a near one, such as a DMA engine."""

    name: PartName
    far: LevelName
    """Far end."""
    near: LevelName
    """Near end; that of a link between `neighbours` is `far` too."""
    width: Annotated[int, IntegerForm(1, unit="bytes per cycle")]
    """Bandwidth of a channel."""
    direction: Literal["in", "out", "both"] = "both"
    """
    Direction of its transfers, `in` to the near level. A link in both directions shares its channels between them;
    where they run at once, describe two links.
    """
    neighbours: Literal["", "mesh", "torus"] = ""
    """Topology in which it joins neighbouring instances of a level, where `far` and `near` are one level."""
    router: Cycles = 0
    """
    Cycles in which a router between neighbours passes on what arrives: a transfer over h hops passes h + 1 routers, and
    its data follow. 0: each hop takes the whole transfer.
    """
    channels: Annotated[int, IntegerForm(1, 65536)] = 1
    """Transfers at once."""
    startup: Cycles = 0
    """Cycles of a transfer before its first byte."""
    dims: Annotated[int, IntegerForm(1, 8)] = 1
    """
    Dimensions of a descriptor, the contiguous one included: 1 for contiguous transfers only. Further ones cost a
    transfer for each step.
    """
    burst: Annotated[int, IntegerForm(0, unit="bytes")] = 0
    """Longest burst; 0: a whole row."""
    burst_overhead: Annotated[float, NumberForm(unit="cycles")] = 0.0
    """Cycles that each burst takes besides its data."""
    burst_minimum: Annotated[float, NumberForm(unit="cycles")] = 1.0
    """Cycles that the data of a burst take at least."""
    in_flight: Count = 0
    """
    Transfers of its DMA engine that may be in flight at once, those of other links to the same kind of memory included;
    without it 16, or 32 from an external level. `overlap-engines` issues no more; with it, `plan-memory` does not reuse
    bytes for as many kernels where there is capacity, so that they find independent work.
    """
    energy: Annotated[float, NumberForm(unit="pJ per byte")] = 0.0
    """Energy of a transfer, between neighbours of each hop."""
    clock: Clock = NO_CLOCK
    """Clock of its own, in whose cycles its times are; without it the machine's."""
    transforms: Annotated[tuple[_Transform, ...], MAY_BE_EMPTY] = ("fill",)
    """
    Ways in which its engine can transform what it moves: `convert` (another element type), `scale` (multiply, add,
    shift), `clip`, `relu`, `broadcast` (repeat rows along an axis), `splat` (repeat an element along the innermost
    axis), `layout` (into blocks and back) and `fill` (of padding); or functions of a target, as `NAME.FUNCTION`, for an
    engine that computes certain bodies only (docs/extending.md). `verify-levels` refuses other transfers on it; `[]`
    for none (docs/hier.md).
    """
    blocks: Count = 1
    """Neighbouring blocks among which it can scatter one row, where it changes the layout."""
    repeats: Count = 1
    """Rows that it writes at most of one that it reads, along the innermost axis of a `broadcast`."""
    packs: bool = False
    """
    Whether the rows of a transfer lie without gaps in the near level: then those of a partial tile with gaps between
    them are transfers each.
    """
    rows: Count = 0
    """
    Rows that an instruction moves at most, each of up to `blocks` blocks; without it, instructions of transfers are not
    counted. Where the program issues instructions (`instruction` of `program`), `plan-memory` counts those of transfers
    into blocks of rows.
    """
    lines: Number = 0
    """
    Lines, and rows of a line, that an instruction of a transfer in passes (docs/gemmini.md#scales-of-channels) moves at
    most, after one that configures it; 0: it moves `rows`.
    """

    def leads(self, source: str, target: str) -> bool:
        """Return whether the link moves data from one level to another."""
        inward = self.direction != "out" and (source, target) == (self.far, self.near)
        return inward or (self.direction != "in" and (source, target) == (self.near, self.far))

    def cycles(self, row_bytes: int, counts: Sequence[int] = ()) -> int:
        """
        Return the cycles of a transfer of `prod(counts)` rows of `row_bytes` contiguous bytes, on one channel.

        `counts` are the strided dimensions, outermost first. A descriptor has `dims - 1` of them, the innermost; each
        step of the others is a transfer of its own, with its own start-up.
        """
        strided = self.dims - 1
        transfers = prod(counts[: max(0, len(counts) - strided)])
        full, rest = divmod(row_bytes, self.burst or max(row_bytes, 1))
        row = full * self._burst_cycles(self.burst or row_bytes) + (self._burst_cycles(rest) if rest else 0)
        return transfers * self.startup + ceil(prod(counts) * row)

    @cached_property
    def started(self) -> Link:
        """The link where its start-up has passed."""
        return replace(self, startup=0)

    @cached_property
    def unbroken(self) -> Link:
        """The link at its sustained rate, without start-up latency and bursts."""
        return replace(self, startup=0, burst=0, burst_overhead=0.0)

    def _burst_cycles(self, count: int) -> float:
        return max(self.burst_minimum, -(-count // self.width)) + self.burst_overhead
