"""docs/machines.md and docs/machine.schema.json are those of the dataclasses of a machine's parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.test.docs.machines import PAGE, SCHEMA, main, schema_text, with_tables
from tilewright.test.extension_texts import tilewright

pytestmark = pytest.mark.quick


def test_the_page_is_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text, "python test/docs/machines.py"
    stale = tmp_path / "machines.md"
    stale.write_text(text.replace("| `banks` | ", "| `bancs` | "), encoding="utf-8")
    monkeypatch.setattr("tilewright.test.docs.machines.PAGE", stale)
    assert main(["--check"]) == 1
    assert main([]) == main(["--check"]) == 0
    assert stale.read_text(encoding="utf-8") == text


def test_the_schema_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    text = SCHEMA.read_text(encoding="utf-8")
    assert schema_text() == text, "python test/docs/machines.py"
    assert tilewright(["targets", "--schema"], capsys) == (0, text, "")
