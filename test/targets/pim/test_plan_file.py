"""Schedules from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.targets.pim.schedule.families import stages_of
from tilewright.targets.pim.schedule.model import Scheme
from tilewright.targets.pim.schedule.plan_file import costs_text, read_costs, read_plan
from tilewright.targets.pim.schedule.records import BlockStage, read_profile

pytestmark = pytest.mark.quick

TABLE_V = ("[[1, 1], [1, 1], [4, 2]]", "[[2, 1], [4, 4]]", "[[8, 2], [8, 2], [16, 4]]", "[[4, 4]]")
STAGES = stages_of("Swin-B", 640)


def table(stage: BlockStage, layers: str) -> str:
    """Return the table of a stage."""
    sizes = f"channels = {stage.channels}\nheads = {stage.heads}\nbranches = {stage.branches}"
    return f'[[stage]]\nname = "{stage.name}"\n{sizes}\nlayers = {layers}\n'


TEXT = "".join(table(*each) for each in zip(STAGES, TABLE_V, strict=True))


def test_schedule_of_table_v(tmp_path: Path):
    (file := tmp_path / "plan.toml").write_text(TEXT)
    plan = read_plan(file, STAGES, read_profile("default"))
    assert (plan.weights / 2**20, plan.workspace) == (6.9375, 1068544)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("branches = 529", "branches = 64"), "of another network"),
        (TEXT + TEXT, "the schedule is of another network"),
        ("stage = 1", "the schedule is not stages of a network"),
        ("[[stage", "not a TOML file"),
        (TEXT.replace("[[4, 4]]", "[4, 4]"), "not the layers of stage 4"),
        (TEXT.replace("[[4, 4]]", "[[64, 1]]"), "no sub-array for a layer of stage 4"),
        (TEXT.replace("[[4, 4]]", "[[0, 1]]"), "no sub-array for a layer of stage 4"),
        (TEXT.replace("[[4, 4]]", "[]"), "stage 4 has more branches than its layers"),
        (TEXT.replace("[8, 2], [8, 2]", "[1, 1], [8, 2]"), "the schedule takes [0-9]+ bytes more than a node has"),
    ],
)
def test_bad_schedules(tmp_path: Path, text: str, message: str):
    (file := tmp_path / "plan.toml").write_text(text)
    with pytest.raises(Diagnostic, match=message):
        read_plan(file, STAGES, read_profile("default"))


def test_missing_schedule(tmp_path: Path):
    with pytest.raises(Diagnostic, match="the schedule cannot be read: No such file"):
        read_plan(tmp_path / "plan.toml", STAGES, read_profile("default"))


COSTS = {(stage.name, Scheme(1, 1)): 100 + at for at, stage in enumerate(STAGES)}


def test_costs_of_programs_are_read_as_written(tmp_path: Path):
    (file := tmp_path / "costs.toml").write_text(costs_text(STAGES, COSTS))
    assert read_costs(file, STAGES) == COSTS


@pytest.mark.parametrize("row", ["[1, 1]", "[1, 1, 0]", "[1, 1, 0.5]"])
def test_bad_costs(tmp_path: Path, row: str):
    (file := tmp_path / "costs.toml").write_text(costs_text(STAGES, COSTS).replace("[1, 1, 102]", row))
    with pytest.raises(Diagnostic, match="not the costs of stage 3"):
        read_costs(file, STAGES)


def test_costs_of_another_network(tmp_path: Path):
    (file := tmp_path / "costs.toml").write_text(TEXT + TEXT)
    with pytest.raises(Diagnostic, match="the costs are of another network"):
        read_costs(file, STAGES)
