"""Operands of concatenations that get a scale of their own, and are requantised to that of the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx import NodeProto, helper

from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from .calibration import Calibration
from .network import FloatNetwork
from .selection import Selection

_MOVES = having(Trait.MOVES) - {"Concat"}
_RATIO = 4.0
"""Range of the result, relative to that of an operand, from which the operand would lose two of its bits."""


@mentions("Concat")
def separate_operands(network: FloatNetwork, selection: Selection, calibration: Calibration) -> bool:
    """
    Insert Identity before the operands of concatenations whose range is much smaller and that something else reads.

    So the state of a cell beside its input: the product of the state alone needs steps of the state's range. Returns
    whether an operand was separated.
    """
    consumers, producers = network.consumers(), network.producers()
    is_separated = False
    for node in [node for node in network.nodes if node.op_type == "Concat" and node.output[0] in selection.moved]:
        reach = calibration.statistics[selection.groups[node.output[0]]].reach
        for index, name in enumerate(node.input):
            range_ = calibration.operands.get(name, 0.0)
            if not 0 < range_ * _RATIO <= reach or not _has_readers(network, node, name, consumers, producers):
                continue
            _insert(network, node, index)
            is_separated = True
    return is_separated


def _has_readers(
    network: FloatNetwork,
    node: NodeProto,
    name: str,
    consumers: Mapping[str, Sequence[NodeProto]],
    producers: Mapping[str, NodeProto],
) -> bool:
    """Return whether another node reads an operand of `node`, or a tensor of which it is moved."""
    reader = node
    while True:
        if name in network.output_names or any(user is not reader for user in consumers[name]):
            return True
        source = producers.get(name)
        if source is None or source.op_type not in _MOVES or len(source.output) > 1:
            return False
        reader, name = source, source.input[0]


def _insert(network: FloatNetwork, node: NodeProto, index: int) -> None:
    """Insert Identity between an operand and its reader."""
    result = network.names.take(f"{node.input[index]}.requantized")
    network.infos[result] = network.infos[node.input[index]]
    network.requantised.add(result)
    place = next(position for position, other in enumerate(network.nodes) if other is node)
    network.nodes.insert(place, helper.make_node("Identity", [node.input[index]], [result], name=result))
    node.input[index] = result
