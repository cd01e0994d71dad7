"""Index of a document: the definition and the uses of each name in it, and the text of each op."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from xdsl.ir import SSAValue

from ...dialects.core.syntax.occurrences import OpText, TextScope
from ...errors import Diagnostic


class TextRange(NamedTuple):
    """Characters of a document, from `start` to before `end`, counted in code points."""

    start: int
    end: int


class EntityKind(Enum):
    """Kind of a named entity."""

    VALUE = "value"
    BLOCK = "block"
    SYMBOL = "symbol"
    ALIAS = "alias"


@dataclass(eq=False)
class Entity:
    """
    Named entity of a program: value, block, symbol or alias, with its name as it is written, sign included.

    `values` are those of a value's name; `owner` is the op of a symbol or value; `table` the start of the symbol table
    that a symbol lies in, -1 for the outermost. `body` is the text that an alias stands for.
    """

    kind: EntityKind
    name: str
    definition: TextRange
    uses: list[TextRange] = field(default_factory=list[TextRange])
    values: tuple[SSAValue, ...] = ()
    scope: TextScope | None = None
    owner: OpText | None = None
    table: int = -1
    body: TextRange | None = None

    @property
    def occurrences(self) -> list[TextRange]:
        """Definition and uses, in the order of the text."""
        return sorted({self.definition, *self.uses})


class Occurrence(NamedTuple):
    """Name in the text: its entity, and of a value the one that is meant."""

    range: TextRange
    entity: Entity
    value: SSAValue | None = None


_IDENTIFIERS = {
    EntityKind.VALUE: re.compile(r"[0-9]+|[a-zA-Z$._-][\w$.-]*", re.ASCII),
    EntityKind.BLOCK: re.compile(r"[0-9]+|[a-zA-Z$._-][\w$.-]*", re.ASCII),
    EntityKind.ALIAS: re.compile(r"[a-zA-Z_][\w$]*", re.ASCII),
}
_BARE = re.compile(r"[a-zA-Z_][\w$.]*", re.ASCII)
_EXPECTED = {
    EntityKind.VALUE: "digits, or a letter or one of $._- and then letters, digits and $._-",
    EntityKind.BLOCK: "digits, or a letter or one of $._- and then letters, digits and $._-",
    EntityKind.ALIAS: "a letter or _, and then letters, digits, _ and $",
}


class DocumentIndex:
    """
    Names and ops of a document of one or more chunks.

    `index_builder.py` adds the chunks, one by one; a name of one is not visible in another. Ranges are those of the
    document.
    """

    def __init__(self, text: str):
        self.text = text
        self.entities: list[Entity] = []
        self.ops: list[OpText] = []
        """Ops in the order of the text; their positions are those of the document."""
        self.chunks: list[TextRange] = []
        self._occurrences: dict[int, Occurrence] = {}
        self._starts: list[int] = []
        self._names: list[OpText] = []

    def finish(self) -> None:
        """Sort what the chunks have added: queries follow."""
        self._starts = sorted(self._occurrences)
        self.ops.sort(key=lambda op: op.start)
        self._names = [op for op in self.ops if op.name_start >= 0]

    def add_occurrence(self, occurrence: Occurrence) -> None:
        """Add a name, unless one begins there already."""
        self._occurrences.setdefault(occurrence.range.start, occurrence)

    def covers(self, start: int) -> bool:
        """Return whether a known name begins at a position."""
        return start in self._occurrences

    def occurrence_at(self, offset: int) -> Occurrence | None:
        """Return the name that a position is in, or at the end of."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        occurrence = self._occurrences[self._starts[index]]
        return occurrence if offset <= occurrence.range.end else None

    def op_named_at(self, offset: int) -> OpText | None:
        """Return the op whose name a position is in."""
        index = bisect_right(self._names, offset, key=lambda op: op.name_start) - 1
        op = self._names[index] if index >= 0 else None
        return op if op is not None and offset <= op.name_end else None

    def symbols(self) -> list[Entity]:
        """Return the symbols in the order of the text."""
        named = (entity for entity in self.entities if entity.kind is EntityKind.SYMBOL)
        return sorted(named, key=lambda entity: entity.definition)

    def rename(self, entity: Entity, name: str) -> list[tuple[TextRange, str]]:
        """
        Return the replacements that give an entity another name; `name` has its sign, or none.

        Raises Diagnostic where it is no name of that kind, or taken where the entity is visible.
        """
        sign = entity.name[0]
        bare = name.removeprefix(sign)
        pattern = _IDENTIFIERS.get(entity.kind)
        if not bare or (pattern is not None and not pattern.fullmatch(bare)):
            expected = f"{sign} and {_EXPECTED.get(entity.kind, 'a name')}"
            raise Diagnostic(f"'{name}' is no name of a {entity.kind.value}", expected=expected)
        if sign + bare == entity.name:
            return []
        if taken := next((other for other in self.entities if self._collides(entity, other, sign + bare)), None):
            line = self.text.count("\n", 0, taken.definition.start) + 1
            raise Diagnostic(f"{sign}{bare} is defined in line {line}", remedy="choose a name that is not visible here")
        return [(range, self._written(range, sign, bare, entity.kind)) for range in entity.occurrences]

    def _collides(self, entity: Entity, other: Entity, name: str) -> bool:
        """Return whether another entity has a name, in a region or table where the entity would have it too."""
        if other.name != name or other.kind is not entity.kind or other is entity:
            return False
        if self._chunk_of(other) != self._chunk_of(entity):
            return False
        if entity.kind is EntityKind.SYMBOL:
            return other.table == entity.table
        if entity.scope is None or other.scope is None:
            return True
        return entity.scope.encloses(other.scope) or other.scope.encloses(entity.scope)

    def _chunk_of(self, entity: Entity) -> int:
        return bisect_right(self.chunks, entity.definition.start, key=lambda chunk: chunk.start)

    def _written(self, range: TextRange, sign: str, bare: str, kind: EntityKind) -> str:
        """Return a new name as it is written in place of an old one: a symbol's perhaps in quotes."""
        if kind is not EntityKind.SYMBOL:
            return sign + bare
        quoted = '"' + bare.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if self.text[range.start] == '"':
            return quoted
        return sign + (bare if _BARE.fullmatch(bare) else quoted)
