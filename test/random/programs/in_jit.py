"""Random programs in the JIT of upstream MLIR: many of them in one module."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np

from tilewright.errors import Diagnostic
from tilewright.runtime.testing.programs.program import Argument, RandomProgram
from tilewright.runtime.testing.programs.types import Shaped
from tilewright.runtime.toolchain import compile_shared
from tilewright.runtime.upstream import COPY, LOWERING, RUNNER, optimized, tool

from .harness import Failure, Results, run_batch, scalar_dtype
from .running import inputs_of

INDEX = np.int64
"""Type of indices in upstream's lowering to x86-64."""

UNSUPPORTED = {
    "libm": "upstream's elementary functions are those of another library",
    "concat": "tensor.concat is not bufferised upstream",
    "half": "floats of 16 bits go through __truncsfbf2, which flushes denormals",
    "identity": "MLIR 19 drops linalg.transpose on memrefs where the permutation is the identity",
    "several yields": "upstream bufferises no scf.execute_region with several scf.yield",
    "returned tensor": "upstream lets callers write to the constants that functions return",
}
"""Trait of programs that upstream does not compute -> why."""

FAULTS = {
    "PLEASE submit a bug report": "a tool of MLIR crashes",
    "size values, got": "expand-strided-metadata of MLIR 19 keeps axes that a subview with strides drops",
}
"""Part of an error of upstream's tools that is a fault of theirs -> which."""

_REPLACED = {
    "func.func(lower-vector-multi-reduction)": (
        "expand-realloc{emit-deallocs=false}",
        "func.func(convert-elementwise-to-linalg)",
        "func.func(lower-vector-mask,lower-vector-multi-reduction)",
    ),
    "convert-math-to-llvm": ("convert-index-to-llvm", "convert-math-to-llvm"),
    "buffer-deallocation-pipeline": ("convert-math-to-funcs",),
    "convert-scf-to-cf": ("lower-affine", "convert-scf-to-cf"),
}
_PASSES = tuple(name for step in LOWERING for name in _REPLACED.get(step, (step,)))
"""Upstream's passes; buffers are never freed, since a batch is a short process."""

_DECLARATIONS = """\
func.func private @read(i32, i64, i64) -> i64
func.func private @write(i32, i64, i64) -> i64
"""


_MAIN = """\
func.func @main() {
  %in = arith.constant 0 : i32
  %four = arith.constant 4 : i64
  %cell = memref.alloc() : memref<i32>
  %address = memref.extract_aligned_pointer_as_index %cell : memref<i32> -> index
  %number = arith.index_cast %address : index to i64
  %done = func.call @read(%in, %number, %four) : (i32, i64, i64) -> i64
  %first = memref.load %cell[] : memref<i32>"""


