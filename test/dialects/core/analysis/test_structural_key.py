"""Structural keys tell apart what differs in the structure of ops, and nothing else."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

from tilewright.dialects.core.analysis.structural_key import structural_key
from tilewright.dialects.core.syntax.text import new_context, parse_module

pytestmark = pytest.mark.quick

CODE = """
func.func @f(%a: i32, %b: i32, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (i32) {
    %k = arith.constant 3 : i32
    %p = arith.muli %s, %k : i32
    %q = arith.addi %p, %b : i32
    scf.yield %q : i32
  }
  func.return
}
"""


def loop(old: str = "", new: str = "") -> Operation:
    text = CODE.replace(old, new) if old else CODE
    return next(op for op in parse_module(new_context(), text).walk() if op.name == "scf.for")


def key(op: Operation) -> Hashable:
    return structural_key([op], lambda value: value.type)


def test_names_and_locations_do_not_count():
    renamed = loop("%p", "%other")
    renamed.location = loop("%a", "%z").location
    assert key(loop()) == key(renamed)
    assert hash(key(loop())) == hash(key(renamed))


@pytest.mark.parametrize(
    "replaced",
    [
        ("arith.addi", "arith.subi"),
        ("%s, %k", "%k, %s"),
        ("%p, %b", "%p, %p"),
        ("%p, %b", "%p, %a"),
        ("constant 3", "constant 4"),
        ("%s, %k : i32", "%s, %k overflow<nsw> : i32"),
        ("scf.yield %q", "scf.yield %p"),
        ("%n step", "%c1 step"),
    ],
)
def test_what_counts(replaced: tuple[str, str]):
    assert key(loop()) != key(loop(*replaced))


def test_attributes_count_unless_the_facts_leave_them_out():
    marked = loop()
    marked.attributes["mark"] = UnitAttr()
    assert key(loop()) != key(marked)
    assert structural_key([loop()], lambda _: None, lambda _: None) == structural_key(
        [marked], lambda _: None, lambda _: None
    )


def test_the_identity_of_operands_counts_where_it_is_asked_for():
    function = next(op for op in parse_module(new_context(), CODE).walk() if isinstance(op, func.FuncOp))
    (first,) = (op for op in function.walk() if op.name == "scf.for")
    copy, other = first.clone(), first.clone({function.args[2]: function.args[3]})
    assert structural_key([first], lambda value: value) == structural_key([copy], lambda value: value)
    assert structural_key([first], lambda value: value) != structural_key([other], lambda value: value)
    assert key(first) == key(other)


def test_data_flow_between_ops_counts():
    function = next(op for op in parse_module(new_context(), CODE).walk() if isinstance(op, func.FuncOp))
    body = next(op for op in function.walk() if op.name == "scf.for").regions[0].block
    _, product, total, _ = body.ops
    other = total.clone({product.results[0]: body.args[1]})
    assert structural_key([product, total], lambda value: value.type) != structural_key(
        [product, other], lambda value: value.type
    )
