"""Random programs on tensors: kernels with permuted and broadcast maps, slices, insertions, branches and loops."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from tilewright.dialects.core.semantics import Value
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.runtime.interpreter import Interpreter, control

CONTEXT = new_context()
SQUARE, ROW, HALF = "tensor<4x4xi32>", "tensor<4xi32>", "tensor<2x4xi32>"
_TYPES = (SQUARE, SQUARE, ROW, HALF)
_MAPS = {
    SQUARE: ("(d0, d1)", "(d0, d1)", "(d1, d0)", "(-d0 + 3, d1)", "(d0, -d1 + 3)", "(d0, d0)", "(0, d1)", "(d1, 2)"),
    ROW: ("(d0)", "(d1)", "(1)"),
    HALF: ("(0, d1)", "(1, d0)"),
}
"""Type of an operand -> results of access maps over 4 x 4 points."""
_SHORT_MAPS = {
    SQUARE: ("(0, d1)", "(3, d1)"),
    ROW: ("(d1)", "(2)"),
    HALF: ("(d0, d1)", "(d0, d1)", "(d0, -d1 + 3)", "(1, d1)", "(d0, 0)"),
}
"""The same over 2 x 4 points."""
_ARITHMETIC = ("arith.addi", "arith.subi", "arith.muli", "arith.xori", "arith.maxsi")
_DEEPEST = 3

Scope = dict[str, list[str]]


@dataclass
class _Writer:
    rng: random.Random
    lines: list[str] = field(default_factory=list[str])
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def emit(self, scope: Scope, type: str, text: str) -> str:
        result = self.name()
        self.lines.append(f"{result} = {text}")
        scope.setdefault(type, []).append(result)
        return result

    def any(self, scope: Scope, type: str) -> str:
        """Return a visible value of a type, the latest ones more often than others."""
        values = scope[type]
        return self.rng.choice(values[-2:] if self.rng.random() < 0.5 else values)

    def target(self, scope: Scope, type: str) -> str:
        """Return the target of a kernel: an empty tensor, or one with content."""
        if self.rng.random() < 0.6:
            return self.any(scope, type)
        result = self.name()
        self.lines.append(f"{result} = tensor.empty() : {type}")
        return result

    # Kernels

    def kernel(self, scope: Scope) -> None:
        """Write an elementwise kernel over 4 x 4 or 2 x 4 points; some read their target too, by any map."""
        type = self.rng.choice([SQUARE, SQUARE, HALF])
        maps, count = (_MAPS if type == SQUARE else _SHORT_MAPS), self.rng.randint(1, 3)
        out = self.target(scope, type)
        kinds = [self.rng.choice(_TYPES) for _ in range(count)]
        values = [self.any(scope, kind) for kind in kinds]
        if out in scope[type] and self.rng.random() < 0.5:
            kinds[0], values[0] = type, out
        reads = [self.rng.choice(maps[kind]) for kind in kinds]
        into = "(d1, d0)" if type == SQUARE and self.rng.random() < 0.2 else "(d0, d1)"
        accumulates = out in scope[type] and self.rng.random() < 0.5
        table = self.any(scope, ROW) if self.rng.random() < 0.2 else None
        body = self.code(count, "%old" if accumulates else None, table)
        self.generic(scope, type, [*reads, into], ["parallel", "parallel"], (kinds, values), out, body)

    def reduction(self, scope: Scope) -> None:
        """Write a sum over the rows or columns of a square, onto a row that it may read as well."""
        out, kinds = self.any(scope, ROW), [SQUARE, ROW]
        values = [self.any(scope, SQUARE), out if self.rng.random() < 0.5 else self.any(scope, ROW)]
        iterators = self.rng.choice([["parallel", "reduction"], ["reduction", "parallel"]])
        into = "(d0)" if iterators[0] == "parallel" else "(d1)"
        reads = [self.rng.choice(["(d0, d1)", "(d1, d0)"]), self.rng.choice(_MAPS[ROW])]
        self.generic(scope, ROW, [*reads, into], iterators, (kinds, values), out, self.code(2, "%old", None))

    def code(self, count: int, old: str | None, table: str | None) -> str:
        """Return the scalar code of a kernel: it combines its elements, perhaps with one that it looks up."""
        operands = [f"%e{index}" for index in range(count)] + ([old] if old else [])
        lines, value = list[str](), operands[0]
        if table is not None:
            result = self.name()
            lines.append(f"{result}i = linalg.index 1 : index")
            lines.append(f"{result} = tensor.extract {table}[{result}i] : {ROW}")
            operands.append(result)
        for operand in operands[1:]:
            result = self.name()
            lines.append(f"{result} = {self.rng.choice(_ARITHMETIC)} {value}, {operand} : i32")
            value = result
        return "\n".join([*lines, f"linalg.yield {value} : i32"])

    def generic(
        self,
        scope: Scope,
        type: str,
        maps: Sequence[str],
        iterators: Sequence[str],
        inputs: tuple[Sequence[str], Sequence[str]],
        out: str,
        body: str,
    ) -> None:
        kinds, values = inputs
        indexing = ", ".join(f"affine_map<(d0, d1) -> {each}>" for each in maps)
        words = ", ".join(f'"{each}"' for each in iterators)
        arguments = ", ".join([*(f"%e{index}: i32" for index in range(len(values))), "%old: i32"])
        text = f"linalg.generic {{indexing_maps = [{indexing}], iterator_types = [{words}]}}"
        text += f" ins({', '.join(values)} : {', '.join(kinds)}) outs({out} : {type}) {{\n"
        self.emit(scope, type, f"{text}^bb0({arguments}):\n{body}\n}} -> {type}")

    def named(self, scope: Scope) -> None:
        """Write a named op of linalg: a product, a transpose, or a fill with a scalar."""
        a, b, out = self.any(scope, SQUARE), self.any(scope, SQUARE), self.target(scope, SQUARE)
        texts = [
            f"linalg.matmul ins({a}, {b} : {SQUARE}, {SQUARE}) outs({self.any(scope, SQUARE)} : {SQUARE}) -> {SQUARE}",
            f"linalg.fill ins({self.any(scope, 'i32')} : i32) outs({out} : {SQUARE}) -> {SQUARE}",
            f"linalg.sub ins({a}, {b} : {SQUARE}, {SQUARE}) outs({out} : {SQUARE}) -> {SQUARE}",
        ]
        self.emit(scope, SQUARE, self.rng.choice(texts))

    # Slices, elements and views

    def index(self, scope: Scope, limit: int) -> str:
        """Return an index below a limit: a constant, or that of a loop, of at most two iterations."""
        inside = scope.get("index", [])
        if inside and self.rng.random() < 0.5:
            return self.rng.choice(inside)
        return f"%c{self.rng.randrange(limit)}"

    def slice(self, scope: Scope) -> None:
        offset = self.rng.choice(["0, 0", "2, 0", f"{self.index(scope, 3)}, 0"])
        step = self.rng.choice(["1, 1", "2, 1"]) if offset == "0, 0" else "1, 1"
        text = f"tensor.extract_slice {self.any(scope, SQUARE)}[{offset}] [2, 4] [{step}] : {SQUARE} to {HALF}"
        self.emit(scope, HALF, text)

    def insert_slice(self, scope: Scope) -> None:
        offset = self.rng.choice(["0, 0", "2, 0", f"{self.index(scope, 3)}, 0"])
        step = self.rng.choice(["1, 1", "2, 1"]) if offset == "0, 0" else "1, 1"
        source, into = self.any(scope, HALF), self.any(scope, SQUARE)
        text = f"tensor.insert_slice {source} into {into}[{offset}] [2, 4] [{step}] : {HALF} into {SQUARE}"
        self.emit(scope, SQUARE, text)

    def insert(self, scope: Scope) -> None:
        i, j = self.index(scope, 4), self.index(scope, 4)
        self.emit(
            scope, SQUARE, f"tensor.insert {self.any(scope, 'i32')} into {self.any(scope, SQUARE)}[{i}, {j}] : {SQUARE}"
        )

    def extract(self, scope: Scope) -> None:
        i, j = self.index(scope, 4), self.index(scope, 4)
        self.emit(scope, "i32", f"tensor.extract {self.any(scope, SQUARE)}[{i}, {j}] : {SQUARE}")

    def concat(self, scope: Scope) -> None:
        a, b = self.any(scope, HALF), self.any(scope, HALF)
        self.emit(scope, SQUARE, f"tensor.concat dim(0) {a}, {b} : ({HALF}, {HALF}) -> {SQUARE}")

    def pad(self, scope: Scope) -> None:
        low = self.rng.randint(0, 2)
        text = f"tensor.pad {self.any(scope, HALF)} low[{low}, 0] high[{2 - low}, 0] {{\n^bb0(%p: index, %q: index):\n"
        self.emit(scope, SQUARE, f"{text}tensor.yield %z1 : i32\n}} : {HALF} to {SQUARE}")

    # Control flow

    def body(self, scope: Scope, kinds: Sequence[str], depth: int) -> list[str]:
        """Write the body of a region; return the values that it yields."""
        inner = {type: list(values) for type, values in scope.items()}
        for _ in range(self.rng.randint(1, 3)):
            self.step(inner, depth)
        return [self.any(inner, kind) for kind in kinds]

    def carried(self, scope: Scope) -> tuple[list[str], list[str], str]:
        """Draw the types, initial values and results' name of an op with regions."""
        kinds = self.rng.choices([SQUARE, SQUARE, ROW, HALF, "i32"], k=self.rng.randint(1, 3))
        return kinds, [self.any(scope, kind) for kind in kinds], self.name()

    def results(self, scope: Scope, base: str, kinds: Sequence[str]) -> None:
        for index, kind in enumerate(kinds):
            scope[kind].append(f"{base}#{index}")

    def within(self, scope: Scope, names: Sequence[str], kinds: Sequence[str]) -> Scope:
        inner = {type: list(values) for type, values in scope.items()}
        for name, kind in zip(names, kinds, strict=True):
            inner[kind].append(name)
        return inner

    def loop(self, scope: Scope, depth: int) -> None:
        kinds, initial, base = self.carried(scope)
        names = [self.name() for _ in kinds]
        pairs = ", ".join(f"{name} = {value}" for name, value in zip(names, initial, strict=True))
        types, upper = ", ".join(kinds), self.rng.choice(["%c0", "%c1", "%c2", "%c2"])
        head = f"scf.for {base}i = %c0 to {upper} step %c1 iter_args({pairs}) -> ({types}) {{"
        self.lines.append(f"{base}:{len(kinds)} = {head}")
        inner = self.within(scope, names, kinds)
        inner.setdefault("index", []).append(f"{base}i")
        values = self.body(inner, kinds, depth + 1)
        self.lines.append(f"scf.yield {', '.join(values)} : {types}\n}}")
        self.results(scope, base, kinds)

    def condition(self, scope: Scope, depth: int) -> None:
        kinds, _, base = self.carried(scope)
        types, test = ", ".join(kinds), self.name()
        self.lines.append(f"{test} = arith.cmpi slt, {self.any(scope, 'i32')}, {self.any(scope, 'i32')} : i32")
        self.lines.append(f"{base}:{len(kinds)} = scf.if {test} -> ({types}) {{")
        for end in ("} else {", "}"):
            values = self.body(scope, kinds, depth + 1)
            self.lines.append(f"scf.yield {', '.join(values)} : {types}\n{end}")
        self.results(scope, base, kinds)

    def repeat(self, scope: Scope, depth: int) -> None:
        kinds, initial, base = self.carried(scope)
        before, after = ([self.name() for _ in (*kinds, "i32")] for _ in range(2))
        values, types = [*initial, self.rng.choice(["%z0", "%z1", "%z2"])], ", ".join([*kinds, "i32"])
        pairs = ", ".join(f"{name} = {value}" for name, value in zip(before, values, strict=True))
        self.lines.append(f"{base}:{len(kinds) + 1} = scf.while ({pairs}) : ({types}) -> ({types}) {{")
        self.lines.append(f"{base}t = arith.cmpi sgt, {before[-1]}, %z0 : i32")
        self.lines.append(f"scf.condition({base}t) {', '.join(before)} : {types}\n}} do {{")
        arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(after, [*kinds, "i32"], strict=True))
        self.lines.append(f"^bb0({arguments}):")
        yielded = self.body(self.within(scope, after[:-1], kinds), kinds, depth + 1)
        self.lines.append(f"{base}n = arith.subi {after[-1]}, %z1 : i32")
        self.lines.append(f"scf.yield {', '.join([*yielded, f'{base}n'])} : {types}\n}}")
        self.results(scope, base, kinds)

    def step(self, scope: Scope, depth: int) -> None:
        """Write one op, with what it needs."""
        if depth < _DEEPEST and self.rng.random() < 0.35:
            self.rng.choice([self.loop, self.loop, self.condition, self.repeat])(scope, depth)
            return
        plain: list[Callable[[Scope], None]] = [self.insert, self.extract, self.insert_slice, self.slice]
        plain += [self.kernel, self.kernel, self.kernel, self.reduction, self.named, self.concat, self.pad]
        self.rng.choice(plain)(scope)


