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
    printer.names, printer.order = first.names, first.order
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
    Printer that adds, as comments, the users of each value: their results or, of ops without results, their ids.

    `names` are those of values and of ops without results, `order` has the places of ops in the text.
    """

    def __init__(self, text: Text, style: Style, **options: Any):
        super().__init__(text, style, **options)
        self.names: dict[SSAValue | Operation, str] = {}
        self.order: dict[Operation, int] = {}
        self._ids = 0

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
                self._write(f"// {self._named(argument)}: {self._users(argument)}{self._text_of_line()}")
        if not op.results and op.operands:
            self.names.setdefault(op, f"#{self._ids}")
            self._ids += 1
        super().print_op(op)
        if begins_line and op.results:
            users = [self._users(result) for result in op.results]
            self._write(f" // {users[0] if len(users) == 1 else ', '.join(f'({text})' for text in users)}")
        elif begins_line and op in self.names:
            self._write(f" // id: {self.names[op]}")

    def _text_of_line(self) -> str:
        """Return the end of a line of its own: a line break, with the indentation of the op that follows."""
        return next(part for part in reversed(self._text) if part.startswith("\n"))

    def _users(self, value: SSAValue) -> str:
        users = sorted({use.operation for use in value.uses}, key=lambda user: self.order.get(user, 0))
        if not users:
            return "unused"
        named = [self._named(user.results[0] if user.results else user) for user in users]
        return f"user{'s' if len(named) > 1 else ''}: {', '.join(named)}"

    def _named(self, named: SSAValue | Operation) -> str:
        return self.names.get(named, "?")
