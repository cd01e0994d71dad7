"""Scalar statements: arith and math on integers, indices and floats, without undefined behaviour."""

from __future__ import annotations

from .builder import INDEX_LIMIT, Draft, NoChoice, statement
from .types import FLOATS, WIDTHS, TypedValue

WRAPPING = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui")
DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
INTEGER_TESTS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_TESTS = (
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
)
FLOAT_BINARY = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf")
EXACT_FLOAT = ("absf", "ceil", "floor", "trunc", "round", "roundeven", "sqrt")
LIBM = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "rsqrt",
    "sin",
    "sinh",
    "tan",
    "tanh",
)
LIBM_BINARY = ("atan2", "powf")
COUNTS = ("ctlz", "cttz", "ctpop", "absi")


@statement("arith", 6)
def wrapping(b: Draft) -> None:
    """Add an operator without undefined results."""
    type = b.integer_type()
    left, right = b.scalar(type), b.scalar(type)
    b.op(f"arith.{b.draw.choice(WRAPPING)} {left.name}, {right.name} : {type}", type)


@statement("arith", 2)
def division(b: Draft) -> None:
    """Add a division, whose divisor is neither 0 nor -1."""
    type = b.integer_type()
    if (width := WIDTHS[type]) < 4:
        raise NoChoice
    name = b.scalar(type).name
    choice = b.draw.random()
    if choice < 0.4:
        divisors = [
            number
            for number in (1, 2, 3, 4, 5, 7, -2, -3, -4, -7, 64, -128, 2**31 - 1, -(2**31))
            if -(2 ** (width - 1)) <= number < 2 ** (width - 1)
        ]
        divisor = b.constant(type, str(b.draw.choice(divisors)))
    else:
        mask = b.constant(type, str(b.draw.choice([number for number in (3, 7, 63) if number < 2 ** (width - 1)])))
        low = b.op(f"arith.andi {b.scalar(type).name}, {mask.name} : {type}", type)
        divisor = b.op(f"arith.ori {low.name}, {b.constant(type, '1').name} : {type}", type)
    b.op(f"arith.{b.draw.choice(DIVISIONS)} {name}, {divisor.name} : {type}", type)


