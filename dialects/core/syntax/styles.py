"""Printers of IR in the styles that are asked for: coloured values, short names of ops, users of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.colors import RESET, Colors

from .printer import IrPrinter, Style, Text

_DEFAULT_DIALECTS = {
    "builtin.module": "builtin",
    **{f"{name}.func": name for name in ("emitc", "func", "llvm", "ml_program", "pdl_interp", "shape", "spirv")},
    "irdl.dialect": "irdl",
    "pdl.pattern": "pdl",
    "spirv.module": "spirv",
}
"""Op -> the dialect whose ops upstream names without it in its regions (OpAsmOpInterface::getDefaultDialect)."""


def styled_printer(op: Operation, text: Text, style: Style, options: Mapping[str, Any]) -> IrPrinter:
    """Return the printer of an op in a style; `text` collects its parts, `options` are those of IrPrinter."""
    if not style.users:
        return _StyledPrinter(text, style, **options)
    # A comment names users that come later: their names are known when all is printed once.
    first = _UsersPrinter(Text(), style._replace(highlight=False), **options)
    first.print_op(op)
    printer = _UsersPrinter(text, style, **options)
    printer.names, printer.order = first.numbered_names(), first.order
    return printer


class _StyledPrinter(IrPrinter):
    """
    Printer that colours the names of values for terminals, as xDSL's does, or shortens names of ops as upstream does.

    The parser reads a short name as that of the dialects of the ops around it, the innermost first.
    """

    def __init__(self, text: Text, style: Style, **options: Any):
        super().__init__(text, **options)
        self._style = style
        self._shortened = ""

    def print_ssa_value(self, value: SSAValue) -> str:
        if not self._style.highlight:
            return super().print_ssa_value(value)
        self._write(Colors.BRIGHT_MAGENTA)
        name = super().print_ssa_value(value)
        self._write(RESET)
        return name

    def print_op(self, op: Operation) -> None:
        around = op.parent_op()
        dialect = _DEFAULT_DIALECTS.get(around.name) if around else "builtin"
        is_short = self._style.short_names and dialect is not None and op.name.startswith(f"{dialect}.")
        self._shortened = op.name if is_short and not isinstance(op, UnregisteredOp) else ""
        super().print_op(op)

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if text and text == self._shortened:
            self._shortened, text = "", text.partition(".")[2]
        super().print_string(text, indent=indent)


class _UsersPrinter(_StyledPrinter):
    """
    Printer that adds the users of each value as comments, in upstream's words: their results, last user first.

    `names` are those of values, and of ops without results, which are numbered after the values; `order` has the places
    of ops in the text.
    """

    def __init__(self, text: Text, style: Style, **options: Any):
        super().__init__(text, style, **options)
        self.names: dict[SSAValue | Operation, str] = {}
        self.order: dict[Operation, int] = {}

    def numbered_names(self) -> dict[SSAValue | Operation, str]:
        """Return the names of values, and for the ops without results that have operands numbers that none has."""
        numbers = [int(name[1:]) for name in self.names.values() if name[1:].isdecimal()]
        unnamed = (op for op in self.order if not op.results and op.operands)
        return self.names | {op: f"%{number}" for number, op in enumerate(unnamed, max(numbers, default=-1) + 1)}

    def print_ssa_value(self, value: SSAValue) -> str:
        name = super().print_ssa_value(value)
        self.names[value] = f"%{name}"
        return name

    def print_op(self, op: Operation) -> None:
        self.order.setdefault(op, len(self.order))
        begins_line = bool(self._text) and self._text[-1].startswith("\n")
        block = op.parent_block()
        if begins_line and block is not None and op.prev_op is None:
            for argument in block.args:
                used = f"is used by {self._users(argument)}" if argument.uses else "is unused"
                self._write(f"// {self._named(argument)} {used}{self._text_of_line()}")
        super().print_op(op)
        if begins_line and op.results:
            self._write(f" // {self._users_of(op)}")
        elif begins_line and op in self.names:
            self._write(f" // id: {self.names[op]}")

    def _text_of_line(self) -> str:
        """Return the end of a line of its own: a line break, with the indentation of the op that follows."""
        return next(part for part in reversed(self._text) if part.startswith("\n"))

    def _users_of(self, op: Operation) -> str:
        """Return the users of the results of an op: `user: %1`, or for several results `users: (%1), (unused)`."""
        users = {use.operation for result in op.results for use in result.uses}
        if not users:
            return "unused"
        if len(op.results) > 1:
            lists = ", ".join(f"({self._users(result)})" for result in op.results)
            return f"users: {lists}"
        is_one = len(users) == 1 and all(len(user.results) <= 1 for user in users)
        return f"{'user' if is_one else 'users'}: {self._users(op.results[0])}"

    def _users(self, value: SSAValue) -> str:
        """Return all results, or numbers, of the ops that use a value, the last op first."""
        users = sorted({use.operation for use in value.uses}, key=lambda user: -self.order.get(user, 0))
        return ", ".join(self._named(part) for user in users for part in (user.results or (user,))) or "unused"

    def _named(self, named: SSAValue | Operation) -> str:
        return self.names.get(named, "?")
