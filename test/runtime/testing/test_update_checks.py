"""`opt-tool --update-checks`: CHECK lines from output, in place, that match it and fail for another."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.opt_tool import main
from tilewright.passes.core.pipeline import Pipeline
from tilewright.runtime.driver import driver
from tilewright.runtime.driver.checks.source import MARKER
from tilewright.runtime.driver.checks.update import update
from tilewright.runtime.driver.run_lines.script import run_lines
from tilewright.runtime.testing.lit.file import failure_of
from tilewright.runtime.testing.lit.tools import opt_tool

pytestmark = pytest.mark.quick

RUN = "// RUN: opt-tool %s -p {} | filecheck %s\n\n"
SUM = """func.func @sum(%0: index, %x.y: memref<2x2xi32>) -> i32 {
  %1 = arith.constant 0 : index
  %2 = memref.alloc() : memref<2x2xi32>
  memref.copy %x.y, %2 : memref<2x2xi32> to memref<2x2xi32>
  %3 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  scf.for %4 = %1 to %0 step %0 {
    memref.dealloc %2 : memref<2x2xi32>
  }
  %7 = arith.constant -7 : i32
  %8 = arith.addi %7, %7 : i32
  func.return %8 : i32
}
"""
WRITTEN = r"""// CHECK-LABEL: func.func @sum(
// CHECK-SAME: [[ARG0:%\w+]]: index, [[X_Y:%[\w$.-]*[\w$-]]]: memref<2x2xi32>) -> i32 {
// CHECK-NEXT: [[C0:%\w+]] = arith.constant 0 : index
// CHECK-NEXT: [[ALLOC:%\w+]] = memref.alloc() : memref<2x2xi32>
// CHECK-NEXT: memref.copy [[X_Y]], [[ALLOC]] : memref<2x2xi32> to memref<2x2xi32>
// CHECK-NEXT: scf.for [[IV:%\w+]] = [[C0]] to [[ARG0]] step [[ARG0]] {
// CHECK-NEXT: memref.dealloc [[ALLOC]] : memref<2x2xi32>
// CHECK-NEXT: }
// CHECK-NEXT: [[CM7:%\w+]] = arith.constant -7 : i32
// CHECK-NEXT: [[ADDI:%\w+]] = arith.addi [[CM7]], [[CM7]] : i32
// CHECK-NEXT: func.return [[ADDI]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: }
"""


def updated(file: Path, text: str) -> str:
    """Write a test, update it twice and return its text; its commands succeed."""
    file.write_text(text, encoding="utf-8")
    assert update(file, opt_tool)
    first = file.read_text(encoding="utf-8")
    assert not update(file, opt_tool)
    assert file.read_text(encoding="utf-8") == first
    assert failure_of(file) == ""
    return first


def test_lines_are_written_before_their_function_and_match_the_output(tmp_path: Path) -> None:
    text = updated(file := tmp_path / "sum.mlir", RUN.format("dce") + SUM)
    assert text == f"{RUN.format('dce')}{MARKER}\n{WRITTEN}{SUM}"
    file.write_text(text.replace("-p dce", ""), encoding="utf-8")
    assert "dense<" in failure_of(file)


def test_lines_follow_the_output(tmp_path: Path) -> None:
    text = updated(tmp_path / "sum.mlir", RUN.format("dce") + SUM)
    again = updated(tmp_path / "sum.mlir", text.replace("-p dce", "-p dce,canonicalize"))
    assert "addi [[" not in again
    assert again.count(MARKER) == 1


DENSE = """func.func @f() -> tensor<2x2xi32> {
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  func.return {note = "RUN : %c {{a}}"} %c : tensor<2x2xi32>
}
"""


def test_brackets_and_texts_are_no_captures(tmp_path: Path) -> None:
    text = updated(tmp_path / "dense.mlir", RUN.format("cse") + DENSE)
    assert r"[[C:%\w+]] = arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>" in text
    assert r'func.return {note = "RUN : %c {{\{\{}}a}}"} [[C]]' in text


def test_the_example_of_the_docs_holds(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[3] / "docs" / "opt-tool.md").read_text(encoding="utf-8")
    (example,) = (text for text in re.findall(r"```mlir\n(.*?)```", docs, re.DOTALL) if MARKER in text)
    assert updated(tmp_path / "f.mlir", re.sub(r"(?m)^// CHECK.*\n", "", example)) == example


PARTS = """// RUN: opt-tool %s --split-input-file | filecheck %s
// RUN: opt-tool %s --split-input-file -p symbol-dce | filecheck %s --check-prefixes=CHECK,DEAD
// RUN: opt-tool %s --split-input-file --mlir-print-op-generic | filecheck %s --check-prefix GENERIC

