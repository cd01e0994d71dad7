"""
The emitted C beside ONNX Runtime, on as many threads: the zoo's QLinear networks of MLPerf Tiny, and those of floats.

    python benchmarks/host/networks.py [--isa ISA] [--runs N] [--cpu N] [--within FACTOR] [NETWORK ...]
    python benchmarks/host/networks.py net.onnx --input-shape x=1,3,320,320 --input-value rate=16000
    python benchmarks/host/networks.py net_qdq.onnx --integers
    python benchmarks/host/networks.py --threads 2 resnet50

Both run in this process, pinned to one core, in turn, and must give the same bytes, or floats that differ by 1e-4 of
the largest at most; medians of the processor time of a call from Python are printed. The roofline is the time that the
products take at this core's peak of multiply-accumulates of their type, or the weights and activations at its bandwidth
from the cache that holds them, whichever is longer; all are measured in the same run, and the column `by` says which it
is.
With `--isa avx2` or `avx-vnni` both take no wider vectors than those, at this machine's speed. With AVX2 alone sums of
ONNX Runtime saturate: the bytes must be those of the C of `host`, and `ORT off by` is how far its are from them. So it
is with `--integers`, for networks of floats with QuantizeLinear and DequantizeLinear.
With `--threads N` both have N threads on N cores, and times are those of a clock on the wall: nothing else may run.
The C for one thread takes its turn too, and must give the same bytes; `speedup` is the ratio of its time to that of N
threads, of medians and of the least. The roofline is then that of N cores.
A NETWORK is a name of the zoo or an .onnx file; shapes that it leaves open, and inputs whose values decide shapes, are
given as to `tilewright compile`. Exit code 1 where a result differs, the C of a QLinear network is not faster, or that
of floats takes more than FACTOR times as long (4).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tilewright.benchmarks.host import masked_cpuid
from tilewright.benchmarks.host.core import FLAGS_OF, Core
from tilewright.compiler import Model, compile_model
from tilewright.frontend import zoo
from tilewright.frontend.static_inputs import numbers
from tilewright.ir import Array
from tilewright.opt_tool import name_and_shape, name_and_value
from tilewright.runtime.host import HostNetwork, HostPort
from tilewright.runtime.toolchain import compiler

SECONDS = 20
"""What the calls of one network may take: there are fewer of a large one."""
CLOSE = 1e-4
"""How far floats may differ, beside the largest of them."""
SMALL = 1e-6
"""How far they may differ in any case: ONNX Runtime's sigmoid is off by 2e-7 where it is near 0."""


