"""Dialects of xDSL with ops that it lacks, or defines unlike upstream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation


def extended(
    dialect: Dialect, operations: Sequence[type[Operation]], attributes: Sequence[type[Attribute]] = ()
) -> Dialect:
    """
    Return a dialect with more ops and attributes; an op with the name of one of the dialect replaces it.

    `isinstance` takes the replacement for an op of xDSL's class, so that patterns written against that class match it.

    The other ops, the attributes and the interfaces (of which folding is one) are those of the dialect.
    """
    named = {op.name: op for op in dialect.operations}
    for op in operations:
        _let_match(named.get(op.name), op)
        named[op.name] = op
    interfaces = dialect._interfaces  # pyright: ignore[reportPrivateUsage]
    return Dialect(dialect.name, list(named.values()), [*dialect.attributes, *attributes], list(interfaces))


def _let_match(replaced: type[Operation] | None, replacement: type[Operation]) -> None:
    if replaced is not None and not issubclass(replacement, replaced):
        replaced.register(replacement)


def verify_by(op: type[IRDLOperation], check: Callable[[Any], None]) -> None:
    """Replace the verifier of a class of xDSL: its definition is verified as it stands, and then by a function."""
    definition = op.get_irdl_definition()

    def verify(self: IRDLOperation) -> None:
        definition.verify(self)
        check(self)

    setattr(op, "verify_", verify)
