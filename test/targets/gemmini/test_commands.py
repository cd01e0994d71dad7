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
from tilewright.test.random.networks.symmetric import residual

HEADERS = Path(__file__).parents[3] / "targets" / "gemmini" / "c"


def build(source: str, folder: Path) -> Path:
    """Compile a program beside copies of the headers, so that it is built again where these change."""
    for header in HEADERS.glob("*.h"):
        shutil.copy(header, folder)
    (folder / "main.c").write_text(source, encoding="utf-8")
    return compile_executable([folder / "main.c"], ("-std=c11",))


PARAMETERS = {
    **{"DIM": "16", "BANK_NUM": "4", "BANK_ROWS": "4096", "ACC_ROWS": "1024", "MAX_BYTES": "64", "XCUSTOM_ACC": "3"},
    **{"HAS_MVIN_SCALE": "", "ACC_SCALE_T_IS_FLOAT": "", "GEMMINI_PARAMS_H": ""},
}
"""Macros of an instance, as its gemmini_params.h defines them."""


def parameters(types: str = "typedef int8_t elem_t; typedef int32_t acc_t;", **changed: str | None) -> str:
    """Return the text of a gemmini_params.h."""
    found = {name: value for name, value in (PARAMETERS | changed).items() if value is not None}
    return "".join(
        ["#include <stdint.h>\n", *(f"#define {name} {text}\n" for name, text in found.items()), types, "\n"]
    )


needs_riscv = pytest.mark.skipif(
    find_spec("ziglang") is None, reason="needs a compiler for RISC-V: the package ziglang"
)


