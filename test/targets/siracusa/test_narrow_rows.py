"""Packed numbers with Xpulp's instructions, on a model of Siracusa by its registers, against NumPy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.nn.unpack import pack, unpack
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
#include "tilewright_unpack.h"
#include "tilewright_dot.h"
#include "tilewright_rows.h"
void network_run(const int8_t in[{0}], int8_t out[{1}]) {{
{2}
}}
"""


def numbers(random: np.random.Generator, count: int, bits: int, is_signed: int) -> Array:
    low = -(1 << (bits - 1)) if is_signed else 0
    return random.integers(low, low + (1 << bits), count).astype(np.int8)


def is_right(folder: Path, calls: str, given: Array, expected: Array, *defined: str) -> bool:
    """
    Return whether calls on the bytes `in` and `out` write what is expected, when the chip's controller runs them.

    `defined` are macros besides those of the chip's board.
    """
    sizes = given.size, expected.size
    prototype = f"#include <stdint.h>\nvoid network_run(const int8_t in[{sizes[0]}], int8_t out[{sizes[1]}]);\n"
    (folder / "network.h").write_text(PORT.format("INPUT", sizes[0]) + PORT.format("OUTPUT", sizes[1]) + prototype)
    (folder / "network.c").write_text(SOURCE.format(*sizes, calls))
    flags = ("-Wall", "-Wextra", "-Werror", f"-I{COMMON}", *(f"-D{name}" for name in defined))
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


def block(random: np.random.Generator, pixels: int, elements: int, is_signed: int, bits: int, are_signed: int) -> Block:
    """Return a call for a block of two rows and four features, what it reads, and the sums that are right."""
    x = random.integers(-128, 128, (2, pixels, elements)).astype(np.int8)
    w = numbers(random, 2 * 4 * elements, bits, are_signed).reshape(2, 4, elements)
    values = (x if is_signed else x.view(np.uint8)).astype(np.int64)
    sums = np.einsum("rpe,rfe->pf", values, w.astype(np.int64)).astype(np.int32)
    packed = pack(w, bits)
    steps = f"{elements}, {pixels * elements}, 0, {packed.shape[-1]}, {4 * packed.shape[-1]}, 0"
    call = f"{pixels}, 4, {steps}, 2, 1, {elements}, {is_signed}, {bits}, {are_signed}"
    return Block(call, np.concatenate([x.reshape(-1), packed.reshape(-1)]), x.size, sums)


@dataclass(frozen=True)
class Block:
    """The sizes of a block, its bytes, those of weights from number `weights` on, and its sums."""

    sizes: str
    read: Array
    weights: int
    sums: Array


def blocks(lengths: Sequence[int]) -> tuple[str, Array, Array]:
    """Return calls for blocks of rows of these lengths, what they read, and what they are to write."""
    random, calls, given, expected = np.random.default_rng(4), list[str](), list[Array](), list[Array]()
    for bits, are_signed in FORMS:
        for is_signed, pixels, elements in product((1, 0), (1, 2), lengths):
            made = block(random, pixels, elements, is_signed, bits, are_signed)
            source, target = (sum(each.size for each in arrays) for arrays in (given, expected))
            places = f"in + {source}, in + {source + made.weights}, (int32_t *)(void *)(out + {target})"
            calls.append(f"    tw_dot_packed({places}, {made.sizes});")
            given.append(made.read)
            expected.append(np.ascontiguousarray(made.sums).reshape(-1).view(np.int8))
    return "\n".join(calls), np.concatenate(given), np.concatenate(expected)


def test_products_of_packed_rows(tmp_path: Path) -> None:
    assert is_right(tmp_path, *blocks([5, 16, 53]))


