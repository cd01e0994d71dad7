"""The base of the kernels of `nn` that take each row of a tensor by itself: softmax and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import base, prop_def
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from .body import Body
from .kernel import Access, Kernel, Reduction
from .kernel_op import KernelOp
from .kernel_parts import affine, shapes
from .scalars import lowest, scalar_attr


class RowOp(KernelOp):
    """
    Kernel that is independent for each row of input 0; further inputs are vectors along the row.

    A row is what lies along the last axis, if a subclass does not say otherwise.

    It computes in the type `accumulator` and yields elements of the type `element`.
    """

    accumulator = prop_def(base(TypeAttribute))
    element = prop_def(base(TypeAttribute))
    VECTORS: ClassVar[tuple[int, ...]] = (0,)
    """Greatest number of inputs besides input 0 and the mask."""
    MASKED: ClassVar[bool] = False
    """True if one more input may mask elements of the row: i1, true for those that count."""

    @property
    def has_mask(self) -> bool:
        """Return whether the last input is the mask."""
        return self.MASKED and len(self.inputs) == 2 + self.VECTORS[-1]

    @property
    def row_axis(self) -> int:
        """The axis of input 0 along the row."""
        return len(shape_of(self.inputs[0])) - 1

    def verify_structure(self) -> None:
        if len(self.inputs) - 1 not in self.VECTORS and not self.has_mask:
            expected = " or ".join(str(1 + count) for count in self.VECTORS)
            raise VerifyException(f"expected {expected} inputs, got {len(self.inputs)}")
        if self.has_mask and element_of(self.inputs[-1]) != i1:
            raise VerifyException(f"a mask holds i1, got {element_of(self.inputs[-1])}")
        (shape, *along), _ = shapes(self)
        if not shape:
            raise VerifyException("expected an input of one axis at least")
        if any(vector != shape[-1:] for vector in along):
            raise VerifyException(f"the further inputs must have the shape {list(shape[-1:])}")
        super().verify_structure()

    def rows(self, reductions: Sequence[Reduction], result: Block) -> Kernel:
        """Return the kernel of these reductions over the row and this result per element."""
        bounds = shape_of(self.inputs[0])
        axis = self.row_axis
        along = affine(len(bounds), [AffineMap.identity(len(bounds)).results[axis]])
        vectors = tuple(Access(value, along) for value in self.inputs[1:])
        identity = AffineMap.identity(len(bounds))
        inputs = (Access(self.inputs[0], identity), *vectors)
        return Kernel(bounds, frozenset([axis]), inputs, (Access(self.output, identity),), tuple(reductions), result)

    def body(self, accumulators: int) -> tuple[Body, list[SSAValue], list[SSAValue]]:
        """Begin a body; returns it with the inputs extended to the accumulator's type and the accumulators."""
        elements = [element_of(value) for value in self.inputs]
        body = Body([*elements, *[self.accumulator] * accumulators], wraps=self.wraps is not None)
        data = len(elements) - self.has_mask
        wide = [
            body.convert(arg, self.accumulator, unsigned=self.is_unsigned(i)) for i, arg in enumerate(body.args[:data])
        ]
        return body, wide, list(body.args[len(elements) :])

    def reduction(self, initial: Attribute, body: Body, value: SSAValue) -> Reduction:
        """End a body that is a reduction with one accumulator."""
        return Reduction((initial,), body.finish(value))

    def maximum(self) -> Reduction:
        """Return the reduction to the row's largest element."""
        body, (x, *_), (largest,) = self.body(1)
        larger = body.max(largest, x)
        return self.reduction(lowest(self.accumulator), body, self.counted(body, larger, largest))

    def moments(self) -> list[Reduction]:
        """Return the reductions to the row's sum and to its sum of squared deviations from the mean."""
        length = shape_of(self.inputs[0])[-1]
        body, (x, *_), (total,) = self.body(1)
        summed = self.reduction(self.zero(), body, body.add(total, x))
        body, (x, *_), (total, squares) = self.body(2)
        centred = body.sub(x, body.div(total, length))
        squared = self.reduction(self.zero(), body, body.add(squares, body.mul(centred, centred)))
        return [summed, squared]

    def counted(self, body: Body, value: SSAValue, otherwise: SSAValue | int) -> SSAValue:
        """Append the choice of a value where the element counts, and of another where it does not."""
        if not self.has_mask:
            return value
        other = otherwise if isinstance(otherwise, SSAValue) else body.constant(otherwise, value.type)
        return body.select(body.args[len(self.inputs) - 1], value, other)

    def zero(self) -> Attribute:
        """Return 0 in the accumulator's type."""
        return scalar_attr(0, self.accumulator)
