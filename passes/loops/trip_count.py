"""Iterations of loops of constant length."""

from __future__ import annotations

from xdsl.dialects import arith, scf

from ...dialects.core.analysis.constants import constant_integer


def trip_count(loop: scf.ForOp) -> int | None:
    """
    Return the iterations of a loop whose length is a constant, None for others.

    The length is one where both bounds are constants, and where the upper bound is the lower one plus a constant.
    """
    step, upper = constant_integer(loop.step), loop.ub.owner
    low, high = constant_integer(loop.lb), constant_integer(loop.ub)
    if low is not None and high is not None:
        length: int | None = high - low
    elif isinstance(upper, arith.AddiOp) and upper.lhs is loop.lb:
        length = constant_integer(upper.rhs)
    else:
        length = None
    return -(-length // step) if length is not None and step else None
