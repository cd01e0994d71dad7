"""
Speedup of the C for several threads by its critical path, which other programs on the machine change little.

    python benchmarks/host/threads.py [--threads N] [--seconds S] [NETWORK ...]

The critical path is the processor time of what is not shared, plus that of the longest share of each fork, as the
threads measure it while they run beside each other: imbalance and what they take of each other's caches count, a fork
and join, 0.1 to 0.3 us on idle cores, do not. `code` is the time of the C for one thread beside that of the shares
one after the other. `networks.py --threads N` measures the time on the wall, for which the cores must be idle.

A NETWORK is a name of the zoo. Exit code 1 where the bytes of outputs differ.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tilewright.benchmarks.host.core import FLAGS
from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.passes.formats.c import write_program
from tilewright.runtime.host import HostNetwork, sources_in
from tilewright.runtime.toolchain import compile_shared

TRACE = """
#ifndef __ASSEMBLER__
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
__attribute__((weak)) _Atomic int64_t trace_longest[65536], trace_total;
static inline int64_t trace_cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
static inline void trace_share(uint64_t fork, int64_t spent) {
    atomic_fetch_add(&trace_total, spent);
    int64_t known = atomic_load(&trace_longest[fork & 65535]);
    while (known < spent && !atomic_compare_exchange_weak(&trace_longest[fork & 65535], &known, spent))
        ;
}
#define TW_SHARE(fork, call) \\
    do { \\
        const int64_t trace_begin = trace_cpu(); \\
        call; \\
        trace_share(fork, trace_cpu() - trace_begin); \\
    } while (0)
/* Nanoseconds of the longest share of each fork, and of all shares, since the last call. */
__attribute__((weak)) void trace_take(int64_t *to) {
    to[0] = 0;
    for (int k = 0; k < 65536; ++k)
        to[0] += atomic_exchange(&trace_longest[k], 0);
    to[1] = atomic_exchange(&trace_total, 0);
}
#endif
"""


@dataclass(frozen=True)
class Traced:
    """The C of a network whose shares are measured."""

    library: ctypes.CDLL
    inputs: list[Array]
    outputs: list[Array]

    def run(self) -> tuple[float, float, float]:
        """Run it once; return the processor seconds of the process, of the longest shares, and of all shares."""
        arrays = (array.ctypes.data_as(ctypes.c_void_p) for array in (*self.inputs, *self.outputs))
        start = time.process_time()
        self.library.network_run(*arrays)
        spent = time.process_time() - start
        taken = (ctypes.c_int64 * 2)()
        self.library.trace_take(taken)
        return spent, taken[0] / 1e9, taken[1] / 1e9

    def limit(self, threads: int) -> None:
        """Limit the threads of the next runs."""
        self.library.network_threads(ctypes.c_int32(threads))


def traced(model: Model, folder: Path, alone: HostNetwork, inputs: list[Array]) -> Traced:
    """Return the C of a model with as many threads as that has."""
    program = compile_model(model, "native").program()
    write_program(program, folder)
    (folder / "trace.h").write_text(TRACE)
    flags = ["-std=c11", *FLAGS, "-pthread", f"-I{folder}", "-include", str(folder / "trace.h")]
    library = ctypes.CDLL(str(compile_shared(sources_in(folder, program.files), flags)))
    return Traced(library, inputs, [np.empty(port.shape, port.dtype) for port in alone.outputs])


def row(name: str, threads: int, seconds: float) -> bool:
    """Print the speedup of one network; return whether its outputs are those of one thread."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = folder / f"{name}.onnx"
        path.write_bytes(zoo.build(name).SerializeToString())
        alone = HostNetwork(compile_model(Model(path), "native").program(), flags=FLAGS)
        library: Any = onnx
        given = zoo.sample_inputs(library.load(path), 0)
        inputs = [np.ascontiguousarray(given[port.name]) for port in alone.inputs]
        several = traced(Model(path, threads=threads), folder, alone, inputs)
        if not hasattr(several.library, "network_threads"):
            print(f"{name:<20}  too small to be shared")
            return True
        one, same_code, serial, longest = (list[float]() for _ in range(4))
        expected = alone.run(inputs)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            start = time.process_time()
            alone.run(inputs)
            one.append(time.process_time() - start)
            several.limit(1)
            spent, _, shares = several.run()
            same_code.append(spent)
            serial.append(spent - shares)
            several.limit(threads)
            # The first run starts the threads.
            several.run()
            longest.append(several.run()[1])
    is_equal = all(map(np.array_equal, several.outputs, expected))
    single, code = statistics.median(one), statistics.median(same_code)
    path_of_shares = statistics.median(serial) + statistics.median(longest)
    verdict = "equal" if is_equal else "DIFFERENT"
    print(
        f"{name:<20}{single * 1e6:>10.0f}{path_of_shares * 1e6:>10.0f}{single / path_of_shares:>9.2f}"
        f"{single / code:>7.2f}{os.getloadavg()[0]:>6.1f}  {verdict}",
        flush=True,
    )
    return is_equal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="default: five networks of floats")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="from 2 (2)")
    parser.add_argument("--seconds", type=float, default=10, metavar="S", help="of each network (10)")
    arguments = parser.parse_args()
    if arguments.threads < 2:
        parser.error("--threads is 2 at least")
    known = ["squeezenet", "mobilenet-v2", "vit-tiny", "resnet50", "bert-tiny"]
    print(f"{arguments.threads} threads, medians\n")
    print(f"{'network':<20}{'one, us':>10}{'path, us':>10}{'speedup':>9}{'code':>7}{'load':>6}")
    good = [row(name, arguments.threads, arguments.seconds) for name in arguments.networks or known]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
