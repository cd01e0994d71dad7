"""
Contexts, parsing and printing: xDSL's, with locations, large constants and upstream's syntax where xDSL has another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, BlockArgument, Dialect, Operation, Region, SSAValue
from xdsl.utils.colors import RESET, Colors
from xdsl.utils.exceptions import ParseError, VerifyException

from ....errors import Diagnostic, note_at, snippet_at
from ....ir import DenseAttr
from ....locations import InferredLoc, is_written, where, written_part
from ..nesting import nested_ops
from .constants import HEX_ABOVE, DensePrinter, print_dense
from .parser import LocatingParser, NotedParseError
from .upstream import add_syntax
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


_UNWRITTEN = (UnknownLoc, InferredLoc)


def _has_late_visibility(op: Operation) -> bool:
    """Return whether an `llvm.func` has a calling convention besides attributes that upstream prints before it."""
    convention = op.properties.get("CConv")
    others = (op.properties.get(name) for name in ("visibility_", "unnamed_addr"))
    return "ccc" not in str(convention) and any(
        isinstance(attribute, IntegerAttr) and attribute.value.data for attribute in others
    )


def _has_unknown_flags(op: Operation) -> bool:
    """Return whether the overflow flags of an op of integers have bits that the custom syntax has no word for."""
    flags = op.properties.get("overflowFlags")
    return isinstance(flags, IntegerAttr) and not 0 <= flags.value.data <= 3


def _needs_terminators(region: Region) -> bool:
    """
    Return whether the text has to show the terminators of a region, because the parser would not add them again.

    It adds none to `scf.execute_region`, none after an unregistered op, which may be a terminator, and none with
    attributes.
    """
    parent = region.parent_op()
    is_plain = parent is not None and parent.name == "scf.execute_region"
    last = [op for block in region.blocks if (op := block.last_op) is not None]
    return is_plain or any(op.attributes or isinstance(op.prev_op, UnregisteredOp) for op in last)


def _has_attributes(op: Operation) -> bool:
    """Return whether an op, or one inside of it, has attributes."""
    return any(inner.attributes for inner in nested_ops(op))


_WITHOUT_ATTRIBUTES = tuple(
    """
    arith.cmpf arith.cmpi linalg.yield tensor.empty
    """.split()
)
_WITH_FLAGS = frozenset({"llvm.add", "llvm.mul", "llvm.shl", "llvm.sub"})
"""Ops whose flags are an attribute in MLIR 19 and a number in xDSL: only their custom form is read by both."""
_NEVER_GENERIC = _WITH_FLAGS | {"affine.if"}
"""Ops printed in the custom form alone; the condition of `affine.if` is no property upstream."""
_OTHER_SYNTAX: dict[str, Callable[[Operation], bool]] = {
    "llvm.func": _has_late_visibility,
    **dict.fromkeys(_WITH_FLAGS, _has_unknown_flags),
    **dict.fromkeys(_WITHOUT_ATTRIBUTES, _has_attributes),
}
"""
Ops whose custom syntax in xDSL differs from upstream's or omits attributes, by the condition: they are printed in
generic form.

