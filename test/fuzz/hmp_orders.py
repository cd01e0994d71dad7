"""
Random orders of networks of the zoo as programs on threads, beside the same network in one stage on a core.

Stages of the GPU run on an OpenCL device, such as pocl, those of the NPU on the reference plug-in, all with random
delays and queues of random depths. Results have to come in order and with the same bits; those of stages on an OpenCL
device may differ by 1e-5 of the greatest number, where the device's elementary functions round otherwise.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.table import Table

from tilewright.compiler import Model
from tilewright.console import table_console
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.targets.hmp.building import ProgramFacts, build, command_of, write_program
from tilewright.targets.hmp.options import CORE, Mapping

PLANTED = ("-DTW_TEST", f"-I{Path(__file__).parents[1] / 'targets/hmp/c'}")
NETWORKS = ("resnet8", "alexnet", "googlenet", "mobilenet-v2", "resnet50", "squeezenet")
FRAMES = 4


def outputs(
    model: Path, mapping: Mapping, folder: Path, flags: list[str], seed: int
) -> tuple[ProgramFacts, dict[str, Array]]:
    """Return the facts of a mapping and its results of some frames. Raises CalledProcessError where the run fails."""
    gc.collect()  # IR is cyclic, and holds the weights of the order before
    built = build(Model(model), "hmp", mapping)
    write_program(built, folder)
    frames, results = folder / "frames", folder / "results"
    for place in (frames, results):
        place.mkdir()
    numbers = np.random.default_rng(0)
    for port in built.facts.inputs:
        values = numbers.uniform(0, 100, (FRAMES, *port.shape)).astype(np.dtype(port.dtype))
        values.tofile(frames / f"{port.file}.bin")
    for port in built.facts.outputs:
        (results / f"{port.file}.bin").touch()
    variables = {"TILEWRIGHT_TEST": f"delay={seed}:3000", "TILEWRIGHT_NPU_PATH": str(folder)}
    # Not by the compiler cache, which would keep the weights of every order.
    subprocess.run([*shlex.split(command_of(folder)), *PLANTED, *flags], check=True)
    command = [str(folder / "network"), "--frames", str(frames), "--outputs", str(results)]
    subprocess.run(command, env=os.environ | variables, check=True, stdout=subprocess.DEVNULL)
    arrays = {p.name: np.fromfile(results / f"{p.file}.bin", np.dtype(p.dtype)) for p in built.facts.outputs}
    return built.facts, arrays


def differences(model: Path, count: int, first: int, flags: list[str], row: list[str]) -> bool:
    """Compare random orders with one stage on a core; add what was found to a row of the table."""
    with tempfile.TemporaryDirectory() as name:
        facts, expected = outputs(model, Mapping("B", gpu=CORE, npu=CORE), Path(name) / "whole", [], 0)
    equal, near, wrong = 0, 0, list[str]()
    for seed in range(first, first + count):
        draw = random.Random(seed)
        order = "".join(draw.choices("BLGN", k=facts.layers))
        mapping = Mapping(order, depth=draw.randrange(4))
        if sys.stderr.isatty():
            print(f"\r{model.stem} {seed - first + 1}/{count} {order}", end="\033[K", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as name:
            try:
                results = outputs(model, mapping, Path(name) / "order", flags, seed)[1]
            except subprocess.CalledProcessError as error:
                wrong.append(f"{order} (seed {seed}, exit code {error.returncode})")
                continue
        if all(results[key].tobytes() == array.tobytes() for key, array in expected.items()):
            equal += 1
        elif "G" in order and all(_is_near(results[key], array) for key, array in expected.items()):
            near += 1
        else:
            wrong.append(order)
    if sys.stderr.isatty():
        print(end="\r\033[K", file=sys.stderr)
    row += [str(facts.layers), str(count), str(equal), str(near), " ".join(wrong) or "-"]
    return not wrong


def _is_near(one: Array, other: Array) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, 0, 1e-5 * float(np.abs(other).max())))


def main() -> int:
    """Compare orders of networks; return 1 where results differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=NETWORKS, metavar="NETWORK", help="of the zoo, or an ONNX file")
    parser.add_argument("--count", type=int, default=5, help="orders of each network (5)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first order (0)")
    parser.add_argument(
        "--sanitize", choices=("thread", "address,undefined"), help="build the programs with a sanitiser"
    )
    options = parser.parse_args()
    flags = [f"-fsanitize={options.sanitize}", "-g1"] if options.sanitize else []
    table = Table("network", "layers", "orders", "same bits", "within 1e-5", "wrong")
    holds = True
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.networks:
            model = Path(name) if name.endswith(".onnx") else Path(scratch) / f"{name}.onnx"
            if not name.endswith(".onnx"):
                model.write_bytes(zoo.build(name).SerializeToString())
            row = [model.stem]
            holds &= differences(model, options.count, options.first, flags, row)
            table.add_row(*row)
    table_console().print(table)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
