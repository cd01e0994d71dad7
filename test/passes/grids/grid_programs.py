"""
Products of matrices as grids, drawn by hypothesis: reductions in tiles, in one level or several, each operand brought
to the level, viewed where it lies, or resident in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tilewright.ir import Array

BYTES = {"i8": 1, "i32": 4}
RESIDENT = "L0"
"""The level of resident buffers, the nearest one."""


@dataclass(frozen=True)
class Buffer:
    """A memref in the text of a program."""

    name: str
    shape: tuple[int, ...]
    element: str
    strides: tuple[int, ...]
    level: str = ""
    is_view: bool = False
    resident: bool = False

    @property
    def type(self) -> str:
        """The type of the memref."""
        layout = f", strided<{list(self.strides)}, offset: ?>" if self.is_view else ""
        space = f', "{self.level}"' if self.level else ""
        return f"memref<{''.join(f'{n}x' for n in self.shape)}{self.element}{layout}{space}>"

    @property
    def typed(self) -> str:
        """Name and type."""
        return f"{self.name}: {self.type}"


def dense(name: str, shape: Sequence[int], element: str, level: str = "", *, resident: bool = False) -> Buffer:
    """Return a buffer without gaps."""
    strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return Buffer(name, tuple(shape), element, strides, level, resident=resident)


@dataclass(frozen=True)
class Program:
    """The text of a program, its inputs and what it must compute."""

    text: str
    inputs: dict[str, Array]
    expected: Array


@dataclass(frozen=True)
class Size:
    """An extent and the tiles that it is cut into."""

    extent: int
    tile: int

    @property
    def count(self) -> int:
        """The number of tiles."""
        return -(-self.extent // self.tile)

    @property
    def is_even(self) -> bool:
        """Whether the last tile ends where the extent does."""
        return self.extent % self.tile == 0


@dataclass
class Writer:
    """Draws a program and writes it."""

    draw: Any
    ends: dict[str, int] = field(default_factory=dict[str, int])
    numbers: count[int] = field(default_factory=count)

    def name(self, stem: str) -> str:
        """Return a new name."""
        return f"%{stem}{next(self.numbers)}"

    def place(self, level: str, size: int) -> int:
        """Return the address of a new buffer in a level."""
        start: int = self.ends.get(level) or self.draw(st.sampled_from([0, 8, 64]))
        self.ends[level] = start + -(-size // 8) * 8
        return start

    def cut(self, extent: int, *, even: bool) -> Size:
        """Return how an extent is cut."""
        tiles = [-(-extent // n) for n in (1, 2, 3)]
        return Size(extent, self.draw(st.sampled_from([t for t in tiles if not even or extent % t == 0])))

    def tile(self, part: Buffer, operand: Buffer, sizes: Sequence[Size], dims: Sequence[str], level: str = "") -> str:
        """Return an operand of a grid, whose body gets `part`; `dims` names the grid dimension along each axis."""
        starts = ", ".join(f"{dim} * {size.tile}" for dim, size in zip(dims, sizes, strict=True))
        text = f"{part.name} = {operand.name}[{starts}] {[size.tile for size in sizes]}"
        if not level:
            return f"{text} : {operand.type}"
        stages = self.draw(st.integers(1, 3))
        bytes = BYTES[operand.element] * prod(size.tile for size in sizes)
        address = self.place(level, stages * -(-bytes // 8) * 8)
        fill = "" if all(size.is_even for size in sizes) else f" fill 0 : {operand.element}"
        return f'{text} in "{level}" address {address} stages {stages}{fill} : {operand.type}'

    def part(self, stem: str, operand: Buffer, sizes: Sequence[Size], level: str, *, view: bool) -> Buffer:
        """Return what the body of a grid gets for an operand."""
        shape = tuple(size.tile for size in sizes)
        if not view:
            return dense(self.name(stem), shape, operand.element, level)
        if shape == operand.shape:
            return replace(operand, name=self.name(stem))
        return replace(operand, name=self.name(stem), shape=shape, is_view=True)

    def resident(self, source: Buffer) -> tuple[Buffer, str]:
        """Return a copy of a matrix that stays in a level, and the program that makes it."""
        address = self.place(RESIDENT, prod(source.shape) * BYTES[source.element])
        target = dense(self.name("kept"), source.shape, source.element, RESIDENT, resident=True)
        sizes = [self.cut(source.shape[0], even=True), self.cut(source.shape[1], even=True)]
        near = self.part("from", source, sizes, RESIDENT, view=False)
        view = self.part("to", target, sizes, RESIDENT, view=True)
        point = [self.name("i") for _ in range(3)]
        dims = [point[0], point[2]]
        return (
            target,
            f"""
            {target.name} = memref.alloc() {{hier.address = {address} : i64}} : {target.type}
            hier.grid ({", ".join(point)}) in [{sizes[0].count}, 1, {sizes[1].count}]
                ins({self.tile(near, source, sizes, dims, RESIDENT)})
                outs({self.tile(view, target, sizes, dims)}) {{
              "memref.copy"({near.name}, {view.name}) : ({near.type}, {view.type}) -> ()
              hier.yield
            }}""",
        )

    def product(
        self, a: Buffer, b: Buffer, c: Buffer, levels: Sequence[str], bias: Buffer | None = None, *, goes_on: bool
    ) -> str:
        """
        Return c = a * b in tiles: with `goes_on` c + a * b, with a bias (a * b + bias) >> 3 in bytes.

        The grid is in the first of the levels, a grid in its body in the second, and so on.
        """
        even = goes_on or a.resident or b.resident
        m, n = self.cut(a.shape[0], even=even), self.cut(b.shape[1], even=even)
        k = self.cut(a.shape[1], even=even)
        order: tuple[int, int] = self.draw(st.sampled_from([(0, 1), (1, 0)]))
        im, jn = order
        bounds = [{im: m, jn: n, 2: k}[dim].count for dim in range(3)]
        tiles, parts = list[str](), list[Buffer]()
        point = [self.name("i") for _ in range(3)]
        i, j, along = point[im], point[jn], point[2]
        operands = [(a, [m, k], [i, along]), (b, [k, n], [along, j]), (bias, [n], [j]), (c, [m, n], [i, j])]
        for operand, sizes, dims in operands:
            if operand is None:
                continue
            view = operand.resident or (goes_on and operand is c) or self.may_view(sizes)
            parts.append(self.part("t", operand, sizes, levels[0], view=view))
            tiles.append(self.tile(parts[-1], operand, sizes, dims, "" if view else levels[0]))
        ta, tb, *tbias, tc = parts
        sums, scratch = tc, ""
        if not goes_on and (bias is not None or self.draw(st.booleans())):
            level = self.draw(st.sampled_from(levels))
            sums = dense(self.name("sums"), (m.tile, n.tile), "i32", level)
            scratch = f"scratch({sums.typed} address {self.place(level, 4 * m.tile * n.tile)})"
        body = self.product(ta, tb, sums, levels[1:], goes_on=True) if levels[1:] else accumulate(ta, tb, sums)
        start = "" if goes_on else self.at_end("first", point, bounds, fill(sums))
        end = self.at_end("last", point, bounds, self.finish(sums, tbias, tc)) if scratch else ""
        return f"""
            hier.grid ({", ".join(point)}) in {bounds}
                ins({", ".join(tiles[:-1])}) outs({tiles[-1]}) {scratch} {{
              {start}
              {body}
              {end}
              hier.yield
            }}"""

    def may_view(self, sizes: Sequence[Size]) -> bool:
        """Draw whether an operand is used where it lies; not where a tile hangs over."""
        return all(size.is_even for size in sizes) and self.draw(st.booleans())

    def at_end(self, end: str, point: Sequence[str], bounds: Sequence[int], body: str) -> str:
        """Return what runs at one end of the reduction; where there is one step, perhaps without saying so."""
        if bounds[2] == 1 and self.draw(st.booleans()):
            return body
        return f"hier.{end} {point[2]} {{ {body} }}"

    def finish(self, sums: Buffer, bias: Sequence[Buffer], out: Buffer) -> str:
        """Return the epilogue on finished sums."""
        if not bias:
            return f'"memref.copy"({sums.name}, {out.name}) : ({sums.type}, {out.type}) -> ()'
        x, y, z, s, t, r, three = (self.name("e") for _ in range(7))
        maps = ", ".join(f"affine_map<(d0, d1) -> ({dims})>" for dims in ("d0, d1", "d1", "d0, d1"))
        return f"""
            linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
                ins({sums.name}, {bias[0].name} : {sums.type}, {bias[0].type}) outs({out.name} : {out.type}) {{
            ^bb0({x}: i32, {y}: i32, {z}: i8):
              {three} = arith.constant 3 : i32
              {s} = arith.addi {x}, {y} : i32
              {t} = arith.shrsi {s}, {three} : i32
              {r} = arith.trunci {t} : i32 to i8
              linalg.yield {r} : i8
            }}"""


def fill(target: Buffer) -> str:
    """Return the op that sets a buffer to zero."""
    return f"linalg.fill ins(%zero : i32) outs({target.name} : {target.type})"


def accumulate(a: Buffer, b: Buffer, sums: Buffer) -> str:
    """Return the kernel that adds a product to what a buffer holds."""
    return f"""nn.matmul ins({a.name}, {b.name} : {a.type}, {b.type}) outs({sums.name} : {sums.type})
        {{accumulator = i32, accumulate}}"""


@st.composite
def products(draw: Any, most: int = 3) -> Program:
    """Draw a product of matrices in up to so many levels."""
    writer = Writer(draw)
    m, n, k = (draw(st.integers(1, 12)) for _ in range(3))
    levels = ["L2", "L1", "L0"][3 - draw(st.integers(1, most)) :]
    a, b, bias = dense("%a", (m, k), "i8"), dense("%b", (k, n), "i8"), dense("%bias", (n,), "i32")
    c = dense("%c", (m, n), draw(st.sampled_from(["i8", "i32"])))
    lines, operands = ["%zero = arith.constant 0 : i32"], [a, b]
    for index in range(2):
        if draw(st.integers(0, 3)) == 0:
            operands[index], text = writer.resident(operands[index])
            lines.append(text)
    extra = bias if c.element == "i8" else None
    lines.append(writer.product(operands[0], operands[1], c, levels, extra, goes_on=False))
    named = ", ".join(f'{each.typed} {{onnx.name = "{each.name[1:]}"}}' for each in (a, b, bias))
    head = f'func.func @network({named}, {c.typed} {{onnx.name = "c", tilewright.output}}) {{'
    generator = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    x, y = (np.asarray(generator.integers(-128, 128, shape), np.int8) for shape in ((m, k), (k, n)))
    z = np.asarray(generator.integers(-500, 500, n), np.int32)
    sums = x.astype(np.int32) @ y.astype(np.int32)
    expected = sums if extra is None else ((sums + z) >> 3).astype(np.int8)
    text = "\n".join([head, *lines, "func.return", "}"])
    return Program(text, {"a": x, "b": y, "bias": z}, expected)