def byte_blocks() -> tuple[str, Array, Array]:
    """Return calls for blocks of bytes of all sizes and signs, with two taps apart, what they read, and their sums."""
    random, calls, given, expected = np.random.default_rng(6), list[str](), list[Array](), list[Array]()
    for pixels, features, is_signed, are_signed in product((1, 2), (1, 2, 3, 4), (1, 0), (1, 0)):
        for elements in (3, 4, 13):
            x = random.integers(-128, 128, (pixels, 2, elements + 1)).astype(np.int8)
            w = random.integers(-128, 128, (features, 2, elements)).astype(np.int8)
            a, b = (
                (values if sign else values.view(np.uint8)).astype(np.int64)
                for values, sign in ((x[:, :, :elements], is_signed), (w, are_signed))
            )
            source, target = (sum(each.size for each in arrays) for arrays in (given, expected))
            places = f"in + {source}, in + {source + x.size}, (int32_t *)(void *)(out + {target})"
            steps = f"{2 * elements + 2}, 0, {elements + 1}, {2 * elements}, 0, {elements}, 1, 2, {elements}"
            calls.append(f"    tw_dot_block({places}, {pixels}, {features}, {steps}, {is_signed}, {are_signed});")
            given += [x.reshape(-1), w.reshape(-1)]
            sums = np.einsum("pte,fte->pf", a, b).astype(np.int32)
            expected.append(np.ascontiguousarray(sums).reshape(-1).view(np.int8))
    return "\n".join(calls), np.concatenate(given), np.concatenate(expected)


def test_products_of_bytes(tmp_path: Path) -> None:
    assert is_right(tmp_path, *byte_blocks())


def gathered_lines() -> tuple[str, Array, Array]:
    """Return calls that gather lines of a channel between zeros, what they read, and what they are to write."""
    x = np.random.default_rng(7).integers(-128, 128, 400).astype(np.int8)
    calls, expected = list[str](), list[Array]()
    for columns, step, width in product((1, 4, 6, 11), (1, 3), (12, 20)):
        lines = np.zeros((4, width), np.int8)
        lines[1:3, 1 : 1 + columns] = [x[row * 50 :][: columns * step : step] for row in range(2)]
        target = sum(each.size for each in expected)
        sizes = f"{width + 1}, {lines.size}, 50, {step}, {width}, 1, 2, {columns}, 1, 0"
        calls.append(f"    tw_im2col(in, out + {target}, {sizes});")
        expected.append(lines.reshape(-1))
    return "\n".join(calls), x, np.concatenate(expected)


def test_lines_are_gathered(tmp_path: Path) -> None:
    assert is_right(tmp_path, *gathered_lines())


def transposed_strips() -> tuple[str, Array, Array]:
    """Return calls that transpose strips of rows, what they read, and what they are to write."""
    x = np.random.default_rng(8).integers(-128, 128, (4, 25)).astype(np.int8)
    calls, expected = list[str](), list[Array]()
    for rows, columns, step in product((1, 3, 4), (1, 4, 7, 16), (4, 5)):
        out = np.zeros((columns, step), np.int8)
        out[:, :rows] = x[:rows, :columns].T
        target = sum(each.size for each in expected)
        calls.append(f"    tw_transpose(in, out + {target}, {columns}, {rows}, 25, {step});")
        expected.append(out.reshape(-1))
    return "\n".join(calls), x.reshape(-1), np.concatenate(expected)


def test_strips_are_transposed(tmp_path: Path) -> None:
    assert is_right(tmp_path, *transposed_strips())


