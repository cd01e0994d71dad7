from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.runtime.driver.run_lines.script import ScriptError, run_lines, substitute
from tilewright.runtime.driver.run_lines.shell import run_line
from tilewright.runtime.testing.lit.file import failure_of
from tilewright.runtime.testing.lit.tools import TOOLS

pytestmark = pytest.mark.quick

TEST = "// RUN: opt-tool %s | filecheck %s\n// CHECK: arith.constant {}\n%0 = arith.constant 1 : i32\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f()", "no RUN line"),
        ("// RUN: opt-tool %s\n// CHECK: f", "no filecheck reads the lines CHECK"),
        ("// RUN: opt-tool %s | filecheck %s --check-prefix=CHECK-A\n// CHECK-NEXT: f", "the lines CHECK:"),
        ("// RUN: opt-tool %s | filecheck %s\n// CHECK-A-NOT: f\n// CHECK: g", "the lines CHECK-A"),
        ("// RUN: opt-tool %s --verify-diagnostics\n// NPU: f\n// NPU-NEXT: g", "the lines NPU:"),
        ("// RUN: opt-tool %s | filecheck %s --check-prefix=A\n// A: f\n// B-NOT: f", "the lines B:"),
        ("// RUN: opt-tool %s | filecheck %S/other\n// CHECK: f", "the lines CHECK:"),
        ("// RUN: opt-tool %s \\\n", "ends with a backslash"),
        (
            "// RUN: opt-tool %s | filecheck %s --check-prefix=CHECK-RUN\n// CHECK-RUN: f",
            "lit runs what follows every RUN:",
        ),
    ],
)
def test_tests_that_cannot_fail_are_refused(text: str, message: str):
    with pytest.raises(ScriptError, match=message):
        run_lines(text)


def test_remarks_are_no_check_lines():
    assert run_lines("// RUN: opt-tool %s\n// EXPECT: exit 0\n// NOTE: f")


def test_lines_are_joined_and_macros_expanded():
    text = "// RUN: opt-tool %s \\\n// RUN:   -p cse | filecheck %s\n// RUN: ROUNDTRIP\n// CHECK: a"
    assert run_lines(text) == ["opt-tool %s -p cse | filecheck %s", "opt-tool %s | opt-tool | filecheck %s"]


def test_commands_run_in_a_folder_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "test.mlir"
    file.write_text("// RUN: test ! -e test.mlir && test -e %S/test.mlir && test -z $(ls)\n// RUN: cat test.mlir")
    monkeypatch.chdir(tmp_path)
    assert failure_of(file).startswith("exit code 1 of\n  RUN: cat test.mlir")
    assert Path.cwd() == tmp_path


def test_substitutions():
    assert substitute("%s %S %t %T %% %x", Path("/a/b.mlir"), Path("/t")) == "/a/b.mlir /a /t/b.mlir.tmp /t % %x"


@pytest.mark.parametrize(("number", "code"), [(1, 0), (2, 1)])
def test_a_check_that_does_not_match_fails(tmp_path: Path, number: int, code: int):
    file = tmp_path / "t.mlir"
    file.write_text(TEST.format(number))
    result = run_line(substitute(run_lines(file.read_text())[0], file, tmp_path), TOOLS)
    assert result.code == code
    assert (b"Couldn't match" in result.err) is bool(code)


@pytest.mark.parametrize(
    ("line", "code", "out"),
    [
        ("echo a b", 0, b"a b\n"),
        ("echo 'a  |  b' | cat", 0, b"a  |  b\n"),
        ("false | cat", 1, b""),
        ("true && echo b", 0, b"b\n"),
        ("false && echo b", 1, b""),
        ("not false", 0, b""),
        ("not true", 1, b""),
        ("not no-such-program", 1, b""),
        ("no-such-program", 127, b""),
        ("false || echo c", 0, b"c\n"),
        ("echo $((1 + 2))", 0, b"3\n"),
        ("cat /no/such/file 2>&1 | wc -l", 1, b"1\n"),
        ("opt-tool --nonsense", 2, b""),
        ("not opt-tool --nonsense 2>&1 | grep -c error:", 0, b"1\n"),
    ],
)
def test_command_lines(line: str, code: int, out: bytes):
    result = run_line(line, TOOLS)
    assert (result.code, result.out) == (code, out)


def test_redirections(tmp_path: Path):
    file = tmp_path / "f"
    assert run_line(f"echo a > {file} && echo b >> {file} && cat < {file}", TOOLS).out == b"a\nb\n"
    assert run_line(f"opt-tool --nonsense 2> {file}", TOOLS).err == b""
    assert b"error:" in file.read_bytes()


def test_an_exception_in_the_tool_is_no_expected_failure(monkeypatch: pytest.MonkeyPatch):
    def crash(*_: object) -> int:
        raise TypeError("a fault of the tool")

    monkeypatch.setattr("tilewright.opt_tool.main", crash)
    assert run_line("opt-tool", TOOLS).code == 70
    assert run_line("not opt-tool", TOOLS).code == 1
