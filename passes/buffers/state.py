"""
Bufferisation of state and of slices at dynamic offsets.

A state is updated in place: a load aliases the state's memory, new rows are copied into it, and the store is a no-op.
If the old value is live after an update, the load copies it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import func, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.nesting import nested_ops
from ...dialects.ml_program import GlobalLoadOp, GlobalOp, GlobalStoreOp
from ...errors import Diagnostic
from ...ir import element_of, numbers_of, shape_of, where
from ..memory.views import buffer_type, layout_of
from .bufferizer import Bufferizer, address_of, buffer_of
from .loops import scalar, updated

STATE = "tilewright.state"
"""Attribute of a global that outlives a call."""


def states_to_buffers(module: ModuleOp) -> None:
    """
    Convert the mutable globals of a module to memrefs. Raises Diagnostic for one without a static tensor type or value.
    """
    for op in list(module.body.block.ops):
        if not isinstance(op, GlobalOp):
            continue
        kind = cast("TensorType[Any]", op.type)
        if not isinstance(op.type, TensorType) or op.value is None or op.is_mutable is None:
            raise Diagnostic(
                f"the global @{op.sym_name.data} cannot be bufferised",
                where=where(op),
                expected="a mutable tensor of static shape with a first value",
            )
        type = buffer_type(kind.get_shape(), kind.get_element_type())
        converted = memref.GlobalOp.get(op.sym_name, type, op.value)
        converted.attributes |= op.attributes | {STATE: UnitAttr()}
        Rewriter.replace_op(op, converted, [])


def plan_states(state: Bufferizer) -> None:
    """Find the loads that may alias the state's memory."""
    accesses: dict[str, list[GlobalLoadOp | GlobalStoreOp]] = {}
    for op in nested_ops(state.old):
        if isinstance(op, GlobalLoadOp | GlobalStoreOp):
            accesses.setdefault(op.symbol, []).append(op)
    for ops in accesses.values():
        loads = [op for op in ops if isinstance(op, GlobalLoadOp)]
        is_pair = len(ops) == 2 and len(loads) == 1 and ops[0].parent is ops[1].parent
        if len(loads) == len(ops) or (is_pair and _in_place(loads[0], ops[1])):
            state.in_place |= {load.result for load in loads}


def _in_place(load: GlobalLoadOp, store: Operation) -> bool:
    """
    Return whether the stored value is the loaded one with inserted slices, each the only use of the previous value.
    """
    value = store.operands[0] if isinstance(store, GlobalStoreOp) else load.result
    while isinstance(value, OpResult) and isinstance(value.op, tensor.InsertSliceOp):
        value = value.op.dest
        if len(list(value.uses)) != 1:
            return False
    return value is load.result and store is not load


def _load(state: Bufferizer, op: Operation) -> None:
    assert isinstance(op, GlobalLoadOp)
    kind = buffer_type(shape_of(op.result), element_of(op.result))
    memory = address_of(state, op.symbol, kind, op.result)
    state.buffers[op.result] = memory
    if op.result not in state.in_place:
        state.buffers[op.result] = state.allocate(op.result)
        state.emit(memref.CopyOp(memory, state.buffers[op.result]))


def _store(state: Bufferizer, op: Operation) -> None:
    assert isinstance(op, GlobalStoreOp)
    value = buffer_of(state, op.value)
    if isinstance(value, OpResult) and isinstance(value.op, memref.GetGlobalOp):
        if value.op.name_.string_value() == op.symbol:
            return
    memory = address_of(state, op.symbol, buffer_type(shape_of(op.value), element_of(op.value)), op.value)
    state.emit(memref.CopyOp(value, memory))


def _insert_slice(state: Bufferizer, op: Operation) -> None:
    assert isinstance(op, tensor.InsertSliceOp)
    if len(shape_of(op.source)) != len(shape_of(op.dest)):
        raise Diagnostic("a slice of fewer axes cannot be put into a buffer", where=where(op))
    source = buffer_of(state, op.source)
    if _updates_in_place(state, op):
        whole = state.buffers[op.result] = buffer_of(state, op.dest)
    else:
        whole = updated(state, op, op.dest, op.result)
    if not op.offsets:
        state.emit(memref.CopyOp(source, _view_at(op, whole, [], state.emit)))
        return
    _call_copy(state, op, "write_rows", [source, whole])


