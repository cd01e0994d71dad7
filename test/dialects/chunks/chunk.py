"""Chunk of upstream's IR: one function of a few ops of one kind, with inputs and outputs by which it can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from tilewright.runtime.testing.programs.program import Argument, RandomProgram
from tilewright.runtime.testing.programs.types import Shaped, Type, literal

INTEGERS, FLOATS = ("i8", "i16", "i32", "i64"), ("f32", "f64")


@dataclass(frozen=True)
class Named:
    """A value of a chunk: its name in the text, and its type."""

    name: str
    type: Type

    @property
    def shaped(self) -> Shaped:
        """Type of a vector, tensor or memref."""
        assert isinstance(self.type, Shaped)
        return self.type

    @property
    def typed(self) -> str:
        """The value with its type."""
        return f"{self.name} : {self.type}"


def names(values: Sequence[Named]) -> str:
    """Return the names of values, separated by commas."""
    return ", ".join(value.name for value in values)


def types(values: Sequence[Named]) -> str:
    """Return the types of values, separated by commas."""
    return ", ".join(str(value.type) for value in values)


@dataclass
class Chunk:
    """Builder of a chunk; `level` is "memref" or "tensor", the kind of its inputs and outputs."""

    draw: Random
    entry: str
    level: str = "memref"
    lines: list[str] = field(default_factory=list[str])
    arguments: list[Argument] = field(default_factory=list[Argument])
    outputs: list[Argument] = field(default_factory=list[Argument])
    returned: list[Named] = field(default_factory=list[Named])
    globals: list[str] = field(default_factory=list[str])
    traits: set[str] = field(default_factory=set[str])
    count: int = 0

    # Choices

    def shape(self, rank: int, largest: int = 4) -> tuple[int, ...]:
        return tuple(self.draw.randint(1, largest) for _ in range(rank))

    def number(self, *, floats: bool = True) -> str:
        """Return a type of numbers."""
        return self.draw.choice((*INTEGERS, *(FLOATS if floats else ())))

    # Text

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def op(self, text: str, type: Type) -> Named:
        """Add an op with one result."""
        value = Named(self.name(), type)
        self.line(f"{value.name} = {text}")
        return value

    # Values

    def constant(self, type: str, number: int | str | None = None) -> Named:
        text = literal(self.draw, type) if number is None else str(number)
        return self.op(f"arith.constant {text}{'' if text in ('true', 'false') else f' : {type}'}", type)

    def index(self, number: int) -> Named:
        return self.constant("index", number)

    def argument(self, type: Type, bounds: tuple[int, int] = (0, 0)) -> Named:
        """Add an argument of the function."""
        name = f"a{len(self.arguments)}"
        self.arguments.append(Argument(name, type, bounds))
        return Named(f"%{name}", type)

    def array(self, shape: Sequence[int], element: str, bounds: tuple[int, int] = (0, 0)) -> Named:
        """Return an array of the chunk's level, an argument."""
        return self.argument(Shaped(self.level, tuple(shape), element), bounds)

    def tensor(self, shape: Sequence[int], element: str) -> Named:
        assert self.level == "tensor"
        return self.array(shape, element)

    def scalar(self, type: str, bounds: tuple[int, int] = (0, 7)) -> Named:
        """Return a scalar of the function's input."""
        if self.level == "memref":
            return self.argument(type, bounds)
        cell = self.array((), type, bounds)
        return self.op(f"tensor.extract {cell.name}[] : {cell.type}", type)

    def vector(self, shape: Sequence[int], element: str) -> Named:
        """Return a vector of elements of the function's input."""
        source = self.array(shape or (1,), element)
        if not shape:
            cell = self.op(f"memref.load {source.name}[{self.index(0).name}] : {source.type}", element)
            return self.op(
                f"vector.broadcast {cell.name} : {element} to vector<{element}>", Shaped("vector", (), element)
            )
        type = Shaped("vector", tuple(shape), element)
        if element == "i1":
            # Upstream packs vectors of i1 into bits in memory, where a memref of i1 has a byte each.
            bytes = self.vector(shape, "i8")
            return self.op(f"arith.trunci {bytes.name} : {bytes.type} to {type}", type)
        at, padding = ", ".join([self.index(0).name] * len(shape)), self.padding(element)
        inside = ", ".join(["true"] * len(shape))
        text = f"vector.transfer_read {source.name}[{at}], {padding.name} {{in_bounds = [{inside}]}}"
        return self.op(f"{text} : {source.type}, {type}", type)

    def padding(self, element: str) -> Named:
        """Return a zero."""
        return self.constant(element, "0.0" if element.startswith("f") else 0)

    # Results

    def output(self, shape: Sequence[int], element: str) -> Named:
        """Add an array that the function writes."""
        port = Argument(f"o{len(self.outputs)}", Shaped("memref", tuple(shape), element), is_output=True)
        self.outputs.append(port)
        return Named(f"%{port.name}", port.type)

    def result(self, value: Named) -> None:
        """Let the function give a value."""
        if self.level == "tensor":
            self.returned.append(value if isinstance(value.type, Shaped) else self._cell(value))
        elif isinstance(value.type, str):
            place = self.output((), value.type)
            self.line(f"memref.store {value.name}, {place.name}[] : {place.type}")
        elif value.shaped.kind == "vector":
            self._vector_result(value)
        else:
            place = self.output(value.shaped.shape, value.shaped.element)
            self.line(f"memref.copy {value.name}, {place.name} : {value.type} to {place.type}")

    def _cell(self, value: Named) -> Named:
        type = Shaped("tensor", (), str(value.type))
        return self.op(f"tensor.from_elements {value.name} : {type}", type)

    def _vector_result(self, value: Named) -> None:
        shape, element = value.shaped.shape, value.shaped.element
        if element == "i1":
            bytes = value.shaped.of("i8")
            return self._vector_result(self.op(f"arith.extui {value.name} : {value.type} to {bytes}", bytes))
        place = self.output(shape or (1,), element)
        if not shape:
            cell = self.op(f"vector.extract {value.name}[] : {element} from {value.type}", element)
            self.line(f"memref.store {cell.name}, {place.name}[{self.index(0).name}] : {place.type}")
            return None
        at, inside = ", ".join([self.index(0).name] * len(shape)), ", ".join(["true"] * len(shape))
        self.line(
            f"vector.transfer_write {value.name}, {place.name}[{at}] {{in_bounds = [{inside}]}}"
            f" : {value.type}, {place.type}"
        )
        return None

    def program(self, seed: int, kind: str) -> RandomProgram:
        """Return the chunk as a program, with its ports."""
        ports = [*self.arguments, *self.outputs]
        shown = ", ".join(
            f"%{port.name}: {port.type}{' {tilewright.output}' if port.is_output else ''}" for port in ports
        )
        ending = f"func.return {names(self.returned)} : {types(self.returned)}" if self.returned else "func.return"
        head = f"func.func @{self.entry}({shown}){f' -> ({types(self.returned)})' if self.returned else ''} {{"
        text = "\n".join([*self.globals, head, *self.lines, f"  {ending}", "}", ""])
        returned = [Argument(f"r{place}", value.type, is_output=True) for place, value in enumerate(self.returned)]
        return RandomProgram(
            seed, kind, text, self.entry, tuple(ports), (*self.outputs, *returned), frozenset(self.traits)
        )


Template = Callable[[Chunk], None]

TEMPLATES: dict[str, tuple[Template, str]] = {}
"""Name of a template -> the function that adds its ops to a chunk, and the chunk's level."""


def template(*, level: str = "memref") -> Callable[[Template], Template]:
    """Register a function that adds ops to a chunk."""

    def register(function: Template) -> Template:
        TEMPLATES[function.__name__] = function, level
        return function

    return register
