"""Kernels that take longer beside those of another engine, as both meet at the banks of a level."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.runtime.simulator import simulate
from tilewright.runtime.simulator.simulate import scheduled
from tilewright.test.machines.make import load_text

pytestmark = pytest.mark.quick

PROGRAM = """
#id = affine_map<(d0) -> (d0)>
func.func @network(%x: memref<4096xi8, "NEAR">, %y: memref<4096xi8, "NEAR"> {tilewright.output},
                   %u: memref<SIZExi8, "LEVEL">, %v: memref<SIZExi8, "LEVEL"> {tilewright.output}) {
  %job = hier.launch {
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<4096xi8, "NEAR">) outs(%y : memref<4096xi8, "NEAR">) attrs = {engine = "npu"} {
    ^bb0(%a: i8, %o: i8):
      linalg.yield %a : i8
    } loc("job")
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%u : memref<SIZExi8, "LEVEL">) outs(%v : memref<SIZExi8, "LEVEL">) attrs = {engine = "cores"} {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  } loc("kernel")
  hier.join %job loc("job")
  func.return
}
"""

MACHINE = """
description = "an accelerator beside cores"
[clock]
mhz = 100
[levels.FAR]
size = "1MiB"
[levels.NEAR]
size = "64KiB"
[links.dma]
far = "FAR"
near = "NEAR"
width = 8
[engines.cores]
level = "NEAR"
[engines.cores.runs]
"*" = { cost = "per_point", cycles = 1 }
[engines.npu]
level = "NEAR"
queue = 1
contention = 0.5
[engines.npu.runs]
"*" = { cost = "per_point", cycles = 1 }
"""


@pytest.mark.parametrize(
    ("size", "level", "cycles"),
    [
        pytest.param(1200, "NEAR", 4096 + 400, id="for as long as the kernel runs"),
        pytest.param(6200, "NEAR", 6200, id="hidden behind the kernel"),
        pytest.param(6000, "NEAR", 6096, id="nearly hidden"),
        pytest.param(1200, "FAR", 4096, id="in another level"),
    ],
)
def test_a_job_takes_longer_beside_a_kernel(tmp_path: Path, size: int, level: str, cycles: int) -> None:
    """Of the 1,200 cycles of a kernel beside it, a job that takes half as long again does the work of 800."""
    text = PROGRAM.replace("SIZE", str(size)).replace("LEVEL", level)
    module = parse_module(new_context(), text)
    attach_machine(module, load_text(MACHINE, tmp_path))
    simulation = simulate(module)
    assert simulation.cycles == scheduled(module, "network", load_text(MACHINE, tmp_path)).end() == cycles
    assert sum(layer.cycles for layer in simulation.layers) == cycles
