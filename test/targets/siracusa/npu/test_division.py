"""Kernels in two parts, one for the NPU: the same results wherever they are divided, and no later than whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.dialects.core.machine.attribute import machine_attr
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import functions
from tilewright.passes.map_engines import ATTRIBUTE
from tilewright.runtime.interpreter import run_module
from tilewright.targets.siracusa.npu.conversion import Conversion
from tilewright.targets.siracusa.npu.division import Divisible, Division, divide, divisible
from tilewright.targets.siracusa.npu.flow import KernelFlow
from tilewright.targets.siracusa.npu.kernel_ops import NpuKernelOp
from tilewright.targets.siracusa.npu.sharing import NpuChoice, Sharing
from tilewright.targets.siracusa.npu.sources import source_of
from tilewright.targets.siracusa.passes.convert_to_npu import convert_to_npu

SIRACUSA = find_machine("siracusa")
NPU, CLUSTER = SIRACUSA.engine("npu"), SIRACUSA.engine("cluster")
EPILOGUE = """epilogue(%b : tensor<{n}xi32>) at [affine_map<({dims}) -> ({last})>] {{
  ^bb0(%sum: i32, %bias: i32):
    %y = arith.addi %sum, %bias : i32
    linalg.yield %y : i32
  }}"""


def module_of(op: str, x: str, weights: np.ndarray[Any, Any], out: str, features: int) -> ModuleOp:
    rank = out.count("x")
    dims = ", ".join(f"d{axis}" for axis in range(rank))
    shape = "x".join(map(str, weights.shape))
    text = f"""func.func @network(%x: tensor<{x}>) -> tensor<{out}> {{
  %w = arith.constant dense<"0x{weights.tobytes().hex()}"> : tensor<{shape}xi8>
  %b = arith.constant dense<{list(range(features))}> : tensor<{features}xi32>
  %o = tensor.empty() : tensor<{out}>
  %y = {op.split()[0]} ins(%x, %w : tensor<{x}>, tensor<{shape}xi8>) outs(%o : tensor<{out}>) {op.partition(" ")[2]}
    {EPILOGUE.format(n=features, dims=dims, last=f"d{rank - 1}")}
  func.return %y : tensor<{out}>
}}"""
    module = parse_module(new_context(), text)
    module.attributes["hier.machine"] = machine_attr(SIRACUSA)
    return module


def product(features: int, depth: int, seed: int) -> ModuleOp:
    """Return the product of a row with a matrix, and a bias."""
    weights = np.random.default_rng(seed).integers(-128, 128, (features, depth), np.int8)
    return module_of(
        "nn.matmul {accumulator = i32, transpose_b}", f"1x{depth}xi8", weights, f"1x{features}xi32", features
    )


def convolution(height: int, window: int, pads: list[int], seed: int) -> ModuleOp:
    """Return a convolution of an image with few weights, and a bias."""
    weights = np.random.default_rng(seed).integers(-128, 128, (8, window, window, 4), np.int8)
    rows, columns = (n + a + b - window + 1 for n, a, b in ((height, *pads[::2]), (9, *pads[1::2])))
    op = f"nn.conv {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: {str(pads)[1:-1]}>"
    return module_of(
        f"{op}, groups = 1 : i64, accumulator = i32, channels_last}}",
        f"1x{height}x9x4xi8",
        weights,
        f"1x{rows}x{columns}x8xi32",
        8,
    )


products = st.builds(product, st.integers(2, 90), st.integers(1, 40), st.integers(0, 9))
pads = st.lists(st.integers(0, 2), min_size=4, max_size=4)
convolutions = st.builds(convolution, st.integers(3, 20), st.just(3), pads, st.integers(0, 9)) | st.builds(
    convolution, st.integers(3, 20), st.just(1), st.just([0] * 4), st.integers(0, 9)
)


def only_kernel(module: ModuleOp) -> Operation:
    return next(op for op in module.walk() if is_kernel(op))


def run(module: ModuleOp) -> Any:
    (function,) = functions(module)
    (argument,) = function.body.block.args
    shape = argument.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
    x = np.random.default_rng(7).integers(-128, 128, shape, np.int8)  # pyright: ignore[reportUnknownArgumentType]
    (result,) = run_module(module, {"arg0": x}).values()
    return result


def as_divisible(op: Operation) -> tuple[Conversion, Divisible | None]:
    conversion = Conversion(source_of(op))
    return conversion, divisible(conversion, NPU, CLUSTER, SIRACUSA)


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(products | convolutions, st.data())
def test_wherever_a_kernel_is_divided_it_computes_the_same(module: ModuleOp, data: st.DataObject):
    expected = run(module)
    op = only_kernel(module)
    conversion, found = as_divisible(op)
    conversion.undo()
    bound = 0 if found is None else kernel_of(op).bounds[found.loop]
    if found is None or bound < 2:
        return
    part = divide(op, Division(found.loop, data.draw(st.integers(1, bound - 1)), 0, None, 0), "npu", "cluster")
    if part is None:
        np.testing.assert_array_equal(run(module), expected)
        return
    for function in functions(module):
        convert_to_npu(module, function.body.block, "npu")
    verify(module)
    assert sum(isinstance(op, NpuKernelOp) for op in module.walk()) == 1
    np.testing.assert_array_equal(run(module), expected)


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(products | convolutions)
def test_parts_are_priced_as_kernels_of_their_own(module: ModuleOp):
    """What a part costs by the extents of its loop is what the kernel that does it costs."""
    op = only_kernel(module)
    conversion, found = as_divisible(op)
    ways = [] if found is None else list(found.divisions())
    conversion.undo()
    for way in ways[:1]:
        part = divide(op, way, "npu", "cluster")
        if part is None:
            continue
        kernels = {str(each.attributes[ATTRIBUTE]): each for each in module.walk() if is_kernel(each)}
        assert way.beside >= (SIRACUSA.cost(CLUSTER, kernels['"cluster"']) or 0)
        again = Conversion(source_of(part))
        assert way.npu == SIRACUSA.cost(NPU, again.kernel)
        again.undo()


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(230, 4000), min_size=4, max_size=4))
def test_divided_kernels_are_done_earlier(cycles: list[int]):
    flow = KernelFlow(next(iter(functions(product(64, 64, 0)))).body.block)
    (op,) = flow.kernels
    npu, beside, one, two = cycles
    sharing = Sharing(flow, SIRACUSA, NPU, {op: NpuChoice(op.operands[0], npu, None, (CLUSTER, beside))}, {op})
    way = Division(1, 32, one, None, two)
    for taken in ({op}, set[Operation]()):
        whole = sharing.cycles(flow.kernels, taken)
        chosen = sharing.divided(taken, {op: [way]})
        assert (op in chosen) == (sharing.cycles(flow.kernels, taken, {op: way}) < 0.9 * whole)


def test_a_kernel_with_many_weights_is_not_divided_by_rows():
    small, large = convolution(20, 3, [1] * 4, 0), convolution(20, 3, [1] * 4, 0)
    conversion, found = as_divisible(only_kernel(small))
    assert found is not None
    assert found.axis == 1
    conversion.undo()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tilewright.targets.siracusa.npu.division.DOUBLED", 8 * 3 * 3 * 4 - 1)
        assert as_divisible(only_kernel(large))[1] is None


def test_divided_kernels_are_joined():
    module = product(640, 128, 3)
    expected = run(module)
    for function in functions(module):
        convert_to_npu(module, function.body.block, "npu")
    assert any(isinstance(op, tensor.ConcatOp) for op in module.walk())
    np.testing.assert_array_equal(run(module), expected)
