"""Modelled cycles of a network by the types of its ONNX operators, with the share of the general-purpose engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..simulator import Simulation


@dataclass(frozen=True)
class OperatorShare:
    """
    Modelled cycles of the layers of some types of ONNX operators, which one kernel or group of kernels implements.

    `host` are the cycles in which the general-purpose engine computes for them.
    """

    operators: str
    layers: int
    cycles: int
    host: int


def operator_types(model: Path) -> dict[str, str]:
    """Return the types of a model's ONNX nodes by name; none for a model that is no ONNX."""
    if model.suffix == ".mlir":
        return {}
    from onnx import ModelProto

    from ...frontend.onnx_graph import nodes_of

    return {node.name: node.op_type for node in nodes_of(ModelProto.FromString(model.read_bytes()))}


def label_of(nodes: Sequence[str], types: Mapping[str, str], other: str) -> str:
    """Return the types of some nodes as text, each once; `other` where none is known."""
    return " + ".join(dict.fromkeys(types[node] for node in nodes if node in types)) or other


def shares_by_operator(simulation: Simulation, types: Mapping[str, str], copier: str) -> list[OperatorShare]:
    """Return the cycles of a simulation by operators, most first; `copier` is the general-purpose engine."""
    shares: dict[str, OperatorShare] = {}
    for layer in simulation.layers:
        name = label_of(layer.nodes, types, layer.operator)
        old = shares.get(name, OperatorShare(name, 0, 0, 0))
        host = layer.engines[copier].busy if copier in layer.engines else 0
        shares[name] = OperatorShare(name, old.layers + 1, old.cycles + layer.cycles, old.host + host)
    return sorted(shares.values(), key=lambda share: -share.cycles)


def print_operators(shares: Sequence[OperatorShare], copier: str, console: Console) -> None:
    """Print the cycles by operators, and their sum."""
    console.print(_table(shares, copier))


def _table(shares: Sequence[OperatorShare], copier: str) -> Table:
    from rich.table import Table

    table = Table("operator", title="modelled, per ONNX operator", title_justify="left")
    for title in ("layers", "cycles", "share", *((f"on {copier}", f"share of {copier}") if copier else ())):
        table.add_column(title, justify="right", no_wrap=True)
    layers, cycles, host_cycles = (sum(map(attrgetter(name), shares)) for name in ("layers", "cycles", "host"))
    total = OperatorShare("all", layers, cycles, host_cycles)
    whole = max(total.cycles, 1)
    for share in (*shares, total):
        host = (f"{share.host:,}", f"{share.host / whole:.1%}") if copier else ()
        table.add_row(share.operators, f"{share.layers:,}", f"{share.cycles:,}", f"{share.cycles / whole:.1%}", *host)
    return table
