"""
Paged key-value store in Python: the twin of tilewright_paged.h, call for call, with the same results and files.

    with Pool(Config(layers=1, heads=2, kv_heads=1, head_dim=8, page_length=4, ...), folder) as pool:
        sequence = pool.create()
        pool.begin(sequence, tokens)
        for layer in range(layers):
            pool.append(layer, keys, values)
            results = pool.attend(layer, queries)
        pool.commit()
        pool.save()

Each call raises PagedError with the status that the C function returns; the state is then unchanged.
"""

from __future__ import annotations

import os
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arithmetic import Floats, digests, is_storable, page_scores, stored, widened
from .attending import (
    Query,
    checked,
    missed_of,
    not_finite,
    query_of,
    query_over,
    result_of,
    softmax_of,
    tokens_of,
)
from .config import QUERIES, PoolConfig, bad_value
from .pages import Pages
from .rows import RowTable
from .saving import content_hash, manifest_of, restored
from .selection import Blocks
from .stats import Stats
from .status import PagedError, Status, io_error
from .step import OpenStep, Sequence
from .storage import Storage
from .system_calls import POSIX, Io

Tokens: TypeAlias = "NDArray[np.uint32]"
Tables: TypeAlias = "SequenceOf[SequenceOf[Blocks]]"
"""Blocks of each token and KV head."""