class _Driver:
    """Text of a function that runs one program on inputs from standard input."""

    def __init__(self, program: RandomProgram, number: int, runs: int):
        self.lines = [f"func.func private @drive_{number}() {{"]
        self._names = 0
        constants = {"%zero": 0, "%one": 1, "%runs": runs}
        self.lines += [f"  {name} = arith.constant {value} : index" for name, value in constants.items()]
        self.add("%in = arith.constant 0 : i32")
        self.add("%out = arith.constant 1 : i32")
        ports = [*program.arguments, *(port for port in program.results if port not in program.arguments)]
        arrays = [Shaped("memref", port.shape, port.element) for port in ports]
        for place, type in enumerate(arrays):
            self.add(f"%a{place} = memref.alloc() : {type}")
        self.add("scf.for %run = %zero to %runs step %one {")
        places = list(enumerate(zip(ports, arrays, strict=True)))
        for place, (port, type) in places:
            if not port.is_output:
                self.transfer("read", "%in", f"%a{place}", type)
        self.call(program, places)
        for place, (port, type) in places:
            if port.is_output:
                self.transfer("write", "%out", f"%a{place}", type)
        self.add("}")
        self.add("func.return")
        self.lines += ["}", ""]

    def add(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def name(self) -> str:
        self._names += 1
        return f"%t{self._names}"

    def transfer(self, function: str, file: str, array: str, type: Shaped) -> None:
        """Read or write the bytes of an array."""
        address, number, count, done = (self.name() for _ in range(4))
        size = prod(type.shape) * scalar_dtype(type.element, INDEX).itemsize
        self.add(f"{address} = memref.extract_aligned_pointer_as_index {array} : {type} -> index")
        self.add(f"{number} = arith.index_cast {address} : index to i64")
        self.add(f"{count} = arith.constant {size} : i64")
        self.add(f"{done} = func.call @{function}({file}, {number}, {count}) : (i32, i64, i64) -> i64")

    def call(self, program: RandomProgram, places: Sequence[tuple[int, tuple[Argument, Shaped]]]) -> None:
        """Call the program; tensors are read from arrays, and results copied to them."""
        operands: list[str] = []
        for place, (port, type) in places[: len(program.arguments)]:
            operands.append(self.operand(f"%a{place}", port, type))
        types = ", ".join(str(port.type) for port in program.arguments)
        results = places[len(program.arguments) :]
        names = [self.name() for _ in results]
        shown = ", ".join(str(port.type) for _, (port, _) in results)
        heads = f"{', '.join(names)} = " if names else ""
        self.add(f"{heads}func.call @{program.entry}({', '.join(operands)}) : ({types}) -> ({shown})")
        for name, (place, (_, type)) in zip(names, results, strict=True):
            source = self.name()
            self.add(f"{source} = bufferization.to_memref {name} : {type}")
            self.add(f"memref.copy {source}, %a{place} : {type} to {type}")

    def operand(self, array: str, port: Argument, type: Shaped) -> str:
        """Return the argument of a call: an array, a tensor of its elements, or its one element."""
        if isinstance(port.type, Shaped) and port.type.kind == "memref":
            return array
        name = self.name()
        is_scalar = isinstance(port.type, str)
        self.add(
            f"{name} = memref.load {array}[] : {type}"
            if is_scalar
            else f"{name} = bufferization.to_tensor {array} restrict : {type}"
        )
        return name


def _guarded(number: int) -> list[str]:
    """Return the lines that run a program unless it comes before the first one."""
    return [
        f"  %c{number} = arith.constant {number} : i32",
        f"  %g{number} = arith.cmpi sle, %first, %c{number} : i32",
        f"  scf.if %g{number} {{",
        f"    func.call @drive_{number}() : () -> ()",
        "  }",
    ]


def batch_text(programs: Sequence[RandomProgram], runs: int) -> str:
    """Return one module with a `main` that runs the programs from the one that it reads the number of."""
    parts = [program.text for program in programs]
    drivers = ["\n".join(_Driver(program, number, runs).lines) for number, program in enumerate(programs)]
    calls = [line for number in range(len(programs)) for line in _guarded(number)]
    return "\n".join([_DECLARATIONS, *parts, *drivers, _MAIN, *calls, "  func.return", "}", ""])


def run_in_jit(
    programs: Sequence[RandomProgram], folder: Path, runs: int = 2, level: int = 0
) -> list[list[Results] | Failure]:
    """
    Lower programs together and run them on `runs` sets of inputs, optimised at `level`, 0 to 3.

    Where upstream refuses them, each half is lowered alone.
    """
    inputs = [[inputs_of(program, seed) for seed in range(runs)] for program in programs]
    if len(programs) == 1:
        try:
            lowered = optimized(batch_text(programs, runs), _PASSES)
        except Diagnostic as error:
            return [Failure(str(error)[:3000])]
    else:
        try:
            lowered = optimized(batch_text(programs, runs), _PASSES)
        except Diagnostic:
            middle = len(programs) // 2
            return [
                *run_in_jit(programs[:middle], folder, runs, level),
                *run_in_jit(programs[middle:], folder, runs, level),
            ]
    file = folder / "batch.mlir"
    file.write_text(lowered)
    library = compile_shared([COPY], ["-std=c11", "-O2"])
    command = [tool(RUNNER), str(file), f"--shared-libs={library}", "--entry-point-result=void", f"-O{level}"]
    return run_batch(command, programs, inputs, INDEX)
