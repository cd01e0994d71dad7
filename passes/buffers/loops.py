"""
Bufferisation of loops with tensors, and of scalar code around kernels.

A loop-carried tensor has one buffer for all iterations, that of the loop's result. An iteration updates it in place if
the old content is dead; otherwise it computes into a temporary, which is copied at the end of the iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, memref, scf, tensor
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.core.kernel import is_kernel, is_shaped
from ...dialects.core.nesting import nested_ops
from ...errors import Diagnostic
from ...ir import where
from .bufferizer import Bufferizer, buffer_of

Convert = Callable[[Operation], None]
"""Bufferises one op."""


def plan_loops(state: Bufferizer) -> None:
    """
    Plan in-place updates of loop-carried tensors: a yielded tensor is computed in the carried buffer once that was
    read.
    """
    for op in nested_ops(state.old):
        if not isinstance(op, scf.ForOp):
            continue
        block = op.body.block
        for argument, value in zip(block.args[1:], _yielded(block), strict=True):
            if not isinstance(value, OpResult) or value.op.parent is not block or not is_kernel(value.op):
                continue
            read_before = state.last_use.get(argument, -1) < state.numbers[value.op]
            if read_before and value not in state.destinations:
                state.destinations[value] = lambda argument=argument: state.buffers[argument]
                state.carried[value] = argument


def convert_loop(state: Bufferizer, op: Operation, convert: Convert) -> None:
    """Bufferise `scf.for`; scalars stay loop-carried, tensors get buffers."""
    assert isinstance(op, scf.ForOp)
    body = op.body.block
    bounds = [scalar(state, value) for value in (op.lb, op.ub, op.step)]
    carried = [(init, *rest) for init, *rest in zip(op.iter_args, body.args[1:], op.results, strict=True)]
    scalars = [(init, argument, result) for init, argument, result in carried if not is_shaped(init)]
    for init, argument, result in carried:
        if is_shaped(init):
            state.buffers[argument] = _memory(state, op, init, result)
            state.owned.add(argument)
    starts = [scalar(state, init) for init, _, _ in scalars]
    inner = Block(arg_types=[op.lb.type, *(value.type for value in starts)])
    for old, new in zip((body.args[0], *(argument for _, argument, _ in scalars)), inner.args, strict=True):
        state.buffers[old] = new
        new.name_hint = old.name_hint
    outer, state.new = state.new, inner
    for nested in list(body.ops):
        state.current = nested
        if nested is body.last_op:
            _yield(state, body.args[1:], body)
        else:
            convert(nested)
    state.new, state.current = outer, op
    loop = scf.ForOp(bounds[0], bounds[1], bounds[2], starts, inner)
    state.emit(loop)
    state.buffers.update(zip((result for _, _, result in scalars), loop.results, strict=True))


def _memory(state: Bufferizer, op: Operation, init: SSAValue, result: SSAValue) -> SSAValue:
    """Return the buffer of a loop-carried tensor, with its initial content."""
    is_fresh = isinstance(init, OpResult) and isinstance(init.op, tensor.EmptyOp)
    if not is_fresh and result not in state.destinations and state.is_last_use(init, op) and _is_alone(state, op, init):
        state.join(result, init)
        return state.buffers[result]
    if result not in state.destinations:
        state.owned.add(result)
    memory = state.destination(result)
    if not is_fresh:
        state.emit(memref.CopyOp(buffer_of(state, init), memory))
    return memory


def convert_while(state: Bufferizer, op: Operation, convert: Convert) -> None:
    """
    Bufferise `scf.while` with a condition that forwards its arguments.

    Raises Diagnostic for a condition region that forwards other values.
    """
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    test = before.last_op
    if not isinstance(test, scf.ConditionOp) or tuple(test.operands[1:]) != tuple(before.args):
        raise Diagnostic(
            "the condition of a loop over tensors changes what the loop carries",
            where=where(op),
            expected="scf.condition on the arguments of its region, in order",
        )
    carried = list(zip(op.arguments, before.args, after.args, op.results, strict=True))
    scalars = [group for group in carried if not is_shaped(group[0])]
    for init, tested, argument, result in carried:
        if is_shaped(init):
            state.buffers[tested] = state.buffers[argument] = _memory(state, op, init, result)
            state.owned.add(argument)
    starts = [scalar(state, init) for init, *_ in scalars]
    types = [value.type for value in starts]
    blocks = Block(arg_types=types), Block(arg_types=types)
    for index, (_, tested, argument, _) in enumerate(scalars):
        for old, block in ((tested, blocks[0]), (argument, blocks[1])):
            state.buffers[old] = block.args[index]
            block.args[index].name_hint = old.name_hint
    outer, state.new = state.new, blocks[0]
    for nested in list(before.ops):
        state.current = nested
        if nested is test:
            state.emit(scf.ConditionOp(scalar(state, test.condition), *blocks[0].args))
        else:
            convert(nested)
    state.new = blocks[1]
    for nested in list(after.ops):
        state.current = nested
        if nested is after.last_op:
            _yield(state, after.args, after)
        else:
            convert(nested)
    state.new, state.current = outer, op
    loop = scf.WhileOp(starts, types, [blocks[0]], [blocks[1]])
    state.emit(loop)
    state.buffers.update(zip((result for *_, result in scalars), loop.results, strict=True))


def _yield(state: Bufferizer, arguments: Sequence[SSAValue], body: Block) -> None:
    """Terminate an iteration: copy results in other buffers to the loop-carried ones."""
    moves: list[tuple[SSAValue, SSAValue]] = []
    yielded: list[SSAValue] = []
    memories = {state.buffers[argument] for argument in arguments if is_shaped(argument)}
    for argument, value in zip(arguments, _yielded(body), strict=True):
        if not is_shaped(value):
            yielded.append(scalar(state, value))
        elif (source := buffer_of(state, value)) is not state.buffers[argument]:
            moves.append((_unclobbered(state, value, source, memories), state.buffers[argument]))
    for source, target in moves:
        state.emit(memref.CopyOp(source, target))
    state.emit(scf.YieldOp(*yielded))


def _unclobbered(state: Bufferizer, value: SSAValue, source: SSAValue, memories: set[SSAValue]) -> SSAValue:
    """Return a buffer with a tensor's content that no copy into the loop-carried buffers clobbers."""
    if state.buffers.get(state.root(value)) not in memories and source not in memories:
        return source
    beside = state.allocate(value)
    state.emit(memref.CopyOp(source, beside))
    return beside