builtin.module attributes {one} {
  func.func private @f(%a: i32) {
    func.return
  }
  func.func @g() {
    func.return
  }
}

// -----

// Nothing calls @f.
func.func private @f(%b: i32) {
  func.return
}
"""


def test_parts_prefixes_and_forms(tmp_path: Path) -> None:
    text = updated(tmp_path / "parts.mlir", PARTS.replace("%s\n", "%s --check-prefix=ALL\n", 1))
    first, second = text.split("// -----\n")
    assert first.count(MARKER) == 8
    assert re.findall(r"// (\w+): builtin.module", first) == ["ALL", "CHECK"]
    assert '// GENERIC-LABEL: "func.func"() <{sym_name = "g"' in first
    assert "    // ALL-LABEL: func.func @g(" not in first
    assert "  // ALL-LABEL: func.func @g() {" in first
    assert "DEAD" not in text.replace("CHECK,DEAD", "")
    assert second.startswith(f"\n// Nothing calls @f.\n{MARKER}\n// ALL-LABEL: func.func private @f(")
    assert "// CHECK-LABEL" not in second
    (tmp_path / "two.mlir").write_text(PARTS)
    with pytest.raises(Diagnostic, match="prefix CHECK have different outputs"):
        update(tmp_path / "two.mlir", opt_tool)


def test_functions_that_the_test_has_not_follow_the_one_before(tmp_path: Path) -> None:
    run = "// RUN: cat %S/printed | filecheck %s\n"
    (tmp_path / "printed").write_text(
        "builtin.module {\n  func.func @b() {\n  func.func @new() {\n  func.func @a() {\n}\n"
    )
    text = updated(tmp_path / "moved.mlir", f"{run}func.func @a() {{\n}}\nfunc.func @b() {{\n}}\n")
    assert re.findall(r"@\w+", text) == ["@a", "@b", "@new", "@a", "@b"]


def test_line_numbers_and_paths_of_errors(tmp_path: Path) -> None:
    run = "// RUN: not opt-tool %s 2>&1 | filecheck %s\n\n"
    text = updated(tmp_path / "bad.mlir", f"{run}func.func @f() {{\n  func.return %x\n}}\n")
    assert "// CHECK: {{.*}}:9:" in text
    assert str(tmp_path) not in text


def test_c_is_matched_as_it_is(tmp_path: Path) -> None:
    run = "// RUN: opt-tool %s -p convert-to-emitc -t c | filecheck %s\n"
    text = updated(
        tmp_path / "c.mlir", f"{run}func.func @network(%x: memref<4xi32> {{tilewright.output}}) {{\n  func.return\n}}\n"
    )
    assert "\\w+" not in text
    assert re.search(r"// CHECK-LABEL: void \w*network\w*\(", text)


def test_lines_of_hand_stay(tmp_path: Path) -> None:
    file = tmp_path / "hand.mlir"
    two = "func.func @f(%a: i32) {\n  func.return\n}\nfunc.func @g(%a: i32) {\n  func.return\n}\n"
    run = "// RUN: opt-tool %s | filecheck %s\n"
    file.write_text(f"{run}// CHECK: func.func @f\n{two}")
    with pytest.raises(Diagnostic, match="written by hand"):
        update(file, opt_tool)
    text = updated(file, f"{run}// CHECK: func.func @f\n{MARKER}\n// CHECK: old\n\n// CHECK-NOT: old\n{two}")
    assert "// CHECK: func.func @f\n\n// CHECK-NOT: old\n" in text
    assert re.findall(r"LABEL: .*", text) == ["LABEL: func.func @g("]
    updated(file, f"{run}// RUN: opt-tool %s | filecheck %s --check-prefix=NEW\n// CHECK: func.func @f\n{two}")
    file.write_text(f"{run}// CHECK: func.func @f\n{MARKER}\n// CHECK: old\n\n// CHECK: other\n{two}")
    with pytest.raises(Diagnostic, match="do not match the output"):
        update(file, opt_tool)


def test_blocks_of_a_prefix_that_is_gone_are_replaced(tmp_path: Path) -> None:
    text = updated(file := tmp_path / "sum.mlir", RUN.format("dce") + SUM)
    file.write_text(text.replace("filecheck %s", "filecheck %s --check-prefix=DCE"))
    assert update(file, opt_tool)
    assert "CHECK-LABEL" not in file.read_text()
    assert "// DCE-LABEL" in file.read_text()


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        (SUM, "the file has no RUN line", "begin the file with a line"),
        ("// RUN: opt-tool %s\n" + SUM, "no RUN line has a filecheck of this file", "filecheck %s"),
        (RUN.format("csee") + SUM, "the RUN line fails", "mend the test"),
        ("// RUN: opt-tool $(echo %s) | filecheck %s\n" + SUM, "the RUN line needs a shell", "a simpler RUN line"),
        ("// RUN: date +%N | filecheck %s\n" + SUM, "the output differs from run to run", "by hand"),
        ("", "the input is empty", ""),
    ],
)
def test_errors(text: str, message: str, remedy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, good = tmp_path / "a.mlir", tmp_path / "good.mlir"
    file.write_text(text)
    good.write_text(RUN.format("cse") + SUM)
    assert main(["--update-checks", str(file), str(good)]) == 1
    out, err = capsys.readouterr()
    assert out == f"{good}: updated\n"
    assert err.startswith(f"{file}: error: {message}")
    assert remedy in err
    assert file.read_text() == text


def test_files_that_cannot_be_written_and_other_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.mlir"
    assert main(["--update-checks", str(file)]) == 1
    assert "cannot be read" in capsys.readouterr().err
    file.write_text(RUN.format("cse") + SUM)
    file.chmod(0o444)
    assert main(["--update-checks", str(file)]) == 1
    assert f"{file}: error: the test is read-only\n  remedy:     chmod +w" in capsys.readouterr().err
    assert main(["--update-checks", str(file), "-p", "cse"]) == 2
    assert main(["--update-checks", str(file), "--cse"]) == 2
    assert "takes no other option" in capsys.readouterr().err
    assert file.read_text() == RUN.format("cse") + SUM


TESTS = Path(__file__).parent.parent
SAMPLE = [
    file.relative_to(TESTS).as_posix()
    for file in sorted((TESTS / "passes").rglob("*.mlir"))
    if "// RUN: opt-tool %s -p" in (text := file.read_text()) and "filecheck %s\n" in text and "-keeps" not in file.name
]


@pytest.mark.nightly
@pytest.mark.parametrize("name", SAMPLE[::6])
def test_updated_tests_fail_without_passes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "copy"
    shutil.copytree((TESTS / name).parent, folder)
    shutil.copytree(TESTS / "machines", tmp_path / "machines")
    file = folder / Path(name).name
    text = file.read_text()
    if sum("filecheck" in line for line in run_lines(text)) > 1:
        pytest.skip("several outputs of one prefix may differ")
    updated(file, re.sub(r"(?m)^\s*// CHECK.*\n", "", text))
    monkeypatch.setattr(driver, "_pipeline", lambda *_: Pipeline(()))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    fails = failure_of(file) != ""
    try:
        is_changed = update(file, opt_tool)
    except Diagnostic:
        is_changed = True
    assert fails == is_changed
