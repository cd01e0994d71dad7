"""Kernels of linalg: generic ones with permuted, broadcast, strided and reduced operands, and named ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from .builder import Draft, NoChoice, statement
from .control import listed, names_of
from .memory import new_buffer
from .types import FLOATS, Shaped, TypedValue

LARGEST = 64
"""Greatest number of elements of an operand, and of points of a kernel."""


def operands(b: Draft) -> list[TypedValue]:
    """Return the tensors, or the buffers, in scope that a kernel may read."""
    return b.visible(lambda value: not isinstance(value.type, str) and value.type.kind == b.profile.level)


def operand(b: Draft, shape: tuple[int, ...], element: str) -> TypedValue:
    """Return an operand of a shape, in scope or new."""
    same = [value for value in operands(b) if value.shaped.shape == shape and value.shaped.element == element]
    if same and b.draw.random() < 0.8:
        return b.pick(same)
    return _new(b, shape, element)


def _new(b: Draft, shape: tuple[int, ...], element: str) -> TypedValue:
    if b.profile.level == "memref":
        return new_buffer(b, element, shape)
    if b.portable or b.draw.random() < 0.5:
        return b.value(Shaped("tensor", shape, element))
    type = Shaped("tensor", shape, element)
    return b.op(f"tensor.splat {b.scalar(element).name} : {type}", type)


def target(b: Draft, shape: tuple[int, ...], element: str, sources: Sequence[TypedValue], *, reads: bool) -> TypedValue:
    """
    Return the operand that a kernel writes: one in scope, or an empty tensor where its elements are not read.

    A buffer does not overlap the sources.
    """
    if b.profile.level == "memref":
        roots = {source.root for source in sources}
        free = [value for value in operands(b) if value.writable and not b.quiet and value.root not in roots]
        fitting = [value for value in free if value.shaped.shape == shape and value.shaped.element == element]
        return b.pick(fitting) if fitting and b.draw.random() < 0.7 else new_buffer(b, element, shape)
    if reads or b.draw.random() < 0.4:
        return operand(b, shape, element)
    type = Shaped("tensor", shape, element)
    value = TypedValue(b.name(), type)
    b.line(f"{value.name} = tensor.empty() : {type}")
    return value


def emit(b: Draft, head: str, inputs: Sequence[TypedValue], output: TypedValue, tail: str = "") -> None:
    """Add a kernel of one line, whose result is visible."""
    ins = f"ins({names_of(inputs)} : {listed([value.type for value in inputs])}) " if inputs else ""
    text = f"{head} {ins}outs({output.name} : {output.type}){tail}"
    if b.profile.level == "memref":
        b.line(text)
        return
    # The kernels with a tail have the type of their result in their operand alone.
    b.op(text if tail else f"{text} -> {output.type}", output.type)


@dataclass(frozen=True)
class KernelAccess:
    """Operand of a kernel: its expressions of the kernel's dimensions, and its shape."""

    expressions: tuple[str, ...]
    shape: tuple[int, ...]


def access(b: Draft, extents: Sequence[int]) -> KernelAccess:
    """Return a random access: some dimensions in any order, now and then strided or as a sum."""
    dims = list(range(len(extents)))
    b.draw.shuffle(dims)
    chosen = dims if b.draw.random() < 0.6 else dims[: b.draw.randint(0, len(dims))]
    expressions = [f"d{dim}" for dim in chosen]
    shape = [extents[dim] for dim in chosen]
    if chosen and b.draw.random() < 0.15:
        place, stride, offset = b.draw.randrange(len(chosen)), b.draw.randint(1, 2), b.draw.randint(0, 1)
        shape[place] = (shape[place] - 1) * stride + offset + 1
        expressions[place] = f"d{chosen[place]} * {stride} + {offset}"
    elif len(chosen) > 1 and b.draw.random() < 0.15:
        stride = b.draw.randint(1, 2)
        first, second, *others = chosen
        expressions = [f"d{first} * {stride} + d{second}", *(f"d{dim}" for dim in others)]
        shape = [(extents[first] - 1) * stride + extents[second], *(extents[dim] for dim in others)]
    return KernelAccess(tuple(expressions), tuple(shape))


