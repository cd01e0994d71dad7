"""
Random networks of NNSmith, a generator of valid ONNX networks that is no part of this project.

    PYTHON test/fuzz/nnsmith_networks.py FOLDER --networks 500

J. Liu et al., NNSmith: Generating Diverse and Valid Test Cases for Deep Learning Compilers, ASPLOS 2023. It runs in an
environment of its own (test/fuzz/nnsmith_outputs.py says how to make it) and imports nothing of Tilewright. Network
number N is made from the seed N: FOLDER/N.onnx, and FOLDER/N.npz with the inputs that NNSmith found for it. A network
that is there already is not made again. One in four draws from all operators, also those that easily give NaN.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

SIZES = (1, 2, 3, 5, 8, 12, 20)
"""Operators of a network: NNSmith stops at this number, or when no further one fits."""

SECONDS = 60
"""Time limit for one network."""


def _prepare(cache: Path) -> None:
    """Let NNSmith 0.1.0 work with the torch and onnx of today."""
    os.environ["XDG_CACHE_HOME"] = str(cache.resolve())
    onnx: Any = importlib.import_module("onnx")
    exporter: Any = importlib.import_module("torch.onnx")
    exporter.export = partial(exporter.export, dynamo=False)
    onnx._serialize = onnx.ModelProto.SerializeToString


class Generator:
    """NNSmith for ONNX, with the operators and element types that ONNX Runtime has kernels for."""

    def __init__(self) -> None:
        load = importlib.import_module
        self._model: Any = load("nnsmith.materialize").Model.init("onnx", backend_target="cpu")
        self._model.add_seed_setter()
        factory = load("nnsmith.backends.factory").BackendFactory.init("onnxruntime", target="cpu", optmax=False)
        self._operators = [self._narrowed(factory, vulnerable=vulnerable) for vulnerable in (False, True)]
        load("nnsmith.abstract.extension").activate_ext(opset=self._operators[1], factory=factory)
        self._generate: Any = load("nnsmith.graph_gen").model_gen

    def _narrowed(self, factory: Any, *, vulnerable: bool) -> Any:
        """Return the operators that ONNX Runtime runs. NNSmith tries each on shapes that it draws, at times wrongly."""
        seeded: Any = importlib.import_module("nnsmith.util").set_seed
        for seed in range(20):
            seeded(seed)
            try:
                return importlib.import_module("nnsmith.narrow_spec").auto_opset(
                    self._model, factory, vulops=vulnerable
                )
            except Exception as error:
                print(f"operators, seed {seed}: {type(error).__name__}", flush=True)
        raise RuntimeError("NNSmith finds no operators that ONNX Runtime runs")

    def make(self, seed: int, folder: Path) -> None:
        """Write a network and its inputs."""
        numpy: Any = importlib.import_module("numpy")
        graph = self._generate(
            opset=self._operators[seed % 4 == 3],
            method="symbolic-cinit",
            seed=seed,
            max_nodes=SIZES[seed % len(SIZES)],
            timeout_ms=20000,
            max_elem_per_tensor=1 << 12,
        )
        model = self._model.from_gir(graph.make_concrete())
        model.refine_weights()
        inputs = model.make_oracle().input
        numpy.savez(folder / f"{seed}.npz", **inputs)
        (folder / f"{seed}.onnx").write_bytes(model.native_model.SerializeToString())


def _late(number: int, frame: Any) -> None:
    raise TimeoutError(f"longer than {SECONDS} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", type=int, default=500, metavar="N", help="how many networks (500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    _prepare(options.folder)
    generator = Generator()
    signal.signal(signal.SIGALRM, _late)
    made = 0
    for seed in range(options.seed, options.seed + options.networks):
        if (options.folder / f"{seed}.onnx").exists():
            made += 1
            continue
        signal.alarm(SECONDS)
        try:
            generator.make(seed, options.folder)
            made += 1
        except Exception as error:
            print(f"seed {seed}: NNSmith makes no network: {type(error).__name__}: {error}", flush=True)
        finally:
            signal.alarm(0)
    print(f"{made} of {options.networks} networks in {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
