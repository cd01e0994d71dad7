"""Kinds of an instruction's parameters, read off the annotations of the function that is its semantics."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import BFloat16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, Operation

from ....errors import Diagnostic
from .flat import Flat


@dataclass(frozen=True)
class Buffer:
    """Memref operand with indices: a pointer to that element in C, `Flat` in Python."""

    reads: bool = False
    writes: bool = False
    has_offset: bool = False
    """True where C gets a pointer to the memref's first element, and the elements from there on as a number behind."""


@dataclass(frozen=True)
class Stride:
    """
    Distance in elements between neighbours along an axis of a buffer, times a number.

    The property `array<i64: axis, times>` says which; 0 where it is absent.
    """

    buffer: str


@dataclass(frozen=True)
class Extent:
    """Extent of an axis of a buffer's memref; -1 is the last axis."""

    buffer: str
    axis: int


@dataclass(frozen=True)
class ElementSize:
    """Bytes of an element of a buffer."""

    buffer: str


class Kind(Enum):
    """Kinds of parameters that have no parameters of their own."""

    SCALAR = "scalar operand"
    SIZE = "operand of index type"
    CONST = "integer property"
    FLAG = "unit property, 0 or 1"
    STATE = "state of the engine"


_T = TypeVar("_T", bound=np.generic)
_S = TypeVar("_S")

In: TypeAlias = Annotated[Flat[_T], Buffer(reads=True)]
Out: TypeAlias = Annotated[Flat[_T], Buffer(writes=True)]
InOut: TypeAlias = Annotated[Flat[_T], Buffer(reads=True, writes=True)]
InAt: TypeAlias = Annotated[Flat[_T], Buffer(reads=True, has_offset=True)]
OutAt: TypeAlias = Annotated[Flat[_T], Buffer(writes=True, has_offset=True)]
InOutAt: TypeAlias = Annotated[Flat[_T], Buffer(reads=True, writes=True, has_offset=True)]
"""Buffers of memories whose rows have numbers: C computes that of a memref's first row once, outside of loops."""
Ref: TypeAlias = Annotated[Flat[_T], Buffer()]
"""A pointer whose memory the instruction does not access itself."""
Scalar: TypeAlias = Annotated[NDArray[_T], Kind.SCALAR]
"""A number of an element type, or an array of them where an interpreter executes many at once."""
Size: TypeAlias = Annotated[int, Kind.SIZE]
Const: TypeAlias = Annotated[int, Kind.CONST]
Flag: TypeAlias = Annotated[int, Kind.FLAG]
State: TypeAlias = Annotated[_S, Kind.STATE]
"""
An object of that class for a whole run; C has no such parameter.

It is made without arguments or, where the class has it, by `of_program(op)` from the outermost op, such as the module.
"""

i8: TypeAlias = np.int8
i16: TypeAlias = np.int16
i32: TypeAlias = np.int32
i64: TypeAlias = np.int64
f32: TypeAlias = np.float32
if TYPE_CHECKING:
    bf16: TypeAlias = np.float16  # NumPy has none: a type that checkers know stands for it
else:
    bf16 = ml_dtypes.bfloat16
f64: TypeAlias = np.float64

_TYPES: dict[Any, tuple[Attribute | None, str]] = {
    np.int8: (IntegerType(8), "int8_t"),
    np.int16: (IntegerType(16), "int16_t"),
    np.int32: (IntegerType(32), "int32_t"),
    np.int64: (IntegerType(64), "int64_t"),
    bf16: (BFloat16Type(), "tw_bf16"),
    np.float32: (Float32Type(), "float"),
    np.float64: (Float64Type(), "double"),
    Any: (None, "void"),
}
"""Element type -> type in the IR and in C; that of any element has none in the IR."""


