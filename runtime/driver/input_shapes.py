"""Extents of arguments whose types leave them open: those of `--input-shape`, or of the arrays of `--inputs`."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation

from ...dialects.core.ports import symbol_in
from ...errors import Diagnostic, did_you_mean
from ...ir import where
from ..inputs import load_arrays
from ..interpreter import Interpreter
from ..interpreter.boundary import argument_names

_SHAPE = "tilewright.shape"
_EXAMPLE = "4"

Shapes = Mapping[str, Sequence[int]]
"""Name of an argument -> its extents."""


@dataclass(frozen=True)
class InputShapes:
    """Extents of the arguments of functions, by function and name of the input; a pass may fix them in the types."""

    shapes: Mapping[str, Shapes]

    @contextmanager
    def applied(self, module: ModuleOp) -> Generator[None]:
        """Let the functions of a module declare the extents, by an attribute that is gone afterwards."""
        before: list[tuple[Operation, Attribute | None]] = []
        for name, shapes in self.shapes.items():
            if shapes and (function := _function(module, name)) is not None:
                before.append((function, function.properties.get("arg_attrs")))
                _declare(function, shapes)
        try:
            yield
        finally:
            for function, attributes in before:
                _restore(function, attributes)


def _function(module: ModuleOp, name: str) -> Operation | None:
    try:
        return Interpreter(module).symbol(symbol_in(module, name))
    except Diagnostic:  # the run says so
        return None


def _declare(function: Operation, shapes: Shapes) -> None:
    attributes: Any = function.properties.get("arg_attrs")
    types = [argument.type for argument in function.regions[0].blocks[0].args]
    data: list[dict[str, Attribute]] = [dict(attrs.data) for attrs in attributes.data] if attributes else []
    dictionaries = data or [dict[str, Attribute]() for _ in types]
    for names, type_, attrs in zip(argument_names(function), types, dictionaries, strict=True):
        if names[0] in shapes and _open_shape(type_):
            attrs[_SHAPE] = DenseArrayBase.from_list(i64, list(shapes[names[0]]))
    function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(attrs) for attrs in dictionaries])


def _restore(function: Operation, attributes: Attribute | None) -> None:
    if attributes is None:
        del function.properties["arg_attrs"]
    else:
        function.properties["arg_attrs"] = attributes


def _open_shape(type_: Attribute) -> tuple[int, ...]:
    """Return the shape of a type that leaves extents open, negative ones for these; empty for other types."""
    shape: tuple[int, ...] = tuple(getattr(type_, "get_shape", tuple)())
    return shape if any(extent < 0 for extent in shape) else ()


def input_shapes(module: ModuleOp, functions: Sequence[str], given: Shapes, inputs: Path | None) -> InputShapes:
    """
    Return the extents of arguments whose types leave them open.

    `given` are shapes by the names of inputs or values, `inputs` a file of arrays whose shapes count where none is
    given. Raises Diagnostic for a name that no argument has, a shape that does not fit, and an argument without one.
    """
    arrays = load_arrays(inputs) if inputs else {}
    shapes = {**{name: array.shape for name, array in arrays.items()}, **given}
    entries = {name: Interpreter(module).symbol(symbol_in(module, name)) for name in functions}
    _check_names(given, entries.values())
    resolved: dict[str, dict[str, Sequence[int]]] = {}
    for name, function in entries.items():
        resolved[name] = {}
        for names, value in zip(argument_names(function), function.regions[0].blocks[0].args, strict=True):
            shape = next((shapes[other] for other in names if other in shapes), None)
            _check_fits(names, value.type, given, function, name)
            if not _open_shape(value.type):
                continue
            if shape is None or len(shape) != len(_open_shape(value.type)):
                raise _without_extents(names, value.type, function, name)
            resolved[name][names[0]] = shape
    return InputShapes(resolved)


def _check_names(given: Shapes, functions: Iterable[Operation]) -> None:
    """Raise Diagnostic for a shape whose name no argument has."""
    names = [name for function in functions for group in argument_names(function) for name in group]
    if unknown := [name for name in given if name not in names]:
        raise Diagnostic(
            f"--input-shape names no argument: '{unknown[0]}'",
            expected=", ".join(dict.fromkeys(names)) or "a function with arguments",
            remedy=did_you_mean(unknown[0], names) or "name an argument of the function that runs",
        )


def _check_fits(names: Sequence[str], type_: Attribute, given: Shapes, function: Operation, symbol: str) -> None:
    """Raise Diagnostic where a shape does not fit the type of an argument."""
    shape = next((given[name] for name in names if name in given), None)
    extents: tuple[int, ...] = tuple(getattr(type_, "get_shape", tuple)())
    if shape is None:
        return
    fits = len(shape) == len(extents) and all(a < 0 or a == b for a, b in zip(extents, shape, strict=True))
    if not fits:
        raise Diagnostic(
            f"--input-shape does not fit argument '{names[-1]}' of @{symbol}",
            where=where(function),
            expected=f"extents of {type_}",
            found=",".join(map(str, shape)),
        )


def _without_extents(names: Sequence[str], type_: Attribute, function: Operation, symbol: str) -> Diagnostic:
    example = ",".join(_EXAMPLE if extent < 0 else str(extent) for extent in _open_shape(type_))
    return Diagnostic(
        f"argument '{names[-1]}' of @{symbol} has open extents, so that it cannot be run",
        where=where(function),
        expected="an extent for each '?'",
        found=str(type_),
        remedy=f"give them, for example --input-shape={names[-1]}={example}",
    )
