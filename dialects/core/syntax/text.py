"""
Contexts, parsing and printing: xDSL's, with locations, large constants and upstream's syntax where xDSL has another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from ....errors import Diagnostic, note_at, snippet_at
from ....locations import where
from .constants import HEX_ABOVE
from .parser import LocatingParser, NotedParseError
from .printer import IrPrinter, Locations, Style, Text
from .styles import styled_printer
from .wrapping import limit_of, wrapped


def new_context(*, allow_unregistered: bool = False) -> Context:
    """Return a context that knows all dialects, those of plug-ins included, none of them loaded yet."""
    from ... import all_dialects

    context = Context(allow_unregistered=allow_unregistered)
    for name, factory in all_dialects().items():
        context.register_dialect(name, factory)
    return context


def parse_module(
    context: Context,
    text: str,
    name: str = "<input>",
    *,
    first_line: int = 1,
    new_parser: Callable[[Context, str, str], LocatingParser] = LocatingParser,
) -> ModuleOp:
    """
    Parse MLIR text; ops outside a module are put into one. Does not verify.

    `first_line` is the line of `name` at which `text` begins. Raises Diagnostic where the text is no IR, and where its
    regions are nested more than MOST_NESTED deep.
    """
    parser: LocatingParser | None = None
    text = "\n" * (first_line - 1) + text
    try:
        parser = new_parser(context, text, name)
        module = parser.parse_module()
    except ParseError as error:
        line, column = _line_and_column(text, error.span.start)
        message = error.msg.strip() or "syntax error"
        raised = Diagnostic(message, where=f"{name}:{line}:{column}", snippet=snippet_at(text, line, column))
        if isinstance(error, NotedParseError):
            place = _line_and_column(text, error.position)
            raised.notes.append(note_at(":".join(map(str, (name, *place))), error.note))
        raise raised from error
    except Diagnostic:
        raise
    except RecursionError as error:
        line, column = parser.place() if parser else (first_line, 1)
        raise _nested_too_deeply(f"{name}:{line}:{column}") from error
    except Exception as error:
        line, column = parser.place() if parser else (first_line, 1)
        kind = "" if isinstance(error, VerifyException | ValueError) else f"not understood: {type(error).__name__}: "
        raise Diagnostic(f"{kind}{error}", where=f"{name}:{line}:{column}") from error
    _check_nesting(module)
    return module


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1) + 1


MOST_NESTED = 100
"""The largest number of regions around an op of a file: passes visit regions recursively."""


def _check_nesting(module: ModuleOp) -> None:
    pending: list[tuple[Operation, int]] = [(module, 0)]
    while pending:
        op, depth = pending.pop()
        if depth > MOST_NESTED:
            raise _nested_too_deeply(where(op))
        for region in op.regions:
            pending += [(inner, depth + 1) for block in region.blocks for inner in block.ops if inner.regions]


def _nested_too_deeply(place: str) -> Diagnostic:
    return Diagnostic(
        "regions are nested too deeply",
        where=place,
        expected=f"at most {MOST_NESTED} regions around an op",
        remedy="move inner regions into functions, or turn the nesting into a loop",
    )


def print_ir(
    op: Operation,
    *,
    elide: int | None = None,
    elide_resources: int | None = None,
    hex_above: int = HEX_ABOVE,
    generic: bool = False,
    locations: Locations = Locations.NONE,
    highlight: bool = False,
    skip_regions: bool = False,
    short_names: bool = False,
    unique_names: bool = False,
    users: bool = False,
    width: int | None = None,
    context: Context | None = None,
) -> str:
    """
    Return the text of an op.

    `elide` omits constants of more elements that are not uniform, `elide_resources` resources of more characters: such
    text cannot be run. Constants of more than `hex_above` elements are printed as bytes; -1 prints all in decimal.
    Lines have at most `width` columns, 0 for any; by default those of an imported network have at most 160, so that
    the text of other programs has a line for each op. `highlight` colours names for a terminal, and breaks no lines.
    `skip_regions` prints `{...}` for each region, `short_names` names of ops as upstream does: `module`, `return`;
    `unique_names` gives no two values of the text one name; `users` adds the users of values as comments, and breaks no
    lines. With a `context`, the resources that the op names are
    appended.
    """
    text = Text()
    options: dict[str, Any] = {
        "elide": elide,
        "elide_resources": elide_resources,
        "hex_above": hex_above,
        "generic": generic,
        "locations": locations,
        "skip_regions": skip_regions,
        "unique_names": unique_names,
    }
    if highlight or short_names or users:
        printer = styled_printer(op, text, Style(highlight, short_names, users), options)
    else:
        printer = IrPrinter(text, **options)
    printer.print_op(op)
    if context is not None:
        printer.print_metadata(context.loaded_dialects)
    limit = limit_of(op) if width is None else width
    return "".join(text) if highlight or users else wrapped("".join(text), limit)


def one_line(op: Operation, *, elide: int, generic: bool = False) -> str:
    """
    Return an op without regions, constants of more than `elide` elements omitted.

    Operands without a name are numbered before results, as they are defined.
    """
    text = Text()
    printer = IrPrinter(text, elide=elide, generic=generic, skip_regions=True)
    for operand in op.operands:
        printer.print_ssa_value(operand)
    text.clear()
    printer.print_op(op)
    return "".join(text)
