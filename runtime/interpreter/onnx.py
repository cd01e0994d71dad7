"""
Semantics of the graph level: own operators, exact linear algebra, and ONNX's reference for all others.

Sums of products are computed in 64 bits and rounded, or wrapped, to the result's type once. So a network with integers
in f32 is exact up to 2^53.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from onnx import AttributeProto, NodeProto, ValueInfoProto, defs, helper, numpy_helper
from onnx.defs import OpSchema
from xdsl.dialects.builtin import IntegerType, Signedness, f32

from ...dialects.core.semantics import Runner, Value, semantics
from ...dialects.onnx import ONNX
from ...dialects.onnx.custom import DOMAIN
from ...dialects.onnx.registry import Registry, mentions
from ...dialects.onnx.schema import OnnxOp
from ...dialects.onnx.windows import windows_of
from ...errors import Diagnostic
from ...ir import Array, element_of, numpy_type, shape_of, where
from .folding import IN_SEQUENCE, sum_in_sequence
from .onnx_bounded import BOUNDED
from .onnx_control import CONTROL
from .onnx_custom import CUSTOM, integer_mean
from .onnx_norms import (
    gather_elements,
    global_lp_pool,
    log_softmax,
    lp_normalization,
    lrn,
    reduce_log_sum_exp,
    softsign,
)
from .onnx_qlinear import QUANTISED_PAIRS, dequantize_linear, qlinear_conv, qlinear_matmul, quantize_linear
from .onnx_recurrent import recurrent
from .onnx_resize import reads_at_zero, resize
from .onnx_slices import padded, sliced
from .onnx_transposed import conv_transpose

_CLASSES = [cls for cls in ONNX.operations if issubclass(cls, OnnxOp) and cls.SCHEMA.name not in CONTROL]


@semantics(*_CLASSES)
def run_node(runner: Runner, op: OnnxOp, operands: Sequence[Value]) -> Sequence[Value]:
    """Run an op of the graph level and return its results."""
    schema = op.SCHEMA
    with np.errstate(all="ignore"):
        if schema.domain == DOMAIN:
            results = (CUSTOM | BOUNDED | QUANTISED_PAIRS)[schema.name](op.attribute, *operands)
        elif schema.domain == "" and (rule := _rule(op, operands)):
            results = rule(op, *_positional(op, operands))
        elif schema.name == "Resize" and reads_at_zero(op):
            x, *sampling = _positional(op, operands)
            results = [resize(partial(_resized, runner, op, operands), op, cast(Array, x), *sampling)]
        else:
            results = _reference(runner, op, operands)
    arrays = cast("Sequence[Any]", results) if isinstance(results, (list, tuple)) else [results]
    return [_typed(array, op, index) for index, array in enumerate(arrays[: len(op.results)])]


def _typed(array: Any, op: OnnxOp, index: int) -> Array:
    """Convert a result to the op's declared type; integers wrap around."""
    result = op.results[index]
    dtype = numpy_type(element_of(result))
    typed = np.asarray(array)
    if typed.dtype != dtype:
        typed = (typed.astype(np.int64) if typed.dtype.kind in "iu" and dtype.kind in "iu" else typed).astype(dtype)
    if typed.shape != shape_of(result):
        raise Diagnostic(
            f"result {index} of '{op.name}' has a shape that differs from its type",
            where=where(op),
            expected=str(list(shape_of(result))),
            found=str(list(typed.shape)),
        )
    return typed


def _positional(op: OnnxOp, operands: Sequence[Value]) -> list[Array | None]:
    values = iter(operands)
    return [None if value is None else next(values) for value in op.node_inputs]


def _resized(runner: Runner, op: OnnxOp, operands: Sequence[Value], x: Array) -> Array:
    return cast(Array, _reference(runner, op, [x, *operands[1:]])[0])


# Exact rules

_Rule = Callable[..., Any]


def _rule(op: OnnxOp, operands: Sequence[Value]) -> _Rule | None:
    """Return the exact rule for a standard operator on operands of these types, None if the reference is exact."""
    name = op.SCHEMA.name
    if name == "ReduceMean":
        return _reduce_mean if operands[0].dtype.kind in "iu" else None
    if name == "ReduceSum":
        return _sum_of_floats if element_of(op.results[0]) == f32 else None
    if name in _BY_SCALE:
        is_broadcast = operands[1].size == 1 or (operands[1].ndim == 1 and operands[0].ndim > 0)
        plain = is_broadcast and not op.attribute("block_size")
        return _BY_SCALE[name] if plain and element_of(op.results[0]) in _EXACT else None
    return _LINEAR.get(name)


