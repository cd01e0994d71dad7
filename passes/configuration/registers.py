"""Configuration registers that an instruction reads or writes, from the semantics of its record."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from typing import Any, NamedTuple, cast, get_type_hints

import numpy as np
from xdsl.ir import Operation, SSAValue

from ...dialects.core.instruction import Configuration, Flat, InstructionOp, Registers
from ...dialects.core.instruction.record import Record
from ...dialects.core.instruction.signature import Kind, maker_of
from ...errors import Diagnostic

_ELEMENTS = 1 << 16
"""Elements of the buffers on which semantics run."""


class Register(NamedTuple):
    """Configuration register: its class, its name there, and its number, None for one without numbers."""

    owner: type[Configuration]
    name: str
    number: int | None = None


class _Numbered(dict[int, int]):
    """Numbered registers of one value, which note each number that is read."""

    def __init__(self, owner: type[Configuration], name: str, value: int, noted: set[Register]):
        super().__init__()
        self._owner, self._name, self._value, self._noted = owner, name, value, noted

    def __getitem__(self, key: int) -> int:
        self._noted.add(Register(self._owner, self._name, int(key)))
        return self._value


class _Traced:
    """Stand-in for a configuration whose registers hold one value, which notes each register that is read."""

    def __init__(self, owner: type[Configuration], value: int, noted: set[Register]):
        self._owner, self._value, self._noted = owner, value, noted
        self._numbered = {name for name, hint in get_type_hints(owner).items() if hint is Registers}

    def __getattr__(self, name: str) -> Any:
        if name in self._numbered:
            return _Numbered(self._owner, name, self._value, self._noted)
        self._noted.add(Register(self._owner, name))
        return self._value


def is_configuration(op: Operation) -> bool:
    """Return whether an op is an instruction that sets configuration registers, and does nothing else."""
    return isinstance(op, InstructionOp) and op.INSTRUCTION.configures


def values_set(op: InstructionOp) -> Mapping[Register, Hashable] | None:
    """
    Return the values that an instruction of `is_configuration` sets, by register.

    None where they depend on data or on what the registers hold before.
    """
    record = op.INSTRUCTION
    try:
        numbers = _numbers(op)
        if any(isinstance(value, SSAValue) for value in numbers.values()):
            return None
        changed = {parameter.name: parameter.element() for parameter in record.configurations}
        record.run(dict.fromkeys(record.buffers, _buffer(0)), numbers, changed)
    except Diagnostic:
        return None
    values: dict[Register, Hashable] = {}
    for configuration in changed.values():
        owner = cast("type[Configuration]", type(configuration))
        for name, value in cast("dict[str, Any]", vars(configuration)).items():
            if isinstance(value, Registers):
                numbered = cast("Mapping[int, Any]", value)
                values |= {Register(owner, name, number): _exact(content) for number, content in numbered.items()}
            else:
                values[Register(owner, name)] = _exact(value)
    return values


def registers_read(op: InstructionOp, registers: Set[Register]) -> Set[Register]:
    """
    Return the registers that an instruction reads, of the known ones.

    All of its configurations, unless the semantics runs to its end on blank buffers where all registers hold one
    number.
    """
    record, noted, has_ended = op.INSTRUCTION, set[Register](), False
    owners = {parameter.element for parameter in record.configurations}
    if not owners or is_configuration(op):
        return frozenset()
    for value in (0, 1):
        has_ended |= _ends(op, record, value, noted)
    return registers & noted if has_ended else frozenset(register for register in registers if register.owner in owners)


def _ends(op: InstructionOp, record: Record, value: int, noted: set[Register]) -> bool:
    """Run the semantics with registers of one value, note those that it reads, and return whether it ends."""
    try:
        numbers = _numbers(op)
        elements = {
            parameter.name: parameter.element for parameter in record.parameters if parameter.kind is Kind.SCALAR
        }
        for name, number in numbers.items():
            if isinstance(number, SSAValue):
                numbers[name] = elements[name](1) if name in elements else 1
        top = cast(Operation, op.get_toplevel_object())
        states = {
            state.name: _Traced(state.element, value, noted)
            if state in record.configurations
            else maker_of(state.element)(top)
            for state in record.states
        }
        record.run({name: _buffer(_ELEMENTS) for name in record.buffers}, numbers, states)
    except Diagnostic:
        return False
    return True


def _numbers(op: InstructionOp) -> dict[str, Any]:
    numbers = op.numbers_at([None] * len(op.operands))
    return {name: value for name, value in numbers.items() if name in op.INSTRUCTION.numbers}


def _buffer(size: int) -> Flat[Any]:
    return cast(Any, np.zeros(size, np.int32).view(Flat))


def _exact(value: Any) -> Hashable:
    """Return a value that is equal where a register holds the same bits."""
    if not isinstance(value, np.generic):
        return value
    number = cast("np.generic[Any]", value)
    return type(number), number.tobytes()
