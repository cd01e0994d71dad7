"""Builder of the text of a random program: values in scope, lines, and the choice of statements."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from .types import FLOATS, WIDTHS, Type, TypedValue, dense, literal

Statement = Callable[["Draft"], None]


@dataclass(frozen=True)
class WeightedStatement:
    """A statement of a family with its weight; one that is `portable` has a way to C."""

    function: Statement
    weight: float
    portable: bool


FAMILIES: dict[str, list[WeightedStatement]] = {}
"""Family -> its statements."""

DYNAMIC_OPS = 3000
"""Greatest number of ops that a statement in loops may execute; the interpreter takes some 5 microseconds an op."""

INDEX_LIMIT = 4096
"""Greatest magnitude of a computed index; convert-to-emitc computes indices in 32 bits."""


class NoChoice(Exception):
    """A statement has no operands in scope."""


def statement(family: str, weight: float = 1.0, *, portable: bool = True) -> Callable[[Statement], Statement]:
    """Register a function that adds a statement of a family to a program; it may raise NoChoice before it adds any."""

    def register(function: Statement) -> Statement:
        FAMILIES.setdefault(family, []).append(WeightedStatement(function, weight, portable))
        return function

    return register


@dataclass(frozen=True)
class Profile:
    """Kind of program: weights of families, scalar types, and whether values are tensors or buffers."""

    name: str
    weights: dict[str, float]
    types: tuple[str, ...] = ("i1", "i8", "i16", "i32", "i64", "f32", "f64")
    level: str = "memref"
    statements: tuple[int, int] = (4, 14)
    depth: int = 3
    """Nesting of regions."""
    functions: int = 0
    """Greatest number of private functions."""
    tensors_only: bool = False
    """Whether private functions take and return tensors alone, as bufferize expects."""


@dataclass(frozen=True)
class Callee:
    """A private function that statements may call."""

    name: str
    arguments: tuple[TypedValue, ...]
    results: tuple[Type, ...]


@dataclass
class Draft:
    """
    A function that grows by statements; `draw` makes all choices.

    Values are visible in the scope that defines them and those inside of it.
    """

    draw: Random
    profile: Profile
    prefix: str = ""
    """Prefix of the names of private functions and globals."""
    lines: list[str] = field(default_factory=list[str])
    scopes: list[list[TypedValue]] = field(default_factory=lambda: [[]])
    globals: list[str] = field(default_factory=list[str])
    callees: list[Callee] = field(default_factory=list[Callee])
    traits: set[str] = field(default_factory=set[str])
    """Facts about the program that limit where it can run, such as `libm` and `half`."""
    portable: bool = False
    """Whether to add only what passes lower to C."""
    work: int = 1
    """Number of times that the current region is executed."""
    quiet: int = 0
    """Above zero where statements must not write to buffers that exist outside."""
    in_kernel: bool = False
    """Whether the region is the body of a kernel, which has scalar statements alone."""
    count: int = 0
    """Number of names."""

    # Text

    def name(self) -> str:
        """Return an unused name of a value."""
        self.count += 1
        return f"%v{self.count}"

    def label(self) -> str:
        """Return an unused name of a block or symbol."""
        self.count += 1
        return f"{self.prefix}n{self.count}"

    def line(self, text: str) -> None:
        """Add a line at the depth of the current scope."""
        self.lines.append("  " * len(self.scopes) + text)

    def op(
        self, text: str, type: Type, bounds: tuple[int, int] = (0, 0), root: str = "", *, writable: bool = False
    ) -> TypedValue:
        """Add an op with one result, make the result visible and return it; now and then the op is repeated."""
        value = TypedValue(self.name(), type, bounds, root, writable)
        self.line(f"{value.name} = {text}")
        if not root and self.draw.random() < 0.04:
            self.line(f"{self.name()} = {text}")
        return self.define(value)

    def define(self, value: TypedValue) -> TypedValue:
        """Make a value visible in the current scope."""
        self.scopes[-1].append(value)
        return value

    @contextmanager
    def scope(self, values: Iterable[TypedValue] = (), times: int = 1) -> Generator[None]:
        """Open a scope with values of its own, which is executed so many times for each time of the current one."""
        self.scopes.append([*values])
        self.work *= max(times, 1)
        yield
        self.work //= max(times, 1)
        self.scopes.pop()

    # Values

    def visible(self, fits: Callable[[TypedValue], bool]) -> list[TypedValue]:
        """Return the values in scope that fit, outermost first."""
        return [value for scope in self.scopes for value in scope if fits(value)]

    def pick(self, values: Sequence[TypedValue]) -> TypedValue:
        """Return one of some values; the later ones are more frequent. Raises NoChoice where there are none."""
        if not values:
            raise NoChoice
        recent = values[-6:] if self.draw.random() < 0.6 else values
        return self.draw.choice(recent)

    def scalar_type(self, kinds: Sequence[str] = ()) -> str:
        """Return one of the program's scalar types, of `kinds` where given. Raises NoChoice where it has none."""
        if not (types := [type for type in self.profile.types if not kinds or type in kinds]):
            raise NoChoice
        return self.draw.choice(types)

    def integer_type(self) -> str:
        return self.scalar_type([type for type in WIDTHS if type != "index"])

    def float_type(self) -> str:
        return self.scalar_type([*FLOATS])

    def scalar(self, type: str) -> TypedValue:
        """Return a scalar in scope, or a new constant."""
        if type == "index":
            return self.index()
        values = self.visible(lambda value: value.type == type)
        return self.pick(values) if values and self.draw.random() < 0.85 else self.constant(type)

    def constant(self, type: str, text: str | None = None) -> TypedValue:
        """Add a constant of a scalar type other than index, a random one where no text is given."""
        number = literal(self.draw, type) if text is None else text
        is_bare = number in ("true", "false")
        return self.op(f"arith.constant {number}{'' if is_bare else f' : {type}'}", type)

    def index_constant(self, number: int) -> TypedValue:
        """Return a constant index in scope, or add it."""
        same = self.visible(lambda value: value.type == "index" and value.bounds == (number, number))
        if same and self.draw.random() < 0.8:
            return self.draw.choice(same)
        return self.op(f"arith.constant {number} : index", "index", (number, number))

    def index(self, low: int = -INDEX_LIMIT, high: int = INDEX_LIMIT) -> TypedValue:
        """Return an index within bounds: one in scope, or a new constant."""
        fitting = self.visible(
            lambda value: value.type == "index" and low <= value.bounds[0] and value.bounds[1] <= high
        )
        moving = [value for value in fitting if value.bounds[0] < value.bounds[1]]
        if moving and self.draw.random() < 0.7:
            return self.pick(moving)
        return self.index_constant(self.draw.randint(max(low, -4), min(high, 8)))

    def position(self, extent: int) -> TypedValue:
        """Return an index into an axis; now and then one computed from a larger index."""
        larger = self.visible(
            lambda value: value.type == "index" and value.bounds[0] >= 0 and value.bounds[1] >= extent
        )
        if larger and self.draw.random() < 0.3:
            name, limit = self.pick(larger).name, self.index_constant(extent).name
            return self.op(f"arith.remui {name}, {limit} : index", "index", (0, extent - 1))
        return self.index(0, extent - 1)

    def positions(self, shape: Sequence[int]) -> str:
        """Return indices of an element, as text."""
        return ", ".join(self.position(extent).name for extent in shape)

    def value(self, type: Type) -> TypedValue:
        """Return a value of a type: one in scope, or a new one."""
        if isinstance(type, str):
            return self.scalar(type)
        same = self.visible(lambda value: value.type == type)
        if same and self.draw.random() < 0.9:
            return self.pick(same)
        if type.kind == "memref":
            raise NoChoice
        return self.op(f"arith.constant {dense(self.draw, type)} : {type}", type)

    def shape(self, largest: int = 4, *, rank: int | None = None) -> tuple[int, ...]:
        """Return a random small shape."""
        count = self.draw.choice((0, 1, 1, 2, 2, 2, 3)) if rank is None else rank
        return tuple(self.draw.randint(1, largest) for _ in range(count))

    # Statements

    def body(self, count: int | None = None) -> None:
        """Add statements of the profile's families to the current scope."""
        low, high = self.profile.statements
        number = self.draw.randint(low, high) if count is None else count
        for _ in range(number):
            self.statement()

    def statement(self) -> None:
        """Add one statement; a few choices without operands are tried again."""
        families = {family: weight for family, weight in self.profile.weights.items() if self._allows(family)}
        for _ in range(8):
            (family,) = self.draw.choices([*families], [*families.values()])
            choices = [choice for choice in FAMILIES[family] if choice.portable or not self.portable]
            (chosen,) = self.draw.choices(choices, [choice.weight for choice in choices])
            try:
                return chosen.function(self)
            except NoChoice:
                continue

    def _allows(self, family: str) -> bool:
        if self.in_kernel:
            return family in ("arith", "floats", "math", "libm")
        nests = family in ("scf", "linalg", "calls", "cf_regions") or family == "affine_loops"
        if family == "cf":
            return len(self.scopes) == 1
        return not nests or (len(self.scopes) <= self.profile.depth and self.work * 12 < DYNAMIC_OPS)
