"""
Remarks as JSON: a list with a record of each, one a line.

    {"kind": "missed", "pass": "fuse-epilogues", "number": 3, "name": "fusion", "message": "...", "op": "linalg.fill",
     "function": "network", "nodes": ["Add_3"], "positions": [], "location": "node \\"Add_3\\"", "args": {"uses": 2}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ...errors import Diagnostic
from ...grammar import UsageError
from ...passes.core.remarks import KINDS, Remark

_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("kind", "pass", "name", "message", "op", "function", "location"), str),
    **dict.fromkeys(("nodes", "positions"), list),
    "number": int,
    "args": dict,
}
"""Key of a record -> type of its value."""


def as_json(remarks: Iterable[Remark]) -> str:
    """Return the records of remarks."""
    lines = [json.dumps(record_of(remark), ensure_ascii=False, allow_nan=False) for remark in remarks]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def record_of(remark: Remark) -> dict[str, Any]:
    """Return a remark as JSON has it."""
    return {
        "kind": remark.kind,
        "pass": remark.pass_name,
        "number": remark.pass_number,
        "name": remark.name,
        "message": remark.message,
        "op": remark.op,
        "function": remark.function,
        "nodes": list(remark.nodes),
        "positions": list(remark.positions),
        "location": remark.where,
        "args": dict(remark.arguments),
    }


def from_json(text: str, source: str) -> list[Remark]:
    """Return the remarks that a text holds. Raises Diagnostic where it holds something else."""
    try:
        records = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Diagnostic(f"the file is no JSON: {error}", source=source, remedy=_REMEDY) from error
    if not isinstance(records, list):
        raise Diagnostic("the file holds no list of remarks", source=source, remedy=_REMEDY)
    return [_remark(record, f"remark {number}", source) for number, record in enumerate(cast("list[Any]", records), 1)]


_REMEDY = "write it with opt-tool --remarks FILE.json"


def _remark(record: Any, where: str, source: str) -> Remark:
    record = cast("dict[str, Any]", record) if isinstance(record, dict) else {}
    for key, kind in _TYPES.items():
        value = record.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            expected = f"'{key}' with a value of type {kind.__name__}"
            raise Diagnostic("the record is no remark", where, expected, source=source, remedy=_REMEDY)
    if record["kind"] not in KINDS:
        raise Diagnostic(f"no kind '{record['kind']}' of remarks", where, " or ".join(KINDS), source=source)
    return Remark(
        record["kind"],
        record["name"],
        record["message"],
        record["args"],
        record["op"],
        record["function"],
        nodes=tuple(map(str, record["nodes"])),
        positions=tuple(map(str, record["positions"])),
        where=record["location"],
        pass_name=record["pass"],
        pass_number=record["number"],
    )


def chosen(remarks: Iterable[Remark], pattern: str) -> list[Remark]:
    """
    Return the remarks in whose `kind pass name`, as in 'missed fuse-epilogues fusion', a regular expression is found.

    Raises UsageError for one that is malformed.
    """
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"the regular expression is malformed: {error}", found=pattern) from error
    return [remark for remark in remarks if expression.search(f"{remark.kind} {remark.pass_name} {remark.name}")]
