"""Rows of DRAM that transfers open: cycles counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import load_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.simulator.simulate import simulate

MACHINE = """
[levels.RAM]
size = "1MiB"
{dram}
[levels.L1]
size = "64KiB"
[links.dma]
far = "RAM"
near = "L1"
width = 16
[engines.core]
level = "L1"
[engines.core.runs]
"*" = {{ cost = "per_element", cycles = 1 }}
"""
DRAM = "dram = {{ row = 256, banks = {banks}, activate = 5, precharge = 3, cas = 2 }}"


def cycles(folder: Path, dram: str, transfers: str) -> int:
    """Simulate transfers of 4 rows of 256 bytes of %x, 16 bytes a cycle, one after the other."""
    file = folder / "machine.toml"
    file.write_text(MACHINE.format(dram=dram))
    lines, source = list[str](), "memref<4x256xi8>"
    for number, (offsets, shape) in enumerate(each.split(":") for each in transfers.split(";")):
        row, column = (f"%c{each.strip()}" for each in offsets.split(","))
        lines += [
            f'%n{number} = memref.alloca() : memref<{shape}xi8, "L1">',
            f'%t{number} = hier.dma_start %x[{row}, {column}] to %n{number} : {source}, memref<{shape}xi8, "L1">',
            f"hier.dma_wait %t{number}",
        ]
    constants = [f"%c{each} = arith.constant {each} : index" for each in (0, 1, 2, 3, 128)]
    text = "\n".join(("func.func @network(%x: memref<4x256xi8>) {", *constants, *lines, "func.return }"))
    module = parse_module(new_context(), text)
    attach_machine(module, load_machine(file))
    return simulate(module).cycles


@pytest.mark.parametrize(
    ("banks", "transfers", "expected"),
    [
        (1, "0, 0: 1x256", 5 + 2 + 16),
        (1, "0, 0: 1x256; 0, 0: 1x256", 5 + 2 + 16 + 2 + 16),  # the row is open
        (1, "0, 0: 1x256; 1, 0: 1x256", 5 + 2 + 16 + 3 + 5 + 2 + 16),  # it is closed first
        (2, "0, 0: 1x256; 1, 0: 1x256", 2 * (5 + 2 + 16)),  # another bank, which has none open
        (2, "0, 0: 1x256; 2, 0: 1x256", 5 + 2 + 16 + 3 + 5 + 2 + 16),
        (1, "0, 0: 4x256", 5 + 2 + 16 + 3 * (3 + 5 + 2 + 16)),
        (2, "0, 0: 4x256", 5 + 2 + 4 * 16),  # each row is activated while data of the one before move
        (2, "0, 0: 4x32", (5 + 2) + (5 + 2) + 2 * (3 + 5 + 2) + 2),  # rows of 2 cycles hide little
        (1, "0, 128: 1x128; 0, 0: 1x128", 5 + 2 + 8 + 2 + 8),
    ],
)
def test_cycles_by_hand(banks: int, transfers: str, expected: int, tmp_path: Path) -> None:
    assert cycles(tmp_path, DRAM.format(banks=banks), transfers) == expected


def test_nothing_changes_without_dram(tmp_path: Path) -> None:
    assert cycles(tmp_path, "", "0, 0: 4x256; 0, 0: 1x256") == 4 * 16 + 16


def test_descriptions_are_checked(tmp_path: Path) -> None:
    for dram, message in (
        (
            "dram = { row = 256, activate = 5, cas = 2 }",
            "levels.RAM.dram.precharge: expected an integer of at least 0, found nothing",
        ),
        (
            "dram = { row = 0, activate = 5, precharge = 3, cas = 2 }",
            "levels.RAM.dram.row: expected an integer of at least 1, found 0",
        ),
    ):
        with pytest.raises(Diagnostic, match=message):
            cycles(tmp_path, dram, "0, 0: 1x256")
