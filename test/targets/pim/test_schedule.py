"""
Schedules of visual Transformers on a mesh of memory nodes, beside published figures.

Figures are those of "Allspark: Workload Orchestration for Visual Transformers on Processing In-Memory Systems", Tables
V and VI, and of an implementation of its model that shares no code with this one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from tilewright.errors import Diagnostic
from tilewright.targets.pim.schedule.baselines import BASELINES, baseline
from tilewright.targets.pim.schedule.binding import bind, in_order, mean_hops, ring, shifted_windows
from tilewright.targets.pim.schedule.families import MODELS, SIZES, stages_of
from tilewright.targets.pim.schedule.model import PartitionCandidate, Scheme, candidates
from tilewright.targets.pim.schedule.packing import PACKERS, Rectangle, guillotine, two_block
from tilewright.targets.pim.schedule.records import BlockStage, MeshProfile, read_profile
from tilewright.targets.pim.schedule.rings import folded, loads, messages, plain
from tilewright.targets.pim.schedule.solve import MeshPlan, StagePlan, schedule, stage_plan

pytestmark = pytest.mark.quick

MIB = 1 << 20
TABLE_V = (((1, 1), (1, 1), (4, 2)), ((2, 1), (4, 4)), ((8, 2), (8, 2), (16, 4)), ((4, 4),))


def published() -> list[StagePlan]:
    """Return the schedule of Table V: Swin-B, 640 pixels."""
    mesh = read_profile("default")
    pairs = zip(stages_of("Swin-B", 640), TABLE_V, strict=True)
    return [
        stage_plan(stage, [PartitionCandidate(stage, Scheme(*each), mesh) for each in layers])
        for stage, layers in pairs
    ]


@pytest.mark.parametrize(
    ("size", "counts"),
    [(224, [64, 16, 4, 1]), (384, [196, 49, 16, 4]), (640, [529, 144, 36, 9]), (960, [1225, 324, 81, 25])],
)
def test_branches_of_swin(size: int, counts: list[int]):
    assert [stage.branches for stage in stages_of("Swin-B", size)] == counts


@pytest.mark.parametrize(
    ("model", "keys"),
    [
        ("ViT-B", [576]),
        ("PVT-S", [144, 144, 144, 144]),
        ("Swin-B", [49, 49, 49, 49]),
        ("Twins-B", [49, 144, 49, 144, 49, 144, 49, 144]),
        ("CSWin-B", [96, 96, 168, 144]),
        ("Focal-B", [218, 194, 178, 170]),
    ],
)
def test_keys_of_a_branch(model: str, keys: list[int]):
    assert [stage.keys for stage in stages_of(model, 384)] == keys


def test_every_model_has_stages_of_whole_heads():
    for model, size in itertools.product(MODELS, SIZES):
        for stage in stages_of(model, size):
            assert stage.head_channels * stage.heads * stage.parts == stage.channels
            assert min(stage.branches, stage.queries, stage.keys, stage.own_keys, stage.blocks) > 0


@pytest.mark.parametrize(
    ("stage", "scheme", "figures"),
    [
        (1, (1, 1), (323008, 0, 0, 196608, 37632)),
        (1, (4, 2), (41200, 4675, 6144, 24576, 21184)),
        (2, (2, 1), (674240, 12593, 0, 393216, 37632)),
        (2, (4, 4), (89440, 6279, 39936, 49152, 70528)),
        (2, (8, 2), (86000, 11775, 13312, 49152, 37568)),
        (3, (8, 2), (2840800, 187975, 446464, 196608, 140672)),
        (3, (16, 1), (2783984, 382935, 0, 196608, 11809)),
        (3, (16, 4), (738608, 107211, 334848, 49152, 68032)),
        (4, (4, 4), (1396096, 24999, 638976, 786432, 1068544)),
        (4, (16, 2), (671200, 49175, 106496, 393216, 271744)),
        (4, (16, 4), (349024, 26403, 159744, 196608, 267136)),
        (4, (8, 4), (698048, 25883, 319488, 393216, 534272)),
    ],
)
def test_costs_of_a_layer(stage: int, scheme: tuple[int, int], figures: tuple[int, ...]):
    each = PartitionCandidate(stages_of("Swin-B", 640)[stage - 1], Scheme(*scheme), MeshProfile())
    cycles = each.compute_cycles, int(each.transfer_cycles), int(each.sharing_cycles)
    assert (*cycles, each.weights, each.workspace) == figures


@pytest.mark.parametrize(
    ("shape", "count"),
    [
        *[((1, 1), 256), ((2, 1), 128), ((4, 2), 32), ((2, 7), 18), ((4, 4), 16), ((8, 2), 16), ((16, 1), 16)],
        *[((5, 3), 15), ((7, 3), 10), ((5, 5), 9), ((4, 7), 8), ((16, 4), 4), ((8, 7), 4), ((16, 7), 2), ((32, 1), 0)],
    ],
)
def test_sub_arrays_in_two_blocks(shape: tuple[int, int], count: int):
    assert len(two_block(16, 16, *shape)) == count


def test_example_of_the_two_blocks():
    assert len(two_block(3, 4, 2, 1)) == 6


def test_guillotine_cuts_pack_more():
    shapes = ((3, 2), (4, 3), (5, 2), (5, 3), (6, 5), (7, 3))
    assert [len(guillotine(16, 16, *shape)) for shape in shapes] == [42, 21, 25, 16, 7, 11]
    assert [len(two_block(16, 16, *shape)) for shape in shapes] == [40, 20, 24, 15, 6, 10]


@pytest.mark.parametrize("packing", PACKERS)
def test_sub_arrays_are_disjoint_and_on_the_mesh(packing: str):
    for rows, columns, a, b in itertools.product((5, 8, 13), (7, 8), (1, 2, 3, 5), (2, 3, 4)):
        packed = PACKERS[packing](rows, columns, a, b)
        nodes = list(itertools.chain.from_iterable(map(nodes_of, packed)))
        assert len(nodes) == len(set(nodes)) == len(packed) * a * b
        assert set(nodes) <= set(itertools.product(range(rows), range(columns)))
        assert {tuple(sorted(each[2:])) for each in packed} <= {tuple(sorted((a, b)))}


def nodes_of(rectangle: Rectangle) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a sub-array."""
    row, column, rows, columns = rectangle
    return itertools.product(range(row, row + rows), range(column, column + columns))


