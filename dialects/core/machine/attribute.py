"""
The machine as an attribute of the module, `hier.machine`: a dictionary with the keys of a machine file.

    builtin.module attributes {hier.machine = {name = "host", levels = {RAM = {size = 1073741824 : i64}},
        engines = {core = {level = {ins = ["RAM"]}, runs = {"*" = {cost = "per_element", cycles = 4.0 : f64}}}}}} {
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from ....discovery import on_forget
from ....errors import Diagnostic
from ....ir import integer_width
from .model import Machine
from .schema import machine_from, table_of

ATTRIBUTE = "hier.machine"


def machine_attr(machine: Machine) -> DictionaryAttr:
    """Return the attribute that describes a machine."""
    return cast("DictionaryAttr", _attribute({"name": machine.name, **table_of(machine)}))


def attach_machine(module: ModuleOp, machine: Machine) -> None:
    """Set the machine of a module, in place of one that it may have."""
    module.attributes[ATTRIBUTE] = machine_attr(machine)


def machine_of(module: ModuleOp) -> Machine:
    """Return the machine of a module. Raises Diagnostic where it has none, or an invalid one."""
    attribute = module.attributes.get(ATTRIBUTE)
    if attribute is None:
        raise Diagnostic(
            "the module has no machine",
            expected=f"the attribute {ATTRIBUTE}",
            remedy="run attach-machine{target=NAME} first; `tilewright targets` lists the names",
        )
    return machine_from_attr(attribute)


def units_of(module: ModuleOp) -> dict[str, int]:
    """Return, by level, the bytes that buffers begin at multiples of; empty where the module has no machine."""
    if ATTRIBUTE not in module.attributes:
        return {}
    return {level.name: level.unit for level in machine_of(module).levels}


@lru_cache(maxsize=64)
def machine_from_attr(attribute: Attribute) -> Machine:
    """Return the machine that an attribute describes. Raises Diagnostic where it is invalid."""
    if not isinstance(attribute, DictionaryAttr):
        raise Diagnostic(f"{ATTRIBUTE} is not a dictionary", expected="{levels = {...}, engines = {...}}")
    table: dict[str, Any] = _value(attribute)
    name = table.pop("name", "machine")
    return machine_from(table, str(name), ATTRIBUTE)


on_forget(lambda _: machine_from_attr.cache_clear())


def _attribute(value: Any) -> Attribute:
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return DictionaryAttr({key: _attribute(item) for key, item in table.items()})
    if isinstance(value, list):
        return ArrayAttr([_attribute(item) for item in cast("list[Any]", value)])
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, bool):
        return IntegerAttr(int(value), i1)
    return FloatAttr(value, f64) if isinstance(value, float) else IntegerAttr(value, i64)


def _value(attribute: Attribute) -> Any:
    """Return the value of an attribute as `tomllib` would."""
    match attribute:
        case DictionaryAttr():
            return {key: _value(item) for key, item in attribute.data.items()}
        case ArrayAttr():
            return [_value(item) for item in attribute]
        case StringAttr():
            return attribute.data
        case BytesAttr():  # what xDSL reads a text beyond ASCII as
            return attribute.data.decode(errors="replace")
        case FloatAttr():
            return attribute.value.data
        case IntegerAttr():
            value = attribute.value.data
            return bool(value) if integer_width(attribute.type) == 1 else value
        case _:
            return str(attribute)
