"""Every target's networks run at the defaults of every place that runs any target's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright
from tilewright.dialects.core.machine.targets import machines
from tilewright.test.small_models import save, small

PLACES = "interpreter", "simulator", "host"
X = np.random.default_rng(0).integers(0, 256, (1, 2, 6, 6), np.uint8)


FULL_MESH = pytest.param("pim", marks=pytest.mark.nightly)
TARGETS = [FULL_MESH if name == "pim" else name for name in sorted(machines())]


@pytest.mark.parametrize("target", [*TARGETS, "pim/2x2"])
def test_a_network_runs_on_each_place(target: str, tmp_path: Path):
    save(small(), tmp_path / "net.onnx")
    outputs = {on: tilewright.load(tmp_path / "net.onnx", target, on=on).run({"x": X})["y"] for on in PLACES}
    assert outputs["interpreter"].any()
    for on, output in outputs.items():
        assert np.array_equal(output, outputs["interpreter"]), on
