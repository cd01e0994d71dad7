"""
Networks of `transformers`, exported by PyTorch's two exporters, through the interpreter and C, beside PyTorch.

The configurations are small, the weights random and nothing is downloaded: what is tried is the form in which exporters
write such networks. One environment must hold both PyTorch and Tilewright:

    python -m venv torch-env
    torch-env/bin/pip install torch==2.13.0 transformers onnxscript -e .
    torch-env/bin/python benchmarks/torch_exports.py

What PyTorch itself does not export is told. Exit code 1 where an output differs from PyTorch's by more than 1e-4 of the
largest, or where a network is refused.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.onnx_schema import OnnxOp
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_onnx
from tilewright.ir import Array, new_context
from tilewright.passes.recover_operators import RecoverOperatorsPass
from tilewright.runtime.session import level_for, runner

torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

TOLERANCE = 1e-4
RECOVERED = ("LayerNormalization", "RMSNormalization", "Gelu", "HardSwish", "Swish", "RotaryEmbedding", "Attention")


TorchModule: Any = torch.nn.Module


class Outputs(TorchModule):
    """A network that returns its first output as a tensor, called by position."""

    def __init__(self, network: Any, argument: str, options: dict[str, Any]):
        TorchModule.__init__(self)
        self.network, self.argument, self.options = network, argument, options

    def forward(self, x: Any) -> Any:
        return self.network(**{self.argument: x}, **self.options, return_dict=False)[0]


@dataclass(frozen=True)
class Network:
    """A network by its configuration; `example` makes the input that its argument of that name takes."""

    make: Callable[[], Any]
    argument: str
    example: Callable[[], Any]
    options: tuple[tuple[str, Any], ...] = ()

    def module(self) -> Outputs:
        """Return the network with random weights, those of the norms too, so that each of them counts."""
        torch.manual_seed(0)
        network = self.make().eval()
        for name, parameter in network.named_parameters():
            if "norm" in name.lower():
                parameter.data += 0.1 * torch.randn_like(parameter)
        return Outputs(network, self.argument, dict(self.options)).eval()


def _tokens() -> Any:
    return torch.randint(0, 100, (1, 16))


def _picture() -> Any:
    return torch.randn(1, 3, 32, 32)


SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}


def _bert() -> Any:
    return transformers.BertModel(transformers.BertConfig(vocab_size=100, max_position_embeddings=32, **SMALL))


def _vit() -> Any:
    return transformers.ViTModel(transformers.ViTConfig(image_size=32, patch_size=8, **SMALL))


def _swin() -> Any:
    config = transformers.SwinConfig(
        image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4
    )
    return transformers.SwinModel(config)


def _llama() -> Any:
    config = transformers.LlamaConfig(vocab_size=100, num_key_value_heads=2, max_position_embeddings=64, **SMALL)
    return transformers.LlamaForCausalLM(config)


def _whisper() -> Any:
    config = transformers.WhisperConfig(
        d_model=64,
        encoder_layers=2,
        encoder_attention_heads=4,
        encoder_ffn_dim=128,
        max_source_positions=50,
        decoder_layers=1,
        decoder_attention_heads=4,
    )
    return transformers.WhisperModel(config).encoder


NETWORKS = {
    "bert": Network(_bert, "input_ids", _tokens),
    "vit": Network(_vit, "pixel_values", _picture),
    "swin": Network(_swin, "pixel_values", _picture),
    "llama": Network(
        _llama, "input_ids", _tokens, (("use_cache", False), ("attention_mask", torch.ones(1, 16).long()))
    ),
    "whisper": Network(_whisper, "input_features", lambda: torch.randn(1, 80, 100)),
}


def export(network: Network, path: Path, exporter: str, attention: str) -> tuple[Array, Array]:
    """Write a network as ONNX; returns an input and PyTorch's output for it."""
    module, example = network.module(), network.example()
    module.network.set_attn_implementation(attention)
    with torch.no_grad(), warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (example,), str(path), input_names=["x"], dynamo=exporter == "dynamo", verbose=False)
        return example.numpy(), module(example).numpy()


def recovered(path: Path) -> str:
    """Return how many of each operator are in a network, after those that are written out are recognised."""
    module = import_onnx(path)
    RecoverOperatorsPass().apply(new_context(), module)
    count = Counter(op.name.removeprefix("onnx.") for op in module.walk() if isinstance(op, OnnxOp))
    return " ".join(f"{name} {count[name]}" for name in RECOVERED if count[name])


def error(path: Path, place: str, x: Array, wanted: Array) -> float:
    """Return the largest difference from the wanted output, relative to the largest number in that."""
    compilation = compile_model(Model(path), "host", stop_after=level_for(place, "host", "tensor"))
    (result,) = runner(compilation, place)({"x": x}).values()
    return float(np.abs(result - wanted).max() / np.abs(wanted).max())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", choices=[[], *NETWORKS], help="all, where none is named")
    parser.add_argument("--exporter", choices=("torchscript", "dynamo"), action="append")
    parser.add_argument("--attention", choices=("eager", "sdpa"), action="append")
    options = parser.parse_args()
    failed = False
    for name in options.networks or NETWORKS:
        for exporter in options.exporter or ("torchscript", "dynamo"):
            for attention in options.attention or ("eager", "sdpa"):
                failed |= not report(name, exporter, attention)
    return int(failed)


def report(name: str, exporter: str, attention: str) -> bool:
    """Print the line of one network and return whether it is right everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        try:
            x, wanted = export(NETWORKS[name], path, exporter, attention)
        except torch.onnx.errors.OnnxExporterError as refusal:
            print(f"{name:8} {exporter:12} {attention:6} PyTorch does not export it: {str(refusal).splitlines()[0]}")
            return True
        start = time.perf_counter()
        try:
            errors = {place: error(path, place, x, wanted) for place in ("interpreter", "host")}
            operators = recovered(path)
        except Diagnostic as refusal:
            print(f"{name:8} {exporter:12} {attention:6} refused: {refusal}")
            return False
    good = all(value <= TOLERANCE for value in errors.values())
    figures = "  ".join(f"{place} {value:.1e}" for place, value in errors.items())
    verdict = "equal" if good else "DIFFERS"
    print(
        f"{name:8} {exporter:12} {attention:6} {verdict:8} {figures}  {time.perf_counter() - start:5.1f} s  {operators}"
    )
    return good


if __name__ == "__main__":
    sys.exit(main())