def _wide(*arrays: Array, terms: int) -> tuple[Array, ...]:
    """
    Convert arrays to a type in which a sum of `terms` products is exact.

    That is f64, which is fast, if it suffices; else 64-bit integers. Floats always become f64.
    """
    if any(array.dtype.kind not in "iub" for array in arrays):
        return tuple(array.astype(np.float64) for array in arrays)
    bound = terms
    for array in arrays:
        bound *= int(max(abs(int(array.max())), abs(int(array.min())))) if array.size else 0
    return tuple(array.astype(np.float64 if bound < 1 << 53 else np.int64) for array in arrays)


def _whole(product: Array, *operands: Array) -> Array:
    """Convert an exact product of integers in f64 back to integers."""
    return product if any(operand.dtype.kind not in "iub" for operand in operands) else product.astype(np.int64)


def _matmul(op: OnnxOp, a: Array, b: Array) -> Array:
    return _whole(np.matmul(*_wide(a, b, terms=a.shape[-1])), a, b)


def _gemm(op: OnnxOp, a: Array, b: Array, c: Array | None = None) -> Array:
    a, b = a.T if op.attribute("transA") else a, b.T if op.attribute("transB") else b
    product = _matmul(op, a, b)
    alpha, beta = (_factor(op.attribute(name)) for name in ("alpha", "beta"))
    scaled = product if alpha == 1 else product * alpha
    if c is None:
        return scaled
    bias = c.astype(np.int64) if c.dtype.kind in "iub" and scaled.dtype.kind == "i" else c.astype(np.float64)
    return scaled + (bias if beta == 1 else bias * beta)


def _factor(number: float) -> float:
    """Return a factor, as an integer if it is whole, so that integers stay exact and wrap."""
    return int(number) if float(number).is_integer() else number


def _windows(op: OnnxOp, x: Array, kernel: Sequence[int], fill: Any) -> Array:
    """Extract the window of each output position (im2col), [N, C, *positions, *kernel]; padding is `fill`."""
    rank, windows = len(kernel), windows_of(op, kernel)
    outputs = shape_of(op.results[0])[2:]
    if 0 in outputs:
        return np.zeros((*x.shape[:2], *outputs, *kernel), x.dtype)
    extents = [d * (k - 1) + 1 for d, k in zip(windows.dilations, kernel, strict=True)]
    needed = [(o - 1) * s + e for o, s, e in zip(outputs, windows.strides, extents, strict=True)]
    x = x[(slice(None), slice(None), *(slice(max(0, -begin), None) for begin in windows.begins))]
    begins = [max(0, begin) for begin in windows.begins]
    ends = [max(n - size - b, 0) for n, size, b in zip(needed, x.shape[2:], begins, strict=True)]
    padded = np.pad(x, [(0, 0), (0, 0), *zip(begins, ends, strict=True)], constant_values=fill)
    padded = padded[(slice(None), slice(None), *(slice(n) for n in needed))]
    positions = cast(Any, sliding_window_view)(padded, extents, axis=tuple(range(2, 2 + rank)))
    steps = [slice(None, None, step) for step in (*windows.strides, *windows.dilations)]
    return positions[(slice(None), slice(None), *steps)]


def _conv(op: OnnxOp, x: Array, w: Array, b: Array | None = None) -> Array:
    kernel, groups = w.shape[2:], op.attribute("group")
    wide_x, wide_w = _wide(x, w, terms=int(np.prod(w.shape[1:])))
    windows = _windows(op, wide_x, kernel, 0)
    rank = len(kernel)
    inputs, outputs = w.shape[1], w.shape[0] // groups
    summed = [1, *range(2 + rank, 2 + 2 * rank)]
    parts = [
        np.tensordot(
            windows[:, g * inputs : (g + 1) * inputs],
            wide_w[g * outputs : (g + 1) * outputs],
            axes=(summed, list(range(1, 2 + rank))),
        )
        for g in range(groups)
    ]
    y = _whole(np.moveaxis(np.concatenate(parts, axis=-1), -1, 1), x, w)
    return y if b is None else y + b.reshape(-1, *(1,) * rank).astype(y.dtype)


