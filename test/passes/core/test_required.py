"""Passes of xDSL refuse programs for which they have no valid result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.opt_tool import main
from tilewright.passes.core.required import REQUIREMENTS
from tilewright.runtime.testing.programs.program import PROFILES, program
from tilewright.test.random.programs.passes import OPTIONS, Subject

CALL = """\
func.func private @callee(%x: i32) -> i32 {
  func.return %x : i32
}
func.func @network(%x: i32) -> i32 {
  %r = func.call @callee(%x) : (i32) -> i32
  func.return %r : i32
}
"""
STEP = "test-add-timers-to-top-level-funcs"


def test_no_pass_leaves_invalid_programs() -> None:
    kinds: dict[str, int] = dict.fromkeys(REQUIREMENTS, 0)
    for seed, profile in enumerate(PROFILES):
        subject = Subject(program(seed, profile=profile), runs=0)
        for name in REQUIREMENTS:
            (outcome,) = subject.check([f"{name}{{{OPTIONS[name][0]}}}" if name in OPTIONS else name])
            assert outcome.kind != "fault", (seed, profile, outcome)
            kinds[name] += outcome.kind == "refused"
    assert all(kinds.values()), kinds


def test_errors_name_the_op(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (file := tmp_path / "f.mlir").write_text(CALL)
    assert main([str(file), "-p", STEP]) == 1
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith(f"{file}:5:3: error: ")
    assert first.endswith(f"pass '{STEP}' of xDSL has no valid result for 'func.call' here")
    assert "  expected:   functions that the module does not call" in rest
    monkeypatch.delitem(REQUIREMENTS, STEP)
    assert main([str(file), "-p", STEP]) == 1
    error = capsys.readouterr().err
    assert f"pass '{STEP}' of xDSL does not support this program" in error
    assert "its result does not verify: 'func.call' does not verify" in error
