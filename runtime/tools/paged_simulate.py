"""The command `tilewright paged simulate`: a recorded workload with other memories, policies and disks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...console import table_console
from ...dialects.core.machine.file import find_machine
from ...dialects.core.machine.link import Link
from ...dialects.core.machine.model import Machine
from ...dialects.core.machine.values import Expected, SizeForm
from ...errors import Diagnostic
from ...files import path_of
from ..paged.config import FRAME, PoolConfig
from ..paged.residency import Disk, EvictionPolicy, Residency, simulate
from ..paged.trace import Trace, read_trace
from .store_options import options_named

_HZ = 1e6
"""Hertz of a megahertz."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    what = "traces that `tilewright generate --paged --kv-trace FILE` has recorded"
    add("traces", type=path_of, nargs="+", metavar="TRACE", help=what)
    what = "a machine with a disk: a name, a folder or a machine file (linux-board)"
    add("--target", default="linux-board", metavar="TARGET", help=what)
    add("--disk", default="", metavar="LEVEL", help="the level of the pages (that of the slowest link)")
    what = "bytes of the store's memory, several with commas between them (the working set, and more frames)"
    add("--kv-memory", type=_sizes, default=(), metavar="SIZE,...", help=what)
    what = "milliseconds of a step without reads (what a step of the trace took, on the machine that recorded it)"
    add("--compute", type=_milliseconds, metavar="MS", help=what)


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(SizeForm().read, text.split(",")))
    except Expected as error:
        raise argparse.ArgumentTypeError(f"sizes such as 2MiB,8MiB, not '{text}'") from error


def _milliseconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"a number of milliseconds from 0 on, not '{text}'")
    return number


def disk_of(machine: Machine, level: str = "") -> Link:
    """
    Return the link to the level of pages, by default the one that takes the longest to start a read.

    Raises Diagnostic for a machine without links, and for a level without one.
    """
    links = [link for link in machine.links if not level or level in (link.far, link.near)]
    if level:
        machine.level(level)
    if not links:
        raise Diagnostic(
            f"machine '{machine.name}' has no disk",
            expected=f"a link to the level '{level}'" if level else "a link to a level that holds pages",
            remedy="add [links.card] to the machine file (docs/machines.md), or name another --target",
        )
    return max(links, key=lambda link: link.startup / _mhz(machine, link))


def _mhz(machine: Machine, link: Link) -> float:
    return link.clock.nominal or machine.clock.nominal


def timed(machine: Machine, link: Link, page_bytes: int) -> Disk:
    """Return the disk behind a link, for reads of a page: its start-up as latency, then its rate."""
    hertz = _mhz(machine, link) * _HZ
    return Disk(link.startup / hertz, page_bytes * hertz / link.started.cycles(page_bytes))


def memories(config: PoolConfig) -> list[int]:
    """Return the bytes of a working set, and those of twice and four times its frames, as far as there are pages."""
    frame = config.slot + FRAME
    most = config.pages * config.rows
    counts = sorted({min(times * config.least_frames, most) for times in (1, 2, 4)})
    return [config.working_set + (count - config.least_frames) * frame for count in counts]


@dataclass(frozen=True)
class PolicyOutcome:
    """A policy's figures over the steps of one token: hit rate, bytes and seconds of reads, tokens a second."""

    policy: str
    hit_rate: float
    bytes_read: float
    stall: float
    rate: float


def outcomes(trace: Trace, memory: int, disk: Disk, compute: float) -> Iterator[PolicyOutcome]:
    """
    Simulate a trace under each policy, on demand and, where it applies, with reads one layer ahead.

    `memory` in bytes, `compute` in seconds of a step without reads. Raises PagedError for less than the working set.
    """
    config = replace(trace.config, memory=memory)
    layer = compute / config.layers
    for policy in EvictionPolicy:
        for prefetch in (False, True) if policy is not EvictionPolicy.BELADY else (False,):
            result = simulate(trace.pages, config.frames, policy, config.slot, disk, compute=layer, prefetch=prefetch)
            name = f"{policy.value}, one layer ahead" if prefetch else policy.value
            yield _outcome(name, trace, result, compute)


def _outcome(name: str, trace: Trace, result: Residency, compute: float) -> PolicyOutcome:
    steps = trace.decoding
    hits = sum(result.counts[number][0] for number in steps)
    misses = sum(result.counts[number][1] for number in steps)
    ahead = sum(result.counts[number][2] for number in steps)
    count = max(len(steps), 1)
    stall = sum(result.stalls[number] for number in steps) / count
    touched = hits + misses
    reads = (misses + ahead) * result.page_bytes / count
    seconds = compute + stall
    return PolicyOutcome(
        name, hits / touched if touched else 1.0, reads, stall, 1 / seconds if seconds else float("inf")
    )


def run(options: argparse.Namespace) -> int:
    """Print a table for each trace. Raises Diagnostic for a file without one, or one without steps of one token."""
    from rich.table import Table

    machine = find_machine(options.target)
    link = disk_of(machine, options.disk)
    for path in options.traces:
        trace = read_trace(path)
        if not trace.decoding:
            remedy = "record one that adds tokens: --tokens 64"
            raise Diagnostic("the trace has no step of one token", where=str(path), remedy=remedy)
        config = trace.config
        disk = timed(machine, link, config.slot)
        compute = trace.step_seconds if options.compute is None else options.compute / 1000
        attended = config.budget_pages * config.page_length
        print(f"{path}: {len(trace.decoding)} steps of one token, {attended or 'all'} tokens attended to")
        print(f"  {1000 * compute:.2f} ms a step without reads, pages of {config.slot:,} bytes")
        print(f"  {link.name} of {machine.name}: {1000 * disk.latency:.2f} ms, {disk.bandwidth / 1e6:.1f} MB/s a read")
        table = Table("memory", "policy", "hit rate", "read a token", "stall a token", "tokens/s")
        for memory in options.kv_memory or memories(config):
            with options_named():
                rows = list(outcomes(trace, memory, disk, compute))
            for row in rows:
                table.add_row(*_cells(memory, row))
        table_console().print(table, markup=False, highlight=False)
    return 0


def _cells(memory: int, row: PolicyOutcome) -> tuple[str, ...]:
    figures = f"{100 * row.hit_rate:.1f} %", f"{row.bytes_read:,.0f} B", f"{1000 * row.stall:.2f} ms", f"{row.rate:.1f}"
    return f"{memory:,}", row.policy, *figures
