"""
Guard of a network with state or index inputs: inputs are checked before any side effect.

    func.func @network(%x, %position, %out) -> i32 {    returns a status
      ... every number of an input with `tilewright.range` is in it, else 1
      ... the position is not beyond the rows that are written, else 2
      func.call @network_step(%x, %position, %out)      what the network was; where it has buckets, the
    }                                                   smallest that takes the position
    func.func @network_reset()                          the state is as before the first call
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.buckets import BUCKET_OF, buckets_of, last_position
from ...dialects.core.builder import Builder
from ...dialects.core.scalars import Index
from ...ir import array_of, dense, element_of, free_symbol, functions, numbers_of, set_argument_attributes, shape_of
from ..memory.views import buffer_type

RANGE = "tilewright.range"
STATE = "tilewright.state"
STATUS = "tilewright.status"
"""Attribute of a function that returns a status."""
RESET = "tilewright.reset"
"""Attribute of the function that resets the state."""

OUT_OF_RANGE, OUT_OF_ORDER = 1, 2
"""Status of a network: an input out of its range; a position that skips rows."""


def guard_inputs(module: ModuleOp) -> None:
    """Add range checks to public functions with input ranges, and a reset function to a module with state."""
    states = [op for op in module.body.block.ops if isinstance(op, memref.GlobalOp) and STATE in op.attributes]
    visible = [function for function in functions(module) if function.sym_visibility is None]
    public = [function for function in visible if BUCKET_OF not in function.attributes]
    guarded = [function for function in public if _ranges(function)]
    if not states and not guarded:
        return
    prefix = public[0].sym_name.data
    counter = (
        _counter(module, free_symbol(module, "rows")) if any(_position(function) for function in guarded) else None
    )
    for function in guarded:
        _guard(module, function, counter)
    if states or counter is not None:
        reset = _reset(module, f"{prefix}_reset", [*states, *([counter] if counter else [])])
        module.body.block.add_op(reset)


def _arguments(function: func.FuncOp) -> list[tuple[BlockArgument, dict[str, Attribute]]]:
    rows = [dict(row.data) for row in function.arg_attrs.data] if function.arg_attrs else []
    rows += [{} for _ in range(len(function.body.blocks[0].args) - len(rows))]
    return list(zip(function.body.blocks[0].args, rows, strict=True))


def _ranges(function: func.FuncOp) -> list[BlockArgument]:
    return [argument for argument, said in _arguments(function) if RANGE in said]


def _position(function: func.FuncOp) -> BlockArgument | None:
    return next((argument for argument, said in _arguments(function) if STATE in said), None)


def _counter(module: ModuleOp, name: str) -> memref.GlobalOp:
    """Add the global that counts the written rows."""
    definition = memref.GlobalOp.get(StringAttr(name), buffer_type([1], i32), dense(np.zeros(1), i32))
    definition.attributes[STATE] = UnitAttr()
    Rewriter.insert_op(definition, InsertPoint.before(functions(module)[0]))
    return definition


def _guard(module: ModuleOp, function: func.FuncOp, counter: memref.GlobalOp | None) -> None:
    """Wrap a function in a guard of the same name."""
    name = function.sym_name.data
    types = list(function.function_type.inputs.data)
    block = Block(arg_types=types)
    for old, new in zip(function.body.blocks[0].args, block.args, strict=True):
        new.name_hint = old.name_hint
    checks = _Checks.at_end(block)
    status = checks.constant(0, i32)
    for argument, said in _arguments(function):
        if RANGE in said:
            low, high = numbers_of(said[RANGE])
            status = checks.checked(block.args[argument.index], low, high, status, unsigned=_is_unsigned(said))
    position = _position(function)
    if position is not None and counter is not None:
        status = checks.ordered(block.args[position.index], counter, status)
    buckets = buckets_of(module, name)
    with checks.when(checks.compare(status, "eq", 0)):
        if position is not None and buckets:
            choices = [(last, bucket.sym_name.data) for last, bucket in buckets]
            whole = (last_position(function), f"{name}_step")
            checks.call_smallest(checks.wide(block.args[position.index]), [*choices, whole], block.args)
        else:
            checks.insert(func.CallOp(f"{name}_step", list(block.args), []))
        if position is not None and counter is not None:
            checks.advance(block.args[position.index], counter, _added(function, position))
    checks.insert(func.ReturnOp(status))
    outer = func.FuncOp(name, FunctionType.from_lists(types, [i32]), Region(block))
    set_argument_attributes(outer, [DictionaryAttr(said) for _, said in _arguments(function)])
    outer.attributes[STATUS] = UnitAttr()
    outer.location = function.location
    function.properties["sym_name"] = StringAttr(f"{name}_step")
    for inner in (function, *(bucket for _, bucket in buckets)):
        inner.properties["sym_visibility"] = StringAttr("private")
        inner.attributes.pop(BUCKET_OF, None)
    Rewriter.insert_op(outer, InsertPoint.after(function))


def _is_unsigned(said: dict[str, Attribute]) -> bool:
    declared = said.get("onnx.type")
    return isinstance(declared, StringAttr) and declared.data.startswith("ui")


def _added(function: func.FuncOp, position: BlockArgument) -> int:
    said = next(said for argument, said in _arguments(function) if argument is position)
    return numbers_of(said[STATE])[0]


class _Checks(Builder):
    """Builder of checks of inputs: a status is 0 until one of them fails."""

    def checked(self, buffer: SSAValue, low: int, high: int, status: SSAValue, *, unsigned: bool) -> SSAValue:
        """Build the check that all elements of a buffer are in a range; return the status or OUT_OF_RANGE."""
        code = self.constant(OUT_OF_RANGE, i32)
        flat = _flat(buffer, self)
        with self.carried_loop(None, 0, shape_of(flat)[0], [status]) as loop:
            element = self.convert(self._load(flat, loop.index), i64, unsigned=unsigned)
            wrong = self.either(self.compare(element, "slt", low), self.compare(element, "sgt", high))
            loop.values = [self.select(wrong, code, loop.values[0])]
        return loop.values[0]

    def _load(self, flat: SSAValue, index: Index) -> SSAValue:
        return self.op(memref.LoadOp.get(flat, [self.value(index)]))

    def _counted(self, counter: memref.GlobalOp) -> SSAValue:
        return self.op(memref.GetGlobalOp(counter.sym_name.data, cast(Any, counter.type)))

    def ordered(self, position: SSAValue, counter: memref.GlobalOp, status: SSAValue) -> SSAValue:
        """Build the check that a position skips no rows; return the status or OUT_OF_ORDER."""
        rows = self.convert(self._load(self._counted(counter), 0), i64)
        beyond = self.compare(self.wide(position), "sgt", rows)
        wrong = self.both(beyond, self.compare(status, "eq", 0))
        return self.select(wrong, self.constant(OUT_OF_ORDER, i32), status)

    def wide(self, position: SSAValue) -> SSAValue:
        """Build a non-negative position as a 64-bit integer."""
        return self.convert(self._load(_flat(position, self), 0), i64)

    def call_smallest(self, at: SSAValue, choices: Sequence[tuple[int, str]], arguments: Sequence[SSAValue]) -> None:
        """Build a binary search that calls the first function whose last position is not below the given one."""
        if len(choices) == 1:
            self.insert(func.CallOp(choices[0][1], list(arguments), []))
            return
        half = len(choices) // 2
        lower, upper = choices[:half], choices[half:]
        self.choose(
            self.compare(at, "sle", lower[-1][0]),
            lambda: self.call_smallest(at, lower, arguments),
            lambda: self.call_smallest(at, upper, arguments),
        )

    def advance(self, position: SSAValue, counter: memref.GlobalOp, added: int) -> None:
        """Build the update of the row counter after rows at a position have been written."""
        row = self.convert(self._load(_flat(position, self), 0), i32)
        rows = self.op(arith.AddiOp(row, self.constant(added, i32)))
        self.insert(memref.StoreOp.get(rows, self._counted(counter), [self.value(0)]))


def _flat(buffer: SSAValue, builder: Builder) -> SSAValue:
    """Build the collapse of a dense buffer to one axis."""
    shape = shape_of(buffer)
    if len(shape) == 1:
        return buffer
    type = buffer_type([int(np.prod(shape))], element_of(buffer))
    groups = ArrayAttr([ArrayAttr([IntegerAttr(axis, i64) for axis in range(len(shape))])])
    if not shape:
        return builder.op(
            memref.ExpandShapeOp.build(
                operands=[buffer, []],
                result_types=[type],
                properties={"reassociation": ArrayAttr([]), "static_output_shape": _i64s([1])},
            )
        )
    return builder.op(
        memref.CollapseShapeOp.build(operands=[buffer], result_types=[type], properties={"reassociation": groups})
    )


def _i64s(numbers: list[int]) -> Attribute:
    from xdsl.dialects.builtin import DenseArrayBase

    return DenseArrayBase.from_list(i64, numbers)


def _reset(module: ModuleOp, name: str, states: list[memref.GlobalOp]) -> func.FuncOp:
    """Build the public function that resets all state to its initial value."""
    block = Block()
    builder = Builder.at_end(block)
    for state in states:
        memory = builder.op(memref.GetGlobalOp(state.sym_name.data, cast(Any, state.type)))
        first = array_of(cast("DenseIntOrFPElementsAttr[Any]", state.initial_value))
        if first.any():
            _restore(module, state, memory, block)
            continue
        flat = _flat(memory, builder)
        zero = builder.constant(0, element_of(flat))
        with builder.loop(None, 0, shape_of(flat)[0]) as index:
            builder.insert(memref.StoreOp.get(zero, flat, [builder.value(index)]))
    builder.insert(func.ReturnOp())
    reset = func.FuncOp(name, FunctionType.from_lists([], []), Region(block))
    reset.attributes[RESET] = UnitAttr()
    return reset


def _restore(module: ModuleOp, state: memref.GlobalOp, memory: SSAValue, block: Block) -> None:
    """Append a copy of a state's initial value from a new constant."""
    name = f"{state.sym_name.data}_first"
    type = cast("MemRefType[Any]", state.type)
    constant = memref.GlobalOp.get(StringAttr(name), type, state.initial_value, constant=UnitAttr())
    Rewriter.insert_op(constant, InsertPoint.before(state))
    source = memref.GetGlobalOp(name, type)
    block.add_ops([source, memref.CopyOp(source.memref, memory)])
