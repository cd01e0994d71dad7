"""
Compare plans for Gemmini with the tiles that gemmini.h chooses, under one model of cycles.

    python benchmarks/gemmini/plans.py [--latency N...] [--library] [--unaware] [--filter TEXT...]

Each layer is a network of its own, with its image channels last, which the core pads in a copy; ResNet-50 is planned as
one network besides. `library.py` has the library's rules. Cycles are modelled: the one free parameter is the
latency of memory, 165 cycles, which was fitted to a published utilisation of 51 % for ResNet-50 of four images
(ucb-bar/gemmini, pull request 90); `burst_minimum` of the machine file is a 16th of it. The library's plans are
estimated for every `--latency`, ours for that of the machine file; `--library` leaves ours out. Ideal are 256 products
a cycle.

Shapes: ResNet-50 v1.5 as imagenet/resnet50.c runs it; the products and convolutions of Exo (PLDI 2022) and Autocomp
(arXiv 2505.18574), as in harnesses/ of ucb-bar/autocomp, dd26a56.

Published figures of ResNet-50 that no one model can match: 153.7 M cycles (pull request 69: four images, 40 %), 51 %
(pull request 90: 31 M cycles an image), 75 M (EECS-2021-37: 85 % for four images, 21 % for one).

*issued* are the modelled cycles of the program of instructions, which the core issues in order, at 8 cycles each. The
library's loops in hardware issue theirs; for its commands, 7 a tile, the core takes as long each.

*at banks* are those of the issued cycles, and of the library's, in which rows of the scratchpad wait: reads in step
that meet in a bank, and ours also for rows that are written there. With `--unaware`, plans know of no ports of banks.
`--filter` takes the layers whose names contain one of some texts.

Exit code 1, with the names of the shapes, where ours take more cycles than the library's, as kernels and transfers or
as instructions, and where the papers' shapes as instructions are at less than 90 % of the bound: ideal, or the cycles
in which each operand is loaded once, whichever are more.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from rich.console import Console
from rich.table import Table

from tilewright.benchmarks.gemmini.library import Add, Conv, Gemm, Layer, bound, cycles, resnet50, turns
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.runtime.simulator import simulate
from tilewright.runtime.tools.profile import profile
from tilewright.test.exits import exit_with

LATENCY = 165
PEAK = 256
"""Products of a cycle."""
LEAST = 0.9
"""Share of the bound that the papers' shapes reach at least."""
CORE = "core"
"""The engine beside the array."""

EXO = {
    **{
        f"{i} x {k} x {j}": Gemm(i, j, k, bias=False)
        for i, k, j in (
            (512, 512, 512),
            (12544, 64, 256),
            (12544, 256, 64),
            (3136, 128, 512),
            (3136, 512, 128),
            (784, 256, 1024),
        )
    },
    **{
        f"3 x 3, 4 x {size} x {size} x {channels}": Conv(size + 2, channels, channels, 3, batch=4, bias=False)
        for size, channels in ((56, 64), (28, 128), (14, 256), (14, 128))
    },
}
AUTOCOMP = {
    f"{i} x {k} x {j}": Gemm(i, j, k, bias=False)
    for i, k, j in (
        (32, 2048, 2048),
        (1024, 1024, 1024),
        (256, 256, 256),
        (6272, 64, 256),
        (12544, 64, 128),
        (12544, 128, 256),
        (128, 1024, 1024),
        (64, 1024, 1024),
        (32, 1024, 1024),
    )
}


class Ours(NamedTuple):
    """
    Modelled cycles of our plan, those that the core beside the array computes, and those of its instructions, in some
    of which rows wait for banks.
    """

    cycles: float
    core: float
    issued: float
    waiting: float


UNAWARE = """
include = "gemmini"

[levels.SPAD]
single_port = false
"""


def ours(layer: Layer, folder: Path, target: str) -> Ours:
    """Plan a layer as a network of its own, and simulate it. Raises Diagnostic where it cannot be planned."""
    return _planned(network_of(layer), folder, target)


def _planned(network: onnx.ModelProto, folder: Path, target: str) -> Ours:
    path = folder / "network.onnx"
    path.write_bytes(network.SerializeToString())
    model = Model(path, {}, {})
    simulation = profile(model, target)
    core = sum(layer.engines[CORE].busy for layer in simulation.layers if CORE in layer.engines)
    program = compile_model(model, target, stop_after="array").module
    if target.endswith(".toml"):
        attach_machine(program, find_machine("gemmini"))
    issued = simulate(program)
    return Ours(simulation.cycles, core, issued.cycles, sum(layer.conflicts for layer in issued.layers))


