"""
Offsets of tiles: affine expressions of the grid point, and of entries of tables, which are symbols of the map.

    %i * 8
    %table[%i] in [0, 64) * 16

The range of entries is declared: proofs rest on it, and each run checks the entries that it looks up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import AffineMapAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.parser.affine_parser import AffineParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..core.syntax.affine import affine_text


@irdl_attr_definition
class LookupAttr(ParametrizedAttribute):
    """
    Lookup of a table entry, as a function of the grid point: the table's operand, the indices, and the range.

        #hier.lookup<(d0, d1) t2[d0, d1] in [0, 64)>

    Here `t2` is the grid's operand 2.
    """

    name = "hier.lookup"

    table: IntAttr
    map: AffineMapAttr
    low: IntAttr
    high: IntAttr

    @staticmethod
    def get(operand: int, map: AffineMap, limits: tuple[int, int]) -> LookupAttr:
        """Build the lookup in an operand of the grid whose entries are in `[low, high)`."""
        return LookupAttr(IntAttr(operand), AffineMapAttr(map), *limit_attributes(limits))

    @property
    def operand(self) -> int:
        """The number of the table among the grid's operands."""
        return self.table.data

    @property
    def range(self) -> tuple[int, int]:
        """The least entry, and the one after the greatest."""
        return self.low.data, self.high.data

    @property
    def dims(self) -> set[int]:
        """The grid dimensions that the indices depend on."""
        return self.map.data.used_dims()

    def verify(self) -> None:
        verify_range(*self.range)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            dims = parse_dims(parser)
            offsets = OffsetParser(parser, dims, parser.parse_optional_identifier)
            offsets.parse_offset()
            if len(offsets.lookups) != 1:
                parser.raise_error(f"expected one lookup, found {len(offsets.lookups)}")
            return list(offsets.lookups[0].resolve(len(dims), numbered_table).parameters)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            dims = print_dims(printer, self.map.data.num_dims)
            printer.print_string(" ")
            print_offset(printer, AffineExpr.symbol(0), [self], dims, numbered_printer(printer))


def limit_attributes(limits: tuple[int, int]) -> tuple[IntAttr, IntAttr]:
    """Return a range as attributes."""
    return IntAttr(limits[0]), IntAttr(limits[1])


def verify_range(low: int, high: int) -> None:
    """Raise VerifyException for an empty range."""
    if low >= high:
        raise VerifyException(f"the range of a table is empty: {range_text(low, high)}")


def range_text(low: int, high: int) -> str:
    """Format a declared range."""
    return f"in [{low}, {high})"


def parse_range(parser: AttrParser) -> tuple[int, int]:
    """Parse `in [0, 64)`."""
    parser.parse_keyword("in")
    parser.parse_punctuation("[")
    low = parser.parse_integer()
    parser.parse_punctuation(",")
    high = parser.parse_integer()
    parser.parse_punctuation(")")
    return low, high


# Syntax


class NamedLookup(NamedTuple):
    """Lookup as it is parsed, in a table that has a name."""

    table: str
    indices: tuple[AffineExpr, ...]
    limits: tuple[int, int]

    def resolve(self, rank: int, number_of: Callable[[str], int]) -> LookupAttr:
        """Build the attribute for a grid of `rank` dimensions whose operand of a name `number_of` gives."""
        return LookupAttr.get(number_of(self.table), AffineMap(rank, 0, self.indices), self.limits)


class OffsetParser:
    """Parser of the offsets of a tile, of dimensions with the names `dims`; it collects their lookups."""

    def __init__(self, parser: AttrParser, dims: Sequence[str], parse_name: Callable[[], str | None]):
        self._parser, self._dims, self._parse_name = parser, dims, parse_name
        # xDSL reads expressions of values only where these are operands.
        self._affine = AffineParser(parser._parser_state)  # pyright: ignore[reportPrivateUsage]
        self.lookups: list[NamedLookup] = []
        """The lookups of the symbols, in their order."""

    def parse_offset(self) -> AffineExpr:
        """Parse `%i * 8`, `%table[%i] in [0, 9) * 16`."""
        return self._affine._parse_affine_expr(lambda: self._term(self._lookup))  # pyright: ignore[reportPrivateUsage]

    def _parse_index(self) -> AffineExpr:
        """Parse an index of a table, an expression of dimensions alone."""
        return self._affine._parse_affine_expr(lambda: self._term(lambda _: None))  # pyright: ignore[reportPrivateUsage]

    def _term(self, other: Callable[[str], AffineExpr | None]) -> AffineExpr | None:
        """Parse a dimension, or what `other` parses after a name that is none."""
        start = self._parser.pos
        name = self._parse_name()
        if name is None:
            return None
        if name in self._dims:
            return AffineExpr.dimension(self._dims.index(name))
        expr = other(name)
        if expr is None:
            self._parser.raise_error(f"expected a dimension of the grid, found {name}", start, self._parser.pos)
        return expr

    def _lookup(self, table: str) -> AffineExpr | None:
        """Parse `[%h, %i] in [0, 64)` after the name of a table; return its symbol, None where no index follows."""
        square = self._parser.Delimiter.SQUARE
        indices = self._parser.parse_optional_comma_separated_list(square, self._parse_index)
        if indices is None:
            return None
        lookup = NamedLookup(table, tuple(indices), parse_range(self._parser))
        if lookup not in self.lookups:
            self.lookups.append(lookup)
        return AffineExpr.symbol(self.lookups.index(lookup))


def print_offset(
    printer: Printer,
    offset: AffineExpr,
    lookups: Sequence[LookupAttr],
    dims: Sequence[str],
    print_table: Callable[[int], object],
) -> None:
    """Print `%table[%h, %i] in [0, 64) * 16`; `print_table` prints the name of an operand that is a table."""
    # The names of tables are known to the printer alone.
    text = affine_text(offset, dims, [f"\0{number}\0" for number in range(len(lookups))])
    for position, part in enumerate(text.split("\0")):
        if position % 2 == 0:
            printer.print_string(part)
            continue
        lookup = lookups[int(part)]
        print_table(lookup.operand)
        indices = ", ".join(affine_text(expr, dims) for expr in lookup.map.data.results)
        printer.print_string(f"[{indices}] {range_text(*lookup.range)}")


# Dimensions and tables without names, in attributes


def parse_dims(parser: AttrParser) -> list[str]:
    """Parse `(d0, d1)`."""
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)


def print_dims(printer: Printer, rank: int) -> list[str]:
    """Print `(d0, d1)`; return the names."""
    names = [f"d{dim}" for dim in range(rank)]
    printer.print_string(f"({', '.join(names)})")
    return names


def numbered_table(name: str) -> int:
    """Return the number of the operand that `t2` names. Raises VerifyException for another name."""
    if not (name.startswith("t") and name[1:].isdecimal()):
        raise VerifyException(f"expected a table as the number of its operand, such as t2, found {name}")
    return int(name[1:])


def numbered_printer(printer: Printer) -> Callable[[int], None]:
    """Return a function that prints the table of an operand as `t2`."""
    return lambda operand: printer.print_string(f"t{operand}")
