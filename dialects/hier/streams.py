"""Streams: bounded queues of tiles, or of nothing, from one concurrent program to another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, numpy_type, where
from ..core.effect_traits import Blocks, Fence, Signals, StateEffects
from ..core.semantics import Runner, Value, semantics
from .transfers import TokenType


@irdl_attr_definition
class StreamType(ParametrizedAttribute, TypeAttribute):
    """
    Bounded queue of tiles of a memref's type, or of nothing; `over` are the extents of an array of queues.

        !hier.stream<memref<8x64xi8, "L1">>
        !hier.stream<memref<8x64xi8, "NODE"> over [4, 4]>
        !hier.stream
    """

    name = "hier.stream"

    payload: Attribute
    over: ArrayAttr[IntAttr]

    @staticmethod
    def get(payload: Attribute | None = None, over: Sequence[int] = ()) -> StreamType:
        """Return the type."""
        return StreamType(NoneAttr() if payload is None else payload, ArrayAttr([IntAttr(extent) for extent in over]))

    @property
    def tile(self) -> MemRefType[Any] | None:
        """The type of a slot, None for a stream of nothing."""
        return None if isinstance(self.payload, NoneAttr) else cast("MemRefType[Any]", self.payload)

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the array of queues; empty for one queue."""
        return tuple(extent.data for extent in self.over)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        payload: Attribute = NoneAttr()
        over: Sequence[int] = ()
        if parser.parse_optional_punctuation("<"):
            payload = parser.parse_optional_type() or payload
            if parser.parse_optional_keyword("over"):
                over = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            parser.parse_punctuation(">")
        return [payload, ArrayAttr([IntAttr(extent) for extent in over])]

    def print_parameters(self, printer: Printer) -> None:
        if self.tile is None and not self.extents:
            return
        with printer.in_angle_brackets():
            if self.tile is not None:
                printer.print_attribute(self.tile)
            if self.extents:
                space = " " if self.tile is not None else ""
                printer.print_string(f"{space}over [{', '.join(map(str, self.extents))}]")

    def verify(self) -> None:
        if not isinstance(self.payload, MemRefType | NoneAttr):
            raise VerifyException(f"expected a memref in a stream, found {self.payload}")
        if self.tile is not None and any(extent < 0 for extent in self.tile.get_shape()):
            raise VerifyException(f"expected tiles of static shape in a stream, found {self.tile}")
        if any(extent < 1 for extent in self.extents):
            raise VerifyException(f"expected extents of 1 or more, found {list(self.extents)}")


@irdl_op_definition
class StreamOp(IRDLOperation):
    """
    Bounded queue of `depth` slots, each of which holds a tile, in the level of the tile's type.

        %s = hier.stream depth 2 : !hier.stream<memref<8x64xi8, "L1">>
        %t = hier.stream depth 2 address 128 : !hier.stream<memref<8x64xi8, "L1">>

    One program produces and one consumes. The producer reserves a free slot, fills it and pushes it; the consumer pops
    the oldest pushed slot, uses it and releases it. Each of the four takes the slots in the same order. A stream of
    nothing is a bounded semaphore. `address` is the byte address of the slots in their level.

        %go = hier.stream depth 1 : !hier.stream

    Of an array of streams over the instances of a level, the slots of an element lie in the memory of its instance.

        %ring = hier.stream depth 2 : !hier.stream<memref<1x16x32xi8, "NODE"> over [4, 4]>
    """

    name = "hier.stream"

    depth = prop_def(IntAttr)
    address = opt_prop_def(IntAttr)
    stream = result_def(StreamType)
    traits = traits_def(Signals(), StateEffects("streams"))

    def __init__(self, depth: int, type: StreamType, address: int | None = None):
        properties: dict[str, Attribute | None] = {
            "depth": IntAttr(depth),
            "address": None if address is None else IntAttr(address),
        }
        super().__init__(properties=properties, result_types=[type])

    @property
    def type(self) -> StreamType:
        """The type of the stream."""
        return self.stream.type

    @classmethod
    def parse(cls, parser: Parser) -> StreamOp:
        parser.parse_keyword("depth")
        depth = parser.parse_integer()
        address = parser.parse_integer() if parser.parse_optional_keyword("address") else None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isinstance(type, StreamType):
            parser.raise_error(f"expected a stream type, found {type}")
        op = cls(depth, type, address)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" depth {self.depth.data}")
        if self.address is not None:
            printer.print_string(f" address {self.address.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.type)

    def verify_(self) -> None:
        if self.depth.data < 1:
            raise VerifyException(f"expected a depth of 1 or more, found {self.depth.data}")
        if self.address is not None and self.type.tile is None:
            raise VerifyException("a stream of nothing has no address")
        producers = self._programs((ReserveOp, PushOp), PushOp, "pushes to")
        consumers = self._programs((PopOp, FrontOp, ReleaseOp), PopOp, "pops from")
        if producers == consumers and not self.type.extents:
            raise VerifyException("expected two programs at the ends of the stream, found one")

    def _programs(self, ends: tuple[type[Operation], ...], needed: type[Operation], does: str) -> set[Operation | None]:
        """
        Return the programs at one end of the stream. Raises VerifyException for none, and for several of one queue.

        Of an array of streams, each queue has one instance of a program at either end, which is known once it runs.
        """
        users = [use.operation for use in self.stream.uses if isinstance(use.operation, ends)]
        if not any(isinstance(user, needed) for user in users):
            raise VerifyException(f"no program {does} the stream")
        programs = {_program_of(user) for user in users}
        if len(programs) > 1 and not self.type.extents:
            raise VerifyException(f"expected one program that {does} the stream, found {len(programs)}")
        return programs


def _program_of(op: Operation) -> Operation | None:
    from .programs import ProgramOp

    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ProgramOp):
        parent = parent.parent_op()
    return parent


