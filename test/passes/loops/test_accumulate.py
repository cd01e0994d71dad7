"""Kernels that go on from their output: a reduction done in parts gives what it gives whole, on every level."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.formats.c import render
from tilewright.passes.generalize_kernels import generalize_kernels
from tilewright.runtime.interpreter import Interpreter, load_rules
from tilewright.runtime.toolchain import STRICT, compile_shared
from tilewright.test.passes.scalar_machine import ELEMENTS, typed

CONTEXT = new_context()
FOLDS: dict[str, Any] = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum}
START = 3
"""What the output holds where it is not the neutral element."""
DIRT = 55
Box = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Part:
    """A part of a reduction: the first and the end of each axis of each input, and the attributes of the kernel."""

    boxes: Sequence[Box]
    attributes: str


@dataclass(frozen=True)
class Reduced:
    """A kernel of one reduction and the parts it is cut into."""

    name: str
    kind: str
    inputs: Sequence[Array]
    shape: Sequence[int]
    element: str
    attributes: str
    parts: Sequence[Part]
    unsigned: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the output's elements."""
        return np.dtype(next(name for name, short in ELEMENTS.items() if short == self.element))

    def fold(self, values: Array, start: Any) -> Array:
        """Return what the reduction gives that starts from `start`, for what it gives whole."""
        reading = values.view(np.uint8) if self.unsigned and values.dtype == np.int8 else values
        with np.errstate(over="ignore"):
            return FOLDS[self.kind](reading, reading.dtype.type(start)).view(values.dtype)


def type_of(case: Reduced, shape: Sequence[int]) -> str:
    return f"memref<{''.join(f'{n}x' for n in shape)}{case.element}>"


def module_of(case: Reduced) -> ModuleOp:
    """
    Return a module of functions that compute the kernel: `whole`, `parts` and, from another start, `later`.

    The last two compute it in a view that begins where only the program knows, in a buffer larger by 2 along each axis.
    """
    arguments = ", ".join(f"%x{i}: {typed(x)}" for i, x in enumerate(case.inputs))
    ins = ", ".join(f"%x{i}" for i in range(len(case.inputs)))
    types = ", ".join(typed(x) for x in case.inputs)
    out = type_of(case, case.shape)
    whole = f"""func.func @whole({arguments}, %out: {out}) {{
        nn.{case.name} ins({ins} : {types}) outs(%out : {out}) {{{case.attributes}}}
        func.return
    }}"""
    module = parse_module(CONTEXT, whole)
    neutral = next(kernel_of(op).reductions[0].initial[0] for op in module.walk() if is_kernel(op))
    start = f"{START}.0" if case.element == "f32" else str(START)
    others = [
        in_parts(case, "parts", arguments, str(neutral)),
        in_parts(case, "later", arguments, f"{start} : {case.element}"),
    ]
    module = parse_module(CONTEXT, "\n".join([whole, *others]))
    verify(module)
    return module


def in_parts(case: Reduced, name: str, arguments: str, start: str) -> str:
    """Return the function that fills a view with `start` and runs the kernel part by part."""
    wide = [extent + 2 for extent in case.shape]
    steps = [int(np.prod(wide[axis + 1 :])) for axis in range(len(wide))]
    view = f"memref<{''.join(f'{n}x' for n in case.shape)}{case.element}, strided<{steps}, offset: ?>>"
    sizes, ones = list(case.shape), [1] * len(wide)
    lines = [
        "%one = arith.constant 1 : index",
        f"%start = arith.constant {start}",
        f"%v = memref.subview %out[{', '.join(['%one'] * len(wide))}] {sizes} {ones} : {type_of(case, wide)} to {view}",
        f"linalg.fill ins(%start : {case.element}) outs(%v : {view})",
    ]
    for number, part in enumerate(case.parts):
        views = [cut(f"%x{i}", f"%p{number}_{i}", x, box) for i, (x, box) in enumerate(zip(case.inputs, part.boxes))]
        lines += [text for text, _ in views]
        ins = ", ".join(f"%p{number}_{i}" for i in range(len(views)))
        types = ", ".join(type for _, type in views)
        lines.append(f"nn.{case.name} ins({ins} : {types}) outs(%v : {view}) {{{part.attributes}, accumulate}}")
    body = "\n".join(lines)
    return f"func.func @{name}({arguments}, %out: {type_of(case, wide)}) {{\n{body}\nfunc.return\n}}"


