"""Buffers: allocations, loads, stores, views that alias, copies, globals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from ....ir import collapsed_shape
from .builder import Draft, NoChoice, statement
from .types import Shaped, TypedValue, dense


def buffers(b: Draft, *, writable: bool = False) -> list[TypedValue]:
    """Return the buffers and views in scope."""
    return b.visible(
        lambda value: (
            not isinstance(value.type, str)
            and value.type.kind == "memref"
            and ((value.writable and not b.quiet) or not writable)
        )
    )


def new_buffer(b: Draft, element: str, shape: tuple[int, ...]) -> TypedValue:
    """Add a buffer whose elements are all written."""
    type = Shaped("memref", shape, element)
    value = TypedValue(b.name(), type, root=f"r{b.name()}", writable=True)
    b.line(f"{value.name} = memref.{b.draw.choice(('alloc', 'alloc', 'alloca'))}() : {type}")
    fill(b, value)
    return b.define(value)


def fill(b: Draft, buffer: TypedValue) -> None:
    """Write every element of a buffer."""
    type = buffer.shaped
    if b.draw.random() < 0.5 or not type.shape or type.layout:
        value = b.scalar(type.element)
        b.line(f"linalg.fill ins({value.name} : {type.element}) outs({buffer.name} : {type})")
        return
    zero, one = b.index_constant(0), b.index_constant(1)
    variables: list[TypedValue] = []
    for extent in type.shape:
        variables.append(TypedValue(b.name(), "index", (0, extent - 1)))
        b.line(f"scf.for {variables[-1].name} = {zero.name} to {b_extent(b, extent)} step {one.name} {{")
        b.scopes.append([variables[-1]])
    value = b.scalar(type.element)
    b.line(f"memref.store {value.name}, {buffer.name}[{', '.join(v.name for v in variables)}] : {type}")
    for _ in type.shape:
        b.scopes.pop()
        b.line("}")


def b_extent(b: Draft, extent: int) -> str:
    """Return the name of a constant index."""
    return b.index_constant(extent).name


@statement("memref", 2)
def allocation(b: Draft) -> None:
    """Add a buffer."""
    new_buffer(b, b.scalar_type(), b.shape())


@statement("memref", 5)
def load(b: Draft) -> None:
    """Add a load."""
    buffer = b.pick(buffers(b))
    b.op(f"memref.load {buffer.name}[{b.positions(buffer.shaped.shape)}] : {buffer.type}", buffer.shaped.element)


@statement("memref", 6)
def store(b: Draft) -> None:
    """Add a store."""
    buffer = b.pick(buffers(b, writable=True))
    value = b.scalar(buffer.shaped.element)
    b.line(f"memref.store {value.name}, {buffer.name}[{b.positions(buffer.shaped.shape)}] : {buffer.type}")


@statement("memref", 1.5)
def update(b: Draft) -> None:
    """Add a load, an operator and a store to the same element."""
    buffer = b.pick(
        [value for value in buffers(b, writable=True) if value.shaped.element in ("i8", "i16", "i32", "i64")]
    )
    type, at = buffer.shaped.element, b.positions(buffer.shaped.shape)
    old = b.op(f"memref.load {buffer.name}[{at}] : {buffer.type}", type)
    new = b.op(f"arith.{b.draw.choice(('addi', 'muli', 'xori'))} {old.name}, {b.scalar(type).name} : {type}", type)
    b.line(f"memref.store {new.name}, {buffer.name}[{at}] : {buffer.type}")


def strides_of(type: Shaped) -> tuple[list[int], int] | None:
    """Return the strides and the offset of a buffer's type; an unknown offset is -1."""
    if not type.layout:
        return [prod(type.shape[axis + 1 :]) for axis in range(len(type.shape))], 0
    inside, _, rest = type.layout.removeprefix("strided<[").partition("]")
    offset = rest.removesuffix(">").removeprefix(", offset: ")
    strides = [int(text) for text in inside.split(", ")] if inside else []
    return strides, -1 if offset == "?" else int(offset or 0)


def layout(strides: Sequence[int], offset: int) -> str:
    """Return the text of a strided layout; an offset of -1 is unknown."""
    tail = "" if offset == 0 else f", offset: {'?' if offset < 0 else offset}"
    return f"strided<[{', '.join(map(str, strides))}]{tail}>"


@statement("memref", 3)
def subview(b: Draft) -> None:
    """Add a view of a part, with offsets that are constant or computed, steps, and dropped axes."""
    source = b.pick([value for value in buffers(b) if value.rank])
    strides, start = strides_of(source.shaped) or ([], 0)
    texts: list[tuple[str, str, str]] = []
    origin, kept = start, list[tuple[int, int]]()
    for extent, stride in zip(source.shaped.shape, strides, strict=True):
        size, step, offset, text = _window(b, extent)
        origin = -1 if origin < 0 or text != str(offset) else origin + offset * stride
        texts.append((text, str(size), str(step)))
        if size > 1 or b.draw.random() < 0.5:
            kept.append((size, stride * step))
    offsets, sizes, steps = (", ".join(group) for group in zip(*texts, strict=True))
    shape = tuple(size for size, _ in kept)
    new_strides = [stride for _, stride in kept]
    type = Shaped("memref", shape, source.shaped.element, layout(new_strides, origin))
    b.op(
        f"memref.subview {source.name}[{offsets}] [{sizes}] [{steps}] : {source.type} to {type}",
        type,
        root=source.root,
        writable=source.writable,
    )


