"""Builders of graph-level operators and constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.onnx import op_class
from ...dialects.onnx.schema import OnnxOp, default_value, make, stored_value
from ...ir import dense


def node(
    name: str,
    operands: Sequence[SSAValue | None],
    type: Attribute,
    before: Operation,
    **attributes: float | str | Sequence[int],
) -> SSAValue:
    """Insert an operator with one result before an op, at its location; return the result."""
    cls = cast("type[OnnxOp]", op_class(name))
    schema = cls.SCHEMA.attributes
    stated = {key: value for key, value in attributes.items() if value != default_value(schema[key])}
    properties = {key: stored_value(schema[key].type, value) for key, value in stated.items()}
    op = make(cls, operands, [type], properties)
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]


def literal(values: Any, element: Attribute, before: Operation) -> SSAValue:
    """Insert a constant before an op; return its value."""
    attribute = dense(np.asarray(values), element)
    op = make(cast("type[OnnxOp]", op_class("Constant")), [], [attribute.type], {"value": attribute})
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]
