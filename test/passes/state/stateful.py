"""Networks with state: imported, lowered to a phase, and run step after step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes.core.manager import PassManager
from tilewright.passes.introduce_state import introduce_state
from tilewright.test.random.networks.attention import (
    Attention,
    inputs_of,
    mask_of,
)

NEAR = str(Path(__file__).parents[2] / "machines" / "two_level_16k.toml")


STRICT = ("-Wall", "-Wextra", "-Werror")


def with_state(model: Any, context: int, bucket: int = 0) -> ModuleOp:
    module = import_model(model)
    introduce_state(module, functions(module)[0], context, bucket)
    verify(module)
    return module


def lowered(module: ModuleOp, phase: str, machine: str = "host") -> ModuleOp:
    pipeline = pipeline_of(machine_named(machine)).select(stop_after=phase)
    PassManager([], verify_each=False, verify_phases=True).run(module, pipeline, new_context())
    return module


def stepped(spec: Attention, run: Any, steps: list[Any], context: int) -> list[Any]:
    mask = mask_of(spec, context)
    return [run({**rows, **mask, "position": np.array([i * spec.new])})["y"] for i, rows in enumerate(steps)]


def made_dirty(spec: Attention, run: Any, context: int) -> Any:
    """Fill a state with other rows, which are to be written anew, and return what runs the network."""
    stepped(spec, run, inputs_of(spec, context // spec.new, seed=7), context)
    return run


def check_equal(found: list[Any], expected: list[Any]) -> None:
    for step, (a, b) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(a, b, err_msg=f"step {step}")
