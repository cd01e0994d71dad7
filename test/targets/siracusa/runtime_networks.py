"""Small networks written as the compiler emits them, in `networks/`, with weights and inputs from a seed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tilewright.ir import Array
from tilewright.targets.siracusa.npu.geometry import ConvKind
from tilewright.targets.siracusa.npu.weights import pack

NETWORKS = Path(__file__).parent / "networks"


@dataclass(frozen=True)
class Example:
    """A folder as `tilewright compile` writes it, inputs, and the outputs that are right for them."""

    folder: Path
    inputs: list[Array]
    outputs: list[Array]


def example(name: str, folder: Path, seed: int = 0) -> Example:
    """Write the network `matmul`, `npu` or `transfers` into a folder, which must not exist."""
    shutil.copytree(NETWORKS / name, folder)
    shutil.copy(NETWORKS / "driver.c", folder)
    return _MAKERS[name](folder, np.random.default_rng(seed))


def _matmul(folder: Path, random: np.random.Generator) -> Example:
    weight = random.integers(-128, 128, (40, 64), np.int8)
    inputs = random.integers(0, 256, (48, 64), np.uint8)
    _write_weights(folder, [("_Alignas(16) const int8_t network_weight", weight)])
    sums = inputs.astype(np.int64) @ weight.T.astype(np.int64)
    return Example(folder, [inputs], [np.clip((sums * 3 + 1024) >> 11, -128, 127).astype(np.int8)])


def _npu(folder: Path, random: np.random.Generator) -> Example:
    weight = random.integers(-128, 128, (32, 32), np.int64)
    scale, bias = random.integers(1, 40, 32, np.uint32), random.integers(-100_000, 100_000, 32, np.int32)
    inputs = random.integers(0, 256, (3, 36, 32), np.uint8)
    packed = pack(ConvKind.POINTWISE, weight[:, :, None, None], 8, -128)
    names = [("TW_WEIGHT_MEMORY const uint8_t network_weight", packed)]
    names += [("const uint32_t network_scale", scale), ("const int32_t network_bias", bias)]
    _write_weights(folder, names, '#include "tw_cluster.h"\n')
    sums = inputs.astype(np.int64) @ weight.T
    return Example(folder, [inputs], [np.clip((sums * scale + bias) >> 12, 0, 255).astype(np.uint8), 255 - inputs])


def _transfers(folder: Path, random: np.random.Generator) -> Example:
    inputs = random.integers(0, 256, 150_016, np.uint8)
    far = np.zeros(300_000, np.uint8)
    far[:70_000], far[75_000:145_000] = inputs[:70_000], inputs[70_000:140_000]
    far[70_000:75_000], far[145_000:150_000] = inputs[5:5005], inputs[7:5007]
    sums = [_sum(far[:150_000])]
    near = np.concatenate([inputs[3 + 50_001 * row :][:50_000] for row in range(3)])
    far[150_000:] = near
    sums.append(_sum(near))
    for column in range(3):
        far[1 + column :: 5][:49_999] = near[column : 3 * 49_999 : 3]
    return Example(folder, [inputs], [np.array([*sums, _sum(far)], np.uint32)])


def _sum(numbers: Array) -> int:
    total = 1
    for number in numbers.tolist():
        total = (total * 31 + number) & 0xFFFF_FFFF
    return total


_MAKERS = {"matmul": _matmul, "npu": _npu, "transfers": _transfers}


def _write_weights(folder: Path, weights: Sequence[tuple[str, Array]], head: str = "") -> None:
    rows = [f"{name}[{array.size}] = {{{', '.join(map(str, array.reshape(-1).tolist()))}}};" for name, array in weights]
    (folder / "weights.c").write_text("\n".join([head + '#include "weights.h"', *rows, ""]))
