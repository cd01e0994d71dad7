"""Each op of tensor, bufferization, memref, linalg, scf and affine once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.errors import Diagnostic
from tilewright.test.runtime.interpreter.support import run

pytestmark = pytest.mark.quick

CASES: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "extract_slice": (
        "%r = tensor.extract_slice %x[1, 0] [2, 2] [1, 2] : tensor<3x4xi8> to tensor<2x2xi8>",
        "tensor<2x2xi8>",
        lambda x: x[1:3, 0:4:2],
    ),
    "extract_slice to a lower rank": (
        "%r = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<3x4xi8> to tensor<4xi8>",
        "tensor<4xi8>",
        lambda x: x[1],
    ),
    "insert_slice": (
        "%p = tensor.extract_slice %x[0, 0] [1, 2] [1, 1] : tensor<3x4xi8> to tensor<1x2xi8>\n"
        "%r = tensor.insert_slice %p into %x[2, 2] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: np.vstack([x[:2], np.hstack([x[2, :2], x[0, :2]])]),
    ),
    "pad": (
        "%r = tensor.pad %x low[1, 0] high[0, 2] {\n^bb0(%i: index, %j: index):\n  %c = arith.constant 9 : i8\n"
        "  tensor.yield %c : i8\n} : tensor<3x4xi8> to tensor<4x6xi8>",
        "tensor<4x6xi8>",
        lambda x: np.pad(x, [(1, 0), (0, 2)], constant_values=9),
    ),
    "pad by index": (
        "%r = tensor.pad %x low[1, 0] high[0, 2] {\n^bb0(%i: index, %j: index):\n"
        "  %c = arith.index_cast %j : index to i8\n"
        "  tensor.yield %c : i8\n} : tensor<3x4xi8> to tensor<4x6xi8>",
        "tensor<4x6xi8>",
        lambda x: np.vstack([np.arange(6), np.hstack([x, [[4, 5]] * 3])]),
    ),
    "concat": (
        '%r = "tensor.concat"(%x, %x) <{dim = 1 : i64}> : (tensor<3x4xi8>, tensor<3x4xi8>) -> tensor<3x8xi8>',
        "tensor<3x8xi8>",
        lambda x: np.hstack([x, x]),
    ),
    "collapse_shape": (
        "%r = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xi8> into tensor<12xi8>",
        "tensor<12xi8>",
        lambda x: x.reshape(12),
    ),
    "expand_shape": (
        "%r = tensor.expand_shape %x [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xi8> into tensor<3x2x2xi8>",
        "tensor<3x2x2xi8>",
        lambda x: x.reshape(3, 2, 2),
    ),
    "reshape": (
        "%s = arith.constant dense<[2, 6]> : tensor<2xi64>\n"
        "%r = tensor.reshape %x(%s) : (tensor<3x4xi8>, tensor<2xi64>) -> tensor<2x6xi8>",
        "tensor<2x6xi8>",
        lambda x: x.reshape(2, 6),
    ),
    "extract and splat": (
        "%c2 = arith.constant 2 : index\n%e = tensor.extract %x[%c2, %c2] : tensor<3x4xi8>\n"
        "%r = tensor.splat %e : tensor<2x2xi8>",
        "tensor<2x2xi8>",
        lambda x: np.full((2, 2), x[2, 2]),
    ),
    "insert": (
        "%c2 = arith.constant 2 : index\n%e = arith.constant 7 : i8\n"
        "%r = tensor.insert %e into %x[%c2, %c2] : tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: np.where(np.arange(12).reshape(3, 4) == 10, 7, x),
    ),
    "from_elements": (
        "%c1 = arith.constant 1 : i8\n%c2 = arith.constant 2 : i8\n%r = tensor.from_elements %c1, %c2 : tensor<2xi8>",
        "tensor<2xi8>",
        lambda x: np.array([1, 2]),
    ),
    "dim": (
        "%c1 = arith.constant 1 : index\n%d = tensor.dim %x, %c1 : tensor<3x4xi8>\n"
        "%e = arith.index_cast %d : index to i8\n%r = tensor.from_elements %e : tensor<1xi8>",
        "tensor<1xi8>",
        lambda x: np.array([4]),
    ),
    "arith on tensors": (
        "%c = arith.constant dense<3> : tensor<3x4xi8>\n%r = arith.muli %x, %c : tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: (x * 3).astype(np.int8),
    ),
    "linalg.transpose": (
        "%o = tensor.empty() : tensor<4x3xi8>\n"
        "%r = linalg.transpose ins(%x : tensor<3x4xi8>) outs(%o : tensor<4x3xi8>) permutation = [1, 0]",
        "tensor<4x3xi8>",
        lambda x: x.T,
    ),
    "linalg.fill": (
        "%o = tensor.empty() : tensor<2x2xi8>\n%c = arith.constant 5 : i8\n"
        "%r = linalg.fill ins(%c : i8) outs(%o : tensor<2x2xi8>) -> tensor<2x2xi8>",
        "tensor<2x2xi8>",
        lambda x: np.full((2, 2), 5),
    ),
    "linalg.broadcast": (
        "%o = tensor.empty() : tensor<3x2x4xi8>\n"
        "%r = linalg.broadcast ins(%x : tensor<3x4xi8>) outs(%o : tensor<3x2x4xi8>) dimensions = [1]",
        "tensor<3x2x4xi8>",
        lambda x: np.stack([x, x], axis=1),
    ),
    "linalg.reduce": (
        "%o = arith.constant dense<1> : tensor<3xi8>\n"
        "%r = linalg.reduce ins(%x : tensor<3x4xi8>) outs(%o : tensor<3xi8>) dimensions = [1]\n"
        "(%a: i8, %b: i8) {\n  %s = arith.addi %a, %b : i8\n  linalg.yield %s : i8\n}",
        "tensor<3xi8>",
        lambda x: (x.astype(np.int64).sum(axis=1) + 1).astype(np.int8),
    ),
    "linalg.add": (
        "%o = tensor.empty() : tensor<3x4xi8>\n"
        "%r = linalg.add ins(%x, %x : tensor<3x4xi8>, tensor<3x4xi8>) outs(%o : tensor<3x4xi8>) -> tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: (x + x).astype(np.int8),
    ),
    "linalg.copy": (
        "%o = tensor.empty() : tensor<3x4xi8>\n"
        "%r = linalg.copy ins(%x : tensor<3x4xi8>) outs(%o : tensor<3x4xi8>) -> tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: x,
    ),
    "bufferization": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n"
        "%c0 = arith.constant 0 : index\n%c = arith.constant 3 : i8\n"
        "memref.store %c, %m[%c0, %c0] : memref<3x4xi8>\n"
        "%t = bufferization.to_tensor %m : memref<3x4xi8> to tensor<3x4xi8>\n%r = arith.subi %t, %x : tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: np.where(np.arange(12).reshape(3, 4) == 0, 3 - x[0, 0], 0).astype(np.int8),
    ),
    "scf.if": (
        "%t = arith.constant true\n%r = scf.if %t -> (tensor<3x4xi8>) {\n  scf.yield %x : tensor<3x4xi8>\n} else {\n"
        "  %n = arith.addi %x, %x : tensor<3x4xi8>\n  scf.yield %n : tensor<3x4xi8>\n}",
        "tensor<3x4xi8>",
        lambda x: x,
    ),
    "scf.for on tensors": (
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<3x4xi8>) {\n"
        "  %n = arith.addi %a, %x : tensor<3x4xi8>\n  scf.yield %n : tensor<3x4xi8>\n}",
        "tensor<3x4xi8>",
        lambda x: (4 * x).astype(np.int8),
    ),
    "scf.while": (
        "%c0 = arith.constant 0 : i8\n%c1 = arith.constant 1 : i8\n%c5 = arith.constant 5 : i8\n"
        "%e = scf.while (%a = %c0) : (i8) -> i8 {\n  %go = arith.cmpi slt, %a, %c5 : i8\n"
        "  scf.condition(%go) %a : i8\n} do {\n^bb0(%a: i8):\n  %n = arith.addi %a, %c1 : i8\n  scf.yield %n : i8\n}\n"
        "%r = tensor.from_elements %e : tensor<1xi8>",
        "tensor<1xi8>",
        lambda x: np.array([5]),
    ),
    "scf.index_switch": (
        "%c4 = arith.constant 4 : index\n%e = scf.index_switch %c4 -> i8\ncase 4 {\n  %a = arith.constant 40 : i8\n"
        "  scf.yield %a : i8\n}\ndefault {\n  %a = arith.constant 0 : i8\n  scf.yield %a : i8\n}\n"
        "%r = tensor.from_elements %e : tensor<1xi8>",
        "tensor<1xi8>",
        lambda x: np.array([40]),
    ),
    "affine.apply and affine.min": (
        "%c4 = arith.constant 4 : index\n%a = affine.apply affine_map<(d0) -> (d0 * 3 + 1)> (%c4)\n"
        "%b = affine.min affine_map<(d0) -> (d0 - 2, 11)> (%a)\n%e = arith.index_cast %b : index to i8\n"
        "%r = tensor.from_elements %e : tensor<1xi8>",
        "tensor<1xi8>",
        lambda x: np.array([11]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_tensors(name: str):
    body, type_, expected = CASES[name]
    text = f"func.func @network(%x: tensor<3x4xi8>) -> {type_} {{\n{body}\nfunc.return %r : {type_}\n}}"
    x = np.random.default_rng(1).integers(-128, 128, (3, 4), np.int8)
    before = x.copy()
    result = run(text, arg0=x)[0]
    assert np.array_equal(result, expected(x))
    assert np.array_equal(x, before)


def test_a_scf_parallel_reduces():
    text = """func.func @network(%x: memref<4xi32>) -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %start = arith.constant 100 : i32
      %r = "scf.parallel"(%c0, %c4, %c1, %start) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
      ^bb0(%i: index):
        %v = memref.load %x[%i] : memref<4xi32>
        scf.reduce(%v : i32) {
        ^bb0(%a: i32, %b: i32):
          %s = arith.subi %a, %b : i32
          scf.reduce.return %s : i32
        }
      }) : (index, index, index, i32) -> i32
      func.return %r : i32 }"""
    assert run(text, arg0=[1, 2, 3, 4])[0] == 90


VIEWS = """"memref.global"() <{{sym_name = "w", type = memref<2x2xi16>, initial_value = dense<[[1, 2], [3, 4]]> :
  tensor<2x2xi16>, sym_visibility = "private", constant}}> : () -> ()