def cut(source: str, name: str, array: Array, box: Box) -> tuple[str, str]:
    """Return the subview of a part of an array, and its type."""
    steps = [stride // array.itemsize for stride in array.strides]
    offset = sum(first * step for (first, _), step in zip(box, steps, strict=True))
    sizes = [end - first for first, end in box]
    extents = "".join(f"{n}x" for n in sizes)
    type = f"memref<{extents}{ELEMENTS[array.dtype.name]}, strided<{steps}, offset: {offset}>>"
    firsts = [first for first, _ in box]
    return f"{name} = memref.subview {source}{firsts} {sizes} {[1] * len(sizes)} : {typed(array)} to {type}", type


def check(case: Reduced, run: Callable[[str, Sequence[Array]], object]) -> None:
    """Compare the functions of a case: `run` runs one on buffers, of which the last is the output."""
    whole = np.full(case.shape, DIRT, case.dtype)
    run("whole", [*case.inputs, whole])
    for name, expected in (("parts", whole), ("later", case.fold(whole, START))):
        out = np.full([extent + 2 for extent in case.shape], DIRT, case.dtype)
        run(name, [*case.inputs, out])
        inside = tuple(slice(1, -1) for _ in case.shape)
        np.testing.assert_array_equal(out[inside], expected, err_msg=name)
        out[inside] = DIRT
        assert (out == DIRT).all()


def interpreted(module: ModuleOp) -> Callable[[str, Sequence[Array]], object]:
    verify(module)
    load_rules(module)
    return Interpreter(module).call


def check_in_interpreter(case: Reduced) -> None:
    """Compare kernels, generics, loops and the loops of generics."""
    module = module_of(case)
    check(case, interpreted(module))
    loops, general = module.clone(), module.clone()
    ConvertKernelsToLoopsPass().apply(CONTEXT, loops)
    check(case, interpreted(loops))
    generalize_kernels(general)
    assert not [op for op in general.walk() if op.name.startswith("nn.")]
    check(case, interpreted(general))
    ConvertKernelsToLoopsPass().apply(CONTEXT, general)
    check(case, interpreted(general))


def check_in_c(case: Reduced, folder: Path) -> None:
    """Compare the functions in C that looks for undefined behaviour."""
    module = module_of(case)
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    convert_to_emitc(module)
    source = folder / "code.c"
    source.write_text(render(module).text())
    flags = (*STRICT, "-fsanitize=undefined", "-fno-sanitize-recover=all")
    library = ctypes.CDLL(str(compile_shared([source], flags)))

    def run(name: str, arrays: Sequence[Array]) -> None:
        getattr(library, f"{name}_run")(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))

    check(case, run)


# Cases


@st.composite
def stretches(draw: Any, extent: int) -> list[tuple[int, int]]:
    """Draw how an extent is cut into parts."""
    places: set[int] = draw(st.sets(st.integers(1, extent - 1), max_size=2)) if extent > 1 else set()
    marks = [0, *sorted(places), extent]
    return list(pairwise(marks))


def numbers(draw: Any, shape: Sequence[int], type: str, most: int = 127) -> Array:
    """Return random numbers of a type: the largest too where it is i32, integers where it is f32."""
    generator = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    if type == "i32":
        return generator.integers(-(1 << 31), 1 << 31, shape).astype(np.int32)
    return generator.integers(-most - 1, most, shape, endpoint=True).astype(np.int8 if type == "i8" else np.float32)


