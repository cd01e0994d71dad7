"""
Vectorised evaluation of structured kernels, from their view (`dialects/core/kernel.py`) alone.

The iteration domain is evaluated as whole arrays. A reduction with an associative combiner is folded (`folding.py`);
others run sequentially over the reduction dimensions, vectorised over the rest. Large domains are split along parallel
dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects import memref, tensor
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.kernel import Access, Kernel, Reduction
from ...dialects.core.semantics import SCALAR_RULES, SEMANTICS_REMEDY
from ...errors import Diagnostic
from ...ir import Array, where
from .access import operand_view, taken, write_points
from .arithmetic import attribute_value
from .folding import at_point, fold, is_combiner, is_sum_of_products, sum_of_products

LARGEST = 1 << 23
"""Maximum elements of an intermediate array before the domain is split."""


@dataclass(frozen=True)
class _Fold:
    """Update of an accumulator: `combiner(accumulator, value)`; `factors` if the value is a product in a sum."""

    combiner: Operation
    value: SSAValue
    factors: tuple[SSAValue, SSAValue] | None


@dataclass(frozen=True)
class _DomainBox:
    """Box of the iteration domain: its lowest point and its extents."""

    origin: tuple[int, ...]
    extents: tuple[int, ...]

    def part(self, values: Array) -> Array:
        """Slice an array over the whole domain to the box."""
        corner = zip(self.origin, self.extents, values.shape, strict=True)
        return values[tuple(slice(start, start + n) if full > 1 else slice(None) for start, n, full in corner)]

    def indices(self, dim: int) -> Array:
        """Return the index along a dimension, for `linalg.index`."""
        shape = [-1 if axis == dim else 1 for axis in range(len(self.extents))]
        return np.arange(self.origin[dim], self.origin[dim] + self.extents[dim]).reshape(shape)

    def halves(self, dim: int) -> tuple[_DomainBox, _DomainBox]:
        """Split the box at the middle of a dimension."""
        first = self.extents[dim] // 2
        rest = self.extents[dim] - first
        return (
            _DomainBox(self.origin, _with(self.extents, dim, first)),
            _DomainBox(_with(self.origin, dim, self.origin[dim] + first), _with(self.extents, dim, rest)),
        )


def _with(values: tuple[int, ...], index: int, new: int) -> tuple[int, ...]:
    return (*values[:index], new, *values[index + 1 :])


def run_kernel(kernel: Kernel, value_of: Callable[[SSAValue], Array], targets: Sequence[Array]) -> None:
    """
    Compute a kernel into `targets`, the arrays of its outputs, which hold the old elements on entry.

    `value_of` gives the arrays of operands and captured values. Raises Diagnostic for bodies with non-scalar ops and
    for maps out of bounds.
    """
    if 0 in (kernel.bounds[d] for d in range(len(kernel.bounds)) if d not in kernel.reduced):
        return
    old = dict(zip((access.value for access in kernel.outputs), targets, strict=True))
    views = _Views(kernel, lambda value: old[value] if value in old else value_of(value), value_of)
    folds = [_folds(reduction.body) for reduction in kernel.reductions]
    whole = _DomainBox((0,) * len(kernel.bounds), kernel.bounds)
    for box in _parts(kernel, views, folds, whole):
        _run_box(views, folds, box, targets)


class _Views:
    """Operands of a kernel as arrays over the iteration domain."""

    def __init__(self, kernel: Kernel, array: Callable[[SSAValue], Array], captured: Callable[[SSAValue], Array]):
        self.kernel = kernel
        self.captured = captured
        self.inputs = [self._view(access, array) for access in kernel.inputs]
        self.extras = [self._view(access, array) for access in kernel.extras]
        starts_from_outputs = any(None in reduction.initial for reduction in kernel.reductions)
        self.outputs = [self._view(access, array) for access in kernel.outputs] if starts_from_outputs else []

    def _view(self, access: Access, array: Callable[[SSAValue], Array]) -> Array:
        fill = None if access.fill is None else attribute_value(access.fill)
        source = array(access.value)
        if not hasattr(access.value.type, "get_shape"):
            return np.asarray(source).reshape((1,) * len(self.kernel.bounds))
        return operand_view(source, access.map, self.kernel.bounds, fill)


def _parts(kernel: Kernel, views: _Views, folds: Sequence[list[_Fold] | None], box: _DomainBox) -> list[_DomainBox]:
    """Partition a box until no intermediate array is large."""
    free = [d for d in range(len(box.extents)) if d not in kernel.reduced and box.extents[d] > 1]
    if not free or _largest_array(kernel, views, folds, box) <= LARGEST:
        return [box]
    first, second = box.halves(max(free, key=lambda d: box.extents[d]))
    return [*_parts(kernel, views, folds, first), *_parts(kernel, views, folds, second)]


def _largest_array(kernel: Kernel, views: _Views, folds: Sequence[list[_Fold] | None], box: _DomainBox) -> int:
    contracts = all(part is not None and all(f.factors for f in part) for part in folds)
    if contracts and kernel.reductions and kernel.result is None:
        sizes = [prod(min(a, b) for a, b in zip(view.shape, box.extents, strict=True)) for view in views.inputs]
        return max([*sizes, prod(n for d, n in enumerate(box.extents) if d not in kernel.reduced)])
    return prod(box.extents)


def _run_box(views: _Views, folds: Sequence[list[_Fold] | None], box: _DomainBox, targets: Sequence[Array]) -> None:
    kernel = views.kernel
    inputs = [box.part(view) for view in views.inputs]
    accumulators: list[Array] = []
    for reduction, folded in zip(kernel.reductions, folds, strict=True):
        initial = [
            box.part(views.outputs[i]) if attr is None else _scalar_point(attr, box)
            for i, attr in enumerate(reduction.initial)
        ]
        operands = [*inputs, *accumulators]
        if folded is None:
            accumulators += _in_sequence(kernel, views, box, reduction.body, operands, initial)
        else:
            accumulators += _folded(kernel, views, box, reduction, folded, operands, initial)
    results = accumulators
    if kernel.result is not None:
        results = evaluate(kernel.result, [*inputs, *accumulators], box, views.captured)
    if kernel.epilogue is not None:
        extras = [box.part(view) for view in views.extras]
        results = evaluate(kernel.epilogue, [*results, *extras], box, views.captured)
    for access, target, values in zip(kernel.outputs, targets, results, strict=True):
        _write(kernel, access, target, values, box)


def _scalar_point(attr: Attribute, box: _DomainBox) -> Array:
    return np.asarray(attribute_value(attr)).reshape((1,) * len(box.extents))


def _write(kernel: Kernel, access: Access, target: Array, values: Array, box: _DomainBox) -> None:
    """Write one output's elements of a box."""
    used = {d for expr in access.map.results for d in expr.used_dims()}
    if loose := [d for d, extent in enumerate(np.shape(values)) if extent > 1 and d not in used]:
        raise Diagnostic(f"the result varies along dimension d{loose[0]}, which the output's map {access.map} ignores")
    if box.extents == kernel.bounds:
        write_points(target, access.map, kernel.bounds, values)
        return
    shifted = access.map.compose(_shift(box.origin))
    write_points(target, shifted, box.extents, values)


