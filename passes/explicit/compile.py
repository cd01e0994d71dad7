"""
Compilation of control flow to Python: a function of the explicit level becomes code that walks its steps.

    for v3 in range(0, 4, 1):
        v4 = v3 * 16
        v5 = h2(v1, v4, v2)

`steps.py` gives the code of each step. Code with an event that may block is a generator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from xdsl.dialects import arith, func, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ...dialects.core.analysis.arithmetic import integer_of
from .client import WalkClient
from .events import asynchronous, touches_memory
from .steps import WalkCode, append_data, append_step


class Compiled(NamedTuple):
    """Walk of a function by its arguments, which returns its known results; a generator where it `blocks`."""

    walk: Callable[..., Any]
    returned: tuple[int, ...]
    blocks: bool


def compile_function(
    function: func.FuncOp, static: Collection[int], client: WalkClient, *, by_data: bool = False
) -> Compiled:
    """
    Compile the walk of a function for a client.

    Arguments that are not `static`, by index, are data. With `by_data` the function may be called never, once or
    often. Raises the client's error where transfers depend on data, and for ops that it does not support.
    """
    code = WalkCode(client, _block, by_data=by_data)
    block = function.body.block
    if by_data:
        _refuse_asynchronous(code, function, [function.body], "a call depends on data", f"call of '{_name(function)}'")
    arguments = [code.bind(arg) if index in static else f"_{index}" for index, arg in enumerate(block.args)]
    _block(code, block, 1)
    results = _yielded(block)
    returned = tuple(index for index, value in enumerate(results) if value in code.names)
    outputs = "".join(f"{code.names[results[index]]}, " for index in returned)
    text = [f"def walk({', '.join(arguments)}):", *_enter(code), *code.lines, f"    return ({outputs})"]
    try:
        exec(compile("\n".join(text), f"<{_name(function)}>", "exec"), code.space)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise client.refuse(function, "the loops nest too deep to be walked through", str(error)) from error
    return Compiled(code.space.pop("walk"), returned, code.blocks)


def _name(function: func.FuncOp) -> str:
    return function.sym_name.data


def _enter(code: WalkCode) -> list[str]:
    """Return the first lines of a function: those that get the list of the loops around."""
    if code.client.steps is None:
        return []
    code.space["client"] = code.client
    return ["    s = client.steps"]


def _block(code: WalkCode, block: Block, depth: int) -> None:
    """Append the ops of a block but its terminator; at least one line."""
    code.add(depth, "pass")
    for op in block.ops:
        _LINES.get(type(op), append_step)(code, op, depth)


def _constant(code: WalkCode, op: arith.ConstantOp, depth: int) -> None:
    if (number := integer_of(op.result)) is not None:
        code.fix(op.result, number)


def _while(code: WalkCode, op: scf.WhileOp, depth: int) -> None:
    _by_data(code, op, depth, "how often memory is touched depends on data", "its condition")


def _yielded(block: Block) -> Sequence[SSAValue]:
    return block.last_op.operands if block.last_op is not None else ()


def _for(code: WalkCode, op: scf.ForOp, depth: int) -> None:
    bounds = [op.lb, op.ub, op.step]
    if any(value not in code.names for value in bounds):
        _by_data(code, op, depth, "the bounds of a loop depend on data", "its bounds")
        return
    start = len(code.lines)
    carried = [index for index, value in enumerate(op.iter_args) if value in code.names]
    while True:
        saved = dict(code.names)
        lost = _loop(code, op, depth, carried)
        if not lost:
            return
        del code.lines[start:]
        code.names = saved
        carried = [index for index in carried if index not in lost]


def _loop(code: WalkCode, op: scf.ForOp, depth: int, carried: Sequence[int]) -> list[int]:
    """Append a loop that carries these values; returns those of them that it yields without knowing them."""
    block = op.body.block
    inside = [code.bind(block.args[1 + i]) for i in carried]
    for name, i in zip(inside, carried, strict=True):
        code.add(depth, f"{name} = {code.names[op.iter_args[i]]}")
    _range(code, op, block.args[0], [code.names[value] for value in (op.lb, op.ub, op.step)], depth)
    _block(code, block, depth + 1)
    values = _yielded(block)
    lost = [i for i in carried if values[i] not in code.names]
    if carried and not lost:
        code.add(depth + 1, f"{', '.join(inside)}, = {', '.join(code.names[values[i]] for i in carried)},")
    _leave(code, depth)
    for name, i in zip(inside, carried, strict=True):
        code.add(depth, f"{code.bind(op.results[i])} = {name}")
    return lost


def _range(code: WalkCode, op: Operation, index: SSAValue, bounds: Sequence[str], depth: int) -> None:
    """Append the head of a loop."""
    name, (lower, upper, step) = code.bind(index), bounds
    if code.constants.get(step, 0) < 1:
        step = f"{code.handler(_step_of(code.client, op))}({step})"
    shown = index.name_hint or name
    if code.client.steps is not None:
        code.add(depth, f"s.append(('{shown}', {lower}))")
    code.add(depth, f"for {name} in range({lower}, {upper}, {step}):")
    if code.client.steps is not None:
        code.add(depth + 1, f"s[-1] = ('{shown}', {name})")


def _step_of(client: WalkClient, op: Operation) -> Callable[[int], int]:
    """Return the function that gives the step of a loop, or raises the client's error for one that does not end."""

    def step(number: int) -> int:
        if number < 1:
            raise client.refuse(op, f"a loop with the step {number} does not end", f"its step {number}")
        return number

    return step


