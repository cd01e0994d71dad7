"""Operators of integers of ONNX Runtime beside it where they round halves: for all bytes, at every level and in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.passes.recover_quantized import RecoverQuantizedPass
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.passes.lowering.one_node import FLAGS
from tilewright.test.phases import each_phase

BYTES: Array = np.arange(256).astype(np.uint8)
KINDS = (np.uint8, np.int8)


def f(value: Any) -> Array:
    return np.array(value, np.float32)


@dataclass
class Nodes:
    """Nodes of ONNX Runtime's operators on the inputs of one network; each has an output of its own."""

    random: np.random.Generator
    exact: bool
    """Whether all scales are powers of two; else half of them."""
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    constants: list[TensorProto] = field(default_factory=list[TensorProto])
    feeds: dict[str, Array] = field(default_factory=dict[str, Array])

    def add(self, op: str, *inputs: str | Array, **attributes: Any) -> None:
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        output = f"{len(self.nodes)}:{op}"
        self.nodes.append(helper.make_node(op, names, [output], domain="com.microsoft", **attributes))

    def constant(self, array: Array) -> str:
        self.constants.append(numpy_helper.from_array(array, f"c{len(self.constants)}"))
        return self.constants[-1].name

    def input(self, name: str, array: Array) -> str:
        self.feeds[name] = array
        return name

    def scale(self) -> Array:
        is_exact = self.exact or self.random.integers(2)
        return f(2.0 ** self.random.integers(-7, -1) if is_exact else self.random.uniform(0.01, 0.3))

    def zero(self, kind: Any, *, odd: bool) -> Array:
        limits = np.iinfo(kind)
        number = int(self.random.integers(limits.min // 2, limits.max // 2)) & ~1
        return np.array(number + odd, kind)

    @property
    def model(self) -> ModelProto:
        kind = helper.np_dtype_to_tensor_dtype
        graph = helper.make_graph(
            self.nodes,
            "ties",
            [helper.make_tensor_value_info(name, kind(a.dtype), a.shape) for name, a in self.feeds.items()],
            [helper.make_empty_tensor_value_info(node.output[0]) for node in self.nodes],
            self.constants,
        )
        imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)


Family = Callable[..., None]
"""`(nodes, kind, odd=)`: adds nodes on bytes of a type, with zero points that are odd or even."""


def pairs(net: Nodes, kind: Any, *, odd: bool) -> None:
    """Add sums and products of all pairs of bytes; the operands broadcast along the inner and the outer axis."""
    name = np.dtype(kind).name
    column, row = (
        net.input(f"column_{name}", BYTES.view(kind).reshape(256, 1)),
        net.input(f"row_{name}", BYTES.view(kind)),
    )
    whole = net.input(f"whole_{name}", np.tile(BYTES, (256, 1)).view(kind))
    s, t = net.scale(), net.scale()
    zeros = [net.zero(kind, odd=odd) for _ in range(3)]
    # Scales of which one is twice or half of another have many halves.
    net.add("QLinearAdd", column, s, zeros[0], row, s, zeros[1], f(2 * s), zeros[2])
    net.add("QLinearAdd", row, f(s / 2), zeros[0], column, s, zeros[1], s, zeros[2])
    net.add("QLinearAdd", column, t, zeros[0], whole, s, zeros[1], s, zeros[2])
    # With these the order counts in which ONNX Runtime adds the operands.
    u = s if net.exact else f(net.random.uniform(0.01, 0.3))
    net.add("QLinearAdd", column, f(u * 0.75), zeros[0], row, f(u * 4), zeros[1], u, zeros[2])
    net.add("QLinearMul", column, s, zeros[0], row, t, zeros[1], f(s * t * 2), zeros[2])
    net.add("QLinearMul", column, s, zeros[0], whole, t, zeros[1], f(s * t * 32), zeros[2])


def functions(net: Nodes, kind: Any, *, odd: bool) -> None:
    """Add functions of one byte, choices and joins."""
    name = np.dtype(kind).name
    x, s, zero, result = (
        net.input(f"row_{name}", BYTES.view(kind)),
        net.scale(),
        net.zero(kind, odd=odd),
        net.zero(kind, odd=odd),
    )
    net.add("QLinearLeakyRelu", x, s, zero, f(2 * s), result, alpha=0.25)
    net.add("QLinearSigmoid", x, s, zero, f(1 / 256), result)
    net.add("QLinearConcat", f(2 * s), result, x, s, zero, x, f(s / 2), zero, axis=0)
    condition = net.input("condition", BYTES % 3 > 0)
    net.add("QLinearWhere", condition, x, s, zero, x, f(s / 2), result, f(2 * s), result)


def means(net: Nodes, kind: Any, *, odd: bool) -> None:
    """Add poolings whose result has the scale of their input: halves and other simple fractions."""
    name = np.dtype(kind).name
    maps = net.random.integers(0, 256, (1, 8, 8, 7)).astype(np.uint8).view(kind)
    x, s = net.input(f"maps_{name}", maps), net.scale()
    zero, result = net.zero(kind, odd=odd), net.zero(kind, odd=odd)
    forms: tuple[dict[str, Any], ...] = (
        {"kernel_shape": [2, 2]},
        {"kernel_shape": [2, 3], "pads": [1] * 4},
        {"kernel_shape": [3, 3], "pads": [1] * 4, "count_include_pad": 1, "strides": [2, 2]},
    )
    for form in forms:
        net.add("QLinearAveragePool", x, s, zero, s, result, **form)
    for shape in ((2, 2), (5, 3)):
        values = net.random.integers(0, 256, (1, 64, *shape)).astype(np.uint8).view(kind)
        net.add("QLinearGlobalAveragePool", net.input(f"{name}_{shape}", values), s, zero, s, result)


def rows(net: Nodes, kind: Any, *, odd: bool) -> None:
    """Add softmax of rows of which many have several largest elements."""
    name, limits = np.dtype(kind).name, np.iinfo(kind)
    for length, scale in ((2, 1 / 255), (6, 1 / 256), (12, 1 / 255)):
        values = np.where(net.random.integers(0, 3, (40, length)) > 0, limits.max - 5, limits.min).astype(kind)
        values[20:] = net.random.integers(limits.min, limits.max + 1, (20, length))
        # A signed result above 127 wraps around in ONNX Runtime.
        zero = np.array(limits.min + (odd and kind is np.uint8), kind)
        x = net.input(f"rows_{name}_{length}", values)
        net.add("QLinearSoftmax", x, net.scale(), zero, f(scale), zero, axis=-1, opset=13)


FAMILIES = (pairs, functions, means, rows)


@cache
def network(seed: int, families: Sequence[Family], *, exact: bool = False) -> tuple[Nodes, dict[str, Array]]:
    """Return a network of all operators of some families, and what ONNX Runtime computes."""
    net = Nodes(np.random.default_rng(seed), exact)
    for family in families:
        for kind in KINDS:
            for odd in (False, True):
                family(net, kind, odd=odd)
    session = onnx_runtime.session(net.model, fused=False, threads=1)
    return net, dict(zip([node.output[0] for node in net.nodes], session.run(None, net.feeds), strict=True))


def compare(found: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    counts = {name: np.count_nonzero(found[name] != wanted) for name, wanted in expected.items()}
    assert not any(counts.values()), {name: count for name, count in counts.items() if count}


def test_the_graph_level_is_what_onnx_runtime_computes():
    net, expected = network(5, FAMILIES)
    compare(run_module(import_model(net.model), net.feeds), expected)


def test_softmax_of_computed_scales():
    net = Nodes(np.random.default_rng(3), exact=False)
    x = net.input("x", net.random.integers(0, 256, (20, 6)).astype(np.uint8))
    zero = net.constant(np.array(0, np.uint8))
    net.add("QLinearSoftmax", x, net.input("s", f(0.07)), zero, net.input("r", f(1 / 255)), zero, axis=-1, opset=13)
    session = onnx_runtime.session(net.model, fused=False, threads=1)
    compare(run_module(import_model(net.model), net.feeds), {"0:QLinearSoftmax": session.run(None, net.feeds)[0]})


def test_tensors_and_c_are_what_onnx_runtime_computes():
    net, expected = network(5, FAMILIES)
    for phase, module in each_phase(import_model(net.model), ("tensor", "")):
        if phase:
            compare(run_module(module, net.feeds), expected)
        else:
            compare(host_run(HostNetwork(render(module), flags=FLAGS))(net.feeds), expected)


def test_computed_in_integers_halves_are_rounded_alike():
    """With scales that are powers of two, integers round as the floats do, before they add an odd zero point."""
    net, expected = network(6, (pairs,), exact=True)
    module = import_model(net.model)
    RecoverQuantizedPass().apply(new_context(), module)
    names: Sequence[str] = [op.name for op in module.walk()]
    assert not {"onnx.QLinearAdd", "onnx.QLinearMul"} & set(names)
    compare(run_module(module, net.feeds), expected)
