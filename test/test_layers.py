"""Modules depend on each other one way: imports go round in no circle, those in functions counted; all are relative."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tilewright.test.import_graph import ORDER, ROOT, circles, graph_of, import_graph, packages_of, sources, upward

pytestmark = pytest.mark.quick

_TESTS_IMPORT = re.compile(
    r"^\s*(?:from\s+(?=\.|tilewright\.test\b)|import\s+tilewright\.test\b)[^(\n]*(?:\([^)]*\))?", re.M
)
MIRRORED = ("dialects", "passes", "runtime", "targets")
"""Folders whose tests lie in folders of the same names."""
_NAMES_THE_PACKAGE = re.compile(rb"\bimport\b.*\btilewright\b|\bfrom[ \t]+tilewright\b")


def absolute(file: Path) -> list[int]:
    """The lines at which a module imports the package by its name."""
    found: list[int] = []
    text = file.read_bytes()
    if not _NAMES_THE_PACKAGE.search(text):  # most do not, and parsing takes long
        return found
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import():
                found += [node.lineno for alias in node.names if alias.name.split(".")[0] == "tilewright"]
            case ast.ImportFrom(level=0, module=str(name)) if name.split(".")[0] == "tilewright":
                found.append(node.lineno)
            case _:
                pass
    return found


def imported_tests(text: str) -> list[str]:
    """Return the test modules that a module below `test/` imports."""
    return [name for found in _TESTS_IMPORT.findall(text) for name in re.findall(r"\btest_\w+", found)]


@pytest.mark.long
def test_the_package_imports_itself_relatively():
    assert {name: lines for name, file in sources().items() if (lines := absolute(file))} == {}


def test_imports_by_the_name_of_the_package_are_found(tmp_path: Path):
    lines = ["import tilewrights", "from . import tilewright", "def f():", "    from tilewright.ir import g"]
    (tmp_path / "a.py").write_text("\n".join([*lines, "import os, tilewright.ir"]), encoding="utf-8")
    assert sorted(absolute(tmp_path / "a.py")) == [4, 5]


@pytest.mark.long
def test_imports_go_one_way():
    assert circles(import_graph()) == []


@pytest.mark.long
def test_packages_import_from_those_below():
    graph = import_graph()
    assert upward(graph) == []
    assert set(packages_of(graph).values()) == set(ORDER)


def test_imports_against_the_order_are_found():
    graph = {
        "passes.cse": {"dialects.core.kernel", "runtime.interpreter", "runtime.report"},
        "runtime.interpreter.onnx": {"dialects.onnx"},
        **{
            name: set[str]()
            for name in ("dialects.core.kernel", "runtime.interpreter", "runtime.report", "dialects.onnx")
        },
    }
    assert upward(graph) == [("passes.cse", "runtime.report")]


def test_circles_are_found(tmp_path: Path):
    texts = {
        "__init__": "",
        "errors": "",
        "passes/__init__": "from importlib import import_module",
        "passes/a": "from ..errors import Diagnostic\nfrom .b import f",
        "passes/b": "def f():\n    try:\n        from . import c\n    finally:\n        pass",
        "passes/c": "class C:\n    from ..passes.a import x",
        "passes/d": "if TYPE_CHECKING:\n    from .e import g\nelse:\n    from . import core",
        "passes/e": "from .d import h",
        "passes/core/__init__": "from ...errors import Diagnostic",
    }
    for name, text in texts.items():
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    modules = sources(tmp_path, ["passes"])
    graph = graph_of(modules)
    assert graph["passes.a"] == {"errors", "passes.b"}
    assert graph["passes.d"] == {"passes.core"}
    assert circles(graph) == [{"passes.a", "passes.b", "passes.c"}]
    assert {"passes.d", "passes.e"} in circles(graph_of(modules, typing=True))


def misplaced(tests: Path, root: Path) -> list[str]:
    """
    Return the folders of tests, such as `passes/loops`, that the package has neither as a folder nor as a module.

    Folders `Inputs` hold no tests.
    """
    files = [file for name in MIRRORED for end in ("test_*.py", "*.mlir") for file in (tests / name).rglob(end)]
    folders = sorted({file.parent.relative_to(tests).as_posix() for file in files if file.parent.name != "Inputs"})
    return [name for name in folders if not (root / name).is_dir() and not (root / f"{name}.py").is_file()]


def test_tests_lie_where_their_modules_lie(tmp_path: Path):
    assert misplaced(ROOT / "test", ROOT) == []
    for name in ("passes/loops/test_a.py", "dialects/arith/a.mlir", "dialects/Inputs/a.mlir", "passes/nests/test_b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert misplaced(tmp_path, ROOT) == ["passes/nests"]


def test_tests_share_modules_that_are_no_tests():
    tests = sorted((ROOT / "test").rglob("*.py"))
    assert len(tests) > 100
    assert {file.name: names for file in tests if (names := imported_tests(file.read_text(encoding="utf-8")))} == {}


def test_imports_of_test_modules_are_found():
    lines = [
        "from xdsl.utils.test_value import create_ssa_value",
        "from tilewright.test.passes.levels import steps",
        "from tilewright.test.passes.test_a import steps",
        "from tilewright.test.passes import (\n    levels,\n    test_b,\n)",
        "def f():\n    from .test_c import test_d",
        "import tilewright.test.test_e as e",
    ]
    assert imported_tests("\n".join(lines)) == ["test_a", "test_b", "test_c", "test_d", "test_e"]


_ISSUED = {"DmaStartOp", "DmaWaitOp", "DmaNoneOp", "LaunchOp", "JoinOp"}
"""Op classes of transfers and launches, whose effects say all that clients of the walk need."""
_CLIENTS = ("passes/explicit", "passes/overlap", "passes/proof", "passes/split", "runtime/simulator")


def issued(file: Path) -> set[str]:
    """The classes of transfers and launches that a module imports."""
    found = (node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.ImportFrom))
    return _ISSUED & {alias.name for node in found for alias in node.names}


@pytest.mark.long
def test_clients_of_the_walk_know_transfers_and_launches_by_their_effects(tmp_path: Path):
    files = [file for folder in _CLIENTS for file in (ROOT / folder).glob("*.py")]
    assert len(files) > 50
    assert {file.name: names for file in files if (names := issued(file))} == {}
    (tmp_path / "a.py").write_text("def f():\n    from ..hier import JoinOp, GridOp", encoding="utf-8")
    assert issued(tmp_path / "a.py") == {"JoinOp"}
