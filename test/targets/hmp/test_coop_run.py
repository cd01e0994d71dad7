"""The commands `coop compile` and `coop run`: frames of arrays, and settings that fit no machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.errors import Diagnostic
from tilewright.grammar import UsageError
from tilewright.ir import Array
from tilewright.targets.hmp.building import Processor, ProgramPort, facts_in, main_text
from tilewright.targets.hmp.frame_files import raw_frames
from tilewright.targets.hmp.settings import check_pinning, check_threads, clocks_of, cores_of, cores_text, hosts_of
from tilewright.test.targets.hmp.stages import require_device
from tilewright.test.targets.hmp.streamed import frames_of, network

PROCESSORS = (
    Processor("big", 2, (408.0, 1200.0, 1800.0)),
    Processor("little", 4, (408.0, 1416.0)),
    Processor("npu", 1, (), ("big", "little")),
)
PORTS = (ProgramPort("x", "x", "float32", (1, 2, 3)), ProgramPort("k/0", "k_0", "int8", (2,)))


def _called(*words: object) -> int:
    return cli.main([str(word) for word in words])


def test_from_model_to_results(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A model and a folder compute the same, in each mode; without outputs results are dropped."""
    require_device()
    model, frames = network(tmp_path / "net.onnx"), tmp_path / "frames.npz"
    _saved(tmp_path, "frames.npz", frames_of(6))
    assert _called("coop", "compile", model, "--order", "BL-LGNB", "-o", tmp_path / "build", "--shared") == 0
    printed = capfd.readouterr().out
    assert re.search(r"^stage 1  little: layers 1 to 2$", printed, re.MULTILINE)
    assert printed.splitlines()[-1].split()[-2:] == ["-o", str(tmp_path / "build" / "network")]
    assert (tmp_path / "build" / "libnetwork.so").is_file()
    facts = facts_in(tmp_path / "build")
    assert (facts.order, facts.layers, [port.name for port in facts.outputs]) == ("BLLGNB", 6, ["y", "e"])
    assert (tmp_path / "build" / "main.c").read_text() == main_text(facts)
    first, second, trace = tmp_path / "a.npz", tmp_path / "b.npz", tmp_path / "trace.json"
    run = ["coop", "run", tmp_path / "build", "--frames", frames]
    assert _called(*run, "--outputs", first, "--mode", "switch", "--profile", 2, "--trace", trace) == 0
    assert any(each.get("name") == "layer 3" for each in json.loads(trace.read_text())["traceEvents"])
    assert _called("coop", "run", model, "--order", "N", "--frames", frames, "--outputs", second, "--count", 6) == 0
    one, other = np.load(first), np.load(second)
    assert {name: one[name].shape for name in one.files} == {"y": (6, 1, 4, 6, 6), "e": (6, 1, 4, 6, 6)}
    assert all(one[name].tobytes() == other[name].tobytes() for name in one.files)
    assert _called(*run, "--clocks", "big=1801") == 2
    assert _called(*run, "--host-npu", "little") == 2
    assert _called(*run, "--host-npu", "little", "--cores", f"L={min(os.sched_getaffinity(0))}") == 0
    assert _called(*run, "--trace", trace) == 2
    assert _called(*run[:3], "--frames", tmp_path / "net.onnx") == 1
    assert _called("coop", "run", tmp_path, "--frames", frames) == 1
    assert "there is no program of cooperative processors" in capfd.readouterr().err


