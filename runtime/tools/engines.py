"""Partition of a network over the engines of a machine, as tables: the kernels of each, and reasons for the core's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...dialects.core.machine.attribute import machine_of
from ...passes.core.base import places_operands
from ...passes.core.manager import Observer, PassPosition
from ...passes.mapping.report import KernelMapping, Share, placements_of, shares_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from xdsl.dialects.builtin import ModuleOp


@dataclass
class EnginePartition(Observer):
    """Kernels with their engines, before they are cut into tiles; empty for a machine with one engine."""

    placements: list[KernelMapping] = field(default_factory=list[KernelMapping])
    shares: list[Share] = field(default_factory=list[Share])
    copier: str = ""

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if not places_operands(place.step.run) or len((machine := machine_of(module)).engines) < 2:
            return
        self.placements = placements_of(module)
        self.shares, self.copier = shares_of(self.placements, machine), machine.copier.name

    def numbers(self) -> list[dict[str, Any]]:
        """Return the kernels for JSON."""
        return [
            {
                "operator": placement.operator,
                "nodes": list(placement.nodes),
                "engine": placement.engine,
                "macs": placement.macs,
                "refusals": dict(placement.refusals),
            }
            for placement in self.placements
        ]


def print_partition(partition: EnginePartition, console: Console) -> None:
    """Print the kernels of each engine, and the reasons for those of the general-purpose engine."""
    if not partition.placements:
        return
    console.print(_share_table(partition))
    console.print(_reason_table(partition))


def _share_table(partition: EnginePartition) -> Table:
    from rich.table import Table

    table = Table("engine", title="kernels, per engine", title_justify="left")
    for title in ("kernels", "MACs", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    total = max(sum(share.macs for share in partition.shares), 1)
    for share in partition.shares:
        table.add_row(share.engine, f"{share.kernels:,}", f"{share.macs:,}", f"{share.macs / total:.1%}")
    return table


def _reason_table(partition: EnginePartition) -> Table:
    """Return a row for each operator and reasons; kernels of the same ones are counted, the first is named."""
    from rich.table import Table

    table = Table(title=f"kernels of {partition.copier}, and why no other engine took them", title_justify="left")
    table.add_column("operator", no_wrap=True)
    table.add_column("kernels", justify="right")
    table.add_column("MACs", justify="right", no_wrap=True)
    table.add_column("first nodes", overflow="fold")
    table.add_column("why", overflow="fold", ratio=1)
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[KernelMapping]] = {}
    for placement in partition.placements:
        if placement.engine == partition.copier:
            groups.setdefault((placement.operator, placement.refusals), []).append(placement)
    for (operator, refusals), placements in groups.items():
        why = "\n".join(f"{engine}: {reason}" for engine, reason in refusals)
        macs = sum(placement.macs for placement in placements)
        table.add_row(operator, f"{len(placements):,}", f"{macs:,}", " + ".join(placements[0].nodes), why)
    return table
