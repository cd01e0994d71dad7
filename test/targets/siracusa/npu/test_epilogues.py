"""Random epilogues compute the same on the NPU, at the ends of what their sums may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array, functions
from tilewright.runtime.interpreter import run_module
from tilewright.targets.siracusa.npu.kernel_ops import NpuMatmulOp
from tilewright.targets.siracusa.passes.convert_to_npu import convert_to_npu

CONTEXT = new_context()
FEATURES, CHANNELS, ROWS = 3, 5, 8


@dataclass
class Network:
    """A matrix product with an epilogue in the making; `value` is what has been computed last."""

    random: np.random.Generator
    unsigned: bool
    weight: Array = field(init=False)
    numbers: list[Array] = field(default_factory=list[Array])
    lines: list[str] = field(default_factory=list[str])
    value: str = "%sum"

    def __post_init__(self) -> None:
        self.weight = self.random.integers(-128, 128, (CHANNELS, FEATURES))

    def pick(self, *options: str) -> str:
        return options[self.random.integers(len(options))]

    def number(self, low: int, high: int) -> str:
        """Return a number of each channel, or one for all."""
        if self.random.integers(2):
            self.lines.append(f"%k{len(self.lines)} = arith.constant {self.random.integers(low, high)} : i32")
            return f"%k{len(self.lines) - 1}"
        self.numbers.append(self.random.integers(low, high, FEATURES))
        return f"%n{len(self.numbers) - 1}"

    def op(self, text: str) -> str:
        self.lines.append(f"%v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def step(self) -> None:
        """Add something before the requantisation."""
        op = self.pick("addi", "subi", "muli", "maxsi", "minsi", "from")
        limits = {"muli": (-2, 4), "maxsi": (-900, 20), "minsi": (-20, 900000)}.get(op, (-9000, 9000))
        if op == "muli" and not self.random.integers(8):
            limits = (20000, 60000)
        pair = [self.value, self.number(*limits)]
        if op == "from":
            op, pair = "subi", pair[::-1]
        self.value = self.op(f"arith.{op} {pair[0]}, {pair[1]} : i32")

    def requantize(self) -> None:
        """Add a requantisation, often just within or just beyond 32 bits."""
        low, high = self.sums()
        edge = (1 << 31) // max(1, int(max(-low.min(), high.max())))
        mul = self.pick("7", str(edge), str(edge - 1), str(edge + 1), "per channel", "per channel", "-1")
        factor = self.number(0, 300) if mul == "per channel" else self.op(f"arith.constant {mul} : i32")
        clip = self.pick("0 to 255", "-128 to 127", "0 to 15", "-8 to 7", "3 to 99", "-4 to 200")
        add = self.number(-2000, 2000)
        shift = self.random.integers(0, 26)
        kind = self.pick("i8", "i32")
        text = f"{self.value}, {factor}, {add} shift {shift} clip {clip} in i64 : i32, i32, i32 -> {kind}"
        byte = self.op(f"quant.requantize {text}")
        rest = self.pick("", "", "add", "add", "sum")
        if rest == "sum":
            self.value = self.op("arith.trunci %sum : i32 to i8")
        other = {"add": f"%k{len(self.lines)}", "sum": self.value}.get(rest, "")
        if rest == "add":
            self.lines.append(f"{other} = arith.constant 77 : i8")
        narrow = byte if kind == "i8" else self.op(f"arith.trunci {byte} : i32 to i8")
        if kind == "i32" and rest == "add":
            half = self.op(f"arith.constant {self.random.integers(1, 5)} : i32")
            narrow = self.op(f"arith.trunci {self.op(f'arith.shrsi {byte}, {half} : i32')} : i32 to i8")
        self.value = self.op(f"arith.addi {narrow}, {other} : i8") if rest else narrow

    def sums(self) -> tuple[Array, Array]:
        """Return the least and the greatest sum of each channel."""
        ends = self.weight * (0 if self.unsigned else -128), self.weight * (255 if self.unsigned else 127)
        return np.minimum(*ends).sum(axis=0), np.maximum(*ends).sum(axis=0)

    def inputs(self) -> Array:
        """Return rows that give each channel its least and its greatest sum, and random ones."""
        low, high = (0, 255) if self.unsigned else (-128, 127)
        rows = [np.where(self.weight[:, n] > 0, a, b) for n in range(FEATURES) for a, b in ((low, high), (high, low))]
        random = self.random.integers(low, high + 1, (ROWS - len(rows), CHANNELS))
        return np.array([*rows, *random]).astype(np.uint8).view(np.int8)

    def text(self) -> str:
        """Return the module."""
        constants = [f"%c{n} = arith.constant dense<{values.tolist()}> : tensor<{FEATURES}xi32>"
                     for n, values in enumerate(self.numbers)]  # fmt: skip
        names = [f"%c{n}" for n in range(len(self.numbers))]
        types = [f"tensor<{FEATURES}xi32>"] * len(names)
        extras = f"({', '.join(names)} : {', '.join(types)})" if names else "()"
        maps = ", ".join(["affine_map<(d0, d1) -> (d1)>"] * len(names))
        arguments = ", ".join(["%sum: i32", *(f"%n{n}: i32" for n in range(len(names)))])
        marks = ", unsigned = array<i64: 0>" if self.unsigned else ""
        newline = "\n    "
        x, w, y = f"tensor<{ROWS}x{CHANNELS}xi8>", f"tensor<{CHANNELS}x{FEATURES}xi8>", f"tensor<{ROWS}x{FEATURES}xi8>"
        return f"""
