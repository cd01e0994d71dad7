"""Documents of a text corpus, without duplicates, split into training and held-out ones by their content."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....errors import Diagnostic
from ....files import read_text
from .._klm import DOCUMENT

_HELD_OUT = 20
"""One document of so many is held out."""


@dataclass(frozen=True)
class Corpus:
    """Documents to train on, one as often as its file is named, and held-out documents, each once, by file."""

    training: list[str]
    held_out: dict[str, list[str]]


def read(files: Sequence[str], seed: int) -> Corpus:
    """
    Read documents from UTF-8 text files that separate them by lines of a single `%`, as those of `fortune` do.

    A file named several times weighs as much more in the training. The split follows a digest of seed and document, so
    that a document in two files is on one side. Raises a Diagnostic or OSError for a file that cannot be read, and a
    Diagnostic if either side of the split is empty.
    """
    training: list[str] = []
    held_out: dict[str, list[str]] = {}
    taken: set[str] = set()
    for file in dict.fromkeys(files):
        documents = [text for text in _documents(file) if text not in taken]
        taken.update(documents)
        if aside := [text for text in documents if _is_held_out(text, seed)]:
            held_out[file] = aside
        training += [text for text in documents if not _is_held_out(text, seed)] * files.count(file)
    if not training or not held_out:
        raise Diagnostic(
            "the texts have too few documents to train on and to hold out",
            expected="some dozens, separated by lines of a single %",
            found=f"{len(taken)}",
        )
    return Corpus(training, held_out)


def stream(documents: Sequence[str]) -> np.ndarray:
    """Return documents as one row of tokens, uint16: DOCUMENT and the UTF-8 bytes of each."""
    parts: list[np.ndarray] = []
    for document in documents:
        parts += [np.array([DOCUMENT], np.uint16), np.frombuffer(document.encode(), np.uint8).astype(np.uint16)]
    return np.concatenate(parts)


def batches(documents: Sequence[str], rows: int, length: int, seed: int) -> Iterator[np.ndarray]:
    """
    Yield batches [rows, length + 1] of tokens without end; each epoch shuffles documents and then windows.

    The last token of a window is the first of the next one of the stream. Raises a Diagnostic where the documents do
    not fill one batch.
    """
    random = np.random.RandomState(seed)
    while True:
        order: list[int] = random.permutation(len(documents)).tolist()
        tokens = stream([documents[at] for at in order])
        count = (len(tokens) - 1) // length
        if count < rows:
            raise Diagnostic(
                "the texts are too short for a batch",
                expected=f"{rows * length + 1} bytes at least",
                found=f"{len(tokens)}",
            )
        starts = random.permutation(count) * length
        for at in range(0, count - rows + 1, rows):
            yield np.stack([tokens[start : start + length + 1] for start in starts[at : at + rows]])


def _documents(file: str) -> list[str]:
    texts = [text.strip("\n") for text in re.split(r"^%\n", read_text(file), flags=re.MULTILINE)]
    return list(dict.fromkeys(text for text in texts if text))


def _is_held_out(document: str, seed: int) -> bool:
    digest = hashlib.sha256(f"{seed}\n{document}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % _HELD_OUT == 0
