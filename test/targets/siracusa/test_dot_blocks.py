"""Blocks of sums and windows copied side by side: in C on this machine, with sanitizers."""

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
#include "tilewright_dot.h"

static int8_t *some(int bytes) {
    int8_t *const found = malloc((size_t)bytes);
    for (int i = 0; i < bytes; ++i) found[i] = (int8_t)(rand() & 255);
    return found;
}

/* The arrays end with the last byte that is read, so that the sanitizer sees all that lies beyond. */
static int sums(int pixels, int features, int rows, int elements, int is_signed) {
    const int row = elements + 1, step = row * rows;
    int8_t *const x = some(pixels * step - 1), *const w = some(features * step - 1);
    int32_t found[8];
    int wrong = 0;
    tw_dot_block(x, w, found, pixels, features, step, row, step, row, rows, elements, is_signed);
    for (int p = 0; p < pixels; ++p) {
        for (int f = 0; f < features; ++f) {
            int32_t sum = 0;
            for (int r = 0; r < rows; ++r) {
                for (int k = 0; k < elements; ++k) {
                    const int8_t byte = x[p * step + r * row + k];
                    sum += (is_signed ? byte : (uint8_t)byte) * w[f * step + r * row + k];
                }
            }
            wrong += sum != found[p * features + f];
        }
    }
    free(x);
    free(w);
    return wrong;
}

/* A window of 3 x 3 taps, of which `rows` x `taps` are inside, the first at (top, left). */
static int window(int rows, int taps, int top, int left, int channels, int dilation) {
    const int size = 9 * channels, x_tap = channels * dilation, x_row = x_tap * 3 + 1;
    const int bytes = (rows - 1) * x_row + (taps - 1) * x_tap + channels;
    int8_t *const x = some(bytes), *const found = some(size);
    int wrong = 0;
    tw_im2col(x, found, (top * 3 + left) * channels, size, x_row, x_tap, 3 * channels, channels, rows, taps, channels);
    for (int k = 0; k < size; ++k) {
        const int r = k / (3 * channels) - top, t = k / channels % 3 - left;
        const int inside = r >= 0 && r < rows && t >= 0 && t < taps;
        wrong += found[k] != (inside ? x[r * x_row + t * x_tap + k % channels] : 0);
    }
    free(x);
    free(found);
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int pixels = 1; pixels <= 2; ++pixels)
        for (int features = 1; features <= 4; ++features)
            for (int rows = 1; rows <= 2; ++rows)
                for (int elements = 1; elements <= 13; ++elements)
                    for (int is_signed = 0; is_signed < 2; ++is_signed)
                        wrong += sums(pixels, features, rows, elements, is_signed);
    for (int rows = 1; rows <= 3; ++rows)
        for (int taps = 1; taps <= 3; ++taps)
            for (int top = 0; top + rows <= 3; ++top)
                for (int left = 0; left + taps <= 3; ++left)
                    for (int channels = 1; channels <= 9; channels += 2)
                        for (int dilation = 1; dilation <= 2; ++dilation)
                            wrong += window(rows, taps, top, left, channels, dilation);
    return wrong != 0;
}
"""


def ends_well(folder: Path, header: str) -> bool:
    """Return whether a program with this header gives all bytes and sums, and no sanitizer complains."""
    source = folder / "blocks.c"
    source.write_text(PROGRAM)
    (folder / "tilewright_dot.h").write_text(header)
    return subprocess.run([compile_executable([source], FLAGS)], capture_output=True).returncode == 0


def test_all_blocks_and_windows(tmp_path: Path) -> None:
    assert ends_well(tmp_path, (HEADERS / "tilewright_dot.h").read_text())


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("<< (8 * (whole - k))", "<< 0"),
        ("const int32_t k = elements - 4;", "const int32_t k = whole;"),
        ("rows * taps * elements < size", "rows * taps < 3"),
        ("k + 4 <= elements", "k < elements"),
    ],
)
def test_faults_show(right: str, wrong: str, tmp_path: Path) -> None:
    header = (HEADERS / "tilewright_dot.h").read_text()
    assert right in header
    assert not ends_well(tmp_path, header.replace(right, wrong))
