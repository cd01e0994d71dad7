"""Gemmini as the coprocessor of a simulated core: its commands are decoded, and run by the semantics of the records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul
from typing import Any, Protocol

import ml_dtypes
import numpy as np

from ...dialects.core.instruction import Flat
from ...dialects.core.machine.model import Machine
from ...errors import Diagnostic
from ...ir import Array
from .dialects.gemmini import instructions as gemmini
from .dialects.gemmini import loops
from .dialects.gemmini.instructions import ArrayWeights, Cells, ExecuteConfig, LoadConfig, StoreConfig
from .dialects.gemmini.loops import LoopConv, LoopKind, LoopWs
from .instance import instance_of

_ACC, _ADD, _FULL = 1 << 31, 1 << 30, 1 << 29
_ROW = (1 << 29) - 1
_OF_LOOPS = {9, 10, 11, 12, 13, *range(16, 22)}
"""Commands that configure loops in hardware."""
_GARBAGE = 0xFFFFFFFF
_PRODUCTS, _WEIGHT_STATIONARY = 0x398, 1 << 2
"""Fields of a configuration of products: those that are 0 (activation, strides alone, transposes), and dataflow."""

_ELEMENTS: dict[str, Any] = {"i8": np.int8, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
"""Types of elements."""


class CoreMemory(Protocol):
    """The memory of the core, by address."""

    def read(self, address: int, count: int, rows: int = 1, step: int = 0) -> Array:
        """Return the bytes of rows, `step` bytes apart."""
        ...

    def write(self, address: int, data: Array) -> None:
        """Write bytes."""
        ...


class Coprocessor:
    """The array of a machine, with its memories and configuration; `command` executes one command of the core's."""

    def __init__(self, machine: Machine) -> None:
        instance = instance_of(machine)
        self._dim, rows = instance.dim, instance.banks * instance.bank_rows
        self._element, self._sum = _ELEMENTS[instance.element], np.int32 if instance.size == 1 else np.float32
        self.spad = np.zeros(rows * self._dim, self._element)
        self.acc = np.zeros(instance.acc_rows * self._dim, self._sum)
        self.load, self.execute, self.store, self.weights = LoadConfig(), ExecuteConfig(), StoreConfig(), ArrayWeights()
        self.cells = Cells()
        self._load_bytes, self._store_bytes = [0, 0, 0], 0
        self._preloaded, self._sums = 0, 0
        memories = {"spad_rows": rows, "acc_rows": instance.acc_rows}
        self._memories = {"dim": self._dim, **memories}
        self._loop: dict[int, tuple[int, int]] = dict.fromkeys(_OF_LOOPS, (0, 0))
        self._commands: dict[int, Callable[[int, int, CoreMemory], None]] = {
            8: self._loop_ws,
            15: self._loop_conv_ws,
            0: self._config,
            1: lambda far, tile, memory: self._mvin(1, far, tile, memory),
            2: lambda far, tile, memory: self._mvin(0, far, tile, memory),
            3: self._mvout,
            4: lambda a, b, memory: self._compute(a, b, takes=True),
            5: lambda a, b, memory: self._compute(a, b, takes=False),
            6: self._preload,
            14: lambda far, tile, memory: self._mvin(2, far, tile, memory),
        }

    def command(self, funct: int, rs1: int, rs2: int, memory: CoreMemory) -> None:
        """Execute a command. Raises Diagnostic for one that no record stands for."""
        if funct in _OF_LOOPS:
            self._loop[funct] = rs1, rs2
            return
        if funct not in self._commands or (funct == 0 and (rs1 & 3 == 3) and rs1 != 3):
            raise _unknown(funct, rs1, rs2)
        self._commands[funct](rs1, rs2, memory)

    def _config(self, rs1: int, rs2: int, memory: CoreMemory) -> None:
        number = rs1 >> 3 & 3
        match rs1 & 3:
            case 0:
                if rs1 & _PRODUCTS or rs2 & 0xFFFFFFFF:
                    raise _unknown(0, rs1, rs2)
                instruction = gemmini.config_ex if rs1 & _WEIGHT_STATIONARY else gemmini.config_os
                instruction.function(step=rs1 >> 16 & 0xFFFF, execute=self.execute)
            case 1:
                self.load.blocks[number], self._load_bytes[number] = rs1 >> 16 & 0xFFFF, rs2
                self.load.shrunk[number] = rs1 >> 2 & 1
            case 3:
                self.store.qb, self.store.qc = np.array([rs2], np.uint64).view(np.int32).tolist()
            case _:
                if rs1 >> 2 & 3 == 2:
                    raise _unknown(0, rs1, rs2)
                self.store.is_gelu = int(rs1 >> 2 & 3 == 3)
                self._store_bytes = rs2 & 0xFFFFFFFF
                self.store.scale = np.array([rs2 >> 32], np.uint32).view(np.float32)[0]
                self.store.relu = int(rs1 >> 2 & 3 == 1)
                self._pool(rs1)

    def _pool(self, fields: int) -> None:
        step, window, padding = fields >> 4 & 3, fields >> 6 & 3, fields >> 8 & 15
        if step and padding:
            raise _unknown(0, fields, 0)
        line, rows, cols, sum_rows, sum_cols = (fields >> at & 0xFF for at in (24, 32, 40, 48, 56))
        self.store.step, self.store.window, self.store.line = step, window if step else 0, line
        self.store.results, self.store.sums = (rows, cols), (sum_rows, sum_cols)

    def _mvin(self, id: int, far: int, tile: int, memory: CoreMemory) -> None:
        at, cols, rows = _fields(tile)
        is_shrunk = bool(at & _ACC and far and self.load.shrunk[id])
        kind = self._sum if at & _ACC and not is_shrunk else self._element
        item = np.dtype(kind).itemsize
        if at & _ACC and at & _ADD and not is_shrunk:
            raise _unknown(2, far, tile)
        near = self._near(at)
        dim, size = {"dim": self._dim}, {"size": self.spad.itemsize}
        if not far and at & _ACC:
            gemmini.mvin_acc_zero.function(near=near, rows=rows, **dim)
            return
        if not far:
            gemmini.mvin_zero.function(near=near, rows=rows, **dim, **size)
            return
        stride = self._load_bytes[id]
        self.load.strides[id] = cols if stride else 0
        data: Any = memory.read(far, cols * item, rows if stride else 1, stride).view(kind)
        source: Any = data.view(Flat)
        numbers = {"rows": rows, "id": id, "load": self.load, **dim}
        if is_shrunk:
            instruction = gemmini.mvin_bytes_add if at & _ADD else gemmini.mvin_bytes
            instruction.function(far=source, near=near, blocks=cols // self._dim, **numbers)
        elif at & _ACC:
            gemmini.mvin_acc.function(far=source, near=near, cols=cols, repeats=int(not stride), **numbers)
        elif cols > self._dim and cols % self._dim:
            blocks, rest = divmod(cols, self._dim)
            last = self._near(at + blocks * self.load.blocks[id])
            gemmini.mvin_columns.function(far=source, near=near, last=last, blocks=blocks, cols=rest, **numbers, **size)
        elif cols > self._dim:
            gemmini.mvin_blocks.function(far=source, near=near, blocks=cols // self._dim, **numbers, **size)
        else:
            gemmini.mvin.function(far=source, near=near, cols=cols, **numbers, **size)

    def _preload(self, b: int, c: int, memory: CoreMemory) -> None:
        self._preloaded, self._sums = b, c

    def _compute(self, a: int, bd: int, *, takes: bool) -> None:
        if self.execute.keeps_sums:
            self._multiply(a, bd, begins=takes)
            return
        at, k, rows = _fields(a)
        b, width, depth = _fields(self._preloaded)
        c, n, _ = _fields(self._sums)
        sizes = {"dim": self._dim, "size": self.spad.itemsize}
        names = "compute_preloaded" if takes else "compute_accumulated"
        if takes:
            gemmini.preload.function(b=self._near(b), k=depth, n=width, weights=self.weights, **sizes)
        instruction = getattr(gemmini, f"{names}_add" if c & _ADD else names)
        numbers = {
            "rows": rows,
            "k": k,
            "n": n,
            "step": self.execute.step,
            "execute": self.execute,
            "weights": self.weights,
        }
        instruction.function(a=self._near(at), c=self._near(c), **numbers, **sizes)

    def _multiply(self, a: int, b: int, *, begins: bool) -> None:
        at, k, rows = _fields(a)
        weights, n, _ = _fields(b)
        c = self._sums & 0xFFFFFFFF
        if self._preloaded & 0xFFFFFFFF != _GARBAGE:
            raise _unknown(4, a, b)
        sizes = {"rows": rows, "k": k, "n": n, "dim": self._dim, "size": self.spad.itemsize}
        state = {"first": int(begins), "step": self.execute.step, "execute": self.execute, "cells": self.cells}
        operands = {"a": self._near(at), "b": self._near(weights)}
        if c == _GARBAGE:
            gemmini.multiply_keep.function(**operands, **sizes, **state)
            return
        instruction = gemmini.multiply_add if c & _ADD else gemmini.multiply
        instruction.function(**operands, c=self._near(c), **sizes, **state)

    def _mvout(self, far: int, tile: int, memory: CoreMemory) -> None:
        at, cols, rows = _fields(tile)
        if self.store.window:
            self._mvout_pool(far, at, cols, memory)
            return
        target = np.zeros(rows * cols, self._sum if at & _FULL else self._element)
        self.store.stride = cols
        numbers = {"rows": rows, "cols": cols, "dim": self._dim, "store": self.store}
        if at & _FULL:
            gemmini.mvout_full.function(near=self._near(at), far=target.view(Flat), **numbers)
        else:
            gemmini.mvout.function(near=self._near(at), far=target.view(Flat), size=target.itemsize, **numbers)
        for row, line in enumerate(target.reshape(rows, cols)):
            memory.write(far + row * self._store_bytes, line.view(np.uint8))

    def _mvout_pool(self, far: int, at: int, channels: int, memory: CoreMemory) -> None:
        (rows, cols), line = self.store.results, self.store.line
        if self.store.window == 1 and (rows > self.store.sums[0] or cols > self.store.sums[1]):
            raise _unknown(3, far, at)
        target = np.zeros(((rows - 1) * line + cols, channels), np.int8)
        self.store.stride = channels
        operands: dict[str, Any] = {"near": self._near(at), "far": target.reshape(-1).view(Flat)}
        numbers = {"rows": rows, "cols": cols, "dim": self._dim, "store": self.store}
        if self.store.window == 1:
            gemmini.mvout_lines.function(**operands, **numbers, channels=channels, pitch=self.store.sums[1])
        elif channels != self._dim:
            raise _unknown(3, far, at)
        else:
            gemmini.mvout_pool.function(**operands, **numbers, window=self.store.window)
        for row, col in np.ndindex(rows, cols):
            pixel = row * line + col
            memory.write(far + pixel * self._store_bytes, target[pixel].view(np.uint8))

    def _numbers(self, command: int, operand: int) -> list[int]:
        """Return the four numbers of 16 bits in an operand of a command that configures loops."""
        return [self._loop[command][operand] >> 16 * number & 0xFFFF for number in range(4)]

    def _check_loop(self, name: int, rs1: int, rs2: int, *, step: int, store: int, fits: bool) -> None:
        """Raise Diagnostic for a loop whose fields, or whose configurations, are those of no record."""
        fits = fits and self._store_bytes == store and not self.store.window
        if not fits or self.execute.keeps_sums or self.execute.step != step:
            raise _unknown(name, rs1, rs2)

    def _loop_ws(self, rs1: int, rs2: int, memory: CoreMemory) -> None:
        (a, b), (d, c), dim, size = self._loop[10], self._loop[11], self._dim, self.spad.itemsize
        (a_stride, b_stride), (d_stride, c_stride) = self._loop[12], self._loop[13]
        blocks, pads = self._numbers(9, 1), self._numbers(9, 0)
        rows, cols, depth = (count * dim - pad for count, pad in zip(blocks[:3], pads[:3], strict=True))
        loads = [a_stride * size, b_stride * size, 0]
        fits = rs1 == int(d != 0) and not rs2 and not d_stride and self._load_bytes == loads and 0 not in (a, b, c)
        self._check_loop(8, rs1, rs2, step=1, store=c_stride * size, fits=fits)
        state, kind = LoopWs(), LoopKind()
        kind.convolves = 0
        state.a_stride, state.b_stride, state.c_stride = depth, cols, cols
        state.scale, state.relu = self.store.scale, self.store.relu
        factors = {"a": self._read(memory, a, [(rows, a_stride)], depth)}
        factors["b"] = self._read(memory, b, [(depth, b_stride)], cols)
        target: Any = np.zeros(rows * cols, self._element)
        numbers = {"rows": rows, "cols": cols, "depth": depth, **self._memories, "loop": state, "kind": kind}
        if d:
            factors["d"] = memory.read(d, cols * self.acc.itemsize).view(self._sum).view(Flat)
        instruction = loops.loop_ws_bias if d else loops.loop_ws
        instruction.function(**factors, c=target.view(Flat), **numbers)
        for row, line in enumerate(target.reshape(rows, cols)):
            memory.write(c + row * c_stride * size, line.view(np.uint8))

    def _loop_conv_ws(self, rs1: int, rs2: int, memory: CoreMemory) -> None:
        (w, y), (d, x), size = self._loop[20], self._loop[21], self.spad.itemsize
        _, _, channels, _ = self._numbers(16, 0)
        _, _, results, step = self._numbers(16, 1)
        width, (features, cols, rows, images) = self._numbers(17, 0)[3], self._numbers(17, 1)
        _, depth, across, down = self._numbers(18, 0)
        line, more_down, _, more_across = self._numbers(18, 1)
        dilation, (_, y_pixel, w_channel, x_pixel) = self._numbers(19, 0)[0], self._numbers(19, 1)
        fits = rs1 & ~1 == 1 << 8 and rs2 == 1 and 0 not in (x, w, d, y) and images == 1
        fits = fits and (more_down, more_across) == ((step - 1) << 8, step - 1)
        self._check_loop(15, rs1, rs2, step=step, store=y_pixel * size, fits=fits)
        tall, wide = (rows - 1) * step + (down - 1) * dilation + 1, (cols - 1) * step + (across - 1) * dilation + 1
        state, kind = LoopConv(), LoopKind()
        kind.convolves = 1
        state.x_strides, state.y_strides = (wide * depth, depth), (cols * features, features)
        state.w_strides = across * depth * features, depth * features, features
        state.step, state.dilation, state.scale, state.relu = step, dilation, self.store.scale, self.store.relu
        w_tap = w_channel * channels
        operands = {"x": self._read(memory, x, [(tall, line * x_pixel), (wide, x_pixel)], depth)}
        operands["w"] = self._read(memory, w, [(down, width * w_tap), (across, w_tap), (depth, w_channel)], features)
        target: Any = np.zeros(rows * cols * features, self._element)
        numbers = {
            "rows": rows,
            "cols": cols,
            "features": features,
            "depth": depth,
            **self._memories,
            "conv": state,
            "kind": kind,
        }
        taps = {"taps_down": down, "taps_across": across, "step": step, "dilation": dilation}
        if not rs1 & 1:
            operands["d"] = memory.read(d, features * self.acc.itemsize).view(self._sum).view(Flat)
        instruction = loops.loop_conv_ws if rs1 & 1 else loops.loop_conv_ws_bias
        instruction.function(**operands, y=target.view(Flat), **numbers, **taps)
        pixels = target.reshape(rows, cols, features)
        for row, col in np.ndindex(rows, cols):
            memory.write(y + (row * results + col) * y_pixel * size, pixels[row, col].view(np.uint8))

    def _read(self, memory: CoreMemory, at: int, axes: Sequence[tuple[int, int]], count: int) -> Any:
        """Return contiguous elements of a tile, `count` at each point of axes of (extent, step in elements)."""
        size = self.spad.itemsize
        points = np.ndindex(*(extent for extent, _ in axes))
        steps = [step for _, step in axes]
        starts = [sum(map(mul, point, steps)) for point in points]
        elements: Any = np.concatenate([memory.read(at + start * size, count * size) for start in starts])
        return elements.view(self._element).view(Flat)

    def _near(self, at: int) -> Any:
        memory: Any = self.acc if at & _ACC else self.spad
        return memory[(at & _ROW) * self._dim :].view(Flat)


def _unknown(funct: int, rs1: int, rs2: int) -> Diagnostic:
    return Diagnostic(
        "a command of Gemmini that no instruction record stands for",
        expected="a configuration of products, loads or stores, mvin, mvout, preload or compute as in tw_gemmini.h",
        found=f"command {funct}, operands {rs1:#x} and {rs2:#x}",
        remedy="compile the program with lower-to-gemmini, or add the instruction to targets/gemmini/dialects",
    )


def _fields(tile: int) -> tuple[int, int, int]:
    """Return the address, the columns and the rows of an operand."""
    return tile & 0xFFFFFFFF, tile >> 32 & 0xFFFF, tile >> 48 & 0xFFFF
