"""Random programs in C: many of them compiled as one translation unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes.core.manager import PassManager
from tilewright.passes.formats.c import render
from tilewright.runtime.testing.programs.program import Argument, RandomProgram
from tilewright.runtime.toolchain import STRICT, compile_executable

from .harness import Failure, Results, run_batch, scalar_dtype
from .passes import pipeline
from .running import inputs_of

SANITIZERS = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_RUNTIME = Path(__file__).parents[3] / "runtime" / "c"
OWN_MATH = ("-DTW_OWN_MATH", f"-I{_RUNTIME}")
"""Flags by which C computes elementary functions as the interpreter does, not by its library."""
FLAGS = {"plain": (*STRICT, "-O2"), "sanitised": (*STRICT, *SANITIZERS)}
"""Build -> the compiler's flags."""

INDEX = np.int32
"""Type of indices in C."""

_LOOPS = "convert-kernels-to-loops, normalize-memrefs, lower-affine, canonicalize, convert-to-emitc"
_TENSORS = "canonicalize, fold-constants, cse, fuse-epilogues, canonicalize, cse, sccp"
_PLANNED = (
    "attach-machine{target=host}, map-engines, unfuse-epilogues, permute-operands, plan-memory{time-budget=0.2}, "
    "verify-memory{plain=false}, allocate-static{budget=100}, expand-grid, pipeline-dma, "
    "verify-memory{plain=false tiles=false}, outline-kernels, convert-dma-to-loops"
)
PIPELINES = {
    "memref": (
        "allocate-static, convert-kernels-to-loops, normalize-memrefs, lower-affine, convert-to-emitc",
        f"canonicalize, cse, sccp, inline, canonicalize, allocate-static, {_LOOPS}",
        f"licm, sccp, cse, allocate-static, convert-linalg-to-loops, {_LOOPS}",
    ),
    "tensor": (
        "bufferize, allocate-static, convert-kernels-to-loops, normalize-memrefs, convert-to-emitc",
        f"{_TENSORS}, bufferize, verify-memory, allocate-static, {_LOOPS}",
        f"canonicalize, cse, bufferize, {_PLANNED}, convert-kernels-to-loops, normalize-memrefs, convert-to-emitc",
    ),
}
"""Level of a program -> pipelines to C."""


@dataclass(frozen=True)
class CText:
    """A program in C, and the pipeline that leads there."""

    program: RandomProgram
    passes: str
    text: str


def in_c(program: RandomProgram, module: ModuleOp | None = None, passes: str = "") -> CText:
    """
    Return a program in C, by a pipeline of its seed's choice where none is given; `module` is then C.

    Raises Diagnostic where a pass refuses it.
    """
    level = "tensor" if "tensor<" in program.text else "memref"
    chosen = passes or Random(f"pipeline {program.seed}").choice(PIPELINES[level])
    context = new_context()
    parsed = parse_module(context, program.text, f"{program.seed}.mlir") if module is None else module
    PassManager([]).run(parsed, pipeline(chosen), context)
    return CText(program, chosen, render(parsed).text())


def _declared(place: int, argument: Argument) -> str:
    """Return the C of an array for an argument; scalars are loaded from theirs."""
    size = max(prod(argument.shape), 1) * scalar_dtype(argument.element, INDEX).itemsize
    return f"    static _Alignas(16) unsigned char a{place}[{size}];"


_SCALARS = {"i1": "bool", "index": "int32_t", "f32": "float", "f64": "double"}


def _passed(place: int, argument: Argument) -> str:
    if not isinstance(argument.type, str):
        return f"(void *)a{place}"
    return f"*({_SCALARS.get(argument.element, f'int{argument.element[1:]}_t')} *)(void *)a{place}"


def _driver(program: RandomProgram, number: int, runs: int) -> str:
    """Return a C function that runs a program on inputs from standard input."""
    ports = [*program.arguments, *(port for port in program.results if port not in program.arguments)]
    inputs = [place for place, port in enumerate(ports) if not port.is_output]
    outputs = [place for place, port in enumerate(ports) if port.is_output]
    lines = [f"static void drive_{number}(void) {{", *(_declared(place, port) for place, port in enumerate(ports))]
    lines.append(f'    fprintf(stderr, "@{number}\\n");')
    lines.append(f"    for (int run = 0; run < {runs}; ++run) {{")
    lines += [f"        take(a{place}, sizeof a{place});" for place in inputs]
    lines.append(f"        {program.entry}_run({', '.join(_passed(place, port) for place, port in enumerate(ports))});")
    lines += [f"        fwrite(a{place}, 1, sizeof a{place}, stdout);" for place in outputs]
    return "\n".join([*lines, "    }", "    fflush(stdout);", "}", ""])


_HEAD = """\
#include <stdio.h>
#include <stdlib.h>
static void take(void *to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes) exit(3);
}
"""


def batch_text(texts: Sequence[CText], runs: int) -> str:
    """Return one translation unit with a `main` that runs the programs from the one that it reads the number of."""
    parts = [text.text for text in texts]
    drivers = [_driver(text.program, number, runs) for number, text in enumerate(texts)]
    calls = [f"    if (first <= {number}) drive_{number}();" for number in range(len(texts))]
    first = ["    int32_t first;", "    take(&first, sizeof first);"]
    main = ["int main(void) {", *first, *calls, "    return 0;", "}", ""]
    return "\n".join([*parts, _HEAD, *drivers, *main])


def run_in_c(texts: Sequence[CText], folder: Path, build: str, runs: int = 2) -> list[list[Results] | Failure]:
    """
    Compile programs together and run them on `runs` sets of inputs.

    Programs with elementary functions are compiled apart, with functions that compute what the interpreter computes.
    Where the compiler refuses programs, each is compiled alone.
    """
    libm = [text for text in texts if "libm" in text.program.traits]
    if 0 < len(libm) < len(texts):
        others = [text for text in texts if text not in libm]
        parts = [*zip(libm, run_in_c(libm, folder, build, runs), strict=True)]
        parts += zip(others, run_in_c(others, folder, build, runs), strict=True)
        results = {text.program.seed: result for text, result in parts}
        return [results[text.program.seed] for text in texts]
    source = folder / f"batch_{build}.c"
    source.write_text(batch_text(texts, runs))
    try:
        command = [str(compile_executable([source], [*FLAGS[build], *(OWN_MATH if libm else ())]))]
    except Diagnostic as error:
        if len(texts) == 1:
            return [Failure(str(error)[:3000])]
        return [result for text in texts for result in run_in_c([text], folder, build, runs)]
    inputs = [[inputs_of(text.program, seed) for seed in range(runs)] for text in texts]
    return run_batch(command, [text.program for text in texts], inputs, INDEX)
