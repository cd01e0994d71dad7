"""
The corpus of chunks: a population of programs of upstream's ops, as `mlir-opt` 19 prints them.

    python -m tilewright.test.dialects.chunks.corpus            what of the corpus is read, accepted, run and equal
    python -m tilewright.test.dialects.chunks.corpus --write    writes the chunks of Inputs anew

Two of three chunks come from templates, by turns, the third is a random program; each has a seed of its own. The first
line of a file tells the ports of its function, so that the chunk runs without what wrote it.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.testing.programs.program import PROFILES, Argument, RandomProgram, program
from tilewright.runtime.testing.programs.types import Shaped
from tilewright.runtime.upstream import optimized
from tilewright.test.random.programs.harness import Failure, Results
from tilewright.test.random.programs.in_jit import UNSUPPORTED, run_in_jit
from tilewright.test.random.programs.passes import Subject
from tilewright.test.random.programs.running import difference

from . import arrays, indices, kernels, vectors
from .chunk import TEMPLATES, Chunk

_FAMILIES = (arrays, indices, kernels, vectors)
"""Modules that register templates."""

SIZE = 300
INPUTS = Path(__file__).parents[1] / "Inputs"
FOLDER = Path(__file__).parent / "Inputs"

UNLOWERED = {
    "decomposed": "upstream decomposes these kernels by transform scripts alone",
    "dynamic position": "MLIR 19 lowers no element of a vector at a position that is a value, but for those of rank 1",
    "gather": "tensor.gather and scatter are not bufferised upstream",
    "not run": "the chunk depends on addresses, the machine's vectors or transfers in flight, or prints",
    "masked": "MLIR 19 lowers masks of loads and stores alone",
    "matrix intrinsic": "the JIT does not lower LLVM's matrix intrinsics",
    "pack": "upstream decomposes tensor.pack by transform scripts alone",
    "rank 0": "MLIR 19 lowers not all ops on vectors of rank 0",
    "scan": "vector.scan is lowered by a pass of upstream's tests alone",
    "unsigned": "tensor.bitcast is not bufferised upstream",
    **{trait: why for trait, why in UNSUPPORTED.items() if trait != "libm"},
}
"""Trait of chunks that upstream does not lower to what the JIT runs -> why."""

UNINTERPRETED = {"linalg.winograd_filter_transform": "the transforms have no rule"}
"""Op that the interpreter refuses by name -> why."""

_OP = re.compile(r'"((?:affine|arith|cf|func|index|linalg|math|memref|scf|tensor|vector)\.[\w.]+)"\(')


def chunk(name: str, seed: int) -> RandomProgram:
    """Return the chunk of a template by a seed."""
    function, level = TEMPLATES[name]
    builder = Chunk(Random(f"{name} {seed}"), f"chunk{seed}", level)
    function(builder)
    return builder.program(seed, name)


def drawn_chunks(size: int = SIZE, first: int = 0) -> list[RandomProgram]:
    """Return that many chunks."""
    templates, profiles = sorted(TEMPLATES), [*PROFILES]
    drawn: list[RandomProgram] = []
    for seed in range(first, first + size):
        if seed % 3 == 2:
            drawn.append(program(seed, entry=f"chunk{seed}", profile=profiles[seed // 3 % len(profiles)]))
        else:
            drawn.append(chunk(templates[(seed - seed // 3) % len(templates)], seed))
    return drawn


# Files


def _port(port: Argument) -> list[object]:
    type = port.type
    shown = [type.kind, list(type.shape), type.element] if isinstance(type, Shaped) else type
    return [port.name, shown, list(port.bounds), port.is_output]


def _argument(port: Any) -> Argument:
    name, shown, (low, high), is_output = port
    if isinstance(shown, str):
        return Argument(name, shown, (low, high), is_output)
    kind, shape, element = cast("tuple[str, list[int], str]", shown)
    return Argument(name, Shaped(kind, tuple(shape), element), (low, high), is_output)


def file_text(item: RandomProgram, text: str) -> str:
    """Return the text of a file: the ports of a chunk, and its IR."""
    facts = {
        "kind": item.profile,
        "entry": item.entry,
        "traits": sorted(item.traits),
        "arguments": [_port(port) for port in item.arguments],
        "results": [_port(port) for port in item.results],
    }
    return f"// {json.dumps(facts)}\n{text}"


def read_chunk(file: Path) -> RandomProgram:
    """Return the chunk of a file."""
    head, _, text = file.read_text(encoding="utf-8").partition("\n")
    facts = json.loads(head.removeprefix("// "))
    arguments, results = ([_argument(port) for port in facts[key]] for key in ("arguments", "results"))
    traits = frozenset(facts["traits"])
    return RandomProgram(int(file.stem), facts["kind"], text, facts["entry"], tuple(arguments), tuple(results), traits)


def corpus() -> list[RandomProgram]:
    """Return the chunks of the corpus."""
    return [read_chunk(file) for file in sorted(FOLDER.glob("*.mlir"))]


def write() -> None:
    """
    Write the corpus. Raises Diagnostic where upstream refuses a chunk.

    MLIR 19 prints some affine accesses at one of several results as it does not read them: such chunks are drawn anew.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    for item in drawn_chunks():
        text = optimized(item.text)
        if _is_unreadable(text):
            item = replace(program(item.seed + SIZE, entry=item.entry, profile=item.profile), seed=item.seed)
            text = optimized(item.text)
        (FOLDER / f"{item.seed:03}.mlir").write_text(file_text(item, f"{text.strip()}\n"), encoding="utf-8")


