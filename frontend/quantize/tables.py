"""Functions of one number between quantised tensors, as lookups in tables of 256 bytes in plain ONNX."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import erf, sqrt

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ...dialects.core.polynomials import GELU_CUT, GELU_SQUARE, gelu
from ...dialects.onnx.facts import Trait, having
from ...dialects.onnx.registry import mentions
from ...ir import Array, FreshNames
from .execution import Execution
from .network import FloatNetwork, is_named
from .scales import Scale

_BYTES = np.arange(256).astype(np.uint8).view(np.int8).astype(np.int32)
"""Bytes by their bits."""
_NEAR = 1e-3
"""Largest difference of a function from GELU: that with tanh differs by 5e-4."""


@dataclass(frozen=True)
class _Function:
    """A tensor of floats that follows from the bytes `source` of a scale, by the nodes in order."""

    source: str
    scale: Scale
    nodes: tuple[NodeProto, ...]


@mentions("QuantizeLinear")
def tabulate_functions(network: FloatNetwork, floats: Collection[str], *, has_polynomials: bool = False) -> int:
    """
    Replace functions of one number from DequantizeLinear to QuantizeLinear by Cast and Gather from 256 bytes.

    The table is that of the interpreter's floats; with `has_polynomials`, that of GELU between scales without zero
    points is I-BERT's polynomial. Nodes and operators in `floats` stay. Returns the number of tables.
    """
    functions: dict[str, _Function] = {}
    nodes: list[NodeProto] = []
    count = 0
    for node in network.nodes:
        function = functions.get(node.input[0]) if node.op_type == "QuantizeLinear" else None
        if function is not None and function.nodes:
            nodes += _lookup(network, node, function, has_polynomials=has_polynomials)
            count += 1
            continue
        nodes.append(node)
        computed = _dequantised(network, node)
        if computed is None and not is_named(node, floats):
            computed = _computed(network, node, functions)
        if computed is not None:
            functions[node.output[0]] = computed
    network.nodes = nodes
    return count


@mentions("DequantizeLinear")
def _dequantised(network: FloatNetwork, node: NodeProto) -> _Function | None:
    """Return the identity of the bytes that DequantizeLinear reads, None for other nodes and for constants."""
    if node.op_type != "DequantizeLinear" or node.input[0] in network.constants:
        return None
    zero = network.constants[node.input[2]] if len(node.input) > 2 else None
    if zero is None or zero.dtype != np.int8:
        return None
    return _Function(node.input[0], Scale(float(network.constants[node.input[1]]), int(zero)), ())


def _computed(network: FloatNetwork, node: NodeProto, functions: dict[str, _Function]) -> _Function | None:
    """Return the function that a node computes of one tensor of bytes and constants, None for other nodes."""
    operands = list(filter(None, node.input))
    data = [functions.get(name) for name in operands if name not in network.constants]
    single = all(network.constants[name].size == 1 for name in operands if name in network.constants)
    if node.domain or node.op_type not in having(Trait.TABULATED) or not data or not single:
        return None
    present = [function for function in data if function is not None]
    if len(present) < len(data) or len({function.source for function in present}) != 1:
        return None
    nodes = {id(part): part for function in present for part in function.nodes}
    return _Function(present[0].source, present[0].scale, (*nodes.values(), node))


def _lookup(network: FloatNetwork, node: NodeProto, function: _Function, *, has_polynomials: bool) -> list[NodeProto]:
    """Return the nodes of a lookup; bytes index the table as numbers from -128, that is from its end."""
    scale, zero = (network.constants[name] for name in node.input[1:3])
    y, values = Scale(float(scale), int(zero)), _values(network, function, node.input[0])
    is_polynomial = has_polynomials and not function.scale.zero and not y.zero and _is_gelu(values, function.scale)
    result = _polynomial(function.scale, y) if is_polynomial else y.integers(values)
    table = network.add_constant(f"{node.output[0]}.table", result.astype(np.int8))
    index = network.names.take(f"{node.output[0]}.index")
    return [
        helper.make_node("Cast", [function.source], [index], name=index, to=TensorProto.INT32),
        helper.make_node("Gather", [table, index], list(node.output), name=node.name),
    ]


def _is_gelu(values: Array, scale: Scale) -> bool:
    """Return whether the values of a function are those of GELU, or of its form with tanh."""
    levels = scale.scale * _BYTES
    return float(np.abs(values - [x * (1 + erf(x / sqrt(2))) / 2 for x in levels.tolist()]).max()) < _NEAR


def _polynomial(x: Scale, y: Scale) -> Array:
    """Return the table of I-BERT's GELU."""
    qb, qc = int(-GELU_CUT / x.scale), int(-GELU_SQUARE / x.scale**2)
    scaled = gelu(_BYTES, qb, qc).astype(np.float32) * np.float32(-0.0722 * x.scale**3 / y.scale)
    return np.clip(np.rint(scaled), -128, 127)


def _values(network: FloatNetwork, function: _Function, name: str) -> Array:
    """Return the function of each byte, by the byte's bits: f32 [256]."""
    integers = np.arange(256).astype(np.uint8).view(np.int8).astype(np.float32)
    levels = ((integers - function.scale.zero) * np.float32(function.scale.scale)).astype(np.float32)
    first = network.names.take(f"{name}.levels")
    results = {output for node in function.nodes for output in node.output}
    read = dict.fromkeys(name for node in function.nodes for name in node.input if name)
    starts = [name for name in read if name not in results and name not in network.constants]
    nodes = [helper.make_node("Identity", [first], [start], name=start) for start in starts]
    alone = replace(
        network,
        nodes=[*nodes, *function.nodes],
        constants={key: value.reshape(()) for key, value in _used(network, function).items()},
        inputs=[helper.make_tensor_value_info(first, TensorProto.FLOAT, [256])],
        outputs=[],
        infos={},
        names=FreshNames([]),
    )
    return Execution(alone, [name]).run({first: levels})[name]


def _used(network: FloatNetwork, function: _Function) -> dict[str, Array]:
    return {
        name: network.constants[name] for node in function.nodes for name in node.input if name in network.constants
    }
