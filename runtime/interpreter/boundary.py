"""Execution of a module at any level: named inputs to named outputs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import count
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    StringAttr,
)
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_PointerType
from xdsl.ir import Attribute, Operation

from ...dialects.core.buckets import function_at
from ...dialects.core.interleaving import Order
from ...dialects.core.nesting import nested_ops
from ...dialects.core.ports import SHAPE_OF, cut_outputs, symbol_in
from ...errors import Diagnostic, did_you_mean
from ...ir import Array, numbers_of, numpy_type, where
from .bits import integer_type, scalar_type
from .conversion import converted
from .engine import Interpreter
from .limits import RunLimits
from .memory import new_buffer, new_memref

STATUS = "tilewright.status"
"""Attribute of a function that returns a status of its input checks instead of an output."""

_RULES_ON_DEMAND = {"onnx": ".onnx", "emitc": ".c_rules", "ml_program": ".state", "paged": "..paged.semantics"}
"""Dialect -> the module of this package with its rules."""


@dataclass(frozen=True)
class FunctionPort:
    """Argument or result of a function: ONNX element type and NumPy storage type in the IR."""

    name: str
    shape: tuple[int, ...]
    element: Attribute
    storage: np.dtype[Any]
    is_output: bool
    inner: tuple[int, ...] | None
    """Shape in the IR, flat for C; None for scalars."""
    limits: tuple[int, ...] = ()
    """Least and greatest value of an input, if declared (`tilewright.range`)."""
    state: tuple[int, ...] = ()
    """Rows per call and rows of the state, for the position input (`tilewright.state`)."""
    shape_of: str = ""
    """Name of the output whose dynamic extents this output has (`tilewright.shape_of`)."""
    memref: MemRefType[Any] | None = None
    """Type of a buffer in the IR, whose layout its array has."""
    is_open: bool = False
    """Dynamic shape: the type in the IR leaves extents open; those of a result that are unknown are -1."""

    @property
    def declared(self) -> np.dtype[Any]:
        """NumPy type of the values for a caller."""
        return numpy_type(self.element)

    def new_array(self) -> Array:
        """Allocate the zeroed array of an argument in the IR."""
        return new_buffer(self.inner or (), self.storage) if self.memref is None else new_memref(self.memref)


def run_module(
    module: ModuleOp, inputs: Mapping[str, Array], *, function: str = "network", interleave: Order | int | None = None
) -> dict[str, Array]:
    """
    Run a function of a module, at any level, and return its results by name.

    Names are the attributes `onnx.name` of arguments and results, by default `arg0`, `result0`, ... by position.
    Arguments
    with `tilewright.output` are results: they are allocated, zeroed, and returned. An input is converted to the
    declared
    type if that is exact. An argument or result with `onnx.type = "ui8"` is uint8 though its IR type is i8. A result
    named
    in another's `tilewright.shape_of` is sliced to those extents. `interleave` is the order of concurrent programs
    and asynchronous accesses, or the seed of a random one.

    Raises Diagnostic for inputs that are missing, unknown, of another shape or out of range, and for unsupported ops.
    """
    return Session(module, function, interleave).run(inputs)


class Session:
    """Module with persistent globals across calls, until `reset`."""

    def __init__(
        self,
        module: ModuleOp,
        function: str = "network",
        interleave: Order | int | None = None,
        limits: RunLimits | None = None,
    ):
        load_rules(module)
        self._module = module
        self._interleave = interleave
        self._limits = limits
        self._function = function
        self.memory: dict[str, Array] = {}
        """Shaped arguments of the last call that are no outputs, by name: their contents after it."""
        self.reset()

    def reset(self) -> None:
        """Reset all state to its initial value."""
        self._interpreter = Interpreter(self._module, self._interleave, self._limits)
        self._written = 0

    @property
    def in_flight(self) -> list[Operation]:
        """The transfers that have not been waited for."""
        return [op for op, count in self._interpreter.interleaving.in_flight.items() if count]

    def entry(self, function: str = "") -> Operation:
        """Return a function, by default that of the session."""
        return self._interpreter.symbol(symbol_in(self._module, function or self._function))

    @property
    def module(self) -> ModuleOp:
        """The program."""
        return self._module

    def storage(self, symbol: str) -> Any:
        """Return the memory of a global itself, or the pool of a paged store."""
        return self._interpreter.storage(symbol)

    def contents(self, symbol: str) -> Array:
        """Return a copy of the memory of a global."""
        return np.array(self._interpreter.storage(symbol))

    def run(
        self, inputs: Mapping[str, Array], *, function: str = "", initial: Mapping[str, Array] = {}
    ) -> dict[str, Array]:
        """
        Run a function, by default that of the session, as `run_module` does; functions share the state.

        `initial` are contents of outputs in memory before the call, by name.

        With buckets, the smallest bucket that contains the position runs (`dialects/core/buckets.py`).
        """
        interpreter, function = self._interpreter, symbol_in(self._module, function or self._function)
        arguments, _ = ports(interpreter.symbol(function))
        check_names(inputs, [port.name for port in arguments if not port.is_output], function)
        written = self._written
        for port in arguments:
            written = _written_after(port, inputs, written)
        function = self._bucket(function, arguments, inputs)
        arguments, results = ports(interpreter.symbol(function))
        values = [self._argument(port, initial if port.is_output else inputs) for port in arguments]
        returned = interpreter.call(function, values)
        if STATUS in interpreter.symbol(function).attributes and int(returned[0]) != 0:
            raise Diagnostic(
                f"'{function}' refuses its inputs",
                expected="the status 0",
                found=f"the status {int(returned[0])}",
                remedy="give numbers in the ranges that are declared, and positions in order",
            )
        self._written = written
        pairs = list(zip(arguments, values, strict=True))
        self.memory = {
            port.name: seen_value(port, value) for port, value in pairs if port.inner is not None and not port.is_output
        }
        outputs = [(port, value) for port, value in pairs if port.is_output]
        outputs += zip(results, returned, strict=False)
        seen = {port.name: seen_value(port, value) for port, value in outputs}
        return cut_outputs(seen, {port.name: port.shape_of for port, _ in outputs if port.shape_of})

    def _argument(self, port: FunctionPort, values: Mapping[str, Array]) -> Array:
        """Return the value of an argument; an output without contents is undefined."""
        if port.is_output and port.name not in values:
            return self._interpreter.interleaving.undefine(port.new_array())
        return stored_value(port, values[port.name])

    def _bucket(self, function: str, arguments: Sequence[FunctionPort], inputs: Mapping[str, Array]) -> str:
        """Return the function or bucket for the position among the inputs, if one is given."""
        positions = (_position(port, inputs) for port in arguments)
        position = next((position for position in positions if position is not None), None)
        return function if position is None else function_at(self._module, function, position)


def _position(port: FunctionPort, inputs: Mapping[str, Array]) -> int | None:
    """
    Return the position in a state among the inputs, None if the port is not a position or the input not an integer.
    """
    value = np.asarray(inputs[port.name]) if port.state and not port.is_output else None
    if value is None or value.size != 1 or value.dtype.kind not in "iu":
        return None
    return int(value.reshape(-1)[0])


def _written_after(port: FunctionPort, inputs: Mapping[str, Array], written: int) -> int:
    """Return the number of written rows of the state after the call. Raises Diagnostic for an invalid position."""
    position = _position(port, inputs)
    if position is None:
        return written
    from .state import check_position

    added, rows = port.state
    return check_position(port.name, position, added, rows, written)


def random_inputs(
    module: ModuleOp, seed: int, *, function: str = "network", entries: str = "random"
) -> dict[str, Array]:
    """
    Return random inputs for a function, equal at every level of a pipeline.

    Integers of up to 8 bits cover their whole range; wider ones are in [-128, 127], unsigned ones in [0, 127]; floats
    are integers in [-8, 7], so that most float arithmetic on them is exact. Entries of tables are in the range in which
    they are looked up, all of them the least one or the greatest one where `entries` is "low" or "high".
    """
    from ...dialects.hier.indirect import ranges_of_tables  # only here: passes that fold constants run no boundary

    generator = np.random.default_rng(seed)
    entry = Interpreter(module).symbol(symbol_in(module, function))
    arguments, _ = ports(entry)
    tables = ranges_of_tables(entry)
    values = entry.regions[0].blocks[0].args if entry.regions[0].blocks else ()
    ranges = {index: tables[value] for index, value in enumerate(values) if value in tables}
    if entries != "random":
        ranges = {
            index: (low, low + 1) if entries == "low" else (high - 1, high) for index, (low, high) in ranges.items()
        }
    limited = {index: replace(arguments[index], limits=(low, high - 1)) for index, (low, high) in ranges.items()}
    limited_ports = [limited.get(index, port) for index, port in enumerate(arguments)]
    return {port.name: _random(port, generator) for port in limited_ports if not port.is_output}


def output_contents(module: ModuleOp, seed: int, function: str) -> dict[str, Array]:
    """Return random contents for the arguments of a function that are outputs, by name."""
    generator = np.random.default_rng(seed)
    arguments, _ = ports(Interpreter(module).symbol(symbol_in(module, function)))
    return {port.name: _random(port, generator) for port in arguments if port.is_output}


def boundary_inputs(module: ModuleOp, seed: int, *, function: str = "network") -> dict[str, Array]:
    """
    Return random inputs for arguments with integers of more than 8 bits and no declared range.

    Half of the numbers are near the ends of this type or of a narrower one, the others anywhere in the type's range.
    """
    generator = np.random.default_rng(seed)
    arguments, _ = ports(Interpreter(module).symbol(symbol_in(module, function)))
    return {
        port.name: _at_boundaries(port, generator)
        for port in arguments
        if not (port.is_output or port.state or port.limits)
        and integer_type(port.element) is not None
        and min(port.declared.itemsize, port.storage.itemsize) > 1
        and port.storage.kind in "iu"
    }


def _at_boundaries(port: FunctionPort, generator: np.random.Generator) -> Array:
    least, greatest = narrow_limits(port) or (np.iinfo(port.declared).min, np.iinfo(port.declared).max)
    ends = [
        side * 2**bits + near for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64) for side in (-1, 1) for near in (-1, 0, 1)
    ]
    inside = np.array([end for end in ends if least <= end <= greatest], port.declared)
    anywhere = generator.integers(least, greatest, port.shape, port.declared, endpoint=True)
    return np.where(generator.random(port.shape) < 0.5, generator.choice(inside, port.shape), anywhere)


def load_rules(module: ModuleOp) -> None:
    """Import the rules of the dialects in use that are loaded on demand."""
    dialects = {op.name.partition(".")[0] for op in nested_ops(module)}
    for dialect, file in _RULES_ON_DEMAND.items():
        if dialect in dialects:
            import_module(file, __package__)


def ports(function: Operation) -> tuple[list[FunctionPort], list[FunctionPort]]:
    """
    Return the arguments and the results of a function; outputs among the arguments and results are numbered together.

    Raises Diagnostic for an argument without a static shape, and where two inputs or two outputs have the same name.
    Extents of results may be open.
    """
    type_ = function.properties.get("function_type")
    if not isinstance(type_, FunctionType):
        raise Diagnostic(f"'{function.name}' is not a function", where=where(function))
    numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
    arguments = _ports(type_.inputs.data, function.properties.get("arg_attrs"), "arg", function, numbers)
    results = _ports(type_.outputs.data, function.properties.get("res_attrs"), "result", function, numbers)
    outputs = [port for port in arguments if port.is_output]
    if STATUS in function.attributes:
        results = []
    inputs = [port for port in arguments if not port.is_output]
    for group in (inputs, [*outputs, *results]):
        uses = Counter(port.name for port in group)
        if repeated := [name for name, count in uses.items() if count > 1]:
            raise Diagnostic(f"two arguments or results are named '{repeated[0]}'", where=where(function))
    return arguments, results


def _ports(
    types: Sequence[Attribute],
    attributes: Attribute | None,
    prefix: str,
    function: Operation,
    numbers: Mapping[str, Iterator[int]],
) -> list[FunctionPort]:
    dictionaries = cast("ArrayAttr[DictionaryAttr]", attributes).data if attributes else ()
    all_attrs = [*dictionaries, *[DictionaryAttr({}) for _ in range(len(types) - len(dictionaries))]]
    ports: list[FunctionPort] = []
    for type_, attrs in zip(types, all_attrs, strict=True):
        kind = "result" if "tilewright.output" in attrs.data else prefix
        ports.append(_port(type_, attrs.data, f"{kind}{next(numbers[kind])}", function))
    return ports


def _port(type_: Attribute, attributes: Mapping[str, Attribute], default: str, function: Operation) -> FunctionPort:
    match type_:
        case EmitC_PointerType():
            element = cast(Attribute, type_.pointee_type)
        case EmitC_ArrayType():
            element = cast("EmitC_ArrayType[Any]", type_).get_element_type()
        case _:
            element = scalar_type(type_)
    name, declared = attributes.get("onnx.name"), attributes.get("onnx.type")
    shape = attributes.get("tilewright.shape")
    flat = isinstance(shape, DenseArrayBase)
    is_result = default.startswith("result") and "tilewright.output" not in attributes
    extents = tuple(int(n) for n in shape.get_values()) if flat else _shape(type_, default, function, is_result)
    is_open = any(extent < 0 for extent in getattr(type_, "get_shape", tuple)())
    return FunctionPort(
        name=name.data if isinstance(name, StringAttr) else default,
        shape=extents,
        element=_declared(declared.data) if isinstance(declared, StringAttr) else element,
        storage=numpy_type(element),
        is_output="tilewright.output" in attributes,
        inner=_inner_shape(type_, extents),
        limits=_numbers(attributes.get("tilewright.range")),
        state=_numbers(attributes.get("tilewright.state")),
        shape_of=target.data if isinstance(target := attributes.get(SHAPE_OF), StringAttr) else "",
        memref=_of_extents(cast("MemRefType[Any]", type_), extents) if isinstance(type_, MemRefType) else None,
        is_open=is_open,
    )


def _of_extents(type_: MemRefType[Any], extents: tuple[int, ...]) -> MemRefType[Any]:
    """Return the type of a buffer whose extents are given."""
    if type_.get_shape() == extents:
        return type_
    return MemRefType(type_.element_type, extents, type_.layout, type_.memory_space)


def _numbers(attribute: Attribute | None) -> tuple[int, ...]:
    return numbers_of(cast("DenseArrayBase[Any]", attribute)) if isinstance(attribute, DenseArrayBase) else ()


def _inner_shape(type_: Attribute, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    if isinstance(type_, EmitC_PointerType):
        return (prod(shape),)
    if not hasattr(type_, "get_shape"):
        return None
    inner = cast("tuple[int, ...]", cast(Any, type_).get_shape())
    return shape if any(extent < 0 for extent in inner) else inner


def _shape(type_: Attribute, name: str, function: Operation, is_result: bool) -> tuple[int, ...]:
    shape = cast("tuple[int, ...]", getattr(type_, "get_shape", tuple)())
    is_pointer = isinstance(type_, EmitC_PointerType)
    if is_pointer or (any(extent < 0 for extent in shape) and not is_result):
        raise _without_shape(name, type_, function)
    return shape


def _without_shape(name: str, type_: Attribute | str, function: Operation) -> Diagnostic:
    return Diagnostic(
        f"'{name}' of type {type_} has no static shape",
        where=where(function),
        expected="a static shape, or 'tilewright.shape' on a pointer",
        remedy="give the inputs static shapes",
    )


def check_static(results: Sequence[FunctionPort], function: Operation) -> None:
    """Raise Diagnostic for a result whose extents are open."""
    for port in results:
        if any(extent < 0 for extent in port.shape):
            raise _without_shape(port.name, "an open shape", function)


def argument_names(function: Operation) -> list[tuple[str, ...]]:
    """Return the names of each argument: that of its input, and that of its value in the IR, of `%x` x."""
    type_ = function.properties.get("function_type")
    types = type_.inputs.data if isinstance(type_, FunctionType) else ()
    attributes: Any = function.properties.get("arg_attrs")
    data: list[Mapping[str, Attribute]] = [attrs.data for attrs in attributes.data] if attributes else []
    dictionaries = data or [dict[str, Attribute]() for _ in types]
    numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
    names: list[tuple[str, ...]] = []
    for attrs, value in zip(dictionaries, function.regions[0].blocks[0].args, strict=True):
        kind = "result" if "tilewright.output" in attrs else "arg"
        default, own = f"{kind}{next(numbers[kind])}", attrs.get("onnx.name")
        first = own.data if isinstance(own, StringAttr) else default
        names.append((first, value.name_hint) if value.name_hint else (first,))
    return names


def _declared(text: str) -> Attribute:
    from xdsl.dialects.builtin import bf16, f16, f32, f64

    floats: dict[str, Attribute] = {"bf16": bf16, "f16": f16, "f32": f32, "f64": f64}
    if text in floats:
        return floats[text]
    if text == "int":
        return IntegerType(32)
    if (match := re.fullmatch(r"(u?)i(\d+)", text)) is None:
        raise Diagnostic(f"onnx.type '{text}' is not an element type", expected="such as i8, ui8 or f32")
    return IntegerType(int(match[2]), Signedness.UNSIGNED if match[1] else Signedness.SIGNLESS)


def check_names(inputs: Mapping[str, Array], names: Sequence[str], function: str) -> None:
    """Raise Diagnostic for a missing or unknown input of a function."""
    if missing := [name for name in names if name not in inputs]:
        raise Diagnostic(
            f"input '{missing[0]}' of '{function}' is missing",
            expected=", ".join(names),
            found=", ".join(inputs) or "no inputs",
        )
    if unknown := [name for name in inputs if name not in names]:
        raise Diagnostic(
            f"'{function}' has no input '{unknown[0]}'",
            expected=", ".join(names) or "no inputs",
            remedy=did_you_mean(unknown[0], names),
        )


def stored_value(port: FunctionPort, value: Array) -> Array:
    """Convert an input to its IR type. Raises Diagnostic for another shape and for values out of range."""
    limits = port.limits or narrow_limits(port) or ()
    checked = converted(
        port.name, np.asarray(value), port.declared, port.shape, element=f"{port.element}", limits=limits
    )
    stored = _reinterpreted(checked, port.storage)
    if port.inner is None:
        return stored[()]
    buffer = port.new_array()
    if buffer.shape == stored.shape:
        buffer[...] = stored
        return buffer
    # C has no empty arrays: an empty input is declared with one unused element.
    buffer.reshape(-1)[: stored.size] = stored.reshape(-1)
    return buffer


def _reinterpreted(value: Array, dtype: np.dtype[Any]) -> Array:
    """Reinterpret integers as another type of the same width; other values are converted."""
    same_bits = value.dtype.kind in "iu" and dtype.kind in "iu" and value.dtype.itemsize == dtype.itemsize
    return value.view(dtype) if same_bits else value.astype(dtype)


def narrow_limits(port: FunctionPort) -> tuple[int, int] | None:
    integer = integer_type(port.element)
    if integer is None or integer.width.data in (1, 8 * port.declared.itemsize):
        return None
    width, unsigned = integer.width.data, integer.signedness.data is Signedness.UNSIGNED
    return (0, (1 << width) - 1) if unsigned else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def seen_value(port: FunctionPort, value: Array) -> Array:
    """Return a result in its declared type and shape, as a new array."""
    elements = _reinterpreted(np.array(value), port.declared)
    if any(extent < 0 for extent in port.shape):
        return elements
    elements = elements.reshape(-1)
    return elements[: prod(port.shape)].reshape(port.shape)


def _random(port: FunctionPort, generator: np.random.Generator) -> Array:
    dtype = port.declared
    if port.state:
        return np.zeros(port.shape, dtype)
    if port.limits:
        return generator.integers(port.limits[0], port.limits[1] + 1, port.shape).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, port.shape).astype(dtype)
    if dtype.kind not in "iu":
        return generator.integers(-8, 8, port.shape).astype(dtype)
    low, high = narrow_limits(port) or (
        max(-128, np.iinfo(dtype).min),
        127 if dtype.itemsize > 1 else np.iinfo(dtype).max,
    )
    return generator.integers(low, high + 1, port.shape).astype(dtype)
