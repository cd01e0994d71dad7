"""Where in a model or a file an op comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation


def named_location(name: str) -> LocationAttr:
    """Return the location of what came from the ONNX node `name`."""
    return NameLoc(StringAttr(name), NoneAttr())


def fused_location(locations: Iterable[LocationAttr]) -> LocationAttr:
    """Return the location of an op that was made from several, without repetitions."""
    parts: dict[LocationAttr, None] = {}
    for location in locations:
        parts |= {part: None for part in _name_locations(location)}
    if not parts:
        return UnknownLoc()
    return next(iter(parts)) if len(parts) == 1 else FusedLoc(tuple(parts), NoneAttr())


def node_names(op: Operation) -> tuple[str, ...]:
    """Return the names of the ONNX nodes that an op implements, in graph order; empty where it came from none."""
    return tuple(part.desc.data for part in _name_locations(op.location))


def _name_locations(location: LocationAttr) -> list[NameLoc]:
    parts = cast(ArrayAttr[Attribute], location.locations).data if isinstance(location, FusedLoc) else (location,)
    return [part for part in parts if isinstance(part, NameLoc)]


def where(op: Operation) -> str:
    """Return the place to name in an error about `op`: its ONNX node, else its line in the file, else the op itself."""
    if names := node_names(op):
        return "node " + " + ".join(f'"{name}"' for name in names)
    if isinstance(location := op.location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    return f"op '{op.name}'"
