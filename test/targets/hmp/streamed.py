"""A small network in stages, built as a program that takes frames, with faults and delays that tests plant."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tilewright.compiler import Model
from tilewright.ir import Array
from tilewright.runtime.toolchain import compiler
from tilewright.targets.hmp.building import ProgramFacts, build, flags_of, sources_of, write_program
from tilewright.targets.hmp.options import CORE, Mapping

HERE = Path(__file__).parent
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
PLANTED = ("-DTW_TEST", f"-I{HERE / 'c'}")
"""Flags by which $TILEWRIGHT_TEST plants delays and failures."""
LAYERS = 6
SECONDS = 40
"""Limit of a run; those that end take a second at most on a machine of their own."""


def network(file: Path, kind: type[np.floating[Any]] = np.float32) -> Path:
    """Write a network of floats of six layers with a shortcut, two inputs and two outputs."""
    random = np.random.default_rng(0)
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []

    def conv(source: str, target: str, inputs: int, kernel: int = 3) -> None:
        weight = random.standard_normal((4, inputs, kernel, kernel)).astype(kind) * kind(0.3)
        weights.append(numpy_helper.from_array(weight, f"{target}_w"))
        operands, pads = [source, f"{target}_w"], [kernel // 2] * 4
        nodes.append(helper.make_node("Conv", operands, [f"{target}_c"], pads=pads, name=f"conv_{target}"))
        nodes.append(helper.make_node("Relu", [f"{target}_c"], [target], name=f"relu_{target}"))

    conv("x", "p", 2)
    conv("p", "q", 4)
    conv("q", "a", 4)
    conv("a", "b", 4)
    conv("b", "c", 4)
    nodes.append(helper.make_node("Add", ["c", "a"], ["d"], name="shortcut"))
    conv("d", "e", 4)
    conv("e", "f", 4, 1)
    nodes.append(helper.make_node("Add", ["f", "z"], ["g"], name="second_input"))
    conv("g", "y", 4)
    ports = {"x": [1, 2, 6, 6], "z": [1, 4, 6, 6], "y": [1, 4, 6, 6], "e": [1, 4, 6, 6]}
    element = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    infos = {name: helper.make_tensor_value_info(name, element, shape) for name, shape in ports.items()}
    graph = helper.make_graph(nodes, "net", [infos["x"], infos["z"]], [infos["y"], infos["e"]], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, file)  # pyright: ignore[reportUnknownMemberType]
    return file


def frames_of(count: int, seed: int = 1) -> dict[str, Array]:
    """Return frames of the network's inputs."""
    random = np.random.default_rng(seed)
    shapes = {"x": (1, 2, 6, 6), "z": (1, 4, 6, 6)}
    return {name: random.standard_normal((count, *shape)).astype(np.float32) for name, shape in shapes.items()}


@dataclass
class Done:
    """The end of a program."""

    status: int
    printed: str
    errors: str
    outputs: dict[str, Array]


@dataclass
class Program:
    """A network, mapped by an order, as a program in a folder."""

    folder: Path
    facts: ProgramFacts
    file: Path

    @property
    def titles(self) -> list[str]:
        """The names of the stages."""
        return [f"stage{number}_{stage.processor}" for number, stage in enumerate(self.facts.stages)]

    def command(self, place: Path, *options: str) -> list[str]:
        """Return the command that runs frames in a folder, whose results go to the folder `out` there."""
        out = place / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        return [str(self.file), "--frames", str(place), "--outputs", str(out), *options]

    def results(self, place: Path) -> dict[str, Array]:
        """Return the whole frames of results."""
        arrays: dict[str, Array] = {}
        for port in self.facts.outputs:
            file = place / "out" / f"{port.file}.bin"
            data = np.fromfile(file, np.dtype(port.dtype)) if file.is_file() else np.empty(0, np.dtype(port.dtype))
            size = int(np.prod(port.shape))
            arrays[port.name] = data[: data.size // size * size].reshape(-1, *port.shape)
        return arrays

    def run(self, place: Path, *options: str, planted: str = "", **variables: str) -> Done:
        """Run the frames in a folder."""
        environment = os.environ | {"TILEWRIGHT_TEST": planted} | variables
        command = self.command(place, *options)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS)
        return Done(done.returncode, done.stdout, done.stderr, self.results(place))


def put_frames(place: Path, frames: dict[str, Array]) -> Path:
    """Write frames to a folder as raw files."""
    place.mkdir(exist_ok=True)
    for name, array in frames.items():
        array.tofile(place / f"{name}.bin")
    return place


def written(
    model: Path,
    order: str,
    folder: Path,
    depth: int = 0,
    gpu: str = CORE,
    npu: str = CORE,
    target: str = "hmp",
) -> tuple[Path, ProgramFacts]:
    """Write the program of an order to a folder; by default all stages are C for cores."""
    network = build(Model(model), target, Mapping(order, depth=depth, gpu=gpu, npu=npu))
    write_program(network, folder)
    return folder, network.facts


def built(
    folder: Path, facts: ProgramFacts, flags: Sequence[str] = (), *, name: str = "program", cc: Sequence[str] = ()
) -> Program:
    """Compile the program in a folder, with the places at which tests plant faults."""
    file = folder / name
    sources = [str(source) for source in sources_of(folder)]
    command = [*(cc or compiler()), *flags_of(folder), "-O1", *STRICT, *PLANTED, *flags]
    command += [*sources, "-ldl", "-lm", "-o", str(file)]
    subprocess.run(command, check=True, timeout=300)
    return Program(folder, facts, file)
