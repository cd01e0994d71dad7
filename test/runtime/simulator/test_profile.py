"""`tilewright profile`: its tables, trace and page; the page in a real browser where there is one."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from onnx import ModelProto

from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.runtime.simulator import Simulation
from tilewright.runtime.simulator.page import data_of, page_of
from tilewright.runtime.simulator.trace import trace_of, tracks_of
from tilewright.runtime.tools import profile
from tilewright.test.browser import FOREIGN, dump, needs_browser, probed
from tilewright.test.machines.make import FOLDER

TARGET = str(FOLDER / "two_level.toml")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "ds-cnn.onnx"
    path.write_bytes(zoo.build("ds-cnn").SerializeToString())
    return path


@pytest.fixture(scope="module")
def simulation(model: Path) -> Simulation:
    return profile.profile(Model(model), TARGET)


def command(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser()
    profile.add_arguments(parser)
    parser.set_defaults(target=TARGET)
    options = parser.parse_args(words)
    return profile.run(options, Model(options.model))


def nodes_of(model: Path) -> set[str]:
    """Return the names of the nodes that take time: not those that give a tensor another shape."""
    nodes = ModelProto.FromString(model.read_bytes()).graph.node
    return {node.name for node in nodes if node.op_type not in ("Flatten", "Reshape")}


def used(simulation: Simulation) -> set[str]:
    """Return the names of the levels that hold buffers with a place, L1 among them."""
    found = {each.level for each in simulation.memory if each.address >= 0}
    assert "L1" in found
    return found


def test_tables_and_files(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # narrower tables fold the names
    files = {name: tmp_path / name for name in ("trace.json", "page.html", "numbers.json")}
    flags = zip(("--trace", "--html", "--json"), map(str, files.values()), strict=True)
    assert command([str(model), *(word for pair in flags for word in pair)]) == 0
    out = capsys.readouterr().out
    assert all(node in out for node in nodes_of(model))
    assert "modelled on two_level" in out
    numbers = json.loads(files["numbers.json"].read_text())
    assert numbers["modelled"] is True
    assert f"{numbers['cycles']:,} cycles" in out
    assert sum(layer["cycles"] for layer in numbers["layers"]) == numbers["cycles"]
    assert json.loads(files["trace.json"].read_text())["traceEvents"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)


def test_trace(simulation: Simulation) -> None:
    """A track per engine and channel, slices that do not overlap, and all of the simulation's events."""
    events: list[dict[str, Any]] = trace_of(simulation)["traceEvents"]
    tracks = [event["args"]["name"] for event in events if event["name"] == "thread_name"]
    assert tracks == ["layers", "cluster", "dma.0"]
    slices = [event for event in events if event["ph"] == "X"]
    assert len(slices) == len(simulation.events) + len(simulation.layers)
    assert max(event["ts"] + event["dur"] for event in slices) == pytest.approx(simulation.seconds * 1e6)
    for track in range(1, len(tracks)):
        ends = sorted((event["ts"], event["ts"] + event["dur"]) for event in slices if event["tid"] == track)
        assert all(before[1] <= after[0] + 1e-3 for before, after in pairwise(ends))
    assert all("Conv_0" in event["name"] for event in slices if event["args"].get("nodes", "").startswith("Conv_0"))
    assert {event["name"] for event in events if event["ph"] == "C"} == {
        f"{level} in use" for level in used(simulation)
    }


def test_page_is_one_file_with_every_layer(simulation: Simulation, model: Path) -> None:
    page = page_of(simulation, "ds-cnn.onnx")
    assert not re.search(FOREIGN, page)
    assert "{{" not in page
    data = data_of(simulation, "ds-cnn.onnx")
    assert len(data["layers"]) == len(simulation.layers)
    shown = " ".join(layer["name"] for layer in data["layers"])
    assert all(node in shown for node in nodes_of(model))
    assert data["tracks"] == tracks_of(simulation)
    assert max(event[4] + event[5] for event in data["events"]) == simulation.cycles


def test_buffers_that_stay_near(simulation: Simulation) -> None:
    """A buffer that stays near is one from layer to layer, and has the name of the node whose result it holds."""
    lasting = [each for each in simulation.memory if each.level == "L1" and not each.nodes]
    ends = {node: layer.end for layer in simulation.layers for node in layer.nodes}
    assert lasting
    assert all(ends[each.name] < each.end for each in lasting)
    assert not any("L1" in each.name for each in simulation.memory)


def test_names_cannot_break_the_page(simulation: Simulation) -> None:
    name = '</script><script>alert(1)</script>"&{{data}}'
    evil = replace(simulation, machine=name, layers=(replace(simulation.layers[0], nodes=(name,)),))
    page = page_of(evil, name)
    assert page.count("</script>") == page_of(simulation, "x").count("</script>")


