"""Programs executed by classes of equal nodes, beside the same programs executed node by node."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.machine.attribute import attach_machine, machine_of
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.core.byte_ranges import joined
from tilewright.runtime.simulator import Simulation
from tilewright.runtime.simulator.result import BusyInterval
from tilewright.runtime.simulator.simulate import scheduled, simulate

pytestmark = pytest.mark.quick

_SHARDED = '#hier.sharded<"NODE" over [{rows}, {columns}] (d0, d1, d2) -> (d0, d1)>'


@cache
def _machine(rows: int, columns: int) -> Machine:
    """Return the target's mesh with other extents."""
    machine = find_machine("pim/2x2")
    extents = (rows, columns)
    levels = tuple(replace(each, count=extents) if each.name == "NODE" else each for each in machine.levels)
    engines = tuple(replace(each, count=extents) if each.name == "array" else each for each in machine.engines)
    return replace(machine, levels=levels, engines=engines)


class _Text:
    """Text of a program over all nodes; each of its methods appends some ops."""

    def __init__(self, mesh: tuple[int, int]):
        self.mesh = mesh
        self.lines: list[str] = []
        self._names = 0

    def _name(self) -> str:
        self._names += 1
        return f"%n{self._names}"

    def load(self, size: int, *, waits: bool, only: int | None) -> None:
        """Transfer bytes from the host, of a row of nodes or of all, and wait for them now or later."""
        token, offset, condition = self._name(), self._name(), self._name()
        start = f'{token} = hier.dma_start %x[{offset}] to %t{size} : memref<4096xi8>, memref<{size}xi8, "NODE">'
        lines = [f"{offset} = arith.muli %c, %c8 : index", start, f"hier.dma_wait {token}"]
        if only is None:
            self.lines += lines if waits else [*lines[:2]]
            return
        test = f"{condition} = arith.cmpi eq, %r, %c{only % self.mesh[0]} : index"
        self.lines += [test, f"scf.if {condition} {{", *lines, "}"]

    def store(self, size: int) -> None:
        """Transfer bytes to the host, without a wait."""
        token = self._name()
        self.lines.append(
            f'{token} = hier.dma_start %y[%c0] from %t{size} : memref<4096xi8>, memref<{size}xi8, "NODE">'
        )

    def kernel(self, size: int) -> None:
        """Copy a buffer within its node, by the engine."""
        self.lines.append(f'memref.copy %t{size}, %u{size} : memref<{size}xi8, "NODE"> to memref<{size}xi8, "NODE">')

    def ring(self, axis: int, steps: int, *, copies: bool) -> None:
        """Pass tiles round the rings of a coordinate."""
        ahead, target = self._name(), self._name()
        index, extent = ("%r", "%c")[axis], f"%c{self.mesh[axis]}"
        own, other = "[%r, %c]", f"[{target}, %c]" if axis == 0 else f"[%r, {target}]"
        tile, kind = 'memref<64xi8, "NODE">', self._ring
        slot, token, step = self._name(), self._name(), self._name()
        self.lines += [
            f"{ahead} = arith.addi {index}, %c1 : index",
            f"{target} = arith.remui {ahead}, {extent} : index",
            f"scf.for {step} = %c0 to %c{steps} step %c1 {{",
            f"{slot} = hier.reserve %s{axis}{other} : {kind}",
            f"{token} = hier.dma_start %t64[%c0] to {slot} : {tile}, {tile}",
            f"hier.dma_wait {token}",
            f"hier.push %s{axis}{other} : {kind}",
        ]
        popped, copied = self._name(), self._name()
        self.lines.append(f"{popped} = hier.pop %s{axis}{own} : {kind}")
        if copies:
            self.lines += [
                f"{copied} = hier.dma_start %u64[%c0] from {popped} : {tile}, {tile}",
                f"hier.dma_wait {copied}",
            ]
        self.lines += [f"hier.release %s{axis}{own} : {kind}", "}"]

    @property
    def _ring(self) -> str:
        return f'!hier.stream<memref<64xi8, "NODE"> over [{self.mesh[0]}, {self.mesh[1]}]>'

    def module(self) -> str:
        """Return the text of the module."""
        rows, columns = self.mesh
        kind = f"memref<{rows}x{columns}x1024xi8, {_SHARDED.format(rows=rows, columns=columns)}>"
        views = [
            f'%{name}{size} = memref.view %own[%o{offset}][] : memref<1024xi8, "NODE"> to memref<{size}xi8, "NODE">'
            for name, offset in (("t", 0), ("u", 512))
            for size in (16, 64, 256)
        ]
        constants = [f"%c{number} = arith.constant {number} : index" for number in range(9)]
        text = [
            "func.func @network(%x: memref<4096xi8>, %y: memref<4096xi8> {tilewright.output}) {",
            *constants,
            "%o0 = arith.constant 0 : index",
            "%o512 = arith.constant 512 : index",
            f"%all = memref.alloca() : {kind}",
            *(f"%s{axis} = hier.stream depth 2 : {self._ring}" for axis in (0, 1)),
            "hier.concurrent {",
            f'hier.program "node" on "array" over (%r, %c) in [{rows}, {columns}] {{',
            f'%part = hier.local %all[%r, %c] : {kind} -> memref<1x1x1024xi8, "NODE">',
            "%own = memref.collapse_shape %part [[0 : i64, 1 : i64, 2 : i64]] : "
            'memref<1x1x1024xi8, "NODE"> into memref<1024xi8, "NODE">',
            *views,
            *self.lines,
            "}",
            "}",
            "func.return",
            "}",
        ]
        return "\n".join(text)