def array(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def whole(values: Array) -> list[tuple[int, int]]:
    return [(0, extent) for extent in values.shape]


def with_axis(box: Box, axis: int, stretch: tuple[int, int]) -> list[tuple[int, int]]:
    return [stretch if place == axis else kept for place, kept in enumerate(box)]


def seen_by_taps(
    x: Array, stretch: tuple[int, int], *, axis: int, reach: int, window: int, dilation: int
) -> list[tuple[int, int]]:
    """Return what a stretch of the taps along a spatial axis reads; the whole window reads the first `reach`."""
    first, end = stretch
    return with_axis(whole(x), axis, (first * dilation, reach - (window - end) * dilation))


def typing(type: str, accumulator: str, unsigned: bool) -> str:
    """Return the attributes that say what the numbers are; those of i32 are so large that sums wrap around."""
    flags = [f"accumulator = {accumulator}", "unsigned = array<i64: 0>" if unsigned else "", "wraps"]
    return ", ".join(flag for flag in flags[: 3 if type == "i32" else 2] if flag)


TYPES = st.sampled_from([("i8", "i32"), ("i8", "i64"), ("i32", "i32"), ("f32", "f32")])


@st.composite
def convolutions(draw: Any) -> Reduced:
    """Draw a convolution, cut along its channels or, where it has groups, along the first axis of its window."""
    (type, total), unsigned = draw(TYPES), draw(st.booleans())
    groups, depth, each, batch = (draw(st.integers(1, limit)) for limit in (2, 4, 2, 2))
    window, strides, dilations, out = (draw(st.tuples(*[st.integers(1, n)] * 2)) for n in (3, 2, 2, 3))
    reach = [(k - 1) * d + 1 + (o - 1) * s for k, d, o, s in zip(window, dilations, out, strides, strict=True)]
    channels = groups == 1 and draw(st.booleans())
    pads = [draw(st.integers(0, 1)) if channels or axis % 2 else 0 for axis in range(4)]
    space = [max(1, reach[axis] - pads[axis] - pads[axis + 2]) for axis in range(2)]
    x = numbers(draw, [batch, groups * depth, *space], type)
    w = numbers(draw, [groups * each, depth, *window], type)
    taps = partial(seen_by_taps, axis=2, reach=reach[0], window=window[0], dilation=dilations[0])
    attributes = f"""{typing(type, total, unsigned and type == "i8")}, groups = {groups} : i64,
        strides = {array(strides)}, dilations = {array(dilations)}, pads = {array(pads)}"""
    parts = [
        Part(
            [with_axis(whole(x), 1, s) if channels else taps(x, s), with_axis(whole(w), 1 if channels else 2, s)],
            attributes,
        )
        for s in draw(stretches(depth if channels else window[0]))
    ]
    return Reduced("conv", "sum", (x, w), [batch, groups * each, *out], total, attributes, parts)


@st.composite
def products(draw: Any) -> Reduced:
    """Draw a matrix product."""
    (type, total), unsigned = draw(TYPES), draw(st.booleans())
    m, n, k = (draw(st.integers(1, limit)) for limit in (4, 4, 7))
    across, down = draw(st.booleans()), draw(st.booleans())
    batch = draw(st.sampled_from([[], [2]]))
    a = numbers(draw, [*batch, *((k, m) if across else (m, k))], type)
    b = numbers(draw, [n, k] if down else [k, n], type)
    flags = (", transpose_a" if across else "") + (", transpose_b" if down else "")
    attributes = typing(type, total, unsigned and type == "i8") + flags
    axis = len(batch) + (0 if across else 1)
    parts = [
        Part([with_axis(whole(a), axis, s), with_axis(whole(b), int(down), s)], attributes) for s in draw(stretches(k))
    ]
    return Reduced("matmul", "sum", (a, b), [*batch, m, n], total, attributes, parts)


KINDS = st.sampled_from(
    [
        ("sum", "i8", "i32"),
        ("sum", "i32", "i32"),
        ("sum", "f32", "f32"),
        ("product", "i8", "i32"),
        ("product", "i32", "i32"),
        ("product", "f32", "f32"),
        ("max", "i8", "i8"),
        ("max", "i8", "i32"),
        ("max", "f32", "f32"),
        ("min", "i8", "i8"),
        ("min", "i32", "i32"),
        ("min", "f32", "f32"),
    ]
)


def factors(draw: Any, shape: Sequence[int], kind: str, type: str) -> Array:
    """Return random numbers of which products stay small, but for those that wrap around."""
    return numbers(draw, shape, type, 1 if kind == "product" else 127)


@st.composite
def pools(draw: Any) -> Reduced:
    """Draw a pooling, cut along the first axis of its window."""
    kind, type, total = draw(KINDS)
    unsigned = type == "i8" and kind != "product" and draw(st.booleans())
    last = draw(st.booleans())
    window, strides, dilations, out = (draw(st.tuples(*[st.integers(1, n)] * 2)) for n in (3, 2, 2, 3))
    reach = [(k - 1) * d + 1 + (o - 1) * s for k, d, o, s in zip(window, dilations, out, strides, strict=True)]
    pads = [0, draw(st.integers(0, 1)), 0, draw(st.integers(0, 1))]
    space = [reach[0], max(1, reach[1] - pads[1] - pads[3])]
    x = factors(draw, [1, *space, 2] if last else [1, 2, *space], kind, type)
    common = f"""kind = "{kind}", {typing(type, total, unsigned)}, strides = {array(strides)},
        dilations = {array(dilations)}, pads = {array(pads)}{", channels_last" if last else ""}"""
    taps = partial(seen_by_taps, axis=1 if last else 2, reach=reach[0], window=window[0], dilation=dilations[0])
    parts = [
        Part([taps(x, (first, end))], f"{common}, window = {array([end - first, window[1]])}")
        for first, end in draw(stretches(window[0]))
    ]
    shape = [1, *out, 2] if last else [1, 2, *out]
    return Reduced("pool", kind, (x,), shape, total, f"{common}, window = {array(window)}", parts, unsigned)


@st.composite
def reductions(draw: Any) -> Reduced:
    """Draw a reduction of some axes, cut along one of them."""
    kind, type, total = draw(KINDS)
    unsigned = type == "i8" and kind != "product" and draw(st.booleans())
    shape = draw(st.lists(st.integers(1, 4), min_size=2, max_size=3))
    axes = sorted(draw(st.sets(st.integers(0, len(shape) - 1), min_size=1, max_size=len(shape) - 1)))
    keep = draw(st.booleans())
    x = factors(draw, shape, kind, type)
    attributes = f"""kind = "{kind}", axes = {array(axes)}{", keep_dims" if keep else ""},
        {typing(type, total, unsigned)}"""
    out = [1 if axis in axes else extent for axis, extent in enumerate(shape) if keep or axis not in axes]
    axis = draw(st.sampled_from(axes))
    parts = [Part([with_axis(whole(x), axis, s)], attributes) for s in draw(stretches(shape[axis]))]
    return Reduced("reduce", kind, (x,), out, total, attributes, parts, unsigned)


CASES = {"conv": convolutions(), "matmul": products(), "pool": pools(), "reduce": reductions()}


@pytest.mark.nightly
@pytest.mark.parametrize("name", CASES)
def test_parts_are_the_whole(name: str) -> None:
    @settings(max_examples=20, deadline=None)
    @given(CASES[name])
    def run(case: Reduced) -> None:
        check_in_interpreter(case)

    run()


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", CASES)
def test_parts_are_the_whole_in_c(name: str, tmp_path: Path) -> None:
    @settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(CASES[name])
    def run(case: Reduced) -> None:
        check_in_c(case, tmp_path)

    run()
