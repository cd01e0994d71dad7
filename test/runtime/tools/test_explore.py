"""`tilewright explore`: axes, points, processes, files of results, Pareto-optimal points, the page."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright import cli
from tilewright.compiler import Model
from tilewright.dialects.core.machine.file import load_machine
from tilewright.discovery import TARGETS, scope
from tilewright.errors import Diagnostic
from tilewright.grammar import UsageError
from tilewright.runtime.tools.explore.axes import Point, parse_vary
from tilewright.runtime.tools.explore.evaluate import Design, Evaluator
from tilewright.runtime.tools.explore.pareto import pareto
from tilewright.runtime.tools.explore.results import PointResult, Results, Subject
from tilewright.runtime.tools.explore.stores import record_of, store_at
from tilewright.runtime.tools.explore.sweep import compiler_state
from tilewright.runtime.tools.explore.workers import JobOutcome, outcomes
from tilewright.runtime.tools.profile import profile
from tilewright.test.browser import FOREIGN, needs_browser, probed
from tilewright.test.machines.make import FOLDER
from tilewright.test.small_models import model, node, small, weights

TARGET = str(FOLDER / "two_level.toml")
SIZES, WIDTHS = "levels.L1.size=8,160,1KiB", "links.dma.width=1,8"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explore") / "small.onnx"
    path.write_bytes(small().SerializeToString())
    return path


def explore(words: Sequence[str | Path], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.main(["explore", "--target", TARGET, "--jobs", "2", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


# Axes


def setting(
    name: str, value: str, target: str = TARGET, by: str = "profile"
) -> tuple[dict[str, object], dict[str, str]]:
    """Return what a value of an axis sets: keys of the machine, and options of passes."""
    found = Design(target, by).axes.setting(name, value)
    machine = {".".join(keys): each for keys, each in found.machine.items()}
    return machine, {str(option): text for option, text in found.options.items()}


def test_axes_are_keys_and_options():
    assert setting("levels.L1.size", "64KiB") == ({"levels.L1.size": "64KiB"}, {})
    assert setting("levels.L1.energy", "0.25") == ({"levels.L1.energy": 0.25}, {})
    conv = "engines.cluster.runs.nn.conv.macs_per_cycle"
    assert setting(conv, "4") == setting(conv.replace("nn.conv", '"nn.conv"'), "4") == ({conv: 4}, {})
    keys = Design(TARGET).axes.setting(conv, "4").machine
    assert list(keys) == [("engines", "cluster", "runs", "nn.conv", "macs_per_cycle")]
    assert setting("levels.NODE.count", "8x4", "pim") == ({"levels.NODE.count": [8, 4]}, {})
    assert setting("levels.NODE.count", "8", "pim") == ({"levels.NODE.count": [8]}, {})
    assert setting("plan-memory.time-budget", "2") == ({}, {"plan-memory.time-budget": "2"})
    assert setting("shard-kernels.over", "2x4", "pim") == ({}, {"shard-kernels.over": "2x4"})


def test_options_reach_their_pass():
    design = Design("pim")
    setting = design.axes.setting("shard-kernels.over", "2x4")
    assert "shard-kernels{over=2,4 " in str(design.pipeline("pim", setting.options))


def test_points_are_all_combinations():
    points = Design(TARGET).axes.points([parse_vary("levels.L1.size=1KiB,2KiB"), parse_vary("links.dma.width=1,8")])
    assert [str(point).replace("levels.L1.size", "size").replace("links.dma.width", "width") for point in points] == [
        *("size=1KiB width=1", "size=1KiB width=8", "size=2KiB width=1", "size=2KiB width=8")
    ]


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        (["levels.L1.size"], "not an axis"),
        (["=1"], "not an axis"),
        (["levels.L1.size=1,,2"], "not an axis"),
        (["levels.L1.size=1,1"], "has a value twice"),
        (["bogus=1"], r"there is no axis 'bogus'\n  expected:   one of batch, a key"),
        (["levels.L3.size=1KiB"], r"no axis 'levels.L3.size'(.|\n)*did you mean 'levels.L"),
        (["plan-memory.tim-budget=1"], r"did you mean 'plan-memory.time-budget'"),
        (["attach-machine.target=host"], "there is no axis"),
        (["batch=0"], r"value of the axis 'batch' has the wrong type\n  expected:   a positive integer"),
        (["links.dma.width=1", "links.dma.width=2"], "two axes set 'links.dma.width'"),
        (["levels.L1.size=big"], r'refuses a value of the axis(.|\n)*expected a size such as "64KiB"'),
        (["levels.L1.sise=1KiB"], "unknown key; did you mean 'size'"),
        (["links.dma.width=1.5"], "expected an integer"),
        (["plan-memory.time-budget=long"], "wrong type"),
    ],
)
def test_wrong_axes(vary: list[str], message: str):
    design = Design(TARGET)
    with pytest.raises(UsageError) as error:
        design.check(design.axes.points(list(map(parse_vary, vary))))
    assert re.search(message, str(error.value))


def test_short_names_of_a_target():
    nodes = {"levels.NODE.count": [8, 8], "engines.array.count": [8, 8]}
    assert setting("nodes", "8x8", "pim/4x4") == (nodes, {})
    assert setting("batch", "4", "pim", "schedule") == ({}, {"schedule-branches.samples": "4"})
    assert Design("pim").axes.setting("batch", "4").samples == 4
    with pytest.raises(UsageError, match="wrong type"):
        setting("nodes", "8", "pim")
    with pytest.raises(UsageError, match="no evaluation 'shedule'"):
        Design("pim", "shedule")


# Pareto-optimal points


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), max_size=12))
def test_pareto(costs: list[tuple[int, int, int]]):
    def dominated(one: tuple[int, ...]) -> bool:
        return any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in costs)

    assert pareto(costs) == [not dominated(each) for each in costs]


# Processes


def run(work: Callable[[int], Any], count: int, limit: float = 0.0) -> dict[int, JobOutcome]:
    return {each.number: each for each in outcomes(work, count, 2, limit) if each is not None}


def test_a_process_that_ends_takes_no_other_with_it():
    def work(number: int) -> int:
        if number == 1:
            raise ValueError("wrong")
        if number == 2:
            os.write(2, b"out of luck\n")
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 3:
            os._exit(3)
        return number * number

    found = run(work, 8)
    assert "found:      3 processes, one after the other" in str(found[2].error)
    assert [found[number].result for number in (0, 4, 5, 6, 7)] == [0, 16, 25, 36, 49]
    errors = {number: str(each.error) for number, each in found.items() if each.error}
    assert sorted(errors) == [1, 2, 3]
    assert "ValueError: wrong" in errors[1]
    assert "ended by SIGKILL\n  note: out of luck" in errors[2]
    assert "ended by exit(3)" in errors[3]


def test_a_job_whose_process_dies_is_tried_in_another(tmp_path: Path):
    def work(number: int) -> int:
        if number == 1 and len(list(tmp_path.iterdir())) < 2:
            (tmp_path / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    ended = run(work, 3)
    assert [ended[number].result for number in range(3)] == [0, 1, 2]
    assert len(list(tmp_path.iterdir())) == 2


def test_time_limit():
    found = run(lambda number: time.sleep(60 * (number == 0)), 3, limit=1.0)
    assert [bool(found[number].error) for number in range(3)] == [True, False, False]
    assert "it took too long\n  expected:   at most 1 s" in str(found[0].error)


# The command


@pytest.fixture(scope="module")
def explored(network: Path) -> Path:
    """Return a folder with the results of six points, two of which fail, their page and the optimal machines."""
    folder = network.parent / "explored"
    folder.mkdir()
    files = ["-o", folder / "points.jsonl", "--html", folder / "page.html", "--machines", folder / "best"]
    words = ["explore", network, "--target", TARGET, "--jobs", 2, "--vary", SIZES, "--vary", WIDTHS, *files]
    assert cli.main([str(word) for word in words]) == 0
    return folder


def test_results(explored: Path, network: Path):
    found = lines(explored / "points.jsonl")
    assert {(each["point"]["levels.L1.size"], each["point"]["links.dma.width"]) for each in found} == {
        (size, width) for size in ("8", "160", "1KiB") for width in ("1", "8")
    }
    cycles = {tuple(each["point"].values()): each["metrics"]["cycles"] for each in found if "metrics" in each}
    failed = [each for each in found if "error" in each]
    assert cycles["1KiB", "8"] < cycles["1KiB", "1"]
    assert {each["point"]["levels.L1.size"] for each in failed} == {"8"}
    assert all("no tiling of 'nn.conv' fits L1" in each["error"] for each in failed)
    metrics = next(
        each["metrics"] for each in found if each["point"] == {"levels.L1.size": "1KiB", "links.dma.width": "8"}
    )
    assert metrics["memory"] == 1024
    assert metrics["ms"] == metrics["cycles"] / 370e3


def test_points_that_are_there_are_not_evaluated_again(
    explored: Path, network: Path, capsys: pytest.CaptureFixture[str]
):
    """A line cut off in the middle is; failed points are with --retry alone."""
    file = explored / "again.jsonl"
    text = (explored / "points.jsonl").read_text()
    file.write_text(text[:-30])
    words = [network, "--vary", SIZES, "--vary", WIDTHS, "-o", file]
    code, out, _ = explore(words, capsys)
    assert (code, out.count("failed: small.onnx levels.L1.size=8 ")) == (0, 2)
    assert "points: 6, failed: 2, from" in out
    assert f"{file}: 5;" in out
    assert file.read_text().splitlines()[:5] == text.splitlines()[:5]
    assert len(lines(file)) == 6
    assert f"{file}: 4;" in explore([*words, "--retry"], capsys)[1]
    assert f"{file}: 6;" in explore(words, capsys)[1]


def test_optimal_points_have_machine_files(explored: Path, network: Path):
    """They describe the machines of the points: a profile on each has the costs of the results."""
    metrics = [each["metrics"] for each in lines(explored / "points.jsonl") if "metrics" in each]
    costs = [(each["memory"], each["cycles"]) for each in metrics]
    files = sorted((explored / "best").iterdir())
    found = [(load_machine(file).level("L1").size, profile(Model(network), str(file)).cycles) for file in files]
    assert sorted(found) == sorted(cost for cost, best in zip(costs, pareto(costs), strict=True) if best)


def test_stores_have_the_same_rows(explored: Path, network: Path, capsys: pytest.CaptureFixture[str]):
    """In the order of the sweep, whatever ended first, and with the same text."""
    database, table, one = (explored / name for name in ("points.sqlite", "points.csv", "one.jsonl"))
    words = [network, "--vary", SIZES, "--vary", WIDTHS]
    assert explore([*words, "-o", table], capsys)[0] == 0
    assert f"{database}: 6;" in explore([*words, "-o", database], capsys)[1]
    rows = lines(explored / "points.jsonl")
    assert rows == [record_of(result) for _, result in store_at(database).rows()]
    assert [row["point"]["levels.L1.size"] for row in rows] == ["8", "8", "160", "160", "1KiB", "1KiB"]
    assert explore([*words, "-o", one, "--jobs", "1"], capsys)[0] == 0
    assert one.read_bytes() == (explored / "points.jsonl").read_bytes()
    with closing(sqlite3.connect(database)) as connection:
        query = """SELECT "levels.L1.size", "links.dma.width", cycles FROM points WHERE error = ''"""
        columns = connection.execute(query).fetchall()
    expected = [(*row["point"].values(), row["metrics"]["cycles"]) for row in rows if "metrics" in row]
    assert columns == expected
    with table.open(newline="") as stream:
        cells = list(csv.DictReader(stream))
    assert [(cell["levels.L1.size"], cell["links.dma.width"], float(cell["cycles"])) for cell in cells[2:]] == expected
    assert [cell["error"] != "" for cell in cells] == [True, True, *[False] * 4]


@pytest.mark.parametrize("name", ["points.jsonl", "points.sqlite"])
@settings(max_examples=20)
@given(st.permutations(range(6)), st.integers(0, 6))
def test_files_do_not_depend_on_what_ended_first(name: str, order: list[int], first: int):
    """Nor on where a sweep was interrupted; rows of points that the sweep has no longer come last."""
    subject = Subject("net", "1", "target", "2", "profile", "3")
    points = [(("a", str(x)), ("b", str(y))) for x in (1, 10, 2) for y in (1, 2)]
    results = [PointResult(subject, point, {"cycles": float(place)}) for place, point in enumerate(points)]
    with TemporaryDirectory() as folder:
        store = store_at(Path(folder) / name)
        for part in (order[:first], order[first:]):
            sweep = Results(store, [subject], ["b", "a"])
            for place in part:
                sweep.append(results[place])
        assert sweep.finish([("net", point) for point in points]) == results
        assert [result for _, result in store.rows()] == results
        sweep.finish([("net", points[4])])
        assert [result.point for _, result in store.rows()] == [points[place] for place in (4, 0, 1, 2, 3, 5)]


def test_parquet(explored: Path, network: Path, capsys: pytest.CaptureFixture[str]):
    """The results are in a database beside it, which another table of the same sweep shares."""
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason="pip install 'tilewright[parquet]'")
    words = [network, "--vary", SIZES, "--vary", WIDTHS, "-o", explored / "points.parquet"]
    assert explore(words, capsys)[0] == 0
    table = parquet.read_table(explored / "points.parquet")
    rows = [record_of(result) for _, result in store_at(explored / "points.sqlite").rows()]
    assert table["cycles"].to_pylist() == [row.get("metrics", {}).get("cycles") for row in rows]
    assert table["links.dma.width"].to_pylist() == ["1", "8"] * 3
    assert [text != "" for text in table["error"].to_pylist()] == [True, True, *[False] * 4]


def test_parquet_without_its_package(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = explore([network, "--vary", WIDTHS, "-o", tmp_path / "points.parquet"], capsys)
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert "pip install 'tilewright[parquet]', or write .csv" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--vary", WIDTHS, "--minimise", "area,joules"], 2, "no cost 'joules'\n  expected:   of area, cycles"),
        (["--vary", WIDTHS, "--minimise", "area"], 2, "at least two different costs"),
        (["--vary", "levels.L1.size=8"], 1, "no point is left: all of them failed\n  note: "),
        (["--vary", WIDTHS, "-o", "nowhere/points.jsonl"], 1, "there is no such folder"),
        (["--vary", "batch=2"], 1, "first dimensions are not open"),
        ([], 2, "explore needs a model, an axis"),
        (["--vary", WIDTHS, "--jobs", "0"], 2, "a positive number of processes"),
        (["--vary", WIDTHS, "--time-limit", "-1"], 2, "at least 0"),
    ],
)
def test_wrong_commands(
    words: list[str], code: int, message: str, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    found, _, err = explore([network, "-o", tmp_path / "points.jsonl", *words], capsys)
    assert found == code
    assert message in err


def test_a_network_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = explore([tmp_path / "no.onnx", "--vary", WIDTHS, "-o", tmp_path / "points.jsonl"], capsys)
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert "the input cannot be read" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"network": "other.onnx"}, "of another network\n  expected:   small.onnx\n  found:      other.onnx"),
        ({"digest": "0"}, "of another state of the network 'small.onnx'"),
        ({"target": "siracusa"}, "of another target\n"),
        ({"machine": "0"}, "of another state of the machine file"),
        ({"compiler": "tilewright 9"}, "of another compiler\n  expected:   tilewright "),
        (
            {"point": {"links.dma.width": "1"}},
            "of other axes\n  expected:   levels.L1.size, links.dma.width\n  found:  ",
        ),
        ({"by": "schedule"}, "of another evaluation\n  expected:   profile\n  found:      schedule"),
        ({"point": 1}, "not a file of results"),
        ({"metrics": {}}, "not a file of results"),
        ({"metrics": {"cycles": "x"}}, "not a file of results"),
    ],
)
def test_results_of_others(
    change: dict[str, Any], message: str, explored: Path, network: Path, capsys: pytest.CaptureFixture[str]
):
    file = explored / "others.jsonl"
    record = next(each for each in lines(explored / "points.jsonl") if "metrics" in each)
    text = f"{json.dumps(record)}\n{json.dumps(record | change)}\n"
    file.write_text(text)
    code, _, err = explore([network, "--vary", SIZES, "--vary", WIDTHS, "-o", file], capsys)
    assert code == 1
    assert f"{file}:2: error: " in err
    assert message in err
    assert file.read_text() == text


def test_samples_of_a_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A network with an open first dimension; one of all inputs that are open takes the axis."""
    file = tmp_path / "open.onnx"
    shapes: dict[str, list[int | str]] = {"x": ["n", 2, 6, 6]}
    nodes = [node("Conv", ["x", "w"], ["y"])]
    kernel = {"w": weights()["w"]}
    file.write_bytes(model(nodes, inputs=shapes, outputs={"y": ["n", 3, 4, 4]}, weights=kernel).SerializeToString())
    words = [file, "--vary", "batch=1,4", "-o", tmp_path / "points.jsonl", "--minimise", "area,sample_ms"]
    assert explore(words, capsys)[0] == 0
    found = {each["point"]["batch"]: each["metrics"] for each in lines(tmp_path / "points.jsonl")}
    assert found["4"]["cycles"] > 2 * found["1"]["cycles"]
    assert found["4"]["sample_cycles"] == found["4"]["cycles"] / 4 < found["1"]["sample_cycles"]


