"""Random orders of calls on pools in C, with little memory and failing files: the same bits in every build."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from tilewright.runtime.isolation import isolated
from tilewright.runtime.paged.native import native_config, sources
from tilewright.runtime.paged.status import Status
from tilewright.runtime.toolchain import STRICT, compile_executable, compile_shared
from tilewright.test.runtime.paged.pools import config

PROGRAM = Path(__file__).with_name("orders.c")
BUILDS = {
    "vectors": ("-O2",),
    "plain": ("-O1", "-DTW_PAGED_PLAIN", "-DCOUNTED", "-Wl,--wrap=aligned_alloc,--wrap=malloc"),
    "address": ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
}
THREADS = ("-O1", "-g1", "-fsanitize=thread")


def ran(folder: Path, flags: Sequence[str], seeds: int, emulator: Sequence[str] = ()) -> str:
    """Run orders of so many seeds, and return the hash of their results."""
    files = sources()
    folders = [f"-I{files[0].parent}", f"-I{files[0].parents[1] / 'c'}"]
    program = compile_executable([PROGRAM, *files], [*STRICT, *flags, "-pthread", *folders])
    folder.mkdir()
    done = subprocess.run([*emulator, program, folder, "0", str(seeds)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def _compared(folder: Path, seeds: int) -> str:
    hashes = {name: ran(folder / name, flags, seeds) for name, flags in BUILDS.items()}
    assert len(set(hashes.values())) == 1, hashes
    return hashes["vectors"]


def test_builds_agree_on_random_orders(tmp_path: Path) -> None:
    """GCC's vectors, loops over lanes, and a program under ASan and UBSan compute the same bits."""
    _compared(tmp_path, 30)


@pytest.mark.nightly
def test_builds_agree_on_many_random_orders(tmp_path: Path) -> None:
    _compared(tmp_path, 1000)


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "darwin", reason="the sanitiser of threads is that of Linux")
def test_threads_have_no_race(tmp_path: Path) -> None:
    assert ran(tmp_path / "thread", THREADS, 300) == ran(tmp_path / "vectors", BUILDS["vectors"], 300)


@pytest.mark.nightly
@pytest.mark.parametrize("machine", ["aarch64", "riscv64"])
def test_other_machines_compute_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    """Machines whose processors have fused operations, emulated."""
    cross, emulator = shutil.which(f"{machine}-linux-gnu-gcc"), shutil.which(f"qemu-{machine}")
    if cross is None or emulator is None:
        pytest.skip(f"there is no compiler or emulator for {machine}")
    expected = ran(tmp_path / "here", BUILDS["vectors"], 60)
    monkeypatch.setenv("CC", cross)
    assert ran(tmp_path / "there", ("-O2", "-static"), 60, [emulator]) == expected


RELAXED = {"order": ["-O1", "-ffast-math"], "fused": ["-O2", "-mfma", "-ffp-contract=fast"]}


def _built(files: Sequence[Path], flags: Sequence[str]) -> ctypes.CDLL:
    folders = [f"-I{files[0].parent}", f"-I{files[0].parents[1] / 'c'}"]
    return ctypes.CDLL(str(compile_shared(files, ["-std=c11", "-pthread", *flags, *folders])))


def _are_exact(files: Sequence[Path], flags: Sequence[str]) -> bool:
    """Load a library, in a process of its own: one of relaxed operations makes its thread lose subnormal numbers."""
    function = _built(files, flags).tw_paged_numbers_are_exact
    function.restype = ctypes.c_bool
    return function()


@pytest.mark.parametrize("kind", RELAXED)
def test_relaxed_operations_are_recognised(kind: str) -> None:
    if kind == "fused" and "fma" not in Path("/proc/cpuinfo").read_text().split():
        pytest.skip("the processor has no fused operations")
    numbers = [file for file in sources() if file.stem == "tw_paged_numbers"]
    for flags, is_exact in ((RELAXED[kind], False), (["-O2"], True)):
        assert isolated(partial(_are_exact, numbers, flags), "the library") == is_exact


def _opened() -> tuple[int, bytes]:
    """Open a pool by a library of relaxed operations; return the status and the message."""
    settings, message, pool = native_config(config()), ctypes.create_string_buffer(256), ctypes.c_void_p()
    arguments = ctypes.byref(pool), ctypes.byref(settings), None, None, message, ctypes.c_size_t(256)
    return _built(sources(), RELAXED["order"]).tw_paged_open(*arguments), message.value


@pytest.mark.nightly
def test_a_library_with_relaxed_operations_is_refused() -> None:
    status, message = isolated(_opened, "the library")
    assert status == Status.BAD_ARGUMENT
    assert b"-ffast-math or fused operations" in message
