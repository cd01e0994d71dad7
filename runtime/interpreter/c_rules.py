"""
Semantics of the statements of `emitc`, as C defines them.

A pointer is a flat array that begins at the element it points to; an lvalue is a `Variable` or an `ArrayElement`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, StringAttr
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType, EmitC_PointerType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ...dialects import emitc
from ...dialects.core.semantics import C_RULES, SCALAR_RULES, Runner, Value, scalar, semantics, storage
from ...errors import Diagnostic
from ...ir import Array, array_of, where
from . import c_scalars
from .arithmetic import attribute_value
from .bits import dtype_of
from .lanes import run_loop_nest
from .memory import check_writable, new_buffer
from .nests import BranchNode, ComputeNode, LoadNode, LoopNode, NestBuilder, Node, NotANest, ScalarNest, StoreNode
from .tensors import point


@dataclass
class Variable:
    """C variable."""

    value: Any


@dataclass
class ArrayElement:
    """Element of an array, as an lvalue."""

    array: Array
    indices: tuple[int, ...]


def is_memory(type_: Attribute) -> bool:
    """Return whether values of a type are arrays or pointers."""
    return isinstance(type_, EmitC_ArrayType | EmitC_PointerType)


def element_type(type_: Attribute) -> Attribute:
    """Return the element type of an array or pointer."""
    if isinstance(type_, EmitC_PointerType):
        return cast(Attribute, type_.pointee_type)
    return cast("EmitC_ArrayType[Any]", type_).get_element_type()


@storage(emitc.GlobalOp)
def _global(op: emitc.GlobalOp) -> Array:
    if not is_memory(op.type):
        raise Diagnostic(f"'{op.name}' is not a global array", where=where(op))
    type_ = cast("EmitC_ArrayType[Any]", op.type)
    return _initialised(type_, op.initial_value, constant=op.const_specifier is not None)


def _initialised(type_: EmitC_ArrayType[Any], value: Attribute | None, *, constant: bool = False) -> Array:
    buffer = new_buffer(type_.get_shape(), dtype_of(type_.get_element_type()))
    if isinstance(value, DenseIntOrFPElementsAttr):
        flat = array_of(cast("DenseIntOrFPElementsAttr[Any]", value))
        buffer[...] = flat.astype(buffer.dtype)
    buffer.flags.writeable = not constant
    return buffer


@semantics(emitc.GetGlobalOp)
def _get_global(runner: Runner, op: emitc.GetGlobalOp, operands: Sequence[Value]) -> list[Array]:
    return [runner.storage(op.name_.string_value())]


@semantics(emitc.VariableOp)
def _variable(runner: Runner, op: emitc.VariableOp, operands: Sequence[Value]) -> list[Any]:
    if is_memory(op.result.type):
        return [_initialised(cast("EmitC_ArrayType[Any]", op.result.type), op.value)]
    return [Variable(_first_value(op))]


@scalar(emitc.VariableOp)
def _first_value(op: emitc.VariableOp) -> Array:
    type_ = cast("EmitC_LValueType", op.result.type).value_type
    if op.value.name == "emitc.opaque":
        return dtype_of(type_).type(0)
    return c_scalars.convert(attribute_value(op.value, op), type_)


@semantics(emitc.LoadOp)
def _load(runner: Runner, op: emitc.LoadOp, operands: Sequence[Value]) -> list[Any]:
    (place,) = operands
    return [place.value if isinstance(place, Variable) else place.array[point(op, place.array, place.indices)]]


@semantics(emitc.AssignOp)
def _assign(runner: Runner, op: emitc.AssignOp, operands: Sequence[Value]) -> list[Any]:
    place, value = operands
    if isinstance(place, Variable):
        place.value = value
        return []
    check_writable(op, place.array)
    place.array[point(op, place.array, place.indices)] = value
    return []


@semantics(emitc.SubscriptOp)
def _subscript(runner: Runner, op: emitc.SubscriptOp, operands: Sequence[Value]) -> list[Any]:
    array, *indices = operands
    return [ArrayElement(array, tuple(int(index) for index in indices))]


@semantics(emitc.ApplyOp)
def _apply(runner: Runner, op: Any, operands: Sequence[Value]) -> list[Any]:
    (place,) = operands
    if op.applicableOperator.data == "*":
        return [place[point(op, place, [0])]]
    if isinstance(place, Variable):
        raise Diagnostic("no interpreter rule for the address of a variable", where=where(op))
    indices = cast(ArrayElement, place).indices
    start = int(np.ravel_multi_index(indices, cast(ArrayElement, place).array.shape))
    return [cast(ArrayElement, place).array.reshape(-1)[start:]]


@semantics(emitc.AddOp)
def _add(runner: Runner, op: Any, operands: Sequence[Value]) -> list[Any]:
    if not is_memory(op.operands[0].type):
        return [SCALAR_RULES[emitc.AddOp](op, *operands)]
    base, offset = operands
    flat = base.reshape(-1)
    if not 0 <= int(offset) <= flat.size:
        raise Diagnostic(
            "a pointer is out of bounds of its buffer",
            where=where(op),
            expected=f"an offset of 0 to {flat.size}",
            found=str(int(offset)),
        )
    return [flat[int(offset) :]]


@semantics(emitc.CastOp)
def _cast(runner: Runner, op: emitc.CastOp, operands: Sequence[Value]) -> list[Any]:
    if not is_memory(op.source.type):
        return [SCALAR_RULES[emitc.CastOp](op, *operands)]
    dtype = dtype_of(element_type(op.result.type))
    flat = operands[0].reshape(-1).view(np.uint8)
    return [flat[: flat.size // dtype.itemsize * dtype.itemsize].view(dtype)]


@semantics(emitc.CallOp)
def _call(runner: Runner, op: emitc.CallOp, operands: Sequence[Value]) -> Sequence[Value]:
    return runner.call(op.callee.string_value(), operands)


@semantics(emitc.CallOpaqueOp)
def _call_opaque(runner: Runner, op: Any, operands: Sequence[Value]) -> list[Any]:
    """Run a function of the runtime headers: on memory, or on numbers."""
    if not c_scalars.is_runtime(op):
        c_scalars.load_rules(op)
        if (rule := C_RULES.get(op.callee.data)) is not None:
            return list(rule(runner, op, *operands))
    return [SCALAR_RULES[emitc.CallOpaqueOp](op, *operands)]


@semantics(emitc.VerbatimOp, emitc.IncludeOp)
def _text(runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Any]:
    """Skip comments; other text has no rule."""
    text = cast(StringAttr, op.properties.get("value", StringAttr(""))).data
    if text and not text.startswith("//"):
        raise Diagnostic(f"no interpreter rule for the text '{text}'", where=where(op))
    return []


@semantics(emitc.IfOp)
def _if(runner: Runner, op: emitc.IfOp, operands: Sequence[Value]) -> list[Any]:
    region = op.then_region if operands[0] else op.else_region
    if region.blocks:
        runner.run_region(region, ())
    return []


@semantics(emitc.DoOp)
def _do(runner: Runner, op: emitc.DoOp, operands: Sequence[Value]) -> list[Any]:
    goes_on: Value = True
    while goes_on:
        runner.spend(op)
        runner.run_region(op.body, ())
        (goes_on,) = runner.run_region(op.condition, ())
    return []


@semantics(emitc.ForOp)
def _for(runner: Runner, op: emitc.ForOp, operands: Sequence[Value]) -> list[Any]:
    lower, upper, step = (int(bound) for bound in operands)
    if step <= 0:
        raise Diagnostic(f"a loop with the step {step} does not end", where=where(op), expected="a step above 0")
    nest = None if runner.is_sequential else runner.cached(op, _nest_of)
    if nest is not None:
        _run_nest(runner, nest)
        return []
    for index in range(lower, upper, step):
        runner.spend(op)
        runner.run_region(op.region, [operands[0].dtype.type(index)])
    return []


def _run_nest(runner: Runner, nest: ScalarNest) -> None:
    values: dict[int, Any] = {}
    for number, value in nest.inputs.items():
        operand = runner.value(value)
        values[number] = operand.value if isinstance(operand, Variable) else operand
    for cell, result in zip(nest.cells, run_loop_nest(nest, values, runner), strict=True):
        runner.value(cell).value = result


def _nest_of(op: emitc.ForOp) -> ScalarNest | None:
    builder = _CBuilder()
    try:
        loop = builder.c_loop(op)
    except NotANest:
        return None
    return ScalarNest(loop, builder.inputs, builder.types, builder.deepest, builder.assigned(op))


class _CBuilder(NestBuilder):
    """Builder of nests from C statements; a variable maps to the number of its current value."""

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[SSAValue, tuple[int, list[int]]] = {}

    def node(self, op: Operation) -> Iterator[Node]:
        match op:
            case emitc.ForOp():
                yield self.c_loop(op)
            case emitc.IfOp():
                yield self.c_branch(op)
            case emitc.VariableOp():
                yield from self._declare(op)
            case emitc.SubscriptOp():
                self.places[op.result] = self.use(op.value), [self.use(index) for index in op.indices]
            case emitc.LoadOp() if _is_variable(op.operand):
                self.numbers[op.result] = self.use(op.operand)
            case emitc.LoadOp():
                buffer, indices = self._place(op.operand)
                yield LoadNode(op, buffer, indices, self.new(op.result))
            case emitc.AssignOp() if _is_variable(op.var):
                self.use(op.var)
                self.numbers[op.var] = self.use(op.value)
            case emitc.AssignOp():
                buffer, indices = self._place(op.var)
                yield StoreNode(op, buffer, indices, self.use(op.value))
            case _ if any(is_memory(value.type) for value in [*op.operands, *op.results]):
                raise NotANest(op.name)
            case _:
                yield from super().node(op)

    def fresh(self, type_: Attribute) -> int:
        value_type = type_.value_type if isinstance(type_, EmitC_LValueType) else type_
        return super().fresh(value_type)

    def _place(self, value: SSAValue) -> tuple[int, list[int]]:
        if value not in self.places:
            raise NotANest("an element from outside")
        return self.places[value]

    def _declare(self, op: emitc.VariableOp) -> Iterator[Node]:
        if is_memory(op.result.type):
            raise NotANest(op.name)
        yield ComputeNode(op, [], [self.new(op.result)])

    def assigned(self, op: Operation) -> list[SSAValue]:
        """Return the outer variables that an op's regions assign."""
        inner = {value for child in op.walk() if isinstance(child, emitc.VariableOp) for value in child.results}
        targets = [child.var for child in op.walk() if isinstance(child, emitc.AssignOp) and _is_variable(child.var)]
        return [value for value in dict.fromkeys(targets) if value not in inner]

    def c_loop(self, op: emitc.ForOp) -> LoopNode:
        """Convert `emitc.for`."""
        cells = self.assigned(op)
        bounds = [self.use(value) for value in (op.lower_bound, op.upper_bound, op.step)]
        inits = [self.use(cell) for cell in cells]
        index = self.new(op.region.block.args[0])
        args = [self.new(cell) for cell in cells]
        loop = LoopNode(op, bounds[0], bounds[1], bounds[2], index, inits, args, [], self.depth)
        self.enter(lambda: loop.body.extend(self.block(op.region.block)))
        loop.yields = [self.numbers[cell] for cell in cells]
        loop.outs = [self.new(cell) for cell in cells]
        return loop

    def c_branch(self, op: emitc.IfOp) -> BranchNode:
        """Convert `emitc.if`."""
        cells = self.assigned(op)
        condition = self.use(op.condition)
        before = [self.use(cell) for cell in cells]
        first = self._side(op.then_region, cells, before)
        second = self._side(op.else_region, cells, before)
        outs = [self.new(cell) for cell in cells]
        return BranchNode(op, condition, (first[0], second[0]), (first[1], second[1]), outs)

    def _side(self, region: Region, cells: Sequence[SSAValue], before: Sequence[int]) -> tuple[list[Node], list[int]]:
        self.numbers.update(zip(cells, before, strict=True))
        nodes = self.block(region.block) if region.blocks else []
        return nodes, [self.numbers[cell] for cell in cells]


def _is_variable(value: SSAValue) -> bool:
    return isinstance(value.owner, emitc.VariableOp)
