"""Builder for rules that lower onnx ops to the tensor level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from ...dialects.core.body import Body
from ...dialects.core.builder import Builder
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp, is_constant
from ...errors import Diagnostic
from ...ir import Array, array_of, dense, element_of, integer_width, is_unsigned_type, shape_of, where
from ..core.reshapes import collapse, expand, reassociate

Build = Callable[..., SSAValue]
"""`(body, *elements) -> scalar`: makes the scalar code of an elementwise kernel."""

Rule = Callable[["Lowerer", OnnxOp], Sequence[SSAValue]]
LOWERINGS: Registry[str, Rule] = Registry("lowering")
"""Name of an onnx op -> the function that builds its results at the tensor level."""


def lowers(*names: str) -> Callable[[Rule], Rule]:
    """Register a function as the lowering of the operators of these names."""
    return LOWERINGS.rule(*(f"onnx.{name}" for name in names))


def signless(type: Attribute) -> Attribute:
    """
    Return the type that holds an element at the tensor level, where signs are in the ops.

    Integers of 2 and 4 bits lie in bytes, extended by their sign or by zeros.
    """
    width = integer_width(type)
    return type if width is None or isinstance(type, IndexType) else _signless_of(width)


@cache
def _signless_of(width: int) -> Attribute:
    return IntegerType(width if width == 1 else max(width, 8))


def is_unsigned(value: SSAValue) -> bool:
    """Return whether a value of the graph level holds unsigned integers."""
    return is_unsigned_type(element_of(value))


def is_lowered(function: func.FuncOp) -> bool:
    """Return whether a function has left the graph level: it holds other ops than onnx, and none of onnx."""
    kinds = {op.dialect_name() for op in function.body.block.ops} - {"func", "ml_program"}
    return bool(kinds) and "onnx" not in kinds


def constant_of(value: SSAValue | None) -> Array | None:
    """Return the array of a constant of the graph level, None for other values."""
    if isinstance(value, OpResult) and is_constant(value.op):
        return array_of(cast(Any, value.op.properties["value"]))
    return None


class Lowerer(Builder):
    """
    Builder of tensor-level ops at the end of a block; each op gets the location of the onnx op being lowered.

    `values` leads from the values of the graph level to those of the tensor level.
    """

    def __init__(self, block: Block):
        super().__init__(InsertPoint.at_end(block))
        self.values: dict[SSAValue, SSAValue] = {}

    def __getitem__(self, value: SSAValue | None) -> SSAValue:
        assert value is not None
        return self.values[value]

    def lower(self, op: OnnxOp) -> None:
        """Append the lowering of an op of the graph level, by its rule in LOWERINGS; its errors name the op."""
        self.location = op.location
        try:
            results = LOWERINGS[op.name](self, op)
        except Diagnostic as error:
            error.where = error.where or where(op)
            raise
        for old, new in zip(op.results, results, strict=True):
            self.values[old] = new
            if new.name_hint is None:
                new.name_hint = old.name_hint

    def empty(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """Append a tensor without content, the destination of a kernel."""
        return self.op(tensor.EmptyOp((), TensorType(cast(Any, element), shape)))

    def array(self, values: Array, element: Attribute) -> SSAValue:
        """Append a constant tensor; one without elements has no content."""
        if not values.size:
            return self.empty(values.shape, element)
        return self.op(arith.ConstantOp(cast(Any, dense(values, element))))

    def generic(
        self,
        inputs: Sequence[SSAValue],
        maps: Sequence[AffineMap],
        shape: Sequence[int],
        element: Attribute,
        block: Block,
    ) -> SSAValue:
        """Append an elementwise `linalg.generic` whose block takes the inputs' elements and the output's."""
        out = self.empty(shape, element)
        identity = AffineMap.identity(len(shape))
        return self.op(
            linalg.GenericOp(
                list(inputs),
                [out],
                Region(block),
                [AffineMapAttr(map) for map in (*maps, identity)],
                [IteratorTypeAttr.parallel()] * len(shape),
                [out.type],
            )
        )

    def elementwise(
        self,
        operands: Sequence[SSAValue],
        shape: Sequence[int],
        element: Attribute,
        build: Build,
        *,
        maps: Sequence[AffineMap] | None = None,
        wraps: bool = False,
        constants: Attribute | None = None,
    ) -> SSAValue:
        """
        Append an elementwise kernel over values of the graph level.

        `build(body, *elements)` returns the scalar to yield. Operands broadcast as in NumPy unless `maps` says how; a
        constant of one value is written into the body, in the type `constants` or its own.
        """
        maps = maps or [broadcast_map(shape_of(value), shape) for value in operands]
        uniform = [_uniform(constant_of(value)) for value in operands]
        varying = [i for i, number in enumerate(uniform) if number is None]
        types = [signless(element_of(value)) for value in operands]
        body = Body([*(types[i] for i in varying), element], wraps=wraps)
        arguments = dict(zip(varying, body.args, strict=False))
        scalars = [
            arguments[i] if number is None else body.constant(number, constants or types[i])
            for i, number in enumerate(uniform)
        ]
        block = body.finish(build(body, *scalars))
        inputs = [self[operands[i]] for i in varying]
        return self.generic(inputs, [maps[i] for i in varying], shape, element, block)

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Append ops that view a tensor-level value in another shape of as many elements."""
        source = list(shape_of(value))
        if source == list(shape):
            return value
        element = cast(Any, element_of(value))
        if not source or not shape:
            return self._copied(value, shape)
        groups = reassociate(source, list(shape))
        if 0 in source:
            return self.empty(shape, element)
        if groups and len(source) > len(shape):
            return self.op(collapse(value, groups, TensorType(element, shape)))
        if groups:
            return self.op(expand(value, groups, TensorType(element, shape)))
        if len(source) != 1:
            value = self.reshape(value, [int(np.prod(source))])
        return self.reshape(value, shape)

    def _copied(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Append a copy of a tensor of one element in another shape: xDSL has no view from or to no axes."""
        if np.prod([*shape_of(value), *shape]) != 1:
            raise Diagnostic(f"a tensor of shape {list(shape_of(value))} cannot be viewed as {list(shape)}")
        element = element_of(value)
        zeros = tuple(AffineExpr.constant(0) for _ in shape_of(value))
        body = Body([element, element])
        source = AffineMap(len(shape), 0, zeros)
        return self.generic([value], [source], shape, element, body.finish(body.args[0]))

    def extract(
        self, value: SSAValue, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
    ) -> SSAValue:
        """Append a slice of a tensor-level value."""
        result = TensorType(cast(Any, element_of(value)), sizes)
        return self.op(
            tensor.ExtractSliceOp.build(
                operands=[value, [], [], []],
                result_types=[result],
                properties={
                    "static_offsets": DenseArrayBase.from_list(i64, offsets),
                    "static_sizes": DenseArrayBase.from_list(i64, sizes),
                    "static_strides": DenseArrayBase.from_list(i64, strides),
                },
            )
        )


def _uniform(values: Array | None) -> Any:
    """Return the value that all elements of a constant share, None where they differ."""
    if values is None or not values.size or not bool(np.all(values == values.flat[0])):
        return None
    return values.flat[0]


def broadcast_map(shape: Sequence[int], target: Sequence[int]) -> AffineMap:
    """
    Return the map from an index of `target` to the element of `shape` that NumPy's broadcasting pairs with it.

    A shape may have more axes than the target where these are of one element: [1] goes with a scalar.
    """
    zero, extra = AffineExpr.constant(0), max(len(shape) - len(target), 0)
    first = len(target) - len(shape) + extra
    along = zip(AffineMap.identity(len(target)).results[first:], shape[extra:], target[first:], strict=True)
    results = [zero if extent == 1 and full != 1 else dim for dim, extent, full in along]
    return AffineMap(len(target), 0, (*[zero] * extra, *results))


def unsupported(op: OnnxOp, what: str, remedy: str = "") -> Diagnostic:
    """Return the error for a form of an operator that has no lowering."""
    return Diagnostic(f"{op.name.removeprefix('onnx.')} {what} has no lowering", where=where(op), remedy=remedy)
