"""Events and hops by columns: a batch has those of all lanes of an action, which differ in few fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast, overload

import numpy as np

from ...ir import Array

RecordT = TypeVar("RecordT", bound="tuple[Any, ...]")


class Batch(NamedTuple):
    """`size` records: each field is the value of all of them, or a column of one value for each."""

    fields: tuple[Any, ...]
    size: int

    def column(self, field: int) -> list[Any]:
        """Return a field of all records."""
        values = self.fields[field]
        if isinstance(values, np.ndarray):
            return cast("Array", values).tolist()
        return cast("list[Any]", values) if isinstance(values, list) else [values] * self.size

    def records(self, make: Callable[..., RecordT]) -> Iterator[RecordT]:
        """Yield the records."""
        return map(make, *map(self.column, range(len(self.fields))))


class Trail(Sequence[RecordT], Generic[RecordT]):
    """Sequence of records, single ones and batches, in order of addition."""

    def __init__(self, make: type[RecordT]):
        self._make = make
        self.parts: list[RecordT | Batch] = []
        self._count = 0

    def append(self, record: RecordT) -> None:
        """Add a record."""
        self.parts.append(record)
        self._count += 1

    def extend(self, batch: Batch) -> None:
        """Add the records of a batch."""
        if batch.size:
            self.parts.append(batch)
            self._count += batch.size

    @property
    def last(self) -> RecordT | None:
        """The last record, None where the last part is a batch."""
        part = self.parts[-1] if self.parts else None
        return None if isinstance(part, Batch) else part

    def replace_last(self, record: RecordT) -> None:
        """Set the last record."""
        self.parts[-1] = record

    def where(self, field: int, values: Collection[object]) -> Iterator[RecordT]:
        """Yield the records with some values of a field that is the same in each batch."""
        for part in self.parts:
            if isinstance(part, Batch) and part.fields[field] in values:
                yield from part.records(self._make)
            elif not isinstance(part, Batch) and part[field] in values:
                yield part

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[RecordT]:
        for part in self.parts:
            if isinstance(part, Batch):
                yield from part.records(self._make)
            else:
                yield part

    @overload
    def __getitem__(self, index: int) -> RecordT: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RecordT]: ...
    def __getitem__(self, index: int | slice) -> RecordT | Sequence[RecordT]:
        return tuple(self)[index]
