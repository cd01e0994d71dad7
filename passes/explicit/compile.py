"""
Compilation of control flow to Python: a function of the explicit level becomes code that walks its steps.

    for v3 in range(0, 4, 1):
        v4 = v3 * 16
        v5 = h2(v1, v4, v2)

Index arithmetic is evaluated, data are not: data-dependent values are unknown. Each other op is an event, whose
handler a client (`client.py`) gives. Code with an event that may block is a generator.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from ...dialects.core.analysis.arithmetic import evaluator, integer_of
from ...dialects.core.effect_traits import Blocks, Box, DeclaredRange, Effect
from ...dialects.core.effects import Effects
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import TokenType
from .client import Client, Handler
from .events import Event, asynchronous, event_of, lasting, touches_memory, values_of

_INFIX: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    int.__and__: "&",
    int.__or__: "|",
    int.__xor__: "^",
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


class Compiled(NamedTuple):
    """Walk of a function by its arguments, which returns its known results; a generator where it `blocks`."""

    walk: Callable[..., Any]
    returned: tuple[int, ...]
    blocks: bool


@dataclass
class _Code:
    """Python code of a function."""

    client: Client
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
    loops: int = 0
    """The loops around."""
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


def compile_function(
    function: func.FuncOp, known: Collection[int], client: Client, *, by_data: bool = False
) -> Compiled:
    """
    Compile the walk of a function for a client.

    Arguments that are not `known`, by their indices, are data. With `by_data` the function may be called never, once or
    often. Raises the client's error where transfers depend on data, and for ops that it does not support.
    """
    code = _Code(client, by_data=by_data)
    block = function.body.block
    if by_data:
        _refuse_asynchronous(code, function, [function.body], "a call depends on data", f"call of '{_name(function)}'")
    arguments = [code.bind(arg) if index in known else f"_{index}" for index, arg in enumerate(block.args)]
    _block(code, block, 1)
    results = _yielded(block)
    returned = tuple(index for index, value in enumerate(results) if value in code.names)
    found = "".join(f"{code.names[results[index]]}, " for index in returned)
    text = [f"def walk({', '.join(arguments)}):", *_enter(code), *code.lines, f"    return ({found})"]
    try:
        exec(compile("\n".join(text), f"<{_name(function)}>", "exec"), code.space)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise client.refuse(function, "the loops nest too deep to be walked through", str(error)) from error
    return Compiled(code.space.pop("walk"), returned, code.blocks)


def _name(function: func.FuncOp) -> str:
    return function.sym_name.data


def _enter(code: _Code) -> list[str]:
    """Return the first lines of a function: those that get the list of the loops around."""
    if code.client.steps is None:
        return []
    code.space["client"] = code.client
    return ["    s = client.steps"]


def _block(code: _Code, block: Block, depth: int) -> None:
    """Append the ops of a block but its terminator; at least one line."""
    code.add(depth, "pass")
    for op in block.ops:
        _LINES.get(type(op), _plain)(code, op, depth)


def _constant(code: _Code, op: arith.ConstantOp, depth: int) -> None:
    if (number := integer_of(op.result)) is not None:
        code.fix(op.result, number)


def _while(code: _Code, op: scf.WhileOp, depth: int) -> None:
    _by_data(code, op, depth, "how often memory is touched depends on data", "its condition")


def _plain(code: _Code, op: Operation, depth: int) -> None:
    """Append index arithmetic or an event."""
    compute = evaluator(op)
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


def _ranged(code: _Code, op: Operation, compute: Callable[..., Any], depth: int) -> None:
    """Append arithmetic on indices of a declared range; other results depend on data."""
    operands = [code.names.get(value) or code.ranged.get(value) for value in op.operands]
    if isinstance(op, arith.IndexCastOp) and operands[0] is not None:
        code.ranged[op.result] = operands[0]
    elif compute in _OF_RANGES and None not in operands:
        name = code.ranged.setdefault(op.results[0], f"g{len(code.ranged)}")
        code.add(depth, f"{name} = {_expression(code, compute, [each for each in operands if each])}")
    else:
        _data(code, op)


def _expression(code: _Code, compute: Callable[..., Any], operands: Sequence[str]) -> str:
    if compute in _INFIX:
        return f" {_INFIX[compute]} ".join(operands)
    return f"{code.handler(compute)}({', '.join(operands)})"


def _data(code: _Code, op: Operation) -> None:
    """Set the results of an op that depend on data to the number that a client takes for them."""
    number = code.client.unknown(op)
    if number is not None:
        for result in op.results:
            code.fix(result, number)


# Events


def _silent(code: _Code, op: Operation, depth: int) -> None:
    if not op.has_trait(IsTerminator):
        _data(code, op)


def _nothing(code: _Code, op: Operation, depth: int) -> None:
    code.add(depth, f"{code.bind(op.results[0])} = None")


def _get_global(code: _Code, op: Operation, depth: int) -> None:
    _memory(code, op, code.client.get_global(op), (), depth)


def _alloc(code: _Code, op: Operation, depth: int) -> None:
    _memory(code, op, code.client.alloc(op), op.operands, depth)


def _view(code: _Code, op: Operation, depth: int) -> None:
    _memory(code, op, code.client.view(op), () if isinstance(op, memref.SubviewOp) else op.operands, depth)


def _memory(code: _Code, op: Operation, handler: Handler, needed: Collection[SSAValue], depth: int) -> None:
    """Append the call of a handler that gives memory, or fold it; the `needed` indices must not depend on data."""
    if code.client.folds:
        names = [code.names.get(value) for value in op.operands]
        if all(name in code.constants for name in names):
            value = handler(*(code.constants[cast(str, name)] for name in names))
            code.names[op.results[0]] = name = code.handler(value)
            code.constants[name] = value
            return
    _append(code, op, handler, _operands(code, op, op.operands, needed), depth)


def _access(code: _Code, op: Operation, effects: Effects, depth: int) -> None:
    until = lasting(op, effects)
    needed = [value for each in until if each.region is not None for value in each.region.offsets]
    indices = {value for each in _regions(effects) for value in each.offsets if isinstance(value, SSAValue)}
    ranged = {value: name for value, name in code.ranged.items() if value in indices} if code.ranged else {}
    operands = _operands(code, op, values_of(op), [v for v in needed if isinstance(v, SSAValue)], ranged)
    _append(code, op, code.client.access(op, effects), operands, depth)
    if op.has_trait(DeclaredRange):
        _declared_range(code, op)
    elif op.results and not until:
        _data(code, op)


def _regions(effects: Effects) -> list[Box]:
    """Return the regions that an access touches."""
    found = (each.region for each in effects.instances if isinstance(each, Effect))
    return [region for region in found if region is not None]


def _declared_range(code: _Code, op: Operation) -> None:
    """Set the result of an op to the value that a client takes for its range."""
    value = code.client.ranged(op, *DeclaredRange.of(op))
    if value is None:
        _data(code, op)
        return
    code.space[code.ranged.setdefault(op.results[0], f"g{len(code.ranged)}")] = value


def _wait(code: _Code, op: Operation, depth: int) -> None:
    _append(code, op, code.client.wait(op), _operands(code, op, op.operands), depth)


def _launch(code: _Code, op: Operation, depth: int) -> None:
    """Append a launch: its accesses, then its in-flight state."""
    begin, end = map(code.handler, code.client.launch(op))
    code.add(depth, f"{begin}()")
    for inner in op.regions[0].block.ops:
        _plain(code, inner, depth)
    code.add(depth, f"{code.bind(op.results[0])} = {end}()")


def _call(code: _Code, op: func.CallOp, depth: int) -> None:
    known = [index for index, value in enumerate(op.operands) if value in code.names]
    call = code.client.call(op, known, by_data=code.by_data)
    text = f"{'yield from ' if call.blocks else ''}{code.handler(call.handler)}({_operands(code, op, op.operands)})"
    code.blocks |= call.blocks
    results = "".join(f"{code.bind(op.results[index])}, " for index in call.returned)
    code.add(depth, f"{results}= {text}" if results else text)


def _signal(code: _Code, op: Operation, depth: int) -> None:
    """Append an event between programs; its results are known."""
    operands = [code.names.get(operand, "None") for operand in op.operands]
    waits = "yield from " if op.has_trait(Blocks) else ""
    code.blocks |= bool(waits)
    text = f"{waits}{code.handler(code.client.signal(op))}({', '.join(operands)})"
    code.add(depth, f"{code.bind(op.results[0])} = {text}" if op.results else text)


def _programs(code: _Code, op: Operation, depth: int) -> None:
    """Append concurrent programs, each a generator function of the list of the loops around and its coordinates."""
    names, around = list[str](), code.blocks
    for program in op.regions[0].block.ops:
        if program.has_trait(IsTerminator):
            continue
        names.append(f"p{len(code.space)}_{len(code.lines)}")
        block = program.regions[0].block
        code.add(depth, f"def {', '.join([f'{names[-1]}(s', *map(code.bind, block.args)])}):")
        _block(code, block, depth + 1)
        code.add(depth + 1, "if False: yield")
    code.blocks = around
    code.add(depth, f"{code.handler(code.client.programs(op))}({', '.join(names)})")


def _unknown(code: _Code, op: Operation, depth: int) -> None:
    message = f"what '{op.name}' does to memory is not known"
    raise code.client.refuse(op, message, f"operand 0 of '{op.name}'")


_EVENTS: dict[Event, Callable[[_Code, Any, int], None]] = {
    Event.GET_GLOBAL: _get_global,
    Event.ALLOC: _alloc,
    Event.VIEW: _view,
    Event.WAIT: _wait,
    Event.NOTHING: _nothing,
    Event.LAUNCH: _launch,
    Event.CALL: _call,
    Event.SIGNAL: _signal,
    Event.PROGRAMS: _programs,
    Event.SILENT: _silent,
    Event.UNKNOWN: _unknown,
}


def _append(code: _Code, op: Operation, handler: Handler, operands: str, depth: int) -> None:
    text = f"{code.handler(handler)}({operands})"
    kept = [result for result in op.results if isinstance(result.type, MemRefType | TokenType)]
    code.add(depth, f"{code.bind(kept[0])} = {text}" if kept else text)


def _operands(
    code: _Code,
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


# Control flow


def _yielded(block: Block) -> Sequence[SSAValue]:
    return block.last_op.operands if block.last_op is not None else ()


def _for(code: _Code, op: scf.ForOp, depth: int) -> None:
    bounds = [op.lb, op.ub, op.step]
    if any(value not in code.names for value in bounds):
        _by_data(code, op, depth, "the bounds of a loop depend on data", "its bounds")
        return
    start = len(code.lines)
    carried = [index for index, value in enumerate(op.iter_args) if value in code.names]
    while True:
        known = dict(code.names)
        lost = _loop(code, op, depth, carried)
        if not lost:
            return
        del code.lines[start:]
        code.names = known
        carried = [index for index in carried if index not in lost]


def _loop(code: _Code, op: scf.ForOp, depth: int, carried: Sequence[int]) -> list[int]:
    """Append a loop that carries these values; returns those of them that it yields without knowing them."""
    block = op.body.block
    repetition = code.client.repeat(op) if code.loops > 0 and not code.by_data else None
    outer = _outer_values(code, op) if repetition is not None else []
    low, high, step = (code.names[value] for value in (op.lb, op.ub, op.step))
    if repetition is not None:
        values = "".join(f"{name}, " for name in outer)
        code.add(depth, f"again = {code.handler(repetition.replay)}(({values}))")
        code.add(depth, "if again is None:")
        depth += 1
    code.loops += 1
    inside = [code.bind(block.args[1 + i]) for i in carried]
    for name, i in zip(inside, carried, strict=True):
        code.add(depth, f"{name} = {code.names[op.iter_args[i]]}")
    _range(code, block.args[0], (low, high, step), depth)
    _block(code, block, depth + 1)
    values = _yielded(block)
    lost = [i for i in carried if values[i] not in code.names]
    if carried and not lost:
        code.add(depth + 1, f"{', '.join(inside)}, = {', '.join(code.names[values[i]] for i in carried)},")
    _leave(code, depth)
    code.loops -= 1
    results = [code.bind(op.results[i]) for i in carried]
    for name, result in zip(inside, results, strict=True):
        code.add(depth, f"{result} = {name}")
    if repetition is not None:
        left = "".join(f"{result}, " for result in results)
        code.add(depth, f"{code.handler(repetition.end)}(({left}))")
        if results:
            code.add(depth - 1, "else:")
            code.add(depth, f"{left}= again")
    return lost


def _range(code: _Code, index: SSAValue, bounds: Sequence[str], depth: int) -> None:
    """Append the head of a loop."""
    name = code.bind(index)
    shown = index.name_hint or name
    if code.client.steps is not None:
        code.add(depth, f"s.append(('{shown}', {bounds[0]}))")
    code.add(depth, f"for {name} in range({', '.join(bounds)}):")
    if code.client.steps is not None:
        code.add(depth + 1, f"s[-1] = ('{shown}', {name})")


def _leave(code: _Code, depth: int) -> None:
    if code.client.steps is not None:
        code.add(depth, "s.pop()")


def _outer_values(code: _Code, op: scf.ForOp) -> list[str]:
    """Return the names of the values from outside of a loop that it uses, but constants."""
    inside: set[SSAValue] = set(op.body.block.args)
    used: dict[SSAValue, None] = {}
    for inner in nested_ops(op):
        inside.update(inner.results)
        inside.update(value for region in inner.regions for block in region.blocks for value in block.args)
        used.update(dict.fromkeys(inner.operands))
    outer = [code.names.get(value) or code.ranged.get(value) for value in used if value not in inside]
    return [name for name in outer if name and name not in code.constants and name not in code.space]


def _by_data(
    code: _Code, op: scf.ForOp | scf.IfOp | scf.WhileOp, depth: int, message: str, counterexample: str
) -> None:
    """
    Append an op with data-dependent control flow: all paths are walked and joined.

    Raises the client's error for transfers, grids, or calls with such ops in it.
    """
    if not touches_memory(op):
        _data(code, op)
        return
    _refuse_asynchronous(code, op, op.regions, message, counterexample)
    around, code.by_data = code.by_data, True
    begin, exchange, join, end = map(code.handler, code.client.branch(op))
    blocks = [region.block for region in op.regions if region.blocks]
    if isinstance(op, scf.WhileOp):
        _block(code, blocks.pop(0), depth)
        blocks.append(op.before_region.block)
    code.add(depth, f"{begin}()")
    if isinstance(op, scf.IfOp):
        _block(code, blocks[0], depth)
        code.add(depth, f"{exchange}()")
        for block in blocks[1:]:
            _block(code, block, depth)
        code.add(depth, f"{join}()")
    else:
        code.add(depth, "for _ in range(2):")
        for block in blocks:
            _block(code, block, depth + 1)
        code.add(depth + 1, f"{join}()")
    code.add(depth, f"{end}()")
    code.by_data = around


def _refuse_asynchronous(
    code: _Code, op: Operation, regions: Sequence[Region], message: str, counterexample: str
) -> None:
    """Raise the client's error for transfers, grids, or ops with unknown effects under data-dependent control flow."""
    for _ in asynchronous(regions, code.client.effects):
        raise code.client.refuse(op, message, counterexample)


