"""
Micro-benchmarks of Siracusa, as GVSoC ran them, beside what the machine file and its cost functions say.

    python benchmarks/siracusa/micro.py CSV

CSV has the columns name, params, cycles, unit, notes, a benchmark a row. Every row that the model says something about
is shown with the modelled cycles and the error; rows are put into groups, by what ran and how far it is to be trusted:

- *exact*: deterministic, and explained by the simulator's source. No row may be off by more than 5 %.
- *noisy*: cores in lock-step meet in banks, so that the same kernel takes up to 15 % more or less from one address to
  the next. The group's median error may be 15 %.
- *shown*: beside the model's purpose, for the reason given; not judged.

Names that begin with `V2:` ran on a later version of the simulator, which has no bank conflicts: there the model's
contention is left out, so that they test the laws alone. Exit code 1 where a group exceeds its error bound.
"""

from __future__ import annotations

import argparse
import csv
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import MemRefType, UnitAttr, i8, i32
from xdsl.ir import SSAValue
from xdsl.utils.test_value import create_ssa_value

from tilewright.dialects.core.body import Body
from tilewright.dialects.core.kernel import Kernel
from tilewright.dialects.core.machine.cost_table import cost_named
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.nn import MatmulOp
from tilewright.dialects.quant import RequantizeOp
from tilewright.passes.timing.kernels import Allocation
from tilewright.passes.timing.transfers import cost_of
from tilewright.runtime.simulator.result import LayerCost
from tilewright.runtime.simulator.schedule import Schedule
from tilewright.targets.siracusa.cost.jobs import Kind, job_cycles
from tilewright.targets.siracusa.cost.loops import BRANCH
from tilewright.targets.siracusa.cost.scalar import work_of

EXACT, NOISY = 0.05, 0.15
MACHINE = find_machine("siracusa")
CLUSTER = MACHINE.engine("cluster")
IN, OUT = MACHINE.link("dma_in"), MACHINE.link("dma_out")
CONTENTION = dict(CLUSTER.runs[0].parameters)["contention"]


