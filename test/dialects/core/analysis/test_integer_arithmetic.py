"""The table of integer arithmetic: Python integers, NumPy arrays and compiled C agree on boundary values."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i32, i64
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Operation

from tilewright.dialects.core.analysis.arithmetic import SEMANTICS, evaluator, integer_of, is_evaluated, wrapped
from tilewright.ir import numpy_type
from tilewright.runtime.interpreter import run_op

TYPES: tuple[Attribute, ...] = (*map(IntegerType, (1, 4, 8, 16, 32, 64)), IndexType())


def of(kind: Any, types: list[Attribute], *then: Any) -> Operation:
    return kind(*TestOp(result_types=types).results, *then)


def interpreted(op: Operation, *numbers: int) -> int:
    arrays = [numpy_type(value.type).type(number) for number, value in zip(numbers, op.operands, strict=True)]
    with np.errstate(all="ignore"):
        return int(run_op(None, op, arrays)[0])  # pyright: ignore[reportArgumentType]


def numbers(type: Attribute) -> st.SearchStrategy[int]:
    ends = [wrapped(n, type) for e in (0, 31, 63) for n in (1 << e, -(1 << e), (1 << e) - 1)]
    return st.sampled_from([*ends, wrapped(5, type)]) | st.integers().map(lambda n: wrapped(n, type))


@given(st.sampled_from([*SEMANTICS, *range(10)]), st.sampled_from(TYPES), st.data())
@settings(max_examples=200, deadline=None)
def test_numbers_are_computed_as_arrays_are(kind: Any, type: Attribute, data: st.DataObject):
    op = of(arith.CmpiOp, [type] * 2, kind) if isinstance(kind, int) else of(kind, [type] * 2)
    a, b = data.draw(numbers(type)), data.draw(numbers(type))
    compute = evaluator(op)
    assert compute is not None
    assert is_evaluated(op.__class__)
    if b == 0 and ("div" in op.name or "rem" in op.name):
        assert interpreted(op, a, b) == 0
        with pytest.raises(ZeroDivisionError):
            compute(a, b)
        return
    assert wrapped(compute(a, b), op.results[0].type) == wrapped(interpreted(op, a, b), op.results[0].type)
    if type == IndexType() and kind in (arith.AddiOp, arith.SubiOp, arith.MuliOp):
        unbounded = evaluator(op, unbounded=True)
        assert unbounded is not None
        assert unbounded(a, b) == {"addi": a + b, "subi": a - b, "muli": a * b}[op.name[6:]]


@given(st.sampled_from(range(3)), st.sampled_from(range(6)), st.sampled_from(range(6)), st.data())
@settings(max_examples=100, deadline=None)
def test_conversions_are_computed_as_arrays_are(which: int, a: int, b: int, data: st.DataObject):
    narrow, wide = TYPES[min(a, b)], TYPES[max(a, b)]
    kind, source, result = [
        *((arith.ExtSIOp, narrow, wide), (arith.ExtUIOp, narrow, wide), (arith.TruncIOp, wide, narrow))
    ][which]
    number, op = data.draw(numbers(source)), of(kind, [source], result)
    compute = evaluator(op)
    assert compute is not None
    assert compute(number) == wrapped(interpreted(op, number), result)


@pytest.mark.quick
def test_exact_beyond_what_floats_hold():
    """A remainder by way of a float division loses the low bits of large numbers."""
    type, large = IndexType(), (1 << 60) + 1
    for kind, expected in ((arith.RemSIOp, 2), (arith.DivSIOp, large // 3), (arith.RemUIOp, 2)):
        compute = evaluator(of(kind, [type] * 2))
        assert compute is not None
        assert compute(large, 3) == expected


@pytest.mark.quick
def test_constants_are_read_as_signed():
    constants = [arith.ConstantOp(IntegerAttr(*of)) for of in ((200, IntegerType(8)), (1, IntegerType(1)), (-1, i64))]
    assert [integer_of(op.result) for op in constants] == [-56, 1, -1]
    assert integer_of(TestOp(result_types=[i64]).results[0]) is None


C_OPERATORS = {
    **{"addi": "+", "subi": "-", "muli": "*", "divsi": "/", "remsi": "%", "andi": "&", "ori": "|", "xori": "^"},
    **{"shli": "<<", "shrsi": ">>", "shrui": ">>", "divui": "/", "remui": "%"},
    **{"minsi": "a < b ? a : b", "maxsi": "a > b ? a : b", "minui": "a < b ? a : b", "maxui": "a > b ? a : b"},
    "floordivsi": "a / b - (a % b != 0 && (a < 0) != (b < 0))",
    "ceildivsi": "a / b + (a % b != 0 && (a < 0) == (b < 0))",
    "ceildivui": "a / b + (a % b != 0)",
}
WRAPPING = ("addi", "subi", "muli", "shli")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_table_is_what_c_computes(tmp_path: Path):
    ends = [0, 1, 2, 3, 7, 31, -1, -2, -7, 1 << 30, (1 << 31) - 1, -(1 << 31), -(1 << 31) + 1]
    pairs = [
        (kind, a, b) for kind, a, b in product(SEMANTICS, ends, ends) if _is_defined(kind.name.split(".")[1], a, b)
    ]
    lines = [f'printf("%d\\n", (int32_t){_c(kind.name.split(".")[1], a, b)});' for kind, a, b in pairs]
    functions = [_function(name.name.split(".")[1]) for name in SEMANTICS]
    text = ["#include <stdint.h>", "#include <stdio.h>", *functions, "int main(void) {", *lines, "}"]
    (tmp_path / "a.c").write_text("\n".join(text), encoding="utf-8")
    subprocess.run(["cc", "-w", "-O0", "-o", tmp_path / "a", tmp_path / "a.c"], check=True)
    printed = subprocess.run([tmp_path / "a"], check=True, capture_output=True, text=True).stdout.split()
    computed = [evaluator(of(kind, [i32] * 2))(a, b) for kind, a, b in pairs]  # pyright: ignore
    assert len(computed) > 2000
    assert computed == [int(each) for each in printed]


def _is_defined(name: str, a: int, b: int) -> bool:
    """C leaves a division by zero, that of the least number by -1, and large shifts undefined."""
    if name.startswith("sh"):
        return 0 <= b < 32
    return not ("div" in name or "rem" in name) or (b != 0 and (a, b) != (-(1 << 31), -1))


def _function(name: str) -> str:
    type = "uint32_t" if name.endswith("ui") or name in WRAPPING else "int32_t"
    operator = C_OPERATORS[name]
    return (
        f"static int32_t {name}({type} a, {type} b) {{ return {operator if 'a' in operator else f'a {operator} b'}; }}"
    )


def _c(name: str, a: int, b: int) -> str:
    return f"{name}({a}LL, {b}LL)"
