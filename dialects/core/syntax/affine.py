"""Affine expressions and maps: their text, with upstream's few parentheses, and a parser that tells what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)
from xdsl.parser.affine_parser import AffineParser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind

_SUM, _PRODUCT = 1, 2


def affine_text(expr: AffineExpr, dims: Sequence[str], symbols: Sequence[str] = (), within: int = _SUM) -> str:
    """
    Return the text of an expression whose dimensions and symbols have these names.

    `within` is the precedence of the operation that it is an operand of. The parser reads the same expression.
    """
    match expr:
        case AffineConstantExpr():
            return str(expr.value)
        case AffineDimExpr():
            return dims[expr.position]
        case AffineSymExpr():
            return symbols[expr.position]
        case AffineBinaryOpExpr():
            precedence = _SUM if expr.kind is AffineBinaryOpKind.Add else _PRODUCT
            left = affine_text(expr.lhs, dims, symbols, precedence)
            if precedence == _SUM and isinstance(expr.rhs, AffineConstantExpr) and expr.rhs.value < 0:
                text = f"{left} - {-expr.rhs.value}"
            else:
                text = f"{left} {expr.kind.get_token()} {affine_text(expr.rhs, dims, symbols, precedence + 1)}"
            return text if precedence >= within else f"({text})"
        case _:
            raise ValueError(f"no affine expression: {expr}")


class PureAffineParser(AffineParser):
    """
    Parser of affine maps and sets; it refuses semi-affine expressions, which xDSL cannot hold, at their operator.

    Values in maps may be one of several results, `%r#1`, whose numbers are in `results`.
    """

    def __init__(self, state: Any):
        super().__init__(state)
        self.results: list[int] = []
        """Number among the results of its op of each value in the map."""

    def _get_parse_optional_ssa_value(self) -> tuple[Callable[[], AffineExpr | None], dict[str, int], list[Span]]:
        symbols: dict[str, int] = {}
        spans: list[Span] = []

        def parse() -> AffineExpr | None:
            if (name := self._parse_optional_token(MLIRTokenKind.PERCENT_IDENT)) is None:
                return None
            number = self._parse_optional_token(MLIRTokenKind.HASH_IDENT)
            if number is not None and not number.text[1:].isdecimal():
                raise ParseError(number.span, "expected the number of a result")
            text = name.text if number is None else f"{name.text}{number.text}"
            if text not in symbols:
                symbols[text] = len(symbols)
                spans.append(name.span)
                self.results.append(0 if number is None else int(number.text[1:]))
            return AffineExpr.symbol(symbols[text])

        return parse, symbols, spans

    def _create_binop_expr(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        constants = [isinstance(operand, AffineConstantExpr) for operand in (lhs, rhs)]
        is_pure = binop.text in "+-" or constants[1] or (binop.text == "*" and constants[0])
        if not is_pure:
            message = f"expected a constant operand of '{binop.text}': semi-affine expressions are not supported"
            raise ParseError(binop.span, message)
        try:
            return super()._create_binop_expr(lhs, rhs, binop)
        except ZeroDivisionError as error:
            raise ParseError(binop.span, f"expected a divisor of '{binop.text}' that is not 0") from error