class Pool:
    """
    Pool of pages, open on a folder or, without one, in memory alone.

    Raises PagedError: NO_MEMORY where `memory` is below the working set, LOCKED, CORRUPT, FOREIGN, NEWER, IO, and
    BAD_ARGUMENT where the folder holds more rows, sequences or tokens than the configuration.
    """

    def __init__(self, config: PoolConfig, folder: str | os.PathLike[str] | None = None, io: Io = POSIX) -> None:
        self.config = config
        self._stats = Stats(memory=config.bytes_in_use, frames=config.frames)
        self._rows = RowTable(config)
        self._sequences: dict[int, Sequence] = {}
        self._step: OpenStep | None = None
        self._is_closed = False
        self._storage = None if folder is None else Storage(config, folder, io, self._stats)
        self._pages = Pages(config, self._rows, self._storage, self._stats)
        if self._storage is None:
            return
        try:
            self._sequences = restored(config, self._storage, self._rows, self._pages)
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, config: PoolConfig, folder: str | os.PathLike[str] | None = None, io: Io = POSIX) -> Pool:
        """Open a pool: the constructor by the name that C has."""
        return cls(config, folder, io)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock. What was not saved is lost."""
        if self._storage is not None and not self._is_closed:
            self._storage.close()
        self._is_closed = True
        self._step = None
        self._sequences = {}

    def get_stats(self) -> Stats:
        """Return the statistics."""
        filling = 0 if self._step is None else len(self._step.rows)
        dirty = len(self._rows.unwritten) - filling
        return replace(
            self._stats,
            resident_pages=len(self._pages.frames),
            evictions=self._pages.frames.evictions,
            rows=len(self._rows.in_use),
            dirty_rows=dirty,
            degraded=self._stats.degraded and dirty > 0,
        )

    # Sequences

    def create(self) -> int:
        """Create an empty sequence; returns its number. Raises PagedError (FULL)."""
        self._check_idle()
        number = self._free_number()
        self._sequences[number] = Sequence(self._pages.empty_block())
        return number

    def fork(self, sequence: int) -> int:
        """Create a sequence with the tokens of another, whose full pages both share. Raises PagedError (FULL)."""
        self._check_idle()
        origin = self._named(sequence)
        number = self._free_number()
        self._rows.share(origin.rows)
        self._sequences[number] = Sequence(origin.tail.copy(), [*origin.tokens], [*origin.rows])
        return number

    def drop(self, sequence: int) -> None:
        """Remove a sequence."""
        self._check_idle()
        self._drop_rows(self._named(sequence).rows)
        del self._sequences[sequence]

    def truncate(self, sequence: int, length: int) -> None:
        """
        Remove the tokens from a length on.

        Raises PagedError: IO or CORRUPT where the page that becomes the tail is absent and cannot be read.
        """
        self._check_idle()
        cut = self._named(sequence)
        if not 0 <= length <= cut.length:
            raise bad_value("length", f"0 to {cut.length}", length)
        full = length // self.config.page_length
        if full < len(cut.rows) and length % self.config.page_length:
            cut.tail = self._pages.block(cut.rows[full])
        self._drop_rows(cut.rows[full:])
        del cut.rows[full:], cut.tokens[length:]

    def pin(self, sequence: int, first: int, last: int) -> None:
        """Forbid to evict the full blocks that hold a token of [first, last)."""
        self._set_pins(sequence, first, last, True)

    def unpin(self, sequence: int, first: int, last: int) -> None:
        """Allow to evict the full blocks that hold a token of [first, last)."""
        self._set_pins(sequence, first, last, False)

    def exists(self, sequence: int) -> bool:
        """Return whether there is a sequence of that number."""
        return sequence in self._sequences

    def length(self, sequence: int) -> int:
        """Return the number of a sequence's tokens, those of an open step left out; 0 where there is none."""
        return self._sequences[sequence].length if sequence in self._sequences else 0

    def tokens(self, sequence: int, first: int, count: int) -> Tokens:
        """Return the tokens of [first, first + count)."""
        tokens = self._named(sequence).tokens
        if not 0 <= first <= first + count <= len(tokens):
            raise bad_value("first and count", f"a part of the {len(tokens)} tokens", (first, count))
        return np.array(tokens[first : first + count], np.uint32)

    def rows(self, sequence: int) -> list[int]:
        """Return the rows of a sequence's full blocks, none where there is no such sequence."""
        return [*self._sequences[sequence].rows] if sequence in self._sequences else []

    def _free_number(self) -> int:
        numbers = (number for number in range(self.config.max_sequences) if number not in self._sequences)
        number = next(numbers, None)
        if number is None:
            raise PagedError(
                f"all {self.config.max_sequences} sequences are in use",
                remedy="drop one, or open the pool with more max_sequences",
                status=Status.FULL,
            )
        return number

    def _named(self, number: int) -> Sequence:
        if number not in self._sequences:
            raise bad_value("sequence", f"one of {sorted(self._sequences)}", number)
        return self._sequences[number]

    def _drop_rows(self, rows: SequenceOf[int]) -> None:
        for row in self._rows.drop(rows):
            self._pages.release(row)

    def _set_pins(self, sequence: int, first: int, last: int, pinned: bool) -> None:
        self._check_idle()
        named = self._named(sequence)
        if not 0 <= first <= last <= named.length:
            raise bad_value("first and last", f"a range of the {named.length} tokens", (first, last))
        end = -(-last // self.config.page_length) if first < last else 0
        self._rows.pinned[named.rows[first // self.config.page_length : end]] = pinned

    # Steps

    def begin(self, sequence: int, tokens: ArrayLike) -> None:
        """
        Begin a step that adds tokens [count] to a sequence.

        Raises PagedError: FULL where the context or the rows are exhausted, NO_SPACE where no frames are free because
        rows are not written or pinned.
        """
        self._check_idle()
        named, new = self._named(sequence), _tokens_of(tokens)
        length = named.length + len(new)
        if length > self.config.longest:
            remedy = "truncate the sequence, or open the pool with a longer context"
            message, size = "the context is full", f"{length} tokens"
            raise PagedError(message, "", f"{self.config.longest} tokens", size, remedy, status=Status.FULL)
        rows = self._rows.take(range(len(named.rows), length // self.config.page_length))
        try:
            self._pages.take(rows)
        except PagedError:
            self._drop_rows(rows)
            raise
        self._step = OpenStep(named, new, rows, self._pages.empty_block() if rows else named.tail)
        self._stats.missed_mass = 0.0

    def append(self, layer: int, keys: ArrayLike, values: ArrayLike) -> None:
        """Add keys and values [count][kv_heads][D] of a layer. Raises PagedError (NOT_FINITE)."""
        step = self._open_step(layer, "append")
        shape = (len(step.tokens), self.config.kv_heads, self.config.head_dim)
        new = np.stack([_floats("keys", keys, shape), _floats("values", values, shape)])
        for name, floats, digest in (("keys", new[0], self.config.digest), ("values", new[1], None)):
            if not is_storable(floats, self.config.element, digest):
                raise not_finite(f"{name} of layer {layer} are infinite or NaN, as {self.config.element.name}")
        first, length = layer * self.config.kv_heads, self.config.page_length
        pages = slice(first, first + self.config.kv_heads)
        old = step.sequence.tail[pages, :, : step.first % length]
        whole = np.concatenate([old, stored(new, self.config.element).transpose(2, 0, 1, 3)], axis=2)
        for place, row in enumerate(step.rows):
            block = whole[:, :, place * length : (place + 1) * length]
            self._pages.fill(row, first, block)
            floats = widened(block[:, 0], self.config.element)
            self._rows.set_digests(row, first, digests(floats, self.config.digest))
        rest = whole[:, :, len(step.rows) * length :]
        step.tail[pages, :, : rest.shape[2]] = rest
        step.layers += 1

    @np.errstate(over="ignore", invalid="ignore")
    def attend(self, layer: int, queries: ArrayLike, blocks: Tables | None = None) -> Floats:
        """
        Compute the attention of the step's tokens: queries [count][heads][D]; returns the results in that shape.

        `blocks` are those of each token and KV head, ascending, the token's own last; without them the pool selects.
        Raises PagedError: NOT_FINITE, IO or CORRUPT where a page cannot be read, BAD_ARGUMENT for other blocks.
        """
        step = self._open_step(layer + 1, "attend")
        shape = (len(step.tokens), self.config.heads, self.config.head_dim)
        heads = _floats("queries", queries, shape)
        if not np.isfinite(heads).all():
            raise not_finite(f"queries of layer {layer} are infinite or NaN")
        config, results = self.config, np.empty(shape, np.float32)
        grouped = heads.reshape(shape[0], config.kv_heads, config.group, config.head_dim)
        placed = results.reshape(grouped.shape)
        self._rows.touched[layer * config.kv_heads : (layer + 1) * config.kv_heads] = False
        for first in range(0, len(heads), QUERIES):
            part = slice(first, first + QUERIES)
            for head in range(config.kv_heads):
                tables = None if blocks is None else [lists[head] for lists in blocks[part]]
                placed[part, head] = self._attend_head(step, layer, head, first, grouped[part, head], tables)
        return results

    def _attend_head(
        self, step: OpenStep, layer: int, head: int, first: int, heads: Floats, tables: SequenceOf[Blocks] | None
    ) -> Floats:
        """Compute the attention of some of a step's queries, from one on, for a KV head: [queries][group][D]."""
        page, rows = layer * self.config.kv_heads + head, step.all_rows
        bounds = self._rows.bounds(rows, page)
        queries: list[Query] = []
        for position, group in enumerate(heads, step.first + first):
            own_bounds = bounds[: position // self.config.page_length]
            if tables is None:
                queries.append(query_of(self.config, layer, len(step.tokens), group, position, own_bounds))
            else:
                queries.append(query_over(self.config, group, position, tables[len(queries)], own_bounds))
        self._stats.attended_pages += sum(len(query.blocks) for query in queries)
        union: list[int] = np.unique(np.concatenate([query.blocks for query in queries])).tolist()
        keys = self._gathered(step, page, union, 0)
        softmaxes = [softmax_of(self.config, query, tokens_of(query, union, keys)) for query in queries]
        values = self._gathered(step, page, union, 1)
        if self.config.certificate:
            missed = map(partial(missed_of, self.config), queries, softmaxes)
            self._stats.missed_mass = max(self._stats.missed_mass, *missed)
        pairs = zip(queries, softmaxes, strict=True)
        return np.stack([result_of(softmax, tokens_of(query, union, values)) for query, softmax in pairs])

    def _gathered(self, step: OpenStep, page: int, blocks: SequenceOf[int], part: int) -> Floats:
        """Touch a page of blocks, in order, and return its keys (part 0) or values (1) [blocks][P][D]."""
        rows, config = step.all_rows, self.config
        gathered = np.empty((len(blocks), config.page_length, config.head_dim), config.element.storage)
        for place, block in enumerate(blocks):
            is_full = block < len(rows)
            pair = self._pages.touched(rows[block], page, counts_hit=not part) if is_full else step.tail[page]
            gathered[place] = pair[part]
        return widened(gathered, config.element)

    def digest(self, layer: int) -> Floats:
        """Return the digests of the full blocks of the step's sequence, its own included [kv_heads][blocks][2][D]."""
        step = self._open_step(layer + 1, "digest")
        first = layer * self.config.kv_heads
        pages = range(first, first + self.config.kv_heads)
        return np.stack([self._rows.bounds(step.all_rows, page) for page in pages])

    def commit(self) -> None:
        """End the step, and write the rows that are full."""
        step = self._step
        if step is None or step.layers < self.config.layers:
            done = "no step is open" if step is None else f"{step.layers} of {self.config.layers} layers are appended"
            raise PagedError("commit without all layers", found=done, remedy="begin, and append every layer")
        self._rows.number(step.rows)
        step.sequence.rows += step.rows
        step.sequence.tokens += step.tokens.tolist()
        step.sequence.tail = step.tail
        self._step = None
        if self._storage is not None:
            with suppress(OSError):
                self._write(self._storage, self._rows.unwritten)

    def rollback(self) -> None:
        """End the step, and restore the state before it."""
        if self._step is not None:
            self._drop_rows(self._step.rows)
            self._step = None

    def _check_idle(self) -> None:
        if self._is_closed:
            raise PagedError("the pool is closed", remedy="open another one")
        if self._step is not None:
            raise PagedError("a step is open", remedy="commit or rollback before other calls")

    def _open_step(self, layers: int, call: str) -> OpenStep:
        """Return the open step. Raises PagedError where it has another number of layers, or none is open."""
        if self._step is None:
            raise PagedError(f"{call} without a step", remedy="begin a step first")
        if layers != self._step.layers:
            appended = f"{self._step.layers} appended"
            raise PagedError(f"{call} out of order", found=appended, remedy="append, then attend, layer after layer")
        return self._step

    def prefetch(self, layer: int) -> None:
        """Read the absent pages that the last `attend` of a layer, if there is one, touched; not without `threads`."""
        if self.config.threads and 0 <= layer < self.config.layers:
            self._pages.prefetch(layer)

    def touched(self, layer: int) -> list[list[int]]:
        """Return the rows in use that the last `attend` of a layer touched, in order of blocks, for each KV head."""
        if not 0 <= layer < self.config.layers:
            raise bad_value("layer", f"below {self.config.layers}", layer)
        first = layer * self.config.kv_heads
        return [self._rows.touched_rows(page) for page in range(first, first + self.config.kv_heads)]

    @np.errstate(over="ignore", invalid="ignore")
    def select(
        self, sequence: int, layer: int, queries: ArrayLike, room: int | None = None
    ) -> tuple[list[Blocks], Floats]:
        """
        Select the blocks that the last token of a sequence attends to, for queries [heads][D] of a layer.

        Returns the blocks of each KV head, at most `room`, and the scores [heads][blocks] of the full blocks before the
        token's own. Raises PagedError (NOT_FINITE).
        """
        self._check_idle()
        named, config = self._named(sequence), self.config
        if not named.length or not 0 <= layer < config.layers:
            raise bad_value("layer", f"below {config.layers}, of a sequence with tokens", layer)
        heads = _floats("queries", queries, (config.heads, config.head_dim))
        if not np.isfinite(heads).all():
            raise not_finite(f"queries of layer {layer} are infinite or NaN")
        blocks: list[Blocks] = []
        scores: list[Floats] = []
        for head, group in enumerate(np.split(heads, config.kv_heads)):
            rows = named.rows[: (named.length - 1) // config.page_length]
            bounds = self._rows.bounds(rows, layer * config.kv_heads + head)
            blocks.append(query_of(config, layer, 1, group, named.length - 1, bounds).blocks)
            scores.append(checked(page_scores(group, bounds), config.scale))
        most = max(map(len, blocks))
        if room is not None and most > room:
            raise bad_value("room", f"{most} at least", room)
        return blocks, np.concatenate(scores)

    # Folder

    def save(self) -> None:
        """
        Make all sequences durable. On failure the last manifest holds.

        Raises PagedError: NO_SPACE, IO, and BAD_ARGUMENT where the pool has no folder.
        """
        self._check_idle()
        storage = self._storage
        if storage is None:
            raise PagedError("the pool has no folder", remedy="open it with one")
        try:
            self._write(storage, self._rows.to_save)
            self._sync(storage)
            storage.write_manifest(manifest_of(self.config, self._rows, self._sequences).encode())
            self._rows.protect(self._rows.in_use)
            storage.replace_manifest()
        except OSError as error:
            raise io_error(error, storage.folder, "saving") from error
        self._rows.protect_only(self._rows.in_use)

    def _write(self, storage: Storage, rows: SequenceOf[int]) -> None:
        """Write rows. Raises OSError at the first that fails; `degraded` says so."""
        self._stats.degraded = False
        for row in rows:
            block, serial = int(self._rows.blocks[row]), int(self._rows.serials[row])
            payloads = self._pages.block(row).reshape(self.config.pages, -1).view(np.uint8)
            try:
                storage.write_row(row, block, serial, payloads, self._rows.digests(row))
            except OSError:
                self._stats.degraded = True
                raise
            self._rows.note_write(row)

    def _sync(self, storage: Storage) -> None:
        try:
            storage.sync()
        except OSError:
            self._rows.note_sync(has_failed=True)
            raise
        self._rows.note_sync(has_failed=False)

    def hash(self, sequence: int) -> int:
        """
        Hash a sequence's tokens, digests, keys and values to 64 bits.

        Raises PagedError: IO or CORRUPT where an absent page cannot be read.
        """
        self._check_idle()
        return content_hash(self.config, self._named(sequence), self._rows, self._pages)


def _tokens_of(tokens: ArrayLike) -> Tokens:
    array: NDArray[Any] = np.asarray(tokens)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iu":
        raise bad_value("tokens", "integers [count], one at least", f"{array.dtype} {list(array.shape)}")
    if array.min() < 0 or array.max() > 0xFFFFFFFF:
        raise bad_value("tokens", "integers of 32 bits", f"{array.min()} to {array.max()}")
    return array.astype(np.uint32)


def _floats(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.ascontiguousarray(values, np.float32)
    if array.shape != shape:
        raise bad_value(name, str(list(shape)), list(array.shape))
    return array
