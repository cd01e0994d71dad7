"""Folders that `tilewright new-target` writes: an accelerator needs no line outside of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import tilewright
from tilewright.dialects import all_dialects
from tilewright.dialects.core.instruction.op import InstructionOp
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.discovery import scope
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.targets.new_target import write_target
from tilewright.test.oracles.memory_properties import violations
from tilewright.test.phases import each_phase

SMALL = 'include = "machine.toml"\n[levels.SPAD]\nrows = 128\n[levels.ACC]\nrows = 24\n'
"""The machine with 2 KiB of scratchpad and 384 sums."""


STRICT = """
[tool.pyright]
typeCheckingMode = "strict"
extraPaths = ["LINKS"]
"""

SUFFIXES = (".py", ".toml", ".txt", ".h")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of an accelerator, `array16`, whose variant `small` has little memory."""
    with scope():
        write_target("array16", "accelerator", tmp_path_factory.mktemp("outside"), all_dialects())
        made = tmp_path_factory.getbasetemp() / "outside0" / "array16"
        (made / "small.toml").write_text(SMALL, encoding="utf-8")
        yield made


@dataclass(frozen=True)
class Product:
    """Products of matrices of bytes, `batch` of them."""

    batch: int
    m: int
    n: int
    k: int
    transposed: tuple[bool, bool]
    unsigned: tuple[bool, bool]

    @property
    def text(self) -> str:
        a = (self.k, self.m) if self.transposed[0] else (self.m, self.k)
        b = (self.n, self.k) if self.transposed[1] else (self.k, self.n)
        types = [f"tensor<{self.batch}x{rows}x{columns}xi8>" for rows, columns in (a, b)]
        flags = [flag for flag, given in zip(("transpose_a", "transpose_b"), self.transposed, strict=True) if given]
        unsigned = [str(number) for number, given in enumerate(self.unsigned) if given]
        flags += [f"unsigned = array<i64: {', '.join(unsigned)}>"] if unsigned else []
        sums, result = (f"tensor<{self.batch}x{self.m}x{self.n}x{element}>" for element in ("i32", "i8"))
        maps = ", ".join(["affine_map<(d0, d1, d2) -> (d0, d1, d2)>"] * 2)
        return f"""func.func @network(%x: {types[0]}, %w: {types[1]}) -> {result} {{
          %init = tensor.empty() : {sums}
          %sums = nn.matmul ins(%x, %w : {types[0]}, {types[1]}) outs(%init : {sums})
              {{{", ".join(['engine = "array"', "accumulator = i32", *flags])}}}
          %bytes = tensor.empty() : {result}
          %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel"]}}
              ins(%sums : {sums}) outs(%bytes : {result}) {{
          ^bb0(%sum: i32, %old: i8):
            %three = arith.constant 3 : i32
            %zero = arith.constant 0 : i32
            %scaled = quant.requantize %sum, %three, %zero shift 12 clip -128 to 127 in i64 : i32, i32, i32 -> i8
            linalg.yield %scaled : i8
          }} -> {result}
          func.return %y : {result}
        }}"""

    def of(self, inputs: Iterator[Array]) -> Array:
        """Return the products, scaled and clipped, as NumPy computes them."""
        given = zip(inputs, self.transposed, self.unsigned, strict=True)
        a, b = (
            (array.view(np.uint8) if unsigned else array).astype(np.int64).swapaxes(1, 2 if swapped else 1)
            for array, swapped, unsigned in given
        )
        return np.clip((a @ b * 3 + (1 << 11)) >> 12, -128, 127).astype(np.int8)


EXTENTS = st.integers(1, 40)
PAIRS = st.tuples(st.booleans(), st.booleans())
PRODUCTS = st.builds(Product, st.integers(1, 2), EXTENTS, EXTENTS, st.integers(1, 150), PAIRS, PAIRS)
PHASES = ("fused", "planned", "array", "emitc")


def named(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in module.walk() if op.name == name]


def on(network: HostNetwork, inputs: list[Array]) -> Array:
    (y,) = network.run([each.view(port.dtype) for each, port in zip(inputs, network.inputs, strict=True)])
    return y


@pytest.mark.sample(2)
@settings(max_examples=6)
@given(PRODUCTS, st.integers(0, 99))
def test_products_are_tiled_lowered_and_equal(folder: Path, product: Product, seed: int) -> None:
    module = parse_module(new_context(), product.text)
    inputs = random_inputs(module, seed)
    expected = product.of(iter(inputs.values()))
    for phase, at in each_phase(module, PHASES, str(folder / "small.toml"), verify_each=False):
        if phase == "array":
            assert named(at, "array16.matmul")
            assert not named(at, "nn.matmul")
            assert not named(at, "hier.dma_start")
            assert list(violations(at)) == []
        if phase == "emitc":
            np.testing.assert_array_equal(on(HostNetwork(render(at)), list(inputs.values())), expected)
        else:
            (y,) = run_module(at, inputs).values()
            np.testing.assert_array_equal(y, expected, err_msg=phase)


def test_large_products_are_tiles_in_both_memories_and_in_the_array(folder: Path) -> None:
    module = parse_module(new_context(), Product(1, 40, 40, 200, (False, False), (False, False)).text)
    for phase, at in each_phase(module, ("planned", "array"), str(folder / "small.toml")):
        if phase == "planned":
            (grid,) = named(at, "hier.grid")
            assert "SPAD" in str(grid)
            assert "ACC" in str(grid)
    found = [op.properties_of() for op in named(module, "array16.matmul") if isinstance(op, InstructionOp)]
    assert {"m": 16, "n": 16} in [{side: each[side] for side in "mn"} for each in found]
    lines = [line for file in folder.rglob("*") if file.suffix in SUFFIXES for line in file.read_text().splitlines()]
    assert len(lines) <= 250 + len(SMALL.splitlines())


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_written_folders_type_check_strictly(tmp_path: Path) -> None:
    for kind in ("core", "accelerator"):
        write_target(kind, kind, tmp_path, all_dialects())
    links = Path(tilewright.__file__).absolute().parent / ".links"
    (tmp_path / "pyproject.toml").write_text(STRICT.replace("LINKS", str(links)), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("0 errors"), done.stdout


def drop_fill(module: ModuleOp) -> None:
    named(module, "array16.fill")[0].detach()


def drop_move(module: ModuleOp) -> None:
    named(module, "array16.move")[0].detach()


@pytest.mark.parametrize("plant", [drop_fill, drop_move])
def test_faults_in_instructions_are_refused_as_uninitialised(plant: Callable[[ModuleOp], None], folder: Path) -> None:
    module = parse_module(new_context(), Product(1, 20, 20, 40, (False, True), (True, False)).text)
    for _ in each_phase(module, ("array",), str(folder)):
        verify_memory(module, plain=False, tiles=False)
    plant(module)
    with pytest.raises(Diagnostic, match="which nothing has written"):
        verify_memory(module, plain=False, tiles=False)
