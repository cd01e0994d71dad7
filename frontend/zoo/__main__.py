"""`python -m tilewright.frontend.zoo [--costs]` lists the networks; `... NAME FILE [--seed N] [--open]` writes one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.table import Table

from ...console import table_console
from ...errors import Diagnostic
from ...files import path_of, write_bytes
from . import build, cost, names, summary


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser("python -m tilewright.frontend.zoo", description="Networks in ONNX, from seeds.")
    parser.add_argument("name", nargs="?", help="the network to write; without it, all are listed")
    parser.add_argument("file", nargs="?", type=path_of, help="the ONNX file to write it to")
    parser.add_argument("--seed", type=int, default=0, help="where the weights come from (default 0)")
    parser.add_argument("--open", action="store_true", help="leave its lengths open, such as that of a cache")
    parser.add_argument(
        "--costs", action="store_true", help="list parameters, MACs and layers, too: builds each network"
    )
    options = parser.parse_args(arguments)
    if options.name and not options.file:
        parser.error("the file to write is missing")
    try:
        if options.name:
            write_bytes(options.file, build(options.name, options.seed, is_open=options.open).SerializeToString())
        else:
            table_console().print(_costs(options.seed) if options.costs else _list())
    except (Diagnostic, OSError) as problem:
        print(problem if isinstance(problem, Diagnostic) else f"error: {problem.strerror}", file=sys.stderr)
        return 1
    return 0


def _list() -> Table:
    table = Table("network", "summary")
    for name in names():
        table.add_row(name, summary(name))
    return table


def _costs(seed: int) -> Table:
    table = Table("network", "summary")
    for column in ("parameters", "MACs", "layers"):
        table.add_column(column, justify="right")
    for name in names():
        spent = cost(build(name, seed))
        table.add_row(name, summary(name), f"{spent.parameters:,}", f"{spent.macs:,}", str(spent.layers))
    return table


if __name__ == "__main__":
    sys.exit(main())
