"""Random chains of convolutions compile for Siracusa: any window, stride, dilation, group, padding and zero point."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.test.random.networks.network import merged, random_network

BATCH = 4
"""Networks that are compiled as one."""


class NothingOutside(Observer):
    """Observer that only ops of the module use its values: others are left by rewrites that were given up."""

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        inside = set(module.walk())
        blocks = [block for op in inside for region in op.regions for block in region.blocks]
        values = [result for op in inside for result in op.results] + [each for block in blocks for each in block.args]
        outside = [use.operation for value in values for use in value.uses if use.operation not in inside]
        assert not outside, f"{place.stage} leaves {outside[0].name}"


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, 25 * BATCH, BATCH))
def test_chains_of_convolutions_compile(first: int, tmp_path: Path) -> None:
    seeds = range(first, first + BATCH)
    chains = [random_network(seed, "qlinear", families=["convolution"], layers=3, exact=False) for seed in seeds]
    file = tmp_path / "network.onnx"
    file.write_bytes(merged(chains)[0].SerializeToString())
    compile_model(Model(file), "siracusa", observers=[NothingOutside()])
