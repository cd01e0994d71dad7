"""Kernels of `paged.score` and `paged.select`, as text, with the bits and choices of a store (docs/paged.md)."""

from __future__ import annotations

from dataclasses import dataclass

from ...dialects.paged.ops import PoolShape
from ...dialects.paged.selection import SelectionPolicy
from .fragments import LANES, buffer, fold_text, maps, padded_length, softmax_text


def score_text(tokens: int, heads: int, kv_heads: int, blocks: int, dim: int) -> str:
    """Return a function of queries [t][heads][dim], digests [kv_heads][blocks][2][dim], scores [t][heads][blocks]."""
    group, parts = heads // kv_heads, dim // LANES
    q, d, s = buffer([tokens, heads, dim]), buffer([kv_heads, blocks, 2, dim]), buffer([tokens, heads, blocks])
    split_q, split_d = [tokens, kv_heads, group, parts, LANES], [kv_heads, blocks, 2, parts, LANES]
    split_s = [tokens, kv_heads, group, blocks]
    lanes = buffer([*split_s, LANES])
    loops = "t, h, g, b"
    return f"""
func.func @score(%q: {q}, %d: {d}, %s: {s}) {{
  %zero = arith.constant 0.0 : f32
  %q5 = memref.expand_shape %q [[0], [1, 2], [3, 4]] output_shape {split_q} : {q} into {buffer(split_q)}
  %d5 = memref.expand_shape %d [[0], [1], [2], [3, 4]] output_shape {split_d} : {d} into {buffer(split_d)}
  %s4 = memref.expand_shape %s [[0], [1, 2], [3]] output_shape {split_s} : {s} into {buffer(split_s)}
  %lanes = memref.alloc() : {lanes}
  linalg.fill ins(%zero : f32) outs(%lanes : {lanes})
  linalg.generic {maps(f"{loops}, j, c", "t, h, g, c, j", "h, b, 0, c, j", "h, b, 1, c, j", f"{loops}, j", reduced="c")}
      ins(%q5, %d5, %d5 : {buffer(split_q)}, {buffer(split_d)}, {buffer(split_d)}) outs(%lanes : {lanes}) {{
  ^bb0(%a: f32, %most: f32, %least: f32, %old: f32):
    %upper = arith.mulf %a, %most : f32
    %lower = arith.mulf %a, %least : f32
    %is_lower = arith.cmpf ogt, %lower, %upper : f32
    %bound = arith.select %is_lower, %lower, %upper : f32
    %new = arith.addf %old, %bound : f32
    linalg.yield %new : f32
  }}
  {fold_text("%lanes", lanes, loops, "%s4", buffer(split_s), loops)}
  func.return
}}"""


@dataclass(frozen=True)
class Selecting:
    """Sizes and policy of a selection; `rows` are the score rows of a KV head that select for themselves."""

    tokens: int
    pool: PoolShape
    policy: SelectionPolicy

    @property
    def rows(self) -> int:
        return self.pool.group if self.policy.reduce == "union" else 1

    @property
    def scores(self) -> str:
        """Type of the scores of heads."""
        return buffer([self.tokens, self.pool.kv_heads, self.pool.group, self.pool.blocks])

    def buffer(self, *extents: int, element: str = "f32") -> str:
        """Return the type of a buffer with more axes behind those of tokens and KV heads."""
        return buffer([self.tokens, self.pool.kv_heads, *extents], element)


