"""Asynchronous transfers of tiles between memory levels, with completion tokens."""

from __future__ import annotations

from collections.abc import Sequence, Set

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntAttr, MemRefType, UnitAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import EffectInstance, IsolatedFromAbove, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, element_of, numbers_of, shape_of, where
from ..core.effect_traits import Awaits, Box, Effect, NothingPending
from ..core.semantics import Runner, Value, semantics
from .bodies import axes_attribute, move_of, parse_body, print_body, verify_body, verify_broadcast
from .tile_copies import read_tile, write_tile

_READ, _WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """Completion token of a transfer or launch: `!hier.token`."""

    name = "hier.token"


class _TransferEffects(MemoryEffect):
    """A read of one side and a write of the other, until the token: a tile of the far one, and all of the near one."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        assert isinstance(op, DmaStartOp)
        far, *offsets, near = op.operands
        outward, token = "writes_far" in op.properties, op.results[0]
        repeated = op.repeated if "broadcast" in op.properties else ()
        sizes = tuple(1 if axis in repeated else size for axis, size in enumerate(shape_of(near)))
        tile = Box(tuple(offsets), sizes, "clipped" in op.properties, op.properties.get("fill"))
        outer = Effect(_WRITE if outward else _READ, far, until=token, region=tile)
        inner = Effect(_READ if outward else _WRITE, near, until=token)
        return dict.fromkeys([inner, outer] if outward else [outer, inner]).keys()


@irdl_op_definition
class DmaStartOp(IRDLOperation):
    """
    Issue the transfer of one tile between a far buffer and a tile buffer; it is complete after the wait for its token.

        %t = hier.dma_start %far[%i, %j] to %near clipped fill 0 : i8 : memref<16x64xi8>, memref<8x64xi8, "L1">
        %u = hier.dma_start %far[%i, %j] from %near : memref<16x64xi8>, memref<8x64xi8, "L1">

    The indices are the tile's first element in the far buffer. Elements outside of it are filled, or not written.
    Until the wait, neither side may be written, and the target of the transfer must not be read.

    In a loop over tiles, `stages` is the number of buffers that the tiles alternate in. It promises that no iteration
    reads what another one has written in the far buffer. `pipeline-dma` may then issue the transfer earlier, or wait
    for it later.

        %t = hier.dma_start %far[%i, %j] to %near stages 2 : memref<16x64xi8>, memref<8x64xi8, "L1">

    A transfer may transform what it moves, as far as the link's engine can. The body maps each element, from the type
    of the source to that of the target; it may take the element's indices in the far buffer. Along the axes of
    `broadcast` the far buffer has extent 1, and its element is repeated. The layouts of both sides may differ; elements
    keep their index. A fill is not mapped.

        %t = hier.dma_start %bias[%zero, %j] to %near broadcast [0] : memref<1x64xi32>, memref<16x16xi32, "ACC">
        %u = hier.dma_start %far[%i, %j] from %near : memref<64x64xi8>, memref<16x16xi32, "ACC"> (%v: i32) {
          %w = arith.trunci %v : i32 to i8
          hier.yield %w : i8
        }
    """

    name = "hier.dma_start"

    far = operand_def(MemRefType)
    offsets = var_operand_def(IndexType)
    near = operand_def(MemRefType)
    writes_far = opt_prop_def(UnitAttr)
    clipped = opt_prop_def(UnitAttr)
    """Partial tiles: the tile may extend beyond the far buffer, and then needs a fill to be read."""
    fill = opt_prop_def(Attribute)
    stages = opt_prop_def(IntAttr)
    broadcast = opt_prop_def(base(DenseArrayBase))
    body = opt_region_def("single_block")
    token = result_def(TokenType)
    traits = traits_def(_TransferEffects(), IsolatedFromAbove())

    def __init__(
        self,
        far: SSAValue,
        offsets: Sequence[SSAValue],
        near: SSAValue,
        *,
        writes_far: bool = False,
        clipped: bool = False,
        fill: Attribute | None = None,
        stages: int | None = None,
        broadcast: Sequence[int] = (),
        body: Region | None = None,
    ):
        flags = {"writes_far": writes_far, "clipped": clipped}
        buffers = None if stages is None else IntAttr(stages)
        super().__init__(
            operands=[far, list(offsets), near],
            properties={
                **{name: UnitAttr() if flag else None for name, flag in flags.items()},
                "fill": fill,
                "stages": buffers,
                "broadcast": axes_attribute(broadcast),
            },
            regions=[[body] if body is not None else []],
            result_types=[TokenType()],
        )

    @property
    def repeated(self) -> tuple[int, ...]:
        """The axes along which the far buffer's element is repeated."""
        return numbers_of(self.broadcast) if self.broadcast is not None else ()

    @property
    def source(self) -> SSAValue:
        """The side that is read."""
        return self.near if self.writes_far is not None else self.far

    @property
    def target(self) -> SSAValue:
        """The side that is written."""
        return self.far if self.writes_far is not None else self.near

    def verify_(self) -> None:
        if self.stages is not None and self.stages.data < 1:
            raise VerifyException("tiles need at least one stage (buffer)")
        rank = len(shape_of(self.far))
        if len(self.offsets) != rank or len(shape_of(self.near)) != rank:
            raise VerifyException(f"a tile of {rank} axes needs {rank} offsets and a buffer of {rank} axes")
        if self.clipped is not None and self.writes_far is None and self.fill is None:
            raise VerifyException("a tile that may extend beyond the buffer it is read from needs a fill")
        if self.repeated and self.writes_far is not None:
            raise VerifyException("only a transfer to the tile's buffer broadcasts")
        verify_broadcast(shape_of(self.far), shape_of(self.near), self.repeated, "the transfer")
        shape = shape_of(self.far)
        verify_body(self.body, element_of(self.source), element_of(self.target), "the transfer", shape)

    @classmethod
    def parse(cls, parser: Parser) -> DmaStartOp:
        start = parser.pos
        far = parser.parse_unresolved_operand()
        offsets = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        writes = parser.parse_optional_keyword("from") is not None
        if not writes:
            parser.parse_keyword("to")
        near = parser.parse_unresolved_operand()
        broadcast: Sequence[int] = ()
        if parser.parse_optional_keyword("broadcast"):
            broadcast = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        stages = parser.parse_integer() if parser.parse_optional_keyword("stages") else None
        clipped = parser.parse_optional_keyword("clipped") is not None
        fill = parser.parse_attribute() if parser.parse_optional_keyword("fill") else None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        far_value, near_value = parser.resolve_operands([far, near], types, start)
        indices = parser.resolve_operands(offsets, [IndexType()] * len(offsets), start)
        op = cls(
            far_value,
            indices,
            near_value,
            writes_far=writes,
            clipped=clipped,
            fill=fill,
            stages=stages,
            broadcast=broadcast,
            body=parse_body(parser),
        )
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.far)
        with printer.in_square_brackets():
            printer.print_list(self.offsets, printer.print_ssa_value)
        printer.print_string(" from " if self.writes_far else " to ")
        printer.print_ssa_value(self.near)
        if self.repeated:
            printer.print_string(f" broadcast [{', '.join(map(str, self.repeated))}]")
        if self.stages is not None:
            printer.print_string(f" stages {self.stages.data}")
        if self.clipped is not None:
            printer.print_string(" clipped")
        if self.fill is not None:
            printer.print_string(" fill ")
            printer.print_attribute(self.fill)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([self.far.type, self.near.type], printer.print_attribute)
        print_body(printer, self.body)


