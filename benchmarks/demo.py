"""
Take a network through every level and to C; run each level; compare with ONNX Runtime.

    make demo            ResNet-8 of the model zoo (MLPerf Tiny image classification, int8)
    python benchmarks/demo.py net.onnx

ONNX Runtime runs the model as it is: the zoo's models carry their requantisation as a function of standard operators.
A model that it cannot run is compared with the graph level instead.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilewright.compiler import Model, compile_model, machine_named, write_compilation
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.exits import exit_with

TARGET = "host"
Outputs = Mapping[str, Array]


def timed(run: Callable[[], Outputs]) -> tuple[Outputs, float]:
    """Return the outputs of a run, and the seconds of the faster of two."""
    seconds: list[float] = []
    outputs: Outputs = {}
    for _ in range(2):
        start = time.perf_counter()
        outputs = run()
        seconds.append(time.perf_counter() - start)
    return outputs, min(seconds)


def reference(path: Path, inputs: Outputs) -> tuple[str, Outputs, float]:
    """Return the name of the reference, its outputs and its seconds."""
    onnxruntime: Any = importlib.import_module("onnxruntime")
    onnxruntime.set_default_logger_severity(4)
    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception:
        module = Model(path).load()
        outputs, seconds = timed(lambda: run_module(module, inputs))
        return "graph level", outputs, seconds
    feeds: dict[str, Array] = {node.name: inputs[node.name].astype(np.float32) for node in session.get_inputs()}
    names: list[str] = [node.name for node in session.get_outputs()]
    outputs, seconds = timed(lambda: dict(zip(names, session.run(names, feeds), strict=True)))
    return "ONNX Runtime", outputs, seconds


def equal(outputs: Outputs, golden: Outputs) -> bool:
    """Return whether all outputs have the golden values."""
    return all(
        np.array_equal(np.asarray(outputs[name], np.float64), np.asarray(golden[name], np.float64)) for name in golden
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; returns 1 if a level differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path, nargs="?", metavar="net.onnx", help="a network (ResNet-8 of the zoo)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = options.network or Path(folder) / "resnet8.onnx"
        if not options.network:
            path.write_bytes(zoo.build("resnet8").SerializeToString())
        return _demo(path, Path(folder) / "build")


def _demo(path: Path, folder: Path) -> int:
    types = compile_model(Model(path), TARGET, stop_after="types").module
    inputs: dict[str, Any] = random_inputs(types, seed=0)
    who, golden, seconds = reference(path, inputs)
    title = f"{path.stem}: every level on the same random inputs, beside {who}"
    table = Table("level", "ops", "run time", f"equal to {who}", title=title, title_justify="left")
    table.add_row(who, "", f"{1000 * seconds:.1f} ms", "")
    failures = 0
    levels = ["graph", *(phase.name for phase in machine_named(TARGET).phases)]
    for level in track(levels, "running each level", console=Console(stderr=True), transient=True):
        module = Model(path).load() if level == "graph" else compile_model(Model(path), TARGET, stop_after=level).module
        outputs, seconds = timed(lambda module=module: run_module(module, inputs))
        failures += not equal(outputs, golden)
        ops = sum(1 for _ in module.walk())
        table.add_row(level, f"{ops:,}", f"{1000 * seconds:.1f} ms", "yes" if equal(outputs, golden) else "NO")
    write_compilation(compile_model(Model(path), TARGET), folder)
    run = host_run(HostNetwork(folder))
    outputs, seconds = timed(lambda: run(inputs))
    failures += not equal(outputs, golden)
    lines = (folder / "network.c").read_text().count("\n")
    table.add_row(
        "C, gcc -O2", f"{lines:,} lines", f"{1000 * seconds:.1f} ms", "yes" if equal(outputs, golden) else "NO"
    )
    Console().print(table)
    return 1 if failures else 0


if __name__ == "__main__":
    exit_with(main)
