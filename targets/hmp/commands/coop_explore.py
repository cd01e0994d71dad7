"""`tilewright coop explore`: the mappings, clocks and hosts that are Pareto-optimal in period and energy, modelled."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ....files import path_of
from ....opt_tool import name_and_shape
from ..options import add_outstanding, outstanding_of

if TYPE_CHECKING:
    from ..fronts import Choice, Progress, Space

DESCRIPTION = """\
Find the best mappings of a network to the processors of a chip, with their clocks and hosts: period beside energy.

  tilewright coop explore net.onnx --target hmp/rk3399pro -o front.jsonl --html front.html
  tilewright coop explore net.onnx --target hmp/rk3399pro --processors big,little,gpu --method nsga2 --seed 1

All orders in which a processor has one stage are evaluated with all clocks and all hosts of accelerators, as long as
there are not too many: --method exact evaluates them whatever their number, --method nsga2 searches. Give an order of
the front to `tilewright coop plan --order`, with its clocks and hosts.
"""

_MOST = 200_000_000
"""Points that are evaluated one and all: about a minute."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="an ONNX file")
    add("--target", default="hmp/rk3399pro", help="the machine (hmp/rk3399pro)")
    add("--processors", default="", metavar="NAME,NAME", help="the processors to use (all)")
    add("--method", choices=("auto", "exact", "nsga2"), default="auto", help="all points, or a search (auto)")
    add("--generations", type=int, default=80, metavar="N", help="with nsga2 (80)")
    add("--population", type=int, default=200, metavar="N", help="with nsga2 (200)")
    add("--seed", type=int, default=0, metavar="N", help="with nsga2; the same front for a seed (0)")
    add_outstanding(parser)
    add("--handover-ms", type=float, metavar="MS", help="the time of a hand-over between processors (modelled)")
    add("--measured", type=path_of, metavar="FILE", help="times of layers that `coop profile` wrote")
    add("-o", "--output", type=path_of, metavar="FILE.jsonl", help="write the front, a point a line")
    add("--html", type=path_of, metavar="FILE", help="write a page with the front's picture, too")
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224", help=what)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....files import check_places, errors_in, write_text
    from ..front_page import page_of
    from ..fronts import exact_front, searched_front, space_of
    from ..plan import layered, names_of, timed

    check_places({"--output": options.output, "--html": options.html}, [options.model])
    module, machine = layered(options.model, options.target, options.input_shape)
    with errors_in(options.model):
        network = timed(module, machine, options.measured, options.handover_ms)
        space = space_of(network, machine, names_of(options.processors, machine), outstanding_of(options, machine))
        is_exact = options.method == "exact" or (options.method == "auto" and space.points <= _MOST)
        with _progress(space.orders if is_exact else options.generations) as progress:
            if is_exact:
                front = exact_front(space, progress)
            else:
                front = searched_front(space, options.generations, options.population, options.seed, progress)
    _print(space, front, "exact" if is_exact else "NSGA-II")
    if options.output:
        write_text(options.output, "".join(f"{json.dumps(content_of(choice))}\n" for choice in front))
    if options.html:
        write_text(options.html, page_of(space, front))
    return 0


@contextmanager
def _progress(total: int) -> Generator[Progress]:
    """Show a bar on a terminal."""
    from ..fronts import no_progress

    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("mappings", total=total)
        yield lambda number: bar.update(task, completed=number)


def content_of(choice: Choice) -> dict[str, Any]:
    """Return a point of a front for JSON."""
    return {
        "order": "".join(name[0].upper() for name in choice.order),
        "clocks": choice.clocks,
        "hosts": choice.hosts,
        "period_ms": round(choice.period, 6),
        "energy_mj": round(choice.energy, 6),
    }


def _print(space: Space, front: Sequence[Choice], method: str) -> None:
    from rich.table import Table

    from ....console import table_console

    console = table_console()
    title = f"{space.network.name}: Pareto front of {space.points:,} points, {method}, modelled"
    table = Table("order", "ms a frame", "frames/s", "mJ a frame", "clocks", "hosts", title=title)
    for choice in front:
        content = content_of(choice)
        used = dict.fromkeys(choice.order)
        clocks = ", ".join(f"{name}={mhz:g}" for name, mhz in choice.clocks.items() if name in used)
        hosts = ", ".join(f"{name}: {host}" for name, host in choice.hosts.items() if name in used)
        costs = f"{choice.period:.2f}", f"{1000 / choice.period:.2f}", f"{choice.energy:.1f}"
        table.add_row(content["order"], *costs, clocks, hosts)
    console.print(table)
