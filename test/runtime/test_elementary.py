"""The runtime's own mathematical functions: their accuracy in ULP, as the header states it, and networks on them."""

from __future__ import annotations

import ctypes
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects import builtin
from xdsl.dialects import math as math_ops
from xdsl.dialects.test import TestOp

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.core.manager import PassManager
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module, run_op
from tilewright.runtime.toolchain import compile_shared
from tilewright.runtime.tools.session import host_run
from tilewright.test.passes.lowering.operators import Case, network_of, numbers

HEADERS = Path(__file__).parent.parent.parent / "runtime" / "c"
UNARY = (
    "acos acosh asin asinh atan atanh cbrt cos cosh erf exp exp2 expm1 log log10 log1p log2 rsqrt sin sinh sqrt tan"
    " tanh"
).split()
BINARY = {"powf": np.power, "atan2": np.arctan2, "fmod": np.fmod}


def _erf(x: Any) -> float:
    return math.erf(float(x))


def _rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


NUMPY: dict[str, Callable[..., Any]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "erf": np.vectorize(_erf, otypes=[np.float64]),
    "rsqrt": _rsqrt,
}
DOUBLE_ULP = {"erf": 20.0}
"""In double, where it is not 4."""
CIRCULAR = {"sin": np.sin, "cos": np.cos, "tan": np.tan}
COUNT = 20000


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("elementary")
    lines = ['#include "tilewright_math.h"']
    for kind, type in (("f32", "float"), ("f64", "double")):
        one = f"(const {type} *x, {type} *y, int n) {{ for (int i = 0; i < n; ++i) y[i] = "
        two = f"(const {type} *x, const {type} *z, {type} *y, int n) {{ for (int i = 0; i < n; ++i) y[i] = "
        lines += [f"void {name}_{kind}{one}tw_{name}_{kind}(x[i]); }}" for name in UNARY]
        three = two.replace("*z,", f"*z, const {type} *v,")
        lines.append(f"void fma_{kind}{three}tw_fma_{kind}(x[i], z[i], v[i]); }}")
        lines += [f"void {name}_{kind}{two}tw_{name}_{kind}(x[i], z[i]); }}" for name in BINARY]
    source = folder / "functions.c"
    source.write_text('#include "tilewright.h"\n' + "\n".join(lines) + "\n")
    for header in ("tilewright.h", "tilewright_math.h", "tilewright_elementary.h"):
        shutil.copy(HEADERS / header, folder)
    flags = ["-std=c11", "-O2", "-ffreestanding", "-Wall", "-Wextra", "-Werror"]
    return ctypes.CDLL(str(compile_shared([source], flags)))


def arguments(name: str) -> Array:
    """Return numbers over a function's whole domain, the special ones too."""
    random = np.random.default_rng(3)
    spread = random.standard_normal(COUNT) * 10.0 ** random.uniform(-30, 30, COUNT)
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1, -1, 88.8, -87.4, -104.5]
    x = np.concatenate([random.uniform(-2, 2, COUNT), random.uniform(-90, 90, COUNT), spread, special])
    return x[(abs(x) <= 1) | np.isnan(x)] if name in ("acos", "asin", "atanh") else x


