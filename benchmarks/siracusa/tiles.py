"""
Tiles as the published flow chooses them.

Deeploy's solver (TilingExtension/TilerModel.py) gives the extents of tiles their largest values one by one, in the
order in which an operator's constraints name them: first those of the first input, then those of the second, of
parameters and of the result. What comes late gets what memory is left. So a large first operand of a matrix product
leaves tiles of a single column (PULPOpen/TileConstraints/GEMMTileConstraint.py: columns in multiples of 16 where there
are as many, rows summed up whole; nothing ties the batches of the three tensors), and operators on elements are cut
along their last axis (BOPTileConstraint.py), those on rows along the one before (iSoftmaxTileConstraint.py). The last
tile along an axis is what is left over. A product on the NPU has other constraints, and is not tiled here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product as combinations
from math import prod

from tilewright.benchmarks.siracusa.library import Product, Window, product_kernel
from tilewright.benchmarks.siracusa.operators import Operator
from tilewright.errors import Diagnostic

COLUMNS = 16
"""Columns of a product's tiles come in multiples of as many."""
CHANNELS = 8
"""The fewest channels of a convolution's tiles."""
FACTOR = 4
"""Bytes of a factor or an offset of requantisation."""
_ROWS = ("softmax", "norm")
_ELEMENTS = ("requantise", "add", "multiply", "swish")


