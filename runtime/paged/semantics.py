"""Semantics of `paged`: steps in a pool of runtime/paged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Operation

from ...dialects.core.semantics import Runner, Value, semantics, storage
from ...dialects.paged.ops import AppendOp, AttendOp, BeginOp, CommitOp, PagedPoolOp
from ...dialects.paged.selection import DigestOp, ScoreOp, SelectOp, digest_shape
from ...dialects.paged.sequences import ForkSequenceOp, PinOp, SwitchOp, TruncateOp
from ...errors import Diagnostic
from ...ir import Array, where
from .arithmetic import page_scores
from .config import HeadReduction, PoolConfig
from .pool import Pool
from .selection import table_of


@dataclass
class BoundPool:
    """Pool and the sequence of it that steps add to; both may be set between calls."""

    pool: Pool
    sequence: int


@storage(PagedPoolOp)
def _pool(op: PagedPoolOp) -> BoundPool:
    """Return a pool in memory that attends to all pages."""
    config = PoolConfig.of_shape(op.shape)
    rows = config.rows * config.pages * (config.slot + 64)
    pool = Pool(replace(config, memory=config.working_set + rows))
    return BoundPool(pool, pool.create())


@semantics(BeginOp)
def _begin(runner: Runner, op: BeginOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    position, length = _integer(operands[0]), state.pool.length(state.sequence)
    if position != length:
        raise Diagnostic(
            "the position is not the length of the sequence",
            where=where(op),
            expected=str(length),
            found=str(position),
            remedy="run the network at every position in order, or truncate the sequence",
        )
    state.pool.begin(state.sequence, np.ravel(operands[1]).astype(np.uint32))
    return []


@semantics(AppendOp)
def _append(runner: Runner, op: AppendOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    state.pool.append(op.number, *operands)
    return []


@semantics(AttendOp)
def _attend(runner: Runner, op: AttendOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    blocks = None if op.table is None else _blocks(*operands[1:3])
    return _delivered(op, operands, [state.pool.attend(op.number, operands[0], blocks)])


def _blocks(table: Array, counts: Array) -> list[list[Array]]:
    """Return the blocks of each token and KV head. table [tokens][kv_heads][places], counts [tokens][kv_heads]."""
    lengths = np.clip(counts, 0, table.shape[-1])
    return [[row[:length] for row, length in zip(*lists, strict=True)] for lists in zip(table, lengths, strict=True)]


def _delivered(op: Operation, operands: Sequence[Value], results: Sequence[Array]) -> list[Array]:
    """Return the results of an op on tensors; of one on buffers, write them to its last operands."""
    if op.results:
        return list(results)
    for buffer, result in zip(operands[-len(results) :], results, strict=True):
        buffer[...] = result
    return []


@semantics(DigestOp)
def _digest(runner: Runner, op: DigestOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    full = state.pool.digest(op.number)
    digests = np.zeros(digest_shape(op.definition().shape), np.float32)
    digests[:, : full.shape[1]] = full
    return _delivered(op, operands, [digests])


@semantics(ScoreOp)
def _score(runner: Runner, op: ScoreOp, operands: Sequence[Value]) -> list[Array]:
    queries, digests = operands[:2]
    scores = np.empty((*queries.shape[:2], digests.shape[1]), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for token, heads in enumerate(queries):
            groups = np.split(heads, len(digests))
            scores[token] = np.concatenate([page_scores(*pair) for pair in zip(groups, digests, strict=True)])
    return _delivered(op, operands, [scores])


@semantics(SelectOp)
def _select(runner: Runner, op: SelectOp, operands: Sequence[Value]) -> list[Array]:
    config = runner.cached(op, _policy_config)
    places = op.policy.places(op.definition().shape)
    table, counts = table_of(config, operands[0], _integer(operands[1]), places)
    return _delivered(op, operands, [table, counts])


def _policy_config(op: SelectOp) -> PoolConfig:
    """Return the configuration of a store with the op's policy."""
    policy = op.policy
    return replace(
        PoolConfig.of_shape(op.definition().shape),
        budget_pages=policy.budget,
        sinks=policy.sinks,
        recent=policy.recent,
        reduce=HeadReduction[policy.reduce.upper().replace("-", "_")],
    )


# Sequences


@semantics(ForkSequenceOp)
def _fork(runner: Runner, op: ForkSequenceOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    return _delivered(op, operands, [np.array([state.pool.fork(state.sequence)], np.int32)])


@semantics(SwitchOp)
def _switch(runner: Runner, op: SwitchOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    number = _integer(operands[0])
    if not state.pool.exists(number):
        raise Diagnostic(
            "there is no such sequence",
            where=where(op),
            expected="one that paged.fork has returned",
            found=str(number),
        )
    state.sequence = number
    return []


@semantics(TruncateOp)
def _truncate(runner: Runner, op: TruncateOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    state.pool.truncate(state.sequence, _integer(operands[0]))
    return []


@semantics(PinOp)
def _pin(runner: Runner, op: PinOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    change = state.pool.unpin if op.unpin is not None else state.pool.pin
    change(state.sequence, *map(_integer, operands))
    return []


def _integer(value: Value) -> int:
    return int(np.ravel(value)[0])


@semantics(CommitOp)
def _commit(runner: Runner, op: CommitOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    state.pool.commit()
    return []
