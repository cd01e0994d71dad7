"""Raw bytes of constants: those that mlir-opt writes and reads, for integers of every width."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.opt_tool import main

pytestmark = pytest.mark.quick

_MLIR_OPT = "mlir-opt-19"
_LENGTHS = (3, 101, 128)
"""Numbers of elements: in decimal, and as bytes, of which the last are whole or not for i1."""


def _constant(rng: random.Random, width: int, prefix: str, length: int) -> str:
    low, high = (0, 2**width - 1) if prefix == "ui" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    values = [str(rng.choice((low, high, 0, rng.randint(low, high)))) for _ in range(length)]
    if prefix == "i" and width == 1:
        values = ["false" if value == "0" else "true" for value in values]
    container = rng.choice(("tensor", "vector"))
    if rng.random() < 0.2:
        return f"dense<{values[0]}> : {container}<2x{length}x{prefix}{width}>"
    return f"dense<[[{', '.join(values)}]]> : {container}<1x{length}x{prefix}{width}>"


def _complex(rng: random.Random, width: int) -> str:
    low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    values = [f"({rng.randint(low, high)}, {rng.randint(low, high)})" for _ in range(101)]
    return f"dense<[{', '.join(values)}]> : tensor<101xcomplex<i{width}>>"


def _program(seed: int) -> str:
    rng = random.Random(seed)
    widths = [1, 1, 1, *range(2, 65)]
    constants = [_constant(rng, width, rng.choice(("i", "si", "ui")), rng.choice(_LENGTHS)) for width in widths]
    constants += [_complex(rng, width) for width in (2, 12, 33)]
    return "\n".join(f'"test.op"() {{a = {constant}}} : () -> ()' for constant in constants)


def _ours(text: str) -> list[str]:
    module = parse_module(new_context(allow_unregistered=True), text)
    return _ops(print_ir(module, generic=True))


def _upstream(text: str) -> list[str]:
    command = [_MLIR_OPT, "--mlir-print-op-generic", "--allow-unregistered-dialect"]
    return _ops(subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout)


def _ops(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if "test.op" in line]


@pytest.mark.skipif(shutil.which(_MLIR_OPT) is None, reason=f"needs {_MLIR_OPT}")
def test_constants_have_the_text_of_mlir_opt():
    text = _program(seed=1)
    expected = _upstream(text)
    assert _ours(text) == expected
    assert _ours("\n".join(expected)) == expected


@pytest.mark.skipif(shutil.which(_MLIR_OPT) is None, reason=f"needs {_MLIR_OPT}")
def test_the_pass_mlir_opt_reads_these_constants(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    floats = "dense<[0x7F800000, 0xFFC00001, -0.0]> : tensor<3xf32>"
    text = f'{_program(seed=2)}\n"test.op"() {{a = {floats}}} : () -> ()'
    (file := tmp_path / "f.mlir").write_text(text)
    step = "mlir-opt{{executable=mlir-opt-19 arguments='--allow-unregistered-dialect'{}}}"
    flags = ["--mlir-print-op-generic", "--allow-unregistered-dialect"]
    assert main([str(file), *flags, "-p", step.format("")]) == 0
    assert _ops(capsys.readouterr().out) == _ours("\n".join(_upstream(text)))
    assert main([str(file), *flags, "-p", step.format(",'--no-such'")]) == 1
    assert "Unknown command line argument '--no-such'" in capsys.readouterr().err
