"""`tilewright explore --cluster`: workers of dask.distributed write the same file, and errors name the remedy."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tilewright import cli
from tilewright.compiler import Model
from tilewright.discovery import TARGETS, scope
from tilewright.errors import Diagnostic
from tilewright.runtime.tools.explore import cluster as cluster_module
from tilewright.runtime.tools.explore.axes import parse_vary
from tilewright.runtime.tools.explore.cluster import check_workers, evaluate_point
from tilewright.runtime.tools.explore.evaluate import Design
from tilewright.runtime.tools.explore.parcel import UnpackedSweep, packed
from tilewright.runtime.tools.explore.stores import record_of, store_at
from tilewright.runtime.tools.explore.sweep import DesignSweep
from tilewright.test.small_models import small

EXPLORE = """
import os, signal, time
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.errors import Diagnostic
from tilewright.runtime.exploration import Evaluation

def _costs(module):
    latency = machine_of(module).level("RAM").latency
    if latency == 3:
        raise ValueError("three")
    if latency == 4:
        os.write(2, b"four\\n")
        os.kill(os.getpid(), signal.SIGKILL)
    if latency == 6:
        time.sleep(600)
    return {"cycles": 100 - latency}

EVALUATIONS = {"latency": Evaluation("the latency", "tensor", "canonicalize", _costs)}
"""
"""Evaluation of a target outside of the package: one latency is an error, one ends the process, one takes too long."""


@pytest.fixture
def design(tmp_path: Path) -> Path:
    """Return a folder with a network and a target, whose machine file is based on another one."""
    (folder := tmp_path / "chips" / "outside").mkdir(parents=True)
    (folder.parent / "base.toml").write_text('include = "host"\nlevels.RAM.latency = 2\n')
    (folder / "machine.toml").write_text('include = "../base.toml"\ndescription = "outside"\n')
    (folder / "pipeline.txt").write_text((TARGETS / "host" / "pipeline.txt").read_text())
    (folder / "explore.py").write_text(EXPLORE)
    (tmp_path / "small.onnx").write_bytes(small().SerializeToString())
    return tmp_path


def words(folder: Path, values: str, output: str, *others: str) -> list[str]:
    """Return the command that explores latencies."""
    target, vary = folder / "chips" / "outside", f"levels.RAM.latency={values}"
    paths = map(str, (folder / "small.onnx", "--target", target, "-o", folder / output))
    return ["explore", *paths, "--by", "latency", "--vary", vary, *others]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of a scheduler with two workers, which are threads of this process."""
    distributed: Any = pytest.importorskip("distributed", reason="pip install 'tilewright[cluster]'")
    options = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_gives_the_same_file(address: str, design: Path, capsys: pytest.CaptureFixture[str]):
    """With the error of a point, whose paths are those of the user."""
    assert cli.main(words(design, "1,2,3,5", "local.jsonl")) == 0
    assert cli.main(words(design, "1,2,3,5", "cluster.jsonl", "--cluster", address)) == 0
    assert (design / "cluster.jsonl").read_bytes() == (design / "local.jsonl").read_bytes()
    assert capsys.readouterr().out.count("failed: small.onnx levels.RAM.latency=3: ") == 2


@pytest.mark.nightly
def test_deaths_and_limits_on_a_cluster(address: str, design: Path):
    limit = "--time-limit", "8"
    assert cli.main(words(design, "1,4,5,6", "local.jsonl", *limit)) == 0
    assert cli.main(words(design, "1,4,5,6", "cluster.jsonl", "--cluster", address, *limit)) == 0
    assert (design / "cluster.jsonl").read_bytes() == (design / "local.jsonl").read_bytes()
    (_, dead, _, late) = (record_of(result) for _, result in store_at(design / "cluster.jsonl").rows())
    assert "ended by SIGKILL\n  note: four\n  found:      3 processes, one after the other" in dead["error"]
    assert "it took too long" in late["error"]


def test_a_parcel_is_unpacked_elsewhere(design: Path, tmp_path: Path):
    """The costs are those of the sweep, without the folder that it was packed from."""
    with scope():
        there = Design(str(design / "chips" / "outside"), "latency")
        points = there.axes.points([parse_vary("levels.RAM.latency=1,3")])
        sweep = DesignSweep(there, {"small": Model(design / "small.onnx")}, points)
        content = packed(sweep)
    for name in ("chips", "small.onnx"):
        (design / name).rename(design / f"gone-{name}")
    (folder := tmp_path / "elsewhere").mkdir()
    with scope():
        unpacked = UnpackedSweep(content, folder)
        good, wrong = sweep.jobs
        assert unpacked.metrics(good)["cycles"] == 99
        with pytest.raises(ValueError, match="three"):
            unpacked.metrics(wrong)
        assert unpacked.told(f"{folder}/networks/0/small.onnx: error") == f"{design / 'small.onnx'}: error"
        assert unpacked.told(f"{folder}/machine/outside/machine.toml: error") == f"{design}/chips/outside: error"


def test_absolute_bases_are_refused(design: Path):
    file = design / "chips" / "outside" / "machine.toml"
    file.write_text(f'include = "{design}/chips/base.toml"\n')
    with scope():
        there = Design(str(file.parent), "latency")
        sweep = DesignSweep(there, {}, there.axes.points([parse_vary("levels.RAM.latency=1")]))
        with pytest.raises(Diagnostic, match="a machine file is based on an absolute path"):
            packed(sweep)


