"""
The structured kernels that linalg lacks: convolution of any rank and grouping, mixed-width matmul, pooling, the
softmax and norms of floats, and those of quantised transformers in integers. Each is one op with indexing maps and
scalar code that follow from its attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Dialect, TypeAttribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    base,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, numbers_of, shape_of
from ..core.body import Body
from ..core.kernel import Access, Kernel, Reduction
from ..core.kernel_op import KernelOp
from ..core.kernel_parts import affine, ints, require_positive, shapes
from ..core.scalars import highest, lowest, scalar_attr
from .contraction import PackableOp
from .float_rows import LayerNormOp, RmsNormOp, SoftmaxOp
from .integer_rows import IntLayerNormOp, IntRmsNormOp, IntSoftmaxOp, ItaMaxOp
from .scalars import IntegerSqrtOp, RemainderOp
from .unpack import UnpackOp


@irdl_op_definition
class ConvOp(PackableOp):
    """
    Convolution (cross-correlation) of any spatial rank, as ONNX `Conv`.

    x [N, C, spatial...], w [F, C / groups, kernel...], output [N, F, spatial...]; with `channels_last` the channels are
    the last axis of all three, along which w may be packed. Zero padding lies outside of x; `pads` holds the leading,
    then the trailing ones. With `im2col`, for `channels_last`, loops copy the window of each pixel side
    by side before they multiply.

        %y = nn.conv ins(%x, %w : tensor<1x3x32x32xi8>, tensor<16x3x3x3xi8>) outs(%init : tensor<1x16x32x32xi32>)
            {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64,
             accumulator = i32}
    """

    name = "nn.conv"
    strides = prop_def(base(DenseArrayBase))
    dilations = prop_def(base(DenseArrayBase))
    pads = prop_def(base(DenseArrayBase))
    groups = prop_def(IntegerAttr[I64])
    channels_last = opt_prop_def(UnitAttr)
    im2col = opt_prop_def(UnitAttr)

    def channels_first(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of an operand with its channels as axis 1, wherever they are."""
        return (shape[0], shape[-1], *shape[1:-1]) if self.channels_last is not None else tuple(shape)

    def verify_structure(self) -> None:
        if len(self.inputs) != 2:
            raise VerifyException("expected an input and a weight")
        if self.im2col is not None and self.channels_last is None:
            raise VerifyException("'im2col' is for convolutions with 'channels_last'")
        if self.im2col is not None and self.packed_bits:
            raise VerifyException("'im2col' is for weights that are not packed; 'narrow_input' packs windows too")
        if self.narrow_input is not None and self.groups.value.data != 1:
            raise VerifyException("'narrow_input' is for one group")
        inputs, out = shapes(self)
        ranks = {len(shape) for shape in (*inputs, out)}
        if len(ranks) > 1 or min(ranks) < 3:
            raise VerifyException("input, weight and output must have as many axes, three at least")
        (_, channels, *space), (features, depth, *kernel) = (self.channels_first(shape) for shape in inputs)
        groups = self.groups.value.data
        if self.weight_bits is not None:
            depth = channels // max(groups, 1)
            self.verify_packing(depth, "channels_last", is_there=self.channels_last is not None)
        lengths = [len(numbers_of(p)) for p in (self.strides, self.dilations, self.pads)]
        if lengths != [len(space), len(space), 2 * len(space)] or len(kernel) != len(space):
            raise VerifyException(f"strides, dilations, pads and kernel must fit {len(space)} spatial axes")
        if channels != depth * groups or features % groups:
            raise VerifyException(
                f"{channels} channels and {features} features do not fit weights of depth {depth} in {groups} groups"
            )
        self._verify_output()
        super().verify_structure()

    def _verify_output(self) -> None:
        """Check that no window reaches beyond the padding."""
        (batch, _, *space), (features, _, *kernel) = (self.channels_first(shape_of(value)) for value in self.inputs)
        require_positive(strides=self.strides, dilations=self.dilations)
        strides, dilations, pads = (numbers_of(p) for p in (self.strides, self.dilations, self.pads))
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        padded = [n + a + b for n, a, b in zip(space, pads, pads[len(space) :], strict=False)]
        limits = [(n - span) // s + 1 for n, span, s in zip(padded, spans, strides, strict=True)]
        out = list(self.channels_first(shape_of(self.output)))
        if out[:2] != [batch, features] or any(n > limit for n, limit in zip(out[2:], limits, strict=True)):
            raise VerifyException(f"the output's shape must be {[batch, features, *limits]}, got {out}")

    def core(self) -> Kernel:
        (_, channels, *space), (features, _, *kernel) = (self.channels_first(shape_of(value)) for value in self.inputs)
        groups, rank = self.groups.value.data, len(space)
        depth = channels // groups
        out_shape = self.channels_first(shape_of(self.output))
        bounds = [out_shape[0], groups, features // groups, *out_shape[2:], depth, *kernel]
        dim = AffineMap.identity(len(bounds)).results
        n, g, f, c = dim[0], dim[1], dim[2], dim[3 + rank]
        feature = g * (features // groups) + f if groups > 1 else f
        channel = g * depth + c if groups > 1 else c
        window = window_exprs(dim[3 : 3 + rank], dim[4 + rank :], self.strides, self.dilations, self.pads)
        places = [[n, channel, *window], [feature, c, *dim[4 + rank :]], [n, feature, *dim[3 : 3 + rank]]]
        if self.channels_last is not None:
            places = [[first, *rest, channel] for first, channel, *rest in places]
        maps = [affine(len(bounds), place) for place in places]
        padded = any(numbers_of(self.pads))
        kernel = self.contract(bounds, range(3 + rank, len(bounds)), maps, padded=padded)
        return replace(kernel, im2col=self.im2col is not None)

    def tile_properties(self, sizes: Sequence[int]) -> dict[str, Attribute]:
        bounds, rank = self.core().bounds, len(numbers_of(self.strides))
        whole = [sizes[d] == bounds[d] and sizes[d + rank + 1] == bounds[d + rank + 1] for d in range(3, 3 + rank)]
        return dict(self.properties) | {"pads": _kept(self.pads, whole), "groups": scalar_attr(sizes[1], i64)}


def _kept(pads: Any, whole: Sequence[bool]) -> DenseArrayBase[Any]:
    """Return the padding of a tile, which only axes that are not cut keep."""
    return ints([pad if keep else 0 for pad, keep in zip(numbers_of(pads), [*whole, *whole], strict=True)])


def window_exprs(
    outer: Sequence[AffineExpr], inner: Sequence[AffineExpr], strides: Any, dilations: Any, pads: Any
) -> list[AffineExpr]:
    """Return `out * stride + tap * dilation - pad` per spatial axis."""
    sizes = zip(outer, inner, numbers_of(strides), numbers_of(dilations), numbers_of(pads), strict=False)
    return [o * stride + k * dilation - pad for o, k, stride, dilation, pad in sizes]


@irdl_op_definition
class MatmulOp(PackableOp):
    """
    Matrix product [..., M, K] x [..., K, N] -> [..., M, N]; leading axes broadcast as in NumPy.

    `transpose_a` and `transpose_b` say that an input is stored with its last two axes swapped; with the latter the
    second may be packed.

        %y = nn.matmul ins(%a, %b : tensor<8x64xi8>, tensor<32x64xi8>) outs(%init : tensor<8x32xi32>)
            {accumulator = i32, transpose_b}
        %z = nn.matmul ins(%a, %p : tensor<8x64xi8>, tensor<32x32xi8>) outs(%init : tensor<8x32xi32>)
            {accumulator = i32, transpose_b, weight_bits = 4 : i64}
    """

    name = "nn.matmul"
    transpose_a = opt_prop_def(UnitAttr)
    transpose_b = opt_prop_def(UnitAttr)

    def verify_structure(self) -> None:
        inputs, out = shapes(self)
        if len(inputs) != 2 or any(len(shape) < 2 for shape in (*inputs, out)):
            raise VerifyException("expected two inputs and an output of at least two axes")
        a, b = (self._matrix(i) for i in range(2))
        if self.weight_bits is not None:
            self.verify_packing(a[1], "transpose_b", is_there=self.transpose_b is not None)
            b = a[1], b[1]
        if a[1] != b[0]:
            raise VerifyException(f"the inner extents {a[1]} and {b[0]} differ")
        batches = [shape[:-2] for shape in inputs]
        try:
            batch = np.broadcast_shapes(*batches)
        except ValueError as error:
            raise VerifyException(f"the leading axes {list(batches[0])} and {list(batches[1])} differ") from error
        if out != (*batch, a[0], b[1]):
            raise VerifyException(f"the output's shape must be {[*batch, a[0], b[1]]}, got {list(out)}")
        super().verify_structure()

    def _matrix(self, index: int) -> tuple[int, int]:
        rows, columns = shape_of(self.inputs[index])[-2:]
        swapped = self.transpose_b if index else self.transpose_a
        return (columns, rows) if swapped else (rows, columns)

    def core(self) -> Kernel:
        out_shape = shape_of(self.output)
        bounds = [*out_shape, self._matrix(0)[1]]
        dim = AffineMap.identity(len(bounds)).results
        *batch, m, n, k = dim
        left = [k, m] if self.transpose_a else [m, k]
        right = [n, k] if self.transpose_b else [k, n]
        maps = [
            affine(len(bounds), [*_broadcast(batch, shape_of(value)[:-2]), *last])
            for value, last in ((self.inputs[0], left), (self.inputs[1], right))
        ]
        return self.contract(bounds, [len(bounds) - 1], [*maps, affine(len(bounds), [*batch, m, n])])


def _broadcast(dims: Sequence[AffineExpr], shape: Sequence[int]) -> list[AffineExpr]:
    """Return the dims that index a shape aligned with them at the end, 0 where its extent is 1."""
    aligned = dims[len(dims) - len(shape) :]
    return [AffineExpr.constant(0) if extent == 1 else dim for dim, extent in zip(aligned, shape, strict=True)]


_FOLDS = {"max": Body.max, "min": Body.min, "sum": Body.add, "product": Body.mul}
_START = {"max": lowest, "min": highest, "sum": partial(scalar_attr, 0), "product": partial(scalar_attr, 1)}
"""Kind -> its neutral element in a type."""
_UNSIGNED_FOLDS = {"max": (arith.MaxUIOp, 0), "min": (arith.MinUIOp, -1)}
"""Kind -> the op on unsigned numbers of the accumulator's own type, and the bits of its neutral element."""


def _fold(kind: str, element: Attribute, total: Attribute, *, unsigned: bool, wraps: bool) -> Reduction:
    """Return the reduction that combines the single input's elements by `kind`."""
    body = Body([element, total], wraps=wraps)
    x, acc = body.args
    if unsigned and element == total and kind in _UNSIGNED_FOLDS:
        unsigned_op, start = _UNSIGNED_FOLDS[kind]
        return Reduction((scalar_attr(start, total),), body.finish(body.op(unsigned_op(acc, x))))
    combined = _FOLDS[kind](body, acc, body.convert(x, total, unsigned=unsigned))
    return Reduction((_START[kind](total),), body.finish(combined))


class FoldOp(KernelOp):
    """A fold of one input by `kind` (max, min, sum, product), done in the type `accumulator`."""

    kind = prop_def(StringAttr)
    accumulator = prop_def(base(TypeAttribute))

    def fold(self) -> Reduction:
        """Return the reduction of the op's input."""
        element = element_of(self.inputs[0])
        return _fold(
            self.kind.data, element, self.accumulator, unsigned=self.is_unsigned(0), wraps=self.wraps is not None
        )

    def verify_structure(self) -> None:
        if self.kind.data not in _FOLDS:
            raise VerifyException(f"kind must be one of {', '.join(_FOLDS)}, got '{self.kind.data}'")
        if len(self.inputs) != 1:
            raise VerifyException(f"expected one input, got {len(self.inputs)}")
        super().verify_structure()


@irdl_op_definition
class PoolOp(FoldOp):
    """
    Pooling of windows of x [N, C, spatial...] into [N, C, spatial...]; padding does not count.

        %y = nn.pool ins(%x : tensor<1x64x20x5xi8>) outs(%init : tensor<1x64x1x1xi8>)
            {kind = "max", window = array<i64: 20, 5>, strides = array<i64: 20, 5>, dilations = array<i64: 1, 1>,
             pads = array<i64: 0, 0, 0, 0>, accumulator = i8}
    """

    name = "nn.pool"
    window = prop_def(base(DenseArrayBase))
    strides = prop_def(base(DenseArrayBase))
    dilations = prop_def(base(DenseArrayBase))
    pads = prop_def(base(DenseArrayBase))
    channels_last = opt_prop_def(UnitAttr)
    """Whether x and the output are [N, spatial..., C]."""

    def verify_structure(self) -> None:
        source, out = shapes(self)
        rank = len(out) - 2
        kept = (0, len(out) - 1 if self.channels_last else 1)
        for shape in source:
            if rank < 1 or len(shape) != len(out) or any(shape[axis] != out[axis] for axis in kept):
                raise VerifyException("input and output must have the same batch, channels and number of axes")
        lengths = [len(numbers_of(p)) for p in (self.window, self.strides, self.dilations, self.pads)]
        if lengths != [rank, rank, rank, 2 * rank]:
            raise VerifyException(f"window, strides, dilations and pads must fit {rank} spatial axes")
        require_positive(window=self.window, strides=self.strides, dilations=self.dilations)
        super().verify_structure()

    def core(self) -> Kernel:
        out_shape, window = shape_of(self.output), numbers_of(self.window)
        bounds = [*out_shape, *window]
        dim = AffineMap.identity(len(bounds)).results
        rank, inner = len(window), dim[len(out_shape) :]
        outer = dim[1 : 1 + rank] if self.channels_last else dim[2 : 2 + rank]
        place = window_exprs(outer, inner, self.strides, self.dilations, self.pads)
        source = affine(
            len(bounds), [dim[0], *place, dim[1 + rank]] if self.channels_last else [dim[0], dim[1], *place]
        )
        fold = self.fold()
        return Kernel(
            tuple(bounds),
            frozenset(range(len(out_shape), len(bounds))),
            (Access(self.inputs[0], source, self._fill()),),
            (Access(self.output, affine(len(bounds), dim[: len(out_shape)])),),
            reductions=(fold,),
            fill_is_neutral=True,
        )

    def tile_properties(self, sizes: Sequence[int]) -> dict[str, Attribute]:
        bounds, rank = self.core().bounds, len(numbers_of(self.window))
        first = 1 if self.channels_last else 2
        taps = len(bounds) - rank
        whole = [sizes[first + i] == bounds[first + i] and sizes[taps + i] == bounds[taps + i] for i in range(rank)]
        return dict(self.properties) | {"pads": _kept(self.pads, whole), "window": ints(sizes[taps:])}

    def _fill(self) -> Attribute:
        element = element_of(self.inputs[0])
        if self.is_unsigned(0) and self.kind.data in _UNSIGNED_FOLDS:
            return scalar_attr(_UNSIGNED_FOLDS[self.kind.data][1], element)
        return _START[self.kind.data](element)


@irdl_op_definition
class ReduceOp(FoldOp):
    """
    Reduction of whole axes. The output lacks them, or has extent 1 there with `keep_dims`.

        %y = nn.reduce ins(%x : tensor<1x64x128xi8>) outs(%init : tensor<1x128xi32>)
            {kind = "sum", axes = array<i64: 1>, accumulator = i32}
    """

    name = "nn.reduce"
    axes = prop_def(base(DenseArrayBase))
    keep_dims = opt_prop_def(UnitAttr)

    def verify_structure(self) -> None:
        axes, rank = numbers_of(self.axes), max((len(shape) for shape in shapes(self)[0]), default=0)
        if len(set(axes)) != len(axes) or any(not 0 <= axis < rank for axis in axes):
            raise VerifyException(f"axes must be distinct ones of {rank}, got {list(axes)}")
        super().verify_structure()

    def core(self) -> Kernel:
        bounds = shape_of(self.inputs[0])
        axes = set(numbers_of(self.axes))
        dim = AffineMap.identity(len(bounds)).results
        zero = AffineExpr.constant(0)
        target = [zero if d in axes else dim[d] for d in range(len(bounds)) if self.keep_dims or d not in axes]
        return Kernel(
            bounds,
            frozenset(axes),
            (Access(self.inputs[0], AffineMap.identity(len(bounds))),),
            (Access(self.output, affine(len(bounds), target)),),
            reductions=(self.fold(),),
        )


@irdl_op_definition
class AddOp(KernelOp):
    """
    Sum of tensors of one shape, in the type `accumulator`.

        %y = nn.add ins(%a, %b : tensor<1x8x8x32xi8>, tensor<1x8x8x32xi8>) outs(%init : tensor<1x8x8x32xi32>)
            {accumulator = i32}
    """

    name = "nn.add"
    accumulator = prop_def(base(TypeAttribute))

    def verify_structure(self) -> None:
        inputs, _ = shapes(self)
        if not inputs or len(set(inputs)) > 1:
            shapes_of_inputs = ", ".join(str(list(shape)) for shape in inputs)
            raise VerifyException(f"expected inputs of one shape, got {shapes_of_inputs}")
        super().verify_structure()

    def core(self) -> Kernel:
        body = Body([*(element_of(value) for value in self.inputs), self.accumulator], wraps=self.wraps is not None)
        *elements, total = body.args
        for index, element in enumerate(elements):
            total = body.add(total, body.convert(element, self.accumulator, unsigned=self.is_unsigned(index)))
        bounds = shape_of(self.inputs[0])
        identity = AffineMap.identity(len(bounds))
        return Kernel(
            bounds,
            frozenset(),
            tuple(Access(value, identity) for value in self.inputs),
            (Access(self.output, identity),),
            reductions=(Reduction((scalar_attr(0, self.accumulator),), body.finish(total)),),
        )


NN = Dialect(
    "nn",
    [
        AddOp,
        ConvOp,
        MatmulOp,
        PoolOp,
        ReduceOp,
        IntSoftmaxOp,
        ItaMaxOp,
        IntRmsNormOp,
        IntLayerNormOp,
        SoftmaxOp,
        LayerNormOp,
        RmsNormOp,
        IntegerSqrtOp,
        RemainderOp,
        UnpackOp,
    ],
    [],
)
