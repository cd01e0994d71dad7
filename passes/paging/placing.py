"""Kernels and grids of a pool in memory, as text: append, and attention over a table of blocks (docs/paged.md)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...dialects.paged.ops import PoolShape
from .fragments import LANES, aliases, buffer, fold_text, maps, padded_length, softmax_text
from .selecting import own_text

_ALIGNMENT = 64
"""Alignment of tiles in bytes: a cache line, and no less than what levels of scratchpads ask."""


@dataclass(frozen=True)
class PlacedStep:
    """Step of `tokens` on a pool in memory: types of its buffers. Sums have lanes, so head_dim is parts * 8."""

    pool: PoolShape
    tokens: int

    @property
    def parts(self) -> int:
        return self.pool.head_dim // LANES

    @property
    def pages(self) -> str:
        """Type of the keys, or values, of a layer [kv_heads][blocks][page_length][parts][8]."""
        return buffer([self.pool.kv_heads, self.pool.blocks, self.pool.page_length, self.parts, LANES])

    @property
    def digests(self) -> str:
        """Type of the digests of a layer [kv_heads][blocks][2][head_dim]."""
        return buffer([self.pool.kv_heads, self.pool.blocks, 2, self.pool.head_dim])

    def part_of_pages(self, rows: int) -> str:
        """Return the type of rows of a block of each KV head."""
        pool = self.pool
        strides = [
            pool.blocks * pool.page_length * pool.head_dim,
            pool.page_length * pool.head_dim,
            pool.head_dim,
            8,
            1,
        ]
        shape = buffer([pool.kv_heads, 1, rows, self.parts, LANES])
        return f"{shape[:-1]}, strided<{strides}, offset: ?>>"


def _strided(shape: list[int], strides: list[int]) -> str:
    return f"{buffer(shape)[:-1]}, strided<{strides}, offset: ?>>"


def append_text(s: PlacedStep, position: str) -> str:
    """
    Return a function of position, keys and values [tokens][kv_heads][head_dim], and a layer's pages and digests.

    The block of a token and its row in it are looked up, in the ranges that the pool has. The digest of a block is
    computed when it is full; until then it is 0.
    """
    pool, parts, heads = s.pool, s.parts, s.pool.kv_heads
    row = [pool.kv_heads * pool.head_dim, pool.head_dim, LANES, 1]
    digest = [pool.blocks * 2 * pool.head_dim, 2 * pool.head_dim, pool.head_dim, LANES, 1]
    types = {
        "rows": buffer([s.tokens, heads, pool.head_dim]),
        "split": buffer([s.tokens, heads, parts, LANES]),
        "row": _strided([1, heads, parts, LANES], row),
        "pages": s.pages,
        "page": s.part_of_pages(pool.page_length),
        "slot": s.part_of_pages(1),
        "digests": s.digests,
        "bounds": buffer([heads, pool.blocks, 2, parts, LANES]),
        "bound": _strided([heads, 1, 2, parts, LANES], digest),
        "numbers": buffer([s.tokens], "i32"),
        "extrema": buffer([heads, parts, LANES]),
        "position": buffer([1], position),
    }
    ones = [1] * 5
    return f"""{aliases(types)}
