"""Design space of PIM: schedules as a model of visual Transformers, on the mesh that the module's machine describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tilewright import cli
from tilewright.dialects.core.machine.file import find_machine
from tilewright.errors import Diagnostic
from tilewright.targets.pim.schedule.machine import mesh_of
from tilewright.targets.pim.schedule.records import read_profile
from tilewright.test.targets.pim.networks import Block


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("pim", ((16, 16), 8 << 20, 8, 400, 8)),
        ("pim/2x2", ((2, 2), 8 << 20, 8, 400, 8)),
        ("pim/hbm", ((8, 8), 32 << 20, 16, 300, 8)),
        ("pim/sram", ((16, 16), 512 << 10, 8, 1000, 8)),
    ],
)
def test_mesh_of_a_machine(target: str, expected: tuple[Any, ...]):
    """That of `pim` is the default profile's; what the machine does not say is the profile's."""
    default = read_profile("default")
    mesh = mesh_of(find_machine(target), default)
    assert (mesh.array, mesh.node_bytes, mesh.link_bytes, mesh.mhz, mesh.lanes) == expected
    assert (mesh == default) == (target == "pim")
    assert mesh_of(find_machine(target), read_profile("tableV")).sharing == 0


@pytest.mark.parametrize(("target", "message"), [("host", "has no mesh of nodes"), ("pim/upmem", "no square array")])
def test_machines_without_a_mesh(target: str, message: str):
    with pytest.raises(Diagnostic, match=message):
        mesh_of(find_machine(target), read_profile("default"))


def test_schedules_by_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """More nodes, larger arrays, wider links and batches are faster; a node without room is a failed point."""
    network = tmp_path / "block.onnx"
    network.write_bytes(Block(1, tokens=16, heads=4, width=16, count=4).model().SerializeToString())

    def cycles(**axes: str) -> list[float | None]:
        [(name, values)] = axes.items()
        vary, file = f"{name.replace('_', '-')}={values}", tmp_path / f"{name}.jsonl"
        words = ["explore", network, "--target", "pim", "--by", "schedule", "--jobs", "1", "-o", file, "--vary", vary]
        assert cli.main(list(map(str, words))) == 0
        found = [json.loads(line) for line in file.read_text().splitlines()]
        return [each["metrics"]["cycles"] if "metrics" in each else None for each in found]

    small, large = cycles(nodes="2x2,4x4")
    assert small is not None
    assert large is not None
    assert small > large
    narrow, wide, single, four = *cycles(link_bytes="1,8"), *cycles(batch="1,4")
    assert narrow is not None
    assert wide is not None
    assert narrow > wide
    assert single is not None
    assert four is not None
    assert single > four
    eight, sixteen, oblong = cycles(array="8x8,16x16,8x16")
    assert eight is not None
    assert sixteen is not None
    assert (eight > sixteen, oblong) == (True, None)
    assert "no square array" in (tmp_path / "array.jsonl").read_text()
    assert cycles(node_bytes="1KiB,8MiB")[0] is None
    assert "points: 2, failed: 1" in capsys.readouterr().out
