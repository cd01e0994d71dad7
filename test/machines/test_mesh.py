"""Programs of the mesh: proved, equal to NumPy in any interleaving, and refused with a fault planted."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import ConcurrentOp
from tilewright.dialects.hier.shards import COMBINATIONS
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.lower_sharded import LowerShardedPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.machines.make import FOLDER, library

NAMES = ("split_k", "sharded_attention", "sharded_split_k", "sub_arrays")
TEXTS = {name: (FOLDER / "programs" / f"mesh_{name}.mlir").read_text(encoding="utf-8") for name in NAMES}


def module_of(text: str) -> ModuleOp:
    module = parse_module(new_context(), text)
    attach_machine(module, library("mesh_4x4"))
    verify(module)
    return module


def verified(module: ModuleOp) -> None:
    verify(module)
    verify_memory(module)


def lowered(text: str) -> ModuleOp:
    module = module_of(text)
    LowerShardedPass().apply(new_context(), module)
    verify(module)
    return module


def fused(text: str) -> ModuleOp:
    module = lowered(text)
    PassManager().run(module, parse_pipeline("fuse-programs,hoist-transfers", all_passes()), new_context())
    verify(module)
    return module


def attention(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    scores = np.einsum("hrd,hcd->hrc", q, k)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("hrc,hcd->hrd", weights / weights.sum(axis=-1, keepdims=True), v)


def wanted(name: str, inputs: dict[str, Array]) -> dict[str, NDArray[Any]]:
    if "attention" in name:
        return {"y": attention(inputs["q"], inputs["k"], inputs["v"])}
    a, b = inputs["a"].astype(np.int32), inputs["b"].astype(np.int32)
    if name == "sub_arrays":
        return {"y": a * a, "z": (b + np.roll(b, 2, axis=1)).sum(axis=0, keepdims=True, dtype=np.int32)}
    if name == "sharded_split_k":
        return {"c": (a @ b[0])[:, None]}
    return {"c": a @ b}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NAMES)
def test_the_program_is_proved_and_equal(name: str) -> None:
    module = fused(TEXTS[name])
    text = print_ir(module)
    assert print_ir(parse_module(new_context(), text)) == text
    verify_memory(module)
    inputs = random_inputs(module, 0)
    found, timed = run_module(module, inputs), TimedSession(module).run(inputs)
    for output, expected in wanted(name, inputs).items():
        np.testing.assert_allclose(found[output], expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(timed[output], found[output])


@pytest.mark.parametrize("name", ["sharded_attention", "sharded_split_k", "sub_arrays"])
def test_sharded_values_are_moved_as_their_ops_say(name: str) -> None:
    module = module_of(TEXTS[name])
    text = print_ir(module)
    assert print_ir(parse_module(new_context(), text)) == text
    inputs = random_inputs(module, 0)
    direct, moved = run_module(module, inputs), run_module(lowered(TEXTS[name]), inputs)
    assert all(np.array_equal(moved[output], direct[output]) for output in direct)
    with pytest.raises(Diagnostic, match="moves the shards of values between instances"):
        verify_memory(module)


@pytest.mark.parametrize(("name", "programs"), [("sharded_attention", 1), ("sharded_split_k", 1), ("sub_arrays", 6)])
def test_programs_one_after_the_other_are_fused(name: str, programs: int) -> None:
    """Those of the halves of the mesh are over other instances."""
    module = fused(TEXTS[name])
    assert sum(isinstance(op, ConcurrentOp) for op in module.walk()) == programs
    before, after = simulate(lowered(TEXTS[name])), simulate(module)
    assert after.cycles < before.cycles if programs == 1 else after.cycles == before.cycles


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "seeds"), [("split_k", 30), ("sharded_split_k", 25), ("sub_arrays", 20)])
def test_the_result_is_the_same_in_all_interleavings(name: str, seeds: int) -> None:
    module = fused(TEXTS[name])
    inputs = random_inputs(module, 0)
    for seed in range(seeds):
        found = run_module(module, inputs, interleave=seed)
        for output, expected in wanted(name, inputs).items():
            np.testing.assert_array_equal(found[output], expected)


def test_the_ring_is_the_same_in_interleavings() -> None:
    module = fused(TEXTS["sharded_attention"])
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)["y"]
    for seed in range(6):
        np.testing.assert_array_equal(run_module(module, inputs, interleave=seed)["y"], expected)


FAULTS: list[tuple[str, str, str, str]] = [
    ("split_k", "arith.addi %j, %one", "arith.addi %j, %eight", "an instance that does not exist"),
    ("split_k", "hier.release %sums[%i, %j]", "hier.release %sums[%i, %zero]", "rule 'balance'"),
    ("split_k", "hier.dma_wait %ta\n", "", "which a transfer still writes"),
    ("split_k", "hier.dma_wait %ts\n", "", "'hier.push' hands on a slot that 'hier.dma_start' still accesses"),
    ("split_k", "arith.addi %j, %one", "arith.addi %j, %three", "'node.*' blocks forever at 'hier.pop'"),
    ("split_k", "hier.pop %sums[%i, %j]", "hier.pop %sums[%j, %i]", r"in the memory of instance \[1, 2\]"),
    ("split_k", "arith.cmpi ugt, %j, %zero", "arith.cmpi ugt, %j, %one", "slots are left in the stream"),
    (
        "split_k",
        '%ts = hier.dma_start %own_c[%zero, %zero] to %slot : memref<4x16xi32, "NODE">, memref<4x16xi32, "NODE">\n'
        "        hier.dma_wait %ts\n",
        'linalg.add ins(%own_c, %own_c : memref<4x16xi32, "NODE">, memref<4x16xi32, "NODE">) '
        'outs(%slot : memref<4x16xi32, "NODE">)\n',
        r"in the memory of instance \[0, 1\]",
    ),
    ("split_k", "(%i, %j) in [4, 4]", "(%i, %j) in [4, 5]", "20 instances of 'array'"),
    ("split_k", 'NODE"> over [4, 4]', 'NODE"> over [4, 5]', "20 instances of NODE"),
    ("split_k", "arith.muli %i, %four", "arith.muli %i, %three", "another program accesses in no order"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), FAULTS)
def test_a_fault_is_refused(name: str, old: str, new: str, said: str) -> None:
    assert old in TEXTS[name]
    module = module_of(TEXTS[name].replace(old, new, -1 if "over" in old else 1))
    with pytest.raises(Diagnostic, match=said):
        verify_memory(module)


@pytest.mark.parametrize(("name", "old", "new"), [fault[:3] for fault in FAULTS if "[4, 5]" not in fault[2]])
def test_what_is_refused_goes_wrong(name: str, old: str, new: str) -> None:
    """Some interleaving of a refused program stops, or computes something else."""
    module = module_of(TEXTS[name].replace(old, new, 1))
    inputs = random_inputs(module, 0)
    assert any(goes_wrong(module, inputs, seed) for seed in range(20))


def goes_wrong(module: ModuleOp, inputs: dict[str, Array], seed: int) -> bool:
    try:
        found = run_module(module, inputs, interleave=seed)["c"]
    except Diagnostic:
        return True
    return not np.array_equal(found, wanted("split_k", inputs)["c"])


REFUSED: list[tuple[str, str, str, str]] = [
    ("sharded_split_k", "%partial to %total along 1", "%partial to %total along 0", "an axis with an element for each"),
    ("sharded_split_k", "along 0 : !one_b", "along 1 : !one_b", "an axis with an element for each"),
    ("sharded_split_k", "(d0 floordiv 4, 3)", "(d0 floordiv 8, 3)", "the other axes sharded alike"),
    ("sharded_split_k", "(d0 floordiv 4, 3)", "(d0 floordiv 4, 4)", "an instance that does not exist"),
    ("sharded_split_k", "(d0 floordiv 4, d1 floordiv 8)", "(d0 floordiv 4, d1 floordiv 9)", "boxes of equal shape"),
    ("sharded_split_k", "(d0 floordiv 4, d1 floordiv 8)", "(d0 floordiv 4, d1 mod 4)", "boxes of equal shape"),
    ("sharded_split_k", "%all_a[%i, %j]", "%all_a[%j, %i]", "an instance has its own shard alone; move"),
    ("sub_arrays", "in [2, 4] from [2, 0]", "in [2, 4] from [1, 0]", "'squares' over .* and 'sums' over"),
    ("sub_arrays", "in [2, 4] from [2, 0]", "in [2, 4] from [2]", "expected 2 first coordinates"),
    ("sub_arrays", "along 1 by 1", "along 2 by 1", "expected one of 2 coordinates, found 2"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), REFUSED)
def test_a_value_is_not_sharded_wrongly(name: str, old: str, new: str, said: str) -> None:
    assert old in TEXTS[name]
    with pytest.raises(Diagnostic, match=said):
        module_of(TEXTS[name].replace(old, new))


OTHER: list[tuple[str, str, str]] = [
    ("sharded_attention", "%all_k along 1 by -1", "%all_k along 1 by -2"),
    ("sharded_attention", "%all_k along 1 by -1", "%all_k along 0 by -1"),
    ("sub_arrays", "along 1 by 1", "along 1 by -1"),
    ("sub_arrays", "reduce add", "reduce max"),
]


@pytest.mark.parametrize(("name", "old", "new"), OTHER)
def test_another_movement_has_another_result(name: str, old: str, new: str) -> None:
    assert old in TEXTS[name]
    module = lowered(TEXTS[name].replace(old, new))
    inputs = random_inputs(module, 0)
    found = run_module(module, inputs)
    assert not all(np.allclose(found[output], expected) for output, expected in wanted(name, inputs).items())


TOTAL = "%total = memref.alloc() :"
LARGE, OUTSIDE = (
    f'%more = memref.alloc() : memref<{shape}, #hier.sharded<"NODE" over [8, 4] (d0, d1, d2) -> (d0, d1)>>\n  {TOTAL}'
    for shape in ("4x4x16384xi32", "8x4x1xi32")
)
UNPROVED: list[tuple[str, str, str, str]] = [
    ("sub_arrays", "in [2, 4] from [2, 0]", "in [2, 4] from [3, 0]", r"instance \[4, 3\]"),
    ("sharded_split_k", "memref.copy %b, %one_b : memref<1x32x16xi8> to !one_b\n", "", "which nothing has written"),
    ("sharded_split_k", "(%i, %j) in [4, 4]", "(%i, %j) in [5, 4]", "20 instances of 'array'"),
    ("sub_arrays", "(%i, %j) in [2, 4] {", "(%i, %j) in [1, 8] {", r"instance \[0, 7\]"),
    ("sharded_split_k", TOTAL, OUTSIDE, "a sharded value is over 32 instances of NODE"),
    ("sharded_split_k", TOTAL, LARGE, r"are larger than instance \[0, 0\] of NODE"),
]


def test_an_instance_without_a_shard_has_none() -> None:
    module = lowered(TEXTS["sub_arrays"].replace("(d0 + 2, d1 floordiv 2)", "(d0 + 1, d1 floordiv 2)"))
    with pytest.raises(Diagnostic, match=r"instance \[3, 0\] holds no shard of the value"):
        verify_memory(module)
    with pytest.raises(Diagnostic, match=r"instance \[3, .\] holds no shard of the value"):
        run_module(module, random_inputs(module, 0))


def test_sharded_values_are_lowered_before_c() -> None:
    module = module_of(TEXTS["sub_arrays"].replace("memref.alloc()", "memref.alloca()"))
    with pytest.raises(Diagnostic, match="accesses a sharded value"):
        convert_to_emitc(module)
    with pytest.raises(Diagnostic, match="moves the shards of values between instances"):
        simulate(module)


ARGUMENT = """
!rows = memref<4x8xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1) -> (d0, d1 floordiv 2)>>
func.func @network(%k: !rows) {
  hier.concurrent {
    hier.program "node" on "array" over (%h, %p) in [4, 4] {
      %own = hier.local %k[%h, %p] : !rows -> memref<1x2xi32, "NODE">
      linalg.add ins(%own, %own : memref<1x2xi32, "NODE">, memref<1x2xi32, "NODE">) outs(%own : memref<1x2xi32, "NODE">)
    }
  }
  func.return
}
"""


def test_a_sharded_value_is_allocated() -> None:
    with pytest.raises(Diagnostic, match="the shards of %k are in no memory of instances"):
        verify_memory(module_of(ARGUMENT))
    with pytest.raises(Diagnostic, match="accesses a sharded value, whose elements have no single memory"):
        convert_to_emitc(module_of(ARGUMENT))
    with pytest.raises(Diagnostic, match="argument 0 is sharded"):
        lowered(ARGUMENT)


@pytest.mark.parametrize(("name", "old", "new", "said"), UNPROVED)
def test_a_wrong_program_over_shards_is_refused(name: str, old: str, new: str, said: str) -> None:
    assert old in TEXTS[name]
    module = lowered(TEXTS[name].replace(old, new))
    with pytest.raises(Diagnostic, match=said):
        verify_memory(module)


LOWERED: list[tuple[str, str, str]] = [
    ("hier.release %ring", "", "slots are left in the stream"),
    ("hier.dma_wait", "", "which a transfer still|still accesses"),
    ("hier.push %ring", "", "no program pushes to the stream"),
]


@pytest.mark.parametrize(("start", "new", "said"), LOWERED)
def test_a_fault_in_what_a_shift_becomes_is_refused(start: str, new: str, said: str) -> None:
    lines = print_ir(lowered(TEXTS["sub_arrays"])).splitlines()
    inside = next(index for index, line in enumerate(lines) if '"shift"' in line)
    at = next(index for index, line in enumerate(lines) if index > inside and line.strip().startswith(start))
    module = parse_module(new_context(), "\n".join([*lines[:at], new, *lines[at + 1 :]]))
    with pytest.raises(Diagnostic, match=said):
        verified(module)


ROW = """
!all = memref<2x4x2xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0 + 1, d1)>>
!one = memref<2x1x2xi32, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0 + 1, HELD)>>
func.func @network(%x: FROM {onnx.name = "x"}, %y: TO {onnx.name = "y", tilewright.output}) {
  %here = memref.alloc() : SOURCE
  %there = memref.alloc() : TARGET
  memref.copy %x, %here : FROM to SOURCE
  OP along 1 REST
  memref.copy %there, %y : TARGET to TO
  func.return
}
"""


def moving(op: str, source: str, target: str, by: int | None = None, held: int = 0) -> str:
    """Return a program with one op on values over the middle rows of the mesh."""
    text, rest = ROW, "" if by is None else f"by {by} "
    types = f": !{source}" if source == target else f": !{source}, !{target}"
    plain = {"all": "memref<2x4x2xi32>", "one": "memref<2x1x2xi32>"}
    pairs = {"OP": f"hier.{op} %here to %there", "REST": rest + types, "HELD": str(held)}
    pairs |= {"FROM": plain[source], "TO": plain[target], "SOURCE": f"!{source}", "TARGET": f"!{target}"}
    for old, new in pairs.items():
        text = text.replace(old, new)
    return text


def test_a_shift_by_two_needs_two_slots() -> None:
    text = print_ir(lowered(moving("shift", "all", "all", 2)))
    assert "%ring = hier.stream depth 2" in text
    module = parse_module(new_context(), text.replace("%ring = hier.stream depth 2", "%ring = hier.stream depth 1"))
    with pytest.raises(Diagnostic, match=r"'shift.*' blocks forever at 'hier.reserve'"):
        verify_memory(module)


ALL: NDArray[Any] = np.random.default_rng(0).integers(-9, 9, (2, 4, 2), np.int32)
ONE: NDArray[Any] = ALL[:, :1]
FOLDED: dict[str, NDArray[Any]] = {
    "add": ALL.sum(1, np.int32, keepdims=True),
    "mul": ALL.prod(1, np.int32, keepdims=True),
    "max": ALL.max(1, keepdims=True),
    "min": ALL.min(1, keepdims=True),
}
MOVES: list[tuple[str, NDArray[Any], NDArray[Any]]] = [
    *((moving("shift", "all", "all", by), ALL, np.roll(ALL, by, 1)) for by in range(-5, 5)),
    *((moving("broadcast", "one", "all", held=held), ONE, np.repeat(ONE, 4, 1)) for held in range(4)),
    *((moving(f"reduce {kind}", "all", "one", held=n), ALL, FOLDED[kind]) for n, kind in enumerate(COMBINATIONS)),
    (moving("reduce add", "all", "all"), ALL, np.repeat(FOLDED["add"], 4, 1)),
]
"""Programs, each with its input and its output."""


@pytest.mark.sample(5)
@pytest.mark.parametrize(("text", "given", "expected"), MOVES)
def test_shards_move_along_a_row(text: str, given: NDArray[Any], expected: NDArray[Any]) -> None:
    module = module_of(text)
    inputs = random_inputs(module, 0) | {"x": given}
    np.testing.assert_array_equal(run_module(module, inputs)["y"], expected)
    for module in (lowered(text), fused(text)):
        verify_memory(module)
        np.testing.assert_array_equal(run_module(module, inputs, interleave=0)["y"], expected)
        np.testing.assert_array_equal(TimedSession(module).run(inputs)["y"], expected)


MAIN = """
#include <stdio.h>

