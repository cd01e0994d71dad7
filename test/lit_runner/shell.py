"""
Runs a lit test's command lines: opt-tool and filecheck inside this process, thirty times faster, others outside.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_TOKEN = re.compile(
    r"""\s*(?:(?P<op>2>&1|&&|2>|>>|[|<>])|(?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|<>;&$`*])+))"""
)


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: bytes = b""
    err: bytes = b""


def run_line(line: str) -> Result:
    """Run one command line in the current folder."""
    tokens = _tokens(line)
    if tokens is None:
        return _outside(["bash", "-o", "pipefail", "-c", line], b"")
    out = err = b""
    for pipeline in _split(tokens, "&&"):
        result = _run_pipeline(pipeline)
        out, err = out + result.out, err + result.err
        if result.code:
            return Result(result.code, out, err)
    return Result(0, out, err)


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


def _run_pipeline(tokens: Sequence[str]) -> Result:
    data = err = b""
    code = 0
    for command in _split(tokens, "|"):
        result = _run_redirected(command, data)
        data = result.out
        err += result.err
        code = result.code or code
    return Result(code, data, err)


def _run_redirected(tokens: Sequence[str], data: bytes) -> Result:
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
    result = _run_command(words, data)
    out, err = (result.out + result.err, b"") if "2>&1" in files else (result.out, result.err)
    for operator, mode in ((">", "wb"), (">>", "ab")):
        if operator in files:
            with open(files[operator], mode) as stream:
                stream.write(out)
            out = b""
    if "2>" in files:
        Path(files["2>"]).write_bytes(err)
        err = b""
    return Result(result.code, out, err)


def _run_command(words: Sequence[str], data: bytes) -> Result:
    if not words:
        return Result(127, err=b"there is no command\n")
    if words[0] == "not":
        result = _run_command(words[1:], data)
        return Result(int(result.code in (0, 70, 127)), result.out, result.err)
    inside = TOOLS.get(words[0])
    return _inside(inside, list(words), data) if inside else _outside(words, data)


def _opt_tool(words: list[str]) -> int:
    from tilewright.opt_tool import main

    return main(words[1:])


def _filecheck(words: list[str]) -> int:
    from filecheck.main import main

    try:
        main(words)
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


TOOLS: dict[str, Callable[[list[str]], int]] = {"opt-tool": _opt_tool, "filecheck": _filecheck}
"""The commands that run inside this process, given their words, the name first."""


def _inside(main: Callable[[list[str]], int], words: list[str], data: bytes) -> Result:
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
    return Result(code, _bytes(out), _bytes(err))


def _bytes(stream: io.TextIOWrapper) -> bytes:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _outside(words: Sequence[str], data: bytes) -> Result:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    try:
        done = subprocess.run(
            list(words), input=data, capture_output=True, env=os.environ | {"PATH": path}, check=False
        )
    except OSError as error:
        return Result(127, err=f"{words[0]}: {error.strerror}\n".encode())
    return Result(done.returncode, done.stdout, done.stderr)
