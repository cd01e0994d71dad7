"""Buffers: who writes where, what is copied, and that nothing alive is overwritten."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array, functions
from tilewright.passes.bufferize import bufferize
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.levels import run_buffers

pytestmark = pytest.mark.quick

CONTEXT = new_context()
T = "tensor<2x4xi8>"


def double(result: str, *operands: str, body: str = "arith.addi %p0, %p0 : i8", out: str = "") -> str:
    """Return an elementwise kernel over tensors of 2x4xi8; %p0, %p1 are the operands' elements."""
    maps = ", ".join(["affine_map<(d0, d1) -> (d0, d1)>"] * (len(operands) + 1))
    arguments = ", ".join(f"%p{i}: i8" for i in range(len(operands)))
    return f"""
      %{result}_init = tensor.empty() : {T}
      %{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
        ins({", ".join(f"%{name}" for name in operands)} : {", ".join([T] * len(operands))})
        outs(%{out or result + "_init"} : {T}) {{
      ^bb0({arguments}, %old: i8):
        %sum = {body}
        linalg.yield %sum : i8
      }} -> {T}"""


def converted(body: str, *results: str) -> ModuleOp:
    """Return a function of %x, at the buffer level, that returns `name: shape` results; checks what it computes."""
    names = [result.split(": ")[0] for result in results]
    types = [f"tensor<{result.split(': ')[1]}xi8>" for result in results]
    text = f"""
    func.func @network(%x: {T}) -> ({", ".join(types)}) {{{body}
      func.return {", ".join(f"%{name}" for name in names)} : {", ".join(types)}
    }}"""
    module = parse_module(CONTEXT, text)
    verify(module)
    x = np.arange(8, dtype=np.int8).reshape(2, 4)
    before = list(run_module(module, {"arg0": x}).values())
    for function in functions(module):
        bufferize(module, function)
    verify(module)
    after: list[Array] = list(run_buffers(module, {"arg0": x}).values())
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)
    return module


def count(module: ModuleOp, name: str) -> int:
    return sum(op.name == name for op in module.walk())


def effort(module: ModuleOp) -> tuple[int, int]:
    """Return the number of allocations and of copies."""
    return count(module, "memref.alloc"), count(module, "memref.copy")


def test_a_chain_computes_in_place():
    body = double("a", "x") + double("b", "a") + double("c", "b") + double("d", "c")
    assert effort(converted(body, "d: 2x4")) == (1, 0)


def test_a_tensor_that_is_needed_later_is_not_overwritten():
    body = double("a", "x") + double("b", "a") + double("c", "b", "a", body="arith.subi %p0, %p1 : i8")
    assert effort(converted(body + double("d", "c"), "d: 2x4")) == (2, 0)


def test_nor_through_a_view():
    body = double("a", "x") + f"%v = tensor.collapse_shape %a [[0, 1]] : {T} into tensor<8xi8>"
    body += double("b", "a") + double("c", "b")
    assert effort(converted(body, "c: 2x4", "v: 8")) == (2, 1)


def test_nor_is_the_input():
    assert effort(converted(double("a", "x") + double("b", "a"), "b: 2x4", "x: 2x4")) == (1, 1)


def test_a_result_is_copied_where_it_is_returned_twice():
    assert effort(converted(double("a", "x"), "a: 2x4", "a: 2x4")) == (0, 1)


def test_a_result_that_is_read_again_stays():
    body = double("a", "x") + double("b", "a")
    assert effort(converted(body, "a: 2x4", "b: 2x4")) == (0, 0)


CONCAT = "%{} = tensor.concat dim(0) {} : ({}) -> tensor<{}x4xi8>\n"


def concat(result: str, *names: str) -> str:
    return CONCAT.format(result, ", ".join(f"%{n}" for n in names), ", ".join([T] * len(names)), 2 * len(names))


def test_the_parts_of_a_concatenation_are_computed_in_it():
    module = converted(double("a", "x") + double("b", "x") + concat("c", "a", "b"), "c: 4x4")
    assert effort(module) == (0, 0)


def test_a_part_that_is_a_result_too_is_copied():
    module = converted(double("a", "x") + double("b", "x") + concat("c", "a", "b"), "a: 2x4", "c: 4x4")
    assert effort(module) == (0, 1)


def test_a_part_that_is_there_twice_is_copied():
    assert effort(converted(double("a", "x") + concat("c", "a", "a"), "c: 4x4")) == (1, 2)


def test_a_part_is_no_place_for_what_follows():
    """`b` may not be computed in place of `a`, which lives in the concatenation."""
    body = double("a", "x") + concat("c", "a", "x")
    body += f"%s = tensor.extract_slice %c[0, 0] [2, 4] [1, 1] : tensor<4x4xi8> to {T}\n" + double("b", "s")
    assert effort(converted(body, "b: 2x4", "c: 4x4"))[0] == 0


def test_concatenations_nest():
    inner = double("a", "x") + double("b", "x") + concat("c", "a", "b")
    outer = "%d = tensor.concat dim(0) %c, %x : (tensor<4x4xi8>, tensor<2x4xi8>) -> tensor<6x4xi8>\n"
    assert effort(converted(inner + outer, "d: 6x4")) == (0, 1)


def test_a_reshaped_result_is_computed_in_its_place():
    body = double("a", "x") + f"%v = tensor.collapse_shape %a [[0, 1]] : {T} into tensor<8xi8>"
    assert effort(converted(body, "v: 8")) == (0, 0)


def test_a_strided_slice_is_copied_before_it_is_reshaped():
    body = f"""%s = tensor.extract_slice %x[0, 0] [2, 2] [1, 2] : {T} to tensor<2x2xi8>
    %v = tensor.collapse_shape %s [[0, 1]] : tensor<2x2xi8> into tensor<4xi8>"""
    assert effort(converted(body, "v: 4")) == (1, 2)


def test_a_kernel_that_reads_its_output_gets_a_copy():
    body = double("a", "x") + double("b", "x", body="arith.addi %p0, %old : i8", out="a")
    assert effort(converted(body, "b: 2x4", "a: 2x4"))[1] == 1


def test_equal_constants_are_one_global():
    body = f"%k = arith.constant dense<3> : {T}\n%l = arith.constant dense<3> : {T}\n" + double("a", "k", "l")
    assert count(converted(body, "a: 2x4", "k: 2x4"), "memref.global") == 1


def test_functions_without_outputs_are_read_as_they_are_printed() -> None:
    module = parse_module(CONTEXT, f"func.func private @helper(%x: {T}) {{ func.return }}")
    for function in functions(module):
        bufferize(module, function)
    assert parse_module(new_context(), print_ir(module)).is_structurally_equivalent(module)
