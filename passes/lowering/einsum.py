"""The lowering of Einsum: pairs of operands are contracted from left to right, each by one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import scalar_attr
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .lowerer import Lowerer, is_unsigned, lowers
from .rules import compute_type, fold, pointwise, result_element, wraps

_BROADCAST = "0123456789"
"""The labels of the axes for which an ellipsis stands, the last axis last."""


def _terms(op: OnnxOp) -> tuple[list[str], str]:
    """Return the labels of each operand's axes and of the result's; an ellipsis has labels of its own."""
    equation = op.attribute("equation").replace(" ", "")
    left, arrow, right = equation.partition("->")
    ranks = [len(shape_of(value)) for value in op.operands]
    extras = [
        rank - len(term.replace("...", "")) for term, rank in zip(left.split(","), ranks, strict=True) if "..." in term
    ]
    widest = max(extras, default=0)
    terms = [
        term.replace("...", _BROADCAST[widest - (rank - len(term.replace("...", ""))) : widest])
        for term, rank in zip(left.split(","), ranks, strict=True)
    ]
    if arrow:
        return terms, right.replace("...", _BROADCAST[:widest])
    named = [label for term in terms for label in term if label not in _BROADCAST]
    return terms, _BROADCAST[:widest] + "".join(sorted(label for label in set(named) if named.count(label) == 1))


def _extents(terms: Sequence[str], shapes: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return the extent of each label: 1 only where it is 1 in all operands."""
    extents: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for label, extent in zip(term, shape, strict=True):
            extents[label] = max(extents.get(label, 1), extent)
    return extents


def _map(term: str, shape: Sequence[int], dims: Mapping[str, AffineExpr]) -> AffineMap:
    zero = AffineExpr.constant(0)
    exprs = [zero if extent == 1 else dims[label] for label, extent in zip(term, shape, strict=True)]
    return AffineMap(len(dims), 0, tuple(exprs))


def _contracted(
    lower: Lowerer, op: OnnxOp, terms: Sequence[str], values: Sequence[SSAValue], result: str, compute: Attribute
) -> SSAValue:
    """
    Append the sum of products of one or two tensors over all labels that the result lacks.

    Those that are no sums yet have the sign of the op's operands.
    """
    unsigned = is_unsigned(op.operands[0])
    extents = _extents(terms, [shape_of(value) for value in values])
    labels = [*result, *(label for label, extent in extents.items() if label not in result and extent != 1)]
    dims = dict(zip(labels, AffineMap.identity(len(labels)).results, strict=True))
    maps = [_map(term, shape_of(value), dims) for term, value in zip(terms, values, strict=True)]
    shape = [extents[label] for label in result]

    def product(body: Body, *elements: SSAValue) -> SSAValue:
        first, *rest = [body.convert(element, compute, unsigned=unsigned) for element in elements]
        return body.mul(first, rest[0]) if rest else first

    if len(labels) == len(result):
        return pointwise(lower, values, shape, compute, product, maps=maps)
    body = Body([*(element_of(value) for value in values), compute], wraps=wraps(op))
    block = body.finish(body.add(body.args[-1], product(body, *body.args[:-1])))
    output = AffineMap(len(labels), 0, tuple(dims[label] for label in result))
    return fold(lower, values, maps, output, shape, scalar_attr(0, compute), block)


@lowers("Einsum")
def _einsum(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    terms, result = _terms(op)
    compute, element = compute_type(op), result_element(op)
    value, term = lower[op.operands[0]], terms[0]
    if len(terms) == 1:
        value = _contracted(lower, op, terms, [value], result, compute)
    for index, operand in enumerate(op.operands[1:], 1):
        needed = result + "".join(terms[index + 1 :])
        kept = "".join(dict.fromkeys(label for label in term + terms[index] if label in needed))
        kept = result if index == len(terms) - 1 else kept
        value = _contracted(lower, op, [term, terms[index]], [value, lower[operand]], kept, compute)
        term = kept

    def narrowed(body: Body, total: SSAValue) -> SSAValue:
        return body.convert(total, element)

    return [value if compute == element else pointwise(lower, [value], shape_of(value), element, narrowed)]
