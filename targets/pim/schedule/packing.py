"""Sub-arrays of one shape packed into a mesh: rectangles of nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple


class Rectangle(NamedTuple):
    """Sub-array of nodes: its first row and column, and its rows and columns."""

    row: int
    column: int
    rows: int
    columns: int


def two_block(rows: int, columns: int, a: int, b: int) -> tuple[Rectangle, ...]:
    """
    Pack sub-arrays of `a` by `b` nodes, either way round, in two blocks.

    One block of equal orientation fills the first rows; those below it take the other orientation. A heuristic:
    `guillotine` packs more in some cases (3 x 2 on 16 x 16: 42 instead of 40).
    """
    plans = [_two_blocks(rows, columns, *shape) for shape in dict.fromkeys(((a, b), (b, a)))]
    return max(plans, key=len)


def _two_blocks(rows: int, columns: int, a: int, b: int) -> tuple[Rectangle, ...]:
    used = rows // a * a if columns >= b else 0
    first = _grid(0, 0, used, columns, a, b)
    return (*first, *_grid(used, 0, rows - used, columns, b, a))


def _grid(row: int, column: int, rows: int, columns: int, a: int, b: int) -> tuple[Rectangle, ...]:
    return tuple(Rectangle(row + i * a, column + j * b, a, b) for i in range(rows // a) for j in range(columns // b))


def guillotine(rows: int, columns: int, a: int, b: int) -> tuple[Rectangle, ...]:
    """Pack as many sub-arrays of `a` by `b` nodes, either way round, as cuts from edge to edge allow."""
    return tuple(sorted(_cut(rows, columns, min(a, b), max(a, b))))


@cache
def _cut(rows: int, columns: int, a: int, b: int) -> tuple[Rectangle, ...]:
    if min(rows, columns) < a or max(rows, columns) < b:
        return ()
    if rows * columns < 2 * a * b:
        shape = (a, b) if rows >= a and columns >= b else (b, a)
        return (Rectangle(0, 0, *shape),)
    bound = rows * columns // (a * b)
    best = max(_grid(0, 0, rows, columns, a, b), _grid(0, 0, rows, columns, b, a), key=len)
    for axis, extent in enumerate((rows, columns)):
        for at in range(a, extent // 2 + 1):
            if len(best) == bound:
                return best
            best = max(best, _halves(rows, columns, a, b, axis, at), key=len)
    return best


def _halves(rows: int, columns: int, a: int, b: int, axis: int, at: int) -> tuple[Rectangle, ...]:
    """Pack both parts of a cut across `axis` (0: rows) at `at`."""
    parts = ((at, columns), (rows - at, columns)) if axis == 0 else ((rows, at), (rows, columns - at))
    down, right = (at, 0) if axis == 0 else (0, at)
    second = (Rectangle(r.row + down, r.column + right, r.rows, r.columns) for r in _cut(*parts[1], a, b))
    return (*_cut(*parts[0], a, b), *second)


def regular(rows: int, columns: int, a: int, b: int, branches: int) -> tuple[Rectangle, ...]:
    """
    Pack sub-arrays of `a` by `b` nodes, all one way round, in a box whose number divides the branches.

    Most sub-arrays are best; of equal numbers those that are not transposed, then those with the most rows.
    """
    packings: list[tuple[Rectangle, ...]] = []
    for height, width in dict.fromkeys(((a, b), (b, a))):
        boxes = [(m, n) for m in range(rows // height, 0, -1) for n in range(1, columns // width + 1)]
        packings += [_grid(0, 0, m * height, n * width, height, width) for m, n in boxes if branches % (m * n) == 0]
    return max(packings, key=len, default=())


PACKERS: dict[str, Callable[[int, int, int, int], tuple[Rectangle, ...]]] = {
    "two-block": two_block,
    "guillotine": guillotine,
}
