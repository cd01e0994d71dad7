"""A lexer of MLIR text that yields what xDSL's does, the common tokens by one regular expression and thus faster."""

from __future__ import annotations

import re

from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind

_TOKEN = re.compile(
    r"""(?:[ \t\r\n]+|//[^\n]*)*
        (?:(%(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*))|([a-zA-Z_][a-zA-Z0-9_$.]*)|(->|[:,()}\[\]<>=]|\{(?!-\#)))""",
    re.VERBOSE,
)


class FastLexer(MLIRLexer):
    """The lexer: values, names and brackets are found here, everything else by xDSL."""

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
