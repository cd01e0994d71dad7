"""Analysis of a document: its index, and the errors of syntax and verification in all of its chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import ParseError

from ...dialects.core.analysis.intervals import Range
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.syntax.occurrences import Occurrences, ParsingCancelled, RecordingParser
from ...dialects.core.syntax.text import parse_module
from ...dialects.core.verification.verifier import verification_errors
from ...errors import Diagnostic
from ..driver.chunks import Chunk, split
from ..driver.expected import Expectation, check, expectations
from .index import DocumentIndex, TextRange
from .index_builder import ChunkBuilder

_MARKER = "// -----"
_MOST_ERRORS = 20
"""Syntax errors of a chunk that are reported: each one is a further parse of the chunk."""
_RUN = re.compile(r"^\s*//\s*RUN:(.*(?:\\\n.*RUN:.*)*)", re.MULTILINE)
_PLAIN = re.compile(
    r"\s*opt-tool\s+(?:%s\s*|--?split-input-file\S*\s*|--?verify-diagnostics\S*\s*|--?allow-unregistered-dialect\s*)+$"
)
"""Command that verifies and does nothing else: all errors that it expects are of parsing and verification."""
_PLACE = re.compile(r".*:(\d+):(\d+)", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[%#!^@]?[\w$.-]+|\S')
_COMMENTS = re.compile(r"//[^\n]*")
NAME = "document"
"""Name of the document in the places of errors."""


@dataclass(frozen=True)
class LocatedError:
    """Error at a range of the document; `is_expected` where an `expected-error` comment says that it comes."""

    range: TextRange
    error: Diagnostic
    is_expected: bool = False


@dataclass
class Analysis:
    """Index and problems of a document, and its verified modules."""

    index: DocumentIndex
    problems: list[LocatedError] = field(default_factory=list[LocatedError])
    modules: list[tuple[TextRange, ModuleOp]] = field(default_factory=list[tuple[TextRange, ModuleOp]])
    """Modules without an error, by their chunk."""

    @cached_property
    def _ranges(self) -> ValueRanges:
        return ValueRanges(carried=True)

    def module_at(self, offset: int) -> ModuleOp | None:
        """Return the module of the chunk that a position is in, if that has no error."""
        return next((module for chunk, module in self.modules if chunk.start <= offset <= chunk.end), None)

    def value_range(self, value: SSAValue, offset: int) -> Range | None:
        """Return the interval of a value in a chunk without errors; None for one that is no integer."""
        return None if self.module_at(offset) is None else self._ranges.of(value)


def analyse(text: str, contexts: Mapping[bool, Context], is_stale: Callable[[], bool] = lambda: False) -> Analysis:
    """
    Return the analysis of a document.

    `contexts` are the one that refuses unregistered dialects and, at True, the one that accepts them, which the RUN
    lines ask for. Raises ParsingCancelled as soon as `is_stale` says that the text is no longer wanted.
    """
    commands = [match[1] for match in _RUN.finditer(text)]
    context = contexts[any("allow-unregistered-dialect" in command for command in commands)]
    verifying = [command for command in commands if "verify-diagnostics" in command]
    is_complete = any(_PLAIN.match(command) for command in verifying)
    analysis = Analysis(DocumentIndex(text))
    start = 0
    for chunk in split(text, _MARKER):
        if not _COMMENTS.sub("", chunk.text).strip():
            continue
        if is_stale():
            raise ParsingCancelled
        start = text.index(chunk.text, start)
        problems = _Chunk(analysis, context, chunk, start, is_stale).problems()
        analysis.problems += _compared(problems, chunk, start, is_complete) if verifying else problems
        start += len(chunk.text)
    analysis.index.finish()
    return analysis


class _Chunk:
    """One chunk at work."""

    def __init__(
        self, analysis: Analysis, context: Context, chunk: Chunk, start: int, is_stale: Callable[[], bool]
    ) -> None:
        self._analysis = analysis
        self._context = context
        self._chunk = chunk
        self._start = start
        self._is_stale = is_stale
        self._padding = "\n" * (chunk.first_line - 1)
        self._shift = start - len(self._padding)
        """Position in the document of the first character of the text that the parser has, which begins at line 1."""

    def problems(self) -> list[LocatedError]:
        """Parse, index and verify the chunk; return its errors."""
        errors, parsed, module = self._parsed()
        ChunkBuilder(self._analysis.index, self._chunk.text, self._start, self._shift).build(parsed)
        if module is None:
            return errors
        texts = {record.op: record for part in parsed for record in part.ops.values()}
        for op, error in verification_errors(module):
            record = texts.get(op)
            parent = op.parent_op()
            while record is None and parent is not None:
                record, parent = texts.get(parent), parent.parent_op()
            start = self._start if record is None else record.start
            end = start if record is None else max(record.name_end, start)
            errors.append(LocatedError(TextRange(start, end), error))
        if not errors:
            chunk = TextRange(self._start, self._start + len(self._chunk.text))
            self._analysis.modules.append((chunk, module))
        return errors

    def _parsed(self) -> tuple[list[LocatedError], list[Occurrences], ModuleOp | None]:
        """
        Return the errors of syntax, the occurrences and, without errors, the module.

        After an error the text is parsed once more, without the outer op that the error is in.
        """
        errors: list[LocatedError] = []
        parsed: list[Occurrences] = []
        text, blanked = self._chunk.text, list[TextRange]()
        while True:
            occurrences, error, module = self._parse(text)
            if error is None:
                parsed.append(_without(occurrences, blanked))
                return errors, parsed, module if not errors else None
            errors.append(error)
            op = _broken_op(self._padding + text, error.range.start - self._shift, occurrences)
            if op is None or len(errors) == _MOST_ERRORS:
                parsed.append(_without(occurrences, blanked))
                return errors, parsed, None
            for unfinished in (record for record in occurrences.ops.values() if record.end < 0):
                unfinished.end = op.end
            parsed.append(_without(_within(occurrences, op), blanked))
            blanked.append(op)
            start, end = op.start - len(self._padding), op.end - len(self._padding)
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
            if not _COMMENTS.sub("", text).strip():
                return errors, parsed, None

    def _parse(self, text: str) -> tuple[Occurrences, LocatedError | None, ModuleOp | None]:
        parsers: list[RecordingParser] = []

        def new_parser(context: Context, text: str, name: str) -> RecordingParser:
            parser = RecordingParser(context, text, name, self._is_stale)
            parsers.append(parser)
            return parser

        parse = partial(parse_module, self._context, text, NAME, first_line=self._chunk.first_line)
        try:
            module = parse(new_parser=new_parser)
        except Diagnostic as error:
            occurrences = parsers[-1].occurrences if parsers else Occurrences()
            return occurrences, LocatedError(self._range_of(error), error), None
        return parsers[-1].occurrences, None, module

    def _range_of(self, error: Diagnostic) -> TextRange:
        """Return the range of a syntax error: that of xDSL's, widened to a token where it is empty."""
        document = self._analysis.index.text
        cause = error.__cause__
        if isinstance(cause, ParseError):
            start, end = cause.span.start + self._shift, cause.span.end + self._shift
        elif (place := _PLACE.fullmatch(error.where)) is not None:
            lines = self._chunk.text.split("\n")
            line, column = int(place[1]) - self._chunk.first_line, int(place[2]) - 1
            start = end = self._start + sum(len(before) + 1 for before in lines[:line]) + column
        else:
            start = end = self._start
        limit = self._start + len(self._chunk.text)
        start, end = min(max(start, self._start), limit), min(end, limit)
        token = _TOKEN.match(document, start)
        if end <= start and token is not None:
            end = token.end()
        return TextRange(start, max(start, end))


