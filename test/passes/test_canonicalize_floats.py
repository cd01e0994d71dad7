"""Folding of floats by canonicalize: as IEEE 754 in the type of the op, at the ends of every type."""

from __future__ import annotations

import random
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.canonicalize import CanonicalizePass

pytestmark = pytest.mark.quick

_TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
_OPS = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
_PAIRS = 12
"""Pairs of operands of each op and type."""


def _edges(kind: Any) -> list[Any]:
    info = cast(Any, ml_dtypes).finfo(kind)
    finite: list[Any] = [info.max, info.smallest_normal, info.smallest_subnormal, 1, 3, 1 + info.eps, 0]
    return [kind(sign * value) for value in [*map(float, finite), float("inf")] for sign in (1, -1)] + [kind("nan")]


def _text(value: Any, name: str) -> str:
    bits = int.from_bytes(value.tobytes(), "little")
    return f"0x{bits:0{2 * value.dtype.itemsize}X} : {name}"


def _cases() -> list[tuple[str, str, Any, Any]]:
    rng = random.Random(5)
    kinds = [(op, name) for op in _OPS for name in _TYPES for _ in range(_PAIRS)]
    return [(op, name, rng.choice(_edges(_TYPES[name])), rng.choice(_edges(_TYPES[name]))) for op, name in kinds]


def test_floats_fold_as_their_type_says():
    lines: list[str] = []
    for number, (op, name, a, b) in enumerate(_cases()):
        lines += [
            f"%a{number} = arith.constant {_text(a, name)}",
            f"%b{number} = arith.constant {_text(b, name)}",
            f"%r{number} = arith.{op} %a{number}, %b{number} : {name}",
            f'"test.op"(%r{number}) : ({name}) -> ()',
        ]
    module = parse_module(new_context(), "\n".join(lines))
    CanonicalizePass().apply(new_context(), module)
    results = [op.operands[0].owner for op in module.body.block.ops if op.name == "test.op"]
    for (op, name, a, b), result in zip(_cases(), results, strict=True):
        assert isinstance(result, arith.ConstantOp), f"{op} {a} {b} : {name} is not folded"
        assert isinstance(result.value, FloatAttr)
        with np.errstate(all="ignore"):
            expected = _OPS[op](a, b)
        found = _TYPES[name](result.value.value.data)
        np.testing.assert_equal(np.float64(found), np.float64(expected), f"{op} {a} {b} : {name}")
        if not np.isnan(expected):
            assert np.signbit(found) == np.signbit(expected), f"{op} {a} {b} : {name}"
