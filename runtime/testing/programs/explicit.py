"""Random small kernels as grids, as programs with explicit transfers, and chains of them in an arena."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from ....dialects.core.kernel import is_kernel
from ....dialects.core.syntax.text import new_context, parse_module
from ....ir import functions
from ....passes.allocate_static import AllocateStaticPass
from ....passes.expand_grid import ExpandGridPass, stage_bytes
from ....passes.memory.building import grid_of
from ....passes.pipeline_dma import PipelineDmaPass
from ....passes.tiles.group import Tilings, tiling_of
from ....passes.tiles.legality import refusal

CONTEXT = new_context()


def _conv(draw: random.Random) -> str:
    n, height, width, kernel = draw.randint(1, 2), draw.randint(4, 9), draw.randint(4, 9), draw.randint(1, 3)
    stride, dilation, pad = draw.randint(1, 2), draw.randint(1, 2), draw.randint(0, 2)
    channels, features = draw.randint(1, 4), draw.randint(1, 5)
    groups = 1
    if draw.random() < 0.4:
        groups = features = channels
    span = (kernel - 1) * dilation + 1
    out = [(size + 2 * pad - span) // stride + 1 for size in (height, width)]
    if min(out) < 1:
        return _conv(draw)
    x, w = f"{n}x{channels}x{height}x{width}xi8", f"{features}x{channels // groups}x{kernel}x{kernel}xi8"
    o = f"{n}x{features}x{out[0]}x{out[1]}xi32"
    return _function(
        [x, w],
        o,
        f"nn.conv ins(%a0, %a1 : memref<{x}>, memref<{w}>) outs(%o : memref<{o}>) "
        f"{{strides = array<i64: {stride}, {stride}>, dilations = array<i64: {dilation}, {dilation}>, "
        f"pads = array<i64: {pad}, {pad}, {pad}, {pad}>, groups = {groups} : i64, accumulator = i32}}",
    )


def _matmul(draw: random.Random) -> str:
    m, k, n = (draw.randint(1, 12) for _ in range(3))
    batch = f"{draw.randint(1, 3)}x" if draw.random() < 0.4 else ""
    swapped = draw.random() < 0.5
    a, b, o = f"{batch}{m}x{k}xi8", f"{batch}{f'{n}x{k}' if swapped else f'{k}x{n}'}xi8", f"{batch}{m}x{n}xi32"
    types = f"memref<{a}>, memref<{b}>"
    flags = "{accumulator = i32, transpose_b}" if swapped else "{accumulator = i32}"
    return _function([a, b], o, f"nn.matmul ins(%a0, %a1 : {types}) outs(%o : memref<{o}>) {flags}")


def _pool(draw: random.Random) -> str:
    channels, height, width = draw.randint(1, 6), draw.randint(4, 9), draw.randint(4, 9)
    window, stride, pad = draw.randint(2, 3), draw.randint(1, 3), draw.randint(0, 1)
    out = [(size + 2 * pad - window) // stride + 1 for size in (height, width)]
    x, o = f"1x{channels}x{height}x{width}xi8", f"1x{channels}x{out[0]}x{out[1]}xi8"
    return _function(
        [x],
        o,
        f'nn.pool ins(%a0 : memref<{x}>) outs(%o : memref<{o}>) {{kind = "{draw.choice(["max", "min", "sum"])}", '
        f"window = array<i64: {window}, {window}>, strides = array<i64: {stride}, {stride}>, "
        f"dilations = array<i64: 1, 1>, pads = array<i64: {pad}, {pad}, {pad}, {pad}>, accumulator = i8}}",
    )


def _rows(draw: random.Random) -> str:
    x = f"{draw.randint(1, 3)}x{draw.randint(2, 10)}x{draw.randint(2, 12)}xi8"
    body = f"nn.ita_max ins(%a0 : memref<{x}>) outs(%o : memref<{x}>) "
    return _function([x], x, body + "{levels = 256 : i64, accumulator = i32, element = i8}")


def _sum(draw: random.Random) -> str:
    x = f"{draw.randint(2, 10)}x{draw.randint(2, 10)}xi8"
    return _function([x, x], x, _add("%a0", "%a1", "%o", x))


def _residual(draw: random.Random) -> str:
    x = f"{draw.randint(2, 10)}x{draw.randint(2, 10)}xi8"
    kind = f"memref<{x}>"
    lines = [
        f"%t = memref.alloc() : {kind}",
        f'"memref.copy"(%a0, %t) : ({kind}, {kind}) -> ()',
        _add("%t", "%a1", "%t", x),
        f'"memref.copy"(%t, %o) : ({kind}, {kind}) -> ()',
    ]
    return _function([x, x], x, "\n".join(lines))


def _chain(draw: random.Random) -> str:
    """A chain of sums over buffers that live at different times."""
    values, lines = ["%a0", "%a1"], list[str]()
    shape = f"{draw.randint(2, 6)}x{draw.randint(2, 6)}xi8"
    for index in range(draw.randint(3, 6)):
        lines.append(f"%b{index} = memref.alloc() : memref<{shape}>")
        lines.append(_add(draw.choice(values[-3:]), values[-1], f"%b{index}", shape))
        values.append(f"%b{index}")
    return _function([shape, shape], shape, "\n".join([*lines, _add(values[-1], draw.choice(values), "%o", shape)]))


def _add(a: str, b: str, out: str, shape: str) -> str:
    rank = shape.count("x")
    dims = ", ".join(f"d{axis}" for axis in range(rank))
    maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * 3)
    kinds = ", ".join(['"parallel"'] * rank)
    return (
        f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({a}, {b} : memref<{shape}>, "
        f"memref<{shape}>) outs({out} : memref<{shape}>) {{\n^bb0(%x: i8, %y: i8, %z: i8):\n"
        "  %three = arith.constant 3 : i8\n  %m = arith.muli %x, %three : i8\n"
        "  %s = arith.addi %m, %y : i8\n  linalg.yield %s : i8\n}"
    )


def _function(inputs: Sequence[str], output: str, body: str) -> str:
    arguments = [f'%a{i}: memref<{x}> {{onnx.name = "a{i}"}}' for i, x in enumerate(inputs)]
    arguments.append(f'%o: memref<{output}> {{onnx.name = "o", tilewright.output}}')
    return f"func.func @network({', '.join(arguments)}) {{\n{body}\nfunc.return\n}}"


_KERNELS = (_conv, _conv, _matmul, _pool, _rows, _sum, _residual)


def grid_program(draw: random.Random) -> ModuleOp:
    """Return a kernel as a grid with random tiles, order, stages and addresses."""
    module = parse_module(CONTEXT, draw.choice(_KERNELS)(draw))
    (op,) = (op for op in functions(module)[0].body.block.ops if is_kernel(op))
    tiling = _tiling(op, draw)
    order = [dim for dim, count in enumerate(tiling.grid) if count > 1]
    draw.shuffle(order)
    stages = [draw.randint(1, 2) for _ in tiling.tiles]
    addresses = [0] * len(stages)
    end = 0
    for index in draw.sample(range(len(stages)), len(stages)):
        addresses[index] = end
        end += stage_bytes(tiling.tiles[index].size) * stages[index]
    Rewriter.replace_op(op, grid_of(tiling, "L1", addresses, stages, order), [])
    return module


def _tiling(op: Operation, draw: random.Random) -> Tilings:
    whole = tiling_of(op)
    for _ in range(40):
        sizes = [
            n if dim in whole.kernel.reduced or draw.random() < 0.3 else -(-n // draw.randint(1, min(n, 4)))
            for dim, n in enumerate(whole.kernel.bounds)
        ]
        tiling = tiling_of(op, sizes)
        if not refusal(tiling) and 1 < np.prod(tiling.grid) < 200:
            return tiling
    return whole


def expanded_program(draw: random.Random) -> ModuleOp:
    """Return such a grid with its transfers explicit, and in flight while others are worked on."""
    return explicit(grid_program(draw), draw)


def explicit(module: ModuleOp, draw: random.Random) -> ModuleOp:
    """Make the transfers of a program explicit; one in three still waits for each at once."""
    ExpandGridPass().apply(CONTEXT, module)
    if draw.random() < 2 / 3:
        PipelineDmaPass().apply(CONTEXT, module)
    return module


def arena_program(draw: random.Random) -> ModuleOp:
    """Return a chain of kernels with its buffers in an arena."""
    module = parse_module(CONTEXT, _chain(draw))
    AllocateStaticPass().apply(CONTEXT, module)
    return module
