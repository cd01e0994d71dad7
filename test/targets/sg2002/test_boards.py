"""Machine files of small Linux boards, and a decoder's C for their core."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.dialects.core.machine.file import find_machine

from .decoders import CONTEXT, PROMPT, program, write_decoder

CROSS, QEMU = "riscv64-linux-gnu-gcc", "qemu-riscv64"
NEEDS = "apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user"
MIB = 1 << 20
BOARDS = {
    "linux-board": (512 * MIB, 0.5),
    "linux-board/pc": (4096 * MIB, 8),
    "sg2002": (256 * MIB, 0.5),
    "sg2002/rvv": (256 * MIB, 2),
    "sg2002/xtheadvector": (256 * MIB, 2),
    "sg2002/pc": (4096 * MIB, 8),
}
"""Machine -> bytes of its memory, products of float32 in a cycle of its core."""


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_has_memory_a_core_and_a_card(name: str) -> None:
    machine = find_machine(name)
    memory, products = BOARDS[name]
    assert (machine.home.name, machine.home.size) == ("DDR", memory)
    assert [(link.far, link.near) for link in machine.links] == [("DDR", "CARD")]
    core = machine.engines[0]
    assert (core.name, dict(core.runs[0].parameters)["macs_per_cycle"]) == ("core", products)
    assert [engine.name for engine in machine.engines[1:]] == (["tpu"] if name.startswith("sg2002") else [])


def test_a_read_of_the_card_takes_a_millisecond_and_twenty_megabytes_a_second() -> None:
    machine = find_machine("sg2002")
    link = machine.links[0]
    cycles = machine.transfer_cycles(link, 8192)
    assert machine.seconds(cycles) == pytest.approx(1e-3 + 8192 / 20e6)


@pytest.mark.nightly
@pytest.mark.skipif(not (shutil.which(CROSS) and shutil.which(QEMU)), reason=NEEDS)
def test_c_for_the_core_gives_the_bits_of_this_machine(tmp_path: Path) -> None:
    model, folder = write_decoder(tmp_path / "decoder.onnx"), tmp_path / "build"
    options = ["--context", str(CONTEXT), "--page-length", "4", "--paged", "--target", "sg2002", "-o", str(folder)]
    assert cli.main(["compile", str(model), *options]) == 0
    tokens = [str(token) for token in PROMPT]
    outputs = [
        subprocess.run([*words, *tokens], capture_output=True, text=True, check=True).stdout
        for words in ([program(folder, ["cc"])], [QEMU, program(folder, [CROSS, "-static"])])
    ]
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0].splitlines())) == len(PROMPT)
