"""Integer type inference for networks with integers encoded as floats."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ..dialects.core.analysis.intervals import Range
from ..dialects.ml_program import GlobalLoadOp, definition_of, loads_of
from ..dialects.onnx.registry import mentions
from ..dialects.onnx.schema import OnnxOp, is_constant, make
from ..errors import Diagnostic
from ..ir import (
    array_of,
    dense,
    element_of,
    functions,
    integer_width,
    numbers_of,
    set_argument_attributes,
    shape_of,
    where,
)
from .core.base import Pass
from .lowering.index_ranges import RANGE, bound_indices
from .lowering.integer_ranges import QUANTIZERS, RULES, Operand, Outcome, RangeRule
from .lowering.integer_values import (
    cast_before,
    cast_results,
    constant_values,
    is_integral,
    range_of_type,
    retyped,
    storage,
    ui64,
)
from .lowering.lowerer import is_lowered

_CONVERTERS = ("onnx.BitCast", "onnx.Cast", "onnx.DecodeFloat", "onnx.DequantizeLinear")
"""Operators that convert integers to floats."""
EXACT_IN_FLOAT = Range(-(1 << 24), 1 << 24)
"""Integers that f32 represents exactly: the value range of a float-encoded input of undeclared type."""


@dataclass
class _Inference:
    """State of the analysis of one function."""

    function: func.FuncOp
    demanded: set[SSAValue] = field(default_factory=set[SSAValue])
    ranges: dict[SSAValue, Range] = field(default_factory=dict[SSAValue, Range])
    constants: dict[tuple[SSAValue, Attribute], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Attribute], SSAValue]
    )

    def ops(self) -> Iterator[OnnxOp]:
        return (op for op in list(self.function.body.block.ops) if isinstance(op, OnnxOp))


def infer_integer_types(function: func.FuncOp) -> None:
    """
    Infer the smallest sufficient integer type of every integer value in a function of onnx ops, by range analysis.

    Sources are arguments with an integer `onnx.type` or a `tilewright.range`, operands and results of quantised
    operators, constants by value, and standard operators on integers. A state has the range of its stores and 0. An
    integer argument without a type has the range that f32 represents exactly. Each op gets `range` (of its result),
    `accumulator` (type of its arithmetic), and `wraps` if a declared integer type may overflow, as ONNX defines.

    A function below the graph level is unchanged. Raises Diagnostic for a non-integer operand of a quantised operator,
    and for a range beyond 64 bits.
    """
    if is_lowered(function):
        return
    state = _Inference(function)
    bound_indices(function)
    _demand(state)
    _type_arguments(state)
    _type_block(state, function.body.block)
    _type_results(state)
    for value in {constant for constant, _ in state.constants}:
        if not value.uses and isinstance(value, OpResult):
            Rewriter.erase_op(value.op)


def _demand(state: _Inference) -> None:
    """Propagate the demand for integers backward from consumers."""
    for op in reversed(list(state.ops())):
        rule = RULES.get(op.name)
        if rule is None or not rule.gives_integers(op):
            continue
        if rule.integers_only or any(result in state.demanded for result in op.results):
            state.demanded.update(rule.operands(op))


def _type_arguments(state: _Inference) -> None:
    attributes = (
        list(state.function.arg_attrs.data)
        if state.function.arg_attrs
        else [DictionaryAttr({}) for _ in state.function.args]
    )
    for index, argument in enumerate(list(state.function.body.block.args)):
        if not isinstance(argument.type, TensorType):
            continue
        declared = attributes[index].data.get("onnx.type")
        type, range = _argument_type(argument, declared, demanded=argument in state.demanded)
        if range is None:
            continue
        if (limits := attributes[index].data.get(RANGE)) is not None:
            range = Range(*numbers_of(limits))
        if range == EXACT_IN_FLOAT and declared is None:
            _warn_of_undeclared(attributes[index].data.get("onnx.name"))
        new = argument if type == element_of(argument) else retyped(argument, type)
        state.ranges[new] = range
        narrow = isinstance(declared, StringAttr) and range != range_of_type(type) and range != EXACT_IN_FLOAT
        narrow = narrow and limits is None
        name = declared if narrow else StringAttr(str(type))
        attributes[index] = DictionaryAttr(attributes[index].data | {"onnx.type": name})
    set_argument_attributes(state.function, attributes)


def _warn_of_undeclared(name: Attribute | None) -> None:
    if isinstance(name, StringAttr):
        remedy = f"--input-type {name.data}=i8 (or ui8, ...) says which it holds, and makes products with it faster"
        text = f'input "{name.data}": warning: any integer of 25 bits is expected, since floats are declared; {remedy}'
        warnings.warn(text, stacklevel=2)


def _argument_type(argument: SSAValue, declared: Attribute | None, *, demanded: bool) -> tuple[Attribute, Range | None]:
    """Return the type of an argument, at least 8 bits wide, and its value range if it is an integer."""
    if (range := range_of_type(element_of(argument))) is not None:
        return element_of(argument), range
    if isinstance(declared, StringAttr) and declared.data == "int":
        return i32, EXACT_IN_FLOAT
    if isinstance(declared, StringAttr) and declared.data.strip("ui").isdigit():
        width = int(declared.data.strip("ui"))
        sign = Signedness.UNSIGNED if declared.data.startswith("u") else Signedness.SIGNLESS
        return IntegerType(max(width, 8), sign), range_of_type(IntegerType(width, sign))
    return (i32, EXACT_IN_FLOAT) if demanded else (element_of(argument), None)


@mentions("TensorScatter")
def _type_state(state: _Inference, load: GlobalLoadOp) -> None:
    """Set the type of a state to the smallest that holds its stores and 0, if all stores are integers."""
    definition = definition_of(load, load.symbol)
    assert definition is not None
    declared = range_of_type(element_of(load.result))
    if declared is not None:
        state.ranges[load.result] = declared
        return
    scatter = next((use.operation for use in load.result.uses if use.operation.name == "onnx.TensorScatter"), None)
    rows = state.ranges.get(scatter.operands[1]) if scatter is not None else None
    if rows is None:
        return
    stored = rows | Range(0, 0)
    state_range = range_of_type(cast(Any, definition.type).get_element_type())
    if state_range is not None and stored not in state_range:
        raise Diagnostic(
            f"two functions write different ranges to the state @{load.symbol}",
            where=where(load),
            expected=f"integers from {state_range.low} to {state_range.high}, as the other function writes them",
            found=f"from {stored.low} to {stored.high}",
            remedy="export both from one quantised model",
        )
    element = storage(stored) if state_range is None else cast(Any, definition.type).get_element_type()
    new = retyped(load.result, element)
    # Another function may write any value of the type.
    state.ranges[new] = stored if len(loads_of(load, load.symbol)) == 1 else cast(Range, range_of_type(element))
    definition.properties["type"] = new.type
    definition.properties["value"] = dense(array_of(cast(Any, definition.value)), element)


def _type_block(state: _Inference, block: Block) -> None:
    for op in list(block.ops):
        if isinstance(op, GlobalLoadOp):
            _type_state(state, op)
        elif isinstance(op, OnnxOp) and op.regions:
            _type_graphs(state, op)
        elif isinstance(op, OnnxOp):
            _type_op(state, op)


@mentions("Loop")
def _type_graphs(state: _Inference, op: OnnxOp) -> None:
    """Infer types in an op's subgraphs; their inputs and outputs have the types that the model declares."""
    kinds = [element_of(result) for result in op.results]
    for region in op.regions:
        block = region.block
        # The iteration number and condition of a Loop are not operands.
        taken = block.args[2:] if op.name == "onnx.Loop" else block.args
        for position, argument in enumerate(taken, len(op.operands) - len(taken)):
            if element_of(op.operands[position]) != element_of(argument):
                op.operands[position] = cast_before(op, op.operands[position], element_of(argument))
        for argument in block.args:
            if (range := range_of_type(element_of(argument))) is not None:
                state.ranges[argument] = range
        _type_block(state, block)
        terminator = block.last_op
        assert terminator is not None
        outputs = list(terminator.operands)
        conditions = [i1] * (len(outputs) - len(kinds))
        for index, (value, kind) in enumerate(zip(outputs, [*conditions, *kinds], strict=True)):
            if element_of(value) != kind:
                terminator.operands[index] = cast_before(terminator, value, kind)
    _take_types(state, op)


