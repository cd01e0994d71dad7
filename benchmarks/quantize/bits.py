"""
SQNR in ONNX Runtime of quantised networks by the bits of their weights, beside those of its own quantiser.

    python benchmarks/quantize/bits.py
    python benchmarks/quantize/bits.py --write build/bits
    qemu-x86_64 -cpu Haswell .venv/bin/python benchmarks/quantize/bits.py --read build/bits

Sessions have the default options: on processors without VNNI instructions ONNX Runtime adds pairs of products of bytes
in 16 bits, saturated. `--write` quantises only, `--read` only runs, as on a processor that QEMU (from 7.2 on) emulates.
Networks are those of the quantiser's tests and one of convolutions, with random weights; samples are normal numbers.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx import ModelProto, helper
from rich.console import Console
from rich.table import Table

from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.test import onnx_runtime
from tilewright.test.exits import exit_with
from tilewright.test.frontend.quantize.networks import attention, chain, floats, model_of, residual
from tilewright.test.frontend.quantize.runtime_quantiser import theirs

BITS = (8, 7, 6)
COUNT = 32
"""Samples for calibration, and others as many for comparison."""


def convolutions() -> ModelProto:
    """Return three convolutions of 3 to 64 channels with ReLUs, a mean and a Gemm."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w0"], ["a"], "conv0", pads=[1, 1, 1, 1]),
        node("Relu", ["a"], ["b"], "relu0"),
        node("Conv", ["b", "w1"], ["c"], "conv1", pads=[1, 1, 1, 1]),
        node("Relu", ["c"], ["d"], "relu1"),
        node("Conv", ["d", "w2"], ["e"], "conv2", pads=[1, 1, 1, 1]),
        node("Relu", ["e"], ["f"], "relu2"),
        node("GlobalAveragePool", ["f"], ["g"], "mean"),
        node("Flatten", ["g"], ["h"], "flat"),
        node("Gemm", ["h", "w3"], ["y"], "gemm"),
    ]
    shapes = {"w0": (32, 3, 3, 3), "w1": (64, 32, 3, 3), "w2": (64, 64, 3, 3), "w3": (64, 10)}
    weights = {name: floats(*shape, seed=index) for index, (name, shape) in enumerate(shapes.items())}
    return model_of(nodes, {"x": (1, 3, 16, 16)}, ["y"], {name: each / 10 for name, each in weights.items()})


NETWORKS = {"convolutions": convolutions, "residual": residual, "chain": chain, "attention": attention}


def write(name: str, folder: Path) -> None:
    """Write a network in floats and quantised, and inputs with the outputs in floats."""
    model = NETWORKS[name]()
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    known, unseen = ({"x": floats(COUNT, *shape, seed=seed)} for seed in (1, 2))
    samples = samples_of(read_network(model), known)
    quantised_models = {
        f"{bits} bits": quantize(read_network(model), samples, QuantizeOptions(weight_bits=bits)).model for bits in BITS
    }
    quantised_models["ONNX Runtime, 8 bits"] = theirs(model, samples)
    quantised_models["ONNX Runtime, 7 bits"] = theirs(model, samples, reduced=True)
    for column, quantised in quantised_models.items():
        (folder / f"{name}, {column}.onnx").write_bytes(quantised.SerializeToString())
    exact: Any = onnx_runtime.exact_session(model)
    outputs = np.stack([exact.run(None, {"x": x})[0] for x in unseen["x"]])
    np.savez(folder / f"{name}.npz", x=unseen["x"], y=outputs)


def measured(name: str, folder: Path) -> dict[str, float]:
    """Return the SQNR in dB of each quantised form of a network."""
    arrays = np.load(folder / f"{name}.npz")
    found: dict[str, float] = {}
    for path in sorted(folder.glob(f"{name}, *.onnx")):
        options: Any = onnxruntime.SessionOptions()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        session: Any = onnxruntime.InferenceSession(str(path), options)
        outputs = np.stack([session.run(None, {"x": x})[0] for x in arrays["x"]])
        noise = float(((outputs - arrays["y"]).astype(np.float64) ** 2).sum())
        found[path.stem.removeprefix(f"{name}, ")] = 10 * log10(float((arrays["y"] ** 2).sum()) / noise)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="quantise into a folder, and run nothing")
    parser.add_argument("--read", type=Path, metavar="FOLDER", help="run what --write left")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.write or options.read or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in NETWORKS if options.read is None else ():
            write(name, folder)
        if options.write is not None:
            return 0
        rows = {name: measured(name, folder) for name in NETWORKS}
    columns = list(next(iter(rows.values())))
    table = Table("SQNR, dB", *columns)
    for name, row in rows.items():
        table.add_row(name, *(f"{row[column]:.1f}" for column in columns))
    Console(width=140).print(table)
    print("products of bytes saturate" if onnx_runtime.saturates() else "products of bytes are exact")
    return 0


if __name__ == "__main__":
    exit_with(main, failed=2)
