"""Pools in C whose disk fails, fills or loses power, and damaged folders: never a wrong result, the last save holds."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.paged.crc import crc32c
from tilewright.runtime.paged.native import NativePool, fsck, working_set
from tilewright.runtime.paged.status import PagedError, Status
from tilewright.runtime.paged.system_calls import PosixIo
from tilewright.test.runtime.paged.disks import Crash, Disk
from tilewright.test.runtime.paged.pools import config, step

SEEDS = st.integers(0, 2**32 - 1)
FOLDER = "store"
States = dict[int, int]
DURABLE = ("sync", "sync_folder", "rename")


def refused(call: Callable[[], Any], *statuses: Status) -> PagedError:
    with pytest.raises(PagedError) as caught:
        call()
    assert caught.value.status in statuses, caught.value
    assert caught.value.remedy
    return caught.value


def small(**changes: Any) -> PoolConfig:
    """Configuration with a few frames beyond the working set; what is evicted is read again."""
    return config(**{"budget_pages": 3, "frames": 4, "capacity": 4 * 12, **changes})


def states(pool: NativePool) -> States:
    """Hashes of all sequences."""
    return {number: pool.hash(number) for number in range(pool.config.max_sequences) if pool.exists(number)}


def exhausted(error: PagedError) -> bool:
    return error.status in (Status.FULL, Status.NO_SPACE)


class Session:
    """Random calls on a pool, each seeded by its number; the states that the folder may have, of saves and tries."""

    def __init__(self, pool: NativePool, seed: int):
        self.pool, self.seed = pool, seed
        self.possible: list[States] = [states(pool)]

    def save(self) -> None:
        self.possible.append(states(self.pool))
        self.pool.save()
        del self.possible[:-1]

    def act(self, number: int) -> bytes:
        """Make a call; returns its results. Raises PagedError, but not where rows or frames are exhausted."""
        rng, pool = np.random.default_rng([self.seed, number]), self.pool
        existing = [*states_of(pool)]
        kind, sequence = rng.random(), int(rng.choice(existing)) if existing else -1
        if kind < 0.15:
            self.save()
            return b""
        try:
            if sequence < 0 or kind < 0.2:
                pool.create()
            elif kind < 0.25:
                pool.fork(sequence)
            elif kind < 0.3:
                pool.drop(sequence)
            elif kind < 0.4:
                pool.truncate(sequence, int(rng.integers(pool.length(sequence) + 1)))
            else:
                return step(pool, sequence, int(rng.choice([1, 1, 3, 4])), number).tobytes()
        except PagedError as error:
            pool.rollback()
            if not exhausted(error):
                raise
        return b""

    def go_on(self, calls: int) -> None:
        """Make calls, some of which may fail."""
        for number in range(calls):
            with suppress(PagedError):
                self.act(number)


def states_of(pool: NativePool) -> list[int]:
    return [number for number in range(pool.config.max_sequences) if pool.exists(number)]


def nothing(call: str, name: str) -> int:
    return 0


def reading(call: str, name: str) -> int:
    return errno.EIO if call == "pread" else 0


def syncing(call: str, name: str) -> int:
    return errno.EIO if call == "sync_folder" else 0


def nth(number: int, error: int, kinds: Sequence[str] = ()) -> Callable[[str, str], int]:
    """Fail the call of a number, counted from 0 over calls of some kinds, of all without any."""
    count = -1

    def fails(call: str, name: str) -> int:
        nonlocal count
        count += call in kinds or not kinds
        return error if count == number and (call in kinds or not kinds) else 0

    return fails


# Calls that fail


def reference(calls: int, settings: PoolConfig) -> list[bytes]:
    with NativePool(settings, FOLDER, Disk()) as pool:
        session = Session(pool, 5)
        return [session.act(number) for number in range(calls)]


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_each_call_that_fails_changes_no_result(error: int) -> None:
    """Each write, growth, sync and rename in turn: results are those of a run without, and so is what is saved."""
    kinds, ample = ("pwrite", "reserve", "sync", "sync_folder", "rename", "remove"), small(capacity=4 * 60, frames=12)
    expected, outcomes, number = reference(40, ample), list[Status](), 0
    errors = 1
    while errors:
        disk = Disk(nth(number, error, kinds))
        with NativePool(ample, FOLDER, disk) as pool:
            session = Session(pool, 5)
            for place, results in enumerate(expected):
                status = attempted(session, place, results)
                assert status is Status.OK or states_at(disk.killed(), ample) in session.possible
                outcomes.append(status)
            errors = pool.get_stats().write_errors
            disk.fails = nothing
            pool.save()
            content = states(pool)
        assert content == states_at(disk.killed(), ample)
        number += 1
    assert number > 60
    assert set(outcomes) == {Status.OK, Status.NO_SPACE if error == errno.ENOSPC else Status.IO}


def attempted(session: Session, place: int, expected: bytes) -> Status:
    """Make a call, whose results are those expected if it has some; returns its status."""
    try:
        assert session.act(place) == expected
    except PagedError as error:
        return error.status
    return Status.OK


def states_at(disk: Disk, settings: PoolConfig) -> States:
    """Open what a disk has, check it, and return its states."""
    assert fsck(FOLDER, disk) == []
    with NativePool(settings, FOLDER, disk) as pool:
        return states(pool)


def test_a_short_write_is_continued_and_a_torn_one_written_again() -> None:
    class Short(Disk):
        writes = 0

        def pwrite(self, file: int, data: bytes, offset: int) -> int:
            self.writes += 1
            if self.writes % 5 == 0:
                raise InterruptedError(errno.EINTR, "interrupted")
            if self.writes == torn:
                super().pwrite(file, data[: len(data) // 3], offset)
                raise OSError(errno.EIO, "torn")
            return super().pwrite(file, data[: len(data) // 2 + 1], offset)

        def pread(self, file: int, size: int, offset: int) -> bytes:
            return super().pread(file, size // 2 + 1, offset)

    ample = small(capacity=4 * 60, frames=12)
    expected = reference(40, ample)
    for torn in range(0, 240, 16):
        disk = Short()
        with NativePool(ample, FOLDER, disk) as pool:
            session = Session(pool, 5)
            outcomes = {attempted(session, place, results) for place, results in enumerate(expected)}
            assert outcomes <= {Status.OK, Status.IO}
            pool.save()
            content = states(pool)
        assert states_at(disk.killed(), ample) == content


@pytest.mark.parametrize("threads", [0, 2])
def test_a_read_that_fails_ends_the_step_alone(threads: int) -> None:
    settings = small(threads=threads)
    disk = Disk()
    with NativePool(settings, FOLDER, disk) as pool:
        sequence = pool.create()
        for number in range(30):
            step(pool, sequence, 1, number)
        content = pool.hash(sequence)
        disk.fails = reading
        refused(lambda: pool.hash(sequence), Status.IO)
        error = refused(lambda: step(pool, sequence, 1, 30), Status.IO)
        assert "pages.tw" in str(error)
        pool.rollback()
        assert pool.get_stats().read_errors > 0
        disk.fails = nothing
        assert pool.hash(sequence) == content
        results = step(pool, sequence, 1, 30)
    with NativePool(replace(settings, memory=1 << 30)) as pool:
        sequence = pool.create()
        assert [step(pool, sequence, 1, number) for number in range(31)][-1].tobytes() == results.tobytes()


def stepped(pool: NativePool, sequence: int, number: int) -> Status:
    """Take a step of one token; returns its status."""
    try:
        step(pool, sequence, 1, number)
    except PagedError as error:
        return error.status
    return Status.OK


def test_a_full_disk_fills_the_memory_and_then_refuses() -> None:
    """From the start: steps go on until the frames are full of rows that are not written; with space they go on."""
    settings, disk = small(frames=24), Disk(room=0)
    with NativePool(settings, FOLDER, disk) as pool:
        sequence, number = pool.create(), 0
        while (status := stepped(pool, sequence, number)) is Status.OK:
            number += 1
        assert status is Status.NO_SPACE
        stats = pool.get_stats()
        assert stats.degraded
        assert stats.dirty_rows == stats.frames // settings.pages == number // settings.page_length
        content = pool.hash(sequence)
        refused(pool.save, Status.NO_SPACE)
        assert (pool.hash(sequence), pool.length(sequence)) == (content, number)
        disk.room = 1 << 30
        pool.save()
        assert not pool.get_stats().degraded
        step(pool, sequence, 1, number)
    assert states_at(disk.killed(), settings) == {sequence: content}


# Ends of the process, of power


def check_resumed(disk: Disk, settings: PoolConfig, session: Session) -> States:
    found = states_at(disk, settings)
    assert found in session.possible
    return found


@pytest.mark.sample(40)
@pytest.mark.parametrize("number", range(200))
def test_the_process_ends_at_each_write(number: int) -> None:
    """At each of the first 200 writes, before it and in its middle: the state is that of a save, whole."""
    settings = small()
    for kind in (-1, -2):
        disk = Disk(nth(number, kind, ["pwrite"]))
        with NativePool(settings, FOLDER, disk) as pool:
            session = Session(pool, 11)
            with pytest.raises(Crash):
                session.go_on(400)
        check_resumed(disk.killed(), settings, session)


def _lose_power(seed: int, crashes: int) -> None:
    """Random calls until power is lost at one, again and again on what is left; some syncs and renames fail."""
    rng = np.random.default_rng(seed)
    settings = small(element=Element(seed % 2), digest=Element(seed // 2 % 2), frames=4 + seed % 3)
    disk, expected = Disk(), dict[int, int]()
    for turn in range(crashes):
        fails = nth(int(rng.integers(1, 40 if rng.random() < 0.5 else 200)), -1)
        chance = 0.3 if rng.random() < 0.5 else 0.0

        def failing(call: str, name: str, fails: Callable[[str, str], int] = fails, chance: float = chance) -> int:
            error = fails(call, name)
            return errno.EIO if error == 0 and call in DURABLE and rng.random() < chance else error

        with NativePool(settings, FOLDER, disk) as opened:
            assert states(opened) == expected
        pool = NativePool(settings, FOLDER, disk)
        session = Session(pool, seed + turn)
        disk.fails = failing
        with suppress(Crash):
            session.go_on(400)
        pool.close()
        disk.fails = nothing
        disk = disk.powered_off(rng)
        expected = check_resumed(disk, settings, session)


@settings(max_examples=80)
@given(SEEDS)
def test_after_a_loss_of_power_the_state_is_that_of_a_save(seed: int) -> None:
    _lose_power(seed, 4)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(400))
def test_after_many_losses_of_power(seed: int) -> None:
    _lose_power(seed, 10)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_processes_that_are_killed(tmp_path: Path) -> None:
    """A process that SIGKILL ends at a write to real files leaves the state of its last save."""
    for number in range(1, 200, 25):
        folder = tmp_path / str(number)
        folder.mkdir()
        marks = folder.with_suffix(".marks")
        child = os.fork()
        if child == 0:
            _until_killed(str(folder), str(marks), number)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        assert os.WTERMSIG(status) == signal.SIGKILL
        seen: list[States] = [eval(line) for line in marks.read_text().splitlines()]
        assert fsck(folder) == []
        with NativePool(small(), folder) as pool:
            assert states(pool) in seen[-2:]


def _until_killed(folder: str, marks: str, number: int) -> None:
    class Killing(PosixIo):
        writes = 0

        def pwrite(self, file: int, data: bytes, offset: int) -> int:
            self.writes += 1
            if self.writes == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().pwrite(file, data, offset)

    pool = NativePool(small(), folder, Killing())
    session = Session(pool, number)
    with open(marks, "w") as stream:
        for place in range(1000):
            stream.write(f"{session.possible[0]}\n{states(pool)}\n")
            stream.flush()
            session.act(place)


# Damage


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, States]:
    """A saved folder and its states."""
    path = tmp_path_factory.mktemp("saved")
    with NativePool(small(), path) as pool:
        sequence = pool.create()
        for number in range(14):
            step(pool, sequence, 1, number)
        pool.fork(sequence)
        step(pool, sequence, 1, 99)
        pool.save()
        return path, states(pool)


def flipped(path: Path, bits: Sequence[int], outcome: Callable[[], Any]) -> None:
    """Flip each of some bits of a file in turn, and check the outcome."""
    with open(path, "r+b", buffering=0) as stream:
        for bit in bits:
            byte = os.pread(stream.fileno(), 1, bit // 8)
            os.pwrite(stream.fileno(), bytes([byte[0] ^ 1 << bit % 8]), bit // 8)
            try:
                outcome()
            except BaseException:
                raise AssertionError(f"{path.name}: bit {bit}") from None
            finally:
                os.pwrite(stream.fileno(), byte, bit // 8)


def found(lines: list[str]) -> None:
    assert lines


def test_each_bit_of_a_page_counts(folder: tuple[Path, States]) -> None:
    """All bits of a header and 1,000 of the payload: the page is refused, and fsck names it."""
    path, expected = folder
    settings = small()
    slot = settings.slot * (settings.pages + 1)

    def outcome() -> None:
        with NativePool(settings, path) as pool:
            refused(lambda: pool.hash(0), Status.CORRUPT)

    bits = np.random.default_rng(0).integers(64 * 8, (64 + settings.payload) * 8, 1000)
    flipped(path / "pages.tw", [slot * 8 + bit for bit in (*range(64 * 8), *bits.tolist())], outcome)
    flipped(path / "pages.tw", [slot * 8 + 77, slot * 8 + 900], lambda: found(fsck(path)))
    with NativePool(settings, path) as pool:
        assert states(pool) == expected


def test_fsck_compares_digests_with_keys_and_reads_what_follows_a_page(tmp_path: Path) -> None:
    """Faults that no checksum shows: digests of other keys, with a checksum of their own, and bytes behind a page."""
    settings = small(page_length=1, capacity=12, element=Element.BF16)
    with NativePool(settings, tmp_path) as pool:
        sequence = pool.create()
        step(pool, sequence, 3, 0)
        pool.save()
    pages, digests = tmp_path / "pages.tw", bytearray((tmp_path / "digests.tw").read_bytes())
    assert settings.slot > 64 + settings.payload
    flipped(
        pages, [(settings.slot - 1) * 8], lambda: named(fsck(tmp_path), ["page 0 of row 0 is not followed by zeros"])
    )
    entry = settings.entry
    payload = digests[entry + 64 : entry + 64 + settings.digest_payload]
    payload[2:4] = np.float32(1e3).tobytes()[2:]
    digests[entry + 64 : entry + 64 + len(payload)] = payload
    digests[entry + 48 : entry + 52] = crc32c(bytes(payload)).to_bytes(4, "little")
    digests[entry + 60 : entry + 64] = crc32c(bytes(digests[entry : entry + 60])).to_bytes(4, "little")
    (tmp_path / "digests.tw").write_bytes(digests)
    named(fsck(tmp_path), ["the digest of page 0 of row 1 is not that of its keys"])


def named(lines: list[str], faults: list[str]) -> None:
    assert len(lines) == len(faults)
    assert all(fault in line for line, fault in zip(lines, faults, strict=True)), lines


def test_digests_longer_than_a_buffer(tmp_path: Path) -> None:
    """The longest digests, and rows of many pages: entries are written and read in parts."""
    for changes in ({"head_dim": 4096, "page_length": 1, "capacity": 8}, {"layers": 40, "head_dim": 128}):
        folder = tmp_path / str(changes["head_dim"])
        folder.mkdir()
        with NativePool(small(**changes), folder) as pool:
            sequence = pool.create()
            for number in range(6):
                step(pool, sequence, 1, number)
            pool.save()
            content = states(pool)
        assert fsck(folder) == []
        with NativePool(small(**changes), folder) as pool:
            assert states(pool) == content


def test_a_damaged_page_is_never_attended(folder: tuple[Path, States]) -> None:
    """A step whose queries need it ends with CORRUPT, and goes on without it once it is whole again."""
    path, _ = folder
    settings = small(budget_pages=0)

    def outcome() -> None:
        with NativePool(settings, path) as pool:
            refused(lambda: step(pool, 0, 1, 0), Status.CORRUPT)
            pool.rollback()
            assert pool.length(0) == 15

    flipped(path / "pages.tw", [(settings.slot + 64) * 8 + 5], outcome)


def test_each_bit_of_digests_and_manifest_counts(folder: tuple[Path, States]) -> None:
    path, expected = folder
    settings = small()
    used = (64 + settings.digest_payload) * 8
    bits = [*range(64 * 8), *np.random.default_rng(1).integers(64 * 8, used, 200).tolist()]
    flipped(path / "digests.tw", bits, lambda: refused(lambda: NativePool(settings, path), Status.CORRUPT))
    size = (path / "manifest.tw").stat().st_size * 8
    bits = [*range(84 * 8), *np.random.default_rng(2).integers(84 * 8, size, 400).tolist()]
    outcomes = Status.CORRUPT, Status.NEWER
    flipped(path / "manifest.tw", bits, lambda: refused(lambda: NativePool(settings, path), *outcomes))
    with NativePool(settings, path) as pool:
        assert states(pool) == expected


@pytest.mark.parametrize("name", ["pages.tw", "digests.tw", "manifest.tw"])
def test_files_that_are_cut_or_missing_are_refused(folder: tuple[Path, States], tmp_path: Path, name: str) -> None:
    """A restore is all or nothing: no file of rows that the manifest has may be absent or short."""
    path, _ = folder
    for other in path.iterdir():
        (tmp_path / other.name).write_bytes(other.read_bytes())
    content = (path / name).read_bytes()
    row = {"pages.tw": small().slot * small().pages, "digests.tw": small().entry}
    used = 3 * row.get(name, 0) or len(content)
    for size in (0, 1, used // 2, used - 1):
        (tmp_path / name).write_bytes(content[:size])
        refused(lambda: NativePool(small(), tmp_path), Status.CORRUPT)
        assert fsck(tmp_path)
    (tmp_path / name).unlink()
    if name != "manifest.tw":
        refused(lambda: NativePool(small(), tmp_path), Status.CORRUPT)


@pytest.mark.parametrize(
    "changes",
    [
        {"model": bytes(32)},
        {"page_length": 2},
        {"element": Element.BF16},
        {"digest": Element.BF16},
        {"head_dim": 16},
        {"heads": 2},
        {"layers": 3},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_folders_of_another_model_or_shape_are_refused(folder: tuple[Path, States], changes: dict[str, Any]) -> None:
    path, expected = folder
    refused(lambda: NativePool(small(**changes), path), Status.FOREIGN)
    with NativePool(small(), path) as pool:
        assert states(pool) == expected


def test_a_newer_manifest_is_refused(folder: tuple[Path, States], tmp_path: Path) -> None:
    path, _ = folder
    for other in path.iterdir():
        (tmp_path / other.name).write_bytes(other.read_bytes())
    content = bytearray((path / "manifest.tw").read_bytes())
    content[4] = 2
    (tmp_path / "manifest.tw").write_bytes(content)
    refused(lambda: NativePool(small(), tmp_path), Status.NEWER)
    refused(lambda: fsck(tmp_path), Status.NEWER)


def test_a_folder_that_is_open_is_locked(folder: tuple[Path, States]) -> None:
    path, _ = folder
    with NativePool(small(), path):
        refused(lambda: NativePool(small(), path), Status.LOCKED)
        refused(lambda: fsck(path), Status.LOCKED)
        child = os.fork()
        if child == 0:
            try:
                NativePool(small(), path)
            except PagedError as error:
                os._exit(error.status)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == Status.LOCKED
    assert fsck(path) == []


# Limits


def test_the_least_memory_is_exact() -> None:
    for budget in (0, 3):
        settings = config(budget_pages=budget)
        least = working_set(settings)
        assert least == settings.working_set
        error = refused(lambda least=least: NativePool(replace(settings, memory=least - 1)), Status.NO_MEMORY)
        assert f"memory is {least - 1} bytes, the working set of this configuration {least}" in str(error)
        with NativePool(replace(settings, memory=least)) as pool:
            assert pool.get_stats().memory == least


def test_files_stay_below_the_capacity_and_rows_are_used_again(tmp_path: Path) -> None:
    """Sequences come and go for ten times the capacity: the files do not grow."""
    settings = small(frames=8)
    limits = {"pages.tw": settings.rows * settings.pages * settings.slot, "digests.tw": settings.rows * settings.entry}
    sizes: list[int] = []
    with NativePool(settings, tmp_path) as pool:
        for turn in range(20):
            sequence = pool.create()
            for number in range(24):
                step(pool, sequence, 1, number)
            pool.save()
            pool.drop(sequence)
            pool.save()
            assert all((tmp_path / name).stat().st_size <= limit for name, limit in limits.items())
            sizes.append(sum(file.stat().st_size for file in tmp_path.iterdir()))
            assert pool.get_stats().rows == 0
            assert turn == 0 or pool.get_stats().pages_written == (turn + 1) * 6 * settings.pages
    assert len(set(sizes)) == 1


def test_rows_of_the_last_manifest_are_not_used_again() -> None:
    """Without a save between, what is dropped still counts: begin refuses, and the saved state stays readable."""
    settings, disk = small(), Disk()
    with NativePool(settings, FOLDER, disk) as pool:
        sequence = pool.create()
        for number in range(settings.capacity - 4):
            step(pool, sequence, 1, number)
        pool.save()
        content = states(pool)
        pool.drop(sequence)
        sequence = pool.create()
        for number in range(7):
            step(pool, sequence, 1, number)
        refused(lambda: step(pool, sequence, 1, 7), Status.FULL)
        assert states_at(disk.killed(), settings) == content
        pool.save()
        step(pool, sequence, 1, 7)


def test_rows_of_a_manifest_that_may_be_durable_are_not_used_again() -> None:
    """The folder's sync fails after the rename: which manifest a restart finds is open, and both must be whole."""
    settings, disk = small(), Disk()
    with NativePool(settings, FOLDER, disk) as pool:
        sequence = pool.create()
        for number in range(9):
            step(pool, sequence, 1, number)
        pool.save()
        before = states(pool)
        for number in range(8):
            step(pool, sequence, 1, number)
        after = states(pool)
        disk.fails = syncing
        refused(pool.save, Status.IO)
        pool.drop(sequence)
        sequence = pool.create()
        for number in range(20):
            step(pool, sequence, 1, 100 + number)
        disk.fails = nothing
    assert states_at(disk.killed(), settings) == after
    found = [states_at(disk.powered_off(np.random.default_rng(seed)), settings) for seed in range(20)]
    assert before in found
    assert after in found
    assert all(content in (before, after) for content in found)


def test_a_restore_has_all_of_a_session(tmp_path: Path) -> None:
    """Lengths, tokens, hashes, counters of rows: what a restart shows, under another memory, policy and capacity."""
    with NativePool(small(), tmp_path) as pool:
        numbers = [pool.create() for _ in range(3)]
        for number in numbers:
            step(pool, number, 5 + number, number)
        pool.drop(numbers[1])
        pool.save()
        expected = states(pool)
        tokens = {number: pool.tokens(number, 0, pool.length(number)).tolist() for number in expected}
        rows = pool.get_stats().rows
    changed = small(frames=0, capacity=4 * 20, budget_pages=0, threads=3)
    with NativePool(changed, tmp_path) as pool:
        assert states(pool) == expected
        assert {number: pool.tokens(number, 0, pool.length(number)).tolist() for number in expected} == tokens
        assert pool.get_stats().rows == rows
        assert pool.create() == numbers[1]
    refused(lambda: NativePool(small(max_sequences=2), tmp_path), Status.BAD_ARGUMENT)
    refused(lambda: NativePool(small(context=4), tmp_path), Status.BAD_ARGUMENT)
