"""Parts of an input that are compiled each for itself."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Chunk:
    """A part of the input: `text` begins at line `first_line` of the file; it is empty for an ONNX file."""

    text: str
    first_line: int = 1
    folder: str = ""


def split(text: str, marker: str) -> list[Chunk]:
    """Return the parts of a text that lines with a marker separate, those that are empty left out."""
    split = re.compile(rf"^{re.escape(marker)}[ \t]*\n?", re.MULTILINE)
    chunks: list[Chunk] = []
    start = 0
    for end, following in [*((match.start(), match.end()) for match in split.finditer(text)), (len(text), -1)]:
        if text[start:end].strip():
            chunks.append(Chunk(text[start:end], text.count("\n", 0, start) + 1, f"split-{len(chunks) + 1}"))
        start = following
    return chunks
