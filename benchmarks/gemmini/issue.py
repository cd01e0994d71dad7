"""
Count commands and CPU instructions on Spike: layers of ResNet-50 by Tilewright beside gemmini.h's auto tiling.

    python benchmarks/gemmini/issue.py HEADERS [--extension libgemmini.so] [--filter NAME] [--target NAME...] [--fault]

HEADERS is a checkout of ucb-bar/gemmini-rocc-tests (180c468), whose include/gemmini_params.h states the default
instance. Each layer is a network of its own, channels last, with random weights and one random input. It is compiled
for each target; a second program with the same interface calls `tiled_conv_auto`, `tiled_conv_downsample`,
`tiled_matmul_auto` or `tiled_resadd_auto` as imagenet/resnet50.c does. Both are built by one compiler with the same
options, and run on Spike with the same coprocessor: the target's own or that of --extension. LOOP_WS as a sum and
LOOP_CONV_WS with pooling need the latter. Outputs are compared byte for byte.

Commands are those of the coprocessor interface, fences not included, counted in a second build of each program.
CPU instructions are retired ones (minstret), of a first call. Results are spread by their scale over all bytes; a
layer that pools has a ReLU before it, as in ResNet-50. The sums weigh each shape by its layers.

--fault doubles the scale in the library's program: outputs have to differ.

Exit code 1 where outputs differ.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import helper, numpy_helper
from rich.console import Console
from rich.table import Table

from tilewright.benchmarks.gemmini.library import Add, Conv, Gemm, Layer, resnet50
from tilewright.benchmarks.gemmini.plans import network_of
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.formats.c import write_program
from tilewright.runtime.simulators.session import Settings, SimulatorSession
from tilewright.runtime.simulators.spike import SPIKE
from tilewright.runtime.tools.session import with_coprocessor
from tilewright.test.exits import exit_with

TARGETS = ("gemmini", "gemmini/loops")
SPREAD = 40
"""Standard deviation of results, in steps of their scale."""
_MEAN_PRODUCT = 127 * 128 / 3
"""Standard deviation of the product of two random bytes from -127 to 127."""

_COMMAND = """\
#ifndef XCUSTOM_ACC
#define XCUSTOM_ACC 3
#endif
#ifdef TW_COUNTED
#define COUNT_COMMAND() (tw_counted[1].calls++)
#else
#define COUNT_COMMAND() ((void)0)
#endif
#define ROCC_INSTRUCTION(x, rd, rs1, rs2, funct) (rd) = 0; /* hardware counters, which nothing reads */
#define ROCC_INSTRUCTION_0_R_R(x, rs1, rs2, funct) \\
    { \\
        const uint64_t command_rs1 = (uint64_t)(rs1), command_rs2 = (uint64_t)(rs2); \\
        COUNT_COMMAND(); \\
        __asm__ volatile(".insn r 0x7b, 3, %2, x0, %0, %1" : : "r"(command_rs1), "r"(command_rs2), "i"(funct)); \\
    }
"""
"""Commands of the coprocessor, counted where calls are."""

_LIBRARY = """\
#pragma GCC system_header
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "rv64.h"
#define asm __asm__
#define typeof __typeof__
#define printf(...) ((void)0)
#define exit(status) tw_exit(status)
#include "include/gemmini.h"
"""
"""gemmini.h without a standard library's streams; an error ends the program with its status."""

_WEIGHTS = """\
.section .rodata
.balign 64
.globl weights
weights: .incbin "weights.bin"
.balign 64
.globl bias
bias: .incbin "bias.bin"
"""


@dataclass(frozen=True)
class Case:
    """A layer as a network, its inputs, and its calls of the library."""

    network: onnx.ModelProto
    inputs: tuple[Array, ...]
    weights: Array
    """[kernel, kernel, channels, features]; empty for a sum."""
    bias: Array
    call: str


@dataclass(frozen=True)
class Issued:
    """Commands and CPU instructions of a call, and its output."""

    commands: int
    instructions: int
    output: Array


