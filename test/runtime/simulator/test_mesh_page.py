"""The mesh over time: hops between neighbours, and nodes and links in the page of `tilewright profile`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.lower_sharded import LowerShardedPass
from tilewright.runtime.simulator import Simulation, simulate
from tilewright.runtime.simulator.page import data_of, page_of
from tilewright.runtime.tools.profile import numbers_of
from tilewright.test.browser import FOREIGN, needs_browser, probed
from tilewright.test.machines.make import FOLDER, library


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    """Return a product on 4 x 4 nodes, whose partial sums go from node to node."""
    module = parse_module(new_context(), (FOLDER / "programs" / "mesh_split_k.mlir").read_text(encoding="utf-8"))
    attach_machine(module, library("mesh_4x4"))
    return simulate(module)


def test_hops(simulation: Simulation) -> None:
    """Hops of a link do not overlap, go from a node to a neighbour, and add up to the link's cost."""
    (mesh,) = simulation.meshes
    assert (mesh.level, mesh.extents, mesh.links, mesh.engines) == ("NODE", (4, 4), ("noc",), ("array",))
    assert simulation.hops
    for hop in simulation.hops:
        (row, column), (to_row, to_column) = divmod(hop.source, 4), divmod(hop.target, 4)
        assert abs(row - to_row) + abs(column - to_column) <= 1
    ordered = sorted(simulation.hops, key=lambda hop: (hop.source, hop.target, hop.start))
    for _, group in groupby(ordered, key=lambda hop: (hop.source, hop.target)):
        assert all(one.end <= other.start for one, other in pairwise(group))
    (link,) = (link for link in simulation.links if link.name == "noc")
    assert sum(edge.busy for edge in simulation.edges) == link.busy
    assert sum(edge.bytes for edge in simulation.edges) == link.bytes_in + link.bytes_out
    assert sum(edge.transfers for edge in simulation.edges) == link.transfers == len(simulation.hops)
    assert len(simulation.edges) == link.buses
    numbers: dict[str, Any] = numbers_of(simulation, "x")
    assert "hops" not in numbers
    assert len(numbers["edges"]) == len(simulation.edges)


def test_energy_is_that_of_each_hop() -> None:
    """Round a ring, the last node sends over all others."""
    text = (FOLDER / "programs" / "mesh_sharded_attention.mlir").read_text(encoding="utf-8")
    context, machine = new_context(), library("mesh_4x4")
    module = parse_module(context, text)
    attach_machine(module, replace(machine, links=tuple(replace(link, energy=2.0) for link in machine.links)))
    LowerShardedPass().apply(context, module)
    ring = simulate(module)
    (link,) = (link for link in ring.links if link.name == "noc")
    assert len(ring.hops) > link.transfers
    assert link.energy == 2.0 * sum(edge.bytes for edge in ring.edges)


def test_events_have_the_node_whose_program_they_are_of(simulation: Simulation) -> None:
    for event in simulation.events:
        if event.resource.startswith("array."):
            assert event.instance == int(event.resource.partition(".")[2])
    loads = Counter(event.instance for event in simulation.events if event.resource.startswith("io."))
    assert sorted(loads) == list(range(16))


def test_a_wait_for_a_stream_is_one_of_the_engine(simulation: Simulation) -> None:
    """No node is idle before its program ends: it computes or waits, for a transfer or for a tile of its neighbour."""
    for engine in (each for each in simulation.engines if each.engine == "array"):
        mine = sorted((each.start, each.end) for each in simulation.events if each.resource == engine.name)
        assert mine[0][0] == 0
        assert all(earlier[1] == later[0] for earlier, later in pairwise(mine)), engine.name
        assert engine.idle == simulation.cycles - mine[-1][1]


def test_page_has_the_mesh(simulation: Simulation) -> None:
    page, data = page_of(simulation, "split-k"), data_of(simulation, "split-k")
    (mesh,) = data["meshes"]
    assert (mesh["rows"], mesh["columns"], len(mesh["edges"])) == (4, 4, len(simulation.edges))
    assert len(mesh["hops"]) == len(simulation.hops)
    assert [data["tracks"][track] for track in mesh["tracks"]] == [f"array.{node}" for node in range(16)]
    assert not re.search(FOREIGN, page)
    assert "{{" not in page
    assert page.count('id="mesh"') == 1


