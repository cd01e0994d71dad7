"""Which block of a region dominates which."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """Return the blocks that each reachable block of a region immediately dominates (Cooper, Harvey, Kennedy 2001)."""
    order = _reverse_postorder(region)
    rank = {block: index for index, block in enumerate(order)}
    sources: dict[Block, list[int]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            sources[successor].append(rank[block])
    dominator = [0] + [-1] * (len(order) - 1)
    changed = True
    while changed:
        changed = False
        for index, block in enumerate(order[1:], 1):
            known = [source for source in sources[block] if dominator[source] >= 0]
            nearest = known[0]
            for source in known[1:]:
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


def _reverse_postorder(region: Region) -> list[Block]:
    entry = region.first_block
    if entry is None:
        return []
    order: list[Block] = []
    seen = {entry}
    pending = [(entry, iter(_successors(entry)))]
    while pending:
        block, rest = pending[-1]
        successor = next((block for block in rest if block not in seen), None)
        if successor is None:
            order.append(block)
            pending.pop()
            continue
        seen.add(successor)
        pending.append((successor, iter(_successors(successor))))
    return order[::-1]


def _successors(block: Block) -> Sequence[Block]:
    return block.last_op.successors if block.last_op is not None else ()