def _is_unreadable(text: str) -> bool:
    try:
        optimized(text)
    except Diagnostic:
        return True
    return False


# Checks


def covered(items: Iterable[RandomProgram]) -> set[str]:
    """Return the names of the ops of chunks."""
    text = optimized("\n// -----\n".join(item.text for item in items), generic=True)
    return set(_OP.findall(text))


def standard_ops() -> set[str]:
    """Return the names of the ops of upstream's standard dialects: `Inputs` has programs of each, and the corpus."""
    return covered(corpus()) | {
        name
        for file in INPUTS.glob("*.mlir")
        for name in _OP.findall(optimized(file.read_text(encoding="utf-8"), generic=True))
    }


def subject(item: RandomProgram) -> Subject | None:
    """
    Return a chunk with what the interpreter computes; None for one that only is read, or has an op that it refuses.

    Raises Diagnostic where it cannot run for another reason.
    """
    if "not run" in item.traits:
        return None
    module = parse_module(new_context(), item.text, f"{item.seed}.mlir")
    verify(module)
    try:
        return Subject(item, module=module)
    except Diagnostic as error:
        if any(f"'{name}'" in error.message for name in UNINTERPRETED):
            return None
        raise


def simplify(item: RandomProgram) -> ModuleOp:
    """Return a chunk after `canonicalize,cse`."""
    module = parse_module(new_context(), item.text, f"{item.seed}.mlir")
    PassManager([], verify_each=True).run(module, parse_pipeline("canonicalize,cse", all_passes()), new_context())
    return module


def simplified(item: RandomProgram) -> tuple[str, str]:
    """Return a chunk after `canonicalize,cse`, in the custom and in the generic form."""
    module = simplify(item)
    return print_ir(module), print_ir(module, generic=True)


def unequal(item: RandomProgram, expected: Sequence[Results], actual: Sequence[Results]) -> str:
    """Return how results of the JIT differ: to the bit, but for functions that libraries approximate."""
    compare = _far if "libm" in item.traits else difference
    return next((text for pair in zip(expected, actual, strict=True) if (text := compare(*pair))), "")


def _far(expected: Results, actual: Results) -> str:
    for name, array in expected.items():
        one, other = array.astype(np.float64), actual[name].astype(np.float64)
        if not np.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"{name}: {actual[name]}, expected {array}"
    return ""


def _without_module(item: RandomProgram) -> RandomProgram:
    """Return a chunk without its module, with aliases of its own, so that one module can hold many."""
    head, _, rest = re.sub(r"#((?:map|set)\d*)", rf"#\1_{item.seed}_", item.text).partition("module {\n")
    return replace(item, text=f"{head}{rest.rstrip().removesuffix('}')}")


def in_jit(subjects: Sequence[Subject]) -> list[str]:
    """Return what is wrong with each chunk in upstream's JIT; "" where it computes what the interpreter computes."""
    with tempfile.TemporaryDirectory() as folder:
        runs = run_in_jit([_without_module(one.program) for one in subjects], Path(folder))
    return [
        result.text if isinstance(result, Failure) else unequal(one.program, one.expected, result)
        for one, result in zip(subjects, runs, strict=True)
    ]


def report() -> Counter[str]:
    """Print what is wrong with chunks of the corpus, and return the number of those that pass each check."""
    counts: Counter[str] = Counter()
    running: list[Subject] = []
    for item in corpus():
        counts["chunks"] += 1
        try:
            for text in simplified(item):
                optimized(text)
            counts["read, simplified and accepted again"] += 1
            one = subject(item)
        except Diagnostic as error:
            print(item.seed, item.profile, error)
            continue
        counts["interpreted, and equal when simplified"] += one is not None and not one.differs(simplify(item))
        if one is not None and not item.traits & UNLOWERED.keys():
            running.append(one)
    counts["run by the JIT"] = len(running)
    for first in range(0, len(running), 12):
        part = running[first : first + 12]
        wrong = in_jit(part)
        counts["equal"] += wrong.count("")
        for one, text in zip(part, wrong, strict=True):
            if text:
                print(one.program.seed, one.program.profile, text)
    names, ops = covered(corpus()), standard_ops()
    counts["ops"], counts["ops covered"] = len(ops), len(ops & names)
    print("not in the corpus:", *sorted(ops - names))
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the corpus anew")
    if parser.parse_args().write:
        write()
        return
    for name, count in report().items():
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
