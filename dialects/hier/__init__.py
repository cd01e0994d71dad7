"""
The memory hierarchy: kernels on grids of tiles, and the transfers that grids stand for.

A grid says, for every operand, which tile of it each grid point touches, by an affine map; what moves when follows
from the maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Dialect, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ..core.semantics import Runner, Value, semantics
from .bodies import YieldOp
from .buffers import BufferAttr, ScratchAttr, StartsAttr
from .fork import ForkOp
from .grid import GridOp
from .launch import JoinOp, LaunchOp
from .lookups import LookupOp
from .offsets import LookupAttr
from .programs import ConcurrentOp, ProgramOp
from .resident import ResidentOp
from .sharded import ShardedAttr
from .shards import AllGatherOp, BroadcastOp, LocalOp, ReduceOp, ShiftOp
from .sources import SourceAttr
from .streams import FrontOp, PopOp, PushOp, ReleaseOp, ReserveOp, StreamOp, StreamType
from .tiles import TileAttr
from .transfers import DmaNoneOp, DmaStartOp, DmaWaitOp, TokenType
from .views import ViewOp


class _AtEnd(IRDLOperation):
    """An op whose region runs at one end of some dimensions of the grid around it."""

    dims = var_operand_def(IndexType)
    body = region_def("single_block")

    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, dims: Sequence[SSAValue], body: Region):
        super().__init__(operands=[list(dims)], regions=[body])

    @property
    def bounds(self) -> tuple[int, ...]:
        """The extents of the dimensions, in the grids that they belong to."""
        return tuple(_grid_of(dim).bounds[cast(BlockArgument, dim).index] for dim in self.dims)

    def verify_(self) -> None:
        if not self.dims:
            raise VerifyException("expected one or more dimensions of a grid, found none")
        for dim in self.dims:
            if cast(BlockArgument, dim).index in _grid_of(dim).spatial_dims:
                message = "expected a temporal one: instances have no order"
                raise VerifyException(f"dimension {cast(BlockArgument, dim).index} is spatial; {message}")

    @classmethod
    def parse(cls, parser: Parser) -> _AtEnd:
        start = parser.pos
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        dims = parser.resolve_operands(names, [IndexType()] * len(names), start)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(dims, parser.parse_region())
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.dims, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)


def _grid_of(dim: SSAValue) -> GridOp:
    """Return the grid that an index is a dimension of. Raises VerifyException for others."""
    block = dim.owner
    grid = block.parent_op() if isinstance(block, Block) else None
    if not isinstance(grid, GridOp) or dim not in grid.point:
        raise VerifyException("expected dimensions of a grid that encloses the op")
    return grid


@irdl_op_definition
class FirstOp(_AtEnd):
    """
    Guarded region of a grid's body: it runs only where all of these dimensions are at 0.

        hier.first %k { ... }
    """

    name = "hier.first"


@irdl_op_definition
class LastOp(_AtEnd):
    """
    Guarded region of a grid's body: it runs only where all of these dimensions are at their ends.

        hier.last %k { ... }
    """

    name = "hier.last"


# Semantics


@semantics(FirstOp)
def _run_first(runner: Runner, op: FirstOp, operands: Sequence[Value]) -> list[Value]:
    if not any(operands):
        runner.run_region(op.body, [])
    return []


@semantics(LastOp)
def _run_last(runner: Runner, op: LastOp, operands: Sequence[Value]) -> list[Value]:
    if all(index == bound - 1 for index, bound in zip(operands, op.bounds, strict=True)):
        runner.run_region(op.body, [])
    return []


HIER = Dialect(
    "hier",
    [
        GridOp,
        FirstOp,
        LastOp,
        YieldOp,
        DmaStartOp,
        DmaWaitOp,
        DmaNoneOp,
        LaunchOp,
        JoinOp,
        ForkOp,
        LookupOp,
        StreamOp,
        ReserveOp,
        PushOp,
        PopOp,
        FrontOp,
        ReleaseOp,
        ConcurrentOp,
        ProgramOp,
        LocalOp,
        ResidentOp,
        ShiftOp,
        AllGatherOp,
        BroadcastOp,
        ReduceOp,
        ViewOp,
    ],
    [TileAttr, BufferAttr, StartsAttr, SourceAttr, LookupAttr, ScratchAttr, TokenType, StreamType, ShardedAttr],
)
