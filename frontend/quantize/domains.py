"""Domains of functions of one number: the operands beyond which a quantised result stays the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ...ir import Array, FreshNames
from .execution import Execution
from .network import FloatNetwork
from .selection import Selection

_POINTS = 4096
"""Operands at which a function is computed."""
_SHARE = 0.25
"""Steps of the result by which it may change outside of the domain."""

Domain = tuple[float, float]
"""The least and the greatest operand that matters; 0 lies between them."""


def domains(
    network: FloatNetwork, selection: Selection, ranges: Mapping[str, Domain], steps: float
) -> dict[str, Domain]:
    """
    Return the domain of each group of tensors that functions between quantised tensors alone read.

    HardSwish is 0 below -3: a byte for its operand needs no steps there. `ranges` are the least and the greatest number
    of each group, of which a byte has `steps`.
    """
    outputs = set(network.output_names)
    consumers = network.consumers()
    members: dict[str, list[str]] = {}
    for name, group in selection.groups.items():
        members.setdefault(group, []).append(name)
    by_group: dict[str, Domain] = {}
    for group, names in members.items():
        functions = _functions(selection, consumers, names, outputs)
        if functions:
            ends = [name for node in functions for name in node.output if name in selection.groups]
            least = {name: _SHARE * _width(ranges[selection.groups[name]]) / steps for name in ends}
            by_group[group] = _domain(_computed(network, functions, names, ranges[group], ends), least, ranges[group])
    return by_group


def _width(range_: Domain) -> float:
    return range_[1] - range_[0]


def _functions(
    selection: Selection, consumers: Mapping[str, Sequence[NodeProto]], names: Sequence[str], outputs: set[str]
) -> list[NodeProto]:
    """Return the nodes of functions that read tensors, none where anything else reads these or unrounded results."""
    functions: dict[int, NodeProto] = {}
    seen = [*names]
    for name in seen:
        if name in outputs:
            return []
        for node in consumers[name]:
            results = list(filter(None, node.output))
            if name in names and set(results) <= set(names):
                continue
            if any(selection.origins.get(result) not in names for result in results):
                return []
            functions[id(node)] = node
            seen += [result for result in results if result not in selection.groups and result not in seen]
    return list(functions.values())


def _computed(
    network: FloatNetwork, functions: Sequence[NodeProto], names: Sequence[str], range_: Domain, ends: Sequence[str]
) -> tuple[Array, dict[str, Array]]:
    """Return operands over a range, 0 among them, and the results of functions of them by name."""
    levels = np.unique(np.append(np.linspace(*range_, _POINTS), 0)).astype(np.float32)
    ordered = [node for node in network.nodes if any(node is function for function in functions)]
    first = "operand"
    read = set(chain.from_iterable(node.input for node in ordered))
    starts = [helper.make_node("Identity", [first], [name], name=f"{name}.start") for name in names if name in read]
    alone = replace(
        network,
        nodes=[*starts, *ordered],
        constants={name: array.reshape(()) for name, array in network.constants.items() if name in read},
        inputs=[helper.make_tensor_value_info(first, TensorProto.FLOAT, levels.shape)],
        outputs=[],
        infos={},
        names=FreshNames([]),
    )
    return levels, Execution(alone, ends).run({first: levels})


def _domain(computed: tuple[Array, Mapping[str, Array]], least: Mapping[str, float], range_: Domain) -> Domain:
    levels, results = computed
    if not all(bool(np.isfinite(values).all()) for values in results.values()):
        return range_
    zero = int(np.flatnonzero(levels == 0)[0])
    low = min(_constant(values[: zero + 1], least[name]) for name, values in results.items())
    high = min(_constant(values[zero:][::-1], least[name]) for name, values in results.items())
    domain = max(range_[0], float(levels[low])), min(range_[1], float(levels[len(levels) - 1 - high]))
    # A function that is constant over all operands needs no domain.
    return domain if domain[0] < domain[1] else range_


def _constant(values: Array, least: float) -> int:
    """Return the place of the last value from which all before it differ by at most `least`."""
    below, above = np.minimum.accumulate(values), np.maximum.accumulate(values)
    return int(np.flatnonzero((values - below <= least) & (above - values <= least))[-1])
