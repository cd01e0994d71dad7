"""Programs of stages on threads: results, order, ends, failures and profiles."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.ir import Array
from tilewright.runtime.toolchain import compile_shared, compiler
from tilewright.targets.hmp.building import FLAGS, sources_of
from tilewright.test.targets.hmp.stages import require_device
from tilewright.test.targets.hmp.streamed import (
    LAYERS,
    PLANTED,
    STRICT,
    Program,
    built,
    frames_of,
    network,
    put_frames,
    written,
)

FRAMES = 12
ORDERS = ["".join(random.Random(seed).choices("BLGN", k=LAYERS)) for seed in range(24)]
SANITIZERS = {
    "thread": ("-fsanitize=thread", "-g1"),
    "address": ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1"),
}
CROSS, QEMU = "aarch64-linux-gnu-gcc", "qemu-aarch64"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the network and frames."""
    folder = tmp_path_factory.mktemp("streamed")
    network(folder / "net.onnx")
    put_frames(folder / "frames", frames_of(FRAMES))
    return folder


@pytest.fixture(scope="module")
def staged(place: Path) -> Program:
    """The network in five stages, of which values skip some."""
    folder, facts = written(place / "net.onnx", "BLLGNB", place / "staged")
    return built(folder, facts, ["-DTW_LAYER_MARKS"])


@pytest.fixture(scope="module")
def expected(place: Path) -> dict[str, Array]:
    """The results of the network on one processor, whose frames are run one by one."""
    program = built(*written(place / "net.onnx", "B", place / "whole"))
    done = program.run(place / "frames", "--mode", "switch")
    assert (done.status, len(done.outputs["y"])) == (0, FRAMES), done.errors
    assert len(np.unique(done.outputs["y"], axis=0)) == FRAMES
    return done.outputs


def _same(outputs: dict[str, Array], expected: dict[str, Array], frames: int = FRAMES) -> None:
    for name, array in expected.items():
        assert outputs[name].tobytes() == array[:frames].tobytes(), name


@pytest.mark.parametrize("mode", ["pipeline", "switch"])
def test_results_are_those_of_one_stage_in_order(
    staged: Program, place: Path, expected: dict[str, Array], mode: str
) -> None:
    """Random delays of all stages change neither bits nor order."""
    for seed in range(3):
        done = staged.run(place / "frames", "--mode", mode, planted=f"delay={seed}:3000")
        assert done.status == 0, done.errors
        _same(done.outputs, expected)


@pytest.mark.sample(1)
@pytest.mark.parametrize("order", ORDERS)
def test_all_orders_compute_the_same(place: Path, expected: dict[str, Array], tmp_path: Path, order: str) -> None:
    """Any order, with queues of any depth."""
    program = built(*written(place / "net.onnx", order, tmp_path / order, depth=ORDERS.index(order) % 4))
    done = program.run(place / "frames", planted=f"delay={ORDERS.index(order)}:2000")
    assert done.status == 0, done.errors
    _same(done.outputs, expected)


@pytest.mark.parametrize("name", SANITIZERS)
def test_no_race_and_no_fault(staged: Program, place: Path, expected: dict[str, Array], name: str) -> None:
    """Sanitisers report nothing: to the end of input, at a failure and at an interrupt."""
    program = built(staged.folder, staged.facts, [*SANITIZERS[name], "-DTW_LAYER_MARKS"], name=name)
    for options in (("--profile", "2"), ("--mode", "switch", "--clocks", "big=1800,2:little=600")):
        done = program.run(place / "frames", *options, planted="delay=5:1000")
        assert (done.status, done.errors) == (0, "")
        _same(done.outputs, expected)
    failed = program.run(place / "frames", planted="delay=5:1000,fail=stage2_gpu:4")
    assert (failed.status, failed.errors.count("\n")) == (1, 1), failed.errors
    ended, errors = _interrupted(program, place)
    assert (ended, errors.count("\n")) == (130, 1), errors


