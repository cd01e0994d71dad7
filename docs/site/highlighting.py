"""Highlighting by Pygments, with a lexer of MLIR's syntax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, bygroups  # pyright: ignore[reportUnknownVariableType]
from pygments.lexers import LEXERS  # pyright: ignore[reportUnknownVariableType]
from pygments.lexers.c_cpp import CLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["MlirLexer"]

_KINDS = "tensor|memref|vector|complex|tuple|strided|affine_map|affine_set|array|dense|dense_resource"
_SCALARS = r"[su]?i\d+|b?f\d+|f\d+[A-Z]\w*|tf32|index|none"


class MlirLexer(RegexLexer):
    """Tokens of MLIR: names of ops, values, symbols, types and attributes."""

    name = "MLIR"
    aliases: ClassVar = ["mlir"]
    filenames: ClassVar = ["*.mlir"]
    tokens: ClassVar = {
        "root": [
            (r"//.*$", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String),
            (r"%[\w$.-]+(?:#\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[!#][\w$]+(?:\.[\w$]+)*", Keyword.Type),
            (rf"\b(?:{_SCALARS})\b", Keyword.Type),
            (rf"(?<![\w.])((?:\d+x|\?x|\*x)+)((?:{_SCALARS})\b)?", bygroups(Number, Keyword.Type)),
            (rf"\b(?:{_KINDS})\b", Keyword.Type),
            (r"\b(?:true|false|unit|loc)\b", Keyword.Constant),
            (r"[A-Za-z_]\w*(?:\.[A-Za-z_][\w$]*)+", Name.Builtin),
            (r"-?\b(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\b", Number),
            (r"[A-Za-z_$][\w$]*", Name),
            (r"->|==|>=|<=|[=:+*/-]", Operator),
            (r"[()\[\]{}<>,|?.]", Punctuation),
            (r"\s+", Whitespace),
            (r".", Punctuation),
        ]
    }


def register() -> None:
    """Make the lexer known to Pygments under its aliases."""
    entry = (MlirLexer.__module__, MlirLexer.name, tuple(MlirLexer.aliases), tuple(MlirLexer.filenames), ())
    LEXERS[MlirLexer.__name__] = entry


def highlighted(lines: Sequence[str], language: str) -> list[str]:
    """Return the HTML of lines of C or MLIR."""
    lexer = {"c": CLexer, "mlir": MlirLexer}[language](stripnl=False)
    formatter = HtmlFormatter[str](nowrap=True)
    return highlight("\n".join(lines), lexer, formatter).splitlines()