def select_text(s: Selecting, position: str) -> str:
    """Return a function of scores, position, table and counts; `position` is the element type of the position."""
    pool, policy = s.pool, s.policy
    places = policy.places(pool)
    scores = buffer([s.tokens, pool.heads, pool.blocks])
    split = [s.tokens, pool.kv_heads, pool.group, pool.blocks]
    own, at = buffer([s.tokens], "i32"), s.buffer(s.rows, element="i32")
    ranked, taken = s.buffer(s.rows, pool.blocks), s.buffer(s.rows, pool.blocks, element="i8")
    best, chosen, lists = s.buffer(s.rows), s.buffer(pool.blocks, element="i8"), s.buffer(element="i32")
    table = s.buffer(places, element="i32")
    part = f"memref<{s.tokens}x{pool.kv_heads}x1xi32, strided<[{pool.kv_heads * places}, {places}, 1], offset: ?>>"
    return f"""
func.func @select(%s: {scores}, %position: memref<1x{position}>, %table: {table}, %counts: {lists}) {{
  %infinity_of = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %s4 = memref.expand_shape %s [[0], [1, 2], [3]] output_shape {split} : {scores} into {s.scores}
  %own = memref.alloc() : {own}
  {own_text("%position", position, "%own", s.tokens, pool.page_length)}
  {_ranked_text(s)}
  %taken = memref.alloc() : {taken}
  linalg.generic {maps("t, h, r, b", "t", "t, h, r, b")} ins(%own : {own}) outs(%taken : {taken}) {{
  ^bb0(%o: i32, %old: i8):
    %index = linalg.index 3 : index
    %b = arith.index_cast %index : index to i32
    %sinks = arith.constant {policy.sinks} : i32
    %recent = arith.constant {policy.recent} : i32
    %window = arith.subi %o, %recent : i32
    %is_sink = arith.cmpi slt, %b, %sinks : i32
    %is_recent = arith.cmpi sge, %b, %window : i32
    %is_taken = arith.ori %is_sink, %is_recent : i1
    %new = arith.extui %is_taken : i1 to i8
    linalg.yield %new : i8
  }}
  %best = memref.alloc() : {best}
  %at = memref.alloc() : {at}
  %free = arith.constant {policy.free} : index
  scf.for %p = %first to %free step %step {{
    linalg.fill ins(%infinity_of : f32) outs(%best : {best})
    linalg.fill ins(%none : i32) outs(%at : {at})
    linalg.generic {maps("t, h, r, b", "t, h, r, b", "t, h, r, b", "t, h, r", "t, h, r", reduced="b")}
        ins(%ranked, %taken : {ranked}, {taken}) outs(%best, %at : {best}, {at}) {{
    ^bb0(%x: f32, %t: i8, %old: f32, %old_at: i32):
      %index = linalg.index 3 : index
      %b = arith.index_cast %index : index to i32
      %no = arith.constant 0 : i8
      %is_free = arith.cmpi eq, %t, %no : i8
      %is_more = arith.cmpf ogt, %x, %old : f32
      %is = arith.andi %is_free, %is_more : i1
      %new = arith.select %is, %x, %old : f32
      %new_at = arith.select %is, %b, %old_at : i32
      linalg.yield %new, %new_at : f32, i32
    }}
    linalg.generic {maps("t, h, r, b", "t, h, r", "t, h, r, b")} ins(%at : {at}) outs(%taken : {taken}) {{
    ^bb0(%a: i32, %old: i8):
      %index = linalg.index 3 : index
      %b = arith.index_cast %index : index to i32
      %is = arith.cmpi eq, %a, %b : i32
      %one = arith.extui %is : i1 to i8
      %new = arith.ori %old, %one : i8
      linalg.yield %new : i8
    }}
  }}
  // The blocks that any row has taken, before the token's own.
  %nothing_chosen = arith.constant 0 : i8
  %chosen = memref.alloc() : {chosen}
  linalg.fill ins(%nothing_chosen : i8) outs(%chosen : {chosen})
  linalg.generic {maps("t, h, b, r", "t, h, r, b", "t", "t, h, b", reduced="r")}
      ins(%taken, %own : {taken}, {own}) outs(%chosen : {chosen}) {{
  ^bb0(%x: i8, %o: i32, %old: i8):
    %index = linalg.index 2 : index
    %b = arith.index_cast %index : index to i32
    %is_before = arith.cmpi slt, %b, %o : i32
    %mask = arith.extui %is_before : i1 to i8
    %counted = arith.andi %x, %mask : i8
    %new = arith.ori %old, %counted : i8
    linalg.yield %new : i8
  }}
  %self = arith.constant 1 : i32
  linalg.fill ins(%self : i32) outs(%counts : {lists})
  linalg.generic {maps("t, h, b", "t, h, b", "t, h", reduced="b")} ins(%chosen : {chosen}) outs(%counts : {lists}) {{
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extui %x : i8 to i32
    %new = arith.addi %old, %wide : i32
    linalg.yield %new : i32
  }}
  // Each place has the lowest chosen block above the one before it, or the token's own.
  %before = memref.alloc() : {lists}
  %next = memref.alloc() : {lists}
  linalg.fill ins(%none : i32) outs(%before : {lists})
  %places = arith.constant {places} : index
  scf.for %k = %first to %places step %step {{
    linalg.generic {maps("t, h", "t", "t, h")} ins(%own : {own}) outs(%next : {lists}) {{
    ^bb0(%o: i32, %old: i32):
      linalg.yield %o : i32
    }}
    linalg.generic {maps("t, h, b", "t, h, b", "t, h", "t, h", reduced="b")}
        ins(%chosen, %before : {chosen}, {lists}) outs(%next : {lists}) {{
    ^bb0(%x: i8, %least: i32, %old: i32):
      %index = linalg.index 2 : index
      %b = arith.index_cast %index : index to i32
      %no = arith.constant 0 : i8
      %is_chosen = arith.cmpi ne, %x, %no : i8
      %is_above = arith.cmpi sgt, %b, %least : i32
      %is_lower = arith.cmpi slt, %b, %old : i32
      %is_next = arith.andi %is_chosen, %is_above : i1
      %is = arith.andi %is_next, %is_lower : i1
      %new = arith.select %is, %b, %old : i32
      linalg.yield %new : i32
    }}
    %place = memref.subview %table[0, 0, %k] [{s.tokens}, {pool.kv_heads}, 1] [1, 1, 1] : {table} to {part}
    linalg.generic {maps("t, h", "t, h", "t, h, 0")} ins(%next : {lists}) outs(%place : {part}) {{
    ^bb0(%x: i32, %old: i32):
      linalg.yield %x : i32
    }}
    memref.copy %next, %before : {lists} to {lists}
  }}
  func.return
}}"""


