"""
The house's door to xDSL: contexts, parsing, printing, verification, constants as arrays.

Whatever more than one module needs of xDSL and xDSL does not do well (dominance, big constants, locations) is here, so
that an upgrade of xDSL touches one place.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from math import isfinite
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    Float16Type,
    Float32Type,
    Float64Type,
    FusedLoc,
    IndexType,
    IntegerType,
    LocationAttr,
    MemRefType,
    ModuleOp,
    NameLoc,
    NoneAttr,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnknownLoc,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import ParseError, VerifyException

from .errors import Diagnostic
from .passes.core.definitions import alike_verified_once
from .passes.core.dominance import dominator_tree
from .passes.core.parser import LocatingParser

Array: TypeAlias = NDArray[Any]
DenseAttr: TypeAlias = DenseIntOrFPElementsAttr[Any]


def new_context(*, allow_unregistered: bool = False) -> Context:
    """Return a context that knows xDSL's dialects and Tilewright's, none of them loaded yet."""
    from .dialects import own_dialects

    own = own_dialects()
    context = Context(allow_unregistered=allow_unregistered)
    for name, factory in (get_all_dialects() | own).items():
        context.register_dialect(name, factory)
    return context


# Element types and arrays


def numpy_type(element: Attribute) -> np.dtype[Any]:
    """Return the NumPy type that holds one element of the given IR type."""
    match element:
        case IntegerType():
            if element.width.data == 1:
                return np.dtype(np.bool_)
            prefix = "u" if element.signedness.data is Signedness.UNSIGNED else ""
            if (width := max(8, element.width.data)) not in (8, 16, 32, 64):
                raise Diagnostic(f"no array can hold elements of type {element}", expected="8, 16, 32 or 64 bits")
            return np.dtype(f"{prefix}int{width}")
        case IndexType():
            return np.dtype(np.int64)
        case Float16Type():
            return np.dtype(np.float16)
        case Float32Type():
            return np.dtype(np.float32)
        case Float64Type():
            return np.dtype(np.float64)
        case BFloat16Type():
            import ml_dtypes

            return np.dtype(ml_dtypes.bfloat16)
        case _:
            raise Diagnostic(f"no array can hold elements of type {element}")


def dense(array: Array, element: Attribute) -> DenseAttr:
    """Return the constant tensor attribute with the values of `array`; its bytes are never unpacked."""
    data = np.ascontiguousarray(array, numpy_type(element))
    shaped = TensorType(cast(Any, element), array.shape)
    return DenseIntOrFPElementsAttr(cast(Any, shaped), BytesAttr(data.tobytes()))


def array_of(attribute: DenseAttr) -> Array:
    """Return a read-only view of a constant's bytes, in the constant's shape."""
    flat = np.frombuffer(attribute.data.data, numpy_type(attribute.get_element_type()))
    return flat.reshape(attribute.get_shape())


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a ranked tensor or memref."""
    return cast("TensorType[Any] | MemRefType[Any]", value.type).get_shape()


def element_of(value: SSAValue) -> Attribute:
    """Return the element type of a ranked tensor or memref."""
    return cast("TensorType[Any] | MemRefType[Any]", value.type).get_element_type()


# Locations


def named_location(name: str) -> LocationAttr:
    """Return the location of what came from the ONNX node `name`."""
    return NameLoc(StringAttr(name), NoneAttr())


def fused_location(locations: Iterable[LocationAttr]) -> LocationAttr:
    """Return the location of an op that was made from several, without repetitions."""
    parts: dict[LocationAttr, None] = {}
    for location in locations:
        parts |= {part: None for part in _name_locations(location)}
    if not parts:
        return UnknownLoc()
    return next(iter(parts)) if len(parts) == 1 else FusedLoc(tuple(parts), NoneAttr())


def node_names(op: Operation) -> tuple[str, ...]:
    """Return the names of the ONNX nodes that an op implements, in graph order; empty where it came from none."""
    return tuple(part.desc.data for part in _name_locations(op.location))


def _name_locations(location: LocationAttr) -> list[NameLoc]:
    parts = cast(ArrayAttr[Attribute], location.locations).data if isinstance(location, FusedLoc) else (location,)
    return [part for part in parts if isinstance(part, NameLoc)]


def where(op: Operation) -> str:
    """Return the place to name in an error about `op`: its ONNX node, else its line in the file, else the op itself."""
    if names := node_names(op):
        return "node " + " + ".join(f'"{name}"' for name in names)
    if isinstance(location := op.location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    return f"op '{op.name}'"


# Text


def parse_module(context: Context, text: str, name: str = "<input>", *, first_line: int = 1) -> ModuleOp:
    """
    Parse MLIR text; ops outside a module are put into one. Does not verify.

    `first_line` is the line of `name` at which `text` begins. Raises Diagnostic where the text is no IR.
    """
    parser: LocatingParser | None = None
    text = "\n" * (first_line - 1) + text
    try:
        parser = LocatingParser(context, text, name)
        return parser.parse_module()
    except ParseError as error:
        start = error.span.start
        line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1) + 1
        message = error.msg.strip() or "syntax error"
        raise Diagnostic(message, where=f"{name}:{line}:{column}", notes=_caret(text, start, column)) from error
    except Diagnostic:
        raise
    except Exception as error:
        line, column = parser.place() if parser else (first_line, 1)
        kind = "" if isinstance(error, VerifyException | ValueError) else f"not understood: {type(error).__name__}: "
        raise Diagnostic(f"{kind}{error}", where=f"{name}:{line}:{column}") from error


