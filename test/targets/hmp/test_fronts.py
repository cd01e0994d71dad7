"""Fronts of mappings, clocks and hosts: NSGA-II beside the exact front, the exact front beside plain enumeration."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.dialects.core.machine.file import find_machine
from tilewright.targets.hmp.commands.coop_explore import run_arguments
from tilewright.targets.hmp.fronts import FrontPoint, exact_front, hypervolume, measured_front, searched_front, space_of
from tilewright.targets.hmp.model import Driving, LayeredNetwork, LayerValue, NetworkLayer, ProcessorClocks, predict
from tilewright.test.targets.hmp.streamed import network

MACHINE = find_machine("hmp/rk3399pro")


def _network(seed: int, layers: int) -> LayeredNetwork:
    drawn = random.Random(seed)
    names = [engine.name for engine in MACHINE.engines]
    times = [{name: drawn.uniform(2e6, 4e7) for name in names} for _ in range(layers)]
    made = tuple(NetworkLayer(number, "a", "b", 1, own) for number, own in enumerate(times))
    values = tuple(
        LayerValue("v", drawn.randrange(1000, 1_000_000), number, (number + 1,)) for number in range(layers - 1)
    )
    return LayeredNetwork("random", made, values)


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(3))
def test_exact_front_beside_enumeration(seed: int) -> None:
    space = space_of(_network(seed, 4), MACHINE, ("big", "gpu"))
    clocks, hosts = space.settings
    costs = [
        cost
        for order in space.all_orders()
        for cost in zip(*map(np.ndarray.tolist, space.evaluate(order, clocks, hosts)))
    ]
    assert len(costs) == space.points
    front = {cost for cost in costs if not any(o[0] <= cost[0] and o[1] <= cost[1] and o != cost for o in costs)}
    assert {(each.period, each.energy) for each in exact_front(space)} == front


@pytest.mark.quick
@pytest.mark.parametrize("seed", range(3))
def test_points_beside_predictions(seed: int) -> None:
    """A point of the space has the period and the energy that a plan with its order, clocks and hosts has."""
    outstanding = {"npu": 1 + seed}
    space, drawn = space_of(_network(seed, 5), MACHINE, (), outstanding), random.Random(seed)
    clocks, hosts = space.settings
    for order in drawn.sample(list(space.all_orders()), 20):
        row = drawn.randrange(len(clocks))
        periods, energies = space.evaluate(order, clocks[row : row + 1], hosts[row : row + 1])
        point = space.choice(order, clocks[row], hosts[row], float(periods[0]), float(energies[0]))
        planned = predict(
            space.network, order, MACHINE, "pipeline", ProcessorClocks(point.clocks), Driving(point.hosts, outstanding)
        )
        assert (point.period, point.energy) == pytest.approx((planned.period / 1e6, planned.energy))


@pytest.mark.quick
def test_front_by_measured_periods() -> None:
    """Points that a run finds slower than others of less energy are left out."""
    points = [FrontPoint(("big",), {}, {}, period, energy) for period, energy in ((1.0, 9.0), (2.0, 8.0), (3.0, 7.0))]
    measured = {9.0: 5.0, 8.0: 4.0, 7.0: 6.0}
    front = measured_front(points, lambda choice: measured[choice.energy])
    assert [(choice.measured, choice.energy) for choice in front] == [(4.0, 8.0), (6.0, 7.0)]


@pytest.mark.quick
def test_arguments_of_a_run() -> None:
    """Hosts whose cores are given pin their processors; clocks need a back end; what the order does not use is left."""
    clocks, hosts = {"big": 408.0, "gpu": 200.0, "little": 600.0}, {"gpu": "big", "npu": "little"}
    choice = FrontPoint(("big", "gpu", "npu"), clocks, hosts, 1.0, 1.0)
    assert run_arguments(choice, {}, "none") == []
    words = " ".join(run_arguments(choice, {"big": (0, 1), "npu": (2,)}, "sysfs"))
    assert words == "--cores big=0+1,npu=2 --hosts gpu=big --clock-backend sysfs --clocks big=408,gpu=200"


@pytest.mark.nightly
def test_exploration_by_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each point of the modelled front is run at its clocks; the front is that of measured periods."""
    model, output, log = network(tmp_path / "net.onnx"), tmp_path / "front.jsonl", tmp_path / "log"
    words = ["coop", "explore", str(model), "--processors", "big", "-o", str(output)]
    assert cli.main([*words, "--by-running", "--clock-backend", f"command:echo $1 $2 >> {log}"]) == 0
    front = [json.loads(line) for line in output.read_text().splitlines()]
    assert front
    periods = [point["measured_period_ms"] for point in front]
    assert periods == sorted(periods)
    assert min(periods) > 0
    tried = set(log.read_text().splitlines())
    assert {f"big {point['clocks']['big']:.0f}" for point in front} <= tried
    assert len(tried) > 1
    assert "measured" in capsys.readouterr().out
    assert cli.main([*words, "--cores", "big=0"]) == 2
    assert "--cores is for points that are run" in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(2))
def test_nsga2_beside_the_exact_front(seed: int) -> None:
    pytest.importorskip("pymoo", reason="pip install 'tilewright[explore]'")
    space = space_of(_network(seed, 11), MACHINE, ("big", "little", "gpu"))
    exact = [(each.period, each.energy) for each in exact_front(space)]
    found = [(each.period, each.energy) for each in searched_front(space)]
    reference = 1.1 * max(period for period, _ in exact), 1.1 * max(energy for _, energy in exact)
    assert hypervolume(found, reference) >= 0.99 * hypervolume(exact, reference)
    assert all(any(p <= period and e <= energy for p, e in exact) for period, energy in found)