def _type_op(state: _Inference, op: OnnxOp) -> None:
    rule = RULES.get(op.name)
    data = rule.operands(op) if rule is not None else list(op.operands)
    if op.name in QUANTIZERS:
        outcome = QUANTIZERS[op.name](op, [])
        state.ranges[retyped(op.results[0], storage(outcome.result, op))] = outcome.result
    elif rule is not None and _works_on_integers(state, op, rule, data):
        _type_integer_op(state, op, rule, data)
    elif op.name == "onnx.Cast" and op.results[0] in state.demanded and _carries(state, op):
        # A quantised operator takes integers, whatever type carries them.
        Rewriter.replace_op(op, [], [op.operands[0]])
    elif not is_constant(op):
        _keep_floats(state, op, data)
        _take_types(state, op)


def _carries(state: _Inference, op: OnnxOp) -> bool:
    """Return whether a Cast of integers changes the type that carries them alone, and is not to a narrower one."""
    source, target = (integer_width(element_of(value)) for value in (op.operands[0], op.results[0]))
    return op.operands[0] in state.ranges and not (source and target and target < source)


def _works_on_integers(state: _Inference, op: OnnxOp, rule: RangeRule, operands: Sequence[SSAValue]) -> bool:
    """
    Return whether all data operands are integers and at least one is known to be.

    Excludes unsigned 64-bit integers, whose range exceeds every accumulator, and products with a fraction.
    """
    if any(element_of(value) == ui64 for value in operands) or not rule.gives_integers(op):
        return False
    wanted = rule.integers_only or any(result in state.demanded for result in op.results)
    strangers = [value for value in operands if value not in state.ranges and not is_integral(value)]
    if wanted and strangers:
        source, values = strangers[0].owner, constant_values(strangers[0])
        if values is not None:
            odd = next(value for value in values.flat if not np.isfinite(value) or value != np.floor(value))
            raise Diagnostic(
                f"'{op.name}' needs integers, the constant that is operand {operands.index(strangers[0])} holds others",
                where=where(op),
                found=f"{odd} in {where(source) if isinstance(source, OnnxOp) else 'a constant'}",
                remedy="quantise the weights, or export the network again",
            )
        raise Diagnostic(
            f"'{op.name}' needs integers, operand {operands.index(strangers[0])} holds other numbers",
            where=where(op),
            found=f"the result of {where(source)}" if isinstance(source, OnnxOp) else "an input of a float type",
            remedy="declare the input's type with --input-type, or quantise the tensor before it",
        )
    return wanted or (not strangers and any(value in state.ranges for value in operands))


