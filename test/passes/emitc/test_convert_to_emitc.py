"""Scalar arithmetic in the emitted C, compared with Python's unbounded integers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.test.passes.scalar_c import UBSAN, build, c_of, call, elementwise, one

pytestmark = pytest.mark.quick

WIDTHS = (8, 16, 32, 64)


def wrap(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def samples(width: int, count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    low, high = -(1 << width - 1), (1 << width - 1) - 1
    edges = [low, low + 1, -2, -1, 0, 1, 2, high - 1, high]
    return edges + [rng.randint(low, high) >> rng.choice((0, 0, width // 2, width - 4)) for _ in range(count)]


def pairs(width: int) -> tuple[list[int], list[int]]:
    values = samples(width, 12, width)
    return [a for a in values for _ in values], [b for _ in values for b in values]


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# name -> (a, b, width) -> exact result; what is undefined in MLIR is filtered by `defined`
Reference = Callable[[int, int, int], int]
BINARY: dict[str, Reference] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "divsi": lambda a, b, w: truncated(a, b),
    "remsi": lambda a, b, w: a - truncated(a, b) * b,
    "divui": lambda a, b, w: unsigned(a, w) // unsigned(b, w),
    "remui": lambda a, b, w: unsigned(a, w) % unsigned(b, w),
    "ceildivsi": lambda a, b, w: -(-a // b),
    "floordivsi": lambda a, b, w: a // b,
    "ceildivui": lambda a, b, w: -(-unsigned(a, w) // unsigned(b, w)),
    "minsi": lambda a, b, w: min(a, b),
    "maxsi": lambda a, b, w: max(a, b),
    "minui": lambda a, b, w: min(unsigned(a, w), unsigned(b, w)),
    "maxui": lambda a, b, w: max(unsigned(a, w), unsigned(b, w)),
    "shli": lambda a, b, w: a << b,
    "shrsi": lambda a, b, w: a >> b,
    "shrui": lambda a, b, w: unsigned(a, w) >> b,
}
COMPARISONS: dict[str, Reference] = {
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "slt": lambda a, b, w: a < b,
    "sle": lambda a, b, w: a <= b,
    "sgt": lambda a, b, w: a > b,
    "sge": lambda a, b, w: a >= b,
    "ult": lambda a, b, w: unsigned(a, w) < unsigned(b, w),
    "ule": lambda a, b, w: unsigned(a, w) <= unsigned(b, w),
    "ugt": lambda a, b, w: unsigned(a, w) > unsigned(b, w),
    "uge": lambda a, b, w: unsigned(a, w) >= unsigned(b, w),
}


def defined(name: str, a: int, b: int, width: int) -> bool:
    if name.startswith("sh"):
        return 0 <= b < width
    if "div" in name or "rem" in name:
        return b != 0 and not (name.endswith("si") and b == -1 and a == -(1 << width - 1))
    return True


def operands_of(name: str, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return operands on which the op is defined; undefined pairs become (a, 1)."""
    left, right = pairs(width)
    if name.startswith("sh"):
        right = [abs(b) % width for b in right]
    right = [b if defined(name, a, b, width) else 1 for a, b in zip(left, right, strict=True)]
    return np.array(left, f"int{width}"), np.array(right, f"int{width}")


@pytest.fixture(scope="module")
def integer_library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    text: list[str] = []
    for width in WIDTHS:
        kind, count = f"i{width}", len(pairs(width)[0])
        for name in BINARY:
            text.append(elementwise(f"{name}{width}", [kind] * 2, kind, f"%r = arith.{name} %x0, %x1 : {kind}", count))
        for name in COMPARISONS:
            body = f"%r = arith.cmpi {name}, %x0, %x1 : {kind}"
            text.append(elementwise(f"cmpi_{name}{width}", [kind] * 2, "i1", body, count))
    return build("\n".join(text), tmp_path_factory.mktemp("integers"), *UBSAN)


