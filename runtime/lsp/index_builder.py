"""Index of a chunk, from the occurrences that its parser has recorded."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Block, SSAValue
from xdsl.traits import SymbolOpInterface, SymbolTable

from ...dialects.core.symbols import symbol_name
from ...dialects.core.syntax.occurrences import Occurrences, OpText, SymbolText, TextScope
from .index import DocumentIndex, Entity, EntityKind, Occurrence, TextRange

_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*+|(%[\w$.-]+|[#!][a-zA-Z_][\w$.-]*)')
"""Strings and comments, and outside of them the names of values and aliases."""
_ALIAS = re.compile(r"^[ \t]*([#!][a-zA-Z_][\w$.-]*)[ \t]*=[ \t]*(?![>=])", re.MULTILINE)


class ChunkBuilder:
    """
    Builder of the index of one chunk, whose `text` begins at `start` in the document.

    `shift` is added to the positions of what its parser has recorded.
    """

    def __init__(self, index: DocumentIndex, text: str, start: int, shift: int):
        self._index = index
        self._text = text
        self._start = start
        self._shift = shift
        self._ops: list[OpText] = []
        self._local: dict[tuple[OpText | None, str], Occurrence] = {}
        """Names of values in an op's own text, by op and name."""

    def build(self, parsed: Sequence[Occurrences]) -> None:
        """Add the chunk, which was parsed in one or more parts: each op is in one of them."""
        self._index.chunks.append(TextRange(self._start, self._start + len(self._text)))
        for part in parsed:
            self._add_ops(part)
        self._ops.sort(key=lambda op: op.start)
        for part in parsed:
            self._add_values(part)
            self._add_blocks(part)
        self._add_symbols([symbol for part in parsed for symbol in part.symbols.values()])
        self._add_aliases()
        self._add_mentions()

    def _range(self, start: int, end: int) -> TextRange:
        return TextRange(start + self._shift, end + self._shift)

    def _entity(self, entity: Entity, value: SSAValue | None = None) -> Entity:
        self._index.entities.append(entity)
        self._index.add_occurrence(Occurrence(entity.definition, entity, value))
        return entity

    def _use(self, entity: Entity, range: TextRange, value: SSAValue | None = None) -> None:
        if range != entity.definition and not self._index.covers(range.start):
            entity.uses.append(range)
            self._index.add_occurrence(Occurrence(range, entity, value))

    def _add_ops(self, part: Occurrences) -> None:
        for op in part.ops.values():
            end = len(self._text.rstrip()) + self._start if op.end < 0 else self._end(op)
            op.start, op.end = op.start + self._shift, end
            if op.name_start >= 0:
                op.name_start, op.name_end = op.name_start + self._shift, op.name_end + self._shift
            self._ops.append(op)
        self._index.ops += part.ops.values()

    def _end(self, op: OpText) -> int:
        """Return the end of an op's text, without the space and the comment lines after it."""
        document, start, end = self._index.text, op.start + self._shift, op.end + self._shift
        while True:
            end = len(document[start:end].rstrip()) + start
            line = document.rfind("\n", start, end) + 1
            if line <= start or not document.startswith("//", line + _indent(document, line)):
                return end
            end = line

    def _add_values(self, part: Occurrences) -> None:
        entities: dict[SSAValue, Entity] = {}
        for written in part.definitions.values():
            span, values = written.span, written.values
            range = self._range(span.start, span.end)
            entity = Entity(EntityKind.VALUE, span.text, range, [], values, written.scope, written.owner)
            self._entity(entity, values[0] if len(values) == 1 else None)
            self._local[written.owner, span.text] = Occurrence(range, entity)
            entities |= dict.fromkeys(values, entity)
        for use in part.uses.values():
            value = part.value_of(use.value)
            if (entity := entities.get(value)) is not None:
                range = self._range(use.span.start, use.span.end)
                self._use(entity, range, value)
                self._local.setdefault((use.owner, use.span.text), Occurrence(range, entity, value))

    def _add_blocks(self, part: Occurrences) -> None:
        entities: dict[Block, Entity] = {}
        scopes: dict[object, TextScope] = {}
        for block in part.blocks.values():
            if block.is_definition:
                range = self._range(block.span.start, block.span.end)
                scope = scopes.setdefault(block.block.parent, TextScope())
                entities[block.block] = self._entity(Entity(EntityKind.BLOCK, block.span.text, range, scope=scope))
        for block in part.blocks.values():
            if (entity := entities.get(block.block)) is not None:
                self._use(entity, self._range(block.span.start, block.span.end))

    def _add_symbols(self, symbols: Iterable[SymbolText]) -> None:
        written = sorted(symbols, key=lambda symbol: symbol.span.start)
        named = {symbol.owner: symbol for symbol in reversed(written) if _may_define(symbol)}
        tables: dict[int, dict[str, Entity]] = {}
        for op in self._ops:
            symbol = named.get(op)
            if (entity := self._defined(op, symbol)) is not None:
                tables.setdefault(entity.table, {}).setdefault(_symbol_name(op, symbol), entity)
        before: tuple[int, Entity] | None = None
        for symbol in written:
            range = self._range(symbol.span.start, symbol.span.end)
            if before is not None and self._index.text[before[0] : range.start].strip() == "::":
                owner = before[1].owner
                entity = tables.get(-1 if owner is None else owner.start, {}).get(symbol.name)
            else:
                entity = next(
                    (table[symbol.name] for table in self._around(symbol, tables) if symbol.name in table), None
                )
            before = None if entity is None else (range.end, entity)
            if entity is not None:
                self._use(entity, range)

    def _defined(self, op: OpText, symbol: SymbolText | None) -> Entity | None:
        """Return the entity of the symbol that an op defines: its name is after `@`, in the generic form in quotes."""
        if symbol is not None:
            range = self._range(symbol.span.start, symbol.span.end)
        elif (name := _symbol_name(op, None)) and (quoted := self._quoted(op, name)) is not None:
            range = quoted
        else:
            return None
        return self._entity(
            Entity(EntityKind.SYMBOL, f"@{_symbol_name(op, symbol)}", range, owner=op, table=_table(op.parent))
        )

    def _quoted(self, op: OpText, name: str) -> TextRange | None:
        pattern = re.compile(rf'\bsym_name\s*=\s*("{re.escape(name)}")')
        match = pattern.search(self._index.text, op.start, op.end)
        return None if match is None else TextRange(*match.span(1))

    @staticmethod
    def _around(symbol: SymbolText, tables: dict[int, dict[str, Entity]]) -> Iterator[dict[str, Entity]]:
        """Yield the symbol tables around a name, from the innermost: that of its op, then those of its parents."""
        op = symbol.owner
        while op is not None:
            if _is_table(op):
                yield tables.get(op.start, {})
            op = op.parent
        yield tables.get(-1, {})

    def _add_aliases(self) -> None:
        definitions = {match[1]: match for match in _ALIAS.finditer(self._text) if self._is_outside(match.start(1))}
        entities = {
            name: self._entity(
                Entity(
                    EntityKind.ALIAS,
                    name,
                    self._in_chunk(*match.span(1)),
                    body=self._in_chunk(match.end(), self._line_end(match.end())),
                )
            )
            for name, match in definitions.items()
        }
        for match in _TOKENS.finditer(self._text) if entities else ():
            if (entity := entities.get(match[1] or "")) is not None:
                self._use(entity, self._in_chunk(*match.span(1)))

    def _in_chunk(self, start: int, end: int) -> TextRange:
        return TextRange(start + self._start, end + self._start)

    def _line_end(self, start: int) -> int:
        end = self._text.find("\n", start)
        return len(self._text) if end < 0 else end

    def _is_outside(self, position: int) -> bool:
        """Return whether a position of the chunk is outside of all ops."""
        return self._op_at(position + self._start) is None

    def _op_at(self, position: int) -> OpText | None:
        """Return the innermost op around a position of the document."""
        index = bisect_right(self._ops, position, key=lambda op: op.start) - 1
        op = self._ops[index] if index >= 0 else None
        while op is not None and op.end <= position:
            op = op.parent
        return op

    def _add_mentions(self) -> None:
        """
        Add the names of values that are no operands, such as the dimensions in the tiles of a `hier.grid`.

        Such a name means the value that the same op defines or uses by it.
        """
        for match in _TOKENS.finditer(self._text):
            range = self._in_chunk(*match.span(1)) if match[1] else None
            if range is None or match[1][0] != "%" or self._index.covers(range.start):
                continue
            local = self._local.get((self._op_at(range.start), match[1]))
            if local is not None:
                self._use(local.entity, range, local.value)


def _indent(text: str, line: int) -> int:
    end = line
    while end < len(text) and text[end] in " \t":
        end += 1
    return end - line


def _is_table(op: OpText) -> bool:
    return op.kind is not None and op.kind.has_trait(SymbolTable, value_if_unregistered=False)


def _table(op: OpText | None) -> int:
    """Return the start of the innermost symbol table among an op and those around it; -1 outside of all."""
    while op is not None and not _is_table(op):
        op = op.parent
    return -1 if op is None else op.start


def _symbol_name(op: OpText, symbol: SymbolText | None) -> str:
    """Return the symbol that an op defines: by its attribute, else, where it has an error, the first that it names."""
    if op.op is None:
        return symbol.name if symbol is not None else ""
    return symbol_name(op.op) or ""


def _may_define(symbol: SymbolText) -> bool:
    """Return whether a name in the text of an op is that of the symbol which the op defines, if it is the first."""
    owner = symbol.owner
    if owner is None or owner.kind is None:
        return False
    if owner.op is None:
        return owner.kind.has_trait(SymbolOpInterface, value_if_unregistered=False)
    return _symbol_name(owner, symbol) == symbol.name
