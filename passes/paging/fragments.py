"""
Fragments of IR, written as text: kernels with the arithmetic of a paged store (docs/paged.md, Arithmetic).

    insert_fragment(ctx, op, "func.func @f(%x: memref<4xf32>) { ... func.return }", [buffer])
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.core.syntax.text import parse_module

LANES = 8
"""Lanes of a sum."""


def insert_fragment(ctx: Context, before: Operation, text: str, values: Sequence[SSAValue]) -> None:
    """Insert the ops of a function without results, given as text, before an op; `values` are its arguments."""
    module = parse_module(ctx, text)
    function = next(op for op in module.body.block.ops if isinstance(op, func.FuncOp))
    block = function.body.block
    for argument, value in zip(list(block.args), values, strict=True):
        if argument.type != value.type:
            raise AssertionError(f"the fragment takes {argument.type}, not {value.type}")
        argument.replace_all_uses_with(value)
    for op in list(block.ops):
        if isinstance(op, func.ReturnOp):
            continue
        op.detach()
        for nested in op.walk():
            nested.location = before.location
        Rewriter.insert_op(op, InsertPoint.before(before))


def buffer(shape: Sequence[int], element: str = "f32", level: str = "") -> str:
    """Return the type of a dense buffer as text."""
    extents = "".join(f"{extent}x" for extent in shape)
    return f'memref<{extents}{element}, "{level}">' if level else f"memref<{extents}{element}>"


def aliases(types: dict[str, str]) -> str:
    """Return the definitions of type aliases, `!name = type`, as text."""
    return "\n".join(f"!{name} = {type}" for name, type in types.items())


def maps(loops: str, *results: str, reduced: str = "") -> str:
    """Return the attributes of a kernel as text: its loops, the indices of its operands, and the reduced loops."""
    affine = ", ".join(f"affine_map<({loops}) -> ({indices})>" for indices in results)
    names = [name.strip() for name in loops.split(",")]
    kinds = ", ".join('"reduction"' if name in reduced.split() else '"parallel"' for name in names)
    return f"{{indexing_maps = [{affine}], iterator_types = [{kinds}]}}"


def fold_text(lanes: str, lanes_type: str, loops: str, out: str, out_type: str, at: str) -> str:
    """
    Return a kernel that adds the lanes of sums, (((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))), as text.

    `lanes` is indexed by the loops and the lane, `out` by `at`.
    """
    arguments = ", ".join(f"%l{lane}: f32" for lane in range(LANES))
    return f"""
linalg.generic {maps(loops, *(f"{loops}, {lane}" for lane in range(LANES)), at)}
    ins({", ".join([lanes] * LANES)} : {", ".join([lanes_type] * LANES)}) outs({out} : {out_type}) {{
^bb0({arguments}, %old: f32):
  %a0 = arith.addf %l0, %l4 : f32
  %a1 = arith.addf %l1, %l5 : f32
  %a2 = arith.addf %l2, %l6 : f32
  %a3 = arith.addf %l3, %l7 : f32
  %b0 = arith.addf %a0, %a2 : f32
  %b1 = arith.addf %a1, %a3 : f32
  %sum = arith.addf %b0, %b1 : f32
  linalg.yield %sum : f32
}}"""


def exp_text(x: str, result: str) -> str:
    """Return the scalar ops of exp(x) for x <= 0 as text: Cephes' expf, 0 below -87."""
    coefficients = ("1.9875691500e-4", "1.3981999507e-3", "8.3334519073e-3", "4.1665795894e-2", "1.6666665459e-1")
    horner = "\n".join(
        f"""%c{n} = arith.constant {coefficient} : f32
%t{n} = arith.mulf %p{n - 1}, %r : f32
%p{n} = arith.addf %t{n}, %c{n} : f32"""
        for n, coefficient in enumerate((*coefficients[1:], "5.0000001201e-1"), 1)
    )
    return f"""%least = arith.constant -87.0 : f32
%nothing = arith.constant 0.0 : f32
%is_zero = arith.cmpf olt, {x}, %least : f32
%y = arith.select %is_zero, %nothing, {x} : f32
%log2e = arith.constant 1.44269502 : f32
%scaled = arith.mulf %y, %log2e : f32
%n = math.roundeven %scaled : f32
%high = arith.constant 0.693359375 : f32
%low = arith.constant -2.12194440e-4 : f32
%nh = arith.mulf %n, %high : f32
%nl = arith.mulf %n, %low : f32
%r0 = arith.subf %y, %nh : f32
%r = arith.subf %r0, %nl : f32
%p0 = arith.constant {coefficients[0]} : f32
{horner}
%r2 = arith.mulf %r, %r : f32
%u = arith.mulf %p{len(coefficients)}, %r2 : f32
%v = arith.addf %u, %r : f32
%one = arith.constant 1.0 : f32
%w = arith.addf %v, %one : f32
%ni = arith.fptosi %n : f32 to i32
%bias = arith.constant 127 : i32
%mantissa = arith.constant 23 : i32
%biased = arith.addi %ni, %bias : i32
%bits = arith.shli %biased, %mantissa : i32
%power = arith.bitcast %bits : i32 to f32
%e = arith.mulf %w, %power : f32
{result} = arith.select %is_zero, %nothing, %e : f32"""