def narrow_blocks(lengths: Sequence[int]) -> tuple[str, Array, Array]:
    """Return calls that pack two rows of x and multiply them, what they read, and what they are to write."""
    random, calls, given, expected = np.random.default_rng(5), list[str](), list[Array](), list[Array]()
    for bits, are_signed in FORMS:
        for is_signed, pixels, elements in product((1, 0), (1, 2), lengths):
            if is_signed and not are_signed:
                continue
            x = random.integers(-128, 128, (pixels, elements)).astype(np.int8)
            w = numbers(random, 4 * elements, bits, are_signed).reshape(4, elements)
            read, packed = pack(x, bits), pack(w, bits)
            lowest = unpack(read, elements, bits, is_unsigned=not is_signed).astype(np.int64)
            source, target = (sum(each.size for each in arrays) for arrays in (given, expected))
            calls += [
                f"    tw_pack_window(in + {source + p * elements}, out + {target + p * read.shape[-1]}, 0, "
                f"{read.shape[-1]}, 0, 0, 0, 0, 1, 1, {elements}, {bits});"
                for p in range(pixels)
            ]
            places = f"out + {target}, in + {source + x.size}, (int32_t *)(void *)(out + {target + read.size})"
            steps = f"{read.shape[-1]}, 0, {packed.shape[-1]}, 0"
            calls.append(f"    tw_dot_narrow({places}, {pixels}, 4, {steps}, 1, {elements}, {is_signed}, {bits}, "
                         f"{are_signed});")  # fmt: skip
            sums = (lowest @ w.T.astype(np.int64)).astype(np.int32)
            given += [x.reshape(-1), packed.reshape(-1)]
            expected += [read.reshape(-1), sums.reshape(-1).view(np.int8)]
    return "\n".join(calls), np.concatenate(given), np.concatenate(expected)


@pytest.mark.sample(1)
@pytest.mark.parametrize("defined", [[], ["TW_XPULPNN"]])
def test_products_of_packed_windows(defined: list[str], tmp_path: Path) -> None:
    assert is_right(tmp_path, *narrow_blocks([5, 16, 53]), *defined)


def with_text(folder: Path, file: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a header of the runtime have another text."""
    shutil.copytree(RUNTIME, folder / "c")
    source = folder / "c" / file
    assert old in source.read_text()
    source.write_text(source.read_text().replace(old, new))
    monkeypatch.setattr(bare, "RUNTIME", folder / "c")


def test_long_rows_are_done_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_text(tmp_path, "tw_packed_row.h", "2048 * bits", "bits / 2", monkeypatch)
    assert is_right(tmp_path, *blocks([53]))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("tw_unpack_words.h", "TW_UNPACK_PLACE(shift, 1, 3)", "TW_UNPACK_PLACE(shift, 1, 2)"),
        ("tw_packed_row.h", "four(funct7, TW_HIGH_MASKED, 1)", "four(funct7, TW_HIGH, 1)"),
        ("tw_dot_row.h", "TW_PACK_NEXT(1)", "TW_PACK_NEXT(2)"),
        ("tw_xpulp.h", 'TW_SDOT16_US "0x55"', 'TW_SDOT16_US "0x5d"'),
    ],
)
def test_faults_show(file: str, right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_text(tmp_path, file, right, wrong, monkeypatch)
    made = {"tw_unpack_words.h": unpacked_rows, "tw_packed_row.h": partial(blocks, [16])}
    assert not is_right(tmp_path, *made.get(file, partial(narrow_blocks, [16]))(), "TW_XPULPNN")


SHIFTS = {"SLL": "0x28", "SRL": "0x20", "SRA": "0x24"}
"""Shifts of bytes and the upper seven bits of their words."""


def test_shifts_are_encoded_as_those_of_core_v(tmp_path: Path) -> None:
    """CORE-V's instructions are Xpulp's with another opcode; its assembler is LLVM's."""
    header, lines = (RUNTIME / "tw_xpulp.h").read_text(), list[str]()
    for name, upper in SHIFTS.items():
        assert f'TW_{name}_BYTES(to, from, half) ".insn r 0x57, 7, {upper}, " to ", " from ", x" #half' in header
        lines += [f".insn r 0x7b, 7, {upper}, t0, t1, x3", f"cv.{name.lower()}.sci.b t0, t1, 6"]
    (tmp_path / "shifts.s").write_text("\n".join([*lines, ""]))
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding", "-mcpu=generic_rv32+xcvsimd"]
    subprocess.run([*command, "-c", "shifts.s", "-o", "shifts.o"], cwd=tmp_path, check=True)
    words = np.frombuffer((tmp_path / "shifts.o").read_bytes()[52:76], np.uint32)
    assert (words[::2] == words[1::2]).all()
    assert set((words & 127).tolist()) == {0x7B}
