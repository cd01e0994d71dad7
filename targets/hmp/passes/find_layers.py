"""The pass `find-layers`: the parts of a network between which it may be cut, from its graph."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ....dialects.core.kernel import kernel_of
from ....dialects.core.nesting import nested_ops
from ....dialects.core.work import multiply_accumulates
from ....ir import functions
from ....passes.core.base import Pass

LAYER = "hmp.layer"

LEAST = 1_500_000
"""
Multiply-accumulates of a layer. A hand-over between processors takes 1 ms and more (ARM-CO-UP, section 6.2), in which a
classifier streams 1.5 million weights of floats at 6 GB/s. The classifiers of GoogLeNet and MobileNet (1.0 million) are
thus none of their own, those of AlexNet, ResNet-50 and SqueezeNet (2.0 and more) are, as in the published lists.
"""
_SHARE = 200
"""A layer of a 200th of the whole work is one however small the network is: the stages of a pipeline are balanced."""


@dataclass
class _LayerPart:
    """Consecutive ops, and those among them that sum products."""

    ops: list[Operation] = field(default_factory=list[Operation])
    products: list[Operation] = field(default_factory=list[Operation])

    def extend(self, other: _LayerPart) -> None:
        """Append the ops of another part."""
        self.ops += other.ops
        self.products += other.products

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all ops."""
        return sum(multiply_accumulates(op) for op in self.products)


def find_layers(function: FuncOp, least: int = LEAST) -> int:
    """
    Number the ops of a function that depend on its arguments by the layer they belong to; return the number of layers.

    A layer begins where one value alone is alive (an articulation point of the graph), with an op that sums products.
    What reduces nothing, or a single input, belongs to the layer before; so does a layer of fewer than `least`
    multiply-accumulates that is less than a 200th of the network. Half of a separable convolution or of a bottleneck
    is a layer with what follows it.
    """
    parts = list(_joined(_parts(function)))
    least = min(least, sum(part.macs for part in parts) // _SHARE)
    layers: list[_LayerPart] = []
    for part in parts:
        if layers and part.macs < least:
            layers[-1].extend(part)
        else:
            layers.append(part)
    if len(layers) > 1 and layers[0].macs < least:
        layers[:2] = [_LayerPart(layers[0].ops + layers[1].ops, layers[0].products + layers[1].products)]
    for number, layer in enumerate(layers):
        for op in layer.ops:
            op.attributes[LAYER] = IntegerAttr(number, i64)
    return len(layers)


def layer_of(op: Operation) -> int | None:
    """Return the layer of an op, None where it is of none, as constants are."""
    number = op.attributes.get(LAYER)
    return number.value.data if isinstance(number, IntegerAttr) else None


def dependent_ops(function: FuncOp) -> list[Operation]:
    """Return the ops of a function's block that depend on its arguments, but for the return."""
    block = function.body.block
    varying: set[SSAValue] = set(block.args)
    ops: list[Operation] = []
    for op in block.ops:
        if op is not block.last_op and any(value in varying for inner in _with_nested(op) for value in inner.operands):
            ops.append(op)
            varying.update(op.results)
    return ops


def _with_nested(op: Operation) -> Iterator[Operation]:
    yield op
    for region in op.regions:
        yield from nested_ops(region)


def _parts(function: FuncOp) -> Iterator[_LayerPart]:
    """Yield the ops between articulation points: positions at which one value alone is alive."""
    ops = dependent_ops(function)
    position = {op: index for index, op in enumerate(ops)}
    ends = {value: _last_use(value, position) for op in ops for value in op.results}
    part, alive = _LayerPart(), dict[SSAValue, int]()
    for index, op in enumerate(ops):
        part.ops.append(op)
        part.products += [inner for inner in _with_nested(op) if multiply_accumulates(inner)]
        alive |= {value: ends[value] for value in op.results}
        alive = {value: end for value, end in alive.items() if end > index}
        if len(alive) <= 1:
            yield part
            part = _LayerPart()


def _last_use(value: SSAValue, position: dict[Operation, int]) -> int:
    """Return the position of the last op that uses a value, itself or inside of its regions; -1 without one."""
    users = (enclosing(use.operation, position) for use in value.uses)
    return max((position[user] for user in users if user is not None), default=-1)


def enclosing(op: Operation | None, ops: Container[Operation]) -> Operation | None:
    """Return the op of `ops` that is an op or around it, None where there is none."""
    while op is not None and op not in ops:
        op = op.parent_op()
    return op


def _joined(parts: Iterator[_LayerPart]) -> Iterator[_LayerPart]:
    """Join each part without products to the part before, and each half to the part with products after it."""
    layer = _LayerPart()
    for part in parts:
        if part.products and layer.products and not _is_half(layer.products):
            yield layer
            layer = _LayerPart()
        layer.extend(part)
    if layer.ops:
        yield layer


def _is_half(products: Sequence[Operation]) -> bool:
    """
    Return whether products are one op of many rows that mixes channels alone, or taps alone.

    That is a pointwise or a depthwise convolution: half of a separable one, or the squeeze of a bottleneck.
    """
    if len(products) != 1:
        return False
    kernel = kernel_of(products[0])
    extents = {name: extent for name, extent in zip(kernel.loop_names, kernel.bounds, strict=True) if extent > 1}
    rows = prod(extent for name, extent in extents.items() if name[0] == "m")
    mixes_taps_alone = not any(name[0] == "n" for name in extents)
    return rows > 1 and (mixes_taps_alone or sum(name[0] == "k" for name in extents) == 1)


@dataclass(frozen=True)
class FindLayersPass(Pass):
    """
    Number the ops of a network by layers, the parts between which it may be cut: `hmp.layer`.

    A layer begins where one value alone is alive, with a convolution or a product. Activations, pools and
    normalisations belong to the layer before, and a layer of fewer than `least` multiply-accumulates does, if that is
    less than a 200th of the network. Half of a separable convolution, or the squeeze of a bottleneck, is a layer with
    what follows it. So the layers of AlexNet are
    8, of GoogLeNet 11, of MobileNet 14, of ResNet-50 18 and of SqueezeNet 10, without a list of names. Run it on
    tensors, after fuse-epilogues. Numbers that are there are replaced.
    """

    name = "find-layers"

    least: int = LEAST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            find_layers(function, self.least)
