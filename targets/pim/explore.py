"""Design space of PIM: short names of axes, and schedules as a model of visual Transformers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, ModuleOp

from ...runtime.exploration import DesignAxis, Evaluation
from .passes.schedule_branches import CYCLES, SCHEDULE


def _nodes(rows: int, columns: int) -> Mapping[str, object]:
    return {"levels.NODE.count": [rows, columns], "engines.array.count": [rows, columns]}


def _node_bytes(size: str) -> Mapping[str, object]:
    return {"levels.NODE.size": size}


def _link_bytes(width: int) -> Mapping[str, object]:
    return {"links.noc.width": width}


def _array(inputs: int, outputs: int) -> Mapping[str, object]:
    macs, product = inputs * outputs, 'engines.array.runs."nn.matmul"'
    rates = {
        f"engines.array.runs.{op}.{key}": macs for op in ("nn.matmul", "nn.conv") for key in ("macs_per_cycle", "peak")
    }
    return {**rates, f"{product}.multiples.k": inputs, f"{product}.multiples.n": outputs}


def _batch(samples: int) -> Mapping[str, object]:
    return {"schedule-branches.samples": samples}


def _costs(module: ModuleOp) -> Mapping[str, float]:
    """Return cycles of a sample, and bytes of weights and workspace of the fullest node."""
    stages = cast("ArrayAttr[DictionaryAttr]", module.attributes[SCHEDULE]).data
    weights = sum(cast("FloatAttr", stage.data["weights"]).value.data for stage in stages)
    workspace = max(cast("IntegerAttr", stage.data["workspace"]).value.data for stage in stages)
    return {"cycles": cast("FloatAttr", module.attributes[CYCLES]).value.data, "node": weights + workspace}


AXES = {
    "nodes": DesignAxis("rows x columns of the mesh", _nodes, integers=2),
    "node-bytes": DesignAxis("memory of a node", _node_bytes),
    "array": DesignAxis("inputs x outputs that the array of a node multiplies in a cycle", _array, integers=2),
    "link-bytes": DesignAxis("bytes a cycle from a node to its neighbour", _link_bytes, integers=1),
    "batch": DesignAxis(
        "samples that share the rings of weights; costs are those of one", _batch, integers=1, by="schedule"
    ),
}

EVALUATIONS = {
    "schedule": Evaluation(
        "find-branches and schedule-branches: the best schedule of visual Transformers, of one sample",
        stop_after="tensor",
        passes="find-branches,schedule-branches",
        metrics=_costs,
        units={"node": "bytes"},
    )
}
