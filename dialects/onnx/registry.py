"""
Registries of what treats an ONNX operator: rules by its name, one registry an aspect, and the places where they are.

    LOWERINGS: Registry[Rule] = Registry("lowering")

    @LOWERINGS.rule("Conv")
    def _conv(lower, op): ...

`places("Conv")` then has `Place("lowering", Path("passes/lowering/products.py"), 25, "_conv")`. An operator's key is
its name, after the domain where that is neither ai.onnx nor ours: `Conv`, `ml.Binarizer`, `com.microsoft.QMoE`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from inspect import unwrap
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from .custom import DOMAIN

K = TypeVar("K", bound="str | tuple[str, str]")
V = TypeVar("V")
F = TypeVar("F", bound=Callable[..., Any])

_MENTION = "mention"
PREFIX = "onnx."
"""Prefix of op names: the operator `Conv` is the op `onnx.Conv`."""


class RuleLine(NamedTuple):
    """Line at which an operator is treated; `function` is the rule, empty where the rule is a value."""

    aspect: str
    file: Path
    line: int
    function: str


_places: dict[str, dict[RuleLine, None]] = {}
"""Operator -> the places that treat it, each once."""


def key_of(name: str | tuple[str, str]) -> str:
    """Return the key of an operator: of its name, that of its op, or its domain and name."""
    if isinstance(name, str):
        return name.removeprefix(PREFIX)
    domain = "" if name[0] == DOMAIN else name[0].removeprefix("ai.onnx").removeprefix(".")
    return ".".join(filter(None, (domain, name[1])))


def places(operator: str) -> tuple[RuleLine, ...]:
    """Return the places that treat an operator, of the modules imported until now: rules, then mentions."""
    return tuple(sorted(_places.get(operator, ()), key=lambda place: place.aspect == _MENTION))


def treated() -> Mapping[str, Iterable[RuleLine]]:
    """Return the places of every operator that one treats, by key."""
    return _places


class Registry(dict[K, V]):
    """
    Rules of one aspect, by what they are looked up by: names of operators or of ops, or domains with names.

    Raises ValueError for a second rule of an operator.
    """

    def __init__(self, aspect: str, rules: Mapping[K, V] | None = None):
        super().__init__()
        self.aspect = aspect
        for name, rule in (rules or {}).items():
            self._add(name, rule, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]

    def rule(self, *names: K) -> Callable[[F], F]:
        """Return a decorator that enters a function under these names."""
        return partial(self._register, names)

    def _register(self, names: Iterable[K], rule: F) -> F:
        for name in names:
            self._add(name, rule, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return rule

    def _add(self, name: K, rule: Any, caller: Any) -> None:
        if name in self:
            raise ValueError(f"two rules of the aspect '{self.aspect}' are for {name}")
        self[name] = rule
        _note(self.aspect, [name], rule, caller)


def treats(aspect: str, names: Iterable[str | tuple[str, str]], rule: object = None) -> None:
    """Note that a rule treats operators, for a function that enters it elsewhere: its caller's line is the place."""
    _note(aspect, names, rule, sys._getframe(2))  # pyright: ignore[reportPrivateUsage]


def mentions(*names: str) -> Callable[[F], F]:
    """Return a decorator for a function that has operators of these names in its code, and is the rule of none."""

    def register(function: F) -> F:
        _note(_MENTION, names, function, sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return function

    return register


def _note(aspect: str, names: Iterable[str | tuple[str, str]], rule: object, caller: Any) -> None:
    function, file = _function_of(rule), caller.f_code.co_filename
    name = function.__qualname__.partition(".<locals>")[0] if function else ""
    is_here = function is not None and function.__code__.co_filename == file and name == function.__qualname__
    line = function.__code__.co_firstlineno if is_here and function else caller.f_lineno
    place = RuleLine(aspect, Path(file), line, name.removeprefix("<lambda>"))
    for operator in names:
        _places.setdefault(key_of(operator), {})[place] = None


def _function_of(rule: object) -> FunctionType | None:
    """Return the function that a rule is, or the first that it holds."""
    if isinstance(rule, FunctionType):
        return unwrap(rule)
    if isinstance(rule, partial):
        return _function_of(rule.func)
    parts = [getattr(rule, field.name) for field in fields(rule)] if is_dataclass(rule) else []
    return next(filter(None, map(_function_of, parts)), None)