func.func @append(%position: !position, %k: !rows, %v: !rows, %keys: !pages, %values: !pages, %digests: !digests) {{
  %blocks = memref.alloc() : !numbers
  %in_block = memref.alloc() : !numbers
  {own_text("%position", position, "%blocks", s.tokens, pool.page_length)}
  {own_text("%position", position, "%in_block", s.tokens, pool.page_length, "remsi")}
  %new_keys = memref.expand_shape %k [[0], [1], [2, 3]]
      output_shape [{s.tokens}, {heads}, {parts}, {LANES}] : !rows into !split
  %new_values = memref.expand_shape %v [[0], [1], [2, 3]]
      output_shape [{s.tokens}, {heads}, {parts}, {LANES}] : !rows into !split
  %bounds = memref.expand_shape %digests [[0], [1], [2], [3, 4]]
      output_shape [{heads}, {pool.blocks}, 2, {parts}, {LANES}] : !digests into !bounds
  %most = memref.alloc() : !extrema
  %least = memref.alloc() : !extrema
  %most_start = arith.constant 0xFF800000 : f32
  %least_start = arith.constant 0x7F800000 : f32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %end = arith.constant {s.tokens} : index
  %last = arith.constant {pool.page_length - 1} : index
  scf.for %t = %first to %end step %step {{
    %block = hier.lookup %blocks[%t] in [0, {pool.blocks}) : !numbers
    %row = hier.lookup %in_block[%t] in [0, {pool.page_length}) : !numbers
    {_copy_text("keys", s, ones)}
    {_copy_text("values", s, ones)}
    %is_full = arith.cmpi eq, %row, %last : index
    %page = memref.subview %keys[0, %block, 0, 0, 0]
        [{heads}, 1, {pool.page_length}, {parts}, {LANES}] {ones} : !pages to !page
    %bound = memref.subview %bounds[0, %block, 0, 0, 0] [{heads}, 1, 2, {parts}, {LANES}] {ones} : !bounds to !bound
    {_extreme_text("most", "ogt", 0)}
    {_extreme_text("least", "olt", 1)}
  }}
  func.return
}}"""


def _copy_text(name: str, s: PlacedStep, ones: list[int]) -> str:
    """Return the copy of the keys or values of a token to its slot."""
    heads, parts = s.pool.kv_heads, s.parts
    return f"""%{name}_row = memref.subview %new_{name}[%t, 0, 0, 0]
        [1, {heads}, {parts}, {LANES}] {ones[1:]} : !split to !row
    %{name}_slot = memref.subview %{name}[0, %block, %row, 0, 0]
        [{heads}, 1, 1, {parts}, {LANES}] {ones} : !pages to !slot
    linalg.generic {maps("h, c, j", "0, h, c, j", "h, 0, 0, c, j")}
        ins(%{name}_row : !row) outs(%{name}_slot : !slot) {{
    ^bb0(%x: f32, %old: f32):
      linalg.yield %x : f32
    }}"""


def _extreme_text(name: str, predicate: str, place: int) -> str:
    """Return the kernels of a block's maximum or minimum, which come to its digest where the block is full."""
    return f"""linalg.fill ins(%{name}_start : f32) outs(%{name} : !extrema)
    linalg.generic {maps("h, c, j, r", "h, 0, r, c, j", "h, c, j", reduced="r")}
        ins(%page : !page) outs(%{name} : !extrema) {{
    ^bb0(%x: f32, %old: f32):
      %is = arith.cmpf {predicate}, %x, %old : f32
      %new = arith.select %is, %x, %old : f32
      linalg.yield %new : f32
    }}
    linalg.generic {maps("h, c, j", "h, c, j", f"h, 0, {place}, c, j")} ins(%{name} : !extrema) outs(%bound : !bound) {{
    ^bb0(%x: f32, %old: f32):
      %absent = arith.constant 0.0 : f32
      %new = arith.select %is_full, %x, %absent : f32
      linalg.yield %new : f32
    }}"""


