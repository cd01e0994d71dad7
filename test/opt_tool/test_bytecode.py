"""MLIR's bytecode is read as text is, and written, by upstream's mlir-opt."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.opt_tool import main
from tilewright.runtime.testing.programs.program import program

pytestmark = pytest.mark.skipif(
    shutil.which("mlir-opt-19") is None, reason="no upstream MLIR 19: install Debian's mlir-19-tools"
)


@pytest.mark.parametrize("seed", range(2))
def test_a_program_is_the_same_after_bytecode(seed: int, tmp_path: Path) -> None:
    text, bytecode, named, again = (str(tmp_path / name) for name in ("a.mlir", "a.mlirbc", "named.mlir", "b.mlir"))
    Path(text).write_text(program(seed, profile="memory").text)
    generic = ["--mlir-print-op-generic", "--mlir-print-unique-ssa-ids"]
    assert main([text, "--emit-bytecode", "-o", bytecode]) == 0
    assert Path(bytecode).read_bytes().startswith(b"ML\xefR")
    assert main([bytecode, *generic, "-o", again]) == 0
    # The names of values are not in bytecode: mlir-opt gives its own to those of the text, too.
    Path(named).write_bytes(subprocess.run(["mlir-opt-19", generic[0], text], capture_output=True, check=True).stdout)
    assert main([named, *generic, "-o", text]) == 0
    assert Path(again).read_text() == Path(text).read_text()


def test_locations_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.mlir").write_text('func.func private @f(i32) loc("conv_1")\n')
    assert main([str(tmp_path / "a.mlir"), "--emit-bytecode", "-o", str(tmp_path / "a.mlirbc")]) == 0
    assert main([str(tmp_path / "a.mlirbc"), "--mlir-print-debuginfo"]) == 0
    assert 'loc("conv_1")' in capsys.readouterr().out


def cut(data: bytes) -> bytes:
    return data[:40]


def of_a_newer_version(data: bytes) -> bytes:
    return data[:4] + b"\x7f" + data[5:]


def without_its_magic(data: bytes) -> bytes:
    return data[1:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, "is bytecode that mlir-opt does not read"),
        (of_a_newer_version, "is bytecode that mlir-opt does not read"),
        (without_its_magic, "is not UTF-8"),
    ],
)
def test_damaged_bytecode_is_refused(
    change: Callable[[bytes], bytes], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.mlirbc"
    done = subprocess.run(
        ["mlir-opt-19", "--emit-bytecode"], input=b"func.func private @f(i32)", capture_output=True, check=True
    )
    file.write_bytes(change(done.stdout))
    assert main([str(file), "-p", "cse"]) == 1
    captured = capsys.readouterr()
    assert message in captured.err
    assert "error: " in captured.err
    assert not captured.out


def test_ir_that_upstream_does_not_know_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.mlir").write_text("func.func @f(%a: i8) {\n  %b = quant.round_to_even %a : i8\n  return\n}\n")
    output = tmp_path / "a.mlirbc"
    assert main([str(tmp_path / "a.mlir"), "--allow-unregistered-dialect", "--emit-bytecode", "-o", str(output)]) == 1
    assert "error: " in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-t", "c", "-o", "a.bc"], "for the output format mlir"),
        (["--split-input-file", "-o", "a.bc"], "not with --split-input-file"),
        ([], "a terminal shows no bytecode"),
    ],
)
def test_what_has_no_bytecode(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"func.func private @f(i32)")))
    assert main(["-", "--emit-bytecode", *words]) == 2
    assert message in capsys.readouterr().err