"memref.global"() <{{sym_name = "arena", type = memref<64xi8>, initial_value, sym_visibility = "private"}}> : () -> ()
func.func @network(%o: memref<64xi8> {{tilewright.output}}) {{
  %arena = memref.get_global @arena : memref<64xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = arith.constant 7 : i16
  %a = memref.view %arena[%c8][] : memref<64xi8> to memref<4x4xi16>
  {body}
  "memref.copy"(%arena, %o) : (memref<64xi8>, memref<64xi8>) -> ()
  func.return }}"""


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("memref.store %seven, %a[%c1, %c0] : memref<4x4xi16>", {8: 7}),
        (
            "%s = memref.subview %a[1, 2] [2, 2] [1, 1] : memref<4x4xi16> "
            "to memref<2x2xi16, strided<[4, 1], offset: 6>>\n"
            "memref.store %seven, %s[%c1, %c0] : memref<2x2xi16, strided<[4, 1], offset: 6>>",
            {14: 7},
        ),
        (
            "%s = memref.subview %a[2, 0] [1, 4] [1, 1] : memref<4x4xi16> to memref<4xi16, strided<[1], offset: 8>>\n"
            "linalg.fill ins(%seven : i16) outs(%s : memref<4xi16, strided<[1], offset: 8>>)",
            {12: 7, 13: 7, 14: 7, 15: 7},
        ),
        (
            "%s = memref.subview %a[1, 0] [3, 4] [1, 1] : memref<4x4xi16> "
            "to memref<3x4xi16, strided<[4, 1], offset: 4>>\n"
            "%t = memref.reinterpret_cast %s to offset: [5], sizes: [2], strides: [2] : "
            "memref<3x4xi16, strided<[4, 1], offset: 4>> to memref<2xi16, strided<[2], offset: 5>>\n"
            "memref.store %seven, %t[%c1] : memref<2xi16, strided<[2], offset: 5>>",
            {11: 7},
        ),
        (
            "%s = memref.collapse_shape %a [[0, 1]] : memref<4x4xi16> into memref<16xi16>\n"
            "memref.store %seven, %s[%c8] : memref<16xi16>",
            {12: 7},
        ),
        (
            "%s = memref.expand_shape %a [[0], [1, 2]] output_shape [4, 2, 2] : memref<4x4xi16> "
            "into memref<4x2x2xi16>\n"
            "memref.store %seven, %s[%c0, %c1, %c1] : memref<4x2x2xi16>",
            {7: 7},
        ),
        (
            "%w = memref.get_global @w : memref<2x2xi16>\n"
            "%s = memref.subview %a[0, 0] [2, 2] [1, 1] : memref<4x4xi16> to memref<2x2xi16, strided<[4, 1]>>\n"
            '"memref.copy"(%w, %s) : (memref<2x2xi16>, memref<2x2xi16, strided<[4, 1]>>) -> ()',
            {4: 1, 5: 2, 8: 3, 9: 4},
        ),
        (
            '%s = memref.alloc() : memref<4x4xi16>\n"memref.copy"(%a, %s) : (memref<4x4xi16>, memref<4x4xi16>) -> ()\n'
            "memref.store %seven, %s[%c0, %c0] : memref<4x4xi16>\nmemref.dealloc %s : memref<4x4xi16>",
            {},
        ),
    ],
)
def test_views_share_their_buffer(body: str, places: dict[int, int]):
    expected = np.zeros(32, np.int16)
    for place, value in places.items():
        expected[place] = value
    assert run(VIEWS.format(body=body))[0].view(np.int16).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("memref.store %seven, %a[%c8, %c0] : memref<4x4xi16>", "out of bounds"),
        (
            "%w = memref.get_global @w : memref<2x2xi16>\nmemref.store %seven, %w[%c0, %c0] : memref<2x2xi16>",
            "constant memory",
        ),
        ("%s = memref.view %arena[%c8][] : memref<64xi8> to memref<8x4xi16>", "is out of bounds of its buffer"),
        (
            "%s = memref.subview %a[3, 2] [2, 2] [1, 1] : memref<4x4xi16> "
            "to memref<2x2xi16, strided<[4, 1], offset: 14>>",
            "is out of bounds of its source",
        ),
    ],
)
def test_memory_is_not_touched_where_it_must_not_be(body: str, message: str):
    with pytest.raises(Diagnostic, match=message):
        run(VIEWS.format(body=body))


def test_a_global_keeps_its_content_between_calls():
    text = """"memref.global"() <{sym_name = "n", type = memref<1xi8>, initial_value,
          sym_visibility = "private"}> : () -> ()
    func.func private @count() -> i8 {
      %n = memref.get_global @n : memref<1xi8>
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i8
      %v = memref.load %n[%c0] : memref<1xi8>
      %w = arith.addi %v, %one : i8
      memref.store %w, %n[%c0] : memref<1xi8>
      func.return %w : i8 }
    func.func @network() -> (i8, i8) {
      %a = func.call @count() : () -> i8
      %b = func.call @count() : () -> i8
      func.return %a, %b : i8, i8 }"""
    assert [int(value) for value in run(text)] == [1, 2]