@dataclass(frozen=True)
class Parameter:
    """Parameter of an instruction: its kind, its element type and the numbers that it may be."""

    name: str
    kind: Buffer | Stride | Extent | ElementSize | Kind
    element: Any = None
    """The NumPy type of a buffer's elements or of a scalar, or a TypeVar of several; the class of a state."""
    allowed: Collection[int] | None = None

    @cached_property
    def type(self) -> Attribute | None:
        """The type in the IR of an element, None for any or one of several."""
        return None if isinstance(self.element, TypeVar) else _TYPES[self.element][0]

    @cached_property
    def types(self) -> tuple[Attribute, ...]:
        """The types in the IR of which an element has one, empty for any."""
        if isinstance(self.element, TypeVar):
            return tuple(cast(Attribute, _TYPES[choice][0]) for choice in self.element.__constraints__)
        return () if self.type is None else (self.type,)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of an element or of a number: the first of several, bytes for any."""
        element = self.element.__constraints__[0] if isinstance(self.element, TypeVar) else self.element
        return np.dtype(np.int8 if element is Any else element or np.int32)

    @cached_property
    def c_type(self) -> str:
        """The type in C, such as `const int8_t *`; empty for a state."""
        if isinstance(self.kind, Buffer):
            element = "void" if isinstance(self.element, TypeVar) else _TYPES[self.element][1]
            return f"{'' if self.kind.writes else 'const '}{element} *"
        if self.kind is Kind.SCALAR:
            return _TYPES[self.element][1]
        return "" if self.kind is Kind.STATE else "int32_t"

    @cached_property
    def declared(self) -> tuple[str, ...]:
        """The parameters of the C function, such as `const int8_t *a` and `int32_t a_at`."""
        first = f"{self.c_type} {self.name}".replace("* ", "*")
        has_offset = isinstance(self.kind, Buffer) and self.kind.has_offset
        return (first, f"int32_t {self.name}_at") if has_offset else (first,)

    @property
    def is_given(self) -> bool:
        """True where the op has an operand or property for it."""
        return not isinstance(self.kind, Extent | ElementSize) and self.kind is not Kind.STATE

    def check(self, number: int) -> None:
        """Raise Diagnostic for a number that the parameter must not be."""
        if self.allowed is not None and number not in self.allowed:
            raise Diagnostic(
                f"'{self.name}' must not be {number}", expected=shown(self.allowed), found=f"{self.name} = {number}"
            )


def shown(allowed: Collection[int]) -> str:
    """Return a collection of numbers as text."""
    if isinstance(allowed, range) and allowed.step == 1:
        return f"{allowed.start} to {allowed.stop - 1}"
    return " or ".join(map(str, allowed))


def parameters_of(function: Callable[..., Any], place: str) -> tuple[tuple[Parameter, ...], Parameter | None]:
    """
    Return the parameters of a semantics function, and its result.

    Raises Diagnostic for a parameter without a kind, an element type without C counterpart, and a stride or an extent
    of a parameter that is no buffer.
    """
    hints = get_type_hints(function, include_extras=True)
    result = hints.pop("return", type(None))
    parameters = tuple(_parameter(name, hints.get(name), place) for name in inspect.signature(function).parameters)
    buffers = {parameter.name for parameter in parameters if isinstance(parameter.kind, Buffer)}
    for parameter in parameters:
        if isinstance(parameter.kind, Stride | Extent | ElementSize) and parameter.kind.buffer not in buffers:
            raise Diagnostic(
                f"'{parameter.name}' is derived from '{parameter.kind.buffer}', which is no buffer of the instruction",
                where=place,
                expected=" or ".join(sorted(buffers)) or "a buffer",
            )
    if result is type(None):
        return parameters, None
    returned = _parameter("result", result, place)
    if returned.kind is not Kind.SCALAR:
        raise Diagnostic("an instruction returns what is no scalar", where=place, expected="None or Scalar[type]")
    return parameters, returned


@cache
def names_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's parameters."""
    return frozenset(inspect.signature(function).parameters)


@cache
def maker_of(state: Any) -> Callable[[Operation], Any]:
    """Return the function that makes the object of a state's class, from the outermost op."""
    make: Callable[[Operation], Any] | None = getattr(state, "of_program", None)
    return make if make is not None else lambda _: state()


def _parameter(name: str, hint: Any, place: str) -> Parameter:
    base, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kinds = [mark for mark in marks if isinstance(mark, Buffer | Stride | Extent | ElementSize | Kind)]
    limits = [cast("Collection[int]", mark) for mark in marks if isinstance(mark, Collection)]
    if len(kinds) != 1 or len(kinds) + len(limits) < len(marks) or len(limits) > 1:
        raise Diagnostic(
            f"the parameter '{name}' has no kind",
            where=place,
            expected="In, Out, InOut, Ref, Scalar, Size, Const, Flag, State, Stride, Extent or ElementSize, and at "
            "most one collection of allowed numbers",
            found=str(hint),
            remedy=f"annotate it, such as '{name}: Size'",
        )
    kind, element = kinds[0], None
    if kind is Kind.STATE:
        element = base
    elif isinstance(kind, Buffer) or kind is Kind.SCALAR:
        element = next((inner for inner in _inside(base) if inner in _TYPES or _is_choice(inner)), None)
    if element is None and (isinstance(kind, Buffer) or kind is Kind.SCALAR):
        names = ", ".join(str(getattr(scalar_type, "__name__", scalar_type)) for scalar_type in _TYPES)
        raise Diagnostic(f"the parameter '{name}' has no type of C", where=place, expected=names, found=str(base))
    return Parameter(name, kind, element, limits[0] if limits else None)


def _is_choice(hint: Any) -> bool:
    """Return whether a hint is a TypeVar of element types."""
    return isinstance(hint, TypeVar) and bool(hint.__constraints__) and all(e in _TYPES for e in hint.__constraints__)


def _inside(hint: Any) -> Iterator[Any]:
    """Yield the types that a generic type is of, innermost first."""
    for argument in get_args(hint)[::-1]:
        yield from _inside(argument)
    if not get_args(hint):
        yield hint
