"""
Our plans for Siracusa: networks compiled for its scenarios and simulated, in modelled cycles.

The networks are files, those of the zoo, a Llama at a position or for a prompt, and single linear layers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.benchmarks.compile_time import code_bytes
from tilewright.benchmarks.siracusa.flow import COLD_LINE, LINE
from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.dialects.core.buckets import function_at
from tilewright.dialects.core.machine import targets
from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend import zoo
from tilewright.frontend.zoo import llama
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.targets.siracusa.bare import SIRACUSA, build_bare

MHZ = 360
PUBLISHED = llama.Config(layers=8, dim=64, heads=16, hidden=256, vocabulary=2)
"""The Llama of arXiv:2408.04413, section IV; published figures leave out embedding and scores, here of two tokens."""
SCENARIOS = {
    "one core": "siracusa/one-core",
    "eight cores": "siracusa/cluster",
    "NPU": "siracusa/npu",
    "NPU and weight memory": "siracusa",
}
THEIR_LIMITS = "layer-by-layer=true double-buffered=false level-bytes=64000"
BUFFERED = "layer-by-layer=true level-bytes=64000"
"""Options of `plan-memory`, besides those of the target's pipeline."""


@dataclass(frozen=True)
class Network:
    """A network by what it is made from: a file, a name in the zoo, or a Llama's position or prompt."""

    file: Path | None = None
    zoo: str = ""
    position: int = 0
    prompt: int = 0
    linear: tuple[int, int, int] = (0, 0, 0)

    def model(self) -> ModelProto | Path:
        """Return the file, or build the network."""
        if self.file is not None:
            return self.file
        if self.position:
            return llama.step(self.position, config=PUBLISHED)
        if self.prompt:
            return llama.prefill(self.prompt, config=PUBLISHED)
        return zoo.build(self.zoo) if self.zoo else _linear(*self.linear)

    @contextmanager
    def stored(self) -> Generator[tuple[Path, dict[str, str]]]:
        """Yield a file that has the network, and the types of its inputs where that does not say them: bytes."""
        model = self.model()
        if isinstance(model, Path):
            graph = cast(Any, onnx).load(model, load_external_data=False).graph
            yield model, {value.name: "ui8" for value in graph.input}
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "network.onnx"
            path.write_bytes(model.SerializeToString())
            yield path, {}


@cache
def simulated(network: Network, target: str, plan: str = "") -> Simulation:
    """
    Compile a network for a machine, planned with further options, and run it on the model.

    Raises Diagnostic where it cannot be compiled for it, or does not fit its memories.
    """
    return simulate(_planned(network, target, plan))


def state_steps(network: Network, target: str, context: int, bucket: int, positions: Sequence[int]) -> list[int]:
    """Return the modelled cycles of steps of a network with state, by context length and bucket size."""
    module = _planned(network, target, context=context, bucket=bucket)
    return [simulate(module, function=function_at(module, "network", at)).cycles for at in positions]


def _planned(network: Network, target: str, plan: str = "", *, context: int = 0, bucket: int = 0) -> ModuleOp:
    """Return a network compiled for a machine until its transfers are explicit."""
    phases = targets.machine_named(target).phases
    names = [phase.name for phase in phases]
    text = ",".join([*(phase.text for phase in phases[: names.index("kernels") + 1]), "verify-levels"])
    text = text.replace("plan-memory", f"plan-memory{{{plan}}}") if plan else text
    pipeline = parse_pipeline(f"builtin.module({text})", all_passes())
    with network.stored() as (path, types):
        module = Model(path, input_types=types, context=context, bucket=bucket).load()
    PassManager([], verify_each=False, verify_phases=True).run(module, pipeline, new_context())
    return module


def cycles(network: Network, target: str, plan: str = "") -> int:
    """Return the modelled cycles of a network."""
    return simulated(network, target, plan).cycles


@cache
def cold_cycles(network: Network, target: str) -> float:
    """
    Return the cycles that a network waits for its code at least: to fetch each line of the program once.

    `simulated` leaves that out. Code that is needed again after 4 KiB of other is fetched again, which is not counted.
    """
    with network.stored() as (path, types), tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        compilation = compile_model(Model(path, input_types=types), target)
        write_compilation(compilation, folder)
        elf = build_bare(folder, folder / "network.elf", SIRACUSA)
        names = [weight.c_name for weight in compilation.program().weights]
        return code_bytes(elf, names) / LINE * COLD_LINE


def overhead(simulation: Simulation) -> float:
    """Return the part of the time in which no engine computes."""
    return 1 - sum(layer.busy for layer in simulation.layers) / simulation.cycles


def _linear(rows: int, depth: int, features: int) -> ModelProto:
    """Return one linear layer of bytes with its requantisation."""
    random = np.random.RandomState(0)
    weights = random.randint(-100, 100, (depth, features)).astype(np.float32)
    constants = {"weights": weights, "mul": np.float32(90), "add": np.float32(0)}
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["sums"]),
        helper.make_node("RequantShift", ["sums", "mul", "add"], ["y"], div=1 << 16, n_levels=256, signed=1),
    ]
    x, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, size])
        for name, size in (("x", depth), ("y", features))
    )
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    model = helper.make_model(helper.make_graph(nodes, "linear", [x], [y], tensors), ir_version=8)
    entry = model.metadata_props.add()
    entry.key, entry.value = "tilewright.input_type.x", "i8"
    return model
