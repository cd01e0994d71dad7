"""
Scalar bodies of transfers: each element that moves is mapped on the way, such as converted, scaled, clipped.

    (%v: i32) {
      %w = arith.trunci %v : i32 to i8
      hier.yield %w : i8
    }

A body takes the element of the source and yields that of the target. It uses no value from outside. It may take the
indices of the element in the far buffer too, such as for a factor of each channel:

    (%v: i32, %row: index, %channel: index) {
      %f = quant.entry %channel {table = dense<[0.5, 0.25]> : tensor<2xf32>} : f32
      %w = quant.rescale %v, %f zero 0 clip -128 to 127 : i32, f32 -> i8
      hier.yield %w : i8
    }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ...ir import Array, numpy_type
from ..core.effects import is_speculatable
from ..core.semantics import Runner
from ..quant import EntryOp

Move: TypeAlias = Callable[[Array, Sequence[int]], Array]
"""Map of the elements of an array that a transfer moves, given the first one's indices in the far buffer."""


@irdl_op_definition
class YieldOp(IRDLOperation):
    """
    Ends the body of a grid; that of a transfer yields an element.

        hier.yield
        hier.yield %w : i8
    """

    name = "hier.yield"
    arguments = var_operand_def()
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"
    traits = traits_def(IsTerminator(), NoMemoryEffect())

    def __init__(self, *arguments: SSAValue):
        super().__init__(operands=[list(arguments)])


def verify_body(
    body: Region | None, source: Attribute, target: Attribute, what: str, shape: Sequence[int | None]
) -> None:
    """
    Raise VerifyException for a body that does not map the element type `source` to `target`; `what` has it.

    `shape` is that of the far buffer: tables that its indices are looked up in have an entry for each.
    """
    if body is None:
        if source != target:
            raise VerifyException(f"{what} holds {source} on one side and {target} on the other: give it a body")
        return
    block = body.blocks.first
    indices = [IndexType()] * len(shape)
    taken = [arg.type for arg in block.args] if block is not None else []
    if block is None or len(body.blocks) != 1 or taken not in ([source], [source, *indices]):
        raise VerifyException(
            f"the body of {what} must take one element of type {source}, and may take its {len(indices)} indices"
        )
    last = block.last_op
    if not isinstance(last, YieldOp) or [value.type for value in last.arguments] != [target]:
        raise VerifyException(f"the body of {what} must end with hier.yield of an element of type {target}")
    own: set[SSAValue] = set(block.args)
    for op in block.ops:
        if any(operand not in own for operand in op.operands):
            raise VerifyException(f"the body of {what} must not use values from outside, '{op.name}' does")
        if op.regions or (op is not last and not is_speculatable(op)):
            raise VerifyException(f"the body of {what} must have scalar ops only, found '{op.name}'")
        own.update(op.results)
        if isinstance(op, EntryOp) and op.index in block.args and op.entries != shape[block.args.index(op.index) - 1]:
            raise VerifyException(
                f"the body of {what} looks up an index of an axis of {shape[block.args.index(op.index) - 1]} elements "
                f"among {op.entries} entries"
            )


def parse_body(parser: Parser) -> Region | None:
    """Parse `(%v: i32, %i: index) { ... }`, which may be absent."""
    arguments = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    return parser.parse_region(arguments) if arguments is not None else None


def print_body(printer: Printer, body: Region | None) -> None:
    """Print ` (%v: i32, %i: index) { ... }`, nothing of no body."""
    if body is None:
        return
    printer.print_string(" (")
    printer.print_list(body.block.args, lambda arg: printer.print_block_argument(arg))
    printer.print_string(") ")
    printer.print_region(body, print_entry_block_args=False)


def move_of(runner: Runner, body: Region | None, target: Attribute) -> Move:
    """Return the map of a body on whole arrays, the identity without one; the elements are of type `target` then."""
    if body is None:
        return unchanged
    dtype, takes_indices = numpy_type(target), len(body.block.args) > 1

    def move(array: Array, first: Sequence[int]) -> Array:
        indices: list[Array] = []
        if takes_indices:
            steps = np.meshgrid(*map(np.arange, array.shape), indexing="ij", sparse=True)
            indices = [step + start for step, start in zip(steps, first, strict=True)]
        (mapped,) = runner.run_region(body, [np.asarray(array), *indices])
        return np.broadcast_to(np.asarray(mapped), array.shape).astype(dtype, copy=False)

    return move


def unchanged(array: Array, _: Sequence[int]) -> Array:
    """Return the elements of an array as they are."""
    return array


def axes_attribute(axes: Sequence[int]) -> DenseArrayBase | None:
    """Return the attribute of broadcast axes, None for none."""
    return DenseArrayBase.from_list(i64, list(axes)) if axes else None


def verify_broadcast(far: Sequence[int], near: Sequence[int], axes: Sequence[int], what: str) -> None:
    """Raise VerifyException unless the far side has extent 1 along the broadcast axes of a transfer."""
    for axis in axes:
        if not 0 <= axis < len(near):
            raise VerifyException(f"{what} broadcasts axis {axis}, it has {len(near)}")
        if far[axis] != 1:
            raise VerifyException(f"{what} broadcasts axis {axis} of extent {far[axis]}, expected extent 1")
