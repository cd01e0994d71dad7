"""Bytes between random programs and the processes that run them: of inputs in their order, of outputs in theirs."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tilewright.ir import Array
from tilewright.runtime.testing.programs.program import Argument, RandomProgram

from .running import DTYPES

SECONDS = 60
"""Limit of a process that runs a batch of programs."""


@dataclass(frozen=True)
class Failure:
    """A program that ends its process, with what the process says."""

    text: str


Results = dict[str, Array]


def scalar_dtype(element: str, index: type) -> np.dtype[Any]:
    """Return the NumPy type of an element; that of index depends on the place."""
    return np.dtype(index if element == "index" else DTYPES[element])


def bytes_of(inputs: Mapping[str, Array], arguments: Sequence[Argument], index: type) -> bytes:
    """Return the bytes of inputs, with indices in the type `index`."""
    given = [argument for argument in arguments if not argument.is_output]
    arrays = zip(given, inputs.values(), strict=True)
    return b"".join(
        np.ascontiguousarray(array, scalar_dtype(argument.element, index)).tobytes() for argument, array in arrays
    )


def output_bytes(program: RandomProgram, index: type) -> int:
    """Return the number of bytes of the outputs of one run."""
    return sum(prod(port.shape) * scalar_dtype(port.element, index).itemsize for port in program.results)


def results_of(program: RandomProgram, data: bytes, index: type) -> Results:
    """Return the outputs of one run from their bytes, as the interpreter names them."""
    results: Results = {}
    start = 0
    for place, port in enumerate(program.results):
        dtype, count = scalar_dtype(port.element, index), prod(port.shape)
        array = np.frombuffer(data, dtype, count, start).reshape(port.shape)
        results[f"result{place}"] = _normal(array, port.element)
        start += count * dtype.itemsize
    return results


def _normal(array: Array, element: str) -> Array:
    """Return an array in the interpreter's type; of a narrow integer the bits that it has."""
    if element == "i4":
        return (array << 4) >> 4
    if element == "i1":
        return (array.view(np.uint8) & 1).astype(np.bool_)
    return array.astype(DTYPES[element])


def run_batch(
    command: Sequence[str],
    programs: Sequence[RandomProgram],
    inputs: Sequence[Sequence[Mapping[str, Array]]],
    index: type,
) -> list[list[Results] | Failure]:
    """
    Run a process that computes all programs, each on its inputs; a program that ends it is skipped by the next process.

    The process first reads the number of the first program, of 32 bits.
    """
    results: list[list[Results] | Failure] = []
    while len(results) < len(programs):
        first = len(results)
        data = [
            b"".join(bytes_of(run, program.arguments, index) for run in runs)
            for program, runs in zip(programs[first:], inputs[first:], strict=True)
        ]
        output, errors, status = _finished(command, np.int32(first).tobytes() + b"".join(data))
        start = 0
        for program, runs in zip(programs[first:], inputs[first:], strict=True):
            size = output_bytes(program, index)
            if start + size * len(runs) > len(output):
                results.append(Failure(f"{status}: {errors.rpartition('@')[2].strip()[:1500]}"))
                break
            parts = [output[start + run * size : start + (run + 1) * size] for run in range(len(runs))]
            results.append([results_of(program, part, index) for part in parts])
            start += size * len(runs)
    return results


def _finished(command: Sequence[str], data: bytes) -> tuple[bytes, str, str]:
    """Return standard output, standard error and the status of a process."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            done = subprocess.run(command, stdin=file, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            return error.stdout or b"", (error.stderr or b"").decode(errors="replace"), f"longer than {SECONDS} s"
    return done.stdout, done.stderr.decode(errors="replace"), f"status {done.returncode}"
