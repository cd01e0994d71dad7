"""Bufferisation: from tensors to memrefs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from ..dialects.core.kernel import is_kernel
from ..dialects.core.nesting import nested_ops
from ..dialects.paged.ops import PagedOp
from ..errors import Diagnostic
from ..ir import functions, numbers_of, set_argument_attributes, shape_of, where
from .buffers.branches import convert_branches, plan_branches
from .buffers.bufferizer import Bufferizer, buffer_of
from .buffers.calls import convert_call
from .buffers.elements import convert_from_elements, convert_splat
from .buffers.kernels import convert_kernel
from .buffers.loops import (
    convert_extract,
    convert_insert,
    convert_loop,
    convert_scalar,
    convert_while,
    is_scalar,
    plan_loops,
)
from .buffers.padding import convert_padding, plan_padding
from .buffers.paged import convert_paged
from .buffers.state import STATE_RULES, plan_states, sliced_at, states_to_buffers
from .core.base import Pass
from .memory.views import buffer_type, is_dense, reshape, subview

_VIEWS = (tensor.CollapseShapeOp, tensor.ExpandShapeOp, tensor.ExtractSliceOp)
_RESHAPES = (tensor.CollapseShapeOp, tensor.ExpandShapeOp)
_OWNERS = (tensor.ConcatOp, tensor.PadOp)
"""Ops besides kernels that write to a destination of their own."""
_WITH_RESULTS = (*_OWNERS, *_RESHAPES, PagedOp, func.CallOp, scf.ForOp, scf.IfOp, scf.WhileOp)
"""Ops besides kernels whose results may be computed in a destination."""


def bufferize(module: ModuleOp, function: func.FuncOp) -> None:
    """
    Bufferise a function in destination-passing style: results become trailing arguments marked `tilewright.output`.

    A kernel writes directly to an output argument, a part of a concatenation, or the buffer of an operand at its last
    use (in-place update). Constants become globals of the module. Reshapes and slices are views. State is updated in
    place if its old value is dead.

    Raises Diagnostic for ops without a bufferisation.
    """
    old = function.body.block
    terminator = old.last_op
    assert terminator is not None
    inputs = [_buffer_type(argument.type, function) for argument in old.args]
    outputs = [_buffer_type(value.type, function) for value in terminator.operands]
    new = Block(arg_types=[*inputs, *outputs])
    state = Bufferizer(module, old, new, list(new.args[len(inputs) :]), globals=_constants(module))
    for before, after in zip(old.args, new.args, strict=False):
        state.buffers[before] = after
        after.name_hint = before.name_hint
    _name_outputs(function, state.outputs)
    _plan(state, terminator)
    plan_states(state)
    plan_loops(state)
    plan_branches(state)
    for op in list(old.ops):
        state.current = op
        _convert(state, op)
    function.body.detach_block(old)
    old.erase(safe_erase=False)
    function.body.add_block(new)
    _set_signature(function, new)


def _constants(module: ModuleOp) -> dict[Attribute, str]:
    """Return the existing constants of the module, which functions share."""
    definitions = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp) and op.constant is not None]
    return {cast(Attribute, op.initial_value): op.sym_name.data for op in definitions}


def _buffer_type(type: Attribute, function: func.FuncOp) -> Attribute:
    if not isinstance(type, TensorType):
        raise Diagnostic(
            f"a function argument or result has type {type}", where=where(function), expected="ranked tensors"
        )
    ranked = cast("TensorType[Any]", type)
    return buffer_type(ranked.get_shape(), ranked.get_element_type())


def _name_outputs(function: func.FuncOp, outputs: Sequence[SSAValue]) -> None:
    attributes = function.res_attrs.data if function.res_attrs else ()
    for output, attribute in zip(outputs, attributes, strict=False):
        name = attribute.data.get("onnx.name")
        if isinstance(name, StringAttr) and re.fullmatch(r"[A-Za-z_]\w*", name.data):
            output.name_hint = name.data


def _set_signature(function: func.FuncOp, block: Block) -> None:
    results = len(function.function_type.outputs.data)
    count = len(block.args) - results
    arguments = list(function.arg_attrs.data) if function.arg_attrs else [DictionaryAttr({})] * count
    returned = list(function.res_attrs.data) if function.res_attrs else [DictionaryAttr({})] * results
    marked = [DictionaryAttr(attribute.data | {"tilewright.output": UnitAttr()}) for attribute in returned]
    set_argument_attributes(function, [*arguments, *marked])
    function.properties.pop("res_attrs", None)
    function.properties["function_type"] = FunctionType.from_lists([argument.type for argument in block.args], [])


# Planning: aliases and destinations


def _plan(state: Bufferizer, terminator: Operation) -> None:
    for index, output in enumerate(state.outputs):
        value = terminator.operands[index]
        if _makes_own_buffer(value) and value not in state.destinations:
            state.destinations[value] = lambda output=output: output
    ops = nested_ops(state.old)
    state.numbers = {op: index for index, op in enumerate(ops)}
    ends = _ends(ops, state.numbers)
    for op in reversed(ops):
        if isinstance(op, tensor.ConcatOp):
            _plan_parts(state, op)
        elif isinstance(op, tensor.PadOp) and _is_free(state, op.source, op.parent):
            plan_padding(state, op)
        elif isinstance(op, _RESHAPES) and op.results[0] in state.destinations:
            _plan_reshape(state, op)
    for op in ops:
        if isinstance(op, _VIEWS):
            state.aliases[op.results[0]] = op.operands[0]
        for operand in op.operands:
            root = state.root(operand)
            state.last_use[root] = max(state.last_use.get(root, -1), _end_of_use(state, op, root, ends))


def _ends(ops: Sequence[Operation], numbers: dict[Operation, int]) -> dict[Operation, int]:
    """Return the position of the last op in the regions of each op, its own if it has none."""
    ends = dict(numbers)
    for op in reversed(ops):
        parent = op.parent_op()
        if parent is not None and parent in ends:
            ends[parent] = max(ends[parent], ends[op])
    return ends


def _end_of_use(state: Bufferizer, op: Operation, value: SSAValue, ends: dict[Operation, int]) -> int:
    """
    Return the position of the last op in the live range of an op's operand: that of the outermost loop around the use.
    """
    around = op
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while around.parent is not block and (outer := around.parent_op()) is not None and outer in ends:
        around = outer
    return state.numbers[op] if around is op else ends[around]


def _makes_own_buffer(value: SSAValue) -> bool:
    if not isinstance(value, OpResult):
        return False
    return isinstance(value.op, _WITH_RESULTS) or is_kernel(value.op)


def _fills(value: SSAValue, block: Block | None) -> bool:
    """Return whether a tensor is the result of a destination-passing op in a block."""
    if not isinstance(value, OpResult) or value.op.parent is not block:
        return False
    return is_kernel(value.op) or isinstance(value.op, _OWNERS)


def _is_free(state: Bufferizer, value: SSAValue, block: Block | None) -> bool:
    """Return whether a tensor with one use may be computed in the destination of that use."""
    return _fills(value, block) and value.has_one_use() and value not in state.destinations


def _plan_parts(state: Bufferizer, op: tensor.ConcatOp) -> None:
    """Plan in-place computation of the operands of a concatenation that have no other use."""
    axis, start = op.dim.value.data, 0
    for value in op.inputs:
        shape = shape_of(value)
        offsets = [start if i == axis else 0 for i in range(len(shape))]
        if _is_free(state, value, op.parent):
            state.destinations[value] = lambda offsets=offsets, shape=shape: _part(state, op, offsets, shape)
            state.holders[value] = op.result
            state.parts.add(value)
        start += shape[axis]


def _part(state: Bufferizer, op: tensor.ConcatOp, offsets: Sequence[int], sizes: Sequence[int]) -> SSAValue:
    whole = state.destination(op.results[0])
    part = state.emit(subview(whole, offsets, sizes, [1] * len(sizes)))
    assert part is not None
    return part


def _plan_reshape(state: Bufferizer, op: Operation) -> None:
    """Plan in-place computation of a tensor whose only use is a reshape: in the buffer of the reshaped tensor."""
    source, result = op.operands[0], op.results[0]
    place, holder = state.destinations.pop(result), state.holders.pop(result, None)
    if not _is_free(state, source, op.parent):
        return
    shape, groups = shape_of(source), cast(Any, op.properties["reassociation"])

    def reshaped() -> SSAValue:
        whole = place()
        view = state.emit(reshape(whole, shape, groups)) if is_dense(whole) else state.allocate(source)
        assert view is not None
        return view

    state.destinations[source] = reshaped
    if holder is not None:
        state.holders[source] = holder


# Conversion, op by op


def _convert(state: Bufferizer, op: Operation) -> None:
    for classes, rule in _RULES:
        if isinstance(op, classes):
            rule(state, op)
            return
    if is_kernel(op):
        convert_kernel(state, op)
        return
    if is_scalar(op):
        convert_scalar(state, op)
        return
    raise Diagnostic(f"'{op.name}' has no bufferisation", where=where(op), expected="kernels and views of tensors")


def _constant(state: Bufferizer, op: Operation) -> None:
    """Convert a constant: tensors to globals at their first use, scalars at each use."""


def _loop(state: Bufferizer, op: Operation) -> None:
    convert_loop(state, op, lambda inner: _convert(state, inner))


def _while(state: Bufferizer, op: Operation) -> None:
    convert_while(state, op, lambda inner: _convert(state, inner))


def _branches(state: Bufferizer, op: Operation) -> None:
    convert_branches(state, op, lambda inner: _convert(state, inner))


def _empty(state: Bufferizer, op: Operation) -> None:
    """Defer the allocation of an empty tensor to its first read."""


def _reshape(state: Bufferizer, op: Operation) -> None:
    result, source = op.results[0], buffer_of(state, op.operands[0])
    if not is_dense(source):
        dense = state.allocate(op.operands[0])
        state.emit(memref.CopyOp(source, dense))
        source = dense
    view = state.emit(reshape(source, shape_of(result), cast(Any, op.properties["reassociation"])))
    assert view is not None
    state.buffers[result] = view


def _extract_slice(state: Bufferizer, op: Operation) -> None:
    names = ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, strides = (numbers_of(op.properties[n]) for n in names)
    if DYNAMIC_INDEX in offsets and len(sizes) == len(shape_of(op.results[0])):
        state.buffers[op.results[0]] = sliced_at(state, op, buffer_of(state, op.operands[0]))
        return
    if len(op.operands) > 1 or len(sizes) != len(shape_of(op.results[0])):
        raise Diagnostic("a slice with dynamic or dropped axes cannot be turned into a view", where=where(op))
    view = state.emit(subview(buffer_of(state, op.operands[0]), offsets, sizes, strides))
    assert view is not None
    state.buffers[op.results[0]] = view


def _concat(state: Bufferizer, op: Operation) -> None:
    assert isinstance(op, tensor.ConcatOp)
    whole = state.destination(op.results[0])
    axis, start = op.dim.value.data, 0
    for value in op.inputs:
        shape = shape_of(value)
        if value not in state.parts:
            offsets = [start if i == axis else 0 for i in range(len(shape))]
            part = state.emit(subview(whole, offsets, shape, [1] * len(shape)))
            assert part is not None
            state.emit(memref.CopyOp(buffer_of(state, value), part))
        start += shape[axis]


def _return(state: Bufferizer, op: Operation) -> None:
    for value, output in zip(op.operands, state.outputs, strict=True):
        buffer = buffer_of(state, value)
        if buffer is not output and not _computed_in(state, value, output):
            state.emit(memref.CopyOp(buffer, output))
    state.emit(func.ReturnOp())


def _computed_in(state: Bufferizer, value: SSAValue, output: SSAValue) -> bool:
    """Return whether a reshaped result was computed in the output's buffer."""
    buffer = state.buffers[value]
    while isinstance(buffer, OpResult) and isinstance(buffer.op, memref.CollapseShapeOp | memref.ExpandShapeOp):
        buffer = buffer.op.operands[0]
    return buffer is output


_RULES: list[tuple[Any, Callable[[Bufferizer, Operation], None]]] = [
    (arith.ConstantOp, _constant),
    (tensor.EmptyOp, _empty),
    (_RESHAPES, _reshape),
    (tensor.ExtractSliceOp, _extract_slice),
    (tensor.ConcatOp, _concat),
    (tensor.PadOp, convert_padding),
    (func.ReturnOp, _return),
    (func.CallOp, convert_call),
    (PagedOp, convert_paged),
    (scf.ForOp, _loop),
    (scf.IfOp, _branches),
    (scf.WhileOp, _while),
    (tensor.ExtractOp, convert_extract),
    (tensor.InsertOp, convert_insert),
    (tensor.SplatOp, convert_splat),
    (tensor.FromElementsOp, convert_from_elements),
    *STATE_RULES,
]


@dataclass(frozen=True)
class BufferizePass(Pass):
    """
    Bufferise tensors: each kernel computes in place, into an output, or into a fresh allocation.

    Results of functions become trailing arguments with `tilewright.output`, and so do those of calls. allocate-static
    then assigns offsets to the allocations.
    """

    name = "bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        states_to_buffers(op)
        for function in functions(op):
            bufferize(op, function)