def _map(rank: int, expressions: Sequence[str]) -> str:
    return f"affine_map<({', '.join(f'd{dim}' for dim in range(rank))}) -> ({', '.join(expressions)})>"


@statement("linalg", 5)
def generic(b: Draft) -> None:
    """Add a generic kernel."""
    rank = b.draw.choice((1, 2, 2, 2, 3))
    extents = [b.draw.choice((1, 2, 2, 3, 4)) for _ in range(rank)]
    reduced = [b.draw.random() < 0.3 for _ in extents]
    accesses = [access(b, extents) for _ in range(b.draw.randint(0, 3))]
    # Each dimension has to occur by itself in an operand: bounds follow from shapes.
    accesses = (
        accesses
        if b.draw.random() < 0.5
        else [*accesses, KernelAccess(tuple(f"d{d}" for d in range(rank)), tuple(extents))]
    )
    free = [dim for dim in range(rank) if not reduced[dim]]
    b.draw.shuffle(free)
    shape = tuple(extents[dim] for dim in free)
    written = KernelAccess(tuple(f"d{dim}" for dim in free), shape)
    spelled = {expression for item in [*accesses, written] for expression in item.expressions}
    largest = max(prod(item.shape) for item in [*accesses, written])
    if largest > LARGEST or not spelled.issuperset(f"d{dim}" for dim in range(rank)):
        raise NoChoice
    inputs = [operand(b, item.shape, b.scalar_type()) for item in accesses]
    element = b.scalar_type()
    reads = any(reduced) or b.draw.random() < 0.3
    output = target(b, written.shape, element, inputs, reads=reads)
    maps = ", ".join(_map(rank, item.expressions) for item in [*accesses, written])
    kinds = ", ".join('"reduction"' if is_reduced else '"parallel"' for is_reduced in reduced)
    ins = f"ins({names_of(inputs)} : {listed([value.type for value in inputs])}) " if inputs else ""
    outs = f"outs({output.name} : {output.type})"
    head = f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins}{outs}"
    result = TypedValue(b.name(), output.type)
    is_tensor = b.profile.level == "tensor"
    b.line(f"{f'{result.name} = ' if is_tensor else ''}{head} {{")
    _body(b, [value.shaped.element for value in inputs], element, extents, reads=reads)
    b.line(f"}} -> {output.type}" if is_tensor else "}")
    if is_tensor:
        b.define(result)


def _body(b: Draft, types: Sequence[str], element: str, extents: Sequence[int], *, reads: bool) -> None:
    """Add the body of a kernel: a few scalar statements; the written element takes part where it may be read."""
    arguments, old = [TypedValue(b.name(), type) for type in types], TypedValue(b.name(), element)
    in_kernel, b.in_kernel = b.in_kernel, True
    with b.scope([*arguments, *([old] if reads else [])], prod(extents)):
        b.line(f"^bb0({', '.join(f'{value.name}: {value.type}' for value in [*arguments, old])}):")
        if b.draw.random() < 0.25:
            dim = b.draw.randrange(len(extents))
            b.op(f"linalg.index {dim} : index", "index", (0, extents[dim] - 1))
        b.body(b.draw.randint(0, 3))
        local = [value for value in b.scopes[-1] if value.type == element and value is not old]
        value = b.draw.choice(local) if local else b.scalar(element)
        if reads:
            kind = b.draw.choice(
                ("addf", "mulf", "maximumf") if element in FLOATS else ("addi", "muli", "xori", "maxsi")
            )
            value = b.op(f"arith.{kind} {old.name}, {value.name} : {element}", element)
        b.line(f"linalg.yield {value.name} : {element}")
    b.in_kernel = in_kernel


