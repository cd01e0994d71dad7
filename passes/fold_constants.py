"""Constant folding of kernels and views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, OpResult
from xdsl.rewriter import Rewriter

from ..dialects.core.effects import is_pure
from ..dialects.core.kernel import is_kernel, kernel_of
from ..dialects.core.nesting import nested_ops
from ..ir import Array, array_of, dense, element_of, functions, numpy_type, shape_of
from ..runtime.interpreter import Interpreter, load_rules, run_op
from .core.base import Pass
from .core.statistics import Statistic, statistic


def fold_constants(module: ModuleOp, limit: int) -> int:
    """
    Replace ops on constant tensors by their results, computed by the interpreter; return their number.

    An op is not folded if its result has more than `limit` bytes and is larger than its operands, such as a broadcast.
    """
    load_rules(module)
    runner = Interpreter(module)
    count = 0
    for function in functions(module):
        constants: dict[Operation, list[Array]] = {}
        for op in nested_ops(function.body):
            if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, TensorType):
                constants[op] = [array_of(cast(Any, op.value))]
            elif _is_foldable(op, constants, limit):
                operands = [_operand(value, constants) for value in op.operands]
                with np.errstate(all="ignore"):
                    values = [np.asarray(value) for value in run_op(runner, op, operands)]
                constants[_replace(op, values[0])] = values
                count += 1
    return count


def _is_foldable(op: Operation, constants: dict[Operation, list[Array]], limit: int) -> bool:
    shaped = len(op.results) == 1 and isinstance(op.results[0].type, TensorType)
    if not shaped or isinstance(op, tensor.EmptyOp) or not op.operands:
        return False
    sources = [value.op for value in op.operands if isinstance(value, OpResult)]
    fresh = [source for source in sources if isinstance(source, tensor.EmptyOp)]
    if len(sources) != len(op.operands) or len(fresh) == len(sources):
        return False
    if not all(source in constants or source in fresh for source in sources):
        return False
    if not is_pure(op) or (is_kernel(op) and kernel_of(op).captures) or _captures(op):
        return False
    size = int(np.prod(shape_of(op.results[0]))) * numpy_type(element_of(op.results[0])).itemsize
    return size <= max(limit, sum(constants[source][0].nbytes for source in sources if source in constants))


def _captures(op: Operation) -> bool:
    """Return whether the regions of an op use values from around it."""
    inner = [nested for region in op.regions for nested in nested_ops(region)]
    owners = [operand.owner for nested in inner for operand in nested.operands]
    return any(not op.is_ancestor(owner) for owner in owners)


def _operand(value: Any, constants: dict[Operation, list[Array]]) -> Array:
    """Return a constant's array, zeros for an empty tensor."""
    return constants[value.op][0] if value.op in constants else np.zeros(shape_of(value), numpy_type(element_of(value)))


def _replace(op: Operation, value: Array) -> Operation:
    constant = arith.ConstantOp(cast(Any, dense(value, element_of(op.results[0]))))
    constant.location = op.location
    constant.result.name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, constant)
    return constant


@dataclass(frozen=True)
class FoldConstantsPass(Pass):
    """
    Fold kernels and views of constants: transposed, sliced, reshaped or requantised weights.

    `limit` is the size in bytes up to which a result may be larger than its operands.
    """

    name = "fold-constants"

    limit: int = 1024
    folded: Statistic = statistic("Number of operations folded", "num-folded")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.folded.add(fold_constants(op, self.limit))
