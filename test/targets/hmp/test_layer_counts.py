"""Layers of networks, which follow from their graphs, beside those that ARM-CO-UP lists by names (table 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.targets.hmp.passes.find_layers import layer_of
from tilewright.test.targets.hmp.published import TABLES

COUNTS = {row["network"]: len(row["order"]) for row in TABLES["switch"]}
"""Network of table 8 -> layers, as many as its order has letters."""
SMALL = "mobilenet-v1"
_ZOO = {SMALL: "mobilenet-v1-025"}
"""Network of table 8 -> its name in the zoo, where that is another; MobileNet's layers are the same at all widths."""

_LARGE = pytest.mark.nightly
_NAMES = [pytest.param(name, marks=[_LARGE] if name != SMALL else []) for name in COUNTS]


@pytest.mark.parametrize("name", _NAMES)
def test_layers_are_those_of_the_paper(name: str, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(zoo.build(_ZOO.get(name, name)).SerializeToString())
    module = compile_model(Model(file), "hmp", stop_after="find-layers").module
    assert len({number for op in module.walk() if (number := layer_of(op)) is not None}) == COUNTS[name]
