"""Record of an instruction: signature, semantics, regions, cycles and the prototype in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from xdsl.ir import SSAValue

from ....errors import Diagnostic
from ..semantics import Value
from .configuration import Configuration
from .flat import Flat
from .signature import Buffer, Kind, Parameter, names_of

TileCost: TypeAlias = (
    Callable[[], float]
    | Callable[[Any], float]
    | Callable[[Any, Any], float]
    | Callable[[Any, Any, Any], float]
    | Callable[[Any, Any, Any, Any], float]
    | Callable[[Any, Any, Any, Any, Any], float]
)
"""Function of numbers by name; the forms by arity tell a type checker the types of a lambda's parameters."""


MACHINE = "machine"
"""The name by which `cycles` takes the machine that executes the instruction."""


class Axes(NamedTuple):
    """Axes of a region: counts of elements, and steps between them in elements; the buffer's own where it has none."""

    counts: tuple[Any, ...]
    steps: tuple[int, ...] | None


@dataclass(eq=False)
class Record:
    """
    Record of an instruction: its semantics and the forms in which it appears, without the op class.
    """

    name: str
    c: str
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    result: Parameter | None
    headers: tuple[str, ...]
    """The headers that declare the C function, in the order of their inclusion; none: that of the target's runtime."""
    price: Callable[..., float] | None
    """The function that gives the cycles, by those of the parameters that it names."""
    queue: str
    """The in-order queue of an engine that executes it; empty for one that the core itself executes."""
    awaits: tuple[str, ...] | None
    """The queues that it awaits as a fence, all if empty; None for no fence."""
    regions: Mapping[str, Callable[..., Sequence[Any]]]
    """
    Buffer -> the region that it accesses, by those of the parameters, and of the configurations, that the function
    names: extents from the indices on along the last axes, 1 along others; or pairs (count, step in elements), as
    `Flat.along` takes them.
    """
    fills: str
    """The register of its queue that it leaves a value in; empty for none."""
    takes: str
    """The register of its queue whose value it takes, which is empty from then on; empty for none."""
    beside: frozenset[str]
    """Buffers read in step with its other ones, or with those of the instruction before in its queue."""
    requires: tuple[Callable[..., str | None], ...]
    c_body: str
    place: str
    """File and line of the function."""

    @cached_property
    def c_parameters(self) -> list[Parameter]:
        """The parameters that the C function has."""
        return [parameter for parameter in self.parameters if parameter.kind is not Kind.STATE]

    @cached_property
    def buffers(self) -> dict[str, Buffer]:
        """The parameters that are buffers."""
        return {parameter.name: parameter.kind for parameter in self.parameters if isinstance(parameter.kind, Buffer)}

    def cycles(self, **numbers: Any) -> float:
        """Return the cycles for numbers of parameters. Raises Diagnostic for an instruction that declares none."""
        if self.price is None:
            raise Diagnostic(
                f"the instruction '{self.name}' declares no cycles",
                where=self.place,
                expected="cycles=..., a function of numbers among its parameters",
                remedy="give it cycles=..., or price kernels without it",
            )
        return self.price(**numbers)

    @cached_property
    def numbers(self) -> set[str]:
        """The names of the parameters that are numbers."""
        return {parameter.name for parameter in self.c_parameters if not isinstance(parameter.kind, Buffer)}

    @cached_property
    def states(self) -> list[Parameter]:
        """The states of engines that the semantics takes."""
        return [parameter for parameter in self.parameters if parameter.kind is Kind.STATE]

    @cached_property
    def configurations(self) -> list[Parameter]:
        """The states that are configuration registers."""
        return [state for state in self.states if issubclass(state.element, Configuration)]

    @cached_property
    def configures(self) -> bool:
        """True where it sets configuration registers, and does nothing else."""
        accesses = any(kind.reads or kind.writes for kind in self.buffers.values())
        return bool(self.states) and len(self.configurations) == len(self.states) and not accesses

    def axes_of(self, buffer: str, rank: int, values: Mapping[str, Any]) -> Axes:
        """
        Return the region of a buffer of so many axes, by numbers and configurations.

        Raises Diagnostic where the record's function returns none that the buffer can have.
        """
        function = self.regions[buffer]
        try:
            region = tuple(function(**{name: values[name] for name in names_of(function)}))
        except TypeError as error:
            raise no_region(buffer, str(error)) from error
        pairs = [cast("tuple[Any, Any]", axis) for axis in region if isinstance(axis, tuple)]
        sizes = [pair[0] for pair in pairs] if pairs else list(region)
        is_along = bool(pairs) and len(pairs) == len(region) and all(len(pair) == 2 for pair in pairs)
        is_box = (
            not pairs
            and len(region) <= rank
            and all(isinstance(extent, SSAValue) or is_extent(extent) for extent in region)
        )
        if is_along and all(is_extent(number) for pair in pairs for number in pair):
            extents = tuple(1 if step == 0 else size for size, step in pairs)
            return Axes(extents, tuple(step for _, step in pairs))
        if not is_box:
            raise no_region(buffer, f"{list(region)} of a buffer of {rank} axes")
        return Axes((1,) * (rank - len(region)) + tuple(sizes), None)

    def depends_on_configuration(self, buffer: str) -> bool:
        """Return whether the region of a buffer depends on configuration registers."""
        return bool(names_of(self.regions[buffer]) & {state.name for state in self.configurations})

    @cached_property
    def is_scalar(self) -> bool:
        """True for the computation of a number from numbers, elementwise on arrays of them."""
        kinds = (Kind.SCALAR, Kind.CONST, Kind.FLAG)
        return self.result is not None and all(parameter.kind in kinds for parameter in self.parameters)

    def scalars(self, operands: Sequence[Value]) -> dict[str, Value]:
        """Return the operands of a scalar instruction by the names of its parameters."""
        names = [parameter.name for parameter in self.parameters if parameter.kind is Kind.SCALAR]
        return dict(zip(names, operands, strict=True))

    def scalars_in_c(self, operands: Sequence[Value]) -> dict[str, Value]:
        """Return the arguments of the C function of a scalar instruction by the names of its parameters."""
        arguments = zip(self.parameters, operands, strict=True)
        return {
            parameter.name: value if parameter.kind is Kind.SCALAR else int(np.ravel(value)[0])
            for parameter, value in arguments
        }

    @cached_property
    def prototype(self) -> str:
        """The prototype of the C function."""
        listed = ", ".join(declared for parameter in self.c_parameters for declared in parameter.declared)
        return f"{self.result.c_type if self.result else 'void'} {self.c}({listed or 'void'})"

    def check(self, numbers: Mapping[str, Any]) -> None:
        """Raise Diagnostic for numbers of parameters that the instruction does not allow; others may be missing."""
        for parameter in self.parameters:
            if parameter.name in numbers:
                parameter.check(numbers[parameter.name])
        for required in self.requires:
            names = names_of(required)
            problem = required(**{name: numbers[name] for name in names}) if names <= numbers.keys() else None
            if problem:
                raise Diagnostic(problem)

    def run(self, arrays: Mapping[str, Flat[Any]], numbers: Mapping[str, Any], states: Mapping[str, Any]) -> Value:
        """
        Execute the semantics on flat buffers, numbers and states; return the result in its type, None if there is
        none.

        Raises Diagnostic where a number is not allowed, and where an access is out of bounds of its buffer.
        """
        self.check({name: number for name, number in numbers.items() if isinstance(number, int | np.floating)})
        for parameter in self.parameters:
            if isinstance(parameter.kind, Buffer) and (parameter.kind.reads or parameter.kind.writes):
                _protect(arrays[parameter.name], parameter.kind)
        try:
            result = self.function(**arrays, **numbers, **states)
        except Diagnostic:
            raise
        except Exception as error:
            arguments = ", ".join(f"{name} = {number}" for name, number in numbers.items())
            raise Diagnostic(
                f"the semantics of the instruction '{self.name}' fails",
                where=self.place,
                notes=[f"with {arguments}"] if arguments else [],
                found=f"{type(error).__name__}: {error}",
                remedy="mend the function, or exclude these numbers: Annotated[..., range(...)], or requires=[...]",
            ) from error
        return None if self.result is None else np.asarray(result).astype(self.result.element)[()]


