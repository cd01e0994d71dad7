"""Programs of the paged machine, whose tiles are looked up: every level against NumPy, and planted faults."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.machines.make import library

FOLDER = Path(__file__).parent / "programs"
PROVED = "verify-memory,expand-grid,verify-memory"
PIPELINED = f"{PROVED},pipeline-dma,verify-memory"
TO_C = "allocate-static,verify-levels,outline-kernels,convert-dma-to-loops,convert-kernels-to-loops,convert-to-emitc"
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread")
CONTEXT = new_context()

Call = dict[str, Array]
"""Inputs of a call of the network, and its output `out`."""


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


def lowered(text: str, passes: str = "") -> ModuleOp:
    module = parse_module(CONTEXT, text)
    verify(module)
    attach_machine(module, library("paged"))
    for step in parse_pipeline(passes, all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
    return module


def check(name: str, module: ModuleOp, seed: int | None = None, calls: int | None = None) -> None:
    """Run the calls of a program in the interpreter; compare each with NumPy."""
    check_calls(name, Session(module, interleave=seed), calls)


def check_calls(name: str, session: Session, calls: int | None = None) -> None:
    """Run the calls of a program; compare each with NumPy."""
    for number, call in enumerate(CALLS[name]()[:calls]):
        given = {key: value for key, value in call.items() if key != "out"}
        (found,) = session.run(given).values()
        assert_equal(found, call["out"], f"{name}, call {number}")


def assert_equal(found: Array, expected: Array, what: str) -> None:
    if expected.dtype == np.float32:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6, err_msg=what)
    else:
        np.testing.assert_array_equal(found, expected, err_msg=what)


# Programs in NumPy


def gather() -> list[Call]:
    generator = np.random.default_rng(1)
    pool = generator.integers(-128, 128, (64, 16)).astype(np.int8)
    tables = [generator.integers(0, 64, 6), np.array([63, 0, 0, 63, 5, 5])]
    return [{"pool": pool, "rows": rows.astype(np.int32), "out": pool[rows]} for rows in tables]


def disk() -> list[Call]:
    generator = np.random.default_rng(2)
    pool = generator.integers(-128, 128, (32, 16, 16)).astype(np.int8)
    table = generator.permutation(32)[:5]
    return [{"pool": pool, "table": table.astype(np.int32), "out": pool[table]}]


def topk() -> list[Call]:
    generator = np.random.default_rng(3)
    calls: list[Call] = []
    for turn in range(3):
        k, v = (generator.integers(-128, 128, (16, 4, 8)).astype(np.int8) for _ in "kv")
        table = generator.permutation(16)[:8].astype(np.int32)
        q = generator.integers(-128, 128, (1, 8)).astype(np.int8) if turn else np.zeros((1, 8), np.int8)
        most, least = k[table].max(axis=1), k[table].min(axis=1)
        wide = q.astype(np.int32)
        scores = np.maximum(wide * most, wide * least).sum(axis=1)
        pages = table[np.sort(np.argsort(-scores, kind="stable")[:3])]
        keys, values = (each[pages].reshape(-1, 8).astype(np.int32) for each in (k, v))
        out = (keys @ wide[0]) @ values
        call = {"q": q, "most": most, "least": least, "table": table, "k": k, "v": v}
        calls.append({**call, "out": out[None].astype(np.int32)})
    return calls


def attention(seed: int = 4, tokens: int = 12) -> list[Call]:
    """Decode tokens one by one: pages of 8 rows, of which 2 at most are selected besides the first and the last."""
    generator = np.random.default_rng(4)
    pages = np.random.default_rng(seed).permutation(12)[:6].reshape(2, 3)
    keys, values, calls = list[Array](), list[Array](), list[Call]()
    for token in range(tokens):
        q, k, v = (generator.standard_normal((2, 8)).astype(np.float32) for _ in "qkv")
        keys.append(k)
        values.append(v)
        selected = [page for page in range(token // 8 + 1) if page != 1 or token % 3]
        count = [min(8, token + 1 - 8 * page) for page in selected] + [0] * (4 - len(selected))
        slots = selected + [0] * (4 - len(selected))
        rows = [row for page in selected for row in range(8 * page, min(8 * page + 8, token + 1))]
        calls.append(
            {
                "q": q,
                "new_k": k[:, None],
                "new_v": v[:, None],
                "table": pages[:, slots].astype(np.int32),
                "count": np.array(count, np.int32),
                "tail": pages[:, token // 8].astype(np.int32),
                "position": np.array([token % 8], np.int32),
                "out": softmax_attention(q, np.stack(keys)[rows], np.stack(values)[rows]),
            }
        )
    return calls


def stream() -> list[Call]:
    generator = np.random.default_rng(7)
    pool, table = generator.integers(-128, 128, (32, 4, 16)).astype(np.int8), generator.integers(0, 32, 6)
    return [{"pool": pool, "table": table.astype(np.int32), "out": pool[table].sum(axis=1, dtype=np.int32)}]


def softmax_attention(q: Array, k: Array, v: Array) -> Array:
    """Return attention of a query per head, (heads, lanes), to rows of keys and values, (rows, heads, lanes)."""
    scores = np.einsum("hd,rhd->hr", q.astype(np.float64), k)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (np.einsum("hr,rhd->hd", weights, v) / weights.sum(axis=1, keepdims=True)).astype(np.float32)


CALLS: dict[str, Callable[[], list[Call]]] = {
    "paged_gather": gather,
    "paged_disk": disk,
    "paged_topk": topk,
    "paged_attention": attention,
    "paged_stream": stream,
}
IN_GRIDS = [name for name in CALLS if name != "paged_stream"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CALLS)
def test_every_level_computes_the_same(name: str) -> None:
    text = text_of(name)
    module = lowered(text)
    assert str(parse_module(CONTEXT, str(module))) == str(module)
    for passes in ("verify-memory", PROVED, PIPELINED):
        check(name, lowered(text, passes))


@pytest.mark.parametrize("name", ["paged_topk", "paged_stream"])
def test_tables_are_looked_up_when_they_are_made(name: str) -> None:
    """The simulator reads a table after the kernel that makes it, and one that nothing writes at any time."""
    check_calls(name, TimedSession(lowered(text_of(name), PIPELINED)), 1)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", CALLS)
def test_c_computes_the_same(name: str) -> None:
    module = lowered(text_of(name), f"{PIPELINED},{TO_C}")
    if name in IN_GRIDS:
        check(name, module)
    network = HostNetwork(render(module), sanitize=True, flags=FLAGS)
    for number, call in enumerate(CALLS[name]()):
        (found,) = network.run([call[port.name] for port in network.inputs])
        assert_equal(found, call["out"], f"{name}, call {number}")


MAIN = """
#include <stdio.h>

