"""ARM-CO-UP's tables 4, 7, 8, 10 and 11 and its figure 8, beside the model, the fronts and the simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from tilewright.targets.hmp.frames import delay
from tilewright.targets.hmp.fronts import front_of, space_of
from tilewright.targets.hmp.mapping import order_of
from tilewright.targets.hmp.model import MappingPrediction, predict
from tilewright.targets.hmp.search import best_mapping
from tilewright.test.targets.hmp.pipelines import simulated_unit_stages
from tilewright.test.targets.hmp.published import MACHINE, TABLES, chain, googlenet, switched

pytestmark = pytest.mark.quick

_THREE = ("big", "little", "gpu")
_ROUNDED = 11 * 0.05
"""Milliseconds by which a sum of eleven rounded entries may be off."""
_ROWS = pytest.mark.parametrize("row", TABLES["switch"], ids=lambda row: row["network"])


def _letters(order: Sequence[str]) -> str:
    return "".join(name[0].upper() for name in order)


def _predicted(letters: str, switch_ms: float = 0.0) -> MappingPrediction:
    network = googlenet(switch_ms)
    return predict(network, order_of(letters, "", len(network.layers), MACHINE), MACHINE, "switch")


# Table 7


@pytest.mark.parametrize("name", _THREE)
def test_sums_of_googlenet_on_one_processor(name: str) -> None:
    assert _predicted(name[0]).latency / 1e6 == pytest.approx(TABLES["sums"][name], abs=_ROUNDED)


def test_optimum_of_googlenet_in_switch_mode() -> None:
    best = best_mapping(googlenet(0.8), MACHINE, "switch", _THREE)
    assert _letters(best.order) == "BBGGGGGGGGG"
    assert best.latency / 1e6 == pytest.approx(TABLES["sums"]["least"] + 0.8, abs=_ROUNDED)


def test_order_that_table_8_prints_for_googlenet_is_inverted() -> None:
    printed, meant = _predicted("GGBBBBBBBBB"), _predicted("BBGGGGGGGGG", 0.8)
    assert printed.latency / 1e6 == pytest.approx(205.3)
    assert meant.latency / 1e6 == pytest.approx(161.5, abs=_ROUNDED)


@pytest.mark.nightly
def test_optimum_of_googlenet_beside_all_orders() -> None:
    network = googlenet(0.8)
    least = min(predict(network, order, MACHINE, "switch").latency for order in product(_THREE, repeat=11))
    assert best_mapping(network, MACHINE, "switch", _THREE).latency == pytest.approx(least)


def test_derived_optimum_of_googlenet_in_a_pipeline() -> None:
    best = best_mapping(googlenet(0.0), MACHINE, "pipeline", _THREE)
    assert best.period / 1e6 == pytest.approx(58.9)
    assert _letters(best.order) in ("BBGGGGLLLLL", "BBLLLLGGGGG")
    assert best.fps == pytest.approx(16.98, abs=0.01)


# Table 8


def _of_table_8(row: Mapping[str, Any], *, measured: bool) -> MappingPrediction:
    order = order_of(row["order"], "", len(row["order"]), MACHINE)
    network = switched(row, order, row["switch_ms"] if measured else None)
    return predict(network, order, MACHINE, "switch")


@_ROWS
def test_percentages_of_table_8(row: Mapping[str, Any]) -> None:
    """The shares of time and of energy that switches take are those printed, for the times and energies printed."""
    prediction = _of_table_8(row, measured=True)
    assert prediction.latency / 1e6 == pytest.approx(row["ms"])
    published = replace(prediction, energy=row["mj"], handover_energy=row["switch_mj"])
    assert [
        round(100 * prediction.handover_share, 2),
        round(100 * (published.handover_energy_share or 0.0), 2),
    ] == row["percent"]


@_ROWS
def test_modelled_switches_beside_table_8(row: Mapping[str, Any]) -> None:
    """Times of switches follow from the bytes of activations, energies from the power of processors."""
    prediction = _of_table_8(row, measured=False)
    of_time, of_energy = row["percent"]
    assert prediction.handovers / 1e6 == pytest.approx(row["switch_ms"], abs=0.08)
    assert 100 * prediction.handover_share == pytest.approx(of_time, abs=0.07)
    assert prediction.handover_energy == pytest.approx(row["switch_mj"], abs=1.2)
    assert 100 * (prediction.handover_energy_share or 0.0) == pytest.approx(of_energy, abs=0.2)


@_ROWS
def test_modelled_energies_beside_table_8(row: Mapping[str, Any]) -> None:
    """The power of the GPU and the big cores is that of the rows of one processor; others follow within 6 %."""
    bound = 0.001 if len(set(row["order"])) == 1 else 0.06
    assert _of_table_8(row, measured=True).energy == pytest.approx(row["mj"], rel=bound)


# Tables 4 and 11


def _costs(rows: Sequence[Sequence[Any]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([row[-2:] for row in rows], np.float64)


def test_table_4_is_a_pareto_set() -> None:
    costs = _costs(TABLES["alexnet"]["front"])
    assert list(front_of(costs)) == [0, 1, 2, 3]
    for row in range(len(costs)):
        for change, front in ((0.01, [0, 1, 2, 3]), (-0.01, sorted({0, 1, 2, 3, 4} - {row}))):
            assert sorted(front_of(np.vstack([costs, costs[row] + change]))) == front


def test_table_11_is_sorted_by_time_and_by_energy() -> None:
    """A front comes by time, and its energies fall: all of the rows, in their order, and none of them twice."""
    costs = _costs(TABLES["alexnet"]["clocks"])
    assert list(front_of(costs)) == list(range(len(costs)))
    shuffled = np.random.default_rng(0).permutation(len(costs))
    assert [int(shuffled[row]) for row in front_of(costs[shuffled])] == list(range(len(costs)))


def test_tables_4_and_11_are_one_front() -> None:
    """They share a row, the third of table 4 and the last of table 11."""
    rows = [*TABLES["alexnet"]["front"], *TABLES["alexnet"]["clocks"]]
    assert rows[2] == rows[-1]
    assert set(map(int, front_of(_costs(rows)))) == set(range(len(rows) - 1))


def test_rows_of_tables_4_and_11_are_points_of_the_space() -> None:
    """The orders, clocks and hosts that were published are among those that are explored."""
    names = [engine.name for engine in MACHINE.engines]
    space = space_of(chain("alexnet", [dict.fromkeys(names, 1e6)] * 8, [1000] * 7, None), MACHINE, ())
    orders = {tuple(order) for order in space.all_orders()}
    choices = [space.choice((), clocks, hosts, 0.0, 0.0) for clocks, hosts in zip(*space.settings, strict=True)]
    for letters, gpu_host, npu_host, little, big, gpu, *_ in (
        *TABLES["alexnet"]["front"],
        *TABLES["alexnet"]["clocks"],
    ):
        assert tuple(order_of(letters, "", 8, MACHINE)) in orders
        clocks, hosts = {"little": little, "big": big, "gpu": gpu}, {"gpu": gpu_host, "npu": npu_host}
        assert sum(clocks.items() <= choice.clocks.items() and choice.hosts == hosts for choice in choices) == 1


# Table 10


@pytest.mark.parametrize("name", _THREE)
def test_delays_of_table_10(name: str) -> None:
    engine = MACHINE.engine(name)
    points = sorted(engine.clock.mhz)
    up, down = TABLES["delays"][name]["up"], TABLES["delays"][name]["down"]
    assert [delay(engine, *points[:2]), delay(engine, points[0], points[-1])] == [1000 * each for each in up]
    assert [delay(engine, *points[1::-1]), delay(engine, points[-1], points[0])] == [1000 * each for each in down]


# Figure 8


@pytest.mark.parametrize("distance", range(1, 7))
def test_rule_of_queue_depths(distance: int) -> None:
    """Unit stages, and a branch over `distance` of them with q slots beyond two: period max(1, (d + 1) / (q + 2))."""
    for extra in range(7):
        slots = extra + 2
        ends = simulated_unit_stages(distance, slots, MACHINE).ends
        # Frames come in groups as large as the branch has slots.
        assert (ends[-1] - ends[-1 - 2 * slots]) / (2 * slots) == 1000 * max(1, (distance + 1) / slots)


@pytest.mark.parametrize(("slots", "active"), [(2, 2), (3, 3), (4, 4), (5, 4)])
def test_active_stages_of_figure_8(slots: int, active: int) -> None:
    """Two of four stages work at once where the branch from the first to the last one has no queue, all with one."""
    simulation = simulated_unit_stages(3, slots, MACHINE, frames=60)
    begin, end = simulation.ends[20], simulation.ends[20 + 6 * slots]
    inside = [min(span.end, end) - max(span.start, begin) for span in simulation.spans]
    assert sum(max(0, time) for time in inside) / (end - begin) == active
