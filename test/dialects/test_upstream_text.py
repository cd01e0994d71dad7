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
from tilewright.passes.linalg_generalize_named_ops import linalg_generalize_named_ops
from tilewright.runtime.driver.chunks import split
from tilewright.runtime.driver.roundtrip import check_round_trip
from tilewright.runtime.upstream import optimized

FILES = sorted((Path(__file__).parent / "Inputs").glob("*.mlir"))
UNNAMED = {"linalg.generic", "linalg.yield", "linalg.index", "linalg.softmax"} | {
    f"linalg.winograd_{name}_transform" for name in ("filter", "input", "output")
}
needs_upstream = pytest.mark.skipif(
    shutil.which("mlir-opt-19") is None, reason="no upstream MLIR 19: install Debian's mlir-19-tools"
)


def programs(text: str) -> list[str]:
    """Return the programs of a text without spaces at the ends of lines."""
    return ["\n".join(line.rstrip() for line in chunk.text.strip().splitlines()) for chunk in split(text, "// -----")]


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
    expected = [program for file in FILES for program in programs(file.read_text())]
    assert programs(optimized(text)) == expected


@needs_upstream
def test_simplified_programs_are_read_by_upstream() -> None:
    parsed = [module for file in FILES for module in modules(file)]
    pipeline = parse_pipeline("canonicalize,cse", all_passes())
    for module in parsed:
        PassManager([], verify_each=True).run(module, pipeline, new_context())
    optimized("\n// -----\n".join(print_ir(module) for module in parsed))


@needs_upstream
def test_named_kernels_are_upstreams() -> None:
    file = next(file for file in FILES if file.stem == "linalg")
    # Upstream leaves maps as they are, and has the constants of a random fill in another order.
    texts = [text for text in programs(file.read_text()) if "linalg.map" not in text and "fill_rng" not in text]
    parsed = [parse_module(new_context(), text) for text in texts]
    for module in parsed:
        linalg_generalize_named_ops(module)
        assert {op.name for op in module.walk() if op.name.startswith("linalg.")} <= UNNAMED
    simplify = ["canonicalize"]
    ours = programs(optimized("\n// -----\n".join(print_ir(module) for module in parsed), simplify))
    assert ours == programs(optimized("\n// -----\n".join(texts), ["linalg-generalize-named-ops", *simplify]))
