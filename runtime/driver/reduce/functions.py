"""Edits of functions: their bodies, results and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import SymbolOpInterface

from ....dialects.core.nesting import nested_ops
from .case import ReductionCase
from .search import Edit
from .stand_ins import (
    erase_unused,
    first_of_type,
    functions_of,
    is_attached,
    is_function,
    is_referenced,
    is_terminator,
    referenced_symbols,
)

_T = TypeVar("_T")


def symbols(case: ReductionCase) -> list[Edit]:
    """Return the edits that each erase a function, a global or another op of the module's own block."""
    return [partial(erase_unused, op, case.module) for op in case.module.body.ops if not is_terminator(op)]


def bodies(case: ReductionCase) -> list[Edit]:
    """Return the edits that each make a function a declaration."""
    return [partial(_declare, op) for op in case.module.body.ops if is_function(op)]


def _declare(function: Operation) -> None:
    region = function.regions[0]
    for block in reversed(list(region.blocks)):
        region.erase_block(block, safe_erase=False)
    if function.has_trait(SymbolOpInterface, value_if_unregistered=False):
        function.properties["sym_visibility"] = StringAttr("private")


def _free_functions(module: ModuleOp) -> list[Operation]:
    """Return the functions whose type may change: those that nothing calls."""
    names = referenced_symbols(module)
    return [function for function in functions_of(module) if not is_referenced(function, names)]


def returned_values(case: ReductionCase) -> list[Edit]:
    """
    Return the edits that each let a function of one block return a value of that block alone.

    What follows the value in the block is erased as far as it is unused. The earliest values come last. A function with
    one result gets an earlier value.
    """
    edits: list[Edit] = []
    for function in _free_functions(case.module):
        values = _returnable(function)
        edits += [partial(_return_alone, function, value) for value in reversed(values)]
    return edits


def _returnable(function: Operation) -> list[SSAValue]:
    blocks = list(function.regions[0].blocks)
    outputs = cast(FunctionType, function.properties["function_type"]).outputs
    last = blocks[0].last_op
    if len(blocks) != 1 or last is None or not is_terminator(last) or len(last.operands) != len(outputs):
        return []
    values: list[SSAValue] = [result for op in blocks[0].ops for result in op.results]
    if len(outputs) > 1:
        return values
    return values[: values.index(last.operands[0])] if outputs and last.operands[0] in values else []


def _return_alone(function: Operation, value: SSAValue) -> None:
    definition = value.owner
    if not isinstance(definition, Operation) or definition.parent is None or not is_attached(definition, function):
        return
    last = definition.parent.last_op
    assert last is not None
    last.operands = (value,)
    _set_type(function, _inputs(function), [value.type])
    function.properties.pop("res_attrs", None)
    op = last.prev_op
    while op is not None and op is not definition:
        before = op.prev_op
        erase_unused(op, function)
        op = before


def inlined_calls(case: ReductionCase) -> list[Edit]:
    """Return the edits that each put the body of a function of one block in the place of its only call."""
    bodies = {_symbol(op): op for op in case.module.body.ops if is_function(op) and len(op.regions[0].blocks) == 1}
    calls: dict[str, list[Operation]] = {}
    for op in nested_ops(case.module):
        callees = [value for value in op.properties.values() if isinstance(value, SymbolRefAttr)]
        for name in {callee.root_reference.data for callee in callees}:
            calls.setdefault(name, []).append(op)
    pairs = [(users[0], bodies[name]) for name, users in calls.items() if len(users) == 1 and name in bodies]
    return [partial(_inline_call, call, function) for call, function in pairs]


def _symbol(op: Operation) -> str:
    name = op.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def _inline_call(call: Operation, function: Operation) -> None:
    block, last = function.regions[0].blocks[0], function.regions[0].blocks[0].last_op
    if call.parent is None or last is None or is_attached(call, function):
        return
    if [*call.operand_types] != [*block.arg_types] or [*call.result_types] != [*last.operand_types]:
        return
    for argument, operand in zip(block.args, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    for result, value in zip(call.results, last.operands, strict=True):
        result.replace_all_uses_with(value)
    for op in [op for op in block.ops if op is not last]:
        op.detach()
        call.parent.insert_op_before(op, call)
    for op in (call, function):
        op.detach()
        op.erase(safe_erase=False)


def results(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop a result of a function."""
    edits: list[Edit] = []
    for function in _free_functions(case.module):
        returned = _returns(function)
        count = len(cast(FunctionType, function.properties["function_type"]).outputs)
        if returned and all(len(op.operands) == count for op in returned):
            edits += [partial(_drop_result, function, index) for index in range(count)]
    return edits


def _returns(function: Operation) -> list[Operation]:
    last = [block.last_op for block in function.regions[0].blocks]
    return [op for op in last if op is not None and is_terminator(op) and not op.successors]


def _drop_result(function: Operation, index: int) -> None:
    for op in _returns(function):
        op.operands = _without(op.operands, index)
    outputs = cast(FunctionType, function.properties["function_type"]).outputs.data
    _set_type(function, _inputs(function), _without(outputs, index))
    _drop_attributes(function, "res_attrs", index)


def arguments(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop an argument of a function, for which an earlier one of its type stands in."""
    edits: list[Edit] = []
    for function in _free_functions(case.module):
        entry = function.regions[0].blocks[0]
        edits += [partial(_drop_argument, function, entry, argument) for argument in entry.args]
    return edits


def _drop_argument(function: Operation, entry: Block, argument: BlockArgument) -> None:
    index = argument.index
    if argument.uses:
        other = first_of_type(entry.args[:index], argument.type)
        if other is None:
            return
        argument.replace_all_uses_with(other)
    entry.erase_arg(argument)
    functional = cast(FunctionType, function.properties["function_type"])
    _set_type(function, _without(functional.inputs.data, index), functional.outputs.data)
    _drop_attributes(function, "arg_attrs", index)


def _drop_attributes(function: Operation, name: str, index: int) -> None:
    """Drop the attributes of an argument or result; where the others have none, the list goes."""
    attributes = function.properties.get(name)
    if not isinstance(attributes, ArrayAttr):
        return
    rest = _without(cast("ArrayAttr[DictionaryAttr]", attributes).data, index)
    if any(attribute.data for attribute in rest):
        function.properties[name] = ArrayAttr(rest)
    else:
        del function.properties[name]


def _inputs(function: Operation) -> Sequence[Attribute]:
    return cast(FunctionType, function.properties["function_type"]).inputs.data


def _set_type(function: Operation, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    function.properties["function_type"] = FunctionType.from_lists(list(inputs), list(outputs))


def _without(items: Sequence[_T], index: int) -> list[_T]:
    return [*items[:index], *items[index + 1 :]]
