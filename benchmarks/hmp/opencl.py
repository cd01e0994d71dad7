"""
Networks on an OpenCL device beside one core, and kernels through local memory beside plain ones.

    python benchmarks/hmp/opencl.py [MODEL...] [--runs N]

Without models, resnet8, ds-cnn and squeezenet of the zoo. Times are the least of N runs; the first frame, which builds
the kernels, is apart. The plain kernels are those that `convert-to-opencl` makes: a work-item computes one sum. Those
through local memory share tiles of their operands in a work-group. Fails where results differ by more than OpenCL's
elementary functions may.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import CProgram, render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.processes import finished
from tilewright.runtime.toolchain import compile_executable
from tilewright.test.exits import exit_with

MODELS = ("resnet8", "ds-cnn", "squeezenet")
TOLERANCE = 1e-5
_HEADER = Path(__file__).parents[2] / "targets" / "hmp" / "c"

_PLAIN_AND_TILED = r"""
#include "tilewright_opencl.h"
#include <time.h>
#define NAMES "product", "product through local memory", "convolution", "convolution through local memory"
static const char *const source[] = {
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define ARGUMENTS __global const float *a, __global const float *b, __global float *c\n"
    "__kernel void k0(ARGUMENTS) {\n"
    "    const int j = get_global_id(0), i = get_global_id(1);\n"
    "    float s = 0;\n"
    "    for (int k = 0; k < 256; ++k) s += a[i * 256 + k] * b[k * 256 + j];\n"
    "    c[i * 256 + j] = s;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void k1(ARGUMENTS) {\n"
    "    __local float x[16][16], y[16][16];\n"
    "    const int j = get_global_id(0), i = get_global_id(1), q = get_local_id(0), p = get_local_id(1);\n"
    "    float s = 0;\n"
    "    for (int t = 0; t < 256; t += 16) {\n"
    "        x[p][q] = a[i * 256 + t + q];\n"
    "        y[p][q] = b[(t + p) * 256 + j];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < 16; ++k) s += x[p][k] * y[k][q];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[i * 256 + j] = s;\n"
    "}\n"
    "__kernel void k2(ARGUMENTS) {\n"
    "    const int q = get_global_id(0), p = get_global_id(1), f = get_global_id(2);\n"
    "    float s = 0;\n"
    "    for (int d = 0; d < 64; ++d)\n"
    "        for (int u = 0; u < 3; ++u)\n"
    "            for (int v = 0; v < 3; ++v)\n"
    "                s += a[(d * 34 + p + u) * 34 + q + v] * b[((f * 64 + d) * 3 + u) * 3 + v];\n"
    "    c[(f * 32 + p) * 32 + q] = s;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(32, 4, 1))) void k3(ARGUMENTS) {\n"
    "    __local float x[6][34], w[9];\n"
    "    const int q = get_global_id(0), p = get_global_id(1), f = get_global_id(2), row = get_local_id(1);\n"
    "    const int item = get_local_id(0) + 32 * row, first = 4 * get_group_id(1);\n"
    "    float s = 0;\n"
    "    for (int d = 0; d < 64; ++d) {\n"
    "        for (int e = item; e < 6 * 34; e += 128) x[e / 34][e % 34] = a[(d * 34 + first) * 34 + e];\n"
    "        if (item < 9) w[item] = b[(f * 64 + d) * 9 + item];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int u = 0; u < 3; ++u)\n"
    "            for (int v = 0; v < 3; ++v) s += x[row + u][q + v] * w[u * 3 + v];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[(f * 32 + p) * 32 + q] = s;\n"
    "}\n"};
