"""
Computational branches of Transformer blocks, from the dependences of a network.

Attention is a product of activations whose one operand depends on whole rows of another product of activations, as a
softmax makes it. Its branches and heads are the connected components of the iteration space of both products: two
points are connected where they read a common element of an operand, or where one result depends on both. Components
that read the same rows of the input of a block are heads of one branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, cast

import islpy
from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue

from ...dialects.core.kernel import Kernel, is_kernel, kernel_of
from ...errors import Diagnostic
from ...ir import shape_of
from ...locations import where
from .branches_flow import Dependences, count, dims_of, is_product, onto, reads, relation

_SET = cast(Any, islpy).dim_type.set
_MOST_STEPS = 8
"""Squarings of a relation until its transitive closure: paths of up to 2^8 dependences."""


def _always(op: Operation) -> bool:
    return True


@dataclass(frozen=True)
class Attention:
    """
    A product of queries and keys, and the product of the result with values.

    `branches` and `heads` are counts; `queries`, `keys` those of a branch, `own_keys` the rows of keys that it
    projects. `labels` are the dimensions of the scores that tell components apart, `query_axes` those of the queries of
    one. `same` relates the elements of the block's input that belong to one branch.
    """

    scores: Operation
    context: Operation
    between: tuple[Operation, ...]
    projections: tuple[Operation | None, Operation | None, Operation | None]
    root: SSAValue
    labels: tuple[int, ...]
    query_axes: tuple[int, ...]
    branches: int
    heads: int
    queries: int
    keys: int
    own_keys: int
    head_channels: int
    channels: int
    reductions: tuple[Operation, ...]
    rows: Any
    """The isl map from a component to the elements of `root` that its queries come from."""

    @cached_property
    def branch_axes(self) -> tuple[int, ...]:
        """The labels that are equal wherever two components read the same rows: they tell branches apart."""
        first = self.rows.lexmin()
        pairs = first.apply_range(first.reverse())
        places = range(len(self.labels))
        fixed = [at for at in places if _fixes(pairs, at, len(self.labels))]
        return tuple(self.labels[at] for at in fixed)

    @cached_property
    def same(self) -> Any:
        """The isl map between elements of the block's input that one branch reads."""
        return self.rows.reverse().apply_range(self.rows).coalesce()


@dataclass(frozen=True)
class Refused:
    """A product of queries and keys, and that of its result with values, whose branches the `error` tells not found."""

    scores: Operation
    context: Operation
    error: Diagnostic