def commands(folder: Path, header: str = "") -> dict[int, set[int]]:
    """Compile a network for RISC-V, behind a header; return the commands of its coprocessors by their opcodes."""
    file, build = folder / "network.onnx", folder / "build"
    file.write_bytes(residual(1)[0].SerializeToString())
    api.compile(file, build, "gemmini")
    (folder / "before.h").write_text(header)
    flags = ["-target", "riscv64-linux-musl", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"]
    includes = [f"-I{build}", f"-I{build / 'runtime'}", "-include", str(folder / "before.h")]
    command = [sys.executable, "-m", "ziglang", "cc", *flags, *includes, "-c", str(build / "network.c")]
    subprocess.run([*command, "-o", str(folder / "network.o")], check=True, capture_output=True)
    code = (folder / "network.o").read_bytes()
    words = np.concatenate([np.frombuffer(code[at : len(code) - (len(code) - at) % 4], "<u4") for at in (0, 2)])
    words = words[(words >> 12 & 7 == 3) & (words >> 7 & 31 == 0)]
    return {opcode: {int(each) for each in words[words & 0x7F == opcode] >> 25} for opcode in (0x5B, 0x7B)}


@pytest.mark.sample(1)
@needs_riscv
@pytest.mark.parametrize("header", ["", parameters()])
def test_commands_are_instructions_of_the_coprocessor(header: str, tmp_path: Path) -> None:
    assert {0, 2, 3, 4, 5, 6, 14} <= commands(tmp_path, header)[0x7B]


@needs_riscv
def test_commands_are_issued_by_the_macro_of_a_header(tmp_path: Path) -> None:
    macro = """
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define ROCC_INSTRUCTION_RS1_RS2(x, rs1, rs2, funct) \\
  { __asm__ volatile(".insn r 0x5b, 3, " TEXT(funct) ", x0, %0, %1" : : "r"(rs1), "r"(rs2)); }
"""
    found = commands(tmp_path, parameters(XCUSTOM_ACC="2") + macro)
    assert {0, 2, 3, 4, 5, 6, 14} <= found[0x5B]
    assert not {2, 3, 4, 5, 6} & found[0x7B]


@needs_riscv
def test_another_command_without_a_macro_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as error:
        commands(tmp_path, parameters(XCUSTOM_ACC="2"))
    assert b"the array has another command than custom-3" in error.value.stderr


MAIN = """
#include "tw_gemmini.h"
int main(void) {
    static int8_t spad[1], acc[1];
    tw_gemmini_begin(spad, acc, 16, 4, 4096, 1024, 1);
    return 0;
}
"""


def test_a_header_of_the_instance_is_taken(tmp_path: Path) -> None:
    assert subprocess.run([build(parameters() + MAIN, tmp_path)], check=False).returncode == 0


def test_a_header_of_an_instance_of_floats_is_taken(tmp_path: Path) -> None:
    macros = {"DIM": "4", "ACC_ROWS": "4096", "ELEM_T_IS_FLOAT": "", "ELEM_T_EXP_BITS": "8"}
    floats = parameters("typedef float elem_t; typedef float acc_t;", **macros)
    program = build(floats + MAIN.replace("16, 4, 4096, 1024, 1", "4, 4, 4096, 4096, 4"), tmp_path)
    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.parametrize("has_normalizations", [False, True])
def test_gelu_needs_an_instance_with_normalisations(has_normalizations: bool, tmp_path: Path) -> None:
    header = parameters(**({"HAS_NORMALIZATIONS": ""} if has_normalizations else {}))
    source = header + MAIN.replace(
        "    return 0;", "    tw_gemmini_config_gelu(spad, 1, -1.0f, -50, -2770);\n    return 0;"
    )
    if has_normalizations:
        assert subprocess.run([build(source, tmp_path)], check=False).returncode == 0
        return
    with pytest.raises(Diagnostic, match="this program is for normalisations"):
        build(source, tmp_path)


@pytest.mark.parametrize("exponent", [8, 5])
def test_a_header_of_an_instance_of_bf16(exponent: int, tmp_path: Path) -> None:
    """The generator's headers have 16 bits for elements of bf16, and of f16, which has 5 bits of exponent."""
    macros = {"DIM": "8", "ACC_ROWS": "2048", "ELEM_T_IS_FLOAT": "", "ELEM_T_EXP_BITS": str(exponent)}
    source = parameters("typedef uint16_t elem_t; typedef float acc_t;", **macros)
    source += MAIN.replace("16, 4, 4096, 1024, 1", "8, 4, 4096, 2048, 2")
    if exponent == 8:
        assert subprocess.run([build(source, tmp_path)], check=False).returncode == 0
        return
    with pytest.raises(Diagnostic, match="its elem_t is another type"):
        build(source, tmp_path)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("#define DIM 32\n", "this program is for DIM 16"),
        (parameters(DIM="4"), "this program is for DIM 16"),
        (parameters(BANK_NUM="2"), "a scratchpad of 4 banks of 4096 rows"),
        (parameters(BANK_ROWS="2048"), "a scratchpad of 4 banks of 4096 rows"),
        (parameters(ACC_ROWS="512"), "accumulators of 1024 rows"),
        (parameters(MAX_BYTES="128"), "loads of 64 bytes at most"),
        (parameters(ELEM_T_IS_FLOAT="", ELEM_T_EXP_BITS="8"), "that computes with floats"),
        (parameters(HAS_MVIN_SCALE=None), "elements that floats scale"),
        (parameters("typedef uint8_t elem_t; typedef int32_t acc_t;"), "an instance of signed elements"),
        (parameters("typedef int16_t elem_t; typedef int32_t acc_t;"), "its elem_t is another type"),
        (parameters("typedef int8_t elem_t; typedef int16_t acc_t;"), "whose acc_t has 32 bits"),
    ],
)
def test_a_header_of_another_instance_is_refused(header: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as error:
        build(header + MAIN, tmp_path)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("0, 1, 16", 0),
        ("0, 4, 0", 0),
        ("0, 0, 0", 0),
        ("0, 0, 1", -6),
        ("0, 260, 0", -6),
        ("0, 3, 0", 0),
        ("0, 65539, 0", -6),
        ("0, 10, 0", -6),
        ("8, 0, 0", -6),
    ],
)
def test_the_model_stops_at_a_command_that_it_has_not(command: str, status: int, tmp_path: Path) -> None:
    source = f'#include "tw_gemmini.h"\nint main(void) {{ tw_gemmini_issue({command}); return 0; }}\n'
    program = build(source, tmp_path)
    assert subprocess.run([program], capture_output=True, check=False).returncode == status
