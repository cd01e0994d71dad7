"""Tables of HTML, and the text that is HTML already."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape


class Markup(str):
    """Text that is HTML, and not escaped again."""


def link(target: str, text: str) -> Markup:
    """Return a link to an element of the page, by its id."""
    return Markup(f'<a href="#{escape(target)}">{escape(text)}</a>')


def table(heads: Sequence[str], rows: Iterable[Iterable[object]], *, numeric: Collection[int] = ()) -> Markup:
    """
    Return a table; cells are escaped, but for Markup. Without heads it has no first row.

    Columns in `numeric`, from 0, have the class `num`.
    """
    head = f"<thead>{_row('th', heads, numeric)}</thead>" if heads else ""
    body = "".join(_row("td", row, numeric) for row in rows)
    return Markup(f"<table>{head}<tbody>{body}</tbody></table>")


def _row(tag: str, cells: Iterable[object], numeric: Collection[int]) -> str:
    texts: list[str] = []
    for column, cell in enumerate(cells):
        kind = ' class="num"' if column in numeric else ""
        texts.append(f"<{tag}{kind}>{cell if isinstance(cell, Markup) else escape(str(cell))}</{tag}>")
    return f"<tr>{''.join(texts)}</tr>"
