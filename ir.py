"""
Element types, shapes and constants of xDSL as those of NumPy, locations, and names of symbols.

Text is `dialects/core/syntax`, verification `dialects/core/verification`: with these an upgrade of xDSL touches three
places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from .errors import Diagnostic
from .locations import fused_location as fused_location
from .locations import inlined_location as inlined_location
from .locations import named_location as named_location
from .locations import node_names as node_names
from .locations import where as where

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    Ints: TypeAlias = NDArray[np.int64]
else:  # to import NumPy takes a third of the time in which opt-tool starts: what computes with arrays does it
    Array = Ints = Any
DenseAttr: TypeAlias = DenseIntOrFPElementsAttr[Any]


# Element types and arrays


_WIDTHS = (*range(9), 16, 32, 64)
"""The integers that arrays hold, by width in bits: narrow ones in bytes."""


@cache
def _integer_type(width: int, is_unsigned: bool) -> np.dtype[Any]:
    import numpy as np

    if width == 1:
        return np.dtype(np.bool_)
    return np.dtype(f"{'u' if is_unsigned else ''}int{max(width, 8)}")


def has_arrays(element: Attribute) -> bool:
    """Return whether `numpy_type` has an array type for elements of an IR type."""
    width = integer_width(element)
    return width is None or width in _WIDTHS


def numpy_type(element: Attribute) -> np.dtype[Any]:
    """Return the NumPy type that holds one element of the given IR type."""
    import numpy as np

    match element:
        case IntegerType():
            if (width := element.width.data) not in _WIDTHS:
                raise Diagnostic(f"no array can hold elements of type {element}", expected="8, 16, 32 or 64 bits")
            return _integer_type(width, element.signedness.data is Signedness.UNSIGNED)
        case IndexType():
            return np.dtype(np.int64)
        case Float16Type():
            return np.dtype(np.float16)
        case Float32Type():
            return np.dtype(np.float32)
        case Float64Type():
            return np.dtype(np.float64)
        case BFloat16Type():
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        case _:
            raise Diagnostic(f"no array can hold elements of type {element}")


def dense(array: Array, element: Attribute) -> DenseAttr:
    """Return the constant tensor attribute with the values of `array`; its bytes are never unpacked."""
    import numpy as np

    data = np.ascontiguousarray(array, numpy_type(element))
    shaped = TensorType(cast(Any, element), array.shape)
    return DenseIntOrFPElementsAttr(cast(Any, shaped), BytesAttr(data.tobytes()))


def array_of(attribute: DenseAttr) -> Array:
    """Return a read-only view of a constant's bytes, in the constant's shape."""
    import numpy as np

    flat = np.frombuffer(attribute.data.data, numpy_type(attribute.get_element_type()))
    return flat.reshape(attribute.get_shape())


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a ranked tensor or memref."""
    return cast("TensorType[Any] | MemRefType[Any]", value.type).get_shape()


def element_of(value: SSAValue) -> Attribute:
    """Return the element type of a ranked tensor or memref."""
    return cast("TensorType[Any] | MemRefType[Any]", value.type).get_element_type()


# Shortcuts


def integer_width(type: Attribute) -> int | None:
    """Return the bits of an integer type, 64 for index, None for other types."""
    if isinstance(type, IntegerType):
        return cast("IntegerType[Any, Any]", type).width.data
    return 64 if isinstance(type, IndexType) else None


def is_unsigned_type(type: Attribute) -> bool:
    """Return whether a type is one of unsigned integers (`ui8`), not merely signless."""
    if not isinstance(type, IntegerType):
        return False
    return cast("IntegerType[Any, Any]", type).signedness.data is Signedness.UNSIGNED


def numbers_of(attribute: Attribute) -> tuple[int, ...]:
    """Return the integers of an `array<i64: ...>`."""
    return tuple(int(value) for value in cast(Any, attribute).get_values())


def reassociation(groups: Iterable[Iterable[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Return groups of axes as the attribute of a reshape: [[0, 1], [2]] collapses 3 axes to 2, or expands 2 to 3."""
    attributes: list[ArrayAttr[IntegerAttr]] = []
    for group in groups:
        attributes.append(ArrayAttr(IntegerAttr(axis, 64) for axis in group))
    return ArrayAttr(attributes)


def reassociated_axes(attribute: Attribute) -> list[list[int]]:
    """Return the groups of axes of a `reassociation`."""
    groups: list[list[int]] = []
    for group in cast("ArrayAttr[ArrayAttr[IntegerAttr]]", attribute):
        groups.append([axis.value.data for axis in group])
    return groups


def collapsed_shape(shape: Sequence[int], groups: Iterable[Sequence[int]]) -> list[int]:
    """Return a shape in which each group of consecutive axes is one."""
    return [prod(shape[group[0] : group[-1] + 1]) for group in groups]


def set_argument_attributes(function: FuncOp, attributes: Sequence[DictionaryAttr]) -> None:
    """Set the attributes of a function's arguments; where all are empty there are none, as in text."""
    if any(attribute.data for attribute in attributes):
        function.arg_attrs = ArrayAttr(attributes)
    else:
        function.properties.pop("arg_attrs", None)


def functions(module: ModuleOp) -> list[FuncOp]:
    """Return the functions of a module that have a body."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp) and op.body.blocks]


def symbol_names(block: Block) -> set[str]:
    """Return the names of the symbols that the ops of a block are, mostly of a module's."""
    return {name.data for op in block.ops if isinstance(name := op.properties.get("sym_name"), StringAttr)}


class FreshNames:
    """Names that are not taken yet: `base`, else `base_0`, `base_1`, ...; each takes constant time on average."""

    def __init__(self, taken: Iterable[str]):
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, base: str) -> str:
        """Return a name like `base`, which is taken from now on."""
        return self._take(base) if base not in self._taken else self.take_numbered(base)

    def take_numbered(self, base: str) -> str:
        """Return the first free name of `base_0`, `base_1`, ..., which is taken from now on."""
        number = self._next.get(base, 0)
        while f"{base}_{number}" in self._taken:
            number += 1
        self._next[base] = number + 1
        return self._take(f"{base}_{number}")

    def _take(self, name: str) -> str:
        self._taken.add(name)
        return name


def free_symbol(module: ModuleOp, base: str) -> str:
    """Return a name for a symbol that the module has not: `base`, perhaps with a number."""
    return FreshNames(symbol_names(module.body.block)).take(base)
