"""
The RUN lines of a lit test, and the tests that are refused because they could not fail.

    // RUN: opt-tool %s -p cse | filecheck %s
    // RUN: ROUNDTRIP
"""

from __future__ import annotations

import re
from pathlib import Path

MACROS = {
    "ROUNDTRIP": "opt-tool %s | opt-tool | filecheck %s",
    "GENERIC_ROUNDTRIP": "opt-tool %s --mlir-print-op-generic | opt-tool | filecheck %s",
}

_RUN = re.compile(r"//\s*RUN:(.*)$")
_SUFFIX = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|LITERAL|COUNT-\d+))?(?:\{LITERAL\})?"
_CHECK = re.compile(rf"//\s*(CHECK(?:-(?!NEXT|SAME|NOT|DAG|LABEL|EMPTY|LITERAL|COUNT)\w+)*){_SUFFIX}:")
_PREFIXES = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")


class ScriptError(Exception):
    """A lit test is malformed."""


def run_lines(text: str) -> list[str]:
    """
    Return the commands of a test, macros expanded, substitutions not.

    Raises ScriptError for a test without commands, with CHECK lines that no filecheck reads, or with a `RUN:` that is
    a command to lit alone.
    """
    lines: list[str] = []
    unfinished = False
    for line in text.splitlines():
        match = _RUN.search(line)
        if match is None and "RUN:" in line:
            raise ScriptError(f"lit runs what follows every RUN:, {line.strip()!r} too: write // RUN:")
        if not match:
            continue
        command = match[1].strip()
        if unfinished:
            lines[-1] += " " + command.removesuffix("\\").strip()
        else:
            lines.append(command.removesuffix("\\").strip())
        unfinished = command.endswith("\\")
    if not lines:
        raise ScriptError("the file has no RUN line")
    if unfinished:
        raise ScriptError("the last RUN line ends with a backslash")
    for name, expansion in MACROS.items():
        lines = [re.sub(rf"(?<![\w-]){name}\b", expansion, line) for line in lines]
    _check_prefixes(text, lines)
    return lines


def _check_prefixes(text: str, lines: list[str]) -> None:
    used: set[str] = set()
    for command in lines:
        for part in command.split("|"):
            if re.search(r"\bfilecheck\b", part):
                named = _PREFIXES.findall(part)
                used.update(name for names in named for name in names.split(","))
                used.update(() if named else {"CHECK"})
    unread = sorted({match[1] for match in _CHECK.finditer(text)} - used)
    if unread:
        raise ScriptError(f"no filecheck reads the lines {', '.join(unread)}: add '| filecheck %s' to a RUN line")


def substitute(command: str, file: Path, folder: Path) -> str:
    """Return a command with lit's `%s`, `%S`, `%t`, `%T` and `%%` replaced; `folder` is for the test's own files."""
    table = {
        "%%": "%",
        "%s": str(file),
        "%S": str(file.parent),
        "%t": str(folder / f"{file.name}.tmp"),
        "%T": str(folder),
    }
    return re.sub(r"%[%sStT]", lambda match: table[match[0]], command)