@statement("linalg", 3)
def elementwise(b: Draft) -> None:
    """Add a named kernel of elements."""
    left = b.pick(operands(b))
    if left.shaped.element == "i1":
        raise NoChoice
    right = operand(b, left.shaped.shape, left.shaped.element)
    kinds = ("add", "sub", "mul", "max", "min")
    output = target(b, left.shaped.shape, left.shaped.element, [left, right], reads=False)
    emit(b, f"linalg.{b.draw.choice(kinds)}", [left, right], output)


@statement("linalg", 1)
def filled(b: Draft) -> None:
    """Add a fill."""
    element, shape = b.scalar_type(), b.shape()
    value = b.scalar(element)
    output = target(b, shape, element, [], reads=False)
    emit(b, "linalg.fill", [value], output)


@statement("linalg", 1)
def copied(b: Draft) -> None:
    """Add a copy."""
    source = b.pick(operands(b))
    output = target(b, source.shaped.shape, source.shaped.element, [source], reads=False)
    emit(b, "linalg.copy", [source], output)


@statement("linalg", 1.5)
def matrix_product(b: Draft) -> None:
    """Add a product of matrices, whose sums begin with what its output holds."""
    element = b.scalar_type(("i8", "i16", "i32", "i64", "f32", "f64"))
    rows, inner, columns = (b.draw.randint(1, 3) for _ in range(3))
    left, right = operand(b, (rows, inner), element), operand(b, (inner, columns), element)
    output = target(b, (rows, columns), element, [left, right], reads=True)
    emit(b, "linalg.matmul", [left, right], output)


@statement("linalg", 1.5)
def transposition(b: Draft) -> None:
    """Add a transposition."""
    source = b.pick([value for value in operands(b) if value.rank])
    order = list(range(source.rank))
    b.draw.shuffle(order)
    if order == sorted(order):
        b.traits.add("identity")
    shape = tuple(source.shaped.shape[axis] for axis in order)
    output = target(b, shape, source.shaped.element, [source], reads=False)
    emit(b, "linalg.transpose", [source], output, f" permutation = {order}")


@statement("linalg", 1, portable=False)
def broadcast(b: Draft) -> None:
    """Add a broadcast along new axes."""
    source = b.pick(operands(b))
    rank = source.rank + b.draw.randint(1, 2)
    added = sorted(b.draw.sample(range(rank), rank - source.rank))
    sizes = iter(source.shaped.shape)
    shape = tuple(b.draw.randint(1, 3) if axis in added else next(sizes) for axis in range(rank))
    if prod(shape) > LARGEST:
        raise NoChoice
    output = target(b, shape, source.shaped.element, [source], reads=False)
    emit(b, "linalg.broadcast", [source], output, f" dimensions = {added}")


@statement("linalg", 1, portable=False)
def reduction(b: Draft) -> None:
    """Add a reduction along some axes."""
    source = b.pick([value for value in operands(b) if value.rank])
    element = source.shaped.element
    axes = sorted(b.draw.sample(range(source.rank), b.draw.randint(1, source.rank)))
    shape = tuple(extent for axis, extent in enumerate(source.shaped.shape) if axis not in axes)
    output = target(b, shape, element, [source], reads=True)
    kind = b.draw.choice(("addf", "mulf", "maximumf") if element in FLOATS else ("addi", "muli", "xori", "maxsi"))
    value, total, combined, result = b.name(), b.name(), b.name(), TypedValue(b.name(), output.type)
    is_tensor = b.profile.level == "tensor"
    outs = f"outs({output.name} : {output.type}) dimensions = {axes}"
    b.line(f"{f'{result.name} = ' if is_tensor else ''}linalg.reduce ins({source.name} : {source.type}) {outs}")
    b.line(f"  ({value}: {element}, {total}: {element}) {{")
    b.line(f"    {combined} = arith.{kind} {value}, {total} : {element}")
    b.line(f"    linalg.yield {combined} : {element}")
    b.line("  }")
    if is_tensor:
        b.define(result)