def test_devices(place: Path, expected: dict[str, Array], tmp_path: Path) -> None:
    """Stages on an OpenCL device and of the reference plug-in compute the same; their failures end all threads."""
    require_device()
    folder, facts = written(place / "net.onnx", "BGGNLG", tmp_path / "devices", gpu="opencl", npu="reference")
    program = built(folder, facts)
    variables = {"TILEWRIGHT_NPU_PATH": str(folder)}
    for mode in ("pipeline", "switch"):
        done = program.run(place / "frames", "--mode", mode, planted="delay=1:2000", **variables)
        assert (done.status, done.errors) == (0, "")
        _same(done.outputs, expected)
    failed = program.run(place / "frames", TILEWRIGHT_OPENCL_LIBRARY="libabsent.so", **variables)
    assert failed.status == 1
    assert failed.errors.startswith("error: stage stage1_gpu on OpenCL: no library")
    stub = compile_shared([Path(__file__).parent / "c" / "opencl_stub.c"], ["-O1"])
    variables |= {"TILEWRIGHT_OPENCL_LIBRARY": str(stub), "STUB_FAIL": "clEnqueueNDRangeKernel:-5"}
    failed = program.run(place / "frames", **variables)
    assert failed.status == 1
    assert re.match("error: frame 0: stage1_gpu on gpu: OpenCL: .*: CL_OUT_OF_RESOURCES", failed.errors), failed.errors
    failed = program.run(place / "frames", TILEWRIGHT_NPU_PATH=str(tmp_path))
    assert failed.status == 1
    assert "stage2_npu" in failed.errors


def test_a_stage_that_fails(staged: Program, place: Path, expected: dict[str, Array]) -> None:
    """All threads end; the message names frame and stage; results before it are whole."""
    for number, title in enumerate(staged.titles):
        done = staged.run(place / "frames", planted=f"delay=1:500,fail={title}:{number + 3}")
        assert done.status == 1
        engine = staged.facts.stages[number].processor
        assert done.errors == f"error: frame {number + 3}: {title} on {engine}: a planted failure\n"
        frames = len(done.outputs["y"])
        assert frames <= number + 3
        _same({"y": done.outputs["y"]}, {"y": expected["y"]}, frames)


def _await(file: Path, size: int) -> None:
    """Wait until a file has so many bytes."""
    limit = time.monotonic() + 60
    while (not file.is_file() or file.stat().st_size < size) and time.monotonic() < limit:
        time.sleep(0.005)


