"""The IR in docstrings of ops parses, verifies and survives its text; operands have the types of their uses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import pytest
from xdsl.context import Context
from xdsl.utils.exceptions import ParseError

from tilewright.dialects import own_dialects
from tilewright.dialects.core.syntax.parser import LocatingParser
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.runtime.driver.roundtrip import check_round_trip

_PARAGRAPH = re.compile(r"(?:^ {4}.*\n?)+", re.MULTILINE)
_IR = re.compile(r" *(?:%\w+ = )?[a-z_]+\.[a-z_]+\b")

FRAGMENTS = {
    "hier.grid": "the types of kernels, and operands that the first example shows",
    "hier.first": "the body",
    "hier.last": "the body",
    "hier.launch": "the types of a target's kernel",
    "hier.program": "the body",
    "hier.resident": "the transfers",
    "opencl.stage": "the launches",
    "vendor.collect": "the facts of the artefact",
    "vendor.run": "the facts of the artefact",
}
"""Op whose examples leave out a part, written as `...` -> the part."""

INCOMPLETE = {
    "vector.yield": "the region",
    "tensor.parallel_insert_slice": "the loop",
    "hier.fork": "the function",
    "func.constant": "the function",
    "hier.join": "the launch",
    **dict.fromkeys(("hier.front", "hier.pop", "hier.push", "hier.release", "hier.reserve"), "the stream"),
    "hier.stream": "the programs",
    "hier.yield": "the grid around it",
    "memref.atomic_yield": "the region",
    "ml_program.global_load": "the global",
    "ml_program.global_load_const": "the global",
    "ml_program.global_store": "the global",
    "opencl.launch": "the kernel",
    "opencl.open": "the stage",
    **dict.fromkeys(("paged.append", "paged.attend", "paged.begin", "paged.commit", "paged.digest"), "the pool"),
    **dict.fromkeys(("paged.fork", "paged.switch", "paged.truncate", "paged.pin"), "the pool"),
}
"""Op whose example parses, but does not verify -> the part of a program that it needs for that."""


def shown_by(kind: type) -> list[str]:
    """Return the indented paragraphs of IR in the docstring of a class."""
    return [text for text in _PARAGRAPH.findall(inspect.cleandoc(kind.__doc__ or "")) if _IR.match(text)]


def examples() -> Iterator[tuple[str, str]]:
    """Yield the examples of the project's ops, with their names; where an op shows none, those of its base."""
    for make in own_dialects().values():
        for op in make().operations:
            if op.__module__.startswith("tilewright."):
                base = [text for text in shown_by(op.__base__ or object) if op.name in text]
                yield from ((op.name, text) for text in shown_by(op) or base)


EXAMPLES = list(examples())
WHOLE = [(op, text) for op, text in EXAMPLES if "..." not in text]


@pytest.fixture(scope="module")
def context() -> Context:
    return new_context()


def in_function(text: str, context: Context) -> str:
    """Return a function that holds an example; its arguments are the values that the example does not define."""
    parser = LocatingParser(context, f"func.func @f() {{\n{text}\nfunc.return\n}}", "example")
    try:
        parser.parse_module()
    except ParseError:
        pass  # of the undefined values; another error comes again, as a Diagnostic
    uses = {name: next(iter(each.values())).type for name, each in parser.forward_ssa_references.items()}
    arguments = ", ".join(f"%{name}: {type}" for name, type in uses.items())
    return f"func.func @f({arguments}) {{\n{text}\nfunc.return\n}}"


@pytest.mark.parametrize(("op", "text"), WHOLE, ids=[f"{op}-{index}" for index, (op, _) in enumerate(WHOLE)])
def test_an_example(op: str, text: str, context: Context) -> None:
    module = parse_module(context, in_function(text, context), "example")
    assert op in {each.name for each in module.walk()}
    if op in INCOMPLETE:
        with pytest.raises(Diagnostic):
            verify(module)
    else:
        verify(module)
    check_round_trip(module, context)


def test_fragments_are_listed() -> None:
    assert {op for op, text in EXAMPLES if "..." in text} <= set(FRAGMENTS)
    assert set(INCOMPLETE) <= {op for op, _ in WHOLE}
