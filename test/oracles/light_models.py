"""
The light models of the onnx package, compared with ONNX Runtime: AlexNet, DenseNet-121, Inception, ResNet-50, ...

    python test/oracles/light_models.py                               all, on the interpreter and as C
    python test/oracles/light_models.py --filter squeezenet --on c

The package leaves out the weights: nodes make each tensor of one number, so that all channels are alike. Here they are
random numbers from a seed, scaled so that activations neither vanish nor grow. Floats must agree within 1e-4, relative
to the largest of the output. The exit code is 1 where one does not.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from onnx import ModelProto, numpy_helper

from tilewright.compiler import compile_model
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.tools.onnx_backend import DEVICES, LoadedModel
from tilewright.runtime.tools.session import Interpreted, Native, Run
from tilewright.test import onnx_runtime

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
TOLERANCE = 1e-4


def with_random_weights(model: ModelProto, seed: int) -> ModelProto:
    """Return a model in which random initialisers stand for the weights that nodes make of one number."""
    generator = np.random.default_rng(seed)
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    made = [node for node in model.graph.node if node.op_type == "ConstantOfShape" and node.input[0] in shapes]
    for node in made:
        weights = _weights(generator, [int(extent) for extent in shapes[node.input[0]]])
        model.graph.initializer.append(numpy_helper.from_array(weights, node.output[0]))
        model.graph.node.remove(node)
    return model


def without_softmax(model: ModelProto) -> ModelProto:
    """Return a model without a Softmax at its end, which hides differences: random networks are sure of themselves."""
    last = model.graph.node[-1]
    if last.op_type == "Softmax":
        model.graph.output[0].name = last.input[0]
        model.graph.node.remove(last)
    return model


def _weights(generator: np.random.Generator, shape: list[int]) -> Array:
    """Return weights: matrices and filters as He et al. 2015 (arXiv:1502.01852) start them; factors around 1."""
    if len(shape) < 2:
        return generator.uniform(0.5, 1.5, shape).astype(np.float32)
    scale = np.float32(np.sqrt(2 / np.prod(shape[1:])))
    return generator.standard_normal(shape, np.float32) * scale


def golden(model: ModelProto, inputs: dict[str, Array]) -> list[Array]:
    """Compute golden outputs with ONNX Runtime."""
    return list(onnx_runtime.session(model).run(None, inputs))


def compiled(model: ModelProto, path: Path, device: str) -> Run:
    """Return a model for a device, as C with the flags of a user who wants it fast."""
    loaded = LoadedModel(path, proto=model)
    if device == "interpreter":
        return Interpreted(compile_model(loaded, "host", stop_after="fused"))
    return Native(HostNetwork(compile_model(loaded, "host").program(), flags=("-O3", "-march=native")))


def inputs_of(model: ModelProto, seed: int) -> dict[str, Array]:
    """Return a random picture for each input that is not a weight."""
    generator = np.random.default_rng(seed)
    weights = {tensor.name for tensor in model.graph.initializer}
    ports = [value for value in model.graph.input if value.name not in weights]
    return {
        value.name: generator.standard_normal([dim.dim_value for dim in value.type.tensor_type.shape.dim], np.float32)
        for value in ports
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--on", choices=DEVICES, action="append", help="where to run; repeatable (both)")
    add("--filter", default="", metavar="TEXT", help="only models with this in their name")
    add("--seed", type=int, default=0, metavar="N", help="the seed of weights and inputs (0)")
    options = parser.parse_args()
    wrong = 0
    for path in sorted(path for path in FOLDER.glob("light_*.onnx") if options.filter in path.name):
        model = with_random_weights(without_softmax(cast(Any, onnx).load(path)), options.seed)
        inputs = inputs_of(model, options.seed)
        expected = golden(model, inputs)
        for device in options.on or DEVICES:
            start = time.perf_counter()
            found = compiled(model, path, device)(inputs)
            seconds = time.perf_counter() - start
            worst = max(
                float(np.max(np.abs(got - want)) / np.max(np.abs(want)))
                for got, want in zip(found.values(), expected, strict=True)
            )
            verdict = "equal" if worst <= TOLERANCE else "differs"
            wrong += verdict == "differs"
            print(f"{path.stem:24} {device:12} {verdict}: {worst:.1e} relative; {seconds:.1f} s", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