def _interrupted(program: Program, place: Path) -> tuple[int, str]:
    """Interrupt a program whose tasks take long, once results come; return its exit code and its errors."""
    command = program.command(place / "frames")
    planted = {"TILEWRIGHT_TEST": f"sleep={program.titles[1]}:50000"}
    with subprocess.Popen(
        command, env=planted, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        _await(place / "frames" / "out" / "y.bin", 1)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
    return process.returncode, errors


def test_an_interrupt_ends_all_threads(staged: Program, place: Path) -> None:
    """The exit code is that of the signal, and the message says where each stage was."""
    code, errors = _interrupted(staged, place)
    assert code == 128 + signal.SIGINT
    assert errors.startswith("error: interrupted by signal 2 after ")
    assert all(f"{title}: frame " in errors for title in ["source", *staged.titles, "sink"])


def test_an_interrupt_while_input_is_awaited(staged: Program, place: Path, tmp_path: Path) -> None:
    """A source that waits for more is woken."""
    program = built(*written(_single_input(place), "B", tmp_path / "single"))
    command = [str(program.file), "--frames", "-", "--outputs", str(tmp_path / "y.bin")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(bytes(program.facts.inputs[0].bytes * 2))
        process.stdin.flush()
        _await(tmp_path / "y.bin", 2 * program.facts.outputs[0].bytes)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert b"after 2 frames" in process.communicate(timeout=60)[1]


def _single_input(place: Path) -> Path:
    """Return an MLIR network of one input and one layer."""
    file = place / "single.mlir"
    file.write_text("""
!x = tensor<8xf32>
func.func @network(%x: !x) -> (!x {onnx.name = "y"}) {
  %e = tensor.empty() : !x
  %a = linalg.add ins(%x, %x : !x, !x) outs(%e : !x) -> !x
  func.return %a : !x
}
""")
    return file


def test_ends_of_input(staged: Program, place: Path, tmp_path: Path, expected: dict[str, Array]) -> None:
    """No frames, a number of them, a directory of them, part of one, and inputs of different lengths."""
    frames = frames_of(FRAMES)
    for count in (0, 1, 5):
        done = staged.run(place / "frames", "--count", str(count))
        assert (done.status, done.errors) == (0, "")
        _same(done.outputs, expected, count)
    folder = tmp_path / "folder"
    for name, array in frames.items():
        (folder / name).mkdir(parents=True)
        for number, frame in enumerate(array):
            frame.tofile(folder / name / f"{number:03}.raw")
    done = staged.run(folder)
    assert (done.status, done.errors) == (0, "")
    _same(done.outputs, expected)
    short = put_frames(tmp_path / "short", {"x": frames["x"], "z": frames["z"][:5]})
    done = staged.run(short)
    assert done.errors == "error: frame 5: source: input 1 has no more frames, others have\n"
    (short / "z.bin").write_bytes(frames["z"].tobytes()[:-8])
    done = staged.run(short)
    assert done.status == 1
    assert (
        f"z.bin: the last frame has {frames['z'][0].nbytes - 8} bytes, expected {frames['z'][0].nbytes}" in done.errors
    )


def test_a_stalled_sink_stops_the_source(staged: Program) -> None:
    """The source is ahead of the sink by the slots of queues at most, and a network can run again."""
    sources = [str(file) for file in sources_of(staged.folder, shared=True)]
    program = staged.folder / "stall"
    include = [f"-I{staged.folder}", f"-I{staged.folder / 'runtime'}"]
    stall = str(Path(__file__).parent / "c" / "stall.c")
    command = [*compiler(), *FLAGS, *STRICT, *PLANTED, *include, *sources, stall, "-lm", "-o", str(program)]
    subprocess.run(command, check=True, timeout=300)
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines), lines[2]) == (0, 3, "taken 200"), done.stderr
    ahead = {int(line.removeprefix("given ")) for line in lines[:2]}
    # Between source and sink lie six queues of two slots; a frame is in the source besides.
    assert max(ahead) <= 2 * (len(staged.facts.stages) + 1) + 1
    failed = subprocess.run([program, "7"], capture_output=True, text=True, timeout=60)
    assert (failed.returncode, failed.stderr) == (1, "error: frame 7: source: the source fails\n")


def test_one_frame_at_a_time_in_switch_mode(staged: Program, place: Path, tmp_path: Path) -> None:
    """The next frame is read after the results of the one before are written; in a pipeline frames overlap."""
    overlaps = {}
    for mode in ("switch", "pipeline"):
        file = tmp_path / f"{mode}.json"
        sleeps = ",".join(f"sleep={title}:2000" for title in staged.titles)
        done = staged.run(place / "frames", "--mode", mode, "--profile", "1", "--json", str(file), planted=sleeps)
        assert done.status == 0, done.errors
        profile = json.loads(file.read_text())
        reads = {r["frame"]: r["t_start"] for r in profile["records"] if r["kind"] == "in" and r["t_end"]}
        ends = {r["frame"]: r["t_end"] for r in profile["records"] if r["kind"] == "out"}
        overlaps[mode] = sum(reads[frame + 1] < ends[frame] for frame in range(FRAMES - 1))
        assert profile["latency_ms"]["least"] >= 2 * len(staged.titles)
    assert overlaps["switch"] == 0
    assert overlaps["pipeline"] > 0


