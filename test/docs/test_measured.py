"""Measured figures in the documentation of Siracusa are those of the file of results."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "siracusa_measured.csv"
ROW = re.compile(r"^\| [^|]*\| `(siracusa[^`]*)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| \**([\d.]+)\** \|$", re.M)


def results() -> dict[tuple[str, int, int, int], dict[str, str]]:
    """Return the rows of the file by target, first call, later calls and modelled cycles."""
    with RESULTS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert all(row["outputs"] == "equal" and int(row["first"]) > 0 and int(row["warm"]) > 0 for row in rows)
    return {(row["target"], int(row["first"]), int(row["warm"]), int(row["modelled"])): row for row in rows}


def test_the_table_is_that_of_the_file() -> None:
    known = results()
    text = (ROOT / "docs" / "siracusa-costs.md").read_text(encoding="utf-8")
    found = [
        (target, *(int(number.replace(",", "")) for number in rest), ratio)
        for target, *rest, ratio in ROW.findall(text)
    ]
    assert len(found) >= 36
    for target, first, warm, modelled, ratio in found:
        assert (target, first, warm, modelled) in known
        assert abs(float(ratio) - warm / modelled) < 0.0051
