"""The pass `schedule-branches`: partitions, temporal layers and sub-arrays of the branches of each stage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute

from ....dialects.core.kernel_parts import ints
from ....dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ....errors import Diagnostic
from ....ir import numbers_of
from ....passes.core.base import Pass
from ..schedule.machine import mesh_of
from ..schedule.records import BlockStage, MeshProfile, read_profile
from .find_branches import BLOCKS, REFUSED, STAGES, stage_from

if TYPE_CHECKING:
    from ..schedule.solve import StagePlan

SCHEDULE, CYCLES, GAP = "pim.schedule", "pim.cycles", "pim.gap"


def schedule_branches(
    module: ModuleOp, mesh: MeshProfile, seconds: float, gap: float, file: str = "", costs: str = ""
) -> None:
    """
    Annotate a module with the schedule of its stages on a mesh, that of a file where one is given.

    `costs` is a file with the cycles of programs of partitions, which replace modelled ones.

    Raises Diagnostic where the module has no stages, no schedule fits a node, none is found in `seconds`, and where the
    file is of another network.
    """
    if min(seconds, gap) < 0:
        raise Diagnostic("a limit is out of range", "", "'seconds' and 'gap' of at least 0", f"{min(seconds, gap):g}")
    if costs and (file or not mesh.regular):
        raise Diagnostic(
            "costs of programs are for schedules that programs follow",
            expected="'costs' with 'regular', without 'plan'",
            remedy="schedule with schedule-branches{regular=true costs=FILE}",
        )
    # The solver takes half a second to import, which passes that are only listed need not.
    from ..schedule.plan_file import read_costs, read_plan
    from ..schedule.solve import schedule

    stages = _stages(module)
    program_costs = read_costs(Path(costs), stages) if costs else None
    plan = read_plan(Path(file), stages, mesh) if file else schedule(stages, mesh, seconds, gap, program_costs)
    shifted = _shifted(module)
    plans = enumerate(plan.stages)
    module.attributes[SCHEDULE] = ArrayAttr([_schedule(planned, place in shifted) for place, planned in plans])
    module.attributes[CYCLES] = FloatAttr(plan.cycles, f64)
    if not file:
        module.attributes[GAP] = FloatAttr(plan.gap, f64)


def _stages(module: ModuleOp) -> list[BlockStage]:
    """Return the stages of a module. Raises Diagnostic where it has none."""
    records = module.attributes.get(STAGES)
    if not isinstance(records, ArrayAttr):
        raise Diagnostic("the module has no stages", expected=f"'{STAGES}'", remedy="run find-branches before")
    stages = cast("ArrayAttr[DictionaryAttr]", records).data
    refused = module.attributes.get(REFUSED)
    if not stages and isinstance(refused, ArrayAttr):
        errors = cast("ArrayAttr[DictionaryAttr]", refused).data
        at, reason = (cast("StringAttr", errors[0].data.get(key, StringAttr(""))).data for key in ("at", "reason"))
        raise Diagnostic(
            f"no block of the network has a stage to schedule, the first for this reason: {reason}",
            where=at,
            expected="Transformer blocks whose branches find-branches finds",
            found=f"{len(errors)} refused blocks, see '{REFUSED}' of the module",
            remedy="lower its kernels with shard-kernels",
        )
    if not stages:
        raise Diagnostic(
            "the network has no attention, and so no stages to schedule",
            expected="Transformer blocks",
            found="kernels whose spatial dimensions are their branches",
            remedy="lower its kernels with shard-kernels",
        )
    return [stage_from(record) for record in stages]


def _shifted(module: ModuleOp) -> set[int]:
    """Return the positions of the stages that have a block of shifted windows."""
    positions: set[int] = set()
    blocks = module.attributes.get(BLOCKS)
    for block in cast("ArrayAttr[DictionaryAttr]", blocks).data if isinstance(blocks, ArrayAttr) else ():
        shifts = cast("ArrayAttr[DenseArrayBase]", block.data.get("shifts", ArrayAttr([])))
        if any(any(numbers_of(shift)) for shift in shifts):
            positions.add(cast("IntegerAttr", block.data["stage"]).value.data)
    return positions


def _schedule(plan: StagePlan, shifted: bool) -> DictionaryAttr:
    """Return the layers of a stage, and the layer, row and column of the first node of each branch."""
    from ..schedule.binding import bind, consecutive, in_order, shifted_windows

    side = isqrt(plan.stage.branches)
    is_grid = shifted and side * side == plan.stage.branches
    binding = bind(plan, shifted_windows(side)) if is_grid else in_order(plan)
    binding = consecutive(plan) if plan.layers[0].candidate.mesh.regular else binding
    layers: list[Attribute] = []
    for layer in plan.layers:
        facts = {"scheme": ints(layer.candidate.scheme), "branches": IntegerAttr(layer.branches, i64)}
        layers.append(DictionaryAttr(facts | {"cycles": FloatAttr(layer.candidate.cycles, f64)}))
    places = [number for layer, rectangle in binding for number in (layer, rectangle.row, rectangle.column)]
    return DictionaryAttr(
        {
            "stage": StringAttr(plan.stage.name),
            "layers": ArrayAttr(layers),
            "cycles": FloatAttr(plan.cycles, f64),
            "weights": FloatAttr(plan.weights, f64),
            "workspace": IntegerAttr(plan.workspace, i64),
            "places": ints(places),
        }
    )


@dataclass(frozen=True)
class ScheduleBranchesPass(Pass):
    """
    Schedule the stages that `find-branches` found on a mesh: partitions, temporal layers, sub-array of each branch.

    `pim.schedule` has for each stage its layers with their scheme [head split, patch split], its cycles, bytes of
    weights and workspace of a node, and `places`: layer, row and column of the first node of each branch. `pim.gap` is
    the relative distance to the proved bound. The mesh is that of the module's machine, where it has one, with the rest
    of a `profile` of `profiles.toml`. Options: `array` and `node-bytes` instead of these; `samples` of a batch that
    share the rings of weights; `regular`, schedules that map-branches makes programs of; `seconds` and `gap` that end
    the search; `plan`, a TOML file whose schedule is evaluated instead; `costs`, a TOML file with the cycles of the
    programs of partitions, by which regular schedules are compared instead of by modelled ones.
    """

    name = "schedule-branches"

    profile: str = "default"
    array: tuple[int, ...] = ()
    node_bytes: int = 0
    samples: int = 1
    regular: bool = False
    seconds: float = 60.0
    gap: float = 0.0
    plan: str = ""
    costs: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        mesh = read_profile(self.profile)
        mesh = mesh_of(machine_of(op), mesh) if ATTRIBUTE in op.attributes else mesh
        mesh = replace(mesh, array=cast("tuple[int, int]", self.array)) if self.array else mesh
        mesh = replace(mesh, node_bytes=self.node_bytes) if self.node_bytes else mesh
        if self.samples < 1:
            raise Diagnostic("'samples' is out of range", "", "at least 1", str(self.samples))
        mesh = replace(mesh, sharing=mesh.sharing / self.samples)
        mesh = replace(mesh, regular=mesh.regular or self.regular)
        schedule_branches(op, mesh, self.seconds, self.gap, self.plan, self.costs)
