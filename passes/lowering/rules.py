"""Common parts of lowering rules: types of computation, elementwise kernels, biases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, bf16, f16, f32, i32, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.body import Body
from ...dialects.core.scalars import is_float
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, integer_width, shape_of
from .lowerer import Build, Lowerer, broadcast_map, constant_of, is_unsigned, signless, unsupported


def compute_type(op: OnnxOp, operand: SSAValue | None = None) -> Attribute:
    """
    Return the type in which an op computes: that of type inference, else one that holds its operand.

    Floats of 16 bits are computed in f32.

    Raises Diagnostic for unsigned integers of 64 bits, which none holds.
    """
    chosen = op.attributes.get("accumulator")
    if chosen is not None:
        return chosen
    value = op.operands[0] if operand is None else operand
    if element_of(value) in (f16, bf16):
        return f32
    width = integer_width(element_of(value))
    if width is None or not is_unsigned(value):
        return signless(element_of(value))
    if width > 32:
        raise unsupported(op, "of unsigned integers of 64 bits", "use signed ones")
    return i64 if width == 32 else i32


@mentions("Cast", "CastLike", "Identity", "Where")
def passed_on(op: OnnxOp) -> SSAValue | None:
    """Return the operand that an op only passes on: a Where with one condition, a cast to its own type; else None."""
    operand: SSAValue | None = None
    if op.name in ("onnx.Identity", "onnx.Cast", "onnx.CastLike"):
        operand = op.operands[0]
    elif op.name == "onnx.Where" and (condition := constant_of(op.operands[0])) is not None and condition.size:
        same = bool(np.all(condition == condition.flat[0]))
        operand = op.operands[1 if condition.flat[0] else 2] if same else None
    return operand if operand is not None and operand.type == op.results[0].type else None


def result_element(op: OnnxOp, index: int = 0) -> Attribute:
    """Return the tensor-level element type of a result."""
    return signless(element_of(op.results[index]))


def wraps(op: OnnxOp) -> bool:
    """Return whether the op's integers wrap around."""
    return "wraps" in op.attributes or ("range" not in op.attributes and not is_float(element_of(op.results[0])))


def unsigned_positions(values: Sequence[SSAValue]) -> list[int]:
    """Return the positions of the values that hold unsigned integers."""
    return [i for i, value in enumerate(values) if is_unsigned(value)]


