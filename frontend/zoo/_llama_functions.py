"""
The operators of a Llama of integers as model-local ONNX functions, so that any ONNX runtime can run it.

They are computed in double precision and are exact for the numbers of 8-bit networks; `dialects/onnx/custom.py`
says what they mean.
"""

from __future__ import annotations

import onnx
import onnx.parser

_SOFTMAX = """
<domain: "PACTOps", opset_import: ["" : 13]>
iSoftmax <coeffA, coeffB, coeffC, log2, n_levels> (x) => (y)
{
  a_f = Constant <value: tensor = @coeffA> ()
  b_f = Constant <value: tensor = @coeffB> ()
  c_f = Constant <value: tensor = @coeffC> ()
  log2_f = Constant <value: tensor = @log2> ()
  n_f = Constant <value: tensor = @n_levels> ()
  a = Cast <to = 11> (a_f)
  b = Cast <to = 11> (b_f)
  c = Cast <to = 11> (c_f)
  log2_d = Cast <to = 11> (log2_f)
  n = Cast <to = 11> (n_f)
  one = Constant <value = double {1.0}> ()
  two = Constant <value = double {2.0}> ()
  zero = Constant <value = double {0.0}> ()
  most = Constant <value = double {31.0}> ()
  last = Constant <value = int64[1] {-1}> ()
  x_d = Cast <to = 11> (x)
  largest = ReduceMax <axes = [-1], keepdims = 1> (x_d)
  below = Sub (largest, x_d)
  halvings = Div (below, log2_d)
  whole = Floor (halvings)
  z = Min (whole, most)
  back = Mul (z, log2_d)
  p = Sub (back, below)
  shifted = Add (p, b)
  square = Mul (shifted, shifted)
  scaled = Mul (square, a)
  power = Add (scaled, c)
  divisor = Pow (two, z)
  quotient = Div (power, divisor)
  q = Floor (quotient)
  total = ReduceSum <keepdims = 1> (q, last)
  levels = Sub (n, one)
  share = Mul (q, levels)
  ratio = Div (share, total)
  y_d = Floor (ratio)
  y = Cast <to = 1> (y_d)
}
"""

_RMS_NORM = """
<domain: "PACTOps", opset_import: ["" : 13]>
iRMSNorm <D, n_levels> (x, weight) => (y)
{
  divisor_i = Constant <value_int: int = @D> ()
  levels_i = Constant <value_int: int = @n_levels> ()
  divisor = Cast <to = 11> (divisor_i)
  levels = Cast <to = 11> (levels_i)
  one = Constant <value = double {1.0}> ()
  two = Constant <value = double {2.0}> ()
  x_d = Cast <to = 11> (x)
  weight_d = Cast <to = 11> (weight)
  square = Mul (x_d, x_d)
  mean = ReduceMean <axes = [-1], keepdims = 1> (square)
  whole = Floor (mean)
  above = Add (whole, one)
  root = Sqrt (above)
  deviation = Floor (root)
  product = Mul (x_d, weight_d)
  size = Abs (product)
  sign = Sign (product)
  quotient = Div (size, deviation)
  truncated = Floor (quotient)
  signed = Mul (truncated, sign)
  scaled = Div (signed, divisor)
  shifted = Floor (scaled)
  half = Div (levels, two)
  low = Neg (half)
  high = Sub (half, one)
  not_above = Min (shifted, high)
  clipped = Max (not_above, low)
  y = Cast <to = 1> (clipped)
}
"""

_HARDSWISH = """
<domain: "PACTOps", opset_import: ["" : 13]>
iHardswish <three, six, one_over_six> (x) => (y)
{
  three_i = Constant <value_int: int = @three> ()
  six_i = Constant <value_int: int = @six> ()
  sixth_i = Constant <value_int: int = @one_over_six> ()
  three_d = Cast <to = 11> (three_i)
  six_d = Cast <to = 11> (six_i)
  sixth = Cast <to = 11> (sixth_i)
  zero = Constant <value = double {0.0}> ()
  x_d = Cast <to = 11> (x)
  moved = Add (x_d, three_d)
  not_below = Max (moved, zero)
  clipped = Min (not_below, six_d)
  gate = Mul (clipped, sixth)
  y_d = Mul (x_d, gate)
  y = Cast <to = 1> (y_d)
}
"""

_TRUE_INTEGER_DIV = """
<domain: "PACTOps", opset_import: ["" : 13]>
TrueIntegerDiv <Delta, eps, eta, y> (x) => (z)
{
  delta_i = Constant <value_int: int = @Delta> ()
  eps_i = Constant <value_int: int = @eps> ()
  eta_i = Constant <value_int: int = @eta> ()
  y_i = Constant <value_int: int = @y> ()
  delta = Cast <to = 11> (delta_i)
  eps_d = Cast <to = 11> (eps_i)
  eta_d = Cast <to = 11> (eta_i)
  y_d = Cast <to = 11> (y_i)
  x_d = Cast <to = 11> (x)
  large = Mul (x_d, delta)
  dividend = Mul (large, eta_d)
  scaled = Mul (y_d, eta_d)
  divisor = Add (scaled, eps_d)
  quotient = Div (dividend, divisor)
  whole = Floor (quotient)
  z = Cast <to = 1> (whole)
}
"""


def functions() -> list[onnx.FunctionProto]:
    """Return the definitions of PACTOps::iSoftmax, iRMSNorm, iHardswish and TrueIntegerDiv."""
    return [onnx.parser.parse_function(text) for text in (_SOFTMAX, _RMS_NORM, _HARDSWISH, _TRUE_INTEGER_DIV)]
