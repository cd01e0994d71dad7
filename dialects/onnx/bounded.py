"""
Operators whose result is as long as data say, in a tensor of the most that it can hold, as schemas.

The importer puts them where ONNX has one with a result of unknown shape. Each gives, after the results of its ONNX
operator, a scalar `count`: as many entries of the results are there. Those after them are zeros, so that as indices
they select something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat, starmap
from typing import Any

from onnx import TensorProto, helper
from onnx.defs import OpSchema

_NUMBERS = (
    *("float", "double", "float16", "bfloat16"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"),
)
_TYPES = [f"tensor({kind})" for kind in _NUMBERS]
_INDICES = "tensor(int64)"


def nms_bound(boxes: Sequence[int], scores: Sequence[int], most: int) -> int:
    """Return the most boxes that NonMaxSuppression selects, of `boxes` [B, N, 4] and `scores` [B, C, N]."""
    return scores[0] * scores[1] * max(0, min(most, boxes[1]))


def _shape(context: Any, index: int) -> list[int] | None:
    kind = context.get_input_type(index)
    if kind is None or not kind.tensor_type.HasField("shape"):
        return None
    dims = kind.tensor_type.shape.dim
    if not all(dim.HasField("dim_value") for dim in dims):
        return None
    return [dim.dim_value for dim in dims]


def _set(context: Any, kind: int, *shapes: Sequence[int]) -> None:
    """Set the first output's type and shape, and the shapes of the others, which hold i64."""
    for index, shape in enumerate(shapes):
        context.set_output_type(index, helper.make_tensor_type_proto(TensorProto.INT64 if index else kind, shape))


def _non_zero(context: Any) -> None:
    if (shape := _shape(context, 0)) is not None:
        most = 1
        for extent in shape:
            most *= extent
        _set(context, TensorProto.INT64, [len(shape), most], [])


def _non_max_suppression(context: Any) -> None:
    boxes, scores = _shape(context, 0), _shape(context, 1)
    if boxes is not None and scores is not None:
        most = context.get_attribute("most").i
        _set(context, TensorProto.INT64, [nms_bound(boxes, scores, most), 3], [])


def _unique(context: Any) -> None:
    if (shape := _shape(context, 0)) is not None:
        rows = shape[:1]
        _set(context, context.get_input_type(0).tensor_type.elem_type, shape, rows, rows, rows, [])


def _row(
    name: str,
    inputs: dict[str, Sequence[str]],
    attributes: dict[str, Any],
    doc: str,
    *,
    outputs: str,
    infer: Callable[[Any], None],
    first: str = _INDICES,
) -> OpSchema:
    formal = OpSchema.FormalParameter
    variables = [f"T{number}" for number in range(len(inputs))]
    types = map(list, inputs.values())
    results = zip(outputs.split(), chain([first], repeat(_INDICES)), strict=False)
    schema = OpSchema(
        name,
        "tilewright",
        1,
        doc=doc,
        inputs=list(map(formal, inputs, variables)),
        outputs=list(starmap(formal, results)),
        type_constraints=list(zip(variables, types, repeat(""), strict=False)),
        attributes=[
            OpSchema.Attribute(key, helper.make_attribute(key, value), "") for key, value in attributes.items()
        ],
    )
    schema.set_type_and_shape_inference_function(infer)
    return schema


BOUNDED_SCHEMAS = (
    _row(
        "BoundedNonZero",
        {"x": _TYPES},
        {},
        "NonZero: the indices of the elements that are not 0, one column each, in row-major order; x has N elements.",
        outputs="indices count",
        infer=_non_zero,
    ),
    _row(
        "BoundedNonMaxSuppression",
        {"boxes": ["tensor(float)"], "scores": ["tensor(float)"], "iou": ["tensor(float)"], "score": ["tensor(float)"]},
        {"most": 0, "center_point_box": 0, "has_score": 0},
        """
        NonMaxSuppression of boxes [B, N, 4] with scores [B, C, N]: rows of batch, class and box.

        Of each class the box of the highest score is selected, the first where scores are equal, and those that overlap
        it by more than `iou`, intersection over union, are not; so on, up to `most`. With `has_score` only boxes whose
        score is above `score` count.
        """,
        outputs="selected count",
        infer=_non_max_suppression,
    ),
    _row(
        "BoundedUnique",
        {"x": _TYPES, "rows": [_INDICES]},
        {"sorted": 1},
        """
        Unique along axis 0 of a matrix, of which `rows` rows are there: each row once, in the order of its elements or,
        not `sorted`, of its first place; that place; for each row of x its place in the result; how often it is there.
        """,
        outputs="y indices inverse_indices counts count",
        infer=_unique,
        first="T0",
    ),
)
