"""Index of documents: definitions are those of the IR, and a renamed program is the same program."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.syntax.occurrences import ParsingCancelled
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.locations import InferredLoc
from tilewright.runtime.lsp.analysis import Analysis, analyse
from tilewright.runtime.lsp.index import DocumentIndex, Entity, EntityKind
from tilewright.runtime.lsp.outline import outline
from tilewright.runtime.lsp.positions import Positions
from tilewright.runtime.testing.programs.program import PROFILES, program

TESTS = Path(__file__).parents[2]
NAMES = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|([%^@][\w$.-]+)')


@cache
def contexts() -> Mapping[bool, Context]:
    return {accepts: new_context(allow_unregistered=accepts) for accepts in (False, True)}


def analysed(text: str) -> Analysis:
    return analyse(text, contexts())


def starts_of(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def offset_of(op: Operation, starts: list[int]) -> int | None:
    """Return the position of an op; None for one that the parser has made without text, such as of a body of `fill`."""
    location = op.location
    return starts[location.line.data - 1] + location.column.data - 1 if isinstance(location, InferredLoc) else None


def innermost(index: DocumentIndex, position: int) -> int:
    op = index.ops[bisect_right(index.ops, position, key=lambda op: op.start) - 1]
    while op.end <= position:
        assert op.parent is not None
        op = op.parent
    return op.start


def values_of(module: ModuleOp) -> Iterator[SSAValue]:
    for op in nested_ops(module.body):
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def check_definitions(text: str) -> None:
    """Check each value of the IR: it is defined and used where the index says."""
    analysis = analysed(text)
    index = analysis.index
    assert not analysis.problems
    ((_, module),) = analysis.modules
    starts = starts_of(text)
    entities = {value: entity for entity in index.entities for value in entity.values}
    for value in values_of(module):
        by_ir = {offset_of(use.operation, starts) for use in value.uses} - {None}
        if value not in entities:  # without a name in the text
            assert not by_ir, value
            continue
        entity = entities[value]
        owner = value.owner.parent_op() if isinstance(value, BlockArgument) else value.owner
        assert isinstance(owner, Operation)
        assert innermost(index, entity.definition.start) == offset_of(owner, starts)
        used = [range for range in entity.uses if (place := index.occurrence_at(range.start)) and place.value is value]
        by_text = {innermost(index, range.start) for range in used}
        assert by_ir <= by_text, (entity, value)
        assert all(text[range.start : range.end] == entity.name for range in entity.occurrences)
    missed = [match[1] for match in NAMES.finditer(text) if match[1] and not index.covers(match.start(1))]
    assert not missed


def renamed(text: str, entity: Entity, index: DocumentIndex, name: str) -> str:
    for range, written in reversed(index.rename(entity, name)):
        text = text[: range.start] + written + text[range.end :]
    return text


def without_names(module: ModuleOp) -> str:
    """Return the text of a module in which values and blocks have no names of their own."""
    for op in nested_ops(module.body):
        for region in op.regions:
            for block in region.blocks:
                block.name_hint = None
    for value in values_of(module):
        value.name_hint = None
    return print_ir(module, generic=True)


def check_renaming(text: str, seed: int, most: int = 6) -> None:
    """Rename some names of each kind: the program is the same, for a symbol with its old name again."""
    analysis = analysed(text)
    expected, choice = without_names(analysis.modules[0][1]), random.Random(seed)
    for kind in EntityKind:
        entities = [entity for entity in analysis.index.entities if entity.kind is kind]
        changed, names = text, choice.sample(entities, min(most, len(entities)))
        for number, name in enumerate(sorted({entity.name for entity in names})):
            index = analysed(changed).index
            entity = choice.choice([entity for entity in index.entities if entity.name == name])
            changed = renamed(changed, entity, index, f"fresh_{number}")
        assert not names or changed != text
        if kind is EntityKind.SYMBOL and names:
            assert parse_module(contexts()[True], changed)
            for number, name in enumerate(sorted({entity.name for entity in names})):
                index = analysed(changed).index
                entity = next(entity for entity in index.entities if entity.name == f"@fresh_{number}")
                changed = renamed(changed, entity, index, name)
        assert without_names(parse_module(contexts()[True], changed)) == expected, kind


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6))
def test_random_programs(seed: int) -> None:
    text = program(seed, profile=[*PROFILES][seed % len(PROFILES)]).text
    check_definitions(text)
    check_renaming(text, seed)


@pytest.mark.parametrize(
    "name",
    ["dialects/hier/lookup", "machines/programs/npu_cluster_overlap", "machines/programs/paged_disk"],
)
def test_programs_of_tiles(name: str) -> None:
    text = (TESTS / f"{name}.mlir").read_text(encoding="utf-8").partition("// -----")[0]
    check_definitions(text)
    check_renaming(text, 0)


MODULE = """\
#map = affine_map<(d0) -> (d0 * 2)>
!t = i32
module {
  func.func @a(%x: !t, %i: index) -> !t {
    %y = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%i]
    %m = memref.alloc() : memref<8xi32>
    %z = affine.load %m[%i + %i] : memref<8xi32>
    %0:2 = func.call @b(%x) : (!t) -> (!t, !t)
    cf.br ^late
  ^end(%r: i32):
    %s = arith.addi %r, %q#1 : i32
    func.return %s : i32
  ^late:
    %q:2 = func.call @b(%x) : (!t) -> (!t, !t)
    cf.br ^end(%0#1 : i32)
  }
  "func.func"() <{sym_name = "b", function_type = (i32) -> (i32, i32), sym_visibility = "private"}> ({}) : () -> ()
  func.func private @"c d"(i32)
  func.func @e(%x: i32) attributes {map = #map} {
    func.call @"c d"(%x) : (i32) -> ()
    func.return
  }
}
"""


def entity_of(index: DocumentIndex, name: str) -> Entity:
    return next(entity for entity in index.entities if entity.name == name)


def test_all_kinds_of_names() -> None:
    index = analysed(MODULE).index
    counts = {entity.name: len(entity.uses) for entity in index.entities if entity.name != "%x"}
    none = dict.fromkeys(("@a", "@e", "%y", "%z"), 0)
    one = dict.fromkeys(("#map", "@c d", "%m", "%0", "%r", "%s", "%q", "^end", "^late"), 1)
    assert counts == {**none, **one, "!t": 8, "@b": 2, "%i": 4}
    check_renaming(MODULE, 1, most=9)


def test_names_that_cannot_be_given() -> None:
    index = analysed(MODULE).index
    for name, new in (("%i", "%y"), ("%i", "a b"), ("@a", "@b"), ("^end", "^"), ("#map", "1"), ("%y", "")):
        with pytest.raises(Diagnostic):
            index.rename(entity_of(index, name), new)
    quoted = {written for _, written in index.rename(entity_of(index, "@b"), "x y")}
    assert quoted == {'@"x y"', '"x y"'}


def test_names_of_other_regions_can_be_given() -> None:
    region = "{{ %{0} = arith.constant 1 : i32 scf.yield %{0} : i32 }}"
    text = f"""\
