"""Axis correspondence between an operator's operands and results, to propagate an axis through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.parameters import channel_shape
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...ir import Array, shape_of
from ..lowering.reductions import reduction_axes
from .caches import constant_array, same_axis

Label: TypeAlias = "int | str | None"
"""Label of an axis: axes with one label have one extent, or 1 if broadcast; None stops the propagation."""

Row: TypeAlias = tuple[SSAValue, Sequence[Label]]
"""Value and the labels of its axes."""

REDUCED = "reduced"
"""Label of a reduced axis."""


def labels_of(op: Operation) -> list[Row]:
    """Return the axis labels of all values of an op; all None if the op has no rule."""
    if isinstance(op, OnnxOp):
        rule = _RULES.get(op.name.removeprefix("onnx."))
        if rule is not None:
            return rule(op)
    return [(value, [None] * len(shape_of(value))) for value in (*op.operands, *op.results)]


def _aligned(op: OnnxOp, values: Sequence[SSAValue]) -> list[Row]:
    """Label axes by broadcasting: aligned from the last axis."""
    rank = len(shape_of(op.results[0]))
    return [(value, list(range(rank - len(shape_of(value)), rank))) for value in values]


def _elementwise(op: OnnxOp) -> list[Row]:
    return _aligned(op, [*op.operands, *op.results])


def _same(op: OnnxOp) -> list[Row]:
    """Label axes of operand 0 and the results; other operands are parameters."""
    return _aligned(op, [op.operands[0], *op.results])


def _requant(op: OnnxOp) -> list[Row]:
    """Label axes of a requantisation: an axis with a factor per channel is bound to the constant."""
    x, *factors = op.operands
    rows: list[Row] = _aligned(op, [x, *op.results])
    for factor in factors:
        shape = channel_shape(shape_of(factor), shape_of(x)) or shape_of(factor)
        channels = {len(shape_of(x)) - len(shape) + i for i, extent in enumerate(shape) if extent != 1}
        rows = _relabelled(rows, dict.fromkeys(channels))
    return rows


def _relabelled(rows: Sequence[Row], changes: Mapping[Label, Label]) -> list[Row]:
    """Return rows with some labels replaced."""
    changed: list[Row] = []
    for value, labels in rows:
        changed.append((value, [changes.get(label, label) for label in labels]))
    return changed


def _rows(op: OnnxOp) -> list[Row]:
    """Label axes of a normalisation over the last axis."""
    return [(value, [*labels[:-1], None]) for value, labels in _same(op)]


def _softmax(op: OnnxOp) -> list[Row]:
    return _relabelled(_same(op), {softmax_axis(op): REDUCED})


def softmax_axis(op: OnnxOp) -> int:
    """Return the axis that a softmax reduces."""
    rank = len(shape_of(op.results[0]))
    return op.attribute("axis") % rank if "axis" in op.SCHEMA.attributes else rank - 1


def _transpose(op: OnnxOp) -> list[Row]:
    rank = len(shape_of(op.results[0]))
    order = list(op.attribute("perm") or range(rank - 1, -1, -1))
    return [(op.operands[0], list(range(rank))), (op.results[0], order)]


def _reshape(op: OnnxOp) -> list[Row]:
    source, target = shape_of(op.operands[0]), shape_of(op.results[0])
    before: list[Label] = [None] * len(source)
    after: list[Label] = [None] * len(target)
    for axis in range(len(source)):
        places = same_axis(source, axis, target)
        if len(places) == 1:
            before[axis] = after[places[0]] = axis
    return [(op.operands[0], before), (op.results[0], after)]


def _matmul(op: OnnxOp) -> list[Row]:
    a, b = op.operands
    rank = max(len(shape_of(a)), len(shape_of(b)))
    batch_a, batch_b = (list(range(rank - len(shape_of(value)), rank - 2)) for value in (a, b))
    left, right = (["m"] if len(shape_of(a)) > 1 else []), (["n"] if len(shape_of(b)) > 1 else [])
    whole = list(range(rank - 2)) if len(shape_of(a)) > 1 or len(shape_of(b)) > 1 else []
    return [
        (a, [*batch_a, *left, REDUCED]),
        (b, [*batch_b, REDUCED, *right]),
        (op.results[0], [*whole, *left, *right]),
    ]


def _gemm(op: OnnxOp) -> list[Row]:
    a, b, *bias = op.operands
    left, right = ["m", REDUCED], [REDUCED, "n"]
    rows: list[Row] = [
        (a, left[::-1] if op.attribute("transA") else left),
        (b, right[::-1] if op.attribute("transB") else right),
        (op.results[0], ["m", "n"]),
    ]
    for value in bias:
        rows.append((value, ["m", "n"][2 - len(shape_of(value)) :]))
    return rows


def _reduce(op: OnnxOp) -> list[Row]:
    x, y = op.operands[0], op.results[0]
    axes = set(reduction_axes(op))
    source: list[Label] = [REDUCED if i in axes else i for i in range(len(shape_of(x)))]
    kept = bool(op.attribute("keepdims"))
    target: list[Label] = [None if i in axes else i for i in range(len(shape_of(x))) if kept or i not in axes]
    return [(x, source), (y, target)]


def _concat(op: OnnxOp) -> list[Row]:
    if len(op.operands) == 1:
        return _elementwise(op)
    axis = int(op.attribute("axis")) % len(shape_of(op.results[0]))
    return _relabelled(_elementwise(op), {axis: None})


def _split(op: OnnxOp) -> list[Row]:
    rank = len(shape_of(op.operands[0]))
    labels: list[Label] = [None if i == op.attribute("axis") % rank else i for i in range(rank)]
    return [(value, labels) for value in (op.operands[0], *op.results)]


def _slice(op: OnnxOp) -> list[Row]:
    """
    Label axes of a slice: a prefix slice gives the result's axis a label of its own, other slices of an axis give none.
    """
    x, y = op.operands[0], op.results[0]
    before: list[Label] = list(range(len(shape_of(x))))
    after = list(before)
    starts, axes, steps = (constant_array(op.node_input(i)) for i in (1, 3, 4))
    places = range(len(before)) if op.node_input(3) is None else None if axes is None else [int(axis) for axis in axes]
    if starts is None or places is None or (op.node_input(4) is not None and steps is None):
        return [(x, [None] * len(before)), (y, [None] * len(after))]
    for start, step, place in zip(starts, [1] * len(places) if steps is None else steps, places, strict=False):
        axis = place % len(before)
        if start or step != 1 or shape_of(x)[axis] != shape_of(y)[axis]:
            before[axis], after[axis] = None, None if start or step != 1 else f"first{axis}"
    return [(x, before), (y, after)]


def _gather(op: OnnxOp) -> list[Row]:
    x, indices = op.operands
    axis, count = int(op.attribute("axis")) % len(shape_of(x)), len(shape_of(indices))
    kept: list[Label] = list(range(len(shape_of(x))))
    chosen: list[Label] = [f"i{i}" for i in range(count)]
    kept[axis] = _counted(constant_array(indices), shape_of(x)[axis])
    return [(x, kept), (indices, chosen), (op.results[0], [*kept[:axis], *chosen, *kept[axis + 1 :]])]


def _gather_nd(op: OnnxOp) -> list[Row]:
    x, indices = op.operands
    values, count = constant_array(indices), shape_of(indices)[-1]
    if op.attribute("batch_dims"):
        return [(value, [None] * len(shape_of(value))) for value in (x, indices, op.results[0])]
    kept: list[Label] = list(range(len(shape_of(x))))
    chosen: list[Label] = [f"i{i}" for i in range(len(shape_of(indices)) - 1)]
    for axis in range(count):
        kept[axis] = _counted(None if values is None else values[..., axis], shape_of(x)[axis])
    return [(x, kept), (indices, [*chosen, None]), (op.results[0], [*chosen, *kept[count:]])]


def _counted(indices: Array | None, extent: int) -> Label:
    """Return the label of the indices' axis that enumerates all entries of an axis, None if there is none."""
    if indices is None:
        return None
    for axis, size in enumerate(indices.shape):
        counting = np.arange(extent).reshape([-1 if i == axis else 1 for i in range(indices.ndim)])
        if size == extent and (indices == counting).all():
            return f"i{axis}"
    return None


