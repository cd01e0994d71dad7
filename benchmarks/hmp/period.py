"""
Periods of pipelines of stages: simulated, with the times of stages, beside those of threads on this machine.

Three parts: stages that sleep (within 2 %), real kernels on two cores of which one has a quota of 40 % of its time
(within 10 %), and SqueezeNet on two cores beside one. In the third, two stages for the targets hmp and hmp-native are
beside two networks of ncnn, cut by hand and each pinned to a core, and beside ONNX Runtime with two threads in each
kernel, in alternating rounds and with compared results. Quotas are those of cgroups of version 1, and need root. The
programs are in a cgroup with large shares, so that others disturb them little.

The peers are no dependencies of the project; pnnx converts ONNX models without PyTorch:

    .venv/bin/pip install onnxruntime
    .venv/bin/pip install --no-deps --target build/packages ncnn==1.0.20261020 pnnx==20261020
    PYTHONPATH=build/packages .venv/bin/python benchmarks/hmp/period.py

Exit code 1 where a bound is exceeded or a result differs, 2 where a part was left out: without a peer, without two
cores, without such cgroups.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

from tilewright.benchmarks.hmp.peers import Contender, Ended, NcnnPipeline, OnnxRuntime, missing
from tilewright.benchmarks.host.core import FLAGS
from tilewright.compiler import Model, compile_model
from tilewright.console import table_console
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.passes.bufferize import BufferizePass
from tilewright.runtime.processes import finished
from tilewright.targets.hmp.building import ProgramFacts, build, executable, write_program
from tilewright.targets.hmp.frames import LayerWork, simulate_frames
from tilewright.targets.hmp.model import network_of
from tilewright.targets.hmp.options import CORE
from tilewright.targets.hmp.options import Mapping as Order
from tilewright.targets.hmp.passes.map_layers import MapLayersPass
from tilewright.targets.hmp.passes.outline_stages import OutlineStagesPass
from tilewright.targets.hmp.passes.pipeline_frames import PipelineFramesPass
from tilewright.targets.hmp.plan import layered

PLANTED = ("-DTW_LAYER_MARKS", "-DTW_TEST", f"-I{Path(__file__).parents[2] / 'test/targets/hmp/c'}")
"""Flags by which layers are timed, and $TILEWRIGHT_TEST lets stages sleep."""
CGROUP = Path("/sys/fs/cgroup/cpu")
QUOTA = 0.4
"""Share of a core that a slow one has."""
PERIOD_US = 100_000
NATIVE = FLAGS
"""Flags by which ours are compiled beside peers, which choose the instructions of the machine at hand, too."""
PLAIN, VECTORS = "hmp", "hmp-native"
TARGETS = {PLAIN: 1.8, VECTORS: 1.7}
"""
Target beside peers -> times the frames of one core that two have at least.

