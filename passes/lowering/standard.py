"""Lowerings of the standard ONNX operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import DenseArrayBase, IndexType, StringAttr, TensorType, UnitAttr, i32, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.body import Body, is_float, scalar_attr
from ...dialects.core.onnx_schema import OnnxOp
from ...dialects.nn import ConvOp, MatmulOp, PoolOp, ReduceOp, ints
from ...errors import Diagnostic
from ...ir import element_of, integer_width, shape_of, where
from .indexed import gather_rows
from .lowerer import Build, Lowerer, broadcast_map, constant_of, is_unsigned, lowers, signless, unsupported

# Shared by the rules


def compute_type(op: OnnxOp, operand: SSAValue | None = None) -> Attribute:
    """
    Return the type in which an op computes: what type inference chose, else one that holds its operand's numbers.

    Raises Diagnostic for unsigned integers of 64 bits, which none holds.
    """
    chosen = op.attributes.get("accumulator")
    if chosen is not None:
        return chosen
    value = op.operands[0] if operand is None else operand
    width = integer_width(element_of(value))
    if width is None or not is_unsigned(value):
        return signless(element_of(value))
    if width > 32:
        raise unsupported(op, "of unsigned integers of 64 bits", "use signed ones")
    return i64 if width == 32 else i32


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


def _fold_pairs(combine: Build) -> Build:
    def build(body: Body, first: SSAValue, *rest: SSAValue) -> SSAValue:
        for value in rest:
            first = combine(body, first, value)
        return first

    return build


def _unary(op: Any) -> Build:
    def build(body: Body, x: SSAValue) -> SSAValue:
        return body.op(op(x))

    return build


def _negate(body: Body, x: SSAValue) -> SSAValue:
    return body.op(arith.NegfOp(x)) if is_float(x.type) else body.sub(body.constant(0, x.type), x)


def _absolute(body: Body, x: SSAValue) -> SSAValue:
    return body.op(math.AbsFOp(x)) if is_float(x.type) else body.absolute(x)


def _relu(body: Body, x: SSAValue) -> SSAValue:
    return body.max(x, 0)


_ELEMENTWISE: dict[str, Build] = {
    "Add": Body.add,
    "Sub": Body.sub,
    "Mul": Body.mul,
    "Div": Body.div,
    "Max": _fold_pairs(Body.max),
    "Min": _fold_pairs(Body.min),
    "Sum": _fold_pairs(Body.add),
    "Neg": _negate,
    "Abs": _absolute,
    "Relu": _relu,
    "Exp": _unary(math.ExpOp),
    "Log": _unary(math.LogOp),
    "Sqrt": _unary(math.SqrtOp),
    "Tanh": _unary(math.TanhOp),
    "Erf": _unary(math.ErfOp),
    "Floor": _unary(math.FloorOp),
    "Ceil": _unary(math.CeilOp),
    "Round": _unary(math.RoundEvenOp),
}
for _name, _build in _ELEMENTWISE.items():
    lowers(_name)(scalar_rule(_build))


@lowers("Clip")
def _clip(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    bounds = [constant_of(op.node_input(i)) if op.node_input(i) else None for i in (1, 2)]
    if any(op.node_input(i) is not None and bounds[i - 1] is None for i in (1, 2)):
        raise unsupported(op, "with bounds that are not constant")
    x = op.operands[0]
    compute, element = compute_type(op), result_element(op)

    def body(body: Body, scalar: SSAValue) -> SSAValue:
        value = body.convert(scalar, compute, unsigned=is_unsigned(x))
        value = value if bounds[0] is None else body.max(value, bounds[0].item())
        value = value if bounds[1] is None else body.min(value, bounds[1].item())
        return body.convert(value, element)

    return [lower.elementwise([x], shape_of(op.results[0]), element, body)]


@lowers("Cast")
def _cast(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, element = op.operands[0], result_element(op)
    if element == signless(element_of(x)):
        return [lower[x]]

    def convert(body: Body, scalar: SSAValue) -> SSAValue:
        return body.convert(scalar, element, unsigned=is_unsigned(x))

    return [lower.elementwise([x], shape_of(x), element, convert)]


@lowers("Identity")
def _identity(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [lower[op.operands[0]]]


@lowers("Constant")
def _constant(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    values = constant_of(op.results[0])
    assert values is not None
    element = result_element(op)
    bits = values.view(f"i{values.itemsize}") if values.dtype.kind == "u" else values
    return [lower.constant(bits, element)]


# Contractions


def windows_of(op: OnnxOp, kernel: Sequence[int]) -> dict[str, Any]:
    """Return strides, dilations and pads of a convolution or pooling, `auto_pad` resolved."""
    x, rank = shape_of(op.operands[0])[2:], len(kernel)
    strides = list(op.attribute("strides") or [1] * rank)
    dilations = list(op.attribute("dilations") or [1] * rank)
    pads = list(op.attribute("pads") or [0] * 2 * rank)
    mode = op.attribute("auto_pad") or "NOTSET"
    if mode.startswith("SAME"):
        out = shape_of(op.results[0])[2:]
        total = [
            max(0, (o - 1) * s + (k - 1) * d + 1 - size)
            for o, s, k, d, size in zip(out, strides, kernel, dilations, x, strict=True)
        ]
        small, large = [t // 2 for t in total], [t - t // 2 for t in total]
        pads = [*small, *large] if mode == "SAME_UPPER" else [*large, *small]
    return {"strides": ints(strides), "dilations": ints(dilations), "pads": ints(pads)}


def _add_bias(lower: Lowerer, op: OnnxOp, total: SSAValue, bias: SSAValue | None, map: AffineMap | None) -> SSAValue:
    """Append the bias and the conversion from the accumulator to the result's type, as far as there are any."""
    element = result_element(op)
    if bias is None and element == element_of(total):
        return total
    values, maps = [total], [AffineMap.identity(len(shape_of(total)))]
    types = [element_of(total), element]
    number = constant_of(bias)
    uniform = number is not None and number.size > 0 and bool(np.all(number == number.flat[0]))
    if bias is not None and not uniform:
        values.append(lower[bias])
        maps.append(map or broadcast_map(shape_of(bias), shape_of(total)))
        types.insert(1, signless(element_of(bias)))
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


