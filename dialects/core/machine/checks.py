"""Consistency checks among the parts of a machine, each of which is valid by itself."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cache

from ....discovery import version
from ....errors import did_you_mean
from .clock import Clock
from .engine import Engine
from .keys import keys_of
from .level import ROLES, Level
from .link import Link
from .model import Machine
from .values import ValueForm


def check(machine: Machine, problems: list[str]) -> Machine:
    """Return the machine with its levels from far to near; faults are appended to `problems`."""
    problems += _clock_problems("clock", machine.clock)
    for level in machine.levels:
        problems += [*_name_problems(f"levels.{level.name}", level, machine), *_level_problems(level)]
    for link in machine.links:
        problems += [*_name_problems(f"links.{link.name}", link, machine), *_link_problems(link, machine)]
    for engine in machine.engines:
        problems += [*_name_problems(f"engines.{engine.name}", engine, machine), *_engine_problems(engine, machine)]
    problems += _queue_problems(machine)
    if not any(support.op == "*" for engine in machine.engines for support in engine.runs):
        problems.append('engines: expected one that runs "*", so that every op has an engine, found none')
    if problems:
        return machine
    depths = _depths(machine)
    if depths is None:
        problems.append(f"links: expected that they lead from far to near, found the cycle {_cycle(machine)}")
        return machine
    by_distance = sorted(machine.levels, key=lambda level: (depths[level.name], *_rank(level)))
    machine = replace(machine, levels=tuple(by_distance))
    problems += _unreached(machine)
    problems += _external_problems(machine)
    return machine


def _rank(level: Level) -> tuple[bool, bool, int, str]:
    """Order levels that are equally far: those for all data first, then the largest, then by name."""
    return level.preloaded, bool(level.holds), -level.size, level.name


def _name_problems(path: str, part: Level | Link | Engine, machine: Machine) -> Iterable[str]:
    """Return a problem for each key whose value names no level or engine of the machine, or its own."""
    others = [engine.name for engine in machine.engines if engine is not part]
    names = {"a level": [level.name for level in machine.levels], "an engine": others}
    for key in keys_of(type(part)).values():
        references = key.form.names(getattr(part, key.name)) if isinstance(key.form, ValueForm) else ()
        for form, name in references:
            if name not in names.get(form.kind, [name]):
                hint = did_you_mean(name, names[form.kind])
                yield unknown_name(f"{path}.{key.name}", form.kind, names[form.kind], f'"{name}"', hint)


def _own_clock_problems(path: str, clock: Clock, machine: Machine) -> Iterable[str]:
    yield from _clock_problems(path, clock)
    if clock.mhz and not machine.clock.mhz:
        yield f"{path}: expected a table [clock] too, that of the machine, found none"


def _clock_problems(path: str, clock: Clock) -> Iterable[str]:
    if clock.volts and len(clock.volts) != len(clock.mhz):
        yield f"{path}.volts: expected as many as mhz, {len(clock.mhz)}, found {len(clock.volts)}"
    for key, delays in (("up", clock.up), ("down", clock.down)):
        if delays and (len(delays) != 2 or delays[0] > delays[1]):
            shown = ", ".join(f"{delay:g}" for delay in delays)
            yield f"{path}.{key}: expected the least and the most microseconds of a change, found {shown}"


def _level_problems(level: Level) -> Iterable[str]:
    path = f"levels.{level.name}"
    if level.row_bytes and level.size % level.row_bytes:
        yield f"{path}.size: expected a multiple of row_bytes, found {level.size}"
    if level.row_bytes and level.alignment % level.row_bytes:
        yield f"{path}.alignment: expected a multiple of row_bytes, found {level.alignment}"
    if not level.row_bytes and level.alignment & (level.alignment - 1):
        yield f"{path}.alignment: expected a power of two, found {level.alignment}"
    if level.single_port and not level.row_bytes:
        yield f"{path}.single_port: expected row_bytes beside it, the bytes of an access, found none"
    elif level.single_port and level.rows % level.banks:
        yield f"{path}.banks: expected a divisor of {level.rows} rows, found {level.banks}"


def _link_problems(link: Link, machine: Machine) -> Iterable[str]:
    path = f"links.{link.name}"
    if link.far == link.near and not link.neighbours:
        yield f'{path}.near: expected another level than far, or neighbours = "mesh", found "{link.near}"'
    if link.far != link.near and link.neighbours:
        yield f'{path}.neighbours: expected none, since far and near differ, found "{link.neighbours}"'
    yield from _own_clock_problems(f"{path}.clock", link.clock, machine)
    ends = [level for level in machine.levels if level.name == link.far and link.neighbours]
    if any(not level.count for level in ends):
        yield f"{path}.neighbours: expected that levels.{link.far} has a count, found none"


def _engine_problems(engine: Engine, machine: Machine) -> Iterable[str]:
    path = f"engines.{engine.name}"
    names = {level.name for level in machine.levels}
    if all(names.issuperset(levels) for _, levels in engine.level):
        yield from _role_problems(engine, machine)
    if engine.interlocks and not engine.queues:
        yield f"{path}.interlocks: expected queues beside it, whose accesses it orders, found none"
    for support in engine.runs:
        yield from _op_problems(f'{path}.runs."{support.op}"', support.op)
    yield from _own_clock_problems(f"{path}.clock", engine.clock, machine)


def _queue_problems(machine: Machine) -> Iterable[str]:
    """Return a problem for each queue whose name one of another engine has: instructions name queues alone."""
    owners: dict[str, str] = {}
    for engine in machine.engines:
        for name, _ in engine.queues:
            if (other := owners.setdefault(name, engine.name)) != engine.name:
                yield f'engines.{engine.name}.queues: expected names of its own, found "{name}" of {other} too'


def _cuts_reductions(engine: Engine) -> bool:
    """Return whether tiles of an engine may leave partial sums."""
    return any("k" not in support.whole for support in engine.runs)


def _role_problems(engine: Engine, machine: Machine) -> Iterable[str]:
    """
    Return a problem for each role whose levels do not hold it, or have no place in a plan.

    Partial sums, unless tiles span all reduced loops, and intermediates are scratch of a near level; intermediates are
    where outputs are.
    """
    path = f"engines.{engine.name}.level"
    outermost = {level.name for level in machine.levels}
    outermost.difference_update(link.near for link in machine.links)
    works_near = engine.levels_of()[0] not in outermost
    for role in ROLES:
        levels, outs = engine.levels_of(role), engine.levels_of("outs")[0]
        shown = ", ".join(f'"{name}"' for name in levels)
        if role == "scratch" and levels[0] != outs:
            yield f'{path}.scratch: expected "{outs}", the level of outs, found {shown}'
        beside = [name for name in levels[1:] if name in outermost and not machine.level(name).preloaded]
        if beside:
            yield f"{path}.{role}: expected no farthest level beside the preferred one, found {shown}"
        if role == "accumulators" and works_near and levels[0] in outermost and _cuts_reductions(engine):
            yield f"{path}.accumulators: expected a level that a link leads to, found {shown}"
        for name in levels:
            if not machine.level(name).can_hold(role):
                yield f'{path}: expected a level that holds {role}, found "{name}", which does not'


def _op_problems(path: str, op: str) -> Iterable[str]:
    """Check that there is such an op, since one that is misspelt would never be met."""
    dialect, _, name = op.partition(".")
    if op == "*":
        return
    ops = _ops_of(dialect, version())
    if not ops:
        yield f'{path}: expected "*", DIALECT.* or the name of an op, found no dialect "{dialect}"'
    elif name != "*" and op not in ops:
        hint = did_you_mean(op, ops)
        yield f'{path}: expected the name of an op, found none of that name in "{dialect}"{"; " + hint if hint else ""}'


@cache
def _ops_of(dialect: str, dialects_version: Hashable) -> tuple[str, ...]:
    """Return the names of the ops of a dialect among those of a `version()`; none if there is no such dialect."""
    from ..syntax.text import new_context

    definition = new_context().get_optional_dialect(dialect)
    return tuple(op.name for op in definition.operations) if definition else ()


def unknown_name(path: str, kind: str, names: Sequence[str], shown: str, hint: str) -> str:
    """Return the problem of a name that is none of those known, with a hint at one that may be meant."""
    return f"{path}: expected {kind}, one of {', '.join(names)}, found {shown}{'; ' + hint if hint else ''}"


def _depths(machine: Machine) -> dict[str, int] | None:
    """Return the most links between each level and the farthest one; None where links form a cycle."""
    links = [link for link in machine.links if link.far != link.near]
    depths = {level.name: 0 for level in machine.levels}
    for _ in machine.levels:
        deeper = [link for link in links if depths[link.near] <= depths[link.far]]
        if not deeper:
            return depths
        for link in deeper:
            depths[link.near] = max(depths[link.near], depths[link.far] + 1)
    return None


def _external_problems(machine: Machine) -> Iterable[str]:
    """Return a problem for each external level that is not the farthest, or that an engine works in."""
    for level in machine.levels:
        path = f"levels.{level.name}.external"
        if not level.external:
            continue
        if level != machine.far or len(machine.levels) == 1:
            yield f"{path}: expected the farthest of several levels, found one before it or none behind it"
        if level.preloaded:
            yield f"{path}: expected a level that links lead to, found one that is preloaded"
        for engine in machine.engines:
            if any(level.name in names for _, names in engine.level):
                yield f'engines.{engine.name}.level: expected a level that programs address, found "{level.name}"'


def unused_levels(machine: Machine, levels: Container[str]) -> Iterable[str]:
    """
    Return a problem for each of `levels` that is preloaded and no engine reads weights of, and for each role that one
    holds and no engine keeps operands of there or nearer.
    """
    for level in machine.levels:
        if level.name not in levels:
            continue
        if level.preloaded and not any(level.name in engine.levels_of("weights") for engine in machine.engines):
            yield f"levels.{level.name}.preloaded: expected an engine that names the level for weights, found none"
        nearer = {level.name}
        for link in sorted(machine.links, key=lambda link: [one.name for one in machine.levels].index(link.far)):
            nearer |= {link.near} if link.far in nearer else set()
        for role in level.holds:
            if not any(nearer.intersection(engine.levels_of(role)) for engine in machine.engines):
                yield (
                    f"levels.{level.name}.holds: expected roles whose operands an engine keeps there or nearer, "
                    f'found "{role}", which no engine does'
                )


def _cycle(machine: Machine) -> str:
    """Return the levels of a cycle of links, in the first one that there is."""
    links = [(link.far, link.near) for link in machine.links if link.far != link.near]
    levels = {level.name for level in machine.levels}
    while dead := levels.difference(far for far, _ in links):
        levels -= dead
        links = [(far, near) for far, near in links if near in levels]
    nearer = dict(reversed(links))
    walk = [min(nearer)]
    while walk.count(walk[-1]) < 2:
        walk.append(nearer[walk[-1]])
    return " -> ".join(walk[walk.index(walk[-1]) :])


def _unreached(machine: Machine) -> Iterable[str]:
    """Return a problem for each level that no link joins to the others."""
    reached = {machine.links[0].far if machine.links else machine.far.name}
    for _ in machine.levels:
        ends = [{link.far, link.near} for link in machine.links]
        reached = reached.union(*(pair for pair in ends if pair & reached))
    for level in machine.levels:
        if level.preloaded and level.name in reached:
            yield f'links: expected none that leads to the preloaded level "{level.name}", found one'
        elif not level.preloaded and level.name not in reached:
            yield f'links: expected one that leads to the level "{level.name}", found none'
