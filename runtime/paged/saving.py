"""State of a pool as a manifest, and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .config import PoolConfig, bad_value
from .crc import crc32c
from .files import Manifest, SavedSequence, shape_of
from .pages import Pages
from .rows import RowTable
from .step import Sequence
from .storage import Storage


def manifest_of(config: PoolConfig, rows: RowTable, sequences: Mapping[int, Sequence]) -> Manifest:
    """Return the manifest of a pool's rows and sequences."""
    saved = tuple(_saved(config, number, sequences[number]) for number in sorted(sequences))
    return Manifest(shape_of(config), config.model, config.capacity, rows.next_serial, rows.saved_state(), saved)


def _saved(config: PoolConfig, number: int, sequence: Sequence) -> SavedSequence:
    tokens = np.array(sequence.tokens, np.uint32)
    return SavedSequence(number, tokens, tuple(sequence.rows), _tail_of(config, sequence))


def _tail_of(config: PoolConfig, sequence: Sequence) -> bytes:
    return sequence.tail[:, :, : sequence.length % config.page_length].tobytes()


def restored(config: PoolConfig, storage: Storage, rows: RowTable, pages: Pages) -> dict[int, Sequence]:
    """
    Read the sequences of a folder's manifest, and set its rows; empty without one.

    Raises PagedError: CORRUPT, NEWER, FOREIGN, IO, and BAD_ARGUMENT where it has more than the configuration.
    """
    manifest = storage.manifest()
    if manifest is None:
        return {}
    _check_capacity(config, manifest)
    rows.restore(manifest.rows, manifest.next_serial)
    for row, block, serial in manifest.rows:
        rows.set_digests(row, 0, storage.read_digests(row, block, serial))
    sequences: dict[int, Sequence] = {}
    for saved in manifest.sequences:
        block = pages.empty_block()
        tail = block[:, :, : len(saved.tokens) % config.page_length]
        tail[:] = np.frombuffer(saved.tail, tail.dtype).reshape(tail.shape)
        rows.share(saved.rows)
        sequences[saved.number] = Sequence(block, saved.tokens.tolist(), list(saved.rows))
    return sequences


def _check_capacity(config: PoolConfig, manifest: Manifest) -> None:
    row = max((row for row, _, _ in manifest.rows), default=-1)
    number = max((saved.number for saved in manifest.sequences), default=-1)
    length = max((len(saved.tokens) for saved in manifest.sequences), default=0)
    if row >= config.rows:
        raise bad_value("capacity", f"{(row + 1) * config.page_length} tokens at least", config.capacity)
    if number >= config.max_sequences:
        raise bad_value("max_sequences", f"{number + 1} at least", config.max_sequences)
    if length > config.longest:
        raise bad_value("context", f"{length} tokens at least", config.longest)


def content_hash(config: PoolConfig, sequence: Sequence, rows: RowTable, pages: Pages) -> int:
    """
    Hash a sequence's tokens, digests, keys and values to 64 bits.

    Raises PagedError: IO or CORRUPT where an absent page cannot be read.
    """
    bounds = [rows.digests(row).tobytes() for row in sequence.rows]
    blocks = [pages.block(row).tobytes() for row in sequence.rows]
    tokens = np.array(sequence.tokens, "<u4").tobytes()
    high = crc32c(b"".join([sequence.length.to_bytes(8, "little"), tokens, *bounds]))
    return high << 32 | crc32c(b"".join([*blocks, _tail_of(config, sequence)]))
