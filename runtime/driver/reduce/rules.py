"""The table of reductions, from coarse to fine: each rule's edits are tried in chunks."""

from __future__ import annotations

from collections.abc import Sequence

from . import functions, operands, ops, pipelines, types
from .search import ReductionRule

RULES: Sequence[ReductionRule] = (
    ReductionRule("passes", pipelines.passes),
    ReductionRule("functions", functions.symbols),
    ReductionRule("bodies of functions", functions.bodies),
    ReductionRule("returned values", functions.returned_values),
    ReductionRule("indices to one", operands.unit_indices),
    ReductionRule("halved indices", operands.halved_indices),
    *ops.ERASURES,
    ReductionRule("sizes", types.sizes),
    ReductionRule("calls", functions.inlined_calls),
    ReductionRule("regions", ops.inlined_regions),
    ReductionRule("blocks", ops.merged_blocks),
    ReductionRule("results of functions", functions.results),
    ReductionRule("arguments of functions", functions.arguments),
    ReductionRule("carried values", ops.carried_values),
    ReductionRule("operands", operands.operands),
    ReductionRule("earlier operands", operands.earlier_operands),
    ReductionRule("ops to constants", ops.constants),
    ReductionRule("layouts", types.layouts),
    ReductionRule("pairs of sizes", types.pairs_of_sizes),
    ReductionRule("element types", types.element_types),
    ReductionRule("numbers", operands.numbers),
    ReductionRule("attributes", operands.attributes),
    ReductionRule("locations", operands.locations),
    ReductionRule("nested passes", pipelines.anchors),
    ReductionRule("options of passes", pipelines.options),
)
