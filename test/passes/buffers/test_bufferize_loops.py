"""Loops over tensors: nobody sees a tensor change, whether it is copied, changed in place, or a buffer."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array, functions
from tilewright.passes.bufferize import bufferize
from tilewright.runtime.interpreter import run_module
from tilewright.test.passes.levels import run_buffers

pytestmark = pytest.mark.quick

T = "tensor<3xf32>"
X = np.array([1, 2, 3], np.float32)
ID = "affine_map<(d0) -> (d0)>"
ADD = f"""linalg.generic {{indexing_maps = [{ID}, {ID}, {ID}], iterator_types = ["parallel"]}}
  ins(%l, %r : {T}, {T}) outs(%o : {T}) {{
  ^bb0(%left: f32, %right: f32, %old: f32):
    %total = arith.addf %left, %right : f32
    linalg.yield %total : f32
  }} -> {T}"""


def sum_of(a: str, b: str, out: str) -> str:
    """Return the kernel that adds two tensors."""
    return ADD.replace("%l,", f"{a},").replace("%r :", f"{b} :").replace("%o :", f"{out} :")


def run(body: str, results: int = 1) -> list[Array]:
    """Return what a function of %x gives at the tensor level, having checked that buffers give the same."""
    names, types = ", ".join(f"%y{i}" for i in range(results)), ", ".join([T] * results)
    text = f"""
    func.func @network(%x: {T}) -> ({types}) {{
      %i0 = arith.constant 0 : index
      %i1 = arith.constant 1 : index
      %i3 = arith.constant 3 : index
      %ten = arith.constant 10.0 : f32
      %e = tensor.empty() : {T}
      {body}
      func.return {names} : {types}
    }}"""
    module = parse_module(new_context(), text)
    verify(module)
    given = X.copy()
    found = list(run_module(module, {"arg0": given}).values())
    np.testing.assert_array_equal(given, X)
    for function in functions(module):
        bufferize(module, function)
    verify(module)
    for tensor, buffer in zip(found, run_buffers(module, {"arg0": X}).values(), strict=True):
        np.testing.assert_array_equal(tensor, buffer)
    return found


def test_an_element_in_each_turn() -> None:
    loop = f"""%y0 = scf.for %k = %i0 to %i3 step %i1 iter_args(%t = %x) -> ({T}) {{
        %n = tensor.insert %ten into %t[%k] : {T}
        scf.yield %n : {T}
      }}
      %y1 = {sum_of("%y0", "%x", "%e")}"""
    found = run(loop, 2)
    np.testing.assert_array_equal(found[0], [10, 10, 10])
    np.testing.assert_array_equal(found[1], [11, 12, 13])


def test_the_old_tensor_is_needed_after_the_change() -> None:
    loop = f"""%y0 = scf.for %k = %i0 to %i3 step %i1 iter_args(%t = %x) -> ({T}) {{
        %n = tensor.insert %ten into %t[%k] : {T}
        %v = tensor.extract %t[%k] : {T}
        %d = arith.addf %v, %ten : f32
        %m = tensor.insert %d into %n[%k] : {T}
        scf.yield %m : {T}
      }}"""
    np.testing.assert_array_equal(run(loop)[0], [11, 12, 13])


def test_a_slice_of_the_old_tensor_is_needed_after_the_change() -> None:
    loop = f"""%y0 = scf.for %k = %i0 to %i3 step %i1 iter_args(%t = %x) -> ({T}) {{
        %part = tensor.extract_slice %t[0] [1] [1] : {T} to tensor<1xf32>
        %n = tensor.insert %ten into %t[%i0] : {T}
        %v = tensor.extract %part[%i0] : tensor<1xf32>
        %m = tensor.insert %v into %n[%i1] : {T}
        scf.yield %m : {T}
      }}"""
    np.testing.assert_array_equal(run(loop)[0], [10, 10, 3])


def test_each_turn_changes_a_tensor_of_before_the_loop() -> None:
    loop = f"""%s = {sum_of("%x", "%x", "%e")}
      %y0 = scf.for %k = %i0 to %i3 step %i1 iter_args(%t = %x) -> ({T}) {{
        %n = tensor.insert %ten into %s[%k] : {T}
        scf.yield %n : {T}
      }}"""
    np.testing.assert_array_equal(run(loop)[0], [2, 4, 10])


def test_each_turn_adds_a_tensor_of_before_the_loop() -> None:
    loop = f"""%s = {sum_of("%x", "%x", "%e")}
      %y0 = scf.for %k = %i0 to %i3 step %i1 iter_args(%t = %x) -> ({T}) {{
        %n = {sum_of("%s", "%t", "%e")}
        scf.yield %n : {T}
      }}"""
    np.testing.assert_array_equal(run(loop)[0], 7 * X)


def test_tensors_change_places() -> None:
    loop = f"""%s = {sum_of("%x", "%x", "%e")}
      %y0, %y1 = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %x, %b = %s) -> ({T}, {T}) {{
        scf.yield %b, %a : {T}, {T}
      }}"""
    found = run(loop, 2)
    np.testing.assert_array_equal(found, [2 * X, X])


def test_two_tensors_begin_with_one() -> None:
    loop = f"""%s = {sum_of("%x", "%x", "%e")}
      %y0, %y1 = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %s, %b = %s) -> ({T}, {T}) {{
        %n = tensor.insert %ten into %a[%k] : {T}
        scf.yield %n, %b : {T}, {T}
      }}"""
    found = run(loop, 2)
    np.testing.assert_array_equal(found, [[10, 10, 10], 2 * X])


def test_a_kernel_computes_in_place_or_beside() -> None:
    loop = f"""%y0, %y1 = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %x, %b = %x) -> ({T}, {T}) {{
        %s = {sum_of("%a", "%b", "%e")}
        %d = {sum_of("%s", "%a", "%e")}
        scf.yield %d, %s : {T}, {T}
      }}"""
    a, b = X, X
    for _ in range(3):
        a, b = 2 * a + b, a + b
    np.testing.assert_array_equal(run(loop, 2), [a, b])


def test_loops_in_loops() -> None:
    loop = f"""%y0 = scf.for %k = %i0 to %i3 step %i1 iter_args(%t = %x) -> ({T}) {{
        %in = scf.for %j = %i0 to %i3 step %i1 iter_args(%u = %t) -> ({T}) {{
          %v = tensor.extract %u[%k] : {T}
          %w = tensor.extract %x[%j] : {T}
          %d = arith.addf %v, %w : f32
          %n = tensor.insert %d into %u[%k] : {T}
          scf.yield %n : {T}
        }}
        scf.yield %in : {T}
      }}"""
    np.testing.assert_array_equal(run(loop)[0], X + 6)


def test_two_inner_tensors_begin_with_one() -> None:
    loop = f"""%s = {sum_of("%x", "%x", "%e")}
      %p, %q = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %s, %b = %s) -> ({T}, {T}) {{
        %n = tensor.insert %ten into %a[%k] : {T}
        scf.yield %n, %b : {T}, {T}
      }}
      %y0 = {sum_of("%q", "%q", "%e")}"""
    np.testing.assert_array_equal(run(loop)[0], 4 * X)


def test_what_a_turn_makes_waits_for_the_last_look_at_the_old() -> None:
    loop = f"""%y0, %y1 = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %x, %b = %x) -> ({T}, {T}) {{
        %s = {sum_of("%b", "%b", "%e")}
        %d = {sum_of("%s", "%a", "%e")}
        scf.yield %s, %d : {T}, {T}
      }}"""
    a, b = X, X
    for _ in range(3):
        a, b = 2 * b, 2 * b + a
    np.testing.assert_array_equal(run(loop, 2), [a, b])


def test_one_tensor_goes_on_as_two() -> None:
    loop = f"""%y0, %y1 = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %x, %b = %x) -> ({T}, {T}) {{
        %n = tensor.insert %ten into %a[%k] : {T}
        %v = tensor.extract %b[%k] : {T}
        %d = arith.addf %v, %ten : f32
        %m = tensor.insert %d into %n[%i0] : {T}
        scf.yield %m, %m : {T}, {T}
      }}"""
    np.testing.assert_array_equal(run(loop, 2)[0], [13, 10, 10])
