"""Dependence relations between elements of tensors, in isl: from what an op computes to what it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import islpy
from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access, Kernel, is_kernel, is_shaped, kernel_of, used_inputs
from ...ir import numbers_of, shape_of
from ...passes.proof.sets import Dims

_isl = cast(Any, islpy)
Through = Callable[[Operation], bool]


def relation(
    inputs: Sequence[str], outputs: Sequence[str], constraints: Sequence[str], exists: Sequence[str] = ()
) -> Any:
    """Return the isl map of the pairs for which (there are further integers such that) all constraints hold."""
    condition = " and ".join(constraints) or "1 = 1"
    if exists:
        condition = f"exists ({', '.join(exists)} : {condition})"
    return _isl.Map(f"{{ [{', '.join(inputs)}] -> [{', '.join(outputs)}] : {condition} }}")


def is_product(op: Operation) -> bool:
    """Return whether an op sums products of two operands over common dimensions."""
    if not is_kernel(op) or not op.results:
        return False
    kernel = kernel_of(op)
    if len(kernel.reductions) != 1 or len(kernel.inputs) < 2 or len(kernel.outputs) != 1:
        return False
    left, right = (dims_of(access) & kernel.reduced for access in kernel.inputs[:2])
    return bool(left & right) and not dims_of(kernel.outputs[0]) & kernel.reduced


def dims_of(access: Access) -> set[int]:
    """Return the dimensions of the iteration space that the map of an access uses."""
    return {dim for expr in access.map.results for dim in expr.used_dims()}


@dataclass
class Dependences:
    """Dependences of a function; `active` are the values that depend on its arguments."""

    function: FuncOp
    active: set[SSAValue] = field(default_factory=set[SSAValue])
    _steps: dict[tuple[Operation, int], Any] = field(default_factory=dict[tuple[Operation, int], Any])

    def __post_init__(self) -> None:
        """Find the active values."""
        block = self.function.body.block
        self.active.update(block.args)
        for op in block.ops:
            if any(value in self.active for value in reads(op)):
                self.active.update(op.results)

    def operands(self, op: Operation) -> list[int]:
        """Return the operands of an op that it reads and that depend on arguments, by their positions."""
        read = set(reads(op))
        return [i for i, value in enumerate(op.operands) if value in read and value in self.active and is_shaped(value)]

    def step(self, op: Operation, index: int) -> Any:
        """Return the map from the elements of an op's result to those that it reads of one operand."""
        key = op, index
        if key not in self._steps:
            self._steps[key] = _step(op, index)
        return self._steps[key]

    def reach(self, value: SSAValue, through: Through) -> dict[SSAValue, Any]:
        """
        Return the maps from the elements of a value to those of the values it comes from, by value.

        Dependences are followed back through each op that `through` accepts, and that is no product.
        """
        maps: dict[SSAValue, Any] = {}
        reached: dict[SSAValue, Mapping[SSAValue, Any]] = {}
        for source, map in self._reach(value, through, reached).items():
            maps[source] = map.coalesce()
        return maps

    def _reach(
        self, value: SSAValue, through: Through, reached: dict[SSAValue, Mapping[SSAValue, Any]]
    ) -> Mapping[SSAValue, Any]:
        if value in reached:
            return reached[value]
        op = value.op if isinstance(value, OpResult) else None
        if op is None or is_product(op) or not is_followed(op) or not through(op):
            reached[value] = {value: identity(shape_of(value))}
            return reached[value]
        maps: dict[SSAValue, Any] = {}
        for index in self.operands(op):
            step = self.step(op, index)
            for source, map in self._reach(op.operands[index], through, reached).items():
                both = step.apply_range(map)
                maps[source] = maps[source].union(both).coalesce() if source in maps else both
        reached[value] = maps
        return maps


def reads(op: Operation) -> Sequence[SSAValue]:
    """Return the operands whose elements an op uses."""
    if not is_kernel(op) or not op.results:
        return op.operands
    kernel = kernel_of(op)
    return [*(access.value for access in used_inputs(kernel)), *kernel.captures]


def is_followed(op: Operation) -> bool:
    """Return whether dependences through an op are affine: a kernel without tables, or a view of tensors."""
    if is_kernel(op):
        return len(op.results) == 1 and not kernel_of(op).tables
    return isinstance(op, tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ConcatOp | tensor.PadOp) or (
        isinstance(op, tensor.ExtractSliceOp) and len(op.operands) == 1
    )


def identity(shape: Sequence[int]) -> Any:
    """Return the identity on the elements of a shape."""
    return _isl.Map.identity(
        _isl.Map("{ [%s] -> [%s] }" % ((", ".join(Dims("e", tuple(shape)).names),) * 2)).space
    ).intersect_domain(box(shape))