@pytest.mark.sample(40)
@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_integer_op_wraps_as_mlir_says(integer_library: Any, name: str, width: int) -> None:
    a, b = operands_of(name, width)
    expected = [wrap(BINARY[name](x, y, width), width) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert call(integer_library, f"{name}{width}", [a, b], f"i{width}").tolist() == expected


@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_integer_comparison(integer_library: Any, name: str, width: int) -> None:
    a, b = operands_of(name, width)
    expected = [COMPARISONS[name](x, y, width) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert call(integer_library, f"cmpi_{name}{width}", [a, b], "i1").tolist() == expected


@pytest.mark.parametrize(
    ("name", "zero_first", "expected"),
    [
        ("uge", False, [True, True]),
        ("ult", False, [False, False]),
        ("ule", True, [True, True]),
        ("ugt", True, [False, False]),
        ("ugt", False, [True, False]),
    ],
)
def test_unsigned_comparison_with_zero(tmp_path: Path, name: str, zero_first: bool, expected: list[bool]) -> None:
    operands = "%z, %x0" if zero_first else "%x0, %z"
    body = f"%z = arith.constant 0 : i32 %r = arith.cmpi {name}, {operands} : i32"
    assert one(tmp_path, [np.array([-1, 0], np.int32)], ["i32"], "i1", body).tolist() == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("eq", True), ("ne", False), ("sle", True), ("sgt", False), ("uge", True)]
)
def test_comparison_of_a_value_with_itself(tmp_path: Path, name: str, expected: bool) -> None:
    body = f"%r = arith.cmpi {name}, %x0, %x0 : i8"
    assert one(tmp_path, [np.array([3], np.int8)], ["i8"], "i1", body).tolist() == [expected]


CONVERSIONS = [
    *((f"extsi{a}_{b}", f"arith.extsi %x0 : i{a} to i{b}", a, b, False) for a in WIDTHS for b in WIDTHS if a < b),
    *((f"extui{a}_{b}", f"arith.extui %x0 : i{a} to i{b}", a, b, True) for a in WIDTHS for b in WIDTHS if a < b),
    *(
        (f"trunci{a}_{b}", f"arith.trunci %x0 : i{a} to i{b}", a, b, False)
        for a in WIDTHS
        for b in (1, *WIDTHS)
        if a > b
    ),
]


@pytest.fixture(scope="module")
def conversion_library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    text = [
        elementwise(name, [f"i{source}"], f"i{target}", f"%r = {body}", len(samples(source, 40, 1)))
        for name, body, source, target, _ in CONVERSIONS
    ]
    return build("\n".join(text), tmp_path_factory.mktemp("conversions"), *UBSAN)


@pytest.mark.long
@pytest.mark.parametrize(("name", "body", "source", "target", "is_unsigned"), CONVERSIONS)
def test_integer_conversion(
    conversion_library: Any, name: str, body: str, source: int, target: int, is_unsigned: bool
) -> None:
    values = samples(source, 40, 1)
    expected = [wrap(unsigned(value, source) if is_unsigned else value, target) for value in values]
    assert call(conversion_library, name, [np.array(values, f"int{source}")], f"i{target}").tolist() == expected


BOOLEANS: dict[str, Callable[[int, int], bool]] = {
    "addi": lambda a, b: a != b,
    "subi": lambda a, b: a != b,
    "muli": lambda a, b: bool(a and b),
    "andi": lambda a, b: bool(a and b),
    "ori": lambda a, b: bool(a or b),
    "xori": lambda a, b: a != b,
    "minui": lambda a, b: bool(a and b),
    "maxui": lambda a, b: bool(a or b),
    "minsi": lambda a, b: bool(a or b),
    "maxsi": lambda a, b: bool(a and b),
    "cmpi eq,": lambda a, b: a == b,
    "cmpi slt,": lambda a, b: -a < -b,
    "cmpi sge,": lambda a, b: -a >= -b,
    "cmpi ult,": lambda a, b: a < b,
}


@pytest.mark.parametrize("name", BOOLEANS)
def test_truth_value_op(tmp_path: Path, name: str) -> None:
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    expected = [BOOLEANS[name](int(x), int(y)) for x, y in zip(a, b, strict=True)]
    assert one(tmp_path, [a, b], ["i1", "i1"], "i1", f"%r = arith.{name} %x0, %x1 : i1").tolist() == expected


def test_a_true_i1_extends_to_minus_one(tmp_path: Path) -> None:
    values = np.array([False, True])
    assert one(tmp_path, [values], ["i1"], "i32", "%r = arith.extsi %x0 : i1 to i32").tolist() == [0, -1]
    assert one(tmp_path, [values], ["i1"], "i64", "%r = arith.extui %x0 : i1 to i64").tolist() == [0, 1]
    assert one(tmp_path, [values], ["i1"], "f32", "%r = arith.sitofp %x0 : i1 to f32").tolist() == [0.0, -1.0]


def test_widened_constants(tmp_path: Path) -> None:
    zero = np.zeros(1, np.int8)
    for name, constant, source, expected in (
        ("extsi", "-3", "i8", -3),
        ("extui", "-3", "i8", 253),
        ("extsi", "true", "i1", -1),
        ("extui", "true", "i1", 1),
    ):
        typed = constant if source == "i1" else f"{constant} : {source}"
        body = f"%c = arith.constant {typed} %r = arith.{name} %c : {source} to i64"
        assert one(tmp_path, [zero], ["i8"], "i64", body).tolist() == [expected], name


