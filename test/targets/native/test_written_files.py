"""A network for `native` has the header of its tiles beside it, and no folder `runtime`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.test.small_models import save, small

HEADER = "tilewright_vector.h"


@pytest.mark.parametrize(("target", "has_tiles"), [("native", True), ("host", False)])
def test_headers_of_tiles_lie_beside_the_network(target: str, has_tiles: bool, tmp_path: Path):
    save(small(), tmp_path / "net.onnx")
    written = write_compilation(compile_model(Model(tmp_path / "net.onnx"), target), tmp_path / "build")
    assert {"network.c", "tilewright.h"} <= {path.name for path in written}
    assert (tmp_path / "build" / HEADER).is_file() == has_tiles
    assert not (tmp_path / "build/runtime").exists()