_FOLLOWING = r"^[ \t]{{0,{indent}}}(?=[^\s}})\]^/])"
"""Begin of the next op at the indentation of one, or less: neither a bracket, a block nor a comment."""
_ALIAS_LINE = re.compile(r"[#!][\w$.-]+[ \t]*=")


def _broken_op(text: str, position: int, occurrences: Occurrences) -> TextRange | None:
    """
    Return the lines of the outermost op around an error that is no symbol table, by the indentation of what follows.

    None where the error is in the definition of an alias, whose uses would be errors too.
    """
    around = [op for op in occurrences.ops.values() if op.start <= position and (op.end < 0 or position < op.end)]
    outer = next((op for op in around if op.kind is None or not op.kind.has_trait(SymbolTable)), None)
    start = text.rfind("\n", 0, position if outer is None else outer.start) + 1
    opening = text[start:].lstrip(" \t")
    if _ALIAS_LINE.match(opening):
        return None
    indent = len(text) - start - len(opening)
    following = re.compile(_FOLLOWING.format(indent=indent), re.MULTILINE)
    # The bracket that closes the op around this one is less indented than this one.
    closing = re.compile(rf"^[ \t]{{0,{indent - 1}}}[}})\]]", re.MULTILINE) if indent else None
    ends = [
        pattern.search(text, text.find("\n", position) + 1 or len(text)) for pattern in (following, closing) if pattern
    ]
    return TextRange(start, min((match.start() for match in ends if match), default=len(text)))


