"""
`--verify-diagnostics`: comparison of the errors that a file expects with those that are reported.

    // expected-error@+1 {{there is no ml_program.global @k}}
    %0 = ml_program.global_load @k : i32

Remarks are compared too where they are asked for: `expected-remark {{missed fusion}}`.
In a text of `expected-error-re`, parts in further braces are regular expressions: `{{operand {{[0-9]+}} of}}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import Diagnostic
from ...passes.core.remarks import Remark

_COMMENT = re.compile(
    r"""expected-(error|warning|note|remark)
        (?:\s*(@[+-]\d+|@above|@below|@unknown)?\s*\{\{(.*?)\}\}(?!\})
         |-re\s*(@[+-]\d+|@above|@below|@unknown)?\s*\{\{((?:\{\{.*?\}\}(?!\})|.)*?)\}\}(?!\}))""",
    re.VERBOSE,
)
_REGEX = re.compile(r"\{\{(.*?)\}\}(?!\})")
_MENTION = re.compile(r"expected-(?:error|warning|note|remark)\b")
_NOTE_PLACE = re.compile(r"(.*?):(\d+):(\d+): ", re.DOTALL)
_PLACE = re.compile(r"^(.*):(\d+):(\d+)$", re.DOTALL)


@dataclass(frozen=True)
class Expectation:
    """
    A message that must come on `line` of the file, None for one without a place; `at` is the comment's line.

    `text` is what the comment says, `pattern` what must be found in the message.
    """

    kind: str
    text: str
    pattern: re.Pattern[str]
    line: int | None
    at: int


def expectations(text: str, source: str, first_line: int = 1) -> list[Expectation]:
    """
    Return the diagnostics that the comments of `text` expect; `first_line` is the line of the file at which it begins.

    Raises Diagnostic for a comment that is malformed.
    """
    lines = text.split("\n")
    comments = [line.partition("//")[2] for line in lines]
    marked = {index for index, comment in enumerate(comments) if _MENTION.search(comment)}
    expected: list[Expectation] = []
    for index in sorted(marked):
        matches = _COMMENT.findall(comments[index])
        if len(matches) != len(_MENTION.findall(comments[index])):
            raise Diagnostic(
                "the comment is malformed",
                where=f"{source}:{first_line + index}",
                expected="expected-error {{text}}, with @+1, @-1, @above, @below or @unknown after 'error'",
                found=comments[index].strip(),
            )
        for kind, place, message, place_re, message_re in matches:
            line = _line(place or place_re, index, marked)
            line = None if line is None else first_line + line
            pattern = _pattern(message_re, f"{source}:{first_line + index}") if message_re else re.escape(message)
            expected.append(Expectation(kind, message or message_re, re.compile(pattern), line, first_line + index))
    return expected


def _pattern(text: str, where: str) -> str:
    """Return the regular expression of a text whose parts in braces are some. Raises Diagnostic where they are none."""
    parts = _REGEX.split(text)
    pattern = "".join(f"(?:{part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))
    try:
        re.compile(pattern)
    except re.error as error:
        raise Diagnostic(f"the regular expression is malformed: {error}", where=where, found=text) from error
    return pattern


def _line(place: str, index: int, marked: set[int]) -> int | None:
    """Return the index of the line that a comment on line `index` speaks of."""
    if place == "@unknown":
        return None
    if place in ("@above", "@below"):
        step = 1 if place == "@below" else -1
        index += step
        while index in marked:
            index += step
        return index
    return index + int(place[1:] or 0)


def check(
    expected: Sequence[Expectation],
    came: Sequence[Diagnostic],
    text: str,
    source: str,
    first_line: int = 1,
    *,
    remarks: Sequence[Remark] = (),
    only_expected: bool = False,
) -> list[Diagnostic]:
    """
    Return an error for each expected message that did not come and for each error or remark that was not expected.

    With `only_expected` what was not expected is none.
    """
    left = list(expected)
    problems: list[Diagnostic] = []
    for diagnostic in came:
        lines = _lines_of(diagnostic.where, text, source, first_line)
        match = _take(left, "error", lines, _searched(diagnostic))
        if match is None and not only_expected:
            problems.append(_unexpected(diagnostic, left))
        for note in diagnostic.notes:
            place = _NOTE_PLACE.match(note)
            is_placed = place is not None and place[1] == source
            _take(left, "note", {int(place[2])} if place and is_placed else lines, note)
    for remark in remarks:
        lines = _lines_of(remark.where, text, source, first_line)
        match = _take(left, "remark", lines, remark.text)
        if match is None and not only_expected:
            problems.append(Diagnostic(f"unexpected remark: {remark.text}", remark.where))
    return problems + [
        Diagnostic(f"expected {expectation.kind} did not come: {expectation.text}", where=f"{source}:{expectation.at}")
        for expectation in left
    ]


def _searched(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.message, diagnostic.expected, diagnostic.found, diagnostic.remedy)
    return "\n".join(part for part in parts if part)


def _take(left: list[Expectation], kind: str, lines: set[int | None], text: str) -> Expectation | None:
    """Remove and return the first expectation that a message on one of `lines` fulfils."""
    for expectation in left:
        if expectation.kind == kind and expectation.line in lines and expectation.pattern.search(text):
            left.remove(expectation)
            return expectation
    return None


def _unexpected(diagnostic: Diagnostic, left: Sequence[Expectation]) -> Diagnostic:
    diagnostic.message = f"unexpected error: {diagnostic.message}"
    near = next((expectation for expectation in left if expectation.kind == "error"), None)
    if near is not None and not diagnostic.expected:
        diagnostic.expected = f"'{near.text}' " + (f"on line {near.line}" if near.line else "without a place")
    return diagnostic


def _lines_of(where: str, text: str, source: str, first_line: int) -> set[int | None]:
    """Return the lines on which an error may be expected: those of its op, or {None} where it has no place."""
    match = _PLACE.match(where)
    if match and match[1] == source:
        return {int(match[2])}
    names = re.findall(r'"([^"]*)"', where) if where.startswith("node ") else []
    marks = [f'"{name}"' for name in names]
    lines = enumerate(text.split("\n"), first_line)
    line_numbers: set[int | None] = {
        number for number, line in lines if "loc(" in line and any(mark in line for mark in marks)
    }
    return line_numbers or {None}
