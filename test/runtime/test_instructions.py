"""Instructions as one record: what derives from it, its C against its Python, and records that are wrong."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.ir import Dialect
from xdsl.utils.test_value import create_ssa_value

from tilewright.dialects.core.effects import effects_of, is_pure
from tilewright.dialects.core.instruction import (
    Const,
    Extent,
    Flag,
    In,
    InAt,
    InOut,
    Instruction,
    Out,
    OutAt,
    Scalar,
    Size,
    State,
    Stride,
    i8,
    i32,
    instruction,
    instructions,
)
from tilewright.dialects.core.instruction import record as records
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.discovery import target_folders
from tilewright.errors import Diagnostic
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.formats.c import render
from tilewright.runtime.interpreter import Interpreter, c_rules
from tilewright.runtime.tools.instructions import check_instructions, check_prototype, instructions_of, main

pytestmark = pytest.mark.quick

TARGETS = [name for name, folder in target_folders().items() if (folder / "dialects").is_dir()]


class Counter:
    """State of an engine that counts."""

    count = 0


@instruction("toy.add_rows", c="test_add_rows", header="test.h", cycles=lambda n: 4 + n // 8)
def add_rows(a: In[i8], b: In[i8], out: Out[i32], n: Size) -> None:
    """Sum of two rows: out[i] = a[i] + b[i] for i < n."""
    out[:n] = a[:n].astype(np.int32) + b[:n]


@instruction(
    "toy.scale",
    c="test_scale",
    header="test.h",
    requires=[lambda factor, rows: f"{factor} times {rows} rows" if factor > rows else None],
)
def scale(
    x: InOut[i8],
    rows: Annotated[int, Extent("x", 0), range(1, 9)],
    step: Annotated[int, Stride("x")],
    factor: Annotated[Const, (1, 2)],
    negated: Flag,
) -> None:
    """Multiply the first element of each row."""
    first = x.along((rows, step))
    first[...] = first * (-factor if negated else factor)


@instruction("toy.clamp", c="test_clamp", header="test.h")
def clamp(value: Scalar[i32], low: Const, high: Const) -> Scalar[i32]:
    """Limit a number."""
    return np.minimum(np.maximum(value, low), high)


@instruction("toy.count", c="test_count", header="test.h")
def count(counter: State[Counter]) -> Scalar[i32]:
    """Count the calls of a run."""
    counter.count += 1
    return np.asarray(counter.count)


@instruction("toy.copy_row", c="test_copy_row", header="test.h")
def copy_row(a: InAt[i8], out: OutAt[i8], n: Annotated[int, Extent("a", -1), range(1, 9)]) -> None:
    """Copy a row of n elements; C gets the memref's first element and the offset of the row."""
    out[:n] = a[:n]


TOY = Dialect("toy", [add_rows.op, scale.op, clamp.op, count.op, copy_row.op])
HEADER = """
static inline void test_add_rows(const int8_t *a, const int8_t *b, int32_t *out, int32_t n) {
    for (int32_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
static inline void test_scale(int8_t *x, int32_t rows, int32_t step, int32_t factor, int32_t negated) {
    for (int32_t i = 0; i < rows; ++i) x[i * step] = (int8_t)(x[i * step] * (negated ? -factor : factor));
}
static inline int32_t test_clamp(int32_t value, int32_t low, int32_t high) {
    const int32_t least = value > low ? value : low;
    return least < high ? least : high;
}
static inline void test_copy_row(const int8_t *a, int32_t a_at, int8_t *out, int32_t out_at, int32_t n) {
    for (int32_t i = 0; i < n; ++i) out[out_at + i] = a[a_at + i];
}
int32_t test_count(void);
"""
PROGRAM = """func.func @f(%a: memref<4x8xi8>, %b: memref<8xi8>, %out: memref<16xi32>, %x: memref<2x3xi8>,
    %v: memref<2xi32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  toy.add_rows %a[%c1, %c0], %b, %out[%c8], %c8 : memref<4x8xi8>, memref<8xi8>, memref<16xi32>
  toy.scale %x {step = array<i64: 0, 1>, factor = 2 : i64, negated} : memref<2x3xi8>
  %n = toy.count
  %m = toy.count
  %s = memref.load %v[%c0] : memref<2xi32>
  %c = toy.clamp %s {low = -3 : i64, high = 9 : i64}
  %t = arith.muli %c, %m : i32
  memref.store %t, %v[%c0] : memref<2xi32>
  func.return
}"""
ROWS = """func.func @f(%a: memref<3x4x8xi8>, %b: memref<12x8xi8>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  toy.copy_row %a[%i, %j, %c0], %b[%c1, %c0] : memref<3x4x8xi8>, memref<12x8xi8>
  %k = arith.addi %j, %c1 : index
  toy.copy_row %a[%c1, %c0, %c0], %b[%k, %c0] : memref<3x4x8xi8>, memref<12x8xi8>
  func.return
}"""
RULES_OF_C = c_rules
CONTEXT = new_context()
CONTEXT.load_dialect(TOY)