def _conv_integer(op: OnnxOp, x: Array, w: Array, x_zero: Array | None = None, w_zero: Array | None = None) -> Array:
    """Return the convolution of integers less their zero points; those of the weights may be one per channel."""
    wide_x, wide_w = x.astype(np.int64), w.astype(np.int64)
    if x_zero is not None:
        wide_x = wide_x - x_zero.astype(np.int64).reshape(-1)[0]
    if w_zero is not None:
        wide_w = wide_w - w_zero.astype(np.int64).reshape(-1, *(1,) * (w.ndim - 1))
    return _conv(op, wide_x, wide_w)


def _max_pool(op: OnnxOp, x: Array) -> list[Array]:
    """Return the largest element of each window and, where asked for, the first place in x that holds it."""
    lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    kernel = op.attribute("kernel_shape")
    axes = tuple(range(-len(kernel), 0))
    windows = _windows(op, x, kernel, lowest)
    largest = windows.max(axis=axes)
    if len(op.results) == 1:
        return [largest]
    nowhere = np.iinfo(np.int64).max
    places = _windows(op, np.arange(x.size).reshape(x.shape), kernel, nowhere)
    first = np.where(windows == np.expand_dims(largest, axes), places, nowhere).min(axis=axes)
    if not op.attribute("storage_order"):
        return [largest, first]
    sizes = x.shape[2:]
    turned: Array = np.arange(prod(sizes)).reshape(sizes, order="F").reshape(-1)
    return [largest, first // prod(sizes) * prod(sizes) + turned[first % prod(sizes)]]


def _average_pool(op: OnnxOp, x: Array) -> Array:
    """Return the mean of each window, its sum in order of f32, as C adds it, or of f64."""
    kernel, wide = op.attribute("kernel_shape"), np.float64 if x.dtype == np.float64 else np.float32
    windows, axes = _windows(op, x.astype(wide), kernel, 0), range(-len(kernel), 0)
    in_order = wide is np.float32 and prod(kernel) <= IN_SEQUENCE
    places = [windows.ndim + axis for axis in axes]
    total = (
        sum_in_sequence(windows, places) if in_order else windows.sum(axis=tuple(axes), keepdims=True, dtype=np.float64)
    )
    sizes, outputs = x.shape[2:], shape_of(op.results[0])[2:]
    counts = windows_of(op, kernel).counts(sizes, outputs, with_padding=bool(op.attribute("count_include_pad")))
    return total.reshape(shape_of(op.results[0])).astype(wide) / counts.astype(wide)


def _lp_pool(op: OnnxOp, x: Array) -> Array:
    """Return the norm of each window, computed in f64."""
    kernel, p = op.attribute("kernel_shape"), op.attribute("p")
    windows = np.abs(_windows(op, x.astype(np.float64), kernel, 0))
    return (windows**p).sum(axis=tuple(range(-len(kernel), 0))) ** (1 / p)


def _global_max_pool(op: OnnxOp, x: Array) -> Array:
    return x.max(axis=tuple(range(2, x.ndim)), keepdims=True)


def _reduce_mean(op: OnnxOp, x: Array, axes: Array | None = None) -> Array:
    chosen = [] if axes is None else [int(axis) for axis in axes]
    if not chosen and op.attribute("noop_with_empty_axes"):
        return x
    return integer_mean(x, chosen or range(x.ndim), keep=bool(op.attribute("keepdims")))


def _sum_of_floats(op: OnnxOp, x: Array, axes: Array | None = None) -> Array:
    """Add short rows of f32 in order, as the levels below do, others in f64."""
    chosen = [] if axes is None else [int(axis) % x.ndim for axis in axes]
    if not chosen and op.attribute("noop_with_empty_axes"):
        return x
    chosen = sorted(chosen) or list(range(x.ndim))
    short = prod(x.shape[axis] for axis in chosen) <= IN_SEQUENCE
    total = sum_in_sequence(x, chosen) if short else x.sum(axis=tuple(chosen), keepdims=True, dtype=np.float64)
    return total if op.attribute("keepdims") else total.reshape(shape_of(op.results[0]))


def _quantize(op: OnnxOp, x: Array, scale: Array, zero: Array | None = None) -> Array:
    return quantize_linear(op, cast(IntegerType, element_of(op.results[0])), x, scale, zero)


_LINEAR: Registry[str, _Rule] = Registry(
    "interpreter",
    {
        "AveragePool": _average_pool,
        "MatMul": _matmul,
        "Gemm": _gemm,
        "Conv": _conv,
        "ConvInteger": _conv_integer,
        "ConvTranspose": conv_transpose,
        "GRU": recurrent,
        "GatherElements": gather_elements,
        "GlobalLpPool": global_lp_pool,
        "GlobalMaxPool": _global_max_pool,
        "LRN": lrn,
        "LSTM": recurrent,
        "LogSoftmax": log_softmax,
        "LpNormalization": lp_normalization,
        "LpPool": _lp_pool,
        "MaxPool": _max_pool,
        "Pad": padded,
        "RNN": recurrent,
        "ReduceLogSumExp": reduce_log_sum_exp,
        "Slice": sliced,
        "Softsign": softsign,
        "QLinearConv": partial(qlinear_conv, _conv),
        "QLinearMatMul": qlinear_matmul,
    },
)
_BY_SCALE: Registry[str, _Rule] = Registry(
    "interpreter", {"QuantizeLinear": _quantize, "DequantizeLinear": dequantize_linear}
)
_EXACT = (
    f32,
    *(IntegerType(width, sign) for width in (4, 8, 16) for sign in (Signedness.SIGNLESS, Signedness.UNSIGNED)),
)
"""Types of quantised tensors and of their sums."""


# ONNX's reference

_WIDENED = frozenset(
    (
        "Abs Add Clip ConvInteger CumSum Div Einsum MatMulInteger Max Min Mod Mul Neg Pow ReduceL1 ReduceProd"
        " ReduceSum ReduceSumSquare Relu Sign Sub Sum"
    ).split()
)
"""Integer operators whose result may be wider than their operands: computed in 64 bits."""


@mentions(*_WIDENED)
def _reference(runner: Runner, op: OnnxOp, operands: Sequence[Value]) -> Sequence[Value]:
    arrays = [np.asarray(operand) for operand in operands]
    if op.SCHEMA.name in _WIDENED and all(array.dtype.kind in "iu" for array in arrays):
        arrays = [array.astype(np.int64) for array in arrays]
    try:
        evaluator, names = runner.cached(op, _evaluator)
        return evaluator.run(None, dict(zip(names, arrays, strict=True)))
    except (RuntimeError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise Diagnostic(
            f"'{op.name}' cannot be computed",
            where=where(op),
            expected="operands for which ONNX defines a result",
            found=", ".join(f"{array.dtype} of shape {list(array.shape)}" for array in arrays),
            remedy="give other inputs, or correct the attributes of the node; --debug shows the reason",
        ) from error


def _evaluator(op: OnnxOp) -> tuple[Any, list[str]]:
    """Return the reference evaluator of one op, and the names of its inputs."""
    from onnx.reference import ReferenceEvaluator

    node = node_of(op)
    names = [name for name in node.input if name]
    inputs = [ValueInfoProto(name=name) for name in names]
    outputs = [ValueInfoProto(name=name) for name in node.output if name]
    graph = helper.make_graph([node], "op", inputs, outputs)
    domains = {"": defs.onnx_opset_version()} | {op.SCHEMA.domain: _version(op.SCHEMA.domain)}
    imports = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=imports)), names