class _Near:
    """Offsets in bytes of buffers in the near level, one behind the other."""

    def __init__(self, level: str, first: int) -> None:
        self.level = level
        self.used = first

    def tile(self, extents: list[int], stages: int = 1) -> str:
        """Return the address clause of a tile with elements of four bytes."""
        text = f'{extents} in "{self.level}" address {self._take(extents, stages)}'
        return f"{text} stages {stages}" if stages > 1 else text

    def scratch(self, name: str, extents: list[int]) -> str:
        """Return a scratch buffer of four bytes an element."""
        return f"{name} : {buffer(extents, 'f32', self.level)} address {self._take(extents, 1)}"

    def _take(self, extents: list[int], stages: int) -> int:
        address = self.used
        size = 4 * prod(extents)
        self.used += stages * (-(-size // _ALIGNMENT) * _ALIGNMENT)
        return address


def attend_text(s: PlacedStep, places: int, limits: tuple[int, int], position: str, near: str, address: int = 0) -> str:
    """
    Return a function of queries, table, counts, position, a layer's keys and values, and results.

    Two grids over tokens, KV heads and places of the table read the page that the table names: one for the scores, one
    for the values. `limits` are the range of the table's entries; tiles lie in the level `near`, from a byte on.
    """
    pool, parts, group, length = s.pool, s.parts, s.pool.group, s.pool.page_length
    lists, count = [s.tokens, pool.kv_heads], places * length
    page, head, rows = [1, 1, length, parts, LANES], [1, 1, group, parts, LANES], [1, 1, group, length]
    types = {
        "heads": buffer([s.tokens, pool.heads, pool.head_dim]),
        "split": buffer([*lists, group, parts, LANES]),
        "table": buffer([*lists, places], "i32"),
        "counts": buffer(lists, "i32"),
        "numbers": buffer([s.tokens], "i32"),
        "pages": s.pages,
        "scores": buffer([*lists, group, count]),
        "padded": buffer([*lists, group, padded_length(count)]),
        "totals": buffer([*lists, group]),
        "position": buffer([1], position),
        "page": buffer(page, "f32", near),
        "head": buffer(head, "f32", near),
        "part": buffer(rows, "f32", near),
        "valid": buffer([1, 1, 1], "i32", near),
        "total": buffer([1, 1, group], "f32", near),
        "lanes": buffer([group, length, LANES], "f32", near),
        "sums": buffer([group, parts, LANES], "f32", near),
    }
    entry = f"%h, %table[%t, %h, %i] in [{limits[0]}, {limits[1]}), 0, 0, 0"
    split = [*lists, group, parts, LANES]
    one, two = _Near(near, address), _Near(near, address)
    return f"""{aliases(types)}
func.func @attend(%q: !heads, %table: !table, %counts: !counts, %position: !position,
                  %keys: !pages, %values: !pages, %out: !heads) {{
  %in_block = memref.alloc() : !numbers
  {own_text("%position", position, "%in_block", s.tokens, length, "remsi")}
  %valid = memref.alloc() : !table
  {_valid_text(length)}
  %queries = memref.expand_shape %q [[0], [1, 2], [3, 4]] output_shape {split} : !heads into !split
  %results = memref.expand_shape %out [[0], [1, 2], [3, 4]] output_shape {split} : !heads into !split
  %scores = memref.alloc() : !scores
  hier.grid (%t, %h, %i) in [{s.tokens}, {pool.kv_heads}, {places}]
      ins(%blocks = %table : !table,
          %tq = %queries[%t, %h, 0, 0, 0] {one.tile(head)} : !split,
          %tk = %keys[{entry}] {one.tile(page, 2)} : !pages,
          %n = %valid[%t, %h, %i] {one.tile([1, 1, 1], 2)} : !table)
      outs(%ts = %scores[%t, %h, 0, %i * {length}] {one.tile(rows, 2)} : !scores)
      scratch({one.scratch("%lanes", [group, length, LANES])}) {{
    %start = arith.constant 0.0 : f32
    linalg.fill ins(%start : f32) outs(%lanes : !lanes)
    linalg.generic {maps("g, r, j, c", "0, 0, g, c, j", "0, 0, r, c, j", "0, 0, 0", "g, r, j", reduced="c")}
        ins(%tq, %tk, %n : !head, !page, !valid) outs(%lanes : !lanes) {{
    {_masked_product_text(1)}
    }}
    {fold_text("%lanes", "!lanes", "g, r", "%ts", "!part", "0, 0, g, r")}
    linalg.generic {maps("g, r", "0, 0, 0", "0, 0, g, r")} ins(%n : !valid) outs(%ts : !part) {{
    {_score_text(pool.scale)}
    }}
    hier.yield
  }}
  %padded = memref.alloc() : !padded
  %total = memref.alloc() : !totals
  {softmax_text("%scores", [*lists, group, count], "%padded", "%total")}
  hier.grid (%t, %h, %i) in [{s.tokens}, {pool.kv_heads}, {places}]
      ins(%blocks = %table : !table,
          %te = %padded[%t, %h, 0, %i * {length}] {two.tile(rows, 2)} : !padded,
          %tv = %values[{entry}] {two.tile(page, 2)} : !pages,
          %n = %valid[%t, %h, %i] {two.tile([1, 1, 1], 2)} : !table,
          %tz = %total[%t, %h, 0] {two.tile([1, 1, group])} : !totals)
      outs(%to = %results[%t, %h, 0, 0, 0] {two.tile(head)} : !split)
      scratch({two.scratch("%weighted", [group, parts, LANES])}) {{
    %start = arith.constant 0.0 : f32
    hier.first %i {{ linalg.fill ins(%start : f32) outs(%weighted : !sums) }}
    linalg.generic {maps("g, c, j, r", "0, 0, g, r", "0, 0, r, c, j", "0, 0, 0", "g, c, j", reduced="r")}
        ins(%te, %tv, %n : !part, !page, !valid) outs(%weighted : !sums) {{
    {_masked_product_text(3)}
    }}
    hier.last %i {{
      linalg.generic {maps("g, c, j", "g, c, j", "0, 0, g", "0, 0, g, c, j")}
          ins(%weighted, %tz : !sums, !total) outs(%to : !head) {{
      ^bb0(%a: f32, %z: f32, %old: f32):
        %new = arith.divf %a, %z : f32
        linalg.yield %new : f32
      }}
    }}
    hier.yield
  }}
  func.return
}}"""


def _valid_text(length: int) -> str:
    """Return the kernel of %valid, the tokens of each place that are attended to; in the last one up to the own."""
    return f"""linalg.generic {maps("t, h, i", "t", "t, h", "t, h, i")}
      ins(%in_block, %counts : !numbers, !counts) outs(%valid : !table) {{
  ^bb0(%row: i32, %n: i32, %old: i32):
    %index = linalg.index 2 : index
    %i = arith.index_cast %index : index to i32
    %unit = arith.constant 1 : i32
    %none = arith.constant 0 : i32
    %all = arith.constant {length} : i32
    %last = arith.subi %n, %unit : i32
    %tail = arith.addi %row, %unit : i32
    %is_full = arith.cmpi slt, %i, %last : i32
    %is_last = arith.cmpi eq, %i, %last : i32
    %rest = arith.select %is_last, %tail, %none : i32
    %new = arith.select %is_full, %all, %rest : i32
    linalg.yield %new : i32
  }}"""


def _masked_product_text(row: int) -> str:
    """Return the body of a sum of products, to which the first %rows rows alone count; loop `row` has the row."""
    return f"""^bb0(%a: f32, %b: f32, %rows: i32, %old: f32):
      %index = linalg.index {row} : index
      %number = arith.index_cast %index : index to i32
      %is_valid = arith.cmpi slt, %number, %rows : i32
      %product = arith.mulf %a, %b : f32
      %next = arith.addf %old, %product : f32
      %new = arith.select %is_valid, %next, %old : f32
      linalg.yield %new : f32"""


def _score_text(scale: float) -> str:
    """Return the body of a kernel that scales scores; they are minus infinity from row %rows on."""
    return f"""^bb0(%rows: i32, %sum: f32):
      %scale = arith.constant {scale!r} : f32
      %scaled = arith.mulf %sum, %scale : f32
      %absent = arith.constant 0xFF800000 : f32
      %index = linalg.index 1 : index
      %number = arith.index_cast %index : index to i32
      %is_valid = arith.cmpi slt, %number, %rows : i32
      %new = arith.select %is_valid, %scaled, %absent : f32
      linalg.yield %new : f32"""
