"""
Optimisation remarks: what a pass did to an op, did not do, or found out, and why.

    passed(op, "fusion", "fused with '{consumer}'", consumer=user.name)
    missed(op, "fusion", "its result has {uses} uses", uses=len(users))
    analysis(op, "footprint", "{bytes:,} bytes near", bytes=size)

The kinds are upstream's. Arguments are data (numbers, texts, lists and dictionaries of them), and fill the message's
fields. Remarks are output: no pass reads them, and the IR is the same with and without a listener. Without one a
remark is neither formatted nor kept; what is costly to compute for one belongs below `if wanted():`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeAlias, cast

from xdsl.ir import Operation

from ...locations import node_names, positions, where

PASSED, MISSED, ANALYSIS = KINDS = ("passed", "missed", "analysis")


@dataclass(frozen=True)
class Remark:
    """
    Remark about an op; `name` is its subject, as in 'fusion'.

    `arguments` are JSON values. `pass_name` and `pass_number`, from 1, are empty and 0 outside of a pipeline.
    `function` is the symbol around the op, `nodes` the names of its ONNX nodes, `positions` its places in files, and
    `where` the first of these, as errors name it.
    """

    kind: str
    name: str
    message: str
    arguments: Mapping[str, Any]
    op: str
    function: str
    nodes: tuple[str, ...]
    positions: tuple[str, ...]
    where: str
    pass_name: str = ""
    pass_number: int = 0

    @property
    def text(self) -> str:
        """Return the remark without its place: `[fuse-epilogues] missed fusion of 'linalg.generic': ...`."""
        stage = f"[{self.pass_name}] " if self.pass_name else ""
        return f"{stage}{self.kind} {self.name} of '{self.op}': {self.message}"

    def __str__(self) -> str:
        return f"{self.where}: remark: {self.text}"


Listener: TypeAlias = Callable[[Remark], None]
_listeners: list[Listener] = []


@contextmanager
def heard_by(listener: Listener) -> Generator[None]:
    """Give the remarks of the body to a listener."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def wanted() -> bool:
    """Return whether anybody listens to remarks."""
    return bool(_listeners)


def passed(op: Operation, name: str, message: str, /, **arguments: Any) -> None:
    """Remark on an optimisation of an op that was made."""
    _remark(PASSED, op, name, message, arguments)


def missed(op: Operation, name: str, message: str, /, **arguments: Any) -> None:
    """Remark on an optimisation of an op that was considered and refused."""
    _remark(MISSED, op, name, message, arguments)


def analysis(op: Operation, name: str, message: str, /, **arguments: Any) -> None:
    """Remark on a fact about an op that decisions rest on."""
    _remark(ANALYSIS, op, name, message, arguments)


def _remark(kind: str, op: Operation, name: str, message: str, arguments: Mapping[str, Any]) -> None:
    if not _listeners:
        return
    text = message.format(**arguments) if arguments else message
    data = {key: _plain(value) for key, value in arguments.items()}
    places = node_names(op), positions(op)
    remark = Remark(kind, name, text, data, op.name, function_of(op), *places, where(op))
    for listener in _listeners:
        listener(remark)


def function_of(op: Operation) -> str:
    """Return the symbol of the nearest op that has one, the op itself included; empty without one."""
    while True:
        symbol = op.properties.get("sym_name")
        if symbol is not None:
            return str(symbol).strip('"')
        parent = op.parent_op()
        if parent is None:
            return ""
        op = parent


def _plain(value: Any) -> Any:
    """Return an argument as JSON has it; what is no data, such as a type, as its text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Set):
        return sorted((_plain(inner) for inner in cast("Set[Any]", value)), key=str)
    if isinstance(value, Sequence):
        return [_plain(inner) for inner in cast("Sequence[Any]", value)]
    scalar = getattr(value, "item", None)  # one number of NumPy
    return scalar() if callable(scalar) else str(value)
