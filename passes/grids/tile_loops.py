"""Recognition of loops over tiles by their transfers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from ...dialects.core.analysis.arithmetic import integer_of
from ...dialects.core.effects import is_speculatable
from ...dialects.hier import DmaStartOp, DmaWaitOp
from ..memory.views import MEMORY_VIEWS, bytes_of
from ..tiles.stream import TileStream
from .cone import Cone, reads_unwritten


@dataclass(frozen=True)
class Transfer:
    """
    Transfer of one operand's tiles: a new tile every `run` steps of a loop, `count` tiles.

    `holder` is the conditional around it, or the transfer itself if it is in every step.
    """

    start: DmaStartOp
    wait: DmaWaitOp
    holder: Operation
    run: int
    count: int
    cone: Cone | None
    """Backward slice of its operands; only of a transfer that may be prefetched."""
    is_shared: bool = False
    """True of a fetch and a write of one ring: sums that start from an operand's tile, and are written."""

    @property
    def tiles(self) -> TileStream:
        """Tiles in order of use."""
        assert self.start.stages is not None
        is_output = self.start.writes_far is not None
        return TileStream(is_output, self.run, self.count, self.start.stages.data, self.is_shared and not is_output)

    @property
    def is_prefetched(self) -> bool:
        """Return whether a tile may be fetched during the use of the previous one."""
        return self.tiles.prefetch_distance > 0

    @property
    def in_flight(self) -> int:
        """Return the writes that may be in flight."""
        return self.tiles.writes_in_flight(is_started=self.is_shared)

    def shares(self, other: Transfer) -> bool:
        """Return whether two transfers are of one ring."""
        return self.start.near is other.start.near

    @property
    def end(self) -> Operation:
        """Last op of the transfer in the loop's body."""
        return self.wait if self.holder is self.start else self.holder


@dataclass(frozen=True)
class TileLoop:
    """Loop over tiles: each step fetches tiles, computes on them, then writes tiles."""

    loop: scf.ForOp
    steps: int
    fetches: Sequence[Transfer]
    writes: Sequence[Transfer]


def tile_loop(loop: scf.ForOp) -> TileLoop | None:
    """
    Match a loop over tiles in the form of expand-grid; None for other loops.

    Its transfers have `stages`. Each is waited for at once, in the loop's body or in a conditional on the first step
    (fetch) or last step (write) of a tile. Other side effects are between the last fetch and the first write. The
    buffers of a ring are disjoint.
    """
    steps = _steps(loop)
    if steps is None:
        return None
    transfers: list[Transfer] = []
    for op in loop.body.block.ops:
        if not _holds_transfer(op):
            continue
        transfer = _transfer(loop, op, steps)
        if transfer is None:
            return None
        transfers.append(transfer)
    fetches = [transfer for transfer in transfers if transfer.start.writes_far is None]
    writes = [transfer for transfer in transfers if transfer.start.writes_far is not None]
    fetches, writes = _with_rings(fetches, writes), _with_rings(writes, fetches)
    tiled = TileLoop(loop, steps, fetches, writes)
    return (
        tiled
        if transfers and _in_order(tiled) and all(_are_disjoint(tiled, transfer) for transfer in transfers)
        else None
    )


def _with_rings(transfers: Sequence[Transfer], others: Sequence[Transfer]) -> list[Transfer]:
    return [replace(transfer, is_shared=any(map(transfer.shares, others))) for transfer in transfers]


def _steps(loop: scf.ForOp) -> int | None:
    """Return the trip count of a loop from 0 with step 1; None for other loops and for loop-carried values."""
    lower, upper, step = (integer_of(value) for value in (loop.lb, loop.ub, loop.step))
    if lower != 0 or step != 1 or loop.iter_args or upper is None or upper < 1:
        return None
    return upper


def _holds_transfer(op: Operation) -> bool:
    """Return whether an op is, or contains, a transfer of the loop's own tiles."""
    if type(op) is DmaStartOp:
        return op.stages is not None
    if type(op) is scf.ForOp:
        return False
    return any(_holds_transfer(inner) for region in op.regions for block in region.blocks for inner in block.ops)


