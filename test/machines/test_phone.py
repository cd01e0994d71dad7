"""Programs of the phone-class machine: stages on several processors, with streams between them."""

from __future__ import annotations

import subprocess
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
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.simulator import TimedSession, simulate

FOLDER = Path(__file__).parent
PIPELINE = (FOLDER / "programs" / "phone_pipeline.mlir").read_text(encoding="utf-8")
SLOT = "!hier.stream<memref<1x64xf32>>"

MAIN = """
#include <stdio.h>

void network_run(float x[384], float y[384]);

int main(void)
{
    static float x[384], y[384];
    for (int call = 0; call < 20; ++call) {
        for (int k = 0; k < 384; ++k)
            x[k] = (float)((k + call) % 17) - 8.0f;
        network_run(x, y);
        for (int k = 0; k < 384; ++k)
            if (y[k] != 4.0f * x[k] * x[k] + x[k])
                return 1;
    }
    puts("equal");
    return 0;
}
"""


def _module(text: str = PIPELINE) -> ModuleOp:
    module = parse_module(new_context(), text)
    verify(module)
    attach_machine(module, find_machine(FOLDER / "phone.toml"))
    return module


def _inputs() -> dict[str, NDArray[Any]]:
    return {"x": np.random.default_rng(5).integers(-8, 8, (6, 64)).astype(np.float32)}


def _wanted(x: NDArray[Any]) -> NDArray[Any]:
    return (2 * x) ** 2 + x


def test_a_pipeline_is_proved_and_equal_under_all_seeds() -> None:
    module, inputs = _module(), _inputs()
    assert print_ir(parse_module(new_context(), print_ir(module))) == print_ir(module)
    verify_memory(module)
    for seed in (None, *range(100)):
        assert np.array_equal(run_module(module, inputs, interleave=seed)["y"], _wanted(inputs["x"]))


@pytest.mark.parametrize("flags", [["-O2"], ["-O1", "-fsanitize=thread"], ["-O1", "-fsanitize=address,undefined"]])
def test_a_pipeline_runs_as_threads(flags: list[str], tmp_path: Path) -> None:
    module = _module()
    lowering = parse_pipeline("outline-kernels,convert-kernels-to-loops", all_passes())
    PassManager().run(module, lowering, new_context())
    convert_to_emitc(module)
    (tmp_path / "network.c").write_text(render(module).text(), encoding="utf-8")
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["gcc", *strict, *flags, "network.c", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    ran = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "equal\n", "")


def _without(text: str, part: str, after: str = "") -> str:
    """Return a text without the first occurrence of a part after another one."""
    at = text.index(part, text.index(after))
    return text[:at] + text[at + len(part) :]


FAULTS = {
    "a release is dropped": (_without(PIPELINE, f"hier.release %s1 : {SLOT}"), "deadlock"),
    "a push comes before the tile": (
        _without(PIPELINE, f"hier.push %skip : {SLOT}").replace(
            "memref.copy %t, %k", f"hier.push %skip : {SLOT}\n        memref.copy %t, %k"
        ),
        "race",
    ),
    "a release is early": (
        PIPELINE.replace("%u = hier.reserve %s1", "hier.release %s0 : " + SLOT + "\n        %u = hier.reserve %s1", 1),
        "race",
    ),
    "one frame is read fewer": (PIPELINE.replace("6 : index", "7 : index"), "inside"),
    "the skip stream is read after one more": (
        PIPELINE.replace("%u = hier.pop %s1", f"hier.release %s1 : {SLOT}\n        %u = hier.pop %s1"),
        "balance",
    ),
    "a semaphore waits in a circle": (
        PIPELINE.replace("%s1 =", "%go = hier.stream depth 1 : !hier.stream\n  %s1 =")
        .replace(
            "%t = hier.reserve %s0",
            "hier.pop %go : !hier.stream\n        hier.release %go : !hier.stream\n        %t = hier.reserve %s0",
        )
        .replace(
            "hier.release %s0",
            "hier.reserve %go : !hier.stream\n        hier.push %go : !hier.stream\n        hier.release %s0",
        ),
        "deadlock",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_pipeline_is_refused(name: str) -> None:
    text, rule = FAULTS[name]
    with pytest.raises(Diagnostic, match=f"rule '{rule}'"):
        verify_memory(_module(text))


@pytest.mark.quick
def test_the_simulator_runs_programs_at_once() -> None:
    """The bottleneck decides the period: the GPU takes 4,644 cycles a frame, and the others wait for it."""
    module, inputs = _module(), _inputs()
    simulation = simulate(module)
    busy_events = [event for event in simulation.events if not event.kind.startswith("wait")]
    gpu = [event for event in busy_events if event.resource == "gpu"]
    starts = [event.start for event in gpu]
    assert np.diff(starts).tolist() == [gpu[0].end - gpu[0].start] * 5
    busy = sum(event.end - event.start for event in busy_events)
    assert simulation.cycles < busy
    assert np.array_equal(TimedSession(module).run(inputs)["y"], _wanted(inputs["x"]))


@pytest.mark.quick
def test_the_simulator_stops_at_a_deadlock() -> None:
    with pytest.raises(Diagnostic, match="program 'big' blocks forever"):
        simulate(_module(FAULTS["a release is dropped"][0]))
