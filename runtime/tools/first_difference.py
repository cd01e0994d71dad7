"""
Search for the layer at which a network begins to differ from its ONNX operators, and for the phase that changes it.

Prefixes of the network are compiled and run as the network was: a prefix ends with one ONNX node, whose values are its
output. Both searches bisect, so that n nodes and p phases cost log n + log p compilations.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from ...compiler import Model, compile_model, machine_named, pipeline_of
from ...dialects.core.syntax.text import Locations, print_ir
from ...errors import Diagnostic
from ...files import write_text
from ...ir import Array, functions, where
from ..inputs import network_inputs
from .session import Level, run_steps, runner

Compare = Callable[[Mapping[str, Array], Mapping[str, Array]], str]
"""Returns the difference of outputs from expected ones, empty where they are equal."""


@dataclass(frozen=True)
class Search:
    """A network that gave other outputs than the expected ones at a place, and its inputs by name."""

    model: Model
    machine: str
    place: str
    level: Level
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
        found = [f"phase '{phase}' is the first after which the interpreter differs"] if phase else []
        place, level = ("interpreter", Level(phase)) if phase else (self.place, self.level)
        return [*found, *self._layer(module, place, level)]

    def _phase(self, expected: Mapping[str, Array]) -> str:
        """Return the first phase whose result differs in the interpreter, empty where none does."""
        steps = pipeline_of(machine_named(self.machine)).select(stop_after=self.level.stop_after).steps
        phases = list(dict.fromkeys(step.phase for step in steps if step.phase))

        def differs(index: int) -> str:
            compilation = compile_model(self.model, self.machine, stop_after=phases[index])
            return self.compare(_interpreted(compilation.module, self.inputs), expected)

        found = _first(len(phases), differs)
        return phases[found[0]] if found else ""

    def _layer(self, module: ModuleOp, place: str, level: Level) -> list[str]:
        """Return a note about the first ONNX node whose values differ at a place, none where no prefix differs."""
        nodes = [op for op in functions(module)[0].body.block.ops if op.operands and op.results]

        def differs(index: int) -> str:
            part = _prefix(module, nodes[index])
            try:
                return self.compare(self._run(part, place, level), _interpreted(part, self.inputs))
            except Diagnostic:
                return ""  # what cannot be compiled alone cannot be compared

        found = _first(len(nodes), differs)
        if found is None:
            return ["no prefix of the network differs: what is computed depends on what layers are compiled together"]
        node = nodes[found[0]]
        return [f"the first layer that differs is {where(node)} ({node.name}): its {found[1]}"]

    def _run(self, module: ModuleOp, place: str, level: Level) -> dict[str, Array]:
        with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
            file = Path(folder, "network.mlir")
            write_text(file, print_ir(module, locations=Locations.GIVEN) + "\n")
            compilation = compile_model(Model(file), self.machine, **level._asdict())
            return run_steps(runner(compilation, place), network_inputs(compilation.module), self.inputs)


def _interpreted(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    from ..interpreter import run_module

    return run_module(module, inputs)


def _first(count: int, differs: Callable[[int], str]) -> tuple[int, str] | None:
    """Return the first index that differs and its difference, by bisection; None where the last one does not differ."""
    if not count or not (difference := differs(count - 1)):
        return None
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if found := differs(middle):
            high, difference = middle, found
        else:
            low = middle + 1
    return high, difference


def _prefix(module: ModuleOp, last: Operation) -> ModuleOp:
    """Return a copy of a network that ends with an op of it, whose first result is the only output."""
    copy = module.clone()
    network = functions(copy)[0]
    block = network.body.block
    ops: Sequence[Operation] = list(block.ops)
    position = list(functions(module)[0].body.block.ops).index(last)
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
