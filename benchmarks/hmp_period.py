"""
Periods of pipelines of stages: simulated, with the times of stages, beside those of threads on this machine.

Three parts: stages that sleep (within 2 %), real kernels on two cores of which one has a quota of 40 % of its time
(within 10 %), and two stages on two cores beside one on one core (at least 1.8 times the frames). Quotas are those of
cgroups of version 1, and need root. The programs are in a cgroup with large shares, so that others disturb them little.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.console import table_console
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend import zoo
from tilewright.passes.bufferize import BufferizePass
from tilewright.targets.hmp.building import Facts, build, executable, write_program
from tilewright.targets.hmp.frames import Work, simulate_frames
from tilewright.targets.hmp.options import CORE, Mapping
from tilewright.targets.hmp.passes.map_layers import MapLayersPass
from tilewright.targets.hmp.passes.outline_stages import OutlineStagesPass
from tilewright.targets.hmp.passes.pipeline_frames import PipelineFramesPass

PLANTED = ("-DTW_LAYER_MARKS", "-DTW_TEST", f"-I{Path(__file__).parents[1] / 'test/targets/hmp/c'}")
"""Flags by which layers are timed, and $TILEWRIGHT_TEST lets stages sleep."""
CGROUP = Path("/sys/fs/cgroup/cpu")
QUOTA = 0.4
"""Share of a core that a slow one has."""
PERIOD_US = 100_000
SLEEPS = {"BLGN": (10, 25, 15, 5), "BLLG": (20, 10, 30), "BGGG": (40, 20)}
"""Order of ResNet-8 -> milliseconds that each stage sleeps."""


@dataclass
class Program:
    """A network mapped by an order, as a program."""

    model: Path
    order: str
    file: Path
    facts: Facts

    @property
    def titles(self) -> list[str]:
        """The functions of the stages."""
        return [f"stage{number}_{stage.processor}" for number, stage in enumerate(self.facts.stages)]


def program(model: Path, order: str, folder: Path) -> Program:
    """Compile a network to a program."""
    built = build(Model(model), "hmp", Mapping(order, gpu=CORE, npu=CORE))
    write_program(built, folder / f"{model.stem}_{order}")
    return Program(model, order, executable(folder / f"{model.stem}_{order}", PLANTED), built.facts)


def simulated(built: Program, times: dict[str, float], frames: int) -> float:
    """Return the simulated milliseconds between frames, of stages that take times in milliseconds."""
    module = compile_model(Model(built.model), "hmp", stop_after="find-layers").module
    for step in (MapLayersPass(built.order), OutlineStagesPass(), BufferizePass(), PipelineFramesPass(frames)):
        step.apply(new_context(), module)
    works = {title: [Work(0, milliseconds * 1e6)] for title, milliseconds in times.items()}
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


def measured(built: Program, frames: int, *options: str, groups: dict[str, Path | None] = {}, planted: str = "") -> Any:
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


def doubled(model: Path, scratch: Path, cpus: Sequence[int]) -> bool:
    """Compare the frames of two stages on two cores with those of one stage on one core."""
    whole = program(model, "B", scratch)
    times = layer_times(whole, cpus[0], 4)
    cut = min(range(1, len(times)), key=lambda n: max(_sum(times, 0, n), _sum(times, n, len(times))))
    built = program(model, cut_at(len(times), cut), scratch)
    with group("all") as everything:
        one = measured(whole, 10, "--cores", f"big={cpus[0]}", groups={"": everything})["period_ms"]
        two = measured(built, 16, "--cores", f"big={cpus[0]},little={cpus[1]}", groups={"": everything})["period_ms"]
    most = sum(times.values()) / max(_sum(times, 0, cut), _sum(times, cut, len(times)))
    print(f"{model.stem} in two stages ({built.order}) on cores {cpus[0]} and {cpus[1]}: {one / two:.2f} times the")
    print(
        f"frames of one ({two:.1f} and {one:.1f} ms a frame); its layers allow {most:.2f} times, expected 1.8 at least"
    )
    return one / two >= 1.8


def _sum(times: dict[int, float], first: int, end: int) -> float:
    return sum(times[layer] for layer in range(first, end))


def main() -> int:
    """Run the parts; return 1 where a bound is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleeping", action="store_true", help="the sleeping stages alone")
    options = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    before = os.getloadavg()[0]
    table = Table("stages", "simulated ms", "measured ms", "error", "bound")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        for network in ("resnet8", "squeezenet"):
            (scratch / f"{network}.onnx").write_bytes(zoo.build(network).SerializeToString())
        holds = sleeping(scratch / "resnet8.onnx", scratch, table)
        is_able = len(cpus) > 1 and os.access(CGROUP, os.W_OK) and not options.sleeping
        if is_able:
            holds &= slowed(scratch / "resnet8.onnx", scratch, cpus[-2:], table)
            holds &= doubled(scratch / "squeezenet.onnx", scratch, cpus[-2:])
    table_console().print(table)
    print(f"load of the machine: {before:.1f} before, {os.getloadavg()[0]:.1f} after, on {len(cpus)} cores")
    if not is_able and not options.sleeping:
        print("left out: stages on cores with quotas, which need two cores, root and cgroups of version 1")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