def _type_integer_op(state: _Inference, op: OnnxOp, rule: RangeRule, data: Sequence[SSAValue]) -> None:
    outcome = rule.transfer(op, [_known(state, op, value) for value in data])
    original = element_of(op.results[0])
    declared = range_of_type(original)
    fits = declared is None or (outcome.result in declared and outcome.partial in Range.of_bits(64, signed=True))
    if declared is not None and not rule.integers_only and not fits:
        # ONNX arithmetic on integer tensors wraps around in their type.
        outcome = Outcome(declared, declared)
        op.attributes["wraps"] = UnitAttr()
    # The result of a quantised operator may exceed the declared type, to which it is then converted.
    kept = declared is not None and (not rule.integers_only or outcome.result in declared)
    type = original if kept else _result_type(op, rule, data[0], outcome)
    _bind_operands(state, op, rule, data, type)
    op.attributes["range"] = DenseArrayBase.from_list(i64, [outcome.result.low, outcome.result.high])
    width = max(32, integer_width(type) or 0)
    op.attributes["accumulator"] = storage(outcome.partial | outcome.result, op, at_least=width)
    for result in list(op.results):
        if element_of(result) != original:  # indices
            state.ranges[result] = range_of_type(element_of(result)) or EXACT_IN_FLOAT
            continue
        new = result if element_of(result) == type else retyped(result, type)
        state.ranges[new] = outcome.result
        if declared is not None and not kept:
            state.ranges[cast_results(new, original)] = declared


def _take_types(state: _Inference, op: OnnxOp) -> None:
    """Set the range of results of declared integer types to that of the type."""
    for result in op.results:
        range = range_of_type(element_of(result)) if isinstance(result.type, TensorType) else None
        if range is not None:
            state.ranges[result] = range


