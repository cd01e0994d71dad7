"""Measured figures in the documentation of Siracusa are those of the file of results."""

from __future__ import annotations

import pytest

from tilewright.benchmarks.siracusa_measured import PAGE, rows_of, with_table
from tilewright.errors import Diagnostic

pytestmark = pytest.mark.quick


def test_all_rows_are_measured() -> None:
    rows = rows_of().values()
    assert rows
    assert all(row.outputs == "equal" and row.first > 0 and row.warm > 0 for row in rows)


def test_the_table_is_that_of_the_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, rows_of().values()) == page, "python benchmarks/siracusa_measured.py --docs"


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(Diagnostic, match="no place for the table"):
        with_table("# a page\n", ())
