"""Walk of a program step by step: each memory access is checked against the state of memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from ...dialects.core.effects import effects_of
from ...dialects.core.kernel import is_shaped
from ...dialects.hier import DmaStartOp, DmaWaitOp, GridOp, LaunchOp
from ...dialects.hier.tiles import overlap
from ...errors import Diagnostic
from ...ir import functions, where
from ..map_engines import ATTRIBUTE as ENGINE
from .buffers import Buffers
from .calls import Accesses
from .compile import compile_function
from .grid import prove_in_place
from .kernel import ATTRIBUTE
from .levels import LevelLimits
from .memory import State, Transfer, shown
from .origins import Origin, Spot, brought
from .regions import NEVER, Buffer, Region
from .repeats import Repeats
from .rules import listed, name_of, refuse
from .tiles import KernelFacts, TileChecks, facts_of


class Walk:
    """Walker of a module's functions. Raises Diagnostic at the first step that breaks a rule."""

    def __init__(
        self,
        module: ModuleOp,
        levels: Mapping[str, LevelLimits],
        carried: Mapping[GridOp, Collection[int]] = {},
        *,
        tiles: bool = True,
    ):
        """
        Begin; `levels` are ordered from far to near, `carried` has the operands that a grid's body reads besides its
        inputs.

        Without `tiles`, the operand tiles of kernels are not checked.
        """
        self._follows_tiles = tiles
        self._inside: set[Hashable] = set()
        """The accesses of kernels that stay inside of their operands."""
        self._pieces: dict[tuple[Any, ...], tuple[Region, Region, Sequence[slice], bool]] = {}
        self._levels = levels
        self._carried = carried
        self._symbols = {f.sym_name.data: f for f in functions(module)}
        self._globals = {g.sym_name.data: g for g in module.body.block.ops if isinstance(g, memref.GlobalOp)}
        self._code: dict[tuple[FuncOp, tuple[int, ...], bool], tuple[Callable[..., Any], list[Operation]]] = {}
        self._facts: dict[Operation, KernelFacts] = {}
        self._proved: set[tuple[Operation, int, int]] = set()

    def run(self, function: FuncOp) -> None:
        """Walk through a function from its beginning."""
        self.state = State()
        self._buffers = Buffers(self.state, self._globals, self._levels)
        self._ops: list[Operation] = []
        self._tiles = TileChecks(self.state)
        self._repeats = Repeats(self.state)
        self._launching: list[tuple[Attribute | None, Accesses]] = []
        outputs = _outputs(function)
        values: list[Any] = []
        for index, argument in enumerate(function.body.block.args):
            name = f"%{argument.name_hint or f'arg{index}'}"
            memory = is_shaped(argument)
            values.append(self._buffers.new(name, argument.type, initial=index not in outputs) if memory else None)
        try:
            self._enter(function, values)
        except RecursionError as error:
            raise refuse("static", "the calls nest too deep to be walked through", function, [str(error)]) from error
        self._finish(function, [values[index] for index in outputs])

    @property
    def steps(self) -> list[tuple[str, int]]:
        """The loops around the present step."""
        return self.state.steps

    def _enter(self, function: FuncOp, values: Sequence[Any], *, by_data: bool = False) -> None:
        """Walk through a function, given its buffers, and its numbers or None where these depend on data."""
        known = tuple(index for index, value in enumerate(values) if value is not None)
        key = function, known, by_data
        if key not in self._code:
            self._code[key] = compile_function(function, known, by_data=by_data, repeats=not self._follows_tiles)
        walk, ops = self._code[key]
        outer, self._ops = (self._ops, self._tiles.call), ops
        self._tiles.enter()
        try:
            walk(self, *values)
        except ZeroDivisionError as error:
            raise refuse("static", "an index is divided by zero", function, [self.state.place()]) from error
        self._ops, self._tiles.call = outer

    def _finish(self, function: FuncOp, outputs: Sequence[Buffer]) -> None:
        for transfer in self.state.under_way:
            raise refuse(
                "token",
                "the transfer is never waited for",
                transfer.op,
                [f"address {transfer.target.low} of {transfer.target.memory.name}", shown(transfer.steps)],
            )
        if self._follows_tiles:
            self._check_tiles()
        for buffer in outputs:
            missing = np.argwhere(buffer.writes == NEVER)
            if missing.size:
                element = [int(i) for i in missing[0][:-1]]
                message = f"the output {buffer.memory.name} is not written completely"
                raise refuse("complete", message, function, [f"element {listed(element)}"])
            self._check_complete(function, buffer, f"the output {buffer.memory.name}")

    def _check_tiles(self) -> None:
        self._tiles.check_covered()
        for op in (op for _, ops in self._code.values() for op in ops):
            if ATTRIBUTE in op.attributes and op not in self._facts:
                raise refuse("complete", f"'{op.name}' is a part of a kernel that is never run", op, ["element 0"])

    # Loops

    def repeat(self, number: int, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Do a loop as it was done before on the same values, if it was; return what it leaves, else None."""
        return self._repeats.replay(self._ops[number], values)

    def repeated(self, number: int, results: tuple[Any, ...]) -> None:
        """Note that a loop has been walked through, and what it has left."""
        self._repeats.end(self._ops[number], results)

    # Memory

    def get_global(self, number: int) -> Buffer:
        """Return the memory of a global."""
        return self._buffers.of_global(cast(memref.GetGlobalOp, self._ops[number]))

    def alloc(self, number: int, *extents: int) -> Buffer:
        """Return new memory."""
        return self._buffers.allocated(self._ops[number], extents)

    def view(self, number: int, source: Buffer, *indices: int | None) -> Buffer:
        """Return a view of a buffer."""
        return self._buffers.view(self._ops[number], source, indices)

    # Ops that touch memory

    def load(self, number: int, source: Buffer, *indices: int | None) -> None:
        """Read one element, which may be any along an axis whose index depends on data."""
        op = self._ops[number]
        self.state.check_read(op, self._element(op, source, indices), source.number, 0)

    def store(self, number: int, value: Any, target: Buffer, *indices: int | None) -> None:
        """Write one element, which may be any along an axis whose index depends on data."""
        op = self._ops[number]
        if None in indices or target.by_data:
            self._keeps(op, target)
        region = self._element(op, target, indices)
        self.state.check_write(op, region, 1)
        self.state.wrote(op, region, target)

    def holds(self, number: int, buffer: Buffer) -> None:
        """Check that a partially written buffer is initialised."""
        self._keeps(self._ops[number], buffer)

    def _keeps(self, op: Operation, buffer: Buffer) -> None:
        what = "what it may leave as it is"
        region = buffer.part(tuple(slice(None) for _ in buffer.array.shape))
        self.state.check_read(op, region, buffer.number, what)
        self._check_complete(op, region, what)

    def join_paths(self, number: int) -> None:
        """Join the two paths by which an op is left."""
        self.state.join_paths(self._ops[number])

    def _element(self, op: Operation, buffer: Buffer, indices: Sequence[int | None]) -> Region:
        shape = buffer.array.shape
        if buffer.by_data:
            return buffer.part(tuple(slice(None) for _ in shape))
        if any(i is not None and not 0 <= i < n for i, n in zip(indices, shape, strict=True)):
            known = [0 if index is None else index for index in indices]
            at = [f"element {listed(known)} of the shape {listed(shape)}", self.state.place()]
            raise refuse("inside", f"'{op.name}' leaves its buffer", op, at)
        return buffer.part(tuple(slice(None) if i is None else slice(i, i + 1) for i in indices))

    def copy(self, number: int, source: Buffer, target: Buffer) -> None:
        """
        Copy a buffer: unwritten bytes stay unwritten in the copy, like upstream's poison.

        A tensor with slices inserted later is such a buffer. A read of these bytes is rejected.
        """
        op = self._ops[number]
        missing = None if source.by_data or target.by_data else self.state.missing_part(source, source.number)
        if missing is not None:
            self.state.check_read(op, source, source.number, 0, is_whole=False)
            self.state.check_write(op, target, 1)
            self._apart(op, [source, target], 0, 1, allowed=False)
            self.state.copied_part(op, target, missing)
            return
        origin = self.state.origin_of(source) if self._follows_tiles else None
        self._touch(op, [source, target], [0], [1], set(), origin)

    def kernel(self, number: int, *buffers: Buffer | None) -> None:
        """Run a kernel."""
        op = self._ops[number]
        facts = self._facts.get(op)
        if facts is None:
            facts = self._facts[op] = facts_of(op, None if self._follows_tiles else self._inside)
        if not self._follows_tiles:
            self._touch(op, buffers, facts.reads, facts.writes, facts.in_place)
            return
        result = facts.leaves
        for index in facts.reads:
            if index not in facts.adds_to:
                self._check_complete(op, buffers[index], name_of(op, index))
        if facts.part is not None:
            self._is_static(op, *buffers)
            result = self._tiles.result_of(facts, facts.part, buffers)
        self._touch(op, buffers, facts.reads, facts.writes, facts.in_place, result)

    def _check_complete(self, op: Operation, buffer: Region | None, what: str) -> None:
        if buffer is not None and self.state.lacks(buffer):
            message = f"'{op.name}' reads {what} before its sums are complete"
            raise refuse(
                "whole-kernel", message, op, [f"address {buffer.low} of {buffer.memory.name}", self.state.place()]
            )

    def _touch(
        self,
        op: Operation,
        buffers: Sequence[Buffer | None],
        reads: Sequence[int],
        writes: Sequence[int],
        in_place: set[tuple[int, int]],
        origin: Origin | None = None,
    ) -> None:
        """Check the reads and writes of an op, by operand indices, then record its writes."""
        for index in reads:
            buffer = cast(Buffer, buffers[index])
            self.state.check_read(op, buffer, buffer.number, index)
        for index in writes:
            buffer = cast(Buffer, buffers[index])
            if buffer.by_data:
                self._keeps(op, buffer)
            self.state.check_write(op, buffer, index)
        for target in writes:
            for other in (*reads, *(w for w in writes if w < target)):
                self._apart(op, buffers, other, target, allowed=(other, target) in in_place)
        for index in writes:
            buffer = cast(Buffer, buffers[index])
            self.state.wrote(op, buffer, buffer, origin if not buffer.by_data else None)

    def _apart(
        self, op: Operation, buffers: Sequence[Buffer | None], other: int, target: int, *, allowed: bool
    ) -> None:
        a, b = cast(Buffer, buffers[other]), cast(Buffer, buffers[target])
        if other == target or not a.meets(b) or (allowed and a.same(b) and not a.by_data):
            return
        byte = a.first_common(b)
        raise refuse(
            "apart",
            f"'{op.name}' writes {name_of(op, target)} over {name_of(op, other)}, which it still needs",
            op,
            [f"address {byte} of {a.memory.name}", self.state.place()],
            found=f"bytes {a.low} to {a.high - 1} and {b.low} to {b.high - 1}",
        )

    def grid(self, number: int, *buffers: Buffer) -> None:
        """Run a grid; what happens inside of it has been proved."""
        op = cast(GridOp, self._ops[number])
        self._is_static(op, *buffers)
        count = len(op.inputs)
        pairs = product(range(count), range(count, len(buffers)))
        together = {(read, written) for read, written in pairs if buffers[read].same(buffers[written])}
        for read, written in sorted(together):
            if (op, read, written) not in self._proved:
                prove_in_place(op, read, written)
            self._proved.add((op, read, written))
        carried = sorted(self._carried.get(op, ()))
        together |= {(index, index) for index in carried}
        self._touch(op, buffers, [*range(count), *carried], range(count, len(buffers)), together)

    def declared(self, number: int, *buffers: Buffer | None) -> None:
        """Run an op that declares which of its operands it reads and writes as a whole."""
        op = self._ops[number]
        effects = effects_of(op)
        reads, writes = ([op.operands.index(value) for value in side] for side in (effects.reads, effects.writes))
        self._touch(op, buffers, reads, writes, set())

    def _is_static(self, op: Operation, *buffers: Any) -> None:
        """Raise Diagnostic for buffers at indices that depend on data."""
        for index, buffer in enumerate(buffers):
            if isinstance(buffer, Buffer) and buffer.by_data:
                message = f"operand {index} of '{op.name}' depends on data"
                raise refuse("static", message, op, [f"operand {index}", self.state.place()])

    def call(self, number: int, *values: Any) -> None:
        """Call a function: walk through its steps."""
        self._enter(self._callee(number), values)

    def call_by_data(self, number: int, *values: Any) -> None:
        """Call a function where data decide whether it is called."""
        self._enter(self._callee(number), values, by_data=True)

    def _callee(self, number: int) -> FuncOp:
        """Return the function that an op calls. Raises Diagnostic where it has no body."""
        op = cast(CallOp, self._ops[number])
        name = op.callee.string_value()
        if name not in self._symbols:
            raise Diagnostic(f"the module defines no function '{name}' with a body", where=where(op))
        return self._symbols[name]

    # Transfers

    def start(self, number: int, far: Buffer, *rest: Any) -> Transfer:
        """Issue a transfer."""
        op = cast(DmaStartOp, self._ops[number])
        *offsets, near = rest
        begin = tuple(offsets)
        outside, inside, here, hangs = self._sides_of(op, far, near, begin)
        if op.writes_far:
            transfer = Transfer(op, tuple(self.steps), inside, outside)
            self._begin(op, transfer, (near, 2), (far, 0))
            self.state.wrote(op, outside, far, self._left(op, near, far, begin, here, inside))
        else:
            transfer = Transfer(op, tuple(self.steps), outside, near)
            self._begin(op, transfer, (far, 0), (near, 2))
            self.state.wrote(op, near, near, self._fetched(op, near, far, begin, here, outside, hangs=hangs))
        self.state.begin(transfer)
        return transfer

    def _sides_of(
        self, op: DmaStartOp, far: Buffer, near: Buffer, begin: tuple[int, ...]
    ) -> tuple[Region, Region, Sequence[slice], bool]:
        """Return the far and the near side of a transfer, the part of the tile that it is, and whether that is less."""
        key = (op, far, near, begin)
        if key not in self._pieces:
            self._is_static(op, far, *begin, near)
            there, here = overlap(begin, near.array.shape, far.array.shape)
            outside = far.part(there)
            hangs = outside.array.shape != near.array.shape
            if hangs:
                self._may_hang(op, far, near, begin)
            self._pieces[key] = (outside, near.part(here) if hangs else near, here, hangs)
        return self._pieces[key]

    def _left(
        self, op: DmaStartOp, near: Buffer, far: Buffer, begin: tuple[int, ...], here: Sequence[slice], piece: Region
    ) -> Origin | None:
        """Return the origin of the bytes that a transfer leaves in the far buffer, proved to belong there."""
        if not self._follows_tiles:
            return None
        is_known = self._tiles.check_written(op, near, far, begin, here)
        return self._written(near, piece, is_known=is_known)

    def _fetched(
        self,
        op: DmaStartOp,
        near: Buffer,
        far: Buffer,
        begin: tuple[int, ...],
        here: Sequence[slice],
        outside: Region,
        *,
        hangs: bool,
    ) -> Origin | None:
        """Return the origin of the bytes that a transfer brings to the tile's buffer."""
        if not self._follows_tiles:
            return None
        own = Spot((far.number, far.low), begin, far.array.shape)
        views = [spot.moved(begin) for spot in far.spots[1:]]
        outer = self.state.origin_of(outside) if outside.array.size else None
        origin = brought(own, views, outer, here, near.array.shape, op.fill if hangs else None)
        return replace(origin, is_whole=False) if far.memory.is_shared and outer is None else origin

    def _written(self, near: Buffer, piece: Region, *, is_known: bool) -> Origin | None:
        """Return the content that a part of a tile leaves in the far buffer; None where it is known to belong there."""
        origin = self.state.origin_of(near)
        if origin is None or (is_known and not origin.lacks):
            return None
        if piece.box is None:
            return replace(origin, solved=None)
        return origin.part([each.start for each in piece.box[1]], piece.array.shape)

    def _begin(
        self, op: DmaStartOp, transfer: Transfer, source: tuple[Buffer, int], target: tuple[Buffer, int]
    ) -> None:
        sides = ("the far buffer", "", "the tile's buffer")
        self.state.check_read(op, transfer.source, source[0].number, sides[source[1]])
        self.state.check_write(op, transfer.target, sides[target[1]])
        if transfer.source.meets(transfer.target):
            at = [f"address {transfer.source.first_common(transfer.target)}", self.state.place()]
            raise refuse("race", "both sides of a transfer are the same memory", op, at)

    def _may_hang(self, op: DmaStartOp, far: Buffer, near: Buffer, offsets: Sequence[int]) -> None:
        if op.clipped is not None and (op.writes_far or op.fill is not None):
            return
        sides = zip(offsets, near.array.shape, far.array.shape, strict=True)
        element = [o if o < 0 else max(o, n) if o + t > n else o for o, t, n in sides]
        raise refuse(
            "fill" if op.clipped is None and not op.writes_far else "inside",
            "a transfer leaves its far buffer",
            op,
            [f"element {listed(element)} of the shape {listed(far.array.shape)}", self.state.place()],
            remedy="mark it as clipped, with a fill if it reads",
        )

    # Launches

    def launching(self, number: int) -> None:
        """Begin to launch a kernel, or a call."""
        accesses = Accesses()
        self._launching.append((self.state.engine, accesses))
        self.state.engine = cast(LaunchOp, self._ops[number]).kernel.attributes.get(ENGINE, NoneAttr())
        self.state.observers.append(accesses)

    def launch(self, number: int) -> list[Transfer]:
        """Note that what was launched is in flight, with all that it has read and written."""
        op, engine = self._ops[number], self.state.engine
        self.state.engine, accesses = self._launching.pop()
        self.state.observers.remove(accesses)
        found = [Transfer(op, tuple(self.steps), *sides, engine=engine) for sides in accesses.pairs()]
        for each in found:
            self.state.begin(each)
        return found

    def join(self, number: int, launched: list[Transfer]) -> None:
        """Wait for a kernel that was launched."""
        self.state.joined(launched)

    def wait(self, number: int, token: Transfer | None) -> None:
        """Wait for a transfer."""
        self.state.end(cast(DmaWaitOp, self._ops[number]), token)


def _outputs(function: FuncOp) -> list[int]:
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    return [index for index, attrs in enumerate(attributes) if "tilewright.output" in attrs.data]
