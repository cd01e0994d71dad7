"""
Tests of passes: programs before and after a pipeline, and random programs as strategies of hypothesis.

    from tilewright.testing import assert_equivalent, programs

The strategies need hypothesis, which the extra `tilewright[dev]` brings; it is imported when one is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .runtime.testing.equivalence import assert_equivalent

if TYPE_CHECKING:
    from .runtime.testing.strategies import RandomProgram, explicit_programs, grids, programs

__all__ = ["RandomProgram", "assert_equivalent", "explicit_programs", "grids", "programs"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .runtime.testing import strategies

    return getattr(strategies, name)
