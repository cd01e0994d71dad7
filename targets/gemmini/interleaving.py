"""Functions that issue the instructions of transfers between those of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FunctionType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from ...dialects.core.analysis.arithmetic import evaluator, integer_of
from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.analysis.value_ranges import ValueRanges
from ...dialects.core.effects import is_speculatable
from ...dialects.core.instruction import InstructionOp
from ...dialects.core.nesting import nested_ops
from ...dialects.core.scalars import Index, index_constant, scalar_attr
from ...passes.loops.nest import Constants, Nest

_BURST = 4
"""Instructions of a unit at most: half of a queue of loads."""
_SLOT = 2
"""Instructions of a transfer in a slot on average at most, if the kernel has enough loops."""
_SLOTS = 8
"""Slots of a kernel at least, if it has enough loops: the last part of a transfer comes long before the next kernel."""
_MOST = 64
"""Instructions of a transfer that count at most, as those of one whose extents have no known end."""


def is_interleavable(function: func.FuncOp) -> bool:
    """Return whether a function issues instructions, in branches first, then in loops, and does nothing else."""
    if not function.body.blocks or not all(_is_plain(op) for op in nested_ops(function.body)):
        return False
    are_branches = [isinstance(op, scf.IfOp) for op in _work(function.body)]
    return are_branches == sorted(are_branches, reverse=True)


def _is_plain(op: Operation) -> bool:
    if isinstance(op, scf.ForOp):
        return not op.iter_args and constant_integer(op.step) == 1
    if isinstance(op, scf.IfOp):
        return not op.results and isinstance(op.parent_op(), func.FuncOp) and not _work(op.false_region)
    return isinstance(op, InstructionOp) or is_speculatable(op) or op.has_trait(IsTerminator)


def registers_of(function: func.FuncOp, *, written: bool) -> set[type]:
    """Return the configurations that the instructions of a function access, or those that they set."""
    ops = [op for op in nested_ops(function.body) if isinstance(op, InstructionOp)]
    records = [op.INSTRUCTION for op in ops if op.INSTRUCTION.configures or not written]
    return {register.element for record in records for register in record.configurations}


def _work(region: Region) -> list[Operation]:
    """Return the ops of a region that are issued in order: instructions, and loops and branches of them."""
    if not region.blocks:
        return []
    return [op for op in region.block.ops if isinstance(op, InstructionOp | scf.ForOp | scf.IfOp)]


class Issued(NamedTuple):
    """Transfer as a call issues it: the operands that are constant there have numbers, others None."""

    function: func.FuncOp
    constants: tuple[int | None, ...]


def specialized(transfer: Issued) -> func.FuncOp:
    """Return a copy of a transfer's function for the constant operands of its call, with what follows from them."""
    copy = transfer.function.clone()
    copy.location = transfer.function.location
    block = copy.body.block
    for argument, number in zip(block.args, transfer.constants, strict=True):
        if number is not None:
            constant = index_constant(number)
            Rewriter.insert_op(constant, InsertPoint.at_start(block))
            argument.replace_all_uses_with(constant.result)
    for op in list(nested_ops(copy.body)):
        numbers = [integer_of(operand) for operand in op.operands]
        evaluate = evaluator(op)
        if evaluate is not None and None not in numbers:
            kind = op.results[0].type
            value = scalar_attr(evaluate(*numbers), kind)
            Rewriter.replace_op(op, arith.ConstantOp.create(properties={"value": value}, result_types=[kind]))
    return copy


class _Interleaving:
    """Body of a function, as it is built: a kernel's loops, and in them the parts of transfers."""

    def __init__(self, kernel: func.FuncOp):
        self.constants = Constants()
        self.nest = Nest(self.constants, kernel.location)
        self.values: dict[SSAValue, SSAValue] = {}

    def value(self, value: SSAValue) -> SSAValue:
        return self.values.get(value, value)

    def index(self, value: SSAValue) -> Index:
        """Return an index as a number where it is constant."""
        constant = constant_integer(value)
        return self.value(value) if constant is None else constant

    def bind(self, region: Region) -> None:
        """Compute the values of a region that are no effects."""
        for op in region.block.ops:
            if isinstance(op, arith.ConstantOp):
                self.values[op.result] = self.nest.attribute(op.value)  # pyright: ignore[reportArgumentType]
            elif is_speculatable(op) and op.results:
                copy = op.clone(self.values)
                self.nest.op(copy)
                self.values.update(zip(op.results, copy.results, strict=True))

    @contextmanager
    def loop(self, op: scf.ForOp) -> Generator[Index]:
        """Build in a loop in place of another one, with its attributes, and give its index."""
        name, lower, upper = op.body.block.args[0].name_hint or "i", self.index(op.lb), self.index(op.ub)
        with self.nest.loop(name, lower, upper, marks=list(op.attributes)) as index:
            self.values[op.body.block.args[0]] = self.nest.value(index)
            yield index

    def whole(self, op: Operation) -> None:
        """Emit an instruction, or a loop of them."""
        if not isinstance(op, scf.ForOp):
            self.instruction(op)
            return
        with self.loop(op):
            self.bind(op.body)
            for inner in _work(op.body):
                self.whole(inner)

    def instruction(self, op: Operation) -> None:
        copy = op.clone(self.values)
        self.nest.insert(copy)
        copy.location = op.location