func.func @f(%c: i1) -> i32 {{
  %r = scf.if %c -> (i32) {region.format("a")} else {region.format("b")}
  func.return %r : i32
}}
"""
    index = analysed(text).index
    for name, new in (("%a", "%c"), ("%c", "%b")):
        with pytest.raises(Diagnostic):
            index.rename(entity_of(index, name), new)
    assert "%a" not in renamed(text, entity_of(index, "%a"), index, "%b")
    check_renaming(text, 0)


def test_nested_symbols_are_those_of_their_table() -> None:
    text = """\
module @outer {
  module @inner { func.func private @f() }
  func.func private @f()
  func.func @g() { "test.use"() {a = @f, b = @inner::@f, c = @missing} : () -> () func.return }
}
// RUN: opt-tool %s --allow-unregistered-dialect
"""
    analysis = analysed(text)
    assert not analysis.problems
    inner, outer = (entity for entity in analysis.index.symbols() if entity.name == "@f")
    assert [text[: range.start].split()[-1] for range in inner.uses] == ["@inner::"]
    assert len(outer.uses) == 1
    (top,) = outline(analysis.index)
    assert [(entry.name, [child.name for child in entry.children]) for entry in top.children] == [
        ("inner", ["f"]),
        ("f", []),
        ("g", []),
    ]


BROKEN = """\
func.func @f(%a: i32) -> i32 {
  %1 = arith.addi %a %a : i32
  func.return %1 : i32
}
func.func @g(%a: i32) -> i32 {
  %1 = func.call @f(%a) : (i32) -> i32
  %2 = arith.addx %1, %a : i32
  cf.br ^bb1(%1 : i32)
^bb1(%q: i32):
  func.return %q : i32
}
func.func @h(%a: i32) -> i32 {
  %1 = func.call @g(%a) : (i32) -> i32
  func.return %1 : i32
}
// -----
func.func @f(%a: i64) -> i32 {
  "test.x"() : () -> ()
  func.return %a : i64
}
func.func @g(%a: i64) -> i32 {
  func.return %a : i64
}
// -----
func.func @h(%a: i64) -> i32 {
  func.return %a : i64
}
func.func @k(%a: i64) -> i32 {
  func.return %a : i64
}
"""


def test_errors_of_all_chunks_and_names_around_them() -> None:
    analysis = analysed(BROKEN)
    shown = [(BROKEN.count("\n", 0, p.range.start) + 1, BROKEN[slice(*p.range)]) for p in analysis.problems]
    assert shown == [(2, "%a"), (7, "%2"), (18, '"test.x"'), (26, "func.return"), (29, "func.return")]
    symbols = analysis.index.symbols()
    assert [entity.name for entity in symbols] == ["@f", "@g", "@h", "@f", "@g", "@h", "@k"]
    assert [len(entity.uses) for entity in symbols] == [1, 1, 0, 0, 0, 0, 0]


def test_every_op_that_does_not_verify_is_reported() -> None:
    text = """\
