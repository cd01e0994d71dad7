"""Affine ops: maps with divisions of negative numbers, loops, conditions, accesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .builder import INDEX_LIMIT, Draft, NoChoice, statement
from .control import assigned, carried, end_region, fresh, listed, types_of
from .memory import buffers
from .types import Type, TypedValue


@dataclass(frozen=True)
class BoundedExpression:
    """Text of an affine expression, and the interval of its values."""

    text: str
    low: int
    high: int


def expression(b: Draft, depth: int, leaves: list[BoundedExpression]) -> BoundedExpression:
    """Return a random affine expression."""
    if depth == 0 or b.draw.random() < 0.2:
        number = b.draw.randint(-4, 6)
        return b.draw.choice([*leaves, *leaves, BoundedExpression(str(number), number, number)])
    left = expression(b, depth - 1, leaves)
    kind = b.draw.choice(("+", "-", "*", "mod", "floordiv", "ceildiv"))
    if kind in ("+", "-"):
        right = expression(b, depth - 1, leaves)
        ends = (right.low, right.high) if kind == "+" else (-right.high, -right.low)
        return BoundedExpression(f"({left.text} {kind} {right.text})", left.low + ends[0], left.high + ends[1])
    factor = b.draw.choice((-3, -1, 2, 3)) if kind == "*" else b.draw.choice((1, 2, 3, 5))
    text = f"({left.text} {kind} {factor})"
    match kind:
        case "*":
            ends = sorted((left.low * factor, left.high * factor))
            return BoundedExpression(text, ends[0], ends[1])
        case "mod":
            return BoundedExpression(text, 0, factor - 1)
        case "floordiv":
            return BoundedExpression(text, left.low // factor, left.high // factor)
        case _:
            return BoundedExpression(text, -(-left.low // factor), -(-left.high // factor))


def _operands(b: Draft) -> tuple[list[TypedValue], list[TypedValue], list[BoundedExpression]]:
    """Return values for dimensions and for symbols, and their expressions."""
    dims = [b.index() for _ in range(b.draw.randint(1, 2))]
    symbols = [b.index() for _ in range(b.draw.choice((0, 0, 1)))]
    leaves = [BoundedExpression(f"d{i}", *value.bounds) for i, value in enumerate(dims)]
    return dims, symbols, [*leaves, *(BoundedExpression(f"s{i}", *value.bounds) for i, value in enumerate(symbols))]


def dimensions(b: Draft) -> list[TypedValue]:
    """Return the indices in scope that affine accesses take: the function's own, and variables of affine loops."""
    outermost = b.scopes[0]
    return b.visible(lambda value: value.type == "index" and (value.is_affine or value in outermost))


def _map(dims: list[TypedValue], symbols: list[TypedValue], results: str) -> str:
    """Return the text of a map's or set's operands and results."""
    named = f"[{', '.join(f's{i}' for i in range(len(symbols)))}]" if symbols else ""
    return f"({', '.join(f'd{i}' for i in range(len(dims)))}){named} {results}"


def _used(dims: list[TypedValue], symbols: list[TypedValue]) -> str:
    named = f"[{', '.join(value.name for value in symbols)}]" if symbols else ""
    return f"({', '.join(value.name for value in dims)}){named}"


@statement("affine", 4)
def apply(b: Draft) -> None:
    """Add an affine expression."""
    dims, symbols, leaves = _operands(b)
    result = expression(b, 3, leaves)
    if max(abs(result.low), abs(result.high)) > INDEX_LIMIT:
        raise NoChoice
    b.op(
        f"affine.apply affine_map<{_map(dims, symbols, f'-> ({result.text})')}>{_used(dims, symbols)}",
        "index",
        (result.low, result.high),
    )


