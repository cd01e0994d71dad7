"""Tensors: elements, slices, shapes, padding."""

from __future__ import annotations

from operator import le

from .builder import Draft, NoChoice, statement
from .memory import reassociated
from .types import Shaped, TypedValue, dense

LARGEST = 64
"""Greatest number of elements of a tensor."""


def tensors(b: Draft, *, rank: int = 0) -> list[TypedValue]:
    """Return the tensors in scope of at least a rank."""
    return b.visible(
        lambda value: not isinstance(value.type, str) and value.type.kind == "tensor" and value.rank >= rank
    )


def new_type(b: Draft, element: str | None = None) -> Shaped:
    """Return a random type of tensors."""
    return Shaped("tensor", b.shape(), b.scalar_type() if element is None else element)


@statement("tensor", 1.5)
def constant(b: Draft) -> None:
    """Add a constant tensor."""
    type = new_type(b)
    b.op(f"arith.constant {dense(b.draw, type)} : {type}", type)


@statement("tensor", 3)
def extract(b: Draft) -> None:
    """Add an element of a tensor."""
    source = b.pick(tensors(b))
    b.op(f"tensor.extract {source.name}[{b.positions(source.shaped.shape)}] : {source.type}", source.shaped.element)


@statement("tensor", 3)
def insert(b: Draft) -> None:
    """Add a tensor with one element replaced."""
    target = b.pick(tensors(b))
    value, at = b.scalar(target.shaped.element), b.positions(target.shaped.shape)
    b.op(f"tensor.insert {value.name} into {target.name}[{at}] : {target.type}", target.type)


def _window(b: Draft, extent: int, size: int) -> tuple[str, int, int]:
    """Return the offset, as text, the size and the step of a part of an axis."""
    step = b.draw.randint(1, max(1, (extent - 1) // max(size - 1, 1))) if size > 1 else 1
    room = extent - (size - 1) * step
    return (b.position(room).name if b.draw.random() < 0.35 else str(b.draw.randrange(room))), size, step


@statement("tensor", 2)
def extract_slice(b: Draft) -> None:
    """Add a part of a tensor."""
    source = b.pick(tensors(b, rank=1))
    parts = [_window(b, extent, b.draw.randint(1, extent)) for extent in source.shaped.shape]
    shape = tuple(size for _, size, _ in parts if size > 1 or b.draw.random() < 0.6)
    offsets, sizes, steps = (", ".join(map(str, group)) for group in zip(*parts, strict=True))
    type = Shaped("tensor", shape, source.shaped.element)
    b.op(f"tensor.extract_slice {source.name}[{offsets}] [{sizes}] [{steps}] : {source.type} to {type}", type)


@statement("tensor", 2)
def insert_slice(b: Draft) -> None:
    """Add a tensor with a part replaced by another tensor of the same or of a lower rank."""
    source = b.pick(tensors(b, rank=1))
    element, shape = source.shaped.element, source.shaped.shape
    same_kind = [value for value in tensors(b, rank=1) if value.shaped.element == element and value.rank == source.rank]
    targets = [value for value in same_kind if all(map(le, shape, value.shaped.shape))]
    target = b.pick(targets)
    parts = [_window(b, extent, size) for extent, size in zip(target.shaped.shape, shape, strict=True)]
    offsets, sizes, steps = (", ".join(map(str, group)) for group in zip(*parts, strict=True))
    place = f"{target.name}[{offsets}] [{sizes}] [{steps}]"
    b.op(f"tensor.insert_slice {source.name} into {place} : {source.type} into {target.type}", target.type)


@statement("tensor", 1, portable=False)
def splat(b: Draft) -> None:
    """Add a tensor of equal elements."""
    type = new_type(b)
    b.op(f"tensor.splat {b.scalar(type.element).name} : {type}", type)


@statement("tensor", 1, portable=False)
def from_elements(b: Draft) -> None:
    """Add a tensor of scalars."""
    type = new_type(b)
    if type.size > 8:
        raise NoChoice
    names = ", ".join(b.scalar(type.element).name for _ in range(type.size))
    b.op(f"tensor.from_elements {names} : {type}", type)


@statement("tensor", 1.5)
def reshape(b: Draft) -> None:
    """Add a tensor in another shape."""
    source = b.pick(tensors(b, rank=1))
    shape, text = reassociated(b, source.shaped.shape)
    type = Shaped("tensor", shape, source.shaped.element)
    kind, _, groups = text.partition(" ")
    sized = f" output_shape [{', '.join(map(str, shape))}]" if kind == "expand_shape" else ""
    b.op(f"tensor.{kind} {source.name} {groups}{sized} : {source.type} into {type}", type)


@statement("tensor", 1, portable=False)
def cast(b: Draft) -> None:
    """Add a tensor cast to unknown extents and back."""
    source = b.pick(tensors(b, rank=1))
    unknown = f"tensor<{'?x' * source.rank}{source.shaped.element}>"
    name = b.name()
    b.line(f"{name} = tensor.cast {source.name} : {source.type} to {unknown}")
    axis = b.draw.randrange(source.rank)
    extent = source.shaped.shape[axis]
    if b.draw.random() < 0.5:
        b.op(f"tensor.dim {name}, {b.index_constant(axis).name} : {unknown}", "index", (extent, extent))
    b.op(f"tensor.cast {name} : {unknown} to {source.type}", source.type)


@statement("tensor", 1)
def pad(b: Draft) -> None:
    """Add a padded tensor; its padding is a constant or another scalar."""
    source = b.pick(tensors(b, rank=1))
    low = [b.draw.randint(0, 2) for _ in source.shaped.shape]
    high = [b.draw.randint(0, 2) for _ in source.shaped.shape]
    shape = tuple(sum(group) for group in zip(low, source.shaped.shape, high, strict=True))
    type = Shaped("tensor", shape, source.shaped.element)
    if type.size > LARGEST:
        raise NoChoice
    value = b.constant(type.element) if b.portable else b.scalar(type.element)
    result = TypedValue(b.name(), type)
    b.line(f"{result.name} = tensor.pad {source.name} low{low} high{high} {{")
    b.line(f"^bb0({', '.join(f'{b.name()}: index' for _ in shape)}):")
    b.line(f"  tensor.yield {value.name} : {type.element}")
    b.line(f"}} : {source.type} to {type}")
    b.define(result)


@statement("tensor", 1)
def concat(b: Draft) -> None:
    """Add a tensor of two, one behind the other."""
    source = b.pick(tensors(b, rank=1))
    axis = b.draw.randrange(source.rank)
    shape = list(source.shaped.shape)
    shape[axis] *= 2
    type = Shaped("tensor", tuple(shape), source.shaped.element)
    if type.size > LARGEST:
        raise NoChoice
    b.traits.add("concat")
    other = b.value(source.type)
    b.op(f"tensor.concat dim({axis}) {source.name}, {other.name} : ({source.type}, {other.type}) -> {type}", type)