def _shift(origin: Sequence[int]) -> AffineMap:
    dims = AffineMap.identity(len(origin)).results
    return AffineMap(len(origin), 0, tuple(dim + start for dim, start in zip(dims, origin, strict=True)))


# Reductions


def _folds(body: Block) -> list[_Fold] | None:
    """Match the folds of a body's accumulators, its last arguments; None for other updates."""
    last = body.last_op
    assert last is not None
    own = list(body.args[len(body.args) - len(last.operands) :])
    folds = [_fold_of(arg, value, own) for arg, value in zip(own, last.operands, strict=True)]
    return None if None in folds else cast("list[_Fold]", folds)


def _fold_of(accumulator: BlockArgument, result: SSAValue, own: Sequence[SSAValue]) -> _Fold | None:
    op = result.owner
    if not isinstance(op, Operation) or not is_combiner(op) or not _used_once(accumulator) or not _used_once(result):
        return None
    if accumulator not in op.operands:
        return None
    value = op.operands[1] if op.operands[0] is accumulator else op.operands[0]
    if _depends(value, set(own)):
        return None
    product_op = value.owner
    if not isinstance(product_op, Operation) or not is_sum_of_products(op, product_op) or not _used_once(value):
        return _Fold(op, value, None)
    return _Fold(op, value, (product_op.operands[0], product_op.operands[1]))


