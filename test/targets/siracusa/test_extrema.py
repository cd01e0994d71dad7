"""Clips with Xpulp's instructions: what GCC makes of them, where one for RISC-V is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright.runtime import rv32

pytestmark = pytest.mark.quick

RUNTIME = Path(__file__).parents[3] / "targets" / "siracusa" / "c"
GCC = next((name for name in rv32._GCC if shutil.which(name)), "")  # pyright: ignore[reportPrivateUsage]
CLIPS = """
#include "tw_extrema.h"
int32_t clipped(int32_t x) { return tw_min_i32(tw_max_i32(x, -128), 127) * 3; }
int32_t shifted(int32_t x, int32_t y) { return y >> tw_min_i32(x, 31); }
void stored(int8_t *y, int32_t x) { *y = (int8_t)tw_min_i32(tw_max_i32(x, 0), 127); }
int32_t counted(uint32_t x) { return (uint8_t)tw_min_u32(x, 255u); }
int32_t known(void) { return tw_min_i32(3, 5); }
void narrow(int8_t *a, uint8_t *b, int16_t *c, uint16_t *d) {
    a[0] = tw_max_i8(tw_max_i8(a[0], a[1]), a[2]);
    b[0] = tw_min_u8(tw_max_u8(b[0], b[1]), b[2]);
    c[0] = tw_max_i16(tw_min_i16(c[0], c[1]), c[2]);
    d[0] = tw_min_u16(tw_min_u16(d[0], d[1]), d[2]);
}
"""


@pytest.mark.skipif(not GCC, reason="there is no GCC for RISC-V")
@pytest.mark.parametrize("level", ["-O2", "-O3"])
def test_clips_have_no_branches(level: str, tmp_path: Path) -> None:
    (tmp_path / "clips.c").write_text(CLIPS)
    flags = ["-std=c11", level, "-march=rv32imc", "-mabi=ilp32", "-ffreestanding", f"-I{RUNTIME}"]
    subprocess.run([GCC, *flags, "-S", "-o", tmp_path / "clips.s", tmp_path / "clips.c"], check=True)
    text = (tmp_path / "clips.s").read_text()
    assert not re.findall(r"^\s+(b\w+|andi|sr[al]i)\s", text, re.MULTILINE)
    assert text.count(".insn") == 14
