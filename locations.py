"""Source locations of ops: names of ONNX nodes, places that the text gives, positions that the parser infers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, BuiltinAttribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.printer import Printer

# Some of xDSL's passes make ops without `__init__`, which sets the default.
Operation.location = UNKNOWN_LOC


@irdl_attr_definition
class InferredLoc(ParametrizedAttribute, BuiltinAttribute):
    """Position of an op in its file, inferred by the parser where the text gives no location."""

    name = "inferred_loc"

    filename: StringAttr = param_def()
    line: IntAttr = param_def()
    column: IntAttr = param_def()

    def print_builtin(self, printer: Printer) -> None:
        FileLineColLoc(self.filename, self.line, self.column).print_builtin(printer)


@irdl_attr_definition
class FileRangeLoc(ParametrizedAttribute, BuiltinAttribute):
    """Range in a file, from a line and column to others: `loc("a.c":1:2 to 3:4)`, which MLIR 20 and newer have."""

    name = "file_range_loc"

    filename: StringAttr = param_def()
    line: IntAttr = param_def()
    column: IntAttr = param_def()
    end_line: IntAttr = param_def()
    end_column: IntAttr = param_def()

    def print_builtin(self, printer: Printer) -> None:
        end = "" if self.end_line == self.line else f"{self.end_line.data}"
        with printer.in_location():
            printer.print_string_literal(self.filename.data)
            printer.print_string(f":{self.line.data}:{self.column.data} to {end}:{self.end_column.data}")


# xDSL checks the parts of call sites, fused and named locations against this union.
setattr(builtin, "LocationAttr", LocationAttr | InferredLoc | FileRangeLoc)


def is_location(attribute: Attribute) -> bool:
    """Return whether an attribute is a location."""
    return isinstance(attribute, LocationAttr | InferredLoc | FileRangeLoc)


def is_written(location: Attribute) -> bool:
    """Return whether a location is information of the program: neither unknown nor inferred from an op's position."""
    if isinstance(location, CallSiteLoc):
        return is_written(location.callee) or is_written(location.caller)
    return not isinstance(location, UnknownLoc | InferredLoc)


def written_part(location: Attribute) -> Attribute:
    """Return a location without those callees and callers that are not written."""
    if not isinstance(location, CallSiteLoc):
        return location
    callee, caller = written_part(location.callee), written_part(location.caller)
    if is_written(callee) and is_written(caller):
        return CallSiteLoc(callee, caller)
    return caller if is_written(caller) else callee


def named_location(name: str) -> LocationAttr:
    """Return the location of what came from the ONNX node `name`."""
    return NameLoc(StringAttr(name), NoneAttr())


def inlined_location(callee: LocationAttr, caller: LocationAttr) -> LocationAttr:
    """Return the location of an op of a callee, inlined for a call at `caller`."""
    return CallSiteLoc(callee, caller)


def fused_location(locations: Iterable[LocationAttr]) -> LocationAttr:
    """Return the location of an op that was made from several, without repetitions; inferred positions are dropped."""
    parts: dict[LocationAttr, None] = {}
    for location in locations:
        parts |= {part: None for part in _parts(location) if is_written(part)}
    if not parts:
        return UnknownLoc()
    return next(iter(parts)) if len(parts) == 1 else FusedLoc(tuple(parts), NoneAttr())


def node_names(op: Operation) -> tuple[str, ...]:
    """Return the names of the ONNX nodes that an op implements, in graph order; empty where it came from none."""
    return tuple(dict.fromkeys(_names(op.location)))


def _names(location: Attribute) -> list[str]:
    """Return the names that a location holds, of a call the callee's, or the caller's where that has none."""
    names: list[str] = []
    for part in _parts(location):
        if isinstance(part, CallSiteLoc):
            names += _names(part.callee) or _names(part.caller)
        elif isinstance(part, NameLoc):
            names.append(part.desc.data)
    return names


def _parts(location: Attribute) -> tuple[LocationAttr, ...]:
    """Return the locations that a fused one consists of, or the location itself."""
    if not isinstance(location, FusedLoc) or not isinstance(location.metadata, NoneAttr):
        return (cast(LocationAttr, location),)
    return cast("tuple[LocationAttr, ...]", cast(ArrayAttr[Attribute], location.locations).data)


def _place(location: Attribute) -> FileLineColLoc | FileRangeLoc | InferredLoc | None:
    """Return the first place in a file within a location, of a call the callee's; None if there is none."""
    match location:
        case FileLineColLoc() | FileRangeLoc() | InferredLoc():
            return location
        case CallSiteLoc():
            return _place(location.callee) or _place(location.caller)
        case FusedLoc():
            places = map(_place, cast(ArrayAttr[Attribute], location.locations).data)
            return next((place for place in places if place is not None), None)
        case _:
            return None


def _text_of(place: FileLineColLoc | FileRangeLoc | InferredLoc) -> str:
    return f"{place.filename.data}:{place.line.data}:{place.column.data}"


def positions(op: Operation) -> tuple[str, ...]:
    """Return the positions in files that the location of an op holds, as `file:line:column`, of a call the callee's."""
    places = [place for part in _parts(op.location) if (place := _place(part)) is not None]
    return tuple(dict.fromkeys(map(_text_of, places)))


def where(op: Operation) -> str:
    """Return the place to name in an error about `op`: its ONNX node, else its line in the file, else the op itself."""
    names, place = node_names(op), _place(op.location)
    if place is not None and (not names or isinstance(op.location, CallSiteLoc)):
        return _text_of(place)
    if names:
        return "node " + " + ".join(f'"{name}"' for name in names)
    return f"op '{op.name}'"