@irdl_op_definition
class DmaWaitOp(IRDLOperation):
    """
    Wait for the completion of a transfer.

        hier.dma_wait %t
    """

    name = "hier.dma_wait"
    token = operand_def(TokenType)
    assembly_format = "$token attr-dict"
    traits = traits_def(Awaits("token"))

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token])


@irdl_op_definition
class DmaNoneOp(IRDLOperation):
    """
    Token without a transfer: a wait for it returns immediately.

        %t = hier.dma_none
    """

    name = "hier.dma_none"
    token = result_def(TokenType)
    assembly_format = "attr-dict"
    traits = traits_def(NothingPending())

    def __init__(self):
        super().__init__(result_types=[TokenType()])


# Semantics


class _Transfer:
    """Transfer in flight, whose data moves at the wait, or before it in another interleaving."""

    def __init__(self, runner: Runner, op: DmaStartOp, far: Array, offsets: Sequence[int], near: Array):
        self._op, self._far, self._offsets, self._near = op, far, offsets, near
        self._move = move_of(runner, op.body, element_of(op.target))
        self.is_done = self._is_awaited = False

    def wait(self, op: DmaWaitOp, in_flight: dict[Operation, int]) -> None:
        """Finish at a wait. Raises Diagnostic at a second one."""
        if self._is_awaited:
            raise Diagnostic("the transfer has been waited for before", where=where(op), remedy="wait for it once")
        self._is_awaited = True
        in_flight[self._op] -= 1
        self.finish()

    def finish(self) -> None:
        """Move the data, unless they have moved."""
        if self.is_done:
            return
        self.is_done = True
        op = self._op
        if op.writes_far:
            self._check_inside()
            write_tile(self._far, self._offsets, self._near, self._move)
            return
        try:
            read_tile(self._far, self._offsets, self._near, op.fill, self._move, op.repeated)
        except IndexError as error:
            raise Diagnostic(str(error), where=where(op), remedy="give the transfer a fill") from error

    def _check_inside(self) -> None:
        """Raise Diagnostic for a write that leaves the far buffer, unless it is clipped."""
        sides = zip(self._offsets, self._near.shape, self._far.shape, strict=True)
        if self._op.clipped is None and any(not 0 <= at <= size - extent for at, extent, size in sides):
            raise Diagnostic(
                f"the tile at {tuple(self._offsets)} leaves the buffer of shape {self._far.shape}",
                where=where(self._op),
                remedy="mark the transfer as clipped",
            )


@semantics(DmaStartOp)
def _start(runner: Runner, op: DmaStartOp, operands: Sequence[Value]) -> list[Value]:
    far, *offsets, near = operands
    transfer = _Transfer(runner, op, far, [int(o) for o in offsets], near)
    in_flight = runner.interleaving.in_flight
    in_flight[op] = in_flight.get(op, 0) + 1
    runner.interleaving.issue(transfer.finish, op)
    return [transfer]


@semantics(DmaWaitOp)
def _wait(runner: Runner, op: DmaWaitOp, operands: Sequence[Value]) -> list[Value]:
    if operands[0] is not None:
        operands[0].wait(op, runner.interleaving.in_flight)
    return []


@semantics(DmaNoneOp)
def _none(runner: Runner, op: DmaNoneOp, operands: Sequence[Value]) -> list[Value]:
    return [None]
