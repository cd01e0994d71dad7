"""A parser that records where the text of a program names values, blocks, symbols and ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, AttributeInvT, Block, Operation, Region, SSAValue
from xdsl.parser import ParserState, UnresolvedOperand
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRToken

from .parser import FastLexer, LocatingParser


class ParsingCancelled(BaseException):
    """The text is no longer wanted: no `except Exception` takes it for a fault of the text."""


@dataclass(eq=False)
class TextScope:
    """A region of the text: values defined in it are visible there and in the regions inside."""

    parent: TextScope | None = None

    def encloses(self, other: TextScope | None) -> bool:
        """Return whether another region is this one, or lies in it."""
        while other is not None and other is not self:
            other = other.parent
        return other is self


@dataclass(eq=False)
class OpText:
    """Text of an op, from `start` to `end`; `kind` and `op` are None as long as it is not parsed so far."""

    start: int
    parent: OpText | None
    end: int = -1
    """Begin of the token after the op; -1 for an op with an error in it."""
    name_start: int = -1
    name_end: int = -1
    kind: type[Operation] | None = None
    op: Operation | None = None


@dataclass(eq=False)
class ValueText:
    """Name of values where they are defined: several where an op has a tuple of results, `%r:2`."""

    span: Span[str]
    values: tuple[SSAValue, ...]
    scope: TextScope
    owner: OpText | None
    """Op in whose text the name stands: the one with the results, or with the region of the argument."""


@dataclass(eq=False)
class UseText:
    """Name of a value in the text of an op that has it as operand; of several results `value` is the one used."""

    span: Span[str]
    value: SSAValue
    owner: OpText | None


@dataclass(eq=False)
class BlockText:
    """Name of a block where it begins, or where an op jumps to it."""

    span: Span[str]
    block: Block
    is_definition: bool


@dataclass(eq=False)
class SymbolText:
    """Name of a symbol, in the text of an op."""

    span: Span[str]
    name: str
    owner: OpText | None


@dataclass
class Occurrences:
    """Places of a text by their first character, so that what is read twice counts once."""

    ops: dict[int, OpText] = field(default_factory=dict[int, OpText])
    definitions: dict[int, ValueText] = field(default_factory=dict[int, ValueText])
    uses: dict[int, UseText] = field(default_factory=dict[int, UseText])
    blocks: dict[int, BlockText] = field(default_factory=dict[int, BlockText])
    symbols: dict[int, SymbolText] = field(default_factory=dict[int, SymbolText])
    forward: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Value that stood for another, used before its definition -> that value."""

    def value_of(self, value: SSAValue) -> SSAValue:
        """Return the value that a use means."""
        return self.forward.get(value, value)


class RecordingParser(LocatingParser):
    """Parser that records occurrences, also of a text with an error: those before it."""

    _reads_lines = False

    def __init__(self, context: Context, text: str, name: str, is_stale: Callable[[], bool] = lambda: False):
        super().__init__(context, text, name)
        self.occurrences = Occurrences()
        self._scope = TextScope()
        self._op_text: OpText | None = None
        self._parser_state = ParserState(_CancellableLexer(Input(text, name), is_stale))

    def parse_operation(self) -> Operation:
        outer = self._op_text
        record = self._op_text = OpText(self._current_token.span.start, outer)
        self.occurrences.ops[record.start] = record
        record.op = op = super().parse_operation()
        record.end = self._current_token.span.start
        self._op_text = outer
        return op

    def _get_op_by_name(self, name: str) -> type[Operation]:
        record, following = self._op_text, self._current_token.span.start
        if record is not None:
            record.name_start = self._text.rfind(name, record.start, following)
            record.name_end = record.name_start + len(name)
        kind = super()._get_op_by_name(name)
        if record is not None:
            record.kind = kind
        return kind

    def parse_optional_region(self, arguments: Iterable[Any] | None = None) -> Region | None:
        outer, self._scope = self._scope, TextScope(self._scope)
        region = super().parse_optional_region(arguments)
        self._scope = outer
        return region

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        value = super().resolve_operand(operand, type)
        self.occurrences.uses[operand.span.start] = UseText(operand.span, value, self._op_text)
        return value

    def _parse_optional_operand_without_type(self) -> SSAValue[Attribute] | None:
        span = self._current_token.span
        value = super()._parse_optional_operand_without_type()
        if value is not None:
            self.occurrences.uses[span.start] = UseText(span, value, self._op_text)
        return value

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span[str]) -> None:
        pending = dict(self.forward_ssa_references.get(name, {}))
        super()._register_ssa_definition(name, values, span)
        self.occurrences.definitions[span.start] = ValueText(span, tuple(values), self._scope, self._op_text)
        self.occurrences.forward |= {value: values[index] for index, value in pending.items()}

    def _parse_block(self) -> Block:
        span = self._current_token.span
        block = super()._parse_block()
        self.occurrences.blocks[span.start] = BlockText(span, block, True)
        return block

    def parse_optional_successor(self) -> Block | None:
        span = self._current_token.span
        block = super().parse_optional_successor()
        if block is not None:
            self.occurrences.blocks[span.start] = BlockText(span, block, False)
        return block

    def _get_block_from_name(self, block_name: Span[str]) -> Block:
        block = super()._get_block_from_name(block_name)
        self.occurrences.blocks[block_name.start] = BlockText(block_name, block, False)
        return block

    def parse_optional_symbol_name(self) -> StringAttr | None:
        span = self._current_token.span
        name = super().parse_optional_symbol_name()
        if name is not None:
            self.occurrences.symbols[span.start] = SymbolText(span, name.data, self._op_text)
        return name


class _CancellableLexer(FastLexer):
    """Lexer that raises ParsingCancelled as soon as its text is stale."""

    def __init__(self, text: Input[str], is_stale: Callable[[], bool]):
        super().__init__(text)
        self._is_stale = is_stale

    def lex(self) -> MLIRToken:
        if self._is_stale():
            raise ParsingCancelled
        return super().lex()
