"""Networks of bytes with what ONNX Runtime says comes of them, as folders that `tilewright check` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tilewright.ir import Array


def write_case(folder: Path, network: onnx.ModelProto, x: Array) -> Array:
    """Write a network from `x` to `y` with both arrays into a new folder; returns y."""
    import onnxruntime

    session: Any = onnxruntime.InferenceSession(network.SerializeToString(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"x": x})
    folder.mkdir()
    (folder / "network.onnx").write_bytes(network.SerializeToString())
    np.savez(folder / "inputs.npz", allow_pickle=False, x=x)
    np.savez(folder / "outputs.npz", allow_pickle=False, y=y)
    return y
