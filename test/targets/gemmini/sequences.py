"""Random programs of Gemmini's instructions, as text: all forms of each, on data that they load themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np

from tilewright.ir import Array

_ROWS, _SUMS = 256, 64
_TYPES = {
    "x": "memref<40x64xi8>", "w": "memref<64x64xi8>", "b": "memref<20x32xi32>", "v": "memref<64xi32>",
    "image": "memref<1x20x20x32xi8>", "taps": "memref<3x3x32x48xi8>",
    "y": "memref<40x64xi8>", "z": "memref<64x16xi32>", "pooled": "memref<1x12x12x32xi8>",
    "near": f'memref<{_ROWS}x16xi8, "SPAD">', "blocks": 'memref<4x64x16xi8, "SPAD">',
    "sums": f'memref<{_SUMS}x16xi32, "ACC">', "sums4": 'memref<4x16x16xi32, "ACC">',
    "plane": 'memref<1x1x8x8x16xi32, "ACC">',
    "spad": 'memref<4096xi8, "SPAD">', "acc": 'memref<4096xi8, "ACC">',
}  # fmt: skip
INPUTS, OUTPUTS = ("x", "w", "b", "v", "image", "taps"), ("y", "z", "pooled")


class Program:
    """Text of a program that is drawn at random: each method appends instructions."""

    def __init__(self, seed: int, *, loops: bool, element: str = "i8"):
        self.draw = np.random.default_rng(seed)
        self.lines, self.constants, self.is_of_loops, self.element = list[str](), dict[str, str](), loops, element
        self.types = {name: _typed(name, text, element) for name, text in _TYPES.items()}
        kinds = self.loops if loops else self.instructions
        for number in self.draw.permutation(len(kinds) * 4):
            kinds[number % len(kinds)]()

    @property
    def instructions(self) -> list[Callable[[], None]]:
        """The kinds of instructions on scratchpad and accumulators."""
        of_bytes = [self.load_bytes, self.pool, self.store_lines, self.store_gelu] if self.element == "i8" else []
        of_bytes += [self.output_stationary] if self.element != "bf16" else []
        return [self.load, self.load_sums, self.weight_stationary, self.store, *of_bytes]

    @property
    def loops(self) -> list[Callable[[], None]]:
        """The kinds of loops in hardware."""
        return [self.product, self.convolution]

    @property
    def instance(self) -> str:
        """The attributes that state the instance."""
        numbers = "dim = 16 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64"
        return f"{{{numbers}, size = {self.size} : i64}}"

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return {"i8": 1, "bf16": 2, "f32": 4}[self.element]

    def number(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`."""
        return int(self.draw.integers(low, high + 1))

    def chance(self) -> bool:
        """Return True half of the times."""
        return bool(self.draw.integers(2))

    def index(self, value: int) -> str:
        """Return a constant index."""
        return self._constant(f"i{value}", f"{value} : index")

    def scale(self) -> str:
        """Return a random scale."""
        value = float(np.float32(self.draw.uniform(0.001, 0.02)))
        return self._constant(f"f{len(self.constants)}", f"{value!r} : f32")

    def _constant(self, name: str, text: str) -> str:
        self.constants[name] = f"%{name} = arith.constant {text}"
        return f"%{name}"

    def op(self, name: str, *operands: str | tuple[str, Sequence[int]], **attributes: str | int) -> None:
        """Append an instruction: buffers are names, or pairs of a name and indices; flags are bools."""
        texts, types = list[str](), list[str]()
        for each in operands:
            buffer, at = (each, ()) if isinstance(each, str) else each
            if buffer not in self.types:
                texts.append(buffer)
                continue
            texts.append(f"%{buffer}" + (f"[{', '.join(self.index(place) for place in at)}]" if at else ""))
            types.append(self.types[buffer])
        given = [
            key if value is True else f"{key} = {value if isinstance(value, str) else f'{value} : i64'}"
            for key, value in attributes.items()
            if value is not False
        ]
        kinds = f" : {', '.join(types)}" if types else ""
        self.lines.append(f"gemmini.{name} {', '.join(texts)} {{{', '.join(given)}}}{kinds}")

    def load(self) -> None:
        """Append loads to the scratchpad, by any configuration, and of zeros."""
        id, rows = self.number(0, 2), self.number(1, 16)
        self.op("config_ld", "x", stride=_along(0), block=64, size=self.size, id=id)
        at = self.number(0, 40 - rows), self.number(0, 16)
        if self.element == "f32" or self.chance():
            cols = self.number(1, 16)
            self.op("mvin", ("x", at), ("near", (self.number(0, 240), 0)), self.index(rows), self.index(cols), id=id)
        else:
            blocks = self.number(2, min(3, 4 // self.size))
            near = self.number(0, 4 - blocks), self.number(0, 64 - rows), 0
            self.op("mvin_blocks", ("x", at), ("blocks", near), self.index(rows), blocks=blocks, id=id)
        if 4 // self.size > 1 and self.chance():
            cols = self.number(1, 15)
            near = self.number(0, 2), self.number(0, 64 - rows), 0
            last = near[0] + 1, *near[1:]
            places = ("x", at), ("blocks", near), ("blocks", last)
            self.op("mvin_columns", *places, self.index(rows), blocks=1, cols=cols, id=id)
        if self.chance():
            self.op("mvin_zero", ("near", (self.number(0, 255), 0)), self.index(1))

    def load_sums(self) -> None:
        """Append loads of sums, or of one row of them repeatedly, and of zeros."""
        id, repeats, rows, cols = self.number(0, 2), self.chance(), self.number(1, 16), self.number(1, 16)
        strides = {} if repeats else {"stride": _along(0)}
        self.op("config_ld", "b", **strides, block=16, size=4, id=id)
        far, near = (self.number(0, 20 - rows), self.number(0, 16)), (self.number(0, _SUMS - rows), 0)
        sizes = self.index(rows), self.index(cols)
        self.op("mvin_acc", ("b", far), ("sums", near), *sizes, repeats=repeats, id=id)
        if self.chance():
            self.op("mvin_acc_zero", ("sums", (self.number(0, _SUMS - 2), 0)), self.index(2))

    def load_bytes(self) -> None:
        """Append loads of bytes to the accumulators."""
        id, blocks, rows = self.number(0, 2), self.number(1, 4), self.number(1, 16)
        self.op("config_ld_bytes", "x", stride=_along(0), block=16, id=id)
        far, near = (self.number(0, 40 - rows), 0), (self.number(0, 4 - blocks), self.number(0, 16 - rows), 0)
        name = "mvin_bytes_add" if self.chance() else "mvin_bytes"
        self.op(name, ("x", far), ("sums4", near), self.index(rows), blocks=blocks, id=id)

    def weight_stationary(self) -> None:
        """Append a product with new weights, and one with the same ones."""
        step = self.number(1, 3)
        self.op("config_ex", step=step)
        k, n = self.number(1, 16), self.number(1, 16)
        self.op("preload", ("near", (self.number(0, 240), 0)), k=k, n=n)
        for kind in ("preloaded", "accumulated"):
            rows = self.number(1, 16)
            a, c = (self.number(0, _ROWS - 48), 0), (self.number(0, _SUMS - rows), 0)
            name = f"compute_{kind}{'_add' * self.chance()}"
            self.op(name, ("near", a), ("sums", c), rows=rows, k=k, n=n, step=step)

    def output_stationary(self) -> None:
        """Append a product of several blocks, whose sums stay in the cells."""
        step, rows, n = self.number(1, 3), self.number(1, 16), self.number(1, 16)
        self.op("config_os", step=step)
        for block in range(count := self.number(1, 3)):
            operands = [("near", (self.number(0, _ROWS - 48), 0)), ("near", (self.number(0, 240), 0))]
            sizes = {"rows": rows, "k": self.number(1, 16), "n": n, "first": block == 0, "step": step}
            if block < count - 1:
                self.op("multiply_keep", *operands, **sizes)
                continue
            name = "multiply_add" if self.chance() else "multiply"
            self.op(name, *operands, ("sums", (self.number(0, _SUMS - rows), 0)), **sizes)

    def store(self) -> None:
        """Append a store of bytes, scaled and saturated, with a ReLU or not."""
        self.op("config_st", "y", self.scale(), stride=_along(0), size=self.size, relu=self.chance())
        self._rows()

    def _rows(self) -> None:
        """Append a store of rows."""
        rows, cols = self.number(1, 16), self.number(1, 16)
        near, far = (self.number(0, _SUMS - rows), 0), (self.number(0, 40 - rows), self.number(0, 48))
        self.op("mvout", ("sums", near), ("y", far), self.index(rows), self.index(cols))

    def store_gelu(self) -> None:
        """Append a store of bytes, the GELU of sums."""
        numbers = {"qb": -self.number(0, 2000), "qc": self.number(-1 << 20, 1 << 10)}
        scale = -float(np.float32(10.0 ** self.draw.uniform(-9, -5)))
        factor = self._constant(f"f{len(self.constants)}", f"{scale!r} : f32")
        self.op("config_gelu", "y", factor, stride=_along(0), **numbers)
        self._rows()

    def pool(self) -> None:
        """Append a store of maxima of windows."""
        window, step = self.number(1, 3), self.number(1, 3)
        rows, cols = (self.number(1, (8 - window) // step + 1) for _ in range(2))
        shape = {"window": window, "step": step, "line": 12, "rows": rows, "cols": cols, "sum_rows": 8, "sum_cols": 8}
        self.op("config_pool", "pooled", self.scale(), stride=_along(2), relu=self.chance(), **shape)
        far = 0, self.number(0, 12 - rows), self.number(0, 12 - cols), 16 * self.number(0, 1)
        operands = ("plane", (0, 0, 0, 0, 0)), ("pooled", far)
        self.op("mvout_pool", *operands, rows=rows, cols=cols, window=window)

    def store_lines(self) -> None:
        """Append a store of lines of bytes, of an image or of a matrix."""
        rows, cols = self.number(1, 8), self.index(self.number(1, 8))
        near, far, axis = ("plane", (0, 0, 8 - rows, 0, 0)), ("pooled", (0, self.number(0, 12 - rows), 0, 3)), 2
        if self.chance():
            rows, near, far, axis = (
                1,
                ("sums", (self.number(0, 8), 0)),
                ("y", (self.number(0, 8), self.number(0, 48))),
                0,
            )
        sizes = self.index(rows), cols
        shape = {"stride": _along(axis), "relu": self.chance(), "line": 12, "pitch": 8}
        self.op("config_lines", far[0], self.scale(), *sizes, **shape)
        self.op("mvout_lines", near, far, *sizes, self.index(self.number(1, 16)))

    def product(self) -> None:
        """Append a product of matrices by a loop in hardware."""
        strides = {f"{name}_stride": _along(0) for name in "abc"}
        self.op("config_loop", "x", "w", "y", self.scale(), **strides, relu=self.chance())
        rows, cols, depth = self.number(1, 40), self.number(1, 64), self.number(1, 64)
        a, b = (self.number(0, 40 - rows), self.number(0, 64 - depth)), (self.number(0, 64 - depth), 0)
        bias = [("v", (0,))] if self.chance() else []
        c = self.number(0, 40 - rows), self.number(0, 64 - cols)
        sizes = {"rows": rows, "cols": cols, "depth": depth, **_MEMORIES}
        self.op("loop_ws_bias" if bias else "loop_ws", ("x", a), ("w", b), *bias, ("y", c), **sizes)

    def convolution(self) -> None:
        """Append a convolution by a loop in hardware."""
        axes = {"x_row": 1, "x_pixel": 2, "w_row": 0, "w_tap": 1, "w_channel": 2, "y_row": 1, "y_pixel": 2}
        apart = {"step": self.number(1, 3), "dilation": self.number(1, 2)}
        strides = {name: _along(axis) for name, axis in axes.items()}
        self.op("config_loop_conv", "image", "taps", "pooled", self.scale(), **strides, **apart, relu=self.chance())
        taps = self.number(1, 3), self.number(1, 3)
        most = [min(12, (20 - (count - 1) * apart["dilation"] - 1) // apart["step"] + 1) for count in taps]
        rows, cols = (self.number(1, each) for each in most)
        sizes = {"rows": rows, "cols": cols, "features": self.number(1, 32), "depth": self.number(1, 32)}
        sizes |= {"taps_down": taps[0], "taps_across": taps[1], **apart, **_MEMORIES}
        bias = [("v", (self.number(0, 16),))] if self.chance() else []
        name = "loop_conv_ws_bias" if bias else "loop_conv_ws"
        operands = ("image", (0, 0, 0, 0)), ("taps", (0, 0, 0, 0)), *bias, ("pooled", (0, 0, 0, 0))
        self.op(name, *operands, **sizes)

    def text(self) -> str:
        """Return the module."""
        kinds = {name: self.types[name][7:-1].split("x")[-1].split(",")[0] for name in (*INPUTS, *OUTPUTS)}
        arguments = [
            f'%{name}: {self.types[name]} {{onnx.name = "{name}", onnx.type = "{kinds[name]}"{mark}}}'
            for names, mark in ((INPUTS, ""), (OUTPUTS, ", tilewright.output"))
            for name in names
        ]
        zero = self.index(0)
        code = self.lines if self.is_of_loops else self._on_memories(zero, self.index(16))
        body = [
            *self.constants.values(),
            *(
                f'linalg.fill {{engine = "core"}} ins(%{name}_zero : {kinds[name]}) outs(%{name} : {self.types[name]})'
                for name in OUTPUTS
            ),
            f"gemmini.begin_loops {self.instance}" if self.is_of_loops else "",
            *code,
            "gemmini.fence",
            "func.return",
        ]
        zeros = [f"%{name}_zero = arith.constant 0{'.0' * ('f' in kinds[name])} : {kinds[name]}" for name in OUTPUTS]
        memories = [
            f'memref.global "private" @{name} : {self.types[name]} = uninitialized {{alignment = 64 : i64}}'
            for name in ("spad", "acc")
        ]
        lines = [*memories, f"func.func @network({', '.join(arguments)}) {{", *zeros, *body, "}"]
        return "builtin.module {\n" + "\n".join(lines) + "\n}\n"

    def _on_memories(self, zero: str, rows: str) -> list[str]:
        """Return the program with its memories: they are filled first, and all sums stored last."""
        self.index(_SUMS)
        self.constants["one"] = "%one = arith.constant 1.0 : f32"
        views = {"near": "spad", "blocks": "spad", "sums": "acc", "sums4": "acc", "plane": "acc"}
        return [
            *(f"%{name} = memref.get_global @{name} : {self.types[name]}" for name in ("spad", "acc")),
            *(
                f"%{name} = memref.view %{of}[{zero}][] : {self.types[of]} to {self.types[name]}"
                for name, of in views.items()
            ),
            f"gemmini.begin %spad, %acc {self.instance} : {self.types['spad']}, {self.types['acc']}",
            f"gemmini.config_ld %w {{stride = {_along(0)}, block = 64 : i64, size = {self.size} : i64, id = 0 : i64}}"
            f" : {self.types['w']}",
            *self._fill(zero, rows),
            f"scf.for %r = {zero} to %i{_SUMS} step {rows} {{",
            f"gemmini.mvin_acc_zero %sums[%r, {zero}], {rows} : {self.types['sums']}\n}}",
            *self.lines,
            f"gemmini.config_st %z, %one {{stride = {_along(0)}, size = 4 : i64}} : {self.types['z']}",
            f"scf.for %r = {zero} to %i{_SUMS} step {rows} {{",
            f"gemmini.mvout_full %sums[%r, {zero}], %z[%r, {zero}], {rows}, {rows}"
            f" : {self.types['sums']}, {self.types['z']}\n}}",
        ]

    def _fill(self, zero: str, rows: str) -> list[str]:
        """Return loads of all rows of the scratchpad."""
        types, lines = f"{self.types['w']}, {self.types['near']}", list[str]()
        for block in range(4):
            column, first = self.index(16 * block), self.index(64 * block)
            lines += [
                f"scf.for %r = {zero} to %i{_SUMS} step {rows} {{",
                f"%to = arith.addi %r, {first} : index",
                f"gemmini.mvin %w[%r, {column}], %near[%to, {zero}], {rows}, {rows} {{id = 0 : i64}} : {types}\n}}",
            ]
        return lines

    def inputs(self) -> dict[str, Array]:
        """Return random inputs."""
        found = dict[str, Array]()
        for name in INPUTS:
            *shape, kind = self.types[name][7:-1].split("x")
            extents = [int(each) for each in shape]
            if "f" in kind:
                dtype = np.float32 if kind == "f32" else ml_dtypes.bfloat16
                found[name] = self.draw.standard_normal(extents).astype(dtype)
                continue
            low, high, element = (-128, 128, np.int8) if kind == "i8" else (-5000, 5000, np.int32)
            found[name] = self.draw.integers(low, high, extents).astype(element)
        return found


_MEMORIES = {"dim": 16, "spad_rows": 16384, "acc_rows": 1024}


def _typed(name: str, text: str, element: str) -> str:
    """Return the type of a buffer of an instance with this element; those of memories count bytes."""
    if element == "i8":
        return text
    if name in ("spad", "acc"):
        return text.replace("4096", "16384")
    return text.replace("xi8", f"x{element}").replace("xi32", "xf32")


def _along(axis: int) -> str:
    return f"array<i64: {axis}, 1>"
