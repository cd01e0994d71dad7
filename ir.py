"""
The house's door to xDSL: contexts, parsing, printing, verification, constants as arrays.

Whatever more than one module needs of xDSL and xDSL does not do well (dominance, big constants, locations) is here, so that an
upgrade of xDSL touches one place.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import (
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    Float16Type,
    Float32Type,
    Float64Type,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    MemRefType,
    ModuleOp,
    NameLoc,
    NoneAttr,
    Signedness,
    StringAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from .errors import Diagnostic

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
            return np.dtype(f"{prefix}int{max(8, element.width.data)}")
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
    return cast(DenseAttr, DenseIntOrFPElementsAttr(cast(Any, shaped), BytesAttr(data.tobytes())))


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
        inner = location.locations.data if isinstance(location, FusedLoc) else (location,)
        parts |= {cast(LocationAttr, part): None for part in inner if isinstance(part, NameLoc)}
    if not parts:
        return UnknownLoc()
    return next(iter(parts)) if len(parts) == 1 else FusedLoc(tuple(parts), NoneAttr())


def node_names(op: Operation) -> tuple[str, ...]:
    """Return the names of the ONNX nodes that an op implements, in graph order; empty where it came from none."""
    location = op.location
    parts = location.locations.data if isinstance(location, FusedLoc) else (location,)
    return tuple(part.child_name.data for part in parts if isinstance(part, NameLoc))


def where(op: Operation) -> str:
    """Return the place to name in an error about `op`: its ONNX node, else its line in the file, else the op itself."""
    if names := node_names(op):
        return "node " + " + ".join(f'"{name}"' for name in names)
    if isinstance(location := op.location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    return f"op '{op.name}'"


# Text


class _LocatingParser(Parser):
    """A parser that gives each op without a location the line and column at which it stands."""

    def __init__(self, context: Context, text: str, name: str):
        super().__init__(context, text, name)
        self._filename = StringAttr(name)
        self._line_starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            line = bisect_right(self._line_starts, start)
            column = start - self._line_starts[line - 1] + 1
            op.location = FileLineColLoc(self._filename, IntAttr(line), IntAttr(column))
        return op


def parse_module(context: Context, text: str, name: str = "<input>", *, first_line: int = 1) -> ModuleOp:
    """
    Parse MLIR text; ops outside a module are put into one. Does not verify.

    `first_line` is the line of `name` at which `text` begins. Raises Diagnostic where the text is no IR.
    """
    parser = _LocatingParser(context, "\n" * (first_line - 1) + text, name)
    try:
        return parser.parse_module()
    except ParseError as error:
        span = error.span
        before = span.input.content[: span.start]
        line, column = before.count("\n") + 1, span.start - (before.rfind("\n") + 1) + 1
        raise Diagnostic(
            error.msg.strip() or "syntax error",
            where=f"{name}:{line}:{column}",
            notes=_caret(before, span.input.content, column),
        ) from error
    except (VerifyException, ValueError) as error:
        raise Diagnostic(
            str(error), where=name, remedy="correct the attribute or type that the message names"
        ) from error


def _caret(before: str, text: str, column: int) -> list[str]:
    start = before.rfind("\n") + 1
    line = text[start:].split("\n", 1)[0]
    return [line[:200], " " * (column - 1) + "^"] if column <= 200 else []


class _IrPrinter(Printer):
    """A printer that writes big constants from their bytes, elides them on request, and shows the locations that name a node."""

    def __init__(self, stream: io.StringIO, *, elide: int | None, generic: bool, locations: bool):
        super().__init__(stream, print_generic_format=generic)
        self._elide = elide
        self._locations = locations

    def print_op(self, op: Operation) -> None:
        super().print_op(op)
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
        if count <= 100:
            super().print_attribute(attribute)
            return
        if data == data[:width] * count:
            value = attribute.get_element_type().unpack(data[:width], 1)[0]
            self.print_string("dense<")
            attribute._print_one_elem(value, self)  # pyright: ignore[reportPrivateUsage]
            self.print_string(">")
        elif self._elide is not None and count > self._elide:
            self.print_string("dense_resource<__elided__>")
        else:
            self.print_string('dense<"0x')
            self.print_string(data.hex().upper())
            self.print_string('">')
        self.print_string(" : ")
        self.print_attribute(attribute.get_type())


def print_ir(
    op: Operation, *, elide: int | None = None, generic: bool = False, locations: bool = True
) -> str:
    """
    Return the text of an op.

    `elide` replaces constants of more elements than that (the text then cannot be run again). `locations` shows the locations that
    name ONNX nodes; places in files are never shown.
    """
    stream = io.StringIO()
    printer = _IrPrinter(stream, elide=elide, generic=generic, locations=locations)
    printer.print_op(op)
    return stream.getvalue()


# Verification


def verify(op: Operation) -> None:
    """
    Check that the IR is well formed, SSA dominance included.

    Raises Diagnostic that names the first op which is not.
    """
    for inner in op.walk():
        try:
            inner.verify(verify_nested_ops=False)
        except VerifyException as error:
            message = str(error).strip().splitlines()
            raise Diagnostic(
                f"'{inner.name}' does not verify: {message[-1] if message else 'no reason given'}",
                where=where(inner),
            ) from error
    _verify_dominance(op)


def _verify_dominance(root: Operation) -> None:
    visible: set[SSAValue] = set()
    for region in root.regions:
        _verify_region(region, visible)


def _verify_region(region: Region, visible: set[SSAValue]) -> None:
    """Check a region whose surroundings define `visible`; restores `visible` before it returns."""
    blocks = list(region.blocks)
    dominance = DominanceInfo(region) if len(blocks) > 1 else None
    for block in blocks:
        added: list[SSAValue] = []
        for other in blocks if dominance else ():
            if dominance and other is not block and dominance.strictly_dominates(other, block):
                added += _definitions(other)
        added += block.args
        visible.update(added)
        for op in block.ops:
            _verify_operands(op, visible)
            for inner in op.regions:
                _verify_region(inner, visible)
            added += op.results
            visible.update(op.results)
        visible.difference_update(added)


def _verify_operands(op: Operation, visible: set[SSAValue]) -> None:
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            raise Diagnostic(
                f"operand {index} of '{op.name}' does not dominate its use",
                where=where(op),
                expected="a value that is defined earlier, in this block or one around it",
            )


def _definitions(block: Block) -> Iterator[SSAValue]:
    yield from block.args
    for op in block.ops:
        yield from op.results
