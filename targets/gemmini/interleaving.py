"""Functions that issue the instructions of transfers between those of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FunctionType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.analysis.constants import constant_integer
from ...dialects.core.effects import is_speculatable
from ...dialects.core.instruction import InstructionOp
from ...dialects.core.nesting import nested_ops
from ...passes.loops.nest import Constants, Index, Nest

_BURST = 4
"""Instructions of a transfer issued at a time at most, if the kernel has enough loops: half of a queue of loads."""
_UNKNOWN = 64
"""Instructions of a transfer whose extents are known at run time only."""


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
    if isinstance(op, InstructionOp):
        return not op.INSTRUCTION.configures
    return is_speculatable(op) or op.has_trait(IsTerminator)


def _work(region: Region) -> list[Operation]:
    """Return the ops of a region that are issued in order: instructions, and loops and branches of them."""
    if not region.blocks:
        return []
    return [op for op in region.block.ops if isinstance(op, InstructionOp | scf.ForOp | scf.IfOp)]


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
                made = op.clone(self.values)
                self.nest.op(made)
                self.values.update(zip(op.results, made.results, strict=True))

    def loop(self, op: scf.ForOp, lower: Index, upper: Index) -> SSAValue:
        """Open a loop in place of another one, with its attributes."""
        (index,) = self.nest.open(op.body.block.args[0].name_hint or "i", lower, upper, marks=list(op.attributes))
        return index

    def whole(self, op: Operation) -> None:
        """Emit an instruction, or a loop of them."""
        if not isinstance(op, scf.ForOp):
            self.instruction(op)
            return
        self.values[op.body.block.args[0]] = self.loop(op, self.index(op.lb), self.index(op.ub))
        self.bind(op.body)
        for each in _work(op.body):
            self.whole(each)
        self.nest.close()

    def instruction(self, op: Operation) -> None:
        made = op.clone(self.values)
        self.nest.last(made)
        made.location = op.location


class _Part(NamedTuple):
    """Work of a transfer that can be cut: an instruction, or the iterations of a loop."""

    op: Operation
    units: Index
    """Units: an instruction, or an iteration of a loop, in turn cut if it has many instructions."""


def _trips(op: scf.ForOp) -> int:
    """Return the iterations of a loop with constant bounds, 0 for others."""
    low, high = constant_integer(op.lb), constant_integer(op.ub)
    return 0 if low is None or high is None else max(high - low, 0)


def _instructions(op: Operation) -> int:
    """Return the instructions of an iteration of a loop, 0 where that is unknown; 1 for other ops."""
    if not isinstance(op, scf.ForOp):
        return 1
    numbers = [_trips(each) * _instructions(each) if isinstance(each, scf.ForOp) else 1 for each in _work(op.body)]
    return sum(numbers) if all(numbers) else 0


def _units(op: Operation) -> int:
    """Return the units of an iteration of a loop: 1 if it has few instructions, or an unknown number of them."""
    if not isinstance(op, scf.ForOp) or _instructions(op) <= _BURST:
        return 1
    return sum(_trips(each) * _units(each) if isinstance(each, scf.ForOp) else 1 for each in _work(op.body))


class _Transfer:
    """Transfer that is issued in parts, its units in order; what stands in branches is issued first."""

    def __init__(self, into: _Interleaving, function: func.FuncOp, condition: SSAValue):
        self._into = into
        self._nest = into.nest
        into.bind(function.body)
        work = _work(function.body)
        branches = [op for op in work if isinstance(op, scf.IfOp)]
        self._first: list[_Part] = []
        for branch in branches:
            into.bind(branch.true_region)
            holds = self._nest.op(arith.AndIOp(condition, into.value(branch.cond)))
            for op in _work(branch.true_region):
                self._first.append(_Part(op, self._where(holds, self._count(op))))
        self._parts = [_Part(op, self._count(op)) for op in work if op not in branches]
        sizes = [_trips(op) * _instructions(op) if isinstance(op, scf.ForOp) else 1 for op, _ in self._parts]
        self.most = sum(sizes) if all(sizes) else _UNKNOWN
        self._total: Index = 0
        for part in self._parts:
            self._total = self._nest.add(self._total, part.units)
        self._end = self._where(condition, self._total)

    def _count(self, op: Operation) -> Index:
        if not isinstance(op, scf.ForOp):
            return 1
        trips = self._nest.sub(self._into.index(op.ub), self._into.index(op.lb))
        return self._nest.mul(self._nest.greatest([trips, 0]), _units(op))

    def _where(self, condition: SSAValue, count: Index) -> Index:
        return self._nest.op(arith.SelectOp(condition, self._nest.value(count), self._nest.value(0)))

    def begin(self) -> None:
        """Emit what is issued first."""
        for part in self._first:
            self._part(part.op, 0, part.units)

    def slice(self, slot: Index, slots: int) -> None:
        """Emit the units of one slot of the kernel's."""
        low = self._bound(slot, slots)
        high = self._nest.least([self._bound(self._nest.add(slot, 1), slots), self._end])
        start: Index = 0
        for part in self._parts:
            first, last = low, high
            if len(self._parts) > 1:
                end = self._nest.add(start, part.units)
                first = self._nest.sub(self._nest.greatest([low, start]), start)
                last = self._nest.sub(self._nest.least([high, end]), start)
                start = end
            self._part(part.op, first, last)

    def _bound(self, slot: Index, slots: int) -> Index:
        """Return the units before a slot, rounded up: the first one is issued in the first slot."""
        if isinstance(self._total, int) and self._total % slots == 0:
            return self._nest.mul(slot, self._total // slots)
        if isinstance(self._total, int):
            product: Index = self._nest.mul(slot, self._total)
        else:
            product = self._nest.op(arith.MuliOp(self._nest.value(slot), self._total))
        return self._nest.div(self._nest.add(product, slots - 1), slots)

    def _part(self, op: Operation, low: Index, high: Index) -> None:
        """Emit the units from `low` to `high` of an instruction or a loop."""
        (unit,) = self._nest.open("u", low, high)
        if isinstance(op, scf.ForOp):
            self._iteration(op, unit)
        else:
            self._into.instruction(op)
        self._nest.close()

    def _iteration(self, op: scf.ForOp, unit: Index) -> None:
        """Emit one unit of a loop."""
        count, work = _units(op), _work(op.body)
        number = self._nest.div(unit, count)
        index = self._nest.add(number, self._into.index(op.lb))
        self._into.values[op.body.block.args[0]] = self._nest.value(index)
        self._into.bind(op.body)
        if count == 1:
            for each in work:
                self._into.whole(each)
            return
        rest, start = self._nest.sub(unit, self._nest.mul(number, count)), 0
        if len(work) == 1 and isinstance(work[0], scf.ForOp):
            self._iteration(work[0], rest)
            return
        for each in work:
            units = _trips(each) * _units(each) if isinstance(each, scf.ForOp) else 1
            low = self._nest.sub(self._nest.greatest([rest, start]), start)
            high = self._nest.sub(self._nest.least([self._nest.add(rest, 1), start + units]), start)
            self._part(each, low, high)
            start += units


def _chains(kernel: func.FuncOp, instructions: int) -> dict[scf.ForOp, list[scf.ForOp]]:
    """
    Return the chains of loops, outermost first, in whose innermost ones instructions of transfers are issued.

    Each of the function's loops begins one, but for those of much less work than another.
    """
    loops = [op for op in _work(kernel.body) if isinstance(op, scf.ForOp) and _trips(op)]
    works = {op: _trips(op) * _instructions(op) for op in loops}
    chains = {op: [op] for op in loops if 2 * works[op] >= max(works.values())}
    while _slots(chains) * _BURST < instructions and any([_deepen(chain) for chain in chains.values()]):
        pass
    return chains


def _slots(chains: Mapping[scf.ForOp, Sequence[scf.ForOp]]) -> int:
    return sum(prod(map(_trips, chain)) for chain in chains.values())


def _deepen(chain: list[scf.ForOp]) -> bool:
    """Append the loop of most work inside of a chain, and return whether there is one."""
    loops = [op for op in _work(chain[-1].body) if isinstance(op, scf.ForOp) and _trips(op)]
    chain += sorted(loops, key=lambda op: _trips(op) * _instructions(op))[-1:]
    return bool(loops)


def interleave(name: str, kernel: func.FuncOp, transfers: Sequence[func.FuncOp]) -> func.FuncOp | None:
    """
    Build a function that issues the instructions of a kernel, and between them those of transfers.

    It takes the operands of the kernel, and for each transfer a condition, whether it takes place, and its operands.
    None for a kernel without loops of constant bounds.
    """
    if not _chains(kernel, 1):
        return None
    types = list(kernel.function_type.inputs)
    for each in transfers:
        types += [i1, *each.function_type.inputs]
    block = Block(arg_types=types)
    arguments = list(block.args)
    made = _Interleaving(kernel)
    for old in kernel.body.block.args:
        made.values[old] = arguments.pop(0)
    parts: list[_Transfer] = []
    for each in transfers:
        condition = arguments.pop(0)
        for old in each.body.block.args:
            made.values[old] = arguments.pop(0)
        parts.append(_Transfer(made, each, condition))
    chains = _chains(kernel, max(each.most for each in parts))
    slots, start = _slots(chains), 0
    made.bind(kernel.body)
    for each in parts:
        each.begin()
    for op in _work(kernel.body):
        if isinstance(op, scf.ForOp) and op in chains:
            _kernel(made, chains[op], parts, 0, start, slots)
            start += prod(map(_trips, chains[op]))
        else:
            made.whole(op)
    ops = made.nest.take()
    block.add_ops(ops)
    made.constants.place(block)
    block.add_op(func.ReturnOp())
    result = func.FuncOp(name, FunctionType.from_lists(types, []), Region(block), visibility="private")
    result.attributes |= dict(kernel.attributes)
    result.location = kernel.location
    return result


def _kernel(
    made: _Interleaving, chain: Sequence[scf.ForOp], parts: Sequence[_Transfer], number: Index, start: int, slots: int
) -> None:
    """Emit the loops of a chain, and in the innermost one, at its end, parts of transfers: slots from `start` on."""
    loop, *inner = chain
    index = made.loop(loop, made.index(loop.lb), made.index(loop.ub))
    made.values[loop.body.block.args[0]] = index
    number = made.nest.add(made.nest.mul(number, _trips(loop)), made.nest.sub(index, made.index(loop.lb)))
    made.bind(loop.body)
    for op in _work(loop.body):
        if inner and op is inner[0]:
            _kernel(made, inner, parts, number, start, slots)
        else:
            made.whole(op)
    if not inner:
        for part in parts:
            part.slice(made.nest.add(number, start), slots)
    made.nest.close()
