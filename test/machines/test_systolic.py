"""
Programs of the systolic machine: near buffers whose types say what their bytes are, and transfers that transform.

Each is proved, computes on the interpreter, in the simulator's time and in C what NumPy does, at each level.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import Interpreter
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.runtime.toolchain import STRICT, compile_shared

Numbers = NDArray[Any]

FOLDER = Path(__file__).parent
LEVELS = {"planned": "", "explicit": "expand-grid", "pipelined": "expand-grid,pipeline-dma"}
LOOPS = "verify-levels,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops,normalize-memrefs"


@dataclass(frozen=True)
class Program:
    """A program of a machine: random inputs, and what NumPy computes from them."""

    machine: str
    inputs: Callable[[np.random.Generator], list[Numbers]]
    wanted: Callable[..., Numbers]


def _bytes(draw: np.random.Generator, *shape: int) -> Numbers:
    return draw.integers(-128, 128, shape, dtype=np.int8)


def _sums(draw: np.random.Generator, *shape: int) -> Numbers:
    return draw.integers(-5000, 5000, shape, dtype=np.int32)


def _scaled(sums: Numbers, low: int = -128) -> Numbers:
    """Scale and clip sums as the bodies of the transfers out do."""
    return np.clip((sums.astype(np.int32) * np.int32(77) + 8192) >> 14, low, 127).astype(np.int8)


def _matmul(a: Numbers, b: Numbers, bias: Numbers) -> Numbers:
    return _scaled(a.astype(np.int32) @ b.astype(np.int32) + bias)


def _square(draw: np.random.Generator) -> list[Numbers]:
    return [_bytes(draw, 64, 64), _bytes(draw, 64, 64), _sums(draw, 1, 64)]


def _chain(draw: np.random.Generator) -> list[Numbers]:
    return [*_square(draw), _bytes(draw, 64, 64), _sums(draw, 1, 64)]


def _two_matmuls(a: Numbers, b: Numbers, bias: Numbers, w: Numbers, bias2: Numbers) -> Numbers:
    return _matmul(_matmul(a, b, bias), w, bias2)


def _narrow(draw: np.random.Generator) -> list[Numbers]:
    return [_bytes(draw, 20, 10), _bytes(draw, 10, 10), _sums(draw, 1, 10)]


PROGRAMS = {
    "systolic_output_stationary": Program("systolic", _square, _matmul),
    "systolic_weight_stationary": Program("systolic", _square, _matmul),
    "systolic_chained": Program("systolic_local", _chain, _two_matmuls),
    "systolic_padded": Program("systolic", _narrow, _matmul),
}


def module_of(name: str, level: str) -> ModuleOp:
    """Return a program, lowered to a level."""
    module = parse_module(new_context(), (FOLDER / "programs" / f"{name}.mlir").read_text(encoding="utf-8"), name)
    verify(module)
    attach_machine(module, find_machine(FOLDER / f"{PROGRAMS[name].machine}.toml"))
    return lowered(module, LEVELS[level])


def lowered(module: ModuleOp, pipeline: str) -> ModuleOp:
    if pipeline:
        PassManager().run(module, parse_pipeline(pipeline, all_passes()), new_context())
    return module


def case_of(name: str) -> tuple[list[Numbers], Numbers]:
    """Return inputs of a program and what it has to compute."""
    inputs = PROGRAMS[name].inputs(np.random.default_rng(7))
    return inputs, PROGRAMS[name].wanted(*inputs)


@pytest.mark.sample(6)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_are_proved_and_compute(name: str, level: str) -> None:
    module = module_of(name, level)
    text = print_ir(module)
    assert print_ir(parse_module(new_context(), text)) == text
    verify_memory(module)
    inputs, wanted = case_of(name)
    out = np.zeros_like(wanted)
    Interpreter(module).call("network", [*inputs, out])
    assert np.array_equal(out, wanted)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_timed_with_data(name: str) -> None:
    inputs, wanted = case_of(name)
    arguments = {f"arg{index}": value for index, value in enumerate(inputs)}
    cycles: list[int] = []
    for level in ("explicit", "pipelined"):
        module = lowered(module_of(name, level), "verify-levels")
        (out,) = TimedSession(module).run(arguments).values()
        assert np.array_equal(out, wanted)
        cycles.append(simulate(module).cycles)
    assert cycles[1] < cycles[0]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_equal_in_c(name: str, tmp_path: Path) -> None:
    module = lowered(module_of(name, "pipelined"), LOOPS)
    inputs, wanted = case_of(name)
    out = np.zeros_like(wanted)
    Interpreter(module).call("network", [*inputs, out])
    assert np.array_equal(out, wanted)
    convert_to_emitc(module)
    (tmp_path / "network.c").write_text(render(module).text(), encoding="utf-8")
    library = ctypes.CDLL(str(compile_shared([tmp_path / "network.c"], STRICT)))
    for _ in range(2):
        out[...] = 0
        library.network_run(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, out)))
        assert np.array_equal(out, wanted)
