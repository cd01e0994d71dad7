"""
Random programs on the two stores side by side: results, statuses, statistics, hashes and files are the same bits.

Both work on disks in memory, whose writes may fail for a while. They exchange their folders when they are opened again.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from tilewright.runtime.paged.config import Element, Eviction, HeadReduction, PoolConfig
from tilewright.runtime.paged.files import DIGESTS, MANIFEST, NEW_MANIFEST, PAGES
from tilewright.runtime.paged.fsck import fsck
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.paged.native import fsck as native_fsck
from tilewright.runtime.paged.native import working_set as native_working_set
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.stats import Stats
from tilewright.runtime.paged.status import PagedError
from tilewright.test.runtime.paged.pools import Floats, MemoryDisk, failing, normal

FOLDER = "session"


def random_config(rng: random.Random) -> PoolConfig:
    kv_heads, page_length = rng.randint(1, 3), rng.randint(1, 6)
    sinks, recent = rng.choice([(0, 0), (1, 0), (0, 1), (2, 1)])
    rows, pages = rng.randint(2, 24), 0
    least = PoolConfig(
        layers=rng.randint(1, 3),
        heads=kv_heads * rng.randint(1, 3),
        kv_heads=kv_heads,
        head_dim=rng.choice([8, 16, 24, 40]),
        page_length=page_length,
        capacity=rows * page_length,
        memory=0,
        scale=rng.choice([0.25, 1.0, 3.7]),
        element=rng.choice(list(Element)),
        digest=rng.choice(list(Element)),
        budget_pages=rng.choice([0, sinks + recent + rng.randint(1, 5)]),
        sinks=sinks,
        recent=recent,
        skip_layers=rng.choice([0, 0, 1]),
        reduce=rng.choice(list(HeadReduction)),
        eviction=rng.choice(list(Eviction)),
        sparse_prefill=rng.random() < 0.5,
        max_sequences=rng.randint(1, 4),
        context=rng.choice([0, rng.randint(1, rows * page_length)]),
        threads=rng.choice([0, 0, 1, 3]),
        certificate=rng.random() < 0.5,
        model=rng.randbytes(32),
    )
    pages = rng.choice([0, 1, 3, 10, 50, 500])
    return replace(least, memory=least.working_set + pages * (least.slot + 64) + rng.randint(0, 63))


class Twins:
    """The two pools, each on a disk of its own, and the calls so far."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.config = random_config(self.rng)
        self.disks = [MemoryDisk(), MemoryDisk()]
        self.has_folder = self.rng.random() < 0.8
        self.log: list[str] = [f"seed {seed}", str(self.config)]
        self._open()

    def _open(self) -> None:
        self.compares_stats = self.commits = True
        folder = FOLDER if self.has_folder else None
        self.pools: list[Any] = [
            Pool(self.config, folder, self.disks[0]),
            NativePool(self.config, folder, self.disks[1]),
        ]

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a method of both pools and compare what comes of it; returns that, or the error."""
        self.log.append(f"{name}({', '.join(map(shown, arguments))})")
        python, native = (self._outcome(getattr(pool, name), arguments) for pool in self.pools)
        self.log[-1] += f" -> {str(python)[:60]}"
        if name == "attend" and isinstance(python, PagedError):
            self.compares_stats = False
        assert comparable(python) == comparable(native), self._failure(f"{python!r} against {native!r}")
        self.compare_stats()
        return python

    def failed(self, name: str, *arguments: Any) -> bool:
        """Call a method of both pools; returns whether it fails."""
        return isinstance(self.call(name, *arguments), PagedError)

    def _outcome(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        try:
            return call(*arguments)
        except PagedError as error:
            return error

    def compare_stats(self) -> None:
        if not self.compares_stats:
            return
        python, native = (statistics(pool) for pool in self.pools)
        differing = {name: (value, native[name]) for name, value in python.items() if value != native[name]}
        assert not differing, self._failure(f"{differing}")

    def compare_files(self) -> None:
        for name in (PAGES, DIGESTS, MANIFEST):
            python, native = (disk.names.get(name) for disk in self.disks)
            assert (python is None) == (native is None), self._failure(name)
            if python is not None and native is not None:
                assert python.data == native.data, self._failure(f"bytes of {name}")

    def _failure(self, text: str) -> str:
        return "\n".join([*self.log, text])

    def sequence(self) -> int:
        """Return the number of a sequence, which mostly exists."""
        numbers = [number for number in range(self.config.max_sequences) if self.pools[0].exists(number)]
        return self.rng.choice(numbers) if numbers and self.rng.random() < 0.97 else self.rng.randint(0, 5)

    def floats(self, *shape: int) -> Floats:
        """Return random floats, with equal ones, zeros of both signs and some that no network should compute."""
        rng = np.random.default_rng(self.rng.getrandbits(32))
        floats = normal(rng, *shape) * np.float32(self.rng.choice([0.1, 1, 8]))
        if self.rng.random() < 0.2:
            floats = np.round(floats)
        if self.rng.random() < 0.02:
            floats.flat[rng.integers(floats.size)] = self.rng.choice([np.inf, -np.inf, np.nan, 3.4e38, -1e-42])
        return floats

    # Operations

    def step(self) -> None:
        config, rng = self.config, self.rng
        count = rng.choice([1, 1, 1, 2, rng.randint(0, 9), rng.choice([1, rng.randint(1, 70)])])
        tokens = np.array([rng.getrandbits(32) for _ in range(count)], np.uint32)
        self.open = self.sequence()
        if self.failed("begin", self.open, tokens):
            return self.truncate()
        is_whole = all(self._layer(layer, count) for layer in range(config.layers))
        self.call("commit" if is_whole and self.commits and rng.random() < 0.97 else "rollback")

    def _layer(self, layer: int, count: int) -> bool:
        """Append and mostly attend; returns False where that fails."""
        config = self.config
        shape = count, config.kv_heads, config.head_dim
        if self.rng.random() < 0.02:
            self.call(self.rng.choice(["create", "save", "commit"] if layer else ["create", "save"]))
        if self.failed("append", layer, self.floats(*shape), self.floats(*shape)):
            return False
        if self.rng.random() < 0.1:
            return True
        if self.rng.random() < 0.2:
            self.call("digest", layer)
        blocks = self.tables(count) if self.rng.random() < 0.3 else None
        has_failed = self.failed("attend", layer, self.floats(count, config.heads, config.head_dim), blocks)
        self.compare_touched(layer)
        if self.rng.random() < 0.3:
            self.call("prefetch", self.rng.randint(0, config.layers))
        return not has_failed

    def tables(self, count: int) -> list[list[Any]]:
        """Return blocks of tokens of the open step, which mostly may be attended to."""
        first = self.pools[0].length(self.open)
        tables: list[list[Any]] = []
        for position in range(first, first + count):
            own = position // self.config.page_length
            lists = [self.rng.sample(range(own), self.rng.randint(0, own)) for _ in range(self.config.kv_heads)]
            tables.append([np.array([*sorted(blocks), own]) for blocks in lists])
        if self.rng.random() < 0.03:
            wrong = self.rng.choice([[], [-1], [1, 0], [0, 0], [first]])
            tables[self.rng.randrange(count)][0] = np.array(wrong, np.int64)
        return tables

    def compare_touched(self, layer: int) -> None:
        """Compare the rows that the last attend touched, those of layers of which no attend failed."""
        if self.compares_stats:
            python, native = (pool.touched(layer) for pool in self.pools)
            assert [sorted(rows) for rows in python] == native, self._failure(f"{python} against {native}")

    def truncate(self) -> None:
        sequence = self.sequence()
        length = self.pools[0].length(sequence)
        self.call("truncate", sequence, max(0, length - self.rng.choice([0, 1, 2, self.rng.randint(-1, length + 1)])))

    def pin(self) -> None:
        sequence = self.sequence()
        last = self.rng.randint(0, self.pools[0].length(sequence) + (self.rng.random() < 0.05))
        self.call(self.rng.choice(["pin", "unpin", "unpin"]), sequence, self.rng.randint(0, last), last)

    def select(self) -> None:
        sequence = self.sequence()
        queries = self.floats(self.config.heads, self.config.head_dim)
        room = self.rng.choice([None, None, self.rng.randint(0, 9)])
        self.call("select", sequence, self.rng.randrange(self.config.layers), queries, room)

    def look(self) -> None:
        sequence = self.sequence()
        self.call("exists", sequence)
        length = self.call("length", sequence)
        self.call("tokens", sequence, self.rng.randint(0, length), self.rng.randint(0, length))
        self.call("hash", sequence)
        self.call("rows", sequence)

    def save(self) -> None:
        self.call("save")
        self.compare_files()

    def reopen(self) -> None:
        """Close both pools, and open each on the folder of the other."""
        if not self.has_folder:
            return
        self.log.append("reopen")
        for pool in self.pools:
            pool.close()
        self.compare_files()
        for disk, check in zip(self.disks, (native_fsck, fsck), strict=True):
            faults = check(FOLDER, disk)
            assert faults == [], self._failure(str(faults))
        self.disks.reverse()
        self._open()
        self.compare_stats()
        for number in range(self.config.max_sequences):
            self.call("hash", number)

    def fail_writes(self) -> None:
        """Let writes, growth, syncs or renames fail from now on, or no more."""
        call, name = self.rng.choice(FAULTS)
        self.log.append(f"{call} {name} fails")
        error = self.rng.choice([errno.ENOSPC, errno.EIO])
        for disk in self.disks:
            disk.fails = failing(call, name, error)

    def fail_reads(self) -> None:
        """
        Let reads of pages fail, or damage pages, for some calls: statuses agree, and the state is that before them.

        More pages may have been read ahead of an error, so statistics agree again when the pools are opened again.
        """
        if not self.has_folder:
            return
        self.log.append("reads fail")
        places = [(disk, disk.names[PAGES].data) for disk in self.disks if PAGES in disk.names]
        offset = self.rng.randrange(self.config.rows * self.config.pages) * self.config.slot + self.rng.randrange(64)
        is_damage = self.rng.random() < 0.5
        for disk, data in places:
            if is_damage and offset < len(data):
                data[offset] ^= 1
            disk.fails = failing("none" if is_damage else "pread", PAGES, errno.EIO)
        self.compares_stats = self.commits = False  # pages that are written would hide the damage
        for _ in range(3):
            self.rng.choice([self.step, self.look, self.truncate])()
        for disk, data in places:
            if is_damage and offset < len(data):
                data[offset] ^= 1
            disk.fails = MemoryDisk().fails
        self.save()
        self.reopen()

    def create(self) -> None:
        self.call("create")

    def fork(self) -> None:
        self.call("fork", self.sequence())

    def drop(self) -> None:
        self.call("drop", self.sequence())

    def prefetch(self) -> None:
        self.call("prefetch", self.rng.randint(0, self.config.layers))

    def run(self, operations: int) -> None:
        assert self.config.working_set == native_working_set(self.config), self.config
        self.call("create")
        for _ in range(operations):
            getattr(self, self.rng.choices(list(OPERATIONS), list(OPERATIONS.values()))[0])()
        for disk in self.disks:
            disk.fails = MemoryDisk().fails
        self.save()
        self.reopen()
        for pool in self.pools:
            pool.close()


FAULTS = [
    *[("none", ""), ("none", ""), ("pwrite", PAGES), ("pwrite", DIGESTS), ("reserve", ""), ("pwrite", NEW_MANIFEST)],
    *[("sync", PAGES), ("sync", DIGESTS), ("sync", NEW_MANIFEST), ("rename", ""), ("sync_folder", "")],
]
"""Call and file that fail from a time on; none in two cases."""

OPERATIONS = {
    "step": 60,
    "truncate": 8,
    "select": 5,
    "look": 5,
    "save": 5,
    "pin": 4,
    "fork": 4,
    "reopen": 3,
    "prefetch": 3,
    "fail_writes": 3,
    "create": 2,
    "drop": 2,
    "fail_reads": 2,
}
"""Operation -> how often it comes, in proportion."""


def statistics(pool: Any) -> dict[str, float]:
    stats: Stats = pool.get_stats()
    return vars(replace(stats, read_ns=0))


def shown(argument: Any) -> str:
    return str(getattr(argument, "shape", argument))


def comparable(value: Any) -> Any:
    """Return a result of a call by its bits, an error by its status."""
    match value:
        case PagedError():
            return value.status
        case np.ndarray():
            return comparable_array(cast("Any", value))
        case list() | tuple():
            parts: list[Any] = [*value]
            return [comparable(part) for part in parts]
        case _:
            return value


def comparable_array(array: Any) -> tuple[Any, ...]:
    return array.shape, array.dtype.name, array.tobytes()


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int):
    Twins(seed).run(25)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_longer_random_programs(seed: int):
    Twins(seed).run(120)
