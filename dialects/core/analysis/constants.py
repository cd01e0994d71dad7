"""Numbers of constants."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.traits import SymbolTable

from ....ir import DenseAttr


def constant_number(value: SSAValue) -> int | float | None:
    """Return the number of a scalar `arith.constant`, None for other values."""
    number = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    return number.value.data if isinstance(number, IntegerAttr | FloatAttr) else None


def constant_integer(value: SSAValue) -> int | None:
    """Return the number of an `arith.constant` of an integer or index, None for other values."""
    number = constant_number(value)
    return number if isinstance(number, int) else None


def constant_elements(value: SSAValue) -> DenseAttr | None:
    """Return the elements of a buffer that is a constant of the module, None for other values."""
    get = value.owner
    definition = SymbolTable.lookup_symbol(get, get.name_) if isinstance(get, memref.GetGlobalOp) else None
    if not isinstance(definition, memref.GlobalOp) or not has_constant_elements(definition):
        return None
    return cast(DenseAttr, definition.initial_value)


def has_constant_elements(op: memref.GlobalOp) -> bool:
    """Return whether a global is a constant whose elements the module has: neither a variable nor a declaration."""
    return op.constant is not None and isinstance(op.properties.get("initial_value"), DenseIntOrFPElementsAttr)
