"""Sums over windows whose rows are words, as machines with dot products compute them: in C on this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.runtime.toolchain import compile_executable

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[3]
HEADERS = ROOT / "targets/siracusa/c"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", f"-I{ROOT}/runtime/c", f"-I{HEADERS}")  # fmt: skip
PROGRAM = r"""
#include <stdlib.h>
#include "tilewright.h"
#define TW_WINDOW_WORDS 1
#include "tilewright_dot.h"

static int check(int rows, int taps, int stride, int dilation, int channels, int pixels, int is_signed) {
    /* The arrays end with the last byte that a window takes, so that the sanitizer sees all that lies beyond. */
    const int width = (pixels - 1) * stride + (taps - 1) * dilation + 1, bytes = rows * width * channels;
    int8_t *const x = malloc((size_t)bytes), *const w = malloc((size_t)(rows * taps * channels));
    int32_t sums[8];
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) x[i] = (int8_t)(rand() & 255);
    for (int i = 0; i < rows * taps * channels; ++i) w[i] = (int8_t)(rand() & 255);
    for (int c = 0; c < channels; ++c) {
        tw_window_block(x + c, w + c * rows * taps, sums, pixels, stride * channels, width * channels,
                        dilation * channels, taps, 1, rows, taps, is_signed);
        for (int p = 0; p < pixels; ++p) {
            int32_t sum = 0;
            for (int r = 0; r < rows; ++r) {
                for (int t = 0; t < taps; ++t) {
                    const int8_t byte = x[(r * width + p * stride + t * dilation) * channels + c];
                    sum += (is_signed ? byte : (uint8_t)byte) * w[(c * rows + r) * taps + t];
                }
            }
            wrong += sum != sums[p];
        }
    }
    free(x);
    free(w);
    return wrong;
}

int main(void) {
    int wrong = 0;
    for (int rows = 1; rows <= 5; ++rows)
        for (int taps = 1; taps <= 5; ++taps)
            for (int stride = 1; stride <= 3; ++stride)
                for (int dilation = 1; dilation <= 2; ++dilation)
                    for (int channels = 1; channels <= 3; ++channels)
                        for (int pixels = 1; pixels <= 8; pixels += 3)
                            for (int is_signed = 0; is_signed < 2; ++is_signed)
                                wrong += check(rows, taps, stride, dilation, channels, pixels, is_signed);
    return wrong != 0;
}
"""


def ends_well(folder: Path, header: str) -> bool:
    """Return whether a program with this header gives all sums, and no sanitizer complains."""
    source = folder / "windows.c"
    source.write_text(PROGRAM)
    (folder / "tilewright_dot.h").write_text(header)
    return subprocess.run([compile_executable([source], FLAGS)], capture_output=True).returncode == 0


@pytest.mark.long
def test_all_windows(tmp_path: Path) -> None:
    assert ends_well(tmp_path, (HEADERS / "tilewright_dot.h").read_text())


@pytest.mark.long
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("words[r] >> (8 * fresh)", "words[r] >> 8"),
        ("row > 0 ?", "row > 1 ?"),
    ],
)
def test_faults_show(right: str, wrong: str, tmp_path: Path) -> None:
    header = (HEADERS / "tilewright_dot.h").read_text()
    assert right in header
    assert not ends_well(tmp_path, header.replace(right, wrong))
