"""Random layers: convolutions, products, pooling, norms, resizing, recurrence, quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder import Builder, NoChoice, Operator, Tensor
from .elementwise import axis_of

_SINGLE = (np.float32,)


def _image(b: Builder, ranks: tuple[int, ...] = (3, 4)) -> Tensor:
    """Return a value, of f32 where it is of floats, with batch, channels and one spatial axis or more."""
    try:
        return b.pick(lambda value: value.dtype in b.images and len(value.shape) in ranks)
    except NoChoice:
        return b.input(_SINGLE, (b.random.randint(1, 2), b.random.randint(1, 4), *b.shape(ranks[-1] - 2, 7)))


def _window(b: Builder, x: Tensor) -> dict[str, Any]:
    """Return the attributes of a window that slides over the spatial axes."""
    rank = len(x.shape) - 2
    attributes: dict[str, Any] = {"kernel_shape": [b.random.randint(1, min(3, extent)) for extent in x.shape[2:]]}
    if b.random.random() < 0.6:
        attributes["strides"] = [b.random.randint(1, 3) for _ in range(rank)]
    choice = b.random.random()
    if choice < 0.5:
        attributes["pads"] = [b.random.randint(0, extent - 1) for extent in attributes["kernel_shape"] * 2]
    elif choice < 0.7:
        attributes["auto_pad"] = b.random.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))
    return attributes


def _dilated(b: Builder, x: Tensor, attributes: dict[str, Any]) -> None:
    if "auto_pad" not in attributes and b.random.random() < 0.3:
        fitting = (extent > 2 * size - 2 for extent, size in zip(x.shape[2:], attributes["kernel_shape"], strict=True))
        attributes["dilations"] = [b.random.randint(1, 2) if fits else 1 for fits in fitting]


def conv(b: Builder) -> None:
    x = _image(b, (3, 4, 5) if b.random.random() < 0.2 else (3, 4))
    attributes = _window(b, x)
    _dilated(b, x, attributes)
    group = b.random.choice([n for n in (1, x.shape[1], 2) if x.shape[1] % n == 0])
    features = group * b.random.randint(1, 3)
    weights = b.weight(x.dtype, (features, x.shape[1] // group, *attributes["kernel_shape"]))
    bias = [b.weight(x.dtype, (features,))] if b.random.random() < 0.5 else []
    b.node("Conv", [x, weights, *bias], bits=x.bits + 12, group=group, **attributes)


def conv_transpose(b: Builder) -> None:
    x = _image(b)
    attributes = _window(b, x)
    attributes.pop("auto_pad", None)
    group = b.random.choice([n for n in (1, x.shape[1]) if x.shape[1] % n == 0])
    strides = attributes.get("strides", [1] * (len(x.shape) - 2))
    if b.random.random() < 0.3:
        attributes["output_padding"] = [b.random.randint(0, stride - 1) for stride in strides]
    weights = b.weight(x.dtype, (x.shape[1], b.random.randint(1, 3), *attributes["kernel_shape"]))
    b.node("ConvTranspose", [x, weights], bits=x.bits + 12, group=group, **attributes)


def pool(b: Builder) -> None:
    x = _image(b)
    attributes = _window(b, x)
    operator = b.random.choice(("MaxPool",) if b.whole else ("MaxPool", "AveragePool", "LpPool"))
    if operator == "MaxPool" or (operator == "AveragePool" and b.opset >= 19):
        _dilated(b, x, attributes)
    if operator != "LpPool" and "auto_pad" not in attributes and b.random.random() < 0.3:
        # onnx infers a window more where the last begins in the padding: not with strides that are no longer than it.
        attributes["ceil_mode"] = 1
        attributes["strides"] = [b.random.randint(1, extent) for extent in attributes["kernel_shape"]]
        attributes.pop("pads", None)
    if operator == "AveragePool" and b.random.random() < 0.5:
        attributes["count_include_pad"] = 1
    if operator == "LpPool":
        attributes["p"] = b.random.choice((1, 2, 3))
    if operator == "MaxPool":
        b.node(operator, [x], bits=x.bits, **attributes)
    else:
        b.node(operator, [x], **attributes)


def global_pool(b: Builder) -> None:
    x = _image(b)
    b.node(b.random.choice(("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")), [x])


def matmul(b: Builder) -> None:
    x = b.pick_kind("f", (1, 2, 3, 4))
    depth = x.shape[-1]
    other = b.weight(x.dtype, b.random.choice(((depth, 3), (depth,), (*x.shape[:-2], depth, 2), (2, 1, depth, 2))))
    b.node("MatMul", [x, other], bits=x.bits + 10)


def matmul_of_itself(b: Builder) -> None:
    x = b.pick_kind("f", (2, 3))
    (turned,) = b.node(
        "Transpose", [x], bits=x.bits, perm=[*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]
    )
    b.node("MatMul", [x, turned], bits=2 * x.bits + 4)


def gemm(b: Builder) -> None:
    x = b.pick_kind("f", (2,))
    flipped_x, flipped_w, width = b.random.choice((0, 1)), b.random.choice((0, 1)), b.random.randint(1, 4)
    depth, rows = x.shape[0 if flipped_x else 1], x.shape[1 if flipped_x else 0]
    weights = b.weight(x.dtype, (width, depth) if flipped_w else (depth, width))
    bias = [b.weight(x.dtype, b.random.choice(((width,), (rows, width), (1, width), (rows, 1), ())))]
    attributes: dict[str, Any] = {"alpha": 0.5, "beta": 2.0} if not b.whole and b.random.random() < 0.4 else {}
    operands = [x, weights, *(bias if b.random.random() < 0.7 else [])]
    b.node("Gemm", operands, bits=x.bits + 12, transA=flipped_x, transB=flipped_w, **attributes)


def einsum(b: Builder) -> None:
    equations = (
        "ij->ji",
        "ij->",
        "ij->i",
        "ij,jk->ik",
        "ij,kj->ki",
        "bij,jk->bik",
        "bij,bjk->bik",
        "ii->i",
        "...i->...",
    )
    equation = b.random.choice(equations)
    terms = equation.split("->")[0].replace("...", "xy").split(",")
    extents = {letter: b.random.randint(1, 4) for letter in "".join(terms)}
    x = b.input(_SINGLE, [extents[letter] for letter in terms[0]])
    others = [b.weight(np.float32, [extents[letter] for letter in term]) for term in terms[1:]]
    b.node("Einsum", [x, *others], bits=16, equation=equation)


def norm(b: Builder) -> None:
    x = _image(b)
    channels = x.shape[1]
    scale, shift = b.weight(x.dtype, (channels,)), b.weight(x.dtype, (channels,))
    kind = b.random.choice(("batch", "instance", "layer", "lrn", "lp", "mvn", "group"))
    if kind == "batch":
        variance = b.constant(np.abs(b.numbers(x.dtype, (channels,))) + np.float32(0.5))
        b.node("BatchNormalization", [x, scale, shift, b.weight(x.dtype, (channels,)), variance], epsilon=1e-3)
    elif kind == "instance":
        b.node("InstanceNormalization", [x, scale, shift], epsilon=1e-2)
    elif kind == "layer":
        axis = axis_of(b, x)
        b.node("LayerNormalization", [x, b.weight(x.dtype, x.shape[axis:])], axis=axis, epsilon=1e-2)
    elif kind == "lrn":
        b.node("LRN", [x], size=b.random.choice((1, 3)), alpha=0.1, beta=0.5, bias=2.0)
    elif kind == "lp":
        b.node("LpNormalization", [b.pick_kind("f", (1, 2, 3), exact=True)], axis=-1, p=b.random.choice((1, 2)))
    elif kind == "mvn":
        _check_varied(x)
        b.node("MeanVarianceNormalization", [x], axes=list(range(2, len(x.shape))))
    else:
        groups = b.random.choice([n for n in (1, 2, channels) if channels % n == 0])
        b.node("GroupNormalization", [x, scale, shift], num_groups=groups, epsilon=1e-2)


def _check_varied(x: Tensor) -> None:
    """Raise NoChoice for what has no variance: the quotient of two roundings."""
    if np.prod(x.shape[2:]) < 4:
        raise NoChoice


def resize(b: Builder) -> None:
    x = _image(b, (4,))
    mode = b.random.choice(("nearest", "linear", "cubic"))
    where = b.random.choice(("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
    attributes: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": where}
    if mode == "nearest":
        attributes["nearest_mode"] = b.random.choice(("floor", "ceil", "round_prefer_floor", "round_prefer_ceil"))
    if b.random.random() < 0.5:
        scales = b.constant(np.asarray([1, 1, *(b.random.choice((0.5, 1, 2, 1.5)) for _ in range(2))], np.float32))
        b.node("Resize", [x, "", scales], **attributes)
        return
    sizes = [*x.shape[:2], *(b.random.randint(1, 8) for _ in range(2))]
    b.node("Resize", [x, "", "", b.constant(np.asarray(sizes))], **attributes)


def grid_sample(b: Builder) -> None:
    if b.opset < 16:
        raise NoChoice
    x = _image(b, (4,))
    grid = b.numbers(np.float32, (x.shape[0], 2, 3, 2)) / np.float32(3.7)
    modes = ("bilinear", "nearest", "bicubic") if b.opset < 20 else ("linear", "nearest", "cubic")
    attributes: dict[str, Any] = {
        "mode": b.random.choice(modes),
        "padding_mode": b.random.choice(("zeros", "border", "reflection")),
        "align_corners": b.random.choice((0, 1)),
    }
    b.node("GridSample", [x, b.constant(grid)], **attributes)


def recurrent(b: Builder) -> None:
    operator, gates = b.random.choice((("RNN", 1), ("GRU", 3), ("LSTM", 4)))
    direction = b.random.choice(("forward", "reverse", "bidirectional"))
    ways, hidden, features = (2 if direction == "bidirectional" else 1), b.random.randint(1, 3), b.random.randint(1, 3)
    x = b.input(_SINGLE, (b.random.randint(1, 4), b.random.randint(1, 2), features))
    operands: list[Tensor | str] = [x]
    operands += [b.weight(np.float32, (ways, gates * hidden, depth)) for depth in (features, hidden)]
    if b.random.random() < 0.6:
        operands.append(b.weight(np.float32, (ways, 2 * gates * hidden)))
    attributes = {"linear_before_reset": 1} if operator == "GRU" and b.random.random() < 0.5 else {}
    outputs = 3 if operator == "LSTM" else 2
    b.node(operator, operands, outputs, direction=direction, hidden_size=hidden, **attributes)


# Quantisation


def _scale(b: Builder, count: int | None = None) -> str:
    """Add powers of two, by which division is exact."""
    return b.constant(
        np.asarray([b.random.choice((0.25, 0.5, 1)) for _ in range(count or 1)], np.float32).reshape(
            () if count is None else (count,)
        )
    )


def quantize(b: Builder) -> None:
    x = b.pick(lambda value: value.dtype == np.float32 and value.is_exact)
    dtype = b.random.choice((np.int8, np.uint8))
    axis = axis_of(b, x) if x.shape and b.random.random() < 0.5 else None
    count = None if axis is None else x.shape[axis]
    zero = b.constant(b.numbers(dtype, () if count is None else (count,)))
    attributes = {} if axis is None else {"axis": axis}
    scale = _scale(b, count)
    (narrow,) = b.node("QuantizeLinear", [x, scale, zero], bits=8, **attributes)
    if b.random.random() < 0.6:
        b.node("DequantizeLinear", [narrow, scale, zero], bits=12, **attributes)


def matmul_integer(b: Builder) -> None:
    rows, depth, columns = (b.random.randint(1, 5) for _ in range(3))
    # ONNX Runtime has no kernel for signed numbers on the left.
    x = b.input((np.uint8,), (rows, depth))
    dtype = b.random.choice((np.int8, np.uint8))
    weights, zeros = b.weight(dtype, (depth, columns)), [b.weight(np.uint8, ()), b.weight(dtype, ())]
    if b.random.random() < 0.5:
        b.node("MatMulInteger", [x, weights, *zeros[: b.random.randint(0, 2)]], bits=20)
        return
    result = [_scale(b), b.weight(np.uint8, ())]
    b.node("QLinearMatMul", [x, _scale(b), zeros[0], weights, _scale(b), zeros[1], *result], bits=8)


def conv_integer(b: Builder) -> None:
    channels = b.random.randint(1, 3)
    x = b.input((np.uint8,), (1, channels, b.random.randint(3, 6), b.random.randint(3, 6)))
    attributes = _window(b, x)
    weights = b.weight(np.uint8, (b.random.randint(1, 3), channels, *attributes["kernel_shape"]))
    zeros = [b.weight(np.uint8, ()), b.weight(np.uint8, ())]
    if b.random.random() < 0.5:
        b.node("ConvInteger", [x, weights, *zeros], bits=20, **attributes)
        return
    operands = [x, _scale(b), zeros[0], weights, _scale(b), zeros[1], _scale(b), b.weight(np.uint8, ())]
    b.node("QLinearConv", operands, bits=8, **attributes)


def dynamic(b: Builder) -> None:
    x = b.pick(lambda value: value.dtype == np.float32 and value.is_exact)
    b.node("DynamicQuantizeLinear", [x], 3)


OPERATORS: tuple[Operator, ...] = (
    conv,
    conv,
    conv_transpose,
    pool,
    pool,
    global_pool,
    matmul,
    matmul_of_itself,
    gemm,
    einsum,
    norm,
    norm,
    resize,
    grid_sample,
    recurrent,
    quantize,
    matmul_integer,
    conv_integer,
    dynamic,
)