def test_page_of_a_machine_without_a_mesh() -> None:
    module = parse_module(new_context(), "func.func @network() { func.return }")
    attach_machine(module, library("two_level"))
    page = page_of(simulate(module), "nothing")
    assert 'id="mesh"' not in page
    assert "{{" not in page


PROBE = """
  const own = theMesh(), meet = (a, b) => a[1] < b[3] && b[1] < a[3] && a[2] < b[4] && b[2] < a[4];
  const shares = (from, to) => own.states.map(kinds => kinds.map(each => share(each, from, to)));
  const isWide = each => each.scrollWidth > each.clientWidth;
  const table = $("nodetable"), rows = [...table.tBodies[0].rows];
  paint();
  const labels = DRAWN.nodes, crossed = labels.some((a, i) => labels.slice(i + 1).some(b => meet(a, b)));
  const drawn = [labels.map(each => each[0]), crossed], first = span();
  seek(0.5); paint();
  const middle = span(), text = $("meshtime").textContent;
  $("window").value = 5; $("window").dispatchEvent(new Event("change")); paint();
  const whole = span();
  chooseNode(5); paint();
  const hit = node => { const [x, y] = place2d.middle(node); return meshHit(x, y).text; };
  const early = shares(0, 700), late = shares(700, D.cycles);
  return {pixels: innerWidth, drawn, first, middle, text, whole, side: $("meshside").textContent,
    hits: [hit(0), hit(6)], wide: [document.documentElement, table.parentElement].filter(isWide).length,
    table: rows.map(row => row.textContent), chosen: rows.findIndex(row => row.classList.contains("chosen")),
    computes: own.states.map(kinds => kinds[0].total), waits: own.states.map(kinds => kinds[3].total),
    sums: shares(0, D.cycles).map(each => each.reduce((a, b) => a + b, 0)),
    rest: own.states.flatMap((kinds, node) => kinds.map((each, kind) =>
      early[node][kind] * 700 + late[node][kind] * (D.cycles - 700) - each.total)),
    loads: own.loads.map(each => each.total), moved: own.moved};"""


@pytest.mark.sample(1)
@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_mesh_in_a_browser(simulation: Simulation, tmp_path: Path, width: int) -> None:
    """Every node is drawn and found; the states of a node, and loads of links, are those of the simulation."""
    found: dict[str, Any] = probed(page_of(simulation, "split-k"), PROBE, tmp_path, width=width)
    names = [f"{row},{column}" for row in range(4) for column in range(4)]
    cycles = simulation.cycles
    assert found["drawn"] == [names, False]
    assert (found["pixels"], found["wide"]) == (width, 0)
    assert found["first"] == [0, round(cycles / 100)]
    assert found["middle"][0] == pytest.approx((cycles - cycles / 100) / 2, abs=1)
    assert f"of {cycles:,}" in found["text"]
    assert found["whole"] == [0, cycles]
    assert found["hits"] == ["node 0,0", "node 1,2"]
    assert found["chosen"] == 5
    assert "Node 1,1" in found["side"]
    assert [row.startswith(name) for row, name in zip(found["table"], names, strict=True)] == [True] * 16
    assert found["computes"] == [engine.busy for engine in simulation.engines if engine.engine == "array"]
    assert all(0 < each <= 1 for each in found["sums"])
    assert max(abs(each) for each in found["rest"]) < 1e-6
    waits = [engine.wait_in + engine.wait_out for engine in simulation.engines if engine.engine == "array"]
    assert all(0 <= seen <= all_waits for seen, all_waits in zip(found["waits"], waits, strict=True))
    edges = sorted(simulation.edges, key=lambda edge: (edge.link, edge.source, edge.target))
    assert found["loads"] == [edge.busy for edge in edges]
    assert found["moved"] == [edge.bytes for edge in edges]