def test_memory_of_the_published_schedule():
    plan = MeshPlan(tuple(published()))
    assert plan.weights / MIB == 6.9375
    assert f"{plan.workspace / MIB:.4f} {(plan.weights + plan.workspace) / MIB:.4f}" == "1.0190 7.9565"
    assert f"{MeshProfile().milliseconds(plan.cycles):.2f}" == "29.28"


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "times"),
    [
        ("Swin-B", "4.79 10.87 25.93 57.98"),
        ("Twins-B", "3.50 7.62"),
        ("CSWin-B", "4.29 9.57 24.42 54.76"),
        ("ViT-B", "6.16 14.20 41.91 118.70"),
        ("ViT-L", "16.27 36.91 104.98 283.30"),
    ],
)
def test_optima(model: str, times: str):
    mesh = read_profile("default")
    plans = [schedule(stages_of(model, size), mesh) for size, _ in zip(SIZES, times.split(), strict=False)]
    assert " ".join(f"{mesh.milliseconds(plan.cycles):.2f}" for plan in plans) == times
    assert max(plan.weights + plan.workspace for plan in plans) <= mesh.node_bytes
    assert max(plan.gap for plan in plans) < 1e-6


@pytest.mark.long
@pytest.mark.parametrize(("mib", "time"), [(2, "34.57"), (3, "30.94"), (4, "29.25"), (6, "26.37"), (12, "24.90")])
def test_optima_by_memory_of_a_node(mib: int, time: str):
    plan = schedule(stages_of("Swin-B", 640), MeshProfile(node_bytes=mib * MIB))
    assert f"{MeshProfile().milliseconds(plan.cycles):.2f}" == time


def test_stages_of_table_v():
    mesh = read_profile("tableV")
    plan = schedule(stages_of("Swin-B", 640), mesh)
    assert f"{mesh.milliseconds(plan.cycles):.2f}" == "23.49"
    found = [tuple(tuple(layer.candidate.scheme) for layer in stage.layers) for stage in plan.stages]
    assert found[:3] == list(TABLE_V[:3])


def fronts(stage: BlockStage, mesh: MeshProfile, workspace: int) -> list[tuple[float, float]]:
    """Return cycles and bytes of weights of all plans of a stage with up to three distinct partitions."""
    usable = [each for each in candidates(stage, mesh) if each.workspace <= workspace]
    sets = itertools.chain.from_iterable(itertools.combinations(usable, n) for n in (1, 2, 3))
    found: list[tuple[float, float]] = []
    for chosen in sets:
        whole = [each.weights for each in chosen if each.scheme == (1, 1)]
        found.append((covering(stage.branches, chosen), stage.blocks * sum(whole or [x.weights for x in chosen])))
    return found