class _TransferPart(NamedTuple):
    """Work of a transfer that can be cut: an instruction, or the iterations of a loop."""

    op: Operation
    units: Index
    """Units: an instruction, or an iteration of a loop, in turn cut if it has many instructions."""


def _trips(op: scf.ForOp) -> int:
    """Return the iterations of a loop with constant bounds, 0 for others."""
    low, high = constant_integer(op.lb), constant_integer(op.ub)
    return 0 if low is None or high is None else max(high - low, 0)


class _LoopSizes:
    """Sizes of loops whose bounds may depend on the place of a tile: at most, from the ranges of these."""

    def __init__(self) -> None:
        self._ranges = ValueRanges()

    def trips(self, op: scf.ForOp) -> int:
        """Return the iterations of a loop at most."""
        low, high = self._ranges.of(op.lb), self._ranges.of(op.ub)
        assert low is not None
        assert high is not None
        return max(high.high - low.low, 0)

    def instructions(self, ops: Sequence[Operation]) -> int:
        """Return the instructions of some ops at most."""
        return sum(self._instructions(op) for op in ops)

    def _instructions(self, op: Operation) -> int:
        if isinstance(op, scf.IfOp):
            return self.instructions(_work(op.true_region))
        return self.trips(op) * self.instructions(_work(op.body)) if isinstance(op, scf.ForOp) else 1

    def units(self, op: Operation) -> int:
        """Return the units of an iteration of a loop at most: 1 if it has few instructions, or without a known end."""
        if not isinstance(op, scf.ForOp) or not _BURST < self.instructions(_work(op.body)) <= _MOST:
            return 1
        return sum(map(self.whole, _work(op.body)))

    def whole(self, op: Operation) -> int:
        """Return the units of an op at most."""
        return self.trips(op) * self.units(op) if isinstance(op, scf.ForOp) else 1


def most_instructions(function: func.FuncOp) -> int:
    """Return the instructions of a function at most, those in branches included."""
    return _LoopSizes().instructions(_work(function.body))


