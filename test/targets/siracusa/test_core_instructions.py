"""Instructions of a core in plain C and with the machine's dot products, and with faults planted in headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.dialects.core.instruction import Instruction
from tilewright.errors import Diagnostic
from tilewright.runtime.tools.instructions import check_instructions
from tilewright.targets.siracusa.bare import RUNTIME
from tilewright.targets.siracusa.dialects.cluster.instructions import (
    copy_row,
    dot,
    dot_narrow,
    dot_packed,
    fill_row,
    im2col,
    mac,
    pack_window,
    spread_weights,
    transpose,
    unpack_row,
    window_words,
)

pytestmark = pytest.mark.long

PLAIN = [
    dot,
    dot_packed,
    dot_narrow,
    window_words,
    spread_weights,
    im2col,
    pack_window,
    unpack_row,
    fill_row,
    copy_row,
    transpose,
]


@pytest.mark.sample(1)
@pytest.mark.parametrize("others", [[], [mac]], ids=["plain", "machine"])
def test_many_samples(others: list[Instruction]) -> None:
    """The header that declares `tw_mac_i32` comes with the machine's dot products."""
    check_instructions([*others, *PLAIN], samples=300)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("made", "right", "wrong"),
    [
        (dot, "<< (8 * (whole - k))", "<< 0"),
        (dot, "const int32_t k = elements - 4;", "const int32_t k = whole;"),
        (im2col, "!keeps && rows * taps * elements < size", "!keeps && rows * taps < 3"),
        (im2col, "!keeps && ", ""),
        (im2col, "k + 4 <= elements", "k < elements"),
        (im2col, "to[k * tap] = from[k * step]", "to[k] = from[k * step]"),
        (window_words, "4 * own < place + taps", "4 * own < taps"),
        (window_words, "at < place ?", "at <= place ?"),
        (spread_weights, "before >> (32 - 8 * place)", "before >> 8"),
        (dot_packed, "k + 4 <= end ? tw_word(x0", "k + 4 > 0 ? tw_word(x0"),
        (dot_packed, "c3 >>= bits", "c3 >>= 4"),
        (pack_window, "first + 4 <= count ? tw_word(from + first)", "first + 4 > 0 ? tw_word(from + first)"),
        (pack_window, "(four & mask) << place", "(four | mask) << place"),
        (pack_window, "* 4 < size) {", "* 4 < 0) {"),
        (unpack_row, "(sign | top)", "sign"),
        (unpack_row, "first < count ?", "count > 0 ?"),
        (fill_row, "#else\n    for (int32_t at = 0; at < count;", "#else\n    for (int32_t at = 1; at < count;"),
        (transpose, "x[row * x_row + column]", "x[row * x_row]"),
        (copy_row, "#else\n    for (int32_t at = 0; at < bytes;", "#else\n    for (int32_t at = 1; at < bytes;"),
    ],
)
def test_faults_show(made: Instruction, right: str, wrong: str, tmp_path: Path) -> None:
    header = made.headers[-1]
    text = (RUNTIME / header).read_text(encoding="utf-8")
    assert right in text
    (tmp_path / header).write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(Diagnostic, match="the C of the instruction"):
        check_instructions([made], samples=300, headers=tmp_path)
