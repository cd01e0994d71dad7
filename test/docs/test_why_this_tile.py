"""docs/why-this-tile.md has the tables that the planner makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.test.docs.why_this_tile import PAGE, machine_of, main, tables, with_tables

pytestmark = pytest.mark.quick


def test_the_page_is_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    current = tables(machine_of(text))
    assert with_tables(text, current) == text, "python test/docs/why_this_tile.py"
    stale = tmp_path / "why-this-tile.md"
    stale.write_text(text.replace("| fits |", "| too large |"), encoding="utf-8")
    monkeypatch.setattr("tilewright.test.docs.why_this_tile.PAGE", stale)
    assert main(["--check"]) == 1
    assert main([]) == main(["--check"]) == 0
    assert stale.read_text(encoding="utf-8") == text
