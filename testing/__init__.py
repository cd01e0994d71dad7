"""
Tests of passes: programs before and after passes, random programs, lit tests and their CHECK lines.

    from tilewright.testing import assert_equivalent
    from tilewright.testing.strategies import programs
"""

from .equivalence import assert_equivalent

__all__ = ["assert_equivalent"]