def _updates_in_place(state: Bufferizer, op: tensor.InsertSliceOp) -> bool:
    """Return whether a slice is inserted into a state in place."""
    value: SSAValue = op.dest
    while isinstance(value, OpResult) and isinstance(value.op, tensor.InsertSliceOp):
        value = value.op.dest
    stored = isinstance(value, OpResult) and isinstance(value.op, GlobalLoadOp) and value in state.in_place
    return stored and _leads_to_store(op.result)


def _leads_to_store(value: SSAValue) -> bool:
    """Return whether a chain of inserted slices, each with one use, ends in a store."""
    while True:
        users = [use.operation for use in value.uses]
        if any(isinstance(user, GlobalStoreOp) for user in users):
            return True
        if len(users) != 1 or not isinstance(users[0], tensor.InsertSliceOp):
            return False
        value = users[0].result


def sliced_at(state: Bufferizer, op: Operation, source: SSAValue) -> SSAValue:
    """Append a copy of the slice of a buffer at a dynamic offset; return the copy."""
    part = state.destination(op.results[0])
    _call_copy(state, op, "read_rows", [source, part])
    return part


def _call_copy(state: Bufferizer, op: Any, name: str, buffers: Sequence[SSAValue]) -> None:
    """
    Append a call that copies between a whole buffer and a slice at dynamic offsets.

    The callee is shared by equal copies. It confines data-dependent indices, so that passes can prove bounds in the
    caller.
    """
    indices = [scalar(state, value) for value in op.offsets]
    types = [value.type for value in (*buffers, *indices)]
    key = name, tuple(types), *(op.properties[property_name] for property_name in _SLICE)
    if key not in state.copiers:
        state.copiers[key] = _define_copy(state, op, name, types)
    call = func.CallOp(state.copiers[key], [*buffers, *indices], [])
    call.attributes["macs"] = IntegerAttr(0, i64)
    state.emit(call)


def _define_copy(state: Bufferizer, op: Any, name: str, types: Sequence[Attribute]) -> str:
    """Define the private function `(source, target, indices...)` that copies to or from a slice; return its name."""
    block = Block(arg_types=types)
    source, target, *indices = block.args
    for argument, hint in zip(block.args, ("rows", "whole") if name == "write_rows" else ("whole", "rows")):
        argument.name_hint = hint

    def emit(op: Operation) -> SSAValue:
        block.add_op(op)
        return op.results[0]

    if name == "write_rows":
        target = _view_at(op, target, indices, emit)
    else:
        source = _view_at(op, source, indices, emit)
    block.add_ops([memref.CopyOp(source, target), func.ReturnOp()])
    symbol = state.symbols.take(name)
    callee = func.FuncOp(symbol, FunctionType.from_lists(types, []), Region(block), visibility="private")
    callee.location = op.location
    Rewriter.insert_op(callee, InsertPoint.before(state.first_function))
    state.first_function = callee
    return symbol


_SLICE = ("static_offsets", "static_sizes", "static_strides")


def _view_at(op: Any, whole: SSAValue, indices: Sequence[SSAValue], emit: Callable[[Operation], Any]) -> SSAValue:
    """Append the subview of a buffer at dynamic offsets, with the op's static sizes and strides."""
    offsets, sizes, strides = (numbers_of(op.properties[name]) for name in _SLICE)
    if DYNAMIC_INDEX in (*sizes, *strides):
        raise Diagnostic("a slice of dynamic size cannot be turned into a view", where=where(op))
    old_strides, old_offset = layout_of(whole)
    start: Any = NoneAttr()
    if DYNAMIC_INDEX not in offsets:
        start = old_offset + sum(o * s for o, s in zip(offsets, old_strides, strict=True))
    layout = StridedLayoutAttr([a * b for a, b in zip(old_strides, strides, strict=True)], start)
    view = memref.SubviewOp.build(
        operands=[whole, list(indices), [], []],
        result_types=[MemRefType(cast(Any, element_of(whole)), sizes, layout)],
        properties={
            name: DenseArrayBase.from_list(i64, numbers)
            for name, numbers in zip(_SLICE, (offsets, sizes, strides), strict=True)
        },
    )
    emit(view)
    return view.results[0]


STATE_RULES: list[tuple[Any, Callable[[Bufferizer, Operation], None]]] = [
    (GlobalLoadOp, _load),
    (GlobalStoreOp, _store),
    (tensor.InsertSliceOp, _insert_slice),
]
"""Op classes and their bufferisation."""
