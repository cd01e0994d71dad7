"""The pass `recover-quantized`: convert float arithmetic between DequantizeLinear and QuantizeLinear to integers."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ..dialects.core.analysis.intervals import Range, range_of_element
from ..dialects.onnx.facts import Trait, having
from ..dialects.onnx.registry import mentions
from ..dialects.onnx.schema import OnnxOp, is_constant
from ..ir import Array, element_of, functions, fused_location
from ..runtime.interpreter import load_rules as load_semantics
from .core.base import Pass
from .lowering.lowerer import constant_of
from .recover import load_rules
from .recover.dequantized_products import DEQUANTISED, FloatRule
from .recover.quantized import (
    COMPUTED,
    QUANTISED,
    TABULATED,
    Integers,
    Quantization,
    clipped,
    converted,
    looked_up,
    moved,
    quantization_of,
)

_VIEWS, _CLAMPS = having(Trait.VIEW, "onnx."), having(Trait.CLAMPS, "onnx.")


@mentions("QuantizeLinear")
def recover_quantized(module: ModuleOp, function: func.FuncOp) -> int:
    """
    Convert float operators between DequantizeLinear and QuantizeLinear to integers, where operators exist.

    Returns the number of converted operators, data movement included.
    """
    load_rules()
    load_semantics(module)
    block, integers = function.body.block, Integers(module)
    idle = {op for op in block.ops if not _is_used(op)}
    floats = sum(map(_computes_floats, block.ops))
    _unify_quantizers(block)
    for op in list(block.ops):
        if isinstance(op, OnnxOp) and op.name == "onnx.QuantizeLinear":
            _quantise(integers, op)
        elif isinstance(op, OnnxOp) and (compute := COMPUTED.get(op.name)) is not None:
            _replace(op, compute(op))
        elif isinstance(op, OnnxOp):
            integers.follow(op)
    _erase_unused(block, idle)
    for op in list(block.ops):
        if isinstance(op, OnnxOp) and (rule := DEQUANTISED.get(op.name)) is not None:
            _dequantise(integers, op, rule)
    _erase_unused(block, idle)
    return floats - sum(map(_computes_floats, block.ops))


@mentions("QuantizeLinear")
def _unify_quantizers(block: Block) -> None:
    """Replace each QuantizeLinear by an earlier one of the same value, scale and zero point."""
    seen: dict[tuple[SSAValue, Quantization], SSAValue] = {}
    for op in list(block.ops):
        if not isinstance(op, OnnxOp) or op.name != "onnx.QuantizeLinear" or (y := quantization_of(op)) is None:
            continue
        first = seen.setdefault((op.operands[0], y), op.results[0])
        if first is not op.results[0]:
            Rewriter.replace_op(op, [], [first])


def _erase_unused(block: Block, idle: Set[Operation]) -> None:
    for op in reversed(list(block.ops)):
        if isinstance(op, OnnxOp) and op not in idle and not _is_used(op):
            Rewriter.erase_op(op)


def _is_used(op: Operation) -> bool:
    return any(result.uses for result in op.results)


@mentions("DequantizeLinear")
def _computes_floats(op: Operation) -> bool:
    if not isinstance(op, OnnxOp) or is_constant(op) or op.name == "onnx.DequantizeLinear":
        return False
    return op.name in COMPUTED or any(element_of(result) == f32 for result in op.results)


def _quantise(integers: Integers, op: OnnxOp) -> None:
    """Replace a QuantizeLinear by an exact integer computation, if there is one."""
    y = quantization_of(op)
    if y is None:
        return
    value = op.operands[0]
    compute = _computed if integers.form(value) is None else _looked_up
    computed = compute(integers, value, y, op)
    if computed is None:
        return
    narrow = integers.narrow(computed)
    result = narrow if element_of(narrow) == y.element else converted(computed, y.element, op)
    integers.note_bytes(result, computed)
    if result.name_hint is None:
        result.name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, [], [result])


def _dequantise(integers: Integers, op: OnnxOp, rule: FloatRule) -> None:
    """Replace a product whose result stays in floats by its sums in integers, dequantised, if there are such."""
    _replace(op, rule(integers, op, op))


def _replace(op: OnnxOp, replacement: SSAValue | None) -> None:
    """Replace an op of one result by a value, which takes its name; keep the op for None."""
    if replacement is None:
        return
    replacement.name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, [], [replacement])


def _looked_up(integers: Integers, value: SSAValue, y: Quantization, before: OnnxOp) -> SSAValue:
    """Insert the quantised result of a chain of scalar functions and views, as a table lookup."""
    before.location = fused_location(op.location for op in (*_functions(value, integers), before))
    return looked_up(integers, value, y, before)


def _functions(value: SSAValue, integers: Integers) -> list[Operation]:
    """Return the scalar functions between an integer tensor and a value, in order."""
    scalar_ops: dict[Operation, None] = {}
    waiting = [value]
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, OnnxOp) and op.name in TABULATED and op not in scalar_ops:
            scalar_ops[op] = None
            waiting += [operand for operand in op.operands if integers.form(operand) is not None]
    return list(scalar_ops)[::-1]


def _computed(integers: Integers, value: SSAValue, y: Quantization, before: OnnxOp) -> SSAValue | None:
    """Insert the integer computation of a value and the tail after it; None if there is no operator for it."""
    value, tail = _tail(value)
    op = value.owner
    if not isinstance(op, OnnxOp) or not value.has_one_use() or element_of(value) != f32:
        return None
    limits, rule, own = _limits(tail, y), QUANTISED.get(op.name), before.location
    if rule is None or limits is None:
        return None
    before.location = fused_location(fused.location for fused in (op, *tail, before))
    result = rule(integers, op, y, before)
    if result is None:
        before.location = own
        return None
    for view in tail:
        if view.name in _VIEWS:
            result = moved(view, [result, *view.node_inputs[1:]], y.byte, before)[0]
    return result if limits == range_of_element(y.byte) else clipped(result, limits.low, limits.high, before)


def _tail(value: SSAValue) -> tuple[SSAValue, list[OnnxOp]]:
    """Split a value into its source and the tail of clamps and views after it, each of one use."""
    tail: list[OnnxOp] = []
    while value.has_one_use():
        op = value.owner
        if not isinstance(op, OnnxOp) or op.name not in _VIEWS | _CLAMPS:
            break
        tail.append(op)
        value = op.operands[0]
    return value, tail[::-1]


def _limits(tail: Sequence[OnnxOp], y: Quantization) -> Range | None:
    """Return the value range after the clamps of a tail, None for a dynamic clamp."""
    limits = y.range
    for op in tail:
        bounds = _bounds(op)
        if bounds is None:
            return None
        low, high = (int(bound) for bound in y.integers_of(bounds))
        limits = limits.clip(low, high)
    return limits


@mentions("Relu")
def _bounds(op: OnnxOp) -> Array | None:
    """Return the clamping bounds of an op of a tail, None if they are dynamic."""
    if op.name in _VIEWS:
        return np.array([-np.inf, np.inf], np.float32)
    if op.name == "onnx.Relu":
        return np.array([0, np.inf], np.float32)
    bounds: list[float] = []
    for index, default in ((1, -np.inf), (2, np.inf)):
        operand = op.node_input(index)
        number = np.array(default) if operand is None else constant_of(operand)
        if number is None or number.size != 1:
            return None
        bounds.append(float(number.flat[0]))
    return np.array(bounds, np.float32)


@dataclass(frozen=True)
class RecoverQuantizedPass(Pass):
    """
    Convert float computation between DequantizeLinear and QuantizeLinear to 8- and 4-bit integers.

    Convolutions and matrix products become QLinearConv and QLinearMatMul, sums and products 32-bit arithmetic, scalar
    functions tables; data movement works on the integers. Integer sums are exact where floats round: a result may
    differ by one near a rounding threshold. Operators without an integer form stay in floats; products before them
    have integer sums, which are dequantised.
    """

    name = "recover-quantized"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            recover_quantized(op, function)
