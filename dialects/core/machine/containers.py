"""Forms of lists and tables of values in a machine's description (values.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from .values import Expected, NameForm, Names, Table, ValueForm


@dataclass(frozen=True)
class ListForm(ValueForm):
    """List of values, or one of them; an empty list too where `may_be_empty`."""

    item: ValueForm
    may_be_empty: bool = False

    @property
    def expected(self) -> str:
        return f"{self.item.expected}, or a list of {'' if self.may_be_empty else 'at least one '}such"

    @property
    def text(self) -> str:
        return f"{self.item.text}; or a list of such"

    def read(self, value: Any) -> tuple[Any, ...]:
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        if not values and not self.may_be_empty:
            raise Expected(self.expected)
        try:
            return tuple(map(self.item.read, values))
        except Expected as error:
            raise Expected(self.expected) from error

    def write(self, value: Any) -> list[Any]:
        return list(map(self.item.write, value))

    def schema(self, names: Names) -> dict[str, Any]:
        item = self.item.schema(names)
        several = {"type": "array", "items": item} | ({} if self.may_be_empty else {"minItems": 1})
        return {"anyOf": [item, several]}

    def names(self, value: Any) -> Iterator[tuple[NameForm, str]]:
        for item in cast("Iterable[Any]", value):
            yield from self.item.names(item)


@dataclass(frozen=True)
class TableForm(ValueForm):
    """
    Table from names to values, as pairs in order of the names.

    A value that is no table is that of the name `alone`. `missing` is the error of a table without that name, empty
    where it may lack it.
    """

    name: ValueForm
    value: ValueForm
    alone: str = ""
    missing: str = ""

    @property
    def expected(self) -> str:
        return self.missing or "a table"

    @property
    def text(self) -> str:
        return f"{f'{self.value.text}; or ' if self.alone else ''}table from {self.name.text} to {self.value.text}"

    def read(self, value: Any) -> tuple[tuple[str, Any], ...]:
        if not isinstance(value, Mapping):
            if not self.alone or value is None:
                raise Expected(self.expected)
            value = {self.alone: value}
        table = cast("Table", value)
        if self.missing and self.alone not in table:
            raise Expected(self.missing)
        return tuple((self.name.read(name), self.value.read(table[name])) for name in sorted(table))

    def write(self, value: Any) -> dict[str, Any]:
        return {name: self.value.write(item) for name, item in value}

    def schema(self, names: Names) -> dict[str, Any]:
        value = self.value.schema(names)
        table: dict[str, Any] = {"type": "object", "additionalProperties": value}
        name = self.name.schema(names)
        if "enum" in name:
            properties = dict.fromkeys(name["enum"], value)
            table = {"type": "object", "properties": properties, "additionalProperties": False}
        elif "pattern" in name:
            table["propertyNames"] = name
        return {"anyOf": [value, table]} if self.alone else table

    def names(self, value: Any) -> Iterator[tuple[NameForm, str]]:
        for name, item in value:
            yield from self.name.names(name)
            yield from self.value.names(item)
