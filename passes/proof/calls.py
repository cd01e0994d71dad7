"""Call graph of a program: its entry functions, recursion, and the bytes that a call accesses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from ...ir import functions
from ..core.byte_ranges import joined
from .regions import Memory, Region
from .rules import refuse


def _calls(function: FuncOp) -> Iterator[CallOp]:
    return (op for op in function.body.walk() if isinstance(op, CallOp))


def entry_functions(module: ModuleOp) -> list[FuncOp]:
    """Return the functions that no other one calls. Raises Diagnostic for recursion."""
    by_name = {function.sym_name.data: function for function in functions(module)}
    called: set[str] = set()
    done: set[str] = set()
    for name, function in by_name.items():
        if name in done:
            continue
        around = {name: _calls(function)}
        while around:
            inner = next(reversed(around))
            op = next(around[inner], None)
            if op is None:
                done.add(inner)
                del around[inner]
                continue
            callee = op.callee.string_value()
            called.add(callee)
            if callee in around:
                raise refuse("static", f"the function '{callee}' calls itself", op, [f"call in '{inner}'"])
            if callee in by_name and callee not in done:
                around[callee] = _calls(by_name[callee])
    return [function for name, function in by_name.items() if name not in called]


@dataclass
class AccessedRegions:
    """Observer of the regions read and written during a walk."""

    _reads: dict[Any, Region] = field(default_factory=dict[Any, Region])
    _writes: dict[Any, Region] = field(default_factory=dict[Any, Region])

    def read(self, region: Region) -> None:
        """Note a read."""
        self._reads[region.place] = region

    def wrote(self, region: Region) -> None:
        """Note a write."""
        self._writes[region.place] = region

    def pairs(self) -> list[tuple[Region, Region]]:
        """Return pairs (read, written) in which each region occurs; none where nothing has been written."""
        writes = list(_merged(self._writes.values()))
        reads = list(_merged(self._reads.values())) or writes
        longer = max(reads, writes, key=len) if writes else []
        return [(reads[n % len(reads)], writes[n % len(writes)]) for n in range(len(longer))]


def _merged(regions: Iterable[Region]) -> Iterator[Region]:
    """Yield regions of the same bytes: dense ones of a memory that overlap or adjoin are one."""
    dense: dict[Memory, list[Region]] = defaultdict(list)
    for region in regions:
        if not region.is_dense:
            yield region
        elif region.array.size:
            dense[region.memory].append(region)
    for parts in dense.values():
        for low, high in joined((region.low, region.high) for region in parts):
            yield _bytes(parts[0], low, high)


def _bytes(region: Region, low: int, high: int) -> Region:
    """Return the bytes from `low` to `high` of a region's memory."""
    if (region.low, region.high) == (low, high):
        return region
    return Region(region.memory, region.memory.array.reshape(-1).view(np.uint8)[low:high])