def _known(state: _Inference, op: OnnxOp, value: SSAValue) -> Operand:
    if value in state.ranges:
        return Operand(state.ranges[value], shape_of(value))
    values = constant_values(value)
    return Operand(Range.of_array(values), shape_of(value), values)


def _result_type(op: OnnxOp, rule: RangeRule, first: SSAValue, outcome: Outcome) -> Attribute:
    if rule.keeps_type and range_of_type(element_of(first)) is not None:
        return element_of(first)
    return storage(outcome.result, op, at_least=32 if rule.accumulates else 8)


def _bind_operands(state: _Inference, op: OnnxOp, rule: RangeRule, data: Sequence[SSAValue], type: Attribute) -> None:
    """Cast constant operands to integer types, and the operands of a concatenation to the result's type."""
    for index, value in enumerate(op.operands):
        if value not in data:
            continue
        if value not in state.ranges:
            wanted = type if rule.joins or rule.keeps_type else None
            op.operands[index] = _typed_constant(state, value, wanted)
        elif rule.joins and element_of(value) != type:
            op.operands[index] = cast_before(op, value, type)


def _typed_constant(state: _Inference, value: SSAValue, type: Attribute | None) -> SSAValue:
    values = constant_values(value)
    type = type or (
        element_of(value) if range_of_type(element_of(value)) is not None else storage(Range.of_array(values))
    )
    if type == element_of(value):
        return value
    key = value, type
    if key not in state.constants:
        source = cast(OnnxOp, value.owner)
        attribute = dense(values, type)
        constant = make(source.__class__, [], [attribute.type], {"value": attribute})
        constant.location = source.location
        constant.results[0].name_hint = value.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(source))
        state.constants[key] = constant.results[0]
    return state.constants[key]


@mentions(*_CONVERTERS)
def _keep_floats(state: _Inference, op: OnnxOp, data: Sequence[SSAValue]) -> None:
    """Insert casts to float before float operators with an operand that became an integer."""
    carriers = set(data)
    for index, value in enumerate(op.operands):
        became_integer = value in carriers and value in state.ranges and _takes_floats(op, value)
        if became_integer and element_of(op.results[0]) == f32 and op.name not in _CONVERTERS:
            op.operands[index] = cast_before(op, value, f32)


def _takes_floats(op: OnnxOp, value: SSAValue) -> bool:
    """Return whether the ONNX schema permits floats for an operand; lengths and indices are always integers."""
    inputs = op.SCHEMA.inputs
    positions = [min(i, len(inputs) - 1) for i, operand in enumerate(op.node_inputs) if operand is value]
    return any("tensor(float)" in inputs[position].types for position in positions)


def _type_results(state: _Inference) -> None:
    """Update the function's signature to the types of its values; declared integer result types are kept."""
    terminator = state.function.body.block.last_op
    assert terminator is not None
    declared = state.function.function_type.outputs.data
    attributes = (
        list(state.function.res_attrs.data) if state.function.res_attrs else [DictionaryAttr({}) for _ in declared]
    )
    for index, (value, wanted) in enumerate(zip(terminator.operands, declared, strict=True)):
        if not isinstance(value.type, TensorType):
            continue
        element = cast(Any, wanted).get_element_type()
        if value in state.ranges and range_of_type(element) is not None and element != element_of(value):
            terminator.operands[index] = cast_before(terminator, value, element)
        attributes[index] = DictionaryAttr(
            attributes[index].data | {"onnx.type": StringAttr(str(element_of(terminator.operands[index])))}
        )
    state.function.properties["res_attrs"] = ArrayAttr(attributes)
    arguments = [argument.type for argument in state.function.body.block.args]
    state.function.properties["function_type"] = FunctionType.from_lists(
        arguments, [value.type for value in terminator.operands]
    )


@dataclass(frozen=True)
class InferIntegerTypesPass(Pass):
    """
    Infer the integer types of a network whose integers are encoded as floats.

    A range analysis over the onnx ops, from the weights' values, the quantised operators' attributes and the inputs'
    declared types (`onnx.type` on the arguments; `--input-type x=ui8`), never from sample inputs. Purely floating-point
    networks are unchanged.
    """

    name = "infer-integer-types"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            infer_integer_types(function)