def _cumulated(op: OnnxOp) -> list[Row]:
    """Label axes of a cumulative sum: an entry depends on no later one, unless reversed."""
    rows = _same(op)
    if op.attribute("reverse"):
        return [(value, [None] * len(labels)) for value, labels in rows]
    return rows


_RULES: Registry[str, Callable[[OnnxOp], list[Row]]] = Registry(
    "relation of axes",
    {
        **dict.fromkeys(having(Trait.ELEMENTWISE), _elementwise),
        "RequantShift": _requant,
        **dict.fromkeys("iRMSNorm iLayerNorm iNoNorm LayerNormalization RMSNormalization".split(), _rows),
        **dict.fromkeys("Softmax LogSoftmax iSoftmax ITAMax".split(), _softmax),
        "Transpose": _transpose,
        **dict.fromkeys("Reshape Flatten Squeeze Unsqueeze".split(), _reshape),
        "MatMul": _matmul,
        "Gemm": _gemm,
        **dict.fromkeys(
            "ReduceSum ReduceMax ReduceMin ReduceMean IntegerMean ReduceProd ReduceL1 ReduceL2 ReduceSumSquare".split(),
            _reduce,
        ),
        "Concat": _concat,
        "Slice": _slice,
        "Split": _split,
        "Gather": _gather,
        "GatherND": _gather_nd,
        "CumSum": _cumulated,
        "Expand": _same,
    },
)