@st.composite
def _programs(draw: st.DrawFn) -> _Text:
    """Draw a program of a small mesh, of loads, stores, kernels and rings in any order."""
    text = _Text((draw(st.integers(1, 4)), draw(st.integers(1, 4))))
    sizes = st.sampled_from((16, 64, 256))
    for _ in range(draw(st.integers(1, 6))):
        match draw(st.sampled_from(("load", "store", "kernel", "ring", "ring"))):
            case "load":
                only = draw(st.none() | st.integers(0, 3))
                text.load(draw(sizes), waits=draw(st.booleans()), only=only)
            case "store":
                text.store(draw(sizes))
            case "kernel":
                text.kernel(draw(sizes))
            case _:
                text.ring(draw(st.integers(0, 1)), draw(st.integers(1, 4)), copies=draw(st.booleans()))
    return text


def _waits(events: Iterable[BusyInterval]) -> dict[tuple[object, ...], list[tuple[int, int]]]:
    """Return the cycles in which each engine waits: whether one wait is two events depends on the order of events."""
    spans: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
    for event in events:
        if event.kind.startswith("wait"):
            spans[event.resource, event.kind, event.nodes, event.instance].append((event.start, event.end))
    return {key: list(joined(each)) for key, each in spans.items()}


def _compared(simulation: Simulation) -> Sequence[object]:
    """Return all of a simulation that does not depend on the order in which events are recorded."""
    events = [event for event in simulation.events if not event.kind.startswith("wait")]
    layers = [replace(layer, energy=0.0) for layer in simulation.layers]
    engines = [replace(engine, energy=0.0) for engine in simulation.engines]
    links = [replace(link, energy=0.0) for link in simulation.links]
    peaks = [(level.peak, level.peak_at, level.fixed, level.copies, level.size) for level in simulation.levels]
    return [
        *(simulation.cycles, Counter(events), _waits(simulation.events), Counter(simulation.hops)),
        *(layers, engines, links, peaks, Counter(simulation.memory), simulation.operators),
        *(simulation.streams, simulation.edges, simulation.meshes),
    ]


@settings(max_examples=60, deadline=None)
@given(_programs())
def test_classes_of_equal_nodes_take_the_cycles_of_their_nodes(text: _Text) -> None:
    module = parse_module(new_context(), text.module())
    attach_machine(module, _machine(*text.mesh))
    found, wanted = simulate(module), simulate(module, by_class=False)
    assert _compared(found) == _compared(wanted)
    assert found.energy == pytest.approx(wanted.energy)
    machine = machine_of(module)
    assert scheduled(module, "network", machine).end() == wanted.cycles


@pytest.mark.parametrize("only", [None, 1])
def test_nodes_are_walked_once(only: int | None) -> None:
    """A program whose transfers from the host come in the order of the nodes has no tokens of single instances."""
    text = _Text((3, 4))
    text.load(256, waits=True, only=only)
    text.ring(0, 3, copies=True)
    text.kernel(64)
    text.ring(1, 2, copies=False)
    module = parse_module(new_context(), text.module())
    attach_machine(module, _machine(3, 4))
    assert not scheduled(module, "network", machine_of(module)).tokens
    assert scheduled(module, "network", machine_of(module), by_class=False).tokens
