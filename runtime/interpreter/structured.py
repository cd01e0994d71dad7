"""Semantics of structured kernels of any dialect, and of other linalg ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.core.kernel import Access, Kernel, Reduction, kernel_of
from ...dialects.core.layout_arrays import LayoutArray, strided
from ...dialects.core.semantics import Runner, Value, semantics
from ...ir import Array, shape_of
from .kernels import run_kernel


def run_structured(runner: Runner, op: Operation, operands: Sequence[Value]) -> list[Array]:
    """Run a structured op into its output memrefs, or into new tensors, which are returned."""
    return _run(runner, kernel_of(op), dict(zip(op.operands, operands, strict=True)))


def _run(runner: Runner, kernel: Kernel, values: dict[SSAValue, Value]) -> list[Array]:
    def value_of(value: SSAValue) -> Value:
        return strided(values[value] if value in values else runner.value(value))

    targets: list[Array] = []
    results: list[Array] = []
    for access in kernel.outputs:
        array = values[access.value]
        if not isinstance(access.value.type, MemRefType):
            array = np.array(array)
            results.append(array)
        targets.append(strided(array))
    run_kernel(kernel, value_of, targets)
    for access, target in zip(kernel.outputs, targets, strict=True):
        if isinstance(whole := values[access.value], LayoutArray):
            whole[...] = target
    return results


@semantics(linalg.FillOp)
def _fill(runner: Runner, op: linalg.FillOp, operands: Sequence[Value]) -> list[Array]:
    value, output = operands
    if isinstance(op.outputs[0].type, MemRefType):
        output[...] = value
        return []
    return [np.full_like(output, value)]


@semantics(linalg.BroadcastOp)
def _broadcast(runner: Runner, op: linalg.BroadcastOp, operands: Sequence[Value]) -> list[Array]:
    source, output = operands
    added: Any = tuple(op.dimensions.get_values())
    return _store(op.init, output, np.broadcast_to(np.expand_dims(source, added), output.shape))


def _store(target: SSAValue, old: Array, new: Array) -> list[Array]:
    if isinstance(target.type, MemRefType):
        old[...] = new
        return []
    return [np.array(new)]


@semantics(linalg.ReduceOp)
def _reduce(runner: Runner, op: linalg.ReduceOp, operands: Sequence[Value]) -> list[Array]:
    bounds = shape_of(op.input)
    reduced = frozenset(int(d) for d in op.dimensions.get_values())
    kept = [d for d in range(len(bounds)) if d not in reduced]
    identity = AffineMap.identity(len(bounds))
    target = AffineMap(len(bounds), 0, tuple(identity.results[d] for d in kept))
    kernel = Kernel(
        bounds,
        reduced,
        (Access(op.input, identity),),
        (Access(op.init, target),),
        reductions=(Reduction((None,), op.region.block),),
    )
    return _run(runner, kernel, dict(zip(op.operands, operands, strict=True)))