def softmax_text(scores: str, shape: Sequence[int], padded: str, total: str) -> str:
    """
    Return kernels that compute e and z of a softmax over the last axis of a buffer `scores`, as text.

    `shape` is that of the scores, [t, h, g, n]; minus infinity counts as absent. e comes to `padded`, whose last axis
    is a multiple of 8 long and which is filled with zeros; z, of which lane n mod 8 has the terms n, to `total`.
    """
    *rows, count = shape
    length = padded_length(count)
    split = [*rows, length // LANES, LANES]
    t = {
        "scores": buffer(shape),
        "rows": buffer(rows),
        "padded": buffer([*rows, length]),
        "split": buffer(split),
        "lanes": buffer([*rows, LANES]),
    }
    part = f"strided<[{', '.join(map(str, _strides([*rows, length])))}]>"
    part = f"{buffer(shape)[:-1]}, {part}>"
    return f"""
%infinity = arith.constant 0xFF800000 : f32
%zero_term = arith.constant 0.0 : f32
%most = memref.alloc() : {t["rows"]}
linalg.fill ins(%infinity : f32) outs(%most : {t["rows"]})
linalg.generic {maps("t, h, g, n", "t, h, g, n", "t, h, g", reduced="n")}
    ins({scores} : {t["scores"]}) outs(%most : {t["rows"]}) {{
^bb0(%x: f32, %old: f32):
  %is = arith.cmpf ogt, %x, %old : f32
  %new = arith.select %is, %x, %old : f32
  linalg.yield %new : f32
}}
linalg.fill ins(%zero_term : f32) outs({padded} : {t["padded"]})
%terms = memref.subview {padded}[0, 0, 0, 0] {list(shape)} [1, 1, 1, 1] : {t["padded"]} to {part}
linalg.generic {maps("t, h, g, n", "t, h, g, n", "t, h, g", "t, h, g, n")}
    ins({scores}, %most : {t["scores"]}, {t["rows"]}) outs(%terms : {part}) {{
^bb0(%score: f32, %peak: f32, %old: f32):
  %x = arith.subf %score, %peak : f32
  {exp_text("%x", "%term")}
  linalg.yield %term : f32
}}
%split = memref.expand_shape {padded} [[0], [1], [2], [3, 4]] output_shape {split}
    : {t["padded"]} into {t["split"]}
%sums = memref.alloc() : {t["lanes"]}
linalg.fill ins(%zero_term : f32) outs(%sums : {t["lanes"]})
linalg.generic {maps("t, h, g, j, n", "t, h, g, n, j", "t, h, g, j", reduced="n")}
    ins(%split : {t["split"]}) outs(%sums : {t["lanes"]}) {{
^bb0(%x: f32, %old: f32):
  %zero = arith.constant 0.0 : f32
  %is_term = arith.cmpf ogt, %x, %zero : f32
  %sum = arith.addf %old, %x : f32
  %new = arith.select %is_term, %sum, %old : f32
  linalg.yield %new : f32
}}
{fold_text("%sums", t["lanes"], "t, h, g", total, t["rows"], "t, h, g")}"""


def padded_length(count: int) -> int:
    """Round a number of terms up to whole lanes."""
    return -(-count // LANES) * LANES


def _strides(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return strides
