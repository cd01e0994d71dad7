"""Dialect of Gemmini, at the two levels of its hardware: instructions, and loops over tiles of them."""

from __future__ import annotations

from xdsl.ir import Dialect

from .instructions import (
    begin,
    compute_accumulated,
    compute_accumulated_add,
    compute_preloaded,
    compute_preloaded_add,
    config_ex,
    config_gelu,
    config_ld,
    config_ld_bytes,
    config_lines,
    config_os,
    config_pool,
    config_st,
    fence,
    multiply,
    multiply_add,
    multiply_keep,
    mvin,
    mvin_acc,
    mvin_acc_zero,
    mvin_blocks,
    mvin_bytes,
    mvin_bytes_add,
    mvin_columns,
    mvin_zero,
    mvout,
    mvout_full,
    mvout_lines,
    mvout_pool,
    preload,
)
from .loops import (
    begin_loops,
    config_loop,
    config_loop_conv,
    loop_conv_ws,
    loop_conv_ws_bias,
    loop_ws,
    loop_ws_bias,
)

GEMMINI = Dialect(
    "gemmini",
    [
        instruction.op
        for instruction in (
            begin, config_ld, mvin, mvin_blocks, mvin_columns, mvin_zero, mvin_acc, mvin_acc_zero,
            config_ld_bytes, mvin_bytes, mvin_bytes_add,
            config_ex, preload, compute_preloaded, compute_preloaded_add, compute_accumulated, compute_accumulated_add,
            config_os, multiply_keep, multiply, multiply_add,
            config_st, config_gelu, mvout, mvout_full, config_pool, mvout_pool, config_lines, mvout_lines, fence,
            begin_loops, config_loop, loop_ws, loop_ws_bias,
            config_loop_conv, loop_conv_ws, loop_conv_ws_bias,
        )
    ],
)  # fmt: skip
