"""
Cost functions of kernels on Siracusa's engines, named in its machine files.

Cycles are those of GVSoC's model of the chip, to which the laws in `cost/` were fitted. docs/siracusa-costs.md has the
fitted data, the tests, and the errors.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple, cast

from xdsl.dialects.builtin import StringAttr, TensorType

from ...dialects.core.kernel import Kernel
from ...dialects.core.machine.cost_table import cost
from ...dialects.core.machine.engine import Engine
from .cost.convolution import convolution_of
from .cost.jobs import job_cycles
from .cost.loops import nest_cycles, nest_path
from .cost.narrow import NarrowSimd, PackedWindows, narrow_of
from .cost.products import Simd, copied_bytes, plain_block_cycles, product_of
from .cost.scalar import Rates
from .cost.unpacking import packed_numbers, unpacking_cycles
from .cost.windows import window_cycles, windows_of


@cost("code")
def code(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    contention: float = 0.0,
    float_cycles: float = 81.0,
    xpulp: int = 0,
) -> int:
    """
    Estimate the cycles of any kernel as loops in plain C.

    `contention` is the loss of eight cores that access a bank in every cycle; `float_cycles` the cycles of a float
    addition.
    With `xpulp` there are instructions for minimum, maximum and multiply-accumulate. If the engine has `rows` on its
    stack, row kernels are unrolled by four, and the powers of large softmaxes come from a table.
    """
    rates = Rates(float_cycles, bool(xpulp))
    return ceil(
        nest_cycles(
            kernel,
            bounds,
            engine.cores,
            contention=contention,
            rates=rates,
            row_bytes=engine.stack.rows,
            table_bytes=engine.stack.tables,
        )
    )


@cost("product")
def product(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    simd: int = 0,
    features: int = 4,
    step: float = 0.0,
    blocks: int = 0,
    contention: float = 0.0,
    float_cycles: float = 81.0,
    xpulp: int = 0,
    xpulpnn: int = 0,
) -> int | str:
    """
    Estimate the cycles of the form of a sum of products that the loops have; other kernels as `code` does.

    With `simd` it is computed in words, from packed weights too, in blocks of `features` output channels x 2 pixels;
    each step of a block takes `step` cycles besides its loads and products, none in a hardware loop. Products of
    operands that are not contiguous are plain C. With `blocks` these may be computed in blocks of 2 x 2 outputs. The
    others are those of `code`.

    A kernel with `im2col` has its windows copied, one with `narrow_input` has them packed. A text if two of them exceed
    the stack of a core, and for packed ones without `xpulpnn`, whose instructions multiply them.
    """
    law = law_of(
        kernel,
        bounds,
        engine,
        simd=simd,
        features=features,
        step=step,
        contention=contention,
        float_cycles=float_cycles,
        xpulp=xpulp,
        xpulpnn=xpulpnn,
    )
    form = product_of(kernel)
    if law.path != "plain" or form is None or not blocks or 0 in bounds:
        return law.cycles if isinstance(law.cycles, str) else ceil(law.cycles)
    rates = Rates(float_cycles, bool(xpulp))
    in_blocks = plain_block_cycles(form, bounds, engine.cores, contention=contention, rates=rates)
    return ceil(min(cast("float", law.cycles), in_blocks))


class Law(NamedTuple):
    """Path that the loops of a kernel take, and its cycles; a text where the kernel does not support it."""

    path: str
    cycles: float | str


def law_of(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    simd: int = 0,
    features: int = 4,
    step: float = 0.0,
    contention: float = 0.0,
    float_cycles: float = 81.0,
    xpulp: int = 0,
    xpulpnn: int = 0,
) -> Law:
    """
    Return the law of the loops that `convert-kernels-to-dots` emits for a kernel, in its order of preference.

    Paths are `im2col`, `packed windows`, `windows`, `words`, `packed words`, and those of `nest_path`. Parameters are
    those of `product`.
    """
    rates = Rates(float_cycles, bool(xpulp))
    plain = nest_path(kernel, bounds, engine.cores)
    if simd and 0 not in bounds:
        law = _product_law(
            kernel, bounds, engine, features=features, step=step, contention=contention, rates=rates, xpulpnn=xpulpnn
        )
        if law is not None:
            return law
    elif kernel.im2col or kernel.narrow_input:
        return Law("plain", _NO_WORDS)
    return Law(plain, code(kernel, bounds, engine, contention=contention, float_cycles=float_cycles, xpulp=xpulp))


def _product_law(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    features: int,
    step: float,
    contention: float,
    rates: Rates,
    xpulpnn: int,
) -> Law | None:
    """Return the law of a sum of products in words; None for kernels that are left to other loops."""
    form, narrow = product_of(kernel), narrow_of(kernel)
    if kernel.im2col:
        if form is None or copied_bytes(form, bounds) > engine.stack.windows:
            return Law("im2col", _NO_WORDS if form is None else _NO_STACK)
        copied = Simd(form, bounds, features=features, step=step, im2col=True, rates=rates)
        is_possible = copied.is_possible
        return Law("im2col", copied.cycles(engine.cores, contention) if is_possible else _NOT_CONTIGUOUS)
    if kernel.narrow_input:
        if narrow is None or not xpulpnn:
            return Law("packed windows", "packed windows need products of narrow numbers, and xpulpnn to multiply them")
        packed = PackedWindows(narrow, bounds, features=features, step=step, rates=rates)
        if not packed.is_possible:
            return Law("packed windows", "the channels are no whole words of packed numbers")
        fits = packed.window_bytes <= engine.stack.packed_windows
        return Law("packed windows", packed.cycles(engine.cores, contention) if fits else _NO_STACK)
    if narrow is not None:
        words = NarrowSimd(narrow, bounds, features=features, step=step, rates=rates)
        return Law("packed words", words.cycles(engine.cores, contention)) if words.is_possible else None
    if form is None:
        return None
    windows = windows_of(kernel)
    if windows is not None:
        most_bytes = engine.stack.windows
        cycles = window_cycles(windows, bounds, engine.cores, most_bytes=most_bytes, contention=contention, rates=rates)
        if cycles is not None:
            return Law("windows", cycles)
    words = Simd(form, bounds, features=features, step=step, rates=rates)
    return Law("words", words.cycles(engine.cores, contention)) if words.is_possible else None


_NO_WORDS = "copied and packed windows need products of bytes in words"
_NOT_CONTIGUOUS = "the weights are not contiguous"
_NO_STACK = "two windows exceed the bytes that they may take on the stack of a core"


@cost("unpack")
def unpack(
    kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, contention: float = 0.0, xpulp: int = 0
) -> int | str:
    """
    Estimate the cycles of `nn.unpack` as rows unpacked by words; a text for other kernels.

    With `xpulp` there are hardware loops and byte shifts.
    """
    numbers = packed_numbers(kernel)
    if numbers is None or 0 in bounds:
        return "it unpacks no numbers of words" if numbers is None else 0
    return ceil(
        unpacking_cycles(kernel, bounds, engine.cores, numbers=numbers, contention=contention, xpulp=bool(xpulp))
    )


@cost("npu")
def npu(kernel: Kernel, bounds: tuple[int, ...], engine: Engine, *, wmem: int = 0, prefetch: int = 0) -> int | str:
    """
    Estimate the cycles of a convolution or a matrix product on N-Eureka; a text if it does not support the kernel.

    Each image of a batch is a job, and so are the images that tile the rows of a matrix. The registers of the first job
    are the engine's `setup`; those of others are written during the previous job. Weights come from the weight memory
    if placed there or if `wmem` is 1, else from L1; on tensors, which have no place yet, dense ones come from a weight
    memory where there is one. With `prefetch`, dense jobs with weights there load inputs ahead.
    """
    form = convolution_of(kernel)
    if form is None:
        return "it is no convolution with windows of 1x1 or 3x3 and steps of 1, and no product of matrices"
    extents = form.extents(bounds) if 0 not in bounds else None
    if extents is None:
        return "a tile does not span the reduced loops"
    is_dense = form.kind != "depthwise"
    in_wmem = bool(wmem) or _are_in_place(kernel, engine, is_dense=is_dense)
    return sum(
        job_cycles(
            form.kind,
            height,
            width,
            extents.channels,
            extents.features,
            pad=extents.pad,
            out_bits=form.out_bits,
            weight_bits=form.weight_bits,
            weights_in_wmem=in_wmem,
            scale_bits=form.scale_bits,
            prefetch=bool(prefetch) and in_wmem and is_dense,
        )
        for height, width in extents.images
    )


def _are_in_place(kernel: Kernel, engine: Engine, *, is_dense: bool) -> bool:
    """Return whether an engine reads a kernel's weights in place, in a level that its other inputs are not in."""
    type = kernel.inputs[1].value.type
    own = set(engine.levels_of("weights")) - set(engine.levels_of())
    if isinstance(type, TensorType):
        return is_dense and bool(own)
    space = getattr(type, "memory_space", None)
    return isinstance(space, StringAttr) and space.data in own
