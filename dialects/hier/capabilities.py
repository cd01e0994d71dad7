"""Capabilities that a transfer asks of its link: the ways in which it transforms what it moves."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ..core.layouts import layout_map, view_strides
from .bodies import YieldOp
from .transfers import DmaStartOp

_CONVERT = "convert"
_SCALE = "scale"
_CLIP = "clip"
_OF_OP: dict[type[Operation], str] = {
    **dict.fromkeys(
        (
            arith.ExtSIOp,
            arith.ExtUIOp,
            arith.TruncIOp,
            arith.ExtFOp,
            arith.TruncFOp,
            arith.SIToFPOp,
            arith.UIToFPOp,
            arith.FPToSIOp,
            arith.FPToUIOp,
        ),
        _CONVERT,
    ),
    **dict.fromkeys(
        (
            arith.AddiOp,
            arith.AddfOp,
            arith.SubiOp,
            arith.SubfOp,
            arith.MuliOp,
            arith.MulfOp,
            arith.DivfOp,
            arith.ShRSIOp,
            arith.ShLIOp,
            math.RoundEvenOp,
        ),
        _SCALE,
    ),
    **dict.fromkeys(
        (
            arith.MaxSIOp,
            arith.MinSIOp,
            arith.MaximumfOp,
            arith.MinimumfOp,
            arith.MaxnumfOp,
            arith.MinnumfOp,
        ),
        _CLIP,
    ),
}
"""Scalar op -> the capability to compute it on the way."""

_MAXIMA = (arith.MaxSIOp, arith.MaximumfOp, arith.MaxnumfOp)


def needs_of_body(body: Region | None) -> dict[str, str]:
    """Return the capabilities that a body asks for, each with what asks for it; an op of none is one of its own."""
    needs: dict[str, str] = {}
    for op in body.block.ops if body is not None else ():
        if not isinstance(op, arith.ConstantOp | YieldOp):
            needs.setdefault(_need_of(op), f"'{op.name}' in its body")
    return needs


def _need_of(op: Operation) -> str:
    if isinstance(op, _MAXIMA) and any(_is_zero(operand) for operand in op.operands):
        return "relu"
    return _OF_OP.get(type(op), op.name)


def _is_zero(value: SSAValue) -> bool:
    attribute = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    return isinstance(attribute, IntegerAttr | FloatAttr) and not cast(Any, attribute).value.data


def changes_layout(far: Attribute, near: Attribute) -> bool:
    """Return whether a tile's elements are in different orders on the two sides, which strides do not describe."""
    tile = cast("MemRefType[Any]", near).get_shape()
    maps = [None if _is_strided(type, tile) else layout_map(type) for type in (far, near)]
    return maps[0] != maps[1]


def _is_strided(type: Attribute, tile: tuple[int, ...]) -> bool:
    return layout_map(type) is None or view_strides(cast("MemRefType[Any]", type), tile) is not None


def needs_of(op: DmaStartOp) -> dict[str, str]:
    """Return the capabilities that a transfer asks its link for, each with what asks for it."""
    needs = needs_of_body(op.body)
    if op.repeated:
        needs["broadcast"] = f"axis {op.repeated[0]}, which is repeated"
    if changes_layout(op.far.type, op.near.type):
        needs["layout"] = f"{op.far.type} on one side, {op.near.type} on the other"
    if op.clipped is not None and op.writes_far is None:
        needs["fill"] = "a tile that may extend beyond the far buffer"
    return needs