def _yielded(block: Block) -> tuple[SSAValue, ...]:
    assert block.last_op is not None
    return tuple(block.last_op.operands)


def scalar(state: Bufferizer, value: SSAValue) -> SSAValue:
    """Return the scalar of the new function for a scalar of the old one; constants are rebuilt at each use."""
    if isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp):
        constant = state.emit(arith.ConstantOp(value.op.value))
        assert constant is not None
        constant.name_hint = value.name_hint
        return constant
    return state.buffers[value]


def is_scalar(op: Operation) -> bool:
    """Return whether an op computes scalars from scalars."""
    return not op.regions and bool(op.results) and not any(is_shaped(value) for value in (*op.operands, *op.results))


def convert_scalar(state: Bufferizer, op: Operation) -> None:
    """Rebuild a scalar op."""
    operands = [scalar(state, value) for value in op.operands]
    rebuilt = op.__class__.create(
        operands=operands,
        result_types=list(op.result_types),
        properties=op.properties,
        attributes=op.attributes,
    )
    state.emit(rebuilt)
    for old, new in zip(op.results, rebuilt.results, strict=True):
        state.buffers[old] = new
        new.name_hint = old.name_hint


def convert_extract(state: Bufferizer, op: Operation) -> None:
    """Convert `tensor.extract` to a load."""
    assert isinstance(op, tensor.ExtractOp)
    indices = [scalar(state, index) for index in op.indices]
    loaded = state.emit(memref.LoadOp.get(buffer_of(state, op.tensor), indices))
    assert loaded is not None
    state.buffers[op.result] = loaded


def convert_insert(state: Bufferizer, op: Operation) -> None:
    """Convert `tensor.insert` to a store, in place at the last use of the tensor, else into a copy."""
    assert isinstance(op, tensor.InsertOp)
    value, indices = scalar(state, op.scalar), [scalar(state, index) for index in op.indices]
    state.emit(memref.StoreOp.get(value, updated(state, op, op.dest, op.result), indices))


def updated(state: Bufferizer, op: Operation, old: SSAValue, new: SSAValue) -> SSAValue:
    """Return the buffer of a partially updated tensor: in place at the last use of the old one, else a copy."""
    if new not in state.destinations and state.is_last_use(old, op) and _is_alone(state, op, old):
        state.join(new, old)
        return state.buffers[new]
    if new not in state.destinations:
        state.owned.add(new)
    target = state.destination(new)
    is_fresh = isinstance(old, OpResult) and isinstance(old.op, tensor.EmptyOp)
    if not is_fresh:
        state.emit(memref.CopyOp(buffer_of(state, old), target))
    return target


def _is_alone(state: Bufferizer, op: Operation, value: SSAValue) -> bool:
    """Return whether no other operand of an op aliases a value."""
    return sum(state.root(operand) is state.root(value) for operand in op.operands) == 1


def load_tables(state: Bufferizer, op: Operation) -> None:
    """Convert table lookups and captured scalars in the rebuilt scalar code of a kernel to loads."""
    inner = [nested for region in op.regions for nested in nested_ops(region)]
    own = {value for nested in inner for value in nested.results}
    own |= {value for region in op.regions for block in region.blocks for value in block.args}
    for nested in inner:
        if isinstance(nested, tensor.ExtractOp):
            load = memref.LoadOp.get(buffer_of(state, nested.tensor), list(nested.indices))
            load.location = nested.location
            Rewriter.replace_op(nested, load)
            nested = load
        for position, value in enumerate(nested.operands):
            if value not in own and not is_shaped(value):
                nested.operands[position] = scalar(state, value)
        own |= set(nested.results)
