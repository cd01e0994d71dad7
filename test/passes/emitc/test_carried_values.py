"""Variables of C for the values that nested loops and conditionals carry, on a random population of nests."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import Array
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.test.passes.emitc.carried_nests import INPUTS, OUTPUTS, random_nest
from tilewright.test.passes.scalar_c import build_module

pytestmark = pytest.mark.quick


def results_of(seeds: range, folder: Path, *flags: str) -> list[tuple[list[int], list[int]]]:
    """Return what the interpreter and the C compute of random nests, all in one compilation."""
    text = "\n".join(random_nest(f"f{seed}", random.Random(seed)) for seed in seeds)
    module = parse_module(new_context(), text)
    interpreter, pairs = Interpreter(module), list[tuple[list[int], list[int]]]()
    expected = np.zeros((len(seeds), OUTPUTS), np.int32)
    for seed, row in zip(seeds, expected, strict=True):
        interpreter.call(f"f{seed}", [_inputs(seed), row])
    library = build_module(module, folder, *flags)
    for seed, row in zip(seeds, expected, strict=True):
        arrays = _inputs(seed), np.zeros(OUTPUTS, np.int32)
        getattr(library, f"f{seed}_run")(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
        pairs.append((row.tolist(), arrays[1].tolist()))
    return pairs


def _inputs(seed: int) -> Array:
    return np.random.default_rng(seed).integers(-9, 9, INPUTS, np.int32)


def test_nests_of_carried_scalars_in_c(tmp_path: Path) -> None:
    for seed, (expected, result) in enumerate(results_of(range(30), tmp_path, "-O0")):
        assert result == expected, f"nest {seed}"


@pytest.mark.nightly
def test_many_nests_of_carried_scalars_in_c(tmp_path: Path) -> None:
    for start in range(1000, 3000, 200):
        for seed, (expected, result) in enumerate(results_of(range(start, start + 200), tmp_path, "-O1"), start):
            assert result == expected, f"nest {seed}"
