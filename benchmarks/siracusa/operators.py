"""
Networks as the published flow sees them: operators after its merges, with the bytes that each moves.

Deeploy (pulp-platform/Deeploy, Targets/PULPOpen: Deployer.py and TopologyOptimizationPasses) merges requantisation into
convolutions, matrix products, hard swishes and divisions before it, and into additions behind it. It turns the input of
a depthwise convolution on the cores to planes, and the second operand of a product where it lies otherwise. Every
operator reads its inputs from L2 and writes its result there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from tilewright.benchmarks.siracusa.library import Product, Window
from tilewright.errors import Diagnostic
from tilewright.ir import array_of, functions, numbers_of, shape_of, where

Kind = Literal[
    "convolution",
    "depthwise",
    "product",
    "requantise",
    "add",
    "multiply",
    "swish",
    "softmax",
    "norm",
    "transpose",
    "concatenate",
    "maximum",
]
_ELEMENTWISE: dict[str, Kind] = {"onnx.Mul": "multiply", "onnx.iSoftmax": "softmax", "onnx.iRMSNorm": "norm"}
_FREE = ("onnx.Constant", "func.return", "onnx.Reshape", "onnx.Flatten", "onnx.Squeeze", "onnx.Unsqueeze")
_GIVEN = ("onnx.Gather",)
"""What the published networks get as inputs: the embedding of a token, the rotation of its position."""


@dataclass(frozen=True)
class Operator:
    """
    An operator of the flow on tensors of `shape`, or with the extents of its window or product.

    `reads` are the bytes of each input that is no constant, `writes` those of the result, `parameters` those of the
    factors and offsets of requantisation. `weights` are constants.
    """

    kind: Kind
    name: str = field(compare=False)
    shape: tuple[int, ...]
    reads: tuple[int, ...]
    writes: int
    weights: int = 0
    parameters: int = 0
    window: Window | None = None
    product: Product | None = None
    lengths: tuple[int, ...] = ()

    @property
    def scratch(self) -> int:
        """The bytes of buffers of a kernel on eight cores: windows that it copies, exponentials of a row."""
        if self.kind in ("convolution", "depthwise") and self.window is not None:
            return 16 * self.window.products
        return 32 * self.shape[-1] if self.kind == "softmax" else 0

    @property
    def bytes(self) -> int:
        """Footprint of the operator in L1, in bytes."""
        return sum(self.reads) + self.writes + self.weights + self.parameters + self.scratch

    def cut(self, count: int) -> list[Operator]:
        """Return tiles, all but the last of the same size: `count` at most along an axis; windows are not cut."""
        if self.product is not None:
            return _cut_product(self, self.product, count)
        axis = max(range(len(self.shape) - 1), key=lambda d: self.shape[d], default=0)
        if self.kind not in ("softmax", "norm", "transpose", "concatenate"):
            return [_part(self, (size,), size / prod(self.shape)) for size in _sizes(prod(self.shape), count)]
        return [
            _part(self, (*self.shape[:axis], size, *self.shape[axis + 1 :]), size / self.shape[axis])
            for size in _sizes(self.shape[axis], count)
        ]


def _sizes(extent: int, count: int) -> list[int]:
    size = -(-extent // count)
    return [min(size, extent - start) for start in range(0, extent, size)]


def _scaled(values: Sequence[int], part: float) -> tuple[int, ...]:
    return tuple(round(value * part) for value in values)


def _part(whole: Operator, shape: tuple[int, ...], part: float) -> Operator:
    return replace(whole, shape=shape, reads=_scaled(whole.reads, part), writes=round(whole.writes * part))


def _cut_product(whole: Operator, product: Product, count: int) -> list[Operator]:
    if product.batch > 1 and not whole.weights:
        return [
            replace(_part(whole, whole.shape, size / product.batch), product=replace(product, batch=size))
            for size in _sizes(product.batch, count)
        ]
    rows = product.rows * product.batch
    if whole.weights and whole.weights > sum(whole.reads) + whole.writes:
        tiles: list[Operator] = []
        for size in _sizes(product.features, count):
            share = size / product.features
            weights, parameters = round(whole.weights * share), round(whole.parameters * share)
            tile = replace(whole, weights=weights, parameters=parameters, writes=round(whole.writes * share))
            tiles.append(replace(tile, product=replace(product, features=size)))
        return tiles
    return [
        replace(_part(whole, whole.shape, size / rows), product=replace(product, batch=1, rows=size))
        for size in _sizes(rows, count)
    ]


def operators(module: ModuleOp, extents: Mapping[int, int] | None = None) -> list[Operator]:
    """
    Return the operators of an imported network, in order; `extents` replaces extents in all shapes.

    Raises Diagnostic for an operator that the published networks do not have.
    """
    return _Reader(extents or {}).operators([*functions(module)[0].body.walk()])


class _Reader:
    def __init__(self, extents: Mapping[int, int]):
        self._extents = extents
        self._merged: set[Operation] = set()
        self._absorbed: set[SSAValue] = set()
        self._wide: set[SSAValue] = set()

    def operators(self, ops: Sequence[Operation]) -> list[Operator]:
        additions = [op for op in ops if op.name == "onnx.Add" and not _has_constant(op)]
        self._absorbed = {value for op in additions for value in op.operands if self._joins_addition(value)}
        self._merged |= {value.owner for value in self._absorbed if isinstance(value.owner, Operation)}
        found: list[Operator] = []
        for op in ops:
            if op not in self._merged and op.name not in (*_FREE, *_GIVEN):
                found += self._operators(op)
        return found

    def _operators(self, op: Operation) -> list[Operator]:
        if op.name == "onnx.Conv":
            return self._convolution(op)
        if op.name in ("onnx.MatMul", "onnx.Gemm"):
            return self._product(op)
        if op.name == "onnx.MaxPool":
            return [self._elements(op, "maximum", window=self._window(op))]
        if op.name == "onnx.Add":
            self._requantised(op.results[0])
            return [self._elements(op, "add")]
        if op.name == "onnx.iHardswish":
            self._requantised(op.results[0])
            return [self._elements(op, "swish")]
        if op.name == "onnx.TrueIntegerDiv":
            return [] if self._is_absorbed(self._requantised(op.results[0])) else [self._elements(op, "requantise")]
        if op.name == "onnx.RequantShift":
            return [] if _is_unity(op) else [self._elements(op, "requantise")]
        if op.name == "onnx.Transpose":
            return [] if self._is_no_move(op) else [self._elements(op, "transpose")]
        if op.name == "onnx.Concat":
            return self._concatenation(op)
        if op.name not in _ELEMENTWISE:
            raise Diagnostic("the published networks have no such operator", where=where(op), found=op.name)
        if op.name == "onnx.Mul":
            self._wide.add(op.results[0])
        return [self._elements(op, _ELEMENTWISE[op.name])]

    # Parts of operators

    def _shape(self, value: SSAValue) -> tuple[int, ...]:
        return tuple(self._extents.get(extent, extent) for extent in shape_of(value))

    def _size(self, value: SSAValue) -> int:
        return prod(self._shape(value)) * (4 if value in self._wide else 1)

    def _reads(self, op: Operation) -> tuple[int, ...]:
        return tuple(self._size(value) for value in op.operands if not _is_constant(value))

    def _elements(self, op: Operation, kind: Kind, *, window: Window | None = None) -> Operator:
        result = op.results[0]
        reads = self._reads(op)
        if kind == "add":  # a mask is stored as often as it is used
            reads = (self._size(result),) * 2
        return Operator(kind, where(op), self._shape(result), reads, self._size(result), window=window)

    def _requantised(self, value: SSAValue) -> SSAValue:
        """Return the requantised value, and merge it; a bias before it too."""
        uses = [use.operation for use in value.uses]
        if len(uses) != 1:
            return value
        if uses[0].name == "onnx.Add" and _has_constant(uses[0]):
            self._merged.add(uses[0])
            return self._requantised(uses[0].results[0])
        if uses[0].name != "onnx.RequantShift":
            return value
        self._merged.add(uses[0])
        return uses[0].results[0]

    def _is_absorbed(self, value: SSAValue) -> bool:
        return value in self._absorbed

    def _joins_addition(self, value: SSAValue) -> bool:
        """Return whether an addition requantises its operand itself."""
        op = value.owner
        if not isinstance(op, Operation) or op.name != "onnx.RequantShift" or len([*value.uses]) != 1:
            return False
        before = op.operands[0].owner
        taken = ("onnx.Conv", "onnx.MatMul", "onnx.Gemm", "onnx.iHardswish")
        if isinstance(before, Operation) and before.name == "onnx.Add" and _has_constant(before):
            return False
        return not isinstance(before, Operation) or before.name not in taken

    def _window(self, op: Operation) -> Window:
        _, channels, height, width = self._shape(op.operands[0])
        _, features, *out = self._shape(op.results[0])
        taps, strides, pads = (_numbers(op, name) for name in ("kernel_shape", "strides", "pads"))
        return Window(
            height,
            width,
            channels,
            features,
            (taps[0], taps[1]),
            (strides[0], strides[1]) if strides else (1, 1),
            (pads[0], pads[1], pads[2], pads[3]) if pads else (0, 0, 0, 0),
            (out[0], out[1]),
        )

    def _convolution(self, op: Operation) -> list[Operator]:
        window, image = self._window(op), op.operands[0]
        result = self._requantised(op.results[0])
        is_depthwise = _numbers(op, "group") not in ((), (1,))
        whole = Operator(
            "depthwise" if is_depthwise else "convolution",
            where(op),
            self._shape(result),
            (self._size(image),),
            self._size(result),
            weights=self._size(op.operands[1]),
            parameters=8 * window.features,
            window=window,
        )
        planes = isinstance(image.owner, Operation) == is_depthwise and window.channels > 1
        shape = (window.channels, window.height, window.width)
        turned = Operator("transpose", f"{where(op)} (planes)", shape, whole.reads, whole.reads[0])
        return [turned, whole] if planes else [whole]

    def _product(self, op: Operation) -> list[Operator]:
        first, second = op.operands[:2]
        result = self._requantised(op.results[0])
        if result is op.results[0]:
            self._wide.add(result)
        *batch, rows, depth = (1, *self._shape(first))
        features = self._shape(op.results[0])[-1]
        has_weights = _is_constant(second)
        whole = Operator(
            "product",
            where(op),
            self._shape(result),
            self._reads(op),
            self._size(result),
            weights=self._size(second) if has_weights else 0,
            parameters=8 * features,
            product=Product(
                1 if has_weights else prod(batch), prod(batch) * rows if has_weights else rows, depth, features
            ),
        )
        if has_weights or _is_turned(second):
            return [whole]
        turned = Operator(
            "transpose", f"{where(op)} (columns)", self._shape(second), (self._size(second),), self._size(second)
        )
        return [turned, whole]

    def _is_no_move(self, op: Operation) -> bool:
        """Return whether a transposition moves nothing, or only makes what products take as it was before."""
        shape, order = self._shape(op.operands[0]), _numbers(op, "perm")
        moved = [d for d in order if shape[d] > 1]
        return moved == sorted(moved) or (_is_turned(op.results[0]) and _is_second(op.results[0]))

    def _concatenation(self, op: Operation) -> list[Operator]:
        axis = _numbers(op, "axis")[0]
        shapes = [self._shape(value) for value in op.operands]
        lengths = tuple(prod(shape[axis:]) for shape in shapes)
        if 0 in lengths:
            return []
        shape = (prod(shapes[0][:axis]), sum(lengths))
        return [replace(self._elements(op, "concatenate"), shape=shape, lengths=lengths)]


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.name == "onnx.Constant"


def _has_constant(op: Operation) -> bool:
    return any(_is_constant(value) for value in op.operands)


def _is_unity(op: Operation) -> bool:
    """Return whether a requantisation behind a concatenation changes nothing; the flow drops such ones."""
    before, factor = op.operands[0].owner, op.operands[1].owner
    if not isinstance(before, Operation) or before.name != "onnx.Concat" or not isinstance(factor, Operation):
        return False
    value: Any = factor.attributes.get("value") or factor.properties.get("value")
    return array_of(value).tolist() == _numbers(op, "div")[0]


def _is_turned(value: SSAValue) -> bool:
    """Return whether a value is another with its last two axes exchanged."""
    op = value.owner
    if not isinstance(op, Operation) or op.name != "onnx.Transpose":
        return False
    order = _numbers(op, "perm")
    return order[-2:] == (len(order) - 1, len(order) - 2)


def _is_second(value: SSAValue) -> bool:
    return all(use.operation.name == "onnx.MatMul" and use.index == 1 for use in value.uses)


def _numbers(op: Operation, name: str) -> tuple[int, ...]:
    attribute: Any = op.attributes.get(name) or op.properties.get(name)
    if attribute is None:
        return ()
    if hasattr(attribute, "value"):
        return (int(attribute.value.data),)
    return (
        tuple(int(value) for value in numbers_of(attribute))
        if not hasattr(attribute, "get_values")
        else tuple(int(value) for value in attribute.get_values())
    )
