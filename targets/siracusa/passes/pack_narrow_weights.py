"""Packing of 4- and 2-bit weights for the cores: unpacked before use, or multiplied in packed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, NoneAttr, StringAttr, UnitAttr, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.analysis.intervals import Range
from ....dialects.core.kernel_op import KernelOp
from ....dialects.core.kernel_parts import ints
from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.model import Machine
from ....dialects.nn.contraction import PackableOp
from ....dialects.nn.unpack import WIDTHS, UnpackOp, pack, packed_shape
from ....ir import Array, DenseAttr, array_of, dense, free_symbol, functions
from ....passes.allocate_static import lifetimes
from ....passes.buffers.ranges import ranges_of
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE, engine_of
from ....passes.memory.arena import place
from ....passes.memory.views import buffer_type, bytes_of
from ....passes.place_weights import WeightConstant, weights_of
from ....passes.verify_levels import parts_of
from ..loops.dot import is_dot
from ..loops.im2col import takes_narrow_input


class PackedForm(Enum):
    """Use of packed weights by a kernel: unpacked before it, or in its own loops."""

    UNPACKED = "unpacked"
    READ = "read"
    WITH_WINDOWS = "with windows"
    """The kernel also packs windows of its input to the same width."""


@dataclass(frozen=True)
class _Narrow:
    """
    Packed weights: saved bytes, additional modelled cycles (negative if faster), form of use per kernel, and signedness
    of inputs.
    """

    weights: WeightConstant
    packed: Array
    bits: int
    is_unsigned: bool
    saved: int
    cycles: int
    forms: tuple[PackedForm, ...]
    inputs: tuple[bool, ...]


class _Inputs:
    """Value ranges of kernels' inputs, computed per function on demand."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._ranges: dict[Operation | None, Callable[[SSAValue], Range | None]] = {}

    def of(self, op: KernelOp) -> Range | None:
        """Return the value range of a kernel's first input."""
        function = op.parent_op()
        if not isinstance(function, func.FuncOp):
            return None
        if function not in self._ranges:
            self._ranges[function] = ranges_of(function, self._module)
        return self._ranges[function](op.inputs[0])


def pack_narrow_weights(module: ModuleOp, machine: Machine, *, everything: bool = False) -> None:
    """
    Pack weights that kernels fetch to a near level and whose values fit 4 or 2 bits.

    Those that get faster are packed, and of the others, in order of cycles per saved byte, as many as needed to fit the
    far level; with `everything` all of them.
    """
    inputs, narrowed = _Inputs(module), list[_Narrow]()
    for weights in weights_of(module, machine):
        narrowed += _packed_forms(weights, machine, inputs)[:1]
    for narrow in sorted(narrowed, key=lambda narrow: narrow.cycles / narrow.saved):
        if everything or narrow.cycles < 0 or not _fits(module, machine):
            _replace(module, narrow)


