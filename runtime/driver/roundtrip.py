"""`--verify-each=roundtrip`: the text of the IR parses as the same IR, before the first pass and after each."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...dialects.core.syntax.text import Locations, parse_module, print_ir
from ...errors import Diagnostic
from ...ir import where
from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import Pipeline

_PRINTED = "<printed IR>"
_LONGEST = 200
"""The characters of a line that an error shows."""


@dataclass(frozen=True)
class RoundTrip(Observer):
    """Prints, parses and prints again; raises Diagnostic that names the first op which differs."""

    context: Context

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        check_round_trip(module, self.context)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        check_round_trip(module, self.context)


def check_round_trip(module: ModuleOp, context: Context) -> None:
    """
    Print a module, parse the text and print it again.

    Raises Diagnostic where the text does not parse, where the parsed module differs, and where it prints otherwise.
    """
    text = print_ir(module, locations=Locations.GIVEN, context=context)
    before = print_ir(module, locations=Locations.GIVEN, width=0, context=context)
    with _without_resources(context):
        try:
            again = parse_module(context, text, _PRINTED)
        except Diagnostic as error:
            line = _line_of(text, error.where)
            raise Diagnostic(f"the printed IR does not parse: {error.message}", found=line) from error
        after = print_ir(again, locations=Locations.GIVEN, width=0, context=context)
    is_equal = all(a and _is_same(a, b) for a, b in zip_longest(module.walk(), again.walk()))
    if before != after or not is_equal:
        raise _difference(module, again, before, after)


@contextmanager
def _without_resources(context: Context) -> Generator[None]:
    """Hide the resources of a context: xDSL would rename those of a text that are there already."""
    interfaces = [dialect.get_interface(OpAsmDialectInterface) for dialect in context.loaded_dialects]
    stores = {interface: interface._blob_storage for interface in interfaces if interface is not None}  # pyright: ignore[reportPrivateUsage]
    for interface in stores:
        interface._blob_storage = {}  # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        for interface, store in stores.items():
            interface._blob_storage = store  # pyright: ignore[reportPrivateUsage]


def _difference(module: ModuleOp, again: ModuleOp, before: str, after: str) -> Diagnostic:
    pairs = zip_longest(module.walk(), again.walk())
    op, other = next(((a, b) for a, b in pairs if a and not _is_same(a, b)), (module, again))
    lines = list(zip_longest(before.split("\n"), after.split("\n"), fillvalue=""))
    expected, actual = next(((a, b) for a, b in lines if a != b), (_generic_line(op), _generic_line(other)))
    return Diagnostic(
        f"the text of op '{op.name}' parses as another op",
        where=where(op),
        expected=expected.strip()[:_LONGEST],
        found=actual.strip()[:_LONGEST],
    )


def _generic_line(op: Operation | None) -> str:
    return print_ir(op, generic=True, elide=8, width=0).split("\n", 1)[0] if op else "nothing"


def _line_of(text: str, place: str) -> str:
    number = place.removeprefix(f"{_PRINTED}:").partition(":")[0]
    return text.split("\n")[int(number) - 1].strip()[:_LONGEST] if number.isdecimal() else ""


def _is_same(a: Operation, b: Operation | None) -> bool:
    """Return whether two ops agree in all but which values they take, and in regions."""
    return b is not None and _facts(a) == _facts(b)


def _facts(op: Operation) -> tuple[object, ...]:
    return op.name, op.properties, op.attributes, op.result_types, op.operand_types, len(op.regions)
