"""
Programs of instructions on queues: proved, equal to NumPy in any legal order, timed, equal in C, and faults refused.

The target is a folder beside this file, as one outside of the repository would be.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.targets import machine_named
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.discovery import scope
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
NAMES = ("os", "ws", "chained")
SEEDS = range(100)


@pytest.fixture(scope="module", autouse=True)
def target() -> Iterator[None]:
    with scope():
        machine_named(str(FOLDER / "systolic"))
        yield


def text_of(name: str) -> str:
    return (FOLDER / "programs" / f"systolic_instructions_{name}.mlir").read_text(encoding="utf-8")


def module_of(text: str) -> ModuleOp:
    module = parse_module(new_context(), text)
    verify(module)
    attach_machine(module, find_machine(str(FOLDER / "systolic")))
    return module


def _layer(a: Numbers, b: Numbers, bias: Numbers, low: int = -128) -> Numbers:
    sums = a.astype(np.int64) @ b.astype(np.int64) + bias
    return np.clip((sums * 77 + (1 << 13)) >> 14, low, 127).astype(np.int8)


def case_of(name: str) -> tuple[list[Numbers], Numbers]:
    """Return inputs of a program, and what NumPy computes of them."""
    draw = np.random.default_rng(7)

    a, b, w = (draw.integers(-128, 128, (32, 32), np.int8) for _ in range(3))
    bias, bias2 = (draw.integers(-5000, 5000, (1, 32), np.int32) for _ in range(2))
    if name != "chained":
        return [a, b, bias], _layer(a, b, bias, low=0 if name == "os" else -128)
    return [a, b, bias, w, bias2], _layer(_layer(a, b, bias), w, bias2)


def result_of(module: ModuleOp, name: str, seed: int | None) -> Numbers:
    inputs, wanted = case_of(name)
    out = np.zeros_like(wanted)
    Interpreter(module, interleave=seed).call("network", [*inputs, out])
    return out


@pytest.mark.parametrize("name", NAMES)
def test_programs_print_and_are_proved(name: str) -> None:
    module = module_of(text_of(name))
    text = print_ir(module)
    assert print_ir(parse_module(new_context(), text)) == text
    for plain in (True, False):
        verify_memory(module, plain=plain)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_same_in_any_order(name: str) -> None:
    module, wanted = module_of(text_of(name)), case_of(name)[1]
    for seed in (None, *SEEDS):
        assert np.array_equal(result_of(module, name, seed), wanted), seed


@pytest.mark.parametrize("name", NAMES)
def test_queues_overlap_and_compute_in_time(name: str) -> None:
    module = module_of(text_of(name))
    inputs, wanted = case_of(name)
    (out,) = TimedSession(module).run({f"arg{index}": value for index, value in enumerate(inputs)}).values()
    assert np.array_equal(out, wanted)
    simulation = simulate(module)
    busy = {engine.name: engine.busy for engine in simulation.engines}
    queues = [f"array.{queue}" for queue in ("load", "execute", "store")]
    assert max(busy[queue] for queue in queues) < simulation.cycles < sum(busy[queue] for queue in queues)
    assert sum(layer.cycles for layer in simulation.layers) == simulation.cycles
    assert {event.resource for event in simulation.events} == set(queues)


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_equal_in_c(name: str, tmp_path: Path) -> None:
    module = module_of(text_of(name))
    PassManager().run(module, parse_pipeline("allocate-static", all_passes()), new_context())
    assert np.array_equal(result_of(module, name, None), case_of(name)[1])
    convert_to_emitc(module)
    (tmp_path / "network.c").write_text(render(module).text(), encoding="utf-8")
    flags = [*STRICT, f"-I{FOLDER / 'systolic' / 'c'}"]
    library = ctypes.CDLL(str(compile_shared([tmp_path / "network.c"], flags)))
    inputs, wanted = case_of(name)
    out = np.zeros_like(wanted)
    library.network_run(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, out)))
    assert np.array_equal(out, wanted)
