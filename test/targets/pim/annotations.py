"""Attributes that `find-branches` gives networks."""

from __future__ import annotations

from typing import Any

import onnx

from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend.importer import import_model
from tilewright.passes import all_passes
from tilewright.targets.pim.passes.find_branches import STAGES, stage_from
from tilewright.targets.pim.schedule.records import BlockStage

LOWERING = "decompose-functions infer-integer-types convert-onnx-to-linalg canonicalize fold-constants cse"
PASSES = all_passes()


def annotated(model: onnx.ModelProto) -> dict[str, Any]:
    """Return the attributes of a network's module after `find-branches`."""
    module, context = import_model(model), new_context()
    PASSES["recover-operators"]()(lowered=True).apply(context, module)  # pyright: ignore[reportCallIssue]
    for name in (*LOWERING.split(), "find-branches"):
        PASSES[name]()().apply(context, module)
    return dict(module.attributes)


def found(model: onnx.ModelProto) -> list[BlockStage]:
    """Return the stages that are found in a network."""
    return [stage_from(record) for record in annotated(model)[STAGES]]