def test_a_true_i1_may_make_a_sum_overflow(tmp_path: Path) -> None:
    values = np.array([False, True])
    body = "%e = arith.extsi %x0 : i1 to i32 %c = arith.constant -2147483648 : i32 %r = arith.addi %e, %c : i32"
    assert one(tmp_path, [values], ["i1"], "i32", body).tolist() == [-(1 << 31), (1 << 31) - 1]


@pytest.mark.sample(4)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["s", "u"])
def test_extended_product(tmp_path: Path, width: int, kind: str) -> None:
    left, right = pairs(width)
    a, b = np.array(left, f"int{width}"), np.array(right, f"int{width}")
    numbers = [
        (x, y) if kind == "s" else (unsigned(x, width), unsigned(y, width)) for x, y in zip(left, right, strict=True)
    ]
    high = one(
        tmp_path, [a, b], [f"i{width}"] * 2, f"i{width}", f"%l, %r = arith.mul{kind}i_extended %x0, %x1 : i{width}"
    )
    assert high.tolist() == [wrap(x * y >> width, width) for x, y in numbers]
    low = one(
        tmp_path, [a, b], [f"i{width}"] * 2, f"i{width}", f"%r, %h = arith.mul{kind}i_extended %x0, %x1 : i{width}"
    )
    assert low.tolist() == [wrap(x * y, width) for x, y in numbers]


@pytest.mark.parametrize("width", WIDTHS)
def test_carry_of_an_unsigned_sum(tmp_path: Path, width: int) -> None:
    left, right = pairs(width)
    a, b = np.array(left, f"int{width}"), np.array(right, f"int{width}")
    carry = one(tmp_path, [a, b], [f"i{width}"] * 2, "i1", f"%s, %r = arith.addui_extended %x0, %x1 : i{width}, i1")
    expected = [unsigned(x, width) + unsigned(y, width) >= 1 << width for x, y in zip(left, right, strict=True)]
    assert carry.tolist() == expected


@pytest.mark.parametrize("width", [32, 64])
def test_integer_square_root(tmp_path: Path, width: int) -> None:
    values = [value for value in samples(width, 300, 3) if value >= 0] + [
        n * n + d for n in (3, 46340) for d in (-1, 0, 1)
    ]
    root = one(tmp_path, [np.array(values, f"int{width}")], [f"i{width}"], f"i{width}", f"%r = nn.isqrt %x0 : i{width}")
    assert root.tolist() == [math.isqrt(value) for value in values]


@pytest.mark.parametrize("width", WIDTHS)
def test_absolute_value(tmp_path: Path, width: int) -> None:
    values = samples(width, 40, 4)
    result = one(
        tmp_path, [np.array(values, f"int{width}")], [f"i{width}"], f"i{width}", f"%r = math.absi %x0 : i{width}"
    )
    assert result.tolist() == [wrap(abs(value), width) for value in values]


@pytest.mark.long
def test_integer_constants_at_the_limits(tmp_path: Path) -> None:
    zero = np.zeros(1, np.int8)
    for width in WIDTHS:
        for value in (-(1 << width - 1), (1 << width - 1) - 1, -1):
            result = one(tmp_path, [zero], ["i8"], f"i{width}", f"%r = arith.constant {value} : i{width}")
            assert result.tolist() == [value]


