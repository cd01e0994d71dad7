"""Plans of networks on the RK3399Pro: orders, clocks, hosts, the search beside enumeration, profiles."""

from __future__ import annotations

import json
import random
import tomllib
from itertools import product
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.dialects.core.machine.file import find_machine
from tilewright.targets.hmp.frames import RECEIVE, Change, LayerWork, delay, end_of, simulate_frames
from tilewright.targets.hmp.mapping import order_of, stages_of
from tilewright.targets.hmp.model import Driving, LayeredNetwork, LayerValue, NetworkLayer, ProcessorClocks, predict
from tilewright.targets.hmp.profile_file import PUBLISHED
from tilewright.targets.hmp.search import best_mapping
from tilewright.test.targets.hmp.pipelines import branched_pipeline, unit_processors
from tilewright.test.targets.hmp.published import MACHINE, googlenet
from tilewright.test.targets.hmp.streamed import network

_THREE = ("big", "little", "gpu")


def _letters(order: tuple[str, ...]) -> str:
    return "".join(name[0].upper() for name in order)


def test_search_beside_enumeration() -> None:
    network = googlenet(0.8)
    few = LayeredNetwork(network.name, network.layers[:6], network.values, switch=network.switch)
    for mode in ("pipeline", "switch"):
        orders = [order for order in product(_THREE, repeat=6) if mode == "switch" or _once(order)]
        least = min(predict(few, order, MACHINE, mode).period for order in orders)
        assert best_mapping(few, MACHINE, mode, _THREE).period == pytest.approx(least)


@pytest.mark.parametrize("hosts", [{"gpu": "little"}, {"gpu": "big", "npu": "little"}, {"gpu": "big", "npu": "big"}])
def test_search_with_hosts_beside_enumeration(hosts: dict[str, str]) -> None:
    """Hand-overs to the GPU and the NPU load their hosts, so that the best order is another one."""
    names, drawn, driving = ("big", "little", "gpu", "npu"), random.Random(len(hosts)), Driving(hosts, {"npu": 2})
    clocks = ProcessorClocks({"big": 1200, "little": 600})
    for _ in range(10):
        layers = tuple(
            NetworkLayer(number, "a", "b", 1, {name: drawn.uniform(1e6, 4e6) for name in names}) for number in range(5)
        )
        values = tuple(LayerValue("v", drawn.randrange(10_000_000), number, (number + 1,)) for number in range(4))
        network = LayeredNetwork("random", layers, values)
        for mode in ("pipeline", "switch"):
            orders = [order for order in product(names, repeat=5) if mode == "switch" or _once(order)]
            least = min(predict(network, order, MACHINE, mode, clocks, driving).period for order in orders)
            assert best_mapping(network, MACHINE, mode, (), clocks, driving).period == pytest.approx(least)


def test_a_hand_over_is_work_of_the_host() -> None:
    """The slowest stage is late by the hand-overs that its processor does for others; an idle host does them beside."""
    for host, period in (("", 1000), ("e0", 1300), ("e2", 1000)):
        receive = LayerWork(RECEIVE, 300.0, processor=host)
        works = {
            "stage0": [LayerWork(0, 1000.0)],
            "stage1": [receive, LayerWork(1, 500.0)],
            "stage2": [LayerWork(2, 100.0)],
        }
        simulation = simulate_frames(branched_pipeline(2, 4, frames=30), unit_processors(3, MACHINE), works)
        assert simulation.period == pytest.approx(period)
        receiving = [span for span in simulation.spans if span.layer == RECEIVE]
        assert {(span.stage, span.processor) for span in receiving} == {("stage1", host or "e1")}


def _once(order: tuple[str, ...]) -> bool:
    stages = [stage.processor for stage in stages_of(order)]
    return len(stages) == len(set(stages))


def test_clocks_change_with_a_delay_meanwhile_work_goes_on() -> None:
    changes = [Change(0, 1000), Change(500, 500)]
    assert end_of(0, 400, 1000, changes) == 400
    assert end_of(0, 700, 1000, changes) == 500 + 400
    assert end_of(600, 100, 1000, changes) == 800
    little = MACHINE.engine("little")
    assert delay(little, 408, 600) == 296_000
    assert delay(little, 408, 1416) == 4_211_000
    assert delay(little, 1416, 1200) == 109_000


def test_orders_of_letters() -> None:
    assert _letters(tuple(order_of("GLB", "3,5", 8, MACHINE))) == "GGGLLBBB"
    assert _letters(tuple(order_of("g", "", 3, MACHINE))) == "GGG"


@pytest.mark.nightly
def test_every_order_of_eight_layers_is_planned() -> None:
    network = googlenet(0.8)
    few = LayeredNetwork(network.name, network.layers[:8], network.values[:9], switch=network.switch)
    orders = 0
    for letters in product("LBGN", repeat=8):
        prediction = predict(few, order_of("".join(letters), "", 8, MACHINE), MACHINE)
        layers = [number for stage in prediction.stages for number in range(stage.first, stage.last + 1)]
        assert layers == list(range(8))
        assert 0 < prediction.period <= prediction.latency
        orders += 1
    assert orders == 4**8


def test_every_profile_is_of_a_machine_that_is_there() -> None:
    for file in Path(PUBLISHED).glob("*.toml"):
        content = tomllib.loads(file.read_text())
        assert find_machine(f"hmp/{content['machine']}")
        assert all(len(times) == len(content["macs"]) for times in content["times_ms"].values())


@pytest.mark.long
def test_plan_of_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command simulates the stages of an order."""
    model = network(tmp_path / "net.onnx")
    assert cli.main(["coop", "plan", str(model), "--target", "hmp/rk3399pro", "--order", "BLLGNN"]) == 0
    assert "frames a second (simulated)" in capsys.readouterr().out
    hosted, page, file = ["--host-gpu", "L", "--host-npu", "big"], tmp_path / "plan.html", tmp_path / "plan.json"
    words = ["coop", "plan", str(model), "--order", "GGGNNN", *hosted, "--html", str(page), "--json", str(file)]
    assert cli.main(words) == 0
    assert [stage["host"] for stage in json.loads(file.read_text())["stages"]] == ["little", "big"]
    assert ">big</text>" in page.read_text()
    words = [*words[:5], "--host-npu", "big", "--handover-ms", "1", "--json", str(file)]
    words[4] = "LLLNNN"
    for outstanding, parts in (("1", sum), ("3", max)):
        assert cli.main([*words, "--npu-outstanding", outstanding]) == 0
        plan = json.loads(file.read_text())
        assert plan["period_ms"] == pytest.approx(parts([plan["stages"][1]["ms"], plan["handovers_ms"]]), rel=1e-4)
    capsys.readouterr()
    assert cli.main([*words[:5], "--host-gpu", "npu"]) == 2
    assert "'npu' is no host of gpu" in capsys.readouterr().err