func.func @f(%c: i1, %a: i64, %b: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    "arith.addi"(%a) : (i64) -> ()
    scf.yield %b : i32
  } else {
    scf.yield %s : i32
  }
  %s = arith.constant 1 : i32
  func.return %a : i64
}
"""
    shown = [text.count("\n", 0, problem.range.start) + 1 for problem in analysed(text).problems]
    assert shown == [3, 6, 9]


def test_an_error_has_no_others_as_consequences() -> None:
    function = (
        "  func.func @{0}(%a: i32) -> i32 {{\n    %b = arith.addi %a, %{0} : i32\n    func.return %b : i32\n  }}\n"
    )
    text = "module {\n" + "".join(function.format(name) for name in ("f", "a", "h")) + "}\n"
    analysis = analysed(text)
    assert [text[slice(*problem.range)] for problem in analysis.problems] == ["%f", "%h"]
    assert [entity.name for entity in analysis.index.symbols()] == ["@f", "@a", "@h"]
    (alias,) = analysed("#map = affine_map<(d0) -> (d1)>\n" + text.replace("i32)", "i32 {a = #map})")).problems
    assert alias.range.start < 32


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_texts_cut_anywhere_are_analysed(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from((MODULE, BROKEN)))
    start = data.draw(st.integers(0, len(text)))
    cut = text[:start] + text[start + data.draw(st.integers(1, 40)) :]
    analysis = analysed(cut)
    assert all(0 <= problem.range.start <= problem.range.end <= len(cut) for problem in analysis.problems)
    for entity in analysis.index.entities:
        assert all(entity.name.strip('@"') in cut[range.start : range.end] for range in entity.occurrences)


def test_ops_without_their_symbol_define_none() -> None:
    nameless = '"func.func"() <{function_type = () -> (), sym_visibility = "private"}> ({}) : () -> ()\n'
    analysis = analysed(f"{nameless}func.func @f() {{\n  func.call @f() : () -> ()\n  func.return\n}}\n")
    assert ["sym_name" in problem.error.message for problem in analysis.problems] == [True]
    assert [entity.name for entity in analysis.index.entities] == ["@f"]


def test_expected_errors_are_those_that_come() -> None:
    body = "func.func @f(%a: i64) -> i32 {{\n  // expected-error@+1 {{{{{}}}}}\n  func.return %a : i64\n}}\n"
    run = "// RUN: opt-tool %s --split-input-file --verify-diagnostics{}\n"
    text = run.format("") + body.format("does not verify") + "// -----\n" + body.format("another text")
    problems = analysed(text).problems
    assert [problem.is_expected for problem in problems] == [True, False, False]
    assert problems[2].error.message == "expected error did not come: another text"
    # The passes of the command may raise what is expected.
    assert len(analysed(run.format(" -p cse") + body.format("another text")).problems) == 1


def test_stale_texts_are_not_read_on() -> None:
    count = 0

    def is_stale() -> bool:
        nonlocal count
        count += 1
        return count > 50

    with pytest.raises(ParsingCancelled):
        analyse(MODULE, contexts(), is_stale)
    assert count == 51


@given(st.text("a\u00fc\u20ac\U0001f600\n\r\x0c\u2028", max_size=30), st.sampled_from(("utf-8", "utf-16", "utf-32")))
def test_positions(text: str, encoding: str) -> None:
    positions = Positions(text, encoding)
    lines = re.split(r"\r\n|\n|\r", text)
    for offset in range(len(text) + 1):
        line, character = positions.at(offset)
        if text[offset - 1 : offset + 1] == "\r\n":  # no position is between the two
            continue
        assert positions.offset(line, character) == offset
        before = lines[line].encode({"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding))
        units = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        assert character <= len(before) // units
    assert positions.offset(len(lines), 0) == len(text)
    assert positions.offset(0, 1000) == len(lines[0])
