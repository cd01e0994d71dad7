"""Text of affine expressions and maps, with upstream's few parentheses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

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