class _SplitTransfer:
    """Transfer that is issued in parts, its units in order; what stands in branches is issued first."""

    def __init__(self, into: _Interleaving, function: func.FuncOp, condition: SSAValue):
        self._into = into
        self._nest = into.nest
        self._sizes = _LoopSizes()
        into.bind(function.body)
        work = _work(function.body)
        branches = [op for op in work if isinstance(op, scf.IfOp)]
        self._first: list[_TransferPart] = []
        for branch in branches:
            into.bind(branch.true_region)
            holds = self._nest.op(arith.AndIOp(condition, into.value(branch.cond)))
            for op in _work(branch.true_region):
                self._first.append(_TransferPart(op, self._where(holds, self._count(op))))
        self._parts = [_TransferPart(op, self._count(op)) for op in work if op not in branches]
        self.most = min(self._sizes.instructions([op for op, _ in self._parts]), _MOST)
        self._most_units = sum(self._sizes.whole(op) for op, _ in self._parts)
        self._total: Index = 0
        for part in self._parts:
            self._total = self._nest.add(self._total, part.units)
        self._end = self._where(condition, self._total)

    def _count(self, op: Operation) -> Index:
        if not isinstance(op, scf.ForOp):
            return 1
        trips = self._nest.sub(self._into.index(op.ub), self._into.index(op.lb))
        return self._nest.mul(self._nest.max(trips, 0), self._sizes.units(op))

    def _where(self, condition: SSAValue, count: Index) -> Index:
        return self._nest.select(condition, self._nest.value(count), self._nest.value(0))

    def begin(self) -> None:
        """Emit what is issued first."""
        for part in self._first:
            self._part(part.op, 0, part.units)

    def period(self, windows: int, slots: int) -> int:
        """Return the slots from one unit of a window to the next, a power of two; 0 where slots have units each."""
        slots_of_unit = slots // max(-(-self._most_units // windows), 1)
        return 1 << slots_of_unit.bit_length() - 1 if slots_of_unit > 1 else 0

    def slice(self, window: Index, windows: int, slot: Index, slots: int) -> None:
        """
        Emit the units of a slot, one of `slots` of a window: of one slot in each period, where they have one.

        Units are spread evenly over windows, whose ends take divisions, and within a window by periods.
        """
        nest = self._nest
        low = self._bound(window, windows)
        high = nest.min(self._bound(nest.add(window, 1), windows), self._end)
        if period := self.period(windows, slots):
            low = nest.add(low, nest.div(slot, period) if slots > period else 0)
            high = nest.min(nest.add(low, 1), high)
        elif slots > 1:
            most = nest.div(nest.add(nest.sub(high, low), slots - 1), slots)
            low = nest.add(low, nest.mul(slot, most))
            high = nest.min(nest.add(low, most), high)
        start: Index = 0
        for part in self._parts:
            first, last = low, high
            if len(self._parts) > 1:
                end = self._nest.add(start, part.units)
                first = self._nest.sub(self._nest.max(low, start), start)
                last = self._nest.sub(self._nest.min(high, end), start)
                start = end
            self._part(part.op, first, last)

    def _bound(self, window: Index, windows: int) -> Index:
        """Return the units before a window, rounded up: the first one is issued in the first window."""
        if isinstance(self._total, int) and self._total % windows == 0:
            return self._nest.mul(window, self._total // windows)
        return self._nest.div(self._nest.add(self._nest.mul(window, self._total), windows - 1), windows)

    def _part(self, op: Operation, low: Index, high: Index) -> None:
        """Emit the units from `low` to `high` of an instruction or a loop."""
        with self._nest.loop("u", low, high) as unit:
            if isinstance(op, scf.ForOp):
                self._iteration(op, unit)
            else:
                self._into.instruction(op)

    def _iteration(self, op: scf.ForOp, unit: Index) -> None:
        """Emit one unit of a loop."""
        count, work = self._sizes.units(op), _work(op.body)
        number = self._nest.div(unit, count)
        index = self._nest.add(number, self._into.index(op.lb))
        self._into.values[op.body.block.args[0]] = self._nest.value(index)
        self._into.bind(op.body)
        if count == 1:
            for inner in work:
                self._into.whole(inner)
            return
        rest, start = self._nest.sub(unit, self._nest.mul(number, count)), 0
        if len(work) == 1 and isinstance(work[0], scf.ForOp) and _trips(work[0]):
            self._iteration(work[0], rest)
            return
        for inner in work:
            units = self._sizes.whole(inner)
            low = self._nest.sub(self._nest.max(rest, start), start)
            high = self._nest.sub(self._nest.min(self._nest.add(rest, 1), start + units), start)
            self._part(inner, low, self._nest.min(high, self._count(inner)))
            start += units


class _LoopChain:
    """
    Loops of a kernel, outermost first, each the one of most work inside of the one before.

    Transfers are issued at the end of iterations of one of them, which are slots; those within an iteration of the loop
    around it are a window. Each slot of the outermost loop is a window of its own.
    """

    def __init__(self, loop: scf.ForOp):
        self._loops = [loop]
        while inner := [op for op in _work(self._loops[-1].body) if isinstance(op, scf.ForOp) and _trips(op)]:
            self._loops.append(max(inner, key=lambda op: _LoopSizes().instructions([op])))

    def __len__(self) -> int:
        return len(self._loops)

    def depth_of(self, loop: scf.ForOp) -> int:
        """Return the depth of a loop, 0 for one that is not in the chain."""
        return self._loops.index(loop) + 1 if loop in self._loops else 0

    def slots(self, depth: int) -> int:
        """Return the slots at a depth, or in the innermost loop."""
        return prod(map(_trips, self._loops[:depth]))

    def windows(self, depth: int) -> int:
        """Return the windows at a depth, or in the innermost loop."""
        return self.slots(max(1, min(depth, len(self)) - 1))


def _chains(kernel: func.FuncOp) -> list[_LoopChain]:
    """Return the chains of a kernel's loops, but for those of much less work than another."""
    loops = [op for op in _work(kernel.body) if isinstance(op, scf.ForOp) and _trips(op)]
    works = {op: _LoopSizes().instructions([op]) for op in loops}
    return [_LoopChain(op) for op in loops if 2 * works[op] >= max(works.values())]


def interleave(name: str, kernel: func.FuncOp, transfers: Sequence[Issued]) -> func.FuncOp | None:
    """
    Build a function that issues the instructions of a kernel, and between them those of transfers.

    It takes the operands of the kernel, and for each transfer a condition, whether it takes place, and its operands.
    None for a kernel without loops of constant bounds.
    """
    chains = _chains(kernel)
    if not chains:
        return None
    types = list(kernel.function_type.inputs)
    for transfer in transfers:
        types += [i1, *transfer.function.function_type.inputs]
    block = Block(arg_types=types)
    arguments = list(block.args)
    interleaving = _Interleaving(kernel)
    for old in kernel.body.block.args:
        interleaving.values[old] = arguments.pop(0)
    parts: list[_SplitTransfer] = []
    for transfer in transfers:
        condition, function = arguments.pop(0), specialized(transfer)
        for old in function.body.block.args:
            interleaving.values[old] = arguments.pop(0)
        parts.append(_SplitTransfer(interleaving, function, condition))
    interleaving.bind(kernel.body)
    for part in parts:
        part.begin()
    slices = _Slices(interleaving, chains, parts)
    for op in _work(kernel.body):
        slices.emit(op)
    ops = interleaving.nest.take()
    block.add_ops(ops)
    interleaving.constants.place(block)
    block.add_op(func.ReturnOp())
    result = func.FuncOp(name, FunctionType.from_lists(types, []), Region(block), visibility="private")
    result.attributes |= dict(kernel.attributes)
    result.location = kernel.location
    return result


class _Slices:
    """The loops of a kernel with parts of transfers, each at the depth where few of its instructions come at once."""

    def __init__(self, interleaving: _Interleaving, chains: Sequence[_LoopChain], transfers: Sequence[_SplitTransfer]):
        self._interleaving, self._chains = interleaving, chains
        deepest = max(map(len, chains))
        slots = {depth: self._total(_LoopChain.slots, depth) for depth in range(1, deepest)}
        self._depths: dict[_SplitTransfer, int] = {}
        for transfer in transfers:
            least = max(transfer.most // _SLOT, _SLOTS)
            self._depths[transfer] = next((depth for depth, count in slots.items() if count >= least), deepest)

    def _total(self, count: Callable[[_LoopChain, int], int], depth: int) -> int:
        return sum(count(chain, depth) for chain in self._chains)

    def emit(self, op: Operation) -> None:
        """Emit an op of the kernel, with the parts of transfers in its chain if it begins one."""
        chain = next((chain for chain in self._chains if isinstance(op, scf.ForOp) and chain.depth_of(op) == 1), None)
        if chain is None:
            self._interleaving.whole(op)
        else:
            assert isinstance(op, scf.ForOp)
            self._loop(chain, op, 0)

    def _loop(self, chain: _LoopChain, loop: scf.ForOp, window: Index) -> None:
        """Emit a loop of a chain: `window` numbers the iterations around it, over all of that loop."""
        interleaving, depth = self._interleaving, chain.depth_of(loop)
        with interleaving.loop(loop) as index:
            slot = interleaving.nest.sub(index, interleaving.index(loop.lb))
            number = interleaving.nest.add(interleaving.nest.mul(window, _trips(loop)), slot)
            interleaving.bind(loop.body)
            for op in _work(loop.body):
                if isinstance(op, scf.ForOp) and chain.depth_of(op):
                    self._loop(chain, op, number)
                else:
                    interleaving.whole(op)
            self._transfers(chain, depth, slot, window, number, _trips(loop))

    def _transfers(self, chain: _LoopChain, depth: int, slot: Index, window: Index, number: Index, trips: int) -> None:
        """Emit the parts of transfers that an iteration of a loop of a chain has, those of one period in one branch."""
        nest, before = self._interleaving.nest, self._chains[: self._chains.index(chain)]
        slots = 1 if depth == 1 else trips
        chosen = [(transfer, wanted) for transfer, wanted in self._depths.items() if min(wanted, len(chain)) == depth]
        totals = {wanted: self._total(_LoopChain.windows, wanted) for _, wanted in chosen}
        for period, group in groupby(chosen, lambda pair: pair[0].period(totals[pair[1]], slots)):
            with ExitStack() as branch:
                if period:
                    # Halfway, as the kernel before still reads when this one is issued: from banks that loads write
                    # next.
                    is_halfway = nest.compare(nest.rem_unsigned(slot, period), "eq", period // 2)
                    branch.enter_context(nest.when(is_halfway))
                for transfer, wanted in group:
                    start = sum(earlier.windows(wanted) for earlier in before)
                    place = number if depth == 1 else window
                    transfer.slice(nest.add(place, start), totals[wanted], slot if depth > 1 else 0, slots)
