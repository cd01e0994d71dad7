"""
Visual Transformers at small widths, quantised to 8-bit integers, on a mesh of memory nodes and on the host.

    python test/oracles/pim_integer_networks.py [--networks NAME...] [--target pim/2x2]

Each network of pim_scheduled_networks.py is quantised with integer softmax, normalisations and activations
(`tilewright quantize --nonlinear integer`), and compiled to C for the mesh, a thread a node, and for the host. Both run
twice, on two inputs: the second call uses the weights that the first has left in the nodes.

Exit code 1 where a bit of an output differs.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright import api
from tilewright.compiler import Model
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.runtime.tools.quantize import quantize_file
from tilewright.test.exits import exit_with
from tilewright.test.oracles.pim_scheduled_networks import NETWORKS

SAMPLES = 4


def compared(name: str, target: str, folder: Path) -> tuple[int, int]:
    """Return the number of elements of the outputs of two calls, and of those that differ."""
    model, quantised = NETWORKS[name](), folder / "integers.onnx"
    (folder / "floats.onnx").write_bytes(model.SerializeToString())
    shapes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in model.graph.input}
    rng = np.random.default_rng(0)
    samples = {key: rng.standard_normal([SAMPLES, *shape[1:]]).astype(np.float32) for key, shape in shapes.items()}
    result, _ = quantize_file(Model(folder / "floats.onnx"), samples, QuantizeOptions(nonlinear="integer"))
    quantised.write_bytes(result.model.SerializeToString())
    host, mesh = (api.load(quantised, each, integers=True) for each in ("host", target))
    elements = differ = 0
    for call in range(2):
        inputs = {key: values[call : call + 1] for key, values in samples.items()}
        expected, found = host.run(inputs), mesh.run(inputs)
        elements += sum(values.size for values in expected.values())
        differ += sum(int((found[key] != values).sum()) for key, values in expected.items())
    return elements, differ


def main() -> int:
    """Print a row for each network; return 1 where outputs differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--target", default="pim/2x2")
    options, worst = parser.parse_args(), 0
    table = Table("network", "elements of two calls", "that differ from the host's")
    for name in options.networks:
        with tempfile.TemporaryDirectory() as folder:
            elements, differ = compared(name, options.target, Path(folder))
        worst = max(worst, differ)
        table.add_row(name, f"{elements:,}", f"{differ:,}")
    Console(width=120).print(table)
    return int(worst > 0)


if __name__ == "__main__":
    exit_with(main)
