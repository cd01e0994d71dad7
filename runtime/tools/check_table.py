"""Table of `tilewright check`: a row for each network, and what differs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...console import table_console
from .check import CaseRow

_NARROW = 80
"""Columns of text below which the table shows no sizes."""


def print_rows(rows: Sequence[CaseRow], places: str) -> None:
    """Print a table of what was checked, and below it what differs, where lines may be as long as they need."""
    from rich.table import Table

    console = table_console()
    sizes = ("nodes", "MACs", "arena", "weights", "seconds") if console.width >= _NARROW else ()
    table = Table()
    table.add_column("network", overflow="fold")
    for title in sizes:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("result", no_wrap=True)
    for row in rows:
        colour = "green" if row.passed else "red"
        table.add_row(row.case.name, *(_sizes(row) if sizes else ()), f"[{colour}]{row.verdict}[/]")
    console.print(table)
    failed = [row for row in rows if not row.passed]
    for row in failed:
        lines = [f"{row.case.name}: {row.detail}", *(f"  note: {note}" for note in row.notes)]
        print("\n".join(lines) if row.error is None else row.error, file=sys.stderr)
    for row in rows:
        for text in row.measured:
            print(f"{row.case.name}: {text}")
        for warning in row.warnings:
            print(f"{row.case.name}: warning: {warning}: it tells little", file=sys.stderr)
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed, on {places}")


def _sizes(row: CaseRow) -> Sequence[str]:
    report = row.report
    if "macs" not in report:
        return "", "", "", "", f"{row.seconds:.2f}"
    counts = report["nodes"], report["macs"], report["arena"]["bytes"], report["weights_bytes"]
    return *(f"{count:,}" for count in counts), f"{row.seconds:.2f}"
