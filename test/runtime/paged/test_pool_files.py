"""Folders of the paged store: formats, damage, failing calls, and losses of power at any call."""

from __future__ import annotations

import errno
import random
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.paged.crc import crc32c, crc32c_rows
from tilewright.runtime.paged.files import DIGESTS, MANIFEST, PAGES, decode_manifest
from tilewright.runtime.paged.fsck import fsck
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.paged.status import PagedError, Status
from tilewright.test.runtime.paged.pools import Crash, MemoryDisk, config, failing, filled, normal, nth, step

SEEDS = st.integers(0, 2**32 - 1)
FOLDER = "session"


def refused(call: Callable[[], Any], status: Status) -> PagedError:
    with pytest.raises(PagedError) as caught:
        call()
    assert caught.value.status is status
    assert caught.value.remedy
    return caught.value


def slow_crc(data: bytes | bytearray) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_crc_of_the_standard():
    """Vectors of RFC 3720, B.4, and of the name 123456789."""
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(b"") == 0


@given(SEEDS, st.integers(0, 90), st.integers(1, 4))
def test_crc_of_rows(seed: int, size: int, rows: int):
    data = np.random.default_rng(seed).integers(0, 256, (rows, size), dtype=np.uint8)
    assert crc32c_rows(data).tolist() == [slow_crc(row.tobytes()) for row in data]


