"""Completion by the text before the cursor, and the texts shown for names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from xdsl.context import Context

from tilewright.dialects import all_dialects
from tilewright.dialects.core.syntax.text import new_context
from tilewright.opt_tool import argument_parser
from tilewright.passes import all_passes
from tilewright.runtime.lsp.analysis import analyse
from tilewright.runtime.lsp.completions import Vocabulary, complete
from tilewright.runtime.lsp.hover import hover_at
from tilewright.runtime.lsp.lenses import RUN_TEST, Lens, lenses


@cache
def contexts() -> Mapping[bool, Context]:
    return {accepts: new_context(allow_unregistered=accepts) for accepts in (False, True)}


@cache
def words() -> Vocabulary:
    values = {"-t": ["c", "mlir"], "--target": ["host"]}
    return Vocabulary(contexts()[False], [*all_dialects()], all_passes(), argument_parser(), values)


def completed(text: str) -> list[str]:
    """Return what may replace the word before `|`."""
    return [candidate.text for candidate in complete(text.replace("|", ""), text.index("|"), words())]


@pytest.mark.parametrize(
    ("text", "some", "others"),
    [
        ("  %0 = arith.add|", {"arith.addi", "arith.addf"}, {"arith.subi"}),
        ('  %0 = "hier.gr|', {"hier.grid"}, {"hier.launch"}),
        ("  scf.for %i = %a to %b step %c { memref.st|", {"memref.store"}, {"memref.load"}),
        ("  hi|", {"hier"}, {"arith"}),
        ("  %0, %1:2 = ar|", {"arith"}, {"hier"}),
        ("func.func @f(%a: !hier.to|", {"hier.token"}, {"hier.grid"}),
        ("#map = affine_map<() -> ()>\nfunc.func @f() attributes {a = #m|", {"map"}, set[str]()),
        ("func.func @f() { func.call @|", {"f"}, set[str]()),
        ("func.func @f(%first: i32) {\n  func.return %f|", {"first"}, {"f"}),
        ("func.func @other() {\n}\n// -----\nfunc.func @f() {\n  func.call @|", {"f"}, {"other"}),
        ("  %0 = arith.addi %a, %b {over|", {"overflowFlags"}, {"arith"}),
        ("// RUN: opt-tool %s -p canon|", {"canonicalize"}, {"cse"}),
        ("// RUN: opt-tool %s -p 'canonicalize,cs|", {"cse"}, {"canonicalize"}),
        ("// RUN: opt-tool %s --pass-pipeline='builtin.module(func.func(ls|", set[str](), {"cse"}),
        ("// RUN: opt-tool %s --pass-pipeline='builtin.module(func.func(cs|", {"cse"}, {"licm"}),
        ("// RUN: opt-tool %s --verify-d|", {"--verify-diagnostics"}, {"--verify-memory"}),
        ("// RUN: opt-tool %s --verify-m|", {"--verify-memory"}, {"--verify-diagnostics"}),
        ("// RUN: opt-tool %s -p attach-machine{ta|", {"target"}, set[str]()),
        ("// RUN: opt-tool %s -t |", {"c", "mlir"}, {"host"}),
        ("// RUN: opt-tool %s --target ho|", {"host"}, {"c"}),
        ("  // arith.add|", set[str](), {"arith.addi"}),
        ("  no_dialect.a|", set[str](), {"arith"}),
    ],
)
def test_completions(text: str, some: set[str], others: set[str]) -> None:
    labels = {*completed(text)}
    assert some <= labels
    assert not labels & others


PROGRAM = """\
// RUN: opt-tool %s -p cse \\
// RUN:   | filecheck %s
// RUN: opt-tool %s
#twice = affine_map<(d0) -> (d0 * 2)>
builtin.module attributes {hier.machine = {name = "m", levels = {RAM = {size = 1048576}, L1 = {size = 65536}},
    links = {dma = {far = "RAM", near = "L1", width = 8}},
    engines = {core = {level = {ins = ["RAM"]}, runs = {"*" = {cost = "per_element", cycles = 4.0 : f64}}}}}} {
  func.func @f(%i: index, %b: memref<4x8xi16, "L1">) -> i32 {
    %c = arith.constant 255 : i32
    %m = memref.alloc() : memref<?xi8, "RAM">
    %s:2 = func.call @two(%c) : (i32) -> (i32, i32)
    %x = arith.andi %s#1, %c : i32
    func.return %x : i32
  }
  func.func private @two(i32) -> (i32, i32)
  hier.grid () in [] {
  }
}
"""


def test_texts_of_names() -> None:
    text = PROGRAM.replace("  hier.grid () in [] {\n  }\n", "").replace("%m = memref.alloc()", "%m = memref.alloc(%i)")
    analysis = analyse(text, contexts())
    assert not analysis.problems

    def shown(name: str, at: int = 0) -> str:
        hover = hover_at(analysis, text.index(name) + at)
        return hover[1] if hover is not None else ""

    assert "memory level: L1, 64 bytes of 65536" in shown("%b:")
    assert "memory level: RAM" in shown("%m =")
    assert "value range: [0, 255]" in shown("%x =")
    assert "value range: [255, 255]" in shown("%c : i32\n")
    assert "%s#1 : i32" in shown("%s#1")
    assert "%s#0 : i32" in shown("%s:2")
    assert "%s#1 : i32" in shown("%s:2")
    assert "(i32) -> (i32, i32)" in shown("@two(%c)")
    assert "affine_map<(d0) -> (d0 * 2)>" in shown("#twice")
    assert "operands: `lhs`, `rhs`" in shown("arith.andi", 3)
    assert shown("// RUN") == ""


def test_the_text_of_an_op_with_an_error_has_its_example() -> None:
    analysis = analyse(PROGRAM, contexts())
    hover = hover_at(analysis, PROGRAM.index("hier.grid"))
    assert hover is not None
    assert "    hier.grid (%i, %j) in [2, 3]" in hover[1]


def test_lenses() -> None:
    index = analyse(PROGRAM, contexts()).index
    assert lenses(index) == [
        Lens(0, "run this test", RUN_TEST),
        Lens(0, "run this line", RUN_TEST, 0),
        Lens(2, "run this line", RUN_TEST, 2),
        Lens(7, "%b: L1, 64 bytes"),
        Lens(9, "%m: RAM"),
    ]