def test_profiles(staged: Program, place: Path, tmp_path: Path) -> None:
    """Records of phases and layers, their sums in a table, and a trace of the same."""
    json_file, trace_file = tmp_path / "p.json", tmp_path / "t.json"
    options = ["--profile", "2", "--json", str(json_file), "--trace", str(trace_file)]
    done = staged.run(place / "frames", *options, planted=f"sleep={staged.titles[1]}:3000")
    assert done.status == 0, done.errors
    profile: Any = json.loads(json_file.read_text())
    records = profile["records"]
    assert set(records[0]) == {"frame", "subgraph", "layer", "processor", "level", "t_start", "t_end", "kind"}
    for number, stage in enumerate(staged.facts.stages):
        own = [each for each in records if each["subgraph"] == staged.titles[number]]
        layers = [(each["frame"], each["layer"]) for each in own if each["kind"] == "layer"]
        span = range(stage.first, stage.last + 1)
        assert layers == [(frame, layer) for frame in range(FRAMES) for layer in span]
        tasks = {each["frame"]: each for each in own if each["kind"] == "task"}
        assert list(tasks) == list(range(FRAMES))
        for each in own:
            assert each["processor"] == stage.processor
            if each["kind"] == "layer":
                task = tasks[each["frame"]]
                assert task["t_start"] <= each["t_start"] <= each["t_end"] <= task["t_end"]
    slow = profile["stages"][2]
    assert slow["subgraph"] == staged.titles[1]
    assert slow["task_ms"] >= 3
    assert f"{slow['task_ms']:.3f}" in next(
        row for row in done.printed.splitlines() if row.startswith(staged.titles[1])
    )
    events = [each for each in json.loads(trace_file.read_text())["traceEvents"] if each["ph"] == "X"]
    assert len(events) == len(records)
    assert all(each["dur"] >= 0 for each in events)
    totals = staged.run(place / "frames", "--json", str(json_file))
    assert json.loads(json_file.read_text())["records"] == []
    assert totals.printed.startswith(f"{FRAMES} frames in ")


def _sysfs(root: Path) -> Path:
    """Make a tree of clocks: two policies of cores and a device."""
    policies = {"policy0": ("0 1", "408000 600000 1416000"), "policy4": ("4 5", "408000 1200000 1800000")}
    for name, (cpus, frequencies) in policies.items():
        folder = root / "devices/system/cpu/cpufreq" / name
        folder.mkdir(parents=True)
        (folder / "affected_cpus").write_text(f"{cpus}\n")
        (folder / "scaling_available_frequencies").write_text(f"{frequencies}\n")
        (folder / "scaling_governor").write_text("schedutil\n")
        (folder / "scaling_setspeed").write_text("<unsupported>\n")
    device = root / "class/devfreq/ff9a0000.gpu"
    (device / "userspace").mkdir(parents=True)
    (device / "governor").write_text("simple_ondemand\n")
    (device / "available_frequencies").write_text("200000000 800000000\n")
    (device / "userspace/set_freq").write_text("")
    return root


def test_clocks_by_sysfs(staged: Program, place: Path, tmp_path: Path) -> None:
    """Clocks are set at the start and given back to their governors; one that does not exist ends the run."""
    root = _sysfs(tmp_path / "sys")
    cores = root / "devices/system/cpu/cpufreq"
    (cores / "policy0" / "affected_cpus").write_text("0\n")
    options = ["--cores", "little=0", "--clock-backend", f"sysfs:{root}"]
    done = staged.run(place / "frames", *options, "--clocks", "little=1416,gpu=800")
    assert (done.status, done.errors) == (0, "")
    assert (cores / "policy0/scaling_setspeed").read_text() == "1416000"
    assert (cores / "policy0/scaling_governor").read_text() == "schedutil"
    assert (cores / "policy4/scaling_setspeed").read_text() == "<unsupported>\n"
    assert (root / "class/devfreq/ff9a0000.gpu/userspace/set_freq").read_text() == "800000000"
    for clocks, message in (
        ("little=1417", "the clock of little cannot be 1417 MHz"),
        ("big=1800", "no device of that name"),
        ("little", "no clock: 'little'"),
        ("1:little=408", "clocks of layers are for switch mode"),
    ):
        refused = staged.run(place / "frames", *options, "--clocks", clocks)
        assert (refused.status, message in refused.errors) == (1, True), refused.errors
        assert (cores / "policy0/scaling_governor").read_text() == "schedutil"


