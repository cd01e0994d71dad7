"""Lowerings of operators that make tensors from shapes and positions alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from ...dialects.onnx.schema import OnnxOp
from ...ir import shape_of
from .code import Code, computed, filled
from .lowerer import Lowerer, lowers
from .movement import fixed
from .rules import result_element


@lowers("Shape")
def _shape(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    shape = shape_of(op.operands[0])
    start, end = int(op.attribute("start") or 0), op.attribute("end")
    wanted = shape[start : len(shape) if end is None else int(end)]
    return [lower.array(np.array(wanted, np.int64), result_element(op))]


@lowers("Size")
def _size(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [lower.array(np.array(prod(shape_of(op.operands[0])), np.int64), result_element(op))]


@lowers("ConstantOfShape")
def _constant_of_shape(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    value: Any = op.attribute("value")
    number = 0 if value is None else value.item()
    return [filled(lower, shape_of(op.results[0]), number, result_element(op))]


@lowers("EyeLike")
def _eye_like(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    offset, element = int(op.attribute("k") or 0), result_element(op)

    def build(code: Code) -> SSAValue:
        on_diagonal = code.compare(code.add(code.index(0), offset), "eq", code.index(1))
        return code.select(on_diagonal, code.constant(1, element), code.constant(0, element))

    return [computed(lower, [], [], shape_of(op.results[0]), element, build)]


@lowers("Range")
def _range(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    start, _, step = (fixed(op, i, "bounds") for i in range(3))
    assert start is not None
    assert step is not None
    count = shape_of(op.results[0])[0]
    values = start.reshape(-1)[0] + np.arange(count).astype(start.dtype) * step.reshape(-1)[0]
    return [lower.array(values.astype(start.dtype), result_element(op))]
