"""Stages found in networks equal those of `families.py` at the same parameters."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest

from tilewright import opt_tool
from tilewright.frontend import zoo
from tilewright.frontend.zoo import _bert, cswin_tiny, focal_tiny, llama, pvt_tiny, swin_tiny, twins_small, vit_tiny
from tilewright.targets.pim.passes.find_branches import BLOCKS
from tilewright.targets.pim.schedule.families import MODELS
from tilewright.targets.pim.schedule.records import BlockStage
from tilewright.test.small_models import save
from tilewright.test.targets.pim.annotations import annotated, found

PAGE = (Path(__file__).parents[3] / "docs" / "pim.md").read_text(encoding="utf-8")


def of_family(model: str, size: int, **changes: Any) -> list[BlockStage]:
    """Return the stages of a model of a family with other channels, heads, blocks or patches."""
    family = replace(MODELS[model], **changes)
    return family.rule(family, -(-size // family.patch))


def with_class_token(stage: BlockStage) -> BlockStage:
    """Return a stage with one row more, which the families leave out."""
    return replace(stage, queries=stage.queries + 1, keys=stage.keys + 1, own_keys=stage.own_keys + 1)


def test_vit():
    model = vit_tiny.build(image=32, patch=8, dim=16, heads=2, layers=3, classes=4)
    (stage,) = of_family("ViT-B", 32, channels=(16,), heads=(2,), blocks=(3,), patch=8)
    assert found(model) == [with_class_token(stage)]


def test_pvt():
    shapes = ((4, 8, 1, 1, 8, 8), (2, 16, 2, 2, 8, 4), (2, 24, 3, 1, 4, 2), (2, 32, 4, 1, 4, 1))
    model = pvt_tiny.build(image=64, stages=[pvt_tiny.Stage(*each) for each in shapes], classes=4)
    sizes = {"channels": (8, 16, 24, 32), "heads": (1, 2, 3, 4), "blocks": (1, 2, 1, 1)}
    *stages, last = of_family("PVT-T", 64, **sizes)
    assert found(model) == [*stages, with_class_token(last)]


SWIN = {"channels": (8, 16), "heads": (2, 4), "blocks": (2, 1)}


def swin(window: int = 7) -> onnx.ModelProto:
    """Return a Swin of two stages: 14 x 14 patches of 8 channels, then 7 x 7 of 16."""
    return swin_tiny.build(image=56, patch=4, window=window, dim=8, layers=(2, 1), heads=(2, 4), classes=4)


def test_swin():
    assert found(swin()) == of_family("Swin-T", 56, **SWIN)


def test_windows_and_shifts_of_swin():
    blocks = [block.data for block in annotated(swin())[BLOCKS]]
    assert [block["stage"].value.data for block in blocks] == [0, 0, 1]
    sides = [[pair.get_values() for key in ("windows", "shifts") for pair in block[key]] for block in blocks[:2]]
    assert sides == [[(7, 7), (0, 0)], [(7, 7), (3, 3)]]
    assert "windows" not in blocks[2]


def test_twins():
    layers, heads = (2, 2, 4, 2), (2, 4, 4, 8)
    model = twins_small.build(dims=(8, 16, 24, 32), layers=layers, heads=heads, classes=4)
    *stages, local, last = of_family("Twins-S", 224, channels=(8, 16, 24, 32), heads=heads, blocks=layers)
    assert replace(local, name="", merges=False) == replace(last, name="")
    assert found(model) == [*stages, replace(local, name="4", blocks=2)]


def test_cswin():
    layers, heads = (1, 2, 1, 1), (2, 4, 8, 8)
    model = cswin_tiny.build(dim=8, layers=layers, heads=heads, classes=4)
    assert found(model) == of_family("CSWin-T", 224, channels=(8, 16, 32, 64), heads=heads, blocks=layers)


@pytest.mark.nightly
def test_focal():
    """Pooled keys are a coarse region of 7 x 7 and 5 x 5 windows; the last stage has one window."""
    model = focal_tiny.build(image=56, dim=8, layers=(2, 1), heads=(2, 4), focus=(7, 5), classes=4)
    assert found(model) == of_family("Focal-T", 56, **SWIN)


def test_bert():
    model = _bert.network("a.bert", "", 0, tokens=12, dim=16, heads=2, hidden=64, layers=2, vocabulary=20, positions=12)
    (stage,) = of_family("ViT-B", 1, channels=(16,), heads=(2,), blocks=(2,), patch=1)
    assert found(model) == [replace(stage, queries=12, keys=12, own_keys=12)]


def test_step_of_a_llama_with_a_cache():
    (stage,) = found(llama.build())
    assert stage == BlockStage("1", 64, 8, 5, 1, 1, 9, 1, expansion=5)


def test_page_leads_to_a_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The commands of docs/pim.md give the schedule that its file of layers has."""
    section = PAGE.split("## From network to schedule")[1]
    commands, plan = (re.findall(rf"```{kind}\n(.*?)```", section, re.S)[0] for kind in ("sh", "toml"))
    monkeypatch.chdir(tmp_path)
    zoo_line, *lines, _ = (shlex.split(line) for line in commands.splitlines())
    save(zoo.build(zoo_line[-2]), Path(zoo_line[-1]))
    for words in lines:
        assert opt_tool.main(words[1:]) == 0
    (tmp_path / "plan.toml").write_text(plan)
    words = [lines[-1][1], "-p", "find-branches,schedule-branches{plan=plan.toml}", *lines[-1][2:4], "-o", "given.mlir"]
    assert opt_tool.main(words) == 0
    found, given = (
        re.findall(r"pim\.cycles = (\S+)", Path(file).read_text()) for file in ("scheduled.mlir", "given.mlir")
    )
    assert found == given != []
