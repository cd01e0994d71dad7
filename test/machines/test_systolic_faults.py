"""Faults planted in the programs of the systolic machine: refused, or without an effect on any result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.machines.make import FOLDER

MACHINES = {
    "output_stationary": "systolic",
    "weight_stationary": "systolic",
    "chained": "systolic_local",
    "padded": "systolic",
}
BIAS = "%pbias[0, %j * 16] [16, 16] starts 0 broadcast [0]"

FAULTS = [
    ("output_stationary", BIAS, BIAS.replace("* 16", "* 8"), "whole-kernel"),
    ("output_stationary", BIAS, BIAS.replace(" broadcast [0]", ""), "out of bounds|leaves|fill"),
    ("output_stationary", ", starts = affine_map<(d0, d1, d2) -> (0, d1)>, operand = array<i64: 1, 64>", "", "whole"),
    ("output_stationary", "%ta = %pa[0, %k * 16]", "%ta = %pa[0, %j * 16]", "whole-kernel"),
    ("output_stationary", "%tb = %pb[%k * 16, %j * 16]", "%tb = %pb[%j * 16, %k * 16]", "whole-kernel"),
    ("output_stationary", "address 2048 stages 2", "address 1024 stages 2", "disjoint"),
    ("weight_stationary", "%k * 16", "%k * 8", "whole-kernel|rule"),
    ("padded", "fill 0 : i8", "fill 1 : i8", "whole-kernel"),
    ("padded", "address 512 fill", "address 256 fill", "disjoint"),
    ("chained", "hier.address = 4096", "hier.address = 512", "apart|rule"),
]


def text_of(name: str) -> str:
    return (FOLDER / "programs" / f"systolic_{name}.mlir").read_text(encoding="utf-8")


def module_of(name: str, text: str, pipeline: str = "") -> ModuleOp:
    module = parse_module(new_context(), text)
    verify(module)
    attach_machine(module, find_machine(FOLDER / f"{MACHINES[name]}.toml"))
    if pipeline:
        PassManager().run(module, parse_pipeline(pipeline, all_passes()), new_context())
    return module


@pytest.mark.quick
@pytest.mark.parametrize(("name", "old", "new", "said"), FAULTS)
def test_a_fault_is_refused(name: str, old: str, new: str, said: str) -> None:
    text = text_of(name)
    assert old in text
    with pytest.raises(Diagnostic, match=said):
        verify_memory(module_of(name, text.replace(old, new)))


def without_each_wait(text: str) -> Iterator[str]:
    """Yield a text without each of its waits in turn."""
    for match in re.finditer(r" *hier\.dma_wait [^\n]*\n", text):
        yield text[: match.start()] + text[match.end() :]


def is_refused(module: ModuleOp) -> bool:
    try:
        verify_memory(module)
    except Diagnostic:
        return True
    return False


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["output_stationary", "weight_stationary", "padded"])
def test_a_dropped_wait_is_refused_or_changes_nothing(name: str) -> None:
    pipelined = module_of(name, text_of(name), "expand-grid,pipeline-dma")
    inputs = random_inputs(pipelined, 3)
    wanted = run_module(pipelined, inputs)
    refused = 0
    for text in without_each_wait(print_ir(pipelined)):
        module = module_of(name, text)
        if is_refused(module):
            refused += 1
        else:
            assert all(same(run_module(module, inputs, interleave=seed), wanted) for seed in range(4))
    assert refused > 2


def same(found: dict[str, Array], wanted: dict[str, Array]) -> bool:
    return all(np.array_equal(found[name], value) for name, value in wanted.items())


@pytest.mark.parametrize("missing", ["scale", "convert", "broadcast", "layout"])
def test_a_link_without_a_capability_is_refused(missing: str, tmp_path: Path) -> None:
    text = (FOLDER / "systolic.toml").read_text(encoding="utf-8")
    assert f'"{missing}"' in text
    (tmp_path / "systolic.toml").write_text(re.sub(rf'(, )?"{missing}"(?=[,\]])', "", text).replace("[, ", "["))
    module = parse_module(new_context(), text_of("output_stationary"))
    attach_machine(module, find_machine(tmp_path / "systolic.toml"))
    pipeline = parse_pipeline("expand-grid,verify-levels", all_passes())
    with pytest.raises(Diagnostic, match=missing):
        PassManager().run(module, pipeline, new_context())