def own_text(position: str, element: str, out: str, tokens: int, page_length: int, op: str = "divsi") -> str:
    """Return a kernel that computes the blocks of tokens, or with `remsi` their rows in these, as text."""
    narrowed = "%n = arith.addi %p, %zero : i32" if element == "i32" else f"%n = arith.trunci %p : {element} to i32"
    return f"""linalg.generic {maps("t", "0", "t")}
    ins({position} : memref<1x{element}>) outs({out} : {buffer([tokens], "i32")}) {{
^bb0(%p: {element}, %old: i32):
  %zero = arith.constant 0 : i32
  {narrowed}
  %index = linalg.index 0 : index
  %t = arith.index_cast %index : index to i32
  %length = arith.constant {page_length} : i32
  %at = arith.addi %n, %t : i32
  %result = arith.{op} %at, %length : i32
  linalg.yield %result : i32
}}"""


def _ranked_text(s: Selecting) -> str:
    """Return kernels that compute %ranked [t][h][rows][blocks], the scores by which rows select, as text."""
    ranked = s.buffer(s.rows, s.pool.blocks)
    if s.policy.reduce == "union":
        return f"%ranked = memref.alloc() : {ranked}\nmemref.copy %s4, %ranked : {s.scores} to {ranked}"
    if s.policy.reduce == "softmax-sum":
        return _softmax_sum_text(s, ranked)
    combined = "%new = arith.addf %old, %x : f32"
    if s.policy.reduce == "max":
        combined = "%is = arith.cmpf ogt, %x, %old : f32\n%new = arith.select %is, %x, %old : f32"
    start = "0xFF800000" if s.policy.reduce == "max" else "0.0"
    return f"""%start = arith.constant {start} : f32
%ranked = memref.alloc() : {ranked}
linalg.fill ins(%start : f32) outs(%ranked : {ranked})
linalg.generic {maps("t, h, b, g", "t, h, g, b", "t, h, 0, b", reduced="g")}
    ins(%s4 : {s.scores}) outs(%ranked : {ranked}) {{
^bb0(%x: f32, %old: f32):
  {combined}
  linalg.yield %new : f32
}}"""


def _softmax_sum_text(s: Selecting, ranked: str) -> str:
    """Return kernels of the sum over heads of e / z; blocks from the token's own on are absent."""
    shape = [s.tokens, s.pool.kv_heads, s.pool.group, s.pool.blocks]
    length = padded_length(s.pool.blocks)
    own, rows = buffer([s.tokens], "i32"), s.buffer(s.pool.group)
    padded = s.buffer(s.pool.group, length)
    return f"""
%scaled_scores = memref.alloc() : {s.scores}
linalg.generic {maps("t, h, g, b", "t, h, g, b", "t", "t, h, g, b")}
    ins(%s4, %own : {s.scores}, {own}) outs(%scaled_scores : {s.scores}) {{
^bb0(%x: f32, %o: i32, %old: f32):
  %index = linalg.index 3 : index
  %b = arith.index_cast %index : index to i32
  %scale = arith.constant {s.pool.scale!r} : f32
  %absent = arith.constant 0xFF800000 : f32
  %is_before = arith.cmpi slt, %b, %o : i32
  %y = arith.mulf %x, %scale : f32
  %new = arith.select %is_before, %y, %absent : f32
  linalg.yield %new : f32
}}
%padded = memref.alloc() : {padded}
%total = memref.alloc() : {rows}
{softmax_text("%scaled_scores", shape, "%padded", "%total")}
%ranked = memref.alloc() : {ranked}
linalg.fill ins(%zero_term : f32) outs(%ranked : {ranked})
linalg.generic {maps("t, h, b, g", "t, h, g, b", "t, h, g", "t, h, 0, b", reduced="g")}
    ins(%terms, %total : {_part(shape, length)}, {rows}) outs(%ranked : {ranked}) {{
^bb0(%x: f32, %z: f32, %old: f32):
  %share = arith.divf %x, %z : f32
  %new = arith.addf %old, %share : f32
  linalg.yield %new : f32
}}"""


def _part(shape: list[int], length: int) -> str:
    """Return the type of the first terms of a padded buffer."""
    _, heads, group, _ = shape
    strides = f"strided<[{heads * group * length}, {group * length}, {length}, 1]>"
    return f"{buffer(shape)[:-1]}, {strides}>"
