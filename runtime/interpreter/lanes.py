"""
Vectorised execution of loop nests.

Each loop of a nest has an axis, by its depth. A value is an array with an axis per depth, of extent 1 along loops in
which it is invariant. Loops without loop-carried dependences (`facts.py`), and loops that fold their carried values,
are vectorised along their axis; a fold covers all loops that forward the value. Other loops run sequentially, on all
lanes of the enclosing loops. Masks mark the active lanes if bounds or conditions diverge.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, cast

import numpy as np
from xdsl.dialects import scf

from ...dialects.core.layout_arrays import LayoutArray
from ...dialects.core.semantics import SCALAR_RULES, Runner, Value
from ...errors import Diagnostic
from ...ir import Array, where
from .facts import LoopFold, facts_of
from .folding import fold, neutral, sum_of_products
from .footprint import footprint
from .nests import BranchNode, ComputeNode, LoadNode, LoopNode, Node, ScalarNest, StoreNode, nest_of

LARGEST = 1 << 22
"""Target maximum of elements of an array; loops are strip-mined to it."""

Mask = Array | None


def run_nest(runner: Runner, op: scf.ForOp) -> Sequence[Value] | None:
    """Run a loop as a nest and return its results; None for an unsupported loop."""
    nest = runner.cached(op, nest_of)
    if nest is None:
        return None
    values: dict[int, Array] = {number: runner.value(value) for number, value in nest.inputs.items()}
    if any(isinstance(value, LayoutArray) for value in values.values()):
        return None
    return run_loop_nest(nest, values, runner)


def run_loop_nest(nest: ScalarNest, values: dict[int, Any], runner: Runner) -> list[Any]:
    """
    Run a nest on the values of its inputs and return the results of its outermost loop.

    A bounded runner counts the iterations of each loop, once for all lanes of the loops around it.
    """
    machine = _Lanes(nest, values, runner)
    machine.loop(nest.loop, None)
    return [machine.env[number] for number in nest.loop.outs]


class _Lanes:
    """Execution state of a nest."""

    def __init__(self, nest: ScalarNest, values: dict[int, Any], runner: Runner):
        self.nest = nest
        self.runner = runner
        self.facts = facts_of(nest, values)
        self.env: dict[int, Any] = dict(values)
        self.extents = [1] * nest.depth
        self.vectorised = 0

    def nodes(self, nodes: Sequence[Node], mask: Mask, skipped: Set[Node] = frozenset()) -> None:
        """Run nodes in order, except the skipped ones."""
        for node in nodes:
            if node in skipped:
                continue
            match node:
                case ComputeNode():
                    self._compute(node)
                case LoadNode():
                    self.env[node.out] = self._load(node, mask)
                case StoreNode():
                    self._store(node, mask)
                case LoopNode():
                    self.loop(node, mask)
                case BranchNode():
                    self._branch(node, mask)

    def _compute(self, node: ComputeNode) -> None:
        results = SCALAR_RULES[type(node.op)](node.op, *[self.env[number] for number in node.args])
        for number, result in zip(node.outs, (results,) if len(node.outs) == 1 else results, strict=True):
            self.env[number] = result

    def full(self, value: Any) -> Array:
        """Return a value with all axes."""
        array = np.asarray(value)
        return array if array.ndim == self.nest.depth else array.reshape((1,) * self.nest.depth)

    # Memory

    def _indices(self, node: LoadNode | StoreNode, array: Array, mask: Mask) -> list[Any]:
        """Return indices, checked to be in bounds in active lanes, and 0 for inactive lanes out of bounds."""
        return [
            self._index(node, axis, self.env[number], extent, mask)
            for axis, (number, extent) in enumerate(zip(node.indices, array.shape, strict=True))
        ]

    def _index(self, node: LoadNode | StoreNode, axis: int, index: Any, extent: int, mask: Mask) -> Any:
        if np.min(index) >= 0 and np.max(index) < extent:
            return index
        if mask is not None:
            index = np.where(mask, index, 0)
        low, high = int(np.min(index)), int(np.max(index))
        if low < 0 or high >= extent:
            raise Diagnostic(
                f"'{node.op.name}' is out of bounds along axis {axis}",
                where=where(node.op),
                expected=f"0 to {extent - 1}",
                found=str(low if low < 0 else high),
            )
        return index

    def _load(self, node: LoadNode, mask: Mask) -> Any:
        array = self.env[node.buffer]
        if mask is not None and not mask.any():
            return array.dtype.type(0)
        indices = self._indices(node, array, mask)
        if not array.flags.c_contiguous or all(np.ndim(index) == 0 for index in indices):
            return array[tuple(indices)]
        flat = 0
        for index, extent in zip(indices, array.shape, strict=True):
            flat = flat * extent + index
        return array.reshape(-1).take(flat)

    def _store(self, node: StoreNode, mask: Mask) -> None:
        array, value = self.env[node.buffer], self.env[node.value]
        if not array.flags.writeable:
            raise Diagnostic(f"'{node.op.name}' writes to constant memory", where=where(node.op))
        if mask is None:
            indices = self._indices(node, array, None)
            spread = any(np.ndim(index) for index in indices)
            array[tuple(indices)] = value if spread else np.asarray(value).reshape(-1)[0]
            return
        shape = np.broadcast_shapes(mask.shape, *(np.shape(self.env[number]) for number in node.indices))
        shape = np.broadcast_shapes(shape, np.shape(value))
        active = np.broadcast_to(mask, shape)
        if not active.any():
            return
        indices = self._indices(node, array, mask)
        places = tuple(np.broadcast_to(index, shape)[active] for index in indices)
        array[places] = np.broadcast_to(value, shape)[active]

    # Control flow

    def _branch(self, node: BranchNode, mask: Mask) -> None:
        condition = self.env[node.condition]
        if np.size(condition) == 1:
            side = 0 if bool(np.all(condition)) else 1
            self.nodes(node.sides[side], mask)
            outs: list[Any] = [self.env[number] for number in node.yields[side]]
        else:
            both = [condition if mask is None else condition & mask, ~condition if mask is None else ~condition & mask]
            for side, active in zip(node.sides, both, strict=True):
                self.nodes(side, active)
            pairs = zip(node.yields[0], node.yields[1], strict=True)
            outs = [cast(Any, np.where(condition, self.env[a], self.env[b])) for a, b in pairs]
        self.env.update(zip(node.outs, outs, strict=True))

    def loop(self, loop: LoopNode, mask: Mask) -> None:
        """Run a loop."""
        if np.min(self.env[loop.step]) <= 0:
            raise Diagnostic(
                f"a loop with the step {np.min(self.env[loop.step])} does not end",
                where=where(loop.op),
                expected="a step above 0",
            )
        if self.runner.is_bounded:
            self.runner.spend(loop.op, self._trips(loop))
        if self.facts.plan(loop):
            self._fold_loop(loop, mask)
        elif self.facts.independent(loop) and (self.vectorised or self._fits(loop)):
            self._independent_loop(loop, mask)
        else:
            self._in_sequence(loop, mask)

    def _trips(self, loop: LoopNode) -> int:
        """Return an upper bound of the iterations of a loop in any lane."""
        lower, upper = np.min(self.env[loop.lower]), np.max(self.env[loop.upper])
        return max(0, -(-(int(upper) - int(lower)) // int(np.min(self.env[loop.step]))))

    def _fits(self, loop: LoopNode) -> bool:
        """Return whether one iteration is small enough to vectorise, or has no inner loop to vectorise instead."""
        if footprint(self.facts, loop) <= LARGEST:
            return True
        return not any(isinstance(node, LoopNode) and self.facts.independent(node) for node in loop.body)

    def _parts(self, loop: LoopNode) -> list[tuple[Any, Any]]:
        """Return the bounds of the strips of a loop (strip-mining)."""
        lower, upper, step = self.env[loop.lower], self.env[loop.upper], int(np.max(self.env[loop.step]))
        if self.vectorised or np.size(lower) > 1 or np.size(upper) > 1:
            return [(lower, upper)]
        chunk = max(1, LARGEST // footprint(self.facts, loop)) * step
        first, last = _number(lower), _number(upper)
        return [(np.int64(start), np.int64(min(last, start + chunk))) for start in range(first, last, chunk)]

    def _independent_loop(self, loop: LoopNode, mask: Mask) -> None:
        for lower, upper in self._parts(loop):
            inner = self._enter(loop, lower, upper, mask)
            if self.extents[loop.depth]:
                self.nodes(loop.body, inner)
            self._leave(loop)

    def _enter(self, loop: LoopNode, lower: Any, upper: Any, mask: Mask) -> Mask:
        """Vectorise a loop's index along its axis between these bounds, and return the mask of the active lanes."""
        self.vectorised += 1
        step = int(np.max(self.env[loop.step]))
        dtype: np.dtype[Any] = np.asarray(lower).dtype
        shape = [-1 if axis == loop.depth else 1 for axis in range(self.nest.depth)]
        if np.size(lower) == 1 and np.size(upper) == 1:
            indices = _range(_number(lower), _number(upper), step, dtype).reshape(shape)
            self.env[loop.index] = indices
            self.extents[loop.depth] = indices.size
            return mask
        lower, upper = (np.asarray(bound) if mask is None else _active(bound, mask) for bound in (lower, upper))
        first, last = int(lower.min()), int(upper.max())
        if step == 1:
            indices = _range(first, last, 1, dtype).reshape(shape)
            active = (indices >= lower) & (indices < upper)
        else:
            count = max(0, int(np.max(-((lower - upper) // step))))
            indices = lower + _range(0, count * step, step, dtype).reshape(shape)
            active = indices < upper
        self.env[loop.index] = indices
        self.extents[loop.depth] = indices.shape[loop.depth]
        return active if mask is None else active & mask

    def _leave(self, loop: LoopNode) -> None:
        self.vectorised -= 1
        self.extents[loop.depth] = 1

    def _in_sequence(self, loop: LoopNode, mask: Mask) -> None:
        lower, upper, step = (self.env[number] for number in (loop.lower, loop.upper, loop.step))
        carried: list[Any] = [self.env[number] for number in loop.inits]
        uniform = np.size(lower) == 1 and np.size(upper) == 1
        if mask is not None and not uniform:
            lower, upper = _active(lower, mask), _active(upper, mask)
        count = int(np.max(-((np.asarray(lower) - upper) // step), initial=0))
        for turn in range(count):
            index = lower + step * np.asarray(turn).astype(np.asarray(lower).dtype)
            active = mask if uniform else (index < upper if mask is None else (index < upper) & mask)
            self.env[loop.index] = index
            self.env.update(zip(loop.args, carried, strict=True))
            self.nodes(loop.body, active)
            new = [self.env[number] for number in loop.yields]
            carried = new if active is None or uniform else _chosen(active, new, carried)
        self.env.update(zip(loop.outs, carried, strict=True))

    # Folds

    def _fold_loop(self, loop: LoopNode, mask: Mask) -> None:
        carried = [self.env[number] for number in loop.inits]
        for lower, upper in self._parts(loop):
            carried = self._fold(loop, lower, upper, mask, (), carried)
        if not self.vectorised:
            carried = [np.asarray(value).reshape(-1)[0] for value in carried]
        self.env.update(zip(loop.outs, carried, strict=True))

    def _fold(
        self, loop: LoopNode, lower: Any, upper: Any, mask: Mask, axes: tuple[int, ...], initial: Sequence[Any]
    ) -> list[Any]:
        """Return the carried values after a loop's iterations and the axes folded with it."""
        plan = self.facts.plan(loop)
        assert plan is not None
        inner_mask = self._enter(loop, lower, upper, mask)
        if not self.extents[loop.depth]:
            self._leave(loop)
            return list(initial)
        folded = [node for step in plan for node in (step.combiner, step.product, step.inner) if node is not None]
        self.nodes(loop.body, inner_mask, set(folded))
        axes = (*axes, loop.depth)
        starts = {(step.inner, step.position): value for step, value in zip(plan, initial, strict=True)}
        inner: dict[LoopNode, list[Any]] = {}
        results: list[Any] = []
        for step, value in zip(plan, initial, strict=True):
            if step.inner is None:
                results.append(self._leaf(step, inner_mask, axes, value))
                continue
            nested = step.inner
            if nested not in inner:
                bounds = self.env[nested.lower], self.env[nested.upper]
                carried = [starts.get((nested, place)) for place in range(len(nested.inits))]
                inner[nested] = self._fold(nested, *bounds, inner_mask, axes, carried)
            results.append(inner[nested][step.position])
        self._leave(loop)
        return results

    def _leaf(self, step: LoopFold, mask: Mask, axes: Sequence[int], initial: Any) -> Array:
        assert step.combiner is not None
        op = step.combiner.op
        if step.product is not None:
            a, b = (self.full(self.env[number]) for number in step.product.args)
            if mask is not None:
                a, b = _masked_factors(a, b, self.full(mask))
            return sum_of_products(op, initial, a, b, axes, self.extents)
        value = self.full(self.env[step.value])
        if mask is not None:
            value = np.where(self.full(mask), value, neutral(op))
        return fold(op, initial, value, axes, self.extents)


def _masked_factors(a: Array, b: Array, mask: Array) -> tuple[Array, Array]:
    """Zero one factor in inactive lanes: the one whose array is smaller."""
    sizes = [np.prod(np.broadcast_shapes(factor.shape, mask.shape)) for factor in (a, b)]
    if sizes[0] <= sizes[1]:
        return np.where(mask, a, a.dtype.type(0)), b
    return a, np.where(mask, b, b.dtype.type(0))


def _active(bound: Any, mask: Array) -> Array:
    """Replace a bound in inactive lanes by that of an active one, to not widen the range."""
    values, mask = np.broadcast_arrays(bound, mask)
    filler = values[mask][0] if mask.any() else values.dtype.type(0)
    return np.where(mask, values, filler)


def _chosen(active: Array, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    return [np.where(active, n, o) for n, o in zip(new, old, strict=True)]


def _range(first: int, last: int, step: int, dtype: np.dtype[Any]) -> Array:
    return np.arange(first, last, step).astype(dtype)


def _number(value: Any) -> int:
    return int(np.asarray(value).reshape(-1)[0])
