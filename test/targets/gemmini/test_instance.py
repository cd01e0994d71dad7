"""Instances of Gemmini's generator that a machine's file can describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.dialects.core.machine.file import find_machine
from tilewright.errors import Diagnostic
from tilewright.targets.gemmini.instance import instance_of

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("row", [1, 16, 4096])
def test_rows_of_arrays_of_different_sizes(row: int, tmp_path: Path):
    """Rows of 32 sums of 32 bits are of an array of 32 columns, with operands of 32, 64 or 128 bytes."""
    assert instance_of(find_machine("gemmini/32x32"))[::4] == (32, 1)
    file = tmp_path / "machine.toml"
    file.write_text(f'include = "gemmini/32x32"\n[levels.SPAD]\nrow_bytes = {row}\n')
    with pytest.raises(Diagnostic, match="arrays of different sizes") as caught:
        instance_of(find_machine(file))
    assert caught.value.found == f"{row} bytes"
    assert "32, 64, 128" in caught.value.expected
