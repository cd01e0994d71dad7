"""Outline of a document: its chunks, and the symbols in them as they are nested."""

from __future__ import annotations

from dataclasses import dataclass, field

from .index import DocumentIndex, Entity, TextRange


@dataclass(eq=False)
class OutlineEntry:
    """Chunk, or the op of a symbol: `whole` is its text, `name_range` its name there."""

    name: str
    whole: TextRange
    name_range: TextRange
    children: list[OutlineEntry] = field(default_factory=lambda: list[OutlineEntry]())
    is_chunk: bool = False
    is_function: bool = False
    detail: str = ""


def outline(index: DocumentIndex) -> list[OutlineEntry]:
    """Return the symbols, in chunks where there are several of these."""
    tops: list[OutlineEntry] = []
    pending: list[OutlineEntry] = []
    for entity in index.symbols():
        entry = _entry(entity)
        while pending and not pending[-1].whole.start <= entry.whole.start < pending[-1].whole.end:
            pending.pop()
        (pending[-1].children if pending else tops).append(entry)
        pending.append(entry)
    if len(index.chunks) < 2:
        return tops
    chunks = [_chunk(index, number, chunk) for number, chunk in enumerate(index.chunks, 1)]
    for chunk in chunks:
        chunk.children = [entry for entry in tops if chunk.whole.start <= entry.whole.start < chunk.whole.end]
    return chunks


def _entry(entity: Entity) -> OutlineEntry:
    owner = entity.owner
    assert owner is not None
    kind = owner.kind
    return OutlineEntry(
        entity.name.removeprefix("@"),
        TextRange(owner.start, max(owner.end, entity.definition.end)),
        entity.definition,
        is_function=owner.op is not None and bool(owner.op.regions),
        detail=kind.name if kind is not None else "",
    )


def _chunk(index: DocumentIndex, number: int, chunk: TextRange) -> OutlineEntry:
    text = index.text[slice(*chunk)]
    start = chunk.start + len(text) - len(text.lstrip())
    end = index.text.find("\n", start, chunk.end)
    name_range = TextRange(start, chunk.end if end < 0 else end)
    return OutlineEntry(f"chunk {number}", chunk, name_range, is_chunk=True)
