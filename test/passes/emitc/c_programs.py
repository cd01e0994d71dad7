"""Programs for the C printer, and what they compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.formats.c import CProgram, render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.toolchain import STRICT

CONV = Path(__file__).parents[2] / "passes" / "convert-to-emitc.mlir"


def program_of(text: str) -> CProgram:
    module = parse_module(new_context(), text)
    verify(module)
    convert_to_emitc(module)
    verify(module)
    return render(module)


def constant(name: str, array: np.ndarray, element: str) -> str:
    shape = "x".join(str(size) for size in array.shape)
    return (
        f'"memref.global"() <{{sym_name = "{name}", type = memref<{shape}x{element}>, initial_value = '
        f'dense<"0x{array.tobytes().hex().upper()}"> : tensor<{shape}x{element}>, '
        'sym_visibility = "private", constant}> : () -> ()\n'
    )


def arena(size: int) -> str:
    return (
        f'"memref.global"() <{{sym_name = "arena", type = memref<{size}xi8>, initial_value, '
        'sym_visibility = "private", alignment = 16 : i64}> : () -> ()\n'
    )


CLEAR = """
      %blank = arith.constant 0 : i32
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %blank, %y[%i] : memref<8xi32>
      }"""


def kernel(body: str, *, output: str = "8xi32", input_: str = "8xi32", head: str = "") -> str:
    clear = CLEAR if output == "8xi32" else ""
    return f"""{head}
    func.func @network(%x: memref<{input_}> {{onnx.name = "x"}},
                       %y: memref<{output}> {{onnx.name = "y", tilewright.output}}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      {clear}
      {body}
      func.return
    }}"""


X = np.arange(3, 11, dtype=np.int32)


def result_of(text: str, x: np.ndarray = X) -> np.ndarray:
    program = program_of(text)
    plain = HostNetwork(program, flags=STRICT).run([x])[0]
    checked = HostNetwork(program, sanitize=True, flags=STRICT).run([x])[0]
    np.testing.assert_array_equal(plain, checked)
    return plain
