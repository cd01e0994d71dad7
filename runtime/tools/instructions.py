"""
Differential test of instructions: the semantics in Python against the function in C, bit for bit, on random operands.

    python -m tilewright.runtime.tools.instructions ./mysoc
    python -m tilewright.runtime.tools.instructions ./mysoc --header > mysoc/c/mysoc.h

Buffers in C end with the last element that Python accesses, so that the sanitisers show all accesses beyond.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ...dialects import all_dialects
from ...dialects.core.instruction import Flat, Instruction, instructions
from ...dialects.core.instruction.record import header_text
from ...dialects.core.instruction.signature import Buffer, ElementSize, Kind, Parameter
from ...dialects.core.machine.targets import machine_named
from ...discovery import scope, target_folders
from ...errors import Diagnostic
from ...ir import Array
from ..host import machine_flags
from ..processes import finished
from ..toolchain import compile_executable

_COMMON = Path(__file__).parents[1] / "c"
"""The folder of the headers that all targets have."""
_FLAGS = ("-std=c11", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{_COMMON}")
_CAPACITY = 1 << 15
"""Elements of a buffer that Python is given."""
_BEFORE = 3
"""Elements of a memref before a buffer with an offset."""
_TRIES = 2000
"""Draws for each sample that the instruction allows."""
_RUNTIME = re.compile(r"^emitc:.*\bconvert-to-emitc\{[^}]*\bruntime=([\w.]+)", re.MULTILINE)


@dataclass(frozen=True)
class OperandSample:
    """Operands of an instruction, and the bytes that it returns and writes."""

    instruction: Instruction
    numbers: dict[str, Any]
    buffers: dict[str, Array]
    expected: bytes

    def bytes(self, number: int) -> bytes:
        """Return the operands as the program reads them, after the number of the instruction."""
        parts = [np.int32(number).tobytes()]
        for parameter in self.instruction.c_parameters:
            if isinstance(parameter.kind, Buffer):
                parts += [np.int32(self.buffers[parameter.name].size).tobytes(), self.buffers[parameter.name].tobytes()]
            else:
                parts.append(np.asarray(self.numbers[parameter.name], parameter.dtype).tobytes())
        return b"".join(parts)


def instructions_of(target: str) -> list[Instruction]:
    """Return the instructions of a target, by name. Raises Diagnostic if there is no such target."""
    folder = machine_named(target).folder
    for load in all_dialects().values():
        load()
    return [instruction for instruction in instructions() if _folder_of(instruction) == folder]


def check_instructions(
    chosen: Sequence[Instruction], *, samples: int = 60, seed: int = 0, headers: Path | None = None
) -> list[str]:
    """
    Compare the prototype and the results of instructions with their C, and return the names of those executed.

    Headers in the folder `headers` replace those of the target. Of instructions with a state, only the prototypes are
    compared. Raises Diagnostic at the first that differs.
    """
    defined = {instruction.name for instruction in chosen if check_prototype(instruction, headers)}
    executed = [instruction for instruction in chosen if not instruction.states]
    drawn = [sample for instruction in executed for sample in _draw(instruction, samples, seed)]
    if drawn:
        _compare(executed, drawn, headers, is_linked=any(instruction.name not in defined for instruction in executed))
    return [instruction.name for instruction in executed]


# Prototypes


def check_prototype(instruction: Instruction, headers: Path | None = None) -> bool:
    """
    Return whether a header defines the function of an instruction, not only declares it.

    Raises Diagnostic where none declares it, or with other types.
    """
    folder = _folder_of(instruction)
    folders = [*([headers] if headers else []), *([folder / "c"] if folder else []), _COMMON]
    names = instruction.headers or ("*.h",)
    files = [file for name in names for parent in folders for file in sorted(parent.glob(name))]
    for file in files:
        if (declaration := _declared(file.read_text(encoding="utf-8"), instruction.c)) is None:
            continue
        if _shape(declaration[0]) != _shape(instruction.prototype):
            raise Diagnostic(
                f"the header declares another function than the instruction '{instruction.name}'",
                where=str(file),
                expected=instruction.prototype,
                found=declaration[0],
            )
        return declaration[1]
    raise Diagnostic(
        f"no header declares the function of the instruction '{instruction.name}'",
        where=instruction.place,
        expected=f"{instruction.prototype};",
        found=", ".join(file.name for file in files) or f"no header {' or '.join(names)}",
        remedy=f"add it to a header in {folders[0]}",
    )


def _declared(text: str, function: str) -> tuple[str, bool] | None:
    """Return the prototype of a function in a header, with True where its body follows."""
    plain = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:\\\n|[^\n])*", " ", text, flags=re.DOTALL | re.MULTILINE)
    match = re.search(rf"(?:^|[;}}])([^;{{}}]*?\b{function}\s*\([^)]*\))\s*([;{{])", plain)
    return (" ".join(match[1].split()), match[2] == "{") if match else None


def _shape(prototype: str) -> list[str]:
    """Return the types of the result and the parameters; integers passed by value without their signs."""
    head, _, listed = prototype.rstrip(") ").partition("(")
    words = [word for word in head.split() if not re.fullmatch(r"static|inline|extern|[A-Z][A-Z0-9_]*", word)]
    parts = [part.strip() for part in listed.split(",") if part.strip() not in ("", "void")]
    types = [" ".join(words[:-1]), *(re.sub(r"(?<=[\s*])\w+$", "", part) for part in parts)]
    return [re.sub(r"\s+", "", text if "*" in text else re.sub(r"\bu(?=int)", "", text)) for text in types]


def _folder_of(instruction: Instruction) -> Path | None:
    file = Path(instruction.function.__code__.co_filename).resolve()
    return next((folder for folder in target_folders().values() if file.is_relative_to(folder.resolve())), None)


# Operands


@cache
def _draw(instruction: Instruction, count: int, seed: int) -> list[OperandSample]:
    """Draw samples of an instruction's operands. Raises Diagnostic if its constraints reject nearly all."""
    random = np.random.default_rng([seed, *instruction.name.encode()])
    samples, refusal = list[OperandSample](), Diagnostic("")
    for _ in range(count * _TRIES):
        try:
            samples.append(_sample(instruction, random))
        except Diagnostic as error:
            if error.__cause__ is not None:
                raise
            refusal = error
        if len(samples) == count:
            return samples
    raise Diagnostic(
        f"random operands are hardly ever allowed by the instruction '{instruction.name}'",
        where=instruction.place,
        expected=f"{count} of {count * _TRIES} draws",
        found=f"{len(samples)}; the last one refused: {refusal.message}",
        remedy="annotate what a number may be, such as Annotated[Const, (2, 4)] or Annotated[Size, range(16)]",
    )


