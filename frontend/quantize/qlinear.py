"""QLinear form: QLinearConv and QLinearMatMul in place of the QDQ form, where these operators exist."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import NodeProto, helper

from ...dialects.onnx.facts import facts_of
from ...dialects.onnx.registry import mentions
from .layers import PRODUCTS
from .network import FloatNetwork


@mentions("DequantizeLinear")
def to_qlinear(network: FloatNetwork) -> None:
    """
    Replace DequantizeLinear -> Conv or MatMul -> [Relu] -> QuantizeLinear by QLinearConv or QLinearMatMul.

    A Relu becomes one of integers, or Clip at the zero point. What has no such operator stays in QDQ form.
    """
    producers, consumers = network.producers(), network.consumers()
    replaced: dict[int, Sequence[NodeProto]] = {}
    gone: set[int] = set()
    for node in network.nodes:
        if node.op_type not in PRODUCTS or not facts_of(node.op_type).quantised:
            continue
        chain = _chain(network, node, consumers)
        sources = [producers.get(name) for name in node.input]
        if chain is None or any(source is None or source.op_type != "DequantizeLinear" for source in sources):
            continue
        replaced[id(chain[-1])] = _fused(network, node, [source for source in sources if source is not None], chain)
        gone |= {id(node), *map(id, chain[:-1])}
    network.nodes = [new for node in network.nodes if id(node) not in gone for new in replaced.get(id(node), [node])]
    _drop_unused(network)


@mentions("QuantizeLinear", "Relu")
def _chain(network: FloatNetwork, node: NodeProto, consumers: dict[str, list[NodeProto]]) -> list[NodeProto] | None:
    """Return the Relu, if there is one, and the QuantizeLinear after a node; None for other consumers."""
    chain: list[NodeProto] = []
    name = node.output[0]
    while len(consumers[name]) == 1 and name not in network.output_names:
        after = consumers[name][0]
        chain.append(after)
        if after.op_type == "QuantizeLinear":
            return chain if len(chain) <= 2 else None
        if after.op_type != "Relu":
            return None
        name = after.output[0]
    return None


def _fused(
    network: FloatNetwork, node: NodeProto, sources: Sequence[NodeProto], chain: Sequence[NodeProto]
) -> Sequence[NodeProto]:
    x, w = sources[0], sources[1]
    y = chain[-1]
    inputs = [*x.input[:3], *w.input[:3], *y.input[1:3], *(source.input[0] for source in sources[2:])]
    result = y.output[0] if len(chain) == 1 else network.names.take(f"{y.output[0]}.linear")
    product = helper.make_node(facts_of(node.op_type).quantised, inputs, [result], name=node.name)
    product.attribute.extend(node.attribute)
    if len(chain) == 1:
        return [product]
    zero = network.constants[y.input[2]]
    least = [network.add_constant(f"{y.output[0]}.least", zero)] if zero.any() else []
    return [product, helper.make_node("Clip" if least else "Relu", [result, *least], [y.output[0]], name=chain[0].name)]


@mentions("DequantizeLinear")
def _drop_unused(network: FloatNetwork) -> None:
    """Drop DequantizeLinear nodes without consumers."""
    used = {name for node in network.nodes for name in node.input} | set(network.output_names)
    network.nodes = [node for node in network.nodes if node.op_type != "DequantizeLinear" or set(node.output) & used]
