"""The C for a RISC-V core: commands of the coprocessor, as the bits of its instructions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tilewright import api
from tilewright.errors import Diagnostic
from tilewright.runtime.toolchain import compile_executable
from tilewright.test.targets.gemmini.networks import residual

HEADERS = Path(__file__).parents[3] / "targets" / "gemmini" / "c"


def build(source: str, folder: Path) -> Path:
    """Compile a program beside copies of the headers, so that it is built again where these change."""
    for header in HEADERS.glob("*.h"):
        shutil.copy(header, folder)
    (folder / "main.c").write_text(source, encoding="utf-8")
    return compile_executable([folder / "main.c"], ("-std=c11",))


@pytest.mark.skipif(find_spec("ziglang") is None, reason="needs a compiler for RISC-V: the package ziglang")
def test_commands_are_instructions_of_the_coprocessor(tmp_path: Path) -> None:
    file, build = tmp_path / "network.onnx", tmp_path / "build"
    file.write_bytes(residual(1)[0].SerializeToString())
    api.compile(file, build, "gemmini")
    flags = ["-target", "riscv64-linux-musl", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"]
    includes = [f"-I{build}", f"-I{build / 'runtime'}"]
    command = [sys.executable, "-m", "ziglang", "cc", *flags, *includes, "-c", str(build / "network.c")]
    subprocess.run([*command, "-o", str(tmp_path / "network.o")], check=True, capture_output=True)
    code = (tmp_path / "network.o").read_bytes()
    words = np.concatenate([np.frombuffer(code[at : len(code) - (len(code) - at) % 4], "<u4") for at in (0, 2)])
    found = words[(words & 0x7F == 0x7B) & (words >> 12 & 7 == 3) & (words >> 7 & 31 == 0)] >> 25
    assert {0, 2, 3, 4, 5, 6, 14} <= {int(each) for each in found}


def test_a_header_of_another_instance_is_refused(tmp_path: Path) -> None:
    source = '#define DIM 32\n#include "tw_gemmini.h"\nint main(void) { return 0; }\n'
    with pytest.raises(Diagnostic) as error:
        build(source, tmp_path)
    assert "this program is for DIM 16" in str(error.value)


@pytest.mark.parametrize(("command", "status"), [("0, 1, 16", 0), ("0, 3, 0", -6), ("8, 0, 0", -6)])
def test_the_model_stops_at_a_command_that_it_has_not(command: str, status: int, tmp_path: Path) -> None:
    source = f'#include "tw_gemmini.h"\nint main(void) {{ tw_gemmini_issue({command}); return 0; }}\n'
    program = build(source, tmp_path)
    assert subprocess.run([program], capture_output=True, check=False).returncode == status
