"""
Networks of `transformers`, exported by PyTorch's two exporters, through the interpreter and C, beside PyTorch.

The configurations are small, the weights random and nothing is downloaded: the benchmark tests the forms in which
exporters write such networks. With `--published` some are tried in their published sizes: BERT-base, ViT-B/16, Swin-T,
a Llama for TinyStories, Whisper-tiny; each takes up to minutes as C. One environment must hold both PyTorch and
Tilewright:

    python -m venv torch-env
    torch-env/bin/pip install torch==2.13.0 transformers onnxscript -e .
    torch-env/bin/python benchmarks/onnx/torch_exports.py
    torch-env/bin/python benchmarks/onnx/torch_exports.py whisper swin --published --on interpreter

Decoders with their caches, which become state, are in `torch_decoders.py`. Networks that PyTorch cannot export are
listed. Exit code 1 where an output differs from PyTorch's by more than 1e-4 of the largest, or where a network is
refused.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.benchmarks.onnx.torch_networks import NETWORKS, Network
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.onnx.schema import OnnxOp
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_onnx
from tilewright.ir import Array
from tilewright.passes.recover_operators import RecoverOperatorsPass
from tilewright.runtime.tools.session import level_for, runner
from tilewright.test.exits import peer_module

torch: Any = peer_module("torch")

TOLERANCE = 1e-4
PLACES = ("interpreter", "host")
RECOVERED = ("LayerNormalization", "RMSNormalization", "Gelu", "HardSwish", "Swish", "RotaryEmbedding", "Attention")


@dataclass(frozen=True)
class Form:
    """Form of a network's export."""

    exporter: str
    attention: str
    published: bool

    def __str__(self) -> str:
        return f"{self.exporter:12} {self.attention:6}"


def export(network: Network, path: Path, form: Form) -> tuple[Array, Array]:
    """Write a network as ONNX; returns an input and PyTorch's output for it."""
    module, example = network.module(form.published)
    if len(network.attentions) > 1:
        module.network.set_attn_implementation(form.attention)
    with torch.no_grad(), warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        dynamo = form.exporter == "dynamo"
        torch.onnx.export(module, (example,), str(path), input_names=["x"], dynamo=dynamo, verbose=False)
        return example.numpy(), module(example).numpy()


def recovered(path: Path) -> str:
    """Return the count of each operator in a network after the recovery of decomposed ones."""
    module = import_onnx(path)
    RecoverOperatorsPass().apply(new_context(), module)
    count = Counter(op.name.removeprefix("onnx.") for op in module.walk() if isinstance(op, OnnxOp))
    return " ".join(f"{name} {count[name]}" for name in RECOVERED if count[name])


def error(path: Path, place: str, x: Array, wanted: Array) -> float:
    """Return the largest difference from the wanted output, relative to the largest number in that."""
    compilation = compile_model(Model(path), "host", **level_for(place, "tensor")._asdict())
    (result,) = runner(compilation, place)({"x": x}).values()
    return float(np.abs(result - wanted).max() / np.abs(wanted).max())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", choices=[[], *NETWORKS], help="all, where none is named")
    parser.add_argument("--exporter", choices=("torchscript", "dynamo"), action="append")
    parser.add_argument("--attention", choices=("eager", "sdpa"), action="append")
    parser.add_argument("--published", action="store_true", help="the published sizes, of networks that have one")
    parser.add_argument("--on", choices=PLACES, action="append", help="where to run; repeatable (both)")
    options = parser.parse_args()
    failed = False
    for name in options.networks or NETWORKS:
        network = NETWORKS[name]
        if options.published and network.published is None:
            continue
        for exporter in options.exporter or ("torchscript", "dynamo"):
            for attention in options.attention or network.attentions:
                failed |= not report(name, Form(exporter, attention, options.published), options.on or PLACES)
    return int(failed)


def report(name: str, form: Form, places: Sequence[str]) -> bool:
    """Print the line of one network and return whether it is right everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        try:
            x, wanted = export(NETWORKS[name], path, form)
        except torch.onnx.errors.OnnxExporterError as refusal:
            print(f"{name:10} {form} PyTorch does not export it: {str(refusal).splitlines()[0]}")
            return True
        start = time.perf_counter()
        try:
            errors = {place: error(path, place, x, wanted) for place in places}
            operators = recovered(path)
        except Diagnostic as refusal:
            print(f"{name:10} {form} refused: {refusal}")
            return False
    good = all(value <= TOLERANCE for value in errors.values())
    figures = "  ".join(f"{place} {value:.1e}" for place, value in errors.items())
    seconds = time.perf_counter() - start
    print(f"{name:10} {form} {'equal' if good else 'DIFFERS':8} {figures}  {seconds:5.1f} s  {operators}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
