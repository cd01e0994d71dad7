"""
JSON Schema of machine files, by which editors complete keys and show what they mean.

It is derived from the dataclasses of the parts (keys.py) and from the cost functions that are known, those of targets
included. It refuses no file that the compiler reads; what the keys of several parts say together, checks.py checks.
A file that includes another one may lack every key, and a key that is `false` leaves out that of the included machine.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from .containers import TableForm
from .cost_table import cost_named, functions_by_kind, parameters_of, timing_named
from .engine import Engine
from .keys import Form, Key, PartForm, PartsForm, documentation_of, keys_of
from .level import Level
from .model import Machine
from .operations import OpSupport
from .schema import FILE_KEYS
from .values import FlagForm, NameForm, Names

Schema = dict[str, Any]

_LEFT_OUT: Schema = {"const": False}
_INHERITED = "runs without cost"
"""Definition of an entry of `runs` whose cost function is that of the entry that it is merged with."""


def machine_schema() -> Schema:
    """Return the JSON Schema (draft 7) of machine files."""
    names = functions_by_kind()
    definitions: dict[str, Schema] = {}
    top = _table_schema(Machine, names, definitions)
    costs = {f"runs {cost}": _entry(cost, names) for cost in names["a cost function"]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Tilewright machine file",
        **top,
        "anyOf": [{"required": ["include"]}, _complete(Machine, names)],
        "definitions": definitions | costs | {_INHERITED: _inherited(names)},
    }


def _table_schema(part: type, names: Names, definitions: dict[str, Schema]) -> Schema:
    """Return the schema of a table of keys, none of which is required; those of nested parts become definitions."""
    properties = _properties(keys_of(part), documentation_of(part), names, definitions)
    if part in FILE_KEYS:
        others = FILE_KEYS[part]
        properties |= _properties(keys_of(others), documentation_of(others), names, definitions)
    described: Schema = {"type": "object", "properties": properties}
    return described if part is OpSupport else described | {"additionalProperties": False}


def _properties(
    keys: Mapping[str, Key], texts: Mapping[str, str], names: Names, definitions: dict[str, Schema]
) -> dict[str, Schema]:
    return {key.name: _property(key, texts.get(key.name, ""), names, definitions) for key in keys.values()}


def _property(key: Key, text: str, names: Names, definitions: dict[str, Schema]) -> Schema:
    described: Schema = {"description": text} if text else {}
    schema = _form_schema(key.form, names, definitions)
    if isinstance(key.form, FlagForm):
        return described | schema
    return described | {"anyOf": [*schema.get("anyOf", [schema]), _LEFT_OUT]}


def _form_schema(form: Form, names: Names, definitions: dict[str, Schema]) -> Schema:
    match form:
        case PartForm():
            return _reference(form.part, names, definitions)
        case PartsForm():
            part = _reference(form.part, names, definitions)
            entries = [part] if form.part is not OpSupport else _entries(names)
            return {"type": "object", "additionalProperties": {"anyOf": [*entries, _LEFT_OUT]}}
        case TableForm(name=NameForm("a timing")):
            schema = form.schema(names)
            texts = {name: inspect.getdoc(timing_named(name)) or name for name in names["a timing"]}
            described = {name: {"description": text, **schema["properties"][name]} for name, text in texts.items()}
            return schema | {"properties": described}
        case _:
            return form.schema(names)


def _reference(part: type, names: Names, definitions: dict[str, Schema]) -> Schema:
    if part.__name__ not in definitions:
        definitions[part.__name__] = {}  # stands while the definition of a part that contains itself is derived
        definitions[part.__name__] = _table_schema(part, names, definitions)
    return {"$ref": f"#/definitions/{part.__name__}"}


# Entries of `runs`, which have the parameters of their cost function


def _entries(names: Names) -> list[Schema]:
    kinds = [*(f"runs {cost}" for cost in names["a cost function"]), _INHERITED]
    return [{"$ref": f"#/definitions/{kind}"} for kind in kinds]


def _entry(cost: str, names: Names) -> Schema:
    """Return the schema of an entry with a cost function: the keys of OpSupport and the function's parameters."""
    parameters = parameters_of(cost)
    return {
        "description": inspect.getdoc(cost_named(cost)) or cost,
        "allOf": [{"$ref": f"#/definitions/{OpSupport.__name__}"}],
        "properties": {"cost": {"const": cost}, **_properties(parameters, {}, names, {})},
        "propertyNames": {"enum": [*keys_of(OpSupport), *parameters]},
        "required": ["cost"],
    }


def _inherited(names: Names) -> Schema:
    parameters = {name for cost in names["a cost function"] for name in parameters_of(cost)}
    return {
        "allOf": [{"$ref": f"#/definitions/{OpSupport.__name__}"}],
        "propertyNames": {"enum": [*keys_of(OpSupport), *sorted(parameters)]},
        "not": {"required": ["cost"]},
    }


# Keys that a file that includes no other one must have


def _complete(part: type, names: Names) -> Schema:
    """Return the schema of the required keys of a part and of the parts in it."""
    keys = keys_of(part).values()
    required = [key.name for key in keys if key.is_required]
    nested = {key.name: _complete_form(key.form, names) for key in keys if isinstance(key.form, PartForm | PartsForm)}
    schema: Schema = {"required": required, "properties": nested} if nested else {"required": required}
    if part is OpSupport:
        return schema | {"allOf": [_required_parameters(cost) for cost in names["a cost function"]]}
    if part is Level:
        required.remove("size")
        return schema | {"anyOf": [{"required": ["size"]}, {"required": ["rows", "row_bytes"]}]}
    return {"anyOf": [{"required": ["like"]}, schema]} if part is Engine else schema


def _complete_form(form: PartForm | PartsForm, names: Names) -> Schema:
    part = _complete(form.part, names)
    return part if isinstance(form, PartForm) else {"additionalProperties": part}


def _required_parameters(cost: str) -> Schema:
    required = [key.name for key in parameters_of(cost).values() if key.is_required]
    is_cost = {"properties": {"cost": {"const": cost}}, "required": ["cost"]}
    return {"if": is_cost, "then": {"required": required}}
