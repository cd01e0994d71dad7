"""Chunks of `vector`."""

from __future__ import annotations

from math import prod

from tilewright.runtime.testing.programs.types import Shaped

from .chunk import FLOATS, Chunk, Named, template


def _type(shape: tuple[int, ...], element: str) -> Shaped:
    return Shaped("vector", shape, element)


@template()
def elements(b: Chunk) -> None:
    element, (rows, columns) = b.number(), b.shape(2)
    matrix, row, scalar = b.vector((rows, columns), element), b.vector((columns,), element), b.scalar(element)
    at = b.scalar("index", (0, columns - 1))
    inner = b.draw.randrange(rows)
    b.result(b.op(f"vector.extractelement {row.name}[{at.name} : index] : {row.type}", element))
    b.result(b.op(f"vector.insertelement {scalar.name}, {row.name}[{at.name} : index] : {row.type}", row.type))
    b.result(b.op(f"vector.extract {matrix.name}[{inner}] : {row.type} from {matrix.type}", row.type))
    b.result(b.op(f"vector.insert {row.name}, {matrix.name} [{inner}] : {row.type} into {matrix.type}", matrix.type))
    last = b.draw.randrange(columns)
    b.result(b.op(f"vector.extract {matrix.name}[{inner}, {last}] : {element} from {matrix.type}", element))
    text = f"vector.insert {scalar.name}, {matrix.name} [{inner}, {last}] : {element} into {matrix.type}"
    b.result(b.op(text, matrix.type))


@template()
def looked_up_elements(b: Chunk) -> None:
    b.traits.add("dynamic position")
    element, (rows, columns) = b.number(), b.shape(2)
    matrix, scalar = b.vector((rows, columns), element), b.scalar(element)
    row, column = b.scalar("index", (0, rows - 1)), b.draw.randrange(columns)
    part = _type((columns,), element)
    b.result(b.op(f"vector.extract {matrix.name}[{row.name}] : {part} from {matrix.type}", part))
    at = f"[{row.name}, {column}]"
    b.result(b.op(f"vector.extract {matrix.name}{at} : {element} from {matrix.type}", element))
    b.result(b.op(f"vector.insert {scalar.name}, {matrix.name} {at} : {element} into {matrix.type}", matrix.type))


@template()
def made(b: Chunk) -> None:
    element, shape = b.number(), b.shape(b.draw.randint(1, 3), 3)
    type, scalar = _type(shape, element), b.scalar(element)
    others = [b.scalar(element) for _ in range(min(prod(shape), 3))]
    picked = ", ".join(b.draw.choice(others).name for _ in range(prod(shape)))
    b.result(b.op(f"vector.from_elements {picked} : {type}", type))
    b.result(b.op(f"vector.splat {scalar.name} : {type}", type))
    b.result(b.op(f"vector.broadcast {scalar.name} : {element} to {type}", type))
    part = b.vector(shape[1:], element)
    b.result(b.op(f"vector.broadcast {part.name} : {part.type} to {type}", type))
    steps = _type((b.draw.randint(1, 6),), "index")
    b.result(b.op(f"vector.step : {steps}", steps))


@template()
def strided(b: Chunk) -> None:
    element, shape = b.number(), b.shape(2, 5)
    source = b.vector(shape, element)
    sizes = tuple(b.draw.randint(1, extent) for extent in shape)
    offsets = [b.draw.randint(0, extent - size) for extent, size in zip(shape, sizes, strict=True)]
    part = b.op(
        f"vector.extract_strided_slice {source.name} {{offsets = {offsets}, sizes = {list(sizes)}, strides = [1, 1]}}"
        f" : {source.type} to {_type(sizes, element)}",
        _type(sizes, element),
    )
    b.result(part)
    target = b.vector(shape, element)
    b.result(
        b.op(
            f"vector.insert_strided_slice {part.name}, {target.name} {{offsets = {offsets}, strides = [1, 1]}}"
            f" : {part.type} into {target.type}",
            target.type,
        )
    )
    rows = b.draw.randint(1, shape[0])
    b.result(
        b.op(
            f"vector.extract_strided_slice {source.name} {{offsets = [0], sizes = [{rows}], strides = [1]}}"
            f" : {source.type} to {_type((rows, shape[1]), element)}",
            _type((rows, shape[1]), element),
        )
    )