def in_turn(calls: list[Callable[[], Any]], runs: int, clock: Callable[[], float]) -> list[list[float]]:
    """Return the times of the calls of each, in seconds by a clock, the first tenth left out."""
    times: list[list[float]] = [[] for _ in calls]
    for turn in range(runs + runs // 10):
        for call, spent in zip(calls, times, strict=True):
            start = clock()
            call()
            if turn >= runs // 10:
                spent.append(clock() - start)
    return times


def session_of(runtime: Any, path: Path, threads: int) -> Any:
    """Return ONNX Runtime's session for a model, on so many threads, all its optimisations on."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    # Its threads spin while it runs, not while it is the other's turn.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def samples(model: Model, ports: list[HostPort], seed: int) -> dict[str, Array]:
    """Return random inputs of a network, but for those whose values are given."""
    if model.path.stem in zoo.names():
        library: Any = onnx
        return zoo.sample_inputs(library.load(model.path), seed)
    random = np.random.RandomState(seed)
    inputs = {port.name: random.standard_normal(port.shape).astype(port.dtype) for port in ports}
    return inputs | dict(model.input_values)


@dataclass(frozen=True)
class Machine:
    """Core, and ONNX Runtime, with the vector instructions of an ISA."""

    isa: str
    core: Core
    runtime: Any
    threads: int = 1

    @property
    def target(self) -> str:
        """Target that the networks are compiled for."""
        return "native-avx2" if self.isa == "avx2" else "native"

    @property
    def clock(self) -> Callable[[], float]:
        """Processor time, of which other programs change little; of several threads that on the wall."""
        return time.process_time if self.threads == 1 else time.perf_counter

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of the C compiler."""
        return FLAGS_OF[self.isa]


def row(model: Model, machine: Machine, runs: int, within: float) -> bool:
    """Print the time of one network; return whether the C is right and fast enough."""
    compilation = compile_model(replace(model, threads=machine.threads), machine.target)
    program, core = compilation.program(), machine.core
    network, session = (
        HostNetwork(program, flags=machine.flags),
        session_of(machine.runtime, model.path, machine.threads),
    )
    floats = network.outputs[0].dtype == np.float32
    by_bytes = model.integers or not floats
    cases = [samples(model, network.inputs, seed) for seed in range(3 if floats else 10)]
    verdict = "close" if floats else "equal"
    if model.integers or (machine.isa == "avx2" and not floats):
        right, off = checked(network, HostNetwork(compile_model(model, "host").program()), session, cases)
        verdict += f", ORT off by {off:.3g}"
    else:
        right = all(same(network, session, case) for case in cases)
    inputs = cases[0]
    arrays = [np.ascontiguousarray(inputs[port.name]) for port in network.inputs]
    calls: list[Callable[[], Any]] = [lambda: network.run(arrays), lambda: session.run(None, inputs)]
    if machine.threads > 1:
        alone = HostNetwork(compile_model(model, machine.target).program(), flags=machine.flags)
        right &= all(map(np.array_equal, network.run(arrays), alone.run(arrays)))
        calls.append(lambda: alone.run(arrays))
    first = in_turn(calls, 1, machine.clock)
    times = in_turn(calls, max(10, min(runs, int(SECONDS / sum(map(sum, first))))), machine.clock)
    ours, theirs, *_ = map(statistics.median, times)
    if machine.threads > 1:
        ratios = (measure(times[2]) / measure(times[0]) for measure in (statistics.median, min))
        verdict += ", speedup {:.2f}, of the least {:.2f}".format(*ratios)
    size = program.weights_bytes + program.arena_bytes
    macs = compilation.report["macs"]
    roof, limit = max(
        (macs / (core.peak if by_bytes else core.float_peak), "MACs"), (size / core.bandwidth(size), "bytes")
    )
    roof /= machine.threads
    print(
        f"{model.path.stem:<26}{ours * 1e6:>9.1f}{theirs * 1e6:>9.1f}{theirs / ours:>8.2f}{macs / ours / 1e9:>9.1f}"
        f"{roof * 1e6:>10.1f}{roof / ours:>9.0%}{limit:>7}  {verdict if right else 'DIFFERENT'}",
        flush=True,
    )
    return right and ours < theirs * (1 if by_bytes else within)


def checked(
    network: HostNetwork, plain: HostNetwork, session: Any, cases: Sequence[dict[str, Array]]
) -> tuple[bool, float]:
    """Return whether the C computes what that of `host` does, and how far ONNX Runtime is from that."""
    right, off = True, 0.0
    for case in cases:
        arrays = [np.ascontiguousarray(case[port.name]) for port in network.inputs]
        expected, theirs = plain.run(arrays), session.run(None, case)
        right &= all(map(_agrees, network.run(arrays), expected))
        pairs = zip(expected, theirs, strict=True)
        off = max(off, *(float(np.abs(mine.astype(float) - their).max()) for mine, their in pairs))
    return right, off


def same(network: HostNetwork, session: Any, inputs: dict[str, Array]) -> bool:
    """
    Return whether both give the same bytes, or close floats.

    An output whose size depends on data is compared up to its valid extent, which further outputs of ours hold.
    """
    found = network.run([np.ascontiguousarray(inputs[port.name]) for port in network.inputs])
    pairs = zip(found, session.run(None, inputs), strict=False)
    return all(_agrees(mine[tuple(slice(extent) for extent in their.shape)], their) for mine, their in pairs)


def _agrees(found: Array, expected: Array) -> bool:
    if expected.dtype.kind != "f":
        return np.array_equal(found, expected)
    return bool(np.abs(found - expected).max() <= max(SMALL, CLOSE * np.abs(expected).max()))


def path_of(network: str, folder: Path) -> Path:
    """Return the file of a network, written where it is one of the zoo."""
    if network.endswith(".onnx"):
        return Path(network)
    path = folder / f"{network}.onnx"
    path.write_bytes(zoo.build(network).SerializeToString())
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="default: the zoo's, QLinear and of floats")
    parser.add_argument("--isa", choices=FLAGS_OF, default="native", help="the widest vectors that are used (native)")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--within", type=float, default=4, metavar="FACTOR", help="how slow floats may be (4)")
    parser.add_argument("--integers", action="store_true", help="compute quantised networks of floats in integers")
    parser.add_argument("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224")
    parser.add_argument("--input-value", type=name_and_value, action="append", default=[], metavar="NAME=16000")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the (last) core to run on")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of each, on as many cores (1)")
    arguments = parser.parse_args()
    threads = arguments.threads
    if not 1 <= threads <= len(os.sched_getaffinity(0)):
        parser.error(f"--threads is 1 to {len(os.sched_getaffinity(0))}, as many as there are cores")
    others = [cpu for cpu in sorted(os.sched_getaffinity(0), reverse=True) if cpu != arguments.cpu]
    os.sched_setaffinity(0, {arguments.cpu, *others[: threads - 1]})
    isa, runtime = arguments.isa, masked_cpuid.load(arguments.isa)
    shapes = dict(arguments.input_shape)
    values = {name: numbers(name, text) for name, text in arguments.input_value}
    known = [name for name in zoo.names() if name.endswith("-qlinear") or zoo.is_of_floats(name)]
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Path(folder), FLAGS_OF[isa])
        machine = Machine(isa, core, runtime, threads)
        tools = f"{' '.join(compiler())} {' '.join(FLAGS_OF[isa])}, ONNX Runtime {runtime.__version__}"
        print(f"{tools}, {threads} thread{'s' if threads > 1 else ''} each, load {os.getloadavg()[0]:.1f}")
        print(f"peak {core.peak / 1e9:.0f} G int8 MAC/s ({core.kind}), {core.float_peak / 1e9:.0f} G float MAC/s")
        print(f"({core.float_kind}); medians of {arguments.runs} calls in turn, of large networks fewer\n")
        print(f"{'network':<26}{'C us':>9}{'ORT us':>9}{'ratio':>8}{'GMAC/s':>9}{'roof us':>10}{'of roof':>9}{'by':>7}")
        paths = (path_of(name, Path(folder)) for name in arguments.networks or known)
        models = (Model(path, shapes, input_values=values, integers=arguments.integers) for path in paths)
        good = [row(model, machine, arguments.runs, arguments.within) for model in models]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
