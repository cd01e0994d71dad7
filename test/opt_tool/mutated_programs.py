"""Mutated `.mlir` files for opt-tool, which has to refuse each with a clear error or compile it correctly."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.opt_tool import main
from tilewright.runtime.driver.run_lines.script import run_lines

_TESTS = Path(__file__).parent.parent
_FOLDERS = ("passes", "dialects", "opt_tool", "targets")
_COMMAND = re.compile(r"^opt-tool %s -p ('[^']+'|\S+) \| filecheck %s$")


@dataclass(frozen=True)
class Program:
    """A program, and the passes that run on it."""

    text: str
    passes: str


@cache
def programs() -> tuple[Program, ...]:
    """Return the programs of the lit tests that say only which passes run; `Inputs` hold no tests."""
    found: list[Program] = []
    files = [path for folder in _FOLDERS for path in (_TESTS / folder).rglob("*.mlir")]
    for path in sorted(path for path in files if path.parent.name != "Inputs"):
        text = path.read_text("utf-8")
        lines = [line for line in text.splitlines() if "CHECK" not in line and "RUN:" not in line]
        matches = [match for line in run_lines(text) if (match := _COMMAND.match(line))]
        folder = str(path.parent)
        found += [Program("\n".join(lines), match[1].strip("'").replace("%S", folder)) for match in matches]
    return tuple(found)


def mutated(text: str, random: Random) -> str:
    """Return a text with one to three changes: of bytes, of words, of lines, of the end."""
    for _ in range(random.choice((1, 1, 2, 3))):
        text = random.choice(CHANGES)(text, random)
    return text


_NUMBERS = (
    "0",
    "-1",
    "1",
    "7",
    "65536",
    "2147483648",
    "9223372036854775807",
    "99999999999999999999",
    "0x7F",
    "1.5",
    "?",
)
_WORD = re.compile(r"[\w.@%#!]+")


def _word(text: str, random: Random) -> str:
    """Replace a word by another of the text."""
    words = list(_WORD.finditer(text))
    if not words:
        return text
    place, other = random.choice(words), random.choice(words)
    return text[: place.start()] + other[0] + text[place.end() :]


def _number(text: str, random: Random) -> str:
    numbers = list(re.finditer(r"-?\d+", text))
    if not numbers:
        return text
    place = random.choice(numbers)
    return text[: place.start()] + random.choice(_NUMBERS) + text[place.end() :]


def _type(text: str, random: Random) -> str:
    places = list(re.finditer(r"\b(?:u?i(?:1|8|16|32|64)|b?f\d+|index|memref|tensor)\b", text))
    if not places:
        return text
    place = random.choice(places)
    kinds = ("i1", "i8", "i33", "ui8", "f16", "f32", "f64", "bf16", "index", "none", "tensor", "memref", "i0")
    return text[: place.start()] + random.choice(kinds) + text[place.end() :]


def _truncated(text: str, random: Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def _characters(text: str, random: Random) -> str:
    start = random.randrange(len(text) + 1)
    inserted = random.choice(("", "{", "}", "(", ")", "<", ">", '"', "%", "@", "\0", "ü", "\\", "//", "-"))
    return text[:start] + inserted + text[start + random.randrange(3) :]


def _line(text: str, random: Random) -> str:
    """Drop, double or move a line."""
    lines = text.split("\n")
    index = random.randrange(len(lines))
    line = lines.pop(index)
    copies = random.choice(([], [line], [line, line]))
    place = index if len(copies) != 1 else random.randrange(len(lines) + 1)
    return "\n".join([*lines[:place], *copies, *lines[place:]])


CHANGES: Sequence[Callable[[str, Random], str]] = (
    _word,
    _word,
    _number,
    _number,
    _type,
    _truncated,
    _characters,
    _line,
)
"""What changes a part of a text."""


def mutant(seed: int) -> Program:
    """Return the program of a number."""
    random, known = Random(seed), programs()
    program = known[seed % len(known)]
    return Program(mutated(program.text, random), program.passes)


def outcome_of(program: Program, folder: Path) -> str:
    """
    Return "refused" or "compiled" for a program; raises AssertionError for whatever else comes of it.

    What is refused has an error that is not the tool's, and leaves no output; what is compiled reads back and verifies.
    """
    source, target = folder / "mutated.mlir", folder / "out.mlir"
    source.write_text(program.text, "utf-8")
    target.unlink(missing_ok=True)
    with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
        code = main([str(source), "-p", program.passes, "-o", str(target)])
    said = errors.getvalue()
    assert "Traceback" not in said, said
    assert "internal error" not in said, said
    if code:
        assert "error:" in said, said or "no error"
        assert not target.exists(), "a partial output"
        assert not re.search(r"the IR does not verify after|pass '[^']*' left", said), said
        return "refused"
    verify(parse_module(new_context(), target.read_text("utf-8"), str(target)))
    return "compiled"
