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
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.machines.make import FOLDER, library

SEEDS = 100
TEXTS = {
    name: (FOLDER / "programs" / f"mesh_{name}.mlir").read_text(encoding="utf-8") for name in ("attention", "split_k")
}


def module_of(text: str) -> ModuleOp:
    module = parse_module(new_context(), text)
    attach_machine(module, library("mesh_4x4"))
    verify(module)
    return module


def attention(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    scores = np.einsum("hrd,hcd->hrc", q, k)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("hrc,hcd->hrd", weights / weights.sum(axis=-1, keepdims=True), v)


def wanted(name: str, inputs: dict[str, Array]) -> NDArray[Any]:
    if name == "attention":
        return attention(inputs["q"], inputs["k"], inputs["v"])
    return inputs["a"].astype(np.int32) @ inputs["b"].astype(np.int32)


@pytest.mark.parametrize("name", list(TEXTS))
def test_the_program_is_proved_and_equal(name: str) -> None:
    module = module_of(TEXTS[name])
    text = print_ir(module)
    assert print_ir(parse_module(new_context(), text)) == text
    verify_memory(module)
    inputs = random_inputs(module, 0)
    (found,) = run_module(module, inputs).values()
    np.testing.assert_allclose(found, wanted(name, inputs), rtol=1e-5, atol=1e-5)


def test_the_result_is_the_same_in_all_interleavings() -> None:
    module = module_of(TEXTS["split_k"])
    inputs = random_inputs(module, 0)
    for seed in range(SEEDS):
        np.testing.assert_array_equal(run_module(module, inputs, interleave=seed)["c"], wanted("split_k", inputs))


def test_the_ring_is_the_same_in_interleavings() -> None:
    module = module_of(TEXTS["attention"])
    inputs = random_inputs(module, 0)
    expected = run_module(module, inputs)["y"]
    for seed in range(6):
        np.testing.assert_array_equal(run_module(module, inputs, interleave=seed)["y"], expected)


FAULTS: list[tuple[str, str, str, str]] = [
    ("attention", "depth 2", "depth 1", "'node.*' blocks forever at 'hier.reserve'"),
    ("attention", "hier.dma_wait %k_sent\n", "", "'hier.push' hands on a slot that 'hier.dma_start' still accesses"),
    ("attention", "hier.dma_wait %tq\n", "", "which a transfer still writes"),
    ("attention", "arith.remui %around, %four", "arith.remui %around, %eight", "an instance that does not exist"),
    ("attention", "hier.release %v_ring[%h, %p]", "hier.release %v_ring[%h, %left]", "rule 'balance'"),
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


@pytest.mark.parametrize(
    ("name", "old", "new"), [fault[:3] for fault in FAULTS if fault[0] == "split_k" and "[4, 5]" not in fault[2]]
)
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
    return not np.array_equal(found, wanted("split_k", inputs))


MAIN = """
#include <stdio.h>

void network_run(PARAMETERS);

int main(void)
{
    READS
    network_run(ARGUMENTS);
    return fwrite(OUTPUT, sizeof OUTPUT, 1, stdout) == 1 ? 0 : 1;
}
"""
ARRAYS = {
    "attention": ("float q[1024]", "float k[1024]", "float v[1024]", "float y[1024]"),
    "split_k": ("signed char a[512]", "signed char b[512]", "int c[256]"),
}


@pytest.mark.parametrize("name", list(TEXTS))
@pytest.mark.parametrize("flags", [["-O2"], ["-O1", "-fsanitize=thread"]])
def test_sixteen_threads_compute_the_same(name: str, flags: list[str], tmp_path: Path) -> None:
    module = module_of(TEXTS[name])
    inputs = random_inputs(module, 0)
    (expected,) = run_module(module, inputs).values()
    passes = parse_pipeline("outline-kernels,convert-dma-to-loops,convert-kernels-to-loops", all_passes())
    PassManager().run(module, passes, new_context())
    convert_to_emitc(module)
    (tmp_path / "network.c").write_text(render(module).text(), encoding="utf-8")
    (tmp_path / "main.c").write_text(main_of(ARRAYS[name]), encoding="utf-8")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["gcc", *strict, *flags, "network.c", "main.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
    data = b"".join(array.tobytes() for array in inputs.values())
    for _ in range(5):
        ran = subprocess.run(["./main"], cwd=tmp_path, input=data, capture_output=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")
        found = np.frombuffer(ran.stdout, expected.dtype).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-5 if name == "attention" else 0)


def main_of(arrays: Sequence[str]) -> str:
    names = [array.split()[-1].partition("[")[0] for array in arrays]
    made = "".join(f"static {array};\n    " for array in arrays)
    reads = "".join(f"if (fread({name}, sizeof {name}, 1, stdin) != 1)\n        return 1;\n    " for name in names[:-1])
    text = MAIN.replace("PARAMETERS", ", ".join(arrays)).replace("ARGUMENTS", ", ".join(names))
    return text.replace("READS", made + reads).replace("OUTPUT", names[-1])