An op of our own whose custom syntax cannot say all says so by a method `needs_generic_form`.
"""


class Locations(Enum):
    """Locations that the text shows."""

    NONE = "none"
    GIVEN = "given by the model or the text"
    ALL = "all, with the positions that the parser inferred"


class _Text(list[str]):
    """Stream that collects the parts of a text."""

    @property
    def write(self) -> Callable[[str], object]:
        """Add a part."""
        return self.append


class IrPrinter(DensePrinter):
    """Printer that writes big constants from their bytes, elides them on request, and prints upstream's syntax."""

    def __init__(
        self,
        text: _Text,
        *,
        elide: int | None = None,
        elide_resources: int | None = None,
        hex_above: int = HEX_ABOVE,
        generic: bool = False,
        locations: Locations = Locations.NONE,
        skip_regions: bool = False,
    ):
        has_locations = locations is not Locations.NONE
        super().__init__(cast(Any, text), print_generic_format=generic, print_debuginfo=has_locations)
        self.elide = elide
        self.hex_above = hex_above
        self._text = text
        self._write = text.append
        self._elide_resources = elide_resources
        self._hides_inferred = locations is not Locations.ALL
        self._is_in_arguments = False
        self._skips_regions = skip_regions

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._write(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        self._write("\n" + "  " * (self._indent if indent is None else indent))

    def print_op(self, op: Operation) -> None:
        self._is_in_arguments = False
        add_syntax(type(op))
        generic = self.print_generic_format
        is_other = _OTHER_SYNTAX.get(op.name) or getattr(type(op), "needs_generic_form", None)
        in_form = generic and op.name not in _NEVER_GENERIC
        self.print_generic_format = in_form or (is_other is not None and is_other(op))
        super().print_op(op)
        self.print_generic_format = generic

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self._is_in_arguments = True
        super().print_block_argument(arg, print_type)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        if self._skips_regions:
            self._write("{...}")
            return
        terminators = print_block_terminators or _needs_terminators(region)
        super().print_region(region, print_entry_block_args, print_empty_block, terminators)
        self._is_in_arguments = False

    def print_operation_type(self, op: Operation) -> None:
        # Ops whose custom syntax holds their type call this, too: xDSL prints the location there a second time.
        self.print_function_type(op.operand_types, op.result_types)

    def print_op_with_default_format(self, op: Operation) -> None:
        super().print_op_with_default_format(op)
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            constant = cast(DenseAttr, attribute)
            print_dense(self, constant)
            self.print_string(" : ")
            self.print_attribute(constant.get_type())
        elif isinstance(attribute, CallSiteLoc) and self._hides_inferred and not is_written(attribute.caller):
            self.print_attribute(written_part(attribute))
        elif isinstance(attribute, _UNWRITTEN) and self._hides_place() and self._text[-1] == " ":
            self._text.pop()  # the space by which xDSL sets apart the location of an op or argument
        else:
            super().print_attribute(attribute)

    def _hides_place(self) -> bool:
        """Return whether to omit a location that is unknown or inferred; the parser infers none of arguments."""
        return self._hides_inferred or self._is_in_arguments

    def print_metadata(self, dialects: Iterable[Dialect]) -> None:
        dialects = list(dialects)
        limit = self._elide_resources
        if limit is not None and self._dialect_resources:
            interfaces = {dialect.name: dialect.get_interface(OpAsmDialectInterface) for dialect in dialects}
            for name, keys in self._dialect_resources.items():
                stored = interfaces[name]
                assert stored is not None
                keys -= {key for key in keys if len(stored.lookup(key) or "") > limit}
        super().print_metadata(dialects)


class _HighlightingPrinter(IrPrinter):
    """A printer that colours the names of values for terminals, as xDSL's does."""

    def print_ssa_value(self, value: SSAValue) -> str:
        self._write(Colors.BRIGHT_MAGENTA)
        name = super().print_ssa_value(value)
        self._write(RESET)
        return name


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
    width: int | None = None,
    context: Context | None = None,
) -> str:
    """
    Return the text of an op.

    `elide` omits constants of more elements that are not uniform, `elide_resources` resources of more characters: such
    text cannot be run. Constants of more than `hex_above` elements are printed as bytes; -1 prints all in decimal.
    Lines have at most `width` columns, 0 for any; by default those of an imported network have at most 160, so that
    the text of other programs has a line for each op. `highlight` colours names for a terminal, and breaks no lines.
    `skip_regions` prints `{...}` for each region. With a `context`, the resources that the op names are appended.
    """
    text = _Text()
    kind = _HighlightingPrinter if highlight else IrPrinter
    printer = kind(
        text,
        elide=elide,
        elide_resources=elide_resources,
        hex_above=hex_above,
        generic=generic,
        locations=locations,
        skip_regions=skip_regions,
    )
    printer.print_op(op)
    if context is not None:
        printer.print_metadata(context.loaded_dialects)
    limit = limit_of(op) if width is None else width
    return "".join(text) if highlight else wrapped("".join(text), limit)


def one_line(op: Operation, *, elide: int, generic: bool = False) -> str:
    """
    Return an op without regions, constants of more than `elide` elements omitted.

    Operands without a name are numbered before results, as they are defined.
    """
    text = _Text()
    printer = IrPrinter(text, elide=elide, generic=generic, skip_regions=True)
    for operand in op.operands:
        printer.print_ssa_value(operand)
    text.clear()
    printer.print_op(op)
    return "".join(text)