Plain kernels, and those in vector registers, to which the peers are compared: they leave less time for what the two
cores share.
"""
ROUNDS = 7
SECONDS = 0.7
"""Seconds of a run beside peers."""
FEWEST = 8
"""Frames of such a run at least."""
CLOSE = 1e-4
"""Tolerance of results, relative to the largest number."""
SLEEPS = {"BLGN": (10, 25, 15, 5), "BLLG": (20, 10, 30), "BGGG": (40, 20)}
"""Order of ResNet-8 -> milliseconds that each stage sleeps."""


@dataclass
class Program:
    """A network mapped by an order, as a program."""

    model: Path
    order: str
    file: Path
    facts: ProgramFacts

    @property
    def titles(self) -> list[str]:
        """The functions of the stages."""
        return [f"stage{number}_{stage.processor}" for number, stage in enumerate(self.facts.stages)]


def program(model: Path, order: str, folder: Path, target: str = "hmp", flags: Sequence[str] = PLANTED) -> Program:
    """Compile a network to a program."""
    place = folder / f"{model.stem}_{order}"
    built = build(Model(model), target, Order(order, gpu=CORE, npu=CORE))
    write_program(built, place)
    # Others that compile meanwhile may drop the cached program.
    file = Path(shutil.copy(executable(place, flags), place / "program"))
    return Program(model, order, file, built.facts)


def simulated(built: Program, times: dict[str, float], frames: int) -> float:
    """Return the simulated milliseconds between frames, of stages that take times in milliseconds."""
    module = compile_model(Model(built.model), "hmp", stop_after="find-layers").module
    for step in (MapLayersPass(built.order), OutlineStagesPass(), BufferizePass(), PipelineFramesPass(frames)):
        step.apply(new_context(), module)
    works = {title: [LayerWork(0, milliseconds * 1e6)] for title, milliseconds in times.items()}
    return simulate_frames(module, machine_of(module), works).period / 1e6


@contextmanager
def group(name: str, quota: float = 1.0) -> Generator[Path | None]:
    """Make a cgroup for threads that have a share of a core, None where this machine has no such cgroups."""
    folder = CGROUP / f"tilewright-{os.getpid()}-{name}"
    if not (CGROUP / "cpu.cfs_quota_us").is_file() or not os.access(CGROUP, os.W_OK):
        yield None
        return
    folder.mkdir()
    try:
        (folder / "cpu.shares").write_text("262144")
        if quota < 1:
            (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (folder / "cpu.cfs_quota_us").write_text(str(int(PERIOD_US * quota)))
        yield folder
    finally:
        folder.rmdir()


def measured(
    built: Program,
    frames: int,
    *options: str,
    groups: dict[str, Path | None] = {},
    planted: str = "",
) -> Any:
    """Run frames of zeros, each thread in the cgroup of its title or of ''; return the profile."""
    with tempfile.NamedTemporaryFile(suffix=".json") as profile:
        words = [str(built.file), "--frames", "-", "--json", profile.name, *options]
        environment = os.environ | {"TILEWRIGHT_TEST": planted}
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) as process:
            assert process.stdin is not None
            _place(process.pid, built, groups)
            process.stdin.write(bytes(built.facts.inputs[0].bytes * frames))
            process.stdin.close()
            if process.wait() != 0:
                raise SystemExit(f"{built.file} ended with {process.returncode}")
        return json.loads(Path(profile.name).read_text())


def _place(process: int, built: Program, groups: dict[str, Path | None]) -> None:
    """Put the threads of a program, which wait for frames, into cgroups."""
    wanted, tasks = {title[:15] for title in ["sink", *built.titles]}, dict[str, str]()
    while not wanted <= set(tasks):
        time.sleep(0.01)
        tasks = {(task / "comm").read_text().strip(): task.name for task in Path(f"/proc/{process}/task").iterdir()}
    for title in built.titles:
        folder = groups.get(title, groups.get(""))
        if folder is not None:
            (folder / "tasks").write_text(tasks[title[:15]])


def sleeping(model: Path, scratch: Path, table: Table) -> bool:
    """Compare periods of stages that sleep."""
    holds = True
    for order, sleeps in SLEEPS.items():
        built = program(model, order, scratch)
        planted = ",".join(f"sleep={title}:{ms * 1000}" for title, ms in zip(built.titles, sleeps, strict=True))
        with group("all") as everything:
            profile = measured(built, 60, "--profile", "1", groups={"": everything}, planted=planted)
        holds &= _row(
            table, f"{order}, sleeping", simulated(built, task_times(profile), 60), profile["period_ms"], 0.02
        )
    return holds


def task_times(profile: Any) -> dict[str, float]:
    """Return the milliseconds that the task of each stage takes."""
    return {stage["subgraph"]: stage["task_ms"] for stage in profile["stages"] if stage["processor"]}


def _row(table: Table, name: str, expected: float, found: float, bound: float) -> bool:
    error = found / expected - 1
    table.add_row(name, f"{expected:.3f}", f"{found:.3f}", f"{error:+.1%}", f"{bound:.0%}")
    return abs(error) <= bound


def layer_times(built: Program, cpu: int, frames: int) -> dict[int, float]:
    """Return the milliseconds of each layer on one core at full speed."""
    cores = ",".join(f"{processor.name}={cpu}" for processor in built.facts.processors)
    with group("all") as everything:
        options = ("--mode", "switch", "--profile", "2", "--cores", cores)
        profile = measured(built, frames, *options, groups={"": everything})
    return {layer["layer"]: layer["ms"] for stage in profile["stages"] for layer in stage["layers"]}


def cut_at(layers: int, cut: int) -> str:
    """Return the order of a network that is cut in two."""
    return "B" * cut + "L" * (layers - cut)


def slowed(model: Path, scratch: Path, cpus: Sequence[int], table: Table) -> bool:
    """Compare periods of real kernels, those of one processor on a core with a quota; times are those without it."""
    holds = True
    layers = program(model, "B", scratch).facts.layers
    for cut in range(1, layers):
        built = program(model, cut_at(layers, cut), scratch)
        options = ("--profile", "1", "--cores", f"big={cpus[0]},little={cpus[1]}")
        with group("full") as full, group("slow", QUOTA) as slow:
            fast = measured(built, 200, *options, groups={"": full})
            profile = measured(built, 400, *options, groups=dict(zip(built.titles, (full, slow), strict=True)))
        times = task_times(fast)
        times[built.titles[1]] /= QUOTA
        name = f"{built.order}, L at {QUOTA:.0%} of a core"
        holds &= _row(table, name, simulated(built, times, 40), profile["period_ms"], 0.1)
    return holds


class Ours:
    """The network for a target: in one stage on one core, and in two, cut where the slower one takes the least time."""

    def __init__(self, model: Path, target: str, cpus: Sequence[int], frame: Array, scratch: Path):
        self._cpus, self._frame, self._scratch = cpus, frame, scratch
        times = list(layer_times(program(model, "B", scratch, target, (*PLANTED, *NATIVE)), cpus[0], 8).values())
        slower = {cut: max(sum(times[:cut]), sum(times[cut:])) for cut in range(1, len(times))}
        cut = min(slower, key=slower.__getitem__)
        self.allowed = sum(times) / slower[cut]
        """Times the frames of one core that the times of layers allow."""
        orders = {1: "B", 2: cut_at(len(times), cut)}
        self._built = {cores: program(model, order, scratch, target, NATIVE) for cores, order in orders.items()}
        self.how = f"two stages, {orders[2]}"

    def run(self, cores: int, frames: int) -> Ended:
        """Run frames in one stage on one core, or in two on two."""
        built = self._built[cores]
        pinned = ",".join(f"{name}={cpu}" for name, cpu in zip(("big", "little"), self._cpus[:cores], strict=False))
        source = self._scratch / f"{frames}.bin"
        if not source.is_file():
            source.write_bytes(self._frame.tobytes() * frames)
        profile, port = self._scratch / "profile.json", built.facts.outputs[0]
        results = self._scratch / "results" / f"{port.file}.bin"
        results.parent.mkdir(exist_ok=True)
        results.write_bytes(b"")
        places = ["--frames", str(source), "--outputs", str(results.parent), "--json", str(profile)]
        done = finished([str(built.file), *places, "--cores", pinned])
        if done.returncode:
            raise Diagnostic("a program failed", where=str(built.file), notes=done.stderr.splitlines())
        period = json.loads(profile.read_text())["period_ms"]
        return Ended(period, np.fromfile(results, np.dtype(port.dtype)).reshape(frames, -1)[-1])


@contextmanager
def in_group() -> Generator[None]:
    """Keep this process, and those that it starts, in a cgroup with large shares, where this machine has such."""
    with group("peers") as folder:
        if folder is None:
            yield
            return
        own = Path("/proc/self/cgroup").read_text().splitlines()
        before = next(line.rpartition(":")[2] for line in own if line.split(":")[1] == CGROUP.name)
        (folder / "cgroup.procs").write_text(str(os.getpid()))
        try:
            yield
        finally:
            (CGROUP / before.strip("/") / "cgroup.procs").write_text(str(os.getpid()))


def contenders(model: Path, scratch: Path, cpus: Sequence[int], frame: Array) -> dict[str, Contender]:
    """Return the programs of a network on one core and on two: ours, and those of the peers that are installed."""
    found: dict[str, Contender] = {}
    for target in TARGETS:
        (scratch / target).mkdir()
        found[target] = Ours(model, target, cpus, frame, scratch / target)
    absent = missing()
    if not {"ncnn", "pnnx"} & absent.keys():
        (scratch / "ncnn").mkdir()
        found["ncnn"] = NcnnPipeline(model, cut_tensors(model), cpus, frame, scratch / "ncnn")
    if "onnxruntime" not in absent:
        found["ONNX Runtime"] = OnnxRuntime(model, cpus, frame)
    return found


def cut_tensors(model: Path) -> list[str]:
    """Return the names of the tensors between the layers of a network."""
    onnx: Any = import_module("onnx")
    layers = network_of(*layered(model, "hmp", [])).layers
    inputs = {node.name: node.input[0] for node in onnx.load(model).graph.node}
    return [inputs[layer.first] for layer in layers[1:]]


def beside_peers(model: Path, scratch: Path, cpus: Sequence[int]) -> bool:
    """
    Compare frames on two cores with those on one, of ours and of peers, in alternating rounds.

    Ours need the times of TARGETS. Results may differ by CLOSE of the largest number.
    """
    onnx: Any = import_module("onnx")
    frame = next(iter(zoo.sample_inputs(onnx.load(model), 0).values()))
    with in_group():
        every = contenders(model, scratch, cpus, frame)
        first = {name: contender.run(1, 2) for name, contender in every.items()}
        frames = {name: max(FEWEST, int(1000 * SECONDS / ended.period_ms)) for name, ended in first.items()}
        periods = {(name, cores): list[float]() for name in every for cores in (1, 2)}
        close, expected = True, first[PLAIN].result
        for _ in range(ROUNDS):
            for (name, cores), spent in periods.items():
                ended = every[name].run(cores, frames[name])
                spent.append(ended.period_ms)
                close &= _is_close(name, ended.result, expected)
    _print_peers(model, every, periods, cpus)
    ratios = {name: median(periods[name, 1]) / median(periods[name, 2]) for name in every}
    return close and all(ratios[name] >= least for name, least in TARGETS.items())


def _is_close(name: str, result: Array, expected: Array) -> bool:
    error = float(np.abs(result.reshape(-1) - expected.reshape(-1)).max() / np.abs(expected).max())
    if error > CLOSE:
        print(f"the result of {name} is off by {error:.1e} of the largest number")
    return error <= CLOSE


def _print_peers(
    model: Path,
    every: Mapping[str, Contender],
    periods: Mapping[tuple[str, int], Sequence[float]],
    cpus: Sequence[int],
) -> None:
    columns = ("", "one core, ms", "two cores, ms", "two beside one", "allowed", f"beside {VECTORS}", "on two cores")
    table = Table(*columns, title=f"{model.stem} on cores {cpus[0]} and {cpus[1]}: ms between frames, median (least)")
    middle = {key: median(spent) for key, spent in periods.items()}
    for name, contender in every.items():
        shown = [f"{middle[name, cores]:.2f} ({min(periods[name, cores]):.2f})" for cores in (1, 2)]
        allowed = f"{contender.allowed:.2f}" if isinstance(contender, Ours) else ""
        beside = middle[VECTORS, 2] / middle[name, 2]
        table.add_row(name, *shown, f"{middle[name, 1] / middle[name, 2]:.2f}", allowed, f"{beside:.2f}", contender.how)
    table_console().print(table)


def main() -> int:
    """Run the parts; return 1 where a bound is exceeded, 2 where a part was left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--sleeping", action="store_true", help="the sleeping stages alone")
    parts.add_argument("--peers", action="store_true", help="two cores beside one alone, ours and peers")
    options = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    before = os.getloadavg()[0]
    table = Table("stages", "simulated ms", "measured ms", "error", "bound")
    holds, left_out = True, list[str]()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for network in ("resnet8", "squeezenet"):
            (scratch / f"{network}.onnx").write_bytes(zoo.build(network).SerializeToString())
        if not options.peers:
            holds &= sleeping(scratch / "resnet8.onnx", scratch, table)
        has_quotas = (CGROUP / "cpu.cfs_quota_us").is_file() and os.access(CGROUP, os.W_OK)
        if not options.sleeping and len(cpus) < 2:
            left_out.append("stages on cores with quotas, and two cores beside one: they need two cores")
        elif not options.sleeping:
            if not has_quotas:
                left_out.append("stages on cores with quotas: they need root and cgroups of version 1")
            elif not options.peers:
                holds &= slowed(scratch / "resnet8.onnx", scratch, cpus[-2:], table)
            holds &= beside_peers(scratch / "squeezenet.onnx", scratch, cpus[-2:])
            if absent := missing():
                left_out.append(f"peers without {', '.join(absent)}: pip install --no-deps {' '.join(absent.values())}")
    if table.row_count:
        table_console().print(table)
    print(f"load of the machine: {before:.1f} before, {os.getloadavg()[0]:.1f} after, on {len(cpus)} cores")
    for line in left_out:
        print(f"left out: {line}", file=sys.stderr)
    if not holds:
        return 1
    return 2 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