def narrowest(values: Array) -> tuple[int, bool] | None:
    """Return the fewest bits, 2 or 4, that represent integers, and if they are unsigned; None if neither suffices."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for bits in (2, 4):
        if -(1 << (bits - 1)) <= low and high < 1 << (bits - 1):
            return bits, False
        if low >= 0 and high < 1 << bits:
            return bits, True
    return None


def _packed_forms(weights: WeightConstant, machine: Machine, inputs: _Inputs) -> list[_Narrow]:
    """Return the packings of weights, fastest first; wider ones only for packed windows."""
    if not _may_be_packed(weights, machine):
        return []
    values = array_of(cast(DenseAttr, weights.definition.initial_value))
    narrow = narrowest(values)
    if narrow is None:
        return []
    packings = [_narrow(weights, values, (bits, narrow[1]), machine, inputs) for bits in WIDTHS if bits >= narrow[0]]
    useful = [
        packing
        for packing in packings
        if packing is not None
        and packing.saved > 0
        and (packing.bits == narrow[0] or PackedForm.WITH_WINDOWS in packing.forms)
    ]
    return sorted(useful, key=lambda packing: packing.cycles)


def _may_be_packed(weights: WeightConstant, machine: Machine) -> bool:
    """Return whether weights are bytes fetched to a near level by kernels that support packed ones."""
    type = cast("MemRefType[Any]", weights.definition.type)
    is_plain = type.element_type == i8 and isinstance(type.memory_space, NoneAttr) and len(type.get_shape()) > 0
    far = machine.far.name
    if not is_plain or any(machine.near_level_of(engine).name == far for engine in weights.engines):
        return False
    return all(isinstance(op, PackableOp) and not op.packed_bits for op, _ in weights.uses)


def _narrow(
    weights: WeightConstant, values: Array, form: tuple[int, bool], machine: Machine, inputs: _Inputs
) -> _Narrow | None:
    """Return weights packed to `form`; None if an engine supports no use of them."""
    bits, is_unsigned = form
    saved = values.size - int(np.prod(packed_shape(values.shape, bits)))
    total, forms, signs = 0, list[PackedForm](), list[bool]()
    for (op, _), engine, cycles in zip(weights.uses, weights.engines, weights.cycles, strict=True):
        costs = _computing(cast(PackableOp, op), engine, cycles, bits, machine)
        windows = _packing_windows(cast(PackableOp, op), engine, form, machine, inputs)
        if windows is not None:
            costs[PackedForm.WITH_WINDOWS] = windows[0]
        if not costs:
            return None
        # A kernel takes the maximum of its compute cycles and the cycles of fetching its weights once.
        fetch, less = (machine.fetch_cycles(engine, size) for size in (weights.bytes, weights.bytes - saved))
        total += max(min(costs.values()), less) - max(cycles, fetch)
        forms.append(min(costs, key=lambda kind: costs[kind]))
        signs.append(windows is not None and windows[1])
    return _Narrow(weights, pack(values, bits), bits, is_unsigned, saved, total, tuple(forms), tuple(signs))


def _computing(op: PackableOp, engine: Engine, cycles: int, bits: int, machine: Machine) -> dict[PackedForm, int]:
    """
    Return the cycles of a kernel with packed weights, read directly or unpacked before, as far as the engine supports
    it.

    `cycles` are those with byte weights.
    """
    unpacking = machine.cost(engine, _unpack(op, bits, is_unsigned=False)[-1])
    costs = {} if unpacking is None else {PackedForm.UNPACKED: cycles + unpacking}
    twin = op.clone()
    _let_read(twin, _packed(op, bits).memref, bits, is_unsigned=False)
    cycles_packed = machine.cost(engine, twin) if not op.is_unsigned(1) and is_dot(twin) else None
    twin.erase()
    return costs if cycles_packed is None else costs | {PackedForm.READ: cycles_packed}


def _packing_windows(
    op: PackableOp, engine: Engine, form: tuple[int, bool], machine: Machine, inputs: _Inputs
) -> tuple[int, bool] | None:
    """
    Return the cycles of a kernel that packs windows of its input, and if these are unsigned.

    None if the engine does not support it, and if the value range of the input is wider than the weights.
    """
    bits, is_unsigned = form
    if op.is_unsigned(1):
        return None
    twin = op.clone()
    _let_read(twin, _packed(op, bits).memref, bits, is_unsigned=is_unsigned)
    _let_pack(twin, no_signs=is_unsigned or op.is_unsigned(0))
    fits = takes_narrow_input(twin, engine.stack.packed_windows)
    cycles_packed = machine.cost(engine, twin) if fits else None
    twin.erase()
    value_range = inputs.of(op) if cycles_packed is not None else None
    if cycles_packed is None or value_range is None:
        return None
    has_signs = value_range.low < 0 or (not is_unsigned and value_range in Range.of_bits(bits, signed=True))
    if value_range not in Range.of_bits(bits, signed=has_signs) or (has_signs and (is_unsigned or op.is_unsigned(0))):
        return None
    return cycles_packed, not has_signs


def _fits(module: ModuleOp, machine: Machine) -> bool:
    """Return whether the program and all live buffers between kernels fit the far level."""
    far = machine.far
    parts = sum(far.aligned(part.bytes) for part in parts_of(module, far.name) if part.level == far.name)
    arena = 0
    for function in functions(module):
        buffers = [lifetime for op, lifetime in lifetimes(function) if not _is_made_in_tiles(op, machine)]
        if buffers:
            arena = max(arena, place(buffers, far.alignment, 0).size)
    return parts + arena <= far.size


def _is_made_in_tiles(alloc: memref.AllocOp, machine: Machine) -> bool:
    """Return whether a buffer of unpacked weights exists only tile by tile, because it exceeds the near level."""
    makers = [use.operation for use in alloc.memref.uses if isinstance(use.operation, UnpackOp)]
    near = min((machine.near_level_of(engine_of(op, machine)).size for op in makers), default=0)
    return bool(makers) and bytes_of(alloc.memref.type) > near


def _replace(module: ModuleOp, narrow: _Narrow) -> None:
    """Replace weights by packed ones, which kernels read directly or from unpacked buffers."""
    definition = narrow.weights.definition
    name = free_symbol(module, f"{definition.sym_name.data}_{narrow.bits}bit")
    value = cast(Attribute, dense(narrow.packed, i8))
    type = buffer_type(narrow.packed.shape, i8)
    packed = memref.GlobalOp.get(StringAttr(name), type, value, constant=UnitAttr())
    packed.location = definition.location
    Rewriter.replace_op(definition, packed, [])
    for (op, get), form, no_signs in zip(narrow.weights.uses, narrow.forms, narrow.inputs, strict=True):
        inserted: list[Operation] = [_packed(op, narrow.bits, name)]
        if form is PackedForm.UNPACKED:
            inserted = list(_unpack(op, narrow.bits, is_unsigned=narrow.is_unsigned, name=name))
            inserted[1].results[0].name_hint = get.memref.name_hint
            inserted[2].attributes[ATTRIBUTE] = op.attributes[ATTRIBUTE]
        inserted[0].results[0].name_hint = name
        for new_op in inserted:
            new_op.location = op.location
        Rewriter.insert_op(inserted, InsertPoint.before(op))
        if form is PackedForm.UNPACKED:
            op.operands[1] = inserted[1].results[0]
        else:
            _let_read(cast(PackableOp, op), inserted[0].results[0], narrow.bits, is_unsigned=narrow.is_unsigned)
        if form is PackedForm.WITH_WINDOWS:
            _let_pack(cast(PackableOp, op), no_signs=no_signs)
        if not get.memref.uses:
            Rewriter.erase_op(get)


def _packed(op: KernelOp, bits: int, name: str = "") -> memref.GetGlobalOp:
    """Insert the packed weights of a kernel."""
    shape = cast("MemRefType[Any]", op.operands[1].type).get_shape()
    return memref.GetGlobalOp(name, buffer_type(packed_shape(shape, bits), i8))


def _unpack(
    op: KernelOp, bits: int, *, is_unsigned: bool, name: str = ""
) -> tuple[memref.GetGlobalOp, memref.AllocOp, UnpackOp]:
    """Insert the unpacking of a kernel's packed weights."""
    packed = _packed(op, bits, name)
    alloc = memref.AllocOp.get(i8, shape=cast("MemRefType[Any]", op.operands[1].type).get_shape())
    signs: Sequence[int] = [0] if is_unsigned else []
    unpack = UnpackOp([packed.memref], alloc.memref, {"bits": IntegerAttr(bits, i64)}, unsigned=signs)
    return packed, alloc, unpack


