"""
`PACTOps::RequantShift` as a model-local ONNX function, so that any ONNX runtime can run networks with it.

    y = clip(floor((x * mul + add + floor(div / 2)) / div), low, high)

with `low = 0, high = n - 1`, or `low = -n / 2, high = n / 2 - 1` where `signed` is 1. It is computed in double
precision and is exact while every value stays below 2^53 and `div` is a power of two.
"""

from __future__ import annotations

import onnx
import onnx.parser

DOMAIN = "PACTOps"
OPSET = 13

_TEXT = """
<domain: "PACTOps", opset_import: ["" : OPSET]>
RequantShift <div, n_levels_out, signed> (x, mul, add) => (y)
{
  div_f = Constant <value: tensor = @div> ()
  n_f = Constant <value: tensor = @n_levels_out> ()
  signed_f = Constant <value: tensor = @signed> ()
  div_d = Cast <to = 11> (div_f)
  n = Cast <to = 11> (n_f)
  is_signed = Cast <to = 11> (signed_f)
  x_d = Cast <to = 11> (x)
  mul_d = Cast <to = 11> (mul)
  add_d = Cast <to = 11> (add)
  two = Constant <value = double {2.0}> ()
  one = Constant <value = double {1.0}> ()
  half = Div (div_d, two)
  rounding = Floor (half)
  product = Mul (x_d, mul_d)
  sum = Add (product, add_d)
  rounded = Add (sum, rounding)
  quotient = Div (rounded, div_d)
  shifted = Floor (quotient)
  half_n = Div (n, two)
  offset = Mul (half_n, is_signed)
  low = Neg (offset)
  last = Sub (n, one)
  high = Sub (last, offset)
  not_above = Min (shifted, high)
  clipped = Max (not_above, low)
  y = Cast <to = 1> (clipped)
}
"""


def requant_shift(opset: int = OPSET) -> onnx.FunctionProto:
    """
    Return the definition of `PACTOps::RequantShift` (x, mul, add; tensors div, n_levels_out, signed).

    `opset` is that of the model, 13 at least: operators of the definition are the same in all of these.
    """
    return onnx.parser.parse_function(_TEXT.replace("OPSET", str(opset)))
