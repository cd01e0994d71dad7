"""Floats of 8 and 4 bits, carried as their bits: conversions become EncodeFloat and DecodeFloat."""

from __future__ import annotations

from collections.abc import Callable

from onnx import NodeProto, TensorProto

from ..dialects.core.small_floats import FORMATS
from ..dialects.onnx.custom import DOMAIN
from ..dialects.onnx.registry import Registry, mentions
from ..errors import Diagnostic
from .node_view import Info
from .onnx_graph import Graph
from .order import where_node
from .site import REPLACEMENTS, Site
from .tensors import type_name

_MOVES = frozenset(
    (
        "BitCast Constant ConstantOfShape Flatten Identity If Loop Pad Reshape Scan Shape Size Squeeze TensorScatter"
        " Transpose Unsqueeze"
    ).split()
)
"""Operators to which elements are bits, of those that ONNX lets take floats of 8 bits."""


def _cast(site: Site) -> None:
    source, target = site.kind(0), site.given.get("to", 0) or site.kind(1)
    if {source, target} & FORMATS.keys():
        site.give(0, site.cast(site.input(0), source, target))


def _test(site: Site) -> None:
    if site.kind(0) in FORMATS:
        wide = site.cast(site.input(0), site.kind(0), TensorProto.FLOAT)
        site.give(0, site.emit(site.node.op_type, wide, **site.given))


def _quantize(site: Site) -> None:
    """Divide by the scale; the zero point of 8 bits gives the type alone, as ONNX has it."""
    target = site.kind(2) or site.given.get("output_dtype", 0)
    if target not in FORMATS:
        _widen_scale(site)
        return
    compute: int = site.given.get("precision", 0) or site.kind(0)
    real = site.emit("Div", site.cast(site.input(0), site.kind(0), compute), _parameter(site, 1, compute))
    if FORMATS[target].bits < 8 and site.kind(2):
        real = site.emit("Add", real, _parameter(site, 2, compute))
    site.give(0, site.cast(real, compute, target))


def _dequantize(site: Site) -> None:
    source, scale = site.kind(0), site.kind(1)
    if source not in FORMATS:
        _widen_scale(site)
        return
    result: int = site.given.get("output_dtype", 0) or (TensorProto.FLOAT if scale in FORMATS else scale)
    compute = result if scale in FORMATS else scale
    real = site.cast(site.input(0), source, compute)
    if site.kind(2):
        real = site.emit("Sub", real, _parameter(site, 2, compute))
    real = site.emit("Mul", real, _parameter(site, 1, compute))
    site.give(0, site.cast(real, compute, result))


def _widen_scale(site: Site) -> None:
    """Take a scale that is a small float as one of 32 bits."""
    if site.kind(1) in FORMATS:
        scale = site.cast(site.input(1), site.kind(1), TensorProto.FLOAT)
        site.give(0, site.emit(site.node.op_type, site.input(0), scale, *site.node.input[2:], **site.given))


def _parameter(site: Site, index: int, compute: int) -> str:
    """Append a scale or zero point in the type of computation, in a shape that broadcasts to the tensor's."""
    name, shape, own = site.cast(site.input(index), site.kind(index), compute), site.shape(0), site.shape(index)
    if len(own) == 0 or (own == (1,) and shape):
        return name
    if not shape:
        raise site.unsupported(f"of a number by parameters of shape {list(own)}", "one number")
    axis, block = int(site.attribute("axis")) % len(shape), int(site.attribute("block_size"))
    if not block:
        return site.reshape(name, *(own[0] if i == axis else 1 for i in range(len(shape))))
    before, count, after = own[:axis], own[axis], own[axis + 1 :]
    name = site.reshape(name, *before, count, 1, *after)
    name = site.emit("Expand", name, site.sizes(*before, count, block, *after))
    name = site.reshape(name, *before, count * block, *after)
    if count * block == shape[axis]:
        return name
    return site.emit("Slice", name, site.sizes(0), site.sizes(shape[axis]), site.sizes(axis))


_RULES: Registry[str, Callable[[Site], None]] = Registry(
    "small floats",
    {
        "Cast": _cast,
        "CastLike": _cast,
        "IsInf": _test,
        "IsNaN": _test,
        "QuantizeLinear": _quantize,
        "DequantizeLinear": _dequantize,
    },
)


@mentions(*_MOVES)
def small_floats(graph: Graph, node: NodeProto, info: Info) -> list[NodeProto]:
    """
    Return the nodes that replace a conversion of floats of 8 or 4 bits, empty for other nodes.

    Raises Diagnostic for one that computes with them, which ONNX does not have.
    """
    if node.domain == DOMAIN:
        return []
    site = Site(graph, node, info)
    if not node.domain and node.op_type in _RULES:
        _RULES[node.op_type](site)
    if site.nodes:
        return site.nodes
    small = [kind for index in range(len(node.input)) if (kind := site.kind(index)) in FORMATS]
    if not small or (not node.domain and node.op_type in _MOVES) or (node.domain, node.op_type) in REPLACEMENTS:
        return []
    raise Diagnostic(
        f"{node.op_type} of {type_name(small[0])} is not handled",
        where=where_node(node),
        expected="floats of 16 bits or more",
        found=site.operands(),
        remedy="put a Cast or DequantizeLinear before it",
    )
