"""
Transposes of networks of the zoo before and after `convert-layout`, and results on the interpreter.

    python benchmarks/planning/transposes.py [NETWORK...]

`own` are those of the network in ONNX, `left` those after conversion, of which `least` is proved by a minimum cut for
the demands that are there. `bytes` is what they move. `difference` compares the results before and after, relative to
the largest: integers must be equal, floats may differ where a transpose changes the order of a library's sums.

The exit code is 1 where more than the least are left, more than two of ResNet-50, or results differ by more than 1e-5.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.passes.layout.report import least_transposes, transposes_of
from tilewright.runtime.interpreter import Session

NETWORKS = (
    "resnet8",
    "mobilenet-v1-025",
    "mobilenet-v2",
    "squeezenet",
    "googlenet",
    "resnet50",
    "pvt-tiny",
    "vit-tiny",
)
MOST_OF_RESNET50 = 2
CLOSE = 1e-5


def difference(before: ModuleOp, after: ModuleOp, inputs: dict[str, np.ndarray]) -> float:
    """Return the largest difference of the results of two modules, relative to the largest result."""
    expected, found = (Session(module).run(inputs) for module in (before, after))
    pairs = [(expected[name].astype(np.float64), found[name].astype(np.float64)) for name in expected]
    return max(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30)) for a, b in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    arguments = parser.parse_args()
    table = Table("network", "own", "left", "least", "bytes", "difference")
    failed = False
    for name in arguments.networks:
        model = zoo.build(name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "network.onnx"
            path.write_bytes(model.SerializeToString())
            before, after = (
                compile_model(Model(path), "siracusa", stop_after=phase).module for phase in ("fused", "layout")
            )
        own, left = transposes_of(before), transposes_of(after)
        least = least_transposes(after)
        apart = difference(before, after, zoo.sample_inputs(model, 0))
        failed |= len(left) > least or apart > CLOSE or (name == "resnet50" and len(left) > MOST_OF_RESNET50)
        table.add_row(
            name, str(len(own)), str(len(left)), str(least), f"{sum(each.size for each in left):,}", f"{apart:.1e}"
        )
    Console().print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
