"""Rules of the interpreter for instructions: their one semantics, on the operands of the op and of the call in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from ....errors import Diagnostic
from ....ir import Array, where
from ..queues import Queues, Work
from ..semantics import C_RULES, C_SCALAR_RULES, RULES, SCALAR_RULES, WORK_RULES, Runner, Value
from .configuration import Configuration
from .configured import Configured
from .definition import Instruction
from .flat import Flat, flat_from
from .op import InstructionOp, shape_name
from .region import Region
from .signature import Buffer, ElementSize, Extent, Kind, Parameter, Stride, maker_of

_T = TypeVar("_T")


def register_rules(made: Instruction) -> None:
    """Register the rules of the op on memrefs and scalars, and of the call in C on flat arrays."""

    def on_scalars(op: InstructionOp, *operands: Value) -> Array:
        return made.run({}, made.scalars(operands) | op.properties_of(), {})

    def on_scalars_in_c(op: Operation, *operands: Value) -> Array:
        return made.run({}, made.scalars_in_c(operands), {})

    def on_memrefs(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
        return located(op, lambda: _run(made, runner, op, operands))

    def work(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> Work:
        return _work(made, runner, op, operands)

    def on_queue(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
        return located(op, lambda: _issue(runner, op, work(runner, op, operands)))

    def in_c(runner: Runner, op: Operation, *operands: Value) -> list[Value]:
        return located(op, lambda: _run_c(made, runner, op, operands))

    if made.is_scalar:
        SCALAR_RULES[made.op], C_SCALAR_RULES[made.c] = on_scalars, on_scalars_in_c
        return
    if made.queue:
        WORK_RULES[made.op] = work
    RULES[made.op], C_RULES[made.c] = on_queue if made.queue else on_memrefs, in_c


def located(op: Operation, run: Callable[[], list[Value]]) -> list[Value]:
    """Return the results of an execution; a Diagnostic of it names the op's location."""
    try:
        return run()
    except Diagnostic as error:
        error.where = error.where or where(op)
        raise


