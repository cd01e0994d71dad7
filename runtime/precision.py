"""
Rounding on the way to a network's outputs: narrow float types and steps of quantisation between inputs and output.

Two right executions of a network in floats add in different orders. Where a float of 16 bits or a QuantizeLinear to 16
bits lies behind a sum, the difference of the last bit of an f32 becomes one of a step of that type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from ml_dtypes import finfo
from xdsl.dialects.builtin import BFloat16Type, DenseIntOrFPElementsAttr, Float16Type, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects.onnx.facts import Trait, having
from ..dialects.onnx.registry import mentions
from ..dialects.onnx.schema import OnnxOp
from ..ir import DenseAttr, array_of, element_of, functions, integer_width, numpy_type
from .inputs import network_tensors

WIDE = 16
"""Bits of a quantised type from which on the last bit of an f32 sum often reaches a step: 2^24 / 2^16 = 256 of them."""

_MOVEMENT = having(Trait.MOVES) - {"Resize"} | having(Trait.CLAMPS) | {"Cast"}
"""Operators whose results are elements of their inputs, or limits; Resize may interpolate."""


@dataclass(frozen=True)
class Precision:
    """
    Rounding on the way to a tensor: counts are of the longest way.

    `spacing` is that of the coarsest float type below 32 bits at 1, `roundings` how many results are of such a type.
    `wide_steps` counts quantisations to 16 bits and more, `bits` are those of the narrowest quantised type, 0 without
    one. `step` is the scale by which a tensor was dequantised of which the output has elements, 0 without one.
    """

    spacing: float = 0.0
    roundings: int = 0
    wide_steps: int = 0
    bits: int = 0
    step: float = 0.0

    def joined(self, other: Precision) -> Precision:
        """Return the coarser of two in each respect."""
        return Precision(
            max(self.spacing, other.spacing),
            max(self.roundings, other.roundings),
            max(self.wide_steps, other.wide_steps),
            min(filter(None, (self.bits, other.bits)), default=0),
            max(self.step, other.step),
        )


def output_precisions(module: ModuleOp) -> Mapping[str, Precision]:
    """Return the rounding on the way to each output of a network at the graph level, by name."""
    block = functions(module)[0].body.block
    precisions: dict[SSAValue, Precision] = {}
    for op in block.ops:
        precision = _result(op, _joined(precisions.get(value, Precision()) for value in op.operands))
        precisions |= dict.fromkeys(op.results, precision)
    last = block.last_op
    assert last is not None, "a network ends with a return"
    names = [name for name, _, _ in network_tensors(module)[1]]
    return {name: precisions.get(value, Precision()) for name, value in zip(names, last.operands, strict=True)}


def _joined(precisions: Iterable[Precision]) -> Precision:
    joined = Precision()
    for precision in precisions:
        joined = joined.joined(precision)
    return joined


@mentions("Cast", "DequantizeLinear", "QuantizeLinear", "Resize")
def _result(op: Operation, operands: Precision) -> Precision:
    kind = op.name.rpartition(".")[2]
    if not op.results or not isinstance(op, OnnxOp):
        return operands
    if kind == "QuantizeLinear":
        return _quantised(operands, element_of(op.results[0]))
    if kind == "DequantizeLinear":
        return replace(operands, step=_largest_scale(op.operands[1]))
    if kind not in _MOVEMENT:
        operands = replace(operands, step=0.0)
    spacing = _narrow_spacing(element_of(op.results[0]))
    if not spacing:
        return operands
    rounds = kind == "Cast" or kind not in _MOVEMENT
    return replace(operands, spacing=max(spacing, operands.spacing), roundings=operands.roundings + rounds)


def _quantised(operands: Precision, element: Attribute) -> Precision:
    bits = integer_width(element) or 0
    narrowest = min(filter(None, (bits, operands.bits)), default=0)
    return replace(operands, wide_steps=operands.wide_steps + (bits >= WIDE), bits=narrowest, step=0.0)


def _narrow_spacing(element: Attribute) -> float:
    if not isinstance(element, Float16Type | BFloat16Type):
        return 0.0
    return float(cast(Any, finfo(numpy_type(element))).eps)


def _largest_scale(scale: SSAValue) -> float:
    """Return the largest scale of a DequantizeLinear, 0 where it is no constant."""
    value = scale.owner.properties.get("value") if isinstance(scale.owner, Operation) else None
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return 0.0
    return float(array_of(cast("DenseAttr", value)).max())