def test_clocks_of_layers(staged: Program, place: Path, tmp_path: Path) -> None:
    """In switch mode a layer's clock is asked for as it begins, and the processor's own one after it."""
    log, json_file = tmp_path / "log", tmp_path / "p.json"
    backend = f"command:echo $1 $2 >> {log}"
    options = ["--mode", "switch", "--clock-backend", backend, "--clocks", "little=1416,2:little=408"]
    sleeps = ",".join(f"sleep={title}:30000" for title in staged.titles)
    done = staged.run(
        place / "frames", *options, "--profile", "2", "--json", str(json_file), "--count", "2", planted=sleeps
    )
    assert (done.status, done.errors) == (0, "")
    assert log.read_text().splitlines() == ["little 1416"] + ["little 408", "little 1416"] * 2
    layers = [r for r in json.loads(json_file.read_text())["records"] if r["kind"] == "layer"]
    assert {r["level"] for r in layers if r["layer"] == 1} == {1416}
    assert {r["level"] for r in layers if r["processor"] != "little"} == {None}
    failed = staged.run(place / "frames", "--clock-backend", "command:false", "--clocks", "big=1800")
    assert (failed.status, "the command 'false' fails" in failed.errors) == (1, True)


def test_layers_need_marks(place: Path, tmp_path: Path, staged: Program) -> None:
    """Level 2 of a network without marks is refused, not empty."""
    program = built(staged.folder, staged.facts, name="unmarked")
    done = program.run(place / "frames", "--profile", "2")
    assert (done.status, "-DTW_LAYER_MARKS" in done.errors) == (1, True)


