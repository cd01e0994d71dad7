"""Number of iterations of a Loop whose condition follows from constants, by evaluating what the condition needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from ..ir import Array
from .evaluation import FOLDED_LIMIT, is_foldable, shape_value
from .order import taken
from .resolver import Resolver
from .tensor_info import untyped

MOST_TURNS = 1 << 16
"""The most iterations that are evaluated: some 70 us each, for a comparison, a sum and two conversions."""


def counted(resolver: Resolver, node: NodeProto, body: GraphProto, most: int | None) -> NodeProto | None:
    """
    Return a Loop of a constant number of iterations, for one whose condition follows from constants; None for others.

    `most` is the constant trip count, None where there is none. What only the condition needed is left out.
    """
    turns = _iterations(resolver, node, body, most)
    if turns is None:
        return None
    trips, going = (resolver.fresh_name(f"{node.name}.{role}") for role in ("trips", "goes_on"))
    resolver.settle_constant(trips, np.array(turns, np.int64), TensorProto.INT64, node.name)
    result = NodeProto()
    result.CopyFrom(node)
    result.input[0], result.input[1] = trips, ""
    inner = next(attribute.g for attribute in result.attribute if attribute.name == "body")
    inner.output[0].name = going
    true = numpy_helper.from_array(np.array(True))
    inner.node.append(helper.make_node("Constant", [], [going], name=going, value=true))
    _prune(inner)
    return result


def _prune(body: GraphProto) -> None:
    """Remove the nodes of a graph that no output needs."""
    kept = _needed(body, (value.name for value in body.output))
    del body.node[:]
    body.node.extend(kept)


def _needed(body: GraphProto, names: Iterable[str]) -> list[NodeProto]:
    """Return copies of the nodes that tensors of a graph need, in order."""
    producers = {name: index for index, inner in enumerate(body.node) for name in inner.output if name}
    pending, visited = list(names), set[int]()
    while pending:
        index = producers.get(pending.pop())
        if index is not None and index not in visited:
            visited.add(index)
            pending += taken(body.node[index])
    copies: list[NodeProto] = []
    for index in sorted(visited):
        copies.append(NodeProto())
        copies[-1].CopyFrom(body.node[index])
    return copies


def _iterations(resolver: Resolver, node: NodeProto, body: GraphProto, most: int | None) -> int | None:
    """Count the iterations of a Loop; None where data decide, or there are more than MOST_TURNS."""
    first = resolver.constant(node.input[1]) if len(node.input) > 1 and node.input[1] else None
    goes_on = first is None or bool(first.array.all())
    step = _Step(resolver, node, body)
    if not step.is_constant:
        return None
    turn, limit = 0, MOST_TURNS if most is None else min(max(most, 0), MOST_TURNS)
    try:
        step.start()
        while goes_on and turn < limit:
            goes_on = step.run(turn)
            turn += 1
    except Exception:  # what the reference refuses is left to the checks that follow
        return None
    return None if goes_on and turn == MOST_TURNS else turn


class _Step:
    """Part of a Loop's body that its condition needs: from carried values to the condition and the next ones."""

    def __init__(self, resolver: Resolver, node: NodeProto, body: GraphProto):
        self._resolver, self._body = resolver, body
        self._turn, self._going = (value.name for value in body.input[:2])
        carried = {value.name: node.input[i] for i, value in enumerate(body.input) if i > 1}
        following = {value.name: body.output[i - 1].name for i, value in enumerate(body.input) if i > 1}
        wanted = [body.output[0].name]
        self._nodes = _needed(body, wanted)
        while missing := [name for name in carried if name in self._read(wanted) and following[name] not in wanted]:
            wanted += (following[name] for name in missing)
            self._nodes = _needed(body, wanted)
        self._carried = [name for name in carried if name in self._read(wanted)]
        self._results = [body.output[0].name, *(following[name] for name in self._carried)]
        self._first = [carried[name] for name in self._carried]
        self._constants: dict[str, Array] = {}
        self._values: dict[str, Array] = {}
        self._take_shapes()
        self.is_constant = all(map(is_foldable, self._nodes)) and self._take_constants()

    def _read(self, wanted: Iterable[str]) -> set[str]:
        """Return the tensors that the nodes of the step read, and those that are its results."""
        return {name for inner in self._nodes for name in inner.input if name} | set(wanted)

    def _take_shapes(self) -> None:
        """Make the shapes of tensors around the Loop constants."""
        own = {value.name for value in self._body.input}
        own.update(*(inner.output for inner in self._body.node))
        for inner in list(self._nodes):
            value = None if own & set(inner.input) else shape_value(inner, self._resolver.info)
            if value is not None:
                self._constants[inner.output[0]] = value[0]
                self._nodes.remove(inner)

    def _take_constants(self) -> bool:
        """Note the constants that the step reads, and its first values; return whether all are there and small."""
        own = {tensor.name: numpy_helper.to_array(tensor) for tensor in self._body.initializer}
        results = {name for inner in self._nodes for name in inner.output}
        for name in self._read(self._results) - results - {*self._carried, self._turn, self._going, *self._constants}:
            constant = self._resolver.constant(name)
            if name not in own and constant is None:
                return False
            self._constants[name] = own[name] if constant is None or name in own else constant.array
        first = [self._resolver.constant(name) for name in self._first]
        self._values = {n: c.array for n, c in zip(self._carried, first, strict=True) if c is not None}
        arrays = [*self._constants.values(), *self._values.values()]
        is_small = all(array.size <= FOLDED_LIMIT and array.dtype.kind in "iufb" for array in arrays)
        return None not in first and is_small

    def start(self) -> None:
        """Prepare the evaluation. Raises what onnx.reference does for a node that it refuses."""
        from onnx.reference import ReferenceEvaluator

        # The condition may be a carried value: each result has a name of its own.
        ends = [helper.make_node("Identity", [name], [f"{name}:{i}"]) for i, name in enumerate(self._results)]
        inputs = untyped((self._turn, *self._carried))
        outputs = untyped(end.output[0] for end in ends)
        arrays = self._constants | {self._going: np.array(True)}
        constants = [numpy_helper.from_array(np.asarray(array, order="C"), name) for name, array in arrays.items()]
        graph = helper.make_graph([*self._nodes, *ends], "step", inputs, outputs, constants)
        opset = helper.make_opsetid("", self._resolver.graph.opset)
        self._evaluator: Any = ReferenceEvaluator(helper.make_model(graph, opset_imports=[opset]))

    def run(self, turn: int) -> bool:
        """Evaluate an iteration; return whether the Loop goes on behind it. Raises what onnx.reference does."""
        feeds = {**self._values, self._turn: np.array(turn, np.int64)}
        with np.errstate(all="ignore"):
            condition, *others = cast("list[Any]", self._evaluator.run(None, feeds))
        self._values = dict(zip(self._carried, map(np.asarray, others), strict=True))
        return bool(np.all(condition))
