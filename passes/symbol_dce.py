"""Dead symbol elimination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from ..dialects.core.nesting import nested_ops
from .core.base import Pass


def erase_unused_symbols(module: ModuleOp) -> None:
    """Erase the private symbols of a module that are not reachable from public symbols or other ops."""
    ops = list(module.body.block.ops)
    private = {name: op for op in ops if (name := _private_name(op)) is not None}
    pending = [op for op in ops if _private_name(op) is None]
    needed: set[str] = set()
    while pending:
        for name in symbols_in(pending.pop()):
            if name in private and name not in needed:
                needed.add(name)
                pending.append(private[name])
    for name, op in private.items():
        if name not in needed:
            op.detach()
            op.erase()


def _private_name(op: Operation) -> str | None:
    """Return the name of a private symbol, None for other ops."""
    name, visibility = op.properties.get("sym_name"), op.properties.get("sym_visibility")
    is_private = isinstance(visibility, StringAttr) and visibility.data in ("private", "nested")
    return name.data if isinstance(name, StringAttr) and is_private else None


def symbols_in(op: Operation) -> Iterator[str]:
    """Yield the symbols referenced by an op or its nested ops."""
    for inner in nested_ops(op):
        for attribute in (*inner.properties.values(), *inner.attributes.values()):
            yield from symbols_of(attribute)


def symbols_of(attribute: Attribute) -> Iterator[str]:
    """Yield the symbols referenced by an attribute."""
    match attribute:
        case SymbolRefAttr():
            yield attribute.root_reference.data
        case ArrayAttr():
            for nested in attribute.data:
                yield from symbols_of(nested)
        case DictionaryAttr():
            for nested in attribute.data.values():
                yield from symbols_of(nested)
        case ParametrizedAttribute():
            for nested in attribute.parameters:
                yield from symbols_of(nested)
        case _:
            pass


@dataclass(frozen=True)
class SymbolDcePass(Pass):
    """
    Erase private functions and globals that are not reachable.

    Only symbols of the module itself are considered, not those of nested modules. Upstream's pass of that name.
    """

    name = "symbol-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        erase_unused_symbols(op)
