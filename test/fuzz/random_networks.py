"""
Random networks of bytes on every target beside ONNX Runtime: the interpreter at a target's levels, and its C.

    python test/fuzz/random_networks.py [--count 1000] [--first 0] [--target NAME...]
        [--form qlinear|qdq|mixed|requant] [--batch 12] [--processes 1] [--any-scale] [--on PLACE]

Networks are those of `test/random/networks`, by seed: QLinear and QDQ form with any zero point, group, dilation and
number of channels, and integers in floats with RequantShift, which ONNX Runtime computes as a function. Several are
compiled as one, with an input and outputs of their own; the interpreter runs them at the phases of PHASES, and their C
runs on this machine. `native` runs as it is compiled for AVX2 and, where the processor has it, for AVX-512 VNNI. Bytes
have to equal those of ONNX Runtime, which computes each node by itself.

With --on they run instead on a simulator that others wrote: `--target siracusa --on gvsoc` (docs/simulators.md).

Exit code 1 where a byte differs or a network fails, with its target, seed and layers.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Compilation, Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.simulators.session import Settings
from tilewright.runtime.tools.session import SimulatorRun, host_run, runner, simulators
from tilewright.test.exits import exit_with
from tilewright.test.random.networks.network import FORMS, RandomNetwork, merged, random_network

PHASES: Mapping[str, tuple[str, ...]] = {
    "host": ("tensor", "kernels"),
    "native": ("layout", "kernels"),
    "siracusa": ("tensor", "mapped", "cluster"),
    "gemmini": ("tensor", "array"),
    "pim/4x4": ("tensor", "nodes"),
}
"""Target -> the phases at whose ends its networks are interpreted: the first and the last that run as they are."""

_VARIANTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "native": {"AVX2": ("-mno-avx512f", "-mno-avxvnni"), "VNNI": ()},
}
"""Target -> name of a variant of its C -> flags of the compiler."""
_PLAIN: Mapping[str, tuple[str, ...]] = {"C": ("-O1",)}


SECONDS = 3600
"""Wall-clock time of a simulator's run of a batch: three times all samples of all its networks."""


@dataclass(frozen=True)
class Options:
    """The choice of networks."""

    form: str = ""
    any_scale: bool = False
    on: str = ""
    """Simulator of others on which the networks run, empty for the interpreter and this machine."""

    def network(self, seed: int) -> RandomNetwork:
        return random_network(seed, self.form, exact=not self.any_scale)


@dataclass(frozen=True)
class Fault:
    """A network that fails or differs at one place of one target."""

    target: str
    place: str
    seed: int
    what: str

    def __str__(self) -> str:
        return f"{self.target} {self.place}, seed {self.seed}: {self.what}"


class _Phases(Observer):
    """Observer that keeps the module at the ends of phases."""

    def __init__(self, names: Sequence[str]):
        self.names = names
        self.modules: dict[str, ModuleOp] = {}

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.ends_phase and place.step.phase in self.names:
            self.modules[str(place.step.phase)] = module.clone()


def faults_of(seeds: Sequence[int], target: str, options: Options) -> list[Fault]:
    """Return the faults of networks that are compiled as one; where that fails, of each by itself."""
    networks = [options.network(seed) for seed in seeds]
    try:
        return list(_compared(networks, target, options.on))
    except Exception as error:  # a fault of any kind is reported with its network
        if len(seeds) == 1:
            what = str(error) if isinstance(error, Diagnostic) else f"{type(error).__name__}: {error}"
            return [Fault(target, "compile", seeds[0], f"{what} {networks[0].layers}")]
        return [fault for seed in seeds for fault in faults_of([seed], target, options)]


def _compared(networks: Sequence[RandomNetwork], target: str, on: str) -> Iterator[Fault]:
    model, samples = merged(networks)
    expected = list(zip(*(network.expected() for network in networks), strict=True))
    observer = _Phases(PHASES[target])
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        file = Path(folder) / "network.onnx"
        file.write_bytes(model.SerializeToString())
        compilation = compile_model(Model(file), target, observers=[observer])
        if on:
            run = runner(compilation, on, Settings(seconds=SECONDS))
            assert isinstance(run, SimulatorRun)
            for number, outputs in enumerate(run.all(samples)):
                yield from _differences(target, on, networks, outputs, expected[number])
            return
        for phase, module in observer.modules.items():
            session = Session(module)
            for number, sample in enumerate(samples):
                yield from _differences(target, phase, networks, session.run(sample), expected[number])
        for variant, flags in _VARIANTS.get(target, _PLAIN).items():
            yield from _in_c(compilation, variant, flags, networks, samples, expected)


def _in_c(
    compilation: Compilation,
    variant: str,
    flags: Sequence[str],
    networks: Sequence[RandomNetwork],
    samples: Sequence[Mapping[str, Array]],
    expected: Sequence[Sequence[Sequence[Array]]],
) -> Iterator[Fault]:
    run = host_run(HostNetwork(compilation.program(), flags=flags))
    for number, sample in enumerate(samples):
        yield from _differences(compilation.machine.name, variant, networks, run(sample), expected[number])


def _differences(
    target: str,
    place: str,
    networks: Sequence[RandomNetwork],
    outputs: Mapping[str, Array],
    expected: Sequence[Sequence[Array]],
) -> Iterator[Fault]:
    for network, wanted in zip(networks, expected, strict=True):
        names = [f"n{network.seed}_{port.name}" for port in network.model.graph.output]
        for name, array in zip(names, wanted, strict=True):
            carried = array.dtype.kind == "f"
            count = np.count_nonzero((outputs[name] if carried else outputs[name].view(array.dtype)) != array)
            if count:
                what = f"{count} of {array.size} numbers differ in {name} {network.layers}"
                yield Fault(target, place, network.seed, what)


def main() -> int:
    """Print a row for each target; returns 1 where a network has a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="networks on each target (1000)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--target", choices=PHASES, nargs="+", default=list(PHASES), help="targets (all)")
    parser.add_argument("--form", choices=FORMS[:4], default="", help="form (drawn by the seed among the first three)")
    parser.add_argument("--any-scale", action="store_true", help="scales that are no powers of two: QLinear form alone")
    parser.add_argument("--batch", type=int, default=12, help="networks that are compiled as one (12)")
    parser.add_argument("--processes", type=int, default=1, help="processes at once (1)")
    parser.add_argument(
        "--on", choices=sorted(simulators()), default="", help="a simulator (interpreter, this machine)"
    )
    given = parser.parse_args()
    options = Options("qlinear" if given.any_scale else given.form, given.any_scale, given.on)
    seeds = range(given.first, given.first + given.count)
    batches = [seeds[start : start + given.batch] for start in range(0, len(seeds), given.batch)]
    table, failed = Table("target", "networks", "with faults"), False
    with ProcessPoolExecutor(given.processes) as pool:
        for target in given.target:
            wrong: Counter[int] = Counter()
            for faults in pool.map(partial(faults_of, target=target, options=options), batches):
                for fault in faults:
                    print(fault, flush=True)
                    wrong[fault.seed] += 1
            table.add_row(target, str(len(seeds)), str(len(wrong)))
            failed |= bool(wrong)
    Console(width=120).print(table)
    return int(failed)


if __name__ == "__main__":
    exit_with(main)
