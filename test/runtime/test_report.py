"""The report of a compiled network: memory by level, stack, modelled time, and work before it becomes instructions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tilewright.compiler import Compilation, Model, compile_model, write_compilation
from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend import zoo
from tilewright.passes.core.manager import PassManager
from tilewright.runtime.report import ReportObserver
from tilewright.runtime.simulator.table import summary
from tilewright.runtime.toolchain import compiler
from tilewright.runtime.tools import profile
from tilewright.test.machines.make import FOLDER
from tilewright.test.runtime.simulator.instructions import with_instructions
from tilewright.test.small_models import save, small


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("report") / "small.onnx"
    save(small(), path)
    return Model(path)


@pytest.fixture(scope="module")
def siracusa(model: Model) -> Compilation:
    return compile_model(model, "siracusa")


@pytest.mark.nightly
def test_memories_that_functions_share_count_once(tmp_path: Path) -> None:
    (tmp_path / "llama.onnx").write_bytes(zoo.build("llama").SerializeToString())
    compilation = compile_model(Model(tmp_path / "llama.onnx", context=16, bucket=8), "siracusa")
    assert compilation.report["arena"]["bytes"] == compilation.program().arena_bytes


def test_levels_hold_all_static_memory(siracusa: Compilation) -> None:
    """The arena is that of the header, in whatever level it lies."""
    report, program = siracusa.report, siracusa.program()
    levels = {level["name"]: level for level in report["levels"]}
    assert list(levels) == ["L2", "WMEM", "L1"]
    assert report["arena"]["bytes"] == program.arena_bytes == levels["L1"]["arena"] > 0
    assert report["weights_bytes"] == program.weights_bytes == sum(level["weights"] for level in levels.values())
    assert levels["WMEM"]["weights"] > 0
    assert all(level["arena"] + level["weights"] + level["state"] <= level["size"] for level in levels.values())
    assert report["flash"] == {"weights": program.weights_bytes, "code": None}


@pytest.mark.parametrize("target", ["host", "native", "siracusa"])
def test_modelled_cycles_are_those_of_the_profile(model: Model, target: str) -> None:
    report, simulation = compile_model(model, target).report, profile.profile(model, target)
    assert report["modelled_cycles"] == simulation.cycles > 0
    assert report["modelled_cold_cycles"] == simulation.cold_cycles


def test_code_of_the_first_call_is_fetched(model: Model) -> None:
    simulation = profile.profile(model, "siracusa")
    assert simulation.cold_cycles is not None
    assert simulation.cold_cycles > simulation.cycles
    assert f"{simulation.cold_cycles:,} in the first call" in summary(simulation)
    assert profile.profile(model, "native").cold_cycles is None


def test_a_machine_without_an_instruction_cache_fetches_no_code(model: Model) -> None:
    assert profile.profile(model, "gemmini").cold_cycles is None


@pytest.mark.parametrize("before", ["outline-kernels", "expand-grid"])
def test_work_that_becomes_instructions_counts(model: Model, before: str) -> None:
    target = str(FOLDER / "two_level_8k.toml")
    module, observer = model.load(), ReportObserver()
    pipeline = with_instructions(target, before)
    end = [step.name for step in pipeline.steps].index("convert-dma-to-loops")
    # The instructions stand for their kernels by name only: the proof would miss what they write.
    steps = tuple(step for step in pipeline.steps[:end] if step.name != "verify-memory")
    PassManager([observer]).run(module, type(pipeline)(steps), new_context())
    report = observer.content
    assert report["macs"] == sum(layer["macs"] for layer in report["layers"]) == (3 * 4 * 4) * (2 * 3 * 3)
    assert [layer["nodes"] for layer in report["layers"]] == [["conv", "requant"]]
    assert not report["folded"]


def stack_of(folder: Path, level: str) -> int:
    """Return the bytes of stack along the deepest chain of calls, as gcc gives them for each function."""
    words = [*compiler(), "-std=c11", level, "-fcallgraph-info=su", f"-I{folder}", "-c", str(folder / "network.c")]
    subprocess.run([*words, "-o", str(folder / "network.o")], check=True, capture_output=True, cwd=folder)
    text = next(folder.glob("*.ci")).read_text()
    sizes = {name: int(size) for name, size in re.findall(r'title: "([^"]*)" label: "[^"]*?(\d+) bytes', text)}
    calls = re.findall(r'sourcename: "([^"]*)" targetname: "([^"]*)"', text)

    def depth(name: str) -> int:
        return sizes.get(name, 0) + max((depth(called) for caller, called in calls if caller == name), default=0)

    return max(map(depth, sizes))


@pytest.mark.sample(2)
@pytest.mark.parametrize("level", ["-O1", "-O2"])
@pytest.mark.parametrize(("network", "target"), [("ds-cnn", "host"), ("ds-cnn", "native-avx2"), ("mlp", "native")])
def test_the_stack_bound_is_one(network: str, target: str, level: str, tmp_path: Path) -> None:
    path = tmp_path / f"{network}.onnx"
    save(zoo.build(network), path)
    compilation = compile_model(Model(path), target)
    write_compilation(compilation, tmp_path / "build")
    assert 0 < stack_of(tmp_path / "build", level) <= compilation.report["stack_bytes"]
