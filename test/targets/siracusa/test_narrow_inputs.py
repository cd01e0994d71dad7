"""Networks whose activations have 4 or 2 bits, on cores that multiply such numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tilewright.cli import main
from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.ir import Array
from tilewright.targets.siracusa.bare import SIRACUSA, build_bare
from tilewright.test.targets.siracusa.cluster_model import Siracusa
from tilewright.test.targets.siracusa.narrow_networks import narrow_network, write_case

CHANNELS, SIDE, FEATURES, CLASSES = 13, 7, 16, 10
MACHINE = """include = "siracusa/xpulpnn"
description = "cores that multiply narrow numbers"
[levels]
WMEM = false
[engines]
npu = false
"""


def model(random: np.random.Generator, bits: int) -> onnx.ModelProto:
    """Return convolutions of 1 x 1 and of 3 x 3 taps and a product; what they read but the first is clipped."""
    constants: list[onnx.TensorProto] = []

    def constant(name: str, array: Array) -> str:
        constants.append(numpy_helper.from_array(array, name))
        return name

    def weights(name: str, *shape: int) -> str:
        half = 1 << (bits - 1)
        numbers = random.integers(1 - half, half, shape).astype(np.int8)
        numbers.flat[:2] = -half
        return constant(name, numbers)

    one, wide = constant("one", np.array(1, np.float32)), constant("wide", np.array({2: 3, 4: 16}[bits], np.float32))
    none, signed = constant("none", np.array(0, np.uint8)), constant("signed", np.array(0, np.int8))
    middle, rows = constant("middle", np.array(128, np.uint8)), constant("rows", np.array([1, -1], np.int64))
    most = constant("most", np.array((1 << bits) - 1, np.uint8))
    first, second = weights("first", FEATURES, CHANNELS, 1, 1), weights("second", FEATURES, FEATURES, 3, 3)
    dense = weights("dense", FEATURES * 16, CLASSES)
    nodes = [
        helper.make_node("Clip", ["x", none, most], ["x4"]),
        helper.make_node("QLinearConv", ["x4", one, none, first, one, signed, wide, none], ["h"]),
        helper.make_node("Clip", ["h", none, most], ["h4"]),
        helper.make_node(
            "QLinearConv", ["h4", one, none, second, one, signed, wide, none], ["i"], pads=[1] * 4, strides=[2, 2]
        ),
        helper.make_node("Clip", ["i", none, most], ["i4"]),
        helper.make_node("Reshape", ["i4", rows], ["flat"]),
        helper.make_node("QLinearMatMul", ["flat", one, none, dense, one, signed, wide, middle], ["y"]),
    ]
    return narrow_network(nodes, constants, (1, CHANNELS, SIDE, SIDE), CLASSES)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks of 4 and of 2 bits, with what ONNX Runtime says comes of them."""
    folder, random = tmp_path_factory.mktemp("inputs"), np.random.default_rng(6)
    for bits in (4, 2):
        network = model(random, bits)
        x = random.integers(0, 256, (1, CHANNELS, SIDE, SIDE), np.uint8)
        assert len(np.unique(write_case(folder / str(bits), network, x))) > 4
    (folder / "narrow.toml").write_text(MACHINE)
    return folder


@pytest.mark.nightly
def test_networks(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", str(corpus), "--target", str(corpus / "narrow.toml"), "--on", "interpreter", "--on", "host"]
    assert main(words) == 0
    assert "2 passed, 0 failed" in capsys.readouterr().out


@pytest.mark.sample(1)
@pytest.mark.parametrize("bits", [4, 2])
def test_programs_on_a_model_of_the_chip(bits: int, corpus: Path, tmp_path: Path) -> None:
    folder = corpus / str(bits)
    write_compilation(compile_model(Model(folder / "network.onnx"), str(corpus / "narrow.toml")), tmp_path / "out")
    text = (tmp_path / "out" / "network.c").read_text()
    assert "tw_pack_window(" in text
    assert "tw_dot_narrow(" in text
    (x,), (y,) = ([*np.load(folder / f"{file}.npz").values()] for file in ("inputs", "outputs"))
    elf = build_bare(tmp_path / "out", tmp_path / "a.elf", SIRACUSA, inputs=[x], expected=[y])
    chip = Siracusa(1)
    chip.run(elf)
    assert chip.exit_code == 0
