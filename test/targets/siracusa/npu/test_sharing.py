"""Kernels that NPU and cores share: what depends on what, never later than apart, and the same results."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import machine_attr
from tilewright.dialects.core.machine.file import load_machine, machine_path
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import functions
from tilewright.passes.overlap.runs import KernelRun, cycles_of_runs
from tilewright.runtime.interpreter import run_module
from tilewright.targets.siracusa.npu.division import Division
from tilewright.targets.siracusa.npu.flow import KernelFlow
from tilewright.targets.siracusa.npu.kernel_ops import NpuKernelOp
from tilewright.targets.siracusa.npu.sharing import NpuChoice, Sharing
from tilewright.targets.siracusa.passes.convert_to_npu import convert_to_npu

SIRACUSA = load_machine(machine_path("siracusa"))
LENGTH = 64
ROW = f"tensor<1x{LENGTH}xi8>"
WEIGHTS = f"tensor<{LENGTH}x{LENGTH}xi8>"
PRODUCT = f"""
  %v{{number}} = nn.matmul ins(%v{{source}}, %w : {ROW}, {WEIGHTS}) outs(%o : {ROW})
    {{{{accumulator = i32, transpose_b}}}} epilogue() at [] {{{{
  ^bb0(%sum: i32):
    %byte = arith.trunci %sum : i32 to i8
    linalg.yield %byte : i8
  }}}}"""

sources = st.lists(st.integers(0, 8), min_size=2, max_size=8).map(
    lambda drawn: [each % (number + 1) for number, each in enumerate(drawn)]
)
"""What each product reads: 0 is the input, n the result of product n."""


def network(sources: list[int], weights: object = 1) -> ModuleOp:
    """Return products of one row, all results returned."""
    products = "".join(PRODUCT.format(number=n, source=source) for n, source in enumerate(sources, 1))
    names = ", ".join(f"%v{n}" for n in range(1, len(sources) + 1))
    types = ", ".join([ROW] * len(sources))
    module = parse_module(
        new_context(),
        f"""func.func @network(%v0: {ROW}) -> ({types}) {{
  %w = arith.constant dense<{weights}> : {WEIGHTS}
  %o = tensor.empty() : {ROW}{products}
  func.return {names} : {types}
}}""",
    )
    module.attributes["hier.machine"] = machine_attr(SIRACUSA)
    return module


def ancestors(sources: list[int], number: int) -> set[int]:
    """Return the products from which what a product reads follows."""
    source = sources[number - 1]
    return {source} | ancestors(sources, source) if source else set()


@settings(max_examples=10, deadline=None, derandomize=True, database=None)
@given(sources, st.data())
def test_shared_kernels_are_done_no_later(sources: list[int], data: st.DataObject):
    flow = KernelFlow(next(iter(functions(network(sources)))).body.block)
    for (i, first), (j, second) in combinations(enumerate(flow.kernels, 1), 2):
        assert flow.needs(second.operands[0], first) == (i in ancestors(sources, j))
        assert not flow.needs(first.operands[0], second)
    cluster, npu = SIRACUSA.engine("cluster"), SIRACUSA.engine("npu")
    cycles = st.integers(230, 2000)
    elsewhere = {op: data.draw(cycles) for op in flow.kernels}
    choices = {
        op: NpuChoice(op.operands[0], data.draw(cycles), data.draw(st.none() | st.just(100)), (cluster, elsewhere[op]))
        for op in flow.kernels
    }
    sharing = Sharing(flow, SIRACUSA, npu, choices, set(flow.kernels))
    alone = {op for op, choice in choices.items() if choice.is_faster}
    assert sharing.cycles(flow.kernels, sharing.improved(alone)) <= sharing.cycles(flow.kernels, alone)
    assert sharing.cycles(flow.kernels, set()) == sum(elsewhere.values())


def test_jobs_run_beside_what_does_not_need_them():
    cluster, npu = SIRACUSA.engine("cluster"), SIRACUSA.engine("npu")
    runs = [KernelRun.on(npu, 1000, set()), KernelRun.on(cluster, 500, set()), KernelRun.on(cluster, 300, {0})]
    assert cycles_of_runs(runs) == 1300
    assert cycles_of_runs([*runs[:2], KernelRun.on(cluster, 300, {1})]) == npu.setup + 800


def test_all_of_a_chain_are_divided_where_one_alone_gains_little():
    flow = KernelFlow(next(iter(functions(network([0, 1, 2, 3, 4, 5])))).body.block)
    cluster, npu = SIRACUSA.engine("cluster"), SIRACUSA.engine("npu")
    choices = {op: NpuChoice(op.operands[0], 1950, None, (cluster, 2600)) for op in flow.kernels}
    sharing = Sharing(flow, SIRACUSA, npu, choices, set(flow.kernels))
    halves = Division(1, 32, 1000, None, 750)
    found = sharing.divided(set(flow.kernels), {op: [halves] for op in flow.kernels})
    assert found == dict.fromkeys(flow.kernels, halves)
    assert sharing.cycles(flow.kernels, set(flow.kernels), found) == 6 * halves.npu


def test_shared_products_compute_the_same():
    random = np.random.default_rng(1)
    inputs: dict[str, Any] = {"arg0": random.integers(-128, 128, (1, LENGTH)).astype(np.int8)}
    module = network([0, 0, 0, 2, 2], random.integers(-9, 9, (LENGTH, LENGTH)).tolist())
    expected = run_module(module, inputs)
    for function in functions(module):
        convert_to_npu(module, function.body.block, "npu")
    verify(module)
    assert any(isinstance(op, NpuKernelOp) for op in module.walk())
    found = run_module(module, inputs)
    assert found.keys() == expected.keys()
    for name, values in found.items():
        np.testing.assert_array_equal(values, expected[name])
