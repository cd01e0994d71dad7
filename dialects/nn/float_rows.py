"""Softmax and norms of floats, kernels of `nn`."""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.dialects import math
from xdsl.dialects.builtin import I64, FloatAttr, IntegerAttr, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import base, irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...ir import shape_of
from ..core.body import Body
from ..core.kernel import Kernel, Reduction
from ..core.kernel_rows import RowOp


@irdl_op_definition
class SoftmaxOp(RowOp):
    """
    The softmax of each row, the elements along `axis` (the last one where it is left out), or with `log` its logarithm:

        m = max(x);  s = sum(exp(x - m));  y = exp(x - m) / s,  or x - m - log(s)

        %y = nn.softmax ins(%x : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) {accumulator = f32, element = f32}
    """

    name = "nn.softmax"
    axis = opt_prop_def(IntegerAttr[I64])
    log = opt_prop_def(UnitAttr)

    @property
    def row_axis(self) -> int:
        return super().row_axis if self.axis is None else self.axis.value.data

    def verify_structure(self) -> None:
        rank = len(shape_of(self.inputs[0])) if self.inputs else 0
        if self.axis is not None and not 0 <= self.axis.value.data < rank:
            raise VerifyException(f"axis must be one of {rank}, got {self.axis.value.data}")
        super().verify_structure()

    def core(self) -> Kernel:
        body, (x,), (largest, total) = self.body(2)
        power = body.op(math.ExpOp(body.sub(x, largest)))
        summed = self.reduction(self.zero(), body, body.add(total, power))
        body, (x,), (largest, total) = self.body(2)
        distance = body.sub(x, largest)
        if self.log is not None:
            value = body.sub(distance, body.op(math.LogOp(total)))
        else:
            value = body.div(body.op(math.ExpOp(distance)), total)
        return self.rows([self.maximum(), summed], body.finish(body.convert(value, self.element)))


class FloatNormOp(RowOp):
    """A norm of each row of floats: it may have a scale, and after that a bias, both vectors along the row."""

    epsilon = prop_def(base(FloatAttr))

    def verify_structure(self) -> None:
        if self.epsilon.value.data < 0:
            raise VerifyException(f"epsilon must not be negative, got {self.epsilon.value.data}")
        super().verify_structure()

    def deviation(self, body: Body, squares: SSAValue) -> SSAValue:
        """Append sqrt(squares / L + epsilon)."""
        variance = body.div(squares, shape_of(self.inputs[0])[-1])
        return body.op(math.SqrtOp(body.add(variance, self.epsilon.value.data)))

    def scaled(self, body: Body, value: SSAValue, vectors: list[SSAValue]) -> Any:
        """End the body with value * scale + bias in the type `element`; both are optional."""
        value = body.mul(value, vectors[0]) if vectors else value
        value = body.add(value, vectors[1]) if len(vectors) > 1 else value
        return body.finish(body.convert(value, self.element))


@irdl_op_definition
class LayerNormOp(FloatNormOp):
    """
    Layer norm of each row: `m = sum(x) / L;  y = (x - m) / sqrt(sum((x - m)^2) / L + epsilon) * w + b`.

        %y = nn.layer_norm ins(%x, %w, %b : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%init : tensor<4x8xf32>)
            {epsilon = 1.0e-05 : f32, accumulator = f32, element = f32}
    """

    name = "nn.layer_norm"
    VECTORS: ClassVar[tuple[int, ...]] = (0, 1, 2)

    def core(self) -> Kernel:
        length = shape_of(self.inputs[0])[-1]
        body, (x, *vectors), (total, squares) = self.body(2)
        centred = body.sub(x, body.div(total, length))
        normed = body.div(centred, self.deviation(body, squares))
        return self.rows(self.moments(), self.scaled(body, normed, vectors))


@irdl_op_definition
class RmsNormOp(FloatNormOp):
    """
    RMS norm of each row: `y = x / sqrt(sum(x^2) / L + epsilon) * w`.

        %y = nn.rms_norm ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%init : tensor<4x8xf32>)
            {epsilon = 1.0e-05 : f32, accumulator = f32, element = f32}
    """

    name = "nn.rms_norm"
    VECTORS: ClassVar[tuple[int, ...]] = (0, 1)

    def core(self) -> Kernel:
        body, (x, *_), (total,) = self.body(1)
        squared: Reduction = self.reduction(self.zero(), body, body.add(total, body.mul(x, x)))
        body, (x, *vectors), (total,) = self.body(1)
        return self.rows([squared], self.scaled(body, body.div(x, self.deviation(body, total)), vectors))
