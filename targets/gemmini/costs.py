"""Products on the array: which it runs, their cycles, and the scaling of sums on their way out."""

from __future__ import annotations

from itertools import chain
from math import ceil, prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Region

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.analysis.constants import constant_number
from ...dialects.core.kernel import Access, Kernel, per_kernel
from ...dialects.core.machine.cost_table import cost, count, passes, transform
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.link import Link
from ...dialects.hier.sharded import level_name
from ...ir import Ints, element_of, shape_of
from .bodies import gelu_of, mvout_fault, scales_of
from .hardware_tiles import array_of, form_of
from .limits import MOST_PIXELS, SUM_BYTES, most_kept

LEAST_ROWS = 4
"""Cycles of a product of fewer rows."""


@cost("array", over_tiles=True)
def array(kernel: Kernel, bounds: Ints, engine: Engine, *, dim: int, output_stationary: int = 0) -> Ints | str:
    """
    Return the cycles of products: for each block of dim x dim weights, those of the rows that stream through it.

    The product that takes new weights costs `dim` cycles, each other max(4, rows); output-stationary, each block of
    sums and of weights costs `dim`. A preload overlaps the product before it, which lasts `dim` cycles at least
    (ExecuteController of the generator, 8c3f992): the lowering issues products of fewer rows earlier. Groups and
    batches are products of their own. Bounds are [loops, tiles], cycles [tiles], -1 for tiles along a loop along which
    no factor varies; a text for what `_product_fault` refuses.
    """
    if fault := _product_fault(kernel, dim):
        return fault
    beyond = (bounds[list(_roles(kernel).unread)] > 1).any(axis=0)
    if beyond.all():
        return "no factor varies along one of its loops"
    if output_stationary and not most_kept(dim, str(element_of(kernel.inputs[0].value))):
        return f"sums of {dim} products may exceed the 20 bits in which they leave the array"
    blocks, lines, row = _rows_of(kernel, bounds, dim)
    whole, rest = row // dim, row % dim
    last = np.where(rest > 0, np.maximum(rest, LEAST_ROWS), 0)
    if output_stationary:
        return np.where(beyond, -1, blocks * lines * (whole + (rest > 0)) * dim)
    first = np.where((whole * lines > 1) | (rest == 0), dim, last)
    return np.where(beyond, -1, blocks * (dim + lines * (whole * dim + last) - first))


class _Roles(NamedTuple):
    """Loops of a product: features, channels, others with blocks of weights of their own, rows, and no factor's."""

    features: int
    channels: int
    others: tuple[int, ...]
    rows: tuple[int, ...]
    unread: tuple[int, ...]


@per_kernel
def _roles(kernel: Kernel) -> _Roles:
    loops = {name: loop for loop, name in enumerate(kernel.loop_names)}

    def of_roles(letters: str) -> tuple[int, ...]:
        return tuple(loop for name, loop in loops.items() if name[0] in letters and name != "k0")

    return _Roles(loops["n0"], loops["k0"], of_roles("bk"), of_roles("m"), of_roles("u"))


