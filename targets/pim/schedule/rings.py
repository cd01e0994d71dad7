"""Rings of nodes on a mesh under dimension-order routing: load of directed links, and lengths of hops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .packing import Rectangle

Node = tuple[int, int]
Link = tuple[Node, Node]


def plain(extent: int) -> list[int]:
    """Return the order 0, 1, ..., from which the last node sends back over all of the others."""
    return list(range(extent))


def folded(extent: int) -> list[int]:
    """Return the order 0, 2, 4, ..., 5, 3, 1: no hop is longer than 2."""
    return [*range(0, extent, 2), *reversed(range(1, extent, 2))]


def route(source: Node, target: Node) -> Iterator[Link]:
    """Yield the directed links of a message: along its row first, then along the column."""
    row, column = source
    while column != target[1]:
        step = 1 if target[1] > column else -1
        yield (row, column), (row, column + step)
        column += step
    while row != target[0]:
        step = 1 if target[0] > row else -1
        yield (row, column), (row + step, column)
        row += step


def messages(rectangle: Rectangle, order: Sequence[int], *, along_rows: bool) -> Iterator[tuple[Node, Node]]:
    """Yield sender and receiver of a round of the rings of a sub-array; `order` has positions on its axis."""
    if len(order) < 2:
        return
    pairs = list(zip(order, [*order[1:], order[0]], strict=True))
    for other in range(rectangle.rows if along_rows else rectangle.columns):
        for first, second in pairs:
            if along_rows:
                yield _node(rectangle, other, first), _node(rectangle, other, second)
            else:
                yield _node(rectangle, first, other), _node(rectangle, second, other)


def _node(rectangle: Rectangle, row: int, column: int) -> Node:
    return rectangle.row + row, rectangle.column + column


def loads(rectangles: Sequence[Rectangle], *, along_rows: bool, fold: bool = False) -> Counter[Link]:
    """Return the messages on each directed link in a round of the rings of all sub-arrays."""
    order = folded if fold else plain
    counts: Counter[Link] = Counter()
    for rectangle in rectangles:
        extent = rectangle.columns if along_rows else rectangle.rows
        for ends in messages(rectangle, order(extent), along_rows=along_rows):
            counts.update(route(*ends))
    return counts
