"""Builder for rules of data-dependent sizes: `Sized` writes the nodes that replace one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from ...dialects.onnx.registry import Registry
from ...errors import Diagnostic
from ...ir import Array
from ..attributes import attribute_of
from ..extents import Axes, CountedExtent, Key, Size, bound_of, key_of
from ..node_view import NodeView
from ..order import where_node
from ..resolver import Resolver

_ARITHMETIC: Registry[str, Callable[[int, int], int]] = Registry(
    "arithmetic on sizes",
    {
        "Add": lambda a, b: a + b,
        "Mul": lambda a, b: a * b,
        "Min": min,
        "Max": max,
        "Sub": lambda a, b: max(a - b, 0),
        "Div": lambda a, b: a // b,
    },
)
"""Operator on sizes -> its largest result, from the bounds of its operands; on the right of Sub and Div are numbers."""


class Sized:
    """The nodes that one node becomes whose tensors have, or decide, extents. All are of the newest form."""

    def __init__(self, resolver: Resolver, node: NodeProto):
        self.resolver, self.of = resolver, node
        self.extents = resolver.extents
        self._base = next(filter(None, node.output), node.name)

    # What is known

    def input(self, index: int) -> str:
        """Return the tensor that is an input, empty where it is left out."""
        return self.of.input[index] if index < len(self.of.input) else ""

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, of which extents are the bounds."""
        return self.resolver.shape(name, self.of)

    def axes(self, name: str) -> Axes:
        """Return the axes of a tensor whose extent depends on data."""
        return self.extents.of(name) if name else {}

    def sizes(self, name: str) -> tuple[Size, ...]:
        """Return the size of a tensor along each axis."""
        extents = self.axes(name)
        return tuple(extents.get(axis, size) for axis, size in enumerate(self.shape(name)))

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute of the node."""
        return attribute_of(self.of, name, default)

    def axis(self, name: str, default: int, rank: int) -> int:
        """Return an attribute that is an axis, counted from the front."""
        return int(self.attribute(name, default)) % max(rank, 1)

    def constant(self, name: str) -> Array | None:
        """Return the value of a tensor, None where it is no constant."""
        constant = self.resolver.constant(name) if name else None
        return None if constant is None else constant.array

    def numbers(self, name: str) -> tuple[Size, ...] | None:
        """Return the sizes that a tensor holds, as constants or not, None where they are not known."""
        constant = self.constant(name)
        if constant is None:
            return self.extents.held(name)
        return tuple(int(n) for n in constant.reshape(-1)) if constant.dtype.kind in "iu" else None

    def refused(self, why: str, remedy: str = "") -> Diagnostic:
        """Return the error for an unsupported use of a data-dependent size."""
        bounds = [
            f'axis {axis} of "{name}" has up to {extent.bound} entries'
            for name in self.of.input
            if name
            for axis, extent in self.extents.of(name).items()
        ]
        return Diagnostic(
            f"{self.of.op_type} {why}",
            where=where_node(self.of),
            expected="sizes known at import, or a use of sizes that docs/dynamic-sizes.md lists",
            found="; ".join(bounds) or "a size that the run decides",
            remedy=remedy or "export the model so that this size is constant, or replace the node",
        )

    def misfit(self, what: str, expected: Any, found: Any) -> Diagnostic:
        """Return the error for a part of the node that is incompatible with its inputs."""
        return NodeView(self.resolver.graph, self.of, self.resolver.info).misfit(what, expected, found)

    # Builders

    def fresh(self) -> str:
        """Return a name for a tensor."""
        return self.resolver.fresh_name(self._base)

    def make(self, op: str, inputs: Sequence[str], outputs: Sequence[str] = (), **attributes: Any) -> str:
        """Append a node and return its first output."""
        outputs = outputs or [self.fresh()]
        domain = "tilewright" if op.startswith("Bounded") else ""
        self.resolver.settle_node(helper.make_node(op, inputs, outputs, name=self.of.name, domain=domain, **attributes))
        return outputs[0]

    def reshape(self, name: str, shape: Sequence[int]) -> str:
        """Append a Reshape; a size of 0 is zero entries, -1 the remaining ones."""
        return self.make("Reshape", [name, self.number(list(shape))], allowzero=int(0 in shape and -1 not in shape))

    def number(self, value: Any, dtype: Any = np.int64) -> str:
        """Return a constant tensor."""
        array, name = np.array(value, dtype), self.fresh()
        self.resolver.settle_constant(name, array, helper.np_dtype_to_tensor_dtype(array.dtype), self.of.name)
        return name

    def keep(self) -> None:
        """Append the node itself."""
        self.resolver.settle_node(self.of)

    def give(self, name: str, axes: Mapping[int, CountedExtent], output: int = 0) -> None:
        """Declare the axes of an output that have an extent; the output is `name`, or becomes a copy of it."""
        result = self.of.output[output] if output < len(self.of.output) else ""
        if not result:
            return
        if name != result:
            self.make("Identity", [name], [result])
        shape = self.shape(result)
        assert all(shape[axis] == extent.bound for axis, extent in axes.items()), f"{self.of.op_type}: {shape}, {axes}"
        if axes:
            self.extents.axes[result] = dict(axes)

    def hold(self, numbers: tuple[Size, ...]) -> None:
        """Record the sizes that the first output holds; a tensor of numbers alone is a constant."""
        if any(isinstance(size, CountedExtent) for size in numbers):
            self.extents.values[self.of.output[0]] = numbers

    def scalar(self, size: Size) -> str:
        """Return a size as a scalar tensor."""
        return self.number(size) if isinstance(size, int) else size.count

    def vector(self, sizes: Sequence[Size]) -> str:
        """Return sizes as a tensor of one axis."""
        if all(isinstance(size, int) for size in sizes):
            return self.number([bound_of(size) for size in sizes])
        axes = self.number([0])
        return self.make("Concat", [self.make("Unsqueeze", [self.scalar(s), axes]) for s in sizes], axis=0)

    def count(self, name: str, bound: int, key: Key = ()) -> Size:
        """Return the size that a tensor of one number is, of which `bound` is the most; 0 where that is 0."""
        if bound <= 0:
            return 0
        scalar = name if self.shape(name) == () else self.reshape(name, [])
        return CountedExtent(key or ("value", name), scalar, bound)

    def combine(self, op: str, a: Size, b: Size) -> Size:
        """Return a sum, product, ... of sizes. A subtrahend or divisor must be a number."""
        if isinstance(a, int) and isinstance(b, int):
            return _ARITHMETIC[op](a, b)
        if isinstance(a, int) and op not in ("Sub", "Div"):
            a, b = b, a
        if (op, b) in (("Add", 0), ("Mul", 1), ("Sub", 0), ("Div", 1)):
            return a
        if op == "Min" and (a == b or (isinstance(b, int) and b >= bound_of(a))):
            return a
        if op == "Div" and isinstance(a, CountedExtent) and a.key[0] == "Mul" and a.key[2] == b and isinstance(b, int):
            # The quotient of a product is what was multiplied; its scalar is computed again.
            key: Key = a.key[1]
        else:
            key = (op, key_of(a), key_of(b))
        result = self.make(op, [self.scalar(a), self.scalar(b)])
        if op == "Sub":
            result = self.make("Max", [result, self.number(0)])
        return self.count(result, _ARITHMETIC[op](bound_of(a), bound_of(b)), key)

    def inside(self, extents: Mapping[int, CountedExtent], shape: Sequence[int]) -> str:
        """Return the mask of the valid elements of a shape, a tensor of bools that broadcasts to it."""
        mask = ""
        for axis, extent in extents.items():
            places = np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))])
            test = self.make("Less", [self.number(places), extent.count])
            mask = self.make("And", [mask, test]) if mask else test
        return mask

    def masked(self, name: str, value: float, axes: Sequence[int] | None = None) -> str:
        """Return a tensor with another number in the place of elements that are not there along these axes, or any."""
        extents = {a: e for a, e in self.axes(name).items() if axes is None or a in axes}
        if not extents:
            return name
        dtype = helper.tensor_dtype_to_np_dtype(self.resolver.data_type(name, self.of))
        return self.make("Where", [self.inside(extents, self.shape(name)), name, self.number(value, dtype)])

    def least(self, name: str, *, largest: bool = False) -> float:
        """Return the least number of a tensor's type, or the largest."""
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(self.resolver.data_type(name, self.of)))
        if dtype.kind in "iu":
            return int(np.iinfo(dtype).max if largest else np.iinfo(dtype).min)
        return int(largest) if dtype.kind == "b" else float("inf" if largest else "-inf")

    def is_integer(self, name: str) -> bool:
        """Return whether a tensor holds integers."""
        return np.dtype(helper.tensor_dtype_to_np_dtype(self.resolver.data_type(name, self.of))).kind in "iu"


Rule = Callable[[Sized], "bool | None"]
"""Writes what a node becomes and says which extents its outputs have; returns False to leave it as it is."""

RULES: Registry[str, Rule] = Registry("sizes that depend on data")
"""Operator of ai.onnx -> its rule."""


def sizes(*names: str) -> Callable[[Rule], Rule]:
    """Register a function as the rule of the operators of these names."""
    return RULES.rule(*names)
