"""Plans of gathers: tiles that a table chooses, fetched ahead, where that is faster than accesses to the far level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.hier import GridOp
from tilewright.frontend.importer import import_model
from tilewright.runtime.simulator import simulate
from tilewright.test.passes.memory.systolic import equal_in_c
from tilewright.test.passes.plans import check_plan, on_buffers, planned
from tilewright.test.runtime.simulator.programs import modelled_cycles

MACHINES = Path(__file__).parents[2] / "machines"


def network(
    shape: tuple[int, ...], entries: int, axis: int = 0, *, index: str = "input", scored: bool = False
) -> ModuleOp:
    """Return the gather of entries of a pool, by unsigned bytes, constants, or signed numbers."""
    info = helper.make_tensor_value_info
    inputs = [info("pool", TensorProto.FLOAT if scored else TensorProto.INT8, shape)]
    nodes, constants = [helper.make_node("Gather", ["pool", "rows"], ["chosen"], axis=axis)], list[TensorProto]()
    if index == "constant":
        constants = [numpy_helper.from_array(7 * np.arange(entries) ** 2 % shape[axis], "rows")]
    elif index == "signed":
        inputs.append(info("rows", TensorProto.INT64, [entries]))
    else:
        inputs.append(info("bytes", TensorProto.UINT8, [entries]))
        nodes.insert(0, helper.make_node("Cast", ["bytes"], ["rows"], to=TensorProto.INT64))
    output = info("chosen", TensorProto.INT8, [entries if k == axis else n for k, n in enumerate(shape)])
    if scored:
        inputs.append(info("weights", TensorProto.FLOAT, [1, entries]))
        nodes.append(helper.make_node("MatMul", ["weights", "chosen"], ["y"]))
        output = info("y", TensorProto.FLOAT, [1, shape[1]])
    graph = helper.make_graph(nodes, "gather", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
    module = on_buffers(import_model(model))
    attach_machine(module, machine())
    return module


def machine() -> Machine:
    return find_machine(MACHINES / "two_level.toml")


def looked_up(module: ModuleOp) -> list[GridOp]:
    grids = [op for op in module.walk() if isinstance(op, GridOp)]
    return [grid for grid in grids if any(tile.lookups for tile in grid.tiles)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("shape", "axis", "index", "scored"),
    [
        ((300, 256), 0, "input", False),
        ((300, 256), 0, "constant", False),
        ((2, 60, 256), 1, "constant", False),
        ((300, 64), 0, "input", True),
    ],
    ids=["input", "constant", "inner axis", "attention"],
)
def test_rows_are_chosen_by_a_table(shape: tuple[int, ...], axis: int, index: str, scored: bool) -> None:
    module = network(shape, 16, axis, index=index, scored=scored)
    check_plan(module, machine(), 0, double_buffered=True)
    plan = planned(module, machine(), 0)
    (grid,) = looked_up(plan)
    assert max(tile.stage_count for tile in grid.tiles) == 2
    assert simulate(plan).cycles == sum(modelled_cycles(plan).values())
    assert simulate(plan).cycles < simulate(module).cycles


@pytest.mark.quick
@pytest.mark.parametrize(("width", "index"), [(256, "signed"), (1, "input")], ids=["negative entries", "slower"])
def test_other_gathers_stay_kernels_of_the_far_level(width: int, index: str) -> None:
    plan = planned(network((300, width), 16, index=index), machine(), 0)
    assert not looked_up(plan)
    users = [use.operation for op in plan.walk() for result in op.results for use in result.uses]
    assert all(plan.is_ancestor(user) for user in users), "a copy that was priced still reads the buffers"


def test_gathers_are_equal_in_c(tmp_path: Path) -> None:
    module = network((300, 256), 16)
    draw = np.random.default_rng(1)
    pool = draw.integers(-128, 128, (300, 256), dtype=np.int8)
    rows = draw.integers(0, 256, 16, dtype=np.uint8)
    plan = planned(module, machine(), 0)
    equal_in_c(plan, [pool, rows.view(np.int8)], pool[rows], tmp_path)
