"""
Scheduling hints for plan-memory, as attributes of the IR.

- `hier.sizes = array<i64: 1, 1, 16, 0, 0, ...>` on a kernel: tile extents in its loops, 0 where free
- `hier.stages = 1 : i64` on a kernel: 1 disables double buffering, 2 requires it, 3 also gives a third buffer to an
  output whose sums start from an operand
- `hier.keep = true` on an allocation: resident in the near level; false: not resident
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Operation

from ...dialects.core.kernel import kernel_of
from ...errors import Diagnostic
from ...ir import numbers_of, where

SIZES, STAGES, KEEP = "hier.sizes", "hier.stages", "hier.keep"
ALL = (SIZES, STAGES, KEEP)


def pinned_sizes(op: Operation) -> tuple[int, ...] | None:
    """Return the pinned tile extents of a kernel, 0 where free. Raises Diagnostic for a malformed hint."""
    hint = op.attributes.get(SIZES)
    if hint is None:
        return None
    bounds = kernel_of(op).bounds
    sizes = numbers_of(cast(Any, hint)) if isinstance(hint, DenseArrayBase) else ()
    if len(sizes) != len(bounds) or any(not 0 <= size <= bound for size, bound in zip(sizes, bounds, strict=True)):
        raise _bad(op, SIZES, f"an extent of at most {list(bounds)} for each loop, 0 where it is free")
    return tuple(sizes)


def pinned_stages(op: Operation) -> int | None:
    """Return the pinned number of stages of a kernel's tiles. Raises Diagnostic for a malformed hint."""
    hint = op.attributes.get(STAGES)
    if hint is None:
        return None
    if not isinstance(hint, IntegerAttr) or hint.value.data not in (1, 2, 3):
        raise _bad(op, STAGES, "1, 2 or 3")
    return int(hint.value.data)


def pinned_residency(alloc: Operation) -> bool | None:
    """Return the pinned residency of a buffer, None if free. Raises Diagnostic for a malformed hint."""
    hint = alloc.attributes.get(KEEP)
    if hint is None:
        return None
    if not isinstance(hint, IntegerAttr) or hint.value.data not in (-1, 0, 1):
        raise _bad(alloc, KEEP, "true or false")
    return bool(hint.value.data)


def hinted(ops: Sequence[Operation]) -> list[str]:
    """Return the hints on ops as text."""
    return [f"{name} = {op.attributes[name]}" for op in ops for name in ALL if name in op.attributes]


def _bad(op: Operation, name: str, expected: str) -> Diagnostic:
    return Diagnostic(
        f"the hint {name} of '{op.name}' is malformed",
        where=where(op),
        expected=expected,
        found=str(op.attributes[name]),
        remedy=f"correct {name}, or remove it",
    )
