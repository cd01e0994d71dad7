"""
Visual Transformers of `transformers`, exported by PyTorch's two exporters: their branches, and programs of a mesh.

Seven small configurations (ViT, DeiT, DINOv2, Swin with windows that divide the image and that do not, Swin v2, PVT),
weights from a seed. Each is exported with eager attention and, where the family has it, scaled dot-product attention.
`find-branches` has to find the stages that follow from the configuration, and the programs of 2 x 2 nodes, as C with a
thread for each node, have to give PyTorch's outputs. One environment must hold both PyTorch and Tilewright (see
torch_exports.py):

    torch-env/bin/python benchmarks/onnx/vision_exports.py [FAMILY...] [--exporter dynamo] [--attention eager]

Exit code 1 where stages or outputs differ, or a network is refused.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.runtime.tools.check import check, find_cases
from tilewright.targets.pim.passes.find_branches import STAGES, find_branches, stage_from
from tilewright.test.exits import exit_with, peer_module

torch: Any = peer_module("torch")
transformers: Any = peer_module("transformers")
TorchModule: Any = torch.nn.Module

TARGET = "pim/2x2"
EXPORTERS, ATTENTIONS = ("dynamo", "torchscript"), ("eager", "sdpa")
Shape = tuple[int, int, int, int, int]
"""A stage: channels, heads, blocks, branches, rows of queries."""

PLAIN = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 32, "patch_size": 8}
WINDOWS = {"patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}
PYRAMID = {
    "depths": [1, 1, 1, 1],
    "hidden_sizes": [16, 32, 64, 128],
    "num_attention_heads": [1, 2, 4, 8],
    "mlp_ratios": [4, 4, 4, 4],
    "sequence_reduction_ratios": [4, 2, 2, 1],
}


@dataclass(frozen=True)
class Family:
    """Configuration of a family, its stages, and the ways of attention that it has."""

    name: str
    options: Mapping[str, Any]
    stages: Sequence[Shape]
    pixels: int = 32
    attentions: Sequence[str] = field(default=ATTENTIONS)


FAMILIES = {
    "vit": Family("ViT", {**PLAIN, "intermediate_size": 64}, [(32, 4, 2, 1, 17)]),
    "deit": Family("DeiT", {**PLAIN, "intermediate_size": 64}, [(32, 4, 2, 1, 18)]),
    "dinov2": Family("Dinov2", PLAIN, [(32, 4, 2, 1, 17)]),
    "swin": Family("Swin", {**WINDOWS, "image_size": 32}, [(16, 2, 2, 16, 16), (32, 4, 2, 4, 16)]),
    "swin-padded": Family("Swin", {**WINDOWS, "image_size": 36}, [(16, 2, 2, 25, 16), (32, 4, 2, 9, 16)], 36),
    "swinv2": Family(
        "Swinv2", {**WINDOWS, "image_size": 32}, [(16, 2, 2, 16, 16), (32, 4, 2, 4, 16)], attentions=("eager",)
    ),
    "pvt": Family(
        "Pvt",
        {**PYRAMID, "image_size": 64},
        [(16, 1, 1, 1, 256), (32, 2, 1, 1, 64), (64, 4, 1, 1, 16), (128, 8, 1, 1, 5)],
        64,
        ("eager",),
    ),
}


class Logits(TorchModule):
    """Classifier as a function from an image to its logits."""

    def __init__(self, model: Any):
        TorchModule.__init__(self)
        self.model = model

    def forward(self, image: Any) -> Any:
        return self.model(image).logits


def export(family: Family, exporter: str, attention: str, folder: Path) -> None:
    """Write a network, an input and PyTorch's output, as a case of `tilewright check`."""
    torch.manual_seed(0)
    options = dict(family.options) | {"num_labels": 10}
    options |= {"attn_implementation": attention} if len(family.attentions) > 1 else {}
    configuration = getattr(transformers, f"{family.name}Config")(**options)
    model = Logits(getattr(transformers, f"{family.name}ForImageClassification")(configuration)).eval()
    for parameter in model.parameters():  # norms and biases do something, too
        parameter.data += 0.1 * torch.randn_like(parameter)
    image = torch.randn(1, 3, family.pixels, family.pixels)
    given = {"dynamo": True, "external_data": False} if exporter == "dynamo" else {"dynamo": False}
    with torch.no_grad(), warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        logits = model(image)
        path = str(folder / "network.onnx")
        torch.onnx.export(model, (image,), path, input_names=["image"], output_names=["logits"], **given)
    np.savez(folder / "inputs.npz", allow_pickle=False, image=image.numpy())
    np.savez(folder / "outputs.npz", allow_pickle=False, logits=logits.numpy())


def stages(path: Path) -> list[Shape]:
    """Return the stages that `find-branches` finds in a network."""
    module = compile_model(Model(path), TARGET, stop_after="tensor").module
    find_branches(module)
    records = map(stage_from, cast("ArrayAttr[DictionaryAttr]", module.attributes[STAGES]))
    return [(each.channels, each.heads, each.blocks, each.branches, each.queries) for each in records]


def verdict(family: Family, exporter: str, attention: str) -> tuple[str, str]:
    """Return the verdicts on the stages and on the outputs of an export."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export(family, exporter, attention, folder)
        try:
            found = stages(folder / "network.onnx")
        except Diagnostic as error:
            return str(error).partition("\n")[0], ""
        (row,) = check(find_cases(folder), TARGET, ["host"])
    detail = row.detail or (str(row.error).partition("\n")[0] if row.error else "")
    return "as configured" if found == list(family.stages) else str(found), f"{row.verdict} {detail}".strip()


def main() -> int:
    """Print the verdicts; return 1 where one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", choices=[[], *FAMILIES], metavar="FAMILY")
    parser.add_argument("--exporter", choices=EXPORTERS, action="append")
    parser.add_argument("--attention", choices=ATTENTIONS, action="append")
    options = parser.parse_args()
    table = Table("network", "exporter", "attention", "stages", f"outputs on {TARGET}")
    failed = 0
    for name in options.families or FAMILIES:
        family = FAMILIES[name]
        ways = [way for way in family.attentions if way in (options.attention or ATTENTIONS)]
        for exporter, attention in product(options.exporter or EXPORTERS, ways):
            verdicts = verdict(family, exporter, attention)
            failed += verdicts != ("as configured", "equal")
            table.add_row(name, exporter, attention, *verdicts)
    Console().print(table)
    return int(failed > 0)


if __name__ == "__main__":
    exit_with(main)
