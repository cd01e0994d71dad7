"""Semantics of `paged`: steps in a pool of runtime/paged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...dialects.core.semantics import Runner, Value, semantics, storage
from ...dialects.paged.ops import AppendOp, AttendOp, BeginOp, CommitOp, PoolOp
from ...errors import Diagnostic
from ...ir import Array, where
from .config import Config
from .pool import Pool


@dataclass
class BoundPool:
    """Pool and the sequence of it that steps add to; both may be set between calls."""

    pool: Pool
    sequence: int


@storage(PoolOp)
def _pool(op: PoolOp) -> BoundPool:
    """Return a pool in memory that attends to all pages."""
    config = Config.of_shape(op.shape)
    rows = config.rows * config.pages * (config.slot + 64)
    pool = Pool(replace(config, memory=config.working_set + rows))
    return BoundPool(pool, pool.create())


@semantics(BeginOp)
def _begin(runner: Runner, op: BeginOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    position, length = int(np.ravel(operands[0])[0]), state.pool.length(state.sequence)
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
    results = state.pool.attend(op.number, operands[0])
    if op.out is None:
        return [results]
    operands[1][...] = results
    return []


@semantics(CommitOp)
def _commit(runner: Runner, op: CommitOp, operands: Sequence[Value]) -> list[Array]:
    state: BoundPool = runner.storage(op.symbol)
    state.pool.commit()
    return []
