"""Passes and dialects of installed packages, which the entry points `xdsl.universe` name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright.test.extension_texts import DIALECT, FUNCTION, PASS, tool, write

pytestmark = pytest.mark.quick


def install(folder: Path, universe: str, name: str = "other") -> None:
    """Write a package `NAME_plugin` with a universe and the metadata that pip would write."""
    head = "from xdsl.universe import Universe\nfrom xdsl.ir import Dialect\n"
    info = f"{name}_plugin-1.0.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}-plugin\nVersion: 1.0\n",
        f"{info}/entry_points.txt": f"[xdsl.universe]\n{name} = {name}_plugin:UNIVERSE\n",
        f"{name}_plugin/__init__.py": head + universe,
    }
    write(folder, texts)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the module path."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in [name for name in sys.modules if name.endswith("_plugin")]:
        del sys.modules[name]


BOTH = (
    PASS.format(cls="Rename", name="rename")
    + DIALECT.format(dialect="double", more="")
    + 'UNIVERSE = Universe(all_passes={"rename": lambda: Rename}, all_dialects={"double": lambda: DOUBLE})\n'
)


@pytest.mark.long
def test_universes_of_installed_packages(installed: Path, capsys: pytest.CaptureFixture[str]):
    install(installed, BOTH)
    file = installed / "f.mlir"
    file.write_text("func.func @f(%x: i32) -> i32 {\n  %y = double.twice %x\n  func.return %y : i32\n}\n")
    code, out, err = tool([file, "-p", "rename{to=g}"], capsys)
    assert (code, err) == (0, "")
    assert "@g(" in out
    code, out, _ = tool(["--list-passes"], capsys)
    assert re.search(r"Passes of entry point 'other' of the package other-plugin:\n  rename +Rename functions\.\n", out)


@pytest.mark.parametrize(
    ("universe", "expected"),
    [
        (
            "import absent_module\n",
            r"other_plugin/__init__\.py:3: error: the plug-in cannot be imported\n.*ModuleNotFound",
        ),
        ("UNIVERSE = 3\n", r"entry point 'other' of the package other-plugin: error: the entry point is no universe"),
        ("def f(:\n", r"__init__\.py:3: error: the plug-in cannot be imported\n.*SyntaxError"),
        (BOTH.replace('{"rename"', '{"cse"'), "two passes have the name 'cse'"),
        (BOTH.replace('{"double"', '{"arith"'), "two dialects have the name 'arith'"),
        (BOTH.replace('{"rename"', '{"other-name"'), "the pass is registered by another name than it has"),
        (
            BOTH.replace("[TwiceOp]", "[TwiceOp, TwiceOp]"),
            "two ops of the dialect 'double' have the name 'double.twice'",
        ),
        (BOTH.replace('"double.twice"', '"arith.twice"'), "'arith.twice' is none of the ops of the dialect 'double'"),
    ],
)
def test_universes_that_are_wrong(universe: str, expected: str, installed: Path, capsys: pytest.CaptureFixture[str]):
    install(installed, universe)
    file = installed / "f.mlir"
    file.write_text('"double.twice"() : () -> ()\n')
    code, out, err = tool([file, "-p", "other-name" if "other-name" in universe else "cse"], capsys)
    assert code == 1
    assert out == ""
    assert re.search(expected, err, re.DOTALL), err
    assert "Traceback" not in err


def test_two_packages_with_one_pass(installed: Path, capsys: pytest.CaptureFixture[str]):
    install(installed, BOTH)
    install(installed, BOTH.replace("double", "triple"), "third")
    (installed / "f.mlir").write_text(FUNCTION)
    code, _, err = tool([installed / "f.mlir"], capsys)
    assert code == 1
    assert err == (
        "entry point 'third' of the package third-plugin: error: two passes have the name 'rename'\n"
        "  expected:   a name that no other of the passes has\n"
        "  found:      the one of entry point 'other' of the package other-plugin\n"
        "  remedy:     rename one of them, or leave one of the two out\n"
    )