@needs_browser
def test_page_in_a_browser(simulation: Simulation, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(page_of(simulation, "ds-cnn.onnx"), encoding="utf-8")
    shown, console = dump(page)
    assert console == ""
    assert 'data-ready="yes"' in shown
    rows = re.findall(r'<tr data-layer="(\d+)"', shown)
    assert len(rows) == len(simulation.layers)
    assert shown.count('class="dot"') == len(simulation.layers)
    levels = [level.name for level in simulation.levels]
    assert all((f'id="map{levels.index(name)}"' in shown) == (name in used(simulation)) for name in levels)
    assert 'class="dotname"' in shown
    for level in simulation.levels:
        assert all(f"{each.bytes:,} B" in shown for each in level.alive)


@needs_browser
def test_every_node_is_found_by_its_name(simulation: Simulation, tmp_path: Path) -> None:
    """The name of a node leaves the row of its layer alone, though it begins other names; so does `#NAME`."""
    # One start of the browser for all: each name is searched for, and the rows left are noted.
    probe = """
      const rowsLeft = () => [...document.querySelectorAll("#layers tbody tr:not([hidden])")];
      const left = () => rowsLeft().map(row => row.dataset.layer).join();
      const atPlace = left(), found = D.layers.map(layer => layer.name.split(" + ").map(name => {
        $("search").value = name; search(); return left(); }));
      $("search").value = "nothing is called so"; search();
      return {atPlace, found, none: left()};"""
    found = probed(page_of(simulation, "ds-cnn.onnx"), probe, tmp_path, place="#Conv_2")
    assert found["found"] == [[str(index)] * len(layer.nodes) for index, layer in enumerate(simulation.layers)]
    assert found["none"] == ""
    assert "Conv_2" in simulation.layers[int(found["atPlace"])].nodes


LAYOUT = """
  const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const crossed = boxes => boxes.flatMap((a, i) => boxes.slice(i + 1)
    .filter(b => meet(a.slice(1), b.slice(1))).map(b => a[0] + " | " + b[0]));
  const svg = [...document.querySelectorAll("#roofline text.roofname, #roofline text.dotname")].map(text => {
    const box = text.getBBox(); return [text.textContent, box.x, box.y, box.x + box.width, box.y + box.height]; });
  const table = $("layers"), picture = document.querySelector("#roofline svg");
  const drawn = DRAWN.timeline.map(box => box[0]);
  return {
    crossed: [...Object.values(DRAWN), svg].flatMap(crossed),
    roofs: svg.map(box => box[0]).filter(text => text.includes(":")),
    missing: ["layers", ...D.tracks].filter(name => !drawn.includes(name)),
    wide: [document.documentElement, table.parentElement].filter(each => each.scrollWidth > each.clientWidth).length,
    outside: svg.filter(box => box[1] < 0 || box[3] > picture.viewBox.baseVal.width).map(box => box[0]),
    scale: picture.getBoundingClientRect().width / picture.viewBox.baseVal.width };"""


@pytest.mark.sample(1)
@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_labels_have_room(simulation: Simulation, tmp_path: Path, width: int) -> None:
    """
    Labels do not cross, track names are whole, and nothing is wider than the page, on a telephone too.

    All layers overlap in time, two links have one line in the roofline, and names of files and buffers are long words.
    """
    long = "network_of_one_word" * 5
    layers = tuple(replace(layer, start=0, end=simulation.cycles) for layer in simulation.layers)
    links = (*simulation.links, replace(simulation.links[0], name="second"))
    levels = tuple(
        replace(level, alive=tuple(each._replace(name=f"{long}_{each.name}") for each in level.alive))
        for level in simulation.levels
    )
    crowded = page_of(replace(simulation, layers=layers, links=links, levels=levels), f"{long}.onnx")
    found = probed(crowded, LAYOUT, tmp_path, width=width)
    assert [found[name] for name in ("crossed", "missing", "wide", "outside")] == [[], [], 0, []]
    assert found["scale"] > 0.95  # a scroll bar may come after the picture was drawn
    assert any(text.startswith("dma, second: ") for text in found["roofs"])


@needs_browser
def test_the_browser_tells_of_errors(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<script>nothing.here()</script>", encoding="utf-8")
    assert "Uncaught" in dump(page)[1]


def test_host_has_no_transfers(model: Path) -> None:
    simulation = profile.profile(Model(model), "host")
    assert simulation.cycles == sum(layer.busy for layer in simulation.layers)
    assert not simulation.links
    assert page_of(simulation, "x")


def test_a_file_that_cannot_be_written(model: Path, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="cannot be written"):
        command([str(model), "--html", str(tmp_path / "nowhere" / "page.html")])
    with pytest.raises(Diagnostic, match="cannot be written"):
        command([str(model), "--trace", str(tmp_path)])