class StreamEndOp(IRDLOperation):
    """An op of a program on one end of a stream, with coordinates for an array of streams."""

    stream = operand_def(StreamType)
    coordinates = var_operand_def(IndexType)

    @property
    def type(self) -> StreamType:
        """The type of the stream."""
        return cast(StreamType, self.stream.type)

    def verify_(self) -> None:
        if not isinstance(self.stream.owner, StreamOp):
            raise VerifyException("expected the result of a hier.stream")
        if len(self.coordinates) != len(self.type.extents):
            count = len(self.coordinates)
            raise VerifyException(f"expected {len(self.type.extents)} coordinates of the stream, found {count}")
        if _program_of(self) is None:
            raise VerifyException("expected a program around the op")

    @classmethod
    def _parsed(cls, parser: Parser) -> tuple[list[Any], dict[str, Attribute]]:
        start = parser.pos
        stream = parser.parse_unresolved_operand()
        names = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        after = cls._parse_after(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        (value,) = parser.resolve_operands([stream], [parser.parse_type()], start)
        indices = parser.resolve_operands(names or [], [IndexType()] * len(names or []), start)
        return [value, indices, *after], attributes

    @classmethod
    def _parse_after(cls, parser: Parser) -> list[SSAValue]:
        """Parse the transfer that the op comes after, which most ops do not have."""
        return []

    def _print_after(self, printer: Printer) -> None:
        """Print the transfer that the op comes after."""

    @classmethod
    def parse(cls, parser: Parser) -> StreamEndOp:
        operands, attributes = cls._parsed(parser)
        op = cls(*operands)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.stream)
        if self.coordinates:
            with printer.in_square_brackets():
                printer.print_list(self.coordinates, printer.print_ssa_value)
        self._print_after(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.stream.type)


class _SlotOp(StreamEndOp):
    """An op that gives a slot of a stream."""

    slot = opt_result_def(MemRefType)

    def __init__(self, stream: SSAValue, coordinates: Sequence[SSAValue] = ()):
        type = stream.type
        tile = type.tile if isinstance(type, StreamType) else None
        super().__init__(operands=[stream, list(coordinates)], result_types=[[] if tile is None else [tile]])

    def verify_(self) -> None:
        super().verify_()
        if [result.type for result in self.results] != [self.type.tile] * len(self.results):
            raise VerifyException(f"expected a slot of the type {self.type.tile}")
        if (self.type.tile is None) != (self.slot is None):
            raise VerifyException("expected the slot as result of a stream of tiles, and none of a stream of nothing")