def _window(b: Draft, extent: int) -> tuple[int, int, int, str]:
    """Return the size, step, offset of a part of an axis, and the offset's text."""
    size = b.draw.randint(1, extent)
    step = b.draw.randint(1, max(1, (extent - 1) // max(size - 1, 1))) if size > 1 else 1
    room = extent - (size - 1) * step
    offset = b.draw.randrange(room)
    if b.draw.random() < 0.35:
        return size, step, offset, b.position(room).name
    return size, step, offset, str(offset)


@statement("memref", 1.5)
def copy(b: Draft) -> None:
    """Add a copy to a buffer that does not overlap the source, perhaps a new one."""
    source = b.pick(buffers(b))
    same = [
        value
        for value in buffers(b, writable=True)
        if value.root != source.root
        and value.shaped.shape == source.shaped.shape
        and value.shaped.element == source.shaped.element
    ]
    target = (
        b.pick(same) if same and b.draw.random() < 0.7 else new_buffer(b, source.shaped.element, source.shaped.shape)
    )
    b.line(f"memref.copy {source.name}, {target.name} : {source.type} to {target.type}")


@statement("memref", 0.8, portable=False)
def cast(b: Draft) -> None:
    """Add a load through a view whose extents are unknown, and one of its extents."""
    source = b.pick([value for value in buffers(b) if value.rank and not value.shaped.layout])
    unknown = f"memref<{'?x' * source.rank}{source.shaped.element}>"
    name = b.name()
    b.line(f"{name} = memref.cast {source.name} : {source.type} to {unknown}")
    axis = b.draw.randrange(source.rank)
    extent = source.shaped.shape[axis]
    b.op(f"memref.dim {name}, {b.index_constant(axis).name} : {unknown}", "index", (extent, extent))
    b.op(f"memref.load {name}[{b.positions(source.shaped.shape)}] : {unknown}", source.shaped.element)


@statement("memref", 1)
def reshape(b: Draft) -> None:
    """Add a view in another shape of a contiguous buffer."""
    source = b.pick([value for value in buffers(b) if value.rank and not value.shaped.layout])
    shape, text = reassociated(b, source.shaped.shape)
    type = Shaped("memref", shape, source.shaped.element)
    kind = text.partition(" ")[0]
    sized = f" output_shape [{', '.join(map(str, shape))}]" if kind == "expand_shape" else ""
    b.op(
        f"memref.{kind} {source.name} {text.partition(' ')[2]}{sized} : {source.type} into {type}",
        type,
        root=source.root,
        writable=source.writable,
    )


def reassociated(b: Draft, shape: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """Return a shape that expands or collapses another one, and the op's name and reassociation."""
    if len(shape) > 1 and b.draw.random() < 0.6:
        cuts = sorted({0, len(shape), *(axis for axis in range(1, len(shape)) if b.draw.random() < 0.5)})
        groups = [list(range(first, last)) for first, last in pairwise(cuts)]
        return tuple(collapsed_shape(shape, groups)), f"collapse_shape {groups}"
    expanded: list[int] = []
    groups = list[list[int]]()
    for extent in shape:
        factors = b.draw.choice([[extent // n, n] for n in range(1, extent + 1) if extent % n == 0] + [[extent]])
        groups.append(list(range(len(expanded), len(expanded) + len(factors))))
        expanded += factors
    if len(expanded) == len(shape):
        raise NoChoice
    return tuple(expanded), f"expand_shape {groups}"


@statement("memref", 1)
def reinterpret(b: Draft) -> None:
    """Add a reinterpretation of a contiguous buffer by other strides."""
    source = b.pick([value for value in buffers(b) if value.rank and not value.shaped.layout])
    rows, columns, stride = b.draw.randint(1, 2), b.draw.randint(1, 3), b.draw.randint(1, 2)
    pitch = b.draw.randint(1, 4)
    span = (rows - 1) * pitch + (columns - 1) * stride + 1
    if span > source.shaped.size:
        raise NoChoice
    offset = b.draw.randint(0, source.shaped.size - span)
    type = Shaped("memref", (rows, columns), source.shaped.element, layout([pitch, stride], offset))
    sizes = f"sizes: [{rows}, {columns}], strides: [{pitch}, {stride}]"
    text = f"memref.reinterpret_cast {source.name} to offset: [{offset}], {sizes}"
    b.op(f"{text} : {source.type} to {type}", type, root=source.root, writable=source.writable)


@statement("memref", 1.2)
def global_buffer(b: Draft) -> None:
    """Add a constant global, and a reference to it."""
    type = Shaped("memref", b.shape(), b.scalar_type())
    name = b.label()
    b.globals.append(f'memref.global "private" constant @{name} : {type} = {dense(b.draw, type)}')
    b.op(f"memref.get_global @{name} : {type}", type, root=f"@{name}")


@statement("memref", 0.4, portable=False)
def deallocation(b: Draft) -> None:
    """Add a buffer that is used and deallocated."""
    type = Shaped("memref", b.shape(), b.scalar_type())
    name = b.name()
    b.line(f"{name} = memref.alloc() : {type}")
    at = b.positions(type.shape)
    b.line(f"memref.store {b.scalar(type.element).name}, {name}[{at}] : {type}")
    b.op(f"memref.load {name}[{at}] : {type}", type.element)
    b.line(f"memref.dealloc {name} : {type}")
