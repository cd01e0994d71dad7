"""Edits of the parts of an op: operands, attributes and properties, locations, numbers of constants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    UnknownLoc,
    UnregisteredOp,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttributeDef,
    AttrSizedOperandSegments,
    IRDLOperation,
    OptAttributeDef,
    OptPropertyDef,
    PropertyDef,
    VariadicDef,
)
from xdsl.traits import ConstantLike

from ....dialects.core.nesting import nested_ops
from ....ir import DenseAttr, array_of, dense, has_arrays
from .case import ReductionCase
from .search import Edit
from .stand_ins import visible_values


def operands(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop an operand where the op's definition has any number of them, or none."""
    edits: list[Edit] = []
    for op in case.module.walk():
        edits += [partial(_drop_operand, op, value, name) for value, name in _droppable(op)]
    return edits


def _droppable(op: Operation) -> list[tuple[SSAValue, str]]:
    """Return the operands of variadic and optional definitions, with the names of these."""
    if not isinstance(op, IRDLOperation):
        return [(value, "") for value in op.operands]
    definitions = op.get_irdl_definition().operands
    variadic = [name for name, definition in definitions if isinstance(definition, VariadicDef)]
    return [(value, name) for name in variadic for value in _segment(op, name)]


def _segment(op: Operation, name: str) -> Sequence[SSAValue]:
    """Return the operands of one definition."""
    values: SSAValue | Sequence[SSAValue] | None = getattr(op, name)
    if values is None:
        return ()
    return (values,) if isinstance(values, SSAValue) else values


def _drop_operand(op: Operation, value: SSAValue, name: str) -> None:
    """Drop an operand, its block argument, and its element of the properties that have one for each operand."""
    places = [place for place, other in enumerate(op.operands) if other is value]
    if not places:
        return
    place, count = places[-1], len(op.operands)
    for region in op.regions:
        block = region.first_block
        if block is not None and len(block.args) == count and not block.args[place].uses:
            block.erase_arg(block.args[place])
    for key, attribute in op.properties.items():
        if isinstance(attribute, ArrayAttr) and len(cast("ArrayAttr[Attribute]", attribute)) == count:
            items = cast("ArrayAttr[Attribute]", attribute).data
            op.properties[key] = ArrayAttr([*items[:place], *items[place + 1 :]])
    if isinstance(op, IRDLOperation):
        _shorten_segment(op, name)
    op.operands = [other for index, other in enumerate(op.operands) if index != place]


def _shorten_segment(op: IRDLOperation, name: str) -> None:
    definition = op.get_irdl_definition()
    for option in definition.options:
        if isinstance(option, AttrSizedOperandSegments):
            container = op.properties if option.as_property else op.attributes
            sizes = list(cast("tuple[int, ...]", cast(Any, container[option.attribute_name]).get_values()))
            sizes[[other for other, _ in definition.operands].index(name)] -= 1
            container[option.attribute_name] = DenseArrayBase.from_list(i32, sizes)


def earlier_operands(case: ReductionCase) -> list[Edit]:
    """Return the edits that each replace an operand by the first visible value of its type."""
    edits: list[Edit] = []
    for op in case.module.walk():
        edits += [partial(_use_first, op, index) for index in range(len(op.operands))]
    return edits


def _use_first(op: Operation, index: int) -> None:
    if op.parent is None:
        return
    type = op.operands[index].type
    op.operands[index] = next(value for value in visible_values(op) if value.type == type)


