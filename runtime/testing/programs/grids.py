"""Random small programs of grids that cut reductions, fuse kernels, use views and resident buffers, and nest."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ....dialects.core.kernel import is_kernel, kernel_of
from ....dialects.core.syntax.text import parse_module
from ....ir import functions
from ....passes.expand_grid import stage_bytes
from ....passes.proof.kernel import ATTRIBUTE, describe
from .explicit import CONTEXT, explicit

_BYTES = {"i8": 1, "i32": 4}


@dataclass
class NearAddresses:
    """Addresses in a near level, given out one after the other."""

    end: int = 0

    def take(self, shape: Sequence[int], element: str, stages: int = 1) -> int:
        """Allocate buffers and return their address."""
        size = _BYTES[element]
        for extent in shape:
            size *= extent
        start, self.end = self.end, self.end + stage_bytes(size) * stages
        return start


@dataclass
class _Grid:
    """The text of one grid."""

    bounds: Sequence[int]
    near: NearAddresses
    draw: random.Random
    level: str = "L1"
    name: str = ""
    operands: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    scratch: list[str] = field(default_factory=list[str])
    types: dict[str, str] = field(default_factory=dict[str, str])

    def tile(
        self,
        name: str,
        operand: str,
        whole: Sequence[int],
        shape: Sequence[int],
        at: Sequence[str],
        element: str = "i8",
        *,
        fill: str = "0",
        is_output: bool = False,
        is_view: bool = False,
        space: str = "",
    ) -> None:
        """Add an operand; `at` is the first element of its tile, in the dimensions d0, d1, ..."""
        kind = memref(whole, element, space)
        starts = re.sub(r"\bd(\d+)", rf"%{self.name}\1", ", ".join(at))
        rest = ""
        if not is_view:
            stages = self.draw.randint(1, 2)
            rest = f' in "{self.level}" address {self.near.take(shape, element, stages)}'
            rest += f" stages {stages}" if stages > 1 else ""
            rest += f" fill {fill} : {element}" if fill and not is_output else ""
        self.operands.append((f"%{name} = {operand}[{starts}] {list(shape)}{rest} : {kind}", is_output))
        self.types[name] = memref(shape, element, self.level) if not is_view else _view(whole, shape, element, space)

    def own(self, name: str, shape: Sequence[int], element: str) -> None:
        """Add scratch."""
        kind = memref(shape, element, self.level)
        self.scratch.append(f"%{name} : {kind} address {self.near.take(shape, element)}")
        self.types[name] = kind

    def text(self, body: str) -> str:
        """Return the grid with a body, in which `{name}` stands for the type of a buffer."""
        ins = [text for text, is_output in self.operands if not is_output]
        outs = [text for text, is_output in self.operands if is_output]
        groups = (("ins", ins), ("outs", outs), ("scratch", self.scratch))
        buffers = "".join(f"\n  {word}({', '.join(texts)})" for word, texts in groups if texts)
        point = ", ".join(f"%{self.name}{i}" for i in range(len(self.bounds)))
        head = f"({point}) in {list(self.bounds)}" if point else ""
        return f"hier.grid {head}{buffers} {{\n{body.format(**self.types)}\n  hier.yield\n}}"


def memref(shape: Sequence[int], element: str, space: str = "") -> str:
    """Return the type of a dense buffer."""
    return f"memref<{'x'.join(map(str, shape))}x{element}" + (f', "{space}">' if space else ">")


def _view(whole: Sequence[int], shape: Sequence[int], element: str, space: str) -> str:
    if list(whole) == list(shape):
        return memref(whole, element, space)
    strides = [1]
    for extent in reversed(whole[1:]):
        strides.insert(0, strides[0] * extent)
    layout = f", strided<{strides}, offset: ?>" + (f', "{space}"' if space else "")
    return f"memref<{'x'.join(map(str, shape))}x{element}{layout}>"


def _program(operands: Sequence[tuple[str, str]], body: str, whole: str) -> ModuleOp:
    """
    Return a function with a body of grids. `whole` is the same without them: its kernels, in order, are the ones that
    those in the grids are parts of.
    """
    arguments = [f'%{name}: {kind} {{onnx.name = "{name}"}}' for name, kind in operands[:-1]]
    arguments.append(f'%o: {operands[-1][1]} {{onnx.name = "o", tilewright.output}}')
    head = f"func.func @network({', '.join(arguments)}) {{\n"
    module = parse_module(CONTEXT, f"{head}{body}\nfunc.return\n}}")
    described = parse_module(CONTEXT, f"{head}{whole}\nfunc.return\n}}")
    for part, kernel in zip(_kernels(module), _kernels(described), strict=True):
        if kernel.name != "linalg.fill":
            part.attributes[ATTRIBUTE] = describe(kernel_of(kernel), kernel_of(part))
    return module


def _kernels(module: ModuleOp) -> list[Operation]:
    return [op for op in functions(module)[0].walk() if is_kernel(op)]


def _cut(draw: random.Random, bound: int, *, least: int = 1) -> tuple[int, int]:
    """Return the size of tiles along a loop and how many there are."""
    size = -(-bound // draw.randint(least, max(least, min(bound, 4))))
    return size, -(-bound // size)


def _pointwise(a: str, b: str, out: str, kinds: Sequence[str], element: str = "i8") -> str:
    """Return an elementwise kernel: 3 * a + b, of any widths."""
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    wide = "  %x32 = arith.extsi %x : i8 to i32\n" if "i8" in kinds[0] else "  %x32 = arith.addi %x, %nil : i32\n"
    last = "%r" if element == "i32" else "%n"
    narrow = "" if element == "i32" else "  %n = arith.trunci %r : i32 to i8\n"
    return (
        (
            f'linalg.generic {{indexing_maps = [{same}, {same}, {same}], iterator_types = ["parallel", "parallel"]}} '
            f"ins({a}, {b} : {kinds[0]}, {kinds[1]}) outs({out} : {kinds[2]}) {{\n"
            f"^bb1(%x: {'i8' if 'i8' in kinds[0] else 'i32'}, %y: i8, %z: {element}):\n"
            f"  %three = arith.constant 3 : i32\n  %nil = arith.constant 0 : i32\n{wide}"
            f"  %y32 = arith.extsi %y : i8 to i32\n  %m = arith.muli %x32, %three : i32\n"
            f"  %r = arith.addi %m, %y32 : i32\n{narrow}  linalg.yield {last} : {element}\n}}"
        )
        .replace("{", "{{")
        .replace("}", "}}")
    )


def reduction(draw: random.Random) -> ModuleOp:
    """Return a product of matrices whose reduction is cut, with or without an epilogue on its sums."""
    m, k, n = draw.randint(2, 8), draw.randint(4, 16), draw.randint(2, 8)
    (tm, cm), (tk, ck), (tn, cn) = _cut(draw, m), _cut(draw, k, least=2), _cut(draw, n)
    rows, columns = ("d0", "d1") if draw.random() < 0.5 else ("d1", "d0")
    near = NearAddresses()
    grid = _Grid([cm, cn, ck] if rows == "d0" else [cn, cm, ck], near, draw, name="i")
    has_epilogue = draw.random() < 0.6
    grid.tile("ta", "%a", [m, k], [tm, tk], [f"{rows} * {tm}", f"d2 * {tk}"])
    grid.tile("tb", "%b", [k, n], [tk, tn], [f"d2 * {tk}", f"{columns} * {tn}"])
    place = [f"{rows} * {tm}", f"{columns} * {tn}"]
    if has_epilogue:
        grid.tile("te", "%e", [m, n], [tm, tn], place)
        grid.tile("tc", "%o", [m, n], [tm, tn], place, "i8", is_output=True)
        grid.own("sum", [tm, tn], "i32")
    else:
        grid.tile("sum", "%o", [m, n], [tm, tn], place, "i32", is_output=True)
    body = (
        "%zero = arith.constant 0 : i32\n"
        "hier.first %i2 {{ linalg.fill ins(%zero : i32) outs(%sum : {sum}) }}\n"
        "nn.matmul ins(%ta, %tb : {ta}, {tb}) outs(%sum : {sum}) {{accumulator = i32, accumulate}}"
    )
    a, b, c = memref([m, k], "i8"), memref([k, n], "i8"), memref([m, n], "i32")
    total = "%s" if has_epilogue else "%o"
    whole = "%zero = arith.constant 0 : i32\n" + (f"%s = memref.alloc() : {c}\n" if has_epilogue else "")
    whole += f"linalg.fill ins(%zero : i32) outs({total} : {c})\n"
    whole += f"nn.matmul ins(%a, %b : {a}, {b}) outs({total} : {c}) {{accumulator = i32, accumulate}}\n"
    operands = [("a", a), ("b", b)]
    if not has_epilogue:
        return _program([*operands, ("o", c)], grid.text(body), whole)
    small = memref([m, n], "i8")
    last = _pointwise("%sum", "%te", "%tc", [grid.types["sum"], grid.types["te"], grid.types["tc"]])
    body += f"\nhier.last %i2 {{{{\n{last}\n}}}}"
    whole += _pointwise("%s", "%e", "%o", [c, small, small]).format()
    return _program([*operands, ("e", small), ("o", small)], grid.text(body), whole)


def pooling(draw: random.Random) -> ModuleOp:
    """Return a reduction of the rows of a matrix, cut along the rows, of a kind that may need another fill than 0."""
    m, k = draw.randint(2, 8), draw.randint(4, 16)
    (tm, cm), (tk, ck) = _cut(draw, m), _cut(draw, k, least=2)
    kind, start = draw.choice([("max", -128), ("min", 127), ("sum", 0)])
    grid = _Grid([cm, ck], NearAddresses(), draw, name="i")
    grid.tile("tx", "%x", [m, k], [tm, tk], [f"d0 * {tm}", f"d1 * {tk}"], fill=str(start))
    grid.tile("sum", "%o", [m], [tm], [f"d0 * {tm}"], is_output=True)
    step = f'{{{{kind = "{kind}", axes = array<i64: 1>, accumulator = i8, accumulate}}}}'
    body = (
        f"%start = arith.constant {start} : i8\n"
        "hier.first %i1 {{ linalg.fill ins(%start : i8) outs(%sum : {sum}) }}\n"
        f"nn.reduce ins(%tx : {{tx}}) outs(%sum : {{sum}}) {step}"
    )
    x, o = memref([m, k], "i8"), memref([m], "i8")
    whole = f"%start = arith.constant {start} : i8\nlinalg.fill ins(%start : i8) outs(%o : {o})\n"
    whole += f"nn.reduce ins(%x : {x}) outs(%o : {o}) {step.format()}"
    return _program([("x", x), ("o", o)], grid.text(body), whole)


def windows(draw: random.Random) -> ModuleOp:
    """Return a pooling whose windows are split: the offset of an input tile does not determine the sums it adds to."""
    taps, stretch = draw.choice([(2, 1), (3, 1), (4, 1), (4, 2), (6, 3)])
    n, pad, stride = draw.randint(1, 4), draw.randint(0, 2), draw.randint(1, 2)
    size = draw.randint(taps, taps + 6)
    places = (size + 2 * pad - taps) // stride + 1
    (tn, cn), (to, co) = _cut(draw, n), _cut(draw, places, least=2)
    near = NearAddresses()
    grid = _Grid([cn, co, taps // stretch], near, draw, name="i")
    begin = f"d1 * {to * stride} + d2 * {stretch} - {pad}"
    grid.tile("tx", "%x", [n, 1, size], [tn, 1, (to - 1) * stride + stretch], [f"d0 * {tn}", "0", begin])
    grid.tile("to", "%o", [n, 1, places], [tn, 1, to], [f"d0 * {tn}", "0", f"d1 * {to}"], is_output=True)
    grid.own("sum", [tn, 1, to], "i32")
    zero = "%zero = arith.constant 0 : i32\n"
    body = (
        f"{zero}hier.first %i2 {{{{ linalg.fill ins(%zero : i32) outs(%sum : {{sum}}) }}}}\n"
        f"{_window(stretch, 0, stride, '%tx : {tx}', '%sum : {sum}')}\n"
        f"hier.last %i2 {{{{\n{_narrowed('%sum : {sum}', '%to : {to}')}\n}}}}"
    )
    x, o, s = memref([n, 1, size], "i8"), memref([n, 1, places], "i8"), memref([n, 1, places], "i32")
    whole = f"{zero}%s = memref.alloc() : {s}\nlinalg.fill ins(%zero : i32) outs(%s : {s})\n"
    whole += f"{_window(taps, pad, stride, f'%x : {x}', f'%s : {s}')}\n{_narrowed(f'%s : {s}', f'%o : {o}')}".format()
    return _program([("x", x), ("o", o)], grid.text(body), whole)


def _window(taps: int, pad: int, stride: int, x: str, total: str) -> str:
    return (
        f"nn.pool ins({x}) outs({total}) {{{{strides = array<i64: {stride}>, dilations = array<i64: 1>, "
        f'pads = array<i64: {pad}, {pad}>, window = array<i64: {taps}>, kind = "sum", accumulator = i32, accumulate}}}}'
    )


def _narrowed(total: str, out: str) -> str:
    same = "affine_map<(d0, d1, d2) -> (d0, d1, d2)>"
    return (
        f"linalg.generic {{{{indexing_maps = [{same}, {same}], "
        'iterator_types = ["parallel", "parallel", "parallel"]}} '
        f"ins({total}) outs({out}) {{{{\n^bb1(%y: i32, %z: i8):\n"
        "  %n = arith.trunci %y : i32 to i8\n  linalg.yield %n : i8\n}}"
    )


def fused(draw: random.Random) -> ModuleOp:
    """Return two convolutions along rows in one grid, what is between them in scratch, part of it computed again."""
    channels, middle, features, width = (draw.randint(1, 4) for _ in range(4))
    first, second = (draw.randint(1, 3), draw.randint(1, 2)), (draw.randint(1, 3), draw.randint(1, 2))
    rows = draw.randint(3, 8)
    tile, count = _cut(draw, rows, least=2)
    pad = draw.randint(0, first[0] - 1)
    lines = (rows - 1) * second[1] + second[0]
    height = (lines - 1) * first[1] + first[0] - 2 * pad
    if height < 1:
        return fused(draw)
    mid = (tile - 1) * second[1] + second[0]
    window = (mid - 1) * first[1] + first[0]
    grid = _Grid([count], NearAddresses(), draw, name="i")
    step = tile * second[1]
    grid.tile(
        "tx",
        "%x",
        [1, channels, height, width],
        [1, channels, window, width],
        ["0", "0", f"d0 * {step * first[1]} - {pad}", "0"],
    )
    grid.tile("tw", "%w", [middle, channels, first[0], 1], [middle, channels, first[0], 1], ["0"] * 4)
    grid.tile("tv", "%v", [features, middle, second[0], 1], [features, middle, second[0], 1], ["0"] * 4, "i8")
    grid.tile(
        "ty",
        "%o",
        [1, features, rows, width],
        [1, features, tile, width],
        ["0", "0", f"d0 * {tile}", "0"],
        "i32",
        is_output=True,
    )
    grid.own("mid", [1, middle, mid, width], "i8")

    def conv(ins: str, kinds: Sequence[str], out: str, result: str, stride: int, pads: int, total: str) -> str:
        rest = f"dilations = array<i64: 1, 1>, pads = array<i64: {pads}, 0, {pads}, 0>, groups = 1 : i64"
        return (
            f"nn.conv ins({ins} : {kinds[0]}, {kinds[1]}) outs({out} : {result}) "
            f"{{{{strides = array<i64: {stride}, 1>, {rest}, accumulator = {total}, wraps}}}}\n"
        )

    body = conv("%tx, %tw", ["{tx}", "{tw}"], "%mid", "{mid}", first[1], 0, "i8")
    body += conv("%mid, %tv", ["{mid}", "{tv}"], "%ty", "{ty}", second[1], 0, "i32")
    x, w = memref([1, channels, height, width], "i8"), memref([middle, channels, first[0], 1], "i8")
    v, y = memref([features, middle, second[0], 1], "i8"), memref([1, features, rows, width], "i32")
    t = memref([1, middle, lines, width], "i8")
    whole = f"%t = memref.alloc() : {t}\n" + conv("%x, %w", [x, w], "%t", t, first[1], pad, "i8").format()
    whole += conv("%t, %v", [t, v], "%o", y, second[1], 0, "i32").format()
    return _program([("x", x), ("w", w), ("v", v), ("o", y)], grid.text(body), whole)


def resident(draw: random.Random) -> ModuleOp:
    """Return two grids with a buffer between them that stays in the near level, which they use in place."""
    tile, count = draw.randint(1, 3), draw.randint(2, 4)
    m, n, k = tile * count, draw.randint(2, 6), draw.randint(2, 6)
    near = NearAddresses()
    kind = memref([m, n], "i8", "L1")
    address = near.take([m, n], "i8")
    start = near.end
    first = _Grid([count], near, draw, name="i")
    place = [f"d0 * {tile}", "0"]
    first.tile("ta", "%a", [m, n], [tile, n], place)
    first.tile("tb", "%b", [m, n], [tile, n], place)
    first.tile("tt", "%t", [m, n], [tile, n], place, is_output=True, is_view=True, space="L1")
    near.end = start
    rows, steps = (tile, count) if draw.random() < 0.5 else (1, m)
    second = _Grid([steps], near, draw, name="j")
    second.tile("ts", "%t", [m, n], [rows, n], [f"d0 * {rows}", "0"], is_view=True, space="L1")
    second.tile("tw", "%w", [n, k], [n, k], ["0", "0"])
    second.tile("to", "%o", [m, k], [rows, k], [f"d0 * {rows}", "0"], "i32", is_output=True)
    product = "nn.matmul ins({}, {} : {}, {}) outs({} : {}) {{{{accumulator = i32}}}}"
    a, w, o = memref([m, n], "i8"), memref([n, k], "i8"), memref([m, k], "i32")
    body = f"%t = memref.alloc() {{hier.address = {address} : i64}} : {kind}\n"
    body += first.text(_pointwise("%ta", "%tb", "%tt", [first.types[v] for v in ("ta", "tb", "tt")])) + "\n"
    body += second.text(product.format("%ts", "%tw", "{ts}", "{tw}", "%to", "{to}"))
    whole = f"%t = memref.alloc() : {kind}\n" + _pointwise("%a", "%b", "%t", [a, a, kind]).format() + "\n"
    whole += product.format("%t", "%w", kind, w, "%o", o).format()
    return _program([("a", a), ("b", a), ("w", w), ("o", o)], body, whole)


def nested(draw: random.Random) -> ModuleOp:
    """Return a product of matrices in tiles of tiles: rows and reduction cut around, columns and it again within."""
    tm, tk, n = draw.randint(1, 4), draw.randint(2, 6), draw.randint(2, 6)
    cm, ck = draw.randint(1, 3), draw.randint(1, 3)
    m, k = (t * c - (draw.randint(0, t - 1) if c > 1 else 0) for t, c in ((tm, cm), (tk, ck)))
    far, near = NearAddresses(), NearAddresses()
    outer = _Grid([cm, ck], far, draw, "L2", "i")
    outer.tile("ua", "%a", [m, k], [tm, tk], [f"d0 * {tm}", f"d1 * {tk}"])
    outer.tile("ub", "%b", [k, n], [tk, n], [f"d1 * {tk}", "0"])
    outer.tile("uc", "%o", [m, n], [tm, n], [f"d0 * {tm}", "0"], "i32", is_output=True)
    (tn, cn), (sk, nk) = _cut(draw, n), _cut(draw, tk)
    inner = _Grid([cn, nk], near, draw, "L1", "j")
    inner.tile("ta", "%ua", [tm, tk], [tm, sk], ["0", f"d1 * {sk}"], space="L2")
    inner.tile("tb", "%ub", [tk, n], [sk, tn], [f"d1 * {sk}", f"d0 * {tn}"], space="L2")
    product = "nn.matmul ins(%ta, %tb : {ta}, {tb}) outs(%tc : {tc}) {{accumulator = i32, accumulate}}"
    begin = "%zero = arith.constant 0 : i32\n"
    fill = "linalg.fill ins(%zero : i32) outs(%{0} : {{{0}}})"
    if draw.random() < 0.5 and n % tn == 0:
        inner.tile("tc", "%uc", [tm, n], [tm, tn], ["0", f"d0 * {tn}"], "i32", is_output=True, is_view=True, space="L2")
        begin += f"hier.first %i1 {{{{ {fill.format('uc')} }}}}\n"
        body = begin.format(**outer.types) + inner.text(product)
    else:
        inner.tile("ts", "%uc", [tm, n], [tm, tn], ["0", f"d0 * {tn}"], "i32", space="L2")
        inner.tile("tc", "%uc", [tm, n], [tm, tn], ["0", f"d0 * {tn}"], "i32", is_output=True, space="L2")
        copy = 'hier.first %j1 {{ "memref.copy"(%ts, %tc) : ({ts}, {tc}) -> () }}\n'
        begin += f"hier.first %i1 {{{{ {fill.format('uc')} }}}}\n"
        body = begin.format(**outer.types) + inner.text(copy + product)
    a, b, c = memref([m, k], "i8"), memref([k, n], "i8"), memref([m, n], "i32")
    whole = f"%zero = arith.constant 0 : i32\nlinalg.fill ins(%zero : i32) outs(%o : {c})\n"
    whole += f"nn.matmul ins(%a, %b : {a}, {b}) outs(%o : {c}) {{accumulator = i32, accumulate}}\n"
    text = outer.text(body.replace("{", "{{").replace("}", "}}"))
    return _program([("a", a), ("b", b), ("o", c)], text, whole)


PROGRAMS = (reduction, reduction, pooling, windows, fused, resident, nested)


def tiled_program(draw: random.Random) -> ModuleOp:
    """Return a program of one of these kinds."""
    return draw.choice(PROGRAMS)(draw)


def expanded_tiled_program(draw: random.Random) -> ModuleOp:
    """Return such a program with its transfers explicit."""
    return explicit(tiled_program(draw), draw)
