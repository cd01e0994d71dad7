"""Chunks of `index`, and of `math` and `affine` where random programs lack them."""

from __future__ import annotations

from .chunk import Chunk, Named, template

_BINARY = ("add", "sub", "mul", "and", "or", "xor", "maxs", "maxu", "mins", "minu")
_DIVISIONS = ("divs", "divu", "ceildivs", "ceildivu", "floordivs", "rems", "remu")
_FUNCTIONS = tuple("acos acosh asin asinh atan atanh cbrt cos exp expm1 log10 log1p log2 sin sinh tan tanh".split())
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


@template()
def index_arithmetic(b: Chunk) -> None:
    left, right = b.scalar("index", (-9, 9)), b.scalar("index", (-9, 9))
    divisor, amount = b.scalar("index", (1, 7)), b.scalar("index", (0, 7))
    value = left
    for name in b.draw.sample(_BINARY, len(_BINARY)):
        value = b.op(f"index.{name} {value.name}, {right.name}", "index")
        b.result(value)
    for name in b.draw.sample(_DIVISIONS, len(_DIVISIONS)):
        b.result(b.op(f"index.{name} {b.draw.choice((left, value)).name}, {divisor.name}", "index"))
    for name in ("shl", "shrs", "shru"):
        b.result(b.op(f"index.{name} {left.name}, {amount.name}", "index"))


@template()
def index_comparisons(b: Chunk) -> None:
    left, right = b.scalar("index", (-2, 2)), b.scalar("index", (-2, 2))
    for predicate in _PREDICATES:
        b.result(b.op(f"index.cmp {predicate}({left.name}, {right.name})", "i1"))


@template()
def index_casts(b: Chunk) -> None:
    kind = b.draw.choice(("i8", "i16", "i32"))
    number, position = b.scalar(kind), b.scalar("index", (-9, 9))
    for name in ("casts", "castu"):
        wide = b.op(f"index.{name} {number.name} : {kind} to index", "index")
        b.result(wide)
        b.result(b.op(f"index.{name} {wide.name} : index to {kind}", kind))
        b.result(b.op(f"index.{name} {position.name} : index to i64", "i64"))
    b.result(b.op(f"index.constant {b.draw.randint(-99, 99)}", "index"))
    b.result(b.op(f"index.bool.constant {b.draw.choice(('true', 'false'))}", "i1"))
    b.result(b.op("index.sizeof", "index"))


@template()
def approximated(b: Chunk) -> None:
    b.traits.add("libm")
    kind = "f32"
    value = b.scalar(kind)
    for name in _FUNCTIONS:
        b.result(b.op(f"math.{name} {value.name} : {kind}", kind))
    b.result(b.op(f"math.atan2 {value.name}, {b.scalar(kind).name} : {kind}", kind))
    exponent = b.op(f"arith.constant {b.draw.randint(-3, 4)} : i32", "i32")
    b.result(b.op(f"math.fpowi {b.scalar(kind).name}, {exponent.name} : {kind}, i32", kind))


@template()
def affine_bounds(b: Chunk) -> None:
    x, y = b.scalar("index", (-9, 9)), b.scalar("index", (0, 7))
    for name in ("max", "min"):
        numbers = [b.draw.randint(-5, 5) for _ in range(3)]
        results = f"(d0 + {numbers[0]}, d1 * 2 - s0 floordiv 2, {numbers[1]}, (d0 - d1) mod 3)"
        text = f"affine.{name} affine_map<(d0, d1)[s0] -> {results}>({x.name}, {y.name})[{y.name}]"
        b.result(b.op(text, "index"))
    first, second, third = b.draw.randint(1, 4), b.draw.randint(1, 4), b.draw.randint(1, 5)
    whole = b.scalar("index", (0, first * second * third - 1))
    sizes = ", ".join(b.index(number).name for number in (first, second, third))
    parts = [b.name() for _ in range(3)]
    b.line(f"{', '.join(parts)} = affine.delinearize_index {whole.name} into ({sizes}) : index, index, index")
    for part in parts:
        b.result(Named(part, "index"))


@template()
def affine_nest(b: Chunk) -> None:
    kind, (rows, columns) = b.number(), b.shape(2, 4)
    source, target = b.array((rows, columns), kind), b.output((rows, columns), kind)
    i, j, value = b.name(), b.name(), b.name()
    step = b.draw.choice((1, 1, 2))
    b.line(f"memref.copy {source.name}, {target.name} : {source.type} to {target.type}")
    b.line(f"affine.parallel ({i}, {j}) = (0, 0) to ({rows}, {columns}) step (1, {step}) {{")
    b.line(f"  {value} = affine.load {source.name}[({rows - 1} - {i}) mod {rows}, {j}] : {source.type}")
    b.line(f"  affine.store {value}, {target.name}[{i}, {j}] : {target.type}")
    b.line("}")
    lanes, vector, k = b.draw.randint(1, columns), b.name(), b.name()
    copy = b.output((rows, columns), kind)
    b.line(f"memref.copy {source.name}, {copy.name} : {source.type} to {copy.type}")
    b.line(f"affine.for {k} = 0 to {rows} {{")
    b.line(f"  {vector} = affine.vector_load {source.name}[{k}, 0] : {source.type}, vector<{lanes}x{kind}>")
    b.line(f"  affine.vector_store {vector}, {copy.name}[{rows - 1} - {k}, {columns - lanes}]")
    b.lines[-1] += f" : {copy.type}, vector<{lanes}x{kind}>"
    b.line("}")


@template()
def affine_reduction(b: Chunk) -> None:
    kind, (rows, columns) = b.number(floats=False), b.shape(2, 4)
    source = b.array((rows, columns), kind)
    chosen = b.draw.sample(("addi", "muli", "ori", "andi"), 2)
    i, j, value = b.name(), b.name(), b.name()
    sums = [b.name() for _ in chosen]
    kinds = ", ".join(f'"{name}"' for name in chosen)
    heads = f"({i}, {j}) = (0, 0) to ({rows}, {columns}) reduce ({kinds}) -> ({kind}, {kind})"
    b.line(f"{', '.join(sums)} = affine.parallel {heads} {{")
    b.line(f"  {value} = affine.load {source.name}[{i}, {j}] : {source.type}")
    b.line(f"  affine.yield {value}, {value} : {kind}, {kind}")
    b.line("}")
    for name in sums:
        b.result(Named(name, kind))


@template()
def affine_condition(b: Chunk) -> None:
    kind, (low, high) = b.number(), sorted(b.shape(2, 7))
    x, y = b.scalar("index", (0, 7)), b.scalar("index", (0, 7))
    left, right, result = b.scalar(kind), b.scalar(kind), b.name()
    tests = f"d0 - {low} >= 0, {high} - d1 - s0 >= 0, (d0 + d1) mod 2 == {b.draw.randrange(2)}"
    text = f"affine.if affine_set<(d0, d1)[s0] : ({tests})>({x.name}, {y.name})[{x.name}] -> {kind}"
    b.line(f"{result} = {text} {{")
    b.line(f"  affine.yield {left.name} : {kind}")
    b.line("} else {")
    b.line(f"  affine.yield {right.name} : {kind}")
    b.line("}")
    b.result(Named(result, kind))
