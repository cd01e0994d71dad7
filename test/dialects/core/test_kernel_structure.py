"""What kernels that are alike have in common, and what tells others apart."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

from tilewright.dialects.core.kernel import is_kernel
from tilewright.dialects.core.kernel_structure import structure_of
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module

pytestmark = pytest.mark.quick

ELEMENTWISE = """
func.func @f(%a: memref<64xf32>, %b: memref<64xf32>, %o: memref<64xf32>, %s: f32) {{
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                   iterator_types = ["parallel"]}} ins({input} : memref<64xf32>) outs(%o : memref<64xf32>) {{
  ^bb0(%x: f32, %y: f32):
    %c = arith.constant {number} : f32
    %z = {op} {operands} : f32
    linalg.yield %z : f32
  }}
  func.return
}}
"""


def kernel(op: str = "arith.addf", operands: str = "%x, %c", number: float = 3, of: str = "%a") -> Operation:
    text = ELEMENTWISE.format(op=op, operands=operands, number=f"{float(number)}", input=of)
    module = parse_module(new_context(), text, "test")
    return next(each for each in module.walk() if is_kernel(each))


@pytest.mark.parametrize("other", [kernel(), kernel(of="%b"), kernel(number=5)], ids=["again", "operand", "scale"])
def test_alike(other: Operation):
    assert structure_of([kernel()]) == structure_of([other])
    assert hash(structure_of([kernel()])) == hash(structure_of([other]))


@pytest.mark.parametrize(
    "other",
    [
        kernel("arith.mulf"),
        kernel("math.exp", "%x"),
        kernel(operands="%c, %x"),
        kernel(operands="%x, %s"),
        kernel(number=0),
        kernel(number=-1),
        kernel(of="%o"),
    ],
    ids=["op", "function", "order", "captured", "zero", "minus one", "in place"],
)
def test_not_alike(other: Operation):
    assert structure_of([kernel()]) != structure_of([other])


def test_which_operands_are_marked_and_the_same():
    op, other = kernel(), kernel(of="%b")
    assert structure_of([op], [op.operands[0]]) == structure_of([other], [other.operands[0]])
    assert structure_of([op], [op.operands[0]]) != structure_of([op], [op.operands[1]])
    assert structure_of([op, op]) != structure_of([op, other])


def test_prices_are_those_of_the_code():
    """Kernels of equal types and loops cost what their own code takes, in whatever order they are priced."""
    siracusa = find_machine("siracusa")
    cluster = siracusa.engine("cluster")
    cheap, dear = kernel("arith.addf"), kernel("math.exp", "%x")
    costs = [siracusa.cost(cluster, op) for op in (cheap, dear, kernel(number=7), kernel("math.exp", "%x"))]
    assert costs[0] == costs[2]
    assert costs[1] == costs[3]
    assert (costs[1] or 0) > 2 * (costs[0] or 0) > 0


def _fill(number: int) -> Operation:
    text = f"""
    func.func @f(%y: memref<4xi32>) {{
      %number = arith.constant {number} : i32
      linalg.fill ins(%number : i32) outs(%y : memref<4xi32>)
      func.return
    }}
    """
    module = parse_module(new_context(), text, "test")
    return next(each for each in module.walk() if is_kernel(each))


def test_scalar_operands_are_distinguished_as_zero_only():
    assert structure_of([_fill(5)]) == structure_of([_fill(7)])
    assert structure_of([_fill(5)]) != structure_of([_fill(0)])
