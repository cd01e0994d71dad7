"""Each fault to plant in the compiler's source has its text once, and tests that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.test.faults.planted_fault import Fault
from tilewright.test.faults.planted_program_faults import PROGRAM_FAULTS
from tilewright.test.faults.planted_tensor_faults import TENSOR_FAULTS

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("fault", [*TENSOR_FAULTS, *PROGRAM_FAULTS], ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1, f"{fault.file}: {fault.old}"
    assert [test for test in fault.tests if not any(ROOT.glob(test))] == []
