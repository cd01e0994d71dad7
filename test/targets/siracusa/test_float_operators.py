"""Operators on floats in the cluster's near memory, tile by tile: moved, enlarged, and found at places the data say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto

from tilewright.compiler import Model, compile_model
from tilewright.ir import Array
from tilewright.runtime.tools.session import Interpreted
from tilewright.test.passes.lowering.one_node import network, reference

SMALL = 'include = "siracusa"\ndescription = "little near memory"\n\n[levels.L1]\nsize = "400B"\n'
RANDOM = np.random.default_rng(4)
X = RANDOM.standard_normal((1, 2, 5, 6)).astype(np.float32)
W = RANDOM.standard_normal((2, 2, 3, 3)).astype(np.float32)
BOXES = np.sort(RANDOM.uniform(size=(1, 12, 2, 2)), axis=2).reshape(1, 12, 4).astype(np.float32)
SCORES = RANDOM.uniform(size=(1, 1, 12)).astype(np.float32)
BOUNDS = {"most": np.array([3]), "iou": np.array([0.4], np.float32), "least": np.array([0.1], np.float32)}

CASES: dict[str, tuple[ModelProto, Mapping[str, Array]]] = {
    "Resize": (
        network("Resize", {"x": X}, {"s": np.array([1, 1, 2, 2], np.float32)}, names=["x", "", "s"], mode="nearest"),
        {"x": X},
    ),
    "ConvTranspose": (network("ConvTranspose", {"x": X, "w": W}, strides=[2, 2]), {"x": X, "w": W}),
    "Slice": (
        network("Slice", {"x": X}, {k: np.array(v) for k, v in zip("abcd", ([4], [-9], [2], [-2]), strict=True)}),
        {"x": X},
    ),
    "MatMul": (network("MatMul", {"a": X[0, 0, :, :0], "b": W[:0, 0, 0]}), {"a": X[0, 0, :, :0], "b": W[:0, 0, 0]}),
    "NonZero": (network("NonZero", {"x": np.maximum(X, 0)}), {"x": np.maximum(X, 0)}),
    "NonMaxSuppression": (
        network("NonMaxSuppression", {"boxes": BOXES, "scores": SCORES}, BOUNDS),
        {"boxes": BOXES, "scores": SCORES},
    ),
    "Unique": (network("Unique", {"x": X[0, 0, :2].round()}), {"x": X[0, 0, :2].round()}),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CASES)
def test_operators(name: str, tmp_path: Path) -> None:
    built, inputs = CASES[name]
    (tmp_path / "net.onnx").write_bytes(built.SerializeToString())
    (tmp_path / "small.toml").write_text(SMALL)
    compilation: Any = compile_model(Model(tmp_path / "net.onnx"), str(tmp_path / "small.toml"), stop_after="kernels")
    found = Interpreted(compilation)(inputs)
    for got, wanted in zip(found.values(), reference(built, inputs), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