def _sample(instruction: Instruction, random: np.random.Generator) -> OperandSample:
    numbers, flat = dict[str, Any](), dict[str, Flat[Any]]()
    types = {
        parameter.name: parameter.dtype for parameter in instruction.c_parameters if isinstance(parameter.kind, Buffer)
    }
    for parameter in instruction.c_parameters:
        if isinstance(parameter.kind, ElementSize):
            numbers[parameter.name] = types[parameter.kind.buffer].itemsize
        elif not isinstance(parameter.kind, Buffer):
            numbers[parameter.name] = _number(parameter, random)
    instruction.check({name: number for name, number in numbers.items() if type(number) is int})
    for parameter in instruction.c_parameters:
        if isinstance(parameter.kind, Buffer):
            flat[parameter.name] = _values(parameter.dtype, _CAPACITY, random).view(Flat)
            flat[parameter.name].reached = [0]
    before = {name: np.array(array) for name, array in flat.items()}
    result = instruction.run(flat, numbers, {})
    ends = {name: (array.reached or [0])[0] for name, array in flat.items()}
    written = [
        parameter.name
        for parameter in instruction.c_parameters
        if isinstance(parameter.kind, Buffer) and parameter.kind.writes
    ]
    parts = [] if result is None else [np.asarray(result).tobytes()]
    expected = b"".join([*parts, *(np.array(flat[name])[: ends[name]].tobytes() for name in written)])
    return OperandSample(instruction, numbers, {name: array[: ends[name]] for name, array in before.items()}, expected)


