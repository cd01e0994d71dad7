"""The graph of a program as a file: as text, drawn by Graphviz, or why it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tilewright
from tilewright.errors import Diagnostic

PROGRAM = "func.func @f(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  func.return %b : i32\n}\n"


def install(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a program `dot` for a test, and no other."""
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")


def drawn(file: Path) -> str:
    """Draw the program to a file; return the text of the program afterwards."""
    return tilewright.opt(PROGRAM, f"view-op-graph{{output={file}}}")


def test_the_text_is_written(tmp_path: Path):
    assert drawn(tmp_path / "f.dot") == tilewright.opt(PROGRAM, "")
    assert (tmp_path / "f.dot").read_text().startswith("digraph G {\n")


def test_graphviz_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install(tmp_path, 'echo "<svg>$1"; cat', monkeypatch)
    drawn(tmp_path / "f.svg")
    assert (tmp_path / "f.svg").read_text().startswith("<svg>-Tsvg\ndigraph G {\n")


def test_graphviz_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install(tmp_path, "cat > /dev/null; echo 'Error: out of memory' >&2; exit 1", monkeypatch)
    with pytest.raises(Diagnostic, match="Graphviz draws no graph: Error: out of memory"):
        drawn(tmp_path / "f.svg")
    assert not (tmp_path / "f.svg").exists()


def test_graphviz_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Diagnostic) as error:
        drawn(tmp_path / "f.svg")
    assert "no 'dot' on PATH" in error.value.message
    assert "output=graph.dot" in error.value.remedy


def test_other_files_are_refused(tmp_path: Path):
    with pytest.raises(Diagnostic) as error:
        drawn(tmp_path / "f.png")
    assert error.value.expected == "a .svg or a .dot file"
