"""Structured control flow: loops with carried values of mixed types, conditions, switches, parallel loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .builder import Draft, statement
from .types import Type, TypedValue

REDUCTIONS = ("addi", "muli", "xori", "andi", "ori", "maxsi", "minui")
"""Operators whose order is free."""


def types_of(values: Sequence[TypedValue]) -> list[Type]:
    return [value.type for value in values]


def listed(types: Sequence[Type]) -> str:
    """Return types, separated by commas."""
    return ", ".join(str(type) for type in types)


def names_of(values: Sequence[TypedValue]) -> str:
    """Return names of values, separated by commas."""
    return ", ".join(value.name for value in values)


def assigned(values: Sequence[TypedValue]) -> str:
    """Return the text before an op with these results."""
    return f"{names_of(values)} = " if values else ""


def carried(b: Draft) -> list[TypedValue]:
    """Return initial values of a loop: scalars of mixed types, and tensors."""
    tensors = b.visible(lambda value: not isinstance(value.type, str) and value.type.kind == "tensor")
    is_tensor = [bool(tensors) and b.draw.random() < 0.4 for _ in range(b.draw.choice((0, 1, 1, 2, 2, 3, 4)))]
    return [b.pick(tensors) if tensor else b.scalar(b.scalar_type()) for tensor in is_tensor]


def fresh(b: Draft, types: Sequence[Type]) -> list[TypedValue]:
    """Return values of new names, which are not in scope."""
    return [TypedValue(b.name(), type) for type in types]


def yielded(b: Draft, types: Sequence[Type], arguments: Sequence[TypedValue]) -> list[TypedValue]:
    """Return values for a region to yield: carried ones in the same or another place, outer ones, new ones."""
    return [_yielded(b, type, arguments, place) for place, type in enumerate(types)]


def _yielded(b: Draft, type: Type, arguments: Sequence[TypedValue], place: int) -> TypedValue:
    choice = b.draw.random()
    same = [argument for argument in arguments if argument.type == type]
    if choice < 0.15 and place < len(arguments) and arguments[place].type == type:
        return arguments[place]
    if same and choice < 0.35:
        return b.draw.choice(same)
    local = [value for value in b.scopes[-1] if value.type == type and value not in arguments]
    if local and choice < 0.85:
        return b.draw.choice(local)
    return b.value(type)


def end_region(b: Draft, types: Sequence[Type], arguments: Sequence[TypedValue] = (), word: str = "scf.yield") -> None:
    """Add a terminator that yields values of some types; none where there are none."""
    if types:
        b.line(f"{word} {names_of(yielded(b, types, arguments))} : {listed(types)}")


@dataclass(frozen=True)
class LoopRange:
    """Bounds and step of a loop, as values; `bounds` contain its variable, `trips` is the greatest trip count."""

    lower: TypedValue
    upper: TypedValue
    step: TypedValue
    bounds: tuple[int, int]
    trips: int

    @property
    def text(self) -> str:
        return f"{self.lower.name} to {self.upper.name} step {self.step.name}"


def loop_range(b: Draft) -> LoopRange:
    """Return a range that starts near zero; its upper bound may be computed."""
    low, step = b.draw.choice((0, 0, 0, 1, 2, -3)), b.draw.choice((1, 1, 1, 2, 3))
    trips = b.draw.choice((0, 1, 2, 2, 3, 4, 5))
    high = low + trips * step - (b.draw.randrange(step) if trips else 0)
    lower, stride = b.index_constant(low), b.index_constant(step)
    near = b.visible(lambda value: value.type == "index" and value.bounds[0] < value.bounds[1] < low + 6)
    upper = b.pick(near) if near and b.draw.random() < 0.25 else b.index_constant(high)
    high = max(low, upper.bounds[1])
    return LoopRange(lower, upper, stride, (low, max(low, high - 1)), -(-(high - low) // step))


@statement("scf", 5)
def for_loop(b: Draft) -> None:
    """Add a loop with an index for its variable."""
    loop = loop_range(b)
    _for(b, loop.text, TypedValue(b.name(), "index", loop.bounds), loop.trips)


@statement("scf", 1)
def integer_loop(b: Draft) -> None:
    """Add a loop with an integer for its variable."""
    type = b.scalar_type(("i8", "i16", "i32", "i64"))
    low, trips, step = b.draw.randint(-2, 2), b.draw.randint(0, 4), b.draw.choice((1, 2))
    lower, upper, stride = (b.constant(type, str(number)).name for number in (low, low + trips * step, step))
    _for(b, f"{lower} to {upper} step {stride}", TypedValue(b.name(), type), trips, f" : {type}")


def _for(b: Draft, bounds: str, variable: TypedValue, trips: int, suffix: str = "") -> None:
    initial = carried(b)
    types = types_of(initial)
    results, arguments = fresh(b, types), fresh(b, types)
    pairs = ", ".join(f"{inner.name} = {outer.name}" for inner, outer in zip(arguments, initial, strict=True))
    carries = f" iter_args({pairs}) -> ({listed(types)})" if initial else ""
    b.line(f"{assigned(results)}scf.for {variable.name} = {bounds}{carries}{suffix} {{")
    with b.scope([variable, *arguments], trips):
        b.body(b.draw.randint(0, 5))
        end_region(b, types, arguments)
    b.line("}")
    b.scopes[-1] += results


@statement("scf", 2)
def while_loop(b: Draft) -> None:
    """Add a loop that counts, and may end before; the values that it carries may change in its condition."""
    initial, limit = carried(b), b.index_constant(b.draw.randint(0, 4))
    start, one = b.index_constant(0), b.index_constant(1)
    types = types_of(initial)
    results, first, second = fresh(b, types), fresh(b, types), fresh(b, types)
    count, counter, next_counter = (TypedValue(b.name(), "index", (0, 5)) for _ in range(3))
    pairs = ", ".join(f"{x.name} = {y.name}" for x, y in zip([counter, *first], [start, *initial], strict=True))
    all_types = listed(["index", *types])
    b.line(f"{assigned([count, *results])}scf.while ({pairs}) : ({all_types}) -> ({all_types}) {{")
    with b.scope([counter, *first], limit.bounds[1] + 1):
        plain = b.draw.random() < 0.6
        test = b.op(f"arith.cmpi slt, {counter.name}, {limit.name} : index", "i1")
        if b.draw.random() < 0.4:
            b.body(b.draw.randint(0, 2))
            test = b.op(f"arith.andi {test.name}, {b.scalar('i1').name} : i1", "i1")
        forwarded = first if plain else yielded(b, types, first)
        b.line(f"scf.condition({test.name}) {names_of([counter, *forwarded])} : {all_types}")
    b.line("} do {")
    with b.scope([next_counter, *second], limit.bounds[1]):
        b.line(f"^bb0({', '.join(f'{value.name}: {value.type}' for value in [next_counter, *second])}):")
        b.body(b.draw.randint(0, 3))
        after = b.op(f"arith.addi {next_counter.name}, {one.name} : index", "index", (1, 6))
        outputs = [after, *yielded(b, types, second)]
        b.line(f"scf.yield {names_of(outputs)} : {all_types}")
    b.line("}")
    b.scopes[-1] += [count, *results]


@statement("scf", 3)
def condition(b: Draft) -> None:
    """Add a condition with results, or with neither results nor, now and then, the other branch."""
    test = b.scalar("i1")
    types = types_of(carried(b))
    results = fresh(b, types)
    b.line(f"{assigned(results)}scf.if {test.name}{f' -> ({listed(types)})' if types else ''} {{")
    _branch(b, types)
    if types or b.draw.random() < 0.6:
        b.line("} else {")
        _branch(b, types)
    b.line("}")
    b.scopes[-1] += results


def _branch(b: Draft, types: Sequence[Type]) -> None:
    with b.scope():
        b.body(b.draw.randint(0, 3))
        end_region(b, types)


@statement("scf", 1, portable=False)
def index_switch(b: Draft) -> None:
    """Add a switch over an index."""
    types, chooser = types_of(carried(b)), b.index(-8, 16)
    results = fresh(b, types)
    b.line(f"{assigned(results)}scf.index_switch {chooser.name}{f' -> {listed(types)}' if types else ''}")
    low, high = chooser.bounds
    cases = {b.draw.randint(low, min(high, low + 6)) for _ in range(b.draw.randint(1, 3))}
    for label in [*[f"case {number}" for number in sorted(cases)], "default"]:
        b.line(f"{label} {{")
        with b.scope():
            b.body(b.draw.randint(0, 2))
            b.line(f"scf.yield {names_of(yielded(b, types, ()))} : {listed(types)}" if types else "scf.yield")
        b.line("}")
    b.scopes[-1] += results


@statement("scf", 0.7, portable=False)
def executed_region(b: Draft) -> None:
    """Add a region that is executed once."""
    types = types_of(carried(b)) or ["i1"]
    results = fresh(b, types)
    b.line(f"{assigned(results)}scf.execute_region -> ({listed(types)}) {{")
    _branch(b, types)
    b.line("}")
    b.scopes[-1] += results


@statement("scf", 2, portable=False)
def parallel_loop(b: Draft) -> None:
    """Add a parallel loop that reduces integers, or that stores to a buffer of its own at the loop's indices."""
    loops = [loop_range(b) for _ in range(b.draw.randint(1, 2))]
    kinds = [b.integer_type() for _ in range(b.draw.randint(0, 2))]
    initial = [b.scalar(type) for type in kinds]
    results = fresh(b, kinds)
    variables = [TypedValue(b.name(), "index", loop.bounds) for loop in loops]
    target = _target(b, loops) if b.profile.level == "memref" and not b.quiet else None
    bounds = zip(*((loop.lower, loop.upper, loop.step) for loop in loops), strict=True)
    ranges = [f"({names_of(values)})" for values in bounds]
    reduces = f" init ({names_of(initial)}) -> {_result_list(kinds)}" if kinds else ""
    b.line(
        f"{assigned(results)}scf.parallel ({names_of(variables)}) = "
        f"{ranges[0]} to {ranges[1]} step {ranges[2]}{reduces} {{"
    )
    times = 1
    for loop in loops:
        times *= max(loop.trips, 1)
    with b.scope(variables, times):
        b.quiet += 1
        b.body(b.draw.randint(0, 3))
        b.quiet -= 1
        if target is not None:
            _store_at(b, target, loops, variables)
        _reduce(b, kinds)
    b.line("}")
    b.scopes[-1] += results
    if target is not None:
        b.define(target)


