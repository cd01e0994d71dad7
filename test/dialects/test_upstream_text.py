"""
What mlir-opt 19 prints is read, and what is printed of it mlir-opt reads as the same.

`Inputs/` holds programs of every op of upstream's standard dialects, as mlir-opt prints them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.driver.driver import split
from tilewright.runtime.driver.roundtrip import check_round_trip
from tilewright.runtime.upstream import optimized

FILES = sorted((Path(__file__).parent / "Inputs").glob("*.mlir"))
needs_upstream = pytest.mark.skipif(
    shutil.which("mlir-opt-19") is None, reason="no upstream MLIR 19: install Debian's mlir-19-tools"
)


def modules(file: Path) -> list[ModuleOp]:
    """Return the verified programs of a file."""
    context = new_context()
    parsed = [
        parse_module(context, chunk.text, str(file), first_line=chunk.first_line)
        for chunk in split(file.read_text(), "// -----")
    ]
    for module in parsed:
        verify(module)
    return parsed


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_text_is_read(file: Path) -> None:
    context = new_context()
    for module in modules(file):
        check_round_trip(module, context)


@needs_upstream
@pytest.mark.parametrize("generic", [False, True])
def test_text_is_read_by_upstream_as_it_was(generic: bool) -> None:
    parsed = [module for file in FILES for module in modules(file)]
    text = "\n// -----\n".join(print_ir(module, generic=generic) for module in parsed)
    printed = [chunk.text.strip() for chunk in split(optimized(text), "// -----")]
    expected = [chunk.text.strip() for file in FILES for chunk in split(file.read_text(), "// -----")]
    assert printed == expected


@needs_upstream
def test_simplified_programs_are_read_by_upstream() -> None:
    parsed = [module for file in FILES for module in modules(file)]
    pipeline = parse_pipeline("canonicalize,cse", all_passes())
    for module in parsed:
        PassManager([], verify_each=True).run(module, pipeline, new_context())
    optimized("\n// -----\n".join(print_ir(module) for module in parsed))
