"""Kernels as loops that are run one scalar at a time, as generics, and as generics on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import func

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.generalize_kernels import generalize_kernels
from tilewright.runtime.interpreter.boundary import run_module
from tilewright.test.passes.scalar_machine import run_block, typed

CONTEXT = new_context()


def loops(text: str, *, generalize: bool = False) -> Any:
    """Return the module of the text, verified, with its kernels made loops."""
    module = parse_module(CONTEXT, text)
    verify(module)
    if generalize:
        generalize_kernels(module)
        verify(module)
        assert not [op.name for op in module.walk() if op.name.startswith(("nn.", "quant.")) and op.name != "nn.isqrt"]
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    verify(module)
    left = [
        op.name for op in module.walk() if op.name.startswith(("nn.", "linalg.", "quant.")) and op.name != "nn.isqrt"
    ]
    assert not left
    return module


def compute(body: str, out: Array, **inputs: Array) -> list[Array]:
    """
    Run `body`, in which $x stands for the type of input x, and return the output of the loops of the kernel, of the
    loops of its generics, and of its generics on tensors.

    The output is filled with a number before, so that what is not written shows.
    """
    named = inputs | {"out": out}
    for name, array in named.items():
        body = body.replace(f"${name}", typed(array))
    arguments = ", ".join(f"%{name}: {typed(array)}" for name, array in named.items())
    text = f"func.func @f({arguments}) {{\n{body}\nfunc.return\n}}"
    outputs: list[Array] = []
    for generalize in (False, True):
        module = loops(text, generalize=generalize)
        function = cast(func.FuncOp, module.body.block.first_op)
        result = np.full_like(out, 55)
        buffers = [*inputs.values(), result]
        run_block(function.body.block, dict(zip(function.body.block.args, buffers, strict=True)))
        outputs.append(result)
    if body.startswith("nn."):
        outputs.append(on_tensors(text, list(inputs.values()), out))
    return outputs


def on_tensors(text: str, inputs: Sequence[Array], out: Array) -> Array:
    """Run the function of one kernel, moved to tensors and generalised, in the interpreter."""
    result = typed(out).replace("memref", "tensor")
    text = text.replace("memref", "tensor").replace(") {\nnn.", f") -> {result} {{\n%r = nn.", 1)
    module = parse_module(CONTEXT, text.replace("func.return", f"func.return %r : {result}"))
    verify(module)
    generalize_kernels(module)
    verify(module)
    values = {f"arg{i}": value for i, value in enumerate([*inputs, np.zeros_like(out)])}
    return run_module(module, values, function="f")["result0"]


def array(values: Sequence[int]) -> str:
    """Return `array<i64: ...>`."""
    return f"array<i64: {', '.join(map(str, values))}>"


def numbers(seed: int, shape: Sequence[int], low: int = -128, high: int = 127, type: Any = np.int8) -> Array:
    """Return random integers."""
    return np.random.default_rng(seed).integers(low, high, shape, np.int64, endpoint=True).astype(type)


def check(results: Sequence[Array], expected: Array) -> None:
    for result in results:
        np.testing.assert_array_equal(result, expected.astype(result.dtype))
