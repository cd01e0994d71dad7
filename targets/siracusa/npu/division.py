"""Split of a kernel into two parts that run concurrently on the NPU and another engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.core.kernel import Kernel, kernel_of
from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.model import Machine
from ....dialects.nn import ConvOp, MatmulOp
from ....errors import Diagnostic
from ....ir import shape_of
from ....passes.map_engines import ATTRIBUTE
from ....passes.mapping.refusals import refuse
from ....passes.memory.views import bytes_of
from ....passes.split.cuts import outer_loop
from ....passes.split.parts import grouped_parts, whole_of
from .conversion import Conversion
from .geometry import PIXELS, ConvKind
from .weight_costs import with_weights

DOUBLED = 4096
"""Maximum bytes of weights that both parts may need; each engine has its own layout of them."""


@dataclass(frozen=True)
class Division:
    """
    Split of a kernel at `point` of a loop: the NPU computes the part before, another engine the rest.

    `npu` are the NPU's cycles, `rest` those of the remaining elementwise kernel, if any. `beside` are those of the
    other engine's part, which needs the fraction `others_share` of the weights.
    """

    loop: int
    point: int
    npu: int
    rest: int | None
    beside: int
    others_share: float = 1


class _Side:
    """
    Cost model of an engine's part of a kernel split along one loop, including its weights.

    The loop indexes an axis of the kernel's result, counted from the end.
    """

    def __init__(self, op: Operation, engine: Engine, machine: Machine, axis: int, *, has_weights: bool = True):
        kernel = kernel_of(op)
        self._op, self._engine, self._machine, self._has_weights = op, engine, machine, has_weights
        self._dim = kernel.identity.results.index(kernel.outputs[0].map.results[axis])
        self._bounds, self._tile_cost = kernel.bounds, machine.tile_cost(engine, op)

    def cycles(self, extent: int) -> int | None:
        """Return the cycles of `extent` points of the loop, None if the engine does not support them."""
        whole = self._bounds[self._dim]
        bounds = tuple(extent if dim == self._dim else size for dim, size in enumerate(self._bounds))
        cycles = self._tile_cost(bounds) if self._tile_cost is not None else None
        if cycles is None or not self._has_weights:
            return cycles
        return with_weights(cycles, self._op, self._engine, self._machine, extent / whole)


@dataclass(frozen=True)
class Divisible:
    """
    Kernel with a loop of `bound` points, of its result's axis `axis`, along which it may be split in the NPU's
    `blocks`.
    """

    conversion: Conversion
    npu: Engine
    other: Engine
    machine: Machine
    loop: int
    bound: int
    axis: int
    block: int

    def divisions(self) -> Iterator[Division]:
        """Yield the splits of the kernel with about equal cycles of both parts."""
        bound = self.bound
        whole, none = self._costed(bound), self._costed(0)
        if whole is None or none is None:
            return
        per_unit, after, beside = whole.npu / bound, (whole.rest or 0) / bound, none.beside / bound
        balanced = {beside / (per_unit + beside), beside / max(per_unit - after + beside, per_unit)}
        blocks = {int(share * bound) // self.block + more for share in balanced for more in (0, 1)}
        for point in sorted({count * self.block for count in blocks}):
            division = self._costed(point) if 0 < point < bound else None
            if division is not None:
                yield division

    def _costed(self, point: int) -> Division | None:
        """
        Return the split at a point, None if an engine does not support its part; 0 and the bound leave the kernel
        whole.
        """
        first, last = point or self.bound, self.bound - point or self.bound
        npu, beside = self._first.cycles(first), self._second.cycles(last)
        if npu is None or beside is None:
            return None
        after = self._rest.cycles(first) if self._rest is not None else None
        if self._rest is not None and after is None:
            return None
        share = 1 - point / self.bound if self.axis == self.conversion.source.feature_axis else 1
        return Division(self.loop, point, npu, after, beside, share)

    @cached_property
    def _first(self) -> _Side:
        return self._side(self.conversion.kernel, self.npu)

    @cached_property
    def _second(self) -> _Side:
        return self._side(self.conversion.op, self.other)

    @cached_property
    def _rest(self) -> _Side | None:
        """Elementwise kernel after the NPU's part, if there is one."""
        rest = self.conversion.rest
        return None if rest is None else self._side(rest, self.other, has_weights=False)

    def _side(self, op: Operation, engine: Engine, *, has_weights: bool = True) -> _Side:
        axis = self.axis - len(shape_of(self.conversion.op.output))
        return _Side(op, engine, self.machine, axis, has_weights=has_weights)


def divisible(conversion: Conversion, npu: Engine, other: Engine, machine: Machine) -> Divisible | None:
    """
    Return a kernel as one that may be split between the NPU and another engine, None for others.

    The split is along the outermost axis of its result. That is the features of a single row, or the rows of an image;
    for the latter, both parts need all weights, which must be small.
    """
    op, source = conversion.op, conversion.source
    if (
        not isinstance(op, ConvOp | MatmulOp)
        or isinstance(op.inputs[0].owner, tensor.PadOp)
        or not source.channels_last
    ):
        return None
    whole, weights = whole_of(op), op.inputs[1]
    loop = outer_loop(whole)
    is_rearranged = (
        source.folded > 1
        or source.groups > 1
        or source.windows is not None
        or (source.strides != (1, 1) and source.kind is not ConvKind.POINTWISE)
    )
    if loop is None or not isinstance(weights.owner, arith.ConstantOp) or is_rearranged:
        return None
    axis, bound = _axis_of(whole.kernel, loop), whole.shape[loop]
    if axis == source.feature_axis:
        return Divisible(conversion, npu, other, machine, loop, bound, axis, source.kind.features)
    is_small = bytes_of(weights.type) <= DOUBLED and isinstance(op, ConvOp) and axis == 1
    return Divisible(conversion, npu, other, machine, loop, bound, axis, PIXELS) if is_small else None


def _axis_of(kernel: Kernel, loop: int) -> int:
    """Return the axis of a kernel's output that a loop indexes."""
    return list(kernel.outputs[0].map.results).index(kernel.identity.results[loop])


def divide(op: Operation, division: Division, npu: str, other: str) -> Operation | None:
    """
    Replace a kernel by two parts mapped to their engines; return the NPU's part.

    Returns None, without a change, if a part is not a legal kernel.
    """
    axis = _axis_of(kernel_of(op), division.loop)
    try:
        parts = grouped_parts(op, division.loop, [division.point])
    except Diagnostic:
        return None
    for part, engine, beside in zip(parts, (npu, other), (other, npu), strict=True):
        Rewriter.insert_op(part, InsertPoint.before(op))
        part[-1].attributes[ATTRIBUTE] = StringAttr(engine)
        refuse(part[-1], beside, f"it is a part of a kernel that '{npu}' and '{other}' compute at once")
        part[-1].results[0].name_hint = op.results[0].name_hint
    joined = tensor.ConcatOp.build(
        operands=[[part[-1].results[0] for part in parts]],
        result_types=[op.results[0].type],
        properties={"dim": IntegerAttr(axis, i64)},
    )
    joined.location = op.location
    Rewriter.insert_op(joined, InsertPoint.before(op))
    joined.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, [], [joined.results[0]])
    return parts[0][-1]