int main(void)
{
    static int8_t pool[2048];
    static int32_t table[6], out[96];
    for (int k = 0; k < 2048; ++k)
        pool[k] = (int8_t)(k * 37 % 251 - 125);
    for (int call = 0; call < 20; ++call) {
        for (int i = 0; i < 6; ++i)
            table[i] = (call * 7 + i * i) % 32;
        network_run(pool, table, out);
        for (int k = 0; k < 96; ++k)
            for (int row = 0; row < 4; ++row)
                out[k] -= pool[table[k / 16] * 64 + row * 16 + k % 16];
        for (int k = 0; k < 96; ++k)
            if (out[k] != 0)
                return 1;
    }
    puts("equal");
    return 0;
}
"""


def test_threads_do_not_race_for_pages(tmp_path: Path) -> None:
    text = render(lowered(text_of("paged_stream"), f"{PIPELINED},{TO_C}")).text()
    (tmp_path / "main.c").write_text(text + MAIN, encoding="utf-8")
    command = ["gcc", *FLAGS, "-O1", "-fsanitize=thread", "main.c", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "equal\n", "")


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", CALLS)
def test_the_order_of_transfers_does_not_matter(name: str) -> None:
    """Data move at any time from issue to wait, and programs take turns at random."""
    module = lowered(text_of(name), PIPELINED)
    for seed in range(10 if name == "paged_attention" else 100):
        check(name, module, seed, calls=1)


def test_pages_give_the_bits_of_rows_in_order() -> None:
    """Where pages lie does not change a bit: they are summed up in the order of their rows."""
    module = lowered(text_of("paged_attention"), PIPELINED)
    outputs: list[list[Array]] = []
    for seed in (4, 5):
        session = Session(module)
        runs = [{key: value for key, value in call.items() if key != "out"} for call in attention(seed, 10)]
        outputs.append([next(iter(session.run(given).values())) for given in runs])
    np.testing.assert_array_equal(outputs[0], outputs[1])


@pytest.mark.parametrize("name", IN_GRIDS)
def test_pages_are_prefetched(name: str) -> None:
    """The transfer of a page overlaps with the work on the one before: fewer cycles than one after the other."""
    waiting, overlapping = (simulate(lowered(text_of(name), passes)) for passes in (PROVED, PIPELINED))
    assert overlapping.cycles < waiting.cycles


@pytest.mark.quick
def test_an_entry_out_of_its_range_ends_the_run() -> None:
    (call, _) = gather()
    inputs = {"pool": call["pool"], "rows": np.array([0, 1, 2, 64, 4, 5], np.int32)}
    for passes in ("", PIPELINED):
        with pytest.raises(Diagnostic) as caught:
            Session(lowered(text_of("paged_gather"), passes)).run(inputs)
        assert "entry [3] of the table %rows is out of its range" in str(caught.value)
        assert "[0, 64)" in str(caught.value)
        assert "64" in caught.value.found


# Faults


def refusals(text: str, passes: str) -> str:
    with pytest.raises(Diagnostic) as caught:
        lowered(text, passes)
    return str(caught.value)


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("paged_gather", "[0, 64)", "[0, 65)"),
        ("paged_gather", "[0, 64)", "[-1, 64)"),
        ("paged_gather", "in [0, 64)", "in [0, 23) * 3"),
        ("paged_attention", "%table[%h, %i] in [0, 12)", "%table[%h, %i] in [0, 13)"),
    ],
)
def test_a_range_beyond_the_pool_is_refused(name: str, old: str, new: str) -> None:
    text = changed(text_of(name), (old, new))
    for passes in ("verify-memory", "expand-grid,verify-memory", "expand-grid,pipeline-dma,verify-memory"):
        found = refusals(text, passes)
        assert "(rule 'fill')" in found or "(rule 'inside')" in found


@pytest.mark.quick
def test_a_row_beyond_the_tail_page_is_refused() -> None:
    text = changed(text_of("paged_attention"), ("%position[%c0] in [0, 8)", "%position[%c0] in [0, 9)"))
    assert "(rule 'inside')" in refusals(text, "expand-grid,verify-memory")


@pytest.mark.quick
def test_c_is_refused_for_ranges_beyond_its_indices() -> None:
    text = changed(text_of("paged_gather"), ("[0, 64)", "[0, 2147483649)"))
    assert "(rule 'fill')" in refusals(text, "expand-grid,verify-memory")
    filled = changed(text, ("address 0 stages 2", "address 0 stages 2 fill 0 : i8"))
    assert "beyond that of int32_t" in refusals(filled, f"expand-grid,{TO_C}")


@pytest.mark.quick
@pytest.mark.parametrize("page", [7, 63])
def test_a_write_to_any_page_in_the_range_during_a_prefetch_is_refused(page: int) -> None:
    text = changed(text_of("paged_gather"), ("[0, 64)", "[0, 8)"))
    before = str(lowered(text, "expand-grid,pipeline-dma"))
    store = f"""%b = arith.constant 1 : i8
      %page = arith.constant {page} : index
      %z = arith.constant 0 : index
      memref.store %b, %pool[%page, %z] : memref<64x16xi8, "DRAM">
      hier.dma_wait"""
    after = before.replace("hier.dma_wait", store, 1)
    if page < 8:
        assert "(rule 'race')" in refusals(after, "verify-memory")
    else:
        lowered(after, "verify-memory")


@pytest.mark.quick
@pytest.mark.parametrize("page", [0, 15, 16])
def test_a_write_of_another_program_to_a_page_in_the_range_is_refused(page: int) -> None:
    old = '%t = hier.pop %s : !hier.stream<memref<1x4x16xi8, "SRAM">>'
    store = f"""{old}
        %page = arith.constant {page} : index
        %b = arith.constant 1 : i8
        memref.store %b, %pool[%page, %zero, %zero] : memref<32x4x16xi8, "DRAM">"""
    text = changed(text_of("paged_stream"), ("[0, 32)", "[0, 16)"), (old, store))
    if page < 16:
        assert "(rule 'race')" in refusals(text, "verify-memory")
    else:
        lowered(text, "verify-memory")


def test_a_tail_row_written_during_the_prefetch_of_its_page_is_refused() -> None:
    """The tail is written after the first page has been asked for, where data decide whether it is that page."""
    lines = str(lowered(text_of("paged_attention"), "expand-grid,pipeline-dma")).splitlines()
    start = next(number for number, line in enumerate(lines) if "scf.for %h" in line)
    end = next(number for number, line in enumerate(lines) if number > start and line == "    }") + 1
    fetched = [number for number, line in enumerate(lines) if "hier.dma_start" in line and "12x8x8" in line]
    first = next(number for number in fetched if number > end) + 1
    moved = [*lines[:start], *lines[end:first], *lines[start:end], *lines[first:]]
    assert "(rule 'race')" in refusals("\n".join(moved), "verify-memory")


@pytest.mark.quick
def test_a_table_that_the_loop_writes_is_not_looked_up_ahead() -> None:
    """Step i chooses the row of step i + 1: the next fetch waits for it, and the result is that of the grid."""
    text = changed(
        text_of("paged_gather"),
        ("    hier.yield", """    %one = arith.constant 1 : index
    %wrap = arith.constant 6 : index
    %zero = arith.constant 0 : index
    %next = arith.addi %i, %one : index
    %slot = arith.remui %next, %wrap : index
    %element = memref.load %row[%zero, %zero] : memref<1x16xi8, "SRAM">
    %wide = arith.extui %element : i8 to i32
    %mask = arith.constant 63 : i32
    %chosen = arith.andi %wide, %mask : i32
    memref.store %chosen, %rows[%slot] : memref<6xi32, "DRAM">
    hier.yield"""),
    )  # fmt: skip
    pool = np.random.default_rng(6).integers(0, 64, (64, 16)).astype(np.int8)
    row, expected = 9, list[Array]()
    for _ in range(6):
        expected.append(pool[row])
        row = int(pool[row, 0])
    for passes in ("", "expand-grid", "expand-grid,pipeline-dma"):
        given = {"pool": pool, "rows": np.full(6, 9, np.int32)}
        (found,) = Session(lowered(text, passes)).run(given).values()
        np.testing.assert_array_equal(found, np.stack(expected), err_msg=passes)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CALLS)
def test_each_missing_wait_is_refused(name: str) -> None:
    """A wait that may be left out is one for no transfer: the result stays, although data move at waits alone."""
    lines = str(lowered(text_of(name), "expand-grid,pipeline-dma")).splitlines()
    waits = [number for number, line in enumerate(lines) if "hier.dma_wait" in line]
    refused = 0
    for number in waits:
        text = "\n".join([*lines[:number], *lines[number + 1 :]])
        try:
            module = lowered(text, "verify-memory")
        except Diagnostic as error:
            refused += "(rule 'token')" in str(error) or "(rule 'race')" in str(error)
        else:
            check(name, module)
            refused += 1
    assert refused == len(waits) > 0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("paged_gather", "%rows[%i]", "%rows[5 - %i]"),
        ("paged_attention", "%v[%table[%h, %i]", "%v[%table[%h, 3 - %i]"),
        ("paged_attention", "%k[%table[%h, %i]", "%v[%table[%h, %i]"),
        ("paged_topk", "%k[%selected[%i]", "%k[%selected[2 - %i]"),
        ("paged_disk", "%table[%i]", "%table[4 - %i]"),
    ],
)
def test_other_pages_give_another_result(name: str, old: str, new: str) -> None:
    with pytest.raises(AssertionError):
        check(name, lowered(changed(text_of(name), (old, new)), PIPELINED))


# Grids that are refused


@pytest.mark.quick
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("%rows[%i] in [0, 64)", "%rows[%i] in [9, 9)", "the range of a table is empty: in [9, 9)"),
        ("%rows[%i] in", "%rows[%i + 1] in", "looked up outside of operand 0: indices 1 to 6 of 6 along axis 0"),
        ("%rows[%i] in", "%rows[%i, 0] in", "needs 1 indices of operand 0"),
        ("%rows[%i] in", "%pool[%i, 0] in", "no input of the grid|must be whole and in place"),
        ("%table = %rows :", '%table = %rows[0] [6] in "SRAM" address 64 :', "must be whole and in place"),
        ("%pool[%rows[%i]", "%pool[%other[%i]", "the table %other is no input of the grid"),
        ("%out[%i, 0]", "%out[%rows[%i] in [0, 6), 0]", "only inputs are looked up"),
    ],
)
def test_lookups_are_verified(old: str, new: str, message: str) -> None:
    found = refusals(changed(text_of("paged_gather"), (old, new)), "")
    assert any(each in found for each in message.split("|")), found


@pytest.mark.quick
def test_a_view_is_not_looked_up() -> None:
    view = 'memref<1x16xi8, strided<[16, 1], offset: ?>, "DRAM">'
    pairs = [
        ('[1, 16] in "SRAM" address 0 stages 2', "[1, 16]"),
        ('%to : memref<1x16xi8, "SRAM"> to', f"%to : {view} to"),
    ]
    assert "is looked up, and needs a level" in refusals(changed(text_of("paged_gather"), *pairs), "")


@pytest.mark.quick
def test_a_grid_that_writes_its_table_is_refused() -> None:
    """The next row is asked for before the element that names it is written."""
    pairs = [("64x16xi8", "64xi32"), (", 0] [1, 16]", "] [1]"), ("%out[%i] ", "%rows[%i] "), ("6x16xi8", "6xi32")]
    text = changed(text_of("paged_gather"), *pairs, ("1x16xi8", "1xi32"))
    assert "(rule 'in-place')" in refusals(text, "verify-memory")


def test_c_ends_at_an_entry_out_of_its_range() -> None:
    network = HostNetwork(render(lowered(text_of("paged_gather"), f"{PIPELINED},{TO_C}")), sanitize=True)
    (call, _) = gather()
    given = {"pool": call["pool"], "rows": np.array([0, 1, 2, 64, 4, 5], np.int32)}
    with pytest.raises(Diagnostic, match="failed under the sanitisers with status -"):
        network.run([given[port.name] for port in network.inputs])


@pytest.mark.quick
def test_a_grid_that_writes_the_pool_is_refused() -> None:
    """A page that any entry of the range may name has been written by an earlier step."""
    pairs = [("in [6]", "in [64]"), ("6xi32", "64xi32"), ("%out[%i, 0]", "%pool[%i, 0]"), ("6x16xi8", "64x16xi8")]
    text = text_of("paged_gather").replace("64x16xi8", "6x16xi8")
    assert "(rule 'in-place')" in refusals(changed(text, *pairs), "verify-memory")
