"""
Code of steps: index arithmetic, which is evaluated, and events, which are calls of a client's handlers.

        v4 = v3 * 16
        v5 = h2(v1, v4, v2)

Data-dependent values are unknown: they have no name, and None stands for them in calls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.analysis.arithmetic import bitwise_and, bitwise_or, bitwise_xor, evaluator
from ...dialects.core.effect_traits import Blocks, Box, DeclaredRange, Effect
from ...dialects.core.effects import Effects
from ...dialects.hier import TokenType
from ...dialects.hier.sharded import is_sharded
from ...errors import Diagnostic
from ...ir import where
from .client import Handler, WalkClient
from .events import Event, event_of, fence_of, lasting, values_of

_INFIX: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    bitwise_and: "&",
    bitwise_or: "|",
    bitwise_xor: "^",
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}
"""Function of integer arithmetic -> the operator that Python writes it with."""
_OF_RANGES = (operator.add, operator.sub, operator.mul)
"""Arithmetic on indices of a declared range."""


@dataclass
class WalkCode:
    """Python code of a function."""

    client: WalkClient
    append_block: Callable[[WalkCode, Block, int], None]
    """Appends the ops of a block but its terminator."""
    lines: list[str] = field(default_factory=list[str])
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    ranged: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Names of the indices that depend on data in a declared range."""
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    """Literals and folded values, by their names."""
    space: dict[str, Any] = field(default_factory=dict[str, Any])
    """Handlers and functions of integer arithmetic that the code calls, by their names there."""
    by_data: bool = False
    """Control flow by data: the present place may be reached never, once or often."""
    blocks: bool = False
    """An event of the program may block."""

    def bind(self, value: SSAValue) -> str:
        """Return the name of a value."""
        return self.names.setdefault(value, f"v{len(self.names)}")

    def fix(self, value: SSAValue, number: int) -> None:
        """Set a value to a constant."""
        name = f"({number!r})"
        self.names[value] = name
        self.constants[name] = number

    def add(self, depth: int, text: str) -> None:
        """Append a line."""
        self.lines.append("    " * depth + text)

    def handler(self, handler: Any) -> str:
        """Return the name of a handler, or of a folded value."""
        name = f"h{len(self.space)}"
        self.space[name] = handler
        return name


def append_step(code: WalkCode, op: Operation, depth: int) -> None:
    """Append index arithmetic or an event."""
    compute = evaluator(op, unbounded=True)
    if compute is None:
        event, effects = event_of(op, code.client.effects)
        if event is Event.ACCESS:
            _access(code, op, effects, depth)
        else:
            _EVENTS[event](code, op, depth)
        return
    if any(operand not in code.names for operand in op.operands):
        _ranged(code, op, compute, depth)
        return
    operands = [code.names[operand] for operand in op.operands]
    if all(name in code.constants for name in operands):
        try:
            code.fix(op.results[0], compute(*(code.constants[name] for name in operands)))
        except ZeroDivisionError:
            pass
        else:
            return
    code.add(depth, f"{code.bind(op.results[0])} = {_expression(code, compute, operands)}")


def _ranged(code: WalkCode, op: Operation, compute: Callable[..., Any], depth: int) -> None:
    """Append arithmetic on indices of a declared range; other results depend on data."""
    operands = [code.names.get(value) or code.ranged.get(value) for value in op.operands]
    if isinstance(op, arith.IndexCastOp) and operands[0] is not None:
        code.ranged[op.result] = operands[0]
    elif compute in _OF_RANGES and None not in operands:
        name = code.ranged.setdefault(op.results[0], f"g{len(code.ranged)}")
        code.add(depth, f"{name} = {_expression(code, compute, [operand for operand in operands if operand])}")
    else:
        append_data(code, op)


def _expression(code: WalkCode, compute: Callable[..., Any], operands: Sequence[str]) -> str:
    if compute in _INFIX:
        return f" {_INFIX[compute]} ".join(operands)
    return f"{code.handler(compute)}({', '.join(operands)})"


def append_data(code: WalkCode, op: Operation) -> None:
    """Set the results of an op that depend on data to the number that a client takes for them."""
    number = code.client.unknown(op)
    if number is not None:
        for result in op.results:
            code.fix(result, number)


# Events


def _silent(code: WalkCode, op: Operation, depth: int) -> None:
    if not op.has_trait(IsTerminator):
        append_data(code, op)


def _nothing(code: WalkCode, op: Operation, depth: int) -> None:
    code.add(depth, f"{code.bind(op.results[0])} = None")


def _get_global(code: WalkCode, op: Operation, depth: int) -> None:
    _memory(code, op, code.client.get_global(op), (), depth)


def _alloc(code: WalkCode, op: Operation, depth: int) -> None:
    _memory(code, op, code.client.alloc(op), op.operands, depth)


def _view(code: WalkCode, op: Operation, depth: int) -> None:
    _memory(code, op, code.client.view(op), () if isinstance(op, memref.SubviewOp) else op.operands, depth)


def _memory(code: WalkCode, op: Operation, handler: Handler, needed: Collection[SSAValue], depth: int) -> None:
    """Append the call of a handler that gives memory, or fold it; the `needed` indices must not depend on data."""
    if code.client.folds:
        names = [code.names.get(value) for value in op.operands]
        if all(name in code.constants for name in names):
            value = handler(*(code.constants[cast(str, name)] for name in names))
            code.names[op.results[0]] = name = code.handler(value)
            code.constants[name] = value
            return
    _append(code, op, handler, _operands(code, op, op.operands, needed), depth)