@dataclass(frozen=True)
class Row:
    """A benchmark: its name, numbers and words among its parameters, what it took, and what was noted."""

    name: str
    params: str
    cycles: int
    notes: str

    @property
    def later(self) -> bool:
        """Flag of rows run on the later version of the simulator."""
        return self.name.startswith("V2:")

    @property
    def kind(self) -> str:
        """The name without what says where it ran."""
        return self.name.removeprefix("V2:").removeprefix("sweep_8core_")

    @property
    def words(self) -> list[str]:
        """The parameters, one by one."""
        return self.params.split(";")

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers by name; rows of the later version list all names, then all numbers."""
        if self.later:
            parts = self.params.split("|")
            half = len(parts) // 2
            return {name: int(value) for name, value in zip(parts[:half], parts[half:], strict=True)}
        return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)\b", self.params)}


@dataclass(frozen=True)
class Group:
    """Rows that are judged alike: `model` returns the modelled cycles of a row that belongs here, None for others."""

    title: str
    limit: float
    model: Callable[[Row], float | None]
    reason: str = ""

    @property
    def trust(self) -> str:
        return {EXACT: "exact", NOISY: "noisy"}.get(self.limit, "shown")

    def failed(self, errors: Iterable[float]) -> bool:
        """Return whether these errors are more than the group may be off by."""
        sizes = sorted(map(abs, errors))
        worst = sizes[-1] if self.limit == EXACT else statistics.median(sizes)
        return bool(self.limit) and worst > self.limit


# Kernels


def requantised(body: Body, a: SSAValue) -> SSAValue:
    """Append a requantisation by constants."""
    mul, add = body.constant(3, i32), body.constant(5, i32)
    return body.op(RequantizeOp(a, mul, add, shift=8, low=-128, high=127, compute=i32, type=i8))


@cache
def contraction(rows: int, columns: int, depth: int, *, quantised: bool) -> Kernel:
    """Return the product of [rows, depth] and the transpose of [columns, depth], bytes."""
    inputs = [create_ssa_value(MemRefType(i8, [extent, depth])) for extent in (rows, columns)]
    output = create_ssa_value(MemRefType(i8 if quantised else i32, [rows, columns]))
    form = MatmulOp(inputs, output, {"accumulator": i32, "transpose_b": UnitAttr()}).core()
    if not quantised:
        return form
    body = Body([i32])
    return replace(form, epilogue=body.finish(requantised(body, *body.args)))


def priced(form: Kernel, cost: str, cores: int, parameters: Mapping[str, Any], *, later: bool) -> int:
    """Return the cycles of a kernel on some of the cores, without fork and join."""
    contention = 0.0 if later else CONTENTION
    cycles = cost_named(f"siracusa.{cost}")(
        form, form.bounds, replace(CLUSTER, cores=cores), contention=contention, **parameters
    )
    assert not isinstance(cycles, str), cycles
    return cycles


FORMS: dict[str, tuple[str, dict[str, int]]] = {
    "mm_xpulp_4x2": ("product", {"simd": 1}),
    "mm_xpulp_2x2": ("product", {"simd": 1, "features": 2}),
    "mv_xpulp_x4": ("product", {"simd": 1}),
    "mm_c_rv32im_2x2": ("product", {"blocks": 1}),
    "mm_c_rv32im_O3": ("code", {}),
}


def matmul(row: Row, wanted: Callable[[Row], bool]) -> int | None:
    """Return the modelled cycles of a product of matrices."""
    name, _, result = row.kind.rpartition("_")
    if name not in FORMS or not wanted(row):
        return None
    numbers = row.numbers
    form = contraction(numbers["M"], numbers["N"], numbers["K"], quantised=result == "requant8")
    cost, parameters = FORMS[name]
    if name == "mv_xpulp_x4" and numbers["cores"] == 1:
        parameters = parameters | {"step": 1}  # its loop multiplies by the word that it has loaded last
    return priced(form, cost, numbers["cores"], parameters, later=row.later)


def fork(row: Row) -> int | None:
    """Return the set-up of the cluster for a row that notes what fork and join took; `measured` reads that."""
    return CLUSTER.setup if "with fork+join" in row.notes and not row.later else None


def measured(group: Group, row: Row) -> int:
    """Return the cycles of a row."""
    if group.model is not fork:
        return row.cycles
    match = re.search(r"with fork\+join from CC=(\d+)", row.notes)
    return int(cast("re.Match[str]", match)[1]) - row.cycles


# DMA


def transfer(row: Row, wanted: Callable[[Row], bool]) -> int | None:
    """Return the modelled cycles of one transfer."""
    match = re.fullmatch(r"(?:sdklike_)?dma[12]d_L(\d)toL\d(?:_misaligned)?", row.kind)
    if match is None or not wanted(row):
        return None
    numbers = row.numbers
    rows = numbers.get("rows", 1)
    return MACHINE.transfer_cycles(
        IN if match[1] == "2" else OUT, numbers.get("rowbytes", numbers.get("bytes", 0)), (rows,)
    )


def is_awaited(row: Row) -> bool:
    """Return whether the core slept until the transfer was done, of at least 64 bytes."""
    numbers = row.numbers
    size = numbers.get("bytes", numbers.get("rows", 0) * numbers.get("rowbytes", 0))
    return size >= 64 and "wait=poll" not in row.words and not row.kind.startswith("sdklike")


def queued(row: Row) -> int | None:
    """Return the modelled cycles of transfers that are begun at once, as the simulator runs them."""
    if row.kind == "dma_two_concurrent_4096":
        return together([(IN if each == "in" else OUT, 4096) for each in row.params.split("+")])
    if row.kind == "dma_chain_of_1KB_in_one_counter":
        return together([(IN, 1024)] * row.numbers["n"])
    return None


def together(transfers: list[tuple[Any, int]]) -> int:
    """Return the end of the last of concurrent transfers."""
    schedule, layer = Schedule(MACHINE), LayerCost(())
    far, near = Allocation("far", "L2", -1), Allocation("near", "L1", 0)
    for link, size in transfers:
        schedule.start(layer, link, cost_of(MACHINE, link, size, (1,)), far, near, (size, size), link is OUT)
    return schedule.end()


# The NPU, memories, instructions

KINDS: dict[str, Kind] = {"1x1": "1x1", "3x3": "3x3", "dw3x3": "depthwise"}


def job(row: Row) -> int | None:
    """Return the modelled cycles of a job of the NPU; None for depthwise ones with prefetch, which have no formula."""
    words = row.words
    alone = row.name == "neureka_job" or (row.name == "neureka_concurrency" and "alone" in words)
    if not alone or ("op=dw3x3" in words and "prefetch" in words):
        return None
    pad = 1 if "pad1" in words else 0
    return job_cycles(
        KINDS[words[0].removeprefix("op=")],
        *(row.numbers[key] for key in ("H", "W", "Cin", "Cout")),
        pad=(pad, pad),
        out_bits=32 if "out32" in words else 8,
        weight_bits=next((int(word[2:]) for word in words if re.fullmatch(r"qw\d", word)), 8),
        weights_in_wmem="wmem" in words,
        scale_bits=8 if "scale8" in words else 32,
        prefetch="prefetch" in words,
    )


def npu_beside(row: Row) -> int | None:
    """Return the modelled cycles of jobs that share the L1 or follow each other."""
    alone = job_cycles("1x1", 12, 12, 64, 64, weights_in_wmem=True)
    if row.kind == "neureka_two_queued_jobs":
        return 2 * (alone + MACHINE.engine("npu").setup)
    return alone if row.name == "neureka_concurrency" and "alone" not in row.words else None


def far_access(row: Row) -> int | None:
    """Return the cycles of 64 loads or stores of a core in L2."""
    here = row.kind in ("l2_load_stream_corestride", "l2_store_stream_corestride")
    return 64 * MACHINE.level("L2").latency if here else None


def scalar(build: Callable[..., SSAValue]) -> float:
    """Return the cost of a scalar op on two integers of 32 bits."""
    body = Body([i32, i32])
    return work_of(body.finish(build(body, *body.args))).cycles


PRICES = {
    "add": scalar(Body.add),
    "mul_dep": scalar(Body.mul),
    "div_3by5": scalar(Body.div),
    "div_big": scalar(Body.div),
    "branch_taken": BRANCH,
    **dict.fromkeys(("lw_L1_indep", "sw_L1"), MACHINE.level("L1").latency),
    **dict.fromkeys(("lw_L2_indep", "sw_L2", "lb_L2"), MACHINE.level("L2").latency),
}


def instruction(row: Row) -> float | None:
    """Return the cycles of 64 instructions, by the model's table."""
    name = row.words[0]
    return 64 * PRICES[name] if row.kind == "insn_x64" and name in PRICES else None


