"""`tilewright profile`: where the time of a network goes on a machine, modelled."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...console import table_console
from ...errors import Diagnostic
from ...files import path_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ...compiler import Model
    from ...passes.core.manager import Observer
    from ..simulator import KernelTotals, LayerCost, Simulation
    from ..simulators.session import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that are its own, not those of every model."""
    parser.add_argument("model", type=path_of, metavar="MODEL", help="a .onnx or .mlir file")
    parser.add_argument("--trace", type=path_of, metavar="FILE.json", help="write a trace for ui.perfetto.dev")
    parser.add_argument("--html", type=path_of, metavar="FILE.html", help="write a page for a browser, in one file")
    what = "the step at position P, of a network with --context (the last one)"
    parser.add_argument("--position", type=int, metavar="P", help=what)
    parser.add_argument("--on", metavar="PLACE", help="spike, or the chip's simulator: count there by layers too")
    what = "with --on: what the network runs on (zeros)"
    parser.add_argument("--inputs", type=path_of, metavar="FILE.npz", help=what)
    parser.add_argument("--json", type=path_of, metavar="FILE.json", help="write all numbers")


def run(options: argparse.Namespace, model: Model, settings: Settings | None = None) -> int:
    """
    Profile a model, print the tables and write the files that are asked for.

    With `settings`, the simulator of --on counts instructions or cycles too. Raises Diagnostic.
    """
    from ...files import check_places, write_text
    from ..hints import hints
    from ..simulator.table import print_tables
    from .counts import counts_of, print_counts
    from .engines import EnginePartition, print_partition
    from .operators import operator_types, print_operators, shares_by_operator

    places = {"--trace": options.trace, "--html": options.html, "--json": options.json}
    check_places(places, [options.model, options.inputs])
    partition = EnginePartition()
    observers = [*hints(options.target, integers=model.integers, shifts=model.shifts), partition]
    simulation = profile(model, options.target, observers=observers, position=options.position)
    counts = None
    if settings is not None:
        counts = counts_of(model, options.target, simulation, options.on, settings, options.inputs, options.position)
    console = table_console()
    print_tables(simulation, console)
    types = operator_types(options.model)
    operators = shares_by_operator(simulation, types, partition.copier) if types else []
    if operators:
        print_operators(operators, partition.copier, console)
    print_partition(partition, console)
    if counts is not None:
        print_counts(counts, console)
    more: dict[str, Any] = {
        "kernels": partition.numbers(),
        "onnx_operators": [_plain(operator) for operator in operators],
    }
    measured: dict[tuple[str, ...], int] = {}
    if counts is not None:
        more["measured" if counts.is_time else "instructions"] = counts.numbers()
        measured = {layer.nodes: layer.later for layer in counts.layers} if counts.is_time else {}
    for path, text in _files(options, simulation, _title(options.model), more, measured):
        write_text(path, text)
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    return 0


def profile(
    model: Model, target: str, *, observers: Sequence[Observer] = (), position: int | None = None
) -> Simulation:
    """
    Compile a model for a machine until its transfers are explicit, and simulate it: with a `position`, its step there.

    Raises Diagnostic for what cannot be compiled or simulated, and for a position that the state has not.
    """
    from ...dialects.core.buckets import function_at
    from ...dialects.core.machine.attribute import machine_of
    from ...dialects.core.nesting import nested_ops
    from ...dialects.hier import ResidentOp
    from ..simulator import simulate
    from ..simulator.simulate import call_cycles, expanded, scheduled

    if position is not None and not 0 <= position < model.context:
        raise Diagnostic(
            "there is no step at that position",
            expected=f"a position from 0 to {model.context - 1}" if model.context else "a network with --context",
            found=str(position),
        )
    module = explicit_program(model, target, observers=observers)
    function = "network" if position is None else function_at(module, "network", position)
    machine, first = machine_of(module), simulate(module, function=function)
    if any(engine.program.cache for engine in machine.engines):
        first = dataclasses.replace(first, cold_cycles=call_cycles(expanded(module), function, machine).cold)
    if not any(isinstance(op, ResidentOp) for op in nested_ops(module)):
        return first
    later = scheduled(expanded(module, is_first=False), function, machine).end()
    return dataclasses.replace(first, later_cycles=later)


def explicit_program(model: Model, target: str, *, observers: Sequence[Observer] = ()) -> ModuleOp:
    """
    Return a model as a planned program whose kernels and transfers are ops, as the last pass leaves it that keeps them.

    Raises Diagnostic for a model that cannot be compiled that far, and where a pipeline has no such program.
    """
    from ...compiler import compile_model

    return compile_model(model, target, explicit=True, observers=observers).module


def _title(model: Path) -> str:
    """Return a model's title: its file's name, with the folder where all are called network.onnx."""
    return "/".join(model.absolute().parts[-2:]) if model.stem == "network" else model.name


def _files(
    options: argparse.Namespace,
    simulation: Simulation,
    title: str,
    more: Mapping[str, Any],
    measured: Mapping[tuple[str, ...], int],
) -> list[tuple[Path, str]]:
    """Return the files to write, with their text."""
    from ..simulator.page import page_of
    from ..simulator.trace import trace_of

    files: list[tuple[Path, str]] = []
    if options.trace:
        files.append((options.trace, json.dumps(trace_of(simulation), separators=(",", ":")) + "\n"))
    if options.html:
        files.append((options.html, page_of(simulation, title, measured)))
    if options.json:
        files.append((options.json, json.dumps(numbers_of(simulation, title) | dict(more), indent=1) + "\n"))
    return files


def numbers_of(simulation: Simulation, title: str) -> dict[str, Any]:
    """Return all numbers of a simulation but its single events, for JSON. Times are modelled cycles."""
    content: dict[str, Any] = {"model": title, "modelled": True}
    for field in dataclasses.fields(simulation):
        if field.name not in ("events", "memory", "hops", "layers", "operators"):
            content[field.name] = _plain(getattr(simulation, field.name))
    content["layers"] = [_layer_numbers(layer) for layer in simulation.layers]
    content["operators"] = [_totals(kernels, "operator", "layers") for kernels in simulation.operators]
    return content


def _layer_numbers(layer: LayerCost) -> dict[str, Any]:
    inner = ("first_engine", "operators", "engines", "stored", "produced")
    derived = (
        *("operator", "engine", "cycles", "computing", "stalled", "rate", "engine_rate", "mac_rate", "intensity"),
        "limited_by",
    )
    names = [field.name for field in dataclasses.fields(layer) if field.name not in inner]
    numbers: dict[str, Any] = {name: getattr(layer, name) for name in (*names, *derived)}
    numbers["engines"] = [_totals(kernels, "engine", "peak") for kernels in layer.engines.values()]
    numbers["of_peak"] = None if isnan(layer.of_peak) else layer.of_peak
    return numbers


def _totals(kernels: KernelTotals, title: str, other: str) -> dict[str, Any]:
    numbers = {name: getattr(kernels, name) for name in (other, "calls", "busy", "points", "macs")}
    return {title: kernels.name, **numbers}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    as_dict = getattr(value, "_asdict", None)
    if as_dict is not None:
        return as_dict()
    return [_plain(entry) for entry in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
