"""Measured times of layers on processors of the machine at hand, in the form that plans read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ...compiler import Model
from ...dialects.core.machine.attribute import machine_of
from ...errors import Diagnostic
from ...runtime.processes import finished
from .building import CORE, ProgramPort, build, executable, layered_module, write_program
from .mapping import processors
from .model import network_of
from .options import Mapping as Choice
from .settings import cores_text

_ARTIFACTS = "npu"
"""Engines whose stages are artefacts, one layer to the profiler: their names begin with it."""


def measured_times(
    model: Model,
    target: str,
    choice: Choice,
    names: Sequence[str],
    frames: Path | None,
    cores: Mapping[str, Sequence[int]],
    scratch: Path,
) -> dict[str, Any]:
    """
    Measure the layers of a network on processors; return the content of a profile for `--measured`.

    A network runs whole on a processor, one frame at a time; where its stages are artefacts, each layer is a stage, in
    turn with layers on the first core. Times are medians over `frames`, raw ones, or over 12 of random numbers.
    Raises Diagnostic where a program fails.
    """
    module = layered_module(model, target)
    machine = machine_of(module)
    layers = network_of(module, machine).layers
    letters = {name: letter for letter, name in processors(machine).items()}
    times: dict[str, list[float]] = {}
    for name in names:
        orders = [letters[name]]
        if name.startswith(_ARTIFACTS) and choice.npu != CORE and len(layers) > 1:
            other = next(letter for processor, letter in letters.items() if not processor.startswith(_ARTIFACTS))
            turns = (letters[name], other), (other, letters[name])
            orders = ["".join(islice(cycle(turn), len(layers))) for turn in turns]
        column: dict[int, float] = {}
        for number, order in enumerate(orders):
            folder = scratch / f"{name}{number}"
            column |= _times_of(model, target, replace(choice, order=order, outstanding=1), name, frames, cores, folder)
        times[name] = [column[layer] for layer in range(len(layers))]
    return {
        "source": f"measured on {os.uname().nodename}",
        "machine": machine.name,
        "macs": [layer.macs for layer in layers],
        "times_ms": times,
    }


def _times_of(
    model: Model,
    target: str,
    choice: Choice,
    name: str,
    frames: Path | None,
    cores: Mapping[str, Sequence[int]],
    folder: Path,
) -> dict[int, float]:
    """Return the median milliseconds of the layers that an order has on a processor."""
    program = MeasuredProgram.of(model, target, choice, frames, folder, count=12)
    cores_given = ["--cores", cores_text(cores)] if cores else []
    profile = program.profile("--mode", "switch", "--profile", "2", *cores_given)
    spans: dict[int, list[float]] = {}
    for record in profile["records"]:
        if record["kind"] == "layer" and record["processor"] == name:
            spans.setdefault(record["layer"], []).append((record["t_end"] - record["t_start"]) / 1e6)
    return {layer: median(values) for layer, values in spans.items()}


@dataclass(frozen=True)
class MeasuredProgram:
    """A network mapped by an order, compiled in a folder, and frames to measure it on."""

    order: str
    folder: Path
    file: Path
    frames: Path

    @classmethod
    def of(
        cls, model: Model, target: str, choice: Choice, frames: Path | None, folder: Path, *, count: int
    ) -> MeasuredProgram:
        """Compile a network with a mapping; without `frames`, raw ones, there are `count` of random numbers."""
        built = build(model, target, choice)
        write_program(built, folder)
        frames_folder = frames or _random_frames(built.facts.inputs, folder / "frames", count)
        return cls(built.facts.order, folder, executable(folder, ["-DTW_LAYER_MARKS"]), frames_folder)

    def profile(self, *arguments: str) -> Any:
        """Run the program, and return its profile. Raises Diagnostic where it fails."""
        file = self.folder / "profile.json"
        command = [str(self.file), "--frames", str(self.frames), "--json", str(file), *arguments]
        done = finished(command, environment={"TILEWRIGHT_NPU_PATH": str(self.folder.resolve())})
        if done.returncode:
            notes = done.stderr.strip().splitlines()[:5]
            raise Diagnostic(f"the order {self.order} cannot be measured", notes=notes)
        return json.loads(file.read_text(encoding="utf-8"))


def _random_frames(ports: Sequence[ProgramPort], folder: Path, count: int) -> Path:
    """Write frames of small random numbers; return their place."""
    folder.mkdir()
    random = np.random.default_rng(0)
    for port in ports:
        numbers = random.uniform(0, 2, (count, *port.shape))
        numbers.astype(np.dtype(port.dtype)).tofile(folder / f"{port.file}.bin")
    return folder
