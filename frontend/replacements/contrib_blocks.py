"""ONNX Runtime's operators on small integers that are scaled in blocks: MatMulNBits, GatherBlockQuantized."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from onnx import TensorProto, helper

from ...dialects.core.small_floats import FORMATS
from ...ir import Array
from ..site import FLOATS, Site, replaces

_WIDTHS = (2, 4, 8)
"""The bits of integers that are packed in bytes."""

_WIDE: dict[int, int] = {TensorProto.INT4: TensorProto.INT8, TensorProto.UINT4: TensorProto.UINT8}
"""Type of integers of 4 bits -> that of the bytes that hold one each."""


def _unpacked(rows: Array, bits: int) -> Array:
    """Return the numbers in rows of bytes, those in the lowest bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((rows[..., None] >> shifts) & ((1 << bits) - 1)).reshape(len(rows), -1).astype(np.int16)


def _emit_unpacked(site: Site, packed: str, shape: Sequence[int], bits: int) -> str:
    """Append the numbers that bytes of a shape hold along the last axis, those in the lowest bits first."""
    shifts = site.constant(np.arange(0, 8, bits, dtype=np.uint8))
    mask = site.constant(np.array((1 << bits) - 1, np.uint8))
    parts = site.emit("BitShift", site.reshape(packed, *shape, 1), shifts, direction="RIGHT")
    return site.reshape(site.emit("BitwiseAnd", parts, mask), *shape[:-1], shape[-1] * 8 // bits)


# MatMulNBits


@replaces("MatMulNBits")
def _matmul_nbits(site: Site) -> None:
    """
    Multiply by weights of small unsigned integers: w = (b - zero) * scale, y = x w^T + bias.

    `b` is [N, blocks, block_size * bits / 8] with the first weight of a byte in its lowest bits. Zero points are packed
    as well, [N, blocks * bits / 8], or floats, [N, blocks], and 1 << (bits - 1) without them. Column k of w has the
    scale and zero point of block k / block_size, or of that which `groups` says; packed zero points then do not count,
    as in ONNX Runtime.
    """
    columns, depth = int(site.attribute("N")), int(site.attribute("K"))
    codes, offset, groups = _codes(site), _offset(site), _groups(site)
    blocks, block = codes.shape[1:]
    if groups is not None:
        codes = codes.reshape(columns, -1)[:, :depth]
    real = _centred(site, codes, offset, groups)
    rows = site.emit("Mul", real, _by_column(site, site.reshape(site.input(2), columns, blocks), groups))
    if groups is None and blocks * block != depth:
        rows = site.reshape(rows, columns, blocks * block)
        rows = site.emit("Slice", rows, site.sizes(0), site.sizes(depth), site.sizes(1))
    elif groups is None:
        rows = site.reshape(rows, columns, depth)
    product = site.emit("MatMul", site.input(0), site.emit("Transpose", rows, perm=[1, 0]))
    site.give(0, site.sum(product, site.input(5)))


def _centred(site: Site, codes: Array, offset: Array | str, groups: Array | None) -> str:
    """Append the weights less their zero points, as floats."""
    kind = site.kind(2)
    if isinstance(offset, str):
        real = site.emit("Cast", site.constant(codes.astype(np.uint8)), to=kind)
        return site.emit("Sub", real, _by_column(site, offset, groups))
    centred = codes - (offset[:, :, None] if groups is None else offset[:, groups])
    narrow = np.int8 if np.abs(centred).max(initial=0) < 128 else np.int16
    return site.emit("Cast", site.constant(centred.astype(narrow)), to=kind)


def _by_column(site: Site, parameter: str, groups: Array | None) -> str:
    """Append scales or zero points [N, blocks] as [N, K] by groups, or as [N, blocks, 1] without."""
    if groups is None:
        return site.emit("Unsqueeze", parameter, site.sizes(2))
    return site.emit("Gather", parameter, site.constant(groups), axis=1)


def _codes(site: Site) -> Array:
    """Return the weights without scale and zero point, [N, blocks, block_size]."""
    bits, block = int(site.attribute("bits")), int(site.attribute("block_size"))
    columns, packed = int(site.attribute("N")), site.value(1)
    if packed is None or packed.dtype != np.uint8 or bits not in _WIDTHS or block < 1:
        what = "with weights that are not constant" if packed is None else f"with {bits} bits in blocks of {block}"
        raise site.unsupported(what, "constant weights of 2, 4 or 8 bits in bytes of uint8")
    if int(site.attribute("weight_prepacked")):
        raise site.unsupported("with weights in the layout of one processor", "weight_prepacked = 0")
    blocks = -(-int(site.attribute("K")) // block)
    if not packed.size or packed.size * 8 != columns * blocks * block * bits:
        wanted = f"{columns} rows of {blocks} blocks of {block}, {bits} bits each"
        raise site.unsupported(f"with {packed.size} bytes of weights", wanted)
    return _unpacked(packed.reshape(columns, -1), bits).reshape(columns, blocks, block)


def _offset(site: Site) -> Array | str:
    """Return the zero points [N, blocks], or the tensor of those that are floats."""
    bits, columns = int(site.attribute("bits")), int(site.attribute("N"))
    blocks = -(-int(site.attribute("K")) // int(site.attribute("block_size")))
    zeros = site.value(3)
    if not site.input(3):
        return np.full((columns, blocks), 1 << (bits - 1), np.int16)
    if site.kind(3) in FLOATS:
        if prod(site.shape(3)) != columns * blocks:
            raise site.unsupported(f"with zero points of {list(site.shape(3))}", f"zero points of {[columns, blocks]}")
        return site.cast(site.reshape(site.input(3), columns, blocks), site.kind(3), site.kind(2))
    if zeros is None or zeros.dtype != np.uint8 or zeros.size != columns * -(-blocks * bits // 8):
        wanted = f"constants of uint8, {columns} rows of {blocks} in {bits} bits each, or floats"
        raise site.unsupported("with such zero points", wanted)
    if site.input(4):
        text = "zero points of uint8 do not count beside g_idx: ONNX Runtime takes them for the middle, so does this"
        warnings.warn(f"{site.where}: warning: {text}", stacklevel=2)
        return np.full((columns, blocks), 1 << (bits - 1), np.int16)
    return _unpacked(zeros.reshape(columns, -1), bits)[:, :blocks]


def _groups(site: Site) -> Array | None:
    """Return the block whose scale and zero point each of the K columns has, None where they are in order."""
    depth, block = int(site.attribute("K")), int(site.attribute("block_size"))
    if not site.input(4):
        return None
    groups, blocks = site.value(4), -(-depth // block)
    if int(site.attribute("bits")) == 2:
        raise site.unsupported("with groups of weights of 2 bits", "4 or 8 bits, or weights in order")
    if groups is None or groups.shape != (depth,) or groups.min() < 0 or groups.max() >= blocks:
        raise site.unsupported("with such groups", f"{depth} constants from 0 to {blocks - 1}, the blocks")
    return groups.astype(np.int64)


# GatherBlockQuantized


class _Table(NamedTuple):
    """
    Form of a table of small integers: `axis` is gathered, `along` has blocks of a length, `at` is its place then.

    `lengths` are those of the table's axes in numbers, `bits` those of a number in bytes of several, else 8.
    """

    axis: int
    along: int
    at: int
    block: int
    lengths: list[int]
    bits: int


@replaces("GatherBlockQuantized")
def _gather(site: Site) -> None:
    """
    Gather small integers with their scales and zero points, and compute (data - zero) * scale.

    Bytes hold 8 / bits numbers along the last axis. An index outside of the axis gives zeros.
    """
    table, kind = _table(site), site.kind(2)
    index, is_inside = _index(site, table.lengths[table.axis])
    real = _picked(site, 0, index, table)
    if site.kind(0) in FORMATS:
        real = site.cast(site.emit("BitCast", real, to=site.kind(0)), site.kind(0), kind)
    else:
        real = site.emit("Cast", real, to=kind)
    if site.input(3):
        real = site.emit("Sub", real, site.emit("Cast", _of_blocks(site, 3, index, table), to=kind))
    elif site.kind(0) == TensorProto.UINT8:
        real = site.emit("Sub", real, site.number(1 << (table.bits - 1), kind))
    scaled = site.emit("Mul", real, _of_blocks(site, 2, index, table))
    inner = [1] * (len(table.lengths) - table.axis - 1)
    shown = site.reshape(is_inside, *[1] * table.axis, *site.shape(1), *inner)
    site.give(0, site.emit("Where", shown, scaled, site.number(0.0, kind)))


def _table(site: Site) -> _Table:
    """Return the form of the table. Raises Diagnostic for one that ONNX Runtime does not have."""
    shape, bits, is_packed = site.shape(0), int(site.attribute("bits")), site.kind(0) == TensorProto.UINT8
    rank, axes = len(shape), [int(site.attribute(name)) for name in ("gather_axis", "quantize_axis")]
    if any(not -rank <= axis < rank for axis in axes):
        raise site.unsupported(f"along the axes {axes}", f"two of the {rank} axes of the data")
    axis, along = (axis % rank for axis in axes)
    if is_packed and (bits not in _WIDTHS or axis != 0 or along != rank - 1 or rank < 2):
        wanted = "2, 4 or 8 bits, gathered along the first axis, in blocks along the last"
        raise site.unsupported(f"of bytes with {bits} bits along the axes {axes}", wanted)
    if site.kind(0) in FORMATS and (site.input(3) or FORMATS[site.kind(0)].bits < 8):
        raise site.unsupported("of floats of 4 bits, or with zero points", "floats of 8 bits without zero points")
    bits = bits if is_packed else 8
    lengths = [*shape[:-1], shape[-1] * (8 // bits)]
    block = int(site.attribute("block_size")) or lengths[along]
    at = along if along < axis else along + len(site.shape(1)) - 1
    blocks = [-(-length // block) if i == along else length for i, length in enumerate(lengths)]
    if any(extent not in (1, wanted) for extent, wanted in zip(site.shape(2, rank), blocks, strict=True)):
        raise site.unsupported(f"with scales of {list(site.shape(2))}", f"scales of {blocks}, one per block")
    packed = [*blocks[:-1], -(-blocks[-1] * bits // 8)]
    if site.input(3) and (site.kind(3) != site.kind(0) or list(site.shape(3)) != packed):
        raise site.unsupported(f"with zero points of {list(site.shape(3))}", f"zero points of {packed}, as the data")
    return _Table(axis, along, at, block, lengths, bits)


def _index(site: Site, length: int) -> tuple[str, str]:
    """Append the indices, int64 from 0 on and within an axis of that length, and whether they were."""
    first, last, size = (site.constant(np.array(number, np.int64)) for number in (0, length - 1, length))
    indices = site.cast(site.input(1), site.kind(1), TensorProto.INT64)
    index = site.emit("Where", site.emit("Less", indices, first), site.emit("Add", indices, size), indices)
    inside = site.emit("Clip", index, first, last)
    return inside, site.emit("Equal", index, inside)


def _in_bytes(site: Site, operand: int) -> str:
    """Append an operand in a type that Gather takes: numbers of 4 bits in bytes, floats of 8 bits as their bits."""
    kind, value = site.kind(operand), site.value(operand)
    if kind in FORMATS:
        return site.emit("BitCast", site.input(operand), to=TensorProto.UINT8)
    wide = _WIDE.get(kind)
    if wide is None:
        return site.input(operand)
    if value is not None:
        return site.constant(value.astype(helper.tensor_dtype_to_np_dtype(wide)))
    return site.emit("Cast", site.input(operand), to=wide)


def _picked(site: Site, operand: int, index: str, table: _Table) -> str:
    """Append the part of an operand at the indices, unpacked where bytes hold several numbers."""
    part = site.emit("Gather", _in_bytes(site, operand), index, axis=table.axis)
    if table.bits == 8 or site.kind(operand) != TensorProto.UINT8:
        return part
    return _emit_unpacked(site, part, [*site.shape(1), *site.shape(operand)[1:]], table.bits)


def _of_blocks(site: Site, operand: int, index: str, table: _Table) -> str:
    """Append the scales or zero points of the gathered numbers, that of its block for each."""
    if table.axis == table.along:
        block = site.emit("Div", index, site.constant(np.array(table.block, np.int64)))
        return site.emit("Gather", _in_bytes(site, operand), block, axis=table.axis)
    if site.shape(operand)[table.axis] == 1:
        index = site.constant(np.zeros(site.shape(1), np.int64))
    places = np.arange(table.lengths[table.along]) // table.block
    return site.emit("Gather", _picked(site, operand, index, table), site.constant(places), axis=table.at)