def attributes(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop an attribute or an optional property of an op, or an entry of a dictionary."""
    edits: list[Edit] = []
    for op in case.module.walk():
        edits += [partial(op.attributes.pop, name, None) for name in _optional(op, op.attributes)]
        edits += [partial(op.properties.pop, name, None) for name in _optional(op, op.properties)]
        for container in (op.attributes, op.properties):
            for name, attribute in container.items():
                edits += [partial(_set, container, name, smaller) for smaller in _without_entries(attribute)]
    return edits


def _optional(op: Operation, container: dict[str, Attribute]) -> list[str]:
    """Return the names in a container that the op does not require: a declaration has to stay private."""
    required: set[str] = set()
    if isinstance(op, UnregisteredOp):
        required = {"op_name__"}
    elif op.regions and not op.regions[0].blocks:
        required = {"sym_visibility"}
    if isinstance(op, IRDLOperation):
        definition = op.get_irdl_definition()
        definitions = {**definition.properties, **definition.attributes}
        required |= {name for name, entry in definitions.items() if _is_required(entry)}
    return [name for name in container if name not in required]


def _is_required(entry: PropertyDef | AttributeDef) -> bool:
    return not isinstance(entry, OptPropertyDef | OptAttributeDef) and entry.default_value is None


def _without_entries(attribute: Attribute) -> list[Attribute]:
    """Return dictionaries, or lists of them, each without one entry."""
    match attribute:
        case DictionaryAttr():
            names = list(attribute.data)
            return [_without(attribute, name) for name in names]
        case ArrayAttr():
            items = attribute.data
            smaller = [(place, other) for place, item in enumerate(items) for other in _without_entries(item)]
            return [ArrayAttr([*items[:place], other, *items[place + 1 :]]) for place, other in smaller]
        case _:
            return []


def _without(dictionary: DictionaryAttr, name: str) -> DictionaryAttr:
    return DictionaryAttr({key: value for key, value in dictionary.data.items() if key != name})


def _set(container: dict[str, Attribute], name: str, attribute: Attribute) -> None:
    if name in container:
        container[name] = attribute


def locations(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop the location of an op and of its block arguments."""
    return [partial(_drop_location, op) for op in nested_ops(case.module)]


def _drop_location(op: Operation) -> None:
    op.location = UnknownLoc()
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                argument.location = UnknownLoc()


def unit_indices(case: ReductionCase) -> list[Edit]:
    """Return the edits that each make a constant index above 1 one: loops, of which runs take long, get short."""
    return [partial(_set_index, op, 1) for op, _ in _indices(case)]


def halved_indices(case: ReductionCase) -> list[Edit]:
    """Return the edits that each halve a constant index above 1."""
    return [partial(_set_index, op, number // 2) for op, number in _indices(case)]


def _indices(case: ReductionCase) -> list[tuple[Operation, int]]:
    """Return the ops whose value is an index above 1, with it."""
    values = [(op, op.properties.get("value")) for op in case.module.walk()]
    numbers = [(op, cast("IntegerAttr[Any]", value)) for op, value in values if isinstance(value, IntegerAttr)]
    return [(op, value.value.data) for op, value in numbers if value.type == IndexType() and value.value.data > 1]


def _set_index(op: Operation, number: int) -> None:
    op.properties["value"] = IntegerAttr(number, IndexType())


def numbers(case: ReductionCase) -> list[Edit]:
    """Return the edits that each make a constant simpler: all elements equal, zero, one or half as large."""
    edits: list[Edit] = []
    for op in case.module.walk():
        is_constant = op.has_trait(ConstantLike, value_if_unregistered=False)
        for container in (op.attributes, op.properties):
            for name, attribute in container.items():
                if is_constant or isinstance(attribute, DenseIntOrFPElementsAttr):
                    edits += [
                        partial(_set, container, name, simpler) for simpler in _simpler(cast(Attribute, attribute))
                    ]
    return edits


def _simpler(attribute: Attribute) -> list[Attribute]:
    """Return constants of the same type that are simpler; the simplest one is the last."""
    match attribute:
        case DenseIntOrFPElementsAttr():
            return list(_simpler_tensors(cast(DenseAttr, attribute)))
        case IntegerAttr():
            number = attribute.value.data
            simpler = {number // 2 if number > 0 else -(-number // 2), 1 if number > 1 else 0, 0} - {number}
            return [IntegerAttr(value, cast(Any, attribute.type)) for value in sorted(simpler, key=abs, reverse=True)]
        case FloatAttr():
            number = attribute.value.data
            return [FloatAttr(value, cast(Any, attribute.type)) for value in (1.0, 0.0) if _is_simpler(value, number)]
        case _:
            return []


def _is_simpler(value: float, number: float) -> bool:
    return number != 0.0 and value != number


def _simpler_tensors(constant: DenseAttr) -> list[Attribute]:
    element = constant.get_element_type()
    if not has_arrays(element):
        return []
    array = array_of(constant)
    if array.size == 0 or not array.any():
        return []
    first, zeros = np.full_like(array, array.flat[0]), np.zeros_like(array)
    simpler = [zeros] if np.array_equal(first, array) else [first, zeros]
    return [dense(values, element) for values in simpler]