def _caret(text: str, position: int, column: int) -> list[str]:
    start = position - column + 1
    line = text[start : start + 200].split("\n", 1)[0]
    return [line, " " * (column - 1) + "^"] if column <= 200 else []


class _IrPrinter(Printer):
    """A printer that writes big constants from their bytes, elides them on request, and shows node names."""

    def __init__(self, stream: io.StringIO, *, elide: int | None, generic: bool, locations: bool):
        super().__init__(stream, print_generic_format=generic)
        self._write = stream.write
        self._elide = elide
        self._locations = locations

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._write(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        self._write("\n" + "  " * (self._indent if indent is None else indent))

    def print_op(self, op: Operation) -> None:
        generic = self.print_generic_format
        # xDSL does not read the results of a linalg.generic that has several where it and MLIR print them.
        self.print_generic_format = generic or (op.name == "linalg.generic" and len(op.results) > 1)
        super().print_op(op)
        self.print_generic_format = generic
        if self._locations and isinstance(op.location, NameLoc | FusedLoc):
            self.print_string(" ")
            super().print_attribute(op.location)

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            self._print_dense(cast(DenseAttr, attribute))
        else:
            super().print_attribute(attribute)

    def _print_dense(self, attribute: DenseAttr) -> None:
        data = attribute.data.data
        width = attribute.get_element_type().compile_time_size
        count = len(data) // width
        uniform = count > 1 and data == data[:width] * count
        if count <= 100 and _has_exact_decimals(attribute):
            super().print_attribute(attribute)
            return
        if count > 100 and self._elide is not None and count > self._elide and not uniform:
            self.print_string("dense_resource<__elided__>")
        elif uniform and _has_exact_decimals(attribute, count=1):
            value = attribute.get_element_type().unpack(data[:width], 1)[0]
            self.print_string("dense<")
            attribute._print_one_elem(value, self)  # pyright: ignore[reportPrivateUsage]
            self.print_string(">")
        elif attribute.get_element_type() == i1:  # whose hexadecimal digits are bits for MLIR and bytes for xDSL
            self.print_string("dense<")
            values, shape = attribute.get_values(), attribute.get_shape()
            attribute._print_dense_list(values, shape, self)  # pyright: ignore[reportPrivateUsage]
            self.print_string(">")
        else:
            self.print_string('dense<"0x')
            self.print_string((data[:width] if uniform else data).hex().upper())
            self.print_string('">')
        self.print_string(" : ")
        self.print_attribute(attribute.get_type())


def _has_exact_decimals(attribute: DenseAttr, *, count: int | None = None) -> bool:
    """
    Return whether the first `count` elements, or all, read back as they are when xDSL prints them one by one.

    It prints floats without an exact short decimal in hexadecimal, which it then reads as integers.
    """
    element = attribute.get_element_type()
    if not isinstance(element, AnyFloat):
        return True
    count = count or len(attribute)
    values = element.unpack(attribute.data.data[: count * element.compile_time_size], count)
    return all(
        isfinite(value) and element.unpack(element.pack((float(f"{value:.5e}"),)), 1)[0] == value for value in values
    )


def print_ir(
    op: Operation,
    *,
    elide: int | None = None,
    generic: bool = False,
    locations: bool = True,
    context: Context | None = None,
) -> str:
    """
    Return the text of an op.

    `elide` replaces constants of more elements than that (the text then cannot be run again). `locations` shows the
    locations that name ONNX nodes; places in files are never shown. With a `context`, the resources that the op names
    are appended.
    """
    stream = io.StringIO()
    printer = _IrPrinter(stream, elide=elide, generic=generic, locations=locations)
    printer.print_op(op)
    if context is not None:
        printer.print_metadata(context.loaded_dialects)
    return stream.getvalue()


# Verification


def verify(op: Operation) -> None:
    """
    Check that the IR is well formed, SSA dominance included.

    Raises Diagnostic that names the first op which is not. What xDSL's `Operation.verify` checks is checked, but a
    failure does not print the whole module, whose constants may be huge.
    """
    with _symbols_in_tables(), alike_verified_once():
        _verify_op(op, set(op.operands))


@contextmanager
def _symbols_in_tables() -> Generator[None]:
    """Let xDSL's verifiers find a symbol in a table made once, while no op changes: its own search is linear."""
    search, tables = SymbolTable.lookup_symbol, dict[Operation, dict[str, Operation]]()

    def lookup(op: Operation, name: str | StringAttr | SymbolRefAttr) -> Operation | None:
        anchor: Operation | None = op
        while anchor is not None and not anchor.has_trait(SymbolTable):
            anchor = anchor.parent_op()
        if anchor is None or (isinstance(name, SymbolRefAttr) and name.nested_references):
            return search(op, name)
        if anchor not in tables:
            tables[anchor] = _symbols_of(anchor)
        root = name.root_reference if isinstance(name, SymbolRefAttr) else name
        return tables[anchor].get(root if isinstance(root, str) else root.data)

    SymbolTable.lookup_symbol = staticmethod(lookup)
    try:
        yield
    finally:
        SymbolTable.lookup_symbol = staticmethod(search)


def _symbols_of(table: Operation) -> dict[str, Operation]:
    """Return the ops that a symbol table names, of equal names the first."""
    found: dict[str, Operation] = {}
    for op in table.regions[0].block.ops:
        trait = op.get_trait(SymbolOpInterface)
        name = trait.get_sym_attr_name(op) if trait is not None else None
        if name is not None:
            found.setdefault(name.data, op)
    return found


def _verify_op(op: Operation, visible: set[SSAValue] | None) -> None:
    """Check an op to which the values `visible` are visible, or any where it is None: in code that is never reached."""
    if visible is not None:
        _verify_operands(op, visible)
    block = op.parent
    if block is not None and (op.successors or block.last_op is op):
        _verify_end(op, block)
    for region in op.regions:
        _verify_region(region, visible)
    try:
        if type(op).verify is Operation.verify:
            op.verify_()
        else:
            op.verify(verify_nested_ops=False)
    except Diagnostic:
        raise
    # xDSL's own ops raise others, too: scf.while a bare Exception.
    except Exception as error:
        message = str(error).strip().splitlines()
        reason = message[-1] if message else "no reason given"
        raise Diagnostic(f"'{op.name}' does not verify: {reason}", where=where(op)) from error


def _verify_operands(op: Operation, visible: set[SSAValue]) -> None:
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            raise Diagnostic(
                f"operand {index} of '{op.name}' does not dominate its use",
                where=where(op),
                expected="a value that is defined earlier, in this block or one around it",
            )


def _verify_end(op: Operation, block: Block) -> None:
    """Check an op that ends its block, or jumps."""
    region = block.parent
    if op.successors and block.last_op is not op:
        raise Diagnostic(f"'{op.name}' jumps, but is not the last op of its block", where=where(op))
    if any(successor.parent is not region for successor in op.successors):
        raise Diagnostic(f"'{op.name}' jumps into another region", where=where(op))
    parent = region.parent if region is not None else None
    if region is None or parent is None or op.has_trait(IsTerminator):
        return
    if region.first_block is not region.last_block or not parent.has_trait(NoTerminator):
        raise Diagnostic(f"'{op.name}' ends a block, but is not a terminator", where=where(op), expected="a terminator")


def _verify_region(region: Region, visible: set[SSAValue] | None) -> None:
    """Check a region whose surroundings define `visible`; restores `visible` before it returns."""
    entry = region.first_block
    if entry is None:
        return
    if visible is None or entry is region.last_block:
        for block in region.blocks:
            _verify_block(block, visible)
            _leave(block, visible)
        return
    children = dominator_tree(region)
    pending = [(entry, False)]
    while pending:
        block, done = pending.pop()
        if done:
            _leave(block, visible)
            continue
        _verify_block(block, visible)
        pending.append((block, True))
        pending += [(child, False) for child in reversed(children[block])]
    for block in region.blocks:
        if block not in children:
            _verify_block(block, None)


def _verify_block(block: Block, visible: set[SSAValue] | None) -> None:
    """Check a block, and add what it defines to `visible`."""
    if visible is not None:
        visible.update(block.args)
    op = block.first_op
    parent = block.parent_op()
    if op is None and parent is not None and not parent.has_trait(NoTerminator):
        raise Diagnostic(f"'{parent.name}' has an empty block", where=where(parent), expected="a terminator in it")
    while op is not None:
        _verify_op(op, visible)
        if visible is not None:
            visible.update(op.results)
        op = op.next_op


def _leave(block: Block, visible: set[SSAValue] | None) -> None:
    if visible is None:
        return
    visible.difference_update(block.args)
    for op in block.ops:
        visible.difference_update(op.results)


# Shortcuts


def integer_width(type: Attribute) -> int | None:
    """Return the bits of an integer type, 64 for index, None for other types."""
    if isinstance(type, IntegerType):
        return cast("IntegerType[Any, Any]", type).width.data
    return 64 if isinstance(type, IndexType) else None


def is_unsigned_type(type: Attribute) -> bool:
    """Return whether a type is one of unsigned integers (`ui8`), not merely signless."""
    if not isinstance(type, IntegerType):
        return False
    return cast("IntegerType[Any, Any]", type).signedness.data is Signedness.UNSIGNED


def numbers_of(attribute: Attribute) -> tuple[int, ...]:
    """Return the integers of an `array<i64: ...>`."""
    return tuple(int(value) for value in cast(Any, attribute).get_values())


def functions(module: ModuleOp) -> list[FuncOp]:
    """Return the functions of a module that have a body."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp) and op.body.blocks]
