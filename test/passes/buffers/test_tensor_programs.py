"""Random programs on tensors: interpreted, on buffers and as loops they compute what copies of every array do."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array, functions
from tilewright.passes.bufferize import bufferize
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.levels import run_buffers
from tilewright.test.passes.tensor_programs import CONTEXT, copying_results, inputs_of, random_module

pytestmark = pytest.mark.quick


def check_program(seed: int) -> None:
    """Assert that a random program keeps its results on tensors, on buffers and as loops, and is proved."""
    module, inputs = random_module(seed), inputs_of(seed)
    expected = copying_results(module, inputs)
    copies = {name: array.copy() for name, array in inputs.items()}
    check_results(run_module(module, copies).values(), expected, f"program {seed} on tensors")
    for name, array in inputs.items():
        np.testing.assert_array_equal(copies[name], array, err_msg=f"input {name} of program {seed} was written")
    for function in functions(module):
        bufferize(module, function)
    verify(module)
    check_results(run_buffers(module, inputs).values(), expected, f"program {seed} on buffers")
    try:
        verify_memory(module)
    except Diagnostic as error:
        raise AssertionError(f"program {seed} is refused: {error.message}") from error
    ConvertKernelsToLoopsPass().apply(CONTEXT, module)
    check_results(run_buffers(module, inputs).values(), expected, f"program {seed} as loops")


def check_results(results: Iterable[Array], expected: Iterable[Array], what: str) -> None:
    for a, b in zip(results, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=what)


def test_random_programs() -> None:
    for seed in range(12):
        check_program(seed)


@pytest.mark.nightly
def test_many_random_programs() -> None:
    for seed in range(12, 1012):
        check_program(seed)
