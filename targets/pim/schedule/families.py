"""
Stages of six families of visual Transformers, by model and size of the image.

Parameters of the families are those of the models' papers: ViT (2010.11929), PVT (2102.12122), Swin (2103.14030),
Twins (2104.13840), CSWin (2107.00652), Focal (2107.00641).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....errors import Diagnostic, did_you_mean
from .records import BlockStage

WINDOW = 7


@dataclass(frozen=True)
class Family:
    """Channels, heads and blocks of each stage of one model; `rule` makes the stages of a size."""

    rule: Callable[[Family, int], list[BlockStage]]
    channels: Sequence[int]
    heads: Sequence[int]
    blocks: Sequence[int]
    patch: int = 4


def stages_of(model: str, size: int) -> list[BlockStage]:
    """Return the stages of a model for square images of `size` pixels. Raises Diagnostic for an unknown model."""
    if model not in MODELS:
        raise Diagnostic(f"an unknown model: {model}", expected=", ".join(MODELS), remedy=did_you_mean(model, MODELS))
    if size < 1:
        raise Diagnostic("the image has no pixels", expected="a size of at least 1", found=str(size))
    family = MODELS[model]
    return family.rule(family, -(-size // family.patch))


def _sides(family: Family, side: int) -> list[int]:
    """Return rows of patches of each stage: each merges 2 x 2 patches of the one before."""
    sides = [side]
    while len(sides) < len(family.channels):
        sides.append(-(-sides[-1] // 2))
    return sides


def _vit(family: Family, side: int) -> list[BlockStage]:
    rows = side**2
    return [BlockStage("1", family.channels[0], family.heads[0], family.blocks[0], 1, rows, rows, rows)]


def _pvt(family: Family, side: int) -> list[BlockStage]:
    stages: list[BlockStage] = []
    for s, rows in enumerate(_sides(family, side)):
        keys = (-(-rows // _REDUCTIONS[s])) ** 2
        shape = family.channels[s], family.heads[s], family.blocks[s], 1, rows**2, keys, keys
        stages.append(BlockStage(str(s + 1), *shape, expansion=(8, 8, 4, 4)[s], merges=s > 0))
    return stages


def _swin(family: Family, side: int) -> list[BlockStage]:
    stages: list[BlockStage] = []
    for s, rows in enumerate(_sides(family, side)):
        window = min(WINDOW, rows)
        shape = family.channels[s], family.heads[s], family.blocks[s], (-(-rows // window)) ** 2
        stages.append(BlockStage(str(s + 1), *shape, *[window**2] * 3, merges=s > 0))
    return stages


def _twins(family: Family, side: int) -> list[BlockStage]:
    stages: list[BlockStage] = []
    for s, rows in enumerate(_sides(family, side)):
        window = min(WINDOW, rows)
        branches = (-(-rows // window)) ** 2
        shape = family.channels[s], family.heads[s], family.blocks[s] // 2, branches
        keys = (-(-rows // _REDUCTIONS[s])) ** 2
        stages.append(BlockStage(f"{s + 1} local", *shape, *[window**2] * 3, merges=s > 0))
        stages.append(BlockStage(f"{s + 1} global", *shape, window**2, keys, -(-keys // branches)))
    return stages


def _cswin(family: Family, side: int) -> list[BlockStage]:
    stages: list[BlockStage] = []
    for s, rows in enumerate(_sides(family, side)):
        if s == 3:
            shape = family.channels[s], family.heads[s], family.blocks[s], 1
            stages.append(BlockStage(str(s + 1), *shape, *[rows**2] * 3, merges=True))
            continue
        stripe = min((1, 2, WINDOW)[s], rows)
        shape = family.channels[s], family.heads[s] // 2, family.blocks[s], 2 * -(-rows // stripe)
        stages.append(BlockStage(str(s + 1), *shape, *[stripe * rows] * 3, merges=s > 0, parts=2))
    return stages


def _focal(family: Family, side: int) -> list[BlockStage]:
    stages: list[BlockStage] = []
    for s, rows in enumerate(_sides(family, side)):
        window, pooled = min(WINDOW, rows), (7, 5, 3, 1)[s]
        keys = (window**2 if rows <= WINDOW else (window + 6) ** 2) + pooled**2
        shape = family.channels[s], family.heads[s], family.blocks[s], (-(-rows // window)) ** 2
        stages.append(BlockStage(str(s + 1), *shape, window**2, keys, window**2, merges=s > 0))
    return stages


def _doubled(first: int) -> tuple[int, ...]:
    return tuple(first << s for s in range(4))


_REDUCTIONS = (8, 4, 2, 1)
"""Ratio of the spatial reduction of K and V, by stage."""
_PVT = (64, 128, 320, 512), (1, 2, 5, 8)

MODELS: dict[str, Family] = {
    "ViT-B": Family(_vit, (768,), (12,), (12,), patch=16),
    "ViT-L": Family(_vit, (1024,), (16,), (24,), patch=16),
    "ViT-H": Family(_vit, (1280,), (16,), (32,), patch=14),
    "PVT-T": Family(_pvt, *_PVT, (2, 2, 2, 2)),
    "PVT-S": Family(_pvt, *_PVT, (3, 4, 6, 3)),
    "PVT-M": Family(_pvt, *_PVT, (3, 4, 18, 3)),
    "PVT-L": Family(_pvt, *_PVT, (3, 8, 27, 3)),
    "Swin-T": Family(_swin, _doubled(96), _doubled(3), (2, 2, 6, 2)),
    "Swin-S": Family(_swin, _doubled(96), _doubled(3), (2, 2, 18, 2)),
    "Swin-B": Family(_swin, _doubled(128), _doubled(4), (2, 2, 18, 2)),
    "Swin-L": Family(_swin, _doubled(192), _doubled(6), (2, 2, 18, 2)),
    "Twins-S": Family(_twins, _doubled(64), _doubled(2), (2, 2, 10, 4)),
    "Twins-B": Family(_twins, _doubled(96), _doubled(3), (2, 2, 18, 2)),
    "Twins-L": Family(_twins, _doubled(128), _doubled(4), (2, 2, 18, 2)),
    "CSWin-T": Family(_cswin, _doubled(64), _doubled(2), (1, 2, 21, 1)),
    "CSWin-S": Family(_cswin, _doubled(64), _doubled(2), (2, 4, 32, 2)),
    "CSWin-B": Family(_cswin, _doubled(96), _doubled(4), (2, 4, 32, 2)),
    "CSWin-L": Family(_cswin, _doubled(144), (6, 12, 24, 24), (2, 4, 32, 2)),
    "Focal-T": Family(_focal, _doubled(96), _doubled(3), (2, 2, 6, 2)),
    "Focal-S": Family(_focal, _doubled(96), _doubled(3), (2, 2, 18, 2)),
    "Focal-B": Family(_focal, _doubled(128), _doubled(4), (2, 2, 18, 2)),
}
SIZES = (224, 384, 640, 960)
SMALL_MESH = ("PVT-T", "PVT-S", "PVT-M", "PVT-L")
"""Models scheduled on 8 x 8 nodes."""
