"""
Networks that are larger than Siracusa's memories, in integers with random weights, on `siracusa/l3`.

    python benchmarks/siracusa/l3.py [--size 128] [--check] [--write FOLDER]

A row for each network and machine: the weights in external RAM, modelled cycles, the part of them in which engines wait
for their inputs, and what is read from external RAM and written to it. The exit code is 1 where more than a tenth of
the weights is read twice, or a hundredth as many bytes is written. With --check the C must also give, on threads, what
that for the host does. --write keeps the ONNX files.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto
from rich.console import Console
from rich.table import Table

from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo._builder import Builder, Value
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.tools.profile import profile

_PADS = (1, 1, 1, 1)
_BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
_CLUSTER = 'include = "siracusa/l3"\n[levels]\nWMEM = false\n[engines]\nnpu = false\n'


class _Small(Builder):
    """A builder with small weights, so that sums of 4,608 products stay exact in float32."""

    def __init__(self, name: str):
        super().__init__(f"zoo.{name}", name, 0)

    def _weights(self, shape: tuple[int, ...]) -> NDArray[Any]:
        return super()._weights(shape) // 3

    def image(self, size: int) -> Value:
        """Add an input of colour images, calibrated on one."""
        return self.input([3, size, size], data=self._random.randint(0, 256, (1, 3, size, size)).astype(np.int64))

    def ending(self, x: Value) -> ModelProto:
        """Return the network with a pool over all of `x` and 1000 classes."""
        pooled = self.flatten(self.max_pool(x, x.data.shape[2:]))
        return self.finish(self.requant(self.dense(pooled, 1000), signed=True))


def resnet18(size: int) -> ModelProto:
    """Return ResNet-18 (He et al., 2016) for images of a size; pools take maxima."""
    b = _Small("resnet18")
    x = b.max_pool(b.requant(b.conv(b.image(size), 64, (7, 7), 2, (3, 3, 3, 3))), (2, 2))
    for channels in (64, 64, 128, 128, 256, 256, 512, 512):
        stride = 1 if x.data.shape[1] == channels else 2
        branch = b.requant(b.conv(x, channels, (3, 3), stride, _PADS))
        branch = b.requant(b.conv(branch, channels, (3, 3), pads=_PADS), signed=True)
        shortcut = x if stride == 1 else b.conv(x, channels, (1, 1), stride)
        x = b.add_residual(b.requant(shortcut, signed=True), branch)
    return b.ending(x)


def mobilenet_v2(size: int) -> ModelProto:
    """Return MobileNetV2 (Sandler et al., 2018), width 1, for images of a size; the pool takes maxima."""
    b = _Small("mobilenet-v2")
    x = b.requant(b.conv(b.image(size), 32, (3, 3), 2, _PADS))
    for expansion, channels, blocks, first in _BLOCKS:
        for stride in (first, *[1] * (blocks - 1)):
            wide = x if expansion == 1 else b.requant(b.conv(x, x.data.shape[1] * expansion, (1, 1)))
            branch = b.requant(b.conv(b.requant(b.depthwise(wide, (3, 3), stride, _PADS)), channels, (1, 1)))
            x = b.add_residual(x, branch) if branch.data.shape == x.data.shape else branch
    return b.ending(b.requant(b.conv(x, 1280, (1, 1))))


NETWORKS: dict[str, Callable[[int], ModelProto]] = {"resnet18": resnet18, "mobilenet-v2": mobilenet_v2}


def is_equal(model: Model, machine: str) -> bool:
    """Return whether the C for a machine and that for the host give the same."""
    ours, host = (HostNetwork(compile_model(model, target).program()) for target in (machine, "host"))
    random = np.random.default_rng(5)
    inputs = [random.integers(0, 256, port.shape).astype(port.dtype) for port in host.inputs]
    return all(np.array_equal(a, b) for a, b in zip(ours.run(inputs), host.run(inputs), strict=True))


def main() -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=128, help="of the images, a multiple of 32")
    parser.add_argument("--check", action="store_true", help="run the C")
    parser.add_argument("--write", type=Path, help="a folder for the ONNX files")
    options = parser.parse_args()
    table = Table("network", "machine", "bytes in L3", "cycles", "waiting", "read", "written", "C")
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.write or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        cluster = folder / "l3-cluster.toml"
        cluster.write_text(_CLUSTER)
        for name, make in NETWORKS.items():
            model = Model(folder / f"{name}.onnx")
            model.path.write_bytes(make(options.size).SerializeToString())
            for machine in ("siracusa/l3", str(cluster)):
                found = profile(model, machine)
                ram = next(link for link in found.links if link.name == "ram")
                held = next(level.fixed for level in found.levels if level.name == "L3")
                waiting = sum(engine.wait_in for engine in found.engines) / found.cycles
                equal = is_equal(model, machine) if options.check else None
                failed |= ram.bytes_in > 1.1 * held or ram.bytes_out > held / 100 or equal is False
                numbers = [f"{number:,}" for number in (held, found.cycles)]
                moved = [f"{number:,}" for number in (ram.bytes_in, ram.bytes_out)]
                said = {None: "", True: "equal", False: "differs"}[equal]
                table.add_row(name, Path(machine).stem, *numbers, f"{waiting:.0%}", *moved, said)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
