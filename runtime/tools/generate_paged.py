"""Text from a decoder whose keys and values are in a paged store: `tilewright generate --paged`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...compiler import MODEL_HASH, PREFILL, Model, compile_model
from ...dialects.core.ports import POSITION, symbol_in
from ...dialects.paged.ops import PagedPoolOp, PoolShape
from ...errors import Diagnostic
from ...ir import Array, symbol_names
from ...passes.emitc.text.files import REPORT
from ..host import HostNetwork, emitted_text
from ..inputs import Input, host_inputs, network_inputs
from ..paged.config import Element, Eviction, HeadReduction, PoolConfig
from ..paged.trace import TraceWriter
from ..toolchain import vector_flags
from .generate import Language, language_of
from .session import Interpreted, level_for
from .store_options import check_budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..paged.stats import Stats


class PagedPool(Protocol):
    """Pool of a paged store, in C or in Python."""

    config: PoolConfig

    def length(self, sequence: int) -> int: ...
    def exists(self, sequence: int) -> bool: ...
    def create(self) -> int: ...
    def truncate(self, sequence: int, length: int) -> None: ...
    def tokens(self, sequence: int, first: int, count: int) -> NDArray[np.uint32]: ...
    def rows(self, sequence: int) -> list[int]: ...
    def touched(self, layer: int) -> list[list[int]]: ...
    def save(self) -> None: ...
    def get_stats(self) -> Stats: ...


@dataclass(frozen=True)
class PagedRun:
    """Decoder on a store: `call` runs a function of it, a step of `sequence`."""

    call: _Call
    store: PagedPool
    sequence: int

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        return self.call(inputs, function=function)

    def reset(self) -> None:
        """Remove all tokens of the sequence."""
        self.store.truncate(self.sequence, 0)


class _Call(Protocol):
    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]: ...


def store_config(shape: PoolShape, options: argparse.Namespace, model: bytes) -> PoolConfig:
    """Return the configuration of a store by the options. Raises Diagnostic for a bad value."""
    check_budget(options, shape.page_length)
    element = Element[options.kv_type.upper()]
    return replace(
        PoolConfig.of_shape(shape, options.kv_memory),
        context=shape.context,
        element=element,
        digest=element,
        budget_pages=-(-options.kv_budget // shape.page_length),
        sinks=options.kv_sinks,
        recent=options.kv_recent,
        skip_layers=options.kv_skip_layers,
        reduce=HeadReduction[options.kv_reduce.upper().replace("-", "_")],
        eviction=Eviction[options.kv_eviction.upper()],
        sparse_prefill=True,
        model=model,
    )


def paged_language(inputs: Sequence[Input], prompt: Sequence[Input], context: int) -> Language:
    """Return the inputs of a decoder with a paged store. Raises Diagnostic where it is no language model."""
    step, several = (_with_state(ports, context) for ports in (inputs, prompt))
    return language_of(step, several)


def _with_state(inputs: Sequence[Input], context: int) -> list[Input]:
    """Return inputs whose position counts the rows of a state of `context`."""
    added = next((prod(port.shape) for port in inputs if port.name != POSITION), 0)
    return [replace(port, added=added, rows=context) if port.name == POSITION else port for port in inputs]


def folder_run(options: argparse.Namespace) -> tuple[PagedRun, Sequence[Input], Sequence[Input]]:
    """
    Return the decoder of a compiled folder on its store, the inputs of a step and of its function for a prompt.

    Raises Diagnostic for a folder without a network, and PagedError where the store cannot be opened.
    """
    network = HostNetwork(options.model, flags=fast_flags())
    return _on_host(network, options, model_in(options.model))


def model_in(folder: Path) -> bytes:
    """Return the hash of the model that was compiled to a folder. Raises Diagnostic where its report has none."""
    report = json.loads(emitted_text(folder / REPORT))
    if MODEL_HASH not in report:
        raise Diagnostic(
            "the report of a compiled network has no hash of its model",
            where=str(folder / REPORT),
            remedy="compile the model again with --paged",
        )
    return bytes.fromhex(report[MODEL_HASH])


def paged_run(
    options: argparse.Namespace, place: str, model: Model
) -> tuple[PagedRun, Sequence[Input], Sequence[Input]]:
    """
    Return a model, compiled, on its store, the inputs of a step and of its function for a prompt, none without one.

    Raises Diagnostic for the model, and PagedError where the store cannot be opened.
    """
    level = level_for(place)._asdict()
    compilation = compile_model(model, options.target, **level)
    identity = bytes.fromhex(compilation.report[MODEL_HASH])
    if place == "interpreter":
        interpreted = Interpreted(compilation)
        names = [symbol_in(compilation.module, name) for name in ("network", PREFILL)]
        symbols = symbol_names(compilation.module.body.block)
        inputs = [network_inputs(compilation.module, name) if name in symbols else () for name in names]
        return _interpreted_run(interpreted, options, identity), inputs[0], inputs[1]
    return _on_host(HostNetwork(compilation.program(), flags=fast_flags()), options, identity)


def _on_host(
    network: HostNetwork, options: argparse.Namespace, model: bytes
) -> tuple[PagedRun, Sequence[Input], Sequence[Input]]:
    """Open the store in C of a compiled decoder. Raises PagedError, and Diagnostic for a decoder without one."""
    from ..paged.binding import BoundNetwork
    from ..paged.native import NativePool

    store = NativePool(store_config(network.pool_shape(), options, model), make_folder(options.kv_dir))
    sequence = 0 if store.exists(0) else store.create()
    prompt = host_inputs(network, PREFILL) if network.has(PREFILL) else ()
    return PagedRun(BoundNetwork(network, store, sequence), store, sequence), host_inputs(network), prompt


def fast_flags() -> list[str]:
    """Return the C compiler's flags for speed on this machine."""
    return ["-O3", *vector_flags()]


