"""File of results: JSON lines, one for each point of a network, appended as points end."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from ....errors import Diagnostic
from ....files import read_regular

Values = tuple[tuple[str, str], ...]
"""Value of each axis."""


@dataclass(frozen=True)
class Subject:
    """Network and target that results are of: names, and digests of network and machine."""

    network: str
    digest: str
    target: str
    machine: str
    by: str


@dataclass(frozen=True)
class PointResult:
    """Costs of a network at a point, or the error there; `seconds` is what finding them took."""

    subject: Subject
    point: Values
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    error: str = ""
    seconds: float = 0.0


class Results:
    """
    Results in a file, which need not exist.

    Raises Diagnostic where the file cannot be read, is no file of results, or has those of other subjects.
    """

    def __init__(self, file: Path, subjects: Sequence[Subject]):
        self._file = file
        self.found: dict[tuple[str, frozenset[tuple[str, str]]], PointResult] = {}
        text = _text_of(file)
        whole, _, cut = text.rpartition("\n")
        self._broken = bool(cut)
        for number, line in enumerate(whole.splitlines() if whole else (), 1):
            result = _result(f"{file}:{number}", line)
            if result.subject not in subjects:
                raise _other(f"{file}:{number}", result.subject, subjects)
            self._keep(result)

    def _keep(self, result: PointResult) -> None:
        self.found[result.subject.network, frozenset(result.point)] = result

    def of(self, network: str, point: Values) -> PointResult | None:
        """Return the result of a network at a point."""
        return self.found.get((network, frozenset(point)))

    def append(self, result: PointResult) -> None:
        """Add a result. Raises Diagnostic where the file cannot be written."""
        record = {**asdict(result.subject), "point": dict(result.point)}
        record |= {"error": result.error} if result.error else {"metrics": dict(result.metrics)}
        line = json.dumps(record | {"seconds": round(result.seconds, 3)}) + "\n"
        try:
            if self._broken:
                self._drop_cut_line()
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(line)
        except OSError as error:
            raise Diagnostic(f"the results cannot be written: {error.strerror}", str(self._file)) from error
        self._keep(result)

    def _drop_cut_line(self) -> None:
        """Remove the last line, which a process that was killed wrote a part of."""
        with self._file.open("r+b") as stream:
            stream.truncate(stream.read().rfind(b"\n") + 1)
            os.fsync(stream.fileno())
        self._broken = False


def _text_of(file: Path) -> str:
    try:
        return read_regular(file).decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Diagnostic(f"the results cannot be read: {error.strerror}", str(file)) from error
    except UnicodeDecodeError as error:
        raise Diagnostic("not a file of results: it is not UTF-8", str(file)) from error


def _result(where: str, line: str) -> PointResult:
    """Return the result of a line. Raises Diagnostic where it is none."""
    try:
        record: Any = json.loads(line)
        texts = [record[name] for name in Subject.__dataclass_fields__]
        point, metrics = cast("dict[str, str]", record["point"]), cast("dict[str, float]", record.get("metrics", {}))
        error, seconds = str(record.get("error", "")), float(record.get("seconds", 0))
        subject = Subject(*texts)
        if not all(isinstance(text, str) for text in (*texts, *point, *point.values())) or bool(metrics) == bool(error):
            raise ValueError
        return PointResult(
            subject, tuple(point.items()), {name: float(cost) for name, cost in metrics.items()}, error, seconds
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        expected = "a line of JSON as `tilewright explore` writes it"
        raise Diagnostic("not a file of results", where, expected, line[:80], "give another file with -o") from error


def _other(where: str, subject: Subject, subjects: Sequence[Subject]) -> Diagnostic:
    """Return the error for results of another subject: what differs first."""
    of_network = [candidate for candidate in subjects if candidate.network == subject.network]
    nearest = (of_network or list(subjects))[0]
    names = {"network": "network", "digest": f"network '{subject.network}'", "target": "target"}
    names |= {"machine": f"machine file of '{subject.target}'", "by": "evaluation"}
    differs = next(name for name in names if getattr(subject, name) != getattr(nearest, name))
    expected, other = getattr(nearest, differs), getattr(subject, differs)
    if differs == "network":
        expected = ", ".join(candidate.network for candidate in subjects)
    what = "another state of the" if differs in ("digest", "machine") else "another"
    return Diagnostic(
        f"the results are of {what} {names[differs]}", where, expected[:80], other[:80], "give another file with -o"
    )