def _leave(code: WalkCode, depth: int) -> None:
    if code.client.steps is not None:
        code.add(depth, "s.pop()")


def _by_data(
    code: WalkCode, op: scf.ForOp | scf.IfOp | scf.WhileOp, depth: int, message: str, counterexample: str
) -> None:
    """
    Append an op with data-dependent control flow: all paths are walked and joined.

    Raises the client's error for transfers, grids, or calls with such ops in it.
    """
    if not touches_memory(op):
        append_data(code, op)
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
    code: WalkCode, op: Operation, regions: Sequence[Region], message: str, counterexample: str
) -> None:
    """Raise the client's error for transfers, grids, or ops with unknown effects under data-dependent control flow."""
    for _ in asynchronous(regions, code.client.effects):
        raise code.client.refuse(op, message, counterexample)


def _parallel(code: WalkCode, op: scf.ParallelOp, depth: int) -> None:
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
        _range(code, op, index, [code.names[bounds[axis + group * rank]] for group in range(3)], depth + axis)
    code.add(depth + rank, f"{iteration}()")
    _block(code, op.body.block, depth + rank)
    for axis in reversed(range(rank)):
        _leave(code, depth + axis)
    code.add(depth, f"{join}()")


def _if(code: WalkCode, op: scf.IfOp, depth: int) -> None:
    if op.cond not in code.names:
        _by_data(code, op, depth, "whether memory is touched depends on data", "its condition")
        return
    sides = [region.block for region in op.regions if region.blocks]
    results: list[str] = []
    saved = dict(code.names)
    for keyword, block in zip((f"if {code.names[op.cond]}:", "else:"), sides, strict=False):
        code.add(depth, keyword)
        _block(code, block, depth + 1)
        values = _yielded(block)
        for index, value in enumerate(values):
            if value in code.names:
                results.append(f"r{len(saved)}_{index}")
                code.add(depth + 1, f"{results[-1]} = {code.names[value]}")
    for index, result in enumerate(op.results):
        name = f"r{len(saved)}_{index}"
        if results.count(name) == len(sides):
            code.add(depth, f"{code.bind(result)} = {name}")


_LINES: dict[type[Operation], Callable[[WalkCode, Any, int], None]] = {
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.ParallelOp: _parallel,
    scf.WhileOp: _while,
    arith.ConstantOp: _constant,
}
"""Op class -> the function that appends its lines; others are index arithmetic or an event."""
