"""Binding of a compiled decoder to its paged store."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...errors import Diagnostic
from ...ir import Array
from ..calls import given_to
from .native import NativePool, library
from .status import Status

if TYPE_CHECKING:
    from ..host import HostNetwork


class _Binding(ctypes.Structure):
    _fields_ = (("pool", ctypes.c_void_p), ("sequence", ctypes.c_uint32))


_POINTERS = (
    *("context", "begin", "append", "attend", "commit", "digest"),
    *("attend_over", "fork", "switch_to", "truncate", "pin"),
)


class StepFunctions(ctypes.Structure):
    """Functions of a store that a compiled decoder calls: tw_paged_steps."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _POINTERS),
        ("status", ctypes.c_int32),
        ("pending", ctypes.c_int32),
    )


class BoundNetwork:
    """
    Compiled decoder whose keys and values are in a pool in C.

    A call is a step of `sequence`, which may be set between calls; one that fails leaves the sequence as it was.
    """

    def __init__(self, network: HostNetwork, pool: NativePool, sequence: int):
        self.pool = pool
        self._network = network
        self._binding = _Binding(pool.address, sequence)
        self._steps = StepFunctions()
        library().tw_paged_bind(ctypes.byref(self._steps), ctypes.byref(self._binding))
        network.bind(ctypes.addressof(self._steps))

    @property
    def sequence(self) -> int:
        """The sequence of the pool that calls add to."""
        return self._binding.sequence

    @sequence.setter
    def sequence(self, number: int) -> None:
        self._binding.sequence = number

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        """Run a function once. Raises PagedError where the store refuses the step, Diagnostic for other inputs."""
        index = self._network.number_of(function)
        entry = self._network.entries[index]
        outputs = self._network.run(given_to(entry, inputs), index)
        if self._steps.status != Status.OK:
            self._fail()
        return {port.name: array for port, array in zip(entry.outputs, outputs, strict=True)}

    def _fail(self) -> None:
        self._steps.pending = Status.OK
        if self._steps.status == Status.OUT_OF_ORDER:
            raise Diagnostic(
                "the position is not the length of the sequence",
                expected=str(self.pool.length(self.sequence)),
                remedy="run the network at every position in order, or truncate the sequence",
            )
        error = self.pool.failure(self._steps.status)
        self.pool.rollback()
        raise error

    def reset(self) -> None:
        """Remove all tokens of the sequence."""
        self.pool.truncate(self.sequence, 0)
