"""Weights of tiles of bytes in an order in which sums of four products fit 16 bits, for AVX2 without VNNI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, MemRefType, ModuleOp, i8, i32
from xdsl.ir import Attribute, BlockArgument
from xdsl.rewriter import Rewriter

from ....dialects.core.nesting import nested_ops
from ....ir import Array, array_of, dense, element_of, functions, numbers_of
from ....passes.core.base import Pass
from ..dialects.packed.ordered_tile import OrderedTileOp, copy_pitch
from ..dialects.packed.records import MOST, SHORT, is_faster, record_of
from ..dialects.packed.tiles import DotTileOp


class _PackedWeights(NamedTuple):
    """Packed weights of a kernel: its argument, the tiles that read it, and what its calls pass for it."""

    argument: BlockArgument
    tiles: Sequence[DotTileOp]
    passed: Sequence[memref.GetGlobalOp]

    @property
    def names(self) -> list[str]:
        """The names of the constants."""
        return [get.name_.string_value() for get in self.passed]


def order_weights(module: ModuleOp) -> None:
    """Replace packed weights of bytes by their records, wherever tiles alone read them and that is faster."""
    constants = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, memref.GlobalOp)}
    constants = {name: op for name, op in constants.items() if _is_constant(op)}
    ops = [op for function in functions(module) for op in nested_ops(function)]
    calls = [op for op in ops if isinstance(op, func.CallOp)]
    candidates: list[_PackedWeights] = []
    for function in functions(module):
        callers = [call for call in calls if _calls(call, function)]
        candidates += [weights for weights in _weights_of(function, callers) if constants.keys() >= set(weights.names)]
    gets = [op for op in ops if isinstance(op, memref.GetGlobalOp)]
    closed = _closed(candidates, gets)
    runs = {name: weights.tiles[0].run for weights in closed for name in weights.names}
    values = {name: array_of(cast(Any, constants[name].initial_value)) for name in runs}
    records = {name: record_of(values[name], run) for name, run in runs.items()}
    slower = {name for name, record in records.items() if not is_faster(record, values[name])}
    ordered = _closed([weights for weights in closed if slower.isdisjoint(weights.names)], gets)
    _store_records({name: records[name] for weights in ordered for name in weights.names}, constants)
    for get in gets:
        if (constant := constants.get(get.name_.string_value())) is not None:
            Rewriter.replace_value_with_new_type(get.memref, constant.type)
    for weights in ordered:
        _read_records(weights)
    for function in functions(module):
        types = [argument.type for argument in function.body.block.args]
        function.properties["function_type"] = FunctionType.from_lists(types, function.function_type.outputs.data)


def _is_constant(op: memref.GlobalOp) -> bool:
    return op.constant is not None and isinstance(op.initial_value, DenseIntOrFPElementsAttr)


def _calls(call: func.CallOp, function: func.FuncOp) -> bool:
    return call.callee.string_value() == function.sym_name.data


def _weights_of(function: func.FuncOp, calls: Sequence[func.CallOp]) -> list[_PackedWeights]:
    """Return the arguments of a function that only tiles of bytes read, as weights, and that are constants."""
    weights: list[_PackedWeights] = []
    for argument in function.body.block.args:
        tiles = [use.operation for use in argument.uses]
        passed = [call.operands[argument.index].owner for call in calls]
        if not (tiles and passed and all(isinstance(owner, memref.GetGlobalOp) for owner in passed)):
            continue
        if all(isinstance(op, DotTileOp) and op.w is argument and _is_orderable(op) for op in tiles):
            weights.append(_PackedWeights(argument, cast(Any, tiles), cast(Any, passed)))
    return weights


def _is_orderable(op: DotTileOp) -> bool:
    """Return whether a tile sums up products of bytes in rows that a record can name, and that may be read in words."""
    if element_of(op.sums) != i32 or max(op.run, op.rows) >= MOST:
        return False
    strides = cast("MemRefType[Any]", op.x.type).get_strides()
    if op.run >= SHORT or strides is None or None in strides:
        return op.run >= SHORT
    span = (op.pixels - 1) * op.step.value.data * cast(int, strides[-2]) + op.run
    return copy_pitch(op.rows, span, op.run, is_signed=op.unsigned is None) > 0


def _closed(candidates: Sequence[_PackedWeights], gets: Sequence[memref.GetGlobalOp]) -> list[_PackedWeights]:
    """Return the candidates whose constants no other op reads, and as rows of one length."""
    while True:
        arguments = {(_function(weights), weights.argument.index) for weights in candidates}
        shared = {get.name_.string_value() for get in gets if not _passes_only(get, arguments)}
        runs: dict[str, set[int]] = {}
        for weights in candidates:
            for name in weights.names:
                runs.setdefault(name, set()).update(tile.run for tile in weights.tiles)
        shared |= {name for name, lengths in runs.items() if len(lengths) > 1}
        kept = [weights for weights in candidates if shared.isdisjoint(weights.names)]
        if len(kept) == len(candidates):
            return kept
        candidates = kept


def _passes_only(get: memref.GetGlobalOp, arguments: set[tuple[str, int]]) -> bool:
    """Return whether calls alone use the address of a constant, for some of these arguments."""
    return all(
        isinstance(use.operation, func.CallOp) and (use.operation.callee.string_value(), use.index) in arguments
        for use in get.memref.uses
    )


def _function(weights: _PackedWeights) -> str:
    function = weights.argument.owner.parent_op()
    assert isinstance(function, func.FuncOp)
    return function.sym_name.data


def _store_records(records: Mapping[str, Array], constants: Mapping[str, memref.GlobalOp]) -> None:
    """Replace constants by records, equally long where one kernel may read them."""
    sizes: dict[Attribute, int] = {}
    for name, record in records.items():
        sizes[constants[name].type] = max(sizes.get(constants[name].type, 0), len(record))
    for name, record in records.items():
        constant = constants[name]
        size = sizes[constant.type]
        constant.properties["initial_value"] = dense(np.pad(record, (0, size - len(record))), i8)
        constant.properties["type"] = MemRefType(i8, [size])


def _read_records(weights: _PackedWeights) -> None:
    """Replace the tiles that read packed weights by those that read a record."""
    argument = Rewriter.replace_value_with_new_type(weights.argument, weights.passed[0].memref.type)
    for tile in weights.tiles:
        ordered = OrderedTileOp(
            (tile.x, argument, tile.sums),
            list(tile.at),
            tile.first,
            step=tile.step.value.data,
            dilations=numbers_of(tile.dilations),
            kernel=numbers_of(tile.kernel),
            unsigned=tile.unsigned is not None,
        )
        ordered.location = tile.location
        Rewriter.replace_op(tile, ordered)


@dataclass(frozen=True)
class OrderWeightsPass(Pass):
    """
    Replace packed weights of bytes by records whose sums of four products fit 16 bits.

    The tiles that read them become `packed.ordered_tile`:

        packed.dot_tile %x[%n, %h, %w], %weight[%block] into %sums {...}
            : memref<1x34x34x16xi8>, memref<1x3x12x16x4xi8>, memref<16x16xi32>
        packed.ordered_tile %x[%n, %h, %w], %weight[%block] into %sums {...}
            : memref<1x34x34x16xi8>, memref<2892xi8>, memref<16x16xi32>

    AVX2 multiplies bytes and adds pairs of products in 16 bits, with saturation. A record takes the columns of a row in
    an order in which nothing saturates, and splits weights for which there is none. Weights that anything but tiles
    reads stay, and those of which so many are split that products of 16 bits are faster. Run it after
    convert-kernels-to-tiles, on kernels that are functions.
    """

    name = "order-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        order_weights(op)
