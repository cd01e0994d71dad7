"""Constants that passes fold, and expressions that cse finds, beside mlir-opt: all in one run of it."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.ir import has_arrays, integer_width
from tilewright.passes import all_passes
from tilewright.runtime.interpreter import Interpreter
from tilewright.runtime.upstream import optimized

pytestmark = [
    pytest.mark.quick,
    pytest.mark.skipif(shutil.which("mlir-opt-19") is None, reason="no upstream MLIR 19: install mlir-19-tools"),
]

WIDTHS = {"i1": 1, "i7": 7, "i8": 8, "i16": 16, "i32": 32, "i33": 33, "i64": 64, "index": 64}
BINARY = (
    "addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi andi ori xori shli shrsi shrui minsi maxsi "
    "minui maxui"
).split()
PREDICATES = "eq ne slt sle sgt sge ult ule ugt uge".split()
SPECIALS = {
    "f32": "0x00000000 0x80000000 0x7F800000 0xFF800000 0x7FC00000 0x7FC00001 0xFFC00000 0x3F800000".split(),
    "f64": "0x0000000000000000 0x8000000000000000 0x7FF0000000000000 0x7FF8000000000001 0xBFF0000000000000".split(),
    "bf16": "0x0000 0x8000 0x7F80 0xFF80 0x7FC0 0x7FC1 0xFFC0 0x3F80".split(),
}


def numbers(type: str, rng: random.Random, count: int) -> list[str]:
    """Draw numbers from the ends of a type, and those around its width, at which shifts are undefined."""
    width = WIDTHS[type]
    if width == 1:
        return rng.choices(["true", "false"], k=count)
    low, high = -(1 << width - 1), (1 << width - 1) - 1
    ends = [low, low + 1, -2, -1, 0, 1, 2, 3, high - 1, high, width - 1, width]
    return [f"{number} : {type}" for number in rng.choices(ends, k=count)]


def function(number: int, operands: Sequence[str], op: str, result: str) -> str:
    """Return a function of an op on constants."""
    constants = [f"%{index} = arith.constant {value}" for index, value in enumerate(operands)]
    body = "\n".join([*constants, f"%r = arith.{op}"])
    return f"func.func @f{number}() -> {result} {{\n{body}\nfunc.return %r : {result}\n}}\n"


def cases(rng: random.Random, count: int) -> Iterator[tuple[list[str], str, str]]:
    """Yield the constants, op and result type of functions: every op on every type."""
    for type, width in WIDTHS.items():
        for _ in range(count):
            for op in BINARY:
                yield numbers(type, rng, 2), f"{op} %0, %1 : {type}", type
            for predicate in PREDICATES:
                yield numbers(type, rng, 2), f"cmpi {predicate}, %0, %1 : {type}", "i1"
        for other in WIDTHS:
            kinds = ["extsi", "extui"] if width < WIDTHS[other] else ["trunci"] if width > WIDTHS[other] else []
            kinds = ["index_cast", "index_castui"] if "index" in (type, other) and type != other else kinds
            for kind in kinds:
                yield numbers(type, rng, 1), f"{kind} %0 : {type} to {other}", other
    for type, values in SPECIALS.items():
        for op in ("minimumf", "maximumf"):
            pairs = [(a, b) for a in values for b in values]
            for a, b in rng.sample(pairs, 12):
                yield [f"{a} : {type}", f"{b} : {type}"], f"{op} %0, %1 : {type}", type


def bits(attribute: Attribute) -> int:
    """Return the bits of a scalar constant."""
    if isinstance(attribute, FloatAttr):
        return int.from_bytes(cast(Any, attribute).type.pack((attribute.value.data,)), "little")
    number = cast("IntegerAttr[Any]", attribute)
    return number.value.data & (1 << (integer_width(number.type) or 64)) - 1


def folded(module: ModuleOp) -> dict[str, int]:
    """Return the constants that functions return, by the name of the function."""
    found: dict[str, int] = {}
    for op in module.body.block.ops:
        returned = cast(Any, op).body.block.last_op.operands[0].owner
        if isinstance(returned, arith.ConstantOp):
            found[cast(Any, op).sym_name.data] = bits(returned.value)
    return found


def without_poison(text: str) -> str:
    """Return the text of mlir-opt without the functions that return poison."""
    parts = re.split(r"(?=^  func\.func)", text, flags=re.MULTILINE)
    return "".join(part for part in parts if "ub.poison" not in part).rstrip().removesuffix("}") + "}"


def test_folds_are_those_of_upstream() -> None:
    functions = [function(number, *case) for number, case in enumerate(cases(random.Random(5), 1))]
    text = "".join(functions)
    upstream = folded(parse_module(new_context(), without_poison(optimized(text, ["canonicalize"]))))
    assert len(upstream) > len(functions) // 2
    for name in ("canonicalize", "sccp"):
        context = new_context()
        module = parse_module(context, text)
        all_passes()[name]()().apply(context, module)
        optimized(print_ir(module))
        own = folded(module)
        both = own.keys() & upstream.keys()
        assert len(both) > (50 if name == "canonicalize" else len(upstream) - 1)
        for each in both:
            assert own[each] == upstream[each], f"{name}: {functions[int(each[1:])]}"
    module = parse_module(new_context(), text)
    interpreter = Interpreter(module)
    for each in module.body.block.ops:
        types = [value.type for op in cast(Any, each).body.block.ops for value in op.results]
        if (name := cast(Any, each).sym_name.data) in upstream and all(map(has_arrays, types)):
            result = np.asarray(interpreter.call(name, [])[0])
            width = integer_width(types[-1]) or 8 * result.itemsize
            code = int.from_bytes(result.tobytes(), "little") & (1 << width) - 1
            assert code == upstream[name], f"interpreter: {functions[int(name[1:])]}"


@dataclass
class _Blocks:
    """Writer of functions of blocks with equal expressions, each using values of those that dominate it."""

    rng: random.Random
    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    labels: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def block(self, integers: list[str], floats: list[str], depth: int) -> None:
        """Write ops, and a branch to two blocks that this one dominates, or the end of the function."""
        integers, floats = list(integers), list(floats)
        for _ in range(self.rng.randint(2, 5)):
            self.op(integers, floats)
        if depth == 3 or self.rng.random() < 0.3:
            self.lines.append(f"func.return {integers[-1]}, {self.rng.choice(floats)} : i32, f32")
            return
        test = self.name()
        yes, no = f"^b{self.labels}", f"^b{self.labels + 1}"
        self.labels += 2
        self.lines.append(f"{test} = arith.cmpi eq, {self.rng.choice(integers)}, %a : i32")
        self.lines.append(f"cf.cond_br {test}, {yes}, {no}")
        for label in (yes, no):
            self.lines.append(f"{label}:")
            self.block(integers, floats, depth + 1)

    def op(self, integers: list[str], floats: list[str]) -> None:
        kind = self.rng.choice(["i32", "i32", "f32"])
        values = integers if kind == "i32" else floats
        ops = "addi subi muli maxsi minui xori" if kind == "i32" else "addf subf maximumf minnumf mulf"
        a, b, result = *self.rng.choices(values[:3], k=2), self.name()
        self.lines.append(f"{result} = arith.{self.rng.choice(ops.split())} {a}, {b} : {kind}")
        values.append(result)


def random_blocks(number: int) -> str:
    writer = _Blocks(random.Random(number))
    writer.block(["%a", "%b"], ["%x", "%y"], 0)
    body = "\n".join(writer.lines)
    return f"func.func @f{number}(%a: i32, %b: i32, %x: f32, %y: f32) -> (i32, f32) {{\n{body}\n}}\n"


def ops_in(module: ModuleOp) -> list[Counter[str]]:
    return [Counter(op.name for op in each.walk()) for each in module.body.block.ops]


def test_cse_finds_what_upstream_finds() -> None:
    text, context = "".join(map(random_blocks, range(40))), new_context()
    module = parse_module(context, text)
    before = ops_in(module)
    all_passes()["cse"]()().apply(context, module)
    after = ops_in(module)
    assert sum(a != b for a, b in zip(before, after, strict=True)) > 30
    # Upstream's erases dead ops only where it comes to them: those before need further runs.
    assert after == ops_in(parse_module(new_context(), optimized(text, ["cse"] * 8)))
