"""Tiles of Gemmini's loops in hardware: the products and convolutions that they compute, by modelled cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import product
from math import ceil, prod
from typing import Any, NamedTuple

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access, Kernel
from ...ir import element_of, numpy_type, shape_of
from ...passes.memory.epilogues import transfer_epilogue
from ...passes.memory.views import layout_of
from .bodies import mvout_fault, scale_of
from .limits import SUMS, conv_strides_fault, conv_tile_rows, tile_rows
from .tile_costs import Array, ConvWindow, Phases


def array_of(parameters: Iterable[tuple[str, Any]], kernel: Kernel) -> Array:
    """Return the parameters of a kernel's tiles, from those of its cost."""
    size = numpy_type(element_of(kernel.inputs[0].value)).itemsize
    return Array(**dict(parameters), size=size)


class Epilogue(NamedTuple):
    """Conversion of sums to results: what they start from, a value for each feature, their scale, and a ReLU."""

    bias: SSAValue | None
    scale: float
    relu: bool


def epilogue_of(kernel: Kernel) -> Epilogue | str:
    """Return the conversion of sums that loops compute, or why they do not; of tensors, any."""
    if not isinstance(kernel.outputs[0].value.type, MemRefType):
        return Epilogue(None, 1.0, False)
    element = str(element_of(kernel.outputs[0].value))
    if element not in SUMS:
        return f"its results are {element}, and loops store {' or '.join(SUMS)}"
    if kernel.epilogue is None:
        return Epilogue(None, 1.0, False) if SUMS[element] == element else "its sums have no scale"
    moved = transfer_epilogue(kernel)
    if isinstance(moved, str):
        return moved
    if fault := mvout_fault(moved.body):
        return fault
    value = None
    if moved.bias is not None:
        value, view = moved.bias.value, moved.bias.view
        rank = len(shape_of(value))
        if moved.bias.body is not None or moved.bias.constant_axes != tuple(range(rank - 1)):
            return "what its sums start from is no row of sums"
        if view is not None:
            value = view.operands[0]
            view.erase()
    return Epilogue(value, *scale_of(moved.body.block))


class Tile(NamedTuple):
    """Extents of a tile, and the modelled cycles of a kernel in such tiles."""

    extents: tuple[int, ...]
    cycles: int


def _least(tiles: Iterator[tuple[int, ...]], whole: tuple[int, ...], phases_of: Callable[..., Phases]) -> Tile | None:
    """Return the tile with the least cycles; the first one of several. None if there is none."""
    candidates = [Tile(extents, _cycles(whole, extents, phases_of)) for extents in tiles]
    return min(candidates, key=lambda tile: tile.cycles) if candidates else None


