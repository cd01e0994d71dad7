"""Each pass has a test of what it makes and one of what it refuses, or of what it must leave alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tilewright.passes import own_passes

pytestmark = pytest.mark.quick

TESTS = Path(__file__).parents[2]
NEGATIVE = ("-reject", "-errors", "-keeps")
"""The ends of names of tests of errors, and of IR that a pass gives back as it is."""


def missing(passes: Iterable[str], tests: Iterable[str]) -> list[str]:
    """Return the names of the tests that passes lack, such as `foo-bar` or `foo-bar-reject`."""
    found, names = set(tests), list(passes)
    negative = [test for test in found if test.endswith(NEGATIVE)]
    lacking = [name for name in names if not any(test.startswith(f"{name}-") for test in negative)]
    return [name for name in names if name not in found] + [f"{name}-reject" for name in lacking]


def test_each_pass_has_a_positive_and_a_negative_file():
    names = list(own_passes())
    assert len(names) > 40
    assert missing(names, (file.stem for file in TESTS.rglob("*.mlir"))) == []


def test_files_that_lack_are_named():
    assert missing(["a-b", "c"], ["a-b", "a-b-keeps", "cd-reject"]) == ["c", "c-reject"]