def case_of(layer: Layer, *, fault: bool = False) -> Case:
    """Return a layer with random inputs and its call of the library, whose scale is doubled by a `fault`."""
    if isinstance(layer, Gemm):
        layer = Conv(1, layer.depth, layer.columns, batch=layer.rows)
    network, draw, factor = network_of(layer), np.random.default_rng(1), 2 if fault else 1
    shapes = [[each.dim_value for each in value.type.tensor_type.shape.dim] for value in network.graph.input]
    inputs = tuple(draw.integers(-128, 128, shape, dtype=np.int8) for shape in shapes)
    if isinstance(layer, Add):
        call = f"tiled_resadd_auto({layer.rows}, {layer.columns}, {factor}, 1, 1, x, z, y, false, WS);"
        return Case(network, inputs, np.empty(0, np.int8), np.empty(0, np.int32), call)
    constants = {each.name: numpy_helper.to_array(each) for each in network.graph.initializer}
    scale = cast(np.float32, constants["scale"][()])
    result = np.float32(scale * scale * np.sqrt(layer.channels) * layer.kernel * _MEAN_PRODUCT / SPREAD)
    _spread(network, result)
    weights = np.ascontiguousarray(constants["result_w"].transpose(2, 3, 1, 0))
    call = _convolution(layer, float(np.float32(scale * scale) / result) * factor)
    return Case(network, inputs, weights, constants["result_b"], call)


def _spread(network: onnx.ModelProto, scale: np.float32) -> None:
    """Let the convolution's result have a scale of its own, and rectify what is pooled."""
    graph = network.graph
    graph.initializer.append(numpy_helper.from_array(np.asarray(scale), "spread"))
    network.opset_import[0].version = 14
    for index, node in enumerate(list(graph.node)):
        if node.op_type == "QLinearConv":
            node.input[6] = "spread"
        if node.op_type == "MaxPool":
            rectified = helper.make_node("Relu", [node.input[0]], ["rectified"])
            node.input[0] = "rectified"
            graph.node.insert(index, rectified)


def _convolution(layer: Conv, scale: float) -> str:
    """Return the library's call for a convolution."""
    size, out, channels, features = layer.size, layer.convolved, layer.channels, layer.features
    factor = f"{float(np.float32(scale)).hex()}f"
    if layer.kernel == layer.stride == 1:
        return (
            f"tiled_matmul_auto({layer.batch * size**2}, {features}, {channels}, x, weights, bias, y, {channels}, "
            f"{features}, {features}, {features}, MVIN_SCALE_IDENTITY, MVIN_SCALE_IDENTITY, MVIN_SCALE_IDENTITY, "
            f"NO_ACTIVATION, {factor}, 0, true, false, false, false, false, 0, WS);"
        )
    image = f"{layer.batch}, {size}, {size}, {channels}, {features}, {out}, {out}"
    if layer.kernel == 1:
        strides = f"{channels}, {features}, {features}"
        return f"tiled_conv_downsample({image}, {strides}, x, weights, bias, y, NO_ACTIVATION, {factor}, WS);"
    pooled = layer.window > 1
    pooling = f"{layer.window}, {layer.pool_stride if pooled else 0}, {layer.pool_padding}"
    return (
        f"tiled_conv_auto({image}, {layer.stride}, 1, 1, {layer.padding}, {layer.kernel}, false, false, false, false, "
        f"false, x, weights, bias, y, {'RELU' if pooled else 'NO_ACTIVATION'}, {factor}, {pooling}, WS);"
    )


def write_library(case: Case, header: Path, headers: Path, folder: Path) -> None:
    """Write a program with the interface of a `header` that calls the library."""
    parameters = ", ".join([*(f"const int8_t *{value.name}" for value in case.network.graph.input), "int8_t *y"])
    software = folder / "rocc-software" / "src"
    software.mkdir(parents=True)
    shutil.copy(header, folder)
    (software / "xcustom.h").write_text(_COMMAND)
    (folder / "include").symlink_to((headers / "include").resolve())
    (folder / "library.h").write_text(_LIBRARY)
    (folder / "weights.bin").write_bytes(case.weights.tobytes())
    (folder / "bias.bin").write_bytes(case.bias.tobytes())
    (folder / "weights.S").write_text(_WEIGHTS)
    (folder / "network.c").write_text(
        '#include "network.h"\n#include "library.h"\nextern const int8_t weights[];\nextern const int32_t bias[];\n'
        f"void network_run({parameters}) {{\n    {case.call}\n}}\n"
    )


