"""Rules of the interpreter for instructions: their one semantics, on the operands of the op and of the call in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from xdsl.ir import Operation

from ....errors import Diagnostic
from ....ir import Array, where
from ..semantics import C_RULES, C_SCALAR_RULES, RULES, SCALAR_RULES, Runner, Value
from .flat import Flat, flat_from
from .op import InstructionOp
from .record import Instruction
from .signature import Buffer, Extent, Kind, Parameter, Stride

_T = TypeVar("_T")


def register_rules(made: Instruction) -> None:
    """Register the rules of the op on memrefs and scalars, and of the call in C on flat arrays."""

    def on_scalars(op: InstructionOp, *operands: Value) -> Array:
        return made.run({}, made.scalars(operands) | op.properties_of(), {})

    def on_scalars_in_c(op: Operation, *operands: Value) -> Array:
        return made.run({}, made.scalars_in_c(operands), {})

    def on_memrefs(runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
        return located(op, lambda: _run(made, runner, op, operands))

    def in_c(runner: Runner, op: Operation, *operands: Value) -> list[Value]:
        return located(op, lambda: _run_c(made, runner, op, operands))

    if made.is_scalar:
        SCALAR_RULES[made.op], C_SCALAR_RULES[made.c] = on_scalars, on_scalars_in_c
    else:
        RULES[made.op], C_RULES[made.c] = on_memrefs, in_c


def located(op: Operation, run: Callable[[], list[Value]]) -> list[Value]:
    """Return the results of an execution; a Diagnostic of it names the op's location."""
    try:
        return run()
    except Diagnostic as error:
        error.where = error.where or where(op)
        raise


def _run(made: Instruction, runner: Runner, op: InstructionOp, operands: Sequence[Value]) -> list[Value]:
    arrays, flat, numbers = dict[str, Array](), dict[str, Flat[Any]](), dict[str, Any]()
    values = iter(operands)
    for each, detail in runner.cached(op, _plan):
        if isinstance(each.kind, Buffer):
            arrays[each.name] = array = next(values)
            flat[each.name] = flat_from(array, [int(next(values)) for _ in range(detail)])
        elif each.kind is Kind.SCALAR:
            numbers[each.name] = next(values)
        elif each.kind is Kind.SIZE:
            numbers[each.name] = int(next(values))
        elif isinstance(each.kind, Stride):
            array, (axis, times) = arrays[each.kind.buffer], detail
            numbers[each.name] = array.strides[axis] // array.itemsize * times if times else 0
        elif isinstance(each.kind, Extent):
            numbers[each.name] = arrays[each.kind.buffer].shape[each.kind.axis]
        else:
            numbers[each.name] = detail
    return _results(made, made.run(flat, numbers, _states(made, runner, op)))


def _plan(op: InstructionOp) -> list[tuple[Parameter, Any]]:
    """Return the parameters, buffers first, with indices for buffers and static values for others."""
    operands, held = op.operands_of(), op.properties_of()
    details: list[tuple[Parameter, Any]] = []
    for each in op.INSTRUCTION.c_parameters:
        is_buffer, is_stride = isinstance(each.kind, Buffer), isinstance(each.kind, Stride)
        indices = len(operands[each.name][1]) if is_buffer else None
        details.append((each, indices if is_buffer else op.step_of(each.name) if is_stride else held.get(each.name)))
    return sorted(details, key=lambda detail: isinstance(detail[0].kind, Stride | Extent))


def _run_c(made: Instruction, runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Value]:
    flat, numbers = dict[str, Flat[Any]](), dict[str, Any]()
    for each, value in zip(made.c_parameters, operands, strict=True):
        if isinstance(each.kind, Buffer):
            flat[each.name] = value.reshape(-1).view(Flat)
        else:
            numbers[each.name] = value if each.kind is Kind.SCALAR else int(value)
    return _results(made, made.run(flat, numbers, _states(made, runner, op)))


def _results(made: Instruction, value: Value) -> list[Value]:
    return [] if made.result is None else [value]


def _states(made: Instruction, runner: Runner, op: Operation) -> dict[str, Any]:
    return {each.name: state_of(runner, op, each.element) for each in made.states}


def state_of(runner: Runner, op: Operation, state: type[_T]) -> _T:
    """Return the object of a class that a run has; `op` is any op of its program."""
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    return runner.cached(top, _maker(state))


@cache
def _maker(state: Any) -> Callable[[Operation], Any]:
    made: Callable[[Operation], Any] | None = getattr(state, "of_program", None)
    return made if made is not None else lambda _: state()