def scalar_rule(build: Build) -> Callable[[Lowerer, OnnxOp], Sequence[SSAValue]]:
    """
    Return the rule for an elementwise operator: operands are widened to the type of computation, the result is
    narrowed.

    `build(body, *elements)` makes the scalar code.
    """

    def rule(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
        operands = list(op.operands)
        compute, element = compute_type(op), result_element(op)
        signs = [is_unsigned(value) for value in operands]

        def body(body: Body, *elements: SSAValue) -> SSAValue:
            wide = [body.convert(e, compute, unsigned=sign) for e, sign in zip(elements, signs, strict=True)]
            return body.convert(build(body, *wide), element)

        shape = shape_of(op.results[0])
        return [lower.elementwise(operands, shape, element, body, wraps=wraps(op), constants=compute)]

    return rule


def add_bias(lower: Lowerer, op: OnnxOp, total: SSAValue, bias: SSAValue | None, map: AffineMap | None) -> SSAValue:
    """Append the bias and the conversion from the accumulator to the result's type, if present."""
    element = result_element(op)
    if bias is None and element == element_of(total):
        return total
    values, maps = [total], [AffineMap.identity(len(shape_of(total)))]
    types = [element_of(total), element]
    number = constant_of(bias)
    uniform = number is not None and number.size > 0 and bool(np.all(number == number.flat[0]))
    if bias is not None and not uniform:
        # A constant of few bits is stored with those of the sums, which may start from it.
        is_widened = number is not None and element_of(bias) in (f16, bf16)
        wide = element_of(total) if is_widened else signless(element_of(bias))
        values.append(lower.array(np.asarray(number), wide) if is_widened else lower[bias])
        maps.append(map or broadcast_map(shape_of(bias), shape_of(total)))
        types.insert(1, wide)
    body = Body(types, wraps=wraps(op))
    value = body.args[0]
    if bias is not None:
        term = (
            body.constant(number.flat[0], signless(element_of(bias)))
            if uniform and number is not None
            else body.args[1]
        )
        value = body.add(value, body.convert(term, value.type, unsigned=is_unsigned(bias)))
    return lower.generic(values, maps, shape_of(total), element, body.finish(body.convert(value, element)))


def pointwise(
    lower: Lowerer,
    values: Sequence[SSAValue],
    shape: Sequence[int],
    element: Attribute,
    build: Build,
    *,
    maps: Sequence[AffineMap] | None = None,
    wraps: bool = False,
) -> SSAValue:
    """
    Append an elementwise kernel over values of the tensor level; they broadcast as in NumPy, or by `maps`.

    Integers do not overflow unless `wraps`.
    """
    body = Body([*(element_of(value) for value in values), element], wraps=wraps)
    block = body.finish(build(body, *body.args[:-1]))
    ways = maps or [broadcast_map(shape_of(value), shape) for value in values]
    return lower.generic(values, ways, shape, element, block)


def filled(lower: Lowerer, shape: Sequence[int], number: Any) -> SSAValue:
    """Append a tensor all of whose elements are a number, given as an attribute."""
    body = Body([number.type])
    return lower.generic([], [], shape, number.type, body.finish(body.op(arith.ConstantOp(number))))


def fold(
    lower: Lowerer,
    inputs: Sequence[SSAValue],
    maps: Sequence[AffineMap],
    output: AffineMap,
    shape: Sequence[int],
    initial: Any,
    block: Block,
) -> SSAValue:
    """
    Append the reduction over those dimensions of `maps` that the map to the output lacks.

    `block` takes the inputs' elements and the accumulator, which begins as the number `initial`.
    """
    result = filled(lower, shape, initial)
    if any(0 in shape_of(value) for value in inputs):
        return result
    kept = output.used_dims()
    kinds = [IteratorTypeAttr.parallel() if d in kept else IteratorTypeAttr.reduction() for d in range(output.num_dims)]
    every = [AffineMapAttr(map) for map in (*maps, output)]
    return lower.op(linalg.GenericOp(list(inputs), [result], Region(block), every, kinds, [result.type]))


def _begun(body: Body, *elements: SSAValue, build: Build, initial: Any) -> SSAValue:
    """Append the fold of one element into the number `initial`."""
    return build(body, *elements, body.op(arith.ConstantOp(initial)))


def fold_axes(
    lower: Lowerer,
    values: Sequence[SSAValue],
    axes: Sequence[int],
    initial: Any,
    build: Build,
    *,
    keep: bool = True,
    wraps: bool = False,
) -> SSAValue:
    """
    Append the reduction of whole axes in the type of `initial`; further `values` broadcast to the first.

    `build(body, *elements, accumulator)` makes the scalar code. With `keep` the axes stay, of extent 1.
    """
    whole = shape_of(values[0])
    if not axes:
        # Nothing is folded: an accumulator that a parallel loop reads would have to be written before.
        start = partial(_begun, build=build, initial=initial)
        return pointwise(lower, values, whole, initial.type, start, wraps=wraps)
    body = Body([*(element_of(value) for value in values), initial.type], wraps=wraps)
    block = body.finish(build(body, *body.args))
    dims, zero = AffineMap.identity(len(whole)).results, AffineExpr.constant(0)
    kept = [axis for axis in range(len(whole)) if keep or axis not in axes]
    output = AffineMap(len(whole), 0, tuple(zero if axis in axes else dims[axis] for axis in kept))
    shape = [1 if axis in axes else whole[axis] for axis in kept]
    maps = [broadcast_map(shape_of(value), whole) for value in values]
    return fold(lower, values, maps, output, shape, initial, block)
