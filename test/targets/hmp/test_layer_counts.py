"""Layers of networks, which follow from their graphs, beside those that ARM-CO-UP lists by names (table 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.targets.hmp.passes.find_layers import layer_of

COUNTS = {"mobilenet-v1-025": 14, "squeezenet": 10, "googlenet": 11, "resnet50": 18, "alexnet": 8}
"""Network of the zoo -> layers; MobileNet's are the same at all widths."""


_LARGE = pytest.mark.nightly
_NAMES = ["mobilenet-v1-025", *(pytest.param(name, marks=_LARGE) for name in list(COUNTS)[1:])]


@pytest.mark.parametrize("name", _NAMES)
def test_layers_are_those_of_the_paper(name: str, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(zoo.build(name).SerializeToString())
    module = compile_model(Model(file), "hmp", stop_after="find-layers").module
    assert len({number for op in module.walk() if (number := layer_of(op)) is not None}) == COUNTS[name]