def random_program(seed: int, steps: int = 6) -> str:
    """Return a function `network` of tensors, with one to three results."""
    writer = _Writer(random.Random(seed))
    scope = {SQUARE: ["%a", "%b"], ROW: ["%r"], HALF: ["%h"], "i32": ["%z1", "%z2"]}
    for _ in range(steps):
        writer.step(scope, 0)
    kinds = writer.rng.choices([SQUARE, SQUARE, ROW, HALF], k=writer.rng.randint(1, 3))
    results = ", ".join(writer.any(scope, kind) for kind in kinds)
    constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(4))
    constants += "".join(f"\n%z{n} = arith.constant {n} : i32" for n in range(3))
    body, types = "\n".join(writer.lines), ", ".join(kinds)
    return f"""
    func.func @network(%a: {SQUARE}, %b: {SQUARE}, %r: {ROW}, %h: {HALF}) -> ({types}) {{
      {constants}
      {body}
      func.return {results} : {types}
    }}"""


def random_module(seed: int) -> ModuleOp:
    """Return the verified module of a random program."""
    module = parse_module(CONTEXT, random_program(seed))
    verify(module)
    return module


def inputs_of(seed: int) -> dict[str, Array]:
    """Return the inputs of a random program."""
    generator = np.random.default_rng(seed)
    shapes = ((4, 4), (4, 4), (4,), (2, 4))
    return {f"arg{index}": generator.integers(-9, 9, shape, np.int32) for index, shape in enumerate(shapes)}


class CopyingInterpreter(Interpreter):
    """Interpreter that copies operands before each op and results after it, so that no array is shared."""

    def _run(self, op: Operation, env: dict[SSAValue, Value]) -> None:
        values = {value: env[value] for value in op.operands}
        env.update({value: np.array(array)[()] for value, array in values.items()})
        super()._run(op, env)
        env.update({value: np.array(env[value])[()] for value in op.results})
        env.update(values)


def copying_results(module: ModuleOp, inputs: dict[str, Array]) -> list[Array]:
    """Return what a module computes, op by op, by an interpreter that copies every array."""
    with patch.object(control, "run_nest", return_value=None):
        return list(CopyingInterpreter(module).call("network", [array.copy() for array in inputs.values()]))