class AttentionNetwork:
    """Products of a function, the products that each value comes from, and its attention."""

    def __init__(self, function: FuncOp):
        self.flow = Dependences(function)
        self.order = {op: place for place, op in enumerate(function.body.block.ops)}
        self.products = [op for op in self.order if is_product(op) and op.results[0] in self.flow.active]
        self._sources: dict[SSAValue, frozenset[Operation]] = {}
        for op in self.order:
            own = frozenset([op]) if is_product(op) else self._of_operands(op)
            self._sources.update(dict.fromkeys(op.results, own))

    def _of_operands(self, op: Operation) -> frozenset[Operation]:
        empty: frozenset[Operation] = frozenset()
        return empty.union(*(self.sources(value) for value in reads(op)))

    def sources(self, value: SSAValue) -> frozenset[Operation]:
        """Return the products that a value comes from without another one between."""
        return self._sources.get(value, frozenset()) if value in self.flow.active else frozenset()

    def before(self, values: Sequence[SSAValue], after: int) -> list[Operation]:
        """Return the products that values come from, also through others, with an order above `after`."""
        products: set[Operation] = set()
        open_values = list(values)
        while open_values:
            new = {op for op in self.sources(open_values.pop()) if self.order[op] > after} - products
            products |= new
            open_values += [operand for op in new for operand in op.operands]
        return sorted(products, key=self.order.__getitem__)

    def data(self, product: Operation) -> list[int]:
        """Return the operands of a product that depend on arguments."""
        return [index for index in self.flow.operands(product) if index < 2]

    def is_projection(self, product: Operation) -> bool:
        """Return whether a product has constant weights."""
        return len(self.data(product)) == 1

    def width(self, product: Operation) -> int:
        """Return the channels of the result of a product with constant weights."""
        kernel, (data,) = kernel_of(product), self.data(product)
        own = dims_of(kernel.outputs[0]) & dims_of(kernel.inputs[1 - data]) - dims_of(kernel.inputs[data])
        return prod(kernel.bounds[dim] for dim in own)

    def attentions(self) -> Iterator[Attention | Refused]:
        """Yield the attention of the function, in program order; Refused where its branches are not found."""
        for context in self.products:
            if self.is_projection(context):
                continue
            attempts = [attempt for index in (0, 1) if (attempt := self._attempt(context, index)) is not None]
            yield from sorted(attempts, key=lambda attempt: isinstance(attempt, Refused))[:1]

    def _attempt(self, context: Operation, index: int) -> Attention | Refused | None:
        """Return the attention whose normalised scores are an operand of a product, None where it has none."""
        scores = [op for op in self.sources(context.operands[index]) if not self.is_projection(op)]
        if len(scores) != 1:
            return None
        try:
            return self._attention(scores[0], context, index)
        except Diagnostic as error:
            return Refused(scores[0], context, error)

    def _attention(self, scores: Operation, context: Operation, index: int) -> Attention | None:
        """Return the attention of these products, None where no softmax of the keys is between them."""
        flow, result = self.flow, scores.results[0]
        if scores in self.sources(context.operands[1 - index]):
            return None
        normalised = flow.reach(context.operands[index], _always).get(result)
        if normalised is None:
            raise Diagnostic(
                "a kernel between two products of activations has no affine dependences",
                where=where(context),
                expected="kernels without tables, and views of tensors",
                found=f"a path from {where(scores)} through another kernel",
            )
        kernel, space = kernel_of(scores), shape_of(result)
        mixed = [axis for axis in range(len(space)) if not _fixes(normalised, axis, len(space))]
        by_operand = [_axes(kernel, operand) for operand in (0, 1)]
        exclusive = set(by_operand[0]) - set(by_operand[1]), set(by_operand[1]) - set(by_operand[0])
        of_keys = [operand for operand in (0, 1) if mixed and exclusive[operand].issuperset(mixed)]
        if not of_keys:
            return None
        of_key, of_query = of_keys[0], 1 - of_keys[0]
        to_scores = flow.step(context, index).apply_range(normalised).coalesce()
        reads = [flow.step(scores, operand) for operand in (0, 1)]
        to_values = to_scores.reverse().apply_range(flow.step(context, 1 - index))
        together = _components([*reads, to_scores.reverse(), to_values], scores)
        labels = _labels(together, space, scores)
        facts = _Operands(self, scores, of_query, of_key, context.operands[1 - index])
        label = onto(space, labels)
        rows = label.reverse().apply_range(reads[of_query]).apply_range(facts.origin).coalesce()
        components = prod(space[axis] for axis in labels)
        branches = _branches(rows, scores)
        unlabelled = [axis for axis in range(len(space)) if axis not in labels]
        query_axes = tuple(axis for axis in unlabelled if axis in by_operand[of_query])
        queries = prod(space[axis] for axis in query_axes)
        keys = prod(space[axis] for axis in unlabelled if axis in by_operand[of_key])
        return Attention(
            scores,
            context,
            tuple(self._between(scores, context.operands[index])),
            facts.projections,
            facts.root,
            tuple(labels),
            query_axes,
            branches,
            components // branches,
            queries,
            keys,
            -(-facts.key_rows // branches) or keys,
            prod(kernel.bounds[dim] for dim in common_dims(kernel)),
            facts.channels,
            facts.reductions,
            rows,
        )

    def _between(self, scores: Operation, value: SSAValue) -> list[Operation]:
        """Return the ops from the scores to a value, in program order."""
        between: set[Operation] = set()
        open_values = [value]
        while open_values:
            current = open_values.pop()
            op = current.op if isinstance(current, OpResult) else None
            if op is None or op is scores or op in between or scores not in self.sources(current):
                continue
            between.add(op)
            open_values += [op.operands[index] for index in self.flow.operands(op)]
        return sorted(between, key=self.order.__getitem__)

    def projection_of(self, value: SSAValue) -> tuple[Operation | None, Any, SSAValue]:
        """
        Return the product with constant weights that a value comes from, and the map to the value that it reads.

        Of several products, such as of an image and of a smaller one of its windows, it is the one of most elements.
        Products of activations on the way, such as a rotation by position, are followed to the operand that comes from
        a product. None, with the map to an argument or another source, where there is no such product.
        """
        reached = self.flow.reach(value, _always)
        sources = [source for source in reached if isinstance(source, OpResult) and is_product(source.op)]
        if not sources:
            source = next(iter(reached))
            return None, reached[source], source
        product = max((source.op for source in sources), key=lambda op: (prod(shape_of(op.results[0])), self.order[op]))
        data = self.data(product)
        from_products = [index for index in data if self.sources(product.operands[index])]
        index = (from_products or data)[0]
        value = product.operands[index]
        map = reached[product.results[0]].apply_range(self.flow.step(product, index)).coalesce()
        if self.is_projection(product):
            return product, map, value
        deeper, rest, value = self.projection_of(value)
        return deeper, map.apply_range(rest).coalesce(), value


@dataclass
class _Operands:
    """Projections of queries, keys and values, and the input of the block that the queries come from."""

    network: AttentionNetwork
    scores: Operation
    of_query: int
    of_key: int
    values: SSAValue
    projections: tuple[Operation | None, Operation | None, Operation | None] = field(init=False)
    origin: Any = field(init=False)
    root: SSAValue = field(init=False)
    channels: int = field(init=False)
    reductions: tuple[Operation, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Follow the operands back."""
        network, operands = self.network, self.scores.operands
        query, origin, source = network.projection_of(operands[self.of_query])
        key, _, _ = network.projection_of(operands[self.of_key])
        value, _, _ = network.projection_of(self.values)
        self.projections = query, key, value
        roots = network.flow.reach(source, _copies(network.flow))
        self.root = max(roots, key=lambda root: prod(shape_of(root)))
        self.origin = origin.apply_range(roots[self.root]).coalesce()
        after = network.order[self.root.op] if isinstance(self.root, OpResult) else -1
        before = network.before([operands[self.of_key], self.values], after)
        self.reductions = tuple(op for op in before if op not in self.projections and network.is_projection(op))
        kernel = kernel_of(query if query is not None else self.scores)
        self.channels = prod(kernel.bounds[dim] for dim in common_dims(kernel))

    @property
    def key_rows(self) -> int:
        """Rows of keys that are projected, 0 where none is."""
        key = self.projections[1]
        if key is None:
            return 0
        kernel, (data,) = kernel_of(key), self.network.data(key)
        return prod(kernel.bounds[dim] for dim in spatial_dims(kernel, data))


def spatial_dims(kernel: Kernel, data: int) -> list[int]:
    """Return the dimensions of a product that its result and its data have, and its weights have not."""
    shared = dims_of(kernel.outputs[0]) & dims_of(kernel.inputs[data]) - dims_of(kernel.inputs[1 - data])
    return sorted(shared)


def _copies(flow: Dependences) -> Any:
    """
    Return the test of ops that move the elements of one operand, each by itself.

    Padding is none: its rows are queries too, and relations without it stay small.
    """

    def copies(op: Operation) -> bool:
        if isinstance(op, tensor.PadOp):
            return False
        return not is_kernel(op) or (not kernel_of(op).reductions and len(flow.operands(op)) == 1)

    return copies


def common_dims(kernel: Kernel) -> set[int]:
    """Return the dimensions that a product sums over."""
    return dims_of(kernel.inputs[0]) & dims_of(kernel.inputs[1]) & kernel.reduced


def _axes(kernel: Kernel, operand: int) -> set[int]:
    """Return the axes of the result whose dimensions one operand has."""
    dims = dims_of(kernel.inputs[operand])
    return {axis for axis, expr in enumerate(kernel.outputs[0].map.results) if expr.used_dims() & dims}


def _fixes(map: Any, axis: int, rank: int) -> bool:
    """Return whether a map gives each point one index along an axis of its range."""
    kept = onto_axis(rank, axis)
    return map.apply_range(kept).is_single_valued()


def onto_axis(rank: int, axis: int) -> Any:
    """Return the map from points of a rank to one of their indices."""
    names = [f"e{index}" for index in range(rank)]
    return relation(names, ["l"], [f"l = e{axis}"])


def _components(accesses: Sequence[Any], op: Operation) -> Any:
    """Return the equivalence of the points that are connected by common elements of these accesses."""
    together: Any = None
    for access in accesses:
        pairs = access.apply_range(access.reverse()).coalesce()
        together = pairs if together is None else together.union(pairs).coalesce()
    for _ in range(_MOST_STEPS):
        more = together.apply_range(together).coalesce()
        if more.is_subset(together):
            return together
        together = more
    raise Diagnostic(
        "the dependences of an attention have no closure",
        where=where(op),
        expected=f"one after at most {_MOST_STEPS} squarings of the relation",
        found=str(together),
    )


def _labels(together: Any, shape: Sequence[int], op: Operation) -> list[int]:
    """Return the axes whose indices tell components apart. Raises Diagnostic where no set of axes does."""
    axes = range(len(shape))
    separating = [
        axis
        for axis in axes
        if shape[axis] == 1 or together.apply_range(onto_axis(len(shape), axis)).is_equal(onto(shape, [axis]))
    ]
    labels = onto(shape, separating)
    if together.is_equal(labels.apply_range(labels.reverse())):
        return separating
    raise Diagnostic(
        "branches of an attention are not told apart by axes of its scores",
        where=where(op),
        expected="components of equal size, one for each index of some axes",
        found=str(together),
    )


def _branches(rows: Any, op: Operation) -> int:
    """
    Return the number of sets of rows that the components read.

    Raises Diagnostic where two sets have a common row, and not the same first one.
    """
    same, first = rows.apply_range(rows.reverse()), rows.lexmin()
    if not same.is_subset(first.apply_range(first.reverse())):
        raise Diagnostic(
            "queries of two branches overlap",
            where=where(op),
            expected="windows that divide the rows",
            found=str(same),
            remedy="pad the image to a multiple of the window",
        )
    return count(first.range())


def first_rows(attention: Attention) -> list[int]:
    """Return the rows of the first branch in row-major order, without the axis of the channels."""
    shape = shape_of(attention.root)
    axes = [axis for axis, extent in enumerate(shape) if extent == attention.channels]
    kept = [axis for axis in range(len(shape)) if axis != (axes[-1] if axes else -1)]
    first = attention.rows.intersect_domain(attention.rows.domain().lexmin())
    rows = first.apply_range(onto(shape, kept)).range().coalesce()
    sizes = [shape[axis] for axis in kept]
    positions: list[int] = []

    def enter(point: Any) -> None:
        positions.append(_row_major(point, sizes))

    rows.foreach_point(enter)
    return sorted(positions)


def _row_major(point: Any, sizes: Sequence[int]) -> int:
    index = 0
    for axis, size in enumerate(sizes):
        index = index * size + int(point.get_coordinate_val(_SET, axis).to_python())
    return index
