"""Index arithmetic in C wraps at 64 bits, as the interpreter's does, on random programs at the ends of the types."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import Array
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.test.passes.scalar_c import UBSAN, build_module, c_of

pytestmark = pytest.mark.quick

_SMALL = [0, 1, -1, 7, (1 << 31) - 1, -(1 << 31), (1 << 31) + 1, (1 << 32) - 1, -(1 << 32)]
ENDS = [*_SMALL, (1 << 62) + 1, (1 << 63) - 1, -(1 << 63)]
ARITHMETIC = "addi subi muli andi ori xori minsi maxsi minui maxui".split()
DIVISIONS = "divsi divui remsi remui ceildivsi ceildivui floordivsi".split()
INPUTS = 4
STEPS, COUNT = 9, 25


class _Writer:
    def __init__(self, rng: random.Random):
        self.rng, self.lines, self.names = rng, list[str](), 0

    def emit(self, text: str) -> str:
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def constant(self, numbers: Sequence[int]) -> str:
        return self.emit(f"arith.constant {self.rng.choice(numbers)} : index")

    def step(self, values: list[str]) -> str:
        """Write one op on indices; return its result."""
        a, b = self.rng.choices([*values, *values[-2:]], k=2)
        b = self.constant(ENDS) if self.rng.random() < 0.4 else b
        match self.rng.randrange(8):
            case 0:
                divisor = self.constant([1, 2, 3, 7, 1 << 31, 1 << 40, (1 << 63) - 1])
                return self.emit(f"arith.{self.rng.choice(DIVISIONS)} {a}, {divisor} : index")
            case 1:
                amount = self.emit(f"arith.andi {b}, %c63 : index")
                amount = amount if self.rng.random() < 0.5 else self.constant([0, 1, 5, 31, 32, 33, 63])
                return self.emit(f"arith.{self.rng.choice(['shli', 'shrsi', 'shrui'])} {a}, {amount} : index")
            case 2:
                predicate = self.rng.choice("eq ne slt sle sgt sge ult ule ugt uge".split())
                test = self.emit(f"arith.cmpi {predicate}, {a}, {b} : index")
                return self.emit(f"arith.select {test}, {b}, {self.rng.choice(values)} : index")
            case 3:
                width = self.rng.choice(["i1", "i8", "i16", "i32", "i64"])
                down, up = self.rng.choices(["index_cast", "index_castui"], k=2)
                narrow = self.emit(f"arith.{down} {a} : index to {width}")
                return self.emit(f"arith.{up} {narrow} : {width} to index")
            case 4:
                return self.loop(a, b)
            case _:
                return self.emit(f"arith.{self.rng.choice(ARITHMETIC)} {a}, {b} : index")

    def loop(self, initial: str, by: str) -> str:
        """Write a loop that carries an index, or a conditional that yields one."""
        op = self.rng.choice(["addi", "muli", "xori"])
        self.names += 1
        name = f"%v{self.names}"
        if self.rng.random() < 0.5:
            self.lines.append(
                f"{name} = scf.for {name}i = %c0 to %c3 step %c1 iter_args({name}s = {initial}) -> (index) {{"
            )
            self.lines.append(f"{name}t = arith.{op} {name}s, {by} : index\nscf.yield {name}t : index\n}}")
            return name
        self.lines.append(f"{name}c = arith.cmpi slt, {initial}, {by} : index\n{name} = scf.if {name}c -> (index) {{")
        self.lines.append(f"{name}t = arith.{op} {initial}, {by} : index\nscf.yield {name}t : index\n}} else {{")
        self.lines.append(f"scf.yield {by} : index\n}}")
        return name


def random_function(name: str, rng: random.Random) -> str:
    """Return a function from 64-bit and 32-bit numbers and an index to the indices that it computes."""
    writer = _Writer(rng)
    values = ["%n", *(f"%a{index}" for index in range(INPUTS)), "%b0"]
    for _ in range(STEPS):
        values.append(writer.step(values))
    lines = [f"%c{number} = arith.constant {number} : index" for number in (0, 1, 2, 3, 63)]
    for index in range(INPUTS):
        lines.append(f"%l{index} = memref.load %x[%c{index}] : memref<{INPUTS}xi64>")
        lines.append(f"%a{index} = arith.index_cast %l{index} : i64 to index")
    lines += ["%m0 = memref.load %w[%c0] : memref<1xi32>", "%b0 = arith.index_cast %m0 : i32 to index", *writer.lines]
    for index, value in enumerate(values[-STEPS:]):
        lines.append(f"%o{index} = arith.index_cast {value} : index to i64\n%i{index} = arith.constant {index} : index")
        lines.append(f"memref.store %o{index}, %y[%i{index}] : memref<{STEPS}xi64>")
    arguments = f"%n: index, %x: memref<{INPUTS}xi64>, %w: memref<1xi32>, %y: memref<{STEPS}xi64>"
    body = "\n".join(lines)
    return f"func.func @{name}({arguments}) {{\n{body}\nfunc.return\n}}\n"


def arrays(rng: random.Random) -> tuple[int, Array, Array, Array]:
    x = np.array(rng.choices(ENDS, k=INPUTS), np.int64)
    w = np.array([rng.choice([(1 << 31) - 1, -(1 << 31), 5, -1])], np.int32)
    return rng.choice([(1 << 31) - 1, -(1 << 31), 9]), x, w, np.zeros(STEPS, np.int64)


def test_wide_indices_in_c(tmp_path: Path) -> None:
    text = "".join(random_function(f"f{seed}", random.Random(seed)) for seed in range(COUNT))
    module = parse_module(new_context(), text)
    interpreter, expected = Interpreter(module), list[list[int]]()
    for seed in range(COUNT):
        n, *operands = arrays(random.Random(seed + 1000))
        interpreter.call(f"f{seed}", [np.int64(n), *operands])
        expected.append(operands[-1].tolist())
    library = build_module(module, tmp_path, *UBSAN)
    for seed in range(COUNT):
        n, *operands = arrays(random.Random(seed + 1000))
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in operands]
        getattr(library, f"f{seed}_run")(ctypes.c_int32(n), *pointers)
        assert operands[-1].tolist() == expected[seed], f"function {seed}"


def test_indices_that_are_known_to_be_small_have_32_bits() -> None:
    text = """
    func.func @f(%x: memref<64xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        %a = arith.muli %i, %c8 : index
        %b = arith.shrui %a, %c1 : index
        %c = arith.remui %b, %c3 : index
        %d = arith.maxsi %c, %i : index
        %v = memref.load %x[%d] : memref<64xi32>
        memref.store %v, %x[%a] : memref<64xi32>
      }
      func.return
    }"""
    assert "int64" not in c_of(text).rpartition("void f_run")[2]
