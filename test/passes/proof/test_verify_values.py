"""Values that split kernels state: verify-memory follows them through memory, rings and transfers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from tilewright.dialects.core.nesting import nested_ops
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.hier import AllGatherOp, DmaStartOp
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.proof.values import ATTRIBUTE, Values, element_table, loops_of
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module

PROGRAM = """
func.func @network(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x16xf32> {tilewright.output}) {
  %a = memref.alloc() : memref<8x8xf32>
  nn.matmul ins(%x, %w : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>) {accumulator = f32}
  nn.softmax ins(%a : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {accumulator = f32, element = f32}
  %b = memref.alloc() : memref<8x8xf32>
  nn.matmul ins(%w, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%b : memref<8x8xf32>) {accumulator = f32}
  %left = memref.subview %y[0, 0] [8, 8] [1, 1] : memref<8x16xf32> to memref<8x8xf32, strided<[16, 1]>>
  %right = memref.subview %y[0, 8] [8, 8] [1, 1] : memref<8x16xf32> to memref<8x8xf32, strided<[16, 1], offset: 8>>
  memref.copy %b, %left : memref<8x8xf32> to memref<8x8xf32, strided<[16, 1]>>
  linalg.add ins(%b, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%right : memref<8x8xf32, strided<[16, 1], offset: 8>>)
  func.return
}
"""


POOL = """
func.func @pool(%x: memref<1x2x4x4xf32>, %y: memref<1x2x4x4xf32>) {
  nn.pool ins(%x : memref<1x2x4x4xf32>) outs(%y : memref<1x2x4x4xf32>)
    {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
     pads = array<i64: 1, 1, 1, 1>, accumulator = f32}
  func.return
}
"""


def run(module: ModuleOp, passes: str) -> ModuleOp:
    """Run passes on a copy of a module."""
    made = module.clone()
    PassManager().run(made, parse_pipeline(passes, all_passes()), new_context())
    return made


@cache
def sharded() -> ModuleOp:
    return run(parse_module(new_context(), PROGRAM), "attach-machine{target=pim/4x4},shard-kernels{over=1,4}")


def lowered(module: ModuleOp) -> ModuleOp:
    return run(module, "lower-sharded,allocate-sharded,canonicalize,cse,fuse-programs,hoist-transfers")


def of(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in nested_ops(module) if op.name == name]


def test_what_is_right_is_accepted_and_stated() -> None:
    module = lowered(sharded())
    verify_memory(module)
    kernels = [op for op in nested_ops(module) if ATTRIBUTE in op.attributes]
    assert "unit" not in str(kernels[0].attributes[ATTRIBUTE]).split("writes")[0].replace(", unit]", "")
    assert '{arg2 = "arg2:1"}' in str(module), "both halves are one value"
    inputs = random_inputs(module, 3)
    expected = run_module(parse_module(new_context(), PROGRAM), inputs)["result0"]
    assert np.array_equal(run_module(module, inputs)["result0"], expected)


def stale(module: ModuleOp) -> None:
    """Gather the value before softmax in place of its result."""
    ring = next(op for op in nested_ops(module) if isinstance(op, AllGatherOp))
    ring.operands[0] = next(
        op.results[0] for op in of(module, "memref.alloc") if op.results[0].type == ring.source.type
    )


def swap(module: ModuleOp) -> None:
    (op,) = of(module, "linalg.add")
    op.operands[0], op.operands[1] = op.operands[1], op.operands[0]


def elsewhere(module: ModuleOp) -> None:
    """Transfer a part of the result to the place of another one."""
    op = next(op for op in reversed(nested_ops(module)) if isinstance(op, DmaStartOp) and op.writes_far)
    index = next(index for index, value in enumerate(op.operands) if str(value.type) == "index")
    last = arith.ConstantOp(IntegerAttr.from_index_int_value(6))
    other = arith.SubiOp(last, op.operands[index])
    Rewriter.insert_op([last, other], InsertPoint.before(op))
    op.operands[index] = other.result


def other_input(module: ModuleOp) -> None:
    """Take the first product's input from its weights."""
    first, second = module.body.block.first_op.regions[0].block.args[:2]  # pyright: ignore[reportOptionalMemberAccess]
    op = next(op for op in nested_ops(module) if isinstance(op, DmaStartOp) and op.far is first)
    op.operands[list(op.operands).index(first)] = second


@pytest.mark.parametrize("fault", [stale, swap, elsewhere, other_input])
def test_a_fault_that_changes_what_is_computed_is_refused(fault: Callable[[ModuleOp], None]) -> None:
    module = sharded().clone()
    fault(module)
    with pytest.raises(Diagnostic, match=r"whole-kernel|holds another value") as error:
        verify_memory(lowered(module))
    assert "element" in str(error.value.found)
    for op in nested_ops(module):
        op.attributes.pop(ATTRIBUTE, None)
    verify_memory(lowered(module))


def test_a_value_that_no_op_leaves_is_missed_at_the_end() -> None:
    module = lowered(sharded())
    (function,) = of(module, "func.func")
    function.attributes[ATTRIBUTE] = DictionaryAttr({"arg2": StringAttr("arg2:2")})
    with pytest.raises(Diagnostic, match="holds another value at the end"):
        verify_memory(module)


@pytest.mark.parametrize("name", ["begin", "reads", "writes"])
def test_a_statement_that_does_not_fit_is_refused(name: str) -> None:
    module = lowered(sharded())
    op = of(module, "nn.matmul")[0]
    held = op.attributes[ATTRIBUTE]
    assert isinstance(held, DictionaryAttr)
    for wrong in (StringAttr("x"), ArrayAttr([])):
        op.attributes[ATTRIBUTE] = DictionaryAttr({**held.data, name: wrong})
        with pytest.raises(Diagnostic, match="does not describe this op"):
            verify_memory(module)


def test_values_beyond_32_bits_of_bytes_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = Values.begin

    def wide(self: Values, arguments: object) -> None:
        begin(self, arguments)  # pyright: ignore[reportArgumentType]
        monkeypatch.setattr(self, "_type", np.dtype(np.int64))

    monkeypatch.setattr(Values, "begin", wide)
    verify_memory(lowered(sharded()))
    module = sharded().clone()
    stale(module)
    with pytest.raises(Diagnostic, match="whole-kernel"):
        verify_memory(lowered(module))


def test_tables_of_elements() -> None:
    """A window of 3 with padding, of a part that begins at channel 2 of the whole kernel."""
    (op,) = of(parse_module(new_context(), POOL), "nn.pool")
    found = loops_of(op)
    assert found is not None
    map, bounds = found[0]
    rows = AffineExpr.dimension(1)
    table = element_table(map, bounds, (1, 2, 4, 4), rows, [0, 2, *[0] * (len(bounds) - 2)])
    assert table.min() == 2
    assert table.max() == 3
    with pytest.raises(ValueError, match="two points"):
        element_table(map, bounds, (1, 2, 4, 4), AffineExpr.dimension(2), [0] * len(bounds))
