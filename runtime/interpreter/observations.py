"""Observable effects of calls of functions: their results, and the memory that they may write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ...dialects.core.interleaving import Order
from ...dialects.core.ports import NAME
from ...dialects.core.semantics import STORAGE_RULES
from ...ir import Array
from .boundary import FunctionPort, Session, load_rules, ports
from .limits import RunLimits

_CALLS = 3
"""Calls in a row of a network with state."""


@dataclass(frozen=True)
class Observation:
    """
    Results of calls, and the memory after them, by name.

    `memory` has the shaped arguments by their names, and globals that are no constants by `@symbol`. `changed` are the
    names of results but for outputs whose contents are those of before, `changed_memory` those of memory with other
    contents than before. Of a later call y is named `y@1`, of one of several functions `f.y`.
    """

    outputs: dict[str, Array] = field(default_factory=dict[str, Array])
    memory: dict[str, Array] = field(default_factory=dict[str, Array])
    changed: set[str] = field(default_factory=set[str])
    changed_memory: set[str] = field(default_factory=set[str])


def observe(
    module: ModuleOp,
    inputs: Mapping[str, Mapping[str, Array]],
    *,
    calls: int = 1,
    contents: Mapping[str, Mapping[str, Array]] = {},
    interleave: Order | int | None = None,
    limits: RunLimits | None = None,
) -> Observation:
    """
    Call functions in order, `calls` times, in one session; `inputs` are those of each function by its name.

    `contents` are those of outputs in memory before each call; others are undefined.

    A function with state is called up to three times, as its rows allow; the position is counted. Raises Diagnostic
    as `run_module`.
    """
    session, seen = Session(module, interleave=interleave, limits=limits), Observation()
    globals_before = {name: session.contents(symbol) for name, symbol in _variables(module)}
    positions = {function: _position(session, function) for function in inputs}
    turns = {function: _call_count(port, calls) for function, port in positions.items()}
    for call in range(max(turns.values(), default=0)):
        for function in [name for name, count in turns.items() if call < count]:
            prefix = f"{function}." if len(inputs) > 1 else ""
            turn = _ObservedCall(function, inputs[function], contents.get(function, {}), positions[function], call)
            turn.run(session, prefix, seen)
    for name, symbol in _variables(module):
        seen.memory[name] = session.contents(symbol)
        if not same_bits(seen.memory[name], globals_before[name]):
            seen.changed_memory.add(name)
    return seen


@dataclass(frozen=True)
class _ObservedCall:
    """The call of this `number` of a function, with the contents of its outputs before, and its position in a state."""

    function: str
    inputs: Mapping[str, Array]
    contents: Mapping[str, Array]
    position: FunctionPort | None
    number: int

    def run(self, session: Session, prefix: str, seen: Observation) -> None:
        """Add the results of the call, and the memory that it may write."""
        inputs = dict(self.inputs)
        if (port := self.position) is not None:
            inputs[port.name] = np.full(port.shape, self.number * port.state[0], port.declared)
        suffix = f"@{self.number}" if self.number else ""
        outputs = session.run(inputs, function=self.function, initial=self.contents)
        for name, value in outputs.items():
            seen.outputs[f"{prefix}{name}{suffix}"] = value
            if name not in self.contents or not same_bits(value, self.contents[name]):
                seen.changed.add(f"{prefix}{name}{suffix}")
        for name, value in session.memory.items():
            seen.memory[f"{prefix}{name}{suffix}"] = value
            if not same_bits(value, np.asarray(inputs[name]).astype(value.dtype)):
                seen.changed_memory.add(f"{prefix}{name}{suffix}")


def run_calls(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Return the results of a network as `run_module` does; of a network with state, of up to three calls in a row."""
    return observe(module, {"network": inputs}).outputs


def _position(session: Session, function: str) -> FunctionPort | None:
    """Return the position in a state among the inputs of a function."""
    arguments, _ = ports(session.entry(function))
    return next((port for port in arguments if port.state), None)


def _call_count(position: FunctionPort | None, calls: int) -> int:
    if position is None:
        return calls
    added, rows = position.state
    return min(_CALLS, rows // added)


def variables(module: ModuleOp) -> dict[str, bool]:
    """Return the names `@symbol` of globals that are no constants, and whether each is private."""
    return {f"@{_symbol(op)}": _is_private(op) for op in _globals(module)}


def _variables(module: ModuleOp) -> Iterator[tuple[str, str]]:
    """Yield the name by which a global is observed, without the prefix of a named network, and its symbol."""
    prefix = module.attributes.get(NAME)
    own = f"{prefix.data}_" if isinstance(prefix, StringAttr) else ""
    for op in _globals(module):
        yield f"@{_symbol(op).removeprefix(own)}", _symbol(op)


def _globals(module: ModuleOp) -> Iterator[Operation]:
    load_rules(module)
    for op in module.body.block.ops:
        is_constant = any(name in op.properties for name in ("constant", "const_specifier"))
        is_array = type(op) in STORAGE_RULES and hasattr(op.properties["type"], "get_shape")
        if is_array and not is_constant:
            yield op


def _symbol(op: Operation) -> str:
    name = op.properties["sym_name"]
    assert isinstance(name, StringAttr)
    return name.data


def _is_private(op: Operation) -> bool:
    return op.properties.get("sym_visibility") == StringAttr("private") or "static_specifier" in op.properties


def same_bits(a: Array, b: Array) -> bool:
    """Return whether two arrays have the same type, shape and bytes."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
