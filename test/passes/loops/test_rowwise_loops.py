"""Kernels over rows, four elements at a time: `convert-kernels-to-loops{row-bytes=..}` against the kernels."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.semantics import SCALAR_RULES
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.divide_by_invariants import DivideByInvariantsPass
from tilewright.passes.loops import powers as powers_module
from tilewright.passes.loops.kept import kept_of
from tilewright.passes.loops.powers import powers_of, tabulates
from tilewright.runtime.interpreter.engine import Interpreter
from tilewright.targets.siracusa.passes.fork_kernels import ForkKernelsPass
from tilewright.test.machines.make import library

pytestmark = pytest.mark.quick

CONTEXT = new_context()
SOFTMAX = "{{a = 1 : i64, b = {b} : i64, c = {c} : i64, log2 = {log2} : i64, levels = {levels} : i64, {types}}}"
TYPES = "accumulator = i32, element = i8"


def module_of(op: str, ins: list[tuple[tuple[int, ...], str]], out: str, attributes: str) -> ModuleOp:
    """Return a function of one kernel over rows, of the shape of its first input."""
    types = [f"memref<{'x'.join(map(str, shape))}x{type}>" for shape, type in ins]
    y = f"memref<{'x'.join(map(str, ins[0][0]))}x{out}>"
    names = [f"%x{number}" for number in range(len(ins))]
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types, strict=True))
    text = f"""func.func @network({arguments}, %y: {y}) attributes {{engine = "cluster"}} {{
      nn.{op} ins({", ".join(names)} : {", ".join(types)}) outs(%y : {y}) {attributes}
      func.return
    }}"""
    module = parse_module(CONTEXT, text)
    verify(module)
    return module


def int_softmax(x: Array, *, b: int, c: int, log2: int, levels: int, masked: bool = False) -> ModuleOp:
    attributes = SOFTMAX.format(b=b, c=c, log2=log2, levels=levels, types=TYPES)
    mask = [((x.shape[-1],), "i1")] if masked else []
    return module_of("int_softmax", [(x.shape, "i16"), *mask], "i8", attributes.replace("{a", "{span = 4351 : i64, a"))


def check(module: ModuleOp, ins: list[Array], dtype: type[np.generic], row_bytes: int, table_bytes: int = 0) -> str:
    """Compare a kernel with its loops, on one core and on three, and return those on one."""
    loops = ConvertKernelsToLoopsPass(row_bytes=row_bytes, table_bytes=table_bytes)
    passes = (loops, DivideByInvariantsPass(), ForkKernelsPass(cores=3))
    expected, texts = np.zeros(ins[0].shape, dtype), list[str]()
    Interpreter(module).call("network", [*ins, expected])
    for each in passes:
        each.apply(CONTEXT, module)
        verify(module)
        texts.append(str(module))
        found = np.zeros_like(expected)
        Interpreter(module).call("network", [*ins, found])
        np.testing.assert_array_equal(found, expected)
    assert "hier.fork" in texts[-1]
    return texts[1]


def scores(seed: int, rows: int, length: int) -> Array:
    """Return rows of scores of which some are masked."""
    random = np.random.RandomState(seed)
    x = random.randint(-128, 128, (rows, length)) - 4096 * (random.rand(rows, length) < random.choice([0, 0.5, 0.99]))
    return x.astype(np.int16)


@pytest.mark.long
@settings(max_examples=6, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 3), st.integers(8, 21), st.integers(0, 300), st.integers(1, 40))
def test_int_softmax(seed: int, rows: int, length: int, b: int, log2: int) -> None:
    x = scores(seed, rows, length)
    module = int_softmax(x, b=b, c=983, log2=log2, levels=256)
    assert "memref.alloca" in check(module, [x], np.int8, 128)


@pytest.mark.sample(3)
@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 2), st.integers(0, 150), st.integers(1, 40), st.booleans())
@example(0, 1, 43, 22, False)
def test_powers_in_a_table(seed: int, rows: int, b: int, log2: int, masked: bool) -> None:
    x = scores(seed, rows, 18)
    valid = [np.arange(18) % 5 > 1] if masked else []
    module = int_softmax(x, b=b, c=983, log2=log2, levels=256, masked=masked)
    kernel = kernel_of(next(op for op in module.walk() if op.name == "nn.int_softmax"))
    powers = powers_of(kernel, kept_of(kernel))
    assert powers is not None
    with mock.patch.object(powers_module, "_WORTH", 0):
        text = check(module, [x, *valid], np.int8, 128, powers.bytes)
    assert f"memref.alloca() : memref<{powers.entries}x{powers.type}>" in text


def test_a_table_ends_with_the_power_that_all_further_distances_have() -> None:
    x = scores(0, 1, 8)
    kernel = kernel_of(next(op for op in int_softmax(x, b=43, c=983, log2=22, levels=256).walk() if is_kernel(op)))
    powers = powers_of(kernel, kept_of(kernel))
    d = np.arange(4352)
    z = np.minimum(d // 22, 31)
    q = ((z * 22 - d + 43) ** 2 + 983) >> z
    assert powers is not None
    assert powers.entries == np.flatnonzero(q)[-1] + 2 == 254
    assert not tabulates(powers, 128 * 254 - 1, 508)
    assert not tabulates(powers, 128 * 254, 507)
    assert tabulates(powers, 128 * 254, 508)


SHARES = {"arith.shrui": (256, 267), "arith.mului_extended": (268, 535), "arith.floordivsi": (536,)}
"""How shares of these powers are computed, by the shortest and the longest rows for which that is exact."""


@pytest.mark.parametrize(("length", "op"), [(length, op) for op, lengths in SHARES.items() for length in lengths])
def test_shares_are_exact(length: int, op: str) -> None:
    rows = np.sort(np.random.RandomState(0).randint(0, 270, (4, length)), axis=1).astype(np.int16)
    rows[:2] = 0
    rows[1, 1:] = -300
    module = int_softmax(rows, b=43, c=983, log2=22, levels=256)
    kernel = kernel_of(next(op for op in module.walk() if op.name == "nn.int_softmax"))
    assert kernel.result is not None
    assert [each.name for each in kernel.result.ops if each.name in SHARES] == [op]
    d = rows.max(-1, keepdims=True).astype(np.int64) - rows
    z = np.minimum(d // 22, 31)
    q = ((z * 22 - d + 43) ** 2 + 983) >> z
    y = np.zeros(rows.shape, np.int8)
    Interpreter(module).call("network", [rows, y])
    np.testing.assert_array_equal(y.view(np.uint8), q * 255 // q.sum(-1, keepdims=True))


@pytest.mark.parametrize("length", [267, 535])
def test_shares_are_exact_just_below_a_quotient(length: int) -> None:
    """With totals that divide 255 * power + 1, a share is as close to the next larger one as it can be."""
    distances = np.arange(704)
    z = np.minimum(distances // 22, 31)
    powers = ((z * 22 - distances + 43) ** 2 + 983) >> z
    most = 43**2 + 983
    shares = np.arange(1, 256)
    totals, rest = np.divmod(255 * powers[:, None] + 1, shares)
    critical = (rest == 0) & (totals >= most) & (totals <= most * length)
    x, total = -np.repeat(distances, 255)[critical.ravel()].astype(np.int16), totals[critical].astype(np.int32)
    module = int_softmax(np.zeros((1, length), np.int16), b=43, c=983, log2=22, levels=256)
    result = kernel_of(next(op for op in module.walk() if op.name == "nn.int_softmax")).result
    assert result is not None
    assert len(total) > 300
    values: dict[SSAValue, Array] = dict(zip(result.args, (x, np.zeros_like(total), total), strict=True))
    for op in result.ops:
        if op.results:
            found: Any = SCALAR_RULES[type(op)](op, *(values[operand] for operand in op.operands))
            values |= zip(op.results, found if len(op.results) > 1 else [found], strict=True)
    assert result.last_op is not None
    share = values[result.last_op.operands[0]].view(np.uint8)
    np.testing.assert_array_equal(share, 255 * np.repeat(powers, 255)[critical.ravel()] // total)


@pytest.mark.long
@pytest.mark.parametrize("length", [7, 8, 15])
def test_what_is_kept_is_computed_once(length: int) -> None:
    x = scores(length, 2, length)
    text = check(int_softmax(x, b=43, c=983, log2=22, levels=256), [x], np.int8, 2 * length)
    is_long = length >= 8
    assert (f"memref.alloca() : memref<{length}xi16>" in text) == is_long
    assert "memref.alloca" not in check(int_softmax(x, b=43, c=983, log2=22, levels=256), [x], np.int8, 2 * length - 1)


@pytest.mark.long
def test_other_kernels_over_rows() -> None:
    x = scores(3, 2, 13)
    valid = np.arange(13) % 3 > 0
    check(int_softmax(x, b=43, c=983, log2=22, levels=16, masked=True), [x, valid], np.int8, 64)
    check(module_of("ita_max", [(x.shape, "i16")], "i8", f"{{levels = 256 : i64, {TYPES}}}"), [x], np.int8, 64)
    small, w = (x % 100).astype(np.int8), np.arange(2000, 2013).astype(np.int32)
    vector = ((13,), "i32")
    norm = f"{{shift = 6 : i64, low = -128 : i64, high = 127 : i64, {TYPES}}}"
    module = module_of("int_rms_norm", [(small.shape, "i8"), vector], "i8", norm)
    assert kept_of(kernel_of(next(op for op in module.walk() if op.name == "nn.int_rms_norm"))) is None
    check(module, [small, w], np.int8, 64)
    norm = f"{{shift = 6 : i64, {TYPES}}}"
    check(module_of("int_layer_norm", [(small.shape, "i8"), vector, vector], "i8", norm), [small, w, w], np.int8, 64)


def test_a_row_that_is_overwritten_is_one_core_s() -> None:
    text = """func.func @network(%x: memref<1x16xi8>, %w: memref<16xi32>) attributes {engine = "cluster"} {
      nn.int_rms_norm ins(%x, %w : memref<1x16xi8>, memref<16xi32>) outs(%x : memref<1x16xi8>)
        {shift = 6 : i64, low = -128 : i64, high = 127 : i64, accumulator = i32, element = i8}
      func.return
    }"""
    module = parse_module(CONTEXT, text)
    ConvertKernelsToLoopsPass(row_bytes=64).apply(CONTEXT, module)
    ForkKernelsPass(cores=3).apply(CONTEXT, module)
    assert "hier.fork" not in str(module)


def test_powers_of_floats_are_kept_where_a_row_of_them_fits() -> None:
    x = np.random.RandomState(1).standard_normal((3, 19)).astype(np.float32)
    results: list[Array] = []
    for row_bytes in (0, 75, 76):
        module = module_of("softmax", [(x.shape, "f32")], "f32", "{accumulator = f32, element = f32}")
        ConvertKernelsToLoopsPass(row_bytes=row_bytes).apply(CONTEXT, module)
        assert str(module).count("math.exp") == {0: 2, 75: 2 * 4 + 19 % 4, 76: 4 + 19 % 4}[row_bytes]
        results.append(np.zeros_like(x))
        Interpreter(module).call("network", [x, results[-1]])
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("columns", "given", "kept"), [(16, None, True), (17, None, False), (17, 68, True), (16, 0, False)]
)
def test_the_engine_says_what_the_stack_takes(columns: int, given: int | None, kept: bool) -> None:
    """Of two_engines.toml a row is kept in 64 bytes: 16 floats; the option replaces that."""
    module = module_of("softmax", [((3, columns), "f32")], "f32", "{accumulator = f32, element = f32}")
    attach_machine(module, library("two_engines"))
    ConvertKernelsToLoopsPass(row_bytes=given).apply(CONTEXT, module)
    assert ("%kept" in str(module)) == kept
