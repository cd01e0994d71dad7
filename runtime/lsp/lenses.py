"""Code lenses: the memory level of the buffers that a line defines, and the execution of RUN lines."""

from __future__ import annotations

from typing import NamedTuple

from .hover import level_text
from .index import DocumentIndex, EntityKind
from .run_lines import command_lines

RUN_TEST = "tilewright.runTest"


class Lens(NamedTuple):
    """Text above a line, from 0; `command` is the one of RUN_TEST or empty, `only` the line whose command it runs."""

    line: int
    title: str
    command: str = ""
    only: int | None = None


def lenses(index: DocumentIndex) -> list[Lens]:
    """Return the lenses of a document, line by line."""
    return [*_of_run_lines(index.text), *_of_levels(index)]


def _of_run_lines(text: str) -> list[Lens]:
    starts = command_lines(text)
    if not starts:
        return []
    whole = [Lens(starts[0], "run this test", RUN_TEST)]
    return whole + [Lens(line, "run this line", RUN_TEST, line) for line in starts if len(starts) > 1]


def _of_levels(index: DocumentIndex) -> list[Lens]:
    titles: dict[int, list[str]] = {}
    line, position = 0, 0
    values = [entity for entity in index.entities if entity.kind is EntityKind.VALUE]
    for entity in sorted(values, key=lambda entity: entity.definition):
        line += index.text.count("\n", position, entity.definition.start)
        position = entity.definition.start
        texts = {level for value in entity.values if (level := level_text(value)) is not None}
        titles.setdefault(line, []).extend(f"{entity.name}: {level}" for level in sorted(texts))
    return [Lens(line, " | ".join(parts)) for line, parts in titles.items() if parts]
