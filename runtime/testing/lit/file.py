"""Runs a lit test's RUN lines in a folder of their own, as lit does: they read no file by its path from elsewhere."""

from __future__ import annotations

import tempfile
from contextlib import chdir
from pathlib import Path

from ...driver.run_lines.script import run_lines, substitute
from ...driver.run_lines.shell import CommandResult, run_line
from .tools import TOOLS


def failure_of(file: Path) -> str:
    """Run a test's commands one after the other; return the report of the first that fails, or nothing."""
    lines = run_lines(file.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for line in lines:
            result = run_line(substitute(line, file, Path(folder)), TOOLS)
            if result.code:
                return _report(line, result)
    return ""


def _report(line: str, result: CommandResult) -> str:
    shown = {"standard error": result.err, "standard output": result.out}
    parts = [f"exit code {result.code} of\n  RUN: {line}"]
    parts += [f"--- {name}\n{text.decode(errors='replace')[-8000:]}" for name, text in shown.items() if text]
    return "\n".join(parts)
