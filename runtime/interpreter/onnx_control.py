"""Semantics of the graph-level operators with subgraphs: If, Loop, Scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Region

from ...dialects.core.semantics import Runner, Value, semantics
from ...dialects.onnx import op_class
from ...dialects.onnx.registry import Registry
from ...dialects.onnx.schema import OnnxOp
from ...errors import Diagnostic
from ...ir import Array, element_of, numpy_type, shape_of, where

CONTROL: Registry[str, Callable[..., Sequence[Value]]] = Registry("interpreter")
"""Operator -> `(runner, op, operands) -> results`."""


@CONTROL.rule("If")
def _if(runner: Runner, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    condition = np.asarray(operands[0]).reshape(-1)[0]
    region: Region = op.then_branch if condition else op.else_branch
    return runner.run_region(region, ())


@CONTROL.rule("Loop")
def _loop(runner: Runner, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    values = iter(operands)
    turns, condition, *carried = (None if value is None else next(values) for value in op.node_inputs)
    goes_on = True if condition is None else bool(np.asarray(condition).reshape(-1)[0])
    most = None if turns is None else int(np.asarray(turns).reshape(-1)[0])
    count, collected = 0, list[list[Array]]([] for _ in op.results[len(carried) :])
    kinds = [argument.type for argument in op.body.block.args[:2]]
    while goes_on and (most is None or count < most):
        arguments = [np.array(count, np.int64), np.array(True)]
        arguments = [array.reshape(kind.get_shape()) for array, kind in zip(arguments, kinds, strict=True)]
        condition, *results = runner.run_region(op.body, [*arguments, *carried])
        goes_on, count = bool(np.asarray(condition).reshape(-1)[0]), count + 1
        carried = results[: len(carried)]
        for parts, part in zip(collected, results[len(carried) :], strict=True):
            parts.append(part)
    return [*carried, *(_padded(op, len(carried) + n, parts) for n, parts in enumerate(collected))]


def _padded(op: OnnxOp, index: int, parts: Sequence[Array]) -> Array:
    """Stack a result's values over the iterations, padded with zeros to the loop's bound."""
    result = op.results[index]
    shape = shape_of(result)
    missing = [np.zeros(shape[1:], numpy_type(element_of(result)))] * (shape[0] - len(parts))
    return _stacked(op, index, [*parts, *missing], 0)


@CONTROL.rule("Scan")
def _scan(runner: Runner, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    count = int(op.attribute("num_scan_inputs"))
    states, scanned = list(operands[:-count]), operands[-count:]
    axes, directions = (op.attribute(f"scan_input_{name}") or (0,) * count for name in ("axes", "directions"))
    sequences = [
        np.moveaxis(array, axis, 0)[:: -1 if backwards else 1]
        for array, axis, backwards in zip(scanned, axes, directions, strict=True)
    ]
    collected = list[list[Array]]([] for _ in op.results[len(states) :])
    for slices in zip(*sequences, strict=True):
        results = list(runner.run_region(op.body, [*states, *(np.array(array) for array in slices)]))
        for parts, part in zip(collected, results[len(states) :], strict=True):
            parts.append(part)
        states = results[: len(states)]
    axes, directions = (op.attribute(f"scan_output_{name}") or (0,) * len(collected) for name in ("axes", "directions"))
    gathered = zip(collected, axes, directions, strict=True)
    return [
        *states,
        *(
            _stacked(op, len(states) + n, parts[::-1] if backwards else parts, axis)
            for n, (parts, axis, backwards) in enumerate(gathered)
        ),
    ]


def _stacked(op: OnnxOp, index: int, parts: Sequence[Array], axis: int) -> Array:
    """Stack a result's values over the iterations along a new axis. Raises Diagnostic for another length."""
    result = op.results[index]
    shape = shape_of(result)
    if len(parts) != shape[axis]:
        raise Diagnostic(
            f"result {index} of '{op.name}' has a data-dependent extent: the trip count of the loop",
            where=where(op),
            expected=f"{shape[axis]} iterations",
            found=f"{len(parts)} iterations",
        )
    return np.stack(parts, axis) if parts else np.zeros(shape, numpy_type(element_of(result)))


for _name, _rule in CONTROL.items():
    semantics(cast("type[OnnxOp]", op_class(_name)))(_rule)
