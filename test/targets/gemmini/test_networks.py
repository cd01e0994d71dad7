"""Networks by instructions of Gemmini: equal to the host bit for bit, interpreted and in C."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.dialects.scf import ForOp

from tilewright.compiler import Model, compile_model
from tilewright.dialects.hier import FirstOp
from tilewright.dialects.nn import ConvOp, ReduceOp
from tilewright.dialects.quant import EntryOp, RescaleOp
from tilewright.errors import Diagnostic
from tilewright.ir import shape_of
from tilewright.passes.verify_memory import verify_memory
from tilewright.test.random.networks.symmetric import (
    Network,
    SymmetricBuilder,
    block_scales,
    deep_conv,
    first_layer,
    lone_pool,
    random_batches,
    random_conv,
    random_groups,
    random_matmul,
    random_mean,
    random_pool,
    random_unsigned,
    residual,
)
from tilewright.test.targets.gemmini.networks import assert_equal


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("network", [random_conv, random_matmul])
def test_random_products(network: Network, seed: int, tmp_path: Path) -> None:
    assert_equal(network(seed), seed, tmp_path, ["sanitizers"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("network", [random_conv, random_matmul])
def test_partial_blocks_at_their_modelled_times(network: Network, seed: int, tmp_path: Path) -> None:
    assert_equal(network(seed), seed, tmp_path, ["simulator"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(4))
def test_stores_scale_each_block_of_channels(seed: int, tmp_path: Path) -> None:
    module = assert_equal(block_scales(seed), seed, tmp_path, ["sanitizers", "simulator"])
    parents = [op.parent_op() for op in module.walk() if isinstance(op, EntryOp)]
    assert parents
    for parent in parents:
        assert isinstance(parent, ForOp | FuncOp)
        assert sum(op.name == "gemmini.config_lines" for op in parent.walk()) == 1
    assert_equal(block_scales(seed), seed, tmp_path, ["sanitizers"], target="gemmini/32x32")


@pytest.mark.sample(1)
@pytest.mark.parametrize(("seed", "block"), list(product(range(4), (1, 3, 8))))
def test_stores_with_scales_of_channels_overwrite_those_before(seed: int, block: int, tmp_path: Path) -> None:
    module = assert_equal(block_scales(seed, block=block), seed, tmp_path, ["sanitizers", "simulator"])
    assert not any(isinstance(op, RescaleOp) for op in module.walk())
    assert any(isinstance(op, EntryOp) for op in module.walk())
    verify_memory(module, plain=False, tiles=False)


def test_the_core_scales_channels_of_few_pixels(tmp_path: Path) -> None:
    network = block_scales(0, block=1, taps=1, size=(1, 2))
    module = assert_equal(network, 0, tmp_path, ["sanitizers"], phase="planned")
    (rescale,) = (op for op in module.walk() if isinstance(op, RescaleOp))
    assert isinstance(core := rescale.parent_op(), GenericOp)
    assert core.attributes["engine"] == StringAttr("core")


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_residuals(seed: int, tmp_path: Path) -> None:
    text = str(assert_equal(residual(seed), seed, tmp_path, ["sanitizers"]))
    assert "gemmini.mvin" in text
    assert ("gemmini.mvin_bytes_add" in text) == (seed % 2 == 1)


@pytest.mark.nightly
def test_tiles_of_a_padded_image_differ_in_what_loads_fill(tmp_path: Path) -> None:
    builder = SymmetricBuilder(1, [1, 16, 64, 64])
    network = builder.network(builder.conv("x", 16, 16, 3, pads=[1] * 4))
    assert_equal(network, 1, tmp_path, ["interpreter"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_means_over_axes(seed: int, tmp_path: Path) -> None:
    module = assert_equal(random_mean(seed), seed, tmp_path, ["sanitizers"], phase="planned")
    assert [str(op.attributes["engine"]) for op in module.walk() if isinstance(op, ReduceOp)] == ['"loader"']


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_programs_without_a_scratchpad(seed: int, tmp_path: Path) -> None:
    assert "gemmini.mvout_pool" in str(assert_equal(lone_pool(seed), seed, tmp_path, ["sanitizers"]))


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_parts_of_reductions_start_from_zeros(seed: int, tmp_path: Path) -> None:
    module = assert_equal(deep_conv(seed), seed, tmp_path, ["sanitizers"], phase="planned", target="gemmini/chip")
    (fill,) = (
        op for op in module.walk() if op.name == "linalg.fill" and op.attributes.get("engine") == StringAttr("array")
    )
    assert isinstance(fill.parent_op(), FirstOp)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("network", "seed"), [*product([random_groups], (0, 1, 2, 9, 89)), *product([random_batches], (0, 1, 7))]
)
def test_groups_and_batches_are_products_of_the_array(network: Network, seed: int, tmp_path: Path) -> None:
    module = assert_equal(network(seed), seed, tmp_path, ["sanitizers"])
    assert "gemmini.compute_preloaded" in str(module)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
def test_products_of_unsigned_bytes_are_on_the_array(seed: int, tmp_path: Path) -> None:
    module = assert_equal(random_unsigned(seed), seed, tmp_path, ["sanitizers"], phase="planned")
    engines = [str(op.attributes.get("engine")) for op in module.walk() if op.name == "nn.conv"]
    assert len(engines) >= 2
    assert set(engines) == {'"array"'}


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 7])
def test_rows_of_windows_of_few_channels_become_channels(seed: int, tmp_path: Path) -> None:
    module = assert_equal(first_layer(seed), seed, tmp_path, ["sanitizers"], phase="planned")
    assert any(isinstance(op, ConvOp) and shape_of(op.inputs[1])[-2] == 1 for op in module.walk())


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(3))
def test_maxima_of_windows(seed: int, tmp_path: Path) -> None:
    assert "gemmini.mvout_pool" in str(assert_equal(random_pool(seed), seed, tmp_path, ["sanitizers"]))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("network", "seed"),
    [
        *product([random_conv, random_matmul], range(20, 24)),
        (random_pool, 102),
        (residual, 5),
        (random_groups, 2),
        (random_batches, 1),
    ],
)
def test_programs_of_instructions_are_proved(network: Network, seed: int, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(network(seed)[0].SerializeToString())
    module = compile_model(Model(file), "gemmini", stop_after="array").module
    verify_memory(module, plain=False, tiles=False)
    *_, fence = (op for op in module.walk() if op.name == "gemmini.fence")
    fence.detach()
    with pytest.raises(Diagnostic, match=r"rule '(fence|hazard|race)'|never awaited|without a fence"):
        verify_memory(module, plain=False, tiles=False)


@pytest.mark.nightly
@pytest.mark.parametrize("network", [random_conv, random_matmul, residual, random_pool])
def test_instructions_are_interpreted(network: Network, tmp_path: Path) -> None:
    assert_equal(network(3), 3, tmp_path, ["interpreter", "host"])


def test_reasons_are_of_whole_kernels(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(residual(4)[0].SerializeToString())
    texts = {step: str(compile_model(Model(file), "gemmini", stop_after=step).module) for step in _STEPS}
    assert ["refusals = " in texts[step] for step in _STEPS] == [True, False]


_STEPS = ("map-engines", "plan-memory")
