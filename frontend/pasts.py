"""
Caches of an open length: values that depend on the number of cached rows are computed from the input `position`.

The network is resolved for three lengths. An extent that is one larger for each cached row is an axis of rows. A
constant of integers that is affine in the length, `base + slope * length`, decides shapes as it is for the longest
one, and is data as an expression of the position. A constant that only has more rows is a table. Any other node whose
value depends on the length stays in the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from onnx import NodeProto, TensorProto, helper

from ..dialects.core.ports import ATTENTION_MASK, POSITION
from ..dialects.onnx.contrib import CONTRIB_DOMAIN
from ..dialects.onnx.facts import Trait, facts_of, having
from ..dialects.onnx.registry import Registry, mentions
from ..errors import Diagnostic
from ..ir import Array
from .evaluation import is_foldable
from .known import Known
from .onnx_graph import Graph
from .operators import operator_of
from .order import where_node
from .tensor_info import Infos, TensorInfo, info_of
from .tensors import Constant

_TAKES_CACHES = Registry(
    "caches",
    {
        ("", "Attention"): (4, 5),
        (CONTRIB_DOMAIN, "MultiHeadAttention"): (6, 7),
        (CONTRIB_DOMAIN, "GroupQueryAttention"): (3, 4),
    },
)
"""Operator -> its inputs that are caches of keys and of values, [B, N, rows, h]."""

_INTEGERS = (TensorProto.INT32, TensorProto.INT64)

Shapes = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class OpenPast:
    """
    The inputs of a network whose length is open; `added` are the rows that each call adds to its caches.

    `rows` are the axes of inputs that have one entry for each cached row, `whole` those that have the new rows too.
    """

    shapes: Shapes
    added: int
    rows: Mapping[str, int]
    whole: Mapping[str, int]

    def at(self, length: int) -> dict[str, Sequence[int]]:
        """Return the shapes of the inputs for a number of cached rows."""
        shapes = {name: list(shape) for name, shape in self.shapes.items()}
        for axes, extent in ((self.rows, length), (self.whole, length + self.added)):
            for name, axis in axes.items():
                shapes[name][axis] = extent
        return {name: tuple(shape) for name, shape in shapes.items()}


def open_past(graph: Graph, stated_shapes: Shapes, added: int = 0) -> OpenPast | None:
    """
    Return the inputs of a network with caches of an open length, None where it has none such.

    Open dimensions that `stated_shapes` lacks are 1 where they are the first, and in other integers the rows that each
    call adds: `added`, or 1 where that is 0.
    """
    infos = {value.name: info for value in graph.inputs if (info := info_of(value.type)) is not None}
    symbols: dict[str, list[str]] = {}
    for value in graph.inputs:
        symbols[value.name] = [dim.dim_param for dim in value.type.tensor_type.shape.dim]
    rows = dict(_caches(graph, infos))
    if not rows:
        return None
    lengths = {symbols[name][axis] for name, axis in rows.items()} - {""}
    whole: dict[str, int] = {}
    shapes: dict[str, list[int | None]] = {}
    new: list[tuple[str, int]] = []
    for name, info in infos.items():
        declared = info.shape or ()
        stated = stated_shapes.get(name, ())
        shapes[name] = list(stated if len(stated) == len(declared) else declared)
        for axis in (axis for axis, extent in enumerate(declared) if extent is None):
            symbol = symbols[name][axis]
            is_whole = (name == ATTENTION_MASK and axis == len(declared) - 1) or _is_sum(symbol, lengths)
            if is_whole:
                whole[name] = axis
            elif symbol in lengths:
                rows[name] = axis
            elif rows.get(name) != axis and axis and info.data_type in _INTEGERS:
                new.append((name, axis))
            elif axis == 0 and shapes[name][0] is None:
                shapes[name][0] = 1
    count = added or next((extent for name, axis in new if (extent := shapes[name][axis])), 1)
    for name, axis in (*new, *rows.items(), *whole.items()):
        shapes[name][axis] = count
    completed = {name: tuple(cast("list[int]", shape)) for name, shape in shapes.items() if None not in shape}
    return OpenPast({**stated_shapes, **completed}, count, rows, whole)


def _is_sum(symbol: str, lengths: Set[str]) -> bool:
    """Return whether a dimension is called by a sum of the length of the caches and more, as in "past + new"."""
    parts = [part.strip() for part in symbol.split("+")]
    return len(parts) > 1 and not lengths.isdisjoint(parts)


@mentions("Concat")
def _caches(graph: Graph, infos: Infos) -> Iterator[tuple[str, int]]:
    """
    Yield the inputs of an open length to which new rows are joined, each with the axis of its rows.

    A Concat joins them, or an operator of attention that takes the cache.
    """
    shown = {name: name for name, info in infos.items() if len(info.shape or ()) > 2}
    for node in graph.nodes:
        for index in _TAKES_CACHES.get((node.domain, node.op_type), ()):
            cache = node.input[index] if index < len(node.input) else ""
            shape = (infos[cache].shape or ()) if cache in infos else ()
            if len(shape) == 4 and shape[2] is None:
                yield cache, 2
        name = shown.get(node.input[0]) if node.input and not node.domain else None
        if name is None:
            continue
        if node.op_type in having(Trait.VIEW) or (node.op_type == "Concat" and len(node.input) == 1):
            shown[node.output[0]] = name
        elif node.op_type == "Concat":
            shape = infos[name].shape or ()
            joined = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0) % len(shape)
            axes = [axis for axis, extent in enumerate(shape) if extent is None and axis]
            if shape[joined] is None or len(axes) == 1:
                yield name, joined if shape[joined] is None else axes[0]


@dataclass(frozen=True)
class Sample:
    """A network that is resolved for a number of cached rows."""

    length: int
    known: Known
    constants: Mapping[str, Constant]
    """Constants that were folded, and those of operators that were written out."""

    def constant(self, name: str) -> Array | None:
        """Return the constant value of a tensor, None where it is computed at run time."""
        constant = self.constants.get(name)
        return constant.array if constant is not None else None


class Prepared(NamedTuple):
    """Node whose data are computed from the position, and the nodes that compute them, in order."""

    node: NodeProto
    before: tuple[NodeProto, ...] = ()


class Past:
    """
    Dependence of a network's tensors on the number of cached rows, between two samples and the `length` resolved.

    `near` is the sample for one row less.
    """

    def __init__(self, length: int, near: Sample, far: Sample):
        assert near.length == length - 1
        self.length = length
        self._near, self._far = near, far
        self._slopes: dict[str, Array] = {}
        self._computed: dict[str, str] = {}
        self._own = {POSITION}

    def folds(self, name: str, array: Array) -> bool:
        """Return whether a value stays a constant: it is affine in the length, or has more rows for a longer one."""
        near, far = self._near.constant(name), self._far.constant(name)
        if near is None or far is None:
            return False
        if array.shape == near.shape == far.shape:
            return self._is_affine(name, array, near, far)
        axes = {_grown(array.shape, near.shape, 1), _grown(array.shape, far.shape, self.length - self._far.length)}
        if None in axes or len(axes) > 1:
            return False
        return all(_equal(array[tuple(map(slice, sample.shape))], sample) for sample in (near, far))

    def check_constant(self, name: str, array: Array, where: str) -> None:
        """Raise Diagnostic where a constant of an operator that is written out does not follow from the length."""
        if not self.folds(name, array):
            raise self._refused(where, list(array.shape), "other numbers for other lengths")

    def check(self, node: NodeProto, dims: Array) -> None:
        """Raise Diagnostic where dimensions that a node gives are not affine in the number of cached rows."""
        if not self.folds(node.output[0], dims):
            raise self._refused(where_node(node), dims.ravel().tolist(), "other numbers for other lengths")

    def refused_branch(self) -> Diagnostic:
        """Return the error for a graph that a node holds."""
        return Diagnostic(
            "a branch or a loop in a network with caches of an open length is not handled",
            expected="conditions and numbers of iterations that are constant",
            found="a condition or a number of iterations that data decide",
            remedy="export the network with caches of a fixed length",
        )

    def check_outputs(self, graph: Graph) -> None:
        """Raise Diagnostic where an output of a graph follows from the number of cached rows alone."""
        for value in graph.outputs:
            if value.name in self._slopes:
                raise Diagnostic(
                    "an output follows from the number of cached rows alone",
                    where=f'output "{value.name}"',
                    expected="outputs that depend on the inputs",
                    found="a number that only the length of the caches decides",
                    remedy="leave this output out when exporting the network",
                )

    def _is_affine(self, name: str, array: Array, near: Array, far: Array) -> bool:
        if _equal(array, near) and _equal(array, far):
            return True
        if array.dtype.kind != "i":
            return False
        slope = array - near
        if not np.array_equal(array - slope * (self.length - self._far.length), far):
            return False
        self._slopes[name] = slope
        return True

    def axis(self, name: str, info: TensorInfo, where: str) -> int | None:
        """
        Return the axis of a tensor that has an entry for each cached row, None where it has none.

        Raises Diagnostic where its shape depends on the number of rows in another way.
        """
        if name in self._own:
            return None
        shape = info.shape or ()
        near, far = (sample.known.info(name) for sample in (self._near, self._far))
        if near is None or far is None or None in shape:
            raise self._refused(where, list(shape), "nothing known for other lengths")
        if shape == near.shape == far.shape:
            return None
        axes = {_grown(shape, near.shape, 1), _grown(shape, far.shape, self.length - self._far.length)}
        axis = axes.pop()
        if axes or axis is None:
            raise self._refused(where, list(shape), f"{list(near.shape or ())} for a row less")
        return axis

    def _refused(self, where: str, shape: Sequence[int | None], other: str) -> Diagnostic:
        return Diagnostic(
            "the shape of a tensor depends on the number of cached rows in a way that cannot be followed",
            where=where,
            expected="one axis with an entry for each cached row, or a shape that is the same for any number",
            found=f"{shape} for {self.length} rows, {other}",
            remedy="export the network with caches of a fixed length",
        )

    @mentions("Slice")
    def prepare(self, known: Known, node: NodeProto, folded: bool = False) -> Prepared:
        """
        Return a node whose data that depend on the length are computed from the position.

        Unless the node was tried to be `folded`, one that can be is returned as it is. Raises Diagnostic for an
        operator whose other operands must not depend on it.
        """
        affine = [i for i, name in enumerate(node.input) if name in self._slopes]
        constant = all(known.constant(name) is not None for name in node.input if name)
        if not affine or (not folded and constant and is_foldable(node)):
            return Prepared(node)
        shaping = operator_of(node.op_type, node.domain).shape_inputs
        if node.op_type == "Slice" and 1 in affine:
            return self._gathered(known, node)
        for i in affine:
            if i in shaping and i != facts_of(node.op_type).size:
                raise self._shaping(node, i)
        changed = NodeProto()
        changed.CopyFrom(node)
        before: list[NodeProto] = []
        for i in affine:
            if i not in shaping:
                changed.input[i] = self._at_position(known, node.input[i], before)
        return Prepared(changed, tuple(before))

    def _shaping(self, node: NodeProto, index: int) -> Diagnostic:
        return Diagnostic(
            f"{node.op_type} depends on the number of cached rows in a way that cannot be followed",
            where=where_node(node),
            expected="operands that are the same for any number of rows",
            found=f'operand {index}, "{node.input[index]}"',
            remedy="export the network without it, or with caches of a fixed length",
        )

    def _at_position(self, known: Known, name: str, before: list[NodeProto]) -> str:
        """Return the tensor that has the value of an affine constant at the position of the run."""
        if name in self._computed:
            return self._computed[name]
        constant = known.constant(name)
        assert constant is not None
        slope = self._slopes[name]
        base = constant.array - slope * self.length
        value = self._made(known, before, name, "Cast", POSITION, to=constant.data_type)
        shape, info = np.array([1] if slope.ndim else [], np.int64), known.info(POSITION)
        if info is None or tuple(shape) != info.shape:
            wanted = self._constant(known, name, "shape", shape, TensorProto.INT64)
            value = self._made(known, before, name, "Reshape", value, wanted)
        if (slope != 1).any():
            factor = self._constant(known, name, "slope", slope, constant.data_type)
            value = self._made(known, before, name, "Mul", value, factor)
        term = self._constant(known, name, "base", base, constant.data_type)
        self._computed[name] = self._made(known, before, name, "Add", value, term)
        return self._computed[name]

    def _constant(self, known: Known, name: str, role: str, array: Array, data_type: int) -> str:
        fresh = known.fresh_name(f"{name}.{role}")
        known.graph.constants[fresh] = Constant(array, data_type, name)
        self._own.add(fresh)
        return fresh

    def _made(
        self, known: Known, before: list[NodeProto], name: str, op_type: str, *inputs: str, **attributes: Any
    ) -> str:
        fresh = known.fresh_name(f"{name}.{op_type.lower()}")
        self._own.add(fresh)
        before.append(helper.make_node(op_type, inputs, [fresh], name=f"{name}.position", **attributes))
        return fresh

    def _gathered(self, known: Known, node: NodeProto) -> Prepared:
        """Return the Gather that is a slice along one axis whose start, but not whose size, depends on the length."""
        starts, ends, axes, steps = (known.constant(name) if name else None for name in [*node.input, "", ""][1:5])
        start, end = (self._slopes.get(name) for name in node.input[1:3])
        stepped = steps is not None and (steps.array != 1).any()
        if starts is None or ends is None or start is None or end is None or stepped:
            raise self._shaping(node, 1)
        if start.size != 1 or not np.array_equal(start, end):
            raise self._shaping(node, 1)
        first, last = int(starts.array.item()), int(ends.array.item())
        axis = int(axes.array.item()) if axes is not None else 0
        name = known.fresh_name(f"{node.output[0]}.rows")
        rows = np.arange(first, last)
        known.graph.constants[name] = Constant(rows, TensorProto.INT64, node.name)
        self._own.add(name)
        self._slopes[name] = np.full_like(rows, start.item())
        before: list[NodeProto] = []
        indices = self._at_position(known, name, before)
        gather = helper.make_node("Gather", [node.input[0], indices], node.output, name=node.name, axis=axis)
        return Prepared(gather, tuple(before))


def _grown(shape: Sequence[int | None], other: Sequence[int | None] | None, rows: int) -> int | None:
    """Return the one axis along which a shape exceeds another by `rows`, None where they differ otherwise."""
    axes = [i for i, (one, two) in enumerate(zip(shape, other or (), strict=False)) if one != two]
    if len(shape) != len(other or ()) or len(axes) != 1:
        return None
    one, two = shape[axes[0]], (other or ())[axes[0]]
    return axes[0] if one is not None and two is not None and one - two == rows else None


def _equal(one: Array, other: Array) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