def parsed(text: str) -> Any:
    module = parse_module(CONTEXT, text)
    verify(module)
    return module


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    (tmp_path / "test.h").write_text(HEADER, encoding="utf-8")
    return tmp_path


# One record


def test_the_op_its_syntax_and_its_effects() -> None:
    ops = {op.name: op for op in parsed(PROGRAM).walk()}
    rows = ops["toy.add_rows"]
    assert "toy.add_rows %a[%c1, %c0], %b, %out[%c8], %c8 : memref<4x8xi8>, memref<8xi8>, memref<16xi32>" in str(rows)
    found = effects_of(rows)
    assert (set(found.reads), set(found.writes)) == ({rows.a, rows.b}, {rows.out})
    assert is_pure(ops["toy.clamp"])
    assert not is_pure(ops["toy.count"])
    made = add_rows((rows.a, list(rows.a_at)), rows.b, (rows.out, list(rows.out_at)), n=rows.n)
    assert made.is_structurally_equivalent(rows)
    made.erase()
    with pytest.raises(TypeError, match=r"'toy.add_rows' takes a, b, out, n; got a, b"):
        add_rows(rows.a, rows.b)


def test_memrefs_and_c_have_one_semantics() -> None:
    module = parsed(PROGRAM)
    found: list[list[Any]] = []
    for is_c in (False, True):
        a, b = np.arange(32, dtype=np.int8).reshape(4, 8), np.full(8, 100, np.int8)
        out, x, v = np.full(16, -1, np.int32), np.arange(6, dtype=np.int8).reshape(2, 3), np.asarray([7, 0], np.int32)
        if is_c:
            convert_to_emitc(module)
        name = "f_run" if is_c else "f"
        Interpreter(module).call(name, [a, b, out, x, v])
        found.append([out.tolist(), x.tolist(), v.tolist()])
    assert found[0] == found[1]
    assert found[0] == [[-1] * 8 + [108 + i for i in range(8)], [[0, 1, 2], [-6, 4, 5]], [14, 0]]
    text = render(module).text()
    assert '#include "test.h"' in text
    assert "test_add_rows(a + 8, b, out + 8, 8);" in text
    assert "test_scale(x, 2, 3, 2, 1);" in text


def test_c_gets_offsets_in_rows_apart() -> None:
    module = parsed(ROWS)
    found: list[Any] = []
    for is_c in (False, True):
        a, b = np.arange(96, dtype=np.int8).reshape(3, 4, 8), np.zeros((12, 8), np.int8)
        if is_c:
            convert_to_emitc(module)
        kind = np.int32 if is_c else np.int64
        Interpreter(module).call("f_run" if is_c else "f", [a, b, kind(2), kind(3)])
        found.append(b.tolist())
    assert found[0] == found[1]
    assert found[0][1] == list(range(88, 96))
    assert found[0][4] == list(range(32, 40))
    text = render(module).text()
    assert "test_copy_row(a, (i * 4 + j) * 8, b, 8, 8);" in text
    assert "test_copy_row(a, 32, b, (int32_t)((int64_t)j + INT64_C(1)) * 8, 8);" in text


def test_cycles_are_there_for_cost_functions() -> None:
    assert add_rows.cycles(n=64) == 12
    with pytest.raises(Diagnostic, match=f"'{scale.name}' declares no cycles"):
        scale.cycles()


def test_prototypes_and_a_header_from_records() -> None:
    assert add_rows.prototype == "void test_add_rows(const int8_t *a, const int8_t *b, int32_t *out, int32_t n)"
    assert count.prototype == "int32_t test_count(void)"
    given = replace(clamp, c_body="return value;")
    text = records.header_text("test", [given, count])
    assert "static inline int32_t test_clamp(int32_t value, int32_t low, int32_t high) {\n  return value;\n}" in text
    assert "\nint32_t test_count(void);\n" in text


# C against Python


@pytest.mark.sample(1)
@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_the_instructions_of_a_target_are_what_their_c_is(target: str) -> None:
    chosen = instructions_of(target)
    assert set(check_instructions(chosen)) == {made.name for made in chosen if not made.states}


