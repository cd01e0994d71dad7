"""Folders that `tilewright new-pass` writes: their tests run at once, and fail for a fault of the pass."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tilewright
from tilewright import cli, opt_tool
from tilewright.errors import Diagnostic
from tilewright.runtime.testing.lit.file import failure_of
from tilewright.runtime.testing.new_pass import write_pass

pytestmark = pytest.mark.quick
LINKS = Path(tilewright.__file__).absolute().parent / ".links"
STRICT = f'[tool.pyright]\ntypeCheckingMode = "strict"\nextraPaths = ["{LINKS}"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_pass("double-sums", tmp_path, ["cse"])
    return tmp_path / "double-sums"


def tool(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / words[0]), *words[1:]]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_prints_what_it_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new-pass", "double-sums", "-o", str(tmp_path)]) == 0
    written = tmp_path / "double-sums"
    files = sorted(path.relative_to(written).as_posix() for path in written.rglob("*"))
    of_pass = ["double-sums-keeps.mlir", "double-sums.mlir", "double_sums.py"]
    assert files == ["conftest.py", *of_pass, "lit.cfg.py", "test_double_sums.py"]
    assert capsys.readouterr().out.splitlines() == [str(written / name) for name in files]
    assert cli.main(["new-pass", "double-sums", "-o", str(tmp_path)]) == 1
    assert "the folder exists" in capsys.readouterr().err


def test_lit_tests_pass_and_are_what_update_checks_writes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure_of(folder / "double-sums.mlir") == failure_of(folder / "double-sums-keeps.mlir") == ""
    assert opt_tool.main(["--update-checks", str(folder / "double-sums.mlir")]) == 0
    assert capsys.readouterr().out == f"{folder / 'double-sums.mlir'}: unchanged\n"


@pytest.mark.parametrize(
    ("old", "new", "test"),
    [
        ("op.lhs is not op.rhs", "True", "double-sums.mlir"),
        ("width.data < 2", "width.data < 1", "double-sums-keeps.mlir"),
    ],
)
def test_lit_tests_fail_for_a_fault(folder: Path, old: str, new: str, test: str) -> None:
    file = folder / "double_sums.py"
    file.write_text(file.read_text().replace(old, new))
    assert failure_of(folder / test) != ""


@pytest.mark.nightly
def test_lit_and_pytest_run_in_the_folder(folder: Path) -> None:
    done = tool(folder, "lit", ".")
    assert "Passed: 2 (100.00%)" in done.stdout, done.stderr
    done = tool(folder, "pytest", "-q")
    assert "4 passed" in done.stdout, done.stdout
    file = folder / "double_sums.py"
    file.write_text(file.read_text().replace("IntegerAttr(1, kind)", "IntegerAttr(2, kind)"))
    done = tool(folder, "pytest", "-q", "-k", "not random")  # shrinking takes a minute
    assert "the first op with another value" in done.stdout
    assert "2 failed" in done.stdout


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_written_folders_type_check_strictly(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(STRICT, encoding="utf-8")
    done = tool(folder, "pyright", "--pythonpath", sys.executable)
    assert done.stdout.startswith("0 errors"), done.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Fold", "cannot be the name of a pass"),
        ("double_sums", "cannot be the name of a pass"),
        ("cse", "is taken"),
        ("json", "is taken"),
        ("lambda", "cannot be the name of a pass"),
    ],
)
def test_names_that_are_no_pass(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match=message):
        write_pass(name, tmp_path, ["cse"])
    assert list(tmp_path.iterdir()) == []
