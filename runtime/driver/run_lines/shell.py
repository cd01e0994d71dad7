"""
Runs a lit test's command lines: its tools inside this process, thirty times faster, other commands outside.

Pipes, `&&`, `not` and redirections are understood; a line with anything else of a shell's goes to bash. A pipeline
fails if any of its commands does.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Tool: TypeAlias = Callable[[list[str]], int]
"""A command in this process: it takes its words, the name first, and returns the exit code."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<op>2>&1|&&|2>|>>|[|<>])|(?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|<>;&$`*])+))"""
)


@dataclass(frozen=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    out: bytes = b""
    err: bytes = b""


def run_line(line: str, tools: Mapping[str, Tool]) -> CommandResult:
    """Run one command line in the current folder; the commands of `tools` run inside this process."""
    tokens = _tokens(line)
    if tokens is None:
        return _outside(["bash", "-o", "pipefail", "-c", line], b"")
    out = err = b""
    for pipeline in _split(tokens, "&&"):
        result = _run_pipeline(pipeline, tools)
        out, err = out + result.out, err + result.err
        if result.code:
            return CommandResult(result.code, out, err)
    return CommandResult(0, out, err)


def is_understood(line: str) -> bool:
    """Return whether a command line runs without bash."""
    return _tokens(line) is not None


def _tokens(line: str) -> list[str] | None:
    """Return the words, unquoted, and the operators, these with a NUL before; None where bash is needed."""
    tokens: list[str] = []
    position, end = 0, len(line.rstrip())
    while position < end:
        match = _TOKEN.match(line, position)
        if not match or line.startswith("||", match.start("op") if match["op"] else 0):
            return None
        tokens.append(f"\0{match['op']}" if match["op"] else "".join(shlex.split(match["word"])))
        position = match.end()
    return tokens


def _split(tokens: Sequence[str], operator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == f"\0{operator}":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _run_pipeline(tokens: Sequence[str], tools: Mapping[str, Tool]) -> CommandResult:
    data = err = b""
    code = 0
    for command in _split(tokens, "|"):
        result = _run_redirected(command, data, tools)
        data = result.out
        err += result.err
        code = result.code or code
    return CommandResult(code, data, err)


def _run_redirected(tokens: Sequence[str], data: bytes, tools: Mapping[str, Tool]) -> CommandResult:
    words: list[str] = []
    files: dict[str, str] = {}
    rest = iter(tokens)
    for token in rest:
        if token == "\x002>&1":
            files["2>&1"] = ""
        elif token.startswith("\0"):
            files[token[1:]] = next(rest)
        else:
            words.append(token)
    if "<" in files:
        data = Path(files["<"]).read_bytes()
    result = _run_command(words, data, tools)
    out, err = (result.out + result.err, b"") if "2>&1" in files else (result.out, result.err)
    for operator, mode in ((">", "wb"), (">>", "ab")):
        if operator in files:
            with open(files[operator], mode) as stream:
                stream.write(out)
            out = b""
    if "2>" in files:
        Path(files["2>"]).write_bytes(err)
        err = b""
    return CommandResult(result.code, out, err)


def _run_command(words: Sequence[str], data: bytes, tools: Mapping[str, Tool]) -> CommandResult:
    if not words:
        return CommandResult(127, err=b"there is no command\n")
    if words[0] == "not":
        result = _run_command(words[1:], data, tools)
        return CommandResult(int(result.code in (0, 70, 127)), result.out, result.err)
    inside = tools.get(words[0])
    return _inside(inside, list(words), data) if inside else _outside(words, data)


def _inside(main: Tool, words: list[str], data: bytes) -> CommandResult:
    """Run a command in this process; an exception that escapes it gives the code 70."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"), out, err
    try:
        code = main(words)
    except Exception:
        traceback.print_exc()
        code = 70
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    out.flush()
    err.flush()
    return CommandResult(code, _bytes(out), _bytes(err))


def _bytes(stream: io.TextIOWrapper) -> bytes:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _outside(words: Sequence[str], data: bytes) -> CommandResult:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    try:
        done = subprocess.run(
            list(words), input=data, capture_output=True, env=os.environ | {"PATH": path}, check=False
        )
    except OSError as error:
        return CommandResult(127, err=f"{words[0]}: {error.strerror}\n".encode())
    return CommandResult(done.returncode, done.stdout, done.stderr)
