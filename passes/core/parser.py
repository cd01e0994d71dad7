"""A parser of MLIR text that knows where each op stands, and reads faster than xDSL's."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, IntegerType, StringAttr, UnknownLoc
from xdsl.ir import Operation, TypeAttribute
from xdsl.parser import Parser, ParserState
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

_TOKEN = re.compile(
    r"""(?:[ \t\r\n]++|//[^\n]*+)*+
        (?:(%(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*))|([a-zA-Z_][a-zA-Z0-9_$.]*)|(->|[:,()}\[\]<>=]|\{(?!-\#)))""",
    re.VERBOSE,
)


_WIDEST = (1 << 24) - 1


class FastLexer(MLIRLexer):
    """Yields what xDSL's lexer does; it finds values, names and brackets by one regular expression."""

    # xDSL's own takes time exponential in the length of a text that does not end: this one never goes back.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def __init__(self, text: Input[str]):
        super().__init__(text)
        self._content = text.content

    def lex(self) -> MLIRToken:
        match = _TOKEN.match(self._content, self.pos)
        if match is None:
            return super().lex()
        group = match.lastindex
        if group == 1:
            kind = MLIRTokenKind.PERCENT_IDENT
        elif group == 2:
            kind = MLIRTokenKind.BARE_IDENT
        else:
            kind = KIND_BY_PUNCTUATION_SPELLING[match[3]]
        start, self.pos = match.span(group or 0)
        return Token(kind, _span(start, self.pos, self.input))


def _span(start: int, end: int, text: Input[str]) -> Span[str]:
    """Return a span without the checks by which a frozen dataclass sets its fields one by one."""
    span: Span[str] = object.__new__(Span)
    span.__dict__.update(start=start, end=end, input=text, line_offset=0)
    return span


class LocatingParser(Parser):
    """A parser that gives each op without a location the line and column at which it stands."""

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        self._filename = StringAttr(name)
        self._line_starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]
        self._start = 0
        self._resources: dict[tuple[str, str], str] = {}
        self._parser_state = ParserState(FastLexer(Input(text, name)))

    def place(self, position: int | None = None) -> tuple[int, int]:
        """Return the line and column of a character, by default of the op whose parsing began last."""
        start = self._start if position is None else position
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1] + 1

    def parse_operation(self) -> Operation:
        self._start = start = self._current_token.span.start
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            line, column = self.place(start)
            op.location = FileLineColLoc.new((self._filename, _number(line), _number(column)))
        return op

    def parse_optional_str_literal(self) -> str | None:
        # What is printed with escapes, such as letters beyond ASCII, is bytes for xDSL, where it was a string before.
        token = self._current_token
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return super().parse_optional_str_literal()
        try:
            text = StringLiteral.from_span(token.span).bytes_contents.decode("utf-8")
        except UnicodeDecodeError:
            return None
        self._consume_token()
        return text

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        # Values of wider types would fill the memory: upstream has the same limit (IntegerType::kMaxWidth).
        span = self._current_token.span
        found = super()._parse_optional_integer_or_float_type()
        if isinstance(found, IntegerType) and cast("IntegerType[Any, Any]", found).width.data > _WIDEST:
            self.raise_error(f"integers have at most {_WIDEST} bits", span)
        return cast("TypeAttribute | None", found)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:
            # xDSL blames the token after the name, which may stand on another line.
            raise ParseError(Span(self._start, self._start, self.lexer.input), error.msg) from error

    def _parse_dialect_resource_handle(self, dialect_name: str, interface: OpAsmDialectInterface) -> str:
        # xDSL forgets a name that it had to change because another text of this process used it, and so the contents.
        name = self.parse_identifier(" for resource handle")
        if (dialect_name, name) not in self._resources:
            self._resources[dialect_name, name] = interface.declare_resource(name)
        return self._resources[dialect_name, name]


@lru_cache(1 << 16)
def _number(value: int) -> IntAttr:
    return IntAttr(value)
