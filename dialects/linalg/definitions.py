"""
The named structured ops of MLIR 19's `linalg` as a table: iteration space, accesses and scalar function.

A line reads `op: dims: access, ..., access -> access: function`. Dims are in the order of the loops; those that the
last access, the output, lacks are reduced. An access lists, for each axis, the loop that indexes it. `h~y` is a window
of taps `y` at the position `h`, whose stride and dilation the op's attributes give, and `h+y` one without them. `-` is
a scalar operand. Upstream's table is mlir/Dialect/Linalg/IR/LinalgNamedStructuredOps.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

_TABLE = """
dot:                         m: m, m -> : mac
matvec:                      m n: m n, n -> m: mac
vecmat:                      n m: m, m n -> n: mac
matmul:                      m n k: m k, k n -> m n: mac
matmul_transpose_a:          m n k: k m, k n -> m n: mac
matmul_transpose_b:          m n k: m k, n k -> m n: mac
quantized_matmul:            m n k: m k, k n, -, - -> m n: mac_zero_points
batch_matvec:                b m k: b m k, b k -> b m: mac
batch_vecmat:                b n k: b k, b k n -> b n: mac
batch_matmul:                b m n k: b m k, b k n -> b m n: mac
batch_matmul_transpose_a:    b m n k: b k m, b k n -> b m n: mac
batch_matmul_transpose_b:    b m n k: b m k, b n k -> b m n: mac
quantized_batch_matmul:      b m n k: b m k, b k n, -, - -> b m n: mac_zero_points
batch_reduce_matmul:         b m n k: b m k, b k n -> m n: mac
mmt4d:                       m n k r s t: m k r t, n k s t -> m n r s: mac
batch_mmt4d:                 b m n k r s t: b m k r t, b n k s t -> b m n r s: mac

conv_1d:                     w x: w+x, x -> w: mac
conv_2d:                     h w y x: h+y w+x, y x -> h w: mac
conv_3d:                     d h w z y x: d+z h+y w+x, z y x -> d h w: mac
conv_1d_nwc_wcf:             n w f x c: n w~x c, x c f -> n w f: mac
conv_1d_ncw_fcw:             n f w c x: n c w~x, f c x -> n f w: mac
conv_2d_nhwc_hwcf:           n h w f y x c: n h~y w~x c, y x c f -> n h w f: mac
conv_2d_nhwc_hwcf_q:         n h w f y x c: n h~y w~x c, y x c f, -, - -> n h w f: mac_zero_points
conv_2d_nhwc_fhwc:           n h w f y x c: n h~y w~x c, f y x c -> n h w f: mac
conv_2d_nhwc_fhwc_q:         n h w f y x c: n h~y w~x c, f y x c, -, - -> n h w f: mac_zero_points
conv_2d_nchw_fchw:           n f h w c y x: n c h~y w~x, f c y x -> n f h w: mac
conv_2d_ngchw_fgchw:         n g f h w c y x: n g c h~y w~x, f g c y x -> n g f h w: mac
conv_2d_ngchw_gfchw:         n g f h w c y x: n g c h~y w~x, g f c y x -> n g f h w: mac
conv_2d_ngchw_gfchw_q:       n g f h w c y x: n g c h~y w~x, g f c y x, -, - -> n g f h w: mac_zero_points
conv_3d_ndhwc_dhwcf:         n d h w f z y x c: n d~z h~y w~x c, z y x c f -> n d h w f: mac
conv_3d_ndhwc_dhwcf_q:       n d h w f z y x c: n d~z h~y w~x c, z y x c f, -, - -> n d h w f: mac_zero_points
conv_3d_ncdhw_fcdhw:         n d h w f z y x c: n c d~z h~y w~x, f c z y x -> n f d h w: mac

depthwise_conv_1d_nwc_wc:    n w c x: n w~x c, x c -> n w c: mac
depthwise_conv_1d_ncw_cw:    n w c x: n c w~x, c x -> n c w: mac
depthwise_conv_1d_nwc_wcm:   n w c m x: n w~x c, x c m -> n w c m: mac
depthwise_conv_2d_nhwc_hwc:  n h w c y x: n h~y w~x c, y x c -> n h w c: mac
depthwise_conv_2d_nchw_chw:  n h w c y x: n c h~y w~x, c y x -> n c h w: mac
depthwise_conv_2d_nhwc_hwc_q: n h w c y x: n h~y w~x c, y x c, -, - -> n h w c: mac_zero_points
depthwise_conv_2d_nhwc_hwcm: n h w c m y x: n h~y w~x c, y x c m -> n h w c m: mac
depthwise_conv_2d_nhwc_hwcm_q: n h w c m y x: n h~y w~x c, y x c m, -, - -> n h w c m: mac_zero_points
depthwise_conv_3d_ndhwc_dhwc: n d h w z y x c: n d~z h~y w~x c, z y x c -> n d h w c: mac
depthwise_conv_3d_ncdhw_cdhw: n d h w z y x c: n c d~z h~y w~x, c z y x -> n c d h w: mac
depthwise_conv_3d_ndhwc_dhwcm: n d h w m z y x c: n d~z h~y w~x c, z y x c m -> n d h w c m: mac

