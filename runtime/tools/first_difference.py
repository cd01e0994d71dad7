"""
Search for the layer at which a network begins to differ from its ONNX operators, and for the phase that changes it.

Prefixes of the network are compiled and run as the network was: a prefix ends with one ONNX node, whose values are its
output. Both searches bisect: n nodes and p phases cost log n + log p compilations. A prefix that cannot be compiled
alone is unknown, neither equal nor different, and its nearest neighbour takes its place.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute

from ...compiler import Model, compile_model, machine_named, pipeline_of
from ...dialects.core.syntax.text import Locations, print_ir
from ...errors import Diagnostic
from ...files import write_text
from ...ir import Array, functions, where
from ..inputs import network_inputs
from .session import CompileLevel, run_steps, runner

Compare = Callable[[Mapping[str, Array], Mapping[str, Array]], str]
"""Returns the difference of outputs from expected ones, empty where they are equal."""
_UNKNOWN = 16
"""Prefixes that cannot run alone before the search names a range of layers."""


@dataclass(frozen=True)
class Search:
    """A network that gave other outputs than the expected ones at a place, and its inputs by name."""

    model: Model
    machine: str
    place: str
    level: CompileLevel
    inputs: Mapping[str, Array]
    compare: Compare

    def notes(self, expected: Mapping[str, Array]) -> tuple[str, ...]:
        """Return notes that name the phase that changes values, and the first layer that differs."""
        try:
            return tuple(self._notes(expected))
        except Diagnostic as error:
            return (f"the first layer that differs is unknown: {error.message}",)

    def _notes(self, expected: Mapping[str, Array]) -> list[str]:
        module = self.model.load()
        if difference := self.compare(_interpreted(module, self.inputs), expected):
            return [f"the network as imported differs before any pass: {difference}"]
        phase = self._phase(expected)
        notes = [f"phase '{phase}' is the first after which the interpreter differs"] if phase else []
        place, level = ("interpreter", CompileLevel(phase)) if phase else (self.place, self.level)
        return [*notes, *self._layer(module, place, level)]

    def _phase(self, expected: Mapping[str, Array]) -> str:
        """Return the first phase whose result differs in the interpreter, empty where none does."""
        steps = pipeline_of(machine_named(self.machine)).select(stop_after=self.level.stop_after).steps
        phases = list(dict.fromkeys(step.phase for step in steps if step.phase))

        def differs(index: int) -> str:
            compilation = compile_model(self.model, self.machine, stop_after=phases[index])
            return self.compare(_interpreted(compilation.module, self.inputs), expected)

        first_range = _first_range(len(phases), differs)
        return phases[first_range[1]] if first_range else ""

    def _layer(self, module: ModuleOp, place: str, level: CompileLevel) -> list[str]:
        """
        Return notes about the first ONNX node whose values differ at a place.

        They name a range of nodes where prefixes between the last equal one and the first different one cannot run.
        """
        ops = list(functions(module)[0].body.block.ops)
        ends = [position for position, op in enumerate(ops) if op.operands and op.results]
        names = [f"{where(ops[end])} ({ops[end].name})" for end in ends]
        refusals: dict[int, str] = {}

        def differs(index: int) -> str | None:
            part = _prefix(module, ends[index])
            try:
                return self.compare(self._run(part, place, level), _interpreted(part, self.inputs))
            except Diagnostic as error:
                refusals[index] = f"the prefix of the network that ends with {names[index]} is refused: {error.message}"
                return None

        first_range = _first_range(len(ends), differs)
        if first_range is None:
            causes = refusals.values() or ["what is computed depends on what layers are compiled together"]
            return ["no prefix of the network is known to differ", *causes]
        first, last, difference = first_range
        if first == last:
            return [f"the first layer that differs is {names[last]}: its {difference}"]
        layers = f"one of {last - first + 1}, {names[first]} to {names[last]}"
        untested = [refusals[index] for index in range(first, last) if index in refusals]
        return [f"the first layer that differs is {layers}: the last one's {difference}", *untested]

    def _run(self, module: ModuleOp, place: str, level: CompileLevel) -> dict[str, Array]:
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            file = Path(folder, "network.mlir")
            write_text(file, print_ir(module, locations=Locations.GIVEN) + "\n")
            compilation = compile_model(Model(file), self.machine, **level._asdict())
            return run_steps(runner(compilation, place), network_inputs(compilation.module), self.inputs)


def _interpreted(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    from ..interpreter import run_module

    return run_module(module, inputs)


def _first_range(count: int, differs: Callable[[int], str | None]) -> tuple[int, int, str] | None:
    """
    Return the range of indices, ends included, that holds the first different one, and the difference at its end.

    The search bisects between the last equal index and the first different one. Where `differs` returns None, for
    unknown, it takes the nearest neighbour instead; it gives up after _UNKNOWN of these. Returns None where the highest
    known index is equal.
    """
    equal, different, last_difference = -1, count, ""
    unknown: set[int] = set()
    while len(unknown) < _UNKNOWN and (open := [i for i in range(equal + 1, different) if i not in unknown]):
        middle = (equal + different) // 2 if last_difference else count - 1
        index = min(open, key=lambda i: abs(i - middle))
        difference = differs(index)
        if difference is None:
            unknown.add(index)
        elif difference:
            different, last_difference = index, difference
        elif last_difference:
            equal = index
        else:
            return None
    return (equal + 1, different, last_difference) if last_difference else None


def _prefix(module: ModuleOp, position: int) -> ModuleOp:
    """Return a copy of a network up to the op at a position, whose first result is the only output."""
    copy = module.clone()
    network = functions(copy)[0]
    block = network.body.block
    ops = list(block.ops)
    for op in reversed(ops[position + 1 :]):
        op.detach()
        op.erase()
    value = ops[position].results[0]
    block.add_op(ReturnOp(value))
    _set_result(network, value.type)
    return copy


def _set_result(network: FuncOp, type: Attribute) -> None:
    network.function_type = FunctionType.from_lists(list(network.function_type.inputs), [type])
    network.res_attrs = ArrayAttr([DictionaryAttr({"onnx.name": StringAttr("value")})])
