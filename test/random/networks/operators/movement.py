"""Random operators that move elements: reshapes, slices, gathers, scatters, pads."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder import Builder, NoChoice, Operator, Tensor
from .elementwise import axis_of

_ANY = "fiub"


def transpose(b: Builder) -> None:
    x = b.pick_kind(_ANY)
    order = b.random.sample(range(len(x.shape)), len(x.shape))
    attributes: dict[str, Any] = {"perm": order} if order and b.random.random() < 0.8 else {}
    b.node("Transpose", [x], bits=x.bits, **attributes)


def reshape(b: Builder) -> None:
    x = b.pick_kind(_ANY)
    shape = b.random.choice(([-1], [*x.shape[::-1]], [1, -1], [*x.shape[:1], -1], [-1, *x.shape[-1:]], [0, -1]))
    if shape == [0, -1] and not x.shape:
        raise NoChoice
    b.node("Reshape", [x, b.constant(np.asarray(shape, np.int64))], bits=x.bits)


def flatten(b: Builder) -> None:
    x = b.pick_kind(_ANY)
    b.node("Flatten", [x], bits=x.bits, axis=b.random.randint(-len(x.shape), len(x.shape)))


def unsqueeze(b: Builder) -> None:
    x = b.pick_kind(_ANY, (0, 1, 2, 3))
    axes = b.random.sample(range(len(x.shape) + 2), 2) if b.random.random() < 0.3 else [b.random.randint(-1, 0)]
    b.node("Unsqueeze", [x, b.constant(np.asarray(axes))], bits=x.bits)


def squeeze(b: Builder) -> None:
    x = b.pick(lambda value: 1 in value.shape)
    axes = [axis for axis, extent in enumerate(x.shape) if extent == 1]
    chosen = [b.constant(np.asarray(b.random.sample(axes, 1)))] if b.random.random() < 0.7 else []
    b.node("Squeeze", [x, *chosen], bits=x.bits)


def concat(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3, 4))
    axis = axis_of(b, x)
    shape = list(x.shape)
    shape[axis] = b.random.randint(1, 3)
    parts: list[Tensor | str] = [x, b.weight(x.dtype, shape), *([x] if b.random.random() < 0.3 else [])]
    b.random.shuffle(parts)
    b.node("Concat", parts, bits=max(x.bits, 6), axis=axis)


def split(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3, 4))
    axis = axis_of(b, x)
    if x.shape[axis] < 2:
        raise NoChoice
    first = b.random.randint(1, x.shape[axis] - 1)
    if b.opset >= 18 and b.random.random() < 0.4:
        b.node("Split", [x], 2, bits=x.bits, axis=axis, num_outputs=2)
        return
    b.node("Split", [x, b.constant(np.asarray([first, x.shape[axis] - first]))], 2, bits=x.bits, axis=axis)


def slice_(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3, 4))
    axes = b.random.sample(range(len(x.shape)), b.random.randint(1, len(x.shape)))
    starts: list[int] = []
    ends: list[int] = []
    steps: list[int] = []
    for axis in axes:
        extent = x.shape[axis]
        step = b.random.choice((1, 1, 2, -1, -2, 3))
        starts.append(b.random.choice((0, -1, extent // 2, extent, -100, 100) if step > 0 else (-1, extent // 2, 100)))
        ends.append(b.random.choice((extent, -1, 1 << 40, extent // 2 + 1) if step > 0 else (-100, 0, -(1 << 40))))
        steps.append(step)
    operands = [b.constant(np.asarray(numbers, np.int64)) for numbers in (starts, ends, axes, steps)]
    b.node("Slice", [x, *operands], bits=x.bits)


def _indices(b: Builder, extent: int, shape: tuple[int, ...]) -> str | Tensor:
    """Return indices into an axis: a constant, negative ones among them, or known only at run time."""
    generator = b.generator()
    dtype = b.random.choice((np.int32, np.int64))
    if b.random.random() < 0.6:
        return b.constant(generator.integers(-extent, extent, shape).astype(dtype))
    raw = b.input((dtype,), shape)
    (clipped,) = b.node("Clip", [raw, *(b.constant(np.asarray(n, dtype)) for n in (-extent, extent - 1))], bits=4)
    return clipped


def gather(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3))
    axis = axis_of(b, x)
    b.node("Gather", [x, _indices(b, x.shape[axis], b.shape(b.random.randint(0, 2)))], bits=x.bits, axis=axis)


def gather_elements(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3))
    axis = axis_of(b, x)
    shape = tuple(b.random.randint(1, extent) for extent in x.shape)
    b.node("GatherElements", [x, _indices(b, x.shape[axis], shape)], bits=x.bits, axis=axis)


def gather_nd(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3))
    depth = b.random.randint(1, len(x.shape))
    b.node("GatherND", [x, _indices(b, min(x.shape[:depth]), (*b.shape(1), depth))], bits=x.bits)


def scatter_elements(b: Builder) -> None:
    x = b.pick_kind("fi", (1, 2, 3))
    axis = axis_of(b, x)
    reduction = b.random.choice(("none", "add", "mul", "max", "min")) if b.opset >= 18 else "none"
    # Places that are written twice have no defined value without a reduction: each row takes a permutation.
    order = b.generator().permutation(x.shape[axis])
    along = [1] * len(x.shape)
    along[axis] = -1
    index = np.broadcast_to(order.reshape(along), x.shape).astype(np.int64)
    attributes: dict[str, Any] = {"reduction": reduction} if reduction != "none" else {}
    operands = [x, b.constant(index), b.weight(x.dtype, x.shape)]
    b.node("ScatterElements", operands, bits=x.bits + 6, axis=axis, **attributes)


def scatter_nd(b: Builder) -> None:
    x = b.pick_kind("fi", (1, 2, 3))
    rows = b.random.sample(range(x.shape[0]), b.random.randint(1, x.shape[0]))
    reduction = b.random.choice(("none", "add", "mul", "max", "min")) if b.opset >= 18 else "none"
    attributes: dict[str, Any] = {"reduction": reduction} if reduction != "none" else {}
    operands = [x, b.constant(np.asarray(rows)[:, None]), b.weight(x.dtype, (len(rows), *x.shape[1:]))]
    b.node("ScatterND", operands, bits=x.bits + 6, **attributes)


def tile(b: Builder) -> None:
    x = b.pick_kind(_ANY, (1, 2, 3))
    b.node("Tile", [x, b.constant(np.asarray([b.random.randint(1, 3) for _ in x.shape]))], bits=x.bits)


def expand(b: Builder) -> None:
    x = b.pick_kind(_ANY)
    shape = [b.random.choice((1, 2, 3)) if extent == 1 else b.random.choice((1, extent)) for extent in x.shape]
    b.node("Expand", [x, b.constant(np.asarray([*b.shape(1)] * b.random.randint(0, 1) + shape, np.int64))], bits=x.bits)


def pad(b: Builder) -> None:
    x = b.pick_kind("fi", (1, 2, 3, 4))
    mode = b.random.choice(("constant", "reflect", "edge", *(["wrap"] if b.opset >= 19 else [])))
    most = [extent - 1 if mode == "reflect" else min(extent, 2) for extent in x.shape]
    pads = [b.random.randint(0, min(limit, 3)) for limit in most * 2]
    if mode in ("constant", "edge") and b.random.random() < 0.2:
        pads[0] = -1 if x.shape[0] > 1 else 0
    value = [b.constant(np.asarray(3, x.dtype))] if mode == "constant" and b.random.random() < 0.5 else []
    b.node("Pad", [x, b.constant(np.asarray(pads)), *value], bits=max(x.bits, 6), mode=mode)


def blocks(b: Builder) -> None:
    x = b.pick_kind("f", (4,))
    mode: dict[str, Any] = {"mode": b.random.choice(("DCR", "CRD"))}
    count, channels, height, width = x.shape
    if channels % 4 == 0:
        b.node("DepthToSpace", [x], bits=x.bits, blocksize=2, **mode)
        return
    (deep,) = b.node("Concat", [x] * 4, bits=x.bits, axis=1)
    b.node("DepthToSpace", [deep], bits=x.bits, blocksize=2, **mode)
    if height % 2 == 0 and width % 2 == 0 and count:
        b.node("SpaceToDepth", [x], bits=x.bits, blocksize=2)


def triangle(b: Builder) -> None:
    x = b.pick_kind("fib", (2, 3))
    diagonal = [b.constant(np.asarray(b.random.randint(-3, 3)))] if b.random.random() < 0.6 else []
    b.node("Trilu", [x, *diagonal], bits=x.bits, upper=b.random.choice((0, 1)))


def one_hot(b: Builder) -> None:
    depth = b.random.randint(2, 5)
    generator = b.generator()
    indices = b.constant(generator.integers(-depth - 1, depth + 1, b.shape(b.random.randint(1, 2))))
    operands = [indices, b.constant(np.asarray(depth)), b.weight(np.float32, (2,))]
    b.node("OneHot", operands, bits=6, axis=b.random.choice((-1, 0)))


def reverse(b: Builder) -> None:
    x = b.pick_kind(_ANY, (2, 3))
    time = b.random.choice((0, 1))
    lengths = [b.random.randint(1, x.shape[time]) for _ in range(x.shape[1 - time])]
    b.node("ReverseSequence", [x, b.constant(np.asarray(lengths))], bits=x.bits, time_axis=time, batch_axis=1 - time)


def shape_of(b: Builder) -> None:
    b.node(b.random.choice(("Shape", "Size")), [b.pick_kind(_ANY)], bits=6)


OPERATORS: tuple[Operator, ...] = (
    transpose,
    reshape,
    flatten,
    unsqueeze,
    squeeze,
    concat,
    split,
    slice_,
    gather,
    gather_elements,
    gather_nd,
    scatter_elements,
    scatter_nd,
    tile,
    expand,
    pad,
    blocks,
    triangle,
    one_hot,
    reverse,
    shape_of,
)
