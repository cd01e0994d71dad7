"""Operators and constants of the graph level, inserted before others."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.onnx_schema import OnnxOp, make, stored_value
from ...dialects.onnx import op_class
from ...ir import dense


def node(
    name: str, operands: list[SSAValue | None], type: Attribute, before: Operation, **attributes: int | str
) -> SSAValue:
    """Insert an operator with one result before an op, whose location it gets; returns the result."""
    cls = cast("type[OnnxOp]", op_class(name))
    properties = {key: stored_value(cls.SCHEMA.attributes[key].type, value) for key, value in attributes.items()}
    op = make(cls, operands, [type], properties)
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]


def literal(values: Any, element: Attribute, before: Operation) -> SSAValue:
    """Insert a constant before an op; returns its value."""
    attribute = dense(np.asarray(values), element)
    op = make(cast("type[OnnxOp]", op_class("Constant")), [], [attribute.type], {"value": attribute})
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]
