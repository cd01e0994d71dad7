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
_SUFFIX = r"-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+)"
_CHECK = re.compile(rf"//\s*([A-Z][A-Z0-9_-]*?)({_SUFFIX})?(?:\{{LITERAL\}})?:")
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
    """
    Raise ScriptError for CHECK lines that no filecheck reads; one that has none to read fails by itself.

    A word before a colon is a prefix if it has a suffix somewhere, as in `AFTER-NEXT:`, or begins with CHECK: other
    capitals are remarks, such as `NOTE:`.
    """
    used = {prefix for line in lines for command in line.split("|") for prefix in _prefixes_of(command)}
    written = {match[1] for match in _CHECK.finditer(text) if match[2] or match[1].startswith("CHECK")}
    if unread := sorted(written - used):
        raise ScriptError(f"no filecheck reads the lines {', '.join(unread)}: add '| filecheck %s' to a RUN line")


def _prefixes_of(command: str) -> list[str]:
    """Return the prefixes of the CHECK lines that a command of a pipeline reads from its own file."""
    if not re.search(r"\bfilecheck\b.*%s", command):
        return []
    return [name for names in _PREFIXES.findall(command) or ["CHECK"] for name in names.split(",")]


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
