"""Texts of passes and dialects from outside of the package, and the tools that tests call with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from tilewright import cli, opt_tool

PASS = """
from dataclasses import dataclass
from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from tilewright.passes.core.base import Pass

@dataclass(frozen=True)
class {cls}(Pass):
    '''
    Rename functions.
    '''
    name = "{name}"
    to: str = "renamed"

    def apply(self, ctx, op):
        for function in op.walk():
            if isinstance(function, func.FuncOp):
                function.properties["sym_name"] = StringAttr(self.to)
"""
DIALECT = """
from xdsl.dialects.builtin import i32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

@irdl_op_definition
class TwiceOp(IRDLOperation):
    name = "{dialect}.twice"
    x = operand_def(i32)
    y = result_def(i32)
    assembly_format = "$x attr-dict"

DOUBLE = Dialect("{dialect}", [TwiceOp{more}])
"""
FUNCTION = "func.func @f(%x: i32) -> i32 {\n  func.return %x : i32\n}\n"


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write files by their names and return the folder."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def called(
    main: Callable[[list[str]], int], words: Sequence[str | Path], capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


tilewright, tool = partial(called, cli.main), partial(called, opt_tool.main)
