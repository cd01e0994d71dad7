"""Sums of products with packed weights: in C on this machine, with sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.runtime.toolchain import compile_executable

pytestmark = [pytest.mark.quick, pytest.mark.long]

HEADERS = Path(__file__).parents[2] / "runtime" / "c"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", f"-I{HEADERS}")  # fmt: skip
PROGRAM = r"""
#include <stdlib.h>
#include "tilewright.h"
#include "tilewright_unpack.h"
#include "tilewright_dot.h"

/* The arrays end with the last byte of a row, so that the sanitizer sees all that lies beyond. */
static int check(int pixels, int features, int rows, int elements, int is_signed, int bits, int are_signed) {
    const int block = 32 / bits, width = (elements + block - 1) / block * 4;
    const int bytes = rows * pixels * elements, packed = rows * features * width;
    int8_t *const x = malloc((size_t)bytes), *const w = malloc((size_t)packed);
    int32_t sums[8];
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) x[i] = (int8_t)(rand() & 255);
    for (int i = 0; i < packed; ++i) w[i] = (int8_t)(rand() & 255);
    tw_dot_packed(x, w, sums, pixels, features, elements, pixels * elements, width, features * width, rows, elements,
                  is_signed, bits, are_signed);
    for (int p = 0; p < pixels; ++p) {
        for (int f = 0; f < features; ++f) {
            int32_t sum = 0;
            for (int r = 0; r < rows; ++r) {
                for (int k = 0; k < elements; ++k) {
                    const uint8_t byte = (uint8_t)w[(r * features + f) * width + k / block * 4 + k % 4];
                    const int number = byte >> (bits * (k % block / 4)) & ((1 << bits) - 1);
                    const int8_t pixel = x[(r * pixels + p) * elements + k];
                    sum += (is_signed ? pixel : (uint8_t)pixel) *
                           (are_signed && number >> (bits - 1) ? number - (1 << bits) : number);
                }
            }
            wrong += sum != sums[p * features + f];
        }
    }
    free(x);
    free(w);
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int pixels = 1; pixels <= 2; ++pixels)
        for (int features = 1; features <= 4; ++features)
            for (int elements = 1; elements <= 37; ++elements)
                for (int form = 0; form < 8; ++form)
                    wrong += check(pixels, features, 1 + elements % 3, elements, form & 1, form & 2 ? 4 : 2, form & 4);
    return wrong != 0;
}
"""


def ends_well(folder: Path, header: str) -> bool:
    """Return whether a program with this header gives all sums, and no sanitizer complains."""
    source = folder / "dots.c"
    source.write_text(PROGRAM)
    (folder / "tilewright_dot.h").write_text(header)
    return subprocess.run([compile_executable([source], FLAGS)], capture_output=True).returncode == 0


def test_all_blocks(tmp_path: Path) -> None:
    assert ends_well(tmp_path, (HEADERS / "tilewright_dot.h").read_text())


@pytest.mark.parametrize(
    ("right", "wrong"), [("k + 4 <= end ? tw_word(x0", "k + 4 > 0 ? tw_word(x0"), ("c3 >>= bits", "c3 >>= 4")]
)
def test_faults_show(right: str, wrong: str, tmp_path: Path) -> None:
    header = (HEADERS / "tilewright_dot.h").read_text()
    assert right in header
    assert not ends_well(tmp_path, header.replace(right, wrong))
