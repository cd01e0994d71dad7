"""Weights that the far level has no room for are the NPU's, which has a memory for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tilewright.dialects.core.machine.attribute import machine_attr
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.nn import MatmulOp
from tilewright.ir import functions, shape_of
from tilewright.runtime.interpreter import run_module
from tilewright.targets.siracusa.npu.kernel_ops import NpuKernelOp
from tilewright.targets.siracusa.passes.convert_to_npu import convert_to_npu
from tilewright.test.machines.make import load_text

COUNT, LENGTH = 12, 128
SIZE = LENGTH * LENGTH
TYPE, ROW = f"tensor<{LENGTH}x{LENGTH}xi8>", f"tensor<1x{LENGTH}xi8>"
PRODUCT = f"""
  %w{{n}} = arith.constant dense<"0x{{weights}}"> : {TYPE}
  %x{{n}} = nn.matmul ins(%x{{before}}, %w{{n}} : {ROW}, {TYPE}) outs(%o : {ROW})
    {{{{accumulator = i32, transpose_b}}}} epilogue() at [] {{{{
  ^bb0(%sum: i32):
    %byte = arith.trunci %sum : i32 to i8
    linalg.yield %byte : i8
  }}}}"""


def chain(machine: Machine) -> ModuleOp:
    """Return products of a row, each of the result of the one before with weights of its own."""
    rng = np.random.default_rng(0)
    products = "".join(
        PRODUCT.format(n=n, before=n - 1, weights=rng.integers(-9, 9, (LENGTH, LENGTH)).astype(np.int8).tobytes().hex())
        for n in range(1, COUNT + 1)
    )
    module = parse_module(
        new_context(),
        f"""func.func @network(%x0: {ROW}) -> {ROW} {{
  %o = tensor.empty() : {ROW}{products}
  func.return %x{COUNT} : {ROW}
}}""",
    )
    module.attributes["hier.machine"] = machine_attr(machine)
    return module


def siracusa(folder: Path, far: int, own: str = "4MiB", name: str = "siracusa") -> Machine:
    """Return Siracusa with so many bytes of L2, and of weight memory where it has one."""
    text = f'include = "{name}"\n[levels.L2]\nsize = {far}\n'
    return load_text(text + (f'[levels.WMEM]\nsize = "{own}"\n' if own else ""), folder)


def elsewhere(module: ModuleOp) -> int:
    """Return the bytes of weights that engines other than the NPU read."""
    ops: list[Operation] = [op for op in module.walk() if isinstance(op, MatmulOp)]
    return sum(int(np.prod(shape_of(op.operands[1]))) for op in ops)


def converted(machine: Machine) -> ModuleOp:
    module = chain(machine)
    inputs: dict[str, Any] = {"arg0": np.random.default_rng(1).integers(-128, 128, (1, LENGTH)).astype(np.int8)}
    (expected,) = run_module(module, inputs).values()
    for function in functions(module):
        convert_to_npu(module, function.body.block, "npu")
    verify(module)
    (found,) = run_module(module, inputs).values()
    np.testing.assert_array_equal(found, expected)
    return module


def test_what_has_no_room_in_the_far_level_is_the_npus(tmp_path: Path):
    free = elsewhere(converted(siracusa(tmp_path, 1 << 20)))
    assert free >= 3 * SIZE
    for far in (3 * SIZE, 2 * SIZE):
        assert elsewhere(converted(siracusa(tmp_path, far))) <= far - 4 * LENGTH
    tight = converted(siracusa(tmp_path, 4 * LENGTH))
    assert elsewhere(tight) == 0
    assert sum(isinstance(op, NpuKernelOp) for op in tight.walk()) == COUNT


@pytest.mark.parametrize(("own", "name"), [("32KiB", "siracusa"), ("", "siracusa/npu")], ids=["small", "none"])
def test_the_npus_memory_holds_no_more_than_it_can(own: str, name: str, tmp_path: Path):
    """Where it is full, or there is none, the rest stays where it was; that it does not fit is said later."""
    free = elsewhere(converted(siracusa(tmp_path, 1 << 20, own, name)))
    found = elsewhere(converted(siracusa(tmp_path, 4 * LENGTH, own, name)))
    assert free - found <= (32 << 10 if own else 0)
    assert found > 0
