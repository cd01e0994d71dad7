"""CPU instructions or cycles of a network on a simulator that others wrote, by layer, beside modelled cycles."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...dialects.core.machine.attribute import machine_of
from ...ir import functions
from ...passes.core.manager import Observer, PassPosition
from .operators import label_of, operator_types

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from xdsl.dialects.builtin import ModuleOp

    from ...compiler import Model
    from ...ir import Array
    from ..host import HostEntry
    from ..simulator import Simulation
    from ..simulators.counting import CountedCall
    from ..simulators.session import Settings, SimulatedProgram

_Call: TypeAlias = "tuple[int, Sequence[Array]]"
"""Number of a function, and its inputs."""

TRANSFERS, WAITS, AROUND = "transfers", "waits", "around the calls"
CYCLES = "cycles"
"""The unit of simulators that measure time, whose counts are compared with modelled cycles."""


@dataclass(frozen=True)
class LayerCount:
    """
    Instructions or cycles of a layer in a call of the network, and in the same call again, beside its modelled cycles.

    `operators` are the types of its ONNX nodes. `hidden` are modelled cycles in which its kernels compute beside
    another engine. `engines` has the counts of the later call by the engine whose kernels they compute or control;
    those of transfers and waits are apart.
    """

    nodes: tuple[str, ...]
    operators: str
    engine: str
    cycles: int
    hidden: int
    first: int
    later: int
    engines: Mapping[str, int]


@dataclass(frozen=True)
class SimulatorCounts:
    """
    Counts of a network: the simulator and its version, its unit, and those of each layer; the last are around these.

    `alone` is what a later call takes without the counting, where counts are cycles; else 0.
    """

    simulator: str
    unit: str
    alone: int
    layers: tuple[LayerCount, ...]

    @property
    def first(self) -> int:
        """The count of a call."""
        return sum(layer.first for layer in self.layers)

    @property
    def later(self) -> int:
        """The count of the same call again."""
        return sum(layer.later for layer in self.layers)

    def numbers(self) -> dict[str, Any]:
        """Return all counts for JSON."""
        fields = ("nodes", "operators", "engine", "cycles", "hidden", "first", "later", "engines")
        layers: list[dict[str, Any]] = []
        for layer in self.layers:
            layers.append({name: getattr(layer, name) for name in fields})
        head = {"simulator": self.simulator, "unit": self.unit, "alone": self.alone}
        return {**head, "first": self.first, "later": self.later, "layers": layers}

    @property
    def is_time(self) -> bool:
        """Return whether the counts are cycles."""
        return self.unit == CYCLES


@dataclass
class _Engines(Observer):
    """Engines of the outlined kernels, and of functions that passes make of these, by their names."""

    by_function: dict[str, str] = field(default_factory=dict[str, str])

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        is_outlined = place.step.name == "outline-kernels"
        if not is_outlined and not self.by_function:
            return
        for function in functions(module):
            engine: Any = function.attributes.get("engine")
            if engine is not None or is_outlined:
                name = machine_of(module).copier.name if engine is None else engine.data
                self.by_function[function.sym_name.data] = name


def counts_of(
    model: Model,
    target: str,
    simulation: Simulation,
    place: str,
    settings: Settings,
    inputs: Path | None = None,
    position: int | None = None,
) -> SimulatorCounts:
    """
    Run a network on a simulator that others wrote, on the inputs of a file or zeros, and count by layers.

    A network with state makes the step at a `position`, the last one by default, after those before it. Raises
    Diagnostic where the simulator or a compiler is missing, where inputs do not fit, and where it does not run.
    """
    from ...compiler import compile_model
    from ...passes.formats.c import render, write_program
    from ..calls import given_to
    from ..inputs import load_arrays, matched
    from ..simulators.counting import mark_calls, with_counts
    from .session import SIMULATORS, started

    engines = _Engines()
    compilation = compile_model(model, target, observers=[engines])
    with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
        folder = Path(name)
        for build in ("alone", "counted"):
            (folder / build).mkdir()
        write_program(render(compilation.module), folder / "alone")
        calls = mark_calls(compilation.module, outermost=place not in SIMULATORS)
        write_program(render(compilation.module), folder / "counted")
        session = started(place, compilation, folder / "counted", settings, len(calls))
        entry = session.entries[0]
        zeros = {port.name: np.zeros(port.shape, port.dtype) for port in entry.inputs}
        names = [port.name for port in entry.inputs if not port.added]
        arrays = matched(load_arrays(inputs), names, inputs, aliases=compilation.ssa_names) if inputs else {}
        *before, call = [(0, given_to(entry, zeros | arrays | at)) for at in _positions(entry, position)]
        _run_last(session, before, call)
        alone = 0
        if session.unit == CYCLES:
            plain = started(place, compilation, folder / "alone", settings)
            _run_last(plain, before, call)
            alone = plain.later
    counted = with_counts(calls, session.counted)
    return SimulatorCounts(
        session.version, session.unit, alone, tuple(_layers(counted, engines.by_function, model.path, simulation))
    )


def _positions(entry: HostEntry, position: int | None) -> list[dict[str, Array]]:
    """Return the positions of the calls that lead to the step at a position, of it last; one without where none is."""
    counted = [port for port in entry.inputs if port.added]
    if not counted:
        return [{}]
    last = counted[0].rows - counted[0].added if position is None else position
    steps = [*range(0, last, counted[0].added), last]
    inputs: list[dict[str, Array]] = []
    for step in steps:
        inputs.append({port.name: np.full(port.shape, step, np.int64) for port in counted})
    return inputs


def _run_last(session: SimulatedProgram, before: Sequence[_Call], call: _Call) -> None:
    """Make calls, then the one that counts."""
    if before:
        session.run_all(before)
    session.run_all([call])


def _layers(
    calls: Sequence[CountedCall], engines: Mapping[str, str], model: Path, simulation: Simulation
) -> Iterable[LayerCount]:
    modelled = {layer.nodes: layer for layer in simulation.layers}
    types = operator_types(model)
    own: dict[tuple[str, ...], list[CountedCall]] = {nodes: [] for nodes in modelled}
    for call in calls[1:]:
        own.setdefault(call.nodes, []).append(call)
    for nodes, layer_calls in own.items():
        layer = modelled.get(nodes)
        operators = label_of(nodes, types, layer.operator if layer is not None else "")
        parts: dict[str, int] = {}
        for call in layer_calls:
            name = engines.get(call.function, WAITS if call.function.endswith("_wait") else TRANSFERS)
            parts[name] = parts.get(name, 0) + call.later
        first = sum(call.first for call in layer_calls)
        later = sum(call.later for call in layer_calls)
        engine, cycles, hidden = (layer.engine, layer.cycles, layer.hidden) if layer is not None else ("", 0, 0)
        yield LayerCount(nodes, operators, engine, cycles, hidden, first, later, parts)
    around = calls[0]
    yield LayerCount((), AROUND, "", 0, 0, around.first, around.later, {AROUND: around.later})


def print_counts(counts: SimulatorCounts, console: Console) -> None:
    """Print the counts by layer, by operator and by engine, and the totals."""
    console.print(_layer_table(counts))
    unit = f"measured {counts.unit}" if counts.is_time else counts.unit
    unit = unit[0].upper() + unit[1:]
    console.print(_sums("operator", f"{unit} and modelled cycles, per operator", counts, _by_operator))
    console.print(_sums("for", f"{unit}, by the engine that they compute on or control", counts, _by_engine))
    text = f"{counts.first:,} {counts.unit}, {counts.later:,} in a later call: "
    text += f"retired on {counts.simulator}, no cycles"
    if counts.is_time:
        text = f"{counts.alone:,} cycles measured on {counts.simulator}, {counts.later:,} with the counting of calls"
    console.print(text, highlight=False)


def _layer_table(counts: SimulatorCounts) -> Table:
    from rich.table import Table

    what = "Cycles, measured and modelled" if counts.is_time else "CPU instructions (simulated) and cycles (modelled)"
    table = Table(title=f"{what}, per layer", title_justify="left")
    table.add_column("nodes", overflow="fold", min_width=24)
    table.add_column("engine", overflow="fold")
    titles = ["modelled cycles", "instructions", "later", "share"]
    if counts.is_time:
        titles = ["modelled", "hidden", "measured, first", "later", "share", "measured / modelled"]
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    for layer in counts.layers:
        share = f"{layer.later / max(counts.later, 1):.1%}"
        modelled = [layer.cycles, layer.hidden] if counts.is_time else [layer.cycles]
        numbers = (f"{number:,}" for number in (*modelled, layer.first, layer.later))
        ratio = [f"{layer.later / layer.cycles:.2f}" if layer.cycles else ""] if counts.is_time else []
        table.add_row(" + ".join(layer.nodes) or layer.operators, layer.engine, *numbers, share, *ratio)
    return table


Rows = Iterable[tuple[str, int, int]]
"""Of layers, the names of what they are summed by, modelled cycles and instructions of the later call."""


def _by_operator(layer: LayerCount) -> Rows:
    return [(layer.operators, layer.cycles, layer.later)]


def _by_engine(layer: LayerCount) -> Rows:
    return [(name, 0, later) for name, later in layer.engines.items()]


def _sums(title: str, text: str, counts: SimulatorCounts, rows_of: Callable[[LayerCount], Rows]) -> Table:
    """Return a table of sums over layers, those with the most instructions first."""
    from rich.table import Table

    table = Table(title, title=text, title_justify="left")
    sums: dict[str, list[int]] = {}
    for name, cycles, later in (row for layer in counts.layers for row in rows_of(layer)):
        total = sums.setdefault(name, [0, 0, 0])
        total[:] = [total[0] + 1, total[1] + cycles, total[2] + later]
    all_cycles = sum(row[1] for row in sums.values())
    titles = (
        "layers",
        counts.unit.split()[-1],
        "share",
        *(("modelled cycles", "share of cycles") if all_cycles else ()),
    )
    for heading in titles:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, (layers, cycles, later) in sorted(sums.items(), key=lambda item: -item[1][2]):
        modelled = (f"{cycles:,}", f"{cycles / all_cycles:.1%}") if all_cycles else ()
        table.add_row(name, f"{layers:,}", f"{later:,}", f"{later / max(counts.later, 1):.1%}", *modelled)
    return table
