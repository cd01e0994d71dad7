"""Random quantised networks: chains of operators on integers, most of them carried by floats, with branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from onnx import ModelProto, helper, numpy_helper

from tilewright.test.passes.network_builder import Builder, Value

_LIMIT = 160
"""The most elements of a tensor."""


def examples(count: int) -> settings:
    """Return the settings of a test of so many examples, the same ones each time."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=slow)


def _conv(net: Builder, x: Value) -> None:
    rank = net.integer(1, 2)
    x = net.image(x, rank)
    channels = x.shape[1]
    groups = net.choice([g for g in (1, 2, channels) if channels % g == 0])
    features = groups * net.integer(1, 2)
    kernel = [net.integer(1, 3) for _ in range(rank)]
    strides = [net.integer(1, 2) for _ in range(rank)]
    mode = net.choice(["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    dilations = [net.integer(1, 2) if mode == "NOTSET" else 1 for _ in range(rank)]
    pads = [net.integer(0, 2) if mode == "NOTSET" else 0 for _ in range(2 * rank)]
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    sizes = [n + pads[i] + pads[rank + i] for i, n in enumerate(x.shape[2:])]
    if any(size < span for size, span in zip(sizes, spans, strict=True)) and not mode.startswith("SAME"):
        return
    out = [
        -(-n // s) if mode.startswith("SAME") else (n - k) // s + 1
        for n, k, s in zip(sizes, spans, strides, strict=True)
    ]
    if features * prod(out) > _LIMIT:
        return
    inputs = [x.name, net.weights([features, channels // groups, *kernel])]
    if net.flag():
        inputs.append(net.weights([features], -1000, 1000))
    windows = {"pads": pads, "dilations": dilations} if mode == "NOTSET" else {"auto_pad": mode}
    net.add("Conv", inputs, [x.shape[0], features, *out], strides=strides, group=groups, **windows)


def _gemm(net: Builder, x: Value) -> None:
    x = net.matrix(x)
    trans_a, trans_b = net.flag(), net.flag()
    rows, inner = x.shape[::-1] if trans_a else x.shape
    columns = net.integer(1, 4)
    inputs = [x.name, net.weights([columns, inner] if trans_b else [inner, columns], dtype=x.dtype)]
    bias = net.choice([None, [columns], [1, columns], [rows, 1], [rows, columns], []])
    if bias is not None:
        inputs.append(net.weights(bias, -500, 500, x.dtype))
    if rows * columns <= _LIMIT:
        net.add("Gemm", inputs, [rows, columns], transA=int(trans_a), transB=int(trans_b))


def _matmul(net: Builder, x: Value) -> None:
    inner = x.shape[-1]
    other = net.choice([[inner], [inner, 2], [1, inner, 3], [2, 1, inner, 1]])
    shape = np.matmul(np.zeros(x.shape), np.zeros(other)).shape
    if shape and prod(shape) <= _LIMIT:
        net.add("MatMul", [x.name, net.weights(other, dtype=x.dtype)], shape)


def _product_of_two(net: Builder, x: Value) -> None:
    x = net.matrix(x)
    others = [v for v in net.like(x) if len(v.shape) == 2 and v.shape[1] == x.shape[1]]
    y = net.choice(others)
    if x.shape[0] * y.shape[0] <= _LIMIT:
        net.add("Gemm", [x.name, y.name], [x.shape[0], y.shape[0]], transB=1)


def _binary(net: Builder, x: Value) -> None:
    op = net.choice(["Add", "Sub", "Mul", "Max", "Min"])
    partners = [v for v in net.like(x) if _broadcast(x.shape, v.shape)]
    if net.flag():
        other, name = net.choice(partners), ""
    else:
        shape = [net.choice([1, n]) for n in x.shape[net.integer(0, len(x.shape)) :]]
        other, name = Value("", tuple(shape)), net.weights(shape, -100, 100, x.dtype)
    inputs = [x.name, name or other.name]
    shape = _broadcast(x.shape, other.shape)
    assert shape is not None
    net.add(op, inputs[::-1] if net.flag() else inputs, shape)


def _broadcast(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...] | None:
    try:
        shape = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        return None
    return shape if prod(shape) <= _LIMIT else None


def _unary(net: Builder, x: Value) -> None:
    net.add(net.choice(["Relu", "Neg", "Abs", "Identity"]), [x.name], x.shape)


def _clip(net: Builder, x: Value) -> None:
    low, high = sorted((net.integer(-150, 150), net.integer(-150, 150)))
    form = net.integer(0, 2)
    inputs = [x.name, "" if form == 1 else net.weights([], low, low, x.dtype), net.weights([], high, high, x.dtype)]
    net.add("Clip", inputs[: 2 if form == 2 else 3], x.shape)


def _requant_shift(net: Builder, x: Value) -> None:
    signed = net.flag()
    channel = [x.shape[1 if len(x.shape) > 2 else len(x.shape) - 1]]
    forms = [[], [1], channel]
    if len(x.shape) > 2:
        forms += [[*channel, *[1] * (len(x.shape) - 2)], [1, *channel, *[1] * (len(x.shape) - 2)]]
    div = 1 << net.integer(0, 20)
    net.add(
        "RequantShift",
        [x.name, net.weights(net.choice(forms), -3, 90), net.weights(net.choice(forms), -5000, 5000)],
        x.shape,
        div=div,
        n_levels=net.choice([2, 4, 16, 255, 256]),
        signed=int(signed),
    )


def _softmax(net: Builder, x: Value) -> None:
    levels = net.choice([16, 128, 256])
    if net.flag():
        net.add("ITAMax", [x.name], x.shape, n_levels=levels)
    else:
        net.add("iSoftmax", [x.name], x.shape, coeffA=1, coeffB=345, coeffC=62395, log2=net.choice([2, 17, 255]),
                n_levels=levels)  # fmt: skip


def _norm(net: Builder, x: Value) -> None:
    along = [x.shape[-1]]
    inputs = [x.name, net.weights(along, -200, 200), net.weights(along, -3000, 3000)]
    op = net.choice(["iRMSNorm", "iLayerNorm", "iNoNorm"])
    numbers = {"D": 1 << net.integer(0, 10), "n_levels": 256, "mul": net.integer(-3, 9) if op == "iNoNorm" else None}
    net.add(op, inputs[: 2 if op == "iRMSNorm" else 3], x.shape, **numbers)


def _activation(net: Builder, x: Value) -> None:
    if net.flag():
        net.add("iGELU", [x.name], x.shape, b=-net.integer(0, 60), one=net.integer(0, net.choice([3000, 1 << 17])))
    else:
        six = net.integer(0, 90)
        net.add("iHardswish", [x.name], x.shape, three=net.integer(-9, 45), six=six, one_over_six=net.integer(-2, 9))


def _division(net: Builder, x: Value) -> None:
    numbers = {"Delta": net.integer(1, 9), "eps": net.integer(1, 5), "eta": net.integer(1, 4)}
    if net.flag():
        net.add("TrueIntegerDiv", [x.name], x.shape, y=net.integer(1, 20), **numbers)
    else:
        divisor = net.weights([net.choice([1, n]) for n in x.shape], 1, 30)
        net.add("IntegerDiv", [x.name, divisor], x.shape, **numbers)


def _reduce(net: Builder, x: Value) -> None:
    op = net.choice(["IntegerMean", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"])
    axes = sorted({net.integer(0, len(x.shape) - 1) for _ in range(net.integer(1, 2))})
    keep = net.flag()
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes]
    if op == "IntegerMean":
        net.add(op, [x.name], shape, axes=axes, keepdims=int(keep))
        return
    given = [axis - len(x.shape) if net.flag() else axis for axis in axes]
    net.add(op, [x.name, net.constant(given, np.int64)], shape, keepdims=int(keep))


def _max_pool(net: Builder, x: Value) -> None:
    rank = net.integer(1, 2)
    x = net.image(x, rank)
    kernel = [net.integer(1, 3) for _ in range(rank)]
    strides = [net.integer(1, 3) for _ in range(rank)]
    pads = [net.integer(0, k - 1) for k in (*kernel, *kernel)]
    ceil = net.flag()
    spare = [n + pads[i] + pads[rank + i] - kernel[i] for i, n in enumerate(x.shape[2:])]
    if min(spare) < 0:
        return
    out = [-(-n // s) + 1 if ceil else n // s + 1 for n, s in zip(spare, strides, strict=True)]
    # A window that would begin in the padding at the end does not count.
    out = [
        o - 1 if (o - 1) * s >= n + pad else o for o, s, n, pad in zip(out, strides, x.shape[2:], pads, strict=False)
    ]
    attributes = {"kernel_shape": kernel, "strides": strides, "pads": pads, "ceil_mode": int(ceil)}
    net.add("MaxPool", [x.name], [*x.shape[:2], *out], **attributes)


def _pad(net: Builder, x: Value) -> None:
    pads = [net.integer(0, 2) if net.flag() else 0 for _ in range(2 * len(x.shape))]
    shape = [n + pads[i] + pads[len(x.shape) + i] for i, n in enumerate(x.shape)]
    inputs = [x.name, net.constant(pads, np.int64)]
    if net.flag():
        value = net.integer(-200, 200)
        inputs.append(net.weights([], value, value, x.dtype))
    if prod(shape) <= _LIMIT:
        net.add("Pad", inputs, shape)


def _slice(net: Builder, x: Value) -> None:
    axis = net.integer(0, len(x.shape) - 1)
    start = net.integer(0, x.shape[axis] - 1)
    end = net.integer(start + 1, x.shape[axis])
    step = net.integer(1, 2)
    given = [
        start - x.shape[axis] if net.flag() else start,
        end if net.flag() else end + (1 << 40) * (end == x.shape[axis]),
    ]
    shape = [len(range(start, end, step)) if i == axis else n for i, n in enumerate(x.shape)]
    names = [net.constant([value], np.int64) for value in (*given, axis, step)]
    net.add("Slice", [x.name, *names], shape)


def _split(net: Builder, x: Value) -> None:
    axes = [axis for axis, n in enumerate(x.shape) if n > 1]
    if not axes:
        return
    axis = net.choice(axes)
    first = net.integer(1, x.shape[axis] - 1)
    sizes = [first, x.shape[axis] - first]
    shapes = [[size if i == axis else n for i, n in enumerate(x.shape)] for size in sizes]
    net.add("Split", [x.name, net.constant(sizes, np.int64)], *shapes, axis=axis)


def _concat(net: Builder, x: Value) -> None:
    axis = net.integer(0, len(x.shape) - 1)
    fitting = [v for v in net.like(x) if _joins(v.shape, x.shape, axis)]
    parts = [x, *(net.choice(fitting) for _ in range(net.integer(1, 2)))]
    names, total = [part.name for part in parts], sum(part.shape[axis] for part in parts)
    if net.flag():
        shape = [net.integer(1, 2) if i == axis else n for i, n in enumerate(x.shape)]
        names.insert(net.integer(0, len(names)), net.weights(shape, -128, 127, x.dtype))
        total += shape[axis]
    shape = [total if i == axis else n for i, n in enumerate(x.shape)]
    if prod(shape) <= _LIMIT:
        net.add("Concat", names, shape, axis=axis)


def _joins(a: Sequence[int], b: Sequence[int], axis: int) -> bool:
    return len(a) == len(b) and all(i == axis or m == n for i, (m, n) in enumerate(zip(a, b, strict=True)))


def _gather(net: Builder, x: Value) -> None:
    axis = net.integer(0, len(x.shape) - 1)
    forms: list[list[int]] = [[], [1], [3], [2, 2]]
    shape = net.choice(forms)
    indices = net.random.integers(-x.shape[axis], x.shape[axis], shape)
    out = [*x.shape[:axis], *shape, *x.shape[axis + 1 :]]
    if out and prod(out) <= _LIMIT:
        net.add("Gather", [x.name, net.constant(indices, np.int64)], out, axis=axis)


def _transpose(net: Builder, x: Value) -> None:
    order: list[int] = net.draw(st.permutations(range(len(x.shape))))
    net.add("Transpose", [x.name], [x.shape[axis] for axis in order], perm=list(order))


def _reshape(net: Builder, x: Value) -> None:
    form = net.choice(["Reshape", "Flatten", "Unsqueeze", "Squeeze"])
    if form == "Flatten":
        axis = net.integer(0, len(x.shape))
        net.add(form, [x.name], [prod(x.shape[:axis]), prod(x.shape[axis:])], axis=axis)
    elif form == "Unsqueeze" and len(x.shape) < 5:
        axis = net.integer(0, len(x.shape))
        net.add(form, [x.name, net.constant([axis], np.int64)], [*x.shape[:axis], 1, *x.shape[axis:]])
    elif form == "Squeeze" and 1 in x.shape[1:]:
        axis = x.shape.index(1, 1)
        net.add(form, [x.name, net.constant([axis], np.int64)], [*x.shape[:axis], *x.shape[axis + 1 :]])
    else:
        sizes = [n for n in (2, 3, 4) if prod(x.shape) % n == 0] or [1]
        first = net.choice(sizes)
        net.reshaped(x, [first, prod(x.shape) // first] if net.flag() else [prod(x.shape) // first, 1, first])


def _quantize(net: Builder, x: Value) -> None:
    scaled = net.add("Dequant", [x.name], x.shape, scale=0.5, zero_point=float(net.integer(-3, 3)))[0]
    low, high = net.choice([(-128, 127), (0, 255), (-8, 7), (0, 1)])
    numbers = {"scale": net.choice([0.25, 1.0, 2.0]), "zero_point": float(net.integer(-5, 5)), "min": low, "max": high}
    net.add("Quant", [scaled.name], x.shape, **numbers)


def _cast(net: Builder, x: Value) -> None:
    dtype = net.choice([np.int8, np.uint8, np.int32, np.int64])
    net.add("Cast", [x.name], x.shape, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), dtype=dtype)


def _on(operator: Callable[[Builder, Value], None], *dtypes: Any) -> Callable[[Builder, Value], None]:
    """Return an operator that is applied to tensors of some types only."""
    return lambda net, x: operator(net, x) if x.dtype in dtypes else None


SHAPES = (_slice, _split, _concat, _gather, _transpose, _reshape, _pad)
ELEMENTWISE = (_binary, _unary, _clip, _requant_shift)
REDUCING = (_conv, _gemm, _matmul, _product_of_two, _reduce, _max_pool)
CUSTOM = (_softmax, _norm, _activation, _division, _quantize)
TYPED = (
    *(_on(rule, np.int32, np.int64) for rule in (_gemm, _matmul, _product_of_two, _reduce, _requant_shift)),
    _on(_max_pool, np.int8, np.uint8),
    *(_binary, _unary, _clip, _cast, _cast, _slice, _split, _concat, _reshape, _pad),
)
"""Operators on tensors of integer types, whose arithmetic wraps around."""
Operators = Sequence[Callable[[Builder, Value], None]]


@dataclass(frozen=True)
class Network:
    """A random network: its model, the same with every tensor as an output, and the integers that its inputs hold."""

    model: ModelProto
    exposed: ModelProto
    input_types: dict[str, str]

    def __repr__(self) -> str:
        lines = [f"{name}: {kind}" for name, kind in self.input_types.items()]
        for node in self.model.graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            lines.append(f"{', '.join(node.output)} = {node.op_type}({', '.join(node.input)}) {attributes}")
        for tensor in self.model.graph.initializer:
            lines.append(f"{tensor.name} = {numpy_helper.to_array(tensor).tolist()}")
        shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in self.model.graph.input}
        return "\n".join([f"inputs {shapes}", *lines, f"outputs {[v.name for v in self.model.graph.output]}"])


_DTYPES = {"i8": np.int8, "ui8": np.uint8, "i32": np.int32, "i64": np.int64}


@st.composite
def networks(
    draw: Any,
    operators: Operators,
    *,
    largest: int = 6,
    types: Sequence[str] = ("i8", "ui8", "i8", "ui4", "i16"),
    typed: bool = False,
) -> Network:
    """
    Draw a network of up to `largest` of these operators, each on a result or input drawn among all before.

    Integers of `types` are its inputs: carried by floats, or in these types where it is `typed`.
    """
    net = Builder(draw, np.random.default_rng(draw(st.integers(0, 1 << 16))))
    shapes = draw(st.sampled_from([[[1, 2, 4, 4]], [[1, 4, 6]], [[2, 3], [2, 3]], [[6]], [[1, 2, 3, 2], [1, 2, 3, 2]]]))
    kinds = {f"x{i}": draw(st.sampled_from(types)) for i in range(len(shapes))}
    for (name, kind), shape in zip(kinds.items(), shapes, strict=True):
        net.values.append(Value(name, tuple(shape), dtype=_DTYPES[kind] if typed else np.float32))
    inputs = list(net.values)
    for _ in range(draw(st.integers(1, largest))):
        integers = [value for value in net.values if not value.is_float and value.shape]
        # The newest value twice as likely as the others, so that chains grow long.
        draw(st.sampled_from(list(operators)))(net, draw(st.sampled_from([*integers, *integers[-1:]])))
    if not net.nodes:
        _unary(net, inputs[0])
    constants = [name for name, array in net.constants.items() if array.dtype == np.float32 or typed]
    names = [value.name for value in net.values if not value.is_float] + constants[:1]
    unused = [v.name for v in net.values[len(inputs) :] if not any(v.name in node.input for node in net.nodes)]
    chosen = [*unused, *draw(st.lists(st.sampled_from(names), max_size=3))]
    chosen = chosen or names[:1]
    outputs = list(dict.fromkeys(chosen))
    for index, name in enumerate(sorted({name for name in chosen if chosen.count(name) > 1})):
        # A tensor returned twice: ONNX wants two names for it.
        again = net.add("Identity", [name], net.shape(name))[0]
        outputs.insert(index, again.name)
    return Network(_model(net, inputs, outputs), _model(net, inputs, []), kinds)


def _model(net: Builder, inputs: Sequence[Value], outputs: Sequence[str]) -> ModelProto:
    """Return the model with these outputs, each by way of a name of its own; with all tensors where there are none."""
    made = [value for node in net.nodes for value in node.output]
    ports = [net.info(value.name) for value in inputs]
    results = [net.info(name) for name in outputs or made]
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in net.constants.items()]
    graph = helper.make_graph(net.nodes, "random", ports, results, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
