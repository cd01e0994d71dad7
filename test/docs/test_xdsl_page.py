"""The examples of docs/xdsl.md: right after opt-tool's passes, wrong after those of xDSL that is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import random_inputs, run_module

PAGE = Path(__file__).parents[2] / "docs" / "xdsl.md"
EXAMPLES = re.findall(r"^```mlir\n// opt-tool: (.*)\n((?:.*\n)*?)```", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

pytestmark = pytest.mark.quick


def results(text: str) -> dict[str, np.ndarray]:
    """Return what a program computes from random inputs, which its text does not decide."""
    module = parse_module(new_context(), text)
    return dict(run_module(module, random_inputs(module, seed=2)))


def is_same(text: str, other: str) -> bool:
    """Return whether two programs compute the same; False where the second one does not run."""
    expected = results(text)
    try:
        found = results(other)
    except Diagnostic:
        return False
    return all(np.array_equal(expected[name], found[name]) for name in expected)


def after(text: str, passes: str) -> str:
    """Return a program after passes of opt-tool."""
    context = new_context()
    module = parse_module(context, text)
    PassManager().run(module, parse_pipeline(passes, all_passes()), context)
    return str(module)


def test_the_page_has_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize(("passes", "text"), EXAMPLES, ids=[passes.partition("{")[0] for passes, _ in EXAMPLES])
def test_an_example_stays_right_in_opt_tool(passes: str, text: str):
    assert is_same(text, after(text, passes))


@pytest.mark.nightly
@pytest.mark.parametrize(("passes", "text"), EXAMPLES, ids=[passes.partition("{")[0] for passes, _ in EXAMPLES])
def test_an_example_is_wrong_in_xdsl(passes: str, text: str):
    command = [str(Path(sys.executable).with_name("xdsl-opt")), "-p", passes]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode or not is_same(text, run.stdout), "xDSL has no such fault any more: docs/xdsl.md"