enum { ELEMENTS = 128 * 1024 };
static float data[ELEMENTS], results[4][ELEMENTS];
static tw_opencl_buffer buffers[] = {TW_OPENCL_CONSTANT(data, sizeof data), TW_OPENCL_OUTPUT("c", sizeof data)};
static const tw_opencl_argument arguments[] = {{0, 0, NULL, 0}, {0, 0, NULL, 0}, {1, 0, NULL, 0}};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
    static const char *const names[] = {NAMES};
    static const size_t global[2][3] = {{256, 256, 1}, {32, 32, 64}}, local[2][3] = {{16, 16, 1}, {32, 4, 1}};
    tw_opencl_stage stage = {.name = "tiles", .source = source, .lines = 1, .buffers = buffers, .buffer_count = 2};
    tw_cl_object kernels[4];
    double best[4] = {1e9, 1e9, 1e9, 1e9};
    int32_t code = 0;
    for (int i = 0; i < ELEMENTS; ++i) data[i] = (float)(i % 1009) / 1009.0f - 0.5f;
    tw_opencl_open(&stage);
    const tw_opencl_device *const cl = stage.device;
    const tw_cl_object program = tw_opencl_build(&stage);
    for (int i = 0; i < 4; ++i) {
        const char name[] = {'k', (char)('0' + i), 0};
        kernels[i] = cl->clCreateKernel(program, name, &code);
        tw_opencl_check(&stage, "clCreateKernel", name, code);
        for (uint32_t k = 0; k < 3; ++k) {
            code = cl->clSetKernelArg(kernels[i], k, sizeof(tw_cl_object), &buffers[arguments[k].buffer].memory);
            tw_opencl_check(&stage, "clSetKernelArg", name, code);
        }
    }
    for (int run = 0; run < (argc > 1 ? atoi(argv[1]) : 10); ++run) {
        for (int i = 0; i < 4; ++i) {
            const double begin = now();
            const size_t *const group = i % 2 ? local[i / 2] : NULL;
            code = cl->clEnqueueNDRangeKernel(stage.queue, kernels[i], 3, NULL, global[i / 2], group, 0, NULL, NULL);
            tw_opencl_check(&stage, "clEnqueueNDRangeKernel", names[i], code);
            cl->clFinish(stage.queue);
            best[i] = now() - begin < best[i] ? now() - begin : best[i];
            tw_opencl_output(&stage, 1, results[i]);
        }
    }
    for (int i = 0; i < 4; ++i) printf("%s\t%.3f\n", names[i], best[i]);
    return memcmp(results[0], results[1], 65536 * 4) != 0 || memcmp(results[2], results[3], 65536 * 4) != 0;
}
"""


def _mapped(model: str, processor: str) -> CProgram:
    """Return the C of a network whose layers are all on one processor."""
    pipeline = pipeline_of(machine_named("hmp"))
    mapping = f"map-layers{{order={processor}}},outline-stages,bufferize"
    module = import_model(zoo.build(model))
    for steps in (
        pipeline.select(stop_after="find-layers"),
        parse_pipeline(f"builtin.module({mapping})", all_passes()),
        pipeline.select(start_at="map-engines"),
    ):
        PassManager([]).run(module, steps, new_context())
    return render(module)


def _timed(run: Callable[[], list[Array]]) -> tuple[float, list[Array]]:
    """Return the milliseconds that a run takes, and its outputs."""
    begin = time.perf_counter()
    outputs = run()
    return (time.perf_counter() - begin) * 1e3, outputs


def networks(models: Sequence[str], runs: int, console: Console) -> float:
    """Print the times of networks; return the largest difference between device and core."""
    table = Table("network", "first frame ms", "device ms", "core ms", "largest difference")
    worst = 0.0
    for model in models:
        device, core = (HostNetwork(_mapped(model, processor)) for processor in "GB")
        random = np.random.default_rng(0)
        inputs = [random.integers(0, 127, port.shape).astype(port.dtype) for port in core.inputs]
        first, computed = _timed(lambda device=device, inputs=inputs: device.run(inputs))
        wanted = core.run(inputs)
        difference = max(float(np.abs(a.astype(float) - b).max()) for a, b in zip(computed, wanted, strict=True))
        times = [
            min(_timed(lambda network=network, inputs=inputs: network.run(inputs))[0] for _ in range(runs))
            for network in (device, core)
        ]
        table.add_row(model, *(f"{number:.1f}" for number in (first, *times)), f"{difference:.1e}")
        worst = max(worst, difference)
    console.print(table)
    return worst


def tiles(runs: int, console: Console) -> bool:
    """Print the times of plain kernels and of those through local memory; return whether they compute the same."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source = Path(folder) / "tiles.c"
        source.write_text(_PLAIN_AND_TILED)
        program = compile_executable([source], ["-std=gnu11", "-O2", f"-I{_HEADER}"])
        done = finished([str(program), str(runs)])
    table = Table("kernel", "ms")
    for line in done.stdout.splitlines():
        table.add_row(*line.split("\t"))
    console.print(table, done.stderr)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=MODELS)
    parser.add_argument("--runs", type=int, default=10, help="runs of each (10)")
    options = parser.parse_args()
    console = Console()
    worst = networks(options.models, options.runs, console)
    return int(not tiles(options.runs, console) or worst > TOLERANCE)


if __name__ == "__main__":
    exit_with(main)
