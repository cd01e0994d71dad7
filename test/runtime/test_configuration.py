"""Configuration registers of queues: followed by the proof, captured at issue by the interpreter, and misused."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect

from tilewright.dialects.core.instruction import (
    Configuration,
    Const,
    In,
    Out,
    Ref,
    Registers,
    Size,
    State,
    Stride,
    i8,
    instruction,
)
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes.proof.rules import Refusal
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module

pytestmark = pytest.mark.quick


class Load(Configuration):
    """Elements between far rows by id, and how many rows there are."""

    steps: Registers
    rows: int


def _far(cols: int, id: int, load: Load) -> tuple[tuple[int, int], ...]:
    return (load.rows, load.steps[id]), (cols, 1)


def _near(cols: int, load: Load) -> tuple[int, int]:
    return load.rows, cols


@instruction("cfg.step", c="cfg_step", queue="load", cycles=lambda: 1)
def step(far: Ref[Any], by: Annotated[int, Stride("far")], id: Const, load: State[Load]) -> None:
    """Set the elements between far rows."""
    load.steps[id] = by


@instruction("cfg.rows", c="cfg_rows", queue="load", cycles=lambda: 1)
def rows(n: Size, load: State[Load]) -> None:
    """Set the number of rows."""
    load.rows = n


@instruction("cfg.bring", c="cfg_bring", queue="load", cycles=lambda: 1, regions={"far": _far, "near": _near})
def bring(far: In[i8], near: Out[i8], cols: Const, id: Const, load: State[Load]) -> None:
    """Bring rows."""
    near.along((load.rows, 4), (cols, 1))[...] = far.along(*_far(cols, id, load))


@instruction("cfg.part", c="cfg_part", queue="load", cycles=lambda: 1, regions={"near": lambda: (2, 4)})
def part(near: Out[i8], load: State[Load]) -> None:
    """Write less than the region."""
    near.along((load.rows, 4), (4, 1))[...] = 0


@instruction("cfg.sets", c="cfg_sets", queue="load", cycles=lambda: 1, regions={"near": lambda: (2, 4)})
def sets(near: Out[i8], load: State[Load]) -> None:
    """Set a register besides an access."""
    near.along((2, 4), (4, 1))[...] = 0
    load.rows = 1


@instruction("cfg.fence", c="cfg_fence", fence=True)
def fence() -> None:
    """Wait for all queues."""


CFG = Dialect("cfg", [each.op for each in (step, rows, bring, part, sets, fence)])
CONTEXT = new_context()
CONTEXT.load_dialect(CFG)
CONFIGURE = """%n = arith.constant 2 : index
  cfg.rows %n
  cfg.step %x {by = array<i64: 0, 2>, id = 0 : i64} : memref<4x4xi8>
"""
BRING = "cfg.bring %x, %y {cols = 4 : i64, id = 0 : i64} : memref<4x4xi8>, memref<2x4xi8>\n"


def module_of(body: str) -> ModuleOp:
    text = f"""func.func @network(%x: memref<4x4xi8>, %y: memref<2x4xi8> {{tilewright.output}}) {{
  {body}
  cfg.fence
  func.return
}}"""
    module = parse_module(CONTEXT, text)
    verify(module)
    return module


def run(module: ModuleOp, seed: int | None = None) -> list[list[int]]:
    (found,) = run_module(module, {"arg0": np.arange(16, dtype=np.int8).reshape(4, 4)}, interleave=seed).values()
    return found.tolist()


def test_an_instruction_takes_the_registers_of_its_issue() -> None:
    module = module_of(CONFIGURE + BRING + "cfg.step %x {id = 0 : i64} : memref<4x4xi8>")
    verify_memory(module)
    assert {str(run(module, seed)) for seed in (None, *range(6))} == {str([[0, 1, 2, 3], [8, 9, 10, 11]])}


FAULTS = {
    "a register that nothing has set": (BRING, "the register Load.rows is used, which no instruction has set", True),
    "a register by number that nothing has set": (
        CONFIGURE.replace("id = 0", "id = 1") + BRING,
        r"the register Load.steps\[0\] is used",
        True,
    ),
    "rows beyond the buffer": (CONFIGURE.replace("0, 2>", "0, 4>") + BRING, "out of bounds of its buffer", True),
    "fewer rows than the output has": (CONFIGURE.replace("constant 2", "constant 1") + BRING, "not written com", False),
    "a region that is not written completely": (
        CONFIGURE.replace("constant 2", "constant 1") + "cfg.part %y : memref<2x4xi8>",
        "leaves elements of its region unwritten",
        False,
    ),
    "more than the region": (
        CONFIGURE.replace("constant 2", "constant 3") + "cfg.part %y : memref<2x4xi8>",
        "outside of the region that its record declares",
        True,
    ),
    "an access that configures": (
        CONFIGURE + "cfg.sets %y : memref<2x4xi8>",
        "accesses buffers sets the register Load.rows",
        True,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused_and_stop_the_run(fault: str) -> None:
    body, message, stops = FAULTS[fault]
    module = module_of(body)
    with pytest.raises(Refusal, match=message):
        verify_memory(module)
    if stops:
        with pytest.raises(Diagnostic, match=message):
            run(module)


def test_a_configuration_that_depends_on_data_is_refused() -> None:
    load = """%zero = arith.constant 0 : index
  %e = memref.load %x[%zero, %zero] : memref<4x4xi8>
  %n = arith.index_cast %e : i8 to index
"""
    with pytest.raises(Refusal, match=r"the configuration that 'cfg\.rows' sets depends on data"):
        verify_memory(module_of(CONFIGURE.replace("%n = arith.constant 2 : index", load) + BRING))


def test_a_configuration_is_of_a_queue() -> None:
    with pytest.raises(Diagnostic, match="takes the configuration of a queue and is on none"):

        @instruction("cfg.core", c="cfg_core")
        def core(load: State[Load]) -> None: ...
