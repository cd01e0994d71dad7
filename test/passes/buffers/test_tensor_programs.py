"""Random programs on tensors: interpreted, on buffers and as loops they compute what copies of every array do."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array, functions
from tilewright.passes.bufferize import bufferize
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.levels import run_buffers
from tilewright.test.passes.tensor_programs import CONTEXT, SQUARE, copying_results, inputs_of, random_module

pytestmark = pytest.mark.quick


def check_program(module: ModuleOp, inputs: dict[str, Array], name: str) -> None:
    """Assert that a program keeps its results on tensors, on buffers and as loops, and is proved."""
    expected = copying_results(module, inputs)
    copies = {name: array.copy() for name, array in inputs.items()}
    check_results(run_module(module, copies).values(), expected, f"{name} on tensors")
    check_results(copies.values(), inputs.values(), f"{name}: its inputs")
    for function in functions(module):
        bufferize(module, function)
    verify(module)
    check_results(run_buffers(module, inputs).values(), expected, f"{name} on buffers")
    try:
        verify_memory(module)
    except Diagnostic as error:
        raise AssertionError(f"{name} is refused: {error.message}") from error
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    check_results(run_buffers(module, inputs).values(), expected, f"{name} as loops")


def check_results(results: Iterable[Array], expected: Iterable[Array], what: str) -> None:
    for a, b in zip(results, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=what)


def test_random_programs() -> None:
    for seed in range(12):
        check_program(random_module(seed), inputs_of(seed), f"program {seed}")


IDENTITY, TRANSPOSED = "affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d1, d0)>"
PARALLEL = 'iterator_types = ["parallel", "parallel"]'


def kernel(result: str, operand: str, map: str) -> str:
    """Return a kernel that doubles the elements of a square, read by a map, into a new tensor."""
    return f"""
      %{result}e = tensor.empty() : {SQUARE}
      %{result} = linalg.generic {{indexing_maps = [{map}, {IDENTITY}], {PARALLEL}}}
        ins(%{operand} : {SQUARE}) outs(%{result}e : {SQUARE}) {{
      ^bb0(%p: i32, %o: i32):
        %r = arith.addi %p, %p : i32
        linalg.yield %r : i32
      }} -> {SQUARE}"""


PROGRAMS = {
    "a carried buffer that an update in place keeps alive": f"""
      %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %x) -> ({SQUARE}) {{
        {kernel("t", "s", IDENTITY)}
        {kernel("u", "t", TRANSPOSED)}
        scf.yield %u : {SQUARE}
      }}
      func.return %y, %x : {SQUARE}, {SQUARE}""",
    "two results and one dead operand": f"""
      {kernel("t", "x", IDENTITY)}
      %a = tensor.empty() : {SQUARE}
      %b = tensor.empty() : {SQUARE}
      %y:2 = linalg.generic {{indexing_maps = [{IDENTITY}, {IDENTITY}, {IDENTITY}], {PARALLEL}}}
        ins(%t : {SQUARE}) outs(%a, %b : {SQUARE}, {SQUARE}) {{
      ^bb0(%p: i32, %o: i32, %q: i32):
        %r = arith.addi %p, %p : i32
        linalg.yield %p, %r : i32, i32
      }} -> {SQUARE}, {SQUARE}
      {kernel("z", "y#1", TRANSPOSED)}
      func.return %z, %x : {SQUARE}, {SQUARE}""",
    "a loop that yields a tensor from outside": f"""
      %y = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %x) -> ({SQUARE}) {{
        scf.yield %x : {SQUARE}
      }}
      %z = tensor.insert %c9 into %y[%c0, %c1] : {SQUARE}
      func.return %z, %x : {SQUARE}, {SQUARE}""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_aliases(name: str) -> None:
    constants = "\n".join(f"%c{number} = arith.constant {number} : index" for number in range(3))
    text = f"""
    func.func @network(%x: {SQUARE}) -> ({SQUARE}, {SQUARE}) {{
      {constants}
      %c9 = arith.constant 9 : i32
      {PROGRAMS[name]}
    }}"""
    module = parse_module(CONTEXT, text)
    verify(module)
    check_program(module, {"arg0": np.arange(16, dtype=np.int32).reshape(4, 4)}, name)


@pytest.mark.nightly
def test_many_random_programs() -> None:
    for seed in range(12, 1012):
        check_program(random_module(seed), inputs_of(seed), f"program {seed}")
