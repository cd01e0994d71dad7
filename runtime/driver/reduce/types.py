"""
Edits of types in the whole module at once: sizes of dimensions, element types, layouts and memory spaces.

A size is changed wherever a type or a list of sizes has it, so that producers and consumers agree. Two sizes are
changed in step where one depends on the other, as those of an input and an output of a convolution do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float64Type,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    TensorType,
    VectorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.rewriter import Rewriter

from ....dialects.core.nesting import nested_ops
from ....ir import DenseAttr, array_of, dense, numpy_type
from .case import ReductionCase
from .search import Edit

_Shaped: TypeAlias = TensorType[Any] | MemRefType[Any] | VectorType[Any]
_SHAPED = (TensorType, MemRefType, VectorType)
_MOST_PAIRED = 10
"""Different sizes up to which all pairs are tried: 10 sizes have 90 ordered pairs, 360 edits."""


@dataclass
class _TypeMap:
    """Mapping of attributes: `sizes` of dimensions, or `change` of a type, applied at any depth."""

    sizes: Mapping[int, int] = field(default_factory=dict[int, int])
    numbers: bool = False
    """Sizes stand for those in lists and index constants, too."""
    change: Callable[[Attribute], Attribute] = field(default=lambda attribute: attribute)
    _memo: dict[Attribute, Attribute] = field(default_factory=dict[Attribute, Attribute])

    def apply(self, attribute: Attribute) -> Attribute:
        """Return the attribute with all types in it mapped."""
        mapped = self._memo.get(attribute)
        if mapped is None:
            mapped = self._memo[attribute] = self.change(self._map(attribute))
        return mapped

    def _map(self, attribute: Attribute) -> Attribute:
        match attribute:
            case DenseIntOrFPElementsAttr():
                return self._dense(cast(DenseAttr, attribute))
            case DenseArrayBase():
                return self._list(attribute)
            case IntegerAttr() if self.numbers and isinstance(attribute.type, IndexType):
                return IntegerAttr(self._size(attribute.value.data), cast(Any, attribute.type))
            case ArrayAttr():
                return ArrayAttr([self.apply(item) for item in attribute.data])
            case DictionaryAttr():
                return DictionaryAttr({name: self.apply(item) for name, item in attribute.data.items()})
            case TensorType() | MemRefType() | VectorType():
                return self._shaped(cast(_Shaped, attribute))
            case ParametrizedAttribute() if attribute.parameters:
                return type(attribute).new([self.apply(parameter) for parameter in attribute.parameters])
            case _:
                return attribute

    def _shaped(self, shaped: _Shaped) -> Attribute:
        shape = ArrayAttr([IntAttr(self._size(size)) for size in shaped.get_shape()])
        parameters = [shape if item == shaped.shape else self.apply(item) for item in shaped.parameters]
        return type(shaped).new(parameters)

    def _size(self, size: int) -> int:
        return self.sizes.get(size, size)

    def _list(self, numbers: DenseArrayBase[Any]) -> Attribute:
        values: tuple[int, ...] = numbers.get_values()
        if not self.numbers or numbers.elt_type != i64:
            return numbers
        return DenseArrayBase.from_list(i64, [self._size(value) for value in values])

    def _dense(self, constant: DenseAttr) -> Attribute:
        """Map the type of a constant; it keeps the first elements along each dimension."""
        mapped = cast(_Shaped, self.apply(constant.get_type()))
        if mapped == constant.get_type():
            return constant
        array = array_of(constant)[tuple(slice(size) for size in mapped.get_shape())]
        return _of_type(dense(array.astype(numpy_type(mapped.get_element_type())), mapped.get_element_type()), mapped)


def _of_type(constant: DenseAttr, type: _Shaped) -> Attribute:
    return DenseIntOrFPElementsAttr(cast(Any, type), constant.data)


def _rewrite(case: ReductionCase, types: _TypeMap) -> None:
    """Apply a map to all ops, results and block arguments. Raises what constructors raise where one refuses it."""
    for op in nested_ops(case.module):
        for container in (op.properties, op.attributes):
            for name, attribute in container.items():
                container[name] = types.apply(attribute)
        for value in [*op.results, *(argument for block in _blocks(op) for argument in block.args)]:
            mapped = types.apply(value.type)
            if mapped is not value.type and mapped != value.type:
                Rewriter.replace_value_with_new_type(value, mapped)


def _blocks(op: Operation) -> list[Any]:
    return [block for region in op.regions for block in region.blocks]


def _types(case: ReductionCase) -> list[Attribute]:
    """Return the types of all results and block arguments, each once, in the order of the module."""
    types: dict[Attribute, None] = {}
    for op in nested_ops(case.module):
        values = [*op.results, *(argument for block in _blocks(op) for argument in block.args)]
        types.update(dict.fromkeys([value.type for value in values]))
    return list(types)


def _sizes(case: ReductionCase) -> list[int]:
    """Return the static sizes above 1 of the types, the largest last."""
    shaped = [cast(_Shaped, type) for type in _types(case) if isinstance(type, _SHAPED)]
    return sorted({size for type in shaped for size in type.get_shape() if size > 1})


def sizes(case: ReductionCase) -> list[Edit]:
    """Return the edits that each make a size 1 or half as large, in types alone or in lists of numbers too."""
    edits: list[Edit] = []
    for size in _sizes(case):
        for smaller in dict.fromkeys((size // 2, 1)):
            maps = [_TypeMap({size: smaller}, numbers) for numbers in (True, False)]
            edits += [partial(_rewrite, case, types) for types in maps]
    return edits


def pairs_of_sizes(case: ReductionCase) -> list[Edit]:
    """Return the edits that each change two sizes in step: by the same factor, or by the same difference."""
    edits: list[Edit] = []
    if len(sizes := _sizes(case)) > _MOST_PAIRED:
        return edits
    for size, other in [(size, other) for size in sizes for other in sizes if size != other]:
        for smaller in dict.fromkeys((size - 1, size // 2)):
            changes = {max(1, other * smaller // size), max(1, other - size + smaller), smaller} - {other}
            maps = [_TypeMap({size: smaller, other: change}, True) for change in sorted(changes)]
            edits += [partial(_rewrite, case, types) for types in maps if smaller > 0]
    return edits


def element_types(case: ReductionCase) -> list[Edit]:
    """Return the edits that each give all values of a type another one: f32, a signless integer, at most 32 bits."""
    elements: dict[Attribute, None] = {}
    for type in _types(case):
        elements[cast(_Shaped, type).get_element_type() if isinstance(type, _SHAPED) else type] = None
    simpler = [(element, other) for element in elements if (other := _simpler_element(element)) != element]
    maps = [_TypeMap(change=partial(_replaced, element, other)) for element, other in simpler]
    return [partial(_rewrite, case, types) for types in maps]


def _simpler_element(element: Attribute) -> Attribute:
    match element:
        case Float16Type() | BFloat16Type() | Float64Type():
            return f32
        case IntegerType() if element.signedness.data is not Signedness.SIGNLESS:
            return IntegerType(element.width.data)
        case IntegerType() if element.width.data > 32:
            return IntegerType(32)
        case _:
            return element


def _replaced(element: Attribute, other: Attribute, attribute: Attribute) -> Attribute:
    return other if attribute == element else attribute


def layouts(case: ReductionCase) -> list[Edit]:
    """Return the edits that each drop the layout, memory space or encoding of all values of a type."""
    edits: list[Edit] = []
    for type in _types(case):
        if not isinstance(type, TensorType | MemRefType):
            continue
        shaped = cast("TensorType[Any] | MemRefType[Any]", type)
        plain = [*shaped.parameters[:2], *(NoneAttr() for _ in shaped.parameters[2:])]
        if list(shaped.parameters) != plain:
            other = shaped.__class__.new(plain)
            edits.append(partial(_rewrite, case, _TypeMap(change=partial(_replaced, shaped, other))))
    return edits
