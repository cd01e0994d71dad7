"""
Attention from its products and its softmax.

Source: Attention Is All You Need (arXiv:1706.03762), section 3.2.1. The keys may be scaled, and so may be the queries:
PyTorch scales both by the fourth root. A row of which the mask leaves nothing is NaN in the arithmetic, and zero in
ONNX's operator, unless the arithmetic replaces NaN by zero as PyTorch's does. Where heads share keys, the queries of
those that do lie one after the other, as further rows of the head that they share: both of ONNX's decompositions of
operators with grouped heads, Attention 23 and GroupQueryAttention, are of this form.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ...ir import element_of, shape_of
from ..state.nodes import node
from .pattern import AnyOf, Match, Node, Number, Pattern, Product, Sum
from .rules import fits, recovers

_KEYS = AnyOf(
    Product(Node("Transpose", Product("keys", scale="key_scale"), name="transpose"), scale="outer_key_scale"),
    Product("transposed_keys", scale="key_scale"),
)
_SCORES = Product(Node("MatMul", Product("queries", scale="query_scale"), _KEYS), scale="score_scale")


def _weights(scores: Pattern) -> Pattern:
    """Return the pattern of the softmax of masked scores."""
    softmax = Node("Softmax", AnyOf(Sum(scores, "mask"), scores), name="softmax")
    return AnyOf(softmax, Node("Where", Node("IsNaN", softmax), Number(0.0), softmax))


_GROUPED_QUERIES = Node("Reshape", Product("queries", scale="query_scale"), "grouped", name="grouping")
_GROUPED_SCORES = Product(Node("MatMul", Product(_GROUPED_QUERIES, scale="grouped_scale"), _KEYS), scale="score_scale")
_UNGROUPED_SCORES = Product(Node("Reshape", _GROUPED_SCORES, "ungrouped"), scale="ungrouped_scale")
_GROUPED_WEIGHTS = Node("Reshape", _weights(_UNGROUPED_SCORES), "grouped_weights")


@recovers("Attention", Node("MatMul", _weights(_SCORES), "values"))
def _attention(match: Match, root: Operation) -> SSAValue | None:
    """Insert attention of queries [N, H, S, D], keys [N, H, T, D] and values [N, H, T, E]; heads are not shared."""
    queries, values, mask = match.values["queries"], match.values["values"], match.values.get("mask")
    softmax = match.nodes["softmax"]
    scores = shape_of(softmax.operands[0])
    if len(scores) != 4 or softmax.attribute("axis") not in (-1, 3) or not _is_mask(mask, scores):
        return None
    *batch, rows, length = scores
    if shape_of(queries)[:-1] != (*batch, rows) or shape_of(values)[:-1] != (*batch, length):
        return None
    if _key_shape(match) != (*batch, length, shape_of(queries)[-1]):
        return None
    scale = prod(match.numbers.values())
    return node("Attention", [queries, _keys(match, root), values, mask], root.results[0].type, root, scale=scale)


@recovers("Attention", Node("Reshape", Node("MatMul", _GROUPED_WEIGHTS, "values"), "result_shape"))
def _grouped_attention(match: Match, root: Operation) -> SSAValue | None:
    """Insert attention of queries [N, H, S, D], keys [N, G, T, D] and values [N, G, T, E]; H / G heads share keys."""
    queries, values, mask = match.values["queries"], match.values["values"], match.values.get("mask")
    softmax = match.nodes["softmax"]
    scores, shape = shape_of(softmax.operands[0]), shape_of(queries)
    if not len(scores) == len(shape) == len(shape_of(values)) == 4 or not _is_mask(mask, scores):
        return None
    batch, heads, rows, depth = shape
    _, groups, length, width = shape_of(values)
    if softmax.attribute("axis") not in (-1, 3) or heads % groups or scores != (batch, heads, rows, length):
        return None
    if shape_of(match.nodes["grouping"].results[0]) != (batch, groups, heads // groups * rows, depth):
        return None
    if _key_shape(match) != (batch, groups, length, depth) or shape_of(root.results[0]) != (batch, heads, rows, width):
        return None
    scale = prod(match.numbers.values())
    return node("Attention", [queries, _keys(match, root), values, mask], root.results[0].type, root, scale=scale)


def _is_mask(mask: SSAValue | None, scores: Sequence[int]) -> bool:
    """Return whether ONNX's operator takes a mask: behind the end of a shorter one, it masks."""
    return mask is None or (fits(shape_of(mask), scores) and shape_of(mask)[-1:] == (scores[-1],))


def _key_shape(match: Match) -> tuple[int, ...]:
    source, order = _key_source(match)
    return tuple(shape_of(source)[axis] for axis in order) if len(shape_of(source)) == 4 else ()


def _key_source(match: Match) -> tuple[SSAValue, Sequence[int]]:
    """Return a value, and the order of its axes in which it is the keys [N, H, T, D]."""
    if "keys" not in match.values:
        return match.values["transposed_keys"], (0, 1, 3, 2)
    order = match.nodes["transpose"].attribute("perm") or tuple(reversed(range(len(shape_of(match.values["keys"])))))
    return match.values["keys"], (*order[:-2], order[-1], order[-2])


def _keys(match: Match, root: Operation) -> SSAValue:
    source, order = _key_source(match)
    if list(order) == sorted(order):
        return source
    type = TensorType(element_of(source), _key_shape(match))
    return node("Transpose", [source], type, root, perm=order)