def _interpreted_run(run: Interpreted, options: argparse.Namespace, model: bytes) -> PagedRun:
    """Return an interpreted decoder on a store in Python, opened as the options say. Raises PagedError."""
    from ..paged.pool import Pool
    from ..paged.semantics import BoundPool

    pool = next(op for op in run.module.body.block.ops if isinstance(op, PagedPoolOp))
    store = Pool(store_config(pool.shape, options, model), make_folder(options.kv_dir))
    sequence = 0 if store.exists(0) else store.create()
    bound: BoundPool = run.session.storage(pool.sym_name.data)
    bound.pool, bound.sequence = store, sequence
    return PagedRun(run, store, sequence)


def make_folder(folder: Path | None) -> Path | None:
    """Make the folder of a store, if it is new, and return it. Raises Diagnostic where it cannot be."""
    if folder is None:
        return None
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise Diagnostic(
            "the folder of the store cannot be made",
            where=str(folder),
            found=error.strerror or str(error),
            remedy="give a folder in one that exists and can be written to with --kv-dir",
        ) from error
    return folder


def traced(run: PagedRun, path: Path | None) -> PagedRun:
    """Return a run that writes the pages of each step to a file, if one is given. Raises Diagnostic where it cannot."""
    return run if path is None else replace(run, call=TraceWriter(path, run.call, run.store, run.sequence))


def shared_prefix(store: PagedPool, sequence: int, prompt: Sequence[int]) -> int:
    """Return the length in tokens of the common prefix of a sequence and a prompt without its last token."""
    count = min(store.length(sequence), len(prompt) - 1)
    stored = store.tokens(sequence, 0, count).tolist()
    pairs = enumerate(zip(stored, prompt, strict=False))
    return next((index for index, (one, other) in pairs if one != other), count)


def statistics(stats: Stats) -> str:
    """Return a line of a store's statistics."""
    seen = stats.hits + stats.misses
    rate = f"{100 * stats.hits / seen:.1f} % of pages in memory" if seen else "all pages in memory"
    return f"{stats.memory:,} bytes of memory, {rate}, {stats.bytes_read:,} bytes read, {stats.bytes_written:,} written"
