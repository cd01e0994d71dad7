"""Order of the blocks of a region: reverse postorder, and the cycles of its control-flow graph."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region


def reverse_postorder(region: Region) -> list[Block]:
    """Return the blocks of a region that its entry reaches, each after those that dominate it; none of an empty one."""
    postorder: list[Block] = []
    if (entry := region.first_block) is None:
        return []
    seen, path = {entry}, [(entry, iter(_last_first(entry)))]
    while path:
        block, successors = path[-1]
        following = next((successor for successor in successors if successor not in seen), None)
        if following is None:
            postorder.append(block)
            path.pop()
            continue
        seen.add(following)
        path.append((following, iter(_last_first(following))))
    return postorder[::-1]


def _last_first(block: Block) -> Sequence[Block]:
    """Return the successors of a block, the last first, so that the first comes next in the order."""
    return successors_of(block)[::-1]


def successors_of(block: Block) -> Sequence[Block]:
    """Return the blocks that a block branches to."""
    return block.last_op.successors if block.last_op is not None else ()


def cycles(blocks: Sequence[Block]) -> list[set[Block]]:
    """Return the strongly connected components of blocks with more than one block, or with a branch to itself."""
    reached = {block: _reached(block) for block in blocks}
    components: list[set[Block]] = []
    inside: set[Block] = set()
    for block in blocks:
        if block not in inside and block in reached[block]:
            component = {other for other in reached[block] if block in reached.get(other, ())}
            components.append(component)
            inside |= component
    return components


def _reached(start: Block) -> set[Block]:
    """Return the blocks that a path of at least one branch leads to."""
    reached: set[Block] = set()
    pending = [*successors_of(start)]
    while pending:
        block = pending.pop()
        if block not in reached:
            reached.add(block)
            pending += successors_of(block)
    return reached