func.func @network(%x: {x}) -> {y} {{
  %w = arith.constant dense<"0x{self.weight.astype(np.int8).tobytes().hex()}"> : {w}
  {newline.join(constants)}
  %o = tensor.empty() : {y}
  %y = nn.matmul ins(%x, %w : {x}, {w}) outs(%o : {y}) {{accumulator = i32{marks}}} epilogue{extras} at [{maps}] {{
  ^bb0({arguments}):
    {newline.join(self.lines)}
    linalg.yield {self.value} : i8
  }}
  func.return %y : {y}
}}"""


def network(seed: int) -> Network:
    """Return a network from a seed."""
    random = np.random.default_rng(seed)
    made = Network(random, bool(random.integers(2)))
    for _ in range(random.integers(0, 3)):
        made.step()
    made.requantize()
    return made


def run(made: Network) -> tuple[Sequence[Array], NpuMatmulOp]:
    """Return the results before and after, and the kernel of the NPU."""
    module = parse_module(CONTEXT, made.text())
    verify(module)
    inputs = {"arg0": made.inputs()}
    before = run_module(module, inputs)["result0"]
    convert_to_npu(module, functions(module)[0].body.block, "npu", everything=True)
    verify(module)
    (kernel,) = (op for op in module.walk() if isinstance(op, NpuMatmulOp))
    return (before, run_module(module, inputs)["result0"]), kernel


def test_epilogues_compute_the_same():
    seen: Counter[bool] = Counter()

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(st.integers(0, 1 << 32))
    def check(seed: int) -> None:
        made = network(seed)
        (before, after), kernel = run(made)
        np.testing.assert_array_equal(after, before, err_msg=made.text())
        seen[kernel.requantization is not None] += 1

    check()
    assert min(seen[True], seen[False]) > 12, seen


def test_numbers_that_wrap_around_before_the_requantisation_are_not_taken_for_lines():
    made = Network(np.random.default_rng(1), unsigned=False)
    far, zero = made.op("arith.constant 2147483000 : i32"), made.op("arith.constant 0 : i32")
    wrapped = made.op(f"arith.addi %sum, {far} : i32")
    back = made.op(f"arith.subi {made.op(f'arith.maxsi {wrapped}, {zero} : i32')}, {far} : i32")
    one = made.op("arith.constant 1 : i32")
    made.value = made.op(
        f"quant.requantize {back}, {one}, {zero} shift 9 clip -128 to 127 in i64 : i32, i32, i32 -> i8"
    )
    (before, after), kernel = run(made)
    np.testing.assert_array_equal(after, before)
    assert kernel.requantization is None