def worst(library: ctypes.CDLL, name: str, function: Callable[..., Any], *given: Array) -> float:
    """Return the largest error in ULP, after checking the results that are not finite, and the signs of zeros."""
    inputs = [np.ascontiguousarray(array) for array in given]
    result = np.empty_like(inputs[0])
    kind = {4: "f32", 8: "f64"}[result.itemsize]
    wide = np.float64 if result.itemsize == 4 else np.longdouble
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*inputs, result)]
    getattr(library, f"{name}_{kind}")(*pointers, result.size)
    with np.errstate(all="ignore"):
        exact = np.asarray(function(*(array.astype(wide) for array in inputs)))
        rounded = exact.astype(result.dtype)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(result[~finite], rounded[~finite])
    assert np.isfinite(result[finite]).all()
    zero = exact == 0
    np.testing.assert_array_equal(np.signbit(result[zero]), np.signbit(exact[zero]))
    errors = abs(result[finite].astype(wide) - exact[finite]) / np.spacing(abs(rounded[finite]))
    return float(errors.max())


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name: str, library: ctypes.CDLL):
    function = NUMPY.get(name, getattr(np, name, None))
    assert function is not None
    assert worst(library, name, function, arguments(name).astype(np.float32)) <= 0.51
    x = arguments(name)
    near = x[~((abs(x) >= 1 << 20) & np.isfinite(x))] if name in CIRCULAR else x
    assert worst(library, name, function, near) <= DOUBLE_ULP.get(name, 4.0)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_circles_of_many_turns(name: str, library: ctypes.CDLL):
    x = 10.0 ** np.random.default_rng(3).uniform(6, 300, COUNT)
    y = np.empty_like(x)
    getattr(library, f"{name}_f64")(*(array.ctypes.data_as(ctypes.c_void_p) for array in (x, y)), COUNT)
    np.testing.assert_allclose(y, CIRCULAR[name](x), rtol=1e-15, atol=1e-16)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(name: str, library: ctypes.CDLL):
    special = np.array([0, -0.0, 1, -1, 2, -2, 3, 0.5, -0.5, math.inf, -math.inf, math.nan])
    random = np.random.default_rng(3)
    left, right = (array.ravel() for array in np.meshgrid(special, special))
    x = np.concatenate([left, random.uniform(-5, 5, COUNT), random.uniform(0, 50, COUNT)])
    y = np.concatenate([right, np.round(random.uniform(-9, 9, COUNT)), random.uniform(-12, 12, COUNT)])
    limits = {"powf": (0.51, 2e-13 / 2**-53), "atan2": (0.51, 4.0), "fmod": (0.0, 0.0)}[name]
    for dtype, limit in zip((np.float32, np.float64), limits, strict=True):
        assert worst(library, name, BINARY[name], x.astype(dtype), y.astype(dtype)) <= limit


def test_fused_products_of_floats_are_rounded_once(library: ctypes.CDLL) -> None:
    random = np.random.default_rng(3)
    a, b = random.uniform(1, 2, (2, COUNT)).astype(np.float32)
    c = (a * b * 2.0 ** random.integers(-30, 30, COUNT) * random.choice([-1, 1], COUNT)).astype(np.float32)
    result = np.empty_like(a)
    library.fma_f32(*(array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, c, result)), COUNT)
    op = math_ops.FmaOp.create(operands=TestOp(result_types=[builtin.f32] * 3).results, result_types=[builtin.f32])
    np.testing.assert_array_equal(result, run_op(cast(Any, None), op, [a, b, c])[0])


def test_networks_on_own_functions():
    x = numbers(4, 6)
    ops = "Exp Erf Tanh Sigmoid Gelu Softplus Mish Sin Atan Softmax".split()
    model, arrays = network_of([*(Case(op, [x]) for op in ops), Case("Pow", [abs(x), x])])
    module = import_model(model)
    expected = run_module(module, arrays)
    PassManager().run(module, pipeline_of(machine_named("host")), new_context())
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-DTW_OWN_MATH")
    results = host_run(HostNetwork(render(module), sanitize=True, flags=flags))(arrays)
    for name, value in expected.items():
        np.testing.assert_allclose(results[name], value, rtol=1e-6, atol=1e-6, err_msg=name)


def test_powers_by_a_half_are_no_square_roots() -> None:
    """NumPy's `power` takes the square root for the scalar exponent 0.5: -0.0 of -0.0, NaN of -inf."""
    text = """
    func.func @network(%a: f32, %b: f32) -> f32 {
      %r = math.powf %a, %b : f32
      func.return %r : f32
    }"""
    module = parse_module(new_context(), text)
    for base, power in ((-0.0, 0.0), (-np.inf, np.inf)):
        arguments = {"arg0": np.array(base, np.float32), "arg1": np.array(0.5, np.float32)}
        found = run_module(module, arguments)["result0"]
        assert found == power
        assert not np.signbit(found)