def _version(domain: str) -> int:
    if domain == "":
        return defs.onnx_opset_version()
    return max(schema.since_version for schema in defs.get_all_schemas() if schema.domain == domain)


def node_of(op: OnnxOp) -> NodeProto:
    """Return an op without regions as an ONNX node; its tensors are named i0, i1, .. and o0, o1, .. by position."""
    inputs = ["" if value is None else f"i{index}" for index, value in enumerate(op.node_inputs)]
    outputs = ["" if value is None else f"o{index}" for index, value in enumerate(op.node_outputs)]
    node = helper.make_node(op.SCHEMA.name, inputs, outputs, domain=op.SCHEMA.domain)
    for name in op.properties:
        if name in op.SCHEMA.attributes:
            node.attribute.append(_attribute(name, op.SCHEMA.attributes[name].type, op.attribute(name)))
    return node


def _attribute(name: str, kind: OpSchema.AttrType, value: Any) -> AttributeProto:
    if kind == OpSchema.AttrType.TENSOR:
        return helper.make_attribute(name, numpy_helper.from_array(value))
    return helper.make_attribute(name, value, attr_type=cast(Any, kind).value)


def _others() -> Iterator[tuple[str, str]]:
    """Yield domain and name of the operators that ONNX's reference alone computes."""
    own = {*_LINEAR, *_BY_SCALE}
    for schema in (cls.SCHEMA for cls in _CLASSES):
        if schema.domain != DOMAIN and (schema.domain or schema.name not in own):
            yield schema.domain, schema.name


REFERENCE: Registry[tuple[str, str], _Rule] = Registry("interpreter", dict.fromkeys(_others(), _reference))
