"""Stores of results: JSON lines and SQLite. A result is in the file as soon as its point has ended."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, fields
from functools import partial
from pathlib import Path
from typing import Any, cast

from ....errors import Diagnostic
from ....files import read_regular, write_text
from .results import REMEDY, PointResult, ResultStore, Subject

DATABASES = (".sqlite", ".sqlite3", ".db")
"""Suffixes of files that are SQLite databases."""
_SUBJECT = tuple(entry.name for entry in fields(Subject))


def store_at(file: Path) -> ResultStore:
    """Return the store in a file, by its suffix: SQLite, else JSON lines."""
    return Database(file) if file.suffix in DATABASES else JsonLines(file)


def record_of(result: PointResult) -> dict[str, Any]:
    """Return a result for JSON, without the seconds: those of two runs differ."""
    record = {**asdict(result.subject), "point": dict(result.point)}
    return record | ({"error": result.error} if result.error else {"metrics": dict(result.metrics)})


class JsonLines:
    """Store of a line of JSON for each point, appended as points end."""

    def __init__(self, file: Path):
        self.file = file
        self._is_cut = False

    def rows(self) -> Iterator[tuple[str, PointResult]]:
        """Yield the results; a last line that a killed process wrote a part of is none."""
        whole, _, cut = _text_of(self.file).rpartition("\n")
        self._is_cut = bool(cut)
        for number, line in enumerate(whole.splitlines() if whole else (), 1):
            where = f"{self.file}:{number}"
            yield where, _from_line(where, line)

    def append(self, result: PointResult) -> None:
        """Add a line."""
        with _writing(self.file):
            if self._is_cut:
                self._drop_cut_line()
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(_line(result))

    def replace(self, results: Sequence[PointResult]) -> None:
        """Write the lines to a file that takes the place of this one."""
        write_text(self.file, "".join(map(_line, results)))
        self._is_cut = False

    def _drop_cut_line(self) -> None:
        with self.file.open("r+b") as stream:
            stream.truncate(stream.read().rfind(b"\n") + 1)
            os.fsync(stream.fileno())
        self._is_cut = False


def _line(result: PointResult) -> str:
    return json.dumps(record_of(result)) + "\n"


@contextmanager
def _writing(file: Path) -> Generator[None]:
    """Raise Diagnostic for an error of the system."""
    try:
        yield
    except OSError as error:
        raise _not_written(file, error.strerror or str(error)) from error


def _not_written(file: Path, reason: str) -> Diagnostic:
    remedy = "free space, or close what has the file open: the same command goes on where this one ended"
    return Diagnostic(f"the results cannot be written: {reason}", str(file), remedy=remedy)


def _text_of(file: Path) -> str:
    try:
        return read_regular(file).decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Diagnostic(f"the results cannot be read: {error.strerror}", str(file)) from error
    except UnicodeDecodeError as error:
        raise Diagnostic("not a file of results: it is not UTF-8", str(file), remedy=REMEDY) from error


def _from_line(where: str, line: str) -> PointResult:
    """Return the result of a line. Raises Diagnostic where it is none."""
    try:
        record: Any = json.loads(line)
        subject = [record[name] for name in _SUBJECT]
        return _result(subject, record["point"], record.get("metrics", {}), record.get("error", ""))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        expected = "a line of JSON as `tilewright explore` writes it"
        raise Diagnostic("not a file of results", where, expected, line[:80], REMEDY) from error


def _result(subject: Sequence[Any], point: Any, metrics: Any, error: Any, seconds: Any = 0.0) -> PointResult:
    """Return the result of a row. Raises ValueError, TypeError or AttributeError where it is none."""
    axes, costs = cast("dict[str, str]", point), cast("dict[str, float]", metrics)
    texts = (*subject, *axes, *axes.values(), *costs, error)
    if not all(isinstance(text, str) for text in texts) or bool(costs) == bool(error):
        raise ValueError("neither costs nor an error")
    numbers = {name: float(cost) for name, cost in costs.items()}
    return PointResult(Subject(*subject), tuple(axes.items()), numbers, error, float(seconds))


_APPLICATION = 0x54576578
"""The id of the application in the header of its databases: `TWex`."""
_FORMAT = 1
_LOCKED_SECONDS = 30.0
_SCHEMA = (
    f"CREATE TABLE subjects (id INTEGER PRIMARY KEY, {', '.join(f'{name} TEXT NOT NULL' for name in _SUBJECT)},"
    f" UNIQUE ({', '.join(_SUBJECT)}))",
    "CREATE TABLE results (subject INTEGER NOT NULL REFERENCES subjects, point TEXT NOT NULL, metrics TEXT NOT NULL,"
    " error TEXT NOT NULL, seconds REAL NOT NULL, UNIQUE (subject, point))",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORMAT}",
)
_ROWS = f"SELECT {', '.join(_SUBJECT)}, point, metrics, error, seconds FROM results JOIN subjects ON subject = id"


class Database:
    """
    Store in SQLite: a transaction for each point.

    `results` has a row for each point of a subject; the view `points` has a column for each axis and each cost.
    """

    def __init__(self, file: Path):
        self.file = file
        self._axes: dict[str, None] = {}
        self._costs: dict[str, None] = {}
        self._is_viewed = False

    def rows(self) -> Iterator[tuple[str, PointResult]]:
        """Yield the results; a transaction that a killed process began is undone."""
        if not self.file.exists():
            return
        with self._connected("read") as connection:
            if not self._has_results(connection):
                return
            rows = connection.execute(f"{_ROWS} ORDER BY results.rowid").fetchall()
        for number, row in enumerate(rows, 1):
            where = f"{self.file}: row {number}"
            result = _from_row(where, row)
            self._name_columns(result)
            yield where, result

    def append(self, result: PointResult) -> None:
        """Add or replace a row."""
        with self._connected("written") as connection:
            connection.execute("BEGIN IMMEDIATE")
            self._prepare(connection)
            self._insert(connection, result)
            connection.execute("COMMIT")

    def replace(self, results: Sequence[PointResult]) -> None:
        """Write all rows in one transaction."""
        with self._connected("written") as connection:
            connection.execute("BEGIN IMMEDIATE")
            self._prepare(connection)
            connection.execute("DELETE FROM results")
            for result in results:
                self._insert(connection, result)
            connection.execute("COMMIT")

    def _insert(self, connection: sqlite3.Connection, result: PointResult) -> None:
        """Insert or replace a row, and define the view again where the row has other columns."""
        _insert(connection, result)
        self._name_columns(result)
        if not self._is_viewed:
            _define_view(connection, self._axes, self._costs)
            self._is_viewed = True

    def _name_columns(self, result: PointResult) -> None:
        """Add the columns of a result to those of the view."""
        before = len(self._axes) + len(self._costs)
        self._axes |= dict.fromkeys(name for name, _ in result.point)
        self._costs |= dict.fromkeys(result.metrics)
        self._is_viewed = self._is_viewed and len(self._axes) + len(self._costs) == before

    def _has_results(self, connection: sqlite3.Connection) -> bool:
        """Return whether the tables are there: not in an empty file. Raises Diagnostic for a database of others."""
        [application] = connection.execute("PRAGMA application_id").fetchone()
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) == (_APPLICATION, _FORMAT):
            return True
        if not connection.execute("SELECT name FROM sqlite_master").fetchall():
            return False
        other = f"format {version}" if application == _APPLICATION else "a database of another program"
        expected = f"a database as `tilewright explore` writes it, format {_FORMAT}"
        raise Diagnostic("not a file of results", str(self.file), expected, other, REMEDY)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if not self._has_results(connection):
            for statement in _SCHEMA:
                connection.execute(statement)

    @contextmanager
    def _connected(self, doing: str) -> Generator[sqlite3.Connection]:
        """Give a connection that is closed at the end. Raises Diagnostic for what SQLite refuses."""
        if self.file.exists() and not self.file.is_file():
            raise Diagnostic(f"the results cannot be {doing}: not a regular file", str(self.file), remedy=REMEDY)
        connection: sqlite3.Connection | None = None
        try:
            # Transactions are begun and ended by statements alone.
            connection = sqlite3.connect(self.file, timeout=_LOCKED_SECONDS, isolation_level=None)
            yield connection
        except sqlite3.DatabaseError as error:
            raise self._refused(error, doing) from error
        finally:
            if connection is not None:
                connection.close()

    def _refused(self, error: sqlite3.DatabaseError, doing: str) -> Diagnostic:
        if doing == "written":
            return _not_written(self.file, str(error))
        if isinstance(error, sqlite3.OperationalError):
            return Diagnostic(f"the results cannot be read: {error}", str(self.file))
        return Diagnostic("not a file of results", str(self.file), "an SQLite database", str(error), REMEDY)


def _from_row(where: str, row: Sequence[Any]) -> PointResult:
    try:
        *subject, point, metrics, error, seconds = row
        return _result(subject, json.loads(point), json.loads(metrics), error, seconds)
    except (ValueError, TypeError, AttributeError) as error:
        expected = "a row as `tilewright explore` writes it"
        raise Diagnostic("not a file of results", where, expected, str(row)[:80], REMEDY) from error


def _insert(connection: sqlite3.Connection, result: PointResult) -> None:
    subject = astuple(result.subject)
    marks = ", ".join("?" * len(subject))
    connection.execute(f"INSERT OR IGNORE INTO subjects ({', '.join(_SUBJECT)}) VALUES ({marks})", subject)
    where = " AND ".join(f"{name} = ?" for name in _SUBJECT)
    [number] = connection.execute(f"SELECT id FROM subjects WHERE {where}", subject).fetchone()
    point, metrics = json.dumps(dict(result.point)), json.dumps(dict(result.metrics))
    row = number, point, metrics, result.error, round(result.seconds, 3)
    connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", row)


def _define_view(connection: sqlite3.Connection, axes: Iterable[str], costs: Iterable[str]) -> None:
    """Define the view `points`: the network, each axis, each cost and the error, in the order of `results`."""
    values, numbers = map(partial(_entry, "point"), axes), map(partial(_entry, "metrics"), costs)
    columns = ", ".join(["network", *values, *numbers, "error"])
    connection.execute("DROP VIEW IF EXISTS points")
    rows = "FROM results JOIN subjects ON subject = id ORDER BY results.rowid"
    connection.execute(f"CREATE VIEW points AS SELECT {columns} {rows}")


def _entry(column: str, name: str) -> str:
    """Return the column of a view for an entry of a JSON object. A JSON path could not name a key with quotes."""
    key, title = name.replace("'", "''"), name.replace('"', '""')
    return f"""(SELECT value FROM json_each({column}) WHERE key = '{key}') AS "{title}\""""