@pytest.mark.parametrize(("element", "digest"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_files_have_the_bytes_of_the_page(element: int, digest: int):
    """The tables of docs/paged.md, field by field."""
    disk = MemoryDisk()
    shape = config(element=Element(element), digest=Element(digest), layers=1)
    with Pool(shape, FOLDER, disk) as pool:
        sequence = filled(pool, 9)
        fork = pool.fork(sequence)
        pool.truncate(fork, 5)
        pool.save()
    size, bound = (4, 2)[element], (4, 2)[digest]
    slot, entry = 64 + -(-2 * 4 * 8 * size // 64) * 64, 64 + -(-2 * 2 * 8 * bound // 64) * 64
    pages, bounds = disk.names[PAGES].data, disk.names[DIGESTS].data
    assert (len(pages), len(bounds)) == (32 * 2 * slot, 32 * entry)
    for row, head in np.ndindex(2, 2):
        raw = pages[(row * 2 + head) * slot :][:slot]
        payload = raw[64 : 64 + 2 * 4 * 8 * size]
        fields = (b"TWPG", 1, element, 0, bytes(range(16)), 0, head, row, row, 4, row, slow_crc(payload), 0)
        assert struct.unpack("<4sHBB16sHHIIIQIQ", raw[:60]) == fields
        assert struct.unpack("<I", raw[60:64])[0] == slow_crc(raw[:60])
        assert not any(raw[64 + len(payload) :])
    for row in range(2):
        raw = bounds[row * entry :][:entry]
        payload = raw[64 : 64 + 2 * 2 * 8 * bound]
        fields = (b"TWDG", 1, digest, 0, bytes(range(16)), 0, 0, row, row, 4, row, slow_crc(payload), 0)
        assert struct.unpack("<4sHBB16sHHIIIQIQ", raw[:60]) == fields
        assert struct.unpack("<I", raw[60:64])[0] == slow_crc(raw[:60])
    assert not any(pages[2 * 2 * slot :])
    assert not any(bounds[2 * entry :])
    manifest = bytes(disk.names[MANIFEST].data)
    assert manifest[:36] == struct.pack("<4s8I", b"TWMF", 1, 1, 4, 2, 8, 4, element, digest)
    assert manifest[36:84] == bytes(range(32)) + struct.pack("<QQ", 128, 2)
    assert manifest[84:124] == struct.pack("<I IIQ IIQ I", 2, 0, 0, 0, 1, 1, 1, 2)
    assert manifest[124:140] == struct.pack("<IIQ", 0, 0, 9)
    tail = 2 * 2 * 1 * 8 * size
    assert manifest[140 + 9 * 4 :][:8] == struct.pack("<II", 0, 1)
    second = 140 + 9 * 4 + 8 + tail
    assert manifest[second : second + 16] == struct.pack("<IIQ", 1, 0, 5)
    assert manifest[second + 16 + 5 * 4 :][:4] == struct.pack("<I", 0)
    assert len(manifest) == second + 16 + 5 * 4 + 4 + tail + 4
    assert struct.unpack("<I", manifest[-4:])[0] == slow_crc(manifest[:-4])


def digest_of(pool: Pool) -> list[tuple[int, int, int]]:
    """Return number, length and hash of each sequence."""
    numbers = [number for number in range(pool.config.max_sequences) if pool.exists(number)]
    return [(number, pool.length(number), pool.hash(number)) for number in numbers]


@pytest.mark.parametrize("element", Element, ids=lambda element: element.name)
def test_saved_sequences_go_on_as_if_nothing_had_happened(element: Element):
    with tempfile.TemporaryDirectory() as folder:
        shape = config(element=element, budget_pages=3)
        with Pool(shape, folder) as pool:
            filled(pool, 13)
            fork = pool.fork(0)
            step(pool, fork, 3, 7)
            pool.save()
            state = digest_of(pool)
            expected = step(pool, fork, 4, 8), step(pool, 0, 1, 9)
        assert fsck(folder) == []
        with Pool(replace(shape, memory=1 << 20, capacity=4 * 64, max_sequences=9), folder) as pool:
            assert digest_of(pool) == state
            after = step(pool, fork, 4, 8), step(pool, 0, 1, 9)
        assert [each.tobytes() for each in after] == [each.tobytes() for each in expected]
        with Pool(shape, folder) as pool:
            assert digest_of(pool) == state


def saved(shape: PoolConfig, length: int = 9) -> MemoryDisk:
    disk = MemoryDisk()
    with Pool(shape, FOLDER, disk) as pool:
        filled(pool, length)
        pool.save()
    return disk


def test_folders_that_do_not_fit_are_refused():
    shape = config()
    disk = saved(shape)
    with Pool(shape, FOLDER, disk):
        refused(lambda: Pool(shape, FOLDER, disk), Status.LOCKED)
        refused(lambda: fsck(FOLDER, disk), Status.LOCKED)
    for changes in (
        {"layers": 3},
        {"heads": 2},
        {"head_dim": 16},
        {"page_length": 2},
        {"element": Element.BF16},
        {"digest": Element.BF16},
        {"model": bytes(32)},
    ):
        error = refused(lambda changes=changes: Pool(config(**changes), FOLDER, disk), Status.FOREIGN)
        assert error.expected != error.found
    for changes, name in (({"capacity": 4}, "capacity"), ({"context": 8}, "context")):
        error = refused(lambda changes=changes: Pool(config(**changes), FOLDER, disk), Status.BAD_ARGUMENT)
        assert name in error.message
    refused(lambda: Pool(config(), FOLDER, MemoryDisk(nth("open", "lock", 0, errno.EACCES))), Status.IO)
    refused(lambda: Pool(config(), FOLDER, MemoryDisk(nth("open", MANIFEST, 0, errno.EIO))), Status.IO)
    with Pool(shape, FOLDER, disk) as pool:  # each refusal has released the lock
        assert pool.length(0) == 9


def test_each_bit_of_a_manifest_counts():
    disk = saved(config(layers=1))
    data = disk.names[MANIFEST].data
    for place in range(len(data)):
        data[place] ^= 1 << place % 8
        status = Status.NEWER if 4 <= place < 8 else Status.CORRUPT
        if place == 4 and data[4] == 0:
            status = Status.CORRUPT
        refused(lambda: Pool(config(layers=1), FOLDER, disk), status)
        data[place] ^= 1 << place % 8
    for size in range(len(data)):
        disk.names[MANIFEST].data = data[:size]
        refused(lambda: Pool(config(layers=1), FOLDER, disk), Status.CORRUPT)


def rewritten(disk: MemoryDisk, change: Callable[[bytearray], None]) -> None:
    """Change a manifest and give it the checksum that it then has."""
    data = disk.names[MANIFEST].data
    change(data)
    data[-4:] = struct.pack("<I", slow_crc(data[:-4]))


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (88, 1, "ascending"),
        (92, 1, "block 0 is not in row 0"),
        (96, 2, "serial is not given"),
        (104, 5, "block 1 is not in row 1"),
        (140 + 36, 7, "block 0 is not in row 7"),
    ],
)
def test_references_are_checked(place: int, value: int, fault: str):
    disk = saved(config(layers=1))
    rewritten(disk, lambda data: data.__setitem__(slice(place, place + 4), struct.pack("<I", value)))
    error = refused(lambda: Pool(config(layers=1), FOLDER, disk), Status.CORRUPT)
    assert any(fault in line for line in [error.message, *fsck(FOLDER, disk)])
    assert all(line.startswith("manifest.tw: ") for line in fsck(FOLDER, disk)[:1])


def attended(pool: Pool) -> None:
    rng = np.random.default_rng(0)
    pool.begin(0, [0])
    for layer in range(pool.config.layers):
        pool.append(layer, normal(rng, 1, 2, 8), normal(rng, 1, 2, 8))
        pool.attend(layer, normal(rng, 1, 4, 8))


def test_each_byte_of_a_page_counts():
    shape = config(layers=1)
    disk = saved(shape)
    data, slot = disk.names[PAGES].data, shape.slot
    for place in [*range(slot, slot + 64), *range(0, 4 * slot, 13)]:
        data[place] ^= 1 << place % 8
        with Pool(shape, FOLDER, disk) as pool:
            error = refused(lambda: attended(pool), Status.CORRUPT)
            pool.rollback()
            refused(lambda: pool.hash(0), Status.CORRUPT)
            refused(lambda: pool.truncate(0, 1 + place // (2 * slot) * 4), Status.CORRUPT)
            assert pool.length(0) == 9
        where = f"row {place // slot // 2}, layer 0, head {place // slot % 2}"
        assert where in error.message
        (line,) = fsck(FOLDER, disk)
        assert line.startswith(f"pages.tw: {where}: ")
        data[place] ^= 1 << place % 8
    assert fsck(FOLDER, disk) == []


def test_each_byte_of_digests_counts():
    shape = config(layers=1)
    disk = saved(shape)
    data = disk.names[DIGESTS].data
    for place in range(shape.entry, shape.entry + 64 + shape.digest_payload, 3):
        data[place] ^= 1 << place % 8
        assert "row 1" in refused(lambda: Pool(shape, FOLDER, disk), Status.CORRUPT).message
        (line,) = fsck(FOLDER, disk)
        assert line.startswith("digests.tw: row 1: ")
        data[place] ^= 1 << place % 8
    disk.names[DIGESTS].data = data[: 2 * shape.entry - 1]
    assert "ends early" in refused(lambda: Pool(shape, FOLDER, disk), Status.CORRUPT).message
    del disk.names[PAGES]
    assert "missing" in refused(lambda: Pool(shape, FOLDER, disk), Status.CORRUPT).message


def test_digests_that_are_not_of_their_keys_are_faults():
    shape = config(layers=1)
    disk = saved(shape)
    data = disk.names[DIGESTS].data
    data[64:68] = struct.pack("<f", 99)
    data[48:52] = struct.pack("<I", slow_crc(data[64 : 64 + shape.digest_payload]))
    data[60:64] = struct.pack("<I", slow_crc(data[:60]))
    assert fsck(FOLDER, disk) == ["digests.tw: row 0, layer 0, head 0: not the digest of its keys"]
    with Pool(shape, FOLDER, disk) as pool:
        assert pool.exists(0)


def test_bytes_between_pages_are_zeros():
    shape = config(layers=1, page_length=1, capacity=32, element=Element.BF16)
    disk = saved(shape)
    disk.names[PAGES].data[shape.slot - 1] = 1
    assert fsck(FOLDER, disk) == ["pages.tw: row 0, layer 0, head 0: not followed by zeros"]


def test_a_page_of_another_time_is_refused():
    """A row whose write was lost still has the page that it had before: its serial is another."""
    shape = config(layers=1)
    disk = saved(shape)
    with Pool(shape, FOLDER, disk) as pool:
        pool.truncate(0, 3)
        pool.save()
        old = bytes(disk.names[PAGES].data)
        step(pool, 0, 3, 1)
        pool.save()
    disk.names[PAGES].data[:] = old
    with Pool(shape, FOLDER, disk) as pool:
        assert "serial" in refused(lambda: attended(pool), Status.CORRUPT).message


# Failing calls


def program(pool: Pool, saves: list[list[tuple[int, int, int]]]) -> None:
    """Fill, fork, truncate, drop and save; `saves` gets the state at the start of each save."""

    def save() -> None:
        saves.append(digest_of(pool))
        pool.save()

    step(pool, pool.create(), 6, 0)
    save()
    step(pool, pool.fork(0), 6, 1)
    step(pool, 0, 2, 2)
    save()
    pool.truncate(1, 3)
    step(pool, 1, 6, 3)
    pool.drop(0)
    step(pool, pool.create(), 5, 4)
    save()
    pool.drop(0)
    step(pool, 1, 5, 5)
    save()


def small() -> PoolConfig:
    return config(layers=1, capacity=4 * 12, frames=6)


def calls_of_program() -> list[tuple[str, str]]:
    disk = MemoryDisk()
    with Pool(small(), FOLDER, disk) as pool:
        program(pool, [])
    return disk.calls


CALLS = calls_of_program()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 30))])
def test_after_a_loss_of_power_the_state_is_that_of_a_save(seed: int):
    rng = np.random.default_rng(seed)
    for call in range(len(CALLS)):
        disk = MemoryDisk(nth("", "", call, -1))
        saves: list[list[tuple[int, int, int]]] = [[]]
        with pytest.raises(Crash):
            program(Pool(small(), FOLDER, disk), saves)
        count = {"pwrite": 1, "sync_folder": 12}.get(CALLS[call][0], 3)
        draws = [disk.after_crash(rng) for _ in range(count)]
        for left in draws:
            assert fsck(FOLDER, left) == []
            with Pool(small(), FOLDER, left) as pool:
                assert digest_of(pool) in saves[-2:], (call, CALLS[call])
        with Pool(small(), FOLDER, draws[0]) as pool:
            pool.save()
            step(pool, pool.create(), 9, 0)
            pool.save()
        assert fsck(FOLDER, draws[0]) == []


