"""
Collects .mlir files as tests of pytest. A `conftest.py` that imports `pytest_collect_file` has it for its folder.

    from tilewright.runtime.testing.lit.collection import pytest_collect_file
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ...driver.run_lines.script import ScriptError
from .file import failure_of

__all__ = ["pytest_collect_file"]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Return the test of a .mlir file, but of one in a folder `Inputs`."""
    if file_path.suffix != ".mlir" or file_path.parent.name == "Inputs":
        return None
    return LitFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]


class LitFile(pytest.File):
    """File of one lit test."""

    def collect(self) -> Iterator[pytest.Item]:
        yield LitTest.from_parent(self, name="lit")  # pyright: ignore[reportUnknownMemberType]


class LitFailure(Exception):
    """A RUN line did not succeed."""


class LitTest(pytest.Item):
    """RUN lines of a file, all of which must succeed."""

    def runtest(self) -> None:
        report = failure_of(self.path)
        if report:
            raise LitFailure(report)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, LitFailure | ScriptError):
            return f"{self.path}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"lit: {self.path.name}"