def _cycles(whole: tuple[int, ...], tile: tuple[int, ...], phases_of: Callable[..., Phases]) -> int:
    """Return the cycles of all tiles: the slowest of the three phases each, and loads before and stores behind all."""
    axes: list[list[tuple[int, int]]] = []
    for extent, part in zip(whole, tile, strict=True):
        axes.append([run for run in ((part, extent // part), (extent % part, 1)) if prod(run)])
    total, first = 0.0, phases_of(*tile)
    for runs in product(*axes):
        count = prod(count for _, count in runs)
        total += count * max(phases_of(*(size for size, _ in runs)))
    return ceil(total + first.load + first.store)


@cache
def product_tile(rows: int, cols: int, depth: int, is_biased: bool, array: Array) -> Tile | None:
    """Return the rows and columns of a tile of a product of matrices; None where no tile fits."""
    tiles = product(_extents(rows, array.dim), _extents(cols, array.dim))
    fitting = (tile for tile in tiles if array.fits(tile_rows(*tile, depth, array.dim)))
    return _least(fitting, (rows, cols), partial(array.product, depth=depth, is_biased=is_biased))


@cache
def conv_tile(whole: tuple[int, int, int], window: ConvWindow, array: Array) -> Tile | None:
    """Return the rows, columns and features of a tile of an image's convolution; None where no tile fits."""
    rows, cols, features = whole
    tiles = product(_extents(rows, 1), _extents(cols, array.dim), _extents(features, array.dim))
    taps = {"depth": window.depth, "taps": window.taps, "step": window.step, "dilation": window.dilation}
    taken = partial(conv_tile_rows, **taps, dim=array.dim)
    return _least((tile for tile in tiles if array.fits(taken(*tile))), whole, partial(array.convolution, window))


def _extents(extent: int, unit: int) -> list[int]:
    """Return the extents of tiles that are tried: the whole, and up to 32 multiples of a unit."""
    count = ceil(extent / unit)
    numbers = sorted({ceil(count / parts_) for parts_ in range(1, 33)} | set(range(1, min(count, 9))))
    return [min(extent, number * unit) for number in numbers]


class LoopForm(NamedTuple):
    """A kernel as loops have it: its tile, and what they do with sums."""

    tile: Tile
    epilogue: Epilogue


def form_of(kernel: Kernel, array: Array) -> LoopForm | str:
    """Return the tile and the epilogue of a product or convolution by loops, or why they do not compute it."""
    epilogue = epilogue_of(kernel)
    if isinstance(epilogue, str):
        return epilogue
    if any(access.fill is not None for access in kernel.inputs):
        return "windows reach into padding, which loops would read as 0 at the edges of tiles"
    names = kernel.loop_names
    extents = dict(zip(names, kernel.bounds, strict=True))
    is_biased = epilogue.bias is not None
    kinds = {name for name, extent in extents.items() if extent > 1 or name in ("m0", "n0", "k0")}
    if "m1" not in names:
        if {name for name in kinds if name[0] != "b"} != {"m0", "n0", "k0"}:
            return "it is no product of two matrices"
        tile = product_tile(extents["m0"], extents["n0"], extents["k0"], is_biased, array)
    else:
        windows = windows_of(kernel)
        if isinstance(windows, str):
            return windows
        if fault := _strides_fault(kernel):
            return fault
        window = ConvWindow(extents["k0"], (extents["k1"], extents["k2"]), *windows, is_biased)
        tile = conv_tile((extents["m1"], extents["m2"], extents["n0"]), window, array)
    if tile is None:
        return f"a reduction of {extents['k0']} takes more than half of the scratchpad"
    times = prod(extent for name, extent in extents.items() if name[0] == "b" or (name == "m0" and "m1" in names))
    return LoopForm(Tile(tile.extents, tile.cycles * times), epilogue)


def stride_axes(kernel: Kernel) -> dict[str, tuple[Access, int]]:
    """
    Return the operand and the axis of which each stride of a convolution by loops is.

    An image of one column has its rows' stride for pixels, too: what lies between its rows need be no whole pixel.
    """
    x, w, y = *kernel.inputs, *kernel.outputs
    columns = shape_of(x.value)[axis_of(kernel, x, "m2")]
    loops = {"x_row": (x, "m1"), "x_pixel": (x, "m2" if columns > 1 else "m1"), "w_row": (w, "k1"), "w_tap": (w, "k2")}
    loops |= {"w_channel": (w, "k0"), "y_row": (y, "m1"), "y_pixel": (y, "m2")}
    return {name: (access, axis_of(kernel, access, loop)) for name, (access, loop) in loops.items()}


def axis_of(kernel: Kernel, access: Access, name: str) -> int:
    """Return the axis of an operand that varies along a loop."""
    loop = kernel.loop_names.index(name)
    return next(axis for axis, expr in enumerate(access.map.results) if loop in linear(expr).dims())


def _strides_fault(kernel: Kernel) -> str | None:
    """Return the fault in the strides of a convolution's operands, None where loops have them; tensors have none."""
    if not all(isinstance(access.value.type, MemRefType) for access in (*kernel.inputs, *kernel.outputs)):
        return None
    axes = stride_axes(kernel).items()
    return conv_strides_fault(**{name: layout_of(access.value)[0][axis] for name, (access, axis) in axes})


def windows_of(kernel: Kernel) -> tuple[int, int] | str:
    """Return the pixels between windows, and between their taps, of a convolution of images, or why loops have none."""
    names = kernel.loop_names
    wanted = {"m0", "m1", "m2", "n0", "k0", "k1", "k2"}
    if {name for name in names if name in wanted or kernel.bounds[names.index(name)] > 1} != wanted:
        return "it is no convolution of images in one group"
    terms = [dict(linear(expr).terms) for expr in kernel.inputs[0].map.results]
    windows = [names.index("m1"), names.index("m2")]
    taps = [names.index("k1"), names.index("k2")]
    strides = _common_stride(kernel, terms, windows), _common_stride(kernel, terms, taps)
    if None in strides or max(map(int, filter(None, strides))) >= 1 << 8:
        return "its windows, or their taps, are not equally apart in both directions"
    return int(strides[0] or 1), int(strides[1] or 1)


def _common_stride(kernel: Kernel, terms: list[dict[Any, int]], loops: list[int]) -> int | None:
    """Return the elements that two loops step by, each along an axis: 1 without steps, None where they differ."""
    steps = {term[loop] for term in terms for loop in loops if loop in term and kernel.bounds[loop] > 1}
    return None if len(steps) > 1 else next(iter(steps), 1)