def test_axes_of_a_folder_anywhere(tmp_path: Path):
    (folder := tmp_path / "outside").mkdir()
    (folder / "machine.toml").write_text('include = "host"\ndescription = "outside"\n')
    (folder / "pipeline.txt").write_text((TARGETS / "host" / "pipeline.txt").read_text())
    (folder / "explore.py").write_text(
        "from tilewright.runtime.exploration import DesignAxis\n"
        "AXES = {'wait': DesignAxis('latency of the memory', lambda n: {'levels.RAM.latency': n}, integers=1)}\n"
    )
    with scope():
        assert setting("wait", "3", str(folder)) == ({"levels.RAM.latency": 3}, {})
        (folder / "explore.py").write_text("AXES = {")
    with scope(), pytest.raises(Diagnostic, match="the plug-in cannot be imported"):
        setting("wait", "3", str(folder))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"text" * 300, "not a file of results\n  expected:   an SQLite database"),
        (
            "CREATE TABLE points (x)",
            "not a file of results\n  expected:   a database as `tilewright explore` writes it",
        ),
        ("PRAGMA application_id = 1415013752; PRAGMA user_version = 9; CREATE TABLE results (x)", "format 9"),
    ],
)
def test_databases_of_others(
    content: bytes | str, message: str, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "points.sqlite"
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(content)
    before = file.read_bytes()
    code, _, err = explore([network, "--vary", WIDTHS, "-o", file], capsys)
    assert (code, file.read_bytes()) == (1, before)
    assert f"{file}: error: {message.partition(chr(10))[0]}" in err or message in err
    assert message in err
    assert "give another file with -o" in err


def forked(words: Sequence[str]) -> int:
    """Begin a command in a forked process of its own group; return its id."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    with open(os.devnull, "w") as null:
        os.dup2(null.fileno(), 1)
        os._exit(cli.main(words))


@pytest.mark.parametrize("name", ["points.jsonl", "points.sqlite"])
def test_a_killed_sweep_goes_on(name: str, network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Killed at any moment: no stored point is evaluated again, none is lost, and the file is that of a whole sweep."""
    log = tmp_path / "log"

    def metrics(_: object, network: str, point: Point) -> dict[str, float]:
        time.sleep(0.01)
        with log.open("a") as stream:
            stream.write(f"{point}\n")
        return {"cycles": float(point.values[0][1]), "memory": 1.0, "macs": 1.0}

    monkeypatch.setattr(Evaluator, "metrics", metrics)
    widths = "links.dma.width=" + ",".join(map(str, range(1, 101)))
    files = [tmp_path / f"{whole}{name}" for whole in ("", "whole")]
    commands = [
        ["explore", str(network), "--target", TARGET, "--jobs", "2", "--vary", widths, "-o", str(file)]
        for file in files
    ]
    compiler_state()  # once, not in each process
    stored: list[set[str]] = [set()]
    for least in (6, 12):
        before = _evaluated(log)
        child, begun = forked(commands[0]), time.monotonic()
        while _evaluated(log) < before + least:
            assert time.monotonic() < begun + 60
            time.sleep(0.002)
        time.sleep(0.03 * random.random())
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        stored.append(_stored(files[0]))
        assert stored[-2] < stored[-1]
        with log.open("a") as stream:
            stream.write("killed\n")
    assert cli.main(commands[0]) == 0
    runs = [set(text.splitlines()) for text in log.read_text().split("killed\n")]
    assert [evaluated & before for evaluated, before in zip(runs, stored, strict=True)] == [set()] * 3
    assert sum(map(len, runs)) <= 100 + 4 * 2  # of each process one that ended and one that ran
    assert cli.main(commands[1]) == 0
    rows, whole = ([record_of(result) for _, result in store_at(file).rows()] for file in files)
    assert rows == whole
    assert len(rows) == 100
    if name.endswith(".jsonl"):
        assert files[0].read_bytes() == files[1].read_bytes()


def _evaluated(log: Path) -> int:
    return log.read_text().count("links") if log.exists() else 0


def _stored(file: Path) -> set[str]:
    return {" ".join(f"{axis}={value}" for axis, value in result.point) for _, result in store_at(file).rows()}


def test_an_interrupt_keeps_the_results(network: Path, tmp_path: Path):
    """It ends the command and its processes; the points that had ended are in the file."""
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import sys, time\nfrom tilewright import cli\nfrom tilewright.runtime.tools.explore import evaluate\n"
        "quick = evaluate.Evaluator.metrics\n"
        "def metrics(self, network, point):\n"
        "    if point.values[0][1] == '9':\n"
        "        print('waiting', flush=True)\n        time.sleep(600)\n"
        "    return quick(self, network, point)\n"
        "evaluate.Evaluator.metrics = metrics\nsys.exit(cli.main(sys.argv[1:]))\n"
    )
    file = tmp_path / "points.jsonl"
    words = ["explore", network, "--target", TARGET, "--vary", "links.dma.width=8,9", "-o", file, "--jobs", "1"]
    command = [sys.executable, slow, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        while not (file.is_file() and file.read_text().endswith("\n")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        told = f"interrupted: 1 of 2 points are in {file}; the same command evaluates the others"
        assert told in process.stderr.read().decode()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert [each["point"] for each in lines(file)] == [{"links.dma.width": "8"}]


def test_list(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["explore", "--target", "pim", "--by", "schedule", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(
        text in out for text in ("nodes", "NxN", "levels.NODE.size", "schedule-branches.samples", "find-branches")
    )


# The page


def test_page_is_one_file(explored: Path):
    page = (explored / "page.html").read_text()
    assert not re.search(FOREIGN, page)
    assert "{{" not in page


@pytest.mark.sample(1)
@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_page_in_a_browser(explored: Path, width: int, tmp_path: Path):
    """The page marks what the command does, for the costs that are chosen, and is not wider than the window."""
    probe = """
      const marked = () => [...document.querySelectorAll(".dot.best")].map(dot => +dot.dataset.point).sort();
      const first = marked();
      $("choose-y").value = D.costs.findIndex(c => c.name === "area"); $("choose-y").dispatchEvent(new Event("change"));
      const least = marked();
      return {first, least, rows: $("points").tBodies[0].rows.length,
        wide: document.documentElement.scrollWidth > document.documentElement.clientWidth};"""
    text = (explored / "page.html").read_text()
    found = probed(text, probe, tmp_path, width=width)
    data = json.loads(text.partition('type="application/json">')[2].partition("</script>")[0])
    costs = [(point[2][0], point[2][1]) for point in data["points"]]
    assert [cost["name"] for cost in data["costs"]][:2] == ["area", "ms"]
    assert found["first"] == [place for place, best in enumerate(pareto(costs)) if best]
    assert found["least"] == [place for place, (area, _) in enumerate(costs) if area == min(costs)[0]]
    assert (found["rows"], found["wide"]) == (4, False)
