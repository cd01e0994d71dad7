"""Language model of bytes on a paged store in this process, for the documents of a keyboard."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...compiler import MODEL_HASH, PREFILL, Model, compile_model
from ...errors import Diagnostic
from ..host import HostNetwork
from ..inputs import host_inputs
from ..keyboard.protocol import PREDICTED
from ..keyboard.session import StoreCounts
from ..paged.binding import BoundNetwork
from ..paged.native import NativePool
from ..paged.status import PagedError, Status
from .generate import Language, scores_after
from .generate_paged import fast_flags, make_folder, model_in, paged_language, store_config
from .keyboard_build import begin_of

if TYPE_CHECKING:
    from ..keyboard.choose import Scores
    from ..paged.config import PoolConfig


class PagedModel:
    """
    Compiled decoder on a pool in C: the `KeyboardModel` of a keyboard's documents, which are sequences of the pool.

    Raises PagedError where the store refuses a call; the documents are then as before it.
    """

    def __init__(self, network: HostNetwork, pool: NativePool, begin: int | None):
        several = host_inputs(network, PREFILL) if network.has(PREFILL) else ()
        self.begin = begin
        self.length = pool.config.longest
        self.documents = pool.config.max_sequences - 1
        self.pool = pool
        self._bound = BoundNetwork(network, pool, 0)
        self._language = paged_language(host_inputs(network), several, self.length)
        self.chunk = 1 if self._language.prompt is None else self._language.prompt.count

    def run(self, document: int, tokens: Sequence[int]) -> Scores:
        position = self.pool.length(document)
        if position + len(tokens) > self.length:
            raise PagedError("the context is full", status=Status.FULL)
        self._bound.sequence = document
        language: Language = self._language
        if len(tokens) > 1 and self._language.prompt is not None:
            language = self._language.prompt
        return np.asarray(scores_after(self._bound, language, tokens, position), np.float32)

    def create(self) -> int:
        return self.pool.create()

    def fork(self, document: int) -> int:
        return self.pool.fork(document)

    def truncate(self, document: int, length: int) -> None:
        self.pool.truncate(document, length)

    def drop(self, document: int) -> None:
        self.pool.drop(document)

    def exists(self, document: int) -> bool:
        return self.pool.exists(document)

    def count(self, document: int) -> int:
        return self.pool.length(document)

    def read(self, document: int, first: int, count: int) -> list[int]:
        return self.pool.tokens(document, first, count).tolist()

    def is_full(self, error: Diagnostic) -> bool:
        return isinstance(error, PagedError) and error.status is Status.FULL

    def save(self) -> None:
        self.pool.save()

    def counts(self) -> StoreCounts:
        stats = self.pool.get_stats()
        return StoreCounts(
            hits=stats.hits,
            misses=stats.misses,
            resident=stats.resident_pages * self.pool.config.slot,
            memory=stats.memory,
            bytes_read=stats.bytes_read,
            bytes_written=stats.bytes_written,
            degraded=stats.degraded,
        )


def documents_config(config: PoolConfig, documents: int) -> PoolConfig:
    """
    Return the configuration of a store for so many documents, and one more for predictions.

    Its capacity is twice the context, so that a saved document and another one have room, and a prediction.
    """
    length = config.page_length
    capacity = -(-(2 * config.longest + PREDICTED) // length) * length
    return replace(config, capacity=capacity, max_sequences=documents + 1)


def open_model(options: argparse.Namespace, model: Model) -> PagedModel:
    """
    Compile a model, unless it is the folder of one, and open its store as the options say.

    Raises Diagnostic for a model that is no decoder of bytes, and PagedError where the store cannot be opened.
    """
    if model.path.is_dir():
        return model_of(HostNetwork(model.path, flags=fast_flags()), model_in(model.path), options)
    compilation = compile_model(model, options.target)
    identity = bytes.fromhex(compilation.report[MODEL_HASH])
    return model_of(HostNetwork(compilation.program(), flags=fast_flags()), identity, options)


def model_of(network: HostNetwork, identity: bytes, options: argparse.Namespace) -> PagedModel:
    """
    Open the store of a compiled decoder as the options say; `identity` is the hash of its model.

    Raises Diagnostic for a network that is no decoder of bytes, and PagedError where the store cannot be opened.
    """
    vocabulary = network.outputs[0].shape[-1] if len(network.outputs) == 1 else 0
    begin = begin_of(vocabulary, options.begin, is_given="--begin" in options.flags)
    config = documents_config(store_config(network.pool_shape(), options, identity), options.documents)
    folder = make_folder(options.kv_dir)
    return PagedModel(network, NativePool(config, folder), None if begin < 0 else begin)
