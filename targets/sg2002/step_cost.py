"""Modelled time of a decode step on a board: kernels by engine, attention over pages, reads of pages from the card."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from ...dialects.core.effects import callee_of
from ...dialects.core.kernel import is_kernel
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.model import Machine
from ...dialects.core.nesting import nested_ops
from ...ir import functions
from ...passes.map_engines import ATTRIBUTE as ENGINE
from ...runtime.calls import given_to
from ...runtime.host import HostNetwork
from ...runtime.paged.binding import StepFunctions
from ...runtime.paged.config import Eviction, PoolConfig
from ...runtime.paged.pool import Pool
from ...runtime.paged.residency import Disk, EvictionPolicy, Residency, StepTrace, simulate
from ...runtime.paged.status import PagedError


@dataclass(frozen=True)
class StepCost:
    """Modelled seconds of the mean step of a trace: `kernels` by engine, `attention` on the core, reads of the card."""

    kernels: dict[str, float]
    attention: float
    reads: Residency

    @property
    def computing(self) -> float:
        """Seconds without waiting for the card."""
        return sum(self.kernels.values()) + self.attention

    @property
    def seconds(self) -> float:
        """Seconds of a step."""
        return self.computing + self.reads.stall


def step_cost(
    module: ModuleOp, machine: Machine, trace: Sequence[StepTrace], config: PoolConfig, *, prefetch: bool
) -> StepCost:
    """
    Model the steps of a trace on a machine, for a network whose kernels have engines, and a store's configuration.

    Attention is the products of the attended tokens, or the bytes of their pages and of all digests from memory,
    whichever takes longer by the core's `macs_per_cycle` and `bytes_per_cycle`. The card is the machine's first link;
    with `prefetch` pages are read while the layer before computes.
    """
    kernels = {name: machine.seconds(cycles) for name, cycles in _kernel_cycles(module, machine).items()}
    attention = machine.seconds(round(_attention_cycles(machine.engines[0], trace, config)))
    compute = (sum(kernels.values()) + attention) / config.layers
    policy = EvictionPolicy.LRU if config.eviction is Eviction.LRU else EvictionPolicy.CLOCK
    reads = simulate(trace, config.frames, policy, config.slot, card_of(machine), compute=compute, prefetch=prefetch)
    return StepCost(kernels, attention, reads)


def card_of(machine: Machine) -> Disk:
    """Return the card behind the machine's first link, as a disk."""
    link = machine.links[0]
    hertz = (link.clock.nominal or machine.clock.nominal) * 1e6
    return Disk(latency=link.startup / hertz, bandwidth=link.width * hertz)


def _kernel_cycles(module: ModuleOp, machine: Machine) -> dict[str, int]:
    """Return the cycles of the kernels that a step runs, by engine."""
    cycles: dict[str, int] = {}
    for function in _reached(module):
        for op in nested_ops(function):
            name = op.attributes.get(ENGINE)
            if is_kernel(op) and isinstance(name, StringAttr):
                cost = machine.cost(machine.engine(name.data), op)
                cycles[name.data] = cycles.get(name.data, 0) + (cost or 0)
    return cycles


def _reached(module: ModuleOp) -> Iterator[FuncOp]:
    """Yield the first public function of a module and those that it calls, once for each call."""
    by_name = {function.sym_name.data: function for function in functions(module)}
    pending = [next(function for function in by_name.values() if function.sym_visibility is None)]
    while pending:
        function = pending.pop()
        names = [callee_of(op) for op in nested_ops(function)]
        pending += [by_name[name] for name in names if name is not None and name in by_name]
        yield function