@lowers("Conv")
def _conv(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, w = op.operands[:2]
    accumulator = compute_type(op)
    out = lower.empty(shape_of(op.results[0]), accumulator)
    windows = windows_of(op, shape_of(w)[2:])
    properties: dict[str, Attribute | None] = {
        **windows,
        "groups": scalar_attr(op.attribute("group"), i64),
        "accumulator": accumulator,
    }
    total = lower.emit(
        ConvOp([lower[x], lower[w]], out, properties, unsigned=unsigned_positions([x, w]), wraps=wraps(op))
    )
    rank = len(shape_of(total))
    channel = AffineMap(rank, 0, (AffineMap.identity(rank).results[1],))
    return [_add_bias(lower, op, total, op.node_input(2), channel)]


def _product(lower: Lowerer, op: OnnxOp, shape: Sequence[int], **flags: bool) -> SSAValue:
    a, b = op.operands[:2]
    values = [lower[a], lower[_swapped(b) or b if op.name == "onnx.MatMul" else b]]
    if len(shape_of(a)) == 1:
        values[0] = lower.reshape(values[0], [1, *shape_of(a)])
    if len(shape_of(b)) == 1:
        values[1] = lower.reshape(values[1], [*shape_of(b), 1])
    accumulator = compute_type(op)
    properties: dict[str, Attribute | None] = {"accumulator": accumulator}
    properties |= {name: UnitAttr() if value else None for name, value in flags.items()}
    signs = unsigned_positions([a, b])
    return lower.emit(MatmulOp(values, lower.empty(shape, accumulator), properties, unsigned=signs, wraps=wraps(op)))


@lowers("MatMul")
def _matmul(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    a, b = (shape_of(value) for value in op.operands[:2])
    shape = list(shape_of(op.results[0]))
    if len(b) == 1:
        shape.append(1)
    if len(a) == 1:
        shape.insert(len(shape) - 1, 1)
    total = _product(lower, op, shape, transpose_b=_swapped(op.operands[1]) is not None)
    return [_add_bias(lower, op, lower.reshape(total, shape_of(op.results[0])), None, None)]


def _swapped(value: SSAValue) -> SSAValue | None:
    """Return the tensor of which a value is a copy with the last two axes swapped, None where there is none."""
    if not isinstance(value, OpResult) or value.op.name != "onnx.Transpose":
        return None
    if constant_of(value.op.operands[0]) is not None:
        return None
    rank = len(shape_of(value))
    order = list(cast(OnnxOp, value.op).attribute("perm") or range(rank - 1, -1, -1))
    return value.op.operands[0] if order == [*range(rank - 2), rank - 1, rank - 2] else None


@lowers("Gemm")
def _gemm(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    alpha, beta, bias = op.attribute("alpha"), op.attribute("beta"), op.node_input(2)
    total = _product(
        lower,
        op,
        shape_of(op.results[0]),
        transpose_a=bool(op.attribute("transA")),
        transpose_b=bool(op.attribute("transB")),
    )
    if (bias is not None and beta != 1) or alpha != 1:
        if not is_float(element_of(total)):
            raise unsupported(op, "of integers with alpha or beta other than 1")
        total = _scaled(lower, total, alpha)
        scaled = _scaled(lower, lower[bias], beta) if bias is not None else None
        if scaled is None:
            return [total]
        body = Body([element_of(total), element_of(scaled), element_of(total)])
        maps = [AffineMap.identity(2), broadcast_map(shape_of(scaled), shape_of(total))]
        return [
            lower.generic(
                [total, scaled], maps, shape_of(total), element_of(total), body.finish(body.add(*body.args[:2]))
            )
        ]
    return [_add_bias(lower, op, total, bias, None)]


def _scaled(lower: Lowerer, value: SSAValue, factor: float) -> SSAValue:
    shape, element = shape_of(value), element_of(value)
    body = Body([element, element])
    block = body.finish(body.mul(body.args[0], factor))
    return lower.generic([value], [AffineMap.identity(len(shape))], shape, element, block)


# Pooling and reductions


@lowers("MaxPool")
def _max_pool(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    if len(op.results) > 1:
        raise unsupported(op, "with indices")
    kernel = op.attribute("kernel_shape")
    x, element = op.operands[0], result_element(op)
    properties: dict[str, Attribute | None] = {
        **windows_of(op, kernel),
        "window": ints(kernel),
        "kind": StringAttr("max"),
        "accumulator": element,
    }
    out = lower.empty(shape_of(op.results[0]), element)
    return [lower.emit(PoolOp([lower[x]], out, properties, unsigned=unsigned_positions([x])))]


def reduction_axes(op: OnnxOp) -> list[int]:
    """Return the axes that a reduction reduces: given as an attribute, as a constant input, or all."""
    rank = len(shape_of(op.operands[0]))
    given = op.attribute("axes") if "axes" in op.SCHEMA.attributes else constant_of(op.node_input(1))
    if given is None and op.node_input(1) is not None:
        raise unsupported(op, "over axes that are not constant")
    if given is None or len(given) == 0:
        noop = "noop_with_empty_axes" in op.SCHEMA.attributes and op.attribute("noop_with_empty_axes")
        return [] if noop else list(range(rank))
    return sorted(int(axis) % rank for axis in given)


def reduced(lower: Lowerer, op: OnnxOp, kind: str, accumulator: Attribute) -> SSAValue:
    """Append the fold of operand 0 over the op's axes, in the type `accumulator`."""
    x = op.operands[0]
    properties: dict[str, Attribute | None] = {
        "kind": StringAttr(kind),
        "axes": ints(reduction_axes(op)),
        "keep_dims": UnitAttr() if op.attribute("keepdims") else None,
        "accumulator": accumulator,
    }
    out = lower.empty(shape_of(op.results[0]), accumulator)
    return lower.emit(ReduceOp([lower[x]], out, properties, unsigned=unsigned_positions([x]), wraps=wraps(op)))


@lowers("ReduceSum")
def _reduce_sum(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [_add_bias(lower, op, reduced(lower, op, "sum", compute_type(op)), None, None)]


@lowers("ReduceMax", "ReduceMin")
def _reduce_extreme(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [reduced(lower, op, op.name.removeprefix("onnx.Reduce").lower(), result_element(op))]


@lowers("ReduceMean", "IntegerMean")
def mean(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a mean: of floats, or of integers, which are rounded as IntegerMean says."""
    total = reduced(lower, op, "sum", compute_type(op))
    count = prod(shape_of(op.operands[0])[axis] for axis in reduction_axes(op))
    element = result_element(op)
    body = Body([element_of(total), element])
    value = body.args[0]
    if is_float(value.type):
        result = body.div(value, count)
    elif count & (count - 1) == 0 and not op.attribute("keepdims"):
        result = body.shift_right(body.add(value, count >> 1), count.bit_length() - 1)
    else:
        half = body.mul(body.sign(value), count >> 1)
        result = body.div(body.add(value, half), count)
    shape = shape_of(total)
    block = body.finish(body.convert(result, element))
    return [lower.generic([total], [AffineMap.identity(len(shape))], shape, element, block)]


# Shapes


@lowers("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def _reshape(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return [lower.reshape(lower[op.operands[0]], shape_of(op.results[0]))]


@lowers("Transpose")
def _transpose(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = lower[op.operands[0]]
    rank = len(shape_of(x))
    order = list(op.attribute("perm") or range(rank - 1, -1, -1))
    if order == list(range(rank)):
        return [x]
    out = lower.empty(shape_of(op.results[0]), element_of(x))
    return [lower.emit(linalg.TransposeOp(x, out, DenseArrayBase.from_list(i64, order), out.type))]


@lowers("Concat")
def _concat(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    axis = op.attribute("axis") % len(shape_of(op.results[0]))
    parts = [lower[value] for value in op.operands if 0 not in shape_of(value)]
    if len(parts) == 1:
        return parts
    if not parts:
        return [lower.empty(shape_of(op.results[0]), result_element(op))]
    result = TensorType(cast(Any, result_element(op)), shape_of(op.results[0]))
    return [
        lower.emit(
            tensor.ConcatOp.build(operands=[parts], result_types=[result], properties={"dim": scalar_attr(axis, i64)})
        )
    ]


@lowers("Pad")
def _pad(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x, pads, value = op.operands[0], constant_of(op.node_input(1)), constant_of(op.node_input(2))
    if op.attribute("mode") != "constant":
        raise unsupported(op, f"in mode '{op.attribute('mode')}'")
    if pads is None or op.node_input(3) is not None or (op.node_input(2) is not None and value is None):
        raise unsupported(op, "with pads, axes or a value that are not constant")
    if (pads < 0).any():
        raise unsupported(op, "with negative pads", "use Slice")
    rank, element = len(shape_of(x)), signless(element_of(x))
    low, high = [int(p) for p in pads[:rank]], [int(p) for p in pads[rank:]]
    block = Block(arg_types=[IndexType()] * rank)
    fill = arith.ConstantOp(scalar_attr(0 if value is None else value.item(), element))
    block.add_ops([fill, tensor.YieldOp(fill.result)])
    result = TensorType(cast(Any, element), shape_of(op.results[0]))
    return [lower.emit(tensor.PadOp(lower[x], [], [], Region(block), low, high, result))]


@lowers("Slice")
def _slice(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    shape = shape_of(op.operands[0])
    given = [constant_of(op.node_input(i)) for i in range(1, 5)]
    if any(op.node_input(i) is not None and given[i - 1] is None for i in range(1, 5)):
        raise unsupported(op, "with bounds that are not constant")
    starts, _, axes, steps = given
    assert starts is not None
    offsets, strides = [0] * len(shape), [1] * len(shape)
    for i, start in enumerate(starts):
        axis = int(axes[i]) % len(shape) if axes is not None else i
        stride = int(steps[i]) if steps is not None else 1
        if stride < 0:
            raise unsupported(op, "with a negative step")
        offsets[axis] = min(max(int(start) + (shape[axis] if start < 0 else 0), 0), shape[axis])
        strides[axis] = stride
    return [lower.extract(lower[op.operands[0]], offsets, shape_of(op.results[0]), strides)]


@lowers("Split")
def _split(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    x = lower[op.operands[0]]
    rank = len(shape_of(x))
    axis = int(op.attribute("axis")) % rank
    results: list[SSAValue] = []
    start = 0
    for result in op.results:
        offsets = [start if i == axis else 0 for i in range(rank)]
        results.append(lower.extract(x, offsets, shape_of(result), [1] * rank))
        start += shape_of(result)[axis]
    return results


@lowers("Gather")
def _gather(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    """Lower a selection: by constant indices, runs of neighbours are slices, and several runs are joined."""
    indices = constant_of(op.operands[1])
    if indices is None:
        return [lower.reshape(gather_rows(lower, op), shape_of(op.results[0]))]
    x = lower[op.operands[0]]
    shape, axis = list(shape_of(x)), int(op.attribute("axis")) % len(shape_of(x))
    if any(not -shape[axis] <= int(i) < shape[axis] for i in indices.flat):
        raise Diagnostic(f"an index is outside of axis {axis}, of extent {shape[axis]}", where=where(op))
    runs = _runs([int(i) % shape[axis] for i in indices.flat])
    parts: list[SSAValue] = []
    for start, length in runs:
        offsets = [start if i == axis else 0 for i in range(len(shape))]
        sizes = [length if i == axis else extent for i, extent in enumerate(shape)]
        parts.append(lower.extract(x, offsets, sizes, [1] * len(shape)))
    joined = parts[0]
    if len(parts) != 1:
        total = [indices.size if i == axis else extent for i, extent in enumerate(shape)]
        kind = TensorType(cast(Any, element_of(x)), total)
        joined = lower.emit(
            tensor.ConcatOp.build(operands=[parts], result_types=[kind], properties={"dim": scalar_attr(axis, i64)})
        )
    return [lower.reshape(joined, shape_of(op.results[0]))]


def _runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Return (start, length) of each run of ascending neighbours."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and index == sum(runs[-1]):
            runs[-1] = runs[-1][0], runs[-1][1] + 1
        else:
            runs.append((index, 1))
    return runs