def _parallel(code: _Code, op: scf.ParallelOp, depth: int) -> None:
    """Append a parallel loop; its reductions are data."""
    bounds = [*op.lowerBound, *op.upperBound, *op.step]
    if any(value not in code.names for value in bounds):
        if touches_memory(op):
            raise code.client.refuse(op, "the bounds of a loop depend on data", "its bounds")
        return
    rank = len(op.lowerBound)
    fork, iteration, join = map(code.handler, code.client.parallel(op))
    code.add(depth, f"{fork}()")
    for axis, index in enumerate(op.body.block.args):
        _range(code, index, [code.names[bounds[axis + group * rank]] for group in range(3)], depth + axis)
    code.add(depth + rank, f"{iteration}()")
    _block(code, op.body.block, depth + rank)
    for axis in reversed(range(rank)):
        _leave(code, depth + axis)
    code.add(depth, f"{join}()")


def _if(code: _Code, op: scf.IfOp, depth: int) -> None:
    if op.cond not in code.names:
        _by_data(code, op, depth, "whether memory is touched depends on data", "its condition")
        return
    sides = [region.block for region in op.regions if region.blocks]
    results: list[str] = []
    known = dict(code.names)
    for keyword, block in zip((f"if {code.names[op.cond]}:", "else:"), sides, strict=False):
        code.add(depth, keyword)
        _block(code, block, depth + 1)
        values = _yielded(block)
        for index, value in enumerate(values):
            if value in code.names:
                results.append(f"r{len(known)}_{index}")
                code.add(depth + 1, f"{results[-1]} = {code.names[value]}")
    for index, result in enumerate(op.results):
        name = f"r{len(known)}_{index}"
        if results.count(name) == len(sides):
            code.add(depth, f"{code.bind(result)} = {name}")


_LINES: dict[type[Operation], Callable[[_Code, Any, int], None]] = {
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.ParallelOp: _parallel,
    scf.WhileOp: _while,
    arith.ConstantOp: _constant,
}
"""Op class -> the function that appends its lines; others are index arithmetic or an event."""
