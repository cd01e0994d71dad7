"""Printer of IR: locations, large constants, and upstream's syntax where xDSL has another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple, cast

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, BlockArgument, Dialect, Operation, Region

from ....ir import DenseAttr
from ....locations import InferredLoc, is_written, written_part
from ..nesting import nested_ops
from .constants import HEX_ABOVE, DensePrinter, print_dense
from .upstream import add_syntax

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


_WITHOUT_ATTRIBUTES = ("linalg.yield", "tensor.empty")
_WITH_FLAGS = frozenset({"llvm.add", "llvm.mul", "llvm.shl", "llvm.sub"})
"""Ops whose flags are an attribute in MLIR 19 and a number in xDSL: only their custom form is read by both."""
_NEVER_GENERIC = _WITH_FLAGS | {"affine.if", "vector.shuffle"}
"""Ops printed in the custom form alone: what xDSL has as a property is an attribute in MLIR 19, or of another kind."""
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


class Text(list[str]):
    """Stream that collects the parts of a text."""

    @property
    def write(self) -> Callable[[str], object]:
        """Add a part."""
        return self.append


class IrPrinter(DensePrinter):
    """Printer that writes big constants from their bytes, elides them on request, and prints upstream's syntax."""

    def __init__(
        self,
        text: Text,
        *,
        elide: int | None = None,
        elide_resources: int | None = None,
        hex_above: int = HEX_ABOVE,
        generic: bool = False,
        locations: Locations = Locations.NONE,
        skip_regions: bool = False,
        unique_names: bool = False,
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
        self._has_unique_names = unique_names

    def enter_scope(self) -> None:
        if not self._has_unique_names:
            super().enter_scope()

    def exit_scope(self) -> None:
        if not self._has_unique_names:
            super().exit_scope()

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


class Style(NamedTuple):
    """Style of a text beside its contents, as `print_ir` describes it."""

    highlight: bool
    short_names: bool
    users: bool
