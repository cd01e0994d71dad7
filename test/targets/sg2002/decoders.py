"""A small decoder for the boards' tests, and its C as a program that prints the bits of scores."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tilewright.frontend.zoo.klm import KlmConfig, build_open
from tilewright.ir import Array
from tilewright.passes.emitc.text.files import files_in
from tilewright.runtime.host import HostNetwork, sources_in
from tilewright.runtime.inputs import host_inputs
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import PoolConfig as StoreConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.tools.generate import generate
from tilewright.runtime.tools.generate_paged import paged_language

SMALL = KlmConfig(layers=2, dim=32, heads=4, kv_heads=2, head=8, hidden=48, vocabulary=40)
CONTEXT = 40
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
FLAGS = ("-std=c11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pthread")
_ROOT = Path(__file__).parents[3]


def write_decoder(path: Path, config: KlmConfig = SMALL) -> Path:
    """Write a decoder with random weights."""
    path.write_bytes(build_open(3, config=config).SerializeToString())
    return path


def program(folder: Path, command: Sequence[str], more: Sequence[str] = ()) -> Path:
    """Build the network of a folder with decode.c and the store by a C compiler's command."""
    sources = [*sources_in(folder, files_in(folder)), Path(__file__).parent / "decode.c"]
    sources += sorted((_ROOT / "runtime" / "paged").glob("*.c"))
    includes = [f"-I{folder}", f"-I{_ROOT / 'runtime' / 'paged'}", f"-I{_ROOT / 'runtime' / 'c'}"]
    built = folder / f"decode-{Path(command[0]).name}"
    words = [*command, *FLAGS, *includes, *map(str, sources), *more, "-lm", "-o", str(built)]
    subprocess.run(words, check=True)
    return built


def outputs_of(network: HostNetwork) -> tuple[list[int], list[Array]]:
    """Return twelve tokens behind the prompt, and the scores of each step of it."""
    prompt = host_inputs(network, "network_prefill") if network.has("network_prefill") else ()
    following = generate(bound(network), paged_language(host_inputs(network), prompt, CONTEXT), PROMPT, 12)
    run = bound(network)
    given = [{"input_ids": np.array([[token]]), "position": np.array([at])} for at, token in enumerate(PROMPT)]
    return following, [scores for step in given for scores in run(step).values()]


def bound(network: HostNetwork) -> BoundNetwork:
    """Return a network on a new store in memory."""
    pool = NativePool(StoreConfig.of_shape(network.pool_shape(), 1 << 22))
    return BoundNetwork(network, pool, pool.create())
