"""Packed numbers with Xpulp's instructions, on a model of Siracusa by its registers, against NumPy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.nn_unpack import pack
from tilewright.ir import Array
from tilewright.targets.siracusa import bare
from tilewright.targets.siracusa.bare import RUNTIME, SIRACUSA, build_bare
from tilewright.test.targets.siracusa.cluster_model import Siracusa

COMMON = Path(__file__).parents[3] / "runtime" / "c"
COUNTS = (1, 5, 8, 16, 31, 32, 67)
FORMS = [(bits, is_signed) for bits in (4, 2) for is_signed in (1, 0)]
PORT = """#define NETWORK_{0}_COUNT 1
#define NETWORK_{0}_0_NAME "{0}"
#define NETWORK_{0}_0_TYPE int8_t
#define NETWORK_{0}_0_RANK 1
#define NETWORK_{0}_0_SHAPE {{{1}}}
#define NETWORK_{0}_0_SIZE {1}
#define NETWORK_{0}_0_BYTES {1}
"""
SOURCE = """#include "network.h"
#include "tilewright.h"
#include "tw_cluster.h"
#include "tilewright_dot.h"
#include "tilewright_unpack.h"
void network_run(const int8_t in[{0}], int8_t out[{1}]) {{
{2}
}}
"""


def numbers(random: np.random.Generator, count: int, bits: int, is_signed: int) -> Array:
    low = -(1 << (bits - 1)) if is_signed else 0
    return random.integers(low, low + (1 << bits), count).astype(np.int8)


def is_right(folder: Path, calls: str, given: Array, expected: Array) -> bool:
    """Return whether calls on the bytes `in` and `out` write what is expected, when the chip's controller runs them."""
    sizes = given.size, expected.size
    prototype = f"#include <stdint.h>\nvoid network_run(const int8_t in[{sizes[0]}], int8_t out[{sizes[1]}]);\n"
    (folder / "network.h").write_text(PORT.format("INPUT", sizes[0]) + PORT.format("OUTPUT", sizes[1]) + prototype)
    (folder / "network.c").write_text(SOURCE.format(*sizes, calls))
    flags = ("-Wall", "-Wextra", "-Werror", f"-I{COMMON}")
    machine = Siracusa(0)
    machine.run(build_bare(folder, folder / "a.elf", SIRACUSA, inputs=[given], expected=[expected], flags=flags))
    return machine.exit_code == 0


def unpacked_rows() -> tuple[str, Array, Array]:
    """Return calls that unpack a row each, what they read, and what they are to write."""
    random = np.random.default_rng(3)
    calls, given, expected = list[str](), list[Array](), list[Array]()
    for bits, is_signed in FORMS:
        for count in COUNTS:
            values = numbers(random, count, bits, is_signed)
            source, target = (sum(each.size for each in arrays) for arrays in (given, expected))
            calls.append(f"    tw_unpack_row(in + {source}, out + {target}, {count}, {bits}, {is_signed});")
            given.append(pack(values, bits))
            expected.append(values)
    return "\n".join(calls), np.concatenate(given), np.concatenate(expected)


def test_rows_are_unpacked(tmp_path: Path) -> None:
    assert is_right(tmp_path, *unpacked_rows())


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("TW_UNPACK_PLACE(shift, 1, 3)", "TW_UNPACK_PLACE(shift, 1, 2)"), ('LOOP("12"', 'LOOP("10"')],
)
def test_faults_show(right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(RUNTIME, tmp_path / "c")
    source = tmp_path / "c" / "tw_unpack_words.h"
    assert right in source.read_text()
    source.write_text(source.read_text().replace(right, wrong))
    monkeypatch.setattr(bare, "RUNTIME", tmp_path / "c")
    assert not is_right(tmp_path, *unpacked_rows())


SHIFTS = """.insn r 0x7b, 7, 0x28, t0, t1, x2
cv.sll.sci.b t0, t1, 4
.insn r 0x7b, 7, 0x24, t0, t1, x3
cv.sra.sci.b t0, t1, 6
.insn r 0x7b, 7, 0x20, t0, t1, x1
cv.srl.sci.b t0, t1, 2
"""


def test_shifts_are_encoded_as_those_of_core_v(tmp_path: Path) -> None:
    """CORE-V's instructions are Xpulp's with another opcode; its assembler is LLVM's."""
    (tmp_path / "shifts.s").write_text(SHIFTS)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding", "-mcpu=generic_rv32+xcvsimd"]
    subprocess.run([*command, "-c", "shifts.s", "-o", "shifts.o"], cwd=tmp_path, check=True)
    words = np.frombuffer((tmp_path / "shifts.o").read_bytes()[52:76], np.uint32)
    assert (words[::2] == words[1::2]).all()
    assert set((words & 127).tolist()) == {0x7B}
