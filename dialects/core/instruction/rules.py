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


def register_rules(record: Instruction) -> None:
    """Register the rules of the op on memrefs and scalars, and of the call in C on flat arrays."""

    def on_scalars(op: InstructionOp, *operands: Value) -> Array:
        return record.run({}, record.scalars(operands) | op.properties_of(), {})

    def on_scalars_in_c(op: Operation, *operands: Value) -> Array:
        return record.run({}, record.scalars_in_c(operands), {})

    def on_memrefs(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
        return located(op, lambda: _run(record, runner, op, operands))

    def work(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> Work:
        return _work(record, runner, op, operands)

    def on_queue(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
        return located(op, lambda: _issue(runner, op, work(runner, op, operands)))

    def in_c(runner: Runner, op: Operation, *operands: Value) -> list[Value]:
        return located(op, lambda: _run_c(record, runner, op, operands))

    if record.is_scalar:
        SCALAR_RULES[record.op], C_SCALAR_RULES[record.c] = on_scalars, on_scalars_in_c
        return
    if record.queue:
        WORK_RULES[record.op] = work
    RULES[record.op], C_RULES[record.c] = on_queue if record.queue else on_memrefs, in_c


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
        shapes = {shape_name(buffer): array.shape for buffer, array in self.arrays.items()}
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
    for parameter, detail in runner.cached(op, _plan):
        if isinstance(parameter.kind, Buffer):
            arrays[parameter.name] = next(values)
            indices[parameter.name] = [int(next(values)) for _ in range(detail)]
        elif parameter.kind is Kind.SCALAR:
            numbers[parameter.name] = next(values)
        elif parameter.kind is Kind.SIZE:
            numbers[parameter.name] = int(next(values))
        elif isinstance(parameter.kind, Stride):
            array, (axis, times) = arrays[parameter.kind.buffer], detail
            numbers[parameter.name] = array.strides[axis] // array.itemsize * times if times else 0
        elif isinstance(parameter.kind, Extent):
            numbers[parameter.name] = arrays[parameter.kind.buffer].shape[parameter.kind.axis]
        elif isinstance(parameter.kind, ElementSize):
            numbers[parameter.name] = arrays[parameter.kind.buffer].itemsize
        else:
            numbers[parameter.name] = detail
    return _Bound(arrays, indices, numbers)


def _run(record: Instruction, runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
    if record.awaits is not None:
        state_of(runner, op, Queues).fence(record.awaits, runner.interleaving)
    bound = _bound(runner, op, operands)
    regions = {name: bound.region(op, name, {}) for name in record.regions}
    flat = {name: regions[name].flat if name in regions else bound.flat(name) for name in bound.arrays}
    return _results(record, record.run(flat, bound.numbers, _states(record, runner, op)))


def _work(record: Instruction, runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> Work:
    """
    Return the work of an op on its queue. Configurations are those at its issue, since its queue executes in order.

    One that configures is executed here.
    """
    bound, configured = _bound(runner, op, operands), state_of(runner, op, Configured)
    if record.configures:
        flat = {name: bound.flat(name) for name in record.buffers}
        configured.configure(record, lambda changed: record.run(flat, bound.numbers, changed))
        return Work(op, record.queue, [], [], lambda: [])
    configurations = configured.of(record)
    states = {**_states(record, runner, op), **configurations}
    regions = {name: bound.region(op, name, configurations) for name in record.regions}
    read = [name for name in regions if record.buffers[name].reads]
    written = [name for name in regions if record.buffers[name].writes]
    if any(not bound.arrays[name].flags.writeable for name in written):
        raise Diagnostic(f"'{op.name}' writes to constant memory")

    def compute() -> list[Array]:
        """Run the semantics on copies of the regions."""
        copies = {name: region.copy() for name, region in regions.items()}
        flat = {name: copies[name].flat if name in copies else bound.flat(name) for name in record.buffers}
        located(op, lambda: _results(record, record.run(flat, bound.numbers, states)))
        return [copies[name].array for name in written]

    levels = runner.cached(op, _levels)
    reads = [(regions[name].array, levels[name]) for name in read]
    writes = [(regions[name].array, levels[name]) for name in written]
    return Work(op, record.queue, reads, writes, compute)


def _levels(op: InstructionOp) -> dict[str, str | None]:
    """Return the level of each buffer, None for that of programs."""
    spaces = {name: getattr(op, name).type.memory_space for name in op.INSTRUCTION.buffers}
    return {name: space.data if isinstance(space, StringAttr) else None for name, space in spaces.items()}


def _plan(op: InstructionOp) -> list[tuple[Parameter, Any]]:
    """Return the parameters, buffers first, with indices for buffers and static values for others."""
    operands, properties = op.operands_of(), op.properties_of()
    details: list[tuple[Parameter, Any]] = []
    for parameter in op.INSTRUCTION.c_parameters:
        is_buffer, is_stride = isinstance(parameter.kind, Buffer), isinstance(parameter.kind, Stride)
        indices = len(operands[parameter.name][1]) if is_buffer else None
        details.append(
            (
                parameter,
                indices if is_buffer else op.step_of(parameter.name) if is_stride else properties.get(parameter.name),
            )
        )
    return sorted(details, key=lambda detail: isinstance(detail[0].kind, Stride | Extent | ElementSize))


def _issue(runner: Runner, op: InstructionOp, work: Work) -> list[Value]:
    state_of(runner, op, Queues).issue(work, runner.interleaving)
    return []


def _run_c(record: Instruction, runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Value]:
    flat, numbers = dict[str, Flat[Any]](), dict[str, Any]()
    values = iter(operands)
    for parameter in record.c_parameters:
        value = next(values)
        if isinstance(parameter.kind, Buffer):
            offset = int(next(values)) if parameter.kind.has_offset else 0
            flat[parameter.name] = value.reshape(-1)[offset:].view(Flat)
        else:
            numbers[parameter.name] = value if parameter.kind is Kind.SCALAR else int(value)
    configured = state_of(runner, op, Configured)
    if record.configures:
        configured.configure(record, lambda changed: record.run(flat, numbers, changed))
        return []
    return _results(record, record.run(flat, numbers, {**_states(record, runner, op), **configured.of(record)}))


def _results(record: Instruction, value: Value) -> list[Value]:
    return [] if record.result is None else [value]


def _states(record: Instruction, runner: Runner, op: Operation) -> dict[str, Any]:
    return {
        state.name: state_of(runner, op, state.element) for state in record.states if state not in record.configurations
    }


def state_of(runner: Runner, op: Operation, state: type[_T]) -> _T:
    """Return the object of a class that a run has; `op` is any op of its program."""
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    return runner.cached(top, maker_of(state))
