"""Which axes of an operator's operands and results are the same axis, so that one can be followed through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from ...dialects.core.onnx_parameters import channel_shape
from ...dialects.core.onnx_schema import OnnxOp
from ...ir import shape_of
from ..lowering.reductions import reduction_axes
from .caches import same_axis

Label: TypeAlias = "int | str | None"
"""What an axis is called: axes of one name have one extent, or 1 where they are broadcast; None cannot be followed."""

Row: TypeAlias = tuple[SSAValue, Sequence[Label]]
"""A value and the labels of its axes."""

REDUCED = "reduced"
"""The label of an axis over which an operator sums or takes an extreme."""


def labels_of(op: Operation) -> list[Row]:
    """Return the labels of the axes of all values of an op; all None where nothing is known of it."""
    if isinstance(op, OnnxOp):
        rule = _RULES.get(op.name.removeprefix("onnx."))
        if rule is not None:
            return rule(op)
    return [(value, [None] * len(shape_of(value))) for value in (*op.operands, *op.results)]


def _aligned(op: OnnxOp, values: Sequence[SSAValue]) -> list[Row]:
    """Label axes as broadcasting pairs them: from the last one on."""
    rank = len(shape_of(op.results[0]))
    return [(value, list(range(rank - len(shape_of(value)), rank))) for value in values]


def _elementwise(op: OnnxOp) -> list[Row]:
    return _aligned(op, [*op.operands, *op.results])


def _same(op: OnnxOp) -> list[Row]:
    """Only operand 0 and the results share axes; the others are parameters."""
    return _aligned(op, [op.operands[0], *op.results])


def _requant(op: OnnxOp) -> list[Row]:
    """A factor for each channel ties its axis to the constant."""
    x, *factors = op.operands
    rows: list[Row] = _aligned(op, [x, *op.results])
    for factor in factors:
        shape = channel_shape(shape_of(factor), shape_of(x)) or shape_of(factor)
        channels = {len(shape_of(x)) - len(shape) + i for i, extent in enumerate(shape) if extent != 1}
        rows = [(value, [None if label in channels else label for label in labels]) for value, labels in rows]
    return rows


def _rows(op: OnnxOp) -> list[Row]:
    """The last axis is normalised, as a whole."""
    return [(value, [*labels[:-1], None]) for value, labels in _same(op)]


def _softmax(op: OnnxOp) -> list[Row]:
    axis = softmax_axis(op)
    return [(value, [REDUCED if i == axis else i for i in labels]) for value, labels in _same(op)]


def softmax_axis(op: OnnxOp) -> int:
    """Return the axis along which a softmax sums."""
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
    axis = int(op.attribute("axis")) % len(shape_of(op.results[0]))
    return [(value, [None if i == axis else i for i in labels]) for value, labels in _elementwise(op)]


def _cut(op: OnnxOp) -> list[Row]:
    """Slices and parts keep the axes that they do not cut."""
    rank = len(shape_of(op.operands[0]))
    if op.name == "onnx.Split":
        cut = {op.attribute("axis") % rank}
    else:
        from ..lowering.lowerer import constant_of

        axes = constant_of(op.node_input(3))
        cut = set(range(rank)) if axes is None else {int(axis) % rank for axis in axes}
    labels: list[Label] = [None if i in cut else i for i in range(rank)]
    return [(value, labels) for value in (op.operands[0], *op.results)]


def _gather(op: OnnxOp) -> list[Row]:
    x, indices = op.operands
    axis, count = op.attribute("axis") % len(shape_of(x)), len(shape_of(indices))
    kept: list[Label] = [None if i == axis else i for i in range(len(shape_of(x)))]
    chosen: list[Label] = [f"i{i}" for i in range(count)]
    return [(x, kept), (indices, chosen), (op.results[0], [*kept[:axis], *chosen, *kept[axis + 1 :]])]


_RULES: dict[str, Callable[[OnnxOp], list[Row]]] = {
    **dict.fromkeys(
        (
            "Abs Add And Cast Ceil Clip Dequant Div Equal Erf Exp Floor Greater GreaterOrEqual HardSigmoid HardSwish "
            "Identity IntegerDiv LeakyRelu Less LessOrEqual Log Max Min Mul Neg Not Or Pow Quant Reciprocal Relu Round "
            "Sigmoid Sign Sqrt Sub Sum Tanh TrueIntegerDiv Where iGELU iHardswish"
        ).split(),
        _elementwise,
    ),
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
    "Slice": _cut,
    "Split": _cut,
    "Gather": _gather,
}
