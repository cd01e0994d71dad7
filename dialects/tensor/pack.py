"""`tensor.pack` and `tensor.unpack`: tensors in blocks, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.utils import DynamicIndexList, verify_dynamic_index_list
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, numbers_of, shape_of, where
from ..core.semantics import Runner, Value, semantics
from ..core.slices import mixed

_TYPE = VarConstraint("T", base(TensorType))


def _order(op: Any, rank: int) -> Sequence[int]:
    """Return the axis that each outer axis of the packed tensor is."""
    return numbers_of(op.outer_dims_perm) if op.outer_dims_perm is not None else range(rank)


def _verify(op: Any, plain: Sequence[int], packed: Sequence[int]) -> None:
    """Verify that a tensor of the second shape may hold one of the first in blocks."""
    blocked, tiles = numbers_of(op.inner_dims_pos), numbers_of(op.static_inner_tiles)
    rank = len(plain)
    verify_dynamic_index_list(tiles, op.inner_tiles, DYNAMIC_INDEX, " in the tiles")
    if len(set(blocked)) != len(blocked) or not set(blocked) <= set(range(rank)) or len(tiles) != len(blocked):
        raise VerifyException(f"expected a tile for each of different dimensions of 0 to {rank - 1}")
    if sorted(_order(op, rank)) != list(range(rank)):
        raise VerifyException(f"expected outer_dims_perm to be a permutation of {rank} dimensions")
    if any(tile <= 0 and tile != DYNAMIC_INDEX for tile in tiles):
        raise VerifyException("expected positive tiles")
    outer = list(plain)
    for axis, tile in zip(blocked, tiles, strict=True):
        is_dynamic = DYNAMIC_INDEX in (tile, plain[axis])
        outer[axis] = DYNAMIC_INDEX if is_dynamic else -(-plain[axis] // tile)
    expected = [*(outer[axis] for axis in _order(op, rank)), *tiles]
    if len(packed) != len(expected):
        raise VerifyException(f"expected a packed tensor of rank {len(expected)}, found {len(packed)}")
    if any(DYNAMIC_INDEX not in pair and pair[0] != pair[1] for pair in zip(expected, packed, strict=True)):
        raise VerifyException(f"expected a packed tensor of shape {expected}, found {list(packed)}")


@irdl_op_definition
class TensorPackOp(IRDLOperation):
    """
    A tensor in blocks: its axes in tiles, in the order `outer_dims_perm`, and behind them the axes within tiles.

        %r = tensor.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 8] into %o
            : tensor<8x16xf32> -> tensor<4x2x2x8xf32>

    A partial tile needs a `padding_value`.
    """

    name = "tensor.pack"
    source = operand_def(TensorType)
    dest = operand_def(_TYPE)
    padding_value = opt_operand_def()
    inner_tiles = var_operand_def(IndexType())
    outer_dims_perm = opt_prop_def(DenseArrayBase.constr(i64))
    inner_dims_pos = prop_def(DenseArrayBase.constr(i64))
    static_inner_tiles = prop_def(DenseArrayBase.constr(i64))
    result = result_def(_TYPE)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source (`padding_value` `(` $padding_value^ `:` type($padding_value) `)`)? "
        "(`outer_dims_perm` `=` $outer_dims_perm^)? `inner_dims_pos` `=` $inner_dims_pos "
        "`inner_tiles` `=` custom<DynamicIndexList>($inner_tiles, $static_inner_tiles) "
        "`into` $dest attr-dict `:` type($source) `->` type($dest)"
    )

    def verify_(self) -> None:
        source = shape_of(self.source)
        _verify(self, source, shape_of(self.dest))
        if self.padding_value is not None:
            if self.padding_value.type != element_of(self.source):
                raise VerifyException(f"expected a padding of {element_of(self.source)}")
            return
        pairs = zip(numbers_of(self.inner_dims_pos), numbers_of(self.static_inner_tiles), strict=True)
        if any(DYNAMIC_INDEX not in (tile, source[axis]) and source[axis] % tile for axis, tile in pairs):
            raise VerifyException("expected a padding value for partial tiles")


@irdl_op_definition
class TensorUnpackOp(IRDLOperation):
    """
    A tensor of which another one holds the blocks; elements beyond the result are dropped.

        %r = tensor.unpack %a inner_dims_pos = [0, 1] inner_tiles = [2, 8] into %o
            : tensor<4x2x2x8xf32> -> tensor<8x16xf32>
    """

    name = "tensor.unpack"
    source = operand_def(TensorType)
    dest = operand_def(_TYPE)
    inner_tiles = var_operand_def(IndexType())
    outer_dims_perm = opt_prop_def(DenseArrayBase.constr(i64))
    inner_dims_pos = prop_def(DenseArrayBase.constr(i64))
    static_inner_tiles = prop_def(DenseArrayBase.constr(i64))
    result = result_def(_TYPE)
    traits = traits_def(Pure())
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source (`outer_dims_perm` `=` $outer_dims_perm^)? `inner_dims_pos` `=` $inner_dims_pos "
        "`inner_tiles` `=` custom<DynamicIndexList>($inner_tiles, $static_inner_tiles) "
        "`into` $dest attr-dict `:` type($source) `->` type($dest)"
    )

    def verify_(self) -> None:
        _verify(self, shape_of(self.dest), shape_of(self.source))


@semantics(TensorPackOp)
def _pack(runner: Runner, op: TensorPackOp, operands: Sequence[Value]) -> list[Array]:
    source, target, *rest = operands
    padding = rest.pop(0) if op.padding_value is not None else None
    tiles = mixed(op.static_inner_tiles, rest)
    axes = numbers_of(op.inner_dims_pos)
    missing = [0] * source.ndim
    for axis, tile in zip(axes, tiles, strict=True):
        missing[axis] = -source.shape[axis] % tile
    if any(missing) and padding is None:
        raise Diagnostic("a partial tile has no padding value", where(op), found=f"{list(source.shape)} by {tiles}")
    padded = np.pad(source, [(0, count) for count in missing], constant_values=0 if padding is None else padding)
    shape, outer, inner = _blocked(padded.shape, axes, tiles)
    order = [outer[axis] for axis in _order(op, source.ndim)]
    result = np.ascontiguousarray(padded.reshape(shape).transpose([*order, *(inner[axis] for axis in axes)]))
    if result.shape != target.shape:
        found = f"{list(target.shape)}, the source's blocks have {list(result.shape)}"
        raise Diagnostic("the destination has another shape than the blocks", where(op), found=found)
    return [result]


@semantics(TensorUnpackOp)
def _unpack(runner: Runner, op: TensorUnpackOp, operands: Sequence[Value]) -> list[Array]:
    source, target, *rest = operands
    tiles, axes = mixed(op.static_inner_tiles, rest), numbers_of(op.inner_dims_pos)
    extents = [0] * target.ndim
    for position, axis in enumerate(_order(op, target.ndim)):
        extents[axis] = source.shape[position]
    for axis, tile in zip(axes, tiles, strict=True):
        extents[axis] *= tile
    _, outer, inner = _blocked(extents, axes, tiles)
    order = [*(outer[axis] for axis in _order(op, target.ndim)), *(inner[axis] for axis in axes)]
    whole = source.transpose(np.argsort(order)).reshape(extents)
    if any(have < want for have, want in zip(whole.shape, target.shape, strict=True)):
        found = f"{list(target.shape)}, the blocks have {list(whole.shape)}"
        raise Diagnostic("the destination is larger than the blocks", where(op), found=found)
    return [np.ascontiguousarray(whole[tuple(slice(extent) for extent in target.shape)])]


def _blocked(
    extents: Sequence[int], axes: Sequence[int], tiles: Sequence[int]
) -> tuple[list[int], dict[int, int], dict[int, int]]:
    """Return a shape with an axis of tiles before each axis within a tile, and the places of both by axis."""
    size_of = dict(zip(axes, tiles, strict=True))
    shape: list[int] = []
    outer: dict[int, int] = {}
    inner: dict[int, int] = {}
    for axis, extent in enumerate(extents):
        outer[axis] = len(shape)
        shape.append(extent // size_of.get(axis, 1))
        if axis in size_of:
            inner[axis] = len(shape)
            shape.append(size_of[axis])
    return shape, outer, inner
