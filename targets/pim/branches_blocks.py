"""Transformer blocks of a network, and the stages of equal blocks that the scheduler reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from xdsl.ir import Operation

from ...dialects.core.kernel import kernel_of
from ...errors import Diagnostic
from ...locations import where
from .branches import Attention, AttentionNetwork, Refused, common_dims, first_rows
from .schedule.records import BlockStage


class BranchWindow(NamedTuple):
    """Rows of a branch as a rectangle of the image, and how far the windows are shifted."""

    size: tuple[int, int]
    shift: tuple[int, int]


@dataclass(frozen=True)
class Block:
    """
    Attention that one projection joins, and the MLP after it; `merging` are the products between it and another width.

    `stage` is the record of a block by itself, `index` the position of that of its equals.
    """

    attentions: tuple[Attention, ...]
    projection: Operation | None
    mlp: tuple[Operation, ...]
    stage: BlockStage
    merging: tuple[Operation, ...] = ()
    index: int = 0

    @property
    def phases(self) -> Iterator[tuple[Operation, str]]:
        """The ops of the block with the phases of the cost model that they belong to."""
        for attention in self.attentions:
            roles = dict.fromkeys(attention.projections)
            for op in filter(None, roles):
                names = zip("QKV", attention.projections, strict=True)
                yield op, "".join(name for name, product in names if product is op)
            yield from ((op, "reduction") for op in attention.reductions)
            yield attention.scores, "scores"
            yield from ((op, "softmax") for op in attention.between)
            yield attention.context, "context"
        if self.projection is not None:
            yield self.projection, "projection"
        yield from ((op, "reduce" if op is self.mlp[-1] else "expand") for op in self.mlp)
        yield from ((op, "merge") for op in self.merging)


@dataclass(frozen=True)
class RefusedBlock:
    """Products of a block without a record, which runs by the default mapping; `error` has the reason."""

    ops: tuple[Operation, ...]
    error: Diagnostic


def blocks_of(network: AttentionNetwork) -> tuple[list[Block], list[RefusedBlock]]:
    """
    Return the blocks of a network in program order, with the stages that they belong to, and those refused.

    Blocks of equal records and width are of one stage.
    """
    attended = list(network.attentions())
    roles = {op for attention in attended for op in _products(network, attention)}
    joined = _joined(network, attended, roles)
    blocks: list[Block] = []
    refused: list[RefusedBlock] = []
    for (projection, of), following in zip(joined, [*joined[1:], None], strict=False):
        end = min(network.order[attention.scores] for attention in following[1]) if following else len(network.order)
        mlp = _mlp(network, projection, roles, end)
        try:
            blocks.append(Block(_taken(of), projection, mlp, _record(_taken(of), mlp, network)))
        except Diagnostic as error:
            inner = (
                *(op for attention in of for op in _products(network, attention)),
                *filter(None, [projection]),
                *mlp,
            )
            refused.append(RefusedBlock(tuple(dict.fromkeys(inner)), error))
    return _numbered(network, blocks, refused), refused


def _taken(attentions: Sequence[Attention | Refused]) -> tuple[Attention, ...]:
    """Return the attention of a block. Raises the Diagnostic of the first that is refused."""
    for attention in attentions:
        if isinstance(attention, Refused):
            raise attention.error
    return tuple(attention for attention in attentions if isinstance(attention, Attention))


def _products(network: AttentionNetwork, attention: Attention | Refused) -> list[Operation]:
    """Return the two products of activations of an attention, and the projections before them."""
    both = [attention.scores, attention.context]
    if isinstance(attention, Attention):
        return [*filter(None, attention.projections), *both]
    sources = [network.sources(value) for op in both for value in op.operands]
    # An operand of several products may come from the sum of all blocks before.
    single = [op for of in sources if len(of) == 1 for op in of]
    return [*(op for op in dict.fromkeys(single) if network.is_projection(op)), *both]


def stages_of(blocks: Sequence[Block]) -> list[BlockStage]:
    """Return the stages of blocks, in program order, with how many blocks each has."""
    stages: dict[int, BlockStage] = {}
    for block in blocks:
        stage = stages.get(block.index)
        stages[block.index] = replace(block.stage, blocks=stage.blocks + 1 if stage else 1)
    return [stages[index] for index in sorted(stages)]


def window_of(attention: Attention) -> BranchWindow | None:
    """Return the window of an attention of several branches, None where its rows are no rectangle."""
    rows = first_rows(attention)
    starts = [row for row in rows if row - 1 not in set(rows)] if attention.branches > 1 else []
    if not starts or len(rows) % len(starts):
        return None
    width, high = len(rows) // len(starts), len(starts)
    stride = starts[1] - starts[0] if high > 1 else len(rows)
    if any(start != starts[0] + at * stride for at, start in enumerate(starts)):
        return None
    return BranchWindow((high, width), (starts[0] // stride % high, starts[0] % stride % width))


def _joined(
    network: AttentionNetwork, attended: Sequence[Attention | Refused], roles: set[Operation]
) -> list[tuple[Operation | None, tuple[Attention | Refused, ...]]]:
    """Return attention with the product that projects its contexts; those with one product are of one block."""
    projections: dict[Operation, Operation] = {}
    for op in network.products:
        if op in roles or not network.is_projection(op):
            continue
        for source in network.sources(op.operands[network.data(op)[0]]):
            projections.setdefault(source, op)
    groups: dict[Operation, tuple[Operation | None, list[Attention | Refused]]] = {}
    for attention in attended:
        projection = projections.get(attention.context)
        groups.setdefault(projection or attention.context, (projection, []))[1].append(attention)
    return [(projection, tuple(of)) for projection, of in groups.values()]


def _mlp(
    network: AttentionNetwork, projection: Operation | None, roles: set[Operation], end: int
) -> tuple[Operation, ...]:
    """
    Return the products of the MLP that follows a projection, the one that reduces last.

    It reduces what comes from products alone that read the sum after the projection: one, or two of a gated MLP.
    """
    if projection is None:
        return ()
    width = network.width(projection)
    for op in network.products:
        if not network.order[projection] < network.order[op] < end or op in roles or not network.is_projection(op):
            continue
        sources = network.sources(op.operands[network.data(op)[0]])
        expanding = sorted(sources - roles - {projection}, key=network.order.__getitem__)
        after = [
            product
            for product in expanding
            if projection in network.sources(product.operands[network.data(product)[0]])
        ]
        if sources and len(after) == len(sources) and network.width(op) == width:
            return (*expanding, op)
    return ()


def _record(attentions: Sequence[Attention], mlp: Sequence[Operation], network: AttentionNetwork) -> BlockStage:
    """
    Return the record of a block: attention over the same branches has more heads, over others is a part.

    Raises Diagnostic where branches have unequal sizes, and where heads do not make the channels.
    """
    first, *others = attentions
    parts = [first]
    heads = {first.scores: first.heads}
    for other in others:
        if other.root is not first.root:
            message = "attention of a block reads different inputs"
            raise Diagnostic(message, where(other.scores), str(first.root.type), str(other.root.type))
        equal = next((part for part in parts if part.same.is_equal(other.same)), None)
        heads[(equal or other).scores] = heads.get((equal or other).scores, 0) + other.heads
        parts += [] if equal else [other]
    sizes = {(part.queries, part.keys, part.own_keys, part.head_channels, heads[part.scores]): part for part in parts}
    if len(sizes) > 1:
        shown = " and ".join(f"{n} x {k}, {count} heads" for n, k, _, _, count in sizes)
        expected, remedy = "as many queries, keys and heads in each branch", "pad the image to a multiple of the window"
        message = "branches of a block are unequal"
        raise Diagnostic(message, where(parts[-1].scores), expected, f"branches of {shown}", remedy)
    channels, count = first.channels, heads[first.scores]
    if count * len(parts) * first.head_channels != channels:
        raise Diagnostic(
            "the heads of a block do not have as many channels as its input",
            where(first.scores),
            f"{channels} channels",
            f"{count * len(parts)} heads of {first.head_channels} channels",
            "heads that make the channels; the default mapping of shard-kernels takes the block as it is",
        )
    hidden = sum(network.width(op) * _inputs(op) for op in mlp)
    shape = first.queries, first.keys, first.own_keys
    branches = sum(part.branches for part in parts)
    expansion = -(-hidden // (2 * channels**2))
    return BlockStage("", channels, count, 1, branches, *shape, expansion=expansion, parts=len(parts))


def _inputs(product: Operation) -> int:
    kernel = kernel_of(product)
    return prod(kernel.bounds[dim] for dim in common_dims(kernel))


def _numbered(network: AttentionNetwork, blocks: Sequence[Block], refused: Sequence[RefusedBlock]) -> list[Block]:
    """
    Return blocks with the names and positions of their stages, and with the products that merge patches.

    A stage ends where the channels change. A block of one branch after windows takes their rows as its branches: it
    shares keys and values alone.
    """
    inner = {op for block in blocks for op, _ in block.phases}
    inner.update(*(block.ops for block in refused))
    numbered: list[Block] = []
    groups: list[dict[BlockStage, int]] = []
    previous: Block | None = None
    index = 0
    for block in blocks:
        stage, merging = block.stage, ()
        if previous is None or previous.stage.channels != stage.channels:
            groups.append({})
            merging = _merging(network, previous, block, inner) if previous else ()
        elif stage.branches == 1 and previous.stage.branches > 1 and previous.stage.parts == 1:
            stage = _split(stage, previous.stage)
        key = replace(stage, name=str(len(groups)))
        if key not in groups[-1]:
            groups[-1][key] = index
            index += 1
        numbered.append(replace(block, stage=key, merging=merging, index=groups[-1][key]))
        previous = numbered[-1]
    firsts = {min(group.values()) for group in groups[1:]}
    mixed = {place for group in groups if len(group) > 1 for place in group.values()}
    return [replace(block, stage=_named(block, block.index in firsts, block.index in mixed)) for block in numbered]


def _named(block: Block, merges: bool, mixed: bool) -> BlockStage:
    """Return the record of a block with its name: blocks whose keys are their own are local where both kinds occur."""
    stage = block.stage
    kind = (" local" if stage.keys == stage.own_keys else " global") if mixed else ""
    return replace(stage, name=stage.name + kind, merges=merges)


def _split(stage: BlockStage, windows: BlockStage) -> BlockStage:
    """Return the record of a block of one branch whose queries are split as windows are."""
    own = -(-stage.own_keys // windows.branches)
    return replace(stage, branches=windows.branches, queries=windows.queries, own_keys=own)


def _merging(network: AttentionNetwork, before: Block, block: Block, inner: set[Operation]) -> tuple[Operation, ...]:
    """Return the products between two blocks that belong to neither."""
    start = max(network.order[op] for op, _ in before.phases)
    end = min(network.order[op] for op, _ in block.phases)
    return tuple(op for op in network.products if start < network.order[op] < end and op not in inner)
