"""Weights of 4 and 2 bits for the cores: packed in memory, and bytes in L1 or in registers when they are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, NoneAttr, StringAttr, UnitAttr, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.kernel_op import KernelOp
from ....dialects.core.kernel_parts import ints
from ....dialects.core.nn_contraction import PackableOp
from ....dialects.core.nn_unpack import UnpackOp, pack, packed_shape
from ....ir import Array, DenseAttr, array_of, dense, functions
from ....passes.allocate_static import lifetimes
from ....passes.buffers.bufferizer import free_symbol
from ....passes.core.base import Pass
from ....passes.loops.dot import is_dot
from ....passes.map_engines import ATTRIBUTE, engine_of
from ....passes.memory.arena import place
from ....passes.memory.views import buffer_type, bytes_of
from ....passes.place_weights import Weights, weights_of
from ....passes.verify_levels import parts_of
from ...core.machine import Engine, Machine
from ...core.machine_attribute import machine_of


@dataclass(frozen=True)
class _Narrow:
    """
    Weights that fit fewer bits, packed: the bytes that are saved, and the modelled cycles that it takes more, which are
    negative where it is faster. `reads` says for each use whether the kernel reads packed weights, or unpacked ones.
    """

    weights: Weights
    packed: Array
    bits: int
    is_unsigned: bool
    saved: int
    cycles: int
    reads: tuple[bool, ...]


def pack_narrow_weights(module: ModuleOp, machine: Machine, *, everything: bool = False) -> None:
    """
    Pack weights that kernels bring to a near level and whose values fit 4 or 2 bits.

    Those are packed for which that is faster, and of the others, cheapest byte first, as many as it takes for the
    network to fit the far level; with `everything` all of them.
    """
    found = [each for weights in weights_of(module, machine) if (each := _narrow(weights, machine)) is not None]
    for each in sorted(found, key=lambda each: each.cycles / each.saved):
        if everything or each.cycles < 0 or not _fits(module, machine):
            _replace(module, each)


def narrowest(values: Array) -> tuple[int, bool] | None:
    """Return the fewest bits, 2 or 4, that hold integers, and whether unsigned ones; None where neither does."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for bits in (2, 4):
        if -(1 << (bits - 1)) <= low and high < 1 << (bits - 1):
            return bits, False
        if low >= 0 and high < 1 << bits:
            return bits, True
    return None


def _narrow(weights: Weights, machine: Machine) -> _Narrow | None:
    """Return how weights are packed, None where they are not."""
    type = cast("MemRefType[Any]", weights.definition.type)
    is_plain = type.element_type == i8 and isinstance(type.memory_space, NoneAttr) and len(type.get_shape()) > 0
    far = machine.far.name
    if not is_plain or any(machine.near_level_of(engine).name == far for engine in weights.engines):
        return None
    if not all(isinstance(op, PackableOp) and not op.packed_bits for op, _ in weights.uses):
        return None
    values = array_of(cast(DenseAttr, weights.definition.initial_value))
    form = narrowest(values)
    saved = values.size - int(np.prod(packed_shape(values.shape, form[0]))) if form is not None else 0
    if form is None or saved <= 0:
        return None
    total, reads = 0, list[bool]()
    for (op, _), engine, cycles in zip(weights.uses, weights.engines, weights.cycles, strict=True):
        forms = _computing(cast(PackableOp, op), engine, cycles, form[0], machine)
        if not forms:
            return None
        # A kernel takes as long as computing or as fetching its weights once, whichever is longer.
        fetch, less = (machine.fetch_cycles(engine, size) for size in (weights.bytes, weights.bytes - saved))
        total += max(min(forms.values()), less) - max(cycles, fetch)
        reads.append(min(forms, key=lambda each: forms[each]))
    return _Narrow(weights, pack(values, form[0]), *form, saved, total, tuple(reads))


def _computing(op: PackableOp, engine: Engine, cycles: int, bits: int, machine: Machine) -> dict[bool, int]:
    """
    Return what a kernel takes with packed weights, which take `cycles` as bytes: where it reads them so (True), and
    where they are unpacked for it (False), as far as the engine does that.
    """
    found = {False: machine.cost(engine, _unpack(op, bits, is_unsigned=False)[-1])}
    found = {False: cycles + each for each in found.values() if each is not None}
    twin = op.clone()
    _let_read(twin, _packed(op, bits).memref, bits, is_unsigned=False)
    price = machine.cost(engine, twin) if not op.is_unsigned(1) and is_dot(twin) else None
    twin.erase()
    return found if price is None else found | {True: price}