def expected_states() -> list[list[tuple[int, int, int]]]:
    saves: list[list[tuple[int, int, int]]] = []
    with Pool(config(layers=1, capacity=4 * 12, memory=1 << 20), FOLDER, MemoryDisk()) as pool:
        program(pool, saves)
    return saves


WRITING = [place for place, (call, _) in enumerate(CALLS) if call in ("pwrite", "reserve", "sync", "rename")]


@pytest.mark.parametrize("error", [errno.ENOSPC, pytest.param(errno.EIO, marks=pytest.mark.nightly)])
def test_a_write_that_fails_once_changes_no_state(error: int):
    expected = expected_states()
    for call in WRITING:
        disk = MemoryDisk(nth("", "", call, error))
        saves: list[list[tuple[int, int, int]]] = []
        pool = Pool(small(), FOLDER, disk)
        try:
            program(Retrying(pool, error), saves)  # pyright: ignore[reportArgumentType]
        finally:
            pool.close()
        assert saves[-1] == expected[-1]
        assert not pool.get_stats().degraded
        assert fsck(FOLDER, disk) == []
        assert pool.get_stats().write_errors == 1
        with Pool(small(), FOLDER, disk.after_crash(np.random.default_rng(call))) as reopened:
            assert digest_of(reopened) == expected[-1]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 30))])
