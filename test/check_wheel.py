"""
Check a wheel: every file of the package's folders is in it, and it works where only its dependencies are.

    python test/check_wheel.py dist/tilewright-0.1.0-py3-none-any.whl
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
KINDS = {".py", ".pyi", ".toml", ".txt", ".h", ".c", ".S", ".ld", ".html", ".in", ".npz"}
LEFT_OUT = {"test", "docs", "benchmarks", "build", "dist", "tilewright.egg-info"}


def expected() -> set[str]:
    """Return the files that the wheel must hold, relative to the package."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [Path(name) for name in listed.splitlines()]
    inside = [f for f in files if f.suffix in KINDS and f.parts[0] not in LEFT_OUT and not f.parts[0].startswith(".")]
    return {str(f) for f in inside if len(f.parts) > 1 or f.suffix == ".py"} | {"py.typed"}


def main(wheel: Path) -> int:
    """Return 0 where the wheel is whole and its tools run."""
    names = {name.removeprefix("tilewright/") for name in zipfile.ZipFile(wheel).namelist()}
    if missing := sorted(expected() - names):
        print("missing from the wheel:", *missing, sep="\n  ")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        tools = Path(folder) / "bin"
        subprocess.run([tools / "pip", "install", "--quiet", f"{wheel}[dev]"], check=True)
        model = Path(folder) / "net.onnx"
        subprocess.run([tools / "python", "-m", "tilewright.frontend.zoo", "mlp", model], check=True, cwd=folder)
        subprocess.run([tools / "tilewright", "compile", model, "-o", Path(folder) / "out"], check=True, cwd=folder)
        subprocess.run([tools / "tilewright", "new-pass", "double-sums"], check=True, cwd=folder)
        for test in (["lit", "."], ["pytest", "-q"]):
            environment = {"PATH": os.pathsep.join((str(tools), os.environ["PATH"]))}
            subprocess.run([tools / test[0], *test[1:]], check=True, cwd=Path(folder) / "double-sums", env=environment)
        shown = subprocess.run([tools / "xdsl-opt", "--help"], capture_output=True, text=True, check=True).stdout
        # argparse breaks lines within names.
        if "fuse-epilogues" not in "".join(shown.split()):
            print("xdsl-opt does not list the passes")
            return 1
    print(f"{wheel.name}: {len(names)} files, installs alone, compiles a network and runs the tests of a new pass")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
