"""Semantics of structured kernels of any dialect, and of other linalg ops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import Kernel, kernel_of
from ...dialects.core.layout_arrays import LayoutArray, strided
from ...dialects.core.semantics import Runner, Value, semantics
from ...ir import Array
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
