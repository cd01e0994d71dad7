"""
Programs of instructions on queues: proved, equal to NumPy in any legal order, timed, equal in C, and faults refused.

The target is a folder beside this file, as one outside of the repository would be.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from itertools import pairwise
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
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.proof.rules import Refusal
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import Interpreter
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.runtime.toolchain import STRICT, compile_shared
from tilewright.runtime.tools.replay import replay

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


@pytest.mark.sample(1)
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


# Faults


def without(text: str, line: str, count: int = 1) -> str:
    assert line in text
    return text.replace(line, "", count)


def moved(text: str, word: str, behind: str) -> str:
    """Move the line with a word behind the line with another one."""
    lines = text.split("\n")
    line = next(each for each in lines if word in each)
    lines.remove(line)
    lines.insert(next(index for index, each in enumerate(lines) if behind in each) + 1, line)
    return "\n".join(lines)


FENCE = "    systolic.fence\n"


def differs(text: str, name: str) -> bool:
    """Return whether a program is wrong under a seed."""
    module, wanted = module_of(text), case_of(name)[1]
    return any(not np.array_equal(result_of(module, name, seed), wanted) for seed in SEEDS)


def test_a_missing_fence_is_refused_and_wrong_in_some_order() -> None:
    text = without(text_of("chained"), FENCE)
    message = r"'systolic\.mvin' reads operand 0 \(%a\), which 'systolic\.mvout' on the queue 'store' still writes"
    module, (inputs, _) = module_of(text), case_of("chained")
    with pytest.raises(Refusal, match=message) as error:
        verify_memory(module)
    assert replay(module, error.value, {f"arg{index}": each for index, each in enumerate(inputs)}, seeds=20) is not None
    assert error.value.remedy == "insert a fence between 'systolic.mvout' and 'systolic.mvin'"
    assert np.array_equal(result_of(module_of(text), "chained", None), case_of("chained")[1])
    assert differs(text, "chained")


def test_a_missing_fence_shows_in_time() -> None:
    inputs, wanted = case_of("chained")
    session = TimedSession(module_of(without(text_of("chained"), FENCE)))
    (out,) = session.run({f"arg{index}": value for index, value in enumerate(inputs)}).values()
    assert not np.array_equal(out, wanted)


def test_instructions_in_flight_at_the_end_are_refused() -> None:
    text = without(text_of("os"), FENCE)
    with pytest.raises(Diagnostic, match=r"on the queue 'load' is never awaited \(rule 'fence'\)"):
        verify_memory(module_of(text))
    assert differs(text, "os")


PRELOAD, COMPUTE, BRING = "systolic.preload", "systolic.compute_preloaded", "systolic.mvin %b"
FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "compute before its weights": (lambda text: moved(text, PRELOAD, COMPUTE), "takes execute.weights, which nothing"),
    "load after compute": (lambda text: moved(text, BRING, COMPUTE), "reads .*, which nothing has written"),
    "load after preload": (lambda text: moved(text, BRING, PRELOAD), "reads .*, which nothing has written"),
    "too few rows brought": (lambda text: text.replace("{rows = 16", "{rows = 8", 1), "which nothing has written"),
    "too few rows stored": (
        lambda text: text.replace("%c[%row, %col] {rows = 16", "%c[%row, %col] {rows = 8"),
        "the output %c is not written completely",
    ),
    "the other slot": (lambda text: text.replace("%sb[%k", "%sb[%zero", 1), "which nothing has written"),
    "a row too far": (lambda text: text.replace("%a[%row, %zero]", "%a[%row, %one]", 1), "rule 'inside'"),
    "overlapping addresses": (lambda text: text.replace("constant 1024", "constant 768", 1), "rule 'disjoint'"),
    "no bias": (
        lambda text: without(text, next(e for e in text.split("\n") if "mvin_acc" in e)),
        "nothing has written",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_refused(fault: str) -> None:
    plant, message = FAULTS[fault]
    text = plant(text_of("os"))
    assert text != text_of("os")
    with pytest.raises(Diagnostic, match=message):
        verify_memory(module_of(text))


def mutants(text: str) -> Iterator[str]:
    """Yield a program with each instruction dropped, and with each two neighbours exchanged."""
    lines = text.split("\n")
    own = [index for index, line in enumerate(lines) if line.strip().startswith("systolic.")]
    yield from ("\n".join([*lines[:index], *lines[index + 1 :]]) for index in own)
    for a, b in pairwise(own):
        if b == a + 1:
            yield "\n".join([*lines[:a], lines[b], lines[a], *lines[b + 1 :]])


def _outcome(module: ModuleOp, name: str, seed: int | None) -> object:
    try:
        return result_of(module, name, seed).tobytes()
    except Diagnostic as error:
        return error.message


def test_what_depends_on_the_order_is_refused() -> None:
    found: dict[tuple[bool, bool], int] = {}
    for text in mutants(text_of("os")):
        module = module_of(text)
        try:
            verify_memory(module)
            is_refused = False
        except Diagnostic:
            is_refused = True
        depends = len({_outcome(module, "os", seed) for seed in (None, 1, 3, 5, 7)}) > 1
        found[is_refused, depends] = found.get((is_refused, depends), 0) + 1
    assert found.get((False, True), 0) == 0
    assert found[True, True] + found.get((True, False), 0) > 5


def test_regions_of_different_rows_do_not_conflict() -> None:
    two = simulate(module_of(text_of("os"))).cycles
    one = simulate(module_of(text_of("os").replace("%sb[%k", "%sb[%zero"))).cycles
    assert two < one


def test_a_full_queue_blocks_the_core(tmp_path: Path) -> None:
    module = module_of(text_of("os"))
    deep = simulate(module).cycles
    include = f'include = "{FOLDER / "systolic" / "machine.toml"}"'
    queues = "[engines.array]\nqueues = { load = 1, execute = 1, store = 1 }"
    (tmp_path / "shallow.toml").write_text(f"{include}\n{queues}\n", encoding="utf-8")
    attach_machine(module, find_machine(tmp_path / "shallow.toml"))
    assert simulate(module).cycles > deep
    assert np.array_equal(result_of(module, "os", 3), case_of("os")[1])


def test_a_core_that_issues_slowly_bounds_the_cycles(tmp_path: Path) -> None:
    module, found = module_of(text_of("os")), list[int]()
    quick, include = simulate(module).cycles, f'include = "{FOLDER / "systolic" / "machine.toml"}"'
    for cycles in (1000, 2000, 3000):
        file = tmp_path / f"{cycles}.toml"
        file.write_text(f"{include}\n[engines.array]\nprogram = {{ instruction = {cycles} }}\n")
        attach_machine(module, find_machine(file))
        simulation = simulate(module)
        assert sum(layer.cycles for layer in simulation.layers) == simulation.cycles
        found.append(simulation.cycles)
    more = [second - first for first, second in pairwise(found)]
    assert more[0] == more[1] > 10 * 1000
    assert more[0] % 1000 == 0
    assert more[0] < found[0] < more[0] + quick


def test_nothing_is_interlocked_without_a_machine() -> None:
    module = parse_module(new_context(), text_of("os"))
    with pytest.raises(Diagnostic, match=r"still writes .*rule 'race'"):
        verify_memory(module)


def test_a_queue_that_the_machine_lacks(tmp_path: Path) -> None:
    module = module_of(text_of("os"))
    (tmp_path / "other.toml").write_text(
        f'include = "{FOLDER / "systolic.toml"}"\n[engines.array]\nqueues = {{ loads = 4 }}\n', encoding="utf-8"
    )
    attach_machine(module, find_machine(tmp_path / "other.toml"))
    message = "the machine has no queue 'load', which 'systolic.config_ld' names"
    checks: list[Callable[[], object]] = [
        lambda: verify_memory(module),
        lambda: simulate(module),
        lambda: result_of(module, "os", None),
    ]
    for check in checks:
        with pytest.raises(Diagnostic, match=message) as error:
            check()
        assert error.value.remedy == "did you mean 'loads'?"


def test_queues_take_no_part_in_parallel_loops() -> None:
    text = without(text_of("os"), FENCE)
    text = text.replace("scf.for %i = %zero to %two step %one {", "scf.parallel (%i) = (%zero) to (%two) step (%one) {")
    text = text.replace("      }\n    }\n    func.return", "      }\n      scf.reduce\n    }\n    func.return")
    with pytest.raises(Diagnostic, match="is in a parallel loop, a launch or a concurrent program"):
        verify_memory(module_of(text))


CONFIGURATIONS = {
    "no configuration of loads": (
        "config_ld %a",
        None,
        r"the register Load.strides\[0\] is used, which no instruction",
    ),
    "no configuration of the array": ("config_ex", None, "the register Execute.transposes is used"),
    "no configuration of stores": ("config_st", None, "the register Store.stride is used"),
    "another id": ("config_ld %bias", ("id = 1", "id = 0"), r"the register Load.strides\[1\] is used"),
    "blocks too far apart": ("config_ld %a", ("block = 16", "block = 24"), "nothing has written|is out of bounds"),
    "blocks that overlap": ("config_ld %a", ("block = 16", "block = 8"), "writes an element twice"),
    "rows too far apart": ("config_st", ("<i64: 0, 1>", "<i64: 0, 2>"), "is out of bounds"),
}


@pytest.mark.parametrize("fault", CONFIGURATIONS)
def test_faults_of_configurations_are_refused_and_stop_the_run(fault: str) -> None:
    word, change, message = CONFIGURATIONS[fault]
    line = next(each for each in text_of("os").split("\n") if word in each)
    module = module_of(text_of("os").replace(line, "" if change is None else line.replace(*change)))
    with pytest.raises(Refusal, match=message):
        verify_memory(module)
    with pytest.raises(Diagnostic, match=message):
        result_of(module, "os", None)
