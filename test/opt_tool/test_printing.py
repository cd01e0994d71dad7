"""Printing between passes: unified differences of IR, and trees of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.opt_tool import main
from tilewright.runtime.driver.edit_script import common_runs
from tilewright.runtime.driver.ir_diff import unified_diff

pytestmark = pytest.mark.quick

TEXT = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
module @m {
  func.func @g(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    func.return %0 : i32
  }
}
"""
PIPELINE = (
    "builtin.module(canonicalize,func.func(cse,canonicalize),"
    "builtin.module(symbol-dce,func.func(cse,cse),symbol-dce),cse)"
)
TREE = """\
builtin_module_no-symbol-name/0_canonicalize.mlir
builtin_module_no-symbol-name/1_cse.mlir
builtin_module_no-symbol-name/builtin_module_m/0_0_symbol-dce.mlir
builtin_module_no-symbol-name/builtin_module_m/0_1_symbol-dce.mlir
builtin_module_no-symbol-name/builtin_module_m/func_func_g/0_0_0_cse.mlir
builtin_module_no-symbol-name/builtin_module_m/func_func_g/0_0_1_cse.mlir
builtin_module_no-symbol-name/func_func_f/0_0_cse.mlir
builtin_module_no-symbol-name/func_func_f/0_1_canonicalize.mlir
"""
"""The files of mlir-opt 19 with --mlir-print-ir-after-all."""


def test_a_tree_has_the_files_of_mlir_opt(tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(TEXT)
    words = [f"--pass-pipeline={PIPELINE}", f"--mlir-print-ir-tree-dir={tmp_path / 'tree'}", "-o", os.devnull]
    assert main([str(tmp_path / "in.mlir"), "--mlir-print-ir-after-all", *words]) == 0
    files = sorted(str(file.relative_to(tmp_path / "tree")) for file in (tmp_path / "tree").rglob("*.mlir"))
    assert files == TREE.split()
    text = (tmp_path / "tree" / files[-2]).read_text()
    assert text.startswith("// -----// IR Dump After CsePass (cse) //----- //\nfunc.func @f(")
    assert text.count("arith.addi") == 1


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_the_edit_script_is_the_shortest(old: list[str], new: list[str]) -> None:
    longest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for x, line in enumerate(old):
        for y, other in enumerate(new):
            best = max(longest[x][y + 1], longest[x + 1][y])
            longest[x + 1][y + 1] = longest[x][y] + 1 if line == other else best
    runs = common_runs(old, new)
    assert sum(size for _, _, size in runs) == longest[-1][-1]
    x = y = 0
    for first, start, size in runs:
        assert first >= x
        assert start >= y
        assert old[first : first + size] == new[start : start + size]
        x, y = first + size, start + size


def test_a_renaming_is_no_change_and_another_operand_is() -> None:
    before = "func.func @f(%a: i32) {\n  %0 = addi %a, %a\n  %1 = subi %0, %a\n  %2 = muli %1, %1\n}"
    renamed = before.replace("%0", "%x").replace("%1", "%0").replace("%2", "%1")
    assert unified_diff(before, renamed, "p") == ""
    swapped = before.replace("subi %0, %a", "subi %a, %0")
    assert [line for line in unified_diff(before, swapped, "p").split("\n")[3:] if line[0] in "+-"] == [
        "-  %1 = subi %0, %a",
        "+  %1 = subi %a, %0",
    ]
    assert "\x1b[32m+  %1 = subi %a, %0" in unified_diff(before, swapped, "p", is_coloured=True)