pooling_nwc_sum:             n w c x: n w~x c, x -> n w c: pool_sum
pooling_nwc_max:             n w c x: n w~x c, x -> n w c: pool_max
pooling_nwc_max_unsigned:    n w c x: n w~x c, x -> n w c: pool_max_unsigned
pooling_nwc_min:             n w c x: n w~x c, x -> n w c: pool_min
pooling_nwc_min_unsigned:    n w c x: n w~x c, x -> n w c: pool_min_unsigned
pooling_ncw_sum:             n c w x: n c w~x, x -> n c w: pool_sum
pooling_ncw_max:             n c w x: n c w~x, x -> n c w: pool_max
pooling_nhwc_sum:            n h w c y x: n h~y w~x c, y x -> n h w c: pool_sum
pooling_nhwc_max:            n h w c y x: n h~y w~x c, y x -> n h w c: pool_max
pooling_nhwc_max_unsigned:   n h w c y x: n h~y w~x c, y x -> n h w c: pool_max_unsigned
pooling_nhwc_min:            n h w c y x: n h~y w~x c, y x -> n h w c: pool_min
pooling_nhwc_min_unsigned:   n h w c y x: n h~y w~x c, y x -> n h w c: pool_min_unsigned
pooling_nchw_sum:            n c h w y x: n c h~y w~x, y x -> n c h w: pool_sum
pooling_nchw_max:            n c h w y x: n c h~y w~x, y x -> n c h w: pool_max
pooling_ndhwc_sum:           n d h w c z y x: n d~z h~y w~x c, z y x -> n d h w c: pool_sum
pooling_ndhwc_max:           n d h w c z y x: n d~z h~y w~x c, z y x -> n d h w c: pool_max
pooling_ndhwc_min:           n d h w c z y x: n d~z h~y w~x c, z y x -> n d h w c: pool_min

fill_rng_2d:                 h w: -, -, - -> h w: random
"""

ELEMENTWISE = {
    **dict.fromkeys(("abs", "ceil", "erf", "floor", "negf", "reciprocal", "round", "rsqrt", "square", "tanh"), 1),
    **dict.fromkeys(("div", "div_unsigned", "powf"), 2),
}
"""Elementwise op of any rank that xDSL lacks -> the number of its inputs; the identity accesses every operand."""


class Definition(NamedTuple):
    """
    A line of the table: the number of loops, those that are reduced, the accesses and the scalar function.

    The results of an access are `(loop, tap)`, in an order of windows that is that of the attributes; an axis without a
    window has no tap. A scalar operand has the access None.
    """

    loops: int
    reduced: frozenset[int]
    accesses: tuple[tuple[tuple[int, int | None], ...] | None, ...]
    function: str
    is_strided: bool
    """True for an op with strides and dilations."""

    def maps(self, strides: Sequence[int], dilations: Sequence[int]) -> tuple[AffineMap, ...]:
        """Return the indexing maps of the operands, the output last."""
        return tuple(self._map(access or (), strides, dilations) for access in self.accesses)

    @property
    def windows(self) -> int:
        """The number of axes of windows, which is that of strides and dilations."""
        return sum(tap is not None for _, tap in self.accesses[0] or ())

    def _map(
        self, access: Sequence[tuple[int, int | None]], strides: Sequence[int], dilations: Sequence[int]
    ) -> AffineMap:
        results: list[AffineExpr] = []
        steps = iter(zip(strides, dilations, strict=True))
        for loop, tap in access:
            expr = AffineDimExpr(loop)
            if tap is not None:
                stride, dilation = next(steps)
                expr = expr * stride + AffineDimExpr(tap) * dilation
            results.append(expr)
        return AffineMap(self.loops, 0, tuple(results))


def _definition(dims: str, accesses: str, function: str) -> Definition:
    loops = {name: loop for loop, name in enumerate(dims.split())}
    inputs, output = accesses.split("->")
    parsed = [_access(text, loops) for text in (*inputs.split(","), output)]
    kept = {loop for loop, _ in parsed[-1] or ()}
    reduced = frozenset(loops.values()) - kept
    return Definition(len(loops), reduced, tuple(parsed), function.strip(), "~" in accesses)


def _access(text: str, loops: dict[str, int]) -> tuple[tuple[int, int | None], ...] | None:
    if text.strip() == "-":
        return None
    axes = [axis.replace("~", "+").partition("+") for axis in text.split()]
    return tuple((loops[loop], loops[tap] if tap else None) for loop, _, tap in axes)


def _lines() -> dict[str, Definition]:
    fields = (line.split(":") for line in _TABLE.splitlines() if line)
    return {f"linalg.{name}": _definition(*rest) for name, *rest in fields}


DEFINITIONS = _lines()
"""Op name -> its definition, of the ops whose rank is fixed."""
