"""Examples of passes from their lit tests: a program, and its output of the test's command."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tilewright.docs.site.links import ROOT
from tilewright.runtime.driver.run_lines.script import run_lines, substitute
from tilewright.runtime.driver.run_lines.shell import run_line
from tilewright.runtime.testing.lit.tools import TOOLS

_REFUSALS = ("reject", "keeps", "errors")
"""Parts of the names of tests that show what a pass does not do."""
_PIPED = re.compile(r"(opt-tool [^|<>&;]*)(?:\| filecheck %s[^|<>&;]*)?")


@dataclass(frozen=True)
class Example:
    """
    Program in a test, `path`, and its output of the test's command, in which `%s` is the test's name.

    The program is the first op of the test or, where the command needs more, all up to a mark `// -----`. The output is
    empty where the command does more than to run opt-tool.
    """

    path: str
    command: str
    before: str
    after: str


@cache
def _lit_tests() -> Mapping[str, Sequence[str]]:
    """Return the lit tests by the words of their RUN lines, those with the shortest names first."""
    by_word: dict[str, list[str]] = {}
    for file in sorted((ROOT / "test").rglob("*.mlir"), key=lambda file: (len(file.name), file)):
        runs = re.findall(r"^// RUN: (.*)", file.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        for word in set(re.findall(r"[\w-]+", " ".join(runs))):
            by_word.setdefault(word, []).append(file.relative_to(ROOT).as_posix())
    return by_word


def lit_tests_of(name: str) -> list[str]:
    """Return the lit tests that run a pass, those named after it first."""
    return sorted(_lit_tests().get(name, ()), key=lambda path: not Path(path).stem.startswith(name))


def example_of(name: str) -> Example | None:
    """Return the example from the first test of a pass, None without one."""
    tests = [path for path in lit_tests_of(name) if not any(word in path for word in _REFUSALS)]
    return _run(tests[0]) if tests else None


def _run(path: str) -> Example:
    text = (ROOT / path).read_text(encoding="utf-8")
    command, *others = run_lines(text)
    command = next((line for line in (command, *others) if "--interpret" not in line), command)
    part = without_checks(text)
    match = _PIPED.fullmatch(command)
    for before in (first_op(part), part):
        after = _output(match[1], before, ROOT / path) if match else ""
        if after:
            return Example(path, _named(match[1].strip() if match else command, ROOT / path), before, after)
    return Example(path, command, first_op(part), "")


def _output(command: str, program: str, test: Path) -> str:
    """Return the output of a test's command for a program in place of the test's; empty where it fails."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path(test.name).write_text(program, encoding="utf-8")
        result = run_line(substitute(_named(command, test), test, Path(folder)), TOOLS)
    return "" if result.code else result.out.decode().strip()


def _named(command: str, test: Path) -> str:
    """Return a command with the name of its test, by which locations call it."""
    return re.sub(r"%s\b", test.name, command)


def without_checks(text: str) -> str:
    """Return a test up to its first mark `// -----`, without RUN and CHECK lines."""
    part = text.partition("// -----")[0]
    lines = [line for line in part.splitlines() if not re.match(r"\s*// *(?:RUN|[A-Z][A-Z0-9_-]*):", line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def first_op(text: str) -> str:
    """Return a program up to the end of its first op at the top that has a region."""
    return text[: end.end()] if (end := re.search(r"^\}.*", text, re.MULTILINE)) else text
