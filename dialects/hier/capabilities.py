"""Capabilities that a transfer asks of its link: the ways in which it transforms what it moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, Region

from ...ir import shape_of
from ..core.analysis.constants import constant_number
from ..core.layouts import layout_map, view_strides
from ..core.machine.cost_table import passes_named, transform_named
from ..core.machine.link import Link
from ..quant import RequantizeOp, RescaleOp
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
            for need in _needs_of(op):
                needs.setdefault(need, f"'{op.name}' in its body")
    return needs


def _needs_of(op: Operation) -> tuple[str, ...]:
    if isinstance(op, RequantizeOp | RescaleOp):
        return _SCALE, _CONVERT, _CLIP
    if isinstance(op, _MAXIMA) and any(constant_number(operand) == 0 for operand in op.operands):
        return ("relu",)
    return (_OF_OP.get(type(op), op.name),)


def missing(body: Region | None, needs: Mapping[str, str], link: Link) -> tuple[str, str] | None:
    """
    Return a capability that a link lacks for a transfer with a body and other needs, and the reason; None if none.

    A function among the link's transforms that accepts the body stands for all that it needs.
    """
    transforms = link.transforms
    lacking = _lacking(needs, transforms)
    if lacking is not None or body is None:
        return lacking
    faults = [transform_named(name)(body, link) for name in transforms if "." in name]
    if not all(faults):
        return None
    lacking = _lacking(needs_of_body(body), transforms)
    return (lacking[0], faults[0] if faults else lacking[1]) if lacking is not None else None


def passes_of(body: Region | None, link: Link) -> int:
    """Return the reads by a link of each row of a near tile to compute a body on the way."""
    if body is None:
        return 1
    named = [name for name in link.transforms if "." in name]
    return next((passes_named(name)(body, link) for name in named if not transform_named(name)(body, link)), 1)


def passes_of_transfer(op: Operation, link: Link) -> int:
    """Return the reads by a link of each row of a near tile for a transfer."""
    return passes_of(op.body, link) if isinstance(op, DmaStartOp) else 1


def _lacking(needs: Mapping[str, str], transforms: Sequence[str]) -> tuple[str, str] | None:
    for need, reason in needs.items():
        if need not in transforms and not (need == "relu" and _CLIP in transforms):
            return need, reason
    return None


def changes_layout(far: Attribute, near: Attribute) -> bool:
    """Return whether a tile's elements are in different orders on the two sides, which strides do not describe."""
    tile = cast("MemRefType[Any]", near).get_shape()
    maps = [None if _is_strided(type, tile) else layout_map(type) for type in (far, near)]
    return maps[0] != maps[1]


def _is_strided(type: Attribute, tile: tuple[int, ...]) -> bool:
    return layout_map(type) is None or view_strides(cast("MemRefType[Any]", type), tile) is not None


def needs_of_repeats(axes: Sequence[int], rank: int) -> dict[str, str]:
    """Return the capabilities that axes of a tile ask for along which a transfer repeats what it reads."""
    needs = {"splat" if axis == rank - 1 else "broadcast": axis for axis in reversed(axes)}
    return {need: f"axis {axis}, which is repeated" for need, axis in needs.items()}


def needs_of(op: DmaStartOp) -> dict[str, str]:
    """Return the capabilities that a transfer asks for beside those of its body, each with what asks for it."""
    needs: dict[str, str] = {}
    needs |= needs_of_repeats(op.repeated, len(shape_of(op.near)))
    if changes_layout(op.far.type, op.near.type):
        needs["layout"] = f"{op.far.type} on one side, {op.near.type} on the other"
    if op.clipped is not None and op.writes_far is None:
        needs["fill"] = "a tile that may extend beyond the far buffer"
    return needs