def header_text(name: str, chosen: Sequence[Record]) -> str:
    """Return a header `name`.h of instructions, by name: functions where there is a body, prototypes of the others."""
    guard = f"{name.upper()}_H"
    lines = [f"/* The C runtime of {name}: what its instructions are in C. */", f"#ifndef {guard}", f"#define {guard}"]
    lines += ["", "#include <stdint.h>"]
    for record in sorted(chosen, key=lambda record: record.name):
        body = [f"  {line}" for line in record.c_body.splitlines()]
        lines += ["", *([f"static inline {record.prototype} {{", *body, "}"] if body else [f"{record.prototype};"])]
    return "\n".join([*lines, "", "#endif", ""])


def is_extent(size: Any) -> bool:
    """Return whether a number is one of elements."""
    return isinstance(size, int) and size >= 0


def no_region(buffer: str, shown: str) -> Diagnostic:
    """Return the error for a region that a buffer cannot have."""
    return Diagnostic(
        f"the region of '{buffer}' has no extents",
        expected="a number or an operand of index type, unchanged, for each of the last axes, or pairs (count, step)",
        found=shown,
    )


def _protect(array: Flat[Any], kind: Buffer) -> None:
    """Mark read-only buffers as constant. Raises Diagnostic for writes to constant memory."""
    if kind.writes and not array.flags.writeable:
        raise Diagnostic("an instruction writes to constant memory")
    if not kind.writes:
        array.flags.writeable = False
