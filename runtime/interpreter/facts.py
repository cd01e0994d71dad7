"""
Static analysis of a loop nest: affine forms, value ranges, reductions, and loop-carried dependences.

Inputs of the nest are known, so hoisted constants are included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, cast

import numpy as np
from numpy.lib.array_utils import byte_bounds
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType, IntegerType, Signedness
from xdsl.ir import Attribute, Operation

from ...dialects.core.analysis.affine_form import Linear, form_of
from ...dialects.core.analysis.intervals import Range, symmetric
from ...dialects.core.analysis.value_ranges import TRANSFERS
from ...ir import Array
from .arithmetic import attribute_value
from .bits import integer_type
from .folding import is_combiner, is_sum_of_products, kind_of
from .nests import ComputeNode, LoadNode, LoopNode, Node, ScalarNest, StoreNode, defined, nodes_in, used

_KEPT = 64
"""Runs of a nest, different in scalars or layouts, whose analysis is kept."""

_EXTREMA = (arith.MinSIOp, arith.MaxSIOp)
_UNKNOWN = symmetric(1 << 62)
_COPIES = ("arith.index_cast", "emitc.cast")
_ADDS = ("arith.addi", "emitc.add")
_SUBTRACTIONS = ("arith.subi", "emitc.sub")
_PRODUCTS = ("arith.muli", "emitc.mul")


@dataclass(frozen=True)
class LoopFold:
    """
    Update of one loop-carried value: `combiner(carried, value)`.

    If the loop only forwards the value to an inner loop, `inner` is that loop and `position` the value's position
    there.
    `product` is set if the value is a product in a sum.
    """

    combiner: ComputeNode | None = None
    value: int = -1
    product: ComputeNode | None = None
    inner: LoopNode | None = None
    position: int = -1


def facts_of(nest: ScalarNest, values: dict[int, Any]) -> NestFacts:
    """
    Return the analysis of a nest, of an earlier run where that had the same scalars and layout of buffers.

    Results are kept for `_KEPT` such runs. No buffer is kept: its address, shape and strides are.
    """
    kept: dict[Any, NestFacts] = nest.memo.setdefault("facts", {})
    key = _layout(values)
    if key not in kept:
        if len(kept) >= _KEPT:
            kept.clear()
        kept[key] = NestFacts(nest, {number: np.asarray(_Address(value)) for number, value in values.items()})
    return kept[key]


class _Address:
    """Address, shape and strides of an array, without its elements; of a scalar, a copy."""

    def __init__(self, array: Any):
        owner = array if np.ndim(array) else np.array(array)
        self.__array_interface__ = owner.__array_interface__
        self._owner = None if np.ndim(array) else owner


def _layout(values: dict[int, Any]) -> tuple[Any, ...]:
    """
    Return the scalars of a nest, and the places of its buffers relative to the others that they may overlap.

    Addresses of buffers whose bytes are apart do not matter to any result.
    """
    scalars = [(number, int(value)) for number, value in values.items() if np.ndim(value) == 0 and _is_integer(value)]
    buffers = [(*byte_bounds(value), number) for number, value in values.items() if np.ndim(value)]
    places: list[tuple[Any, ...]] = []
    base, end, first = 0, -1, 0
    for low, high, number in sorted(buffers):
        if low >= end:
            base, first = low, number
        end = max(end, high)
        array = values[number]
        address = int(array.__array_interface__["data"][0]) - base
        places.append((number, first, address, array.shape, array.strides, array.itemsize))
    return tuple(scalars), tuple(sorted(places))


def _is_integer(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "biu"


class NestFacts:
    """Analysis results of a nest, given the values of its inputs."""

    def __init__(self, nest: ScalarNest, values: dict[int, Any]):
        self.nest = nest
        self.values = values
        self._forms: dict[int, Linear] = {}
        self._intervals: dict[int, Range | None] = {}
        self._independent: dict[LoopNode, bool] = {}
        self._plans: dict[LoopNode, list[LoopFold] | None] = {}

    @cached_property
    def makers(self) -> dict[int, Node]:
        """Defining node of each value."""
        makers: dict[int, Node] = {}
        for node in nodes_in([self.nest.loop]):
            makers.update(dict.fromkeys(defined(node), node))
        return makers

    @cached_property
    def uses(self) -> dict[int, int]:
        """Number of uses of each value."""
        uses: dict[int, int] = {}
        for node in nodes_in([self.nest.loop]):
            for number in used(node):
                uses[number] = uses.get(number, 0) + 1
        return uses

    # Index expressions

    def form(self, number: int) -> Linear:
        """Return the affine form of an integer value, over values that are not affine, such as loop indices."""
        if number not in self._forms:
            self._forms[number] = self._form(number)
        return self._forms[number]

    def _form(self, number: int) -> Linear:
        value = self.values.get(number)
        if value is not None and np.ndim(value) == 0:
            return Linear((), int(value)) if np.asarray(value).dtype.kind in "biu" else _atom(number)
        node = self.makers.get(number)
        if not isinstance(node, ComputeNode):
            return _atom(number)
        form = self._form_of_op(node.op, node.args)
        return form if form is not None and self._fits(form, self.nest.types[number]) else _atom(number)

    def _form_of_op(self, op: Operation, args: Sequence[int]) -> Linear | None:
        if op.name in ("arith.constant", "emitc.constant"):
            value = attribute_value(op.properties["value"])
            return Linear((), int(value)) if value.dtype.kind in "bi" else None
        if op.name in _COPIES and isinstance(self.nest.types[args[0]], IntegerType | IndexType):
            return self.form(args[0])
        if op.name in _ADDS:
            return self.form(args[0]) + self.form(args[1])
        if op.name in _SUBTRACTIONS:
            return self.form(args[0]) + self.form(args[1]) * -1
        if op.name in _PRODUCTS:
            return self.form(args[0]).times(self.form(args[1]))
        if isinstance(op, affine.ApplyOp) and op.map.data.num_symbols == 0:
            form = form_of(op.map.data.results[0])
            if form is None or form.divides:
                return None
            return _total((self.form(args[dim]) * factor for dim, factor in _terms(form)), form.constant)
        return None

    def _fits(self, form: Linear, type_: Attribute) -> bool:
        """Return whether a sum stays within the range of a type, so that its form holds despite wrap-around."""
        integer = integer_type(type_)
        if integer is None:
            return isinstance(type_, IndexType)
        bounds = self._bounds(form)
        width = integer.width.data
        low = 0 if integer.signedness.data is Signedness.UNSIGNED else -(1 << (width - 1))
        return width >= 64 or (bounds is not None and low <= bounds.low <= bounds.high < low + (1 << width))

    # Ranges

    def interval(self, number: int) -> Range | None:
        """Return the interval of an integer value, None if unknown."""
        if number not in self._intervals:
            self._intervals[number] = None
            self._intervals[number] = self._interval(number)
        return self._intervals[number]

    def _interval(self, number: int) -> Range | None:
        form = self.form(number)
        if form == _atom(number):
            return self._interval_of_node(number)
        return self._bounds(form)

    def _bounds(self, form: Linear) -> Range | None:
        parts = {number: self.interval(number) for number in form.dims()}
        ends = {number: (part.low, part.high) for number, part in parts.items() if part is not None}
        return Range(*form.ends(ends.__getitem__)) if len(ends) == len(parts) else None

    def most(self, form: Linear) -> int | None:
        """
        Return an upper bound of a sum, None if unknown.

        Loop indices are replaced by their bounds, innermost first, so that a window clamped to an array's border is
        proved in bounds.
        """
        if not form.terms:
            return form.constant
        key, factor = max(_terms(form))
        rest = form.without(key)
        node = self.makers.get(key)
        if isinstance(node, LoopNode) and key == node.index:
            ends = self._ends(node, last=factor > 0)
            bounds = [bound for end in ends if (bound := self.most(rest + end * factor)) is not None]
            return min(bounds, default=None)
        part, others = self.interval(key), self.most(rest)
        if part is None or others is None:
            return None
        return others + (part * factor).high

    def _ends(self, loop: LoopNode, *, last: bool) -> list[Linear]:
        """Return upper bounds of a loop's last index, or lower bounds of its first."""
        bound, kind = (loop.upper, arith.MinSIOp) if last else (loop.lower, arith.MaxSIOp)
        node = self.makers.get(bound)
        numbers = node.args if isinstance(node, ComputeNode) and kind_of(node.op) is kind else [bound]
        return [self.form(number) + (-1 if last else 0) for number in numbers]

    def _interval_of_node(self, number: int) -> Range | None:
        node = self.makers.get(number)
        if isinstance(node, LoopNode) and number == node.index:
            lower, upper = self.interval(node.lower), self.interval(node.upper)
            return Range(lower.low, max(lower.low, upper.high - 1)) if lower and upper else None
        if not isinstance(node, ComputeNode):
            return None
        parts = [self.interval(arg) for arg in node.args]
        if isinstance(node.op, arith.SelectOp):
            return parts[1] | parts[2] if parts[1] and parts[2] else None
        transfer = TRANSFERS[kind] if (kind := kind_of(node.op)) in _EXTREMA and any(parts) else None
        return transfer(*(part or _UNKNOWN for part in parts)) if transfer is not None else None

    def step(self, loop: LoopNode) -> int | None:
        """Return the constant step of a loop, None if unknown."""
        interval = self.interval(loop.step)
        return interval.low if interval and interval.low == interval.high else None

    def trips(self, loop: LoopNode) -> int | None:
        """Return an upper bound of a loop's trip count, None if unknown."""
        lower, upper, step = self.interval(loop.lower), self.interval(loop.upper), self.step(loop)
        if lower is None or upper is None or step is None:
            return None
        return max(0, -((lower.low - upper.high) // step))

    # Reductions

    def plan(self, loop: LoopNode) -> list[LoopFold] | None:
        """Return the folds of the loop's carried values; None for other updates and for stores."""
        if loop not in self._plans:
            self._plans[loop] = self._plan(loop)
        return self._plans[loop]

    def _plan(self, loop: LoopNode) -> list[LoopFold] | None:
        if not loop.inits or any(isinstance(node, StoreNode) for node in nodes_in(loop.body)):
            return None
        folds: list[LoopFold] = []
        for arg, result in zip(loop.args, loop.yields, strict=True):
            if self.uses.get(arg) != 1 or self.uses.get(result) != 1:
                return None
            fold = self._fold(loop, arg, result)
            if fold is None:
                return None
            folds.append(fold)
        return folds

    def _fold(self, loop: LoopNode, arg: int, result: int) -> LoopFold | None:
        node = self.makers.get(result)
        if node is None or not any(node is child for child in loop.body):
            return None
        if isinstance(node, LoopNode):
            position = node.outs.index(result)
            handed = node.inits[position] == arg and all(init in loop.args for init in node.inits)
            return LoopFold(inner=node, position=position) if handed and self.plan(node) else None
        if not isinstance(node, ComputeNode) or not is_combiner(node.op) or arg not in node.args:
            return None
        value = node.args[1] if node.args[0] == arg else node.args[0]
        product = self.makers.get(value)
        if not isinstance(product, ComputeNode) or not is_sum_of_products(node.op, product.op) or self.uses[value] != 1:
            return LoopFold(node, value)
        return LoopFold(node, value, product if any(product is child for child in loop.body) else None)

    def independent(self, loop: LoopNode) -> bool:
        """
        Return whether a loop has no loop-carried dependence, so that its iterations may run in any order.

        No iteration accesses a byte that another one writes. False if the affine forms do not prove it.
        """
        if loop not in self._independent:
            self._independent[loop] = not loop.inits and self._iterations_disjoint(loop)
        return self._independent[loop]

    def _iterations_disjoint(self, loop: LoopNode) -> bool:
        accesses = [node for node in nodes_in(loop.body) if isinstance(node, LoadNode | StoreNode)]
        if any(node.buffer not in self.values for node in accesses):
            return False
        ranges = {node: self._touched(node) for node in accesses}
        for store in accesses:
            if not isinstance(store, StoreNode):
                continue
            low, high = ranges[store]
            near = [node for node in accesses if ranges[node][0] < high and low < ranges[node][1]]
            group = [node for node in near if overlap(self.values[store.buffer], self.values[node.buffer])]
            if not self._disjoint(loop, group):
                return False
        return True

    def _touched(self, node: LoadNode | StoreNode) -> tuple[int, int]:
        """Return the address interval of an access over the whole nest."""
        array = self.values[node.buffer]
        form = self._byte_form(array, node.indices)
        low, high = byte_bounds(array)
        least, most = self.most(form * -1), self.most(form)
        return (
            low if least is None else max(low, -least),
            high if most is None else min(high, most + array.itemsize),
        )

    def _disjoint(self, loop: LoopNode, group: Sequence[LoadNode | StoreNode]) -> bool:
        """Return whether these accesses are disjoint between iterations."""
        trips, step = self.trips(loop), self.step(loop)
        if trips is not None and trips <= 1:
            return True
        if step is None:
            return False
        inner = {node.index: node for node in nodes_in(loop.body) if isinstance(node, LoopNode)}
        inside = {number for node in nodes_in(loop.body) for number in defined(node)}
        offsets: list[Array] = []
        seen: set[tuple[Any, ...]] = set()
        for node in group:
            array = self.values[node.buffer]
            form = self._byte_form(array, node.indices)
            factor = dict(form.terms).get(loop.index, 0) * step
            form = form.without(loop.index)
            outer = [(key, value) for key, value in _terms(form) if key not in inner]
            if any(key in inside for key, _ in outer):
                return False
            seen.add((factor, array.itemsize, tuple(sorted(outer))))
            spread = self._spread(form, inner)
            if spread is None:
                return False
            offsets.append(spread)
        if len(seen) != 1:
            return False
        factor, itemsize, _ = seen.pop()
        return _never_meet(np.unique(np.concatenate(offsets)), abs(factor), itemsize, trips)

    def _byte_form(self, array: Array, indices: Sequence[int]) -> Linear:
        terms = (self.form(index) * stride for index, stride in zip(indices, array.strides, strict=True))
        return _total(terms, int(array.__array_interface__["data"][0]))

    def _spread(self, form: Linear, inner: dict[int, LoopNode]) -> Array | None:
        """Return the byte offsets of a form over the inner loops; None if there are too many or unknown."""
        terms = [(inner[key], factor) for key, factor in _terms(form) if key in inner]
        spans: list[range] = []
        for loop, _ in terms:
            interval, step = self.interval(loop.index), self.step(loop)
            if interval is None or step is None:
                return None
            spans.append(range(interval.low, interval.high + 1, step))
        if prod(len(span) for span in spans) > 1 << 22:
            return None
        offsets = np.array([form.constant], np.int64)
        for (_, factor), span in zip(terms, spans, strict=True):
            offsets = np.add.outer(offsets, np.array(span, np.int64) * factor).reshape(-1)
        return offsets


def _atom(number: int) -> Linear:
    return Linear(((number, 1),))


def _total(terms: Iterable[Linear], constant: int) -> Linear:
    return sum(terms, Linear((), constant))


def _terms(form: Linear) -> list[tuple[int, int]]:
    """Return the terms of a form without divisions."""
    return cast("list[tuple[int, int]]", list(form.terms))


def _never_meet(offsets: Array, factor: int, itemsize: int, trips: int | None) -> bool:
    """Return whether `offsets + factor * i` are distinct elements for distinct i in 0 .. trips - 1."""
    if factor == 0 or factor % itemsize or np.any((offsets - offsets[0]) % itemsize):
        return False
    turn, rest = np.divmod(offsets, factor)
    order = np.lexsort((turn, rest))
    same = np.diff(rest[order]) == 0
    distance = np.diff(turn[order])[same]
    return distance.size == 0 or (trips is not None and int(distance.min()) >= trips)


def overlap(a: Array, b: Array) -> bool:
    """Return whether two arrays may share an element."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=cast(Any, 10000)))
    except np.exceptions.TooHardError:
        return True