void network_run(PARAMETERS);

int main(void)
{
    READS
    network_run(ARGUMENTS);
    return WRITES ? 0 : 1;
}
"""
ARRAYS = {
    "split_k": ("signed char a[512]", "signed char b[512]", "int c[256]"),
    "sharded_attention": ("float q[1024]", "float k[1024]", "float v[1024]", "float y[1024]"),
    "sharded_split_k": ("signed char a[512]", "signed char b[512]", "int c[256]"),
    "sub_arrays": ("int a[64]", "int b[64]", "int y[64]", "int z[8]"),
}
"""Inputs and outputs of each program in C."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("flags", [["-O2"], ["-O1", "-fsanitize=thread"]])
def test_sixteen_threads_compute_the_same(name: str, flags: list[str], tmp_path: Path) -> None:
    module = fused(TEXTS[name])
    inputs = random_inputs(module, 0)
    results = run_module(module, inputs)
    expected = np.concatenate([array.reshape(-1) for array in results.values()])
    passes = parse_pipeline("outline-kernels,convert-dma-to-loops,convert-kernels-to-loops", all_passes())
    PassManager().run(module, passes, new_context())
    convert_to_emitc(module)
    (tmp_path / "network.c").write_text(render(module).text(), encoding="utf-8")
    (tmp_path / "main.c").write_text(main_of(ARRAYS[name], len(results)), encoding="utf-8")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["gcc", *strict, *flags, "network.c", "main.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    data = b"".join(array.tobytes() for array in inputs.values())
    for _ in range(5):
        ran = subprocess.run(["./main"], cwd=tmp_path, input=data, capture_output=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")
        found = np.frombuffer(ran.stdout, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=1e-5 if "attention" in name else 0)


def main_of(arrays: Sequence[str], outputs: int) -> str:
    names = [array.split()[-1].partition("[")[0] for array in arrays]
    made = "".join(f"static {array};\n    " for array in arrays)
    inputs, results = names[:-outputs], names[-outputs:]
    reads = "".join(f"if (fread({name}, sizeof {name}, 1, stdin) != 1)\n        return 1;\n    " for name in inputs)
    writes = " && ".join(f"fwrite({name}, sizeof {name}, 1, stdout) == 1" for name in results)
    text = MAIN.replace("PARAMETERS", ", ".join(arrays)).replace("ARGUMENTS", ", ".join(names))
    return text.replace("READS", made + reads).replace("WRITES", writes)