def _attention_cycles(core: Engine, trace: Sequence[StepTrace], config: PoolConfig) -> float:
    rates: dict[str, Any] = dict(core.runs[0].parameters)
    tokens = np.mean([sum(map(len, rows)) for step in trace for rows in step.touched]) * config.page_length
    filled: set[Any] = set()
    filled_rows: list[int] = []
    for step in trace:
        filled.update(step.filled)
        filled_rows.append(len(filled))
    blocks = np.mean(filled_rows)
    products = 2 * float(tokens) * config.head_dim * config.heads / config.kv_heads
    pages = 2 * float(tokens) * config.head_dim * config.element.bytes
    digests = 2 * float(blocks) * config.head_dim * config.digest.bytes * config.kv_heads
    cycles = max(products / rates["macs_per_cycle"], (pages + digests) / rates["bytes_per_cycle"])
    return config.layers * cycles


def trace_of(network: HostNetwork, tokens: Sequence[int], config: PoolConfig) -> list[StepTrace]:
    """
    Return the pages that a network's steps over tokens touch, run on this machine on a store in Python.

    Raises PagedError where the store refuses a step.
    """
    whole = replace(config, memory=config.working_set + config.rows * config.pages * (config.slot + 64))
    with Pool(whole) as pool:
        steps = _TracedSteps(pool)
        network.bind(ctypes.addressof(steps.functions))
        for position, token in enumerate(tokens):
            steps.begin_step(token)
            inputs = {"input_ids": np.array([[token]]), "position": np.array([position])}
            named = {port.name: inputs.get(port.name, inputs["input_ids"]) for port in network.inputs}
            network.run(given_to(network.entries[0], named), 0)
            steps.end_step()
    return steps.trace


_BEGIN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32, ctypes.c_void_p)
_LAYER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
_COMMIT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class _TracedSteps:
    """Functions of a pool in Python for a compiled network, which note the pages that each layer touches."""

    def __init__(self, pool: Pool):
        self.trace: list[StepTrace] = []
        self._pool, self._sequence, self._token = pool, pool.create(), 0
        self._touched: list[tuple[tuple[int, ...], ...]] = []
        self._failure: Exception | None = None
        self._calls = {
            "begin": _BEGIN(self._guarded(self._begin)),
            "append": _LAYER(self._guarded(self._append)),
            "attend": _LAYER(self._guarded(self._attend)),
            "commit": _COMMIT(self._guarded(self._commit)),
        }
        self.functions = StepFunctions(
            **{name: ctypes.cast(call, ctypes.c_void_p) for name, call in self._calls.items()}
        )

    def begin_step(self, token: int) -> None:
        """Set the token of the next step."""
        self._token, self._touched = token, []

    def end_step(self) -> None:
        """Add the step to the trace. Raises what a function of the pool has raised in it."""
        if self._failure is not None:
            raise self._failure
        length, page = self._pool.length(self._sequence), self._pool.config.page_length
        filled = (length // page - 1,) if length % page == 0 else ()
        self.trace.append(StepTrace(filled, tuple(self._touched)))

    def _guarded(self, call: Callable[..., None]) -> Callable[..., int]:
        def guarded(_context: int | None, *arguments: Any) -> int:
            try:
                call(*arguments)
            except Exception as error:  # C cannot pass it on: end_step raises it.
                self._failure = error
                return int(error.status) if isinstance(error, PagedError) else 1
            return 0

        return guarded

    def _begin(self, position: int, count: int, tokens: int) -> None:
        del position, count, tokens
        self._pool.begin(self._sequence, [self._token])

    def _append(self, layer: int, keys: int, values: int) -> None:
        shape = (1, self._pool.config.kv_heads, self._pool.config.head_dim)
        self._pool.append(layer, _array(keys, shape), _array(values, shape))

    def _attend(self, layer: int, queries: int, results: int) -> None:
        shape = (1, self._pool.config.heads, self._pool.config.head_dim)
        _array(results, shape)[...] = self._pool.attend(layer, _array(queries, shape))
        self._touched.append(tuple(map(tuple, self._pool.touched(layer))))

    def _commit(self) -> None:
        self._pool.commit()


def _array(address: int, shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the floats at an address."""
    pointer = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(pointer, shape)
