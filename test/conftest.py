"""
Collects `test/**/*.mlir` as tests, whose RUN lines are run in this process. Real lit runs them too: lit.cfg.py.

Of files that are marked `quick`, the tests marked `long` are left out of `-m quick`, which draws fewer examples. Tests
marked `nightly`, all but a sample of the matrices marked `sample`, and half of the examples are left out without
`--nightly`.
With `--changed` the tests of what has changed since the last commit are run, the nearest first (test/changed.py).
Hypothesis sets no deadlines: how long an example takes says how busy the machine is. It draws the same examples in each
run, so that a commit passes or fails; others each time with `--nightly`.
"""

from __future__ import annotations

import gc
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from zlib import crc32

import hypothesis
import pytest

from tilewright.runtime.testing.lit.collection import LitTest, pytest_collect_file
from tilewright.test.changed import MOST, changed_files, distance_from

__all__ = ["pytest_collect_file"]

hypothesis.settings.register_profile("tilewright", deadline=None, max_examples=24, derandomize=True, database=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True, database=None)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=24)
hypothesis.settings.load_profile("tilewright")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file without a quick test for `-m quick`, and none far from what has changed for `--changed`."""
    if not collection_path.is_file():
        return None
    is_test = collection_path.suffix == ".mlir" or collection_path.name.startswith("test_")
    if config.getoption("changed") and is_test and _distance(collection_path) > MOST:
        return True
    is_module = collection_path.suffix == ".py"
    return True if config.getoption("markexpr") == "quick" and is_module and not _has_quick(collection_path) else None


def _distance(test: Path) -> int:
    """Return how far a file of tests is from what has changed."""
    return _distances()(test)


@cache
def _distances() -> Callable[[Path], int]:
    return distance_from(changed_files())


def _has_quick(module: Path) -> bool:
    return "mark.quick" in module.read_text()


def pytest_configure(config: pytest.Config) -> None:
    """
    Let Python look for garbage less often: IR is cyclic, and thousands of tests leave much that every search visits.

    Where Python is to write no bytecode beside its sources, processes that tests start share it elsewhere.
    """
    gc.set_threshold(50_000, 20, 100)
    if config.getoption("markexpr") == "quick":
        hypothesis.settings.load_profile("quick")
    elif config.getoption("nightly"):
        hypothesis.settings.load_profile("nightly")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", "") and "PYTHONPYCACHEPREFIX" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="tilewright-bytecode-", ignore_cleanup_errors=True)
        os.environ["PYTHONPYCACHEPREFIX"] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the tests marked `nightly`, and all of each matrix")
    parser.addoption("--part", metavar="K/N", help="with --nightly: one of N parts, which together are all tests")
    parser.addoption(
        "--changed", action="store_true", help="run the tests of what has changed since the last commit, nearest first"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, LitTest):
            item.add_marker("quick")
    if config.getoption("changed"):
        items.sort(key=lambda item: _distance(item.path))
    if config.getoption("nightly") or "nightly" in str(config.getoption("markexpr")):
        _keep_part(config, items)
        return
    matrices = _matrices(items)
    for matrix in matrices:
        _draw_fewer_examples(matrix)
    left_out = {item for item in items if item.get_closest_marker("nightly")}
    left_out |= {item for matrix in matrices for item in _beyond_sample(matrix)}
    if config.getoption("markexpr") == "quick":
        left_out |= {item for item in items if item.get_closest_marker("long")}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _keep_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of one part of N: a test keeps its part when others come and go."""
    part: str | None = config.getoption("part")
    if part is None:
        return
    numbers = re.fullmatch(r"(\d+)/([1-9]\d*)", part)
    if numbers is None or not 1 <= int(numbers[1]) <= int(numbers[2]):
        raise pytest.UsageError(f"--part {part}: expected K/N with K from 1 to N, such as 3/7")
    kept = {item for item in items if crc32(item.nodeid.encode()) % int(numbers[2]) == int(numbers[1]) - 1}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _matrices(items: Sequence[pytest.Item]) -> list[list[pytest.Item]]:
    """Return the tests, each as a list of its parametrisations."""
    matrices: dict[str, list[pytest.Item]] = {}
    for item in items:
        matrices.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return list(matrices.values())


def _draw_fewer_examples(matrix: Sequence[pytest.Item]) -> None:
    """
    Let hypothesis draw half of the examples that a test has settings for, or those of its mark `sample`.

    A test without settings of its own follows the profile. The mark of a test of several parametrisations counts these.
    """
    function, mark = getattr(matrix[0], "function", None), matrix[0].get_closest_marker("sample")
    settings = getattr(function, "_hypothesis_internal_use_settings", None)
    count = mark.args[0] if mark and len(matrix) == 1 else 0
    if count and hasattr(function, "hypothesis"):
        fewer = hypothesis.settings(settings, max_examples=count)
    elif settings is not None:
        fewer = hypothesis.settings(settings, max_examples=max(1, settings.max_examples // 2))
    else:
        return
    vars(function)["_hypothesis_internal_use_settings"] = fewer


def _beyond_sample(matrix: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the parametrisations that are not among the evenly spread ones of the mark `sample`."""
    mark = matrix[0].get_closest_marker("sample")
    if mark is None:
        return
    count = min(mark.args[0], len(matrix))
    chosen = {len(matrix) * place // count for place in range(count)}
    yield from (item for place, item in enumerate(matrix) if place not in chosen)


_GROWTH = 192 << 20
"""Bytes by which a process may grow until garbage is searched for: twice an emulator's memory, which cycles hold."""

_RESIDENT = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Free the emulators and modules of earlier tests once the process has grown, where the system tells its size."""
    if _resident_bytes() > item.config.stash.get(_RESIDENT, 0) + _GROWTH:
        gc.collect()
        item.config.stash[_RESIDENT] = _resident_bytes()


def _resident_bytes() -> int:
    """Return the bytes of memory that this process holds, 0 where no /proc says so."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
