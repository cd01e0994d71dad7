"""`pytest --changed`: the distance of tests from a changed file, and the tests that a planted fault is found by."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.test.changed import FAR, MOST, changed_files, distance_from
from tilewright.test.import_graph import ROOT

TESTS = ROOT / "test"


@pytest.mark.parametrize(
    ("changed", "test", "distance"),
    [
        ("passes/split_kernels.py", "passes/split-kernels.mlir", 0),
        ("passes/split/steps.py", "passes/split-kernels.mlir", 2),
        ("test/passes/cse.mlir", "passes/cse.mlir", 0),
        ("dialects/core/kernel.py", "dialects/core/test_kernel_view.py", 0),
        ("dialects/core/nesting.py", "dialects/core/test_kernel_view.py", 2),
    ],
)
def test_tests_are_as_far_as_their_imports(changed: str, test: str, distance: int) -> None:
    assert distance_from([ROOT / changed])(TESTS / test) == distance


def test_most_of_the_suite_is_far_from_a_pass() -> None:
    distance = distance_from([ROOT / "passes/split/steps.py"])
    files = [*TESTS.rglob("*.mlir"), *TESTS.rglob("test_*.py")]
    near = [file for file in files if distance(file) <= MOST]
    assert 0 < len(near) < len(files) / 20
    assert max(map(distance, files)) > FAR


def test_changed_files_are_those_that_git_names(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    (tmp_path / "b.py").touch()
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "b.py").write_text("1")
    (tmp_path / "c.py").touch()
    assert [file.name for file in changed_files(tmp_path)] == ["b.py", "c.py"]
