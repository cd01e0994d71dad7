"""exp, tanh and erf of floats as compilers make vectors of them: their accuracy, and numbers of no ordinary kind."""

from __future__ import annotations

import ctypes
import math
import platform
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.ir import Array
from tilewright.runtime.toolchain import STRICT, compile_shared, compiler

HEADERS = Path(__file__).parents[2] / "runtime" / "c"
ULP = {"exp": 1.0, "tanh": 2.0, "erf": 2.5}
WAYS = {"as the library has them": (), "avx2": ("-mavx2", "-mfma"), "vectors": ("-march=native",)}


def _erf(x: Any) -> float:
    return math.erf(float(x))


TRUE: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "tanh": np.tanh,
    "erf": np.vectorize(_erf, otypes=[np.float64]),
}


@pytest.fixture(scope="module", params=list(WAYS))
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    lines = ['#include "tilewright.h"', '#include "tilewright_math.h"']
    for name in ULP:
        lines += [
            f"void all_{name}(const float *x, float *y, int32_t count);",
            f"void all_{name}(const float *x, float *y, int32_t count) {{",
            f"    TW_INDEPENDENT for (int32_t i = 0; i < count; ++i) y[i] = tw_{name}_f32(x[i]);",
            "}",
        ]
    source = tmp_path_factory.mktemp("functions") / "functions.c"
    source.write_text("\n".join(lines) + "\n")
    return ctypes.CDLL(str(compile_shared([source], [*STRICT, "-O3", *WAYS[request.param], f"-I{HEADERS}"])))


def computed(library: ctypes.CDLL, name: str, x: Array) -> Array:
    y = np.empty_like(x)
    pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in (x, y))
    getattr(library, f"all_{name}")(*pointers, ctypes.c_int32(x.size))
    return y


@pytest.mark.parametrize("name", list(ULP))
def test_accuracy(library: ctypes.CDLL, name: str) -> None:
    every = np.arange(0, 2**32, 200003, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([every[np.isfinite(every)], np.linspace(-12, 12, 40001, dtype=np.float32)])
    with np.errstate(over="ignore", under="ignore"):
        true = TRUE[name](x.astype(np.float64))
        ordinary = np.abs(true) < np.finfo(np.float32).max
        spacing = np.maximum(np.spacing(np.abs(true[ordinary].astype(np.float32))), 2.0**-149)
    found = computed(library, name, x)
    assert np.isinf(found[~ordinary]).all()
    assert float((np.abs(found[ordinary] - true[ordinary]) / spacing).max()) <= ULP[name]


@pytest.mark.parametrize("name", list(ULP))
def test_special_numbers(library: ctypes.CDLL, name: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45] * 5, np.float32)
    found, true = computed(library, name, x), TRUE[name](x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(found, true)
    np.testing.assert_array_equal(np.signbit(found[3:5]), np.signbit(true[3:5]))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="flags of x86")
def test_functions_become_vectors(tmp_path: Path) -> None:
    """GCC makes vectors of the functions where instructions have no masks, and of selections of a computed float."""
    loop = "void all_{0}(const float *x, float *y) {{ TW_INDEPENDENT for (int i = 0; i < 99; ++i) y[i] = {1}; }}"
    results = {name: f"tw_{name}_f32(x[i])" for name in (*ULP, "roundeven")}
    results["leaky_relu"] = "tw_select_f32(x[i] < 0, x[i] * 0.01f, x[i])"
    loops = [loop.format(name, result) for name, result in results.items()]
    source = tmp_path / "functions.c"
    source.write_text("\n".join(['#include "tilewright.h"', '#include "tilewright_math.h"', *loops]))
    flags = ["-std=c11", "-O3", "-mavx2", "-mfma", "-fopt-info-vec-optimized", f"-I{HEADERS}"]
    version = subprocess.run([*compiler(), "--version"], check=True, capture_output=True, text=True).stdout
    if "Free Software Foundation" not in version:
        pytest.skip("only GCC says which loops become vectors")
    run = subprocess.run([*compiler(), *flags, "-S", "-o-", str(source)], check=True, capture_output=True, text=True)
    assert len(set(re.findall(r"functions.c:(\d+):.*loop vectorized", run.stderr))) == len(loops)
