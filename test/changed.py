"""
Tests of what has changed since the last commit, the nearest first: for `pytest --changed`.

A test file is at distance 0 if it has changed itself, or is named after a module that has: `passes/foo_bar.py` has
`test/passes/**/foo-bar*.mlir` and `test_foo_bar*.py`. Else it is as far as the imports that lead from it to a changed
module; a `.mlir` file imports the passes that its RUN lines name.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from tilewright.test.import_graph import FOLDERS, ROOT, graph_of, sources

MOST = 2
"""The greatest distance of a test file that runs: beyond, most of the suite is some imports away from most modules."""
FAR = 1_000
"""Distance of a test file without a way to a changed module."""

_PASS = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def changed_files(root: Path = ROOT) -> list[Path]:
    """Return the files that differ from the last commit, new ones included. Raises CalledProcessError without git."""
    commands = ["diff --name-only HEAD", "ls-files --others --exclude-standard"]
    texts = [_git(root, command) for command in commands]
    return [root / line for text in texts for line in text.splitlines()]


def _git(root: Path, command: str) -> str:
    return subprocess.run(["git", *command.split()], cwd=root, check=True, capture_output=True, text=True).stdout


def distance_from(changed: Iterable[Path], root: Path = ROOT) -> Callable[[Path], int]:
    """Return the function from a test file to its distance from the changed files."""
    files = set(changed)
    modules = sources(root)
    names = [name for name, file in modules.items() if file in files]
    stems = {name.rpartition(".")[2] for name in names}
    near = _distances(_graph(root), names)
    passes = {name.rpartition(".")[2].replace("_", "-"): far for name, far in near.items() if ".passes." in f".{name}"}

    @cache
    def distance(test: Path) -> int:
        if test in files or _is_named_after(test, stems):
            return 0
        if test.suffix == ".mlir":
            words = {word for line in _run_lines(test) for word in _PASS.findall(line)}
            return 1 + min((passes[word] for word in words & passes.keys()), default=FAR)
        return 1 + min((near.get(name, FAR) for name in _imported(test, modules)), default=FAR)

    return distance


@cache
def _graph(root: Path) -> Mapping[str, set[str]]:
    return graph_of(sources(root), typing=True)


def _is_named_after(test: Path, stems: Iterable[str]) -> bool:
    name = test.stem.removeprefix("test_").replace("-", "_")
    return any(name == stem or name.startswith(f"{stem}_") for stem in stems)


def _run_lines(test: Path) -> Sequence[str]:
    return [line for line in test.read_text(encoding="utf-8").splitlines() if "RUN:" in line]


def _imported(test: Path, modules: Mapping[str, Path]) -> set[str]:
    """Return the modules that a test imports from the package: `from tilewright.passes.foo import bar`."""
    package = re.compile(rf"tilewright\.((?:{'|'.join(FOLDERS)})[\w.]*|\w+)")
    nodes = [node for node in ast.walk(ast.parse(test.read_bytes())) if isinstance(node, ast.ImportFrom)]
    named = {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}
    paths = [match[1] for name in named if (match := package.match(name))]
    return {path if path in modules else path.rpartition(".")[0] for path in paths}


def _distances(graph: Mapping[str, set[str]], names: Sequence[str]) -> dict[str, int]:
    """Return how many imports lead from a module to one of these, for those that have a way to one."""
    users: dict[str, list[str]] = {}
    for user, imported in graph.items():
        for name in imported:
            users.setdefault(name, []).append(user)
    distances, frontier = dict.fromkeys(names, 0), list(names)
    while frontier:
        reached = {user for name in frontier for user in users.get(name, ()) if user not in distances}
        distances |= dict.fromkeys(reached, distances[frontier[0]] + 1)
        frontier = sorted(reached)
    return distances
