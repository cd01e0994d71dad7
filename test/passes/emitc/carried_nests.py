"""Random nests of loops and conditionals that carry scalars, as functions of memrefs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

INPUTS = 4
OUTPUTS = 12
_DEEPEST = 4
_OPS = ("arith.addi", "arith.subi", "arith.xori", "arith.muli")


@dataclass
class _Writer:
    rng: random.Random
    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    stored: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def names_of(self, count: int) -> list[str]:
        return [self.name() for _ in range(count)]

    def arithmetic(self, scope: Sequence[str]) -> str:
        a, b, result = *self.rng.choices(scope, k=2), self.name()
        self.line(f"{result} = {self.rng.choice(_OPS)} {a}, {b} : i32")
        return result

    def store(self, scope: Sequence[str]) -> None:
        """Store a value that is alive here, to an element that nothing else writes."""
        if self.stored < OUTPUTS:
            self.line(f"memref.store {self.rng.choice(scope)}, %y[%i{self.stored}] : memref<{OUTPUTS}xi32>")
            self.stored += 1

    def block(self, scope: Sequence[str], carried: Sequence[str], depth: int, count: int) -> list[str]:
        """Write the body of a region; return `count` values for its terminator, drawn from all that are visible."""
        scope, recent = [*scope, *carried], list(carried)
        for _ in range(self.rng.randint(0, 2)):
            if depth < _DEEPEST and self.rng.random() < 0.75:
                recent = self.nest([*scope, *recent], recent, depth)
            else:
                recent = [self.arithmetic([*scope, *recent])]
            scope += recent
            if self.rng.random() < 0.3:
                self.store(scope)
        likely = [recent, list(carried), scope]
        return [self.rng.choice(self.rng.choice(likely) or scope) for _ in range(count)]

    def nest(self, scope: Sequence[str], recent: Sequence[str], depth: int) -> list[str]:
        """Write an op with regions and results; return the results."""
        count = self.rng.randint(1, 3)
        initial = [self.rng.choice(self.rng.choice([list(recent) or scope, scope])) for _ in range(count)]
        results = self.rng.choice([self.loop, self.loop, self.condition, self.repeat])(scope, initial, depth + 1)
        return self.rng.sample(results, len(results))

    def ends(self, values: Sequence[str], keyword: str = "scf.yield") -> None:
        self.line(f"{keyword} {', '.join(values)} : {', '.join(['i32'] * len(values))}")

    def loop(self, scope: Sequence[str], initial: Sequence[str], depth: int) -> list[str]:
        base, carried = self.name(), self.names_of(len(initial))
        pairs = ", ".join(f"{name} = {value}" for name, value in zip(carried, initial, strict=True))
        types = ", ".join(["i32"] * len(initial))
        upper = self.rng.choice(["%c0", "%c1", "%c2", "%c2"])
        head = f"scf.for {base}i = %c0 to {upper} step %c1 iter_args({pairs}) -> ({types})"
        self.line(f"{base}:{len(initial)} = {head} {{")
        self.ends(self.block(scope, carried, depth, len(initial)))
        self.line("}")
        return [f"{base}#{index}" for index in range(len(initial))]

    def condition(self, scope: Sequence[str], initial: Sequence[str], depth: int) -> list[str]:
        base, test, count = self.name(), self.name(), len(initial)
        a, b = self.rng.choices(scope, k=2)
        self.line(f"{test} = arith.cmpi slt, {a}, {b} : i32")
        self.line(f"{base}:{count} = scf.if {test} -> ({', '.join(['i32'] * count)}) {{")
        self.ends(self.block(scope, (), depth, count))
        self.line("} else {")
        self.ends(self.block(scope, initial, depth, count))
        self.line("}")
        return [f"{base}#{index}" for index in range(count)]

    def repeat(self, scope: Sequence[str], initial: Sequence[str], depth: int) -> list[str]:
        """Write a `scf.while` whose last carried value counts its iterations down."""
        base, count = self.name(), len(initial) + 1
        types, bound = ", ".join(["i32"] * count), self.rng.choice(["%z0", "%z1", "%z2"])
        before, after = self.names_of(count), self.names_of(count)
        pairs = ", ".join(f"{name} = {value}" for name, value in zip(before, [*initial, bound], strict=True))
        self.line(f"{base}:{count} = scf.while ({pairs}) : ({types}) -> ({types}) {{")
        if self.rng.random() < 0.3:
            self.nest([*scope, *before], before, depth)
        self.line(f"{base}t = arith.cmpi sgt, {before[-1]}, %z0 : i32")
        self.line(f"scf.condition({base}t) {', '.join(before)} : {types}")
        self.line("} do {")
        self.line("^bb0(" + ", ".join(f"{name}: i32" for name in after) + "):")
        values = self.block(scope, after[:-1], depth, count - 1)
        self.line(f"{base}n = arith.subi {after[-1]}, %z1 : i32")
        self.ends([*values, f"{base}n"])
        self.line("}")
        return [f"{base}#{index}" for index in range(count - 1)]


def random_nest(name: str, rng: random.Random) -> str:
    """Return a function from `INPUTS` elements to `OUTPUTS`, by nests of at most four levels."""
    writer = _Writer(rng)
    inputs = [f"%a{index}" for index in range(INPUTS)]
    results = writer.nest(inputs, inputs, 0)
    while writer.stored < OUTPUTS - len(results) and rng.random() < 0.5:
        results = writer.nest([*inputs, *results], results, 0)
    for _ in range(OUTPUTS - writer.stored):
        writer.store([*results, *results, *inputs])
    indices = "\n".join(f"%i{index} = arith.constant {index} : index" for index in range(OUTPUTS))
    loads = "\n".join(f"{a} = memref.load %x[%i{index}] : memref<{INPUTS}xi32>" for index, a in enumerate(inputs))
    body = "\n".join(writer.lines)
    return f"""
    func.func @{name}(%x: memref<{INPUTS}xi32>, %y: memref<{OUTPUTS}xi32> {{tilewright.output}}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %z0 = arith.constant 0 : i32
      %z1 = arith.constant 1 : i32
      %z2 = arith.constant 2 : i32
      {indices}
      {loads}
      {body}
      func.return
    }}"""
