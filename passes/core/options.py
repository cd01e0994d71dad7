"""The options of a pass: from the values in a pipeline's text to the fields of its dataclass, and back."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from xdsl.utils.arg_spec import ArgSpecConvertible

from ...errors import did_you_mean
from ...grammar import Item, Option, OptionValue, point_at, quote

_WORDS = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}


class _Mismatch(Exception):
    """A value does not fit a type."""


@dataclass(frozen=True)
class OptionInfo:
    """Description of one pass option in `--help-pass`."""

    name: str
    type: str
    default: str


def option_infos(cls: type[ArgSpecConvertible]) -> list[OptionInfo]:
    """Return the options of a pass or an output format, in the order of its fields."""
    hints = _hints(cls)
    return [OptionInfo(_shown(field.name), describe(hints[field.name]), _default(field)) for field in _fields(cls)]


def build(cls: type[ArgSpecConvertible], item: Item, text: str, source: str = "") -> ArgSpecConvertible:
    """
    Return an instance of a pass or an output format with the options that `item` gives.

    Raises UsageError, with a caret under `text`, for an unknown, repeated or missing option and for one of the wrong
    type.
    """
    fields = {field.name: field for field in _fields(cls)}
    hints = _hints(cls)
    values: dict[str, Any] = {}
    for option in item.options:
        name = option.name.replace("-", "_")
        if name not in fields:
            raise _unknown(option, item, list(fields), text, source)
        if name in values:
            raise point_at(text, option.start, f"the option '{option.name}' is given twice", source=source)
        values[name] = _convert_option(option, hints[name], item, text, source)
    for name, field in fields.items():
        if name not in values and not _default(field):
            message = f"'{item.name}' needs the option '{_shown(name)}'"
            remedy = f"{item.name}{{{_shown(name)}=...}} with {describe(hints[name])}"
            raise point_at(text, item.start, message, source=source, remedy=remedy)
    try:
        return cls(**values)
    except ValueError as error:
        raise point_at(text, item.start, f"'{item.name}' refuses its options: {error}", source=source) from error


@cache
def _hints(cls: type[ArgSpecConvertible]) -> dict[str, Any]:
    return get_type_hints(cls)


def _fields(cls: type[ArgSpecConvertible]) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(cls) if field.name != "name" and field.init]


def _shown(name: str) -> str:
    return name.replace("_", "-")


def _default(field: dataclasses.Field[Any]) -> str:
    """Return a field's default as the pipeline writes it; empty where the option must be given."""
    if field.default is not dataclasses.MISSING:
        return _format_values(field.default) or "none"
    if field.default_factory is not dataclasses.MISSING:
        return _format_values(field.default_factory()) or "none"
    return ""


def _unknown(option: Option, item: Item, names: list[str], text: str, source: str) -> Exception:
    shown = [_shown(name) for name in names]
    hint = did_you_mean(_shown(option.name), shown)
    expected = f"one of {', '.join(shown)}" if shown else "no option"
    message = f"'{item.name}' has no option '{option.name}'"
    return point_at(text, option.start, message, source=source, expected=expected, remedy=hint)


def _convert_option(option: Option, wanted: Any, item: Item, text: str, source: str) -> Any:
    try:
        return _convert(option.values, wanted)
    except _Mismatch as error:
        values = option.values or ()
        text_of_values = ",".join(value.text for value in values) if values else "no value"
        start = values[0].start if values else option.start
        message = f"the option '{option.name}' of '{item.name}' has the wrong type"
        diagnostic = point_at(text, start, message, source=source, expected=describe(wanted))
        diagnostic.found = text_of_values
        raise diagnostic from error


def _convert(values: tuple[OptionValue, ...] | None, wanted: Any) -> Any:
    """Return the values as the type `wanted`; `values` is None for an option that stood alone."""
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _convert_union(values, get_args(wanted))
    if wanted is types.NoneType and not values:
        return None
    if wanted is bool and values is None:
        return True
    if values is None:
        raise _Mismatch
    if origin is tuple:
        return _convert_tuple(values, get_args(wanted))
    if wanted is tuple:
        return tuple(_convert_one(value, int | float | str) for value in values)
    if len(values) != 1:
        raise _Mismatch
    return _convert_one(values[0], wanted)


def _convert_union(values: tuple[OptionValue, ...] | None, members: tuple[Any, ...]) -> Any:
    order = (bool, types.NoneType, int, float)
    ranked = sorted(members, key=lambda member: order.index(member) if member in order else 4 + (member is str))
    for member in ranked:
        try:
            return _convert(values, member)
        except _Mismatch:
            continue
    raise _Mismatch


def _convert_tuple(values: tuple[OptionValue, ...], elements: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(elements) == 2 and elements[1] is Ellipsis:
        return tuple(_convert_one(value, elements[0]) for value in values)
    if len(values) != len(elements):
        raise _Mismatch
    return tuple(_convert_one(value, element) for value, element in zip(values, elements, strict=True))


def _convert_one(value: OptionValue, wanted: Any) -> Any:
    if get_origin(wanted) in (Union, types.UnionType):
        return _convert_union((value,), get_args(wanted))
    if get_origin(wanted) is Literal:
        return _choose(value, get_args(wanted))
    if wanted is str:
        return value.text
    if value.quoted:
        raise _Mismatch
    if wanted is bool and value.text in ("true", "false", "1", "0"):
        return value.text in ("true", "1")
    if wanted not in (int, float):
        raise _Mismatch
    try:
        return int(value.text, 0) if wanted is int else float(value.text)
    except ValueError as error:
        raise _Mismatch from error


def _choose(value: OptionValue, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        if str(choice) == value.text:
            return choice
    raise _Mismatch


def describe(wanted: Any) -> str:
    """Return the type of an option in words, such as `a list of: an integer`."""
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return " or ".join(describe(member) for member in get_args(wanted) if member is not types.NoneType)
    if origin is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(wanted))
    if origin is tuple and get_args(wanted)[1:] == (Ellipsis,):
        return f"a list of: {describe(get_args(wanted)[0])}"
    if origin is tuple:
        return " and ".join(describe(element) for element in get_args(wanted))
    return _WORDS.get(wanted, str(wanted))


def format_spec(name: str, instance: ArgSpecConvertible, *, defaults: bool = False) -> str:
    """
    Return a pass or an output format as a pipeline writes it, with the options that differ from their defaults.

    With `defaults`, all options are written.
    """
    fields = _fields(type(instance)) if defaults else _changed(instance)
    options = [_format_option(field, getattr(instance, field.name)) for field in fields]
    return f"{name}{{{' '.join(options)}}}" if options else name


def _changed(instance: ArgSpecConvertible) -> Iterator[dataclasses.Field[Any]]:
    for field in _fields(type(instance)):
        default: Any = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if getattr(instance, field.name) != default:
            yield field


def _format_option(field: dataclasses.Field[Any], value: Any) -> str:
    values = _format_values(value)
    return f"{_shown(field.name)}={values}" if values else _shown(field.name)


def _format_values(value: Any) -> str:
    """Return a value as a pipeline writes it; empty for None."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        inner = ",".join(_format_values(part) for part in cast("tuple[Any, ...]", value))
        return inner or "[]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote(value) if isinstance(value, str) else str(value)