def _transfer(loop: scf.ForOp, op: Operation, steps: int) -> Transfer | None:
    guarded = isinstance(op, scf.IfOp)
    start = _alone_in(loop, op) if guarded else op
    if not isinstance(start, DmaStartOp) or not isinstance(wait := start.next_op, DmaWaitOp):
        return None
    if wait.token is not start.token or not start.token.has_one_use():
        return None
    reads = start.writes_far is None
    run = _run(loop, op, steps, first=reads) if guarded else 1
    if run is None or steps % run:
        return None
    cone = Cone.of(loop, start.operands) if reads else None
    if reads and cone is None:
        return None
    return Transfer(start, wait, op, run, steps // run, cone)


def _alone_in(loop: scf.ForOp, op: scf.IfOp) -> DmaStartOp | None:
    """Return the sole transfer of a conditional; None if it has an else branch or other side effects."""
    if op.results or op.false_region.blocks:
        return None
    starts = [inner for inner in op.true_region.block.ops if isinstance(inner, DmaStartOp)]
    rest = [inner for inner in op.true_region.block.ops if not isinstance(inner, DmaStartOp | DmaWaitOp | scf.YieldOp)]
    alone = len(starts) == 1 and len(op.true_region.block.ops) == len(rest) + 3
    return starts[0] if alone and all(_may_move(loop, op_beside) for op_beside in rest) else None


def _may_move(loop: scf.ForOp, op: Operation) -> bool:
    """Return whether an op may be executed at another step of a loop."""
    return is_speculatable(op) or reads_unwritten(loop, op)


def _run(loop: scf.ForOp, op: scf.IfOp, steps: int, *, first: bool) -> int | None:
    """Return the number of steps of a tile's residency, from the condition that this is its first or last step."""
    test = op.cond.owner
    if not isinstance(test, arith.CmpiOp) or test.predicate.value.data != 0:
        return None
    run, within = steps, test.lhs.owner
    if isinstance(within, arith.RemUIOp):
        run = integer_of(within.rhs) or 0
    turn = within.lhs if isinstance(within, arith.RemUIOp) else test.lhs
    expected = 0 if first else run - 1
    return run if run > 1 and turn is loop.body.block.args[0] and integer_of(test.rhs) == expected else None


def _in_order(tiled: TileLoop) -> bool:
    """Return whether all other side effects are after the fetches and before the writes."""
    ops = list(tiled.loop.body.block.ops)
    position = {op: index for index, op in enumerate(ops)}
    begin = max((position[transfer.end] + 1 for transfer in tiled.fetches), default=0)
    end = min((position[transfer.holder] for transfer in tiled.writes), default=len(ops) - 1)
    transfers = {op for transfer in (*tiled.fetches, *tiled.writes) for op in (transfer.holder, transfer.end)}
    outside = [*ops[:begin], *ops[max(begin, end) : -1]]
    return begin <= end and all(op in transfers or _may_move(tiled.loop, op) for op in outside)


def _are_disjoint(tiled: TileLoop, transfer: Transfer) -> bool:
    """Return whether the tiles of the first steps are in disjoint buffers of a ring, at a constant stride."""
    stages = transfer.tiles.ring
    if stages == 1:
        return True
    view = transfer.start.near.owner
    cone = Cone.of(tiled.loop, [transfer.start.near])
    if not isinstance(view, MEMORY_VIEWS) or cone is None or tiled.loop.is_ancestor(view.source.owner):
        return False
    size = bytes_of(transfer.start.near.type)
    turns = range(min(transfer.count, stages + 1))
    shifts = [cone.numbers(turn * transfer.run).get(view.byte_shift) for turn in turns]
    constants = [shift for shift in shifts if shift is not None]
    pairs = [(a, b) for index, a in enumerate(constants) for b in constants[index + 1 : index + stages]]
    return len(constants) == len(shifts) and all(abs(a - b) >= size for a, b in pairs)