def on(cores: Callable[[int], bool], *, later: bool = False, sweep: bool = False) -> Callable[[Row], float | None]:
    """Return the model of products of matrices on such numbers of cores."""

    def wanted(row: Row) -> bool:
        return cores(row.numbers["cores"]) and row.later == later and row.name.startswith("sweep") == sweep

    return lambda row: matmul(row, wanted)


GROUPS = (
    Group("instructions", EXACT, instruction),
    Group("access to L2 by a core", EXACT, far_access),
    Group("transfers, awaited", EXACT, lambda row: transfer(row, is_awaited)),
    Group("transfers begun at once", EXACT, queued),
    Group(
        "transfers, polled, small or by the SDK",
        0,
        lambda row: transfer(row, lambda each: not is_awaited(each)),
        "other code waits; the law begins at 64 bytes",
    ),
    Group("fork and join round a kernel", NOISY, fork),
    Group("products, one core", EXACT, on(lambda cores: cores == 1)),
    Group("products, no conflicts (V2)", EXACT, on(lambda cores: cores > 1, later=True)),
    Group("products, 8 cores, medians", NOISY, on(lambda cores: cores > 1, sweep=True)),
    Group("products, 2 to 8 cores, single runs", NOISY, on(lambda cores: cores > 1)),
    Group("NPU jobs", EXACT, job),
    Group("NPU jobs beside others", 0, npu_beside, "the model has neither queued jobs nor shared banks for the NPU"),
)


def read(path: Path) -> list[Row]:
    """Return the benchmarks of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(each["name"], each["params"], int(each["cycles"]), each["notes"] or "") for each in csv.DictReader(file)
        ]


def main(arguments: list[str] | None = None) -> int:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0].strip())
    parser.add_argument("csv", type=Path, help="the benchmarks")
    rows = read(parser.parse_args(arguments).csv)
    console = Console()
    summary = Table("group", "trust", "rows", "median error", "worst error", "worst row", title="summary")
    failed, seen = False, set[Row]()
    for group in GROUPS:
        found = [(row, model) for row in rows if (model := group.model(row)) is not None]
        seen.update(row for row, _ in found)
        failed = show(group, found, console, summary) or failed
    console.print(summary)
    left = sorted({row.name for row in rows if row not in seen})
    console.print(f"{len(seen)} of {len(set(rows))} rows; without a model: {', '.join(left)}")
    return int(failed)


def show(group: Group, found: list[tuple[Row, float]], console: Console, summary: Table) -> bool:
    """Print a group's rows and add it to the summary; return whether it exceeds its error bound."""
    if not found:
        return False
    table = Table("benchmark", "parameters", "measured", "modelled", "error", title=group.title)
    errors: list[float] = []
    for row, model in found:
        real = measured(group, row)
        errors.append(model / real - 1)
        table.add_row(row.name, row.params, f"{real:,}", f"{model:,.0f}", f"{errors[-1]:+.1%}")
    console.print(table)
    worst = max(range(len(errors)), key=lambda index: abs(errors[index]))
    off = group.failed(errors)
    style = "red" if off else "green" if group.limit else "dim"
    where = group.reason or f"{found[worst][0].name} {found[worst][0].params}"
    middle = statistics.median(map(abs, errors))
    summary.add_row(
        group.title, group.trust, str(len(found)), f"{middle:.1%}", f"{errors[worst]:+.1%}", where, style=style
    )
    return off


if __name__ == "__main__":
    sys.exit(main())