@template()
def reshaped(b: Chunk) -> None:
    element, shape = b.number(), b.shape(b.draw.randint(2, 3), 3)
    source = b.vector(shape, element)
    flat = _type((prod(shape),), element)
    b.result(b.op(f"vector.shape_cast {source.name} : {source.type} to {flat}", flat))
    order = b.draw.sample(range(len(shape)), len(shape))
    turned = _type(tuple(shape[axis] for axis in order), element)
    b.result(b.op(f"vector.transpose {source.name}, {order} : {source.type} to {turned}", turned))
    wide = {"i8": "i8", "i16": "f16", "i32": "f32", "i64": "f64", "f32": "i32", "f64": "i64"}[element]
    if wide != "f16":
        cast = b.op(f"vector.bitcast {source.name} : {source.type} to {_type(shape, wide)}", _type(shape, wide))
        b.result(cast)


@template()
def flat(b: Chunk) -> None:
    b.traits.add("matrix intrinsic")
    rows, columns = b.shape(2, 3)
    line = b.vector((rows * columns,), b.draw.choice(FLOATS))
    text = f"vector.flat_transpose {line.name} {{columns = {columns} : i32, rows = {rows} : i32}}"
    b.result(b.op(f"{text} : {line.type} -> {line.type}", line.type))


@template()
def narrowed(b: Chunk) -> None:
    wide, narrow = b.draw.choice((("i64", "i32"), ("f64", "i32"), ("i32", "i16"), ("f32", "i8"), ("i16", "i8")))
    size = b.draw.randint(1, 4)
    bits = {"i8": 8, "i16": 16, "i32": 32, "f32": 32, "i64": 64, "f64": 64}
    ratio = bits[wide] // bits[narrow]
    source = b.vector((size,), wide)
    type = _type((size * ratio,), narrow)
    several = b.op(f"vector.bitcast {source.name} : {source.type} to {type}", type)
    b.result(several)
    b.result(b.op(f"vector.bitcast {several.name} : {several.type} to {source.type}", source.type))


@template()
def shuffled(b: Chunk) -> None:
    element, (left, right) = b.number(), b.shape(2, 5)
    one, other = b.vector((left,), element), b.vector((right,), element)
    mask = [b.draw.randrange(left + right) for _ in range(b.draw.randint(1, 6))]
    type = _type((len(mask),), element)
    b.result(b.op(f"vector.shuffle {one.name}, {other.name} {mask} : {one.type}, {other.type}", type))
    again = b.vector((left,), element)
    double = _type((2 * left,), element)
    mixed = b.op(f"vector.interleave {one.name}, {again.name} : {one.type} -> {double}", double)
    b.result(mixed)
    first, second = b.name(), b.name()
    b.line(f"{first}, {second} = vector.deinterleave {mixed.name} : {double} -> {one.type}")
    b.result(Named(first, one.type))
    b.result(Named(second, one.type))


def _kind(b: Chunk, element: str) -> str:
    kinds = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
    whole = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
    return b.draw.choice(kinds if element in FLOATS else whole)


@template()
def reductions(b: Chunk) -> None:
    element, shape = b.number(), b.shape(b.draw.randint(1, 3), 4)
    line = b.vector(shape[:1], element)
    b.result(b.op(f"vector.reduction <{_kind(b, element)}>, {line.name} : {line.type} into {element}", element))
    initial = b.scalar(element)
    kind = _kind(b, element)
    b.result(b.op(f"vector.reduction <{kind}>, {line.name}, {initial.name} : {line.type} into {element}", element))
    source = b.vector(shape, element)
    axes = sorted(b.draw.sample(range(len(shape)), b.draw.randint(1, len(shape))))
    kept = tuple(extent for axis, extent in enumerate(shape) if axis not in axes)
    start = b.vector(kept, element) if kept else b.scalar(element)
    text = f"vector.multi_reduction <{_kind(b, element)}>, {source.name}, {start.name} {axes}"
    b.result(b.op(f"{text} : {source.type} to {start.type}", start.type))


