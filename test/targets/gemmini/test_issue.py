"""Instructions in the order of issue: the transfers of a tile between the products of another one."""

from __future__ import annotations

from collections import Counter
from math import prod
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.benchmarks.gemmini.library import Conv, Gemm, Layer
from tilewright.benchmarks.gemmini.plans import network_of
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.hier import GridOp
from tilewright.runtime.simulator import simulate

LAYERS = {
    "sums are filled": Conv(16, 96, 64, 3, batch=2, bias=False),
    "few loads in a long loop": Conv(28, 512, 256),
    "a halo around the image": Conv(14, 128, 64, 3, 1, 1),
    "a tile of the whole image": Conv(7, 64, 32, 3, 1, 1),
    "tiles that are clipped": Conv(30, 21, 64, 3, 2, 1),
    "loads end at the edge": Gemm(20, 200, 96),
    "a load of a part of a block": Gemm(20, 104, 96),
    "long and thin": Gemm(1568, 128, 64, bias=False),
}


def compiled(layer: Layer, folder: Path, stop: str) -> ModuleOp:
    """Compile a layer as a network of its own, up to a pass or phase."""
    file = folder / "layer.onnx"
    file.write_bytes(network_of(layer).SerializeToString())
    return compile_model(Model(file), "gemmini", stop_after=stop).module


@pytest.mark.nightly
@pytest.mark.parametrize("name", LAYERS)
def test_each_instruction_is_issued_once(name: str, tmp_path: Path) -> None:
    found = [
        Counter((event.resource, event.name) for event in simulate(compiled(LAYERS[name], tmp_path, stop)).events)
        for stop in ("deduplicate-configuration", "interleave-transfers")
    ]
    before, after = ({key: count for key, count in each.items() if key[0] != "core"} for each in found)
    assert before == after


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("sums are filled", 1.05),
        ("few loads in a long loop", 1.05),
        ("a halo around the image", 1.04),
        ("long and thin", 1.04),
    ],
)
def test_instructions_take_little_longer_than_kernels(name: str, most: float, tmp_path: Path) -> None:
    kernels, instructions = (simulate(compiled(LAYERS[name], tmp_path, stop)).cycles for stop in ("kernels", "array"))
    assert instructions <= most * kernels


@pytest.mark.nightly
@pytest.mark.parametrize("layer", [Conv(56, 256, 64), Gemm(784, 512, 128, bias=False)], ids=["few loads", "more loads"])
def test_reads_rarely_wait_for_loads_into_their_banks(layer: Layer, tmp_path: Path) -> None:
    found = simulate(compiled(layer, tmp_path, "array"))
    assert sum(each.conflicts for each in found.layers) < 0.01 * found.cycles


def test_tiles_are_loaded_into_other_banks_than_those_read(tmp_path: Path) -> None:
    # Half of the weights, twice, would leave one bank of four to both buffers of the image.
    module = compiled(Conv(30, 128, 128, 3, batch=2, bias=False), tmp_path, "plan-memory")
    (grid,) = (op for op in module.walk() if isinstance(op, GridOp))
    image, level = grid.tiles.data[0], machine_of(module).level("SPAD")
    address, size = image.byte_address, prod(image.extents)
    assert address is not None
    assert image.stage_count == 2
    assert level.shares(address, size).keys().isdisjoint(level.shares(address + size, size))
