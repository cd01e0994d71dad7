"""
Visual Transformers in their published sizes, from ONNX to their schedule: stages, cycles, seconds.

    python benchmarks/pim/full_size.py [--models NAME...] [--sizes PIXELS...]

A network is the zoo's, with the parameters of a model of `targets/pim/schedule/families.py` and weights from a seed. It
is imported, lowered to tensors, and scheduled on 16 x 16 nodes by find-branches and schedule-branches. By default these
are the smallest and the largest model of each of the six families (ViT-L: ViT-H exceeds the 2 GB of a protobuf) at 224
pixels, and the smallest ones at 896: windows of 7 x 7 patches have to divide the image of each stage. Cycles are those
of the schedule's model, none is measured.

The stages of a network must equal those of its family, but for what an ONNX file has besides: class tokens are rows
more, and the last stage of Twins, with one window, has one kind of blocks. Exit code 1 where they differ.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import onnx
from rich.console import Console
from rich.progress import track
from rich.table import Table
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, ModuleOp
from xdsl.ir import Attribute

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo import cswin_tiny, focal_tiny, pvt_tiny, swin_tiny, twins_small, vit_tiny
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.targets.pim.passes.find_branches import STAGES, stage_from
from tilewright.targets.pim.schedule.families import MODELS, stages_of
from tilewright.targets.pim.schedule.records import BlockStage
from tilewright.test.exits import exit_with

SMALLEST = ("ViT-B", "PVT-T", "Swin-T", "Twins-S", "CSWin-T", "Focal-T")
LARGEST = ("ViT-L", "PVT-L", "Swin-L", "Twins-L", "CSWin-L", "Focal-B")
PASSES = "builtin.module(attach-machine{target=pim},find-branches,schedule-branches)"
PVT = {"patch": (4, 2, 2, 2), "expansion": (8, 8, 4, 4), "reduction": (8, 4, 2, 1)}


def network(model: str, size: int) -> onnx.ModelProto:
    """Return a model for square images of `size` pixels, weights from a seed."""
    family = MODELS[model]
    channels, heads, blocks = family.channels, family.heads, family.blocks
    match model.split("-")[0]:
        case "ViT":
            sizes = {"dim": channels[0], "heads": heads[0], "layers": blocks[0]}
            return vit_tiny.build(image=size, patch=family.patch, **sizes)
        case "PVT":
            rows = zip(PVT["patch"], channels, heads, blocks, PVT["expansion"], PVT["reduction"], strict=True)
            return pvt_tiny.build(image=size, stages=[pvt_tiny.Stage(*row) for row in rows])
        case "Swin":
            return swin_tiny.build(image=size, dim=channels[0], layers=blocks, heads=heads)
        case "Twins":
            return twins_small.build(image=size, dims=channels, layers=blocks, heads=heads)
        case "CSWin":
            stripes = 1, 2, 7, size // 32
            return cswin_tiny.build(image=size, dim=channels[0], layers=blocks, heads=heads, stripes=stripes)
        case "Focal":
            return focal_tiny.build(image=size, dim=channels[0], layers=blocks, heads=heads)
        case family_name:
            raise Diagnostic(f"the zoo has no network of the family {family_name}")


def expected_stages(model: str, size: int) -> list[BlockStage]:
    """Return the stages of a model's family, with what its ONNX file has besides."""
    *others, last = stages_of(model, size)
    if model.startswith(("ViT", "PVT")):
        token = {name: getattr(last, name) + 1 for name in ("queries", "keys", "own_keys")}
        return [*others, replace(last, **token)]
    if model.startswith("Twins") and last.branches == 1:
        local = others.pop()
        return [*others, replace(local, name=local.name.split()[0], blocks=2 * local.blocks)]
    return [*others, last]


def scheduled(model: onnx.ModelProto) -> ModuleOp:
    """Return a network on tensors, with its stages and schedule. Raises Diagnostic where it has none."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "network.onnx"
        file.write_bytes(model.SerializeToString())
        module = compile_model(Model(file), "pim", stop_after="tensor").module
        PassManager().run(module, parse_pipeline(PASSES, all_passes()), new_context())
    return module


def row_of(model: str, size: int) -> Sequence[str]:
    """Return the cells of a model: megabytes of the file, stages, their verdict, cycles, gap, seconds."""
    proto, begun = network(model, size), time.perf_counter()
    module = scheduled(proto)
    seconds = time.perf_counter() - begun
    found = [stage_from(each) for each in cast("ArrayAttr[DictionaryAttr]", module.attributes[STAGES]).data]
    verdict = "equal" if found == expected_stages(model, size) else "different"
    cycles, gap = (_float(module.attributes[f"pim.{name}"]) for name in ("cycles", "gap"))
    numbers = f"{cycles:,.0f}", f"{gap:.1%}", f"{seconds:.0f}"
    return [model, str(size), f"{proto.ByteSize() / 1e6:,.0f}", str(len(found)), verdict, *numbers]


def _float(attribute: Attribute) -> float:
    return cast("FloatAttr", attribute).value.data


def main() -> int:
    """Print a row for each network; return 1 where stages are not those of the family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, metavar="NAME", help="smallest and largest by default")
    parser.add_argument("--sizes", nargs="+", type=int, default=[224, 896], metavar="PIXELS")
    arguments = parser.parse_args()
    chosen = arguments.models or [*SMALLEST, *LARGEST]
    pairs = [(model, size) for size in arguments.sizes for model in chosen]
    if arguments.models is None:
        pairs = [(model, size) for model, size in pairs if size == min(arguments.sizes) or model in SMALLEST]
    console = Console(width=120)
    rows = [row_of(*pair) for pair in track(pairs, "scheduling", console=Console(stderr=True), transient=True)]
    table = Table("model", "pixels", "MB", "stages", "those of the family", "cycles", "gap", "seconds")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    return int(any("different" in row for row in rows))


if __name__ == "__main__":
    exit_with(main)
