"""
Stores of blocks whose columns have scales of their own, in passes from the widest to the narrowest.

Stores begin at column 0, in order: each pass overwrites all but the last columns of the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from ...dialects.core.scalars import Index
from ...dialects.quant import EntryOp
from ...ir import dense
from ...passes.loops.nest import Nest
from ...passes.memory.views import layout_of
from .bodies import Scales
from .dialects.gemmini.instructions import config_lines, config_st, mvout, mvout_lines
from .limits import MOST_PIXELS
from .rows import BufferRows, chunks, each_row, over_rows

_Range = tuple[Index, Index]
_Visit = Callable[[Index, Index], None]


@dataclass(frozen=True)
class ChannelStores:
    """Emitter of the stores of a tile in rows, the part in `bounds` along the axes that are not in blocks."""

    nest: Nest
    near: SSAValue
    far: SSAValue
    """View whose last axes are those of rows and columns."""
    rows: BufferRows
    bounds: Sequence[_Range]
    far_at: Callable[[Sequence[Index], Index], list[SSAValue]]
    """Indices of a row's element in the far buffer, from its indices and its column in the tile."""
    scales: Scales
    relu: bool
    lines: int
    """Rows of a line, and lines, that a store moves at most; 0 where it moves rows of one line."""

    def block(self, first: Index, column: Index, count: Index) -> None:
        """Emit the stores of `count` columns of a block: `first` is its number, `column` its first one's far index."""
        if not self.lines:
            self._passes(column, count, lambda scale, width: self._by_rows(first, scale, width))
            return
        line = self.rows.line
        outer = line - 1 if self._has_lines() else None

        def piece(high: tuple[Index, Index], across: tuple[Index, Index]) -> None:
            self._passes(column, count, lambda scale, width: self._by_lines(first, scale, width, high, across))

        def along(low: Index, number: Index) -> None:
            if outer is None:
                piece((0, 1), (low, number))
            else:
                self._cut(outer, lambda begin, lines: piece((begin, lines), (low, number)))

        self._cut(line, along)

    def _passes(self, column: Index, count: Index, visit: Callable[[SSAValue, Index], None]) -> None:
        """Emit a loop over passes: `visit` takes a scale, and the columns that are stored with it."""
        nest, step = self.nest, self.scales.width
        passes = nest.div(nest.add(count, step - 1), step)
        with nest.loop("s", 0, passes) as narrower:
            place = nest.sub(nest.sub(passes, 1), narrower)
            number = nest.add(nest.div(column, step), place)
            scale = nest.op(EntryOp(nest.value(number), dense(self.scales.values, f32)))
            width = nest.mul(nest.add(place, 1), step)
            visit(scale, width if isinstance(count, int) and count % step == 0 else nest.min(width, count))

    def _by_rows(self, first: Index, scale: SSAValue, width: Index) -> None:
        nest, rows = self.nest, self.rows
        nest.insert(config_st(self.far, size=1, scale=scale, stride=self._stride, relu=self.relu))

        def row(at: Sequence[Index], number: Index) -> None:
            ends = self._ends(first, at)
            nest.insert(mvout(*ends, nest.value(number), nest.value(width)))

        each_row(nest, self.bounds, rows.line, rows.dim, row)

    def _by_lines(
        self,
        first: Index,
        scale: SSAValue,
        width: Index,
        high: tuple[Index, Index],
        across: tuple[Index, Index],
    ) -> None:
        """Emit the stores of lines, by their first one and number `high`, of rows, by their first one and number."""
        nest, line = self.nest, self.rows.line
        has_lines = self._has_lines()
        pitch, step = (self.rows.extents[line], self._line_step()) if has_lines else (MOST_PIXELS, 1)
        sizes = {"rows": nest.value(high[1]), "cols": nest.value(across[1])}
        shape = {"stride": self._stride, "line": step, "pitch": pitch, **sizes}
        nest.insert(config_lines(self.far, scale=scale, relu=self.relu, **shape))
        at: list[Index] = [0] * len(self.bounds)
        at[line] = across[0]
        others = [place for place in range(len(at)) if place != line]
        if has_lines:
            at[line - 1] = high[0]
            others.remove(line - 1)
        with over_rows(nest, [self.bounds[place] for place in others]) as indices:
            for place, index in zip(others, indices, strict=True):
                at[place] = index
            nest.insert(mvout_lines(*self._ends(first, at), **sizes, channels=nest.value(width)))

    def _ends(self, first: Index, at: Sequence[Index]) -> tuple[tuple[SSAValue, list[SSAValue]], ...]:
        nest = self.nest
        here = [nest.value(index) for index in (first, *at, 0)]
        return (self.near, here), (self.far, self.far_at(at, nest.mul(first, self.rows.dim)))

    @property
    def _stride(self) -> tuple[int, int]:
        return len(self.bounds) - 1, 1

    def _has_lines(self) -> bool:
        """Return whether a store moves several lines: near and far ones are as far apart as its fields say at most."""
        rows = self.rows
        if not 0 < rows.line == len(rows.others) - 1 or not 1 < rows.extents[rows.line] <= MOST_PIXELS:
            return False
        return 0 < self._line_step() <= MOST_PIXELS

    def _line_step(self) -> int:
        """Return the far rows from line to line, 0 where they are no whole number."""
        *_, line, row, _ = layout_of(self.far)[0]
        return 0 if not row or line % row else line // row

    def _cut(self, place: int, visit: _Visit) -> None:
        """Emit a loop over the bounds of an axis in pieces of a store: `visit` takes the first index and the number."""
        low, high = self.bounds[place]
        if self.rows.extents[place] <= self.lines:
            visit(low, self.nest.sub(high, low))
        else:
            chunks(self.nest, low, high, self.lines, visit)
