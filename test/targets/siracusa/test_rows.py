"""Copies of rows by words: `convert-kernels-to-dots` against the kernels themselves."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.targets.siracusa.passes.convert_kernels_to_dots import ConvertKernelsToDotsPass

pytestmark = pytest.mark.quick

TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32}
ORDERS = [list(order) for rank in (2, 3) for order in permutations(range(rank))]


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ORDERS), st.lists(st.integers(1, 9), min_size=3, max_size=3), st.sampled_from(list(TYPES)))
def test_transposes(order: list[int], sizes: list[int], element: str) -> None:
    context = new_context()
    shape = sizes[: len(order)]
    after = [shape[axis] for axis in order]
    types = [f"memref<{'x'.join(map(str, each))}x{element}>" for each in (shape, after)]
    module = parse_module(
        context,
        f"""func.func @f(%x: {types[0]}, %y: {types[1]}) {{
          linalg.transpose ins(%x : {types[0]}) outs(%y : {types[1]}) permutation = {order}
          func.return }}""",
    )
    ConvertKernelsToDotsPass().apply(context, module)
    copies, transposes = (
        any(op.name == name for op in module.walk()) for name in ("cluster.copy", "cluster.transpose")
    )
    ConvertKernelsToLoopsPass().apply(context, module)
    verify(module)
    x = np.arange(np.prod(shape)).reshape(shape).astype(TYPES[element])
    y = np.zeros(after, TYPES[element])
    Interpreter(module).call("f", [x, y])
    np.testing.assert_array_equal(y, x.transpose(order))
    is_long = order[-1] == len(order) - 1 and after[-1] * x.itemsize >= 8
    assert copies == is_long
    is_turned = order[-1] != len(order) - 1 and element == "i8" and min(shape[-1], after[-1]) >= 4
    assert transposes == is_turned
