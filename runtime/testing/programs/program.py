"""
Random programs of the standard dialects, by seed.

A program has no undefined behaviour: accesses are in bounds, divisors are not 0, loops end. `program(seed).text` is
what `python -m tilewright.runtime.testing.programs SEED` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from . import affine, branches, control, kernels, memory, scalars, tensors
from .builder import Draft, Profile
from .calls import private_function
from .types import Shaped, TypedValue, dense

__all__ = ["PROFILES", "Argument", "RandomProgram", "program"]

_FAMILIES = (affine, branches, control, kernels, memory, scalars, tensors)
"""Modules that register statements."""

PORTABLE = 0.65
"""Share of the programs that have a way to C."""

_ALL = ("i1", "i8", "i16", "i32", "i64", "f32", "f64")
_HALVES = (*_ALL, "f16", "bf16")
_SCALARS = {"arith": 3.0, "floats": 1.5, "math": 0.5}
_LOOPS = Profile("loops", {**_SCALARS, "scf": 3.0, "memref": 0.5}, statements=(3, 8))

PROFILES: dict[str, tuple[float, Profile]] = {
    profile.name: (weight, profile)
    for weight, profile in (
        (1.5, Profile("scalars", {**_SCALARS, "libm": 0.4}, _HALVES, statements=(8, 25))),
        (0.5, Profile("narrow", {"arith": 3.0, "scf": 0.5}, ("i1", "i4", "i8", "i32"), statements=(6, 20))),
        (3.0, _LOOPS),
        (1.0, replace(_LOOPS, name="carried", types=("i1", "i32", "i64", "f32"), weights={"arith": 1.0, "scf": 4.0})),
        (2.5, Profile("memory", {**_SCALARS, "scf": 1.5, "memref": 5.0, "linalg": 0.3})),
        (2.5, Profile("tensors", {**_SCALARS, "scf": 1.0, "tensor": 4.0, "linalg": 1.0}, level="tensor")),
        (
            2.5,
            Profile("kernels", {"arith": 1.0, "floats": 0.7, "tensor": 1.0, "linalg": 4.0, "scf": 0.3}, level="tensor"),
        ),
        (1.5, Profile("buffer-kernels", {"arith": 1.0, "floats": 0.7, "memref": 2.0, "linalg": 3.0, "scf": 0.5})),
        (
            1.5,
            Profile(
                "affine", {"arith": 1.0, "floats": 0.3, "affine": 3.0, "affine_loops": 1.0, "memref": 1.5, "scf": 0.5}
            ),
        ),
        (1.0, Profile("calls", {**_SCALARS, "calls": 3.0, "scf": 0.7, "memref": 1.5}, functions=3)),
        (
            1.0,
            Profile(
                "tensor-calls",
                {**_SCALARS, "calls": 2.0, "tensor": 2.0, "scf": 0.5, "linalg": 0.5},
                level="tensor",
                tensors_only=True,
                functions=2,
            ),
        ),
        (
            0.7,
            Profile(
                "halves",
                {"floats": 3.0, "math": 1.0, "arith": 1.0, "memref": 1.0, "linalg": 0.7},
                ("i1", "i8", "i16", "i32", "f16", "bf16", "f32"),
            ),
        ),
        (1.5, Profile("blocks", {**_SCALARS, "cf": 2.0, "cf_regions": 0.5, "memref": 1.0, "scf": 0.5})),
        (
            2.0,
            Profile(
                "mixed",
                {
                    **_SCALARS,
                    "scf": 1.5,
                    "memref": 2.0,
                    "linalg": 1.0,
                    "affine": 1.0,
                    "affine_loops": 0.3,
                    "calls": 0.7,
                },
                _HALVES,
                functions=2,
                statements=(6, 18),
            ),
        ),
    )
}
"""Kind of program -> its weight and profile."""


@dataclass(frozen=True)
class Argument:
    """
    Argument or result of the entry function.

    `bounds` contain an input of type index; floats are quarters of integers in them, and any float where they are 0, 0.
    """

    name: str
    type: str | Shaped
    bounds: tuple[int, int] = (0, 0)
    is_output: bool = False

    @property
    def element(self) -> str:
        return self.type.element if isinstance(self.type, Shaped) else self.type

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape if isinstance(self.type, Shaped) else ()


@dataclass(frozen=True)
class RandomProgram:
    """Text of a random program, with the ports of its entry function."""

    seed: int
    profile: str
    text: str
    entry: str
    arguments: tuple[Argument, ...]
    results: tuple[Argument, ...]
    traits: frozenset[str] = field(default_factory=frozenset[str])

    def __repr__(self) -> str:
        return f"program of the profile {self.profile}:\n{self.text}"


def program(
    seed: int,
    *,
    profile: str | None = None,
    entry: str = "network",
    blocks: bool = True,
    draw: Random | None = None,
) -> RandomProgram:
    """
    Return the program of a seed, or that of the choices of `draw`, of a random profile where none is given.

    All its symbols begin with `entry`. Without `blocks` no program has branches between blocks.
    """
    draw = draw or Random(f"program {seed}")
    names = [name for name in PROFILES if blocks or name != "blocks"]
    (drawn,) = draw.choices(names, [PROFILES[name][0] for name in names])
    name = drawn if profile is None else profile
    chosen = PROFILES[name][1]
    b = Draft(draw, chosen, f"{entry}_")
    b.portable = draw.random() < PORTABLE
    for _ in range(draw.randint(1, chosen.functions) if chosen.functions else 0):
        private_function(
            b, replace(chosen, weights={key: value for key, value in chosen.weights.items() if key != "cf"})
        )
    ports = [_argument(b) for _ in range(draw.randint(1, 5))]
    b.body()
    if chosen.level == "memref":
        results, ports = _store_results(b, ports)
        ending, outputs = "func.return", ""
    else:
        results, ending, outputs = _return_results(b)
    shown = ", ".join(_shown(port) for port in ports)
    text = "\n".join([*b.globals, f"func.func @{entry}({shown}){outputs} {{", *b.lines, f"  {ending}", "}", ""])
    if "f16" in text:
        b.traits.add("half")
    return RandomProgram(seed, name, text, entry, tuple(ports), tuple(results), frozenset(b.traits))


def _shown(port: Argument) -> str:
    return f"%{port.name}: {port.type}{' {tilewright.output}' if port.is_output else ''}"


def _argument(b: Draft) -> Argument:
    """Return an argument of the entry function, a scalar or an array, whose value becomes visible."""
    choice, name = b.draw.random(), f"a{b.count}"
    b.count += 1
    # Floats of 16 bits have no type of their own in the C interface, except in arrays.
    scalars = [type for type in b.profile.types if type not in ("f16", "bf16")]
    bounds = (0, 7) if choice < 0.15 else (0, 0)
    if choice < 0.6:
        return _scalar_argument(b, name, "index" if choice < 0.15 else b.draw.choice(scalars), bounds)
    shaped = Shaped(b.profile.level, b.shape(), b.scalar_type())
    b.define(TypedValue(f"%{name}", shaped, root=name))
    return Argument(name, shaped)


def _scalar_argument(b: Draft, name: str, type: str, bounds: tuple[int, int]) -> Argument:
    """Add a scalar argument: functions that bufferize converts have tensors only, so that it is the element of one."""
    if b.profile.level == "memref":
        b.define(TypedValue(f"%{name}", type, bounds))
        return Argument(name, type, bounds)
    shaped = Shaped("tensor", (), type)
    b.op(f"tensor.extract %{name}[] : {shaped}", type, bounds)
    return Argument(name, shaped, bounds)


def _scalar_results(b: Draft) -> dict[str, list[TypedValue]]:
    """Return values of each scalar type in scope at the end of a function, the later ones rather than the earlier."""
    types = sorted({str(value.type) for value in b.visible(lambda value: isinstance(value.type, str))})
    chosen: dict[str, list[TypedValue]] = {}
    for type in types:
        values = b.visible(lambda value, type=type: value.type == type)
        kept = values[-6:] if len(values) > 8 else values
        chosen[type] = kept + [value for value in values if value not in kept and b.draw.random() < 0.3][:4]
    return chosen


def _store_results(b: Draft, ports: list[Argument]) -> tuple[list[Argument], list[Argument]]:
    """Store scalars and copies of buffers to output arguments; return these, and all arguments."""
    outputs: list[Argument] = []
    for type, values in _scalar_results(b).items():
        port = Argument(f"out_{type}", Shaped("memref", (len(values),), type), is_output=True)
        outputs.append(port)
        for place, value in enumerate(values):
            b.line(f"memref.store {value.name}, %{port.name}[{b.index_constant(place).name}] : {port.type}")
    roots = list(dict.fromkeys(value.root for value in memory.buffers(b, writable=True)))
    for root in roots[-3:]:
        (value, *_) = [value for value in memory.buffers(b) if value.root == root]
        type = Shaped("memref", value.shaped.shape, value.shaped.element)
        port = Argument(f"out{len(outputs)}", type, is_output=True)
        outputs.append(port)
        b.line(f"memref.copy {value.name}, %{port.name} : {value.type} to {port.type}")
    return outputs, [*ports, *outputs]


def _gathered(b: Draft, type: Shaped, scalars: Sequence[TypedValue]) -> TypedValue:
    """Return a tensor of scalars."""
    if not b.portable:
        return b.op(f"tensor.from_elements {', '.join(value.name for value in scalars)} : {type}", type)
    tensor = b.op(f"arith.constant {dense(b.draw, type)} : {type}", type)
    for place, value in enumerate(scalars):
        at = b.index_constant(place).name
        tensor = b.op(f"tensor.insert {value.name} into {tensor.name}[{at}] : {type}", type)
    return tensor


def _return_results(b: Draft) -> tuple[list[Argument], str, str]:
    """Return the results of a function on tensors, its terminator, and the text of its result types."""
    values: list[TypedValue] = []
    for type, members in _scalar_results(b).items():
        values.append(_gathered(b, Shaped("tensor", (len(members),), type), members))
    others = [value for value in tensors.tensors(b) if value not in values]
    values += others[-3:]
    names = ", ".join(value.name for value in values)
    types = ", ".join(str(value.type) for value in values)
    ports = [Argument(f"result{place}", value.type, is_output=True) for place, value in enumerate(values)]
    if not values:
        return [], "func.return", ""
    return ports, f"func.return {names} : {types}", f" -> ({types})"