def box(shape: Sequence[int]) -> Any:
    """Return the set of the elements of a shape."""
    dims = Dims("e", tuple(shape))
    return relation([], dims.names, dims.inside).range()


def onto(shape: Sequence[int], kept: Sequence[int]) -> Any:
    """Return the map from the elements of a shape to some of their indices."""
    dims, labels = Dims("e", tuple(shape)), [f"l{axis}" for axis in kept]
    equal = [f"{label} = e{axis}" for label, axis in zip(labels, kept, strict=True)]
    return relation(dims.names, labels, [*dims.inside, *equal])


def count(points: Any) -> int:
    """Return the number of points of a bounded isl set."""
    axes = range(points.dim(_isl.dim_type.set))
    ends = [(points.dim_min_val(axis).to_python(), points.dim_max_val(axis).to_python()) for axis in axes]
    if points.is_box():
        return prod(int(high) - int(low) + 1 for low, high in ends)
    return int(points.count_val().to_python())


def _step(op: Operation, index: int) -> Any:
    out, into = Dims("o", shape_of(op.results[0])), Dims("i", shape_of(op.operands[index]))
    bounds = [*out.inside, *into.inside]
    match op:
        case tensor.CollapseShapeOp() | tensor.ExpandShapeOp():
            return relation(out.names, into.names, [*bounds, f"{_row_major(out)} = {_row_major(into)}"])
        case tensor.ExtractSliceOp():
            offsets, strides = (numbers_of(attribute) for attribute in (op.static_offsets, op.static_strides))
            dropped = len(into.names) - len(out.names)
            if dropped:
                sizes = numbers_of(op.static_sizes)
                whole = Dims("s", sizes)
                equal = _sliced(whole.names, into.names, offsets, strides)
                return relation(
                    out.names,
                    into.names,
                    [*bounds, *whole.inside, *equal, f"{_row_major(out)} = {_row_major(whole)}"],
                    whole.names,
                )
            return relation(out.names, into.names, [*bounds, *_sliced(out.names, into.names, offsets, strides)])
        case tensor.PadOp():
            low = numbers_of(op.static_low)
            equal = [f"{o} = {i} + {by}" for o, i, by in zip(out.names, into.names, low, strict=True)]
            return relation(out.names, into.names, [*bounds, *equal])
        case tensor.ConcatOp():
            axis = op.dim.value.data
            before = sum(shape_of(value)[axis] for value in op.operands[:index])
            equal = [
                f"{o} = {i} + {before * (at == axis)}"
                for at, (o, i) in enumerate(zip(out.names, into.names, strict=True))
            ]
            return relation(out.names, into.names, [*bounds, *equal])
        case _:
            return _kernel_step(kernel_of(op), op.operands[index], out, into)


def _sliced(parts: Sequence[str], names: Sequence[str], offsets: Sequence[int], strides: Sequence[int]) -> list[str]:
    return [f"{i} = {o} * {by} + {at}" for i, o, at, by in zip(names, parts, offsets, strides, strict=True)]


def _row_major(dims: Dims) -> str:
    """Return the position of an element in row-major order."""
    strides = [prod(dims.bounds[axis + 1 :]) for axis in range(len(dims.bounds))]
    return " + ".join(["0", *(f"{by} * {name}" for by, name in zip(strides, dims.names, strict=True))])


def _kernel_step(kernel: Kernel, value: SSAValue, out: Dims, into: Dims) -> Any:
    """Return the map of a kernel: a result depends on all points of the box that reductions fold into it."""
    merged: Any = None
    points = Dims("p", kernel.bounds)
    folded = Dims("q", kernel.bounds)
    same = [f"p{dim} = q{dim}" for dim in range(len(kernel.bounds)) if dim not in kernel.reduced]
    written = _accessed(kernel.outputs[0], points, out.names)
    for access in used_inputs(kernel):
        if access.value is not value:
            continue
        at = points if access in kernel.extras or not kernel.reductions else folded
        constraints = [*points.inside, *into.inside, *written, *_accessed(access, at, into.names)]
        constraints += [*folded.inside, *same] if at is folded else []
        names = [*points.names, *(folded.names if at is folded else [])]
        map = relation(out.names, into.names, constraints, names)
        merged = map if merged is None else merged.union(map)
    return merged


def _accessed(access: Access, points: Dims, names: Sequence[str]) -> list[str]:
    forms = [points.text(linear(expr)) for expr in access.map.results]
    return [f"{name} = {form}" for name, form in zip(names, forms, strict=True)]
