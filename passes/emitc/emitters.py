"""Registry of conversions to `emitc` by op name: a target registers those of its dialects in its `emission.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from xdsl.ir import Operation

from ...discovery import module_at, on_forget, registering, target_folders

Emitter = Callable[[Any, Operation], None]
"""Conversion of an op, given the `FunctionConverter`."""

_EMITTERS: dict[str, Emitter] = {}


def emits(*names: str) -> Callable[[Emitter], Emitter]:
    """Register a function as the conversion of ops of these names."""
    return registering(_EMITTERS, names)


def emitter_of(op: Operation) -> Emitter | None:
    """Return the conversion of an op of a target, None where its target has none: that one alone is imported."""
    if op.name not in _EMITTERS:
        _, _, place = type(op).__module__.rpartition(".targets.")
        folder = target_folders().get(place.partition(".")[0])
        if folder is not None and (file := folder / "emission.py").exists():
            module_at(file)
    return _EMITTERS.get(op.name)


def _forget(targets: Collection[str]) -> None:
    gone = tuple(f".targets.{name}.emission" for name in targets)
    for name in [name for name, emitter in _EMITTERS.items() if emitter.__module__.endswith(gone)]:
        del _EMITTERS[name]


on_forget(_forget)