def _result_list(types: Sequence[Type]) -> str:
    return listed(types) if len(types) == 1 else f"({listed(types)})"


def _target(b: Draft, loops: Sequence[LoopRange]) -> TypedValue:
    """Return a buffer, filled, with an element for each point of a loop nest; it is not in scope."""
    from .memory import new_buffer

    value = new_buffer(b, b.scalar_type(), tuple(loop.bounds[1] - loop.bounds[0] + 1 for loop in loops))
    b.scopes[-1].remove(value)
    return value


def _store_at(b: Draft, target: TypedValue, loops: Sequence[LoopRange], variables: Sequence[TypedValue]) -> None:
    at = [
        b.op(f"arith.subi {variable.name}, {loop.lower.name} : index", "index", (0, loop.bounds[1] - loop.bounds[0]))
        for variable, loop in zip(variables, loops, strict=True)
    ]
    value = b.scalar(target.shaped.element)
    b.line(f"memref.store {value.name}, {target.name}[{names_of(at)}] : {target.type}")


def _reduce(b: Draft, types: Sequence[str]) -> None:
    if not types:
        return b.line("scf.reduce")
    values = [b.scalar(type) for type in types]
    # xDSL's form of several reductions is not upstream's; they agree on the generic one.
    is_generic = len(types) > 1
    b.line(f'"scf.reduce"({names_of(values)}) ({{' if is_generic else f"scf.reduce({names_of(values)} : {types[0]}) {{")
    for place, type in enumerate(types):
        left, right, combined = (b.name() for _ in range(3))
        b.line(f"^bb0({left}: {type}, {right}: {type}):")
        b.line(f"  {combined} = arith.{b.draw.choice(REDUCTIONS)} {left}, {right} : {type}")
        b.line(f"  scf.reduce.return {combined} : {type}")
        if place + 1 < len(types):
            b.line("}, {")
    b.line(f"}}) : ({listed(types)}) -> ()" if is_generic else "}")
    return None