def test_a_loss_of_power_after_a_save_that_failed(seed: int):
    """Rows of both manifests stay, because either may be the last one."""
    rng = random.Random(seed)
    for call in (place for place, (name, _) in enumerate(CALLS) if name in ("sync", "rename", "sync_folder")):
        fails = [nth("", "", call, errno.EIO), nth("", "", rng.randrange(call + 1, len(CALLS) + 1), -1)]
        disk = MemoryDisk(lambda name, file, fails=fails: next(filter(None, [each(name, file) for each in fails]), 0))
        pool = Tolerant(Pool(small(), FOLDER, disk))
        with suppress(Crash):
            program(pool, [])  # pyright: ignore[reportArgumentType]
        for draw in range(4):
            left = disk.after_crash(np.random.default_rng(draw))
            assert fsck(FOLDER, left) == []
            with Pool(small(), FOLDER, left) as reopened:
                assert digest_of(reopened) in pool.possible, (call, CALLS[call])


class Tolerant:
    """Pool whose `save` may fail; `possible` are the states that a folder may have after a crash."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.possible: list[list[tuple[int, int, int]]] = [[]]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def save(self) -> None:
        state = digest_of(self._pool)
        self.possible.append(state)
        with suppress(PagedError):
            self._pool.save()
            self.possible = [state]


class Retrying:
    """Pool whose `save` is tried once more where it fails for a reason."""

    def __init__(self, pool: Pool, error: int) -> None:
        self._pool = pool
        self._status = Status.NO_SPACE if error == errno.ENOSPC else Status.IO

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def save(self) -> None:
        before = digest_of(self._pool)
        try:
            self._pool.save()
        except PagedError as failure:
            if failure.status is not self._status:
                raise
            assert digest_of(self._pool) == before
            self._pool.save()


def test_a_full_disk_fills_the_memory_and_then_refuses():
    disk = MemoryDisk()
    pool = Pool(config(layers=1, frames=4), FOLDER, disk)
    sequence = filled(pool, 4)
    pool.save()
    disk.fails = failing("pwrite", "", errno.ENOSPC)
    for count in range(11):
        step(pool, sequence, 1, count)
    stats, content = pool.get_stats(), pool.hash(sequence)
    assert (stats.degraded, stats.dirty_rows, stats.rows) == (True, 2, 3)
    assert stats.write_errors == 8  # each commit from the fourth on tries again
    step(pool, sequence, 1, 11)
    content = pool.hash(sequence)
    assert refused(lambda: step(pool, sequence, 4, 0), Status.NO_SPACE).found == (
        "0 of 6; 3 rows are not written, 0 are pinned"
    )
    refused(pool.save, Status.NO_SPACE)
    assert pool.hash(sequence) == content
    disk.fails = MemoryDisk().fails
    pool.save()
    assert (pool.get_stats().degraded, pool.get_stats().dirty_rows) == (False, 0)
    step(pool, sequence, 4, 0)
    pool.close()
    with Pool(config(layers=1), FOLDER, disk) as pool:
        assert pool.hash(0) == content


def test_a_read_that_fails_ends_the_step_alone():
    shape = config(layers=1)
    disk = saved(shape)
    with Pool(shape, FOLDER, disk) as pool:
        content = pool.hash(0)
        disk.fails = nth("pread", PAGES, 2, errno.EIO)
        refused(lambda: attended(pool), Status.IO)
        assert pool.get_stats().read_errors == 1
        pool.attend(0, np.ones((1, 4, 8), np.float32))
        pool.rollback()
        assert pool.hash(0) == content


class Short(MemoryDisk):
    """Disk whose calls are interrupted, and do a part of what they are to do."""

    def pread(self, file: int, size: int, offset: int) -> bytes:
        if len(self.calls) % 3 == 0:
            self.calls.append(("interrupted", ""))
            raise InterruptedError(errno.EINTR, "interrupted")
        return super().pread(file, min(size, 100), offset)

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        if len(self.calls) % 3 == 0:
            self.calls.append(("interrupted", ""))
            raise InterruptedError(errno.EINTR, "interrupted")
        return super().pwrite(file, data[:100], offset)

    def reserve(self, file: int, size: int) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")


def test_calls_that_do_a_part_are_repeated():
    disks = MemoryDisk(), Short()
    for disk in disks:
        with Pool(small(), FOLDER, disk) as pool:
            program(pool, [])
        with Pool(small(), FOLDER, disk) as pool:
            assert digest_of(pool) == expected_states()[-1]
    for name in (PAGES, DIGESTS):
        full, short = (bytes(disk.names[name].data) for disk in disks)
        assert full[: len(short)] == short
    assert disks[0].names[MANIFEST].data == disks[1].names[MANIFEST].data


def test_a_write_of_nothing_is_a_full_disk():
    disk = MemoryDisk()
    disk.pwrite = lambda file, data, offset: 0  # type: ignore[method-assign]
    with Pool(small(), FOLDER, disk) as pool:
        filled(pool, 4)
        assert pool.get_stats().degraded
        refused(pool.save, Status.NO_SPACE)


def test_rows_of_the_last_manifest_are_not_used_again():
    with tempfile.TemporaryDirectory() as folder, Pool(config(layers=1, capacity=8), folder) as pool:
        filled(pool, 8)
        pool.save()
        pool.drop(0)
        refused(lambda: step(pool, pool.create(), 4, 0), Status.FULL)
        pool.save()
        step(pool, 0, 4, 0)
        assert decode_manifest(Path(folder, MANIFEST).read_bytes()).rows == ()
        assert pool.get_stats().pages_written == 6


@settings(max_examples=16)
@given(SEEDS)
def test_save_and_reopen_at_any_time(seed: int):
    """Random steps, with and without a folder that is closed and opened between them: the same bits."""
    rng = random.Random(seed)
    shape, disk = config(layers=1, capacity=4 * 40, frames=8, budget_pages=2), MemoryDisk()
    plain, pool = Pool(replace(shape, memory=1 << 20)), Pool(shape, FOLDER, disk)
    plain.create()
    pool.create()
    for _ in range(12):
        keys, count = rng.getrandbits(32), rng.randint(1, 4)
        assert step(plain, 0, count, keys).tobytes() == step(pool, 0, count, keys).tobytes()
        if rng.getrandbits(1):
            length = rng.randint(0, plain.length(0))
            plain.truncate(0, length)
            pool.truncate(0, length)
        if rng.random() < 0.3:
            pool.save()
            pool.close()
            pool = Pool(shape, FOLDER, disk)
    assert plain.hash(0) == pool.hash(0)
    pool.close()