@dataclass(frozen=True)
class Axis:
    """An extent that tiles may cut, to a multiple of `step`."""

    name: str
    extent: int
    step: int = 1

    @property
    def smallest(self) -> int:
        """The least extent of a tile."""
        return min(self.step, self.extent)

    @property
    def choices(self) -> Iterator[int]:
        """The extents that a tile may have, the largest first."""
        return iter(range(self.extent // self.step * self.step, 0, -self.step))


@dataclass(frozen=True)
class Tensor:
    """A tensor with the names of its axes, the outermost first, and the bytes of an element."""

    axes: tuple[str, ...]
    element: int = 1

    def bytes(self, tile: Mapping[str, int]) -> int:
        """Return the bytes of a tile."""
        return self.element * prod(tile[axis] for axis in self.axes)


@dataclass(frozen=True)
class Block:
    """A strided transfer of `rows` rows, each of `row` bytes."""

    row: int
    rows: int = 1


@dataclass(frozen=True)
class Tile:
    """Part of an operator, `count` times, with its transfers in and out."""

    part: Operator
    fetched: tuple[Block, ...]
    written: Block
    count: int = 1

    @property
    def bytes(self) -> int:
        """Bytes moved for it."""
        return sum(block.row * block.rows for block in (*self.fetched, self.written))


@dataclass(frozen=True)
class Layout:
    """
    Parameters of an operator's tiles.

    `axes` stand in the order of the flow's constraints. `buffers` lie in L1 beside `scratch` bytes; of them `fetched`
    are transferred for each tile, and `written` is the result, whose axes alone tell tiles apart. `stages` is 2 where
    the next tile has buffers beside those of this one.
    """

    axes: tuple[Axis, ...]
    buffers: tuple[Tensor, ...]
    fetched: tuple[Tensor, ...]
    written: Tensor
    scratch: int = 0
    stages: int = 1

    def bytes(self, tile: Mapping[str, int]) -> int:
        """Return the footprint of a tile in L1, in bytes."""
        return self.scratch + self.stages * sum(tensor.bytes(tile) for tensor in (*self.buffers, self.written))

    def largest(self, limit: int) -> dict[str, int]:
        """
        Return the extents of tiles: each the largest that fits while later ones are smallest.

        Raises Diagnostic where none fits.
        """
        tile = {axis.name: axis.smallest for axis in self.axes}
        if self.bytes(tile) > limit:
            raise _does_not_fit(limit, self.bytes(tile))
        for axis in self.axes:
            tile[axis.name] = next(size for size in axis.choices if self.bytes({**tile, axis.name: size}) <= limit)
        return tile

    def parts(self, limit: int) -> Iterator[tuple[dict[str, int], int]]:
        """Yield the extents of tiles along the result's axes, and how many tiles have them."""
        tile = self.largest(limit)
        axes = [axis for axis in self.axes if axis.name in self.written.axes]
        for sizes in combinations(*(_sizes(axis.extent, tile[axis.name]) for axis in axes)):
            fixed = {axis.name: axis.extent for axis in self.axes}
            part = {axis.name: size for axis, (size, _) in zip(axes, sizes, strict=True)}
            yield {**fixed, **part}, prod(count for _, count in sizes)

    def block(self, tensor: Tensor, part: Mapping[str, int]) -> Block:
        """Return the transfer of a part of a tensor: inside of the innermost axis that is cut, all lies together."""
        whole = {axis.name: axis.extent for axis in self.axes}
        cut = [index for index, axis in enumerate(tensor.axes) if part[axis] < whole[axis]]
        inner = cut[-1] if cut else 0
        row = tensor.element * prod(part[axis] for axis in tensor.axes[inner:])
        return Block(row, prod(part[axis] for axis in tensor.axes[:inner]))


def _sizes(extent: int, size: int) -> list[tuple[int, int]]:
    """Return the sizes of parts along an axis, and how many parts have them."""
    full, rest = divmod(extent, size)
    return [(size, full), (rest, 1)] if rest else [(size, full)]


def tiles(
    operator: Operator, limit: int, *, is_job: bool = False, in_place: bool = False, stages: int = 1
) -> list[Tile]:
    """
    Return the tiles of an operator that fit into `limit` bytes, with room for so many of each at a time.

    A job of the NPU has no buffers of a kernel on the cores; weights that are read `in_place` are not in L1. Raises
    Diagnostic where no tile fits.
    """
    if operator.window is not None:
        return _window_tiles(_Windows(operator, operator.window, is_job, in_place, stages), limit)
    if operator.product is not None and not is_job:
        return _product_tiles(operator, operator.product, limit, stages)
    if operator.kind in (*_ROWS, *_ELEMENTS, "transpose"):
        return _shaped_tiles(operator, limit, stages)
    resident = operator.weights if in_place else 0
    return [_whole(part) for part in _fewest(operator, limit // stages + resident)]


def _fewest(operator: Operator, limit: int) -> list[Operator]:
    """Return the fewest even tiles that fit."""
    count = max(1, operator.bytes // limit)
    while (cut := operator.cut(count))[0].bytes > limit and len(cut) == count:
        count += 1
    if cut[0].bytes > limit:
        raise _does_not_fit(limit, cut[0].bytes)
    return cut


def _does_not_fit(limit: int, found: int) -> Diagnostic:
    return Diagnostic("the smallest tile does not fit", expected=f"{limit} bytes", found=f"{found}")


def _whole(part: Operator) -> Tile:
    sizes = (*part.reads, *_parameters(part.parameters), part.weights)
    return Tile(part, tuple(Block(size) for size in sizes if size), Block(part.writes))


@dataclass(frozen=True)
class _Windows:
    """A convolution or pooling that is cut along the rows and channels of its result."""

    whole: Operator
    window: Window
    is_job: bool
    in_place: bool
    stages: int

    @property
    def least(self) -> int:
        """The fewest channels of a tile; a depthwise convolution and a pooling keep them all."""
        return min(CHANNELS, self.window.features) if self.whole.kind == "convolution" else self.window.features

    def part(self, rows: int, features: int) -> Operator:
        """Return a tile of so many rows and channels of the result."""
        height = min(self.window.height, (rows - 1) * self.window.strides[0] + self.window.taps[0])
        share = features / self.window.features
        return replace(
            self.whole,
            window=replace(self.window, height=height, features=features, out=(rows, self.window.out[1])),
            reads=tuple(round(size * height / self.window.height) for size in self.whole.reads),
            writes=round(self.whole.writes * share * rows / self.window.out[0]),
            weights=round(self.whole.weights * share),
            parameters=round(self.whole.parameters * share),
        )

    def bytes(self, rows: int, features: int) -> int:
        """Return the footprint of a tile in L1, in bytes."""
        part = self.part(rows, features)
        moved = part.bytes - part.scratch - (part.weights if self.in_place else 0)
        return self.stages * moved + (0 if self.is_job else part.scratch)


def _window_tiles(cut: _Windows, limit: int) -> list[Tile]:
    """Return tiles of as many rows as fit with the fewest channels, and of as many channels as then fit."""
    window = cut.window
    if cut.bytes(1, cut.least) > limit:
        raise _does_not_fit(limit, cut.bytes(1, cut.least))
    rows = next(n for n in range(window.out[0], 0, -1) if cut.bytes(n, cut.least) <= limit)
    features = next(n for n in range(window.features, 0, -1) if cut.bytes(rows, n) <= limit)
    found: list[Tile] = []
    for (height, down), (channels, across) in combinations(
        _sizes(window.out[0], rows), _sizes(window.features, features)
    ):
        part = _whole(cut.part(height, channels))
        pixels = height * window.out[1] if channels < window.features else 1
        found.append(replace(part, written=Block(part.part.writes // pixels, pixels), count=down * across))
    return found


def _parameters(size: int) -> tuple[int, int]:
    """Return the bytes of factors and of offsets, which are fetched by separate transfers."""
    return size // 2, size - size // 2


def _product_tiles(operator: Operator, product: Product, limit: int, stages: int) -> list[Tile]:
    rows, columns = Axis("rows", product.rows), Axis("columns", product.features, _step(product.features))
    depth = Axis("depth", product.depth, product.depth)
    batches = [Axis(name, product.batch) for name in ("first batch", "second batch", "batch")]
    element = max(1, operator.writes // (product.batch * product.rows * product.features))
    factors = Tensor(("columns",), FACTOR)
    layout = Layout(
        axes=(batches[0], rows, depth, batches[1], columns, batches[2]),
        buffers=(
            Tensor(("first batch", "rows", "depth")),
            Tensor(("second batch", "columns", "depth")),
            factors,
            factors,
        ),
        fetched=(
            Tensor(("batch", "rows", "depth")),
            Tensor(("batch", "columns", "depth")),
            factors,
            factors,
        ),
        written=Tensor(("batch", "rows", "columns"), element),
        stages=stages,
    )
    kernel = product_kernel(product)
    found: list[Tile] = []
    for part, count in layout.parts(limit):
        size = Product(part["batch"], part["rows"], product.depth, part["columns"], product.is_signed, kernel)
        found.append(_tile(layout, replace(operator, product=size), part, count))
    return found


def _step(columns: int) -> int:
    return COLUMNS if columns >= COLUMNS else 1


def _tile(layout: Layout, operator: Operator, part: Mapping[str, int], count: int) -> Tile:
    fetched = tuple(layout.block(tensor, part) for tensor in layout.fetched)
    return Tile(operator, fetched, layout.block(layout.written, part), count)


def _shaped_tiles(operator: Operator, limit: int, stages: int) -> list[Tile]:
    names = tuple(f"axis {index}" for index in range(len(operator.shape)))
    last = len(names) - 1 if operator.kind in _ROWS else None
    axes = tuple(
        Axis(name, extent, extent if index == last else 1)
        for index, (name, extent) in enumerate(zip(names, operator.shape, strict=True))
    )
    count = prod(operator.shape)
    inputs = tuple(Tensor(names, max(1, size // count)) for size in operator.reads)
    constants = (Tensor(names[-1:], FACTOR),) if operator.kind == "norm" else ()
    if (
        operator.kind == "transpose"
    ):  # its constraints name the axes as its input has them, of which the first comes last
        axes = (*axes[1:], axes[0])
    layout = Layout(
        axes=axes,
        buffers=(*inputs, *constants),
        fetched=(*inputs, *constants),
        written=Tensor(names, max(1, operator.writes // count)),
        scratch=operator.scratch,
        stages=stages,
    )
    return [
        _tile(layout, replace(operator, shape=tuple(part[name] for name in names)), part, times)
        for part, times in layout.parts(limit)
    ]
