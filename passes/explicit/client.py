"""Client of the walk of the explicit level: a handler for each event."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from xdsl.dialects.func import CallOp
from xdsl.dialects.scf import ForOp, IfOp, ParallelOp, WhileOp
from xdsl.ir import Operation

from ...dialects.core.effects import EffectAnalysis, Effects
from ...errors import Diagnostic

Handler: TypeAlias = Callable[..., Any]
"""Function of an op's operands, None for those that depend on data; returns the op's buffer or token."""
Program: TypeAlias = Callable[..., Generator[Any, Any, None]]
"""Concurrent program: a generator over its blocking events, given the list of the loops around and its coordinates."""


class Call(NamedTuple):
    """Call of a function: its handler, the indices of the results that it returns, and whether it may block."""

    handler: Handler
    returned: Collection[int] = ()
    blocks: bool = False


class Parallel(NamedTuple):
    """Parallel loop: handlers of its begin, of the begin of each iteration, and of its end."""

    fork: Handler
    iteration: Handler
    join: Handler


class Branch(NamedTuple):
    """Data-dependent branch: handlers of its begin, of the change to the second path, of the join, and of its end."""

    begin: Handler
    exchange: Handler
    join: Handler
    end: Handler


@dataclass(eq=False)
class WalkClient:
    """
    Client of the walk. Each method is called once per op as a function is compiled, and returns the op's handlers.

    An event that a client does not override is refused: all data-dependent control flow, for example.
    """

    effects: EffectAnalysis = field(default_factory=EffectAnalysis, init=False)
    folds: bool = field(default=False, init=False)
    """Constant folding: globals, allocations and views are pure functions of their operands, evaluated once."""
    steps: list[tuple[str, int]] | None = field(default=None, init=False)
    """The loops around the present step, outermost first; None if the client does not ask."""

    def refuse(self, op: Operation, message: str, counterexample: str) -> Exception:
        """Return the error for a program that cannot be walked."""
        return Diagnostic(message, found=counterexample)

    def unknown(self, op: Operation) -> int | None:
        """Return the number that stands for a result that depends on data; None where the result is unknown."""
        return None

    def ranged(self, op: Operation, low: int, high: int) -> Any:
        """
        Return the value that stands for a data-dependent index from `low` to below `high`; None where it is unknown.

        Sums and products of it with known indices are computed, with the operators of the value.
        """
        return None

    def get_global(self, op: Operation) -> Handler:
        """Return the handler that gives the memory of a global."""
        raise self._unsupported(op)

    def alloc(self, op: Operation) -> Handler:
        """Return the handler that gives new memory, by its dynamic extents."""
        raise self._unsupported(op)

    def view(self, op: Operation) -> Handler:
        """Return the handler that gives a view, by its source and its dynamic indices."""
        raise self._unsupported(op)

    def access(self, op: Operation, effects: Effects) -> Handler:
        """
        Return the handler of an op with effects on buffers, by its operands and then the buffers that it captures.

        An op whose effects last until a token gives this token; without one, effects on a queue last until a fence. The
        effects of a kernel are those of its view.
        """
        raise self._unsupported(op)

    def wait(self, op: Operation) -> Handler:
        """Return the handler of a wait, by its token; None is the token of nothing."""
        raise self._unsupported(op)

    def fence(self, op: Operation, queues: Collection[str]) -> Handler:
        """Return the handler of a fence: it awaits the ops of these queues, of all queues if there is none."""
        raise self._unsupported(op)

    def launch(self, op: Operation) -> tuple[Handler, Handler]:
        """Return the handlers before and after the accesses of a launch; the second gives the token."""
        raise self._unsupported(op)

    def call(self, op: CallOp, static: Sequence[int], *, by_data: bool) -> Call:
        """Return the call of a function of which these operands are known; data may decide whether it is called."""
        raise self._unsupported(op)

    def parallel(self, op: ParallelOp) -> Parallel:
        """Return the handlers of a parallel loop."""
        raise self._unsupported(op)

    def branch(self, op: ForOp | IfOp | WhileOp) -> Branch:
        """Return the handlers of data-dependent control flow."""
        raise self._unsupported(op)

    def signal(self, op: Operation) -> Handler:
        """Return the handler of an event between programs; that of one that blocks is a generator function."""
        raise self._unsupported(op)

    def programs(self, op: Operation) -> Handler:
        """Return the handler of concurrent programs, which takes each as a `Program`, and runs them to their ends."""
        raise self._unsupported(op)

    def _unsupported(self, op: Operation) -> Exception:
        return self.refuse(op, f"what '{op.name}' does to memory is not known", f"operand 0 of '{op.name}'")
