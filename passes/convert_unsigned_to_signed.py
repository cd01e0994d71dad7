"""The pass `convert-unsigned-to-signed`: store quantised tensors of unsigned bytes as signed ones, 128 less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.onnx.facts import Trait, facts_of, having
from ..dialects.onnx.registry import Registry, mentions
from ..dialects.onnx.schema import OnnxOp, make, stored_value
from ..ir import element_of, functions, shape_of
from .core.base import Pass
from .lowering.lowerer import constant_of
from .recover.quantized import moved, wide
from .state.nodes import literal, node

_UI8, _I8 = IntegerType(8, Signedness.UNSIGNED), IntegerType(8)
_HALF = 128
_PRODUCTS = having(Trait.SUMS_PRODUCTS, "onnx.") & having(Trait.QUANTISED, "onnx.")
_MOVES = frozenset(
    f"onnx.{name}"
    for name in (
        *("Concat", "Expand", "Flatten", "Identity", "MaxPool", "Pad", "Reshape", "Slice", "Split", "Squeeze"),
        *("Tile", "Transpose", "Unsqueeze"),
    )
)


def convert_unsigned(function: func.FuncOp) -> None:
    """Convert the unsigned bytes between the operators of a function, if a product reads any; ports keep their type."""
    ops = [op for op in function.body.block.ops if isinstance(op, OnnxOp)]
    if not any(op.name in _PRODUCTS and _UI8 in map(element_of, op.operands) for op in ops):
        return
    signed = _Signed()
    for op in ops:
        rule = _RULES.get(op.name)
        if rule is not None and (results := rule(signed, op)) is not None:
            signed.replace(op, results)
    signed.finish()


@dataclass
class _Signed:
    """Signed forms of unsigned values, and the ops that they replace."""

    _forms: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    _replaced: list[tuple[OnnxOp, list[SSAValue]]] = field(default_factory=list[tuple[OnnxOp, list[SSAValue]]])

    def __contains__(self, value: SSAValue) -> bool:
        return value in self._forms

    def form(self, value: SSAValue, before: OnnxOp) -> SSAValue:
        """Return a value less 128 if it is of unsigned bytes, else the value."""
        if element_of(value) != _UI8:
            return value
        if value not in self._forms:
            self._forms[value] = _flipped(value, before)
        return self._forms[value]

    def replace(self, op: OnnxOp, results: list[SSAValue]) -> None:
        """Note the results of the op that replaces another."""
        self._replaced.append((op, results))
        pairs = zip(op.results, results, strict=True)
        self._forms |= {old: new for old, new in pairs if element_of(old) == _UI8}

    def finish(self) -> None:
        """Erase the replaced ops; users without a rule read unsigned bytes again."""
        for op, results in reversed(self._replaced):
            for old, new in zip(op.results, results, strict=True):
                if old.uses:
                    is_same = old.type == new.type
                    old.replace_all_uses_with(new if is_same else _unflipped(new, op))
            Rewriter.erase_op(op)


def _flipped(value: SSAValue, before: OnnxOp) -> SSAValue:
    """Insert unsigned bytes less 128, which differ in the highest bit."""
    constant = constant_of(value)
    if constant is not None:
        return literal((constant.astype(np.int16) - _HALF).astype(np.int8), _I8, before)
    bytes_ = node("BitwiseXor", [value, literal(np.uint8(_HALF), _UI8, before)], value.type, before)
    return node("BitCast", [bytes_], TensorType(_I8, shape_of(value)), before, to=3)


def _unflipped(value: SSAValue, before: OnnxOp) -> SSAValue:
    """Insert signed bytes plus 128, unsigned."""
    type_ = TensorType(_UI8, shape_of(value))
    bytes_ = node("BitCast", [value], type_, before, to=2)
    return node("BitwiseXor", [bytes_, literal(np.uint8(_HALF), _UI8, before)], type_, before)


Rule = Callable[[_Signed, OnnxOp], "list[SSAValue] | None"]
"""Inserts an op on signed bytes in place of another; returns its results, None where the op stays."""


def _quantised(signed: _Signed, op: OnnxOp) -> list[SSAValue] | None:
    """Shift the zero points of the operands and of the result."""
    inputs, facts = list(op.node_inputs), facts_of(op.name)
    zeros = {zero: _element(inputs[data]) for data, zero in facts.zeros.items()}
    result = element_of(op.results[0])
    zeros |= {} if facts.result_zero is None else {facts.result_zero: result}
    shifted = [index for index, element in zeros.items() if element == _UI8]
    is_idle = op.name == "onnx.DequantizeLinear" and op.operands[0] not in signed
    if not shifted or is_idle or op.properties.get("output_dtype") is not None:
        return None
    inputs += [None] * (max(shifted) + 1 - len(inputs))
    for index in shifted:
        inputs[index] = signed.form(inputs[index] or literal(np.uint8(0), _UI8, op), op)
    for index in facts.zeros:
        inputs[index] = signed.form(cast(SSAValue, inputs[index]), op)
    return list(moved(op, inputs, _I8 if result == _UI8 else result, op))


def _element(value: SSAValue | None) -> Any:
    return None if value is None else element_of(value)


def _requantised(signed: _Signed, op: OnnxOp) -> list[SSAValue] | None:
    """Shift the offset that is added before the division."""
    offset = constant_of(op.operands[2])
    if element_of(op.results[0]) != _UI8 or op.attribute("signed") or op.attribute("n_levels") != 256 or offset is None:
        return None
    shifted = literal(offset.astype(np.int64) - _HALF * op.attribute("div"), i64, op)
    properties = {key: value for key, value in op.properties.items() if not key.endswith("SegmentSizes")}
    properties["signed"] = stored_value(op.SCHEMA.attributes["signed"].type, 1)
    requantize = make(type(op), [*op.operands[:2], shifted], [TensorType(_I8, shape_of(op.results[0]))], properties)
    requantize.location = op.location
    Rewriter.insert_op(requantize, InsertPoint.before(op))
    return [requantize.results[0]]


@mentions("Cast")
def _looked_up(signed: _Signed, op: OnnxOp) -> list[SSAValue] | None:
    """Look signed bytes up, or the entries of a constant table: negative indices count from its end."""
    table, index = op.operands
    entries, source = constant_of(table), index.owner
    if entries is None:
        return None
    if (
        entries.shape == (256,)
        and isinstance(source, OnnxOp)
        and source.name == "onnx.Cast"
        and source.operands[0] in signed
    ):
        entries, index = np.roll(entries, _HALF), wide(signed.form(source.operands[0], op), op)
    elif element_of(table) != _UI8:
        return None
    is_unsigned = element_of(table) == _UI8
    entries = (entries.astype(np.int16) - _HALF).astype(np.int8) if is_unsigned else entries
    element = _I8 if is_unsigned else element_of(table)
    return list(moved(op, [literal(entries, element, op), index], element, op))


def _moved(signed: _Signed, op: OnnxOp) -> list[SSAValue] | None:
    data = op.operands if op.name == "onnx.Concat" else op.operands[:1]
    if (len(op.results) > 1 and op.name == "onnx.MaxPool") or not any(value in signed for value in data):
        return None
    inputs = list(op.node_inputs)
    if op.name == "onnx.Pad" and op.attribute("mode") == "constant":
        inputs += [None] * (3 - len(inputs))
        inputs[2] = inputs[2] or literal(np.uint8(0), _UI8, op)
    return list(moved(op, [operand and signed.form(operand, op) for operand in inputs], _I8, op))


_RULES: Registry[str, Rule] = Registry(
    "signed bytes",
    {
        **dict.fromkeys((*_PRODUCTS, "onnx.DequantizeLinear", "onnx.QuantizeLinear"), _quantised),
        **dict.fromkeys(_MOVES, _moved),
        "onnx.Gather": _looked_up,
        "onnx.RequantShift": _requantised,
    },
)


@dataclass(frozen=True)
class ConvertUnsignedToSignedPass(Pass):
    """
    Store quantised tensors of unsigned bytes as signed bytes, 128 less, with zero points 128 less: results stay exact.

        %y = onnx.QLinearConv(%x, %s, %c200_ui8, ...) : (tensor<1x16x8x8xui8>, ...) -> tensor<1x16x8x8xui8>

    becomes a convolution of `tensor<1x16x8x8xi8>` with the zero point 72. Data movement, requantisations and tables
    follow; before and after other operators and at ports, bytes are converted by their highest bit. Lowering folds
    zero points into biases, so that engines for signed bytes compute such products. A function without a product of
    unsigned bytes is unchanged.
    """

    name = "convert-unsigned-to-signed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            convert_unsigned(function)
