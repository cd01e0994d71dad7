"""Ops made like those of earlier lines: texts give the same IR as when each op is read by its tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.lines import LineReader
from tilewright.dialects.core.syntax.parser import LocatingParser
from tilewright.dialects.core.syntax.printer import Locations
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.runtime.testing.programs.program import PROFILES, program

pytestmark = pytest.mark.quick
TESTS = Path(__file__).parents[2]
FILES = sorted(TESTS.rglob("*.mlir"))
CONTEXT = new_context(allow_unregistered=True)


class TokenParser(LocatingParser):
    _reads_lines = False


def outcome(text: str, new_parser: type[LocatingParser]) -> str:
    try:
        module = parse_module(CONTEXT, text, "a.mlir", new_parser=new_parser)
    except Diagnostic as error:
        return str(error)
    printed = print_ir(module, generic=True, locations=Locations.ALL)
    # The name of a resource is numbered where another text of this process has it.
    return re.sub(r"dense_resource<(\w+?)_\d+>", r"dense_resource<\1>", printed)


def check(text: str) -> None:
    assert outcome(text, LocatingParser) == outcome(text, TokenParser)


@pytest.mark.parametrize("file", FILES[::40], ids=lambda path: path.name)
def test_files_of_the_suite(file: Path) -> None:
    for part in file.read_text().split("// -----"):
        check(part)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(40))
def test_all_files_of_the_suite(first: int) -> None:
    for file in FILES[first::40]:
        for part in file.read_text().split("// -----"):
            check(part)


@given(st.sampled_from(sorted(PROFILES)), st.integers(0, 10_000), st.booleans())
def test_random_programs(profile: str, seed: int, generic: bool) -> None:
    text = program(seed, profile=profile).text
    if generic:
        text = print_ir(parse_module(CONTEXT, text), generic=True, locations=Locations.GIVEN)
    check(text)


INTEGERS = ("a", "b", "p#0", "p#1", "q#0", "q", "late")
INDICES = ("x", "y")
LINES = (
    "arith.addi %I, %I : i32",
    '"t.op"(%I, %I) {s = "%I"} : (i32, i32) -> i32',
    "arith.addi %I, %I : i32  // %I",
    'arith.addi %I, %I {s = "%I"} : i32',
    'arith.addi %I, %I {s = "\\"%I"} : i32',
    "arith.addi %I, %I overflow<nsw> : i32",
    "arith.addi %I, %I : i32 loc(unknown)",
    'arith.addi %I, %I : i32 loc("a":1:2)',
    "arith.addi %I, %I : i64",
    "arith.addi %I,%I:i32",
    '"arith.muli"(%I, %I) : (i32, i32) -> i32',
    '"t.none"() : () -> i32',
    "arith.constant 1 : i32",
    "arith.constant 1 : i32 arith.constant 2 : i32",
    "func.call @f(%I, %I, %X, %X, %m) : (i32, i32, index, index, memref<4x4xi32>) -> i32",
    "memref.load %m[%X, %X] : memref<4x4xi32>",
    "affine.load %m[%X + %X, %X] : memref<4x4xi32>",
    "affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%X)[%X]",
    "arith.addi %I, %late : i32",
)
CONTINUATIONS = (
    '    loc("b":3:4)',
    '    loc("b":3:4)',
    "    // a comment, %a",
    "    {s = 1 : i32} : i32",
    "    : i32",
    "  }",
)
DEFINITIONS = ("", "%v{}  =", "%a = ", "%v{}:1 = ")


def drawn(random: Random, number: int, names: Sequence[str]) -> str:
    """Return a line that defines a value; of some another definition, something after it, or an operand of any type."""
    line = random.choice(LINES[: random.choice((2, 5, len(LINES)))])
    kinds = {"%I": names, "%X": INDICES} if random.random() < 0.98 else {"%I": INDICES, "%X": names}
    line = re.sub("%[IX]", lambda slot: f"%{random.choice(kinds[slot[0]])}", line)
    definition = "%v{} = " if random.random() < 0.98 else random.choice(DEFINITIONS)
    after = "" if random.random() < 0.96 else f"\n{random.choice(CONTINUATIONS)}"
    return f"    {definition.format(number)}{line}{after}"


@settings(max_examples=100)
@given(st.integers(0, 1 << 32))
def test_lines_drawn_to_be_alike(seed: int) -> None:
    random = Random(seed)
    names = INTEGERS[: random.choice((2, 4, len(INTEGERS)))]
    lines = [drawn(random, number, names) for number in range(30)]
    arguments = "%a: i32, %b: i32, %x: index, %y: index, %m: memref<4x4xi32>"
    values = '    %p:2 = "t.two"() : () -> (i32, i32)\n    %q = arith.constant 3 : i32'
    for count in (len(lines), random.randrange(len(lines)), random.randrange(8)):
        body = "\n".join([values, *lines[:count], "    %late = arith.constant 0 : i32"])
        check(f"  func.func @f({arguments}) -> i32 {{\n{body}\n    func.return\n      %a : i32\n  }}\n")


def test_lines_alike_are_made_without_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    op_like = LineReader.op_like

    def count(reader: LineReader, key: object, names: object, values: object) -> object:
        like = op_like(reader, key, names, values)  # pyright: ignore[reportArgumentType]
        made.extend(["made"] if like is not None else [])
        return like

    monkeypatch.setattr(LineReader, "op_like", count)
    chain = [f"    %v{new} = arith.addi %v{old}, %a : i32" for old, new in pairwise(range(100))]
    text = "\n".join(["func.func @f(%a: i32, %v0: i32) -> i32 {", *chain, "    func.return %v99 : i32", "}"])
    parse_module(CONTEXT, text)
    assert len(made) == 98
