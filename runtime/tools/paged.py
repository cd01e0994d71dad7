"""The commands `tilewright paged fsck` and `tilewright paged show`: folders of the paged key-value store."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ...console import table_console
from ...errors import Diagnostic
from ...files import path_of
from ..paged.config import PoolConfig
from ..paged.files import DIGESTS, MANIFEST, PAGES, Manifest, SavedSequence, decode_manifest
from ..paged.fsck import fsck
from ..paged.storage import read_whole
from ..paged.system_calls import POSIX

DOCUMENT = 256
"""Token at the start of a document, of models of bytes."""
_SHOWN = 64
"""Tokens at the end of a sequence that are shown as text."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of both commands."""
    parser.add_argument("folder", type=path_of, metavar="DIR", help="the folder of a paged key-value store")


def run_fsck(options: argparse.Namespace) -> int:
    """Print a line for each fault of a folder; returns 1 where there is one. Raises PagedError where it is open."""
    folder: Path = options.folder
    _check_folder(folder)
    faults = fsck(folder)
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{folder}: no faults")
    return 1 if faults else 0


def run_show(options: argparse.Namespace) -> int:
    """Print a folder's configuration and its sequences. Raises Diagnostic where it has none, or a damaged one."""
    from rich.table import Table

    folder: Path = options.folder
    _check_folder(folder)
    data = read_whole(POSIX, str(folder), MANIFEST)
    if data is None:
        remedy = "save a pool in it first, or choose another folder"
        raise Diagnostic("the folder has no manifest", str(folder), MANIFEST, remedy=remedy)
    manifest = decode_manifest(data)
    table = Table(show_header=False, box=None)
    for row in _rows(manifest, manifest.config(), folder, len(data)):
        table.add_row(*row)
    console = table_console()
    console.print(table, markup=False, highlight=False)
    sequences = Table("sequence", "tokens", "full blocks", "not shared", "tail bytes", "text")
    owners = _owners(manifest)
    for sequence in manifest.sequences:
        alone = sum(owners[row] == 1 for row in sequence.rows)
        counts = sequence.number, len(sequence.tokens), len(sequence.rows), alone, len(sequence.tail)
        sequences.add_row(*map(str, counts), _text(sequence))
    console.print(sequences, markup=False, highlight=False)
    return 0


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise Diagnostic("there is no such folder", str(folder), remedy="name the folder of a paged key-value store")


def _rows(manifest: Manifest, config: PoolConfig, folder: Path, size: int) -> Iterator[tuple[str, str]]:
    page = f"{config.page_length} tokens, {config.slot} bytes in the file"
    yield "layers", str(config.layers)
    yield "heads", f"{config.heads}, of keys and values {config.kv_heads}, of {config.head_dim}"
    yield "page", page
    yield "elements", f"{config.element.name.lower()}, of digests {config.digest.name.lower()}"
    yield "capacity", f"{manifest.capacity} tokens, {config.rows} rows"
    yield "rows in use", f"{len(manifest.rows)}, {manifest.next_serial} ever filled"
    yield "model", manifest.model.hex()
    for name in (PAGES, DIGESTS):
        path = folder / name
        yield name, f"{path.stat().st_size} bytes" if path.exists() else "absent"
    yield MANIFEST, f"{size} bytes"


def _owners(manifest: Manifest) -> dict[int, int]:
    """Count the sequences of each row."""
    counts = {row: 0 for row, _, _ in manifest.rows}
    for row in (row for sequence in manifest.sequences for row in sequence.rows):
        counts[row] += 1
    return counts


def _text(sequence: SavedSequence) -> str:
    """Return the last tokens as text where all are bytes or begin a document, `<256>`, else as numbers."""
    last = sequence.tokens[-_SHOWN:].tolist()
    before = "..." if len(last) < len(sequence.tokens) else ""
    if any(token > DOCUMENT for token in last):
        return before + " ".join(map(str, last))
    text = bytearray()
    for token in last:
        text += f"<{DOCUMENT}>".encode() if token == DOCUMENT else bytes([token])
    return before + "".join(_shown(char) for char in text.decode("utf-8", "backslashreplace"))


def _shown(char: str) -> str:
    return char if char.isprintable() else repr(char)[1:-1]