def _fits(module: ModuleOp, machine: Machine) -> bool:
    """Return whether the far level has room for the program, and for all that lies between kernels of a function."""
    far = machine.far
    parts = sum(far.aligned(part.bytes) for part in parts_of(module, far.name) if part.level == far.name)
    alive = [[each for op, each in lifetimes(f) if not _is_made_in_tiles(op, machine)] for f in functions(module)]
    arena = max((place(buffers, far.alignment, 0).size for buffers in alive if buffers), default=0)
    return parts + arena <= far.size


def _is_made_in_tiles(alloc: memref.AllocOp, machine: Machine) -> bool:
    """Return whether a buffer is for unpacked weights that never are there as a whole where room is short."""
    makers = [use.operation for use in alloc.memref.uses if isinstance(use.operation, UnpackOp)]
    near = min((machine.near_level_of(engine_of(op, machine)).size for op in makers), default=0)
    return bool(makers) and bytes_of(alloc.memref.type) > near


def _replace(module: ModuleOp, narrow: _Narrow) -> None:
    """Let the kernels read packed weights, or take them from buffers that these are unpacked into."""
    definition = narrow.weights.definition
    name = free_symbol(module, f"{definition.sym_name.data}_{narrow.bits}bit")
    value = cast(Attribute, dense(narrow.packed, i8))
    type = buffer_type(narrow.packed.shape, i8)
    packed = memref.GlobalOp.get(StringAttr(name), type, value, constant=UnitAttr())
    packed.location = definition.location
    Rewriter.replace_op(definition, packed, [])
    for (op, get), reads in zip(narrow.weights.uses, narrow.reads, strict=True):
        made: list[Operation] = [_packed(op, narrow.bits, name)]
        if not reads:
            made = list(_unpack(op, narrow.bits, is_unsigned=narrow.is_unsigned, name=name))
            made[1].results[0].name_hint = get.memref.name_hint
            made[2].attributes[ATTRIBUTE] = op.attributes[ATTRIBUTE]
        made[0].results[0].name_hint = name
        for each in made:
            each.location = op.location
        Rewriter.insert_op(made, InsertPoint.before(op))
        if reads:
            _let_read(cast(PackableOp, op), made[0].results[0], narrow.bits, is_unsigned=narrow.is_unsigned)
        else:
            op.operands[1] = made[1].results[0]
        if not get.memref.uses:
            Rewriter.erase_op(get)


def _packed(op: KernelOp, bits: int, name: str = "") -> memref.GetGlobalOp:
    """Return what gets the packed weights of a kernel."""
    shape = cast("MemRefType[Any]", op.operands[1].type).get_shape()
    return memref.GetGlobalOp(name, buffer_type(packed_shape(shape, bits), i8))


def _unpack(
    op: KernelOp, bits: int, *, is_unsigned: bool, name: str = ""
) -> tuple[memref.GetGlobalOp, memref.AllocOp, UnpackOp]:
    """Return what makes the weights of a kernel of packed ones."""
    packed = _packed(op, bits, name)
    alloc = memref.AllocOp.get(i8, shape=cast("MemRefType[Any]", op.operands[1].type).get_shape())
    signs: Sequence[int] = [0] if is_unsigned else []
    unpack = UnpackOp([packed.memref], alloc.memref, {"bits": IntegerAttr(bits, i64)}, unsigned=signs)
    return packed, alloc, unpack


def _let_read(op: PackableOp, packed: SSAValue, bits: int, *, is_unsigned: bool) -> None:
    """Let a kernel, whose weights had signs, read packed ones; windows that it copied it then reads in place."""
    op.operands[1] = packed
    op.properties.pop("im2col", None)
    op.properties["weight_bits"] = IntegerAttr(bits, i64)
    if is_unsigned:
        op.properties["unsigned"] = ints([*([0] if op.is_unsigned(0) else []), 1])


@dataclass(frozen=True)
class PackNarrowWeightsPass(Pass):
    """
    Keep weights of 4 and 2 bits packed in the far level, and unpack them in the near one.

    Constants of bytes that convolutions and matrix products fetch, and whose values fit 4 or 2 bits, become packed
    constants, which the kernels read (`weight_bits`), or which `nn.unpack` makes bytes of before them, whichever takes
    fewer cycles. Both take more than bytes: it is done where that is less than what fetching fewer bytes saves, and
    where the network does not fit the far level otherwise, then for those weights first that take fewest cycles for
    each byte saved. Every buffer between kernels is counted as if it were in the far level. `everything` packs all
    weights that can be. Run it between place-weights and plan-memory, which fits what is unpacked into the near level
    or makes it there tile by tile.
    """

    name = "pack-narrow-weights"

    everything: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pack_narrow_weights(op, machine_of(op), everything=self.everything)
