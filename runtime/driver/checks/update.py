"""
`opt-tool --update-checks`: writes the CHECK lines of lit tests from the output that their RUN lines give.

Lines written by hand stay as they are; only blocks below the comment `MARKER` are replaced.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from ....errors import Diagnostic
from ....files import check_places, read_text, write_stdout, write_text
from ..run_lines.filecheck import filecheck
from ..run_lines.script import ScriptError, run_lines
from ..run_lines.shell import Tool
from .output import Exclusions, OutputItem, items_of
from .recording import Reading, fault, readings, varying_paths
from .source import MARKER, LitSource, hand_written, source_of, with_blocks

_ROUNDS = 4
"""Runs after which the output has to be that of the last: CHECK lines shift the line numbers of errors once."""
_SHOWN = 6
"""Lines of filecheck's output that an error shows."""


def update_files(files: Sequence[str], opt_tool: Tool) -> int:
    """Update the CHECK lines of lit tests and return the exit code: 1 if there is an error in one of them."""
    code = 0
    for file in files:
        try:
            is_new = update(Path(file), opt_tool)
        except Diagnostic as error:
            print(error, file=sys.stderr)
            code = 1
        else:
            write_stdout(f"{file}: {'updated' if is_new else 'unchanged'}\n")
    return code


def update(file: Path, opt_tool: Tool) -> bool:
    """
    Write the CHECK lines of a lit test into it, whole or not at all; return whether its text changes.

    Raises Diagnostic where it cannot be read or written, has no RUN line with a filecheck or only CHECK lines that are
    written by hand, where a RUN line fails, and where the output differs from run to run.
    """
    if find_spec("filecheck") is None:
        raise Diagnostic("filecheck is not installed", remedy="pip install 'tilewright[dev]'")
    text = read_text(str(file))
    _check_writable(file)
    try:
        updated = _updated(text, file.absolute(), {"opt-tool": opt_tool, "filecheck": filecheck})
    except ScriptError as error:
        example = "begin the file with a line '// RUN: opt-tool %s -p PASS | filecheck %s'"
        remedy = example if "no RUN line" in str(error) else "mend the line"
        raise Diagnostic(str(error), source=str(file), remedy=remedy) from error
    except Diagnostic as error:
        error.source = error.source or str(file)
        raise
    if updated != text:
        write_text(file, updated)
    return updated != text


def _check_writable(file: Path) -> None:
    check_places({"--update-checks": file})
    if not file.stat().st_mode & 0o222 or not os.access(file, os.W_OK):
        raise Diagnostic("the test is read-only", source=str(file), remedy=f"chmod +w {file}")


def _updated(text: str, file: Path, tools: Mapping[str, Tool]) -> str:
    """Return the text of a test with its CHECK lines. Its commands run until their output stays."""
    source = source_of(text)
    current = _without_unread(text, source)
    for _ in range(_ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            recorded = readings(current, file, folder, tools)
            prefixes = frozenset(prefix for reading in recorded for prefix in reading.prefixes)
            excluded = Exclusions(varying_paths(file, folder), prefixes)
            following = with_blocks(source, _outputs(source, recorded), excluded)
            if following == current:
                _check_passes(recorded, folder, tools)
                return current
            current = following
    raise Diagnostic(
        "the output differs from run to run",
        expected="the same output, so that CHECK lines match the next one",
        remedy="write the CHECK lines of this output by hand",
    )


def _without_unread(text: str, source: LitSource) -> str:
    """Return a test without its blocks, where no RUN line reads one of them any more."""
    try:
        run_lines(text)
    except ScriptError:
        return "\n".join(source.lines)
    return text


def _outputs(source: LitSource, recorded: Sequence[Reading]) -> dict[str, list[OutputItem]]:
    """
    Return the output that the CHECK lines of each prefix describe.

    Of several prefixes that one filecheck reads, the first is chosen that all filechecks of it read on equal outputs.
    """
    if not recorded:
        raise Diagnostic(
            "no RUN line has a filecheck of this file",
            expected="a command that ends with '| filecheck %s'",
            remedy="add it; errors that are expected are checked by --verify-diagnostics alone",
        )
    texts: dict[str, set[str]] = {}
    for reading in recorded:
        for prefix in reading.prefixes:
            texts.setdefault(prefix, set()).add(reading.text)
    chosen: dict[str, str] = {}
    for reading in recorded:
        prefix = next((prefix for prefix in reading.prefixes if len(texts[prefix]) == 1), "")
        if not prefix:
            raise Diagnostic(
                f"RUN lines with the prefix {reading.prefixes[0]} have different outputs",
                remedy="give each a prefix of its own: filecheck %s --check-prefix=NAME",
            )
        chosen.setdefault(prefix, reading.text)
    ours = {prefix for prefix in chosen if prefix in source.prefixes or not hand_written(source, prefix)}
    if not ours:
        raise Diagnostic(
            "the CHECK lines are written by hand",
            expected=f"none, or blocks below '{MARKER}'",
            found=f"lines of {', '.join(chosen)}",
            remedy="delete them, or add a RUN line with another --check-prefix",
        )
    return {prefix: items_of(chosen[prefix]) for prefix in chosen if prefix in ours}


def _check_passes(recorded: Sequence[Reading], folder: Path, tools: Mapping[str, Tool]) -> None:
    """Raise Diagnostic where CHECK lines do not match the output that they are from."""
    if report := fault(recorded, folder, tools):
        raise Diagnostic(
            "the CHECK lines do not match the output",
            notes=report.strip().splitlines()[:_SHOWN],
            remedy="mend or delete the lines that are written by hand",
        )