@template()
def products(b: Chunk) -> None:
    element, (m, n, k) = b.number(), b.shape(3, 3)
    left, right, start = b.vector((m, k), element), b.vector((k, n), element), b.vector((m, n), element)
    maps = "[affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]"
    iterators = '["parallel", "parallel", "reduction"]'
    text = f"vector.contract {{indexing_maps = {maps}, iterator_types = {iterators}, kind = #vector.kind<add>}}"
    operands = f"{left.name}, {right.name}, {start.name} : {left.type}, {right.type} into {start.type}"
    b.result(b.op(f"{text} {operands}", start.type))
    row, column = b.vector((m,), element), b.vector((n,), element)
    kind = _kind(b, element)
    operands = f"{row.name}, {column.name}, {start.name} {{kind = #vector.kind<{kind}>}} : {row.type}, {column.type}"
    b.result(b.op(f"vector.outerproduct {operands}", start.type))
    b.result(b.op(f"vector.outerproduct {row.name}, {column.name} : {row.type}, {column.type}", start.type))
    scalar = b.scalar(element)
    b.result(b.op(f"vector.outerproduct {row.name}, {scalar.name} : {row.type}, {element}", row.type))


@template()
def dots(b: Chunk) -> None:
    element, size = b.number(), b.draw.randint(1, 5)
    left, right, start = b.vector((size,), element), b.vector((size,), element), b.scalar(element)
    maps = "[affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>]"
    text = f'vector.contract {{indexing_maps = {maps}, iterator_types = ["reduction"], kind = #vector.kind<add>}}'
    b.result(
        b.op(f"{text} {left.name}, {right.name}, {start.name} : {left.type}, {right.type} into {element}", element)
    )


@template()
def fused(b: Chunk) -> None:
    element = b.draw.choice(FLOATS)
    x, y, z = (b.vector(shape, element) for shape in [b.shape(b.draw.randint(1, 2))] * 3)
    b.result(b.op(f"vector.fma {x.name}, {y.name}, {z.name} : {x.type}", x.type))


@template()
def flat_product(b: Chunk) -> None:
    b.traits.add("matrix intrinsic")
    element = b.draw.choice(FLOATS)
    rows, inner, columns = b.shape(3, 3)
    left, right = b.vector((rows * inner,), element), b.vector((inner * columns,), element)
    sizes = f"{{lhs_columns = {inner} : i32, lhs_rows = {rows} : i32, rhs_columns = {columns} : i32}}"
    type = _type((rows * columns,), element)
    text = f"vector.matrix_multiply {left.name}, {right.name} {sizes}"
    b.result(b.op(f"{text} : ({left.type}, {right.type}) -> {type}", type))


@template()
def scanned(b: Chunk) -> None:
    b.traits.add("scan")
    element, shape = b.number(), b.shape(2)
    axis = b.draw.randrange(2)
    source, start = b.vector(shape, element), b.vector((shape[1 - axis],), element)
    inclusive = b.draw.choice(("true", "false"))
    kind = _kind(b, element)
    dest, total = b.name(), b.name()
    b.line(
        f"{dest}, {total} = vector.scan <{kind}>, {source.name}, {start.name}"
        f" {{inclusive = {inclusive}, reduction_dim = {axis} : i64}} : {source.type}, {start.type}"
    )
    b.result(Named(dest, source.type))
    b.result(Named(total, start.type))


@template()
def memory(b: Chunk) -> None:
    element, (rows, columns) = b.number(), b.shape(2, 6)
    source = b.array((rows, columns), element)
    size = b.draw.randint(1, columns)
    row, column = b.scalar("index", (0, rows - 1)), b.scalar("index", (0, columns - size))
    type = _type((size,), element)
    at = f"[{row.name}, {column.name}]"
    loaded = b.op(f"vector.load {source.name}{at} : {source.type}, {type}", type)
    b.result(loaded)
    mask, other = b.vector((size,), "i1"), b.vector((size,), element)
    text = f"vector.maskedload {source.name}{at}, {mask.name}, {other.name}"
    b.result(b.op(f"{text} : {source.type}, {mask.type}, {type} into {type}", type))
    b.line(f"vector.maskedstore {source.name}{at}, {mask.name}, {other.name} : {source.type}, {mask.type}, {type}")
    b.result(source)
    b.line(f"vector.store {loaded.name}, {source.name}{at} : {source.type}, {type}")
    b.result(source)
    text = f"vector.expandload {source.name}{at}, {mask.name}, {other.name}"
    b.result(b.op(f"{text} : {source.type}, {mask.type}, {type} into {type}", type))
    b.line(f"vector.compressstore {source.name}{at}, {mask.name}, {other.name} : {source.type}, {mask.type}, {type}")
    b.result(source)


