"""Dominance of blocks, and the regions without it, whose ops have no order."""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from ..block_order import reverse_postorder, successors_of

_GRAPH_OPS = frozenset(("builtin.module", "equivalence.graph", "hw.module", "ml_program.subgraph", "test.op"))
"""Ops whose regions are graphs; `test.op` stands for any op, as one that is not registered does."""

_CLASS_OPS = frozenset(("equivalence.class", "equivalence.const_class"))
"""The nodes of an e-graph, which may be cyclic."""


def is_in_graph_region(operand: SSAValue, user: Operation) -> bool:
    """Return whether a value is defined in a graph region around its use: there it may be used before it is defined."""
    block = operand.op.parent if isinstance(operand, OpResult) else None
    return block is not None and block.find_ancestor_op_in_block(user) is not None and _is_graph(block)


def _is_graph(block: Block) -> bool:
    """
    Return whether the ops of a block have no order.

    See https://mlir.llvm.org/docs/LangRef/#graph-regions. Of an op that is not registered the kind of its regions is
    not known.
    """
    region, parent = block.parent, block.parent_op()
    if region is None or region.first_block is not region.last_block:
        return False
    if parent is not None and (isinstance(parent, UnregisteredOp) or parent.name in _GRAPH_OPS):
        return True
    return any(op.name in _CLASS_OPS for op in block.ops)


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """Return the blocks that each reachable block of a region immediately dominates (Cooper, Harvey, Kennedy 2001)."""
    order = reverse_postorder(region)
    rank = {block: index for index, block in enumerate(order)}
    sources: dict[Block, list[int]] = {block: [] for block in order}
    for block in order:
        for successor in successors_of(block):
            sources[successor].append(rank[block])
    dominator = [0] + [-1] * (len(order) - 1)
    changed = True
    while changed:
        changed = False
        for index, block in enumerate(order[1:], 1):
            ranked = [source for source in sources[block] if dominator[source] >= 0]
            nearest = ranked[0]
            for source in ranked[1:]:
                nearest = _common_dominator(nearest, source, dominator)
            changed |= dominator[index] != nearest
            dominator[index] = nearest
    children: dict[Block, list[Block]] = {block: [] for block in order}
    for index, block in enumerate(order[1:], 1):
        children[order[dominator[index]]].append(block)
    return children


def _common_dominator(first: int, second: int, dominator: list[int]) -> int:
    while first != second:
        if first > second:
            first = dominator[first]
        else:
            second = dominator[second]
    return first


def reachable_blocks(region: Region) -> set[Block]:
    """Return the blocks of a region that control flow reaches from its first block."""
    return set(reverse_postorder(region))