def test_cores(staged: Program, place: Path) -> None:
    """Threads run on the cores of their processors, or of the hosts of these; those that the machine lacks end it."""
    cpu = max(os.sched_getaffinity(0))
    command = [*staged.command(place / "frames"), "--cores", f"little={cpu}+{cpu}", "--hosts", "gpu=little"]
    environment = {"TILEWRIGHT_TEST": f"sleep={staged.titles[0]}:100000"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _await(place / "frames" / "out" / "y.bin", 1)
        tasks = [task for task in Path(f"/proc/{process.pid}/task").iterdir() if (task / "comm").is_file()]
        allowed = {(task / "comm").read_text().strip(): (task / "status").read_text() for task in tasks}
        process.kill()
    every = f"Cpus_allowed_list:\t{_spans(os.sched_getaffinity(0))}\n"
    pinned = f"Cpus_allowed_list:\t{cpu}\n"
    for number, stage in enumerate(staged.facts.stages):
        expected = pinned if stage.processor in ("little", "gpu") else every
        assert expected in allowed[staged.titles[number][:15]]
    for options, message in (
        (["--cores", "little=1000"], "stage1_little: the cores of little in little=1000 are none of this machine's"),
        (["--hosts", "gpu=big"], "stage2_gpu: the cores of big, the host of gpu, are not given"),
        (["--hosts", "gpu=big", "--cores", "little=0"], "stage2_gpu: the cores of big, the host of gpu, are not given"),
        (["--hosts", "gpu=big", "--cores", "gpu=0,big=0"], "stage2_gpu: gpu has a host and cores of its own"),
    ):
        refused = staged.run(place / "frames", *options)
        assert (refused.status, refused.errors) == (1, f"error: {message}\n")


def _spans(numbers: Collection[int]) -> str:
    """Return numbers as the kernel shows a set of CPUs: 0-3,6."""
    first = [number for number in sorted(numbers) if number - 1 not in numbers]
    last = [number for number in sorted(numbers) if number + 1 not in numbers]
    return ",".join(f"{a}-{b}" if a < b else f"{a}" for a, b in zip(first, last, strict=True))


def _checks(check: str, program: Program, place: Path, expected: dict[str, Array], scratch: Path) -> None:
    """Run one of the tests on a program."""
    if check == "results":
        test_results_are_those_of_one_stage_in_order(program, place, expected, "pipeline")
    elif check == "stall":
        test_a_stalled_sink_stops_the_source(program)
    elif check == "failure":
        test_a_stage_that_fails(program, place, expected)
    elif check == "interrupt":
        test_an_interrupt_ends_all_threads(program, place)
    elif check == "ends":
        test_ends_of_input(program, place, scratch, expected)
    elif check == "switch":
        test_one_frame_at_a_time_in_switch_mode(program, place, scratch)
    elif check == "profile":
        test_profiles(program, place, scratch)
    elif check == "sysfs":
        test_clocks_by_sysfs(program, place, scratch)
    elif check == "layer clocks":
        test_clocks_of_layers(program, place, scratch)
    elif check == "cores":
        test_cores(program, place)
    else:
        test_no_race_and_no_fault(program, place, expected, check)


_FULL = "s->reserved - s->released >= s->depth && goes_on()"
MUTATIONS: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("results", "tw_pipeline.c", {_FULL: "false", "s->reserved - s->released < s->depth && goes_on()": "goes_on()"}),
    ("stall", "tw_pipeline.c", {_FULL: "false", "s->reserved - s->released < s->depth && goes_on()": "goes_on()"}),
    ("results", "tw_pipeline.c", {"s->popped >= s->pushed && goes_on()": "false", "s->popped < s->pushed &&": ""}),
    ("failure", "tw_pipeline.c", {'cancelled");\n    wake_all();': 'cancelled");'}),
    ("failure", "tw_pipeline.c", {"(long long)atomic_load(&where->frame), where->program": "0LL, where->program"}),
    ("interrupt", "tw_pipeline.c", {"return run.status;": "return run.status > 1;"}),
    (
        "ends",
        "tw_pipeline.c",
        {"&run.total, atomic_load(&self->frame)": "&run.total, -1 + atomic_load(&self->frame)"},
    ),
    ("ends", "tw_files.c", {"if (done == 0 || done == bytes)": "if (true)"}),
    (
        "thread",
        "tw_pipeline.c",
        {"pthread_mutex_lock(&s->lock);\n    ++s->pushed": "++s->pushed; pthread_mutex_lock(&s->lock)"},
    ),
    ("address", "tw_profile.c", {"count = record.layer + 1": "count = record.layer > 0 ? record.layer : 1"}),
    ("switch", "tw_pipeline.c", {"switched ? 1": "switched ? 2"}),
    ("profile", "tw_pipeline.c", {"record(TW_TASK, self->since, now, -1)": "record(TW_TASK, now, now, -1)"}),
    ("profile", "tw_pipeline.c", {"    self->layer = layer;": "    self->layer = 0 * layer;"}),
    (
        "sysfs",
        "tw_clocks.c",
        {"k < atomic_load(&clocks.count); ++k) {\n        const engine": "k < 0; ++k) {\n        const engine"},
    ),
    ("sysfs", "tw_clocks.c", {"(engine->is_core ? 1000 : 1000000)": "1000"}),
    (
        "layer clocks",
        "tw_clocks.c",
        {"= clocks.engines[k].start;\n        for": "= atomic_load(&clocks.engines[k].wanted);\n        for"},
    ),
    ("cores", "tw_clocks.c", {"pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0": "true"}),
)
"""Faults of the runtime, with the test that has to find them."""


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_faults_of_the_runtime_are_found(
    staged: Program, place: Path, expected: dict[str, Array], tmp_path: Path, number: int
) -> None:
    """Each test fails on a runtime with a fault that it is to find."""
    check, name, changes = MUTATIONS[number]
    folder = shutil.copytree(staged.folder, tmp_path / "faulty")
    text = (folder / "runtime" / name).read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "runtime" / name).write_text(text)
    faulty = built(folder, staged.facts, ["-DTW_LAYER_MARKS", "-Wno-error"])
    with pytest.raises((AssertionError, subprocess.TimeoutExpired)):
        _checks(check, faulty, place, expected, tmp_path)


@pytest.mark.skipif(
    shutil.which(CROSS) is None or shutil.which(QEMU) is None,
    reason="apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
)
def test_aarch64(staged: Program, place: Path, expected: dict[str, Array]) -> None:
    """The same program for another architecture, under an emulator, has the same results."""
    program = built(staged.folder, staged.facts, ["-static"], name="aarch64", cc=[CROSS])
    for options in ((), ("--mode", "switch")):
        environment = {"TILEWRIGHT_TEST": "delay=3:2000"}
        command = [QEMU, *program.command(place / "frames", *options)]
        subprocess.run(command, env=environment, check=True, timeout=300)
        _same(program.results(place / "frames"), expected)
