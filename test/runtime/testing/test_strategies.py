"""Strategies of random programs: valid, of every dialect that they name, equal after right passes, and shrunk."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, find, given, settings
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.runtime.testing.programs.program import RandomProgram
from tilewright.testing import assert_equivalent, explicit_programs, grids, programs

pytestmark = pytest.mark.quick
NO_CHECKS = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=8)


@NO_CHECKS
@given(programs("scalars", "loops", "memory", "tensors", "kernels"))
def test_programs_are_equal_after_right_passes(program: RandomProgram) -> None:
    assert_equivalent(program.text, "canonicalize,cse", runs=4)


@NO_CHECKS
@given(grids())
def test_grids_are_equal_when_expanded(module: ModuleOp) -> None:
    verify(module)
    assert any(op.name == "hier.grid" for op in nested_ops(module))
    assert_equivalent(module, "expand-grid", runs=1)


@NO_CHECKS
@given(explicit_programs())
def test_explicit_programs_are_valid(module: ModuleOp) -> None:
    verify(module)
    names = {op.name for op in nested_ops(module)}
    assert "hier.grid" not in names
    assert any(name.startswith("hier.dma") for name in names)


@pytest.mark.nightly
def test_programs_shrink() -> None:
    smallest = find(
        programs("scalars"),
        lambda program: "arith.muli" in program.text,
        settings=settings(NO_CHECKS, max_examples=200),
    )
    assert smallest.text.count("\n") < 60


def test_unknown_profiles() -> None:
    with pytest.raises(Diagnostic, match="no profile 'scalar'"):
        programs("scalar")