class _PlainEndOp(StreamEndOp):
    """An op without results."""

    def __init__(self, stream: SSAValue, coordinates: Sequence[SSAValue] = ()):
        super().__init__(operands=[stream, list(coordinates)])


@irdl_op_definition
class ReserveOp(_SlotOp):
    """
    Wait for a free slot of a stream, and take it to fill it.

        %t = hier.reserve %s : !hier.stream<memref<8x64xi8, "L1">>
        hier.reserve %go : !hier.stream
        %u = hier.reserve %ring[%h, %p] : !hier.stream<memref<1x16x32xi8, "NODE"> over [4, 4]>
    """

    name = "hier.reserve"
    traits = traits_def(Blocks(), Fence())


@irdl_op_definition
class PushOp(_PlainEndOp):
    """
    Publish the oldest reserved slot of a stream.

        hier.push %s : !hier.stream<memref<8x64xi8, "L1">>

    After a transfer, the slot is published when that completes and the slots pushed before it have been, while the
    program goes on:

        %t = hier.dma_start %own[%i, %j] to %slot : memref<8x64xi8, "L1">, memref<8x64xi8, "L1">
        hier.push %s after %t : !hier.stream<memref<8x64xi8, "L1">>
    """

    name = "hier.push"
    stream = operand_def(StreamType)
    coordinates = var_operand_def(IndexType)
    after = opt_operand_def(TokenType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Signals(), Fence())

    def __init__(self, stream: SSAValue, coordinates: Sequence[SSAValue] = (), after: SSAValue | None = None):
        StreamEndOp.__init__(self, operands=[stream, list(coordinates), [] if after is None else [after]])

    @classmethod
    def _parse_after(cls, parser: Parser) -> list[SSAValue]:
        if not parser.parse_optional_keyword("after"):
            return []
        start = parser.pos
        return list(parser.resolve_operands([parser.parse_unresolved_operand()], [TokenType()], start))

    def _print_after(self, printer: Printer) -> None:
        if self.after is not None:
            printer.print_string(" after ")
            printer.print_ssa_value(self.after)


@irdl_op_definition
class PopOp(_SlotOp):
    """
    Wait for a published slot of a stream, and take the oldest one to use it.

        %t = hier.pop %s : !hier.stream<memref<8x64xi8, "L1">>
    """

    name = "hier.pop"
    traits = traits_def(Blocks(), Fence())


@irdl_op_definition
class FrontOp(_SlotOp):
    """
    Return the oldest popped slot of a stream, which the program holds until it releases it.

        %t = hier.front %s : !hier.stream<memref<8x64xi8, "L1">>
    """

    name = "hier.front"
    traits = traits_def(Signals(), Fence())


@irdl_op_definition
class ReleaseOp(_PlainEndOp):
    """
    Free the oldest popped slot of a stream.

        hier.release %s : !hier.stream<memref<8x64xi8, "L1">>
    """

    name = "hier.release"
    traits = traits_def(Signals(), Fence())


# The slots of a stream


class Ring:
    """
    State of one queue: how often each of the four ops has taken a slot. The k-th time it is slot k modulo the depth.

    An op takes a slot after the op before it in the life of a slot has: reserve, push, pop, release, and again reserve.
    """

    def __init__(self, depth: int):
        self.depth = depth
        self._taken: dict[type[StreamEndOp], int] = dict.fromkeys(_BEFORE, 0)

    def count(self, op_class: type[StreamEndOp]) -> int:
        """Return the number of slots that the ops of a class have taken."""
        return self._taken[op_class]

    def is_ready(self, op_class: type[StreamEndOp]) -> bool:
        """Return whether an op of a class can take a slot."""
        ahead = self.depth if op_class is ReserveOp else 0
        return self._taken[op_class] < self._taken[_BEFORE[op_class]] + ahead

    def take(self, op: StreamEndOp) -> int:
        """Return the number of the slot that an op takes, from 0. Raises Diagnostic where there is none."""
        if not self.is_ready(type(op)):
            before = _BEFORE[type(op)].name
            raise Diagnostic(
                f"'{op.name}' has no slot to take",
                where=where(op),
                expected=f"a '{before}' before each '{op.name}'",
                found=self.text(),
            )
        number = self._taken[type(op)]
        self._taken[type(op)] = number + 1
        return number % self.depth

    def front(self, op: Operation) -> int:
        """Return the number of the oldest popped slot. Raises Diagnostic where none is held."""
        released = self._taken[ReleaseOp]
        if released < self._taken[PopOp]:
            return released % self.depth
        raise Diagnostic(
            f"'{op.name}' has no slot to give", where=where(op), expected="a popped slot", found=self.text()
        )

    def text(self) -> str:
        """Return the state, for messages."""
        counts = (f"{count} {_PAST[op_class]}" for op_class, count in self._taken.items())
        return f"a stream of depth {self.depth}, {', '.join(counts)}"