def _number(parameter: Parameter, random: np.random.Generator) -> Any:
    """Return a number that a parameter may be; sizes and steps are small."""
    allowed = parameter.allowed
    if allowed is not None:
        return list(allowed)[int(random.integers(len(allowed)))]
    if parameter.kind is Kind.FLAG:
        return int(random.integers(2))
    if parameter.kind is Kind.SCALAR:
        return _values(parameter.dtype, 1, random)[0]
    return int(random.integers(0, (3, 9, 40)[int(random.integers(3))]))


def _values(type: np.dtype[Any], count: int, random: np.random.Generator) -> Array:
    """Return integers of the whole range, or floats whose sums of products are exact."""
    if type.kind == "f":
        return random.integers(-8, 9, count).astype(type)
    limits = np.iinfo(type)
    return random.integers(limits.min, limits.max, count, dtype=type, endpoint=True)


# The program


def _compare(
    chosen: Sequence[Instruction], drawn: Sequence[OperandSample], headers: Path | None, *, is_linked: bool
) -> None:
    """Raise Diagnostic for the first sample whose results differ in C, or at which the program ends."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, inputs, outputs = (Path(folder) / name for name in ("check.c", "inputs", "outputs"))
        source.write_text(_program(chosen), encoding="utf-8")
        own = [] if headers is None else [f"-I{headers}", f"-DTW_HEADERS_{_fingerprint(headers)}"]
        # The sources of an emulation are for functions that no header defines.
        machine = [flag for flag in machine_flags(source) if is_linked or flag.startswith("-")]
        program = compile_executable([source], (*own, *_FLAGS, *machine))
        inputs.write_bytes(b"".join(sample.bytes(chosen.index(sample.instruction)) for sample in drawn))
        command, options = [str(program), str(inputs), str(outputs)], {"ASAN_OPTIONS": "detect_leaks=0"}
        done = finished(command, environment=options)
        results = outputs.read_bytes() if outputs.exists() else b""
    start = 0
    for sample in drawn:
        part = results[start : start + len(sample.expected)]
        start += len(sample.expected)
        if part != sample.expected:
            raise _difference(sample, part, done)


def _fingerprint(folder: Path) -> str:
    """Return a hash of a folder's headers: a program is built again when its flags change."""
    return sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.h")))).hexdigest()[:16]


def _difference(sample: OperandSample, results: bytes, done: subprocess.CompletedProcess[str]) -> Diagnostic:
    instruction, has_ended = sample.instruction, len(results) < len(sample.expected)
    places = [at for at, (a, b) in enumerate(zip(sample.expected, results, strict=False)) if a != b]
    at = places[0] if places else len(results)
    report = [line for line in done.stderr.splitlines() if "error" in line.lower()] or [f"status {done.returncode}"]
    operands = ", ".join(f"{name} = {number}" for name, number in sample.numbers.items())
    fault = "fails" if has_ended else "computes something else than its Python"
    return Diagnostic(
        f"the C of the instruction '{instruction.name}' {fault}",
        where=instruction.place,
        expected=f"byte {at} of the results: {sample.expected[at]}",
        found=report[0] if has_ended else f"{instruction.c}: {results[at]}",
        notes=[operands, *(f"{name}: {buffer.tolist()}" for name, buffer in sample.buffers.items())],
    )


def _program(chosen: Sequence[Instruction]) -> str:
    """Return the program that reads samples from a file and writes the results to another one."""
    headers = dict.fromkeys(
        header for instruction in chosen for header in instruction.headers or (_runtime_of(instruction),)
    )
    ordered = sorted(headers, key=lambda header: max(_rank(instruction, header) for instruction in chosen))
    lines = [f'#include "{header}"' for header in ("tilewright.h", *ordered)]
    lines += ["#include <stdio.h>", "#include <stdlib.h>", _READING]
    for number, instruction in enumerate(chosen):
        lines += [f"static void run_{number}(void) {{", *_call(instruction), "}"]
    cases = "".join(f" case {number}: run_{number}(); break;" for number in range(len(chosen)))
    return "\n".join([*lines, _MAIN.replace("CASES", cases)])


