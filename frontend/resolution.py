"""
Static resolution of a network in one walk: newest forms, shapes, constant folding, control flow.

Each node is brought to the newest form of its operator. If, Loop, Scan and operators on sequences are replaced by what
they come to; a graph that cannot be so replaced is resolved by itself. What is left is computed at run time.
"""

from __future__ import annotations

from collections.abc import Sequence

from onnx import NodeProto

from ..errors import Diagnostic
from .control_flow import BODIES, resolve_control_flow
from .dynamic_sizes import add_shape_outputs, check_sizes, resolve_sizes
from .exporters import resolve_exported
from .functions import resolve_function
from .node_view import NodeView
from .opset import upgraded
from .resolver import Resolver, Rules
from .sequences import resolve_sequence, split_outputs


def _upgraded(resolver: Resolver, node: NodeProto) -> Sequence[NodeProto]:
    if node.op_type not in BODIES:
        check_sizes(resolver, node)
    try:
        return upgraded(NodeView(resolver.graph, node, resolver.info))
    except Diagnostic as error:
        raise resolver.misfit() or error from None


RULES = Rules(
    upgrade=_upgraded,
    settle=(resolve_control_flow, resolve_sizes, resolve_function, resolve_sequence, resolve_exported),
    outputs=(split_outputs, add_shape_outputs),
)
"""Rules of the importer by which nodes and outputs resolve."""