def test_measured_times_are_those_that_plans_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A layer has a time on each processor that was measured; another network refuses the file."""
    model, times = network(tmp_path / "net.onnx"), tmp_path / "times.json"
    words = ["coop", "profile", model, "--processors", "big,G", "--gpu", "core", "--npu", "core", "-o", times]
    assert _called(*words) == 0
    content = json.loads(times.read_text())
    assert {name: len(column) for name, column in content["times_ms"].items()} == {"big": 6, "gpu": 6}
    assert all(0 < time < 1000 for column in content["times_ms"].values() for time in column)
    assert _called("coop", "plan", model, "--measured", times, "--order", "BBBGGG") == 0
    capsys.readouterr()
    times.write_text(json.dumps(content | {"macs": content["macs"][:5]}))
    assert _called("coop", "plan", model, "--measured", times, "--order", "BBBGGG") == 1
    assert "the profile is of another network" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--order", "BL"], "the order BL is for 2 layers, the network has 6"),
        (["--order", "BLX-GNB"], "'hmp' has no processor X"),
        (["--order", "BL", "--partition-points", "9"], "the partition points 9 do not cut 6 layers"),
        ([], "coop compile needs an order"),
        (["--order", "B", "--target", "host"], "target 'host' maps no layers"),
    ],
)
def test_refused_mappings(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    model = network(tmp_path / "net.onnx")
    assert _called("coop", "compile", model, "-o", tmp_path / "build", *words) in (1, 2)
    assert message in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


def test_settings() -> None:
    """Cores, clocks by MHz and by index, of processors by name and by letter."""
    cores = cores_of("big=2-3,L=0+1", PROCESSORS, range(4))
    assert cores_text(cores) == "big=2+3,little=0+1"
    check_threads("big=1,L=1", PROCESSORS, cores)
    hosts = hosts_of({"npu": "L", "gpu": ""}, PROCESSORS)
    assert hosts == {"npu": "little"}
    check_pinning(hosts, cores)
    text = "big=1800,little=L1,5:B=L0"
    clocks = clocks_of(text, PROCESSORS, 6, switched=True)
    assert ",".join(map(str, clocks)) == "big=1800,little=1416,5:big=408"


@pytest.mark.parametrize(
    ("flag", "text", "message"),
    [
        ("cores", "big=9", "this machine has no CPU 9"),
        ("cores", "big=1-0", "no CPUs in '1-0'"),
        ("cores", "big=one", "'one' are no CPUs"),
        ("cores", "big", "'big' is no entry"),
        ("cores", ",", "--cores is empty"),
        ("cores", "gpu=1", "there is no processor 'gpu'"),
        ("cores", "big=0,B=1", "two entries for big"),
        ("threads", "big=3", "3 threads on the 2 cores of big"),
        ("threads", "little=2", "2 threads on the 1 cores of little"),
        ("threads", "big=2", "no work for the second one"),
        ("threads", "big=0", "'0' is no number of threads"),
        ("clocks", "big=1801", "big has no clock 1801"),
        ("clocks", "big=L3", "big has no clock L3"),
        ("clocks", "big=2", "big has no clock 2"),
        ("clocks", "npu=800", "npu has no clock 800"),
        ("clocks", "6:big=1800", "the network has no layer 6"),
        ("clocks", "x:big=1800", "the network has no layer x"),
        ("layer", "1:big=1800", "a clock of a layer in a pipeline"),
        ("npu", "npu", "--host-npu: 'npu' is no host of npu"),
        ("gpu", "big", "--host-gpu: there is no processor 'gpu'"),
        ("pinning", "big", "the cores of big, the host of npu, are not given"),
        ("pinning", "little", "npu has a host and cores of its own"),
    ],
)
def test_refused_settings(flag: str, text: str, message: str) -> None:
    parsers: dict[str, Callable[[], object]] = {
        "cores": lambda: cores_of(text, PROCESSORS, range(4)),
        "threads": lambda: check_threads(text, PROCESSORS, {"little": (0,)}),
        "clocks": lambda: clocks_of(text, PROCESSORS, 6, switched=True),
        "layer": lambda: clocks_of(text, PROCESSORS, 6, switched=False),
        "npu": lambda: hosts_of({"npu": text}, PROCESSORS),
        "gpu": lambda: hosts_of({"gpu": text}, PROCESSORS),
        "pinning": lambda: check_pinning({"npu": text}, {"little": (0,)} | ({"npu": (1,)} if text == "little" else {})),
    }
    with pytest.raises(UsageError, match=re.escape(message)):
        parsers[flag]()


def _saved(folder: Path, name: str, arrays: dict[str, Array]) -> Path:
    np.savez(folder / name, allow_pickle=False, **arrays)
    return folder / name


def test_frames_of_arrays(tmp_path: Path) -> None:
    """Arrays of frames, with an axis of one frame left out, and folders of single frames become the same raw frames."""
    x, k = np.arange(18, dtype=np.float32).reshape(3, 1, 2, 3), np.arange(6, dtype=np.int8).reshape(3, 2)
    scratch = tmp_path / "raw"
    scratch.mkdir()
    single = tmp_path / "single"
    single.mkdir()
    for number in range(3):
        _saved(single, f"{number}.npz", {"x": x[number], "k/0": k[number]})
    named = _saved(tmp_path, "named.npz", {"k/0": k, "x": x})
    ordered = _saved(tmp_path, "ordered.npz", {"arr_0": x[:, 0], "arr_1": k})
    for frames in (named, ordered, single):
        assert raw_frames(frames, PORTS, scratch) == scratch
        assert (scratch / "x.bin").read_bytes() == x.tobytes()
        assert (scratch / "k_0.bin").read_bytes() == k.tobytes()
    np.save(tmp_path / "k.npy", k)
    assert (raw_frames(tmp_path / "k.npy", PORTS[1:], scratch)).read_bytes() == k.tobytes()
    assert raw_frames(scratch, PORTS, tmp_path) == scratch


@pytest.mark.parametrize(
    ("x", "k", "message"),
    [
        (np.zeros((3, 1, 2, 3)), np.zeros((3, 2), np.int8), "the frames of 'x' do not fit the input"),
        (np.zeros((3, 1, 2, 3), np.float32), np.zeros((3, 3), np.int8), "the frames of 'k/0' do not fit the input"),
        (np.zeros((3, 1, 2, 3), np.float32), np.zeros((2, 2), np.int8), "inputs have different numbers of frames"),
    ],
)
def test_refused_frames(tmp_path: Path, x: Array, k: Array, message: str) -> None:
    frames = _saved(tmp_path, "frames.npz", {"x": x, "k/0": k})
    with pytest.raises(Diagnostic, match=message):
        raw_frames(frames, PORTS, tmp_path)