@statement("affine", 1, portable=False)
def minimum(b: Draft) -> None:
    """Add a minimum of affine expressions."""
    dims, symbols, leaves = _operands(b)
    results = [expression(b, 2, leaves) for _ in range(2)]
    low = min(result.low for result in results)
    high = min(result.high for result in results)
    if max(abs(low), abs(high)) > INDEX_LIMIT:
        raise NoChoice
    texts = ", ".join(result.text for result in results)
    b.op(f"affine.min affine_map<{_map(dims, symbols, f'-> ({texts})')}>{_used(dims, symbols)}", "index", (low, high))


@statement("affine_loops", 3)
def for_loop(b: Draft) -> None:
    """Add an affine loop."""
    low, step, trips = b.draw.choice((0, 0, 1, -2)), b.draw.choice((1, 1, 2, 3)), b.draw.randint(0, 4)
    high = low + trips * step - (b.draw.randrange(step) if trips else 0)
    initial = carried(b)
    types = types_of(initial)
    results, arguments = fresh(b, types), fresh(b, types)
    variable = TypedValue(b.name(), "index", (low, max(low, high - 1)), is_affine=True)
    pairs = ", ".join(f"{inner.name} = {outer.name}" for inner, outer in zip(arguments, initial, strict=True))
    carries = f" iter_args({pairs}) -> ({listed(types)})" if initial else ""
    stepped = f" step {step}" if step > 1 else ""
    b.line(f"{assigned(results)}affine.for {variable.name} = {low} to {high}{stepped}{carries} {{")
    with b.scope([variable, *arguments], trips):
        b.body(b.draw.randint(0, 4))
        end_region(b, types, arguments, "affine.yield")
    b.line("}")
    b.scopes[-1] += results


@statement("affine_loops", 1)
def condition(b: Draft) -> None:
    """Add a condition on affine expressions, in the generic form: xDSL has no other."""
    dims = [b.pick(dimensions(b)) for _ in range(b.draw.randint(1, 2))]
    leaves = [BoundedExpression(f"d{i}", *value.bounds) for i, value in enumerate(dims)]
    tests = ", ".join(
        f"{expression(b, 2, leaves).text} {b.draw.choice(('>=', '=='))} 0" for _ in range(b.draw.randint(1, 2))
    )
    types = types_of(carried(b))
    results = fresh(b, types)
    heads = assigned(results)
    inputs, outputs = ", ".join("index" for _ in dims), f"({listed(types)})"
    text = f'"affine.if"({", ".join(value.name for value in dims)}) ({{'
    b.line(f"{heads}{text}")
    _branch(b, types)
    b.line("}, {")
    if types or b.draw.random() < 0.5:
        _branch(b, types)
    b.line(f"}}) {{condition = affine_set<{_map(dims, [], f': ({tests})')}>}} : ({inputs}) -> {outputs}")
    b.scopes[-1] += results


def _branch(b: Draft, types: Sequence[Type]) -> None:
    with b.scope():
        b.body(b.draw.randint(0, 2))
        if types:
            end_region(b, types, word="affine.yield")
        else:
            b.line("affine.yield")


@statement("affine", 2)
def access(b: Draft) -> None:
    """Add an affine load or store, whose indices are affine expressions within bounds."""
    store = b.draw.random() < 0.4
    buffer = b.pick(buffers(b, writable=store))
    indices = [_within(b, extent) for extent in buffer.shaped.shape]
    at, type = ", ".join(indices), buffer.shaped.element
    if store:
        b.line(f"affine.store {b.scalar(type).name}, {buffer.name}[{at}] : {buffer.type}")
    else:
        b.op(f"affine.load {buffer.name}[{at}] : {buffer.type}", type)


def _within(b: Draft, extent: int) -> str:
    """Return an affine expression of values within an axis."""
    inner = [value for value in dimensions(b) if value.bounds[0] < value.bounds[1]]
    if not inner or b.draw.random() < 0.4:
        return str(b.draw.randrange(extent))
    value = b.pick(inner)
    if 0 <= value.bounds[0] and value.bounds[1] < extent and b.draw.random() < 0.5:
        return value.name
    return f"({value.name} + {b.draw.randint(-2, 3)}) mod {extent}"
