"""Values that stand in for others of the same type: visible ones, zero constants, new function arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator

from ....dialects.core.nesting import nested_ops
from ....ir import has_arrays


def is_terminator(op: Operation) -> bool:
    """Return whether an op is known to end its block."""
    return op.has_trait(IsTerminator, value_if_unregistered=False) or bool(op.successors)


def is_attached(op: Operation, root: Operation) -> bool:
    """Return whether an op is still inside of a root, no edit having erased it or an op around it."""
    inner: Operation | None = op
    while inner is not None and inner is not root:
        inner = inner.parent_op()
    return inner is root


def is_function(op: Operation) -> bool:
    """Return whether an op is a function with a body whose type is builtin's."""
    return isinstance(op.properties.get("function_type"), FunctionType) and bool(op.regions and op.regions[0].blocks)


def functions_of(module: ModuleOp) -> list[Operation]:
    """Return the functions of a module that have a body, of any dialect."""
    return [op for op in nested_ops(module) if is_function(op)]


def referenced_symbols(module: ModuleOp) -> set[str]:
    """Return the names that attributes of ops refer to."""
    names: set[str] = set()
    pending: list[Attribute] = []
    for op in nested_ops(module):
        pending += [*op.properties.values(), *op.attributes.values()]
    while pending:
        attribute = pending.pop()
        if isinstance(attribute, SymbolRefAttr):
            names.add(attribute.root_reference.data)
        elif isinstance(attribute, ArrayAttr):
            pending += cast("ArrayAttr[Attribute]", attribute).data
    return names


def is_referenced(op: Operation, names: set[str]) -> bool:
    """Return whether the symbol of an op is among the names."""
    name = op.properties.get("sym_name")
    return isinstance(name, StringAttr) and name.data in names


def visible_values(op: Operation) -> list[SSAValue]:
    """Return the values defined before an op, those of the outermost block first."""
    blocks: list[list[SSAValue]] = []
    inner: Operation | None = op
    while inner is not None and (block := inner.parent) is not None:
        blocks.append(_defined_before(inner, block))
        inner = block.parent_op()
        if inner is not None and inner.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            break
    return [value for values in reversed(blocks) for value in values]


def _defined_before(op: Operation, block: Block) -> list[SSAValue]:
    values: list[SSAValue] = [*block.args]
    earlier = block.first_op
    while earlier is not None and earlier is not op:
        values += earlier.results
        earlier = earlier.next_op
    return values


def first_of_type(values: Sequence[SSAValue], type: Attribute) -> SSAValue | None:
    """Return the first of some values with a type."""
    return next((value for value in values if value.type == type), None)


def zero(type: Attribute) -> Operation | None:
    """Return a constant zero of a type, None for types whose values no `arith.constant` holds."""
    match type:
        case IntegerType() | IndexType():
            return ConstantOp(IntegerAttr(0, cast(Any, type)))
        case TensorType() | VectorType():
            shaped = cast("TensorType[Any]", type)
            element = shaped.get_element_type()
            if not isinstance(element, IntegerType | IndexType | AnyFloat) or not has_arrays(cast(Attribute, element)):
                return None
            number = 0.0 if isinstance(element, AnyFloat) else 0
            return ConstantOp(DenseIntOrFPElementsAttr.from_list(cast(Any, type), [number]))
        case _:
            return ConstantOp(FloatAttr(0.0, cast(Any, type))) if isinstance(type, AnyFloat) else None


def constant_before(op: Operation, type: Attribute) -> SSAValue | None:
    """Insert a constant zero of a type before an op."""
    constant = zero(type)
    if constant is None or op.parent is None:
        return None
    op.parent.insert_op_before(constant, op)
    return constant.results[0]


def argument_of(op: Operation, type: Attribute) -> SSAValue | None:
    """Add an argument of a type to the function around an op; None where there is no function."""
    function = op.parent_op()
    while function is not None and not is_function(function):
        function = function.parent_op()
    if function is None:
        return None
    entry = function.regions[0].blocks[0]
    argument = entry.insert_arg(type, len(entry.args))
    functional = cast(FunctionType, function.properties["function_type"])
    function.properties["function_type"] = FunctionType.from_lists(
        [*functional.inputs.data, type], [*functional.outputs.data]
    )
    if isinstance(attributes := function.properties.get("arg_attrs"), ArrayAttr):
        listed = cast("ArrayAttr[Attribute]", attributes).data
        function.properties["arg_attrs"] = ArrayAttr([*listed, DictionaryAttr({})])
    return argument


def stand_in(op: Operation, type: Attribute) -> SSAValue | None:
    """Return a value of a type to use before an op: a visible one, else a zero, else a new argument."""
    visible = first_of_type(visible_values(op), type)
    return visible or constant_before(op, type) or argument_of(op, type)


def erase_unused(op: Operation, root: Operation) -> None:
    """Erase an op of a root whose results are not used."""
    if is_attached(op, root) and op is not root and not any(result.uses for result in op.results):
        op.detach()
        op.erase(safe_erase=False)
