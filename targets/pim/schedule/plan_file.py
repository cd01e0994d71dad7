"""Schedules, and costs of partitions, that a user gives: TOML files with a `[[stage]]` for each stage of a network."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ....errors import Diagnostic
from ....files import LARGEST_DESCRIPTION, read_regular
from .model import PartitionCandidate, Scheme
from .records import BlockStage, MeshProfile
from .solve import Costs, MeshPlan, StagePlan, stage_plan

_RECORD = ("name", "channels", "heads", "branches")
"""Fields of a stage that say which network a schedule is of."""


def read_plan(file: Path, stages: Sequence[BlockStage], mesh: MeshProfile) -> MeshPlan:
    """
    Return the schedule of a file for these stages; each `layers` is a list of `[head split, patch split]`.

    Raises Diagnostic where the file is none, is of another network, or does not fit the mesh.
    """
    tables = _tables_of(file, stages, "the schedule is")
    plan = MeshPlan(tuple(_stage(file, table, stage, mesh) for table, stage in zip(tables, stages, strict=True)))
    if plan.weights + plan.workspace > mesh.node_bytes:
        over = plan.weights + plan.workspace - mesh.node_bytes
        taken = f"weights of {plan.weights:.0f} bytes and a workspace of {plan.workspace} bytes"
        message = f"the schedule takes {over:.0f} bytes more than a node has"
        raise Diagnostic(
            message, str(file), f"at most {mesh.node_bytes} bytes", taken, "larger splits, or larger nodes"
        )
    return plan


def read_costs(file: Path, stages: Sequence[BlockStage]) -> Costs:
    """
    Return the cycles of programs that a file has for these stages: lists of `[head split, patch split, cycles]`.

    Raises Diagnostic where the file is none, or is of another network.
    """
    costs: dict[tuple[str, Scheme], int] = {}
    for table, stage in zip(_tables_of(file, stages, "the costs are"), stages, strict=True):
        rows = table.get("cycles", [])
        if not _is_list(rows, list) or not all(_is_list(row, int) and len(row) == 3 and min(row) > 0 for row in rows):
            expected = "[[head split, patch split, cycles of a block], ..]"
            raise Diagnostic(f"not the costs of stage {stage.name}", str(file), expected, str(rows))
        costs |= {(stage.name, Scheme(heads, patches)): cycles for heads, patches, cycles in rows}
    return costs


def costs_text(stages: Sequence[BlockStage], costs: Costs) -> str:
    """Return the file that `read_costs` reads."""
    lines: list[str] = []
    for stage in stages:
        rows = [f"[{key.head_split}, {key.patch_split}, {costs[n, key]}]" for n, key in costs if n == stage.name]
        record = [f"{key} = {value}" for key, value in (_record(stage) | {"name": f'"{stage.name}"'}).items()]
        lines += ["[[stage]]", *record, f"cycles = [{', '.join(rows)}]"]
    return "\n".join([*lines, ""])


def _tables_of(file: Path, stages: Sequence[BlockStage], subject: str) -> list[dict[str, Any]]:
    """
    Return the tables of a file for these stages. Raises Diagnostic where it is of another network.

    `subject` begins the message: "the schedule is", "the costs are".
    """
    tables = _tables(file, subject)
    expected = [_record(stage) for stage in stages]
    recorded: list[dict[str, Any]] = []
    for table in tables:
        recorded.append({key: table.get(key) for key in _RECORD})
    if recorded != expected:
        one, other = _first_difference(expected, recorded)
        remedy = "give the file of this network, or none"
        raise Diagnostic(f"{subject} of another network", str(file), one, other, remedy)
    return tables


def _tables(file: Path, subject: str) -> list[dict[str, Any]]:
    """Return the tables of the stages of a file."""
    try:
        tables = tomllib.loads(read_regular(file, LARGEST_DESCRIPTION).decode()).get("stage", [])
    except OSError as error:
        raise Diagnostic(f"{subject.rpartition(' ')[0]} cannot be read: {error.strerror}", str(file)) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Diagnostic(f"not a TOML file: {error}", str(file)) from error
    if not _is_list(tables, dict):
        raise Diagnostic(
            f"{subject} not stages of a network", str(file), "a table [[stage]] for each stage", f"stage = {tables}"
        )
    return tables


def _is_list(value: Any, of: type) -> bool:
    return isinstance(value, list) and all(type(entry) is of for entry in cast("list[Any]", value))


def _record(stage: BlockStage) -> dict[str, Any]:
    return {key: getattr(stage, key) for key in _RECORD}


def _first_difference(expected: Sequence[dict[str, Any]], actual: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """Return the first stages that differ, or how many there are, as text."""
    for one, other in zip(expected, actual, strict=False):
        if one != other:
            return _shown(one), _shown(other)
    return f"{len(expected)} stages", f"{len(actual)} stages"


def _shown(record: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in record.items())


def _stage(file: Path, table: dict[str, Any], stage: BlockStage, mesh: MeshProfile) -> StagePlan:
    chosen: list[PartitionCandidate] = []
    layers = table.get("layers", [])
    if not _is_list(layers, list) or not all(_is_list(layer, int) and len(layer) == 2 for layer in layers):
        raise Diagnostic(
            f"not the layers of stage {stage.name}", str(file), "[[head split, patch split], ..]", str(layers)
        )
    for layer in layers:
        candidate = PartitionCandidate(stage, Scheme(*layer), mesh)
        most = f"splits of at most [{stage.heads},{stage.queries}] that fit the {mesh.array[0]} x {mesh.array[1]} nodes"
        splits = candidate.scheme
        if (
            min(splits) < 1
            or splits.head_split > stage.heads
            or splits.patch_split > stage.queries
            or not candidate.parallel
        ):
            raise Diagnostic(f"no sub-array for a layer of stage {stage.name}", str(file), most, str(splits))
        chosen.append(candidate)
    return stage_plan(stage, chosen)