@template()
def looked_up(b: Chunk) -> None:
    element, (rows, columns) = b.number(), b.shape(2, 5)
    source, size = b.array((rows, columns), element), b.draw.randint(1, 4)
    row, zero = b.scalar("index", (0, rows - 1)), b.index(0)
    type = _type((size,), element)
    numbers = [b.draw.randrange(columns) for _ in range(size)]
    places = b.op(f"arith.constant dense<{numbers}> : vector<{size}xi32>", _type((size,), "i32"))
    mask, other = b.vector((size,), "i1"), b.vector((size,), element)
    text = f"vector.gather {source.name}[{row.name}, {zero.name}] [{places.name}], {mask.name}, {other.name}"
    b.result(b.op(f"{text} : {source.type}, {places.type}, {mask.type}, {type} into {type}", type))
    text = f"vector.scatter {source.name}[{row.name}, {zero.name}] [{places.name}], {mask.name}, {other.name}"
    b.line(f"{text} : {source.type}, {places.type}, {mask.type}, {type}")
    b.result(source)


@template()
def transfers(b: Chunk) -> None:
    element, (rows, columns) = b.number(), b.shape(2, 5)
    source = b.array((rows, columns), element)
    row, column = b.scalar("index", (0, rows - 1)), b.scalar("index", (0, columns - 1))
    padding, shape = b.scalar(element), b.shape(2, 4)
    at = f"[{row.name}, {column.name}]"
    type = _type(shape, element)
    block = b.op(f"vector.transfer_read {source.name}{at}, {padding.name} : {source.type}, {type}", type)
    b.result(block)
    turned = "{permutation_map = affine_map<(i, j) -> (j, i)>}"
    b.result(b.op(f"vector.transfer_read {source.name}{at}, {padding.name} {turned} : {source.type}, {type}", type))
    spread = "{in_bounds = [true, false], permutation_map = affine_map<(i, j) -> (0, j)>}"
    b.result(b.op(f"vector.transfer_read {source.name}{at}, {padding.name} {spread} : {source.type}, {type}", type))
    line = _type((b.draw.randint(1, 5),), element)
    b.result(b.op(f"vector.transfer_read {source.name}{at}, {padding.name} : {source.type}, {line}", line))
    b.line(f"vector.transfer_write {block.name}, {source.name}{at} : {type}, {source.type}")
    b.result(source)


@template()
def masks(b: Chunk) -> None:
    shape = b.shape(2, 4)
    type = _type(shape, "i1")
    bounds = [b.draw.randint(0, extent) for extent in shape]
    if 0 in bounds:
        bounds = [0] * len(bounds)
    b.result(b.op(f"vector.constant_mask {bounds} : {type}", type))
    sizes = [b.scalar("index", (0, 7)) for _ in shape]
    b.result(b.op(f"vector.create_mask {', '.join(size.name for size in sizes)} : {type}", type))
    line = _type(shape[:1], "i1")
    b.result(b.op(f"vector.create_mask {sizes[0].name} : {line}", line))


@template()
def masked(b: Chunk) -> None:
    b.traits.add("masked")
    element, shape = b.number(), b.shape(2, 4)
    source, start, mask = b.vector(shape, element), b.vector(shape[:1], element), b.vector(shape, "i1")
    text = f"vector.multi_reduction <{_kind(b, element)}>, {source.name}, {start.name} [1]"
    inner = f"{text} : {source.type} to {start.type}"
    b.result(b.op(f"vector.mask {mask.name} {{ {inner} }} : {mask.type} -> {start.type}", start.type))


@template()
def cells(b: Chunk) -> None:
    b.traits.add("rank 0")
    element = b.number()
    cell, scalar = b.vector((), element), b.scalar(element)
    b.result(b.op(f"vector.extractelement {cell.name}[] : {cell.type}", element))
    b.result(b.op(f"vector.insertelement {scalar.name}, {cell.name}[] : {cell.type}", cell.type))
    b.result(b.op(f"vector.extract {cell.name}[] : {element} from {cell.type}", element))
