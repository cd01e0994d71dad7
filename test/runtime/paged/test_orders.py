"""Random orders of calls on pools in C, with little memory and failing files: the same bits in every build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.runtime.paged.native import sources
from tilewright.runtime.toolchain import STRICT, compile_executable

PROGRAM = Path(__file__).with_name("orders.c")
BUILDS = {
    "vectors": ("-O2",),
    "plain": ("-O1", "-DTW_PAGED_PLAIN"),
    "address": ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
}
THREADS = ("-O1", "-g1", "-fsanitize=thread")


def ran(folder: Path, flags: tuple[str, ...], seeds: int) -> str:
    """Run orders of so many seeds, and return the hash of their results."""
    files = sources()
    folders = [f"-I{files[0].parent}", f"-I{files[0].parents[1] / 'c'}"]
    program = compile_executable([PROGRAM, *files], [*STRICT, *flags, "-pthread", *folders])
    folder.mkdir()
    done = subprocess.run([program, folder, "0", str(seeds)], capture_output=True, text=True, check=False)
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
@pytest.mark.skipif(sys.platform == "darwin", reason="the sanitiser of threads is that of Linux")
def test_threads_have_no_race(tmp_path: Path) -> None:
    assert ran(tmp_path / "thread", THREADS, 300) == _compared(tmp_path, 300)