@statement("arith", 2)
def shift(b: Draft) -> None:
    """Add a shift by less than the width."""
    type = b.integer_type()
    if (width := WIDTHS[type]) < 4:
        raise NoChoice
    if b.draw.random() < 0.5:
        amount = b.constant(type, str(b.draw.choice([0, 1, width // 2, width - 1])))
    else:
        amount = b.op(
            f"arith.andi {b.scalar(type).name}, {b.constant(type, str(width - 1)).name} : {type}",
            type,
        )
    b.op(f"arith.{b.draw.choice(SHIFTS)} {b.scalar(type).name}, {amount.name} : {type}", type)


@statement("arith", 0.7)
def extended(b: Draft) -> None:
    """Add an operator whose result has twice the width."""
    type = b.scalar_type(("i8", "i16", "i32", "i64"))
    left, right = b.scalar(type).name, b.scalar(type).name
    low, high = b.name(), b.name()
    kind = b.draw.choice(("addui_extended", "mulsi_extended", "mului_extended"))
    second = "i1" if kind == "addui_extended" else type
    types = f"{type}, i1" if kind == "addui_extended" else type
    b.line(f"{low}, {high} = arith.{kind} {left}, {right} : {types}")
    b.define(TypedValue(low, type))
    b.define(TypedValue(high, second))


@statement("arith", 2)
def integer_test(b: Draft) -> None:
    """Add a comparison of integers."""
    type = b.integer_type()
    left, right = b.scalar(type), b.scalar(type)
    b.op(f"arith.cmpi {b.draw.choice(INTEGER_TESTS)}, {left.name}, {right.name} : {type}", "i1")


@statement("arith", 2)
def select(b: Draft) -> None:
    """Add a selection."""
    type = b.scalar_type()
    test, left, right = b.scalar("i1"), b.scalar(type), b.scalar(type)
    b.op(f"arith.select {test.name}, {left.name}, {right.name} : {type}", type)


@statement("arith", 2.5)
def resize(b: Draft) -> None:
    """Add a conversion between widths of integers."""
    source, target = b.integer_type(), b.integer_type()
    if WIDTHS[source] == WIDTHS[target]:
        raise NoChoice
    kind = b.draw.choice(("extsi", "extui")) if WIDTHS[source] < WIDTHS[target] else "trunci"
    b.op(f"arith.{kind} {b.scalar(source).name} : {source} to {target}", target)


@statement("arith", 0.8)
def without_overflow(b: Draft) -> None:
    """Add an operator that states that it does not overflow, on extended operands."""
    narrow = b.scalar_type(("i8", "i16", "i32"))
    wide = {"i8": "i32", "i16": "i64", "i32": "i64"}[narrow]
    left, right = (b.op(f"arith.extsi {b.scalar(narrow).name} : {narrow} to {wide}", wide) for _ in range(2))
    kind = b.draw.choice(("addi", "subi", "muli"))
    b.op(f"arith.{kind} {left.name}, {right.name} overflow<nsw> : {wide}", wide)


@statement("arith", 1)
def counts(b: Draft) -> None:
    """Add a function of an integer's bits."""
    type = b.integer_type()
    if WIDTHS[type] < 4:
        raise NoChoice
    kinds = ("absi",) if b.portable else COUNTS
    b.op(f"math.{b.draw.choice(kinds)} {b.scalar(type).name} : {type}", type)


@statement("arith", 3)
def index_arithmetic(b: Draft) -> None:
    """Add an operator on indices, whose result is bounded."""
    left, right = b.index(), b.index()
    kind = b.draw.choice(("addi", "subi", "muli", "minsi", "maxsi"))
    corners = [_index_result(kind, x, y) for x in left.bounds for y in right.bounds]
    low, high = min(corners), max(corners)
    if low < -INDEX_LIMIT or high > INDEX_LIMIT:
        raise NoChoice
    b.op(f"arith.{kind} {left.name}, {right.name} : index", "index", (low, high))


def _index_result(kind: str, left: int, right: int) -> int:
    match kind:
        case "addi":
            return left + right
        case "subi":
            return left - right
        case "muli":
            return left * right
        case "minsi":
            return min(left, right)
        case _:
            return max(left, right)


@statement("arith", 1)
def index_division(b: Draft) -> None:
    """Add a division of an index by a constant."""
    value, divisor = b.index(), b.draw.choice((1, 2, 3, 5, 8))
    kind = b.draw.choice(("divsi", "floordivsi", "ceildivsi", "remsi", "remui", "divui", "ceildivui", "andi"))
    low, high = value.bounds
    if low < 0 and kind in ("remui", "divui", "ceildivui"):
        raise NoChoice
    far = max(abs(low), abs(high))
    bounds = {"remsi": (1 - divisor, divisor - 1), "remui": (0, divisor - 1), "andi": (0, divisor)}.get(
        kind, (-far, far)
    )
    b.op(f"arith.{kind} {value.name}, {b.index_constant(divisor).name} : index", "index", bounds)


@statement("arith", 1.5)
def index_cast(b: Draft) -> None:
    """Add a conversion between an index and an integer; a wide integer is masked first."""
    type, cast = b.scalar_type(("i8", "i16", "i32", "i64")), b.draw.choice(("index_cast", "index_castui"))
    if b.draw.random() < 0.5:
        b.op(f"arith.{cast} {b.index().name} : index to {type}", type)
        return
    mask = b.draw.choice((1, 7, 63))
    low = b.op(f"arith.andi {b.scalar(type).name}, {b.constant(type, str(mask)).name} : {type}", type)
    b.op(f"arith.{cast} {low.name} : {type} to index", "index", (0, mask))


@statement("arith", 1)
def index_test(b: Draft) -> None:
    """Add a comparison of indices."""
    b.op(f"arith.cmpi {b.draw.choice(INTEGER_TESTS)}, {b.index().name}, {b.index().name} : index", "i1")


@statement("floats", 5)
def float_operator(b: Draft) -> None:
    """Add an operator on floats."""
    type = b.float_type()
    left, right = b.scalar(type), b.scalar(type)
    b.op(f"arith.{b.draw.choice(FLOAT_BINARY)} {left.name}, {right.name} : {type}", type)


@statement("floats", 0.6)
def float_extremum(b: Draft) -> None:
    """Add an extremum that ignores NaN; of magnitudes, as the sign of a zero is open."""
    type = b.float_type()
    left, right = (b.op(f"math.absf {b.scalar(type).name} : {type}", type) for _ in range(2))
    b.op(f"arith.{b.draw.choice(('maxnumf', 'minnumf'))} {left.name}, {right.name} : {type}", type)


@statement("floats", 1)
def negation(b: Draft) -> None:
    """Add a negation."""
    type = b.float_type()
    b.op(f"arith.negf {b.scalar(type).name} : {type}", type)


@statement("floats", 0.5)
def remainder(b: Draft) -> None:
    """Add a remainder of floats."""
    type = b.scalar_type(("f32", "f64"))
    b.op(f"arith.remf {b.scalar(type).name}, {b.scalar(type).name} : {type}", type)


@statement("floats", 2)
def float_test(b: Draft) -> None:
    """Add a comparison of floats."""
    type = b.float_type()
    left, right = b.scalar(type), b.scalar(type)
    b.op(f"arith.cmpf {b.draw.choice(FLOAT_TESTS)}, {left.name}, {right.name} : {type}", "i1")


def number(b: Draft, type: str) -> TypedValue:
    """Return a float that is not NaN, whose sign and bits would be open."""
    value = b.scalar(type)
    test = b.op(f"arith.cmpf ord, {value.name}, {value.name} : {type}", "i1")
    return b.op(f"arith.select {test.name}, {value.name}, {b.constant(type, '1.0').name} : {type}", type)


@statement("floats", 1)
def resize_float(b: Draft) -> None:
    """Add a conversion between types of floats."""
    source, target = b.float_type(), b.float_type()
    widths = {type: sum(parts) for type, parts in FLOATS.items()}
    if source == target or {source, target} == {"f16", "bf16"}:
        raise NoChoice
    kind = "extf" if widths[source] < widths[target] else "truncf"
    b.op(f"arith.{kind} {b.scalar(source).name} : {source} to {target}", target)


@statement("floats", 1)
def from_integer(b: Draft) -> None:
    """Add a conversion of an integer to a float; to one of 16 bits of bytes alone, which are exact."""
    target = b.float_type()
    source = b.scalar_type(("i8", "i16", "i32", "i64") if target in ("f32", "f64") else ("i8",))
    b.op(f"arith.{b.draw.choice(('sitofp', 'uitofp'))} {b.scalar(source).name} : {source} to {target}", target)


@statement("floats", 1)
def to_integer(b: Draft) -> None:
    """Add a conversion of a float to an integer that contains it."""
    source = b.float_type()
    kind = b.draw.choice(("fptosi", "fptoui"))
    target = b.scalar_type(("i8", "i16", "i32", "i64"))
    # Every type of floats has these numbers, and every type of integers contains them.
    low, high = ("-128.0", "127.0") if kind == "fptosi" else ("0.0", "248.0")
    value = number(b, source)
    above = b.op(f"arith.maximumf {value.name}, {b.constant(source, low).name} : {source}", source)
    inside = b.op(f"arith.minimumf {above.name}, {b.constant(source, high).name} : {source}", source)
    b.op(f"arith.{kind} {inside.name} : {source} to {target}", target)


@statement("floats", 0.7)
def bitcast(b: Draft) -> None:
    """Add a reinterpretation of bits."""
    pairs = [
        pair
        for pair in (("f32", "i32"), ("f64", "i64"), ("f16", "i16"), ("bf16", "i16"))
        if {*pair} <= {*b.profile.types}
    ]
    if not pairs:
        raise NoChoice
    real, whole = b.draw.choice(pairs)
    if b.draw.random() < 0.5:
        b.op(f"arith.bitcast {number(b, real).name} : {real} to {whole}", whole)
    else:
        b.op(f"arith.bitcast {b.scalar(whole).name} : {whole} to {real}", real)


@statement("math", 3)
def exact_function(b: Draft) -> None:
    """Add a function of a float whose result is exact or correctly rounded."""
    type = b.float_type()
    kind = b.draw.choice(EXACT_FLOAT)
    # Where C has elementary functions of its own, its square root of f64 is not rounded correctly.
    kind = "absf" if (kind, type) == ("sqrt", "f64") and "libm" in b.profile.weights else kind
    b.op(f"math.{kind} {b.scalar(type).name} : {type}", type)


@statement("math", 1)
def copysign(b: Draft) -> None:
    """Add a copy of a sign."""
    type = b.float_type()
    b.op(f"math.copysign {b.scalar(type).name}, {number(b, type).name} : {type}", type)


@statement("math", 1)
def fused_product(b: Draft) -> None:
    """Add a product and sum that are rounded once."""
    # Where C has elementary functions of its own, its fma of f64 is rounded twice.
    type = b.scalar_type(("f32",) if "libm" in b.profile.weights else ("f32", "f64"))
    operands = ", ".join(b.scalar(type).name for _ in range(3))
    b.op(f"math.fma {operands} : {type}", type)


@statement("math", 0.7)
def integer_power(b: Draft) -> None:
    """Add a power with a small exponent."""
    type = b.scalar_type(("i8", "i16", "i32", "i64"))
    small = b.op(f"arith.andi {b.scalar(type).name}, {b.constant(type, '7').name} : {type}", type)
    b.op(f"math.ipowi {b.scalar(type).name}, {small.name} : {type}", type)


@statement("libm", 3)
def elementary(b: Draft) -> None:
    """Add a function that a library approximates; of f32, as those of f64 differ by some units in the last place."""
    type = b.scalar_type(("f32",))
    b.traits.add("libm")
    b.op(f"math.{b.draw.choice(LIBM)} {b.scalar(type).name} : {type}", type)


@statement("libm", 1)
def elementary_pair(b: Draft) -> None:
    """Add a function of two floats that a library approximates."""
    type = b.scalar_type(("f32",))
    b.traits.add("libm")
    b.op(f"math.{b.draw.choice(LIBM_BINARY)} {b.scalar(type).name}, {b.scalar(type).name} : {type}", type)
