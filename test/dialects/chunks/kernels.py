"""Chunks of named ops of `linalg`: a template for each, with random sizes, element types, strides and dilations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tilewright.dialects.linalg.definitions import DEFINITIONS, ELEMENTWISE
from tilewright.runtime.testing.programs.types import Shaped

from .chunk import FLOATS, TEMPLATES, Chunk, Named, names, template, types

LIBM = frozenset({"erf", "exp", "log", "powf", "rsqrt", "tanh"})
"""Functions of elements that a library approximates."""

SMALL = (-9, 9)
"""Bounds of the quarters that floats of kernels are: all sums of their products are exact, in any order."""

_MIXED = (("i8", "i8", "i32"), ("i8", "i16", "i32"), ("i16", "i16", "i64"), ("f32", "f32", "f64"))


def _kernel(b: Chunk, head: str, inputs: Sequence[Named], output: Named, tail: str = "") -> None:
    """Add a kernel on tensors or buffers, whose output is a result of the chunk."""
    text = f"linalg.{head} ins({names(inputs)} : {types(inputs)}) outs({output.typed}){tail}"
    if b.level == "memref":
        b.line(text)
        b.result(output)
        return
    b.result(b.op(text if tail else f"{text} -> {output.type}", output.type))


def named(name: str, b: Chunk) -> None:
    """Add an op of the table."""
    definition = DEFINITIONS[name]
    sizes = [b.draw.randint(1, 3) for _ in range(definition.loops)]
    strides, dilations = ([b.draw.randint(1, 2) for _ in range(definition.windows)] for _ in range(2))
    maps = definition.maps(strides, dilations)
    shapes = [tuple(end + 1 for end in map.eval([size - 1 for size in sizes], [])) for map in maps]
    kinds = _element_types(b, definition.function, len(maps))
    if name == "linalg.batch_reduce_matmul":
        kinds = kinds[:1] * len(kinds)  # MLIR 19 builds no conversions for this one
    operands = [
        b.scalar(kind) if access is None else b.array(shape, kind, SMALL)
        for access, shape, kind in zip(definition.accesses, shapes, kinds, strict=True)
    ]
    attributes: list[str] = []
    if definition.windows and definition.is_strided:
        count = definition.windows
        attributes += [f"dilations = dense<{dilations}> : tensor<{count}xi64>"]
        attributes += [f"strides = dense<{strides}> : tensor<{count}xi64>"]
    if "matmul" in name and name.count("_") < 2 and len(set(kinds)) > 1 and name != "linalg.quantized_matmul":
        attributes = ["cast = #linalg.type_fn<cast_unsigned>"] if "batch" not in name and b.draw.random() < 0.5 else []
    shown = f" {{{', '.join(attributes)}}}" if attributes else ""
    _kernel(b, f"{name.removeprefix('linalg.')}{shown}", operands[:-1], operands[-1])


def _element_types(b: Chunk, function: str, count: int) -> list[str]:
    """Return the element type of each operand of a named op."""
    if function == "random":
        return ["f64", "f64", "i32", b.draw.choice(("f32", "f64", "i32"))][:count]
    if "zero_points" in function:
        return ["i8", "i8", "i32", "i32", "i32"]
    if function.endswith("unsigned"):
        kind = b.number(floats=False)
        return [kind, kind, kind]
    mixed = b.draw.choice(_MIXED)
    if b.draw.random() < 0.4 and function == "mac":
        return list(mixed)
    kind = b.number()
    return [kind] * count


def elementwise(name: str, b: Chunk) -> None:
    """Add a named op of elements."""
    kind = b.draw.choice(FLOATS)
    if name in LIBM:
        kind = "f32"
        b.traits.add("libm")
    shape = b.shape(b.draw.randint(1, 3), 3)
    inputs = [b.array(shape, kind) for _ in range(ELEMENTWISE.get(name, 1))]
    if name == "div_unsigned":
        kind = b.number(floats=False)
        inputs = [b.array(shape, kind), _filled(b, shape, kind)]
    _kernel(b, name, inputs, b.array(shape, kind))


def _filled(b: Chunk, shape: tuple[int, ...], kind: str) -> Named:
    """Return an array of numbers other than zero."""
    value, array = b.constant(kind, b.draw.randint(1, 9)), b.array(shape, kind)
    text = f"linalg.fill ins({value.typed}) outs({array.typed})"
    if b.level == "memref":
        b.line(text)
        return array
    return b.op(f"{text} -> {array.type}", array.type)


@template(level="tensor")
def elementwise_functions(b: Chunk) -> None:
    b.traits.add("libm")
    shape, kind = b.shape(2, 3), "f32"
    unary = b.draw.choice(
        ("exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "square", "tanh")
    )
    x, y, out = (b.array(shape, kind) for _ in range(3))
    _kernel(b, f"elemwise_unary {{fun = #linalg.unary_fn<{unary}>}}", [x], out)
    binary = b.draw.choice(("add", "sub", "mul", "div", "max_signed", "min_signed", "powf"))
    _kernel(b, f"elemwise_binary {{fun = #linalg.binary_fn<{binary}>}}", [x, y], out)


@template(level="tensor")
def elementwise_casts(b: Chunk) -> None:
    shape = b.shape(2, 3)
    narrow, wide = b.draw.choice((("i8", "i32"), ("i16", "i64"), ("i8", "f32"), ("i32", "f64"), ("f32", "f64")))
    way = b.draw.choice(("signed", "unsigned"))
    x, y, out = b.array(shape, narrow), b.array(shape, narrow), b.array(shape, wide)
    _kernel(b, f"copy {{cast = #linalg.type_fn<cast_{way}>}}", [x], out)
    name = b.draw.choice(("add", "sub", "mul", "max_signed", "min_signed"))
    attributes = f"cast = #linalg.type_fn<cast_{way}>, fun = #linalg.binary_fn<{name}>"
    _kernel(b, f"elemwise_binary {{{attributes}}}", [x, y], out)


@template(level="tensor")
def selected(b: Chunk) -> None:
    shape, kind = b.shape(2, 3), b.number()
    operands = [b.array(shape, "i1"), b.array(shape, kind), b.array(shape, kind)]
    _kernel(b, "select", operands, b.array(shape, kind))


@template(level="tensor")
def mapped(b: Chunk) -> None:
    shape, kind = b.shape(b.draw.randint(1, 3), 3), b.number(floats=False)
    left, right, out = (b.array(shape, kind) for _ in range(3))
    name = b.draw.choice(("addi", "muli", "xori", "minsi", "maxui"))
    result = Named(b.name(), out.type)
    b.line(f"{result.name} = linalg.map {{ arith.{name} }} ins({names([left, right])} : {types([left, right])})")
    b.lines[-1] += f" outs({out.typed})"
    b.result(result)
    result, x, y, z = Named(b.name(), out.type), b.name(), b.name(), b.name()
    b.line(f"{result.name} = linalg.map ins({names([left, right])} : {types([left, right])}) outs({out.typed})")
    b.line(f"  ({x}: {kind}, {y}: {kind}) {{")
    b.line(f"    {z} = arith.subi {y}, {x} : {kind}")
    b.line(f"    linalg.yield {z} : {kind}")
    b.line("  }")
    b.result(result)


@template(level="tensor")
def softmax(b: Chunk) -> None:
    b.traits |= {"libm", "decomposed"}
    shape = b.shape(b.draw.randint(1, 3), 3)
    x, out = b.array(shape, "f32"), b.array(shape, "f32")
    text = f"linalg.softmax dimension({b.draw.randrange(len(shape))})"
    b.result(b.op(f"{text} ins({x.typed}) outs({out.typed}) -> {out.type}", out.type))


@template(level="tensor")
def winograd(b: Chunk) -> None:
    b.traits |= {"decomposed"}
    channels, filters, batch = b.draw.randint(1, 2), b.draw.randint(1, 2), 1
    weights, image = b.array((filters, 3, 3, channels), "f32"), b.array((batch, 6, 6, channels), "f32")
    turned, tiles = (
        Shaped("tensor", (6, 6, channels, filters), "f32"),
        Shaped("tensor", (6, 6, 1, 1, batch, channels), "f32"),
    )
    first, second = b.array(turned.shape, "f32"), b.array(tiles.shape, "f32")
    for head, source, target in (("filter", weights, first), ("input", image, second)):
        text = f"linalg.winograd_{head}_transform m(4) r(3) ins({source.typed}) outs({target.typed}) -> {target.type}"
        b.result(b.op(text, target.type))
    values, out = b.array((6, 6, 1, 1, batch, filters), "f32"), b.array((batch, 4, 4, filters), "f32")
    text = f"linalg.winograd_output_transform m(4) r(3) ins({values.typed}) outs({out.typed}) -> {out.type}"
    b.result(b.op(text, out.type))


def register() -> None:
    """Add a template for each op of the tables, on tensors or on buffers by turns."""
    levels = ("tensor", "memref")
    for place, name in enumerate(DEFINITIONS):
        TEMPLATES[name] = partial(named, name), levels[place % 2]
    for place, name in enumerate([*ELEMENTWISE, "exp", "log", "sqrt"]):
        TEMPLATES[f"linalg.{name}"] = partial(elementwise, name), levels[place % 2]


register()
