"""Text of affine expressions and maps, with upstream's few parentheses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

_SUM, _PRODUCT = 1, 2


@cache
def affine_map_text(map: AffineMap) -> str:
    """Return the text of a map: `(d0, d1)[s0] -> (d0 * 8 - 1, d1 + s0)`."""
    dims = [f"d{k}" for k in range(map.num_dims)]
    symbols = [f"s{k}" for k in range(map.num_symbols)]
    results = ", ".join(affine_text(expr, dims, symbols) for expr in map.results)
    space = f"({', '.join(dims)})" + (f"[{', '.join(symbols)}]" if symbols else "")
    return f"{space} -> ({results})"


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