def issued(folder: Path, settings: Settings, inputs: Sequence[Array]) -> Issued:
    """Run a program twice, alone and with its commands counted. Raises Diagnostic where it fails."""
    alone = SimulatorSession(SPIKE, folder, settings)
    (output,) = alone.run(inputs)
    source = folder / "network.c"
    text = source.read_text()
    macro = "#define ROCC_INSTRUCTION_RS1_RS2 ROCC_INSTRUCTION_0_R_R\n"
    if not (folder / "library.h").exists():
        source.write_text(f"#include <stdint.h>\n{_COMMAND}{macro}{text}")
    counted = SimulatorSession(SPIKE, folder, settings, calls=1)
    counted.run(inputs)
    return Issued(int(counted.counted[0, 1, 1]), alone.first, output)


def measured(
    layer: Layer, headers: Path, targets: Sequence[str], settings: Settings, *, fault: bool = False
) -> dict[str, Issued]:
    """Return the counts and outputs of a layer's program for each target, and of the library's, named `library`."""
    case, found = case_of(layer, fault=fault), dict[str, Issued]()
    with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
        path = Path(name) / "layer.onnx"
        path.write_bytes(case.network.SerializeToString())
        for index, target in enumerate(targets):
            folder = Path(name) / str(index)
            folder.mkdir()
            compilation = compile_model(Model(path), target)
            write_program(compilation.program(), folder)
            there = with_coprocessor(compilation, settings)
            found[target] = issued(folder, there, case.inputs)
            if not index:
                library = Path(name) / "library"
                write_library(case, folder / "network.h", headers, library)
                found["library"] = issued(library, there, case.inputs)
    return found


def _row(found: dict[str, Issued], targets: Sequence[str]) -> Array:
    """Return commands and instructions of the library and of each target."""
    return np.array([[found[name].commands, found[name].instructions] for name in ("library", *targets)])


def _cells(numbers: Array) -> list[str]:
    (commands, instructions), *ours = numbers.tolist()
    cells = [f"{commands:,}", f"{instructions:,}"]
    for own_commands, own_instructions in ours:
        cells += [f"{own_commands:,}", f"{own_instructions:,}", f"{own_instructions / instructions:.2f}"]
    return cells


def main() -> int:
    """Print the table; returns 1 where outputs differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", type=Path, help="checkout of gemmini-rocc-tests")
    parser.add_argument("--extension", type=Path, metavar="libNAME.so", help="another's coprocessor for Spike")
    parser.add_argument("--filter", default="", help="part of the name of the layers to take")
    parser.add_argument("--target", nargs="+", default=TARGETS, help="targets to compile for")
    parser.add_argument("--fault", action="store_true", help="double the scale in the library's program")
    options: Any = parser.parse_args()
    if not (options.headers / "include" / "gemmini.h").is_file():
        raise Diagnostic("there is no include/gemmini.h", where=str(options.headers), remedy="clone gemmini-rocc-tests")
    extension = options.extension
    given = None if extension is None else (extension.resolve(), extension.stem.removeprefix("lib"))
    layers = [(name, layer) for name, layer in resnet50() if options.filter in name]
    counts = Counter(layer for _, layer in layers)
    names = {layer: name for name, layer in reversed(layers)}
    table = Table("layer", "layers", "library: commands", "CPU")
    for target in options.target:
        for head in (f"{target}: commands", "CPU", "of library's"):
            table.add_column(head, justify="right")
    table.add_column("equal")
    sums, differs = np.zeros((len(options.target) + 1, 2), np.int64), False
    for layer, count in counts.items():
        found = measured(layer, options.headers, options.target, Settings(extension=given), fault=options.fault)
        numbers = _row(found, options.target)
        sums += count * numbers
        wanted = found["library"].output
        equal = all(np.array_equal(wanted.ravel(), found[target].output.ravel()) for target in options.target)
        differs |= not equal
        table.add_row(names[layer], str(count), *_cells(numbers), "yes" if equal else "NO")
    table.add_section()
    table.add_row("all", str(len(layers)), *_cells(sums))
    Console(width=160).print(table)
    return int(differs)


if __name__ == "__main__":
    exit_with(main)