def _let_read(op: PackableOp, packed: SSAValue, bits: int, *, is_unsigned: bool) -> None:
    """Set a kernel to read packed weights; its windows are read in place."""
    op.operands[1] = packed
    op.properties.pop("im2col", None)
    op.properties["weight_bits"] = IntegerAttr(bits, i64)
    if is_unsigned:
        op.properties["unsigned"] = ints([*([0] if op.is_unsigned(0) else []), 1])


def _let_pack(op: PackableOp, *, no_signs: bool) -> None:
    """Set a kernel with packed weights to pack windows of its input, signed or not."""
    op.properties["narrow_input"] = UnitAttr()
    unsigned = [index for index, is_it in enumerate((no_signs, op.is_unsigned(1))) if is_it]
    op.properties.pop("unsigned", None)
    if unsigned:
        op.properties["unsigned"] = ints(unsigned)


@dataclass(frozen=True)
class PackNarrowWeightsPass(Pass):
    """
    Keep weights of 4 and 2 bits packed in the far level, and unpack them in the near one.

    Constant bytes of convolutions and matrix products that fit 4 or 2 bits become packed constants. Kernels read them
    directly (`weight_bits`), or `nn.unpack` unpacks them before, whichever takes fewer cycles. Both cost compute
    cycles:
    weights are packed if the saved transfer cycles exceed these, and if the network does not fit the far level, then in
    order of cycles per saved byte. An engine that multiplies packed numbers is faster with both sides packed: if the
    value range of a kernel's input fits as many bits, it packs its windows (`narrow_input`), two in at most the
    engine's `packed_windows` bytes on the stack of a core. Buffers between kernels count as if in the far level.
    `everything` packs all weights that can be. Run it between place-weights and plan-memory, which tiles the unpacking.
    """

    name = "pack-narrow-weights"

    everything: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pack_narrow_weights(op, machine_of(op), everything=self.everything)
