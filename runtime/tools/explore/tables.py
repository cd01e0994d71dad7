"""Tables of a sweep: the results as CSV or Parquet, a row for each point in the order of the sweep."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ....errors import Diagnostic
from ....files import write_bytes
from .results import PointResult

TABLES = (".csv", ".parquet")
"""Suffixes of files that are tables: written as a whole, not as points end."""


def check_table(file: Path) -> None:
    """Raise Diagnostic where a table cannot be written, as a package is missing."""
    if file.suffix == ".parquet":
        _parquet()


def write_table(file: Path, results: Sequence[PointResult]) -> None:
    """Write results by the suffix of the file, whole or not at all. Raises Diagnostic where it cannot be written."""
    columns = columns_of(results)
    write_bytes(file, _parquet_bytes(columns) if file.suffix == ".parquet" else _csv_bytes(columns))


def columns_of(results: Sequence[PointResult]) -> dict[str, list[str] | list[float | None]]:
    """Return the columns: the network, the value of each axis as text, each cost, and the error or an empty text."""
    columns: dict[str, list[str] | list[float | None]] = {"network": [result.subject.network for result in results]}
    for name, _ in results[0].point:
        columns[name] = [dict(result.point)[name] for result in results]
    for name in dict.fromkeys(name for result in results for name in result.metrics):
        columns[name] = [result.metrics.get(name) for result in results]
    columns["error"] = [result.error for result in results]
    return columns


def _csv_bytes(columns: dict[str, Any]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue().encode()


def _parquet_bytes(columns: dict[str, Any]) -> bytes:
    arrow, parquet = _parquet()
    kinds = {name: arrow.float64() for name, values in columns.items() if not isinstance(values[0], str)}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in columns])
    stream = io.BytesIO()
    parquet.write_table(arrow.table(columns, schema=schema), stream)
    return stream.getvalue()


def _parquet() -> tuple[Any, Any]:
    """Return the packages for Parquet. Raises Diagnostic where they are not installed."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        remedy = "pip install 'tilewright[parquet]', or write .csv"
        raise Diagnostic("Parquet needs pyarrow", found=str(error), remedy=remedy) from error
