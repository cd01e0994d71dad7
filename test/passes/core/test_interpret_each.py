from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.passes import ModulePass

from tilewright.errors import Diagnostic
from tilewright.ir import Array, new_context, parse_module
from tilewright.passes.core.interpret import InterpretEach, Interpreter, compare, read_arrays
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class SetPass(ModulePass):
    """Sets the constant of the program: a fault, where it is another than before."""

    name = "set"

    value: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constant = next(each for each in op.walk() if isinstance(each, arith.ConstantOp))
        constant.properties["value"] = IntegerAttr(self.value, 32)


def add_constant(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Run a program whose output is its input plus its constant; it does not run where that is negative."""
    constant = next(each for each in module.walk() if isinstance(each, arith.ConstantOp))
    value = constant.properties["value"]
    assert isinstance(value, IntegerAttr)
    if value.value.data < 0:
        raise Diagnostic("no rule for arith.constant")
    return {"y": inputs["x"] + value.value.data}


def random_inputs(module: ModuleOp, seed: int) -> Mapping[str, Array]:
    return {"x": np.random.default_rng(seed).integers(0, 9, (2, 3))}


def run(pipeline: str, inputs: Path | None = None) -> None:
    context = new_context()
    module = parse_module(context, "%0 = arith.constant 1 : i32")
    observer = InterpretEach(Interpreter(add_constant, random_inputs), inputs, seed=3)
    PassManager([observer]).run(module, parse_pipeline(pipeline, {"set": lambda: SetPass}, {}), context)


def test_passes_that_keep_the_answer():
    run("set{value=1},set{value=1}")


def test_the_guilty_pass_is_named():
    with pytest.raises(Diagnostic) as caught:
        run("set{value=1},set{value=2},set{value=3}")
    assert caught.value.stage == "set, pass 2 of 3"
    assert caught.value.message == "the answer changes: output 'y', first at y[0, 0], 6 of 6 values differ"
    first = int(random_inputs(ModuleOp([]), 3)["x"][0, 0])
    assert (caught.value.expected, caught.value.found) == (f"{first + 1} (int64)", f"{first + 2} (int64)")


def test_a_program_that_no_longer_runs():
    with pytest.raises(Diagnostic, match="the program does not run after the pass: no rule for") as caught:
        run("set{value=-1}")
    assert caught.value.stage == "set, pass 1 of 1"


def test_inputs_come_from_a_file(tmp_path: Path):
    np.savez(tmp_path / "in.npz", x=np.array([40]))
    with pytest.raises(Diagnostic) as caught:
        run("set{value=2}", tmp_path / "in.npz")
    assert caught.value.expected == "41 (int64)"


@pytest.mark.parametrize("content", [None, b"", b"no archive"])
def test_inputs_that_cannot_be_read(tmp_path: Path, content: bytes | None):
    file = tmp_path / "in.npz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(Diagnostic, match="the inputs cannot be read") as caught:
        read_arrays(file)
    assert caught.value.source == str(file)


@pytest.mark.parametrize(
    ("expected", "found", "equal"),
    [
        (np.array([1, 2]), np.array([1, 2], np.int8), True),
        (np.array([1.0, 2.0], np.float32), np.array([1, 2], np.int8), True),
        (np.array([20000.0]), np.array([20001.0]), False),
        (np.array([0.5, 20000.0]), np.array([0.5, 20001.0]), True),
        (np.array([0.5]), np.array([0.5001]), False),
        (np.array([0.5]), np.array([0.50001]), True),
        (np.array([np.inf, np.nan, -np.inf]), np.array([np.inf, np.nan, -np.inf]), True),
        (np.array([np.inf]), np.array([-np.inf]), False),
        (np.array([np.nan]), np.array([0.0]), False),
        (np.array([True]), np.array([1.0]), True),
        (np.array(3), np.array(4), False),
        (np.zeros((1, 2)), np.zeros(2), False),
        (np.zeros((0, 2)), np.zeros((0, 2)), True),
        (np.array([-1], np.int8), np.array([255], np.uint8), False),
    ],
)
def test_comparison(expected: Array, found: Array, equal: bool):
    assert (compare({"y": expected}, {"y": found}) is None) is equal


def test_the_first_difference_is_shown():
    difference = compare({"y": np.array([[1, 2], [3, 4]])}, {"y": np.array([[1, 2], [5, 6]])})
    assert difference is not None
    assert "first at y[1, 0], 2 of 4 values differ" in difference.message


def test_outputs_that_appear_and_vanish():
    one, two = {"y": np.zeros(1)}, {"y": np.zeros(1), "z": np.zeros(1)}
    gone, new = compare(two, one), compare(one, two)
    assert gone is not None
    assert new is not None
    assert (gone.message, new.message) == ("the output 'z' is gone", "there is a new output 'z'")
