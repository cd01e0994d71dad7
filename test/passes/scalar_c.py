"""Scalar code as C that runs here: functions that apply it to each element of arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.formats.c import render
from tilewright.runtime.toolchain import STRICT, compile_shared

UBSAN = ("-fsanitize=undefined", "-fno-sanitize-recover=all")


def c_of(text: str) -> str:
    return c_of_module(parse_module(new_context(), text))


def c_of_module(module: ModuleOp) -> str:
    verify(module)
    convert_to_emitc(module)
    verify(module)
    return render(module).text()


def build(text: str, folder: Path, *flags: str) -> Any:
    return build_module(parse_module(new_context(), text), folder, *flags)


def build_module(module: ModuleOp, folder: Path, *flags: str) -> Any:
    source = folder / "code.c"
    source.write_text(c_of_module(module))
    return ctypes.CDLL(str(compile_shared([source], [*STRICT, *flags])))


def elementwise(name: str, operands: Sequence[str], result: str, body: str, count: int) -> str:
    """Return a function that applies `body`, from %x0, %x1, .. to %r, to each element of its operands."""
    arguments = [f"%a{i}: memref<{count}x{type_}>" for i, type_ in enumerate(operands)]
    loads = [f"%x{i} = memref.load %a{i}[%i] : memref<{count}x{type_}>" for i, type_ in enumerate(operands)]
    return f"""
    func.func @{name}({", ".join([*arguments, f"%o: memref<{count}x{result}>"])}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        {" ".join(loads)}
        {body}
        memref.store %r, %o[%i] : memref<{count}x{result}>
      }}
      func.return
    }}"""


def call(library: Any, name: str, operands: Sequence[np.ndarray], result: str) -> np.ndarray:
    output = np.empty(
        len(operands[0]), {"i1": "bool", "f32": "float32", "f64": "float64"}.get(result, f"int{result[1:]}")
    )
    function = getattr(library, f"{name}_run")
    function(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*operands, output)))
    return output


def one(tmp_path: Path, operands: Sequence[np.ndarray], types: Sequence[str], result: str, body: str) -> np.ndarray:
    library = build(elementwise("f", types, result, body, len(operands[0])), tmp_path, *UBSAN)
    return call(library, "f", operands, result)
