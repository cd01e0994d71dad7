"""
Import rules of operators beyond their ONNX schemas: one record per operator, in modules by family.

    operators("GRU LSTM RNN", words={"direction": ("forward", "reverse", "bidirectional")}, checks=(_recurrent,))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from onnx import NodeProto, TensorProto

from ...dialects.onnx.registry import treats
from ...discovery import import_folder
from ..node_view import NodeView

Shape = tuple[int | None, ...] | None
"""Shape of a tensor, None in it for a dim not known, None for a rank not known or a tensor left out."""

LIKE_INPUT = 0
"""The element type of a node's first input, as that of a moved attribute."""

EVERY_OPSET = 1 << 30
"""Opset that no model reaches, as the limit of a rewrite that applies to all."""


class Moved(NamedTuple):
    """Attribute that a newer opset made an input."""

    attribute: str
    position: int
    data_type: int = TensorProto.INT64


@dataclass(frozen=True)
class Operator:
    """
    Import rules of one operator beyond its schema.

    `words`: text attribute -> its allowed values, the default first.
    `shape_inputs`: the inputs on whose values the result's shape depends.
    `moved`: attributes that became inputs.
    `until`, `older`: the opset from which the newest form holds, and the rewrite of an older node to it.
    `checks`: compatibility checks that ONNX's inference omits; each raises Diagnostic.
    `unsound`: returns why a node would crash ONNX's inference, "" for a sound node.
    `explicit`: attributes that ONNX's inference takes for 0 where they are left out, whatever their default.
    `like_first`: ONNX has no inference, the result has the type and shape of the first input.
    `shapes`: returns the shapes of outputs that ONNX's inference leaves open, from those of the inputs.
    It is empty where the inputs do not determine them.
    `folds`: a node of constants becomes a constant.
    `made_of_shapes`: all inputs decide the shape of the result, which is therefore a constant.
    """

    words: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    shape_inputs: tuple[int, ...] = ()
    moved: tuple[Moved, ...] = ()
    until: int = 0
    older: Callable[[NodeView], Sequence[NodeProto]] | None = None
    checks: tuple[Callable[[NodeView], None], ...] = ()
    unsound: Callable[[NodeProto], str] | None = None
    explicit: tuple[str, ...] = ()
    like_first: bool = False
    shapes: Callable[[NodeProto, Sequence[Shape]], Sequence[Shape]] | None = None
    folds: bool = True
    made_of_shapes: bool = False


_PLAIN = Operator()
_OPERATORS: dict[tuple[str, str], Operator] = {}
"""Domain and operator -> its record."""


def operators(names: str, domain: str = "", **rules: Any) -> None:
    """Register one record for each operator of a list separated by spaces."""
    record = Operator(**rules)
    for name in names.split():
        assert (domain, name) not in _OPERATORS, name
        _OPERATORS[domain, name] = record
    treats("import", [(domain, name) for name in names.split()])


def operator_of(op_type: str, domain: str = "") -> Operator:
    """Return the record of an operator, one without rules where none is registered."""
    _load()
    return _OPERATORS.get((domain, op_type), _PLAIN)


@cache
def _load() -> None:
    """Import every module of this folder, which registers its operators."""
    import_folder(Path(__file__).parent)
