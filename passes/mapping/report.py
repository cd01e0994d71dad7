"""Report of the engines of a module: the kernels of each, and why no other engine took them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.attribute import machine_of
from ...dialects.core.machine.model import Machine
from ...dialects.core.nesting import nested_ops
from ...dialects.core.work import multiply_accumulates
from ...dialects.hier import GridOp
from ...errors import Diagnostic
from ...ir import functions, node_names, where
from ..map_engines import mapped_engine
from .refusals import reasons


@dataclass(frozen=True)
class KernelMapping:
    """A kernel on an engine: its ONNX nodes, multiply-accumulates, and why each other engine did not take it."""

    operator: str
    nodes: tuple[str, ...]
    engine: str
    macs: int
    refusals: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Share:
    """Kernels and multiply-accumulates of an engine."""

    engine: str
    kernels: int
    macs: int


def placements_of(module: ModuleOp) -> list[KernelMapping]:
    """
    Return the kernels and copies of a module in program order, with the engines that run them, or that would.

    Raises Diagnostic for a module without a machine, for a planned one, and where no engine runs a kernel.
    """
    machine = machine_of(module)
    placements: list[KernelMapping] = []
    for op in (op for function in functions(module) for op in nested_ops(function)):
        if isinstance(op, GridOp):
            raise Diagnostic(
                "kernels on tiles have no reasons for their engines",
                where(op),
                "a module of whole kernels",
                f"'{op.name}'",
                "stop before plan-memory: --stop-after=map-engines",
            )
        if is_kernel(op) or isinstance(op, memref.CopyOp):
            placements.append(_placement(op, machine))
    return placements


def _placement(op: Operation, machine: Machine) -> KernelMapping:
    if isinstance(op, memref.CopyOp):
        others = [engine for engine in machine.engines if engine != machine.copier]
        refusals = tuple((other.name, other.fault(op) or "the general-purpose engine copies") for other in others)
        return KernelMapping(op.name, tuple(node_names(op)), machine.copier.name, 0, refusals)
    engine = mapped_engine(op, machine)
    texts = tuple(reasons(op, engine, machine).items())
    return KernelMapping(op.name, tuple(node_names(op)), engine.name, multiply_accumulates(op), texts)


def shares_of(placements: Sequence[KernelMapping], machine: Machine) -> list[Share]:
    """Return the share of each engine of a machine, those with the most multiply-accumulates first."""
    shares: list[Share] = []
    for engine in machine.engines:
        macs = [placement.macs for placement in placements if placement.engine == engine.name]
        shares.append(Share(engine.name, len(macs), sum(macs)))
    return sorted(shares, key=lambda share: (-share.macs, -share.kernels))


def report(module: ModuleOp) -> Iterator[str]:
    """Yield the lines of the report: a line for each engine, then the kernels with the reasons."""
    placements = placements_of(module)
    total = sum(placement.macs for placement in placements)
    for share in shares_of(placements, machine_of(module)):
        noun = "kernel" if share.kernels == 1 else "kernels"
        part = f"{share.macs / max(total, 1):.1%} of {total:,} multiply-accumulates"
        yield f"{share.engine}: {share.kernels} {noun}, {part}"
    for index, placement in enumerate(placements, 1):
        names = f" '{placement.nodes[0]}'" if placement.nodes else ""
        macs = f", {placement.macs:,} multiply-accumulates" if placement.macs else ""
        yield f"{index:3}. {placement.operator}{names} on {placement.engine}{macs}"
        yield from (f"     {engine}: {reason}" for engine, reason in placement.refusals)
