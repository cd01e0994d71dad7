"""Clocks of layers in switch mode: the search beside enumeration, its model beside the simulation of programs."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.targets.hmp.building import processors_of
from tilewright.targets.hmp.layer_clocks import Setting, SwitchModel, best_layer_clocks
from tilewright.targets.hmp.model import Driving, LayeredNetwork, ProcessorClocks
from tilewright.targets.hmp.plan import plan
from tilewright.targets.hmp.settings import clocks_of
from tilewright.test.targets.hmp.published import MACHINE, chain, googlenet
from tilewright.test.targets.hmp.streamed import LAYERS, network

pytestmark = pytest.mark.quick

MACHINES = [replace(MACHINE, idle_watts=watts) for watts in (0.2, 2.0, 3.5)]
"""With little idle power slow clocks save energy; with much of it they waste it."""


def _network(drawn: random.Random, layers: int) -> LayeredNetwork:
    """Return a chain of layers, of which some end before a clock can change."""
    names = [engine.name for engine in MACHINE.engines]
    times = [{name: drawn.choice((3e5, 3e6, 3e7)) * drawn.uniform(0.5, 2) for name in names} for _ in range(layers)]
    return chain("random", times, [drawn.randrange(3_000_000) for _ in range(layers - 1)], None)


def _driving(drawn: random.Random) -> Driving:
    return Driving({"gpu": drawn.choice(("big", "little"))} if drawn.random() < 0.5 else {})


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleOp:
    """The small network, whose ops have layers."""
    folder = tmp_path_factory.mktemp("layers")
    return compile_model(Model(network(folder / "net.onnx")), "hmp/rk3399pro", stop_after="find-layers").module


@pytest.mark.parametrize("seed", range(6))
def test_search_beside_enumeration(seed: int) -> None:
    """The settings of least energy within any latency are those of all settings."""
    drawn = random.Random(seed)
    clocks = ProcessorClocks({"big": 600, "gpu": 300}) if seed % 2 else ProcessorClocks()
    model = SwitchModel(_network(drawn, 3), MACHINES[seed % 3], clocks, _driving(drawn))
    names = ("big", "gpu")
    points = [model.evaluate(settings) for settings in product(model.settings_of(names), repeat=3)]
    shortest = min(point.latency for point in points)
    for slack in (1.0, 1.02, 1.3, 2.0, float("inf")):
        best = best_layer_clocks(model, names, latency=shortest * slack)
        least = min(point.energy for point in points if point.latency <= shortest * slack)
        assert best.energy == pytest.approx(least, rel=1e-12)
        assert best == model.evaluate(best.settings)
    order = best_layer_clocks(model, names).order
    fixed = min(point.energy for point in points if point.order == order)
    assert best_layer_clocks(model, names, order).energy == pytest.approx(fixed, rel=1e-12)
    with pytest.raises(Diagnostic, match="no clocks keep a latency"):
        best_layer_clocks(model, names, latency=shortest * 0.99)


@pytest.mark.parametrize("seed", range(8))
def test_model_beside_simulation(module: ModuleOp, seed: int) -> None:
    """A frame of the program takes what the model says, whatever changes of clocks are under way between layers."""
    drawn = random.Random(seed)
    model = SwitchModel(_network(drawn, LAYERS), MACHINE, ProcessorClocks({"little": 600}), _driving(drawn))
    settings = _drawn_settings(drawn, model)
    order, expected = [name for name, _ in settings], model.evaluate(settings)
    made = plan(
        module.clone(),
        model.network,
        order,
        mode="switch",
        frames=1,
        clocks=model.starts,
        driving=model.driving,
        settings=settings,
    )
    assert made.simulation.latency == pytest.approx(expected.latency, abs=100)
    assert (made.prediction.latency, made.prediction.energy) == (expected.latency, expected.energy)
    for number, _, mhz in _clocks_of_text(made.clocks_text, switched=True):
        assert settings[number][1] == mhz


def _drawn_settings(drawn: random.Random, model: SwitchModel) -> list[Setting]:
    return [drawn.choice(model.settings_of(("big", "little", "gpu"))) for _ in range(LAYERS)]


def _clocks_of_text(text: str, *, switched: bool) -> list[tuple[int, str, float]]:
    """Return the clocks of layers in the text that a run takes."""
    given = clocks_of(text, processors_of(MACHINE), LAYERS, switched=switched)
    return [(each.layer, each.processor, each.mhz) for each in given if each.layer is not None]


def test_a_wider_search_is_no_worse() -> None:
    """GoogLeNet: clocks of layers save energy beside clocks of processors, which save it beside the fastest ones."""
    model = SwitchModel(googlenet(0.8), MACHINE)
    names = ("big", "little", "gpu")
    best = best_layer_clocks(model, names)
    fastest = model.evaluate([(name, model.machine.engine(name).clock.nominal) for name in best.order])
    assert best.energy < fastest.energy
    bounded = [best_layer_clocks(model, names, latency=milliseconds * 1e6) for milliseconds in (162, 164, 166, 180)]
    energies = [each.energy for each in bounded]
    assert energies == sorted(energies, reverse=True)
    assert all(each.latency <= bound * 1e6 for each, bound in zip(bounded, (162, 164, 166, 180), strict=True))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The plan has the clocks of its layers, in the form that a run takes; the program has them as an attribute."""
    model, file, program = network(tmp_path / "net.onnx"), tmp_path / "plan.json", tmp_path / "plan.mlir"
    words = ["coop", "plan", str(model), "--target", "hmp/rk3399pro", "--mode", "switch", "--layer-clocks"]
    words += ["--processors", "big,little"]
    assert cli.main([*words, "--clocks", "big=408", "--json", str(file), "--emit", str(program)]) == 0
    printed = capsys.readouterr().out
    layers = json.loads(file.read_text())["layers"]
    assert all(layer["mhz"] in (408, 600, 816, 1008, 1200, 1416, 1608, 1800) for layer in layers)
    assert f"hmp.clock = {layers[0]['mhz']} : i64" in program.read_text()
    assert "clocks   " in printed
    assert cli.main([*words, "--latency-ms", "0.0001"]) == 1
    assert "no clocks keep a latency of 0.0001 ms" in capsys.readouterr().err
    assert cli.main([*words[:5], "--layer-clocks"]) == 2
    assert "--mode switch" in capsys.readouterr().err
    assert cli.main([*words[:7], "--latency-ms", "1"]) == 2
    assert "--latency-ms bounds a search of clocks" in capsys.readouterr().err
