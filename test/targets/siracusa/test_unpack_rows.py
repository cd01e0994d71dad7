"""Rows of packed numbers as bytes: in C on this machine, with sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.runtime.toolchain import compile_executable

pytestmark = [pytest.mark.quick, pytest.mark.long]

ROOT = Path(__file__).parents[3]
HEADERS = ROOT / "targets/siracusa/c"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", f"-I{ROOT}/runtime/c", f"-I{HEADERS}")  # fmt: skip
PROGRAM = r"""
#include <stdlib.h>
#include "tilewright.h"
#include "tilewright_unpack.h"

static int number(int at, int bits, int is_signed) {
    const int bit = at * 7 % (1 << bits);
    return is_signed && bit >> (bits - 1) ? bit - (1 << bits) : bit;
}

/* The arrays end with the last byte of a row, so that the sanitizer sees all that lies beyond. */
static int check(int count, int bits, int is_signed) {
    const int block = 32 / bits, bytes = (count + block - 1) / block * 4;
    int8_t *const packed = malloc((size_t)bytes), *const out = malloc((size_t)count);
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) {
        unsigned byte = 0;
        for (int place = 0; place < 8 / bits; ++place) {
            const int at = i / 4 * block + place * 4 + i % 4;
            byte |= ((unsigned)number(at, bits, is_signed) & ((1u << bits) - 1)) << (bits * place);
        }
        packed[i] = (int8_t)(uint8_t)byte;
    }
    tw_unpack_row(packed, out, count, bits, is_signed);
    for (int i = 0; i < count; ++i) wrong += out[i] != number(i, bits, is_signed);
    free(packed);
    free(out);
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int count = 1; count <= 70; ++count)
        for (int bits = 2; bits <= 4; bits += 2)
            for (int is_signed = 0; is_signed < 2; ++is_signed) wrong += check(count, bits, is_signed);
    return wrong != 0;
}
"""


def ends_well(folder: Path, header: str) -> bool:
    """Return whether a program with this header gives all numbers, and no sanitizer complains."""
    source = folder / "rows.c"
    source.write_text(PROGRAM)
    (folder / "tilewright_unpack.h").write_text(header)
    return subprocess.run([compile_executable([source], FLAGS)], capture_output=True).returncode == 0


def test_all_rows(tmp_path: Path) -> None:
    assert ends_well(tmp_path, (HEADERS / "tilewright_unpack.h").read_text())


@pytest.mark.parametrize(("right", "wrong"), [("(sign | top)", "sign"), ("first < count ?", "count > 0 ?")])
def test_faults_show(right: str, wrong: str, tmp_path: Path) -> None:
    header = (HEADERS / "tilewright_unpack.h").read_text()
    assert right in header
    assert not ends_well(tmp_path, header.replace(right, wrong))
