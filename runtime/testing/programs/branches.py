"""Unstructured control flow: branches between blocks with arguments, loops of blocks, switches, unreachable blocks."""

from __future__ import annotations

from collections.abc import Sequence

from .builder import Draft, statement
from .control import assigned, carried, end_region, fresh, listed, names_of, types_of, yielded
from .types import Type, TypedValue


def _target(label: str, values: Sequence[TypedValue]) -> str:
    """Return a successor with its operands."""
    return f"^{label}({names_of(values)} : {listed([value.type for value in values])})" if values else f"^{label}"


def _open(b: Draft, label: str, arguments: Sequence[TypedValue]) -> None:
    """Begin a block."""
    shown = f"({', '.join(f'{value.name}: {value.type}' for value in arguments)})" if arguments else ""
    b.line(f"^{label}{shown}:")


def _types(b: Draft) -> list[Type]:
    b.traits.add("blocks")
    return types_of(carried(b))


def _side(b: Draft, label: str, join: str, types: Sequence[Type], arguments: Sequence[TypedValue] = ()) -> None:
    """Add a block that branches to another one."""
    _open(b, label, arguments)
    with _inside(b, arguments):
        b.body(b.draw.randint(0, 3))
        b.line(f"cf.br {_target(join, yielded(b, types, arguments))}")


def _inside(b: Draft, values: Sequence[TypedValue] = (), times: int = 1):
    return b.scope(values, times)


@statement("cf", 3)
def diamond(b: Draft) -> None:
    """Add a branch on a condition whose sides meet; now and then one side is empty."""
    types = _types(b)
    left, right, join = (b.label() for _ in range(3))
    test = b.scalar("i1")
    skips = b.draw.random() < 0.3
    other = _target(join, yielded(b, types, ())) if skips else f"^{right}"
    b.line(f"cf.cond_br {test.name}, ^{left}, {other}")
    _side(b, left, join, types)
    if not skips:
        _side(b, right, join, types)
    _unreachable(b, join, types)
    results = fresh(b, types)
    _open(b, join, results)
    b.scopes[-1] += results


def _unreachable(b: Draft, join: str, types: Sequence[Type]) -> None:
    """Add, now and then, a block that no branch leads to."""
    if b.draw.random() < 0.2:
        _side(b, b.label(), join, types)


@statement("cf", 3)
def block_loop(b: Draft) -> None:
    """Add a loop of blocks that counts, with carried values as block arguments."""
    types = _types(b)
    head, body, leave = (b.label() for _ in range(3))
    zero, one, limit = b.index_constant(0), b.index_constant(1), b.index_constant(b.draw.randint(0, 4))
    initial = yielded(b, types, ())
    counter, arguments = TypedValue(b.name(), "index", (0, 4)), fresh(b, types)
    b.line(f"cf.br {_target(head, [zero, *initial])}")
    _open(b, head, [counter, *arguments])
    b.scopes[-1] += [counter, *arguments]
    test = b.op(f"arith.cmpi slt, {counter.name}, {limit.name} : index", "i1")
    results = fresh(b, types) if b.draw.random() < 0.5 else []
    passed = yielded(b, types, arguments) if results else []
    b.line(f"cf.cond_br {test.name}, ^{body}, {_target(leave, passed)}")
    _open(b, body, [])
    with _inside(b, times=limit.bounds[1]):
        b.body(b.draw.randint(0, 3))
        following = b.op(f"arith.addi {counter.name}, {one.name} : index", "index", (1, 5))
        b.line(f"cf.br {_target(head, [following, *yielded(b, types, arguments)])}")
    _open(b, leave, results)
    b.scopes[-1] += results


@statement("cf", 1)
def switch(b: Draft) -> None:
    """Add a switch whose cases meet."""
    types = _types(b)
    kind = b.scalar_type(("i8", "i16", "i32", "i64"))
    flag = b.scalar(kind)
    join, default, *labels = (b.label() for _ in range(b.draw.randint(3, 5)))
    numbers = b.draw.sample(range(-2, 8), len(labels))
    b.line(f"cf.switch {flag.name} : {kind}, [")
    cases = [f"default: ^{default}", *(f"{number}: ^{label}" for number, label in zip(numbers, labels, strict=True))]
    for place, case in enumerate(cases, 1):
        b.line(f"  {case}{',' if place < len(cases) else ''}")
    b.line("]")
    for label in (default, *labels):
        _side(b, label, join, types)
    results = fresh(b, types)
    _open(b, join, results)
    b.scopes[-1] += results


@statement("cf", 1)
def irreducible_loop(b: Draft) -> None:
    """Add a loop of two blocks that both can be entered, which counts down and exchanges what it carries."""
    types = _types(b)
    types = [*types, *types]
    left, right, leave = (b.label() for _ in range(3))
    zero, one, limit = b.index_constant(0), b.index_constant(1), b.index_constant(b.draw.randint(0, 4))
    test = b.scalar("i1")
    entered = [_target(label, [limit, *yielded(b, types, ())]) for label in (left, right)]
    b.line(f"cf.cond_br {test.name}, {', '.join(entered)}")
    for label, other in ((left, right), (right, left)):
        counter, arguments = TypedValue(b.name(), "index", (0, 4)), fresh(b, types)
        _open(b, label, [counter, *arguments])
        with _inside(b, [counter, *arguments], limit.bounds[1] + 1):
            b.body(b.draw.randint(0, 2))
            done = b.op(f"arith.cmpi eq, {counter.name}, {zero.name} : index", "i1")
            rest = b.op(f"arith.subi {counter.name}, {one.name} : index", "index", (-1, 3))
            half = len(types) // 2
            turned = [*arguments[half:], *arguments[:half]]
            passed = turned if b.draw.random() < 0.5 else yielded(b, types, arguments)
            b.line(f"cf.cond_br {done.name}, {_target(leave, passed)}, {_target(other, [rest, *passed])}")
    results = fresh(b, types)
    _open(b, leave, results)
    b.scopes[-1] += results


@statement("cf_regions")
def region_of_blocks(b: Draft) -> None:
    """Add a region of blocks that is executed once: a branch, and two ways out of it."""
    b.traits |= {"blocks", "several yields"}
    types = types_of(carried(b)) or ["i1"]
    results = fresh(b, types)
    b.line(f"{assigned(results)}scf.execute_region -> ({listed(types)}) {{")
    with b.scope():
        test, sides = b.scalar("i1"), [b.label() for _ in range(2)]
        arguments = fresh(b, types)
        targets = [_target(sides[0], yielded(b, types, ())), _target(sides[1], [])]
        b.line(f"cf.cond_br {test.name}, {', '.join(targets)}")
        for label, inside in zip(sides, (arguments, []), strict=True):
            _open(b, label, inside)
            with b.scope(inside):
                b.body(b.draw.randint(0, 2))
                end_region(b, types, inside)
    b.line("}")
    b.scopes[-1] += results
