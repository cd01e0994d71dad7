"""Products that read packed weights give what those of unpacked ones do, at each level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.nn.unpack import pack
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.runtime.interpreter.boundary import run_module
from tilewright.targets.siracusa.passes.convert_kernels_to_dots import ConvertKernelsToDotsPass
from tilewright.test.passes.kernel_loops import compute
from tilewright.test.passes.scalar_machine import typed
from tilewright.test.targets.siracusa.packed_numbers import numbers

CONTEXT = new_context()

pytestmark = [pytest.mark.quick, pytest.mark.long]


@dataclass(frozen=True)
class Product:
    """
    A kernel with packed weights: what stands after its operands, its inputs, and the sums that are right.

    `narrow` says that numbers of x have as many bits, `is_possible` that blocks of packed windows can multiply them.
    """

    name: str
    properties: str
    x: Array
    w: Array
    out: Array
    bits: int
    narrow: bool
    is_possible: bool

    @property
    def text(self) -> str:
        operands = f"ins(%x, %w : {typed(self.x)}, {typed(self.w)}) outs(%out : {typed(self.out)})"
        return f"{self.name} {operands} {{{self.properties}, accumulator = i32}}"


def windows(x: Array, taps: tuple[int, int], stride: int, pad: int) -> Array:
    """Return the windows [rows, columns, taps, taps, channels] of an image [rows, columns, channels]."""
    padded = np.pad(x.astype(np.int64), ((pad, pad), (pad, pad), (0, 0)))
    found = np.lib.stride_tricks.sliding_window_view(padded, taps, axis=(0, 1))
    return np.moveaxis(found[::stride, ::stride], 2, -1)


def numbers_of(x: Array, bits: int, *, is_unsigned: bool) -> Array:
    """Return the numbers that the lowest bits of bytes are."""
    lowest = x.view(np.uint8).astype(np.int64) & ((1 << bits) - 1)
    return lowest if is_unsigned else lowest - ((lowest >> (bits - 1)) << bits)


@st.composite
def products(draw: st.DrawFn) -> Product:
    bits, seed = draw(st.sampled_from([2, 4])), draw(st.integers(0, 2**16))
    is_unsigned, is_conv = draw(st.booleans()), draw(st.booleans())
    depth, features = draw(st.one_of(st.integers(1, 40), st.sampled_from([8, 16, 32]))), draw(st.integers(1, 9))
    signs = draw(st.sampled_from(["", "0"])), "1" if is_unsigned else ""
    flags = ", ".join(sign for sign in signs if sign)
    narrow = draw(st.booleans())
    properties = f"weight_bits = {bits} : i64" + (f", unsigned = array<i64: {flags}>" if flags else "")
    properties += ", narrow_input" if narrow else ""
    has_product = not is_unsigned or bool(signs[0])
    random = np.random.default_rng(seed)
    if not is_conv:
        x = random.integers(-128, 128, (draw(st.integers(1, 5)), depth)).astype(np.int8)
        w = numbers((features, depth), bits, is_unsigned=is_unsigned, seed=seed)
        values = numbers_of(x, bits if narrow else 8, is_unsigned=bool(signs[0]))
        out = (values @ w.T.astype(np.int64)).astype(np.int32)
        return Product("nn.matmul", f"transpose_b, {properties}", x, pack(w, bits), out, bits, narrow, has_product)
    taps, stride, pad = (
        (draw(st.integers(1, 3)), draw(st.integers(1, 3))),
        draw(st.integers(1, 2)),
        draw(st.integers(0, 1)),
    )
    pad = min(pad, min(taps) - 1)
    x = random.integers(-128, 128, (1, *(n + draw(st.integers(0, 4)) for n in taps), depth)).astype(np.int8)
    w = numbers((features, *taps, depth), bits, is_unsigned=is_unsigned, seed=seed)
    values = numbers_of(x, bits if narrow else 8, is_unsigned=bool(signs[0]))
    out = np.einsum("hwcij,fijc->hwf", np.moveaxis(windows(values[0], taps, stride, pad), -1, 2), w.astype(np.int64))
    geometry = (
        f"strides = array<i64: {stride}, {stride}>, dilations = array<i64: 1, 1>, groups = 1 : i64, channels_last"
    )
    properties = f"{geometry}, pads = array<i64: {pad}, {pad}, {pad}, {pad}>, {properties}"
    is_whole = depth % (32 // bits) == 0 or taps == (1, 1)
    sums = out[None].astype(np.int32)
    return Product("nn.conv", properties, x, pack(w, bits), sums, bits, narrow, has_product and is_whole)


@settings(max_examples=40, deadline=None)
@given(products())
def test_blocks(product: Product) -> None:
    """Where weights of several taps do not fill words, scalar code does it; windows cannot be packed then."""
    arguments = ", ".join(f"%{name}: {typed(getattr(product, name))}" for name in ("x", "w"))
    out = f"%out: {typed(product.out)} {{tilewright.output}}"
    for is_c in (False, True):
        module = parse_module(CONTEXT, f"func.func @f({arguments}, {out}) {{\n{product.text}\nfunc.return\n}}")
        if product.narrow and not product.is_possible:
            with pytest.raises(Diagnostic, match="'narrow_input' is not possible"):
                ConvertKernelsToDotsPass(1024).apply(CONTEXT, module)
            return
        ConvertKernelsToDotsPass(1024).apply(CONTEXT, module)
        ConvertKernelsToLoopsPass().apply(CONTEXT, module)
        verify(module)
        taps = product.w.shape[-2] if product.name == "nn.conv" else 1
        depth, numbers = product.x.shape[-1], 32 // product.bits
        names = {op.name for op in module.walk()}
        dot = "cluster.dot_narrow" if product.narrow else "cluster.dot_packed"
        assert (dot in names) == (taps == 1 or depth % numbers == 0)
        assert ("cluster.pack_window" in names) == product.narrow
        if is_c:
            convert_to_emitc(module)
            verify(module)
        (found,) = run_module(module, {"arg0": product.x, "arg1": product.w}, function="f").values()
        np.testing.assert_array_equal(found, product.out)


@pytest.mark.sample(2)
@settings(max_examples=5, deadline=None)
@given(products())
def test_scalar_code(product: Product) -> None:
    for out in compute(product.text, product.out, x=product.x, w=product.w):
        np.testing.assert_array_equal(out, product.out)
