"""A builder for the scalar bodies of kernels: straight-line `arith`/`math` code on the elements of operands."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from .builder import Builder


class Body(Builder):
    """
    Builder of one block of scalar ops.

        body = Body([i8, i8, i32])
        x, w, total = body.args
        block = body.finish(body.add(total, body.mul(body.convert(x, i32), body.convert(w, i32))))
    """

    def __init__(self, types: Sequence[Attribute], *, wraps: bool = False):
        super().__init__(InsertPoint.at_end(Block(arg_types=types)), wraps=wraps)

    @property
    def args(self) -> tuple[SSAValue, ...]:
        """The block's arguments."""
        return self.block.args

    def finish(self, *values: SSAValue) -> Block:
        """End the block with the elements to yield and return it."""
        self.block.add_op(linalg.YieldOp(*values))
        return self.block

    def index_of(self, dim: int, type: IntegerType) -> SSAValue:
        """Append the index of a dimension of the kernel's loops, as an integer."""
        return self.op(arith.IndexCastOp(self.op(linalg.IndexOp(dim)), type))