class _Bound(NamedTuple):
    """Operands of an op in a run: buffers with the indices of their first elements, and numbers."""

    arrays: dict[str, Array]
    indices: dict[str, list[int]]
    numbers: dict[str, Any]

    def flat(self, name: str) -> Flat[Any]:
        """Return a buffer from its first element on."""
        return flat_from(self.arrays[name], self.indices[name])

    def region(self, op: InstructionOp, name: str, configurations: Mapping[str, Configuration]) -> Region:
        """
        Return the region of a buffer that the op's record declares, with the configuration of its queue.

        Raises Diagnostic where it is out of bounds.
        """
        array, begin = self.arrays[name], self.indices[name]
        shapes = {shape_name(each): array.shape for each, array in self.arrays.items()}
        axes = op.INSTRUCTION.axes_of(name, array.ndim, {**self.numbers, **shapes, **configurations})
        if axes.steps is not None:
            return Region.of(self.flat(name), axes.counts, axes.steps)
        ends = [at + extent for at, extent in zip(begin or [0] * array.ndim, axes.counts, strict=True)]
        if any(end > extent for end, extent in zip(ends, array.shape, strict=True)):
            raise Diagnostic(
                f"'{op.name}' accesses a region that is out of bounds of '{name}'",
                expected=f"a region inside of the shape {list(array.shape)}",
                found=f"elements {begin} to {[end - 1 for end in ends]}",
            )
        return Region.of(self.flat(name), axes.counts, [step // array.itemsize for step in array.strides])


def _bound(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> _Bound:
    arrays, indices, numbers = dict[str, Array](), dict[str, list[int]](), dict[str, Any]()
    values = iter(operands)
    for each, detail in runner.cached(op, _plan):
        if isinstance(each.kind, Buffer):
            arrays[each.name] = next(values)
            indices[each.name] = [int(next(values)) for _ in range(detail)]
        elif each.kind is Kind.SCALAR:
            numbers[each.name] = next(values)
        elif each.kind is Kind.SIZE:
            numbers[each.name] = int(next(values))
        elif isinstance(each.kind, Stride):
            array, (axis, times) = arrays[each.kind.buffer], detail
            numbers[each.name] = array.strides[axis] // array.itemsize * times if times else 0
        elif isinstance(each.kind, Extent):
            numbers[each.name] = arrays[each.kind.buffer].shape[each.kind.axis]
        elif isinstance(each.kind, ElementSize):
            numbers[each.name] = arrays[each.kind.buffer].itemsize
        else:
            numbers[each.name] = detail
    return _Bound(arrays, indices, numbers)


def _run(made: Instruction, runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
    if made.awaits is not None:
        state_of(runner, op, Queues).fence(made.awaits, runner.interleaving)
    bound = _bound(runner, op, operands)
    regions = {name: bound.region(op, name, {}) for name in made.regions}
    flat = {name: regions[name].flat if name in regions else bound.flat(name) for name in bound.arrays}
    return _results(made, made.run(flat, bound.numbers, _states(made, runner, op)))


def _work(made: Instruction, runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> Work:
    """
    Return the work of an op on its queue. Configurations are those at its issue, since its queue executes in order.

    One that configures is executed here.
    """
    bound, configured = _bound(runner, op, operands), state_of(runner, op, Configured)
    if made.configures:
        flat = {name: bound.flat(name) for name in made.buffers}
        configured.configure(made, lambda changed: made.run(flat, bound.numbers, changed))
        return Work(op, made.queue, [], [], lambda: [])
    configurations = configured.of(made)
    states = {**_states(made, runner, op), **configurations}
    regions = {name: bound.region(op, name, configurations) for name in made.regions}
    read, written = ([name for name in regions if getattr(made.buffers[name], side)] for side in ("reads", "writes"))
    if any(not bound.arrays[name].flags.writeable for name in written):
        raise Diagnostic(f"'{op.name}' writes to constant memory")

    def compute() -> list[Array]:
        """Run the semantics on copies of the regions."""
        copies = {name: region.copy() for name, region in regions.items()}
        flat = {name: copies[name].flat if name in copies else bound.flat(name) for name in made.buffers}
        located(op, lambda: _results(made, made.run(flat, bound.numbers, states)))
        return [copies[name].array for name in written]

    levels = runner.cached(op, _levels)
    reads, writes = ([(regions[name].array, levels[name]) for name in names] for names in (read, written))
    return Work(op, made.queue, reads, writes, compute)


def _levels(op: InstructionOp) -> dict[str, str | None]:
    """Return the level of each buffer, None for that of programs."""
    spaces = {name: getattr(op, name).type.memory_space for name in op.INSTRUCTION.buffers}
    return {name: space.data if isinstance(space, StringAttr) else None for name, space in spaces.items()}


def _plan(op: InstructionOp) -> list[tuple[Parameter, Any]]:
    """Return the parameters, buffers first, with indices for buffers and static values for others."""
    operands, held = op.operands_of(), op.properties_of()
    details: list[tuple[Parameter, Any]] = []
    for each in op.INSTRUCTION.c_parameters:
        is_buffer, is_stride = isinstance(each.kind, Buffer), isinstance(each.kind, Stride)
        indices = len(operands[each.name][1]) if is_buffer else None
        details.append((each, indices if is_buffer else op.step_of(each.name) if is_stride else held.get(each.name)))
    return sorted(details, key=lambda detail: isinstance(detail[0].kind, Stride | Extent | ElementSize))


def _issue(runner: Runner, op: InstructionOp, work: Work) -> list[Value]:
    state_of(runner, op, Queues).issue(work, runner.interleaving)
    return []


def _run_c(made: Instruction, runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Value]:
    flat, numbers = dict[str, Flat[Any]](), dict[str, Any]()
    values = iter(operands)
    for each in made.c_parameters:
        value = next(values)
        if isinstance(each.kind, Buffer):
            offset = int(next(values)) if each.kind.has_offset else 0
            flat[each.name] = value.reshape(-1)[offset:].view(Flat)
        else:
            numbers[each.name] = value if each.kind is Kind.SCALAR else int(value)
    configured = state_of(runner, op, Configured)
    if made.configures:
        configured.configure(made, lambda changed: made.run(flat, numbers, changed))
        return []
    return _results(made, made.run(flat, numbers, {**_states(made, runner, op), **configured.of(made)}))


def _results(made: Instruction, value: Value) -> list[Value]:
    return [] if made.result is None else [value]


def _states(made: Instruction, runner: Runner, op: Operation) -> dict[str, Any]:
    return {each.name: state_of(runner, op, each.element) for each in made.states if each not in made.configurations}


def state_of(runner: Runner, op: Operation, state: type[_T]) -> _T:
    """Return the object of a class that a run has; `op` is any op of its program."""
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    return runner.cached(top, maker_of(state))
