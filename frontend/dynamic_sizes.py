"""
Sizes that depend on data, settled at import: see docs/dynamic-sizes.md.

An operator whose result has a size of the run becomes one that gives the most it can hold, and a count. The rules of
`sizes/` carry extents on: what only maps elements keeps them, what reduces counts what is there alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from onnx import NodeProto, TensorProto, helper

from ..dialects.onnx.registry import mentions
from ..errors import Diagnostic
from .order import where_node
from .resolver import Resolver
from .sizes import load_rules
from .sizes.sized import RULES, Sized

_SOURCES = ("Compress", "NonMaxSuppression", "NonZero", "Slice", "Unique")
"""Operators whose result may have a size of the run though all their inputs have known ones."""


@mentions(*_SOURCES)
def resolve_sizes(resolver: Resolver, node: NodeProto) -> bool:
    """
    Resolve a node whose tensors have, or decide, sizes of the run; return whether it is one.

    Raises Diagnostic for an operator that would count what is not there.
    """
    is_source = node.op_type in _SOURCES and not node.domain
    if not is_source and not resolver.extents.touch(node.input):
        return False
    check_sizes(resolver, node)
    rule = RULES.get(node.op_type) if not node.domain else None
    return rule is not None and rule(Sized(resolver, node)) is not False


def check_sizes(resolver: Resolver, node: NodeProto) -> None:
    """Raise Diagnostic for an operator without a rule of a tensor that has an extent, before its shape is inspected."""
    load_rules()
    if node.op_type in RULES and not node.domain:
        return
    if any(resolver.extents.of(name) for name in node.input if name):
        raise Sized(resolver, node).refused("of a tensor whose size depends on data is not handled")


def refuse_extents(resolver: Resolver, node: NodeProto, names: Iterable[str], what: str) -> None:
    """Raise Diagnostic where one of these tensors has a size of the run."""
    for name in names:
        for axis, extent in resolver.extents.of(name).items() if name else ():
            raise Diagnostic(
                f"{node.op_type} {what} a tensor whose size depends on data",
                where=where_node(node),
                expected="a shape that is the same in every run, iteration and branch",
                found=f'axis {axis} of "{name}" has up to {extent.bound} entries',
                remedy="reduce, pad or cut the tensor to a fixed size in the model",
            )


def add_shape_outputs(resolver: Resolver) -> None:
    """Add an output `y.shape`, the actual shape of y, for each output `y` whose size depends on data."""
    if resolver.outer is not None:
        return
    outputs = list(resolver.graph.outputs)
    for value in outputs:
        if not resolver.extents.of(value.name):
            continue
        end = helper.make_node("Identity", [value.name], [resolver.fresh_name(value.name)], name=value.name)
        sized = Sized(resolver, end)
        vector = sized.vector(sized.sizes(value.name))
        name = f"{value.name}.shape"
        name = resolver.fresh_name(name) if resolver.is_known(name) else name
        sized.make("Identity", [vector], [name])
        port = helper.make_tensor_value_info(name, TensorProto.INT64, [len(sized.shape(value.name))])
        resolver.graph.outputs.append(port)
        resolver.shape_of[name] = value.name
