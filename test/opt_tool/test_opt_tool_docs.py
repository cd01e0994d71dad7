from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright.opt_tool import main, parse_arguments

pytestmark = pytest.mark.quick

DOCS = (Path(__file__).parents[2] / "docs" / "opt-tool.md").read_text(encoding="utf-8")


def test_all_options_in_the_docs_exist(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    shown = set(re.findall(r"--[a-z][\w-]+", capsys.readouterr().out))
    of_others = re.compile(r"`(?:lit|filecheck) [^`]*`")
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]+", of_others.sub("", DOCS))) <= shown


def test_commands_in_the_docs_parse():
    commands = [line for line in re.findall(r"^(?:cat f.mlir \| )?opt-tool (.*)$", DOCS, re.MULTILINE)]
    assert len(commands) >= 5
    for command in commands:
        assert parse_arguments(re.sub("'", "", command).split())


def test_the_example_of_expected_errors_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    example = DOCS[DOCS.index("// RUN: opt-tool %s --split-input-file") :].partition("```")[0]
    (tmp_path / "in.mlir").write_text(example)
    assert main([str(tmp_path / "in.mlir"), "--split-input-file", "--verify-diagnostics"]) == 0
    (tmp_path / "in.mlir").write_text(example.replace("arith.addi %1, %1", "arith.addi %0, %0"))
    assert main([str(tmp_path / "in.mlir"), "--split-input-file", "--verify-diagnostics"]) == 0
    (tmp_path / "in.mlir").write_text(example.replace("@+1", "@+2"))
    assert main([str(tmp_path / "in.mlir"), "--split-input-file", "--verify-diagnostics"]) == 1
    assert "unexpected error" in capsys.readouterr().err
