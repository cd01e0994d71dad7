"""Sums of products with packed weights: in C on this machine, with sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.runtime.toolchain import compile_executable
from tilewright.targets.siracusa.bare import RUNTIME

pytestmark = [pytest.mark.quick, pytest.mark.long]

ROOT = Path(__file__).parents[3]
HEADERS = ROOT / "targets/siracusa/c"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", f"-I{ROOT}/runtime/c", f"-I{HEADERS}")  # fmt: skip
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

static int number_at(const int8_t *row, int k, int bits, int is_signed) {
    const int number = (uint8_t)row[k / (32 / bits) * 4 + k % 4] >> (bits * (k % (32 / bits) / 4)) & ((1 << bits) - 1);
    return is_signed && number >> (bits - 1) ? number - (1 << bits) : number;
}

/* Packed windows: rows of an image of 3 x 3 taps, of which the first or the last do not reach into it. */
static int check_narrow(int features, int elements, int top, int left, int is_signed, int bits, int are_signed) {
    const int block = 32 / bits, width = (elements + block - 1) / block * 4, size = 9 * width;
    const int rows = 3 - top, taps = 3 - left, bytes = rows * taps * elements;
    int8_t *const x = malloc((size_t)bytes), *const w = malloc((size_t)(features * size));
    int8_t *const windows = malloc((size_t)(2 * size));
    int32_t sums[8];
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) x[i] = (int8_t)(rand() & 255);
    for (int i = 0; i < features * size; ++i) w[i] = (int8_t)(rand() & 255);
    for (int i = 0; i < 2 * size; ++i) windows[i] = (int8_t)(rand() & 255);
    for (int p = 0; p < 2; ++p) {
        tw_pack_window(x, windows + p * size, (top * 3 + left) * width, size, taps * elements, elements, 3 * width,
                       width, rows, taps, elements, bits);
    }
    tw_dot_narrow(windows, w, sums, 2, features, size, 0, size, 0, 1, 9 * width / 4 * block, is_signed, bits,
                  are_signed);
    for (int f = 0; f < features; ++f) {
        int32_t sum = 0;
        for (int r = 0; r < rows; ++r) {
            for (int t = 0; t < taps; ++t) {
                for (int k = 0; k < elements; ++k) {
                    const int low = x[(r * taps + t) * elements + k] & ((1 << bits) - 1);
                    const int8_t *const row = w + f * size + ((r + top) * 3 + t + left) * width;
                    sum += (is_signed && low >> (bits - 1) ? low - (1 << bits) : low) *
                           number_at(row, k, bits, are_signed);
                }
            }
        }
        wrong += sum != sums[f] || sum != sums[features + f];
    }
    free(x);
    free(w);
    free(windows);
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int pixels = 1; pixels <= 2; ++pixels)
        for (int features = 1; features <= 4; ++features)
            for (int elements = 1; elements <= 37; ++elements)
                for (int form = 0; form < 8; ++form)
                    wrong += check(pixels, features, 1 + elements % 3, elements, form & 1, form & 2 ? 4 : 2, form & 4);
    for (int features = 1; features <= 4; ++features)
        for (int elements = 1; elements <= 37; ++elements)
            for (int form = 0; form < 32; ++form)
                if (form & 2 || !(form & 1))
                    wrong += check_narrow(features, elements, form >> 3 & 1, form >> 4 & 1, form & 1, form & 4 ? 4 : 2,
                                          form & 2);
    return wrong != 0;
}
"""


def ends_well(folder: Path, header: str, before: str = "") -> bool:
    """Return whether a program with this header gives all sums, and no sanitizer complains."""
    source = folder / "dots.c"
    source.write_text(before + PROGRAM)
    (folder / "tilewright_dot.h").write_text(header)
    return subprocess.run([compile_executable([source], FLAGS)], capture_output=True).returncode == 0


def test_all_blocks(tmp_path: Path) -> None:
    assert ends_well(tmp_path, (HEADERS / "tilewright_dot.h").read_text())


def test_all_blocks_with_the_dot_products_of_a_machine(tmp_path: Path) -> None:
    machine = f'#include "{RUNTIME / "tw_dot.h"}"\n'
    assert ends_well(tmp_path, (HEADERS / "tilewright_dot.h").read_text(), machine)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("k + 4 <= end ? tw_word(x0", "k + 4 > 0 ? tw_word(x0"),
        ("c3 >>= bits", "c3 >>= 4"),
        ("first + 4 <= count ? tw_word(from + first)", "first + 4 > 0 ? tw_word(from + first)"),
        ("(four & mask) << place", "(four | mask) << place"),
        ("* 4 < size) {", "* 4 < 0) {"),
    ],
)
def test_faults_show(right: str, wrong: str, tmp_path: Path) -> None:
    header = (HEADERS / "tilewright_dot.h").read_text()
    assert right in header
    assert not ends_well(tmp_path, header.replace(right, wrong))