def covering(branches: int, chosen: Sequence[PartitionCandidate]) -> float:
    """Return the fewest cycles of layers that cover the branches and have each of the partitions, by knapsack."""
    left = max(0, branches - sum(each.parallel for each in chosen))
    best = [0.0]
    for count in range(1, left + 1):
        best.append(min(each.cycles + best[max(0, count - each.parallel)] for each in chosen))
    return best[left] + sum(each.cycles for each in chosen)


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("mib", [1, 2, 8])
def test_optima_are_those_of_dynamic_programming(mib: int):
    mesh = MeshProfile(array=(8, 8), node_bytes=mib * MIB)
    stages = [replace(stage, blocks=2) for stage in stages_of("Swin-T", 224)[:3]]
    workspaces = {each.workspace for stage in stages for each in candidates(stage, mesh)}
    best = float("inf")
    for workspace in workspaces:
        plans = [(0.0, 0.0)]
        for stage in stages:
            sums = [(a + c, b + w) for a, b in plans for c, w in fronts(stage, mesh, workspace)]
            plans = pareto([each for each in sums if each[1] + workspace <= mesh.node_bytes])
        best = min([best, *(cycles for cycles, _ in plans)])
    assert schedule(stages, mesh).cycles == pytest.approx(best)


def pareto(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that no other is below of in both coordinates."""
    kept: list[tuple[float, float]] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept


def test_a_workspace_beyond_a_node_names_stage_term_and_bytes():
    with pytest.raises(Diagnostic, match=r"no partition of stage 1 fits a node: attention takes \d+ bytes more"):
        schedule(stages_of("PVT-L", 960), MeshProfile(array=(8, 8), node_bytes=MIB))


@pytest.mark.parametrize(
    ("model", "size", "array", "message"),
    [
        ("ViT-L", 224, (4, 4), r"take \d+ bytes more .* the weights of stage 1, 18874368 bytes"),
        ("PVT-L", 960, (8, 8), r"take 213376 bytes more .* the workspace of stage 1, attention: 7430528 bytes"),
    ],
)
def test_memory_beyond_a_node_names_stage_term_and_bytes(model: str, size: int, array: tuple[int, int], message: str):
    with pytest.raises(Diagnostic, match=message):
        schedule(stages_of(model, size), MeshProfile(array=array))


def test_no_schedule_in_no_time():
    with pytest.raises(Diagnostic, match="no schedule was found in time"):
        schedule(stages_of("Swin-L", 384), MeshProfile(), seconds=0)


def test_layers_that_do_not_hold_the_branches_are_refused():
    stage = stages_of("Swin-B", 640)[0]
    with pytest.raises(Diagnostic, match="stage 1 has more branches than its layers"):
        stage_plan(stage, [PartitionCandidate(stage, Scheme(1, 1), MeshProfile())])


@pytest.mark.parametrize("fold", [False, True])
@pytest.mark.parametrize("along_rows", [False, True])
def test_rings_of_a_layer_do_not_contend(fold: bool, along_rows: bool):
    for shape in ((2, 1), (4, 2), (5, 3), (7, 3), (2, 7), (16, 4), (1, 16)):
        found = loads(two_block(16, 16, *shape), along_rows=along_rows, fold=fold)
        assert max(found.values(), default=1) == 1


def test_overlapping_sub_arrays_contend():
    assert max(loads([Rectangle(0, 0, 1, 4), Rectangle(0, 2, 1, 4)], along_rows=True).values()) == 2


@pytest.mark.parametrize(("order", "longest"), [(plain(16), 15), (folded(16), 2)])
def test_longest_hop_of_a_ring(order: Sequence[int], longest: int):
    ends = messages(Rectangle(0, 0, 1, 16), order, along_rows=True)
    assert max(abs(first[1] - second[1]) for first, second in ends) == longest


def test_binding_of_shifted_windows():
    plans = published()
    graphs = [shifted_windows(round(plan.stage.branches**0.5)) for plan in plans]
    pairs = list(zip(plans, graphs, strict=True))
    assert [f"{mean_hops(bind(*pair), pair[1]):.2f}" for pair in pairs] == ["2.13", "4.04", "4.93", "8.00"]
    rows = [mean_hops(in_order(plan), graph) for plan, graph in pairs]
    assert [f"{hops:.2f}" for hops in rows] == ["7.55", "6.58", "8.78", "8.30"]


def test_bindings_keep_the_branches_of_layers():
    for plan in published():
        bound = bind(plan, ring(plan.stage.branches))
        layers = [layer for layer, _ in bound]
        assert [layers.count(index) for index in range(len(plan.layers))] == [each.branches for each in plan.layers]
        assert len(set(bound)) == plan.stage.branches
        assert mean_hops(bound, ring(plan.stage.branches)) <= mean_hops(in_order(plan), ring(plan.stage.branches))


def test_baselines_are_slower():
    mesh = read_profile("default")
    stages = stages_of("Swin-B", 224)
    best = schedule(stages, mesh).cycles
    assert all(baseline(name, stages, mesh).cycles > best for name in BASELINES)


def test_energy_and_utilisation_by_hand():
    """A branch of one block on two of four nodes, which have a head each; 8 channels, 4 rows."""
    mesh = MeshProfile(array=(2, 2), minimum_rows=4, link_energy=10, memory_energy=1, gather_input=False)
    stage = BlockStage("1", channels=8, heads=2, blocks=1, branches=1, queries=4, keys=4, own_keys=4)
    plan = MeshPlan((stage_plan(stage, [PartitionCandidate(stage, Scheme(2, 1), mesh)]),))
    weights, inputs = 8 * 4 * 3 + 8 * 4 + 2 * 8 * 16, 4 * 8 * 4 + 4 * 8 + 4 * 32
    results = 4 * 4 * 4 + 4 * 16 + 4 * 4
    attention = (4 * 4 + 4 * 4 + 4 * 4) * 2
    sent = 4 * 4 + 4 * 4 * 5 + 2 * 2 * 4
    assert plan.energy == 2 * (weights + inputs + results + attention + sent * (10 + 2))
    assert plan.utilisation == 0.5
    spread = MeshPlan((replace(plan.stages[0], spread=True),))
    received = plan.weights * (10 * 4 / 3 + 2)
    assert spread.energy == pytest.approx(plan.energy + 2 * received)
    assert spread.cycles == plan.cycles + plan.weights / mesh.link_bytes


@pytest.mark.parametrize(
    ("text", "message"),
    [("[other]\n", "an unknown profile: default"), ("[default]\nlane = 8\n", "an unknown parameter: lane")],
)
def test_profiles_are_checked(tmp_path_factory: pytest.TempPathFactory, text: str, message: str):
    file = tmp_path_factory.mktemp("profiles") / "profiles.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Diagnostic, match=message):
        read_profile("default", file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"array": (0, 4)}, "not a mesh"),
        ({"lanes": 0}, "'lanes' is out of range"),
        ({"sharing": -1.0}, "'sharing' is out of range"),
        ({"link_energy": -1.0}, "'link_energy' is out of range"),
        ({"packing": "best"}, "an unknown packing"),
    ],
)
def test_meshes_are_checked(change: dict[str, object], message: str):
    with pytest.raises(Diagnostic, match=message):
        replace(MeshProfile(), **change)  # pyright: ignore[reportArgumentType]


def test_unknown_models_are_named():
    with pytest.raises(Diagnostic, match="an unknown model: Swin-X"):
        stages_of("Swin-X", 224)


def test_cycles_of_programs_replace_modelled_ones():
    """A block of the cheaper program is chosen, each block counts, and merging is still modelled."""
    mesh = MeshProfile(array=(4, 4), regular=True)
    stages = [BlockStage("1", 64, 4, 3, 16, 16, 16, 16), BlockStage("2", 128, 4, 2, 4, 16, 16, 16, merges=True)]
    costs = {("1", Scheme(1, 1)): 7000, ("1", Scheme(4, 1)): 900, ("2", Scheme(2, 2)): 500}
    first, second = schedule(stages, mesh, costs=costs).stages
    assert (first.layers[0].candidate.scheme, len(first.layers), first.cycles) == (Scheme(4, 1), 4, 3 * 900)
    modelled = second.layers[0].candidate
    merge = modelled.compute["merge"] + (modelled.sent["merge"] + modelled.shared["merge"]) / mesh.link_bytes
    assert second.cycles == 2 * 500 + merge > 1000


def test_a_stage_without_the_cycles_of_a_program_is_refused():
    mesh = MeshProfile(array=(4, 4), regular=True)
    costs = {("1", Scheme(3, 1)): 10}
    with pytest.raises(Diagnostic, match="no partition of stage 1 has the cost of a program") as error:
        schedule([BlockStage("1", 64, 4, 3, 16, 16, 16, 16)], mesh, costs=costs)
    assert error.value.found == "[3,1]"
