"""CPU instructions of a network on a simulator that others wrote, by layer and by operator, beside modelled cycles."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialects.core.machine.attribute import machine_of
from ...ir import functions
from ...passes.core.manager import Observer, Place
from .operators import label_of, operator_types

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from xdsl.dialects.builtin import ModuleOp

    from ...compiler import Model
    from ..simulator import Simulation
    from ..simulators.counting import CountedCall
    from ..simulators.session import Settings

TRANSFERS, AROUND = "transfers", "around the calls"


@dataclass(frozen=True)
class LayerCount:
    """
    CPU instructions of a layer in a call of the network, and in the same call again, beside its modelled cycles.

    `operators` are the types of its ONNX nodes. `engines` has the instructions of the later call by the engine whose
    kernels they compute or control; those of transfers are apart.
    """

    nodes: tuple[str, ...]
    operators: str
    engine: str
    cycles: int
    first: int
    later: int
    engines: Mapping[str, int]


@dataclass(frozen=True)
class Counts:
    """Counts of a network: the simulator and its version, and those of each layer; the last are around the layers."""

    simulator: str
    layers: tuple[LayerCount, ...]

    @property
    def first(self) -> int:
        """CPU instructions of a call."""
        return sum(layer.first for layer in self.layers)

    @property
    def later(self) -> int:
        """CPU instructions of the same call again."""
        return sum(layer.later for layer in self.layers)

    def numbers(self) -> dict[str, Any]:
        """Return all counts for JSON."""
        fields = ("nodes", "operators", "engine", "cycles", "first", "later", "engines")
        layers = [{name: getattr(layer, name) for name in fields} for layer in self.layers]
        return {"simulator": self.simulator, "first": self.first, "later": self.later, "layers": layers}


@dataclass
class _Engines(Observer):
    """Engines of the outlined kernels, by the names of their functions."""

    found: dict[str, str] = field(default_factory=dict[str, str])

    def after_pass(self, place: Place, module: ModuleOp) -> None:
        if place.step.name != "outline-kernels":
            return
        copier = machine_of(module).copier.name
        for function in functions(module):
            engine: Any = function.attributes.get("engine")
            self.found[function.sym_name.data] = copier if engine is None else engine.data


def counts_of(
    model: Model, target: str, simulation: Simulation, settings: Settings, inputs: Path | None = None
) -> Counts:
    """
    Run a network on Spike, on the inputs of a file or zeros, and count the instructions of each layer.

    Raises Diagnostic where the simulator or a compiler is missing, where inputs do not fit, and where the network does
    not run.
    """
    from ...compiler import compile_model
    from ...passes.formats.c import render, write_program
    from ..calls import given_to
    from ..inputs import load_arrays, matched
    from ..simulators.counting import mark_calls, with_counts
    from ..simulators.session import SimulatorSession
    from ..simulators.spike import SPIKE
    from .session import with_coprocessor

    engines = _Engines()
    compilation = compile_model(model, target, observers=[engines])
    calls = mark_calls(compilation.module)
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        write_program(render(compilation.module), Path(folder))
        session = SimulatorSession(SPIKE, Path(folder), with_coprocessor(compilation, settings), len(calls))
        entry = session.entries[0]
        zeros = {port.name: np.zeros(port.shape, port.dtype) for port in entry.inputs}
        names = [port.name for port in entry.inputs if not port.added]
        given = matched(load_arrays(inputs), names, inputs, aliases=compilation.ssa_names) if inputs else {}
        session.run(given_to(entry, zeros | given))
    found = with_counts(calls, session.counted)
    return Counts(session.version, tuple(_layers(found, engines.found, model.path, simulation)))


def _layers(
    calls: Sequence[CountedCall], engines: Mapping[str, str], model: Path, simulation: Simulation
) -> Iterable[LayerCount]:
    modelled = {layer.nodes: layer for layer in simulation.layers}
    types = operator_types(model)
    own: dict[tuple[str, ...], list[CountedCall]] = {nodes: [] for nodes in modelled}
    for call in calls[1:]:
        own.setdefault(call.nodes, []).append(call)
    for nodes, each in own.items():
        layer = modelled.get(nodes)
        operators = label_of(nodes, types, layer.operator if layer is not None else "")
        parts: dict[str, int] = {}
        for call in each:
            name = engines.get(call.function, TRANSFERS)
            parts[name] = parts.get(name, 0) + call.later
        first, later = sum(call.first for call in each), sum(call.later for call in each)
        engine, cycles = (layer.engine, layer.cycles) if layer is not None else ("", 0)
        yield LayerCount(nodes, operators, engine, cycles, first, later, parts)
    around = calls[0]
    yield LayerCount((), AROUND, "", 0, around.first, around.later, {AROUND: around.later})


def print_counts(counts: Counts, console: Console) -> None:
    """Print the counts by layer, by operator and by engine, and the totals."""
    console.print(_layer_table(counts))
    console.print(_sums("operator", "CPU instructions and modelled cycles, per operator", counts, _by_operator))
    console.print(_sums("for", "CPU instructions, by the engine that they compute on or control", counts, _by_engine))
    text = (
        f"{counts.first:,} CPU instructions, {counts.later:,} in a later call: retired on {counts.simulator}, no cycles"
    )
    console.print(text, highlight=False)


def _layer_table(counts: Counts) -> Table:
    from rich.table import Table

    table = Table(title="CPU instructions (simulated) and cycles (modelled), per layer", title_justify="left")
    table.add_column("nodes", overflow="fold", min_width=24)
    table.add_column("engine", overflow="fold")
    for title in ("modelled cycles", "instructions", "later", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    for layer in counts.layers:
        share = f"{layer.later / max(counts.later, 1):.1%}"
        numbers = (f"{number:,}" for number in (layer.cycles, layer.first, layer.later))
        table.add_row(" + ".join(layer.nodes) or layer.operators, layer.engine, *numbers, share)
    return table


Rows = Iterable[tuple[str, int, int]]
"""Of layers, the names of what they are summed by, modelled cycles and instructions of the later call."""


def _by_operator(layer: LayerCount) -> Rows:
    return [(layer.operators, layer.cycles, layer.later)]


def _by_engine(layer: LayerCount) -> Rows:
    return [(name, 0, later) for name, later in layer.engines.items()]


def _sums(title: str, text: str, counts: Counts, rows_of: Callable[[LayerCount], Rows]) -> Table:
    """Return a table of sums over layers, those with the most instructions first."""
    from rich.table import Table

    table = Table(title, title=text, title_justify="left")
    sums: dict[str, list[int]] = {}
    for name, cycles, later in (row for layer in counts.layers for row in rows_of(layer)):
        total = sums.setdefault(name, [0, 0, 0])
        total[:] = [total[0] + 1, total[1] + cycles, total[2] + later]
    all_cycles = sum(each[1] for each in sums.values())
    titles = ("layers", "instructions", "share", *(("modelled cycles", "share of cycles") if all_cycles else ()))
    for each in titles:
        table.add_column(each, justify="right", no_wrap=True)
    for name, (layers, cycles, later) in sorted(sums.items(), key=lambda item: -item[1][2]):
        modelled = (f"{cycles:,}", f"{cycles / all_cycles:.1%}") if all_cycles else ()
        table.add_row(name, f"{layers:,}", f"{later:,}", f"{later / max(counts.later, 1):.1%}", *modelled)
    return table
