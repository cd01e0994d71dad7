"""Errors of a command line that would otherwise hide behind others, or look like faults of the tool."""

from pathlib import Path

import pytest

from tilewright.opt_tool import main

pytestmark = pytest.mark.quick


def test_unknown_pass_of_an_empty_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (file := tmp_path / "empty.mlir").write_text("")
    main([str(file), "-p", "canonicalise"])
    assert "no pass 'canonicalise'" in capsys.readouterr().err
    main([str(file), "-p", "canonicalize"])
    assert "the input is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "place", "what", "note"),
    [
        ("convert-arith-to-riscv", ":2:3", "op", "NotImplementedError: Only 32 bit integers are supported for now"),
        ("apply-pdl-interp", "", "program", "AssertionError: matcher function not found"),
    ],
)
def test_program_that_a_pass_of_xdsl_does_not_support(
    name: str, place: str, what: str, note: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (file := tmp_path / "f.mlir").write_text(
        "func.func @f() -> i64 {\n  %c = arith.constant 5 : i64\n  func.return %c : i64\n}"
    )
    assert main([str(file), "-p", name]) == 1
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith(f"{file}{place}: error: ")
    assert first.endswith(f"pass '{name}' of xDSL does not support this {what}")
    assert f"  note: {note}" in rest
    assert "fault of the tool" not in str(rest)


def test_pass_that_runs_mlir_opt(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    (file := tmp_path / "f.mlir").write_text("func.func private @f(i32) -> i32")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([str(file), "-p", "mlir-opt"]) == 1
    error = capsys.readouterr().err
    assert "pass 'mlir-opt' runs mlir-opt" in error
    assert "fault of the tool" not in error