@contextmanager
def program(*words: str | Path) -> Generator[subprocess.Popen[str]]:
    """Run a Python module in a process, which is killed at the end."""
    command = [sys.executable, "-m", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def machines(folder: Path) -> Generator[tuple[str, list[subprocess.Popen[str]]]]:
    """Start a scheduler and two workers, each a process without a nanny; gives the address and the processes."""
    pytest.importorskip("distributed", reason="pip install 'tilewright[cluster]'")
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    options = "--host", "127.0.0.1", "--no-dashboard"
    with program("distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", file, *options) as scheduler:
        waited(lambda: file.exists() and file.read_text().endswith("}"))
        address = json.loads(file.read_text())["address"]
        worker = "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", *options[2:]
        with program(*worker) as first, program(*worker) as second:
            yield address, [scheduler, first, second]


def waited(condition: Callable[[], object]) -> None:
    """Wait until a condition holds, at most two minutes."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() < begun + 120
        time.sleep(0.05)


def stored(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.nightly
def test_workers_clients_and_schedulers_that_die(design: Path):
    """A lost worker's point is evaluated on the other, a killed client goes on, a lost scheduler is an error."""
    source = design / "chips" / "outside" / "explore.py"
    source.write_text(EXPLORE.replace("    if latency == 3", "    time.sleep(0.3)\n    if latency == 3"))
    values = ",".join(map(str, [1, 2, *range(7, 37)]))
    file = design / "cluster.jsonl"
    with machines(design) as (address, [scheduler, first, _]):
        command = "tilewright.cli", *words(design, values, "cluster.jsonl", "--cluster", address)
        with program(*command) as client:
            waited(lambda: stored(file) >= 4)
            first.kill()
            waited(lambda: stored(file) >= 10)
            client.kill()
        before = file.read_bytes()
        with program(*command) as client:
            waited(lambda: stored(file) >= 14)
            scheduler.kill()
            _, err = client.communicate(timeout=120)
        assert client.returncode == 1
        assert f"error: the scheduler at {address} was lost" in err
        assert "the same command evaluates the points that the file of results lacks" in err
        assert file.read_bytes().startswith(before)
        assert stored(file) < 32
    with machines(design) as (address, _):
        assert cli.main(words(design, values, "cluster.jsonl", "--cluster", address)) == 0
    assert cli.main(words(design, values, "local.jsonl")) == 0
    assert file.read_bytes() == (design / "local.jsonl").read_bytes()


# Errors


def refused(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = cli.main(words)
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--cluster", "head"], 2, "not the address of a scheduler\n  expected:   HOST:PORT, such as tcp://head:8786"),
        (["--cluster", "head:8786", "--jobs", "2"], 2, "--jobs is for processes of this machine"),
        (["--cluster", "tcp://127.0.0.1:1"], 1, "no scheduler answers at tcp://127.0.0.1:1"),
    ],
)
def test_wrong_clusters(
    options: list[str],
    code: int,
    message: str,
    design: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    pytest.importorskip("distributed", reason="pip install 'tilewright[cluster]'")
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 0.2)
    ended, err = refused(words(design, "1", "points.jsonl", *options), capsys)
    assert ended == code
    assert message in err
    assert "remedy: " in err or "expected: " in err
    assert not (design / "points.jsonl").exists()


def test_a_cluster_without_dask(design: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, err = refused(words(design, "1", "points.jsonl", "--cluster", "head:8786"), capsys)
    assert code == 1
    assert "a cluster needs dask.distributed" in err
    assert "pip install 'tilewright[cluster]' here and on each machine" in err


class Client:
    """Client of a scheduler with one worker, by their versions of tilewright and the worker's compiler."""

    def __init__(self, scheduler: str | None, worker: str | None, compiler: str | Exception):
        self._scheduler, self._worker, self._compiler = scheduler, worker, compiler

    def wait_for_workers(self, count: int, timeout: float) -> None:
        if self._worker == "none":
            raise TimeoutError

    def get_versions(self, packages: list[str]) -> dict[str, Any]:
        scheduler, worker = ({"packages": {"tilewright": text}} for text in (self._scheduler, self._worker))
        return {"scheduler": scheduler, "workers": {"tcp://node:1": worker}}

    def run(self, function: object) -> dict[str, str]:
        if isinstance(self._compiler, Exception):
            raise self._compiler
        return {"tcp://node:1": self._compiler}


@pytest.mark.parametrize(
    ("client", "message"),
    [
        (Client("0.1.0", "none", ""), "has no workers\n  found:      none after 10 s\n  remedy:     start one on each"),
        (
            Client(None, "0.1.0", ""),
            "of the scheduler is another one\n  expected:   tilewright 0.1.0\n  found:      no",
        ),
        (
            Client("0.1.0", "0.0.9", ""),
            "of tcp://node:1 is another one\n  expected:   tilewright 0.1.0\n  found:      til",
        ),
        (Client("0.1.0", "0.1.0", "other"), "of tcp://node:1 is another one\n  expected:   tilewright 0.1.0, xdsl"),
        (Client("0.1.0", "0.1.0", ImportError("no")), "cannot run a point\n  found:      ImportError: no\n  remedy: "),
    ],
)
def test_other_versions_on_a_cluster(client: Client, message: str):
    with pytest.raises(Diagnostic) as error:
        check_workers(client, "tcp://head:8786")
    assert message in str(error.value)
    assert "remedy: " in str(error.value)


def test_a_worker_that_joins_late_is_checked_too(design: Path):
    with pytest.raises(Diagnostic, match=r"a worker is another one\n  expected:   other"):
        evaluate_point(b"", "sweep", "other", 0, None, 0.0)  # pyright: ignore[reportArgumentType]