# Whole expressions


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[str], Callable[[dict[str, int]], int], int]:
    """Draw straight-line code on %x0 : i8, %x1 : i32, %x2 : i64, its meaning, and the width of %r."""
    widths = {"%x0": 8, "%x1": 32, "%x2": 64}
    lines: list[str] = []
    steps: list[tuple[str, Callable[[dict[str, int]], int]]] = []
    for index in range(draw(st.integers(3, 18))):
        target = f"%t{index}"
        source = draw(st.sampled_from(list(widths)))
        width = widths[source]
        kind = draw(st.sampled_from(["binary", "binary", "binary", "widen", "constant", "select"]))
        if kind == "widen" and width < 64:
            wide = draw(st.sampled_from([w for w in WIDTHS if w > width]))
            lines.append(f"{target} = arith.extsi {source} : i{width} to i{wide}")
            steps.append((target, lambda env, s=source: env[s]))
            widths[target] = wide
            continue
        if kind == "constant":
            value = draw(st.integers(-(1 << width - 1), (1 << width - 1) - 1))
            lines.append(f"{target} = arith.constant {value} : i{width}")
            steps.append((target, lambda env, v=value: v))
            widths[target] = width
            continue
        other = draw(st.sampled_from([name for name, w in widths.items() if w == width]))
        if kind == "select":
            lines.append(f"%b{index} = arith.cmpi sle, {source}, {other} : i{width}")
            lines.append(f"{target} = arith.select %b{index}, {other}, {source} : i{width}")
            steps.append((target, lambda env, a=source, b=other: max(env[a], env[b])))
        else:
            name = draw(st.sampled_from(["addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxui"]))
            lines.append(f"{target} = arith.{name} {source}, {other} : i{width}")
            rule = BINARY[name]
            steps.append((target, lambda env, f=rule, a=source, b=other, w=width: wrap(f(env[a], env[b], w), w)))
        widths[target] = width
    last = steps[-1][0]
    lines.append(f"%z = arith.constant 0 : i{widths[last]} %r = arith.addi {last}, %z : i{widths[last]}")

    def run(env: dict[str, int]) -> int:
        for name, step in steps:
            env[name] = step(env)
        return env[last]

    return lines, run, widths[last]


@pytest.mark.sample(2)
@pytest.mark.long
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.lists(programs(), min_size=8, max_size=8))
def test_random_expressions(tmp_path_factory: pytest.TempPathFactory, drawn: list[Any]) -> None:
    inputs = [np.array(samples(width, 20, width), f"int{width}") for width in (8, 32, 64)]
    text = [
        elementwise(f"f{index}", ["i8", "i32", "i64"], f"i{width}", "\n".join(lines), len(inputs[0]))
        for index, (lines, _, width) in enumerate(drawn)
    ]
    library = build("\n".join(text), tmp_path_factory.mktemp("random"), *UBSAN)
    for index, (lines, run, width) in enumerate(drawn):
        rows = zip(*(array.tolist() for array in inputs), strict=True)
        expected = [run({"%x0": a, "%x1": b, "%x2": c}) for a, b, c in rows]
        assert call(library, f"f{index}", inputs, f"i{width}").tolist() == expected, "\n".join(lines)


# What is refused


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%a = arith.constant 1.0 : f80 %b = arith.addf %a, %a : f80", "no type for f80"),
        ("%a = arith.constant 1 : i4 %b = arith.addi %a, %a : i4", "no type for i4"),
        ("%a = memref.alloc() : memref<4xi8>", "'memref.alloc' cannot be converted"),
        ("func.call @f() : () -> ()", "calls itself"),
        (
            "%a = memref.get_global @w : memref<1xi8> %z = arith.constant 0 : index %v = arith.constant 1 : i8 "
            "memref.store %v, %a[%z] : memref<1xi8>",
            "a constant is written to",
        ),
        (
            "%a = memref.get_global @arena : memref<16xi8> %i = arith.constant 3000000000 : index "
            "%z = arith.constant 0 : index %b = memref.view %a[%z][] : memref<16xi8> to memref<4xindex> "
            "memref.store %i, %b[%z] : memref<4xindex>",
            "beyond the range of int32_t",
        ),
        (
            "%a = memref.get_global @arena : memref<16xi8> %i = arith.constant 3000000000 : index "
            "%z = arith.constant 0 : index %b = memref.view %a[%z][] : memref<16xi8> to memref<4xindex> "
            "%l = memref.load %b[%z] : memref<4xindex> %m = arith.index_cast %l : index to i8 "
            "%n = arith.index_castui %m : i8 to index %s = arith.addi %i, %n : index "
            "memref.store %s, %b[%z] : memref<4xindex>",
            "beyond the range of int32_t",
        ),
        (
            "%a = memref.get_global @arena : memref<16xi8> %o = arith.constant 2 : index "
            "%b = memref.view %a[%o][] : memref<16xi8> to memref<2xi32>",
            "misaligned byte offset",
        ),
    ],
)
def test_what_c_has_not_is_refused(body: str, message: str) -> None:
    head = (
        '"memref.global"() <{sym_name = "w", type = memref<1xi8>, initial_value = dense<1> : tensor<1xi8>, '
        'sym_visibility = "private", constant}> : () -> ()\n'
        '"memref.global"() <{sym_name = "arena", type = memref<16xi8>, initial_value, sym_visibility = "private"}> '
        ": () -> ()\n"
    )
    with pytest.raises(Diagnostic, match=message):
        c_of(f"{head} func.func @f() {{ {body} func.return }}")
