"""Exceptions in the code of plug-ins are the plug-ins': file and line of the author, never "a fault of the tool"."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tilewright.test.extension_texts import DIALECT, FUNCTION, PASS, tool, write

pytestmark = pytest.mark.quick

HEAD = """
from dataclasses import dataclass
import numpy as np
from tilewright.dialects.core.syntax.text import print_ir
from tilewright.errors import Diagnostic
from tilewright.passes.core.base import Pass
from xdsl.transforms.dead_code_elimination import dce
from xdsl.utils.exceptions import PassFailedException
from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern

class Unprintable(Exception):
    def __str__(self): raise KeyError("no text")

class Pattern(RewritePattern):
    def match_and_rewrite(self, op, rewriter): op.nothing  # in a pattern

@dataclass(frozen=True)
class OwnPass(Pass):
    '''
    Fail.
    '''
    name = "own"
    def apply(self, ctx, op):
"""

FAILURES = {
    "op.absent  # here": "AttributeError: 'ModuleOp' object has no attribute 'absent'",
    "raise SystemExit(0)  # here": "SystemExit: 0",
    "assert False, 'first line\\nsecond line'  # here": "AssertionError: first line",
    "raise Unprintable  # here": "Unprintable",
    "print_ir(3)  # here": "AttributeError: ",
    "dce(3)  # here": "AttributeError: 'int' object has no attribute",
    "np.zeros(3).reshape(2, 2)  # here": "ValueError: cannot reshape array",
    "open('absent.txt')  # here": "FileNotFoundError: ",
    "self.name = 3  # here": "FrozenInstanceError: ",
    "PatternRewriteWalker(Pattern()).rewrite_module(op)": "object has no attribute 'nothing'",
    "from .inner import f; f()": "KeyError: 'inner'",
}


@pytest.mark.parametrize(("statement", "text"), FAILURES.items(), ids=FAILURES)
def test_exceptions_in_a_pass(statement: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    own = f"{HEAD}        {statement}\n"
    write(tmp_path, {"own.py": own, "inner.py": "def f():\n    {}['inner']  # in another file\n", "f.mlir": FUNCTION})
    code, out, err = tool([tmp_path / "f.mlir", "--load-pass", tmp_path / "own.py", "-p", "own"], capsys)
    assert (code, out) == (1, "")
    file, source = ("inner.py", "# in another file") if "inner" in statement else ("own.py", own)
    mark = next((mark for mark in ("# in a pattern", "# here") if mark in statement), "# in a pattern")
    line = 2 if file == "inner.py" else source[: source.index(mark)].count("\n") + 1
    assert f"{tmp_path / file}:{line}: error: [own, pass 1 of 1] the plug-in raises an exception in pass 'own': " in err
    assert text in err
    frames = re.findall(r"  note: (\S+:\d+), in (\w+): (.*)\n", err)
    assert frames[0][1:] == ("apply", statement)
    assert f"{tmp_path / file}:{line}" in [place for place, _, _ in frames]
    assert ('see current operation: "func.func"' in err) == ("Walker" in statement)
    assert not [
        words for words in ("fault of the tool", "internal error", "\nsecond line", "Traceback") if words in err
    ]


def test_what_a_pass_says_to_its_user_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for statement, expected in (
        ("raise Diagnostic('too wide', where='x:1:2')", "x:1:2: error: [own, pass 1 of 1] too wide\n"),
        ("raise PassFailedException('no loop')", "error: [own, pass 1 of 1] no loop\n  note: "),
    ):
        write(tmp_path, {"own.py": f"{HEAD}        {statement}\n", "f.mlir": FUNCTION})
        code, _, err = tool([tmp_path / "f.mlir", "--load-pass", tmp_path / "own.py", "-p", "own"], capsys)
        assert code == 1
        assert expected in err
        assert "the plug-in" not in err


def test_exceptions_of_a_dialect_and_of_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    verify = DIALECT.format(dialect="double", more="").replace(
        "    assembly", "    def verify_(self): {}[1]\n    assembly"
    )
    options = PASS.format(cls="Own", name="own") + "    def __post_init__(self): {}['odd']\n"
    program = FUNCTION.replace("func.return", "%y = double.twice %x\n  func.return")
    write(tmp_path, {"verify.py": verify, "options.py": options, "f.mlir": FUNCTION, "twice.mlir": program})
    for words, plugin, expected in (
        (["twice.mlir", "-p", "cse"], "verify.py", "verify.py:11 raises KeyError"),
        (
            ["f.mlir", "-p", "own"],
            "options.py",
            "options.py:19: error: the plug-in raises an exception in opt-tool: KeyError: 'odd'",
        ),
    ):
        code, out, err = tool([tmp_path / words[0], *words[1:], "--load-pass", tmp_path / plugin], capsys)
        assert (code, out) == (1, "")
        assert f"{tmp_path}/{expected}" in err


def test_exceptions_of_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    site = tmp_path / "site-packages"
    universe = "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={'own': lambda: OwnPass})\n"
    info = "wrong_plugin-1.0.dist-info"
    write(
        site,
        {
            f"{info}/METADATA": "Metadata-Version: 2.1\nName: wrong-plugin\nVersion: 1.0\n",
            f"{info}/entry_points.txt": "[xdsl.universe]\nwrong = wrong_plugin:UNIVERSE\n",
            "wrong_plugin/__init__.py": f"{HEAD}        op.absent\n{universe}",
            "f.mlir": FUNCTION,
        },
    )
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    try:
        code, _, err = tool([site / "f.mlir", "-p", "own"], capsys)
    finally:
        sys.modules.pop("wrong_plugin", None)
    assert code == 1
    line = HEAD.count("\n") + 1
    assert f"{site / 'wrong_plugin' / '__init__.py'}:{line}: error: [own, pass 1 of 1] the plug-in raises" in err


def test_a_wrong_call_of_a_pass_of_xdsl_is_not_a_plug_ins(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Exceptions that no plug-in's code passes are called as before, whether or not a plug-in is loaded."""
    program = "func.func @f() {\n  cf.br ^bb1\n^bb1:\n  func.return\n}\n"
    write(tmp_path, {"own.py": PASS.format(cls="Own", name="own"), "f.mlir": program})
    words = [tmp_path / "f.mlir", "--load-pass", tmp_path / "own.py", "-p", "function-constant-pinning"]
    code, _, err = tool(words, capsys)
    assert code == 1
    assert "a region is not a single block in pass 'function-constant-pinning'" in err
