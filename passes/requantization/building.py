"""Building of scalar code in the body of a kernel, with new arguments for constants of channels."""

from __future__ import annotations

from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.body import Body
from ...dialects.quant import RequantizeOp, RescaleOp
from ...ir import Array
from .channels import Channels


class Arguments:
    """New arguments of a body that hold constants [channels], in the narrowest types."""

    def __init__(self, block: Block):
        self.constants: list[tuple[SSAValue, Array]] = []
        self._block = block

    def operand(self, body: Body, numbers: Array) -> SSAValue:
        """Return constants as i32: a number if all channels have the same, else a new argument."""
        if bool((numbers == numbers.flat[0]).all()):
            return body.constant(int(numbers.flat[0]), i32)
        argument = self._block.insert_arg(_narrowest(numbers), len(self._block.args))
        self.constants.append((argument, numbers))
        return body.convert(argument, i32)


def _narrowest(numbers: Array) -> Attribute:
    bits = max(int(numbers.max()).bit_length(), (-int(numbers.min()) - 1).bit_length() if numbers.min() < 0 else 0) + 1
    return next(type for type in (i8, i16, i32) if bits <= type.width.data)


class Before(Body):
    """A body whose new ops stand before an op of another block."""

    def __init__(self, op: Operation):
        super().__init__([])
        self._point = op

    def op(self, op: Operation) -> SSAValue:
        op.location = self._point.location
        Rewriter.insert_op(op, InsertPoint.before(self._point))
        return op.results[0]

    def plus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Append a + b, a alone for a constant 0."""
        return a if constant_integer(b) == 0 else self.add(a, b)


def is_constant(op: Operation, channels: Channels) -> bool:
    """Return whether all operands of an op are constant in each channel."""
    return all(channels[operand] is not None for operand in op.operands)


def replace_requantization(op: RequantizeOp | RescaleOp, value: SSAValue) -> bool:
    """Replace the uses of a requantisation, but for that in its own value."""
    value.name_hint = op.result.name_hint
    for use in list(op.result.uses):
        if use.operation is not value.owner:
            use.operation.operands[use.index] = value
    return True