class _Nodes:
    """Nodes and constants of a network of bytes."""

    def __init__(self) -> None:
        self.draw = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Any] = {"scale": np.float32(0.02), "zero": np.int8(0)}

    def bytes(self, name: str, *shape: int) -> str:
        self.constants[name] = self.draw.integers(-127, 128, shape, dtype=np.int8)
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        domain = "com.microsoft" if kind == "QLinearAdd" else ""
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def conv(self, layer: Conv, x: str, name: str) -> str:
        weights = self.bytes(f"{name}_w", layer.features, layer.channels, layer.kernel, layer.kernel)
        operands = [x, "scale", "zero", weights, "scale", "zero", "scale", "zero"]
        if layer.bias:
            self.constants[f"{name}_b"] = self.draw.integers(-999, 999, layer.features, dtype=np.int32)
            operands.append(f"{name}_b")
        pads, strides, pooled = [layer.padding] * 4, [layer.stride] * 2, layer.window > 1
        output = f"{name}_sums" if pooled else name
        last = self.node("QLinearConv", operands, output, kernel_shape=[layer.kernel] * 2, pads=pads, strides=strides)
        if not pooled:
            return last
        window, pads, strides = [layer.window] * 2, [layer.pool_padding] * 4, [layer.pool_stride] * 2
        return self.node("MaxPool", [last], name, kernel_shape=window, pads=pads, strides=strides)

    def model(self, inputs: Mapping[str, list[int]], shape: list[int]) -> onnx.ModelProto:
        values = [helper.make_tensor_value_info(name, TensorProto.INT8, each) for name, each in inputs.items()]
        output = helper.make_tensor_value_info("y", TensorProto.INT8, shape)
        constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in self.constants.items()]
        graph = helper.make_graph(self.nodes, "layer", values, [output], constants)
        opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def network_of(layer: Layer) -> onnx.ModelProto:
    """Return a layer of bytes as a network of its own, channels last, with random weights."""
    builders: dict[type[Layer], Callable[[Any], onnx.ModelProto]] = {Gemm: _gemm, Conv: _conv, Add: _add}
    return builders[type(layer)](layer)


def whole(layers: Sequence[tuple[str, Layer]]) -> onnx.ModelProto:
    """Return ResNet-50 as one network, from its layers: each block reads what the one before adds."""
    new, block, skip = _Nodes(), "x", ""
    first = layers[0][1]
    assert isinstance(first, Conv)
    last = new.node("Transpose", ["x"], "first", perm=[0, 3, 1, 2])
    for name, layer in layers[:-1]:
        if isinstance(layer, Add):
            operands = [last, "scale", "zero", skip, "scale", "zero", "scale", "zero"]
            last = skip = block = new.node("QLinearAdd", operands, name)
        elif name.endswith("skip"):
            assert isinstance(layer, Conv)
            skip = new.conv(layer, block, name)
        else:
            assert isinstance(layer, Conv)
            last = new.conv(layer, last, name)
            block, skip = (last, last) if layer is first else (block, skip)
    real = new.node("DequantizeLinear", [last, "scale", "zero"], "real")
    mean = new.node("QuantizeLinear", [new.node("GlobalAveragePool", [real], "mean"), "scale", "zero"], "average")
    fc = layers[-1][1]
    assert isinstance(fc, Gemm)
    new.conv(Conv(1, fc.depth, fc.columns), mean, "y")
    return new.model({"x": [1, first.size, first.size, first.channels]}, [1, fc.columns, 1, 1])


def _gemm(layer: Gemm) -> onnx.ModelProto:
    new = _Nodes()
    weights = new.bytes("w", layer.depth, layer.columns)
    new.node("QLinearMatMul", ["x", "scale", "zero", weights, "scale", "zero", "scale", "zero"], "y")
    return new.model({"x": [layer.rows, layer.depth]}, [layer.rows, layer.columns])


def _conv(layer: Conv) -> onnx.ModelProto:
    new = _Nodes()
    last = new.conv(layer, new.node("Transpose", ["x"], "first", perm=[0, 3, 1, 2]), "result")
    new.node("Transpose", [last], "y", perm=[0, 2, 3, 1])
    image = [layer.batch, layer.size, layer.size, layer.channels]
    return new.model({"x": image}, [layer.batch, layer.result, layer.result, layer.features])


def _add(layer: Add) -> onnx.ModelProto:
    new = _Nodes()
    new.node("QLinearAdd", ["x", "scale", "zero", "z", "scale", "zero", "scale", "zero"], "y")
    shape = [layer.rows, layer.columns]
    return new.model({"x": shape, "z": shape}, shape)


def faults_of(layer: Layer, plan: Ours, least: float) -> list[str]:
    """List the faults of a plan, beside the library's and beside a share of the bound."""
    library = cycles(layer, LATENCY)
    found = [
        f"{name} take {taken / library:.3f} times the library's cycles"
        for name, taken in (("kernels and transfers", plan.cycles), ("instructions", plan.issued))
        if taken > library
    ]
    share = bound(layer, LATENCY, PEAK) / plan.issued
    return found if share >= least else [*found, f"instructions are at {share:.0%} of the bound"]