def _filtered(occurrences: Occurrences, keep: Callable[[int], bool]) -> Occurrences:
    def kept(places: dict[int, Any]) -> dict[int, Any]:
        return {start: place for start, place in places.items() if keep(start)}

    ops, definitions, uses = kept(occurrences.ops), kept(occurrences.definitions), kept(occurrences.uses)
    blocks, symbols = kept(occurrences.blocks), kept(occurrences.symbols)
    return replace(occurrences, ops=ops, definitions=definitions, uses=uses, blocks=blocks, symbols=symbols)


def _within(occurrences: Occurrences, range: TextRange) -> Occurrences:
    return _filtered(occurrences, lambda start: range.start <= start < range.end)


def _without(occurrences: Occurrences, ranges: Sequence[TextRange]) -> Occurrences:
    """Return the occurrences outside of ranges, which another parse has found."""
    if not ranges:
        return occurrences
    return _filtered(occurrences, lambda start: not any(range.start <= start < range.end for range in ranges))


def _compared(problems: Sequence[LocatedError], chunk: Chunk, start: int, is_complete: bool) -> list[LocatedError]:
    """
    Return the problems of a chunk with those marked that its `expected-error` comments expect.

    With `is_complete`, an error that is expected and does not come is a problem too.
    """
    try:
        expected = expectations(chunk.text, NAME, chunk.first_line)
    except Diagnostic as error:
        return [*problems, LocatedError(_line_of(chunk, start, int(error.where.rpartition(":")[2])), error)]
    compared: list[LocatedError] = []
    for problem in problems:
        line = chunk.text.count("\n", 0, problem.range.start - start) + chunk.first_line
        shown = replace(problem.error, where=f"{NAME}:{line}:1")
        missing = check(expected, [shown], chunk.text, NAME, chunk.first_line, only_expected=True)
        is_expected = len(missing) < len(expected)
        compared.append(replace(problem, is_expected=is_expected))
        if is_expected:
            lines = {_missing_key(one) for one in missing}
            expected = [one for one in expected if _expected_key(one) in lines]
    if is_complete:
        left = check(expected, [], chunk.text, NAME, chunk.first_line)
        compared += [LocatedError(_line_of(chunk, start, int(error.where.rpartition(":")[2])), error) for error in left]
    return compared


def _missing_key(error: Diagnostic) -> tuple[int, str]:
    return int(error.where.rpartition(":")[2]), error.message.partition(": ")[2]


def _expected_key(expectation: Expectation) -> tuple[int, str]:
    return expectation.at, expectation.text


def _line_of(chunk: Chunk, start: int, line: int) -> TextRange:
    """Return the range of a line of the document, which is one of the chunk's."""
    lines = chunk.text.split("\n")
    index = min(max(line - chunk.first_line, 0), len(lines) - 1)
    first = start + sum(len(before) + 1 for before in lines[:index])
    return TextRange(first, first + len(lines[index]))