def _used_once(value: SSAValue) -> bool:
    return value.has_one_use()


def _depends(value: SSAValue, on: set[SSAValue]) -> bool:
    if value in on:
        return True
    return isinstance(value.owner, Operation) and any(_depends(operand, on) for operand in value.owner.operands)


def _folded(
    kernel: Kernel,
    views: _Views,
    box: _DomainBox,
    reduction: Reduction,
    folds: Sequence[_Fold],
    inputs: Sequence[Array],
    initial: Sequence[Array],
) -> list[Array]:
    skipped = {f.combiner for f in folds} | {f.value.owner for f in folds if f.factors}
    axes = sorted(kernel.reduced)
    arguments: dict[SSAValue, Array] = dict(zip(reduction.body.args, inputs, strict=False))
    env = evaluate_ops(reduction.body, arguments, box, views.captured, cast("set[Operation]", skipped))
    value_of = partial(_lookup, env, views.captured)
    results: list[Array] = []
    for f, start in zip(folds, initial, strict=True):
        if f.factors:
            a, b = (_full_rank(value_of(value), box) for value in f.factors)
            results.append(sum_of_products(f.combiner, start, a, b, axes, box.extents))
        else:
            results.append(fold(f.combiner, start, _full_rank(value_of(f.value), box), axes, box.extents))
    return results


def _lookup(env: Mapping[SSAValue, Array], captured: Callable[[SSAValue], Array], value: SSAValue) -> Array:
    return env[value] if value in env else captured(value)


def _full_rank(values: Array, box: _DomainBox) -> Array:
    values = np.asarray(values)
    return values if values.ndim == len(box.extents) else values.reshape((1,) * len(box.extents))


def _in_sequence(
    kernel: Kernel, views: _Views, box: _DomainBox, body: Block, inputs: Sequence[Array], initial: Sequence[Array]
) -> list[Array]:
    axes = sorted(kernel.reduced)
    own = list(initial)
    for point in product(*(range(box.extents[d]) for d in axes)):
        at = dict(zip(axes, point, strict=True))
        here = _DomainBox(
            tuple(start + at.get(d, 0) for d, start in enumerate(box.origin)),
            tuple(1 if d in at else extent for d, extent in enumerate(box.extents)),
        )
        cut = [at_point(values, at) for values in inputs]
        own = evaluate(body, [*cut, *own], here, views.captured)
    return own


# Bodies


def evaluate(
    block: Block, arguments: Sequence[Array], box: _DomainBox, captured: Callable[[SSAValue], Array]
) -> list[Array]:
    """Evaluate a block of scalar ops on whole arrays; return the yielded arrays."""
    env = evaluate_ops(block, dict(zip(block.args, arguments, strict=True)), box, captured, set())
    assert block.last_op is not None
    return [env[value] if value in env else captured(value) for value in block.last_op.operands]


def evaluate_ops(
    block: Block,
    env: dict[SSAValue, Array],
    box: _DomainBox,
    captured: Callable[[SSAValue], Array],
    skipped: set[Operation],
) -> dict[SSAValue, Array]:
    """Evaluate the scalar ops of a block, without its terminator and `skipped`; return all values."""
    for op in block.ops:
        if op is block.last_op or op in skipped:
            continue
        if isinstance(op, linalg.IndexOp):
            env[op.result] = box.indices(op.dim.value.data)
            continue
        if isinstance(op, tensor.ExtractOp | memref.LoadOp):
            table, *indices = (env[value] if value in env else captured(value) for value in op.operands)
            env[op.results[0]] = taken(op, table, indices)
            continue
        rule = SCALAR_RULES.get(type(op))
        if rule is None:
            raise Diagnostic(
                f"no interpreter rule for '{op.name}' in the body of a kernel",
                where=where(op),
                remedy=SEMANTICS_REMEDY,
            )
        operands = [env[value] if value in env else captured(value) for value in op.operands]
        results = rule(op, *operands)
        env.update(zip(op.results, (results,) if len(op.results) == 1 else results, strict=True))
    return env
