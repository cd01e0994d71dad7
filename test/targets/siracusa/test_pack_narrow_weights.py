"""Networks with weights of 4 and 2 bits on Siracusa's cores, in memories that have no room for them as bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tilewright.cli import main
from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.dialects.core.kernel import kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.nn.unpack import packed_shape
from tilewright.ir import Array
from tilewright.opt_tool import main as opt_tool
from tilewright.targets.siracusa.bare import SIRACUSA, build_bare
from tilewright.targets.siracusa.cost.loops import START
from tilewright.targets.siracusa.cost.unpacking import packed_numbers, unpacking_cycles
from tilewright.targets.siracusa.passes.pack_narrow_weights import narrowest
from tilewright.test.targets.siracusa.cluster_model import Siracusa
from tilewright.test.targets.siracusa.narrow_networks import narrow_network, write_case

CHANNELS, SIDE, FEATURES, CLASSES = 13, 6, 24, 8
MACHINE = 'include = "siracusa/cluster"\ndescription = "small"\n[levels.L2]\nsize = {far}\n[levels.L1]\nsize = {near}\n'
NEAR, LITTLE = 16 * 1024, 5 * 1024


def model(random: np.random.Generator, low: int, high: int) -> onnx.ModelProto:
    """Return a convolution and a matrix product, whose weights are from `low` to below `high`."""
    constants: list[onnx.TensorProto] = []

    def constant(name: str, array: Array) -> str:
        constants.append(numpy_helper.from_array(array, name))
        return name

    scales = [constant(f"scale{i}", np.array(each, np.float32)) for i, each in enumerate((0.02, 0.1, 0.1, 0.8))]
    none, signed = constant("none", np.array(0, np.uint8)), constant("signed", np.array(0, np.int8))
    middle = constant("middle", np.array(128, np.uint8))
    conv = constant("conv", random.integers(low, high, (FEATURES, CHANNELS, 3, 3)).astype(np.int8))
    dense = constant("dense", random.integers(low, high, (FEATURES * SIDE**2, CLASSES)).astype(np.int8))
    rows = constant("rows", np.array([1, -1], np.int64))
    first = ["x", scales[0], none, conv, scales[1], signed, scales[2], none]
    nodes = [
        helper.make_node("QLinearConv", first, ["h"], pads=[1, 1, 1, 1]),
        helper.make_node("Reshape", ["h", rows], ["flat"]),
        helper.make_node(
            "QLinearMatMul", ["flat", scales[2], none, dense, scales[1], signed, scales[3], middle], ["y"]
        ),
    ]
    return narrow_network(nodes, constants, (1, CHANNELS, SIDE, SIDE), CLASSES)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks of 4 and of 2 bits, with what ONNX Runtime says comes of them."""
    folder, random = tmp_path_factory.mktemp("narrow"), np.random.default_rng(5)
    for name, low, high in (("four", -8, 8), ("two", -1, 2)):
        network = model(random, low, high)
        x = random.integers(0, 256, (1, CHANNELS, SIDE, SIDE), np.uint8)
        assert len(np.unique(write_case(folder / name, network, x))) > 2
    return folder


def machine(folder: Path, far: int, near: int) -> str:
    file = folder / "little.toml"
    file.write_text(MACHINE.format(far=far, near=near))
    return str(file)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("near", "networks", "count"), [(NEAR, ".", 2), (LITTLE, "four", 1)], ids=["whole in L1", "tile by tile"]
)
def test_networks_that_only_fit_packed(
    near: int, networks: str, count: int, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """9,720 bytes of weights take 5,184 with 4 bits and 2,592 with 2, in an L2 of 8 KiB."""
    words = ["check", str(corpus / networks), "--target", machine(tmp_path, 8 * 1024, near)]
    assert main([*words, "--on", "interpreter", "--on", "host"]) == 0
    assert f"{count} passed, 0 failed" in capsys.readouterr().out


@pytest.mark.parametrize("packed", [True, False])
def test_without_the_pass_they_do_not(
    packed: bool, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    phases = Path(__file__).parents[3] / "targets" / "siracusa" / "pipeline.txt"
    lines = [line.partition(":")[2].strip() for line in phases.read_text().splitlines() if not line.startswith("#")]
    passes = ",".join(lines[: next(i for i, line in enumerate(lines) if "verify-levels" in line)])
    passes = passes.replace("target=siracusa", f"target={machine(tmp_path, 9 * 1024, NEAR)}")
    assert "pack-narrow-weights" in passes
    passes = passes if packed else passes.replace("pack-narrow-weights, ", "")
    network = str(corpus / "four" / "network.onnx")
    words = [network, "-p", f"{passes},verify-levels", "-o", str(tmp_path / "out.mlir")]
    assert (opt_tool(words) == 0) is packed
    assert ("does not fit L2" in capsys.readouterr().err) is not packed


@pytest.mark.quick
@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([-2, 1], (2, False)),
        ([0, 3], (2, True)),
        ([-3, 0], (4, False)),
        ([-8, 7], (4, False)),
        ([0, 15], (4, True)),
        ([-1, 8], None),
        ([0, 16], None),
    ],
)
def test_fewest_bits(values: list[int], form: tuple[int, bool] | None) -> None:
    assert narrowest(np.array(values, np.int8)) == form


@pytest.mark.quick
@pytest.mark.parametrize(
    ("bits", "length", "xpulp", "row"),
    [
        (4, 64, False, 8 * 17 + 13),
        (2, 64, False, 4 * 29 + 13),
        (4, 13, False, 17 + 13 + 25),
        (4, 64, True, 8 * 7 + 10),
        (2, 64, True, 4 * 13 + 10),
    ],
)
def test_price(bits: int, length: int, xpulp: bool, row: int) -> None:
    """32 rows on one core and on eight, as the laws say: a rest of 5 numbers is a word, a turn and a byte."""
    packed, out = f"memref<32x{packed_shape((length,), bits)[0]}xi8>", f"memref<32x{length}xi8>"
    text = f"nn.unpack ins(%x : {packed}) outs(%o : {out}) {{bits = {bits} : i64}}"
    module = parse_module(new_context(), f"func.func @f(%x: {packed}, %o: {out}) {{\n{text}\nfunc.return\n}}")
    kernel = next(kernel_of(op) for op in module.walk() if op.name == "nn.unpack")
    numbers = packed_numbers(kernel)
    assert numbers is not None
    assert numbers == 32 // bits
    for cores in (1, 8):
        cycles = unpacking_cycles(kernel, kernel.bounds, cores, numbers=numbers, contention=0, xpulp=xpulp)
        assert cycles == START + 32 // cores * row


def test_a_network_on_a_model_of_the_chip(corpus: Path, tmp_path: Path) -> None:
    """With Xpulp's instructions: weights that are unpacked, and a product that reads packed ones."""
    folder, target = corpus / "two", machine(tmp_path, 6 * 1024, NEAR)
    write_compilation(compile_model(Model(folder / "network.onnx"), target), tmp_path / "out")
    text = (tmp_path / "out" / "network.c").read_text()
    assert "tw_unpack_row(" in text
    assert "tw_dot_packed(" in text
    (x,), (y,) = ([*np.load(folder / f"{file}.npz").values()] for file in ("inputs", "outputs"))
    elf = build_bare(tmp_path / "out", tmp_path / "a.elf", SIRACUSA, inputs=[x], expected=[y])
    chip = Siracusa(1)
    chip.run(elf)
    assert chip.exit_code == 0