def _rows_of(kernel: Kernel, bounds: Ints, dim: int) -> tuple[Ints, Ints, Ints]:
    """Return the blocks of weights of products, the lines of rows that stream through each, and the rows of one."""
    roles = _roles(kernel)
    blocks = -(-bounds[roles.features] // dim) * -(-bounds[roles.channels] // dim)
    for loop in roles.others:
        blocks = blocks * bounds[loop]
    lines: Ints = np.ones_like(blocks)
    row: Ints = lines
    for loop in roles.rows:
        longer = bounds[loop] > 1
        lines, row = np.where(longer, lines * row, lines), np.where(longer, bounds[loop], row)
    return blocks, lines, row


@count("array", over_tiles=True)
def products(kernel: Kernel, bounds: Ints, engine: Engine, *, dim: int, output_stationary: int = 0) -> Ints:
    """Return the instructions of a product: for each block of weights a preload, unless sums are kept, and products."""
    blocks, lines, row = _rows_of(kernel, bounds, dim)
    return blocks * (lines * -(-row // dim) + (0 if output_stationary else 1))


def _product_fault(kernel: Kernel, dim: int) -> str:
    """Return why the array cannot compute any tile of a kernel, empty if it can."""
    if fault := _operand_fault(kernel):
        return fault
    return "" if _fills_blocks(kernel, dim) else f"groups are no whole blocks of {dim} channels and features"


@per_kernel
def _operand_fault(kernel: Kernel) -> str:
    """Return why no array can compute a kernel of any size, empty if one can."""
    names = kernel.loop_names
    if not {name[0] for name in names} <= set("bmnku") or "n0" not in names:
        return "no output varies along the second factor alone: it is no product of two matrices"
    if "n1" in names:
        return "outputs vary along two loops of the second factor alone: it is no product of two matrices"
    if level_name(kernel.outputs[0].value.type) is None and not _has_rows(kernel.outputs[0], names.index("n0")):
        return "its features are not the innermost axis of the output, as rows of sums are"
    if not _is_signed(kernel):
        return "a factor is unsigned, and the array extends bytes with their signs"
    if any(access.fill is not None for access in kernel.inputs):
        return "windows reach into padding, of which the array has none"
    return ""


def _has_rows(output: Access, loop: int) -> bool:
    """Return whether the axis of a loop is the innermost of those of a far output that have several elements."""
    shape = shape_of(output.value)
    (axis,) = (axis for axis, form in enumerate(output.forms) if loop in form.dims())
    return all(extent == 1 for extent in shape[axis + 1 :]) or shape[axis] == 1


def _fills_blocks(kernel: Kernel, dim: int) -> bool:
    """Return whether groups of one axis are whole blocks: what pads a block would be the next group's."""
    return all(extent % dim == 0 for extent in _grouped(kernel))


@per_kernel
def _grouped(kernel: Kernel) -> tuple[int, ...]:
    """Return the features and channels of a group where an axis has several."""
    names = kernel.loop_names
    extents: list[int] = []
    for form in chain.from_iterable(access.forms for access in (*kernel.inputs, *kernel.outputs)):
        loops = form.dims()
        if any(names[loop][0] == "b" for loop in loops):
            extents += [kernel.bounds[loop] for loop in loops if names[loop] in ("n0", "k0")]
    return tuple(extents)


@cost("zeros")
def zeros(kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, dim: int) -> int | str:
    """Return the cycles of loads of zeros to sums, a row each; a text for other numbers."""
    if constant_number(kernel.inputs[0].value) != 0:
        return "loads without a source bring zeros only"
    return ceil(prod(bounds) / dim)


@count("zeros")
def zero_loads(kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, dim: int) -> int:
    """Return the loads of zeros to sums, of a block of rows each."""
    *others, columns = bounds
    *lines, line = [extent for extent in others if extent > 1] or [1]
    return ceil(columns / dim) * prod(lines) * ceil(line / dim)


@cost("loads")
def loads(
    kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, request: float, columns: int, dim: int
) -> int | str:
    """
    Return the cycles of loads that add to sums, each of `columns` bytes of a row at most, `request` cycles each.

    A text for unsigned inputs, and for rows that are no whole blocks.
    """
    if kernel.bounds[-1] % dim:
        return f"rows of {kernel.bounds[-1]} elements are no whole blocks of {dim}"
    if not _is_signed(kernel):
        return "an input is unsigned, and loads extend bytes with their signs"
    return ceil(len(kernel.inputs) * prod(bounds[:-1]) * ceil(bounds[-1] / columns) * request)


@cost("reduced")
def reduced(
    kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, request: float, columns: int, dim: int
) -> int | str:
    """Return the cycles of loads of the rows of a tensor that add to sums along its other axes, as `loads`."""
    if kernel.bounds[-1] % dim or len(kernel.bounds) - 1 in kernel.reduced:
        return f"rows of {kernel.bounds[-1]} elements that are not summed are no whole blocks of {dim}"
    if not _is_signed(kernel):
        return "the input is unsigned, and loads extend bytes with their signs"
    if any(not isinstance(op, arith.ExtSIOp | arith.AddiOp | linalg.YieldOp) for op in kernel.reductions[0].body.ops):
        return "loads add, and compute no other reduction"
    return ceil(prod(bounds[:-1]) * ceil(bounds[-1] / columns) * request)


@cost("pooled")
def pooled(kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, dim: int) -> int | str:
    """Return the cycles of stores of maxima: a row of sums each; a text for what `mvout_pool` does not compute."""
    return pool_fault(kernel, dim) or ceil(prod(bounds) / dim)


def pool_fault(kernel: Kernel, dim: int) -> str:
    """Return why stores cannot compute the maxima of windows, empty if they can."""
    names = kernel.loop_names
    windows = [extent for name, extent in zip(names, kernel.bounds, strict=True) if name[0] == "k"]
    forms = [linear(expr) for expr in kernel.inputs[0].map.results]
    if names != ("m0", "m1", "m2", "m3", "k0", "k1") or kernel.bounds[3] % dim:
        return "it is no pooling of images with channels last, in whole blocks"
    if len(set(windows)) > 1 or windows[0] > MOST_WINDOW:
        return f"its windows are {' x '.join(map(str, windows))}, no squares of up to {MOST_WINDOW}"
    terms = [dict(form.terms) for form in forms[1:3]]
    if any(form.constant for form in forms) or [terms[0].get(4), terms[1].get(5)] != [1, 1]:
        return "it has padding, or pixels of a window are apart"
    if (step := terms[0].get(1)) != terms[1].get(2) or not isinstance(step, int) or step > MOST_WINDOW:
        return f"its windows are not equally apart, or more than {MOST_WINDOW} pixels"
    return f"a row has more than {MOST_PIXELS} pixels" if kernel.bounds[2] > MOST_PIXELS else ""


MOST_WINDOW = 3
"""Pixels of a window and between windows, at most."""


@per_kernel
def _is_signed(kernel: Kernel) -> bool:
    """Return whether the factors of a product are extended with their signs: the array knows no unsigned bytes."""
    return not any(isinstance(op, arith.ExtUIOp) for reduction in kernel.reductions for op in reduction.body.ops)


@transform("mvout")
def mvout(body: Region, link: Link) -> str:
    """Return why `mvout` cannot compute a body, empty if it can; a row of the link is one of sums of 32 bits."""
    return mvout_fault(body, link.width // SUM_BYTES)


@passes("mvout")
def stores(body: Region, link: Link) -> int:
    """Return the stores of each row of sums: one for each scale of its columns."""
    columns = link.width // SUM_BYTES
    return scales_of(body.block, columns)[0].passes(columns)


@transform("gelu")
def gelu(body: Region, _: Link) -> str:
    """Return why stores cannot compute a body as a GELU, empty if they can."""
    return "" if gelu_of(body) is not None else "it is no lookup in a table that I-BERT's GELU computes"


@cost("loops")
def loops(
    kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, dim: int, spad_rows: int, acc_rows: int, request: float
) -> int | str:
    """Return the cycles of a product or convolution by loops in hardware; a text for what they do not compute."""
    if not _is_signed(kernel):
        return "a factor is unsigned, and the array extends bytes with their signs"
    if fault := _order_fault(kernel):
        return fault
    numbers = {"dim": dim, "spad_rows": spad_rows, "acc_rows": acc_rows, "request": request}
    form = form_of(kernel, array_of(numbers.items(), kernel))
    return form if isinstance(form, str) else form.tile.cycles


def _order_fault(kernel: Kernel) -> str:
    """Return why loops in hardware cannot address the operands of a kernel, empty if they can."""
    names = kernel.loop_names
    if "n0" not in names:
        return "no output varies along the second factor alone: it is no product of two matrices"
    if not _has_rows(kernel.outputs[0], names.index("n0")):
        return "its features are not the innermost axis of the output, as rows of sums are"
    taps = [name for name in ("k1", "k2") if name in names and kernel.bounds[names.index(name)] > 1]
    exprs = kernel.inputs[1].map.results
    order = [
        axis
        for name in (*taps, "k0")
        for axis, expr in enumerate(exprs)
        if name in names and names.index(name) in linear(expr).dims()
    ]
    return "" if order == sorted(order) else "the channels of its weights lie outside of the taps of its windows"
