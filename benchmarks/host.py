"""
The emitted C beside ONNX Runtime, each on one thread, on the zoo's QLinear networks of MLPerf Tiny.

    python benchmarks/host.py [--runs N] [--cpu N] [NETWORK ...]

Both run in this process, pinned to one core, in turn, and must give the same bytes; medians of the time of a call from
Python are printed. The roofline is the time that the products take at this core's peak of int8 multiply-accumulates, or
the weights and activations at its bandwidth from the cache that holds them, whichever is longer; both are measured in
the same run, and the column `by` says which it is.
Exit code 1 where a result differs or the C is not faster.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.toolchain import compile_shared, compiler

FLAGS = ("-O3", "-march=native")

# As many independent chains of sums as hide the latency of an instruction, in the widest vectors there are.
PEAK = """
#include <stdint.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#if defined(__AVX512VNNI__)
#include <immintrin.h>
#define KIND "AVX-512 VNNI"
#define LANES 64
typedef __m512i V;
#define STEP(a) a = _mm512_dpbusd_epi32(a, x, y)
#elif defined(__AVX2__)
#include <immintrin.h>
#define KIND "AVX2, products of 16 bits"
#define LANES 16
typedef __m256i V;
#define STEP(a) a = _mm256_add_epi32(a, _mm256_madd_epi16(a, y))
#else
#define KIND "vectors of 16 bytes"
#define LANES 4
typedef int32_t V __attribute__((vector_size(16)));
#define STEP(a) a += a * y
#endif
const char *kind(void) { return KIND; }
volatile int32_t sink;
#if defined(__AVX512F__)
#define REGISTER "v"
#elif defined(__x86_64__)
#define REGISTER "x"
#else
#define REGISTER "w"
#endif
double peak(void) {
    union { int32_t n[16]; V v; } u = {{1, 2, 3, 4}};
    V x = u.v, y = u.v, a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x, i = x, j = x;
    /* The compiler must not see that the chains are alike. */
    __asm__ volatile("" : "+" REGISTER(a), "+" REGISTER(b), "+" REGISTER(c), "+" REGISTER(d), "+" REGISTER(e));
    __asm__ volatile("" : "+" REGISTER(f), "+" REGISTER(g), "+" REGISTER(h), "+" REGISTER(i), "+" REGISTER(j));
    const int64_t turns = 20000000;
    const double start = now();
    for (int64_t t = 0; t < turns; ++t) {
        STEP(a); STEP(b); STEP(c); STEP(d); STEP(e); STEP(f); STEP(g); STEP(h); STEP(i); STEP(j);
        __asm__ volatile("" : "+" REGISTER(x), "+" REGISTER(y));
    }
    const double spent = now() - start;
    union { int32_t n[16]; V v; } r;
    r.v = a; sink = r.n[0]; r.v = b; sink = r.n[0]; r.v = c; sink = r.n[0]; r.v = d; sink = r.n[0];
    r.v = e; sink = r.n[0]; r.v = f; sink = r.n[0]; r.v = g; sink = r.n[0]; r.v = h; sink = r.n[0];
    r.v = i; sink = r.n[0]; r.v = j; sink = r.n[0];
    return 10.0 * LANES * (double)turns / spent;
}
double bandwidth(const int64_t *data, int64_t bytes) {
    const int64_t turns = 400000000 / bytes + 1;
    int64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    const double start = now();
    for (int64_t t = 0; t < turns; ++t) {
        for (int64_t k = 0; k + 8 <= bytes / 8; k += 8) {
            s0 ^= data[k]; s1 ^= data[k + 1]; s2 ^= data[k + 2]; s3 ^= data[k + 3];
            s4 ^= data[k + 4]; s5 ^= data[k + 5]; s6 ^= data[k + 6]; s7 ^= data[k + 7];
        }
        __asm__ volatile("" : : "r"(data) : "memory");
    }
    const double spent = now() - start;
    sink = (int32_t)(s0 ^ s1 ^ s2 ^ s3 ^ s4 ^ s5 ^ s6 ^ s7);
    return (double)turns * (double)bytes / spent;
}
"""


class Core:
    """What one core of this machine can do: `peak` int8 multiply-accumulates and `bandwidth(bytes)`, each a second."""

    def __init__(self, folder: Path):
        source = folder / "peak.c"
        source.write_text(PEAK)
        library = ctypes.CDLL(str(compile_shared([source], ["-std=gnu11", *FLAGS])))
        library.peak.restype = library.bandwidth.restype = ctypes.c_double
        library.kind.restype = ctypes.c_char_p
        self.kind = library.kind().decode()
        self.peak = max(library.peak() for _ in range(5))
        self._bandwidth = library.bandwidth

    def bandwidth(self, size: int) -> float:
        """Return the bytes a second at which a buffer of `size` bytes is read again and again."""
        data = np.ones(max(size, 4096) // 64 * 8, np.int64)
        address = data.ctypes.data_as(ctypes.c_void_p)
        return max(self._bandwidth(address, ctypes.c_int64(data.nbytes)) for _ in range(3))


def in_turn(calls: list[Callable[[], Any]], runs: int) -> list[float]:
    """Return the median time of a call of each, in seconds."""
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(runs + runs // 10):
        for call, spent in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            if turn >= runs // 10:
                spent.append(time.perf_counter() - start)
    return [statistics.median(spent) for spent in times]


def session_of(path: Path) -> Any:
    """Return ONNX Runtime's session for a model, on one thread, all its optimisations on."""
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def row(name: str, core: Core, folder: Path, runs: int) -> bool:
    """Print what one network takes; return whether the C is right and faster."""
    path = folder / f"{name}.onnx"
    model = zoo.build(name)
    path.write_bytes(model.SerializeToString())
    compilation = compile_model(Model(path), "native")
    program = compilation.program()
    network, session = HostNetwork(program, flags=FLAGS), session_of(path)
    equal = all(same(network, session, zoo.sample_inputs(model, seed)) for seed in range(10))
    inputs = zoo.sample_inputs(model, 0)
    arrays = [np.ascontiguousarray(inputs[port.name]) for port in network.inputs]
    ours, theirs = in_turn([lambda: network.run(arrays), lambda: session.run(None, inputs)], runs)
    size = program.weights_bytes + program.arena_bytes
    macs = zoo.cost(model).macs
    roof, limit = max((macs / core.peak, "MACs"), (size / core.bandwidth(size), "bytes"))
    verdict = "equal" if equal else "DIFFERENT"
    print(
        f"{name:<26}{ours * 1e6:>9.1f}{theirs * 1e6:>9.1f}{theirs / ours:>8.2f}{macs / ours / 1e9:>9.1f}"
        f"{roof * 1e6:>10.1f}{roof / ours:>9.0%}{limit:>7}  {verdict}"
    )
    return equal and ours < theirs


def same(network: HostNetwork, session: Any, inputs: dict[str, Array]) -> bool:
    """Return whether both give the same bytes."""
    found = network.run([np.ascontiguousarray(inputs[port.name]) for port in network.inputs])
    return all(np.array_equal(a, b) for a, b in zip(found, session.run(None, inputs), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="default: all QLinear networks of the zoo")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the core to run on")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.cpu})
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Path(folder))
        print(f"{' '.join(compiler())} {' '.join(FLAGS)}, ONNX Runtime {onnxruntime.__version__}, one thread each")
        print(f"peak {core.peak / 1e9:.0f} G int8 MAC/s ({core.kind}); medians of {arguments.runs} calls in turn\n")
        print(f"{'network':<26}{'C us':>9}{'ORT us':>9}{'ratio':>8}{'GMAC/s':>9}{'roof us':>10}{'of roof':>9}{'by':>7}")
        names = arguments.networks or [name for name in zoo.names() if name.endswith("-qlinear")]
        good = [row(name, core, Path(folder), arguments.runs) for name in names]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
