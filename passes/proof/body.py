"""Proofs about what stands in the body of a grid, and about single kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import NoneAttr, UnitAttr
from xdsl.dialects.memref import CopyOp
from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import Access, Kernel, is_kernel, kernel_of
from ...dialects.hier import GridOp
from ...ir import shape_of
from ..loops.affine import Linear, axes_of
from .grid import Tiles, tiles_of
from .kernel import Mismatch, Part, part_of, solve
from .rules import grid_point, listed, refuse
from .sets import Dims, sample


def prove_kernel(op: Operation) -> None:
    """
    Prove that a kernel touches its operands only inside of their bounds, or where a fill is declared.

    A kernel on tiles has to stay inside of them along axes that are cut: what it would fill there need not lie outside
    of the whole operand.
    """
    kernel, part = kernel_of(op), part_of(op)
    for number, access in enumerate((*kernel.inputs, *kernel.extras, *kernel.outputs)):
        if access.fill is not None and part is None:
            continue
        for axis, index in enumerate(axes_of(access, kernel.bounds)):
            low, high = index.index.interval(kernel.bounds)
            if access.fill is not None and part is not None and part.keeps_padding(number, axis):
                continue
            if low < 0 or high >= index.extent:
                raise _outside(op, kernel, access, axis, index.index, index.extent)


def _outside(op: Operation, kernel: Kernel, access: Access, axis: int, index: Linear, extent: int) -> Exception:
    dims = Dims("d", kernel.bounds)
    text = dims.text(index)
    point = sample(dims.names, [*dims.inside, f"({text} < 0 or {text} >= {extent})"]) or [0] * len(kernel.bounds)
    element = access.map.eval(point, [])
    return refuse(
        "inside",
        f"'{op.name}' leaves {_operand(op, access.value)} along axis {axis}",
        op,
        [f"loop point {listed(point)}", f"element {listed(element)} of the shape {listed(shape_of(access.value))}"],
    )


def _operand(op: Operation, value: SSAValue) -> str:
    index = list(op.operands).index(value)
    return f"operand {index}" + (f" (%{value.name_hint})" if value.name_hint else "")


def used_inputs(kernel: Kernel) -> list[Access]:
    """Return the accesses whose elements the scalar code of a kernel uses."""
    blocks = [reduction.body for reduction in kernel.reductions]
    blocks += [kernel.result] if kernel.result is not None else []
    used = [a for i, a in enumerate(kernel.inputs) if any(block.args[i].uses for block in blocks)]
    return [*used, *kernel.extras]


def reads_of(kernel: Kernel) -> list[SSAValue]:
    """Return the buffers that a kernel reads, its outputs included where it goes on from their content."""
    values = [access.value for access in used_inputs(kernel)]
    starts = [initial for reduction in kernel.reductions for initial in reduction.initial]
    values += [kernel.outputs[0].value] if len(kernel.outputs) == 1 and None in starts else []
    if len(kernel.outputs) > 1 and None in starts:
        values += [access.value for access in kernel.outputs]
    return values


def prove_body(grid: GridOp) -> None:
    """Prove that the body stays inside of its tiles, writes outputs before it reads them, and gets the right tiles."""
    tiles = tiles_of(grid)
    arguments: dict[SSAValue, Tiles] = dict(zip(grid.body.block.args[len(grid.bounds) :], tiles, strict=True))
    written: set[SSAValue] = set()
    copies: dict[SSAValue, SSAValue] = {}
    for op in grid.body.block.ops:
        if isinstance(op, CopyOp):
            copies[op.destination] = op.source
        if is_kernel(op):
            prove_kernel(op)
            _prove_initialised(op, arguments, written)
            _prove_part(op, arguments)
            _prove_goes_on(op, arguments, copies)
        written |= {access.value for access in kernel_of(op).outputs} if is_kernel(op) else set(op.operands)
        for region in op.regions:
            written |= {value for inner in region.walk() for value in inner.operands}
    for argument, operand in arguments.items():
        if operand.is_output and argument not in written:
            raise refuse(
                "complete",
                f"the body does not write {operand.name} of the grid",
                grid,
                [grid_point([0] * len(grid.bounds)), f"element {listed([0] * len(operand.shape))}"],
            )


def _prove_initialised(op: Operation, arguments: Mapping[SSAValue, Tiles], written: set[SSAValue]) -> None:
    for value in reads_of(kernel_of(op)):
        operand = arguments.get(value)
        if operand is not None and operand.is_output and value not in written:
            raise refuse(
                "initialised",
                f"'{op.name}' reads the tile of {operand.name} of the grid, which holds nothing yet",
                op,
                [grid_point([0] * len(operand.grid.bounds)), f"element {listed([0] * len(operand.shape))}"],
            )


def _prove_part(op: Operation, arguments: Mapping[SSAValue, Tiles]) -> None:
    part = part_of(op)
    if part is None:
        return
    known = {k: arguments[a.value] for k, a in enumerate(part.accesses) if a.value in arguments}
    prove_sizes(part)
    outputs_first = sorted(known, key=lambda k: not known[k].is_output)
    if mismatch := solve(part, {k: known[k].starts for k in outputs_first}):
        raise mismatched(part, mismatch, known[mismatch.access])
    for k, operand in known.items():
        _prove_fill_value(part, k, operand)


def _prove_goes_on(op: Operation, arguments: Mapping[SSAValue, Tiles], copies: Mapping[SSAValue, SSAValue]) -> None:
    """Prove that a kernel on tiles that adds to its output has been given the tile that it writes back."""
    part = part_of(op)
    if part is None:
        return
    for value in (access.value for access in part.kernel.outputs):
        source, target = arguments.get(copies.get(value, value)), arguments.get(value)
        if source is None or target is None or value not in reads_of(part.kernel):
            continue
        for axis, (start, wanted) in enumerate(zip(source.starts, target.starts, strict=True)):
            if start + wanted * -1 != Linear():
                raise mismatched(part, Mismatch(part.accesses.index(part.kernel.outputs[0]), axis, wanted), source)


def prove_sizes(part: Part) -> None:
    """Prove that a kernel on tiles moves within them as the whole kernel does, and does each reduction in one go."""
    if mismatch := part.uneven():
        raise mismatched(part, mismatch, None)
    for dim in sorted(part.kernel.reduced):
        if part.kernel.bounds[dim] != part.bounds[dim]:
            raise refuse(
                "whole-kernel",
                f"'{part.op.name}' reduces other points of d{dim} than the whole kernel",
                part.op,
                [f"d{dim} = {min(part.kernel.bounds[dim], part.bounds[dim])}"],
                found=f"{part.kernel.bounds[dim]} points, of {part.bounds[dim]}",
            )


def _prove_fill_value(part: Part, access: int, operand: Tiles) -> None:
    wanted, fill = part.fills[access], operand.tile.fill
    if isinstance(wanted, UnitAttr) or isinstance(fill, NoneAttr) or wanted == fill:
        return
    dims = Dims("p", operand.grid.bounds)
    for start, extent, size in zip(operand.starts, operand.extents, operand.shape, strict=True):
        text = dims.text(start)
        point = sample(dims.names, [*dims.inside, f"({text} < 0 or {text} + {extent} > {size})"])
        if point is not None:
            raise refuse(
                "whole-kernel",
                f"{operand.name} of the grid is filled with {fill}, '{part.op.name}' needs {wanted}",
                part.op,
                [grid_point(point), f"tile at {listed(operand.at(point))}"],
            )


def mismatched(part: Part, mismatch: Mismatch, operand: Tiles | None) -> Exception:
    """Return the refusal of a kernel on tiles one of which is not the one that it needs."""
    value = part.accesses[mismatch.access].value
    name = _operand(part.op, value)
    if operand is None:
        message = f"{name} of '{part.op.name}' moves along axis {mismatch.axis} otherwise than the whole kernel"
        return refuse(
            "whole-kernel", message, part.op, [f"tile of {listed(shape_of(value))}", "element 1 of that axis"]
        )
    start = operand.starts[mismatch.axis]
    point = [0] * len(operand.grid.bounds)
    wanted = "elsewhere"
    if mismatch.expected is not None:
        point = _where_not_zero(start + mismatch.expected * -1, operand.grid.bounds) or point
        wanted = f"at {_value(mismatch.expected, point)} along axis {mismatch.axis}"
    return refuse(
        "whole-kernel",
        f"{operand.name} of the grid is not the tile that '{part.op.name}' needs",
        part.op,
        [grid_point(point), f"tile at {listed(operand.at(point))}, needed {wanted}"],
        found=f"{operand.tile.map.data}",
    )


def _value(form: Linear, point: Sequence[int]) -> int:
    numbers = {dim: dim for dim in form.dims()}
    return cast(Any, form.expr(numbers)).eval(list(point), [])


def _where_not_zero(form: Linear, bounds: Sequence[int]) -> list[int] | None:
    dims = Dims("p", tuple(bounds))
    return sample(dims.names, [*dims.inside, f"({dims.text(form)} < 0 or {dims.text(form)} > 0)"])
