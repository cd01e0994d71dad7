"""Measured figures in the documentation of Siracusa are those of the file of results."""

from __future__ import annotations

import pytest
from rich.console import Console

from tilewright.benchmarks.siracusa.measured import FILE, PAGE, compared, cycles_of, rows_of, with_table
from tilewright.errors import Diagnostic

pytestmark = pytest.mark.quick


def test_all_rows_are_measured() -> None:
    rows = rows_of().values()
    assert rows
    assert all(row.outputs == "equal" and row.first > 0 and row.warm > 0 for row in rows)


def test_the_table_is_that_of_the_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, rows_of().values()) == page, "python benchmarks/siracusa/measured.py --docs"


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(Diagnostic, match="no place for the table"):
        with_table("# a page\n", ())


@pytest.mark.long
def test_no_network_is_slower_than_before() -> None:
    """Kernels of the least cycles are: by at most 103 cycles."""
    before = cycles_of(FILE.with_name("before.csv"))
    assert compared(before, rows_of(), Console(quiet=True)) == 0
    assert all(rows_of()[key].warm <= max(1.03 * cycles, cycles + 103) for key, cycles in before.items())


def test_slower_programs_are_counted() -> None:
    key = ("resnet8", "siracusa")
    assert compared({key: rows_of()[key].warm - 5000}, rows_of(), Console(quiet=True)) == 1