@pytest.mark.long
def test_names_of_parameters_clash_with_none_of_the_program(headers: Path) -> None:
    @instruction("toy.negate", c="test_negate", header="test.h")
    def negate(a: In[i8], given: Out[i8], a_n: Size) -> None:
        """Negate a row of a_n elements."""
        given[:a_n] = -a[:a_n]

    body = "{ for (int32_t i = 0; i < a_n; ++i) given[i] = (int8_t)-a[i]; }"
    (headers / "test.h").write_text(f"static inline {negate.prototype} {body}\n", encoding="utf-8")
    assert check_instructions([negate], headers=headers) == ["toy.negate"]


@pytest.mark.long
def test_instructions_of_a_header_agree(headers: Path) -> None:
    chosen = [add_rows, scale, clamp, count, copy_row]
    assert check_instructions(chosen, headers=headers) == ["toy.add_rows", "toy.scale", "toy.clamp", "toy.copy_row"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("a[i] + b[i]", "a[i] + b[0]", "computes something else than its Python"),
        ("i < n", "i <= n", "fails"),
        ("i < rows", "i < rows - 1", "computes something else than its Python"),
        ("value > low ? value", "value >= low ? low", "computes something else than its Python"),
        ("a[a_at + i]", "a[i]", "computes something else than its Python"),
        ("out[out_at + i]", "out[i]", "computes something else than its Python"),
    ],
)
def test_faults_in_c_show(right: str, wrong: str, message: str, headers: Path) -> None:
    (headers / "test.h").write_text(HEADER.replace(right, wrong), encoding="utf-8")
    with pytest.raises(Diagnostic, match=message):
        check_instructions([add_rows, scale, clamp, copy_row], headers=headers)


@pytest.mark.long
def test_faults_in_python_show(headers: Path) -> None:
    def wrong(a: Any, b: Any, out: Any, n: int) -> None:
        out[:n] = a[:n] + b[:n]

    with pytest.raises(Diagnostic, match="computes something else than its Python") as raised:
        check_instructions([replace(add_rows, function=wrong)], headers=headers)
    assert "n = " in raised.value.notes[0]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("void test_add_rows", "void test_other", "no header declares the function"),
        ("int32_t *out, int32_t n", "int32_t n, int32_t *out", "declares another function"),
        ("int32_t *out", "int16_t *out", "declares another function"),
        ("static inline void test_add", "static inline int32_t test_add", "declares another function"),
    ],
)
def test_headers_declare_the_functions(right: str, wrong: str, message: str, headers: Path) -> None:
    (headers / "test.h").write_text(HEADER.replace(right, wrong), encoding="utf-8")
    with pytest.raises(Diagnostic, match=message) as raised:
        check_prototype(add_rows, headers)
    assert add_rows.prototype in raised.value.expected


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere"]) == 1
    assert "error: there is no machine 'nowhere'" in capsys.readouterr().err


# What is wrong


def no_effects(n: Size) -> None: ...


def no_kind(n: int, out: Out[i8]) -> None: ...


def no_type(out: Out[np.float16]) -> None: ...


def no_buffer(out: Out[i8], step: Annotated[int, Stride("x")]) -> None: ...


def no_result(out: Out[i8]) -> int: ...


def fine(out: Out[i8]) -> None: ...


def strided(out: Out[i8], step: Annotated[int, Stride("out")]) -> None: ...


ON_QUEUE: dict[str, Any] = {"queue": "load", "cycles": lambda: 1}
ROW = {"out": lambda: (1,)}


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (no_effects, {}, "'toy.x' has no effects"),
        (no_kind, {}, "the parameter 'n' has no kind"),
        (no_type, {}, "the parameter 'out' has no type of C"),
        (no_buffer, {}, "'step' is derived from 'x', which is no buffer"),
        (no_result, {}, "the parameter 'result' has no kind"),
        (fine, {"name": "toy.clamp"}, "two instructions have the name 'toy.clamp'"),
        (fine, {"c": "test_clamp"}, "two instructions have the name 'test_clamp'"),
        (fine, {"cycles": lambda m: m}, "name what is no parameter: m"),
        (fine, {"queue": "load"}, "'toy.x' cannot be on a queue"),
        (fine, ON_QUEUE, "'toy.x' is on a queue and declares no region of out"),
        (fine, {**ON_QUEUE, "regions": {"out": lambda m: (m,)}}, "the region of 'out' in 'toy.x' depends on m"),
        (fine, {**ON_QUEUE, "regions": {"in": lambda: (1,)}}, "declares no region of out"),
        (fine, {"regions": {"in": lambda: (1,)}}, "a region of 'in', which is no buffer that it accesses"),
        (fine, {"fence": True}, "the fence 'toy.x' accesses buffers"),
        (fine, {"fills": "weights"}, "'toy.x' has a register and no queue"),
        (fine, {**ON_QUEUE, "regions": ROW, "beside": ["out"]}, "'toy.x' reads no 'out' beside others"),
        (strided, {**ON_QUEUE, "cycles": lambda step: step, "regions": ROW}, "'cycles' in 'toy.x' depends on step"),
    ],
)
def test_records_that_are_wrong(function: Callable[..., Any], options: dict[str, Any], message: str) -> None:
    before = instructions()
    given: Any = {"name": "toy.x", "c": "toy_x", **options}
    with pytest.raises(Diagnostic, match=message) as raised:
        instruction(**given)(function)
    assert raised.value.where.startswith(f"{__file__}:")
    assert instructions() == before


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("%a: memref<4x8xi8>", "%a: memref<4x8xi16>", "'a' must hold i8, not i16"),
        ("%a[%c1, %c0]", "%a[%c1]", "expected an index for each axis of 'a', 2, got 1"),
        ("step = array<i64: 0, 1>", "step = array<i64: 2, 1>", "'step' must be an axis and a factor"),
        ("factor = 2", "factor = 3", "'factor' must not be 3; expected 1 or 2"),
        ("2x3xi8", "1x3xi8", "2 times 1 rows"),
        ("2x3xi8", "9x3xi8", "'rows' must not be 9; expected 1 to 8"),
    ],
)
def test_ops_that_are_wrong(right: str, wrong: str, message: str) -> None:
    text = PROGRAM.replace(right, wrong)
    text = (
        text.replace("memref<4x8xi8>, memref<8xi8>, memref<16", "memref<4x8xi16>, memref<8xi8>, memref<16")
        if ("i16" in wrong)
        else text
    )
    with pytest.raises(Diagnostic, match=message.replace("(", r"\(")):
        parsed(text)


