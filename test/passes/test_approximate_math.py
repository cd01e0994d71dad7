"""Error bounds of approximate-math-with-bitcast, as its docstring says them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.approximate_math_with_bitcast import approximate_math
from tilewright.runtime.interpreter import run_module

pytestmark = pytest.mark.quick

_TYPES: dict[str, tuple[Any, float, float]] = {
    "f16": (np.float16, 9, 0.06),
    "f32": (np.float32, 85, 0.04),
    "f64": (np.float64, 700, 0.04),
}
"""Type -> its NumPy type, the largest exponent of e, the relative error of exponentials."""
_EXPONENTIALS = {"exp": np.exp, "exp2": np.exp2}
_LOGARITHMS = {"log": np.log, "log2": np.log2, "log1p": np.log1p}
_LOGARITHM_ERROR = 0.06


def _run(op: str, name: str, x: Any) -> float:
    text = f"func.func @network(%x: {name}) -> {name} {{\n%r = math.{op} %x : {name}\nreturn %r : {name}\n}}"
    module = parse_module(new_context(), text)
    approximate_math(module, logarithms=True, exponentials=True)
    return float(run_module(module, {"arg0": np.asarray(x)})["result0"])


@pytest.mark.parametrize("name", _TYPES)
def test_errors_are_within_their_bounds(name: str):
    kind, largest, relative = _TYPES[name]
    rng = np.random.default_rng(3)
    for exponent in rng.uniform(-largest, largest, 6):
        for op, exact in _EXPONENTIALS.items():
            x = kind(exponent)
            np.testing.assert_allclose(_run(op, name, x), exact(np.float64(x)), rtol=relative)
        for op, exact in _LOGARITHMS.items():
            x = kind(np.exp(exponent))
            np.testing.assert_allclose(_run(op, name, x), exact(np.float64(x)), atol=_LOGARITHM_ERROR, rtol=0.01)
    assert _run("exp", name, kind(-5 * largest)) == 0
    assert _run("exp2", name, kind(5 * largest)) == np.inf