def _access(code: WalkCode, op: Operation, effects: Effects, depth: int) -> None:
    if any(is_sharded(value.type) for value in op.operands):
        raise Diagnostic(
            f"'{op.name}' moves the shards of values between instances",
            where=where(op),
            expected="replicated programs, each instance with its own shard (hier.local)",
            remedy="run lower-sharded before",
        )
    until = lasting(op, effects)
    needed = [value for effect in until if effect.region is not None for value in effect.region.offsets]
    indices = {value for box in _regions(effects) for value in box.offsets if isinstance(value, SSAValue)}
    ranged = {value: name for value, name in code.ranged.items() if value in indices} if code.ranged else {}
    operands = _operands(code, op, values_of(op), [v for v in needed if isinstance(v, SSAValue)], ranged)
    _append(code, op, code.client.access(op, effects), operands, depth)
    if op.has_trait(DeclaredRange):
        _declared_range(code, op)
    elif op.results and not until:
        append_data(code, op)


def _regions(effects: Effects) -> list[Box]:
    """Return the regions that an access reads or writes."""
    boxes = (effect.region for effect in effects.instances if isinstance(effect, Effect))
    return [region for region in boxes if region is not None]


def _declared_range(code: WalkCode, op: Operation) -> None:
    """Set the result of an op to the value that a client takes for its range."""
    value = code.client.ranged(op, *DeclaredRange.of(op))
    if value is None:
        append_data(code, op)
        return
    code.space[code.ranged.setdefault(op.results[0], f"g{len(code.ranged)}")] = value


def _wait(code: WalkCode, op: Operation, depth: int) -> None:
    _append(code, op, code.client.wait(op), _operands(code, op, op.operands), depth)


def _fence(code: WalkCode, op: Operation, depth: int) -> None:
    trait = fence_of(type(op))
    assert trait is not None
    _append(code, op, code.client.fence(op, trait.queues), "", depth)


def _launch(code: WalkCode, op: Operation, depth: int) -> None:
    """Append a launch: its accesses, then its in-flight state."""
    begin, end = map(code.handler, code.client.launch(op))
    code.add(depth, f"{begin}()")
    for inner in op.regions[0].block.ops:
        append_step(code, inner, depth)
    code.add(depth, f"{code.bind(op.results[0])} = {end}()")


def _call(code: WalkCode, op: func.CallOp, depth: int) -> None:
    static = [index for index, value in enumerate(op.operands) if value in code.names]
    call = code.client.call(op, static, by_data=code.by_data)
    text = f"{'yield from ' if call.blocks else ''}{code.handler(call.handler)}({_operands(code, op, op.operands)})"
    code.blocks |= call.blocks
    results = "".join(f"{code.bind(op.results[index])}, " for index in call.returned)
    code.add(depth, f"{results}= {text}" if results else text)


def _signal(code: WalkCode, op: Operation, depth: int) -> None:
    """Append an event between programs; its results are known."""
    operands = [code.names.get(operand, "None") for operand in op.operands]
    waits = "yield from " if op.has_trait(Blocks) else ""
    code.blocks |= bool(waits)
    text = f"{waits}{code.handler(code.client.signal(op))}({', '.join(operands)})"
    code.add(depth, f"{code.bind(op.results[0])} = {text}" if op.results else text)


def _programs(code: WalkCode, op: Operation, depth: int) -> None:
    """Append concurrent programs, each a generator function of the list of the loops around and its coordinates."""
    names, around = list[str](), code.blocks
    for program in op.regions[0].block.ops:
        if program.has_trait(IsTerminator):
            continue
        names.append(f"p{len(code.space)}_{len(code.lines)}")
        block = program.regions[0].block
        code.add(depth, f"def {', '.join([f'{names[-1]}(s', *map(code.bind, block.args)])}):")
        code.append_block(code, block, depth + 1)
        code.add(depth + 1, "if False: yield")
    code.blocks = around
    code.add(depth, f"{code.handler(code.client.programs(op))}({', '.join(names)})")


def _unknown(code: WalkCode, op: Operation, depth: int) -> None:
    message = f"what '{op.name}' does to memory is not known"
    raise code.client.refuse(op, message, f"operand 0 of '{op.name}'")


_EVENTS: dict[Event, Callable[[WalkCode, Any, int], None]] = {
    Event.GET_GLOBAL: _get_global,
    Event.ALLOC: _alloc,
    Event.VIEW: _view,
    Event.WAIT: _wait,
    Event.FENCE: _fence,
    Event.NOTHING: _nothing,
    Event.LAUNCH: _launch,
    Event.CALL: _call,
    Event.SIGNAL: _signal,
    Event.PROGRAMS: _programs,
    Event.SILENT: _silent,
    Event.UNKNOWN: _unknown,
}


def _append(code: WalkCode, op: Operation, handler: Handler, operands: str, depth: int) -> None:
    text = f"{code.handler(handler)}({operands})"
    kept = [result for result in op.results if isinstance(result.type, MemRefType | TokenType)]
    code.add(depth, f"{code.bind(kept[0])} = {text}" if kept else text)


def _operands(
    code: WalkCode,
    op: Operation,
    values: Sequence[SSAValue],
    needed: Collection[SSAValue] = (),
    ranged: Mapping[SSAValue, str] = {},
) -> str:
    """Return the operands of a handler; data are None, but indices of a range among the `ranged`."""
    names: list[str] = []
    for index, value in enumerate(values):
        name = code.names.get(value) or ranged.get(value)
        if name is None and (
            isinstance(value.type, MemRefType | TokenType) or (isinstance(value.type, IndexType) and value in needed)
        ):
            message = f"operand {index} of '{op.name}' depends on data"
            raise code.client.refuse(op, message, f"operand {index}")
        names.append(name or "None")
    return ", ".join(names)