@pytest.mark.parametrize("is_c", [False, True])
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("%b, %out[%c8], %c8", "%b, %out[%c1], %c16", "an instruction is out of bounds of its buffer"),
        (
            "%c1 = arith.constant 1",
            "%c1 = arith.constant 9",
            "(lies outside of the buffer|a pointer is out of bounds of its buffer)",
        ),
    ],
)
def test_accesses_beyond_a_buffer(right: str, wrong: str, message: str, is_c: bool) -> None:
    text = PROGRAM.replace(right, wrong).replace("%c8 = ", "%c16 = arith.constant 9 : index\n %c8 = ")
    module = parsed(text)
    if is_c:
        convert_to_emitc(module)
    arrays = [np.zeros(shape, np.int8) for shape in ((4, 8), (8,), (2, 3))]
    operands = [arrays[0], arrays[1], np.zeros(16, np.int32), arrays[2], np.zeros(2, np.int32)]
    with pytest.raises(Diagnostic, match=message):
        Interpreter(module).call("f_run" if is_c else "f", operands)


def test_a_semantics_that_fails_is_no_traceback(headers: Path) -> None:
    def wrong(a: Any, b: Any, out: Any, n: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(Diagnostic, match=r"the semantics of the instruction 'toy.add_rows' fails\n.*with n = \d+"):
        check_instructions([replace(add_rows, function=wrong)], headers=headers)


def test_writes_to_what_is_only_read_are_refused(headers: Path) -> None:
    def wrong(a: Any, b: Any, out: Any, n: int) -> None:
        a[:n] = 0

    with pytest.raises(Diagnostic, match="fails"):
        check_instructions([replace(add_rows, function=wrong)], headers=headers)


@instruction("toy.zero", c="test_zero", queue="q", cycles=lambda: 1, regions={"x": lambda rows: (1, 1, rows)})
def zero(x: Out[i8], rows: Size) -> None: ...


@instruction("toy.one", c="test_one", queue="q", cycles=lambda: 1, regions={"x": lambda rows: (rows + 1, 1)})
def one(x: Out[i8], rows: Size) -> None: ...


@instruction("toy.half", c="test_half", queue="q", cycles=lambda: 1, regions={"x": lambda: (0.5,)})
def half(x: Out[i8], rows: Size) -> None: ...


@pytest.mark.parametrize(("made", "found"), [(zero, "of a buffer of 2 axes"), (one, "unsupported"), (half, "[0.5]")])
def test_regions_that_no_buffer_has(made: Instruction, found: str) -> None:
    buffer, rows = create_ssa_value(MemRefType(IntegerType(8), [4, 8])), create_ssa_value(IndexType())
    with pytest.raises(Diagnostic, match="the region of 'x' has no extents") as error:
        made(buffer, rows).region_of("x")
    assert found in error.value.found


def test_buffers_of_instructions_are_in_their_physical_shape() -> None:
    blocks = "memref<16x64xi8, affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>>"
    text = PROGRAM.replace("memref<4x8xi8>", blocks)
    with pytest.raises(Diagnostic, match="'a' must be a buffer in its physical shape"):
        parsed(text)
