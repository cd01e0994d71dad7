"""Results of a sweep: what they are of, those that a store has, and the refusal of a store of another sweep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ....errors import Diagnostic

Values = tuple[tuple[str, str], ...]
"""Value of each axis."""
ResultKey = tuple[str, frozenset[tuple[str, str]]]
"""Network, and the value of each axis."""
REMEDY = "give another file with -o"


@dataclass(frozen=True)
class Subject:
    """
    Network, target and compiler that results are of: names, and digests of network and machine.

    `compiler` has the versions that costs depend on, and a digest of the sources.
    """

    network: str
    digest: str
    target: str
    machine: str
    by: str
    compiler: str


@dataclass(frozen=True)
class PointResult:
    """Costs of a network at a point, or the error there; `seconds` of wall-clock time, which files need not keep."""

    subject: Subject
    point: Values
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    error: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def key(self) -> ResultKey:
        """Network and values of the axes, in whatever order these are."""
        return self.subject.network, frozenset(self.point)


class ResultStore(Protocol):
    """File of results, which need not exist. Its methods raise Diagnostic where it cannot be read or written."""

    file: Path

    def rows(self) -> Iterator[tuple[str, PointResult]]:
        """Yield the results in the order of the file, each with its place there."""
        ...

    def append(self, result: PointResult) -> None:
        """Add or replace a result: when this returns it is in the file, even if the process is killed."""
        ...

    def replace(self, results: Sequence[PointResult]) -> None:
        """Make these the rows of the file, in this order: all of them, or none if the process is killed."""
        ...


class Results:
    """
    Results of a sweep in a store.

    Raises Diagnostic where the store cannot be read, is no file of results, or has those of another sweep: of other
    subjects, or with other axes than these.
    """

    def __init__(self, store: ResultStore, subjects: Sequence[Subject], axes: Iterable[str]):
        self._store, self.file = store, store.file
        self._subjects, self._axes = subjects, frozenset(axes)
        self.found = {result.key: result for result in self._read()}

    def _read(self) -> list[PointResult]:
        rows: list[PointResult] = []
        for where, result in self._store.rows():
            self._check(where, result)
            rows.append(result)
        return rows

    def _check(self, where: str, result: PointResult) -> None:
        """Raise Diagnostic where a result is of another sweep."""
        if result.subject not in self._subjects:
            raise _other_subject(where, result.subject, self._subjects)
        names = [name for name, _ in result.point]
        if frozenset(names) != self._axes:
            expected, other = ", ".join(sorted(self._axes)), ", ".join(sorted(names))
            remedy = f"{REMEDY}, or vary the axes of the file: values may be added to them"
            raise Diagnostic("the results are of other axes", where, expected, other, remedy)

    def of(self, network: str, point: Values) -> PointResult | None:
        """Return the result of a network at a point."""
        return self.found.get((network, frozenset(point)))

    def append(self, result: PointResult) -> None:
        """Add a result to the file. Raises Diagnostic where that cannot be written."""
        self._store.append(result)
        self.found[result.key] = result

    def finish(self, order: Sequence[tuple[str, Values]]) -> list[PointResult]:
        """
        Bring the file into the order of a sweep, rows of other points last, and return its rows.

        The rows of a finished file depend on the sweep alone, not on which point ended first. Raises Diagnostic where
        it cannot be written.
        """
        stored = self._read()
        rows = {result.key: result for result in stored} | self.found
        keys = dict.fromkeys((network, frozenset(point)) for network, point in order)
        keys |= dict.fromkeys(sorted(rows.keys() - keys, key=_by_text))
        results = [rows[key] for key in keys if key in rows]
        if stored != results:
            self._store.replace(results)
        return results


def _by_text(key: ResultKey) -> tuple[str, list[tuple[str, str]]]:
    return key[0], sorted(key[1])


def _other_subject(where: str, subject: Subject, subjects: Sequence[Subject]) -> Diagnostic:
    """Return the error for results of another subject: what differs first."""
    of_network = [candidate for candidate in subjects if candidate.network == subject.network]
    nearest = (of_network or list(subjects))[0]
    names = {"network": "network", "digest": f"network '{subject.network}'", "target": "target"}
    names |= {"machine": f"machine file of '{subject.target}'", "by": "evaluation", "compiler": "compiler"}
    differs = next(name for name in names if getattr(subject, name) != getattr(nearest, name))
    expected, other = getattr(nearest, differs), getattr(subject, differs)
    if differs == "network":
        expected = ", ".join(candidate.network for candidate in subjects)
    what = "another state of the" if differs in ("digest", "machine") else "another"
    remedy = f"{REMEDY}, or remove this one to evaluate all points again" if differs == "compiler" else REMEDY
    return Diagnostic(f"the results are of {what} {names[differs]}", where, expected[:160], other[:160], remedy)