def _rank(instruction: Instruction, header: str) -> int:
    return instruction.headers.index(header) + 1 if header in instruction.headers else 0


def _runtime_of(instruction: Instruction) -> str:
    """Return the header of the C runtime of an instruction's target."""
    folder = _folder_of(instruction)
    match = _RUNTIME.search((folder / "pipeline.txt").read_text(encoding="utf-8")) if folder else None
    if match is None:
        raise Diagnostic(
            f"the instruction '{instruction.name}' names no header",
            where=instruction.place,
            remedy="give it header='NAME.h'",
        )
    return match[1]


def _call(instruction: Instruction) -> list[str]:
    """
    Return the statements that read the operands of an instruction, call it and write what it gives.

    A prefix keeps the names of parameters apart from those of other variables and functions.
    """
    lines, after = list[str](), list[str]()
    for parameter in instruction.c_parameters:
        operand = f"arg_{parameter.name}"
        if isinstance(parameter.kind, Buffer):
            element, count, size = _C_TYPES[parameter.dtype], f"count_{parameter.name}", f"size_{parameter.name}"
            before = _BEFORE if parameter.kind.has_offset else 0
            lines += [
                f"    int32_t {count}; take(&{count}, sizeof {count});",
                f"    size_t {size} = (size_t){count} * sizeof({element});",
                f"    {element} *{operand} = malloc({size} + {before} * sizeof({element}));",
                f"    take({operand} + {before}, {size});",
            ]
            after += [f"    give({operand} + {before}, {size});"] if parameter.kind.writes else []
            after.append(f"    free({operand});")
        else:
            lines.append(f"    {parameter.c_type} {operand}; take(&{operand}, sizeof {operand});")
    passed = [argument for parameter in instruction.c_parameters for argument in _passed(parameter)]
    call = f"{instruction.c}({', '.join(passed)})"
    if instruction.result is None:
        return [*lines, f"    {call};", *after]
    return [*lines, f"    {instruction.result.c_type} given = {call};", "    give(&given, sizeof given);", *after]


def _passed(parameter: Parameter) -> tuple[str, ...]:
    """Return the arguments of a parameter; a buffer with an offset begins some elements before it."""
    has_offset = isinstance(parameter.kind, Buffer) and parameter.kind.has_offset
    return (f"arg_{parameter.name}", str(_BEFORE)) if has_offset else (f"arg_{parameter.name}",)


_C_TYPES = {
    **{np.dtype(f"int{width}"): f"int{width}_t" for width in (8, 16, 32, 64)},
    **{np.dtype(np.float32): "float", np.dtype(np.float64): "double"},
}

_READING = """
static FILE *input, *output;
static void take(void *to, size_t size) { if (size && fread(to, 1, size, input) != size) exit(2); }
static void give(const void *from, size_t size) { if (size) fwrite(from, 1, size, output); fflush(output); }
"""
_MAIN = """
int main(int count, char **words) {
    int32_t number;
    if (count != 3 || !(input = fopen(words[1], "rb")) || !(output = fopen(words[2], "wb"))) return 3;
    while (fread(&number, sizeof number, 1, input) == 1) {
        switch (number) {CASES default: return 4; }
    }
    return fclose(output) != 0;
}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the instructions of a target; return 1 where one differs from its C."""
    parser = argparse.ArgumentParser(prog="python -m tilewright.runtime.tools.instructions", description=__doc__)
    parser.add_argument("target", help="a target, or the folder of one")
    parser.add_argument("--samples", type=int, default=60, help="random operands for each instruction")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--header", action="store_true", help="print the header that the records make, and stop")
    options = parser.parse_args(arguments)
    try:
        with scope():
            chosen = instructions_of(options.target)
            if options.header:
                print(header_text(machine_named(options.target).name, chosen), end="")
                return 0
            executed = check_instructions(chosen, samples=options.samples, seed=options.seed)
    except Diagnostic as error:
        print(error, file=sys.stderr)
        return 1
    for instruction in chosen:
        compared = f"{options.samples} samples" if instruction.name in executed else "prototype"
        print(f"{instruction.name}: {compared} as in C")
    return 0


if __name__ == "__main__":
    sys.exit(main())
