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
    AffineMap,
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


class _Values:
    """The values that are dimensions of a map, or those that are symbols, in the order in which they occur."""

    def __init__(self, make: Callable[[int], AffineExpr]):
        self._make = make
        self._numbers: dict[tuple[str, int], int] = {}
        self.spans: list[Span] = []
        self.results: list[int] = []

    def take(self, name: MLIRToken, result: int) -> AffineExpr:
        """Return the expression of a value, one of several results of an op."""
        key = (name.text, result)
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self.spans.append(name.span)
            self.results.append(result)
        return self._make(self._numbers[key])


class PureAffineParser(AffineParser):
    """
    Parser of affine maps and sets; it refuses semi-affine expressions, which xDSL cannot hold, at their operator.

    Values in maps may be one of several results, `%r#1`, whose numbers are in `results`. They are dimensions, or
    symbols where `symbol(%n)` says so; xDSL knows symbols alone.
    """

    def __init__(self, state: Any):
        super().__init__(state)
        self.results: list[int] = []
        """Number among the results of its op of each value in the map."""

    def parse_expressions(self, delimiter: Any) -> tuple[AffineMap, Sequence[Span]]:
        """Parse expressions of values between brackets, without a delimiter one; the operands are dimensions first."""
        dims, symbols = _Values(AffineExpr.dimension), _Values(AffineExpr.symbol)

        def parse() -> AffineExpr:
            return self._parse_affine_expr(lambda: self._parse_value(dims, symbols))

        results = [parse()] if delimiter is None else self.parse_comma_separated_list(delimiter, parse)
        self.results = [*dims.results, *symbols.results]
        return AffineMap(len(dims.spans), len(symbols.spans), tuple(results)), (*dims.spans, *symbols.spans)

    def parse_affine_map_of_ssa_ids(self) -> tuple[AffineMap, Sequence[Span]]:
        return self.parse_expressions(self.Delimiter.SQUARE)

    def _parse_value(self, dims: _Values, symbols: _Values) -> AffineExpr | None:
        if self._parse_optional_token(MLIRTokenKind.BARE_IDENT) is None:
            return self._parse_ssa_value(dims)
        self._parse_token(MLIRTokenKind.L_PAREN, "Expected '(' after 'symbol'")
        expr = self._parse_ssa_value(symbols)
        if expr is None:
            raise ParseError(self._current_token.span, "expected a value")
        self._parse_token(MLIRTokenKind.R_PAREN, "Expected ')'")
        return expr

    def _parse_ssa_value(self, values: _Values) -> AffineExpr | None:
        if (name := self._parse_optional_token(MLIRTokenKind.PERCENT_IDENT)) is None:
            return None
        number = self._parse_optional_token(MLIRTokenKind.HASH_IDENT)
        if number is not None and not number.text[1:].isdecimal():
            raise ParseError(number.span, "expected the number of a result")
        return values.take(name, 0 if number is None else int(number.text[1:]))

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
