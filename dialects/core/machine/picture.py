"""A machine drawn for a terminal: its memories as a tree from far to near, then what its links and engines can do."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from .clock import Clock
from .engine import Engine
from .level import Level
from .link import Link
from .model import Machine
from .operations import OpSupport, Parameter

_ARROWS = {"in": "->", "out": "<-", "both": "<->"}


def draw(machine: Machine) -> RenderableType:
    """Return the drawing of a machine for `tilewright targets NAME`."""
    clock = _clock(machine.clock)
    title = f"[bold]{escape(machine.name)}[/]: {escape(machine.description)}{', ' + clock if clock else ''}"
    tables = [_engines(machine), *(_runs(engine) for engine in machine.engines)]
    return Group(title, "", _tree(machine), "", *([_links(machine)] if machine.links else []), *tables)


def _tree(machine: Machine) -> Tree:
    """Return the levels as a tree; a level that several links fill hangs on each, its own branches on the first."""
    root = Tree(_level_label(machine.far))
    drawn: set[str] = set()
    _branches(root, machine.far, machine, drawn)
    for level in machine.levels:
        if level.name not in drawn:
            _branches(root.add(f"(beside it) {_level_label(level)}"), level, machine, drawn)
    return root


def _branches(tree: Tree, level: Level, machine: Machine, drawn: set[str]) -> None:
    if level.name in drawn:
        return
    drawn.add(level.name)
    for engine in machine.engines:
        roles = [role for role, levels in engine.level if level.name in levels]
        if roles:
            only = "" if len(engine.level) == 1 else f" ({', '.join(roles)})"
            tree.add(f"[green]{escape(engine.name)}[/]{_times(engine.count)}{only}")
    for link in machine.links:
        if link.far != level.name:
            continue
        label = f"{_ARROWS[link.direction]} [cyan]{escape(link.name)}[/]"
        if link.neighbours:
            tree.add(f"{label} to its neighbours in a {link.neighbours}")
            continue
        near = machine.level(link.near)
        seen = f"[bold]{escape(near.name)}[/], see above" if near.name in drawn else _level_label(near)
        _branches(tree.add(f"{label} {seen}"), near, machine, drawn)


def _level_label(level: Level) -> str:
    """Return one line about a level."""
    facts = [f"{level.rows:,} rows of {level.row_bytes} B"] if level.row_bytes else []
    facts += [f"aligned to {level.alignment}"] if level.alignment > 1 and not level.row_bytes else []
    port = " of one port" if level.single_port else ""
    facts += [f"{level.banks} banks{port}"] if level.banks > 1 or port else []
    facts += [f"{level.latency} cycles to reach"] if level.latency > 1 else []
    facts += [f"{level.energy:g} pJ/B"] if level.energy else []
    facts += [f"only {', '.join(level.holds)}"] if level.holds else []
    about = f"  [dim]{', '.join(facts)}[/]" if facts else ""
    return f"[bold]{escape(level.name)}[/]{_times(level.count)} {size_text(level.size)}{about}"


def size_text(count: int) -> str:
    """Return a number of bytes in the largest unit that keeps it whole."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor and count % factor == 0:
            return f"{count // factor} {unit}"
    return f"{count:,} B"


def _links(machine: Machine) -> Table:
    table = Table("link", "levels", "channels", "bytes/cycle", "start-up", "a burst", "dims", "pJ/B")
    for link in machine.links:
        levels = f"{link.far} {_ARROWS[link.direction]} {link.near}"
        cells = f"{link.channels}", f"{link.width}", f"{link.startup}", _burst(link), f"{link.dims}"
        table.add_row(escape(link.name), escape(levels), *cells, f"{link.energy:g}" if link.energy else "")
    return table


def _burst(link: Link) -> str:
    facts = [f"{link.burst} B"] if link.burst else []
    facts += [f"+{link.burst_overhead:g} cycles"] if link.burst_overhead else []
    facts += [f"at least {link.burst_minimum:g} cycles"] if link.burst_minimum > 1 else []
    return ", ".join(facts)


def _engines(machine: Machine) -> Table:
    table = Table("engine", "cores", "operands in", "set-up", "vector", "caches", "queues", "clock")
    for engine in machine.engines:
        roles = [(role, " or ".join(levels)) for role, levels in engine.level]
        levels = roles[0][1] if len(roles) == 1 else ", ".join(f"{role}: {names}" for role, names in roles)
        vector = f"{engine.vector_bytes} B" if engine.vector_bytes else ""
        caches = ", ".join(size_text(size) for size in engine.caches)
        queues = ", ".join(f"{name} {depth}" for name, depth in engine.queues)
        queues += f"; interlocks {', '.join(engine.interlocks)}" if engine.interlocks else ""
        facts = f"{engine.cores}", escape(levels), f"{engine.setup}", vector, caches, escape(queues)
        table.add_row(escape(engine.name) + _times(engine.count), *facts, _clock(engine.clock))
    return table


def _runs(engine: Engine) -> Table:
    table = Table(f"{escape(engine.name)} runs", "on", "cycles", "tiles")
    for support in engine.runs:
        types = " or ".join(support.types) if support.types != ("*",) else "any type"
        types += f" to {' or '.join(support.result_types)}" if support.result_types != ("*",) else ""
        parameters = ", ".join(f"{name} {_number(value)}" for name, value in support.parameters)
        table.add_row(escape(support.op), types, f"{escape(support.cost)}: {parameters}", _tiles(support))
    return table


def _tiles(support: OpSupport) -> str:
    limits = [f"{name} in {extent}s" for name, extent in support.multiples]
    limits += [f"{name} up to {extent}" for name, extent in support.maxima]
    limits += [f"{name} padded" for name in support.padded]
    limits += [f"{role} in blocks of {loop}" for role, loop in support.blocked]
    limits += [f"{role} padded by transfers" for role in support.filled]
    limits += [f"{role} read beside others" for role in support.beside]
    return ", ".join([*limits, *(f"{name} whole" for name in support.whole)])


def _number(value: Parameter) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{number:g}" for number in value)
    return f"{value:g}"


def _clock(clock: Clock) -> str:
    """Return the operating points of a clock."""
    points = [f"{mhz:g} MHz" for mhz in clock.mhz]
    if clock.volts:
        points = [f"{point} at {volts:g} V" for point, volts in zip(points, clock.volts, strict=True)]
    return ", ".join(points)


def _times(count: tuple[int, ...]) -> str:
    return f" x {' x '.join(str(extent) for extent in count)}" if count else ""
