"""Networks over the nodes of a mesh: proved, and equal to the host at each level and in C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import IntAttr

from tilewright import api
from tilewright.compiler import Model, compile_model
from tilewright.dialects.hier import AllGatherOp, ConcurrentOp, DmaWaitOp
from tilewright.errors import Diagnostic
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.frontend.zoo import build
from tilewright.ir import Array
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.quantize import quantize_file
from tilewright.test.small_models import model, node, save
from tilewright.test.targets.pim.networks import Block

BLOCKS = {
    "divides": Block(0, tokens=16, heads=4, width=8),
    "odd tokens": Block(1, tokens=9, heads=2, width=6),
    "odd heads": Block(2, tokens=8, heads=3, width=4),
    "windows": Block(3, tokens=4, heads=2, width=8, count=8),
}
FILES = {name: block.model().SerializeToString() for name, block in BLOCKS.items()}


def case(name: str, folder: Path) -> tuple[Path, dict[str, Array], Array]:
    """Return the file of a block, an input, and the host's output."""
    file = folder / "block.onnx"
    file.write_bytes(FILES[name])
    inputs = {"x": np.random.default_rng(7).standard_normal(BLOCKS[name].shape).astype(np.float32)}
    return file, inputs, api.load(file, "host").run(inputs)["y"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "count"), [*((name, [2, 2]) for name in BLOCKS), ("windows", [1, 4])])
def test_blocks_are_equal_at_each_level(name: str, count: list[int], tmp_path: Path) -> None:
    file, inputs, expected = case(name, tmp_path)
    machine = tmp_path / "mesh.toml"
    machine.write_text(f'include = "pim/2x2"\n[levels.NODE]\ncount = {count}\n[engines.array]\ncount = {count}\n')
    for level in ("sharded", "kernels"):
        found = run_module(compile_model(Model(file), str(machine), stop_after=level).module, inputs)["y"]
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=level)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_equal_in_c(name: str, tmp_path: Path) -> None:
    file, inputs, expected = case(name, tmp_path)
    found = api.load(file, "pim/2x2", on="sanitizers").run(inputs)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.nightly
def test_integers_are_exact(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(build("ds-cnn-qlinear").SerializeToString())
    inputs = {"input": np.random.default_rng(1).integers(0, 256, (1, 1, 49, 10)).astype(np.uint8)}
    expected, found = (api.load(file, target).run(inputs) for target in ("host", "pim/2x2"))
    assert all(np.array_equal(found[name], values) for name, values in expected.items())


@pytest.mark.nightly
def test_a_quantised_block_is_exact(tmp_path: Path) -> None:
    """Integer softmax, normalisation and products: bit for bit the host's, in two calls of one process."""
    file, _, _ = case("divides", tmp_path)
    draw = np.random.default_rng(5).standard_normal((4, *BLOCKS["divides"].shape[1:])).astype(np.float32)
    result, _ = quantize_file(Model(file), {"x": draw}, QuantizeOptions(nonlinear="integer"))
    file.write_bytes(result.model.SerializeToString())
    host, mesh = (api.load(file, target, integers=True) for target in ("host", "pim/2x2"))
    for call in (draw[:1], draw[1:2]):
        expected = host.run({"x": call})["y"]
        assert len(np.unique(expected)) > 50
        np.testing.assert_array_equal(mesh.run({"x": call})["y"], expected)


def test_keys_and_values_go_round_the_ring_of_patches(tmp_path: Path) -> None:
    """Heads and features are split along one coordinate, whose rings bring inputs of products and norms."""
    file, _, _ = case("divides", tmp_path)
    module = compile_model(Model(file), "pim/2x2", stop_after="sharded").module
    rings = [op.along.data for op in module.walk() if isinstance(op, AllGatherOp)]
    assert sorted(map(rings.count, (0, 1))) == [2, 3]
    names = [op.programs[0].title.data for op in module.walk() if isinstance(op, ConcurrentOp)]
    assert names.count("gather") == 1, "the output alone"


def test_a_ring_along_the_other_coordinate_has_another_result(tmp_path: Path) -> None:
    file, inputs, expected = case("divides", tmp_path)
    module = compile_model(Model(file), "pim/4x4", stop_after="sharded").module
    for op in module.walk():
        if isinstance(op, AllGatherOp):
            op.properties["along"] = IntAttr(1 - op.along.data)
    assert not np.allclose(run_module(module, inputs)["y"], expected, rtol=1e-2, atol=1e-2)


def test_a_transfer_that_nobody_waits_for_is_refused(tmp_path: Path) -> None:
    file, _, _ = case("windows", tmp_path)
    module = compile_model(Model(file), "pim/2x2", stop_after="nodes").module
    verify_memory(module, plain=False)
    waits = [op for op in module.walk() if isinstance(op, DmaWaitOp)]
    waits[len(waits) // 2].detach()
    with pytest.raises(Diagnostic):
        verify_memory(module, plain=False)


def test_weights_beyond_a_node_are_refused_by_how_much(tmp_path: Path) -> None:
    file, _, _ = case("divides", tmp_path)
    machine = tmp_path / "small.toml"
    machine.write_text('include = "pim/2x2"\n[levels.NODE]\nsize = "8KiB"\n')
    with pytest.raises(Diagnostic, match="larger than instance") as error:
        compile_model(Model(file), str(machine))
    assert "bytes in a level of 8192" in str(error.value.found)


@pytest.mark.parametrize(
    ("rows", "depth", "columns"), [(3, 0, 5), (3, 4, 0), (0, 4, 5)], ids=["no sums", "no columns", "no rows"]
)
def test_empty_products(rows: int, depth: int, columns: int, tmp_path: Path) -> None:
    shapes = {"x": [rows, depth], "w": [depth, columns]}
    product = node("MatMul", ["x", "w"], ["y"])
    save(model([product], inputs=shapes, outputs={"y": [rows, columns]}), tmp_path / "network.onnx")
    inputs = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
    found = api.load(tmp_path / "network.onnx", "pim/4x4").run(inputs)["y"]
    np.testing.assert_array_equal(found, np.zeros((rows, columns)))
