"""A signal that ends a command leaves no file, no process and no traceback behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilewright.test.small_models import save, small

_COMPILER = """#!/bin/sh
trap 'rmdir "$TMPDIR/built"; exit 1' TERM
mkdir "$TMPDIR/built"
sleep 600 &
wait
"""
"""A C compiler that takes its time, with a process and a temporary file of its own."""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "ended by SIGTERM\n")],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_compilation_is_ended(number: signal.Signals, code: int, said: str, tmp_path: Path):
    places = {name: tmp_path / name for name in ("work", "temporary", "cache")}
    for each in places.values():
        each.mkdir()
    save(small(), tmp_path / "net.onnx")
    slow = tmp_path / "slow-cc"
    slow.write_text(_COMPILER)
    slow.chmod(0o755)
    names = {"TMPDIR": places["temporary"], "XDG_CACHE_HOME": places["cache"], "CC": slow}
    environment = os.environ | {name: str(path) for name, path in names.items()}
    command = [sys.executable, "-m", "tilewright.cli", "compile", str(tmp_path / "net.onnx"), "--shared", "-o", "out"]
    with subprocess.Popen(command, cwd=places["work"], env=environment, stderr=subprocess.PIPE, text=True) as process:
        while not (places["temporary"] / "built").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (code, said)
    assert not [file for place in places.values() for file in place.rglob("*") if not file.is_dir()]
    assert not list(places["work"].iterdir())
    assert not list(places["temporary"].iterdir())


def test_a_running_network_is_ended(tmp_path: Path):
    """The process in which a network runs ends with that which waits for it."""
    script = (
        "import sys, time\n"
        "from tilewright.interruption import raise_when_ended\n"
        "from tilewright.runtime.isolation import isolated\n"
        "raise_when_ended()\n"
        "def work():\n    print('running', flush=True)\n    time.sleep(600)\n"
        "isolated(work, 'the work')\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"running\n"
        process.terminate()
        process.wait(60)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
