"""Machine files of small Linux boards, and a decoder's C for their core."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.dialects.core.machine.file import find_machine
from tilewright.targets.hmp.npu import SOURCES

from .decoders import CONTEXT, PROMPT, program, write_decoder

CROSS, QEMU = "riscv64-linux-gnu-gcc", "qemu-riscv64"
NEEDS = "apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user"
UNFUSED = "-U__FP_FAST_FMAF"
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
    """Without fused multiplication and addition, which the core has and this machine perhaps not."""
    folder = compiled(tmp_path, "compile", "--paged")
    commands = [[str(program(folder, ["cc"], [UNFUSED]))], [QEMU, str(program(folder, [CROSS, "-static"], [UNFUSED]))]]
    outputs = [bits_of(command) for command in commands]
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0].splitlines())) == len(PROMPT)


@pytest.mark.nightly
@pytest.mark.skipif(not (shutil.which(CROSS) and shutil.which(QEMU)), reason=NEEDS)
def test_artefacts_for_the_board_give_the_bits_of_its_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler in CC makes artefacts, plug-in and worker for the board."""
    core = program(compiled(tmp_path / "core", "compile", "--paged"), [CROSS, "-static"])
    monkeypatch.setenv("CC", CROSS)
    folder = compiled(tmp_path / "tpu", "tpu", "compile", "--modules", "ffn")
    assert (folder / "tilewright_npu_worker").read_bytes()[18:20] == b"\xf3\x00"  # the ELF machine RISC-V
    sources = [str(folder / name) for name in SOURCES]
    own = program(folder, [CROSS], [*sources, "-ldl"])
    assert bits_of([QEMU, "-L", "/usr/riscv64-linux-gnu", str(own)]) == bits_of([QEMU, str(core)])


def compiled(parent: Path, *command: str) -> Path:
    """Compile a small decoder by a command, and return the folder of its C."""
    parent.mkdir(exist_ok=True)
    model, folder = write_decoder(parent / "decoder.onnx"), parent / "build"
    options = ["--context", str(CONTEXT), "--page-length", "4", "--target", "sg2002", "-o", str(folder)]
    first = 2 if command[0] == "tpu" else 1
    assert cli.main([*command[:first], str(model), *command[first:], *options]) == 0
    return folder


def bits_of(command: list[str]) -> str:
    words = [*command, *map(str, PROMPT)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
