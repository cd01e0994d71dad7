"""
Normalisations of rows from means, squares and roots.

Sources: Layer Normalization (arXiv:1607.06450), Root Mean Square Layer Normalization (arXiv:1910.07467).
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from ..lowering.lowerer import constant_of
from ..state.nodes import literal, node
from .pattern import AnyOf, Match, Node, Number, Pattern, Product, Sum
from .rules import recovers


def _deviation(value: Pattern) -> Pattern:
    """Return the pattern of the mean square of a value, plus epsilon."""
    square = AnyOf(Node("Pow", value, Number(2)), Product(value, value))
    return Sum(Node("ReduceMean", square, "variance_axes", name="variance"), offset="epsilon")


def _divided(value: Pattern, *factors: Pattern) -> Pattern:
    """Return the pattern of a value over its root mean square, times factors."""
    square = _deviation(value)
    root = AnyOf(Node("Sqrt", square), Node("Pow", square, Number(0.5)))
    inverse = Node("Pow", square, Number(-0.5))
    return AnyOf(Product(value, *factors, over=[root]), Product(value, *factors, inverse))


_CENTRED = Sum("x", less=[Node("ReduceMean", "x", "mean_axes", name="mean")])


@recovers(
    "LayerNormalization",
    Sum(_divided(_CENTRED, "scale"), "bias"),
    Sum(_divided(_CENTRED), "bias"),
    _divided(_CENTRED, "scale"),
    _divided(_CENTRED),
)
def _layer_normalization(match: Match, root: Operation) -> SSAValue | None:
    return _row_norm("LayerNormalization", match, root)


@recovers("RMSNormalization", _divided("x", "scale"), _divided("x"))
def _rms_normalization(match: Match, root: Operation) -> SSAValue | None:
    return _row_norm("RMSNormalization", match, root)


def _row_norm(operator: str, match: Match, root: Operation) -> SSAValue | None:
    """Insert a norm of rows of f32: for other types the operators compute in another one than the arithmetic does."""
    x, result = match.values["x"], root.results[0]
    axes = {_first_axis(match.nodes[name], len(shape_of(x))) for name in ("mean", "variance") if name in match.nodes}
    axis = axes.pop()
    if axes or axis is None or shape_of(x) != shape_of(result) or element_of(x) != f32:
        return None
    row = shape_of(x)[axis:]
    vectors = [match.values[name] for name in ("scale", "bias") if name in match.values]
    if not all(_is_row(vector, row) for vector in vectors):
        return None
    if "scale" not in match.values:
        vectors.insert(0, literal(np.ones(row), element_of(x), root))
    return node(
        operator, [x, *vectors], result.type, root, axis=axis - len(shape_of(x)), epsilon=match.numbers["epsilon"]
    )


def _first_axis(mean: OnnxOp, rank: int) -> int | None:
    """Return the axis from which on a mean is over all axes and keeps them, None where it is another mean."""
    axes = constant_of(mean.node_input(1))
    if axes is None or not axes.size or not mean.attribute("keepdims"):
        return None
    places = sorted(int(axis) % rank for axis in axes)
    return places[0] if places == list(range(places[0], rank)) else None


def _is_row(vector: SSAValue, row: tuple[int, ...]) -> bool:
    shape = shape_of(vector)
    ahead = len(shape) - len(row)
    return ahead >= 0 and shape == (1,) * ahead + row