_BEFORE: dict[type[StreamEndOp], type[StreamEndOp]] = {
    ReserveOp: ReleaseOp,
    PushOp: ReserveOp,
    PopOp: PushOp,
    ReleaseOp: PopOp,
}
"""Op class -> the one before it in the life of a slot."""

_PAST: dict[type[StreamEndOp], str] = {ReserveOp: "reserved", PushOp: "pushed", PopOp: "popped", ReleaseOp: "released"}


# Semantics


class _Queue:
    """Queue of a run: its state, and its slots."""

    def __init__(self, runner: Runner, op: StreamOp):
        self.ring = Ring(op.depth.data)
        tile = op.type.tile
        self.slots: list[Array] = []
        if tile is not None:
            element = numpy_type(tile.get_element_type())
            slots = (np.zeros(tile.get_shape(), element) for _ in range(op.depth.data))
            self.slots = [runner.interleaving.undefine(slot) for slot in slots]
        self.publishing: list[tuple[PushOp, Value]] = []
        """Pushes that await a transfer, or one before them, in order."""

    def settle(self) -> None:
        """Publish the slots whose transfers have completed, in order."""
        while self.publishing and (self.publishing[0][1] is None or self.publishing[0][1].is_done):
            self.ring.take(self.publishing.pop(0)[0])

    def is_ready(self, op: StreamEndOp) -> bool:
        """Return whether an op can take a slot."""
        self.settle()
        return self.ring.is_ready(type(op))


@semantics(StreamOp)
def _stream(runner: Runner, op: StreamOp, operands: Sequence[Value]) -> list[Value]:
    queues = {point: _Queue(runner, op) for point in product(*map(range, op.type.extents))}
    if not runner.interleaving.order.keeps:
        return [queues]
    return [runner.cached(op, _kept).setdefault(op, queues)]


def _kept(op: Operation) -> dict[Operation, dict[tuple[int, ...], _Queue]]:
    return {}


@semantics(StreamEndOp)
def _take(runner: Runner, op: StreamEndOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.coordinates)
    streams, coordinates, after = operands[0], operands[1 : 1 + count], operands[1 + count :]
    queue = _element(op, streams, tuple(int(index) for index in coordinates))
    if isinstance(op, FrontOp):
        return [queue.slots[queue.ring.front(op)]]
    if isinstance(op, PushOp):
        queue.publishing.append((op, after[0] if after else None))
        if after and after[0] is not None and runner.interleaving.order.seed is None:
            after[0].finish()
        queue.settle()
        return []
    if op.has_trait(Blocks):
        name = f"%{op.stream.name_hint or 'stream'}{[*map(int, coordinates)] or ''}"
        runner.interleaving.wait(lambda: queue.is_ready(op), op, lambda: f"{name}, {queue.ring.text()}")
    slot = queue.ring.take(op)
    if isinstance(op, ReleaseOp) and queue.slots:
        runner.interleaving.undefine(queue.slots[slot])
    if not op.results:
        return []
    return [runner.interleaving.undefine(queue.slots[slot]) if isinstance(op, ReserveOp) else queue.slots[slot]]


def _element(op: StreamEndOp, streams: dict[tuple[int, ...], _Queue], point: tuple[int, ...]) -> _Queue:
    """Return one queue of an array of streams. Raises Diagnostic for coordinates that it has not."""
    if point in streams:
        return streams[point]
    raise Diagnostic(
        f"'{op.name}' names an instance that does not exist",
        where=where(op),
        expected=f"coordinates within {list(op.type.extents)}",
        found=str(list(point)),
    )
