"""
Compilation of control flow to Python: a function of the explicit level becomes code that walks its steps.

Index arithmetic is evaluated, data are not. Data-dependent values are unknown, and no transfer may depend on them. Each
op with memory effects becomes a call of its method in `EVENTS`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...dialects.core.analysis.arithmetic import evaluator, integer_of
from ...dialects.core.effects import callee_of, effects_of
from ...dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ...dialects.core.nesting import nested_ops
from ...dialects.hier import DmaNoneOp, DmaStartOp, DmaWaitOp, GridOp, JoinOp, LaunchOp, TokenType
from ..memory.views import VIEWS as BUFFER_VIEWS
from .rules import refuse

VIEWS = (*BUFFER_VIEWS, memref.MemorySpaceCastOp)

EVENTS: dict[type[Operation], str] = {
    **dict.fromkeys(VIEWS, "view"),
    memref.GetGlobalOp: "get_global",
    memref.AllocOp: "alloc",
    memref.AllocaOp: "alloc",
    memref.LoadOp: "load",
    memref.StoreOp: "store",
    memref.CopyOp: "copy",
    DmaStartOp: "start",
    DmaWaitOp: "wait",
    JoinOp: "join",
    GridOp: "grid",
    func.CallOp: "call",
}
"""
Op class -> method `method(op number, *operands)`. Kernels have the method `kernel`, others with declared effects
`declared`.
"""

_INDEXED = {"view", "alloc", "start"}
"""Methods that need all indices to be known."""

_SILENT = (func.ReturnOp, scf.YieldOp, scf.ReduceOp, memref.DeallocOp)
"""Ops with operands in memory but without effects."""

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


@dataclass
class Code:
    """Python code of a function. Ops are referenced by their number in `ops`."""

    ops: list[Operation] = field(default_factory=list[Operation])
    lines: list[str] = field(default_factory=list[str])
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    by_data: bool = False
    """Control flow by data: the present place may be reached never, once or often."""
    repeats: bool = False
    """Memoisation of loops inside of loops: they are replayed on equal values."""
    loops: int = 0
    """The loops around."""
    functions: dict[Any, str] = field(default_factory=dict[Any, str])
    """Functions of integer arithmetic that the code calls, by their names there."""

    def number(self, op: Operation) -> int:
        """Return the number under which an op is called."""
        self.ops.append(op)
        return len(self.ops) - 1


def compile_function(
    function: func.FuncOp, known: Collection[int], *, by_data: bool = False, repeats: bool = False
) -> tuple[Callable[..., Any], list[Operation]]:
    """
    Return a function `(events, *arguments)` that walks through the steps of a function, and the ops that it names.

    Arguments that are not `known`, by their indices, are data. With `by_data` the function may be called never, once or
    often. With `repeats` loops inside of loops ask first, by `events.repeat`, whether they do what they did before.
    Raises Diagnostic where transfers depend on data, and for ops that are not known.
    """
    code = Code(repeats=repeats, by_data=by_data)
    block = function.body.block
    if by_data:
        _refuse_transfers(function, [function.body], "a call depends on data", f"call of '{function.sym_name.data}'")
    arguments = [_bind(code, arg) if index in known else f"_{index}" for index, arg in enumerate(block.args)]
    _block(code, block, 1)
    text = "\n".join([f"def walk({', '.join(['m', *arguments])}):", "    s = m.steps", *code.lines, "    return None"])
    space: dict[str, Any] = {name: compute for compute, name in code.functions.items()}
    try:
        exec(compile(text, f"<{function.sym_name.data}>", "exec"), space)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise refuse("static", "the loops nest too deep to be walked through", function, [str(error)]) from error
    return space["walk"], code.ops


def _bind(code: Code, value: SSAValue) -> str:
    return code.names.setdefault(value, f"v{len(code.names)}")


def _line(code: Code, depth: int, text: str) -> None:
    code.lines.append("    " * depth + text)


def _block(code: Code, block: Block, depth: int) -> None:
    """Append the ops of a block but its terminator; at least one line."""
    _line(code, depth, "pass")
    for op in block.ops:
        _op(code, op, depth)


def _op(code: Code, op: Operation, depth: int) -> None:
    _LINES.get(type(op), _plain)(code, op, depth)


def _constant(code: Code, op: arith.ConstantOp, depth: int) -> None:
    if (number := integer_of(op.result)) is not None:
        code.names[op.result] = f"({number})"


def _while(code: Code, op: scf.WhileOp, depth: int) -> None:
    _by_data(code, op, depth, "how often memory is touched depends on data", "its condition")


def _none(code: Code, op: DmaNoneOp, depth: int) -> None:
    _line(code, depth, f"{_bind(code, op.token)} = None")


def _launch(code: Code, op: LaunchOp, depth: int) -> None:
    """Append a launched kernel: its accesses, then its in-flight state."""
    number = code.number(op)
    _line(code, depth, f"m.launching({number})")
    _op(code, op.kernel, depth)
    _line(code, depth, f"{_bind(code, op.token)} = m.launch({number})")


def _plain(code: Code, op: Operation, depth: int) -> None:
    compute = evaluator(op)
    if compute is not None:
        if all(operand in code.names for operand in op.operands):
            operands = [code.names[operand] for operand in op.operands]
            _line(code, depth, f"{_bind(code, op.results[0])} = {_expression(code, compute, operands)}")
        return
    if not touches_memory(op) or isinstance(op, _SILENT):
        return
    event = _event_of(op)
    if event is None:
        raise refuse("static", f"what '{op.name}' does to memory is not known", op, [f"operand 0 of '{op.name}'"])
    _event(code, op, event, depth)


def _expression(code: Code, compute: Callable[..., Any], operands: Sequence[str]) -> str:
    if compute in _INFIX:
        return f" {_INFIX[compute]} ".join(operands)
    name = code.functions.setdefault(compute, f"f{len(code.functions)}")
    return f"{name}({', '.join(operands)})"


def _event_of(op: Operation) -> str | None:
    """Return the method for an op with memory effects, None for unknown effects."""
    if is_kernel(op):
        return "kernel"
    if type(op) in EVENTS:
        return EVENTS[type(op)]
    found = effects_of(op)
    is_declared = found.is_known and found.only_on_values and not op.regions and callee_of(op) is None
    return "declared" if is_declared and not any(is_shaped(result) for result in op.results) else None


def touches_memory(op: Operation) -> bool:
    """Return whether an op or a nested op has memory or token operands or results."""
    values = (value for inner in nested_ops(op) for value in (*inner.operands, *inner.results))
    return any(isinstance(value.type, MemRefType | TokenType) for value in values)


def _event(code: Code, op: Operation, event: str, depth: int) -> None:
    """Append the call of an event; the indices of an element may depend on data, and are None then."""
    operands: list[str] = []
    tables = kernel_of(op).tables if event == "kernel" else ()
    for index, operand in enumerate((*op.operands, *tables)):
        kind: Attribute = operand.type
        needed = isinstance(kind, IndexType) and event in _INDEXED and not isinstance(op, memref.SubviewOp)
        if operand not in code.names and (needed or isinstance(kind, MemRefType | TokenType)):
            raise refuse("static", f"operand {index} of '{op.name}' depends on data", op, [f"operand {index}"])
        operands.append(code.names.get(operand, "None"))
    number = str(code.number(op))
    method = "call_by_data" if event == "call" and code.by_data else event
    call = f"m.{method}({', '.join([number, *operands])})"
    kept = [r for r in op.results if isinstance(r.type, MemRefType | TokenType)] if event != "call" else []
    _line(code, depth, f"{_bind(code, kept[0])} = {call}" if kept else call)


def _yielded(block: Block) -> Sequence[SSAValue]:
    return block.last_op.operands if block.last_op is not None else ()


def _for(code: Code, op: scf.ForOp, depth: int) -> None:
    bounds = [op.lb, op.ub, op.step]
    if any(value not in code.names for value in bounds):
        _by_data(code, op, depth, "the bounds of a loop depend on data", "its bounds")
        return
    start, ops = len(code.lines), len(code.ops)
    carried = [index for index, value in enumerate(op.iter_args) if value in code.names]
    while True:
        known = dict(code.names)
        lost = _loop(code, op, depth, carried)
        if not lost:
            return
        del code.lines[start:], code.ops[ops:]
        code.names = known
        carried = [index for index in carried if index not in lost]


def _loop(code: Code, op: scf.ForOp, depth: int, carried: Sequence[int]) -> list[int]:
    """Append a loop that carries these values; returns those of them that it yields without knowing them."""
    block = op.body.block
    asks = code.repeats and code.loops > 0 and not code.by_data
    outer = _outer_values(code, op) if asks else []
    index = _bind(code, block.args[0])
    low, high, step = (code.names[value] for value in (op.lb, op.ub, op.step))
    number = code.number(op) if asks else 0
    if asks:
        _line(code, depth, f"again = m.repeat({number}, ({''.join(f'{name}, ' for name in outer)}))")
        _line(code, depth, "if again is None:")
        depth += 1
    code.loops += 1
    inside = [_bind(code, block.args[1 + i]) for i in carried]
    for name, i in zip(inside, carried, strict=True):
        _line(code, depth, f"{name} = {code.names[op.iter_args[i]]}")
    shown = block.args[0].name_hint or index
    _line(code, depth, f"s.append(('{shown}', {low}))")
    _line(code, depth, f"for {index} in range({low}, {high}, {step}):")
    _line(code, depth + 1, f"s[-1] = ('{shown}', {index})")
    _block(code, block, depth + 1)
    values = _yielded(block)
    lost = [i for i in carried if values[i] not in code.names]
    if carried and not lost:
        _line(code, depth + 1, f"{', '.join(inside)}, = {', '.join(code.names[values[i]] for i in carried)},")
    _line(code, depth, "s.pop()")
    code.loops -= 1
    results = [_bind(code, op.results[i]) for i in carried]
    for name, result in zip(inside, results, strict=True):
        _line(code, depth, f"{result} = {name}")
    if asks:
        left = "".join(f"{result}, " for result in results)
        _line(code, depth, f"m.repeated({number}, ({left}))")
        if results:
            _line(code, depth - 1, "else:")
            _line(code, depth, f"{left}= again")
    return lost


def _outer_values(code: Code, op: scf.ForOp) -> list[str]:
    """Return the names of the values from outside of a loop that it uses, but constants."""
    inside: set[SSAValue] = set(op.body.block.args)
    used: dict[SSAValue, None] = {}
    for inner in nested_ops(op):
        inside.update(inner.results)
        inside.update(value for region in inner.regions for block in region.blocks for value in block.args)
        used.update(dict.fromkeys(inner.operands))
    outer = (value for value in used if value not in inside and not isinstance(value.owner, arith.ConstantOp))
    return [code.names[value] for value in outer if value in code.names]


_STEPS = (
    memref.LoadOp,
    memref.StoreOp,
    memref.CopyOp,
    memref.AllocOp,
    memref.AllocaOp,
    memref.GetGlobalOp,
    func.CallOp,
    *VIEWS,
)


def _by_data(code: Code, op: scf.ForOp | scf.IfOp | scf.WhileOp, depth: int, message: str, counterexample: str) -> None:
    """
    Append an op with data-dependent control flow: all paths are walked and joined.

    Raises Diagnostic for transfers, grids, or calls with such ops in it.
    """
    if not touches_memory(op):
        return
    _refuse_transfers(op, op.regions, message, counterexample)
    around, code.by_data = code.by_data, True
    number, blocks = code.number(op), [region.block for region in op.regions if region.blocks]
    if isinstance(op, scf.WhileOp):
        _block(code, blocks.pop(0), depth)
        blocks.append(op.before_region.block)
    _line(code, depth, "m.state.begin_paths()")
    if isinstance(op, scf.IfOp):
        _block(code, blocks[0], depth)
        _line(code, depth, "m.state.exchange_paths()")
        for block in blocks[1:]:
            _block(code, block, depth)
        _line(code, depth, f"m.join_paths({number})")
    else:
        _line(code, depth, "for _ in range(2):")
        for block in blocks:
            _block(code, block, depth + 1)
        _line(code, depth + 1, f"m.join_paths({number})")
    _line(code, depth, "m.state.end_paths()")
    code.by_data = around


def _refuse_transfers(op: Operation, regions: Sequence[Region], message: str, counterexample: str) -> None:
    """Raise Diagnostic for transfers, grids, or ops with unknown effects under data-dependent control flow."""
    for step in (step for region in regions for step in _steps_of(region)):
        is_known = isinstance(step, (*_STEPS, *_SILENT)) or is_kernel(step) or not touches_memory(step)
        if not is_known and _event_of(step) != "declared":
            raise refuse("static", message, op, [counterexample])


def _steps_of(region: Region) -> Iterator[Operation]:
    """Yield the ops of a region and of the loops and conditionals in it."""
    for op in (op for block in region.blocks for op in block.ops):
        if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
            for inner in op.regions:
                yield from _steps_of(inner)
        else:
            yield op


def _parallel(code: Code, op: scf.ParallelOp, depth: int) -> None:
    """Append a parallel loop whose iterations are checked for races; its reductions are data."""
    bounds = [*op.lowerBound, *op.upperBound, *op.step]
    if any(value not in code.names for value in bounds):
        if touches_memory(op):
            raise refuse("static", "the bounds of a loop depend on data", op, ["its bounds"])
        return
    rank = len(op.lowerBound)
    _line(code, depth, "m.state.fork()")
    for axis, index in enumerate(op.body.block.args):
        low, high, step = (code.names[bounds[axis + group * rank]] for group in range(3))
        name = _bind(code, index)
        shown = index.name_hint or name
        _line(code, depth + axis, f"s.append(('{shown}', {low}))")
        _line(code, depth + axis, f"for {name} in range({low}, {high}, {step}):")
        _line(code, depth + axis + 1, f"s[-1] = ('{shown}', {name})")
    _line(code, depth + rank, f"m.state.iteration({rank})")
    _block(code, op.body.block, depth + rank)
    for axis in reversed(range(rank)):
        _line(code, depth + axis, "s.pop()")
    _line(code, depth, "m.state.join()")


def _if(code: Code, op: scf.IfOp, depth: int) -> None:
    if op.cond not in code.names:
        _by_data(code, op, depth, "whether memory is touched depends on data", "its condition")
        return
    sides = [region.block for region in op.regions if region.blocks]
    results: list[str] = []
    known = dict(code.names)
    for keyword, block in zip((f"if {code.names[op.cond]}:", "else:"), sides, strict=False):
        _line(code, depth, keyword)
        _block(code, block, depth + 1)
        values = _yielded(block)
        for result, value in zip(op.results, values, strict=True):
            if value in code.names:
                name = f"r{len(known)}_{list(op.results).index(result)}"
                _line(code, depth + 1, f"{name} = {code.names[value]}")
                results.append(name)
    for index, result in enumerate(op.results):
        name = f"r{len(known)}_{index}"
        if results.count(name) == len(sides):
            _line(code, depth, f"{_bind(code, result)} = {name}")


_LINES: dict[type[Operation], Callable[[Code, Any, int], None]] = {
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.ParallelOp: _parallel,
    scf.WhileOp: _while,
    arith.ConstantOp: _constant,
    DmaNoneOp: _none,
    LaunchOp: _launch,
}
"""Op class -> the function that appends its lines; others have an expression or an event."""
