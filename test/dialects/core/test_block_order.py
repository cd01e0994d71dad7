from __future__ import annotations

import pytest

from tilewright.dialects.core.block_order import cycles, reverse_postorder
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import functions

pytestmark = pytest.mark.quick

PROGRAM = """
func.func @f(%c: i1) {
  cf.cond_br %c, ^left, ^right
^left:
  cf.cond_br %c, ^right, ^itself
^never:
  cf.br ^left
^right:
  cf.cond_br %c, ^left, ^exit
^itself:
  cf.cond_br %c, ^itself, ^exit
^exit:
  func.return
}
"""


def test_blocks_are_in_order_and_cycles_are_components():
    (function,) = functions(parse_module(new_context(), PROGRAM))
    entry, left, never, right, itself, leave = function.body.blocks
    order = reverse_postorder(function.body)
    assert order == [entry, right, left, itself, leave]
    assert never not in order
    assert cycles(order) == [{left, right}, {itself}]