def _table(
    title: str, layers: Sequence[tuple[str, Layer]], console: Console, folder: Path | None, target: str, least: float
) -> list[str]:
    """Print a table of layers, and return the faults of ours."""
    plan = ["ours", "of library", "of ideal", "core", "issued", "at banks"]
    heads = ["ideal", "library", "at banks", *(plan if folder is not None else [])]
    table = Table(title=title)
    table.add_column("layer")
    for head in heads:
        table.add_column(head, justify="right")
    plans: dict[Layer, Ours] = {}
    sums, faults = np.zeros(7), list[str]()
    for name, layer in layers:
        row = np.array([layer.macs / PEAK, cycles(layer, LATENCY), turns(layer, LATENCY), 0, 0, 0, 0])
        if folder is not None:
            found = plans[layer] = plans[layer] if layer in plans else ours(layer, folder, target)
            row[3:] = found
            faults += [f"{name}: {fault}" for fault in faults_of(layer, found, least)]
        sums += row
        table.add_row(name, *_cells(row, folder is not None))
    table.add_section()
    table.add_row("all", *_cells(sums, folder is not None))
    console.print(table)
    return faults


def _cells(row: np.ndarray[Any, np.dtype[np.float64]], planned: bool) -> list[str]:
    ideal, library, turns, plan, core, issued, waiting = row
    cells = [f"{ideal:,.0f}", f"{library:,.0f}", f"{turns:,.0f}"]
    if not planned:
        return cells
    share = f"{ideal / plan:.0%}" if ideal else "-"
    ours = [f"{plan:,.0f}", f"{plan / library:.2f}", share, f"{core:,.0f}", f"{issued:,.0f}", f"{waiting:,.0f}"]
    return [*cells, *ours]


_RESNET = "ResNet-50"


def _latencies(latencies: list[int], console: Console) -> None:
    table = Table("images", *map(str, latencies), title="ResNet-50, library: cycles in millions by latency of memory")
    for batch in (1, 4):
        sums = [sum(cycles(layer, latency) for _, layer in resnet50(batch)) for latency in latencies]
        table.add_row(str(batch), *(f"{each / 1e6:.1f}" for each in sums))
    console.print(table)


def _whole_network(folder: Path, target: str) -> None:
    found = _planned(whole(resnet50()), folder, target)
    library = sum(cycles(layer, LATENCY) for _, layer in resnet50())
    print(f"ResNet-50 as one network: {found.cycles:,.0f} modelled cycles, {found.core:,.0f} of them on the core;")
    print(f"as a program of instructions, which the core issues in order: {found.issued:,.0f};")
    print(f"{found.waiting:,.0f} of them at banks;")
    print(f"the library's layers take {library:,.0f}, {library / found.cycles:.2f} times as many;")
    loops = _planned(whole(resnet50()), folder, "gemmini/loops")
    print(f"by loops in hardware: {loops.cycles:,.0f}, {loops.core:,.0f} of them on the core")


def _matches(name: str, texts: Sequence[str]) -> bool:
    return any(text in name for text in texts)


def main() -> int:
    """Print the tables and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=int, nargs="+", default=[0, 80, 160, LATENCY, 220], metavar="N")
    parser.add_argument("--library", action="store_true", help="leave our plans out")
    parser.add_argument("--filter", nargs="+", default=[""], metavar="TEXT", help="layers whose names contain a text")
    parser.add_argument("--unaware", action="store_true", help="plan for a scratchpad without ports of banks")
    options = parser.parse_args()
    console = Console(width=140)
    _latencies(options.latency, console)
    shapes: dict[str, Sequence[tuple[str, Layer]]] = {
        _RESNET: resnet50(),
        "Exo": list(EXO.items()),
        "Autocomp": list(AUTOCOMP.items()),
    }
    with tempfile.TemporaryDirectory() as folder:
        place, target = None if options.library else Path(folder), "gemmini"
        if options.unaware:
            (Path(folder) / "unaware.toml").write_text(UNAWARE)
            target = str(Path(folder) / "unaware.toml")
        shapes = {name: [each for each in named if _matches(each[0], options.filter)] for name, named in shapes.items()}
        faults = [
            fault
            for name, each in shapes.items()
            if each
            for fault in _table(
                f"{name}: modelled cycles", each, console, place, target, 0 if name == _RESNET else LEAST
            )
        ]
        if place is not None and options.filter == [""]:
            _whole_network(place, target)
    for fault in faults:
        print(fault)
    return int(bool(faults))


if __name__ == "__main__":
    exit_with(main)
