"""`--integers --shifts`: requantisation by products and shifts, from the command line to C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.cli import main
from tilewright.test import onnx_runtime
from tilewright.test.random.networks.forms import BYTES
from tilewright.test.random.networks.network import random_network
from tilewright.test.small_models import save

pytestmark = pytest.mark.quick


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(24))
def test_a_layer_is_off_by_one_step_at_most(tmp_path: Path, seed: int) -> None:
    """A convolution, product or mean of any scales and zero points, beside ONNX Runtime; C and interpreter agree."""
    family = ("convolution", "product", "dense", "global average", "convolution and residual", "concat")[seed % 6]
    network = random_network(seed, "qdq", exact=False, families=[family], layers=1, kinds=BYTES)
    model, inputs = tmp_path / "net.onnx", tmp_path / "in.npz"
    save(network.model, model)
    np.savez(inputs, **network.samples[0])  # pyright: ignore[reportArgumentType]
    (wanted,) = onnx_runtime.exact_session(network.model).run(None, dict(network.samples[0]))
    outputs: list[np.ndarray] = []
    for place in ("interpreter", "host"):
        file = tmp_path / f"{place}.npz"
        options = ["--integers", "--shifts", "--target", "siracusa", "--on", place, "--outputs", str(file)]
        assert main(["run", str(model), "--inputs", str(inputs), *options]) == 0
        with np.load(file) as arrays:
            outputs.append(next(iter(arrays.values())))
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert np.abs(outputs[0].astype(int) - wanted.astype(int)).max() <= 1


def test_shifts_are_those_of_integers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = random_network(0, "qdq", families=["convolution"], layers=1)
    save(network.model, tmp_path / "net.onnx")
    assert main(["compile", str(tmp_path / "net.onnx"), "--shifts", "-o", str(tmp_path / "out")]) != 0
    assert "give --integers too" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
