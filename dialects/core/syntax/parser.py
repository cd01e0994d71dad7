"""A parser of MLIR text that knows where each op stands, and reads faster than xDSL's."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NoReturn, TypeVar, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnregisteredOp,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute, AttributeInvT, BlockArgument, Operation, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

from ....errors import did_you_mean
from ....locations import FileRangeLoc, InferredLoc, is_location
from .affine import PureAffineParser
from .lines import LineKey, LineReader
from .raw_bytes import from_upstream, raw_bytes
from .upstream import PROPERTIES, add_syntax

_T = TypeVar("_T")

_TOKEN = re.compile(
    r"""(?:[ \t\r\n]++|//[^\n]*+)*+
        (?:(%(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*))|([a-zA-Z_][a-zA-Z0-9_$.]*)|(->|[:,()}\[\]<>=]|\{(?!-\#)))""",
    re.VERBOSE,
)

_LOCATION_ALIAS = re.compile(r"^[ \t]*(#[\w$.-]+)[ \t]*=[ \t]*(?=loc[ \t]*\()", re.MULTILINE)
_NO_SPLAT = (
    MLIRTokenKind.GREATER,
    MLIRTokenKind.L_SQUARE,
)
"""First tokens of a dense attribute that is no splat: an empty one, or a list."""
_WIDEST = (1 << 24) - 1
_NUMBER_TYPES: dict[str, TypeAttribute] = {
    **{f"i{width}": IntegerType(width) for width in (1, 8, 16, 32, 64)},
    **{"f16": f16, "bf16": bf16, "f32": f32, "f64": f64},
}
"""The commonest types of numbers, by their spelling."""


class NotedParseError(ParseError):
    """Error of the syntax with a note about another place of the text."""

    def __init__(self, span: Span[str] | Span[bytes], message: str, position: int, note: str):
        super().__init__(span, message)
        self.position, self.note = position, note


class FastLexer(MLIRLexer):
    """Lexer with the tokens of xDSL's; it finds values, names and brackets by one regular expression."""

    # xDSL's own takes time exponential in the length of a text that does not end: this one never goes back.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def __init__(self, text: Input[str]):
        super().__init__(text)
        self._content = text.content

    def lex(self) -> MLIRToken:
        match = _TOKEN.match(self._content, self.pos)
        if match is None:
            return super().lex()
        group = match.lastindex
        if group == 1:
            kind = MLIRTokenKind.PERCENT_IDENT
        elif group == 2:
            kind = MLIRTokenKind.BARE_IDENT
        else:
            kind = KIND_BY_PUNCTUATION_SPELLING[match[3]]
        start, self.pos = match.span(group or 0)
        return Token(kind, _span(start, self.pos, self.input))


def _span(start: int, end: int, text: Input[str]) -> Span[str]:
    """Return a span without the checks by which a frozen dataclass sets its fields one by one."""
    span: Span[str] = object.__new__(Span)
    span.__dict__.update(start=start, end=end, input=text, line_offset=0)
    return span


def _float_of_bits(parser: AttrParser, digits: str, type: AnyFloat, span: Span[str]) -> float:
    """Return the float whose bits hexadecimal digits give. Raises ParseError where they are too many, or negative."""
    bits, size = int(digits, 16), type.compile_time_size
    if bits < 0 or bits.bit_length() > 8 * size:
        parser.raise_error(f"{digits} is not the {8 * size} bits of a value of {type}", span)
    return type.unpack(bits.to_bytes(size, "little"), 1)[0]


def _is_hexadecimal(number: str) -> bool:
    return number.lstrip("-")[:2] in ("0x", "0X")


class LocatingParser(Parser):
    """A parser that gives each op without a location the line and column at which it stands."""

    _reads_lines: ClassVar[bool] = True
    """Use of line templates: ops of lines that are like earlier ones are made without tokens."""

    class _TensorLiteralElement(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
        """
        Element of a tensor literal.

        Hexadecimal digits are a float's bits, where xDSL takes their value; `true` is -1 as si1, where xDSL has 1.
        """

        def to_type(self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType) -> Any:
            element = type.element_type if isinstance(type, ComplexType) else type
            text = self.span.text
            if text == "true" and isinstance(type, IntegerType):
                return cast("IntegerType[Any, Any]", type).normalized_value(1, truncate_bits=True)
            if not isinstance(element, AnyFloat) or not ("x" in text or "X" in text):
                return super().to_type(parser, type)
            numbers = [number.strip() for number in text.strip("()").split(",")]
            values = [
                _float_of_bits(parser, number, element, self.span) if _is_hexadecimal(number) else float(number)
                for number in numbers
            ]
            return tuple(values) if isinstance(type, ComplexType) else values[0]

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, "", name)
        self._filename = StringAttr(name)
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._start = 0
        self._first_uses: dict[SSAValue, Span[str]] = {}
        self._arguments: dict[SSAValue, int] = {}
        self._resources: dict[tuple[str, str], str] = {}
        self._text = text
        self._lines = LineReader(text)
        self._parser_state = ParserState(FastLexer(Input(text, name)))

    def place(self, position: int | None = None) -> tuple[int, int]:
        """Return the line and column of a character, by default of the op whose parsing began last."""
        start = self._start if position is None else position
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1] + 1

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span[str]) -> None:
        previous = self.ssa_values.get(name)
        try:
            super()._register_ssa_definition(name, values, span)
        except ParseError as error:
            raise self._noted(error, previous[0] if previous else None, "previously defined here") from error
        if values and isinstance(values[0], BlockArgument):
            self._arguments[values[0]] = span.start

    def _noted(self, error: ParseError, value: SSAValue | None, note: str) -> ParseError:
        """Return an error with a note about the definition of a value, where its position is known."""
        location = value.owner.location if value and isinstance(value.owner, Operation) else None
        position = self._arguments.get(value) if value else None
        if isinstance(location, InferredLoc):
            position = self._line_starts[location.line.data - 1] + location.column.data - 1
        return error if position is None else NotedParseError(error.span, error.msg, position, note)

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        try:
            value = super().resolve_operand(operand, type)
        except ParseError as error:
            values = self.ssa_values.get(operand.operand_name, ())
            raise self._noted(error, values[0] if values else None, "defined here") from error
        if operand.operand_name not in self.ssa_values:
            self._first_uses.setdefault(value, operand.span)
        return value

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError as error:
            undefined = self._undefined()
            if self._current_token.kind is not MLIRTokenKind.EOF or not undefined:
                raise
            # xDSL blames the end of the file.
            span = min((self._first_uses[value] for value in undefined), key=lambda span: span.start)
            raise ParseError(span, f"the value {span.text} is used, but not defined") from error

    def parse_comma_separated_list(self, delimiter: Any, parse: Callable[[], _T], context_msg: str = "") -> list[_T]:
        # Upstream reads `-> i32` wherever it reads `-> (i32)`; xDSL reads the latter alone.
        is_bare = delimiter is self.Delimiter.PAREN and self._current_token.kind is not MLIRTokenKind.L_PAREN
        if is_bare and _follows_arrow(self._text, self._current_token.span.start):
            return [parse()]
        return super().parse_comma_separated_list(delimiter, parse, context_msg)

    def parse_affine_map(self) -> AffineMap:
        return PureAffineParser(cast(Any, self._parser_state)).parse_affine_map()

    def parse_affine_set(self) -> AffineSet:
        return PureAffineParser(cast(Any, self._parser_state)).parse_affine_set()

    def parse_affine_map_of_ssa_ids(self) -> tuple[AffineMap, Sequence[SSAValue[IndexType]]]:
        return self.parse_expressions_of_ssa_ids(self.Delimiter.SQUARE)

    def parse_expressions_of_ssa_ids(self, delimiter: Any) -> tuple[AffineMap, Sequence[SSAValue[IndexType]]]:
        """Parse affine expressions of values between brackets, or without a delimiter one."""
        parser = PureAffineParser(self._parser_state)
        affine_map, spans = parser.parse_expressions(delimiter)
        operands = [UnresolvedOperand(span, number) for span, number in zip(spans, parser.results, strict=True)]
        return affine_map, [self.resolve_operand(operand, IndexType()) for operand in operands]

    def parse_operation(self) -> Operation:
        self._start = start = self._current_token.span.start
        line = self._lines.line_at(start) if self._reads_lines else None
        op = self._op_of_line(*line) if line is not None else None
        if op is None:
            op = self._op_of_tokens()
            if line is not None:
                key, names, end = line
                self._lines.remember(op, key, names, self.ssa_values, end, self._current_token.span.start)
        if op.location is UNKNOWN_LOC:  # where the text says `loc(unknown)`, it is another object
            line, column = self.place(start)
            op.location = cast(LocationAttr, InferredLoc.new((self._filename, _number(line), _number(column))))
        return op

    def _op_of_line(self, key: LineKey, names: Sequence[str], end: int) -> Operation | None:
        """Return the op of a line that is like an earlier one, without tokens; None for another."""
        like = self._lines.op_like(key, names, self.ssa_values)
        if like is None:
            return None
        op, defines = like
        if defines:
            name = _span(self._start, self._start + len(names[0]) + 1, self.lexer.input)
            self._register_ssa_definition(names[0], op.results, name)
        self.lexer.pos = end
        self._parser_state.current_token = self.lexer.lex()
        return op

    def _op_of_tokens(self) -> Operation:
        op = super().parse_operation()
        if op.regions:
            self._check_operands(op)
            if (complete := getattr(op, "complete", None)) is not None:
                complete()
        if op.name in PROPERTIES:
            PROPERTIES[op.name](op)
        return op

    def _undefined(self) -> set[SSAValue]:
        """Return the values that stand for those that are used, but not yet defined."""
        return {value for values in self.forward_ssa_references.values() for value in values.values()}

    def _check_operands(self, op: Operation) -> None:
        """Check that no operand is defined in a region of its op: xDSL replaces uses only by ops that it has made."""
        undefined = self._undefined()
        for operand in op.operands:
            if operand in self._first_uses and operand not in undefined:
                used = self._first_uses[operand]
                raise ParseError(used, f"the value {used.text} is used by an op, but defined in a region of that op")

    def _parse_location(self) -> LocationAttr:
        token = self._current_token
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            self._consume_token()
            return self._location_defined_later(token)
        if token.kind is MLIRTokenKind.HASH_IDENT:
            if not is_location(alias := self.parse_attribute()):
                self.raise_error("expected the alias of a location", token.span)
            return cast(LocationAttr, alias)
        if token.kind is MLIRTokenKind.STRING_LIT:
            return self._parse_place()
        if token.text != "fused":
            return super()._parse_location()
        self._consume_token()
        if self.parse_optional_punctuation("<") is None:
            metadata: Attribute = NoneAttr()
        else:
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(ArrayAttr[Attribute](parts), metadata)

    def _parse_place(self) -> LocationAttr:
        """Parse `"node"`, `"node"(location)`, `"a.c":1`, `"a.c":1:2`, or a range: `"a.c":1:2 to 3:4`, `... to :4`."""
        if self._text[self._current_token.span.end :][:1] != ":":
            return super()._parse_location()
        file = StringAttr(self.parse_str_literal())
        self.parse_punctuation(":")
        line, column = self._natural(), 0
        if self.parse_optional_punctuation(":") is not None:
            column = self._natural()
        start = FileLineColLoc(file, IntAttr(line), IntAttr(column))
        if self.parse_optional_keyword("to") is None:
            return start
        end_line = self.parse_optional_integer(False, False)
        self.parse_punctuation(":")
        end = line if end_line is None else end_line, self._natural()
        return start if end == (line, column) else _range(file, line, column, *end)

    def _natural(self) -> int:
        return self.parse_integer(allow_boolean=False, allow_negative=False)

    def _location_defined_later(self, alias: MLIRToken) -> LocationAttr:
        """Return the location of an alias whose definition comes after its use, as upstream prints them."""
        if alias.text not in self._later_locations:
            self.raise_error(f"undefined symbol alias '{alias.text}'", alias.span)
        definition = self._later_locations.pop(alias.text)
        here = self._current_token.span.start
        self._resume_from(definition)
        location = self.parse_optional_location()
        self._resume_from(here)
        assert location is not None
        self._later_locations[alias.text] = definition
        return location

    @cached_property
    def _later_locations(self) -> dict[str, int]:
        """The positions of the definitions of aliases of locations, by name."""
        return {match[1]: match.end() for match in _LOCATION_ALIAS.finditer(self._text)}

    def _parse_optional_complex(self) -> Any:
        # Of one number the bits and of the other decimal digits may be given: xDSL wants both of one kind.
        start = self._current_token.span
        if self.parse_optional_punctuation("(") is None:
            return None
        (real, first), _, (imaginary, second) = (
            self._parse_bool_int_or_float(),
            self.parse_punctuation(","),
            self._parse_bool_int_or_float(),
        )
        end = self.expect(lambda: self._parse_optional_token(MLIRTokenKind.R_PAREN), "')' expected").span
        has_bits = _is_hexadecimal(first.text) or _is_hexadecimal(second.text)
        if type(real) is not type(imaginary) and not has_bits:
            self.raise_error("expected a complex number of two floats or two integers", start)
        return (real, imaginary), Span(start.start, end.end, start.input)

    def parse_dense_int_or_fp_elements_attr(self, type: Any) -> Any:
        # xDSL checks and packs a splat as many times as its type has elements.
        start = self._current_token.span.start
        self.parse_punctuation("<", " in dense attribute")
        if (raw := self.parse_optional_str_literal()) is not None:
            return self._constant_of_bytes(raw, start, type)
        if self._current_token.kind in _NO_SPLAT:
            self._resume_from(start)
            return super().parse_dense_int_or_fp_elements_attr(type)
        (element,), _ = self._parse_tensor_literal()
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        value: Any = element.to_type(self, type.element_type)
        return DenseIntOrFPElementsAttr.from_list(type, [value])

    def _constant_of_bytes(self, text: str, start: int, type: Any) -> Any:
        """Return the constant with the raw bytes `text`; the closing bracket and perhaps the type come next."""
        end = self.pos
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        try:
            data = from_upstream(raw_bytes(text), type.element_type, type.get_shape())
        except ValueError as error:
            self.raise_error(str(error), start, end)
        return DenseIntOrFPElementsAttr(type, BytesAttr(data))

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase[Any] | None:
        # xDSL reads no hexadecimal floats here, though it prints infinities so.
        start = self._current_token.span.start
        self.parse_characters("<", " in dense array")
        type = self.parse_attribute()
        if not isinstance(type, AnyFloat) or self.parse_optional_punctuation(":") is None:
            self._resume_from(start)
            return super()._parse_builtin_densearray_attr()
        values = self.parse_comma_separated_list(self.Delimiter.NONE, lambda: self._parse_float(type))
        self.parse_punctuation(">", " in dense array")
        return DenseArrayBase.from_list(cast(Any, type), values)

    def _parse_float(self, type: AnyFloat) -> float:
        span = self._current_token.span
        if not _is_hexadecimal(span.text):
            return self.parse_float()
        self.parse_integer()
        return _float_of_bits(self, span.text, type, span)

    def parse_optional_str_literal(self) -> str | None:
        # What is printed with escapes, such as letters beyond ASCII, is bytes for xDSL, where it was a string before.
        token = self._current_token
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return super().parse_optional_str_literal()
        try:
            text = StringLiteral.from_span(token.span).bytes_contents.decode("utf-8")
        except UnicodeDecodeError:
            return None
        self._consume_token()
        return text

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        # Most types of a text are the same few: xDSL asks for each kind in turn, and checks each type anew.
        token = self._current_token
        spelling = token.text
        if spelling in _NUMBER_TYPES:
            self._consume_token()
            return _NUMBER_TYPES[spelling]
        parsed = super()._parse_optional_integer_or_float_type()
        # Values of wider types would fill the memory: upstream has the same limit (IntegerType::kMaxWidth).
        if isinstance(parsed, IntegerType) and cast("IntegerType[Any, Any]", parsed).width.data > _WIDEST:
            self.raise_error(f"integers have at most {_WIDEST} bits", token.span)
        return cast("TypeAttribute | None", parsed)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            op = super()._get_op_by_name(name)
        except ParseError as error:
            # xDSL blames the token after the name, which may stand on another line.
            raise ParseError(self.start_of_op(), f"{error.msg}{self._hint(name)}") from error
        if issubclass(op, UnregisteredOp) and "." in name:
            op.name = name
            setattr(op, "parse", classmethod(_refuse_custom_form))
        add_syntax(op)
        return op

    def start_of_op(self) -> Span[str]:
        """Return the place of the op whose parsing began last."""
        return Span(self._start, self._start, self.lexer.input)

    def _hint(self, name: str) -> str:
        """Return the remedy for an op that is not registered: ops with names like it, or the option for its dialect."""
        dialect = self.ctx.get_optional_dialect(name.partition(".")[0])
        if dialect is None:
            return (
                "; --load-pass FILE.py knows the dialect of a file, --target DIR that of a target,"
                " --allow-unregistered-dialect accepts the generic form of unknown ones"
            )
        near = did_you_mean(name, [op.name for op in dialect.operations])
        return f" in the dialect '{dialect.name}'{f': {near}' if near else ''}"

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: Any) -> Any:
        start = self._current_token.span.start
        body = self._text[start + 1 : start + 2]
        is_bare = "." not in attr_or_dialect_name and self._current_token.kind is MLIRTokenKind.LESS
        if not is_bare or body.isalpha() or body in ("_", "$"):
            return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)
        # Upstream's `#dialect<...>` of any text, where xDSL wants a name first.
        sign = "!" if is_type else "#"
        if not self.ctx.allow_unregistered or self.ctx.get_optional_dialect(attr_or_dialect_name) is not None:
            self.raise_error(f"'{sign}{attr_or_dialect_name}<...>' is not registered")
        name = f"{attr_or_dialect_name}."
        kind = self.ctx.get_optional_type(name) if is_type else self.ctx.get_optional_attr(name)
        return cast(Any, kind)(name, bool(is_type), True, self._parse_dialect_symbol_body())

    def _parse_external_resources(self) -> None:
        """Parse resources of tools, which are no part of the program: those of opt-tool are read from the text."""
        self.parse_comma_separated_list(self.Delimiter.BRACES, self._parse_external_group)

    def _parse_external_group(self) -> None:
        self._parse_external_key()
        self.parse_comma_separated_list(self.Delimiter.BRACES, self._parse_external_entry)

    def _parse_external_entry(self) -> None:
        self._parse_external_key()
        if self.parse_optional_boolean() is None:
            self.parse_str_literal()

    def _parse_external_key(self) -> None:
        if self.parse_optional_identifier() is None:
            self.parse_str_literal()
        self.parse_punctuation(":")

    def _parse_dialect_resource_handle(self, dialect_name: str, interface: OpAsmDialectInterface) -> str:
        # xDSL forgets a name that it had to change because another text of this process used it, and so the contents.
        name = self.parse_identifier(" for resource handle")
        if (dialect_name, name) not in self._resources:
            self._resources[dialect_name, name] = interface.declare_resource(name)
        return self._resources[dialect_name, name]


def _range(file: StringAttr, line: int, column: int, end_line: int, end_column: int) -> LocationAttr:
    """Return a range in a file."""
    return cast(
        LocationAttr, FileRangeLoc(file, IntAttr(line), IntAttr(column), IntAttr(end_line), IntAttr(end_column))
    )


def _refuse_custom_form(op: type[UnregisteredOp], parser: LocatingParser) -> NoReturn:
    """Raise ParseError: the custom form of an op that is not registered is unknown."""
    message = f"the op '{op.name}' is not registered, so its custom form is unknown: write the generic form"
    raise ParseError(parser.start_of_op(), f'{message} "{op.name}"(...) : (...) -> ...')


def _follows_arrow(text: str, position: int) -> bool:
    """Return whether `->` stands before a position, but for white space."""
    while position > 0 and text[position - 1].isspace():
        position -= 1
    return text[max(position - 2, 0) : position] == "->"


@lru_cache(1 << 16)
def _number(value: int) -> IntAttr:
    return IntAttr(value)
